/* Which points double precision cannot be trusted with: the test is a condition number of the kinematics.
 *
 * Rounding errors of a matrix element are those of its invariants. Measured against 128-bit floats, in exact sums they stay
 * below 9 eps sqrt(Ei Ej / pi.pj) with the fast and with the paper's kernels, half of that where the pair of gluons is one
 * with a beam (docs/accuracy.md): eps over the smallest angle, no more than the rounding of the momenta themselves. Energies
 * do not matter. A point is unstable where the worst pair exceeds a limit that leaves the errors below 1e-8; an angle
 * between outgoing gluons has a tighter one, since single configurations lose up to two digits more there.
 *
 * With quarks it is 10 eps sqrt(Ei Ej / pi.pj), half of it with a beam. Energies do matter in one place: with two gluons coming
 * in, a soft pair of the antiquark that closes the amplitudes and its quark loses E / (Ei + Ej) more, E that of a beam. Within
 * cuts that is little; pairs that are softer than any cut allows are not found here.
 */
#ifndef BG_AMPLITUDE_STABILITY_H
#define BG_AMPLITUDE_STABILITY_H

#include "kinematics/momenta.h"

/* Of Ei Ej / pi.pj: angles of 1.4e-5 between two outgoing gluons, and of 1.4e-7 to a beam. */
#define BG_STABLE 1e10
#define BG_STABLE_BEAM 1e14

/* The screen for one event, whose momenta are at first[offset[k] + c * component]. */
BG_FN int stability_screen(const int n, const double *first, const size_t *offset, const uint32_t incoming,
                           const size_t component)
{
    int fails = 0;
    for (int j = 1; j < n; j++) {
        const double *q = first + offset[j];
        for (int k = 0; k < j; k++) {
            const double *p = first + offset[k];
            const double x = q[0] * p[component] - p[0] * q[component];
            const double y = q[0] * p[2 * component] - p[0] * q[2 * component];
            const double z = q[0] * p[3 * component] - p[0] * q[3 * component], energies = p[0] * q[0];
            /* 2 Ei Ej pi.pj: where the energies cancel, p.q itself has no digits left to compare */
            const double product = x * x + y * y + z * z;
            const uint32_t beams = (incoming >> j & 1u) + (incoming >> k & 1u);
            fails |= (beams < 2) & !(product * (beams ? BG_STABLE_BEAM : BG_STABLE) >= 2. * energies * energies);
        }
    }
    return fails;
}

/* Whether point e of n partons is unstable. Not a number counts as unstable. The components of a user's momentum stand side
 * by side, which is worth a path of its own. */
BG_FN int stability_fails(const int n, const bg_momenta *momenta, size_t e)
{
    const double *first = momenta->at + e * momenta->event;
    return momenta->component == 1 ? stability_screen(n, first, momenta->offset, momenta->incoming, 1)
                                   : stability_screen(n, first, momenta->offset, momenta->incoming, momenta->component);
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
