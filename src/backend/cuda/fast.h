/* Exact color sums, fast: what fast.cu (amplitudes, one object an n_out), fast.c (which of them runs, and with how much
 * memory) and fourier.cu (color sum without a color matrix) share.
 *
 * Currents K of all words (amplitude/shared.h) come length by length: a thread computes one word of one
 * event. Then a thread takes a prefix and walks through the orderings that begin with it, depth first,
 * with the currents L of the path in registers. Where everything is comes from two tables that depend on
 * n_out alone (amplitude/words.h); threads that work on the same word and neighboring events read the same entry.
 */
#ifndef BG_BACKEND_CUDA_FAST_H
#define BG_BACKEND_CUDA_FAST_H

#include "amplitude/words.h"
#include "backend/cuda/instance.h"
#include "backend/plan.h"
#include "color/products.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From this n_out on, 5 or more, the color sum is done by Fourier transform. Below it the dense matrix is so small that
 * one thread does the sum of a column. */
#ifndef FAST_FOURIER
#define FAST_FOURIER 5
#endif
/* Up to this n_out one thread does all of an event. */
#define FAST_IN_REGISTERS 3
/* Up to this n_out the currents of a few events lie in shared memory; above it, those of a tile of events lie in global
 * memory. */
#ifndef FAST_ON_CHIP
#define FAST_ON_CHIP 5
#endif

/* Up to this n_out a block still works on a few events from beginning to end, with their currents in memory of its own that
 * the caches hold. */
#ifndef FAST_IN_CACHE
#define FAST_IN_CACHE 6
#endif
#define FAST_CACHE_EVENTS 8

/* Events of a tile, by n_out. */
#ifndef FAST_TILE_7
#define FAST_TILE_7 512
#endif
#ifndef FAST_TILE_8
#define FAST_TILE_8 128
#endif
#ifndef FAST_TILE_9
#define FAST_TILE_9 32
#endif
#ifndef FAST_TILE_10
#define FAST_TILE_10 32
#endif

/* Numbers kept for a set of letters: the members of shared_sets. */
#define FAST_SET 6

/* How many letters a prefix has that gets a thread of its own. The last three letters make 6 orderings; a thread has more
 * of them where there are prefixes enough to fill a device. */
#define FAST_DEPTH(N) ((N) <= 3 ? (N)-1 : (N) == 4 ? 2 : (N) < 8 ? (N)-3 : (N)-4)

/* The tables of words, on the device. */
typedef word_split fast_split;
typedef word_tables fast_words;

static inline void bg_fast_sizes(int letters, fast_words *words) { bg_word_sizes(letters, FAST_DEPTH(letters), words); }

/* ---- color sum by Fourier transform ----------------------------------------------------------------------- */

/* sum[column] of the amplitudes [place][column], which are overwritten; `other` has bg_fourier_other() rows. The tables
 * (products.h) are on the device. */
bg_status bg_cuda_fourier_sum(cudaStream_t stream, const fourier_tables *t, double *amplitude, double *other,
                              size_t columns, double *sum, bg_error *error);

/* Shared memory of a block that it needs, in bytes. */
size_t bg_cuda_fourier_chip(int letters);

/* ---- amplitudes --------------------------------------------------------------------------------------------- */

/* What the fast kernels need besides a cuda_task. */
typedef struct fast_space {
    fast_words words;
    fourier_tables fourier;
    double operations;    /* of the color sum of one column, by Fourier transform */
    size_t tile;          /* bg_fast_tile(), or less where the batch is smaller */
    double *sets;         /* [set][FAST_SET][event] */
    double *polarization; /* [gluon][part][2][event] */
    double *currents;     /* [word][part][2][event of the tile][2] */
    double *other;        /* for the Fourier transform: partial sums, or a copy of the amplitudes */
    /* helicities summed, see recycled.h: */
    const uint32_t *record;
    size_t blocks; /* that have memory for themselves in `currents` */
} fast_space;

typedef struct fast_instance {
    int n_out, parts;
    size_t chip;   /* shared memory of a block */
    size_t memory; /* that a block has for itself besides, and */
    int blocks;    /* blocks of a multiprocessor, where helicities are recycled */
    bg_status (*evaluate)(cuda_task *task, const fast_space *space, bg_error *error);
    /* On-chip memory of an event and stack of a thread, in bytes. */
    bg_status (*resources)(size_t *on_chip, size_t *stack, bg_error *error);
} fast_instance;

/* sum[column] over colors of the amplitudes of a task, which are overwritten. */
bg_status bg_cuda_fast_sum(const cuda_task *task, const fast_space *space, size_t columns, double *sum,
                           bg_error *error);

/* The instance for a plan on the current device, or NULL where the paper's kernels run. */
const fast_instance *bg_cuda_fast(const bg_plan *plan);

/* Whether all helicities are computed together (recycled.h). */
int bg_fast_recycles(const bg_plan *plan);

/* Columns of amplitudes that exist at a time; for an event, all states of both incoming gluons where the configurations of
 * the outgoing ones follow one another. */
#define FAST_COLUMNS 4
size_t bg_fast_columns(const bg_plan *plan, size_t pitch);

/* Events that fill a device, and those whose currents exist at a time (0: on chip). */
size_t bg_fast_batch(const bg_plan *plan);
size_t bg_fast_tile(const bg_plan *plan);

/* Blocks that run at a time where helicities are recycled. */
size_t bg_fast_blocks(const fast_instance *instance);

/* Builds the tables of the color sum of a line and copies them to where those of the device are. */
bg_status bg_fast_fill_fourier(cudaStream_t stream, color_line line, int letters, fourier_tables *device,
                               double *operations, bg_interrupt *interrupt, bg_error *error);

/* Builds the tables and copies them to where the space says. */
bg_status bg_fast_fill(cudaStream_t stream, fast_space *space, bg_interrupt *interrupt, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
