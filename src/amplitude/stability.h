/* Which points double precision cannot be trusted with: the test is a condition number of the kinematics.
 *
 * Rounding errors of a matrix element are those of its invariants. Measured against 128-bit floats, in exact sums they
 * stay below (docs/accuracy.md)
 *   - 14 eps (Ei + Ej)^2 / pi.pj with the paper's recursions, which form P^2 = E^2 - p^2 of whole four-momenta,
 *   - 8 eps sqrt(Ei Ej / pi.pj) with the fast kernels, which form products of transverse momenta: eps over the smallest
 *     angle, no more than the rounding of the momenta themselves. A gluon along a beam costs them nothing, as long as
 *     its transverse momentum is well above the last digits of the others'.
 * A point is unstable where the worst pair of gluons exceeds a limit that leaves the errors below 1e-8.
 */
#ifndef BG_AMPLITUDE_STABILITY_H
#define BG_AMPLITUDE_STABILITY_H

#include "blockgen/blockgen.h"
#include "core/scalar.h"

typedef struct stability {
    int by_angle;             /* the fast kernels' measure, Ei Ej / pi.pj; otherwise the paper's, (Ei + Ej)^2 / pi.pj */
    double limit, beam_limit; /* for two outgoing gluons, and for one with a beam */
} stability;

BG_FN stability stability_of(int fast_kernel)
{
    const stability fast = {1, 1e10, 1e14}, paper = {0, 5e6, 5e6}; /* angles of 1.4e-5 and 1.4e-7 */
    return fast_kernel ? fast : paper;
}

/* Whether a point of n gluons is unstable. Component c of user's gluon k is momenta[(4 k + c) * stride]. Not a number
 * counts as unstable. */
BG_FN int stability_fails(const stability s, const int n, const double *momenta, size_t stride)
{
    int fails = 0;
    for (int j = 2; j < n; j++) {
        const double *q = momenta + (size_t)(4 * j) * stride;
        for (int k = 0; k < j; k++) {
            const double *p = momenta + (size_t)(4 * k) * stride;
            const double product =
                p[0] * q[0] - p[stride] * q[stride] - p[2 * stride] * q[2 * stride] - p[3 * stride] * q[3 * stride];
            const double size = s.by_angle ? p[0] * q[0] : (p[0] + q[0]) * (p[0] + q[0]);
            fails |= !(product * (k < 2 ? s.beam_limit : s.limit) >= size);
        }
    }
    return fails;
}

/* Whether cuts alone exclude unstable points, so that nobody has to look: with pT, eta and DeltaR (or the mass of
 * pairs) bounded, so is everything. A factor of two is left for rounding. */
static inline int stability_guaranteed(const stability s, double sqrts, const bg_cuts *cuts)
{
    if (!(cuts->pt_min > 0.)) return 0;
    const double beam = 0.5 * sqrts;
    double most = beam / cuts->pt_min; /* of E / pT, whose arcosh is |eta| */
    if (cuts->eta_max > 0. && cosh(cuts->eta_max) < most) most = cosh(cuts->eta_max);
    /* (Ei + Ej)^2 / (Ei Ej) where energies are between pt_min and that of a beam */
    const double ratio = beam / cuts->pt_min, uneven = s.by_angle ? 1. : ratio + 2. + 1. / ratio;
    /* with a beam: pi.pj = Ei Ej (1 - |cos|), and 1 - tanh(eta) >= 1 / (2 cosh^2) */
    const double with_beam = 2. * most * most;
    /* outgoing ones: pi.pj = pTi pTj (cosh(deta) - cos(dphi)), at least 1 - cos(DeltaR) */
    double pair = (double)INFINITY;
    if (cuts->dr_min > 0.) pair = most * most / (1. - cos(cuts->dr_min < 3. ? cuts->dr_min : 3.));
    if (cuts->mass_min > 0.) {
        const double by_mass = 2. * beam * beam / (cuts->mass_min * cuts->mass_min);
        if (by_mass < pair) pair = by_mass;
    }
    return 2. * uneven * pair < s.limit && 2. * uneven * with_beam < s.beam_limit;
}

#endif
