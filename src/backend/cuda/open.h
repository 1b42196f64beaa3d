/* Coherent color sampling of processes with quark lines on a GPU: a block works on a group of events, of which those of equal skeletons
 * share colors (color/open_strings.h).
 */
#ifndef BG_BACKEND_CUDA_OPEN_H
#define BG_BACKEND_CUDA_OPEN_H

#include "backend/cuda/coherent.h"
#include "color/open_strings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is drawn of an event before its colors. */
typedef struct cuda_flow {
    double Z;
    open_flow flow;
} cuda_flow;

/* Bytes of a block, and how many the current device is to work on. */
bg_status bg_cuda_open_plan(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error);

/* Queues one draw: of consecutive events, or of points that are dealt out (deals not NULL). */
bg_status bg_cuda_open(const bg_plan *plan, cuda_task *task, const coherent_space *space, const cuda_deals *deals,
                       bg_error *error);

/* Draws the flows of points that are dealt out, and brings those of each deal into the order of their skeletons. */
bg_status bg_cuda_open_sort(const bg_plan *plan, const cuda_task *task, cudaStream_t stream, const bg_momenta *momenta,
                            const uint64_t *events, uint32_t count, const coherent_space *space,
                            const cuda_deals *deals, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
