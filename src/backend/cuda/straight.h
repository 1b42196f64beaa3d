/* Few gluons and full sums over helicities: kernels of programs that were written out as code (backend/straight.h). What straight.cu
 * (one object for each of them), straight.c and quarks.c share.
 *
 * Codes that compute some of the amplitudes of a process write them to memory.
 */
#ifndef BG_BACKEND_CUDA_STRAIGHT_H
#define BG_BACKEND_CUDA_STRAIGHT_H

#include "backend/cuda/instance.h"
#include "backend/straight.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct straight_instance {
    straight_code code;
    size_t chip;        /* shared memory of a block */
    int events;         /* of a block */
    double chiralities; /* what sums of squares are to be multiplied with */
    /* Queues a run: sums over helicities and colors, out[event], or amplitudes, out[position][column]. */
    bg_status (*evaluate)(const cuda_task *task, const straight_run *run, double *out, bg_error *error);
    /* Stack of a thread, in bytes. */
    bg_status (*resources)(size_t *stack, bg_error *error);
} straight_instance;

/* -1 without memory. bg_straight_destroy() releases them. */
int bg_cuda_straight_create(straight_runs *runs, const bg_subprocess *process);
const straight_instance *bg_cuda_straight_instance(const straight_run *run);

/* The most shared memory of a block and of an event, and the stack of a thread, in bytes. */
size_t bg_cuda_straight_chip(const straight_runs *runs);
bg_status bg_cuda_straight_resources(const straight_runs *runs, size_t *on_chip, size_t *stack, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
