/* Iterations of an integration: what one of them leaves behind, two of them together, and whether they agree. */
#ifndef BG_ENGINE_ITERATION_H
#define BG_ENGINE_ITERATION_H

#include "accumulate/tally.h"

typedef struct bg_iteration {
    uint64_t points, accepted, nonfinite, pairs, unstable, rescued, evaluated;
    double mean, variance; /* of the weight; variance of a single point */
    double estimated;      /* with a sieve: the variance of e, which is a part of that */
    uint64_t learned;      /* 1: a lesson had made the estimate better, so that w/e scatters less */
} bg_iteration;

/* From the sums of all ranks. Whether the estimate was a learned one is for the caller to say. */
bg_iteration bg_iteration_of(const bg_tally *tally);

/* Two iterations as if they were one: all points weigh the same. */
bg_iteration bg_iterations_together(const bg_iteration *a, const bg_iteration *b);

/* The sum of squares of what the iterations are off the mean, in units of their errors. With a sieve (estimate/sieve.h) few points
 * of each have exact values, and how much these scatter is what all iterations with the same estimate together say: one that has met
 * none of the large corrections thinks its own error too small, and after a large one too large. */
double bg_iterations_chi2(const bg_iteration *const *iteration, int count, double mean, int sieved);

/* Whether chance leaves so large a chi^2 in less than one of a hundred cases. */
int bg_is_beyond_chance(double chi2, double degrees);

#endif
