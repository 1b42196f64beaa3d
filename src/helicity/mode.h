/* The helicity axis, as the kernels see it: which states of each leg an evaluation runs over. */
#ifndef BG_HELICITY_MODE_H
#define BG_HELICITY_MODE_H

#include "base/limits.h"
#include "random/philox.h"

enum helicity_mode {
    HELICITY_BASIS,   /* both real states e1, e2: the sum runs over 2^n configurations */
    HELICITY_ANGLE,   /* one state cos e1 + sin e2 */
    HELICITY_PHASE,   /* one state e^{i phi} eps+ + e^{-i phi} eps- */
    HELICITY_LINEAR,  /* one state e1 or e2, drawn */
    HELICITY_CIRCULAR /* one complex state eps+ or eps-, chosen by the caller, event by event */
};

BG_FN int helicity_parts(int mode) { return mode == HELICITY_CIRCULAR ? 2 : 1; }
BG_FN int helicity_states(int mode) { return mode == HELICITY_BASIS ? 2 : 1; }

/* Number of configurations the kernel runs over. */
BG_FN int helicity_configurations(const int n, int mode) { return mode == HELICITY_BASIS ? 1 << n : 1; }

/* What the squared amplitude of a draw is multiplied with to average to the helicity sum. */
BG_FN double helicity_draw_weight(const int n, int mode)
{
    return mode == HELICITY_ANGLE || mode == HELICITY_LINEAR ? (double)(1u << n) : 1.;
}

/* A uniformly drawn helicity configuration: bit k is set where internal gluon k, taken as outgoing, has
 * helicity +. Its weight is 2^n. */
BG_FN uint32_t helicity_draw_configuration(const int n, uint64_t seed, uint64_t event, uint32_t draw)
{
    bg_random r = bg_random_at(seed, event, draw, BG_STREAM_HELICITY);
    double u[2];
    bg_random_pair(&r, 0, u);
    return (uint32_t)(u[0] * (double)(1u << n));
}

#endif
