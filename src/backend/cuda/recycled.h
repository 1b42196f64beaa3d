/* Full sums over helicities, n_out = RECYCLED_LEAST to RECYCLED_MOST: what recycled.cu (one object an n_out), words.c (its
 * table) and fast.c share. Above, all currents of an event in all states are too many to keep; below, a thread does
 * all of an event (fast.cu).
 */
#ifndef BG_BACKEND_CUDA_RECYCLED_H
#define BG_BACKEND_CUDA_RECYCLED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RECYCLED_LEAST 4
#define RECYCLED_MOST 7

/* A record of the table belongs to an ordering, by rank: its place among the amplitudes, its letters (four bits each), then
 * where K of its letters i .. j - 1 starts, i < j (that of all letters does not exist), then where L of its first k letters
 * does, k < N - 1, in pairs of numbers. */
#define RECYCLED_RECORD(N) (2 + (N) * ((N) + 1) / 2 + (N)-2)
#define RECYCLED_WORD(N, i, j) (2 + (i) * (2 * (N) + 1 - (i)) / 2 + (j) - (i)-1)
#define RECYCLED_PREFIX(N, k) (2 + (N) * ((N) + 1) / 2 + (k)-1)

void bg_recycled_records(int letters, uint32_t *record);

#ifdef __cplusplus
}
#endif

#endif
