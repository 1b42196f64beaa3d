/* Groups of events that share colors: what kernels of gluons (coherent.cu, few.cu) and of quark lines (open.cu) have in common. */
#ifndef BG_BACKEND_CUDA_GROUPS_CUH
#define BG_BACKEND_CUDA_GROUPS_CUH

#include "backend/cuda/coherent.h"
#include "backend/cuda/events.cuh"

enum { WARP = 32 }; /* lanes */
#define EVERY_LANE 0xffffffffu

/* What is the same for all groups of a call. */
typedef struct group_call {
    cuda_question question;
    bg_momenta momenta;
    coherent_space space;
    cuda_deals deals;
    int count;
    uint32_t items;
    double *partial;
} group_call;

/* Bytes rounded up to whole lines of the caches. */
BG_FN size_t group_lines(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* Group `item` of a call: its number, and its event number `lane`, or -1. */
static __device__ int64_t event_of_lane(const cuda_question *q, const cuda_deals *deals, int count, int group,
                                        uint32_t item, uint32_t lane, uint64_t *number)
{
    const uint32_t per_deal = BG_DEAL / (uint32_t)group;
    if (group == 1) {
        *number = event_number(q, item);
        return lane == 0 ? (int64_t)item : -1;
    }
    if (!deals->order) { /* consecutive events */
        const uint64_t size = (uint64_t)group;
        *number = q->first_event / size + item;
        const int64_t event = (int64_t)(*number * size + lane - q->first_event);
        return lane < (uint32_t)group && event >= 0 && event < count ? event : -1;
    }
    const uint32_t deal = item / per_deal, rank = item % per_deal * (uint32_t)group + lane;
    *number = (deals->first + deal) * per_deal + item % per_deal;
    return lane < (uint32_t)group && rank < deals->count[deal] ? (int64_t)deals->order[(size_t)deal * BG_DEAL + rank]
                                                               : -1;
}

/* How many groups a call has. */
static inline uint32_t group_items(const cuda_task *t, const coherent_space *space, const cuda_deals *deals)
{
    const uint64_t size = (uint64_t)space->group, first = t->question.first_event;
    if (deals) return deals->deals * (BG_DEAL / (uint32_t)size);
    return size == 1 ? (uint32_t)t->count : (uint32_t)((first + (uint64_t)t->count - 1) / size - first / size + 1);
}

/* A draw of a task. */
static inline group_call group_call_of(const cuda_task *t, const coherent_space *space, const cuda_deals *deals)
{
    const cuda_deals none = {NULL, NULL, NULL, 0, 0};
    const group_call c = {
        t->question, t->momenta, *space, deals ? *deals : none, t->count, group_items(t, space, deals), t->partial};
    return c;
}

/* Room for space->bytes each: as many groups as the current device works on at once with a kernel whose blocks have so many
 * threads, groups and bytes of shared memory, in at most a third of its memory. */
static inline bg_status groups_in_flight(const void *kernel, int threads, int per_block, size_t shared,
                                         coherent_space *space, size_t *stack, bg_error *error)
{
    int device = 0, processors = 0, blocks = 0;
    size_t free_bytes = 0, total_bytes = 0;
    cudaFuncAttributes attributes;
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(error, cudaMemGetInfo(&free_bytes, &total_bytes));
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, kernel));
    CUDA_TRY(error, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    *stack = attributes.localSizeBytes;
    size_t flights = (size_t)(processors * blocks * per_block);
    const size_t most = total_bytes / 3 / space->bytes;
    if (flights > most) flights = most;
    flights = flights / (size_t)per_block * (size_t)per_block;
    space->flights = flights ? (int)flights : per_block;
    return BG_OK;
}

#endif
