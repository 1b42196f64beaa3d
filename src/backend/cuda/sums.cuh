/* Exact sums of many threads: integers in shared memory first, then in that of the device. */
#ifndef BG_BACKEND_CUDA_SUMS_CUH
#define BG_BACKEND_CUDA_SUMS_CUH

#include "backend/cuda/integrate.h"

typedef unsigned long long word; /* what 64-bit atomics take */

enum {
    SUM_THREADS = 256,
    SUM_POINTS = 8,       /* points of a thread: few blocks to add up, enough to fill the device */
    SHARED_ENTRIES = 1024 /* of the selector; a larger table is added to in global memory */
};

/* 64-bit sums in shared memory, whose atomics have 32 bits: low and high half. */
static __device__ __forceinline__ void shared_add(uint32_t *sum, int64_t value)
{
    const uint32_t low = (uint32_t)value;
    uint32_t high = (uint32_t)((uint64_t)value >> 32);
    if (low) {
        const uint32_t old = atomicAdd(&sum[0], low);
        high += old + low < old; /* carry */
    }
    if (high) atomicAdd(&sum[1], high);
}

static __device__ __forceinline__ void shared_exact_add(uint32_t *sum, double x)
{
    int64_t part[3];
    const int k = bg_exact_split(x, part);
    for (int i = 0; i < 3; i++) shared_add(sum + 2 * (k + i), part[i]);
}

static __device__ __forceinline__ void global_add(int64_t *sum, int64_t value) { atomicAdd((word *)sum, (word)value); }

/* `count` sums of a block to the sums of all blocks. */
static __device__ __forceinline__ void flush(int64_t *to, const uint32_t *from, int count)
{
    for (int k = (int)threadIdx.x; k < count; k += SUM_THREADS) {
        const uint64_t value = (uint64_t)from[2 * k + 1] << 32 | from[2 * k];
        if (value) global_add(to + k, (int64_t)value);
    }
}

static __device__ __forceinline__ void global_exact_add(int64_t *sum, double x)
{
    int64_t part[3];
    const int k = bg_exact_split(x, part);
    for (int i = 0; i < 3; i++)
        if (part[i]) global_add(sum + k + i, part[i]);
}

/* numbers that are not negative are ordered as their bits are */
static __device__ __forceinline__ void global_largest(double *largest, double x)
{
    if (x > 0.) atomicMax((word *)largest, (word)__double_as_longlong(x));
}

/* What a point adds to the sums. */
static __device__ __forceinline__ double weight_of(const cuda_summands *s, uint32_t k)
{
    return bg_point_weight(s->me2[k], s->choices.probability ? s->choices.probability[k] : 1., s->points.weight[k]);
}

/* What is added to the estimate of a point that was kept; a weight that is no number counts as zero. */
static __device__ __forceinline__ double sieved_correction(const cuda_summands *s, uint32_t k)
{
    const bg_sieved point = {s->estimate[k], s->probability[k]};
    const double w = weight_of(s, k);
    return sieve_correction(&point, bg_weight_counts(w) ? w : 0.);
}

/* The point of a lane in a group of points that share colors; 0: there is none. */
static __device__ __forceinline__ int group_point(const cuda_summands *s, uint32_t item, uint32_t *k)
{
    const uint32_t per_deal = BG_DEAL / (uint32_t)s->group, lane = threadIdx.x % 32;
    const uint32_t deal = item / per_deal, rank = item % per_deal * (uint32_t)s->group + lane;
    if (deal >= s->deals.deals || lane >= (uint32_t)s->group || rank >= s->deals.count[deal]) return 0;
    *k = s->deals.order[(size_t)deal * BG_DEAL + rank];
    return 1;
}

#endif
