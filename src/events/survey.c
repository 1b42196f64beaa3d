#include "events/survey.h"
#include "base/room.h"

#include <math.h>
#include <stdlib.h>

/* ---- points ------------------------------------------------------------------------------------------------------------ */

void bg_survey_note(bg_survey *s, uint64_t number, double weight)
{
    const int which = s->exact;
    s->point[which] =
        bg_more_places(s->point[which], s->count[which], &s->room[which], sizeof *s->point[which], &s->failed);
    if (!s->failed) s->point[which][s->count[which]++] = (bg_survey_point){number, weight};
}

void bg_survey_free(bg_survey *s)
{
    for (int k = 0; k < 2; k++) free(s->point[k]);
    *s = (bg_survey){.exact = 0};
}

static int compare_numbers(const void *a, const void *b)
{
    const bg_survey_point *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_numbers(bg_survey *s, int which)
{
    if (s->count[which]) qsort(s->point[which], s->count[which], sizeof *s->point[which], compare_numbers);
}

/* ---- the rule ------------------------------------------------------------------------------------------------------------- */

/* Points of one weight. */
typedef struct heap {
    double weight, count;
} heap;

static int compare_heaps(const void *a, const void *b)
{
    const heap *x = a, *y = b;
    return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : 0;
}

static bg_survey_result find_largest(heap *h, size_t count, double overweight)
{
    bg_survey_result r = {.threshold = 0.};
    double above = 0., excess = 0.;
    size_t k = 0;
    if (!count) return r;
    qsort(h, count, sizeof *h, compare_heaps);
    for (size_t i = count; i-- > 0;) {
        r.sum += h[i].weight * h[i].count;
        r.kept += h[i].count;
    }
    for (; k + 1 < count && above + h[k].weight * h[k].count <= overweight * r.sum; k++)
        above += h[k].weight * h[k].count;
    r.largest = h[k].weight;
    for (size_t i = 0; i < k; i++) excess += (h[i].weight - r.largest) * h[i].count;
    r.excess = r.sum > 0. ? excess / r.sum : 0.;
    return r;
}

bg_survey_result bg_survey_plain(bg_survey *s, double overweight)
{
    const bg_survey_result none = {.threshold = 0.};
    heap *h = malloc((s->count[0] + 1) * sizeof *h);
    if (!h) {
        s->failed = 1;
        return none;
    }
    for (size_t k = 0; k < s->count[0]; k++) h[k] = (heap){s->point[0][k].weight, 1.};
    const bg_survey_result r = find_largest(h, s->count[0], overweight);
    free(h);
    return r;
}

/* ---- the sieve ------------------------------------------------------------------------------------------------------------ */

static double sum_of(const bg_survey *s)
{
    double sum = 0.;
    for (size_t k = 0; k < s->count[0]; k++) sum += s->point[0][k].weight;
    return sum;
}

double bg_survey_kept(const bg_survey *s, double threshold)
{
    double sum = 0.;
    for (size_t k = 0; k < s->count[0]; k++) sum += fmin(1., s->point[0][k].weight / threshold);
    return sum;
}

double bg_survey_first_threshold(bg_survey *s, double count)
{
    sort_numbers(s, 0); /* so that the sum is the same for any number of threads */
    s->threshold = sum_of(s) / count;
    return s->threshold;
}

/* The exact points with their estimates, as a sieve with another threshold would deliver them. Both lists are in order. */
static size_t resieve(const bg_survey *s, double threshold, heap *h)
{
    const bg_survey_point *all = s->point[0];
    size_t found = 0, at = 0;
    for (size_t k = 0; k < s->count[1]; k++) {
        const bg_survey_point *point = &s->point[1][k];
        while (at < s->count[0] && all[at].number < point->number) at++;
        if (at == s->count[0] || all[at].number != point->number) continue; /* its estimate is no number */
        const double e = all[at].weight, kept = fmin(1., e / s->threshold), p = fmin(1., e / threshold);
        h[found++] = (heap){point->weight * kept / p, p / kept};
    }
    return found;
}

bg_survey_result bg_survey_sieved(bg_survey *s, double overweight, double trials, double exact)
{
    enum { STEPS = 16 }; /* each way, of a quarter of a factor of two */
    bg_survey_result best = {.threshold = s->threshold};
    double least = HUGE_VAL;
    heap *h = malloc((s->count[1] + 1) * sizeof *h);
    if (!h) {
        s->failed = 1;
        return best;
    }
    sort_numbers(s, 1);
    for (int step = -STEPS; step <= STEPS; step++) {
        const double threshold = s->threshold * exp2(0.25 * step);
        bg_survey_result r = find_largest(h, resieve(s, threshold, h), overweight);
        r.threshold = threshold;
        r.kept = bg_survey_kept(s, threshold); /* of many more points */
        const double cost = (trials + exact * r.kept) * r.largest;
        if (!(r.largest > 0.) || !(cost < least)) continue;
        least = cost;
        best = r;
    }
    free(h);
    return best;
}
