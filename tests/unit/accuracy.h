/* Relative deviations of |M|^2 in double precision from 128-bit floats at the same points, sorted. */
#ifndef TEST_ACCURACY_H
#define TEST_ACCURACY_H

#include "support.h"

static int increasing(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* |M|^2 of double precision alone against `exact`. */
static inline void deviations_from(int n_out, const bg_options *options, size_t count, const double *momenta,
                                   const double *exact, double *deviation)
{
    bg_options plain = *options;
    plain.rescue = 0;
    evaluate(n_out, &plain, 0, count, momenta, deviation, NULL);
    for (size_t k = 0; k < count; k++) /* colors may make an amplitude vanish exactly */
        deviation[k] = deviation[k] == exact[k] ? 0. : fabs(deviation[k] / exact[k] - 1.);
    qsort(deviation, count, sizeof *deviation, increasing);
}

/* The best instruction set against "quad"; 0 where there are no 128-bit floats. */
static inline int deviations(int n_out, const bg_options *options, uint64_t seed, size_t count, double *deviation)
{
    random_source r = fixed_source(seed);
    double *p = random_cut_points(&r, n_out, 14000., count), *exact = malloc(count * sizeof *exact);
    assert_non_null(exact);
    const int present = choose_simd("quad");
    if (present) {
        evaluate(n_out, options, 0, count, p, exact, NULL);
        default_simd();
        deviations_from(n_out, options, count, p, exact, deviation);
    }
    free(exact);
    free(p);
    return present;
}

#endif
