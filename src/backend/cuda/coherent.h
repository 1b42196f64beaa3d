/* Coherent color sampling on a GPU: a warp works on a group of events that share colors, or a block where these are few. */
#ifndef BG_BACKEND_CUDA_COHERENT_H
#define BG_BACKEND_CUDA_COHERENT_H

#include "backend/cuda/instance.h"
#include "backend/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The points of an integration as they are dealt out to groups, on the device. */
typedef struct cuda_deals {
    uint32_t *place; /* [trial]: where its point is, ~0 outside the cuts */
    uint32_t *order; /* [deal][BG_DEAL]: points of each deal, in the order of their event numbers */
    uint32_t *count; /* [deal] */
    uint32_t deals;
    uint64_t first; /* number of the first deal */
} cuda_deals;

/* What a state keeps for it. */
typedef struct coherent_space {
    int flights;  /* groups that are worked on at once */
    size_t bytes; /* of each */
    void *memory;
    uint32_t *next; /* group that is taken next */
    int group;      /* events of a group */
} coherent_space;

/* Events of a group that a block works on, at most. */
#define FEW_EVENTS 8

/* Bytes of a group, and how many the current device is to work on. */
bg_status bg_cuda_coherent_plan(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error);

/* Queues one draw: of consecutive events, or of points that are dealt out (deals not NULL). */
bg_status bg_cuda_coherent(int parts, cuda_task *task, const coherent_space *space, const cuda_deals *deals,
                           bg_error *error);

/* The same for groups of at most FEW_EVENTS (few.cu). */
bg_status bg_cuda_few_plan(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error);
bg_status bg_cuda_few(int parts, cuda_task *task, const coherent_space *space, const cuda_deals *deals,
                      bg_error *error);

/* Deals `count` points of the deals->deals deals from first_event on out; event numbers are on the device. */
bg_status bg_cuda_deal(cudaStream_t stream, const uint64_t *events, uint32_t count, uint64_t first_event,
                       const cuda_deals *deals, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
