#include "engine/iteration.h"

#include <math.h>

bg_iteration bg_iteration_of(const bg_tally *t)
{
    bg_iteration i;
    const double n = (double)t->points, sum = bg_exact_value(&t->weight);
    i.learned = 0;
    i.points = (uint64_t)t->points;
    i.accepted = (uint64_t)t->accepted;
    i.nonfinite = (uint64_t)t->nonfinite;
    i.unstable = (uint64_t)t->unstable;
    i.rescued = (uint64_t)t->rescued;
    i.pairs = (uint64_t)t->pairs;
    i.evaluated = (uint64_t)t->evaluated;
    i.mean = n > 0. ? sum / n : 0.;
    i.variance =
        n > 0. ? bg_sum_variance(sum, bg_exact_value(&t->weight2), n, (double)t->accepted, (double)t->pairs) / n : 0.;
    i.estimated = n > 0. ? fmax(bg_exact_value(&t->estimate2) / n - i.mean * i.mean, 0.) : 0.;
    return i;
}

bg_iteration bg_iterations_together(const bg_iteration *a, const bg_iteration *b)
{
    bg_iteration i = {.points = a->points + b->points,
                      .accepted = a->accepted + b->accepted,
                      .nonfinite = a->nonfinite + b->nonfinite,
                      .pairs = a->pairs + b->pairs,
                      .unstable = a->unstable + b->unstable,
                      .rescued = a->rescued + b->rescued,
                      .evaluated = a->evaluated + b->evaluated};
    const double n = (double)i.points, m = (double)a->points, k = (double)b->points;
    if (!(n > 0.)) return i;
    i.mean = (m * a->mean + k * b->mean) / n;
    i.variance = (m * a->variance + k * b->variance) / n;
    i.estimated = (m * a->estimated + k * b->estimated) / n;
    return i;
}

/* What corrections of the exact values add to the variance of a trial point where all have exact values: the mean over
 * iterations whose estimate was a learned one, or was not, by the numbers of these. */
static double variance_of_corrections(const bg_iteration *const *iteration, int count, uint64_t learned)
{
    double sum = 0., values = 0.;
    for (int k = 0; k < count; k++) {
        const bg_iteration *i = iteration[k];
        if (i->learned != learned) continue;
        const double exact = (double)i->evaluated;
        sum += (i->variance - i->estimated) * exact / (double)i->points * exact;
        values += exact;
    }
    return sum > 0. ? sum / values : 0.;
}

/* The variance of a trial point: fewer exact values count for more each. */
static double variance_with(const bg_iteration *i, double corrections)
{
    if (!(corrections > 0.) || !i->evaluated) return i->variance;
    return i->estimated + corrections * (double)i->points / (double)i->evaluated;
}

double bg_iterations_chi2(const bg_iteration *const *iteration, int count, double mean, int sieved)
{
    double chi2 = 0., corrections[2] = {0., 0.};
    for (int learned = 0; learned < 2 && sieved; learned++)
        corrections[learned] = variance_of_corrections(iteration, count, (uint64_t)learned);
    for (int k = 0; k < count; k++) {
        const bg_iteration *i = iteration[k];
        const double off = i->mean - mean, variance = variance_with(i, corrections[i->learned]);
        if (variance > 0.) chi2 += off * off * (double)i->points / variance;
    }
    return chi2;
}

/* Wilson and Hilferty: the cube root of a chi^2 is nearly normal. */
int bg_is_beyond_chance(double chi2, double degrees)
{
    const double spread = 2. / (9. * degrees);
    return cbrt(chi2 / degrees) > 1. - spread + 2.326 * sqrt(spread);
}
