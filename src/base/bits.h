/* Bits of a number that are picked by a mask. */
#ifndef BG_BASE_BITS_H
#define BG_BASE_BITS_H

#include <stdint.h>

/* The bits of `from` at the places of `mask`, side by side; and back. */
static inline uint32_t bg_extract_bits(uint32_t from, uint32_t mask)
{
    uint32_t to = 0;
    for (int k = 0; mask; mask &= mask - 1, k++) to |= (from >> __builtin_ctz(mask) & 1u) << k;
    return to;
}

static inline uint32_t bg_deposit_bits(uint32_t from, uint32_t mask)
{
    uint32_t to = 0;
    for (int k = 0; mask; mask &= mask - 1, k++) to |= (from >> k & 1u) << __builtin_ctz(mask);
    return to;
}

#endif
