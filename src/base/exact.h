/* Exact sums of doubles.
 *
 * A sum is one long fixed-point number that covers the whole range of a double in digits of 32 bits, kept
 * in 64-bit integers so that two thousand million terms can be added before a carry is needed. Integer
 * addition is associative: the result does not depend on the order of the terms, so neither on threads nor
 * on ranks nor on where a run was interrupted.
 */
#ifndef BG_BASE_EXACT_H
#define BG_BASE_EXACT_H

#include "base/scalar.h"

#include <string.h>

#define BG_EXACT_DIGITS 68

typedef struct bg_exact {
    int64_t digit[BG_EXACT_DIGITS]; /* value = sum digit[k] 2^(32 k - 1074) */
} bg_exact;

/* The digits of a finite x: part[i] belongs to digit k + i, for i = 0, 1, 2; returns k. */
BG_FN int bg_exact_split(double x, int64_t *part)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & 0xfffffffffffffu;
    if (exponent) mantissa |= 0x10000000000000u;
    const int place = exponent ? exponent - 1 : 0; /* of the lowest bit, counted from 2^-1074 */
    const int shift = place % 32;
    const int64_t sign = bits >> 63 ? -1 : 1;
    const uint64_t low = (mantissa & 0xffffffffu) << shift, high = (mantissa >> 32) << shift;
    part[0] = sign * (int64_t)(low & 0xffffffffu);
    part[1] = sign * (int64_t)((low >> 32) + (high & 0xffffffffu));
    part[2] = sign * (int64_t)(high >> 32);
    return place / 32;
}

static inline void bg_exact_add(bg_exact *sum, double x)
{
    int64_t part[3];
    const int k = bg_exact_split(x, part);
    for (int i = 0; i < 3; i++) sum->digit[k + i] += part[i];
}

/* Digits back to 0 .. 2^32 - 1, the sign in the last: the same number always looks the same. */
void bg_exact_carry(bg_exact *sum);

/* a += b. Both are carried first, so this never overflows. */
void bg_exact_merge(bg_exact *a, const bg_exact *b);

double bg_exact_value(const bg_exact *sum);

#endif
