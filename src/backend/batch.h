/* A batch of trial points as the engine asks a backend for it, and the stages that the engine brings along. */
#ifndef BG_BACKEND_BATCH_H
#define BG_BACKEND_BATCH_H

#include "accumulate/histograms.h"
#include "accumulate/tally.h"
#include "helicity/selector.h"

/* Trial points first .. first + count - 1: those inside the cuts go to `out`, which has room for all of them. */
typedef void bg_generate(const channel *c, const channel_grid *grid, uint64_t first, int count,
                         const bg_point_arrays *out);

/* E F of `count` points (estimate/sieve.h), which are not yet multiplied with anything. `room`: sieve_reals() registers. */
typedef void bg_estimate(const bg_sieve *sieve, const bg_subprocess *process, const bg_point_arrays *points,
                         uint32_t count, void *room, double *estimate);

/* A point that double precision cannot be trusted with (amplitude/stability.h). */
typedef struct bg_unstable {
    double momenta[4 * BG_MAX_LEGS]; /* [place][4], physical energies */
    uint64_t event, group;           /* its number, and that of the group it shares colors with */
    uint32_t configuration;          /* its helicities */
    uint32_t point;                  /* where the backend has it */
    double sum;                      /* |M|^2 without the plan's normalization */
} bg_unstable;

/* The engine's stage for unstable points (engine/rescue.c): evaluates them again, with the same draws, and replaces
 * their sums. Several threads may call it at a time. */
typedef struct bg_rescue_stage {
    int works; /* 0: unstable points are only counted */
    bg_status (*again)(void *self, size_t count, bg_unstable *point, bg_error *error);
    void *self;
} bg_rescue_stage;

/* Who wants to see the points inside the cuts, with their weights in pb. Called by one thread at a time; the arrays are as
 * in bg_points of the public header. */
typedef struct bg_sink {
    void (*take)(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event);
    void *user;
} bg_sink;

typedef struct bg_batch {
    const channel *channel;
    const channel_grid *grid;
    const helicity_selector *selector; /* NULL unless helicities are selected (sampled: adaptive, invariants) */
    uint64_t first_event, count;       /* the first is a multiple of bg_deal_unit() (backend/plan.h) */
    double importance_scale;           /* typical weight^2; 0: importances are not wanted */
    int cubic;                         /* importances are third powers of weights, not squares */
    int hybrid;                        /* CPU threads that generate the points for a device; 0: the device does it */
    bg_generate *generate;             /* what they run */
    const bg_rescue_stage *rescue;     /* of unstable points; NULL: not wanted, or the cuts exclude them */
    const bg_sink *sink;               /* of points with their weights; NULL: nobody */
    const bg_sieve *sieve;             /* which points get an exact |M|^2; NULL: all. The sink gets those, with w/p */
    int survey;                        /* with a sieve: the sink gets all points with their e, and none is evaluated */
} bg_batch;

/* Part k of `parts` of the events [0, count), in whole units of `unit` events but for the last: from *from, *size of them.
 * Where there are fewer units than parts, some get nothing. */
static inline void bg_batch_part(uint64_t count, uint64_t unit, uint64_t parts, uint64_t k, uint64_t *from,
                                 uint64_t *size)
{
    const uint64_t units = count / unit + (count % unit > 0), each = units / parts, rest = units % parts;
    const uint64_t first = (each * k + (k < rest ? k : rest)) * unit, most = (each + (k < rest)) * unit;
    const uint64_t left = first < count ? count - first : 0;
    *from = first;
    *size = most < left ? most : left;
}

/* Seconds spent, summed over threads; hybrid: copies to the device, and the CPU waiting for it. */
typedef struct bg_timing {
    double phase_space, matrix_element, copies, waiting;
} bg_timing;

static inline void bg_timing_add(bg_timing *into, const bg_timing *from)
{
    into->phase_space += from->phase_space;
    into->matrix_element += from->matrix_element;
    into->copies += from->copies;
    into->waiting += from->waiting;
}

#endif
