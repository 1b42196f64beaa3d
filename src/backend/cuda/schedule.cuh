/* The schedule of coherent colors (color/coherent.h) by many threads: what a warp for a group (coherent.cu) and a block for a
 * group (few.cu) have in common. What threads add to the lists lands in any order, which changes nothing in the currents.
 */
#ifndef BG_BACKEND_CUDA_SCHEDULE_CUH
#define BG_BACKEND_CUDA_SCHEDULE_CUH

#include "backend/cuda/groups.cuh"
#include "color/coherent.h"

/* How far the lists are, in shared memory: threads take what they need of each. */
typedef struct schedule_used {
    uint32_t splits, slots;
} schedule_used;

/* Where the next currents of a list go: from its front, or, if that is not NULL, diagonal ones from its back. */
typedef struct schedule_ends {
    uint32_t *front, *back;
} schedule_ends;

/* A current whose splits are counted, into the lists: where its splits go. */
static __device__ uint32_t schedule_take(coherent_schedule *s, schedule_used *used, schedule_ends currents,
                                         coherent_current *x, int kind, uint32_t set)
{
    const uint32_t slot = atomicAdd(&used->slots, (uint32_t)coherent_differences(x));
    x->first = atomicAdd(&used->splits, x->splits[0] + x->splits[1] + x->splits[2]);
    x->slot = (uint16_t)slot;
    s->current[x->diagonal && currents.back ? atomicSub(currents.back, 1u) - 1u : atomicAdd(currents.front, 1u)] = *x;
    s->entry[set] = coherent_entry(kind, slot);
    return x->first;
}

/* One set, by one thread. The list of its splits has to have its exact length: other threads write behind it. */
static __device__ void schedule_set(const coherent_colors *c, coherent_schedule *s, schedule_used *used,
                                    schedule_ends currents, uint32_t set)
{
    coherent_current x;
    uint32_t total = 0;
    const int kind = coherent_begin(c, set, &x);
    if (kind != COHERENT_NOTHING)
        for (int d = 0; d < coherent_differences(&x); d++) {
            x.splits[d] = coherent_splits(s, set, d, 1, NULL);
            total += x.splits[d];
        }
    if (!total) {
        s->entry[set] = COHERENT_NOTHING;
        return;
    }
    uint32_t at = schedule_take(s, used, currents, &x, kind, set);
    for (int d = 0; d < coherent_differences(&x); d++)
        if (x.splits[d]) at += coherent_splits(s, set, d, 1, s->split + at);
}

/* The splits that close the amplitude, by a warp, in a fixed order: each lane looks at one, and those that are left follow one another
 * from split `closing` on. Returns how many there are. */
static __device__ uint32_t schedule_closing(int n, const coherent_colors *c, const coherent_schedule *s,
                                            uint32_t closing)
{
    const uint32_t lane = threadIdx.x % WARP, all = (1u << (n - 1)) - 1u;
    uint32_t end_at = closing;
    int difference[2];
    const int ends = coherent_ends(n, c, difference);
    for (int end = 0; end < ends; end++)
        for (uint32_t from = 0; from <= all >> 1; from += WARP) {
            const uint32_t half = from + lane;
            uint32_t split = 0;
            const int left = half && half <= all >> 1 && coherent_split(s, all, half << 1, difference[end], &split);
            const uint32_t votes = __ballot_sync(EVERY_LANE, left);
            if (left)
                s->split[end_at + (uint32_t)__popc(votes & ((1u << lane) - 1u))] = end ? coherent_turned(split) : split;
            end_at += (uint32_t)__popc(votes);
        }
    return end_at - closing;
}

#endif
