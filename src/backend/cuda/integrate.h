/* Whole events on the device: trial points are generated, cut, evaluated and added up there; the host sees sums.
 *
 * A chunk of trial points goes through three stations. Those inside the cuts are packed one after the other, in any
 * order: an event's numbers follow from its event number alone and all sums are exact, so the order does not matter.
 */
#ifndef BG_BACKEND_CUDA_INTEGRATE_H
#define BG_BACKEND_CUDA_INTEGRATE_H

#include "amplitude/stability.h"
#include "backend/cuda/coherent.h"
#include "backend/cuda/instance.h"
#include "backend/plan.h"
#include "backend/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stations: kernels and their launches (integrate.cu) --------------------------------------------------- */

/* Chosen helicities, on the device. */
typedef struct cuda_choices {
    uint32_t *configuration; /* [point] */
    double *probability;
    int32_t *entry; /* of the selector, or -1 */
} cuda_choices;

/* Trial points first .. first + trials - 1; those inside the cuts are appended to `points`. */
bg_status bg_cuda_generate(cudaStream_t stream, const channel *channel, const channel_grid *grid, uint64_t first,
                           uint32_t trials, const bg_point_arrays *points, bg_error *error);

/* Helicities of `count` points: from the selector, whose tables are on the device, or uniformly where it is NULL. */
bg_status bg_cuda_choose(cudaStream_t stream, int n, uint64_t seed, int choosing, const helicity_selector *selector,
                         uint32_t count, const bg_point_arrays *points, const cuda_choices *choices, bg_error *error);

/* What the sums are made of. */
typedef struct cuda_summands {
    uint32_t count;
    int dimensions, entries; /* axes of points, entries of the selector (0: none) */
    int cells;               /* soft partons whose directions are learned */
    double scale;            /* of the importances, 0: not wanted */
    int cubic;               /* they are third powers of weights, not squares */
    const double *me2;       /* [point], normalized */
    bg_point_arrays points;  /* on the device */
    cuda_choices choices;    /* NULL pointers where helicities are not drawn */
    cuda_deals deals;        /* NULL pointers unless points share colors, `group` of them */
    int group;
    /* after a sieve: e of all points, and p, 0 where a point is not kept; or (kept) those of points that were */
    const double *estimate, *probability;
    int kept;
} cuda_summands;

/* Unstable points, for the engine to evaluate again. The device leaves the rank of a point in its deal where its group
 * belongs. */
typedef struct cuda_unstables {
    uint32_t *count;     /* of points found, also of those that there is no room for */
    uint32_t room;       /* 0: they are only counted */
    bg_unstable *record; /* in any order */
} cuda_unstables;

/* Notes down the unstable points. To be repeated where the room was too small. `configuration` is that of fixed
 * helicities. */
bg_status bg_cuda_screen(cudaStream_t stream, const cuda_summands *summands, const bg_subprocess *process,
                         uint32_t configuration, const cuda_unstables *found, bg_error *error);

/* Their sums, which are normalized by now, back to where |M|^2 came from. */
bg_status bg_cuda_replace(cudaStream_t stream, uint32_t count, const bg_unstable *record, double *me2, bg_error *error);

/* A tally on the device: its counts and exact sums, and behind them its importances. */
typedef struct cuda_tally {
    bg_tally *counts;
    int64_t *importance, *helicity, *direction;
} cuda_tally;

/* Adds everything but points and accepted to it. */
bg_status bg_cuda_accumulate(cudaStream_t stream, const cuda_summands *summands, const cuda_tally *tally,
                             bg_error *error);

/* The axes of histograms, as a kernel takes them. */
typedef struct cuda_axes {
    int n_out, count, cells;
    uint8_t place[BG_MAX_LETTERS]; /* of each outgoing leg */
    bg_axis axis[BG_MOST_HISTOGRAMS];
} cuda_axes;

/* Adds to sums on the device, as bg_histograms_save() lays them out. */
bg_status bg_cuda_fill(cudaStream_t stream, const cuda_summands *summands, const cuda_axes *axes, int64_t *sums,
                       bg_error *error);

/* ---- the sieve (sieve.cu) -------------------------------------------------------------------------------------------- */

/* A sieve as a kernel takes it. */
typedef struct cuda_sieve {
    estimate_plan plan;
    double scale, threshold;
    const double *coefficient; /* on the device, or NULL */
    double *room;              /* sieve_reals() of `threads` numbers each */
    uint32_t threads;
    uint32_t processors; /* of the device */
    uint64_t seed;
} cuda_sieve;

/* What it leaves of the points of a chunk. */
typedef struct cuda_sieved {
    double *estimate, *probability; /* [point], as in cuda_summands */
    uint32_t *index;                /* [kept], in any order */
    uint32_t *kept;                 /* number of them */
} cuda_sieved;

/* Sieves as many points as `points` says on the device. */
bg_status bg_cuda_sift(cudaStream_t stream, const cuda_sieve *sieve, const bg_point_arrays *points,
                       const cuda_sieved *sieved, bg_error *error);

/* Numbers first .. first + count - 1 of those that were kept, side by side, with their e and p. */
bg_status bg_cuda_gather(cudaStream_t stream, int n, const bg_point_arrays *points, const cuda_sieved *sieved,
                         uint32_t first, uint32_t count, const bg_point_arrays *to, double *estimate,
                         double *probability, bg_error *error);

/* Adds to a tally what bg_tally_sieved() does; what bg_tally_kept() does. */
bg_status bg_cuda_add_sieved(cudaStream_t stream, const cuda_summands *summands, const cuda_tally *tally,
                             bg_error *error);
bg_status bg_cuda_add_kept(cudaStream_t stream, const cuda_summands *summands, const cuda_tally *tally,
                           bg_error *error);

/* ---- a chunk after the other (integrate.c, points_memory.c) ---------------------------------------------------- */

typedef struct cuda_integrator cuda_integrator;

/* For the current device, which evaluates `batch` events at a time. For batches that are sieved, with the plan of this sieve, or
 * (NULL) for others. */
bg_status bg_cuda_integrator_create(cuda_integrator **integrator, const bg_plan *plan, size_t batch,
                                    const bg_sieve *sieve, bg_error *error);
int bg_cuda_integrator_fits(const cuda_integrator *integrator, const bg_batch *batch);
void bg_cuda_integrator_destroy(cuda_integrator *integrator);

/* See bg_backend.integrate. `state` is handed to bg_cuda_queue_events() for the matrix elements. */
bg_status bg_cuda_integrator_run(cuda_integrator *integrator, void *state, cudaStream_t stream, const bg_batch *batch,
                                 bg_tally *tally, struct bg_histograms *histograms, bg_timing *timing, bg_error *error);

/* ---- what it needs of the backend (evaluate.c) -------------------------------------------------------------------- */

/* Queues the normalized |M|^2 of any number of points. `configurations` are the helicities where they are drawn and
 * known already, else NULL; `deals` the groups of points that share colors, else NULL: then no more than a batch. */
bg_status bg_cuda_queue_events(void *state, cudaStream_t stream, size_t count, const bg_momenta *momenta,
                               const uint64_t *events, const uint32_t *configurations, const cuda_deals *deals,
                               double *me2, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
