/* A batch of trial points as the integrator asks a backend for it. */
#ifndef BG_INTEGRATE_BATCH_H
#define BG_INTEGRATE_BATCH_H

#include "integrate/histograms.h"
#include "integrate/tally.h"

typedef struct bg_batch {
    const channel *channel;
    const channel_grid *grid;
    const helicity_selector *selector; /* NULL unless helicities are selected (sampled: adaptive, invariants) */
    uint64_t first_event, count;
    double importance_scale; /* typical weight^2; 0: importances are not wanted */
} bg_batch;

/* Seconds spent, summed over threads. */
typedef struct bg_timing {
    double phase_space, matrix_element;
} bg_timing;

#endif
