/* One batch for several workers at the same time: the devices of a process. */
#ifndef BG_BACKEND_SPREAD_H
#define BG_BACKEND_SPREAD_H

#include "blockgen/blockgen.h"
#include "backend/batch.h"

/* What a worker does: adds the points of its part to the tally and, where there are any, to the histograms. */
typedef bg_status bg_work(void *worker, const bg_batch *part, bg_tally *tally, struct bg_histograms *histograms,
                          bg_timing *timing, bg_error *error);

/* Parts in whole deals of `unit` points, a thread for each worker. Sums are exact, so the result is that of one
 * worker, bit by bit. A batch of few deals leaves some without work. Where one fails, the batch does. */
bg_status bg_batch_spread(int workers, void *const *worker, bg_work *work, uint64_t unit, const bg_batch *batch,
                          bg_tally *tally, struct bg_histograms *histograms, bg_timing *timing, bg_error *error);

#endif
