/* A factor that is learned from exact values, and takes an estimate E (estimate.h) closer to |M|^2:
 *
 *     E' = scale E exp(min(1.2, max(-1, f))) ,    f = c_0 + sum_k c_k u_k + sum_{l<=k} c_kl u_k u_l ,    u = ln(s_ij / s_12)
 *
 * u runs over all pairs of legs but the two beams, whose own is zero: 14 numbers and 120 coefficients at 6 legs, 20 and 231
 * at 7. (Momentum conservation leaves 9 and 14 independent s_ij; their logarithms are independent all the same, and f needs
 * the poles of each pair.) Equal outgoing partons are sorted by their s to the first beam before, so that f does not
 * depend on their order. Where many points can be spared, s of all sets of three legs with the first beam among them
 * stand beside those of pairs: 10 more at 6 legs, and 325 coefficients. |M|^2 has poles there, and E has none.
 *
 * The fit (learned.c) is a weighted least squares of ln(|M|^2 / E), weights w |M|^2, in a few rounds: each gives points whose
 * ratio is still too large more weight, exp(pull * residual), since it is the largest ratios that spoil unweighting. Events
 * have a fit of their own, which goes for these alone (bound.c).
 */
#ifndef BG_ESTIMATE_LEARNED_H
#define BG_ESTIMATE_LEARNED_H

#include "estimate/estimate.h"

/* Legs up to which there may be masses of three: beyond, they are too many. */
enum { LEARNED_MOST_MASSIVE_LEGS = 6 };

/* Numbers u of pairs for so many legs, those with three legs, and coefficients. */
BG_FN int learned_invariants(int legs) { return legs * (legs - 1) / 2 - 1; }
BG_FN int learned_masses(int legs) { return legs > LEARNED_MOST_MASSIVE_LEGS ? 0 : (legs - 1) * (legs - 2) / 2; }
BG_FN int learned_coefficients(int invariants) { return (invariants + 1) * (invariants + 2) / 2; }

/* Numbers u of a plan; and of any for so many legs. */
BG_FN int learned_numbers(const estimate_plan *plan)
{
    return learned_invariants(plan->legs) + (plan->masses ? learned_masses(plan->legs) : 0);
}
BG_FN int learned_most_numbers(int legs) { return learned_invariants(legs) + learned_masses(legs); }

/* Where the coefficients of u_k begin: c_k, then c_k0 .. c_kk. */
BG_FN int learned_row(int k) { return 1 + k * (k + 3) / 2; }

/* Number of the pair of places i > j in the order of estimate_plan, not both of them beams. */
BG_FN int learned_pair(int i, int j) { return i * (i - 1) / 2 + j - 1; }

/* The partons in places i and i + 1 exchanged where the first has the larger s to beam 1. */
BG_FN void learned_exchange(const int legs, int i, real *u, size_t stride)
{
    const mask wrong = u[(size_t)learned_pair(i, 0) * stride] > u[(size_t)learned_pair(i + 1, 0) * stride];
    for (int k = 0; k < legs; k++) {
        if (k == i || k == i + 1) continue;
        real *first = u + (size_t)(k < i ? learned_pair(i, k) : learned_pair(k, i)) * stride;
        real *second = u + (size_t)(k < i ? learned_pair(i + 1, k) : learned_pair(k, i + 1)) * stride;
        const real x = *first, y = *second;
        *first = bg_select(wrong, y, x);
        *second = bg_select(wrong, x, y);
    }
}

/* |s| of three legs, beam 1 among them, from those of pairs: of both beams and i, then of beam 1 with i and j. */
BG_FN void learned_add_masses(int legs, real *s, size_t stride)
{
    const real least = bg_real(1e-12); /* of s of the beams: rounding may leave less than nothing */
    real *to = s + (size_t)learned_invariants(legs) * stride;
    for (int i = 2; i < legs; i++)
        for (int j = 1; j < i; j++) {
            const real a = s[(size_t)learned_pair(i, 0) * stride], b = s[(size_t)learned_pair(i, j) * stride];
            const real mass = j == 1 ? bg_real(1.) - (a + b) : a + s[(size_t)learned_pair(j, 0) * stride] - b;
            *to = bg_select(mass < least, least, mass);
            to += stride;
        }
}

/* u, sorted, `stride` numbers from one to the next. */
BG_FN void learned_logarithms(const estimate_plan *plan, const pair_table *t, real *u, size_t stride)
{
    const int legs = plan->legs;
    const real inverse = pairs_inverse(t, plan->ordered[0], plan->ordered[1]);
    for (int i = 2; i < legs; i++)
        for (int j = 0; j < i; j++)
            u[(size_t)learned_pair(i, j) * stride] = pairs_s(t, plan->ordered[i], plan->ordered[j]) * inverse;
    for (int last = legs - 1; last > 2; last--) /* after this, `last` is right in its run */
        for (int i = plan->first[last]; i < last; i++) learned_exchange(legs, i, u, stride);
    if (plan->masses) learned_add_masses(legs, u, stride);
    for (int k = 0; k < learned_numbers(plan); k++) u[(size_t)k * stride] = bg_fast_log(u[(size_t)k * stride]);
}

/* u_k (c_k + sum_{l<=k} c_kl u_l), summed over `rows` (1 to 4) values of k side by side: one sum alone would wait for each
 * of its terms. */
BG_FN real learned_rows(const int rows, int k, const real *u, size_t stride, const double *coefficient)
{
    real slope[4], sum = bg_real(0.);
    BG_UNROLL
    for (int r = 0; r < rows; r++) slope[r] = bg_real(coefficient[learned_row(k + r)]);
    for (int l = 0; l <= k; l++) {
        const real x = u[(size_t)l * stride];
        BG_UNROLL
        for (int r = 0; r < rows; r++) slope[r] = slope[r] + coefficient[learned_row(k + r) + l + 1] * x;
    }
    BG_UNROLL
    for (int r = 0; r < rows; r++) {
        BG_UNROLL
        for (int l = 1; l <= r; l++)
            slope[r] = slope[r] + coefficient[learned_row(k + r) + k + l + 1] * u[(size_t)(k + l) * stride];
        sum = sum + slope[r] * u[(size_t)(k + r) * stride];
    }
    return sum;
}

BG_FN real learned_form(const int invariants, const real *u, size_t stride, const double *coefficient)
{
    real f = bg_real(coefficient[0]);
    int k = 0;
    for (; k + 4 <= invariants; k += 4) f = f + learned_rows(4, k, u, stride, coefficient);
    for (; k < invariants; k++) f = f + learned_rows(1, k, u, stride, coefficient);
    return f;
}

/* Beyond what was fitted a form can be anything. */
BG_FN real learned_limited(real f)
{
    const real least = bg_real(-1.);
    return bg_fast_exp(bg_min(bg_select(f < least, least, f), bg_real(1.2)));
}

/* E' / (scale E), from the table of invariants; `u` is room for learned_invariants(plan->legs) numbers. */
BG_FN real learned_factor(const estimate_plan *plan, const pair_table *t, const double *coefficient, real *u,
                          size_t stride)
{
    learned_logarithms(plan, t, u, stride);
    return learned_limited(learned_form(learned_numbers(plan), u, stride, coefficient));
}

/* Points with their exact values. */
typedef struct bg_learned_sample {
    size_t points;
    int invariants;
    const double *u;        /* [point][number], as learned_logarithms() leaves them */
    const double *exact;    /* [point] |M|^2 */
    const double *estimate; /* [point] E */
    const double *weight;   /* [point] of phase space and whatever else belongs to a point; NULL: all equal */
} bg_learned_sample;

typedef struct bg_learned_settings {
    int rounds;
    double ridge; /* added to the diagonal of the normal equations, in its own units */
    double pull;  /* how strongly a residual changes the weight of a point from the second round on */
    double share; /* weights are cut where so large a share of the points is below */
    int threads;  /* the numbers do not depend on how many */
} bg_learned_settings;

bg_learned_settings bg_learned_defaults(void);

/* To coefficient[learned_coefficients(sample->invariants)] and the scale, which makes the means of E and |M|^2 equal. The same
 * points in the same order give the same numbers. Refuses values that are not positive, and fewer points than coefficients. */
bg_status bg_learned_fit(const bg_learned_sample *sample, const bg_learned_settings *settings, double *scale,
                         double *coefficient, bg_error *error);

/* Whether a sample is one to be fitted. */
bg_status bg_learned_check(const bg_learned_sample *sample, bg_error *error);

/* The functions of the fit at a point: 1, u_k, u_k u_l, in the order of the coefficients. */
void bg_learned_functions(int invariants, const double *u, double *to);

/* The factor for events, as bg_learned_fit() for the estimates times `scale`: E' that is small and is rarely exceeded (bound.c). */
bg_status bg_learned_bound(const bg_learned_sample *sample, int threads, double *scale, double *coefficient,
                           bg_error *error);

#endif
