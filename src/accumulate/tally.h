/* What a batch of points leaves behind: sums, counts and what the adaptation needs. Everything is integers
 * that add up, so tallies may be merged in any order (threads, ranks, checkpoints).
 */
#ifndef BG_ACCUMULATE_TALLY_H
#define BG_ACCUMULATE_TALLY_H

#include "base/exact.h"
#include "estimate/sieve.h"
#include "phasespace/channel.h"
#include "helicity/selector.h"

/* Importances are kept as integer multiples of 2^-12 of a scale, clipped at 2^40 units: plenty for the shape
 * of a grid. */
#define BG_IMPORTANCE_UNITS 4096.
#define BG_IMPORTANCE_CLIP 1099511627776.

typedef struct bg_tally {
    int64_t points, accepted, nonfinite, unstable, rescued;
    int64_t evaluated;        /* points whose |M|^2 was computed */
    int64_t pairs;            /* ordered pairs of accepted points that share colors */
    bg_exact weight, weight2; /* of points; squares of groups where these share colors */
    /* with a sieve (estimate/sieve.h): squares of e, and of the points that were kept e/p, w/p and w^2/(e p) */
    bg_exact estimate2, kept[3];
    double max_weight;       /* with a sieve: the largest e */
    int dimensions, entries; /* axes of points, entries of the selector */
    int cells;               /* soft partons whose directions are learned */
    /* sums of weight^2, for events of its third power */
    int64_t *importance; /* [axis][BG_GRID_BINS]: in each bin of each axis */
    int64_t *helicity;   /* [entry]: of each entry of the selector */
    int64_t *direction;  /* [soft parton][BG_SYMMETRIC_CELLS]: of each cell */
} bg_tally;

/* An empty tally, in one block of memory with its arrays. NULL without memory. */
bg_tally *bg_tally_create(int dimensions, int entries, int cells);
/* ... and one with the sums of another. */
bg_tally *bg_tally_copy(const bg_tally *tally);
void bg_tally_destroy(bg_tally *tally);
void bg_tally_clear(bg_tally *tally);

/* Integers in the three arrays together; they follow one another. */
static inline size_t bg_tally_importances(int dimensions, int entries, int cells)
{
    return (size_t)dimensions * BG_GRID_BINS + (size_t)entries + (size_t)cells * BG_SYMMETRIC_CELLS;
}

BG_FN int64_t bg_importance(double value, double scale)
{
    const double units = value / scale * BG_IMPORTANCE_UNITS;
    return (int64_t)(units < BG_IMPORTANCE_CLIP ? units : BG_IMPORTANCE_CLIP);
}

/* Where points are to become events: the third power of the weight, which keeps the largest ones small. */
BG_FN int64_t bg_cubic_importance(double w, double scale)
{
    const double ratio = w * w / scale;
    return bg_importance(ratio * sqrt(ratio) * scale, scale);
}

/* The weight of a point in pb: |M|^2 over the probability of the chosen helicities, times phase space, flux and units. */
BG_FN double bg_point_weight(double me2, double probability, double weight) { return me2 / probability * weight; }

/* Whether a weight counts: not if it is no number, or its square is none. */
BG_FN int bg_weight_counts(double w) { return w <= 1e150 && !(w < 0.); }

/* What the adaptation learns of a point: `importance`, in the bins of all axes and the cells of soft partons. */
static inline void bg_tally_learn(bg_tally *t, int64_t importance, const uint8_t *bin, size_t stride)
{
    for (int d = 0; d < t->dimensions; d++)
        t->importance[(size_t)d * BG_GRID_BINS + bin[(size_t)d * stride]] += importance;
    for (int k = 0; k < t->cells; k++) {
        const int cell = bin[(size_t)(t->dimensions + k) * stride];
        t->direction[k * BG_SYMMETRIC_CELLS + cell] += importance;
    }
}

BG_FN int64_t bg_weight_importance(double w, double scale, int cubic)
{
    return cubic ? bg_cubic_importance(w, scale) : bg_importance(w * w, scale);
}

/* One point inside the cuts, of weight w (pb). bin[d * stride] is its bin on axis d, entry that of the selector or -1.
 * Importances are measured against `scale`, a typical weight^2; 0 leaves them out. The square is left to
 * bg_tally_group() where points share colors. Returns whether the point counts. */
static inline int bg_tally_point(bg_tally *t, double w, int alone, const uint8_t *bin, size_t stride, int entry,
                                 double scale, int cubic)
{
    if (!bg_weight_counts(w)) {
        t->nonfinite++;
        return 0;
    }
    bg_exact_add(&t->weight, w);
    if (alone) bg_exact_add(&t->weight2, w * w);
    if (w > t->max_weight) t->max_weight = w;
    if (scale > 0.) {
        const int64_t importance = bg_weight_importance(w, scale, cubic);
        bg_tally_learn(t, importance, bin, stride);
        if (entry >= 0) t->helicity[entry] += importance;
    }
    return 1;
}

/* One point inside the cuts after the sieve. What is not known of a kept one before bg_tally_kept() is left to that. */
static inline void bg_tally_sieved(bg_tally *t, const bg_sieved *s, const uint8_t *bin, size_t stride, double scale,
                                   int cubic)
{
    const double e = s->estimate;
    bg_exact_add(&t->estimate2, e * e);
    if (!(s->probability > 0.)) {
        bg_exact_add(&t->weight, e);
        bg_exact_add(&t->weight2, e * e);
    }
    if (e > t->max_weight) t->max_weight = e;
    if (scale > 0.) bg_tally_learn(t, bg_weight_importance(e, scale, cubic), bin, stride);
}

/* ... and of the exact weight w, where it is kept. A weight that is no number counts as zero. Returns what is added to e. */
static inline double bg_tally_kept(bg_tally *t, const bg_sieved *s, double w, int entry, double scale)
{
    const int counts = bg_weight_counts(w);
    if (!counts) t->nonfinite++;
    const double exact = counts ? w : 0., p = s->probability, correction = sieve_correction(s, exact);
    const double sum = s->estimate + correction;
    bg_exact_add(&t->weight, sum);
    bg_exact_add(&t->weight2, sum * sum);
    if (s->estimate > 0.) {
        bg_exact_add(&t->kept[0], s->estimate / p);
        bg_exact_add(&t->kept[1], exact / p);
        bg_exact_add(&t->kept[2], exact * (exact / s->estimate) / p);
    }
    if (scale > 0. && entry >= 0) t->helicity[entry] += bg_importance(exact * exact / p, scale);
    return correction;
}

/* Kept points that share colors are correlated: `sum` is that of what was added to their e, `squares` of its squares. */
static inline void bg_tally_kept_group(bg_tally *t, double sum, double squares)
{
    bg_exact_add(&t->weight2, sum * sum);
    bg_exact_add(&t->weight2, -squares);
}

/* A group of `count` points that share colors, whose weights add up to w: correlated points make one measurement. */
static inline void bg_tally_group(bg_tally *t, double w, int64_t count)
{
    bg_exact_add(&t->weight2, w * w);
    t->pairs += count * (count - 1);
}

/* The square of the error of a sum of weights over `points` trials, `accepted` of them inside the cuts, from the sum of
 * squares of groups. Two points of a group contribute the product of their means to its square, which is no error. */
BG_FN double bg_sum_variance(double sum, double squares, double points, double accepted, double pairs)
{
    if (!(points > 1.) || !(accepted > 0.)) return 0.;
    const double variance =
        (squares - pairs * (sum / accepted) * (sum / accepted) - sum * sum / points) * points / (points - 1.);
    return variance > 0. ? variance : 0.;
}

/* Both have as many axes and entries. */
void bg_tally_merge(bg_tally *into, const bg_tally *from);

#endif
