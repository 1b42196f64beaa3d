/* An integration on a device from the inside: what it holds, and what integrate.c (chunk by chunk), points_memory.c (memory), deliver.c
 * (points for a sink), unstable.c (points that are evaluated again) and instrument.c (times) share.
 */
#ifndef BG_BACKEND_CUDA_INTEGRATOR_H
#define BG_BACKEND_CUDA_INTEGRATOR_H

#include "backend/cuda/hybrid.h"
#include "backend/cuda/integrate.h"

/* What the host reads back, in memory that the device can write to; the tally with its importances follows it. */
typedef struct cuda_mailbox {
    uint32_t count[2], kept[2], unstable;
    bg_tally tally;
} cuda_mailbox;

/* Of one chunk in flight. */
typedef struct cuda_slot {
    bg_point_arrays points;
    cuda_sieved sieved; /* with a sieve */
    cudaEvent_t start, generated, counted, begun, done;
    int timed; /* begun and done are of a chunk whose time is not taken yet */
} cuda_slot;

struct cuda_integrator {
    const bg_plan *plan;
    int drawn;                 /* helicities are drawn, point by point */
    int dimensions;            /* axes of points, at most */
    int cells;                 /* soft partons whose directions are learned, at most */
    const bg_protons *protons; /* on the host: those that the device has a copy of, with their densities behind it */
    bg_protons *device_protons;
    int entries;     /* of the selector; 0: there is none */
    size_t capacity; /* trial points of a chunk */
    int sieved;      /* made for a sieve */
    size_t room;     /* points that are evaluated at a time: those of a chunk, or that a sieve kept */
    bg_point_arrays kept;
    double *kept_estimate, *kept_probability;
    cuda_sieve sieve;    /* the kernel's, without what changes from call to call */
    double *coefficient; /* on the device, of the learned factor */
    int device;          /* by the number of the run time */
    size_t bytes;        /* that a call borrows (loan.h) */
    cuda_slot slot[2];
    cuda_choices choices;
    double *me2;
    cuda_deals deals; /* of points that share colors; NULL pointers where none do */
    channel_grid *grid;
    helicity_selector selector; /* with its tables on the device */
    cuda_tally tally;
    cuda_mailbox *mail;
    int64_t *histograms, *host_histograms; /* made when they are first wanted */
    cuda_feeder *feeder;                   /* likewise */
    cuda_unstables unstable;               /* likewise; the room grows with what is found */
};

/* A tally in one block: counts and exact sums, then the importances. */
static inline size_t cuda_tally_bytes(const cuda_integrator *g)
{
    return sizeof(bg_tally) + bg_tally_importances(g->dimensions, g->entries, g->cells) * sizeof(int64_t);
}

/* One call: chunks of at most `size` points. */
typedef struct cuda_call {
    cuda_integrator *g;
    void *state;
    cudaStream_t stream;
    const bg_batch *batch;
    uint64_t first, count, size, chunks;
    cuda_axes axes;  /* count 0: no histograms */
    channel channel; /* as the device sees it */
    int64_t accepted, evaluated, unstable, rescued;
    bg_timing timing;
} cuda_call;

/* ---- points_memory.c ---------------------------------------------------------------------------------------------- */

/* Everything on the device but densities and histograms, for a call; goes back with bg_loan_return(). */
bg_status bg_cuda_borrow_points(cuda_integrator *g, void **memory, bg_error *error);

/* ---- integrate.c -------------------------------------------------------------------------------------------------- */

/* Protons and their densities go to the device once. */
bg_status bg_cuda_prepare_channel(cuda_call *c, bg_error *error);

/* Queues the generation of the points of a chunk, and their sieve. */
bg_status bg_cuda_queue_points(cuda_call *c, uint64_t chunk, bg_error *error);

/* Waits for the number of points of a chunk. They were queued behind the matrix elements that used this slot before. */
bg_status bg_cuda_count_points(cuda_call *c, uint64_t chunk, bg_error *error);

/* ---- unstable.c --------------------------------------------------------------------------------------------------- */

/* Replaces |M|^2 of the unstable points of a chunk, for which the host and the device wait: only where the cuts allow
 * any. */
bg_status bg_cuda_watch_unstable(cuda_call *c, const cuda_summands *summands, bg_error *error);

/* ---- deliver.c ---------------------------------------------------------------------------------------------------- */

/* Hands the points of a chunk to the sink, which the host and the device wait for: only where somebody asked for them. */
bg_status bg_cuda_deliver(const cuda_call *c, const cuda_summands *s, bg_error *error);

#endif
