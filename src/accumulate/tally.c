#include "accumulate/tally.h"

#include <stdlib.h>

bg_tally *bg_tally_create(int dimensions, int entries, int cells)
{
    bg_tally *t = calloc(1, sizeof *t + bg_tally_importances(dimensions, entries, cells) * sizeof(int64_t));
    if (!t) return NULL;
    t->dimensions = dimensions;
    t->entries = entries;
    t->cells = cells;
    t->importance = (int64_t *)(t + 1);
    t->helicity = t->importance + (size_t)dimensions * BG_GRID_BINS;
    t->direction = t->helicity + entries;
    return t;
}

void bg_tally_destroy(bg_tally *t) { free(t); }

void bg_tally_clear(bg_tally *t)
{
    const bg_tally empty = {.dimensions = t->dimensions,
                            .entries = t->entries,
                            .cells = t->cells,
                            .importance = t->importance,
                            .helicity = t->helicity,
                            .direction = t->direction};
    *t = empty;
    memset(t->importance, 0, bg_tally_importances(t->dimensions, t->entries, t->cells) * sizeof *t->importance);
}

void bg_tally_merge(bg_tally *into, const bg_tally *from)
{
    into->points += from->points;
    into->accepted += from->accepted;
    into->nonfinite += from->nonfinite;
    into->pairs += from->pairs;
    into->unstable += from->unstable;
    into->rescued += from->rescued;
    into->evaluated += from->evaluated;
    bg_exact_merge(&into->weight, &from->weight);
    bg_exact_merge(&into->weight2, &from->weight2);
    bg_exact_merge(&into->estimate2, &from->estimate2);
    for (int k = 0; k < 3; k++) bg_exact_merge(&into->kept[k], &from->kept[k]);
    const size_t importances = bg_tally_importances(into->dimensions, into->entries, into->cells);
    for (size_t k = 0; k < importances; k++) into->importance[k] += from->importance[k];
    if (from->max_weight > into->max_weight) into->max_weight = from->max_weight;
}

bg_tally *bg_tally_copy(const bg_tally *t)
{
    bg_tally *copy = bg_tally_create(t->dimensions, t->entries, t->cells);
    if (copy) bg_tally_merge(copy, t);
    return copy;
}
