/* The two beams, and the factors of a point that are neither |M|^2 nor phase space.
 *
 * Beams of fixed energy bring two partons of half of sqrt(s) each along the z axis. The factors belong to a point, since
 * those of other beams depend on it: flux, luminosity (parton densities) and coupling. The coupling is that of the point
 * relative to the one that |M|^2 was normalized with.
 */
#ifndef BG_BEAMS_BEAMS_H
#define BG_BEAMS_BEAMS_H

#include "base/constants.h"
#include "kinematics/vector.h"

/* Plain data: copied to devices as it is. */
typedef struct bg_beams {
    double sqrts; /* GeV */
    double flux;  /* 1/(2 s), GeV^-2 in pb */
} bg_beams;

typedef struct bg_factors {
    real flux, luminosity, coupling;
} bg_factors;

BG_FN bg_beams beams_fixed(double sqrts)
{
    const bg_beams b = {sqrts, BG_GEV2_PB / (2. * sqrts * sqrts)};
    return b;
}

/* The momentum of incoming leg 0 or 1. */
BG_FN vec4 beams_momentum(const bg_beams *b, int leg)
{
    const real zero = bg_real(0.), energy = bg_real(0.5 * b->sqrts);
    const vec4 p = {energy, zero, zero, leg ? -energy : energy};
    return p;
}

BG_FN bg_factors beams_factors(const bg_beams *b)
{
    const bg_factors f = {bg_real(b->flux), bg_real(1.), bg_real(1.)};
    return f;
}

BG_FN real factors_product(const bg_factors *f) { return f->flux * f->luminosity * f->coupling; }

#endif
