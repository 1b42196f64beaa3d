#include "accumulate/tally.h"

void bg_tally_merge(bg_tally *into, const bg_tally *from)
{
    into->points += from->points;
    into->accepted += from->accepted;
    into->nonfinite += from->nonfinite;
    into->pairs += from->pairs;
    into->unstable += from->unstable;
    into->rescued += from->rescued;
    bg_exact_merge(&into->weight, &from->weight);
    bg_exact_merge(&into->weight2, &from->weight2);
    for (int d = 0; d < BG_MAX_DIMENSIONS; d++)
        for (int k = 0; k < BG_GRID_BINS; k++) into->importance[d][k] += from->importance[d][k];
    for (int k = 0; k < BG_MAX_CONFIGURATIONS; k++) into->helicity[k] += from->helicity[k];
    if (from->max_weight > into->max_weight) into->max_weight = from->max_weight;
}
