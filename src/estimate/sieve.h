/* The sieve: which points get an exact |M|^2, chosen by what an estimate says about them.
 *
 *     e = scale E F weight          what a point adds to sigma by the estimate E (estimate.h) and the learned factor F (learned.h)
 *     p = min(1, e / threshold)     with this probability the point is kept, and its exact weight w is computed
 *     W = e + [kept] (w - e) / p    what it adds to the sums
 *
 * The mean of W over that choice is w, whatever e is: a poor estimate costs time and not truth. The variance of W over trial
 * points is
 *
 *     Var e + sigma threshold rms^2 ,     rms^2 = <(w/e - 1)^2>, points weighted with e ,
 *
 * and sigma / threshold of the trial points are kept. With the costs t of a trial point and x of an exact |M|^2 a given error is
 * reached in the least time with
 *
 *     sigma / threshold = rms sqrt(t / x) sigma / sqrt(Var e) .
 *
 * Kept points with the weights w/p are nearly unweighted: what makes events of them starts from those.
 */
#ifndef BG_ESTIMATE_SIEVE_H
#define BG_ESTIMATE_SIEVE_H

#include "estimate/learned.h"
#include "random/philox.h"

/* What a batch of points is sieved with. */
typedef struct bg_sieve {
    estimate_plan plan;        /* rows are places */
    double scale;              /* of E */
    double threshold;          /* pb; 0: all points are kept, INFINITY: none */
    const double *coefficient; /* of the learned factor; NULL: there is none */
} bg_sieve;

/* Numbers that E of a register of points takes room for. */
BG_FN size_t sieve_reals(const estimate_plan *plan)
{
    return pairs_reals(plan->legs) + estimate_reals(plan) + (size_t)learned_most_numbers(plan->legs);
}

/* E F of momenta by place, in such a room. */
BG_FN real sieve_value(const estimate_plan *plan, const double *coefficient, const vec4 *p, real *room, size_t stride)
{
    const pair_table table = pairs_in(plan->legs, room, stride);
    real *const sums = room + pairs_reals(plan->legs) * stride;
    const estimate_room paths = estimate_room_in(plan, sums, stride);
    pairs_fill(plan->legs, p, &table);
    const real value = estimate_value(plan, &table, &paths);
    if (!coefficient) return value;
    return value * learned_factor(plan, &table, coefficient, sums + estimate_reals(plan) * stride, stride);
}

/* A point after the sieve. */
typedef struct bg_sieved {
    double estimate, probability; /* e; p, or 0 where it is not kept */
} bg_sieved;

/* A point whose estimate is no sensible number is kept, and counts as if there were none. */
BG_FN bg_sieved sieve_point(double threshold, double estimate, uint64_t seed, uint64_t event)
{
    bg_sieved s = {estimate, 1.};
    if (!(estimate > 0. && estimate <= 1e100)) {
        s.estimate = 0.;
        return s;
    }
    if (estimate >= threshold) return s;
    const double u = bg_random_number(seed, event, BG_STREAM_SIEVE);
    s.probability = u * threshold < estimate ? estimate / threshold : 0.;
    return s;
}

/* What is added to e for a kept point. */
BG_FN double sieve_correction(const bg_sieved *s, double w) { return (w - s->estimate) / s->probability; }

#endif
