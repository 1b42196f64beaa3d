/* Permutations of up to BG_MAX_LETTERS letters in lexicographic order.
 *
 * The rank of a permutation is its place in that order. Permutations that agree up to the last m
 * positions fill a block of m! consecutive ranks, which is what makes acting on the last positions
 * cheap (factor.c, dense.h).
 */
#ifndef BG_COLOR_PERMUTATION_H
#define BG_COLOR_PERMUTATION_H

#include "base/inline.h"
#include "base/limits.h"

#include <stdint.h>

typedef struct permutation {
    uint8_t at[BG_MAX_LETTERS]; /* at[position] = letter */
} permutation;

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* A rank that grows with the letters from left to right. A letter's digit is how many smaller letters are left, and four
 * bits of `digits` hold it for each of them. Words of fewer letters than there are have ranks of their own, among the
 * words of as many letters: the word 2 0 of the letters 0 .. 3 has digits 2 and 0 and rank 2 * 3 + 0 = 6 of 12. */
typedef struct permutation_rank {
    uint64_t number, digits;
} permutation_rank;

BG_CONSTANT_FN permutation_rank permutation_rank_none(void)
{
    permutation_rank r = {0, 0xba9876543210u};
    return r;
}

/* The rank with one letter more, where `left` letters are left to choose from. A letter that is gone never has fewer
 * below it than have gone since, so no digit borrows from the next. */
BG_CONSTANT_FN permutation_rank permutation_rank_add(permutation_rank r, int left, int letter)
{
    permutation_rank s = {r.number * (uint64_t)left + (r.digits >> (4 * letter) & 15u),
                          r.digits - ((uint64_t)0x111111111110u << (4 * letter))};
    return s;
}

/* The same where somebody has the set of the letters before it, and 32 bits suffice. */
BG_FN uint32_t permutation_next_rank(uint32_t rank, int left, uint32_t before, int letter)
{
    return rank * (uint32_t)left + (uint32_t)(letter - __builtin_popcount(before & ((1u << letter) - 1u)));
}

/* Word number `rank` of `length` of n letters; a permutation where that is all of them. */
BG_CONSTANT_FN permutation permutation_word(int n, int length, uint64_t rank)
{
    permutation p = {{0}}, left = {{0}};
    uint64_t block = 1;
    for (int k = 0; k < n; k++) left.at[k] = (uint8_t)k;
    for (int k = 0; k < length; k++) block *= (uint64_t)(n - k);
    for (int k = 0; k < length; k++) {
        block /= (uint64_t)(n - k);
        const int digit = (int)(rank / block);
        rank %= block;
        p.at[k] = left.at[digit];
        for (int j = digit; j + 1 < n - k; j++) left.at[j] = left.at[j + 1];
    }
    return p;
}

/* ---- packed orderings --------------------------------------------------------------------------------------------- */

/* An ordering in one register, four bits a place: the gluons 0 2 1 3 are 0x3120. */
BG_FN int packed_gluon(uint64_t ordering, int place) { return (int)(ordering >> 4 * place & 15u); }
BG_FN uint64_t packed_place(int gluon, int place) { return (uint64_t)gluon << 4 * place; }

/* ... and up to eight letters in half of one, for a device of 32 bits. */
BG_FN uint32_t packed_letter(uint32_t word, int place) { return word >> 4 * place & 15u; }

BG_FN uint64_t packed_ordering(const int n, const int *order)
{
    uint64_t r = 0;
    for (int k = 0; k < n; k++) r |= packed_place(order[k], k);
    return r;
}

/* ---- permutations ------------------------------------------------------------------------------------------------- */

uint64_t bg_factorial(int n);
permutation bg_permutation_unrank(int n, uint64_t rank);
uint64_t bg_permutation_rank(int n, const permutation *p);
permutation bg_permutation_inverse(int n, const permutation *p);

/* (a b)(position) = a(b(position)) */
permutation bg_permutation_compose(int n, const permutation *a, const permutation *b);

/* The next permutation in order; 0 after the last. */
int bg_permutation_next(int n, permutation *p);

#endif
