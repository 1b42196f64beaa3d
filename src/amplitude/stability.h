/* Which points double precision cannot be trusted with: the test is a condition number of the kinematics.
 *
 * Rounding errors of a matrix element are those of its invariants. Measured against 128-bit floats, in exact sums they stay
 * below 9 eps sqrt(Ei Ej / pi.pj) with the fast and with the paper's kernels, half of that where the pair of gluons is one
 * with a beam (docs/accuracy.md): eps over the smallest angle, no more than the rounding of the momenta themselves. Energies
 * do not matter. A point is unstable where the worst pair exceeds a limit that leaves the errors below 1e-8; an angle
 * between outgoing gluons has a tighter one, since single configurations lose up to two digits more there.
 */
#ifndef BG_AMPLITUDE_STABILITY_H
#define BG_AMPLITUDE_STABILITY_H

#include "kinematics/momenta.h"

/* Of Ei Ej / pi.pj: angles of 1.4e-5 between two outgoing gluons, and of 1.4e-7 to a beam. */
#define BG_STABLE 1e10
#define BG_STABLE_BEAM 1e14

/* Whether point e of n partons is unstable. Not a number counts as unstable. */
BG_FN int stability_fails(const int n, const bg_momenta *momenta, size_t e)
{
    const size_t c = momenta->component;
    int fails = 0;
    for (int j = 1; j < n; j++) {
        const double *q = momenta_at(momenta, e, j);
        for (int k = 0; k < j; k++) {
            const double *p = momenta_at(momenta, e, k);
            const double x = q[0] * p[c] - p[0] * q[c], y = q[0] * p[2 * c] - p[0] * q[2 * c];
            const double z = q[0] * p[3 * c] - p[0] * q[3 * c], energies = p[0] * q[0];
            /* 2 Ei Ej pi.pj: where the energies cancel, p.q itself has no digits left to compare */
            const double product = x * x + y * y + z * z;
            const int beams = (int)(momenta->incoming >> j & 1u) + (int)(momenta->incoming >> k & 1u);
            fails |= beams < 2 && !(product * (beams ? BG_STABLE_BEAM : BG_STABLE) >= 2. * energies * energies);
        }
    }
    return fails;
}

/* Whether cuts alone exclude unstable points, so that nobody has to look: with pT, eta and DeltaR (or the mass of
 * pairs) bounded, so is everything. A factor of two is left for rounding. */
static inline int stability_guaranteed(double sqrts, const bg_cuts *cuts)
{
    if (!(cuts->pt_min > 0.)) return 0;
    const double beam = 0.5 * sqrts;
    double most = beam / cuts->pt_min; /* of E / pT, whose arcosh is |eta| */
    if (cuts->eta_max > 0. && cosh(cuts->eta_max) < most) most = cosh(cuts->eta_max);
    /* with a beam: pi.pj = Ei Ej (1 - |cos|), and 1 - tanh(eta) >= 1 / (2 cosh^2) */
    const double with_beam = 2. * most * most;
    /* outgoing ones: pi.pj = pTi pTj (cosh(deta) - cos(dphi)), at least 1 - cos(DeltaR) */
    double pair = (double)INFINITY;
    if (cuts->dr_min > 0.) pair = most * most / (1. - cos(cuts->dr_min < 3. ? cuts->dr_min : 3.));
    if (cuts->mass_min > 0.) {
        const double by_mass = 2. * beam * beam / (cuts->mass_min * cuts->mass_min);
        if (by_mass < pair) pair = by_mass;
    }
    return 2. * pair < BG_STABLE && 2. * with_beam < BG_STABLE_BEAM;
}

#endif
