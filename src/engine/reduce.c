/* What the ranks have added up, each for itself, becomes the sums of all. These are of integers, so their order does not matter. */
#include "engine/reduce.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void bg_reduce_sums(bg_ranks *ranks, bg_tally *t)
{
    int64_t *const counts[] = {&t->points,   &t->accepted, &t->nonfinite, &t->pairs,
                               &t->unstable, &t->rescued,  &t->evaluated};
    bg_exact *const sums[] = {&t->weight, &t->weight2, &t->estimate2, &t->kept[0], &t->kept[1], &t->kept[2]};
    enum { COUNTS = sizeof counts / sizeof *counts, SUMS = sizeof sums / sizeof *sums };
    int64_t values[COUNTS + SUMS * BG_EXACT_DIGITS];
    for (int k = 0; k < COUNTS; k++) values[k] = *counts[k];
    for (int k = 0; k < SUMS; k++) {
        bg_exact_carry(sums[k]);
        memcpy(values + COUNTS + k * BG_EXACT_DIGITS, sums[k]->digit, sizeof sums[k]->digit);
    }
    bg_ranks_sum(ranks, values, sizeof values / sizeof *values);
    for (int k = 0; k < COUNTS; k++) *counts[k] = values[k];
    for (int k = 0; k < SUMS; k++) memcpy(sums[k]->digit, values + COUNTS + k * BG_EXACT_DIGITS, sizeof sums[k]->digit);
    bg_ranks_max(ranks, &t->max_weight, 1);
}

void bg_reduce_tally(bg_ranks *ranks, bg_tally *t)
{
    bg_reduce_sums(ranks, t);
    bg_ranks_sum(ranks, t->importance, bg_tally_importances(t->dimensions, t->entries, t->cells));
}

bg_status bg_reduce_histograms(bg_ranks *ranks, struct bg_histograms *h, bg_error *error)
{
    const size_t count = bg_histograms_integers(h);
    if (!count) return BG_OK;
    int64_t *integers = malloc(count * sizeof *integers);
    const bg_status status = bg_ranks_agree(
        ranks, integers ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory to add up histograms"), error);
    if (status != BG_OK) {
        free(integers);
        return status;
    }
    bg_histograms_save(h, integers);
    bg_ranks_sum(ranks, integers, count);
    bg_histograms_load(h, integers);
    free(integers);
    return BG_OK;
}
