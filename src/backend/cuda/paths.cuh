/* Sums over paths of many letters (color/antenna.h, estimate/estimate.h) by the threads of a block.
 *
 * H(S, l) of the sets of one size is all that the next size needs, so two sizes at a time are in shared memory, whatever the number of
 * letters. Sets are numbered by size, those of a size in the order of their largest letters, and the numbers of a set are side by side:
 * H of its first, second .. letter as the one that is last.
 */
#ifndef BG_BACKEND_CUDA_PATHS_CUH
#define BG_BACKEND_CUDA_PATHS_CUH

#include "base/bits.h"
#include "base/limits.h"

#include <stddef.h>
#include <stdint.h>

/* In shared memory. */
typedef struct path_tables {
    uint64_t *members; /* [number] of a set: its letters, 4 bits each */
    uint16_t *set;     /* [number] */
    uint16_t *place;   /* [set] its number among those of its size */
    int *first;        /* [size] number of the first one */
} path_tables;

static __host__ __device__ int paths_choose(int n, int k)
{
    int c = k > n ? 0 : 1;
    for (int j = 0; j < k && c; j++) c = c * (n - j) / (j + 1);
    return c;
}

/* Numbers of H for the sets of a size, at most. */
static __host__ __device__ int paths_most(int letters)
{
    return paths_choose(letters, letters / 2 + letters % 2) * (letters / 2 + letters % 2);
}

static __host__ __device__ size_t paths_bytes(int letters)
{
    const size_t sets = (size_t)1 << letters;
    return sets * (sizeof(uint64_t) + 2 * sizeof(uint16_t)) + ((size_t)letters + 3) * sizeof(int);
}

static __device__ path_tables paths_place(int letters, void *memory)
{
    const size_t sets = (size_t)1 << letters;
    path_tables t;
    t.members = (uint64_t *)memory;
    t.set = (uint16_t *)(t.members + sets);
    t.place = t.set + sets;
    t.first = (int *)(t.place + sets);
    return t;
}

static __device__ void paths_prepare(int letters, const path_tables &t)
{
    if (threadIdx.x == 0) {
        t.first[0] = 0;
        for (int size = 0; size <= letters; size++) t.first[size + 1] = t.first[size] + paths_choose(letters, size);
    }
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << letters; set += blockDim.x) {
        uint64_t members = 0;
        int size = 0, place = 0;
        for (int letter = 0; letter < letters; letter++) {
            if (!(set >> letter & 1u)) continue;
            members |= (uint64_t)letter << (4 * size);
            place += paths_choose(letter, ++size); /* sets whose largest letter is smaller, and so on */
        }
        t.place[set] = (uint16_t)place;
        t.set[t.first[size] + place] = (uint16_t)set;
        t.members[t.first[size] + place] = members;
    }
}

/* How many sets of a size there are. */
static __device__ int paths_sets(const path_tables &t, int size) { return t.first[size + 1] - t.first[size]; }

/* Where H of a set goes that has `letter` more than `set`, with the letter as the one that is last. */
static __device__ __forceinline__ int paths_behind(const path_tables &t, int size, uint32_t set, int letter)
{
    const uint32_t larger = set | 1u << letter;
    return t.place[larger] * (size + 1) + __popc(larger & ((1u << letter) - 1u));
}

/* A set of a size, and one of the letters that are not in it. */
typedef struct paths_step {
    uint32_t number, set;
    int letter;
} paths_step;

/* How many of them there are, and one: neighboring threads share a set, whose H they read together. */
static __device__ __forceinline__ uint32_t paths_steps(int letters, const path_tables &t, int size)
{
    return (uint32_t)paths_sets(t, size) * (uint32_t)(letters - size);
}
static __device__ __forceinline__ paths_step paths_step_of(int letters, const path_tables &t, int size, uint32_t at)
{
    const uint32_t others = (uint32_t)(letters - size), number = (uint32_t)t.first[size] + at / others;
    const uint32_t set = t.set[number], rest = ((1u << letters) - 1u) ^ set;
    const uint64_t members = t.members[t.first[letters - size] + t.place[rest]];
    const paths_step s = {number, set, (int)(members >> (4 * (at % others)) & 15u)};
    return s;
}

/* H of the sets that have a letter more than SIZE, from those of that size; step[i * pitch + j] is that from i to j, and from j to i. */
template <int SIZE>
static __device__ __forceinline__ void paths_extend_size(int letters, int pitch, const path_tables &t,
                                                         const double *step, const double *from, double *to)
{
    const uint32_t count = paths_steps(letters, t, SIZE), first = (uint32_t)t.first[SIZE];
    for (uint32_t at = threadIdx.x; at < count; at += blockDim.x) {
        const paths_step s = paths_step_of(letters, t, SIZE, at);
        const uint64_t members = t.members[s.number];
        const double *const paths = from + (s.number - first) * SIZE, *const own = step + s.letter;
        double sum = 0.;
#pragma unroll
        for (int q = 0; q < SIZE; q++) sum += paths[q] * own[(int)(members >> (4 * q) & 15u) * pitch];
        to[paths_behind(t, SIZE, s.set, s.letter)] = sum;
    }
}

/* Loops of constant length take half of the instructions. */
static __device__ __forceinline__ void paths_extend(int letters, int pitch, int size, const path_tables &t,
                                                    const double *step, const double *from, double *to)
{
    switch (size) {
    case 1: return paths_extend_size<1>(letters, pitch, t, step, from, to);
    case 2: return paths_extend_size<2>(letters, pitch, t, step, from, to);
    case 3: return paths_extend_size<3>(letters, pitch, t, step, from, to);
    case 4: return paths_extend_size<4>(letters, pitch, t, step, from, to);
    case 5: return paths_extend_size<5>(letters, pitch, t, step, from, to);
    case 6: return paths_extend_size<6>(letters, pitch, t, step, from, to);
    case 7: return paths_extend_size<7>(letters, pitch, t, step, from, to);
    case 8: return paths_extend_size<8>(letters, pitch, t, step, from, to);
    case 9: return paths_extend_size<9>(letters, pitch, t, step, from, to);
    case 10: return paths_extend_size<10>(letters, pitch, t, step, from, to);
    default: return paths_extend_size<11>(letters, pitch, t, step, from, to);
    }
}
static_assert(BG_MAX_LETTERS == 12, "there is a case for every size");

#endif
