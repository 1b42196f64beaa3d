/* Tables for kernels that compute the currents of amplitude/shared.h with many threads: where the halves of every word
 * are, and which words an ordering needs. They depend on the number of letters N alone.
 *
 * Words are numbered through all lengths, each length in lexicographic order. For N = 4:
 *
 *     0 .. 3     0, 1, 2, 3
 *     4 .. 15    01, 02, 03, 10, 12, 13, 20, ..
 *     16 .. 39   012, 013, 021, ..
 */
#ifndef BG_AMPLITUDE_WORDS_H
#define BG_AMPLITUDE_WORDS_H

#include "base/interrupt.h"
#include "base/limits.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one configuration ------------------------------------------------------------------------------------------ */

/* A split of a word: its halves, as words and as sets. A row of the table of words of m letters is a head {word,
 * reversed word, set, 0} and m - 1 splits. Only words that start with a smaller letter than they end with have a row: the
 * others are their reversals. The row of 012 for N = 4 is {16, 30, 7, 0}, {0, 8, 1, 6}, {4, 2, 3, 4}. */
typedef struct word_split {
    uint32_t left, right, left_set, right_set;
} word_split;

/* A record is the list of numbers that one thread reads. The thread starts from a prefix of `depth` letters and walks, depth
 * first, through everything that begins with it. It meets, one after the other,
 *   a node of k < N letters:   the set of its letters, then the words s_j .. s_k for j = 1 .. k,
 *   an ordering:               its place among the amplitudes, then the words s_j .. s_N for j = 2 .. N,
 * and before them the nodes on the way to the prefix. For N = 4 and depth = 2, the record of the prefix 01 is
 *
 *     1, 0                   the node 0
 *     3, 4, 1                the node 01: words 01 and 1
 *     7, 16, 8, 2            the node 012: words 012, 12 and 2
 *     place, 25, 12, 3       the ordering 0123: words 123, 23 and 3
 *     11, 17, 9, 3           the node 013
 *     place, 27, 15, 2       the ordering 0132
 */
typedef struct word_tables {
    int letters, depth;
    uint32_t words;                        /* currents K of an event (and part) */
    uint32_t first[BG_MAX_OUT_SUMMED + 1]; /* where rows of m letters start, in splits; m = N: length of the table */
    uint32_t count[BG_MAX_OUT_SUMMED + 1]; /* rows of m letters */
    uint32_t records, record;              /* how many, numbers in each */
    const word_split *row;                 /* wherever the kernels find them, as the next one */
    const uint32_t *node;
} word_tables;

/* The sizes of the tables; the pointers stay as they are. */
void bg_word_sizes(int letters, int depth, word_tables *tables);

/* The tables; `node` may be NULL. The place of an ordering is its rank, or that of its inverse, which is the order of
 * the Fourier transform over colors. Returns -1 if it was interrupted. */
int bg_word_tables(int letters, int depth, int by_inverse, word_split *row, uint32_t *node, bg_interrupt *interrupt);

/* ---- all helicities ----------------------------------------------------------------------------------------------- */

/* Here a record belongs to an ordering s1 .. sN, and the records follow one another by rank. It says where an event's
 * currents in all states are, in pairs of numbers: K of m letters takes 2^(m+1) pairs, L of k letters 2^(k+2). Its
 * numbers are
 *
 *     0                          the place of the ordering among the amplitudes
 *     1                          its letters, packed (color/permutation.h)
 *     RECYCLED_WORD(N, i, j)     where K of the letters s_{i+1} .. s_j starts, for all 0 <= i < j <= N; unused for all N
 *     RECYCLED_PREFIX(N, k)      where L of gluon 0 and the letters s_1 .. s_k starts, for 1 <= k <= N - 2
 *
 * For N = 4, the record of 0123 is
 *
 *     place, 0x3210,
 *     0, 16, 112, unused         K of 0, 01, 012
 *     4, 48, 256                 ... of 1, 12, 123
 *     8, 80                      ... of 2, 23
 *     12                         ... of 3
 *     0, 32                      L of 0 and 01
 */
#define RECYCLED_RECORD(N) (2 + (N) * ((N) + 1) / 2 + (N)-2)
#define RECYCLED_WORD(N, i, j) (2 + (i) * (2 * (N) + 1 - (i)) / 2 + (j) - (i)-1)
#define RECYCLED_PREFIX(N, k) (2 + (N) * ((N) + 1) / 2 + (k)-1)

void bg_word_records(int letters, int by_inverse, uint32_t *record);

#ifdef __cplusplus
}
#endif

#endif
