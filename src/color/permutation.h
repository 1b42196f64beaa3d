/* Permutations of up to BG_MAX_PERMUTED letters in lexicographic order.
 *
 * The rank of a permutation is its place in that order. Permutations that agree up to the last m
 * positions fill a block of m! consecutive ranks, which is what makes acting on the last positions
 * cheap (factor.c, dense.h).
 */
#ifndef BG_COLOR_PERMUTATION_H
#define BG_COLOR_PERMUTATION_H

#include <stdint.h>

#define BG_MAX_PERMUTED 12

typedef struct permutation {
    uint8_t at[BG_MAX_PERMUTED]; /* at[position] = letter */
} permutation;

uint64_t bg_factorial(int n);
permutation bg_permutation_unrank(int n, uint64_t rank);
uint64_t bg_permutation_rank(int n, const permutation *p);
permutation bg_permutation_inverse(int n, const permutation *p);

/* (a b)(position) = a(b(position)) */
permutation bg_permutation_compose(int n, const permutation *a, const permutation *b);

/* The next permutation in order; 0 after the last. */
int bg_permutation_next(int n, permutation *p);

#endif
