/* Rows of the color matrix C_ss' = f(s^-1 s') from the function f on the group.
 *
 * The matrix itself is never stored: it would take (m!)^2 numbers. Ranks are lexicographic, so the 24
 * permutations that share all but the last four letters are neighbors, and multiplying them from
 * the left maps such a block onto another one, reordered by an element of S_4.
 */
#ifndef BG_COLOR_DENSE_H
#define BG_COLOR_DENSE_H

#include "color/permutation.h"

typedef struct color_dense {
    int m;                             /* letters */
    uint64_t size;                     /* m! */
    double *function;                  /* f by rank */
    int block;                         /* letters in a block: min(m, 4) */
    uint8_t product[24][24];           /* ranks of products in S_block */
    uint8_t (*prefix)[BG_MAX_LETTERS]; /* the permutation at the start of each block */
} color_dense;

/* Takes over the table `function`. 0, or -1 without memory. */
int bg_color_dense_create(color_dense *d, int m, double *function);
void bg_color_dense_destroy(color_dense *d);

/* row[s'] = f(s^-1 s') for s' from the start of the block of s on; returns that start. The matrix is
 * symmetric: the part before it is known from earlier rows. */
uint64_t bg_color_dense_row(const color_dense *d, uint64_t s, double *row);

#endif
