/* Permutations of up to BG_MAX_LETTERS letters in lexicographic order.
 *
 * The rank of a permutation is its place in that order. Permutations that agree up to the last m
 * positions fill a block of m! consecutive ranks, which is what makes acting on the last positions
 * cheap (factor.c, dense.h).
 */
#ifndef BG_COLOR_PERMUTATION_H
#define BG_COLOR_PERMUTATION_H

#include "base/limits.h"

#include <stdint.h>

typedef struct permutation {
    uint8_t at[BG_MAX_LETTERS]; /* at[position] = letter */
} permutation;

/* A rank that grows with the letters from left to right. Four bits a letter hold the digit that it would add next: how
 * many smaller letters are left. */
typedef struct permutation_rank {
    uint64_t number, digits;
} permutation_rank;

static inline permutation_rank bg_permutation_rank_none(void) { return (permutation_rank){0, 0xba9876543210u}; }

/* Adds a letter where `left` are left. A letter that is gone never has fewer below it than have gone since, so no digit
 * borrows from the next. */
static inline void bg_permutation_rank_add(int left, int letter, permutation_rank *r)
{
    r->number = r->number * (uint64_t)left + (r->digits >> (4 * letter) & 15u);
    r->digits -= (uint64_t)0x111111111110u << (4 * letter);
}

uint64_t bg_factorial(int n);
permutation bg_permutation_unrank(int n, uint64_t rank);
uint64_t bg_permutation_rank(int n, const permutation *p);
permutation bg_permutation_inverse(int n, const permutation *p);

/* (a b)(position) = a(b(position)) */
permutation bg_permutation_compose(int n, const permutation *a, const permutation *b);

/* The next permutation in order; 0 after the last. */
int bg_permutation_next(int n, permutation *p);

#endif
