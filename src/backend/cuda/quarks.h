/* Processes with quark lines on a device: what quarks.c (tables, sizes) and quarks.cu (kernels) share.
 *
 * A block takes a few events from beginning to end. Its threads share the steps of a level (amplitude/program.h), and the
 * workspaces of its events lie side by side, on chip where they fit. Amplitudes go to global memory, [place][column], where the
 * color sum takes them: a dense matrix for few structures, a Fourier transform for one line of many gluons.
 * Full sums over helicities have kernels of their own for one line, and for two with four gluons (line.h), and for few gluons (straight.h).
 */
#ifndef BG_BACKEND_CUDA_QUARKS_H
#define BG_BACKEND_CUDA_QUARKS_H

#include "amplitude/program.h"
#include "backend/cuda/cutter.h"
#include "backend/cuda/instance.h"
#include "backend/cuda/line.h"
#include "backend/cuda/straight.h"
#include "backend/plan.h"
#include "color/products.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { QUARK_MOST_THREADS = 1024 }; /* of a block */
enum { QUARK_MOST_EVENTS = 32 };    /* likewise */

/* Tables of the device and memory of the blocks. */
typedef struct quark_space {
    bg_subprocess process;
    quark_program host;      /* as it was built */
    quark_program program;   /* its lists on the device */
    int events;              /* of a block: a power of two */
    int threads;             /* of a block */
    int on_chip;             /* their workspaces are in shared memory; otherwise in `memory` */
    unsigned blocks;         /* that run at a time */
    uint32_t configurations; /* of amplitudes, those of the outer gluons included */
    int fourier;             /* the color sum is a Fourier transform */
    int paired;              /* ... is that of sums and differences of two halves, or of four parts (quartets) */
    int quartets;
    const uint32_t *place; /* of the structures of these on the device */
    fourier_tables tables;
    double operations; /* of the color sum of one column */
    double *memory;
    double *other;             /* for the Fourier transform */
    const line_instance *line; /* a kernel of line.cu, or NULL */
    line_space lines;          /* what it needs */
    straight_runs
        straight; /* kernels that were written out, if any; of `host` there is then the number of structures */
} quark_space;

/* Chooses how a plan runs on the current device; builds the program. quark_space_destroy() releases it. */
bg_status bg_cuda_quarks_plan(const bg_plan *plan, quark_space *space, bg_error *error);
void bg_cuda_quarks_destroy(quark_space *space);

/* Cuts tables, and what `pitch` events need; the matrix and the amplitudes are the task's. */
void bg_cuda_quarks_cut_tables(cutter *c, quark_space *space, cuda_task *task);
void bg_cuda_quarks_cut_batch(cutter *c, quark_space *space, size_t pitch, cuda_task *task);

/* Clears amplitudes of events that there are not: they are summed as well, though nobody reads what comes out. */
bg_status bg_cuda_quarks_clear(cudaStream_t stream, const quark_space *space, const cuda_task *task, bg_error *error);

/* Events of a batch. */
size_t bg_cuda_quarks_batch(const quark_space *space);

/* Copies the tables to where the space and the task say. */
bg_status bg_cuda_quarks_fill(cudaStream_t stream, quark_space *space, const cuda_task *task, bg_interrupt *interrupt,
                              bg_error *error);

/* Queues one draw of one batch. */
bg_status bg_cuda_quarks(cuda_task *task, const quark_space *space, bg_error *error);

/* Queues the amplitudes alone. */
bg_status bg_cuda_quark_amplitudes(const cuda_task *task, const quark_space *space, bg_error *error);

/* On-chip memory of an event and stack of a thread, in bytes. */
bg_status bg_cuda_quark_resources(const quark_space *space, size_t *on_chip, size_t *stack, bg_error *error);

/* How many blocks of so many events run at a time on a multiprocessor, and the stack of a thread. */
bg_status bg_cuda_quark_blocks(int events, int threads, int on_chip, size_t chip, int *blocks, size_t *stack,
                               bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
