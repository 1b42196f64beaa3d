/* Sums over ranks: of tallies and of histograms, in place, the result on every rank. All of it is collective. */
#ifndef BG_ENGINE_REDUCE_H
#define BG_ENGINE_REDUCE_H

#include "accumulate/histograms.h"
#include "accumulate/tally.h"
#include "engine/ranks.h"

/* Counts and sums: enough for a result, small enough for every round. */
void bg_reduce_sums(bg_ranks *ranks, bg_tally *tally);

/* ... and the importances. */
void bg_reduce_tally(bg_ranks *ranks, bg_tally *tally);

/* `histograms` may be NULL. */
bg_status bg_reduce_histograms(bg_ranks *ranks, struct bg_histograms *histograms, bg_error *error);

#endif
