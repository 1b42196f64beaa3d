/* A batch of trial points as the integrator asks a backend for it. */
#ifndef BG_INTEGRATE_BATCH_H
#define BG_INTEGRATE_BATCH_H

#include "integrate/histograms.h"
#include "integrate/tally.h"

typedef struct bg_batch {
    const struct channel *channel;
    const channel_grid *grid;
    const helicity_selector *selector; /* NULL unless helicities are selected (sampled: adaptive, invariants) */
    uint64_t first_event, count;
    double importance_scale; /* typical weight^2; 0: importances are not wanted */
    int hybrid;              /* CPU threads that generate the points for a device; 0: the device does it */
    struct bg_rescue *rescue; /* of unstable points (core/rescue.h); NULL: not wanted, or the cuts exclude them */
} bg_batch;

/* Seconds spent, summed over threads; hybrid: copies to the device, and the CPU waiting for it. */
typedef struct bg_timing {
    double phase_space, matrix_element, copies, waiting;
} bg_timing;

#endif
