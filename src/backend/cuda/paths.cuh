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

/* H of the sets that have a letter more than SIZE, from those of that size; step[i * pitch + j] is that from i to j, and from j to i. */
template <int SIZE>
static __device__ __forceinline__ void paths_extend_size(int pitch, const path_tables &t, const double *step,
                                                         const double *from, double *to)
{
    const int first = t.first[SIZE + 1], count = (t.first[SIZE + 2] - first) * (SIZE + 1);
    for (int at = (int)threadIdx.x; at < count; at += (int)blockDim.x) {
        const int number = first + at / (SIZE + 1), last = at % (SIZE + 1);
        const uint64_t members = t.members[number], below = ((uint64_t)1 << (4 * last)) - 1u;
        const uint64_t rest = (members & below) | (members >> 4 & ~below);
        const int letter = (int)(members >> (4 * last) & 15u);
        const double *const paths = from + t.place[t.set[number] ^ 1u << letter] * SIZE, *const row = step + letter * pitch;
        double sum = 0.;
#pragma unroll
        for (int q = 0; q < SIZE; q++) sum += paths[q] * row[rest >> (4 * q) & 15u];
        to[at] = sum;
    }
}

/* Loops of constant length take half of the instructions. */
static __device__ __forceinline__ void paths_extend(int pitch, int size, const path_tables &t, const double *step,
                                                    const double *from, double *to)
{
    switch (size) {
    case 1: return paths_extend_size<1>(pitch, t, step, from, to);
    case 2: return paths_extend_size<2>(pitch, t, step, from, to);
    case 3: return paths_extend_size<3>(pitch, t, step, from, to);
    case 4: return paths_extend_size<4>(pitch, t, step, from, to);
    case 5: return paths_extend_size<5>(pitch, t, step, from, to);
    case 6: return paths_extend_size<6>(pitch, t, step, from, to);
    case 7: return paths_extend_size<7>(pitch, t, step, from, to);
    case 8: return paths_extend_size<8>(pitch, t, step, from, to);
    case 9: return paths_extend_size<9>(pitch, t, step, from, to);
    case 10: return paths_extend_size<10>(pitch, t, step, from, to);
    default: return paths_extend_size<11>(pitch, t, step, from, to);
    }
}
static_assert(BG_MAX_LETTERS == 12, "there is a case for every size");

#endif
