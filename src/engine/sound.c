/* What is true of every run: it counts points, of which some are inside the cuts, and adds up weights and squares of weights,
 * which are never negative and have a largest one. (With a sieve what a point adds may be negative, and is only known to be a
 * number.) Bounds have room for rounding. */
#include "engine/sound.h"

#include <math.h>

#define MOST_POINTS (1ull << 62)    /* numbers of events */
#define MOST_IMPORTANCE (1ll << 62) /* of a bin */
#define MOST_DIGIT (1ll << 53)      /* carried, and added up over any number of ranks */
#define MOST_WEIGHT 1e150           /* bg_weight_counts() */
#define MOST_SECONDS 1e12
#define ROUNDING (1. + 1e-6)

/* Squares are those of groups that share colors: so many times more than of points, at most, and twice that with two points
 * only. */
#define MOST_SQUARE (2. * BG_MOST_GROUP)

static int within(double x, double most) { return x >= 0. && x <= most; }

static int counts_are_sound(uint64_t points, uint64_t accepted, uint64_t nonfinite, uint64_t pairs, uint64_t unstable,
                            uint64_t rescued)
{
    return points <= MOST_POINTS && accepted <= points && nonfinite <= accepted && unstable <= accepted &&
           rescued <= unstable && pairs / BG_MOST_GROUP <= accepted;
}

/* Whether sums of weights and of their squares can be those of so many points. */
static int sums_are_sound(double sum, double squares, double points, double largest)
{
    return within(sum, points * largest * ROUNDING) &&
           within(squares, points * MOST_SQUARE * largest * largest * ROUNDING);
}

/* ... with a sieve. */
static int moments_are_sound(double mean, double variance)
{
    return fabs(mean) <= MOST_WEIGHT && within(variance, MOST_SQUARE * MOST_WEIGHT * MOST_WEIGHT);
}

static int iteration_is_sound(const bg_iteration *i, double largest, int sieved)
{
    const double points = (double)i->points;
    if (!i->points || i->evaluated > i->accepted || i->learned > (uint64_t)sieved ||
        !counts_are_sound(i->points, i->accepted, i->nonfinite, i->pairs, i->unstable, i->rescued))
        return 0;
    return sieved ? moments_are_sound(i->mean, i->variance) && moments_are_sound(i->mean, i->estimated)
                  : sums_are_sound(i->mean * points, i->variance * points, points, largest);
}

/* Those that only adapted: their largest weight is not kept. */
static int warmed_is_sound(const bg_iteration *i, int sieved)
{
    return !i->learned && counts_are_sound(i->points, i->accepted, i->nonfinite, i->pairs, i->unstable, i->rescued) &&
           (sieved || i->mean >= 0.) && moments_are_sound(i->mean, i->variance) &&
           moments_are_sound(i->mean, i->estimated) && (i->accepted || (!(fabs(i->mean) > 0.) && !(i->variance > 0.)));
}

static int integers_are_sound(const int64_t *digit, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (digit[k] < 0 || digit[k] > MOST_DIGIT) return 0;
    return 1;
}

/* ... of a sum that may be negative: its sign is in the last digit. */
static int signed_is_sound(const int64_t *digit)
{
    const int64_t last = digit[BG_EXACT_DIGITS - 1];
    return integers_are_sound(digit, BG_EXACT_DIGITS - 1) && last >= -MOST_DIGIT && last <= MOST_DIGIT;
}

int bg_sums_are_sound(const int64_t *digits, size_t sums, int may_be_negative)
{
    for (size_t k = 0; k < sums; k++, digits += BG_EXACT_DIGITS)
        if (may_be_negative ? !signed_is_sound(digits) : !integers_are_sound(digits, BG_EXACT_DIGITS)) return 0;
    return 1;
}

static int sieve_is_sound(const bg_tally *t)
{
    int sound = signed_is_sound(t->weight.digit) && signed_is_sound(t->weight2.digit) &&
                integers_are_sound(t->estimate2.digit, BG_EXACT_DIGITS);
    for (int k = 0; k < 3; k++) sound = sound && integers_are_sound(t->kept[k].digit, BG_EXACT_DIGITS);
    return sound && fabs(bg_exact_value(&t->weight)) <= (double)t->points * MOST_WEIGHT &&
           isfinite(bg_exact_value(&t->weight2));
}

static int tally_is_sound(const bg_tally *t, uint64_t done, int sieved)
{
    if (t->evaluated < 0 || t->evaluated > t->accepted) return 0;
    if (t->points < 0 || t->accepted < 0 || t->nonfinite < 0 || t->pairs < 0 || t->unstable < 0 || t->rescued < 0)
        return 0;
    if ((uint64_t)t->points != done) return 0;
    if (!counts_are_sound((uint64_t)t->points, (uint64_t)t->accepted, (uint64_t)t->nonfinite, (uint64_t)t->pairs,
                          (uint64_t)t->unstable, (uint64_t)t->rescued))
        return 0;
    if (!within(t->max_weight, MOST_WEIGHT)) return 0;
    if (sieved ? !sieve_is_sound(t)
               : !integers_are_sound(t->weight.digit, BG_EXACT_DIGITS) ||
                     !integers_are_sound(t->weight2.digit, BG_EXACT_DIGITS))
        return 0;
    const size_t importances = bg_tally_importances(t->dimensions, t->entries, t->cells);
    for (size_t k = 0; k < importances; k++)
        if (t->importance[k] < 0 || t->importance[k] > MOST_IMPORTANCE || (t->importance[k] && !t->accepted)) return 0;
    return sieved ||
           sums_are_sound(bg_exact_value(&t->weight), bg_exact_value(&t->weight2), (double)t->accepted, t->max_weight);
}

static int grid_is_sound(const channel_grid *grid, const channel_grid *begun)
{
    for (int d = 0; d < BG_MAX_DIMENSIONS; d++) {
        const double *edge = grid->edge[d];
        if (edge[0] != 0. || edge[BG_GRID_BINS] != 1.) return 0;
        for (int k = 0; k < BG_GRID_BINS; k++)
            if (!(edge[k] < edge[k + 1])) return 0;
    }
    if (!bg_casting_same(&grid->casting, &begun->casting)) return 0; /* nothing of it is learned */
    return bg_regions_are_sound(&grid->regions, &begun->regions) && bg_symmetric_is_sound(&grid->directions);
}

/* Probabilities that add up as their table says, of the helicities that a fresh one allows. */
static int selector_is_sound(const helicity_selector *s, const helicity_selector *fresh)
{
    if (s->cumulative[0] != 0. || s->cumulative[s->entries] != 1.) return 0;
    for (int k = 0; k < s->entries; k++) {
        const double step = s->cumulative[k + 1] - s->cumulative[k];
        if (!(step >= 0.) || !(s->probability[k] >= 0.) || !(fabs(step - s->probability[k]) < 1e-9)) return 0;
        if ((s->probability[k] > 0.) != (fresh->probability[k] > 0.)) return 0;
    }
    return 1;
}

int bg_learned_is_sound(const channel_grid *grid, const channel_grid *begun, const helicity_selector *selector,
                        const helicity_selector *fresh)
{
    return grid_is_sound(grid, begun) && (!selector || selector_is_sound(selector, fresh));
}

int bg_state_is_sound(const bg_state *s, const bg_state *begun, const helicity_selector *fresh)
{
    const uint64_t unit = bg_deal_unit(begun->group);
    const int sieved = begun->sifting.on;
    if (!bg_sifting_is_sound(&s->sifting, &begun->sifting)) return 0;
    if (s->group != begun->group || s->borrowed < 0 || s->borrowed > 1 || s->iterations < 0 ||
        s->iterations > BG_MAX_ITERATIONS)
        return 0;
    if (s->warmup < 0 || s->warmup > begun->warmup || (s->warmup && s->iterations)) return 0;
    if (s->size > MOST_POINTS || s->done > s->size || (s->done % unit && s->done != s->size)) return 0;
    if (s->next_event > MOST_POINTS - s->size || s->next_event % unit) return 0;
    if (!(s->scale >= 0. && isfinite(s->scale)) || !within(s->max_weight, MOST_WEIGHT) ||
        !within(s->seconds, MOST_SECONDS))
        return 0;
    if (!warmed_is_sound(&s->warmed, sieved) || s->warmed.points > s->next_event) return 0;
    uint64_t left = s->next_event - s->warmed.points;
    for (int k = 0; k < s->iterations; k++) {
        if (!iteration_is_sound(&s->iteration[k], s->max_weight, sieved) || s->iteration[k].points > left) return 0;
        left -= s->iteration[k].points;
    }
    return bg_learned_is_sound(&s->grid, &begun->grid, s->selector, fresh) && tally_is_sound(s->tally, s->done, sieved);
}

/* Every point behind the result is in one cell of every histogram; those that only adapt are in none. */
int bg_histograms_are_sound(const struct bg_histograms *h, const bg_state *s)
{
    const double largest = fmax(s->max_weight, s->tally->max_weight);
    if (s->sifting.on) { /* points add what may be negative */
        for (int c = 0; c < h->cells; c++)
            if (!signed_is_sound(h->weight[c].digit) || !signed_is_sound(h->weight2[c].digit)) return 0;
        return 1;
    }
    double all = s->warmup ? 0. : bg_exact_value(&s->tally->weight);
    for (int k = 0; k < s->iterations; k++) all += (double)s->iteration[k].points * s->iteration[k].mean;
    for (int k = 0; k < h->count; k++) {
        double sum = 0.;
        const int first = h->histogram[k].axis.first, cells = bg_axis_cells(&h->histogram[k].axis);
        for (int c = first; c < first + cells; c++) {
            const double weight = bg_exact_value(&h->weight[c]);
            if (!within(weight, all * ROUNDING) ||
                !within(bg_exact_value(&h->weight2[c]), weight * BG_MOST_GROUP * largest * ROUNDING))
                return 0;
            sum += weight;
        }
        if (!within(sum, all * ROUNDING)) return 0;
    }
    return 1;
}
