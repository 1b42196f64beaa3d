/* Counter-based random numbers: Philox 4x32-10 (Salmon et al., SC 2011).
 *
 * A number is a function of (seed, event, draw, stream, index), so event k is event k on any
 * thread, rank or device, and nothing has to be stored or skipped.
 */
#ifndef BG_RANDOM_PHILOX_H
#define BG_RANDOM_PHILOX_H

#include "base/scalar.h"

/* What the numbers are for; each purpose has its own stream. */
enum bg_stream {
    BG_STREAM_HELICITY = 0,
    BG_STREAM_COLOR = 1,
    BG_STREAM_ORDERING = 2,
    BG_STREAM_PHASE_SPACE = 3,
    BG_STREAM_UNWEIGHT = 4
};

typedef struct philox_block {
    uint32_t word[4];
} philox_block;

BG_FN philox_block philox4x32(philox_block counter, uint32_t key0, uint32_t key1)
{
    uint32_t c0 = counter.word[0], c1 = counter.word[1], c2 = counter.word[2], c3 = counter.word[3];
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0;
        uint64_t b = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(b >> 32) ^ c1 ^ key0;
        uint32_t n2 = (uint32_t)(a >> 32) ^ c3 ^ key1;
        c0 = n0;
        c1 = (uint32_t)b;
        c2 = n2;
        c3 = (uint32_t)a;
        key0 += 0x9E3779B9u; /* golden ratio */
        key1 += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    philox_block r = {{c0, c1, c2, c3}};
    return r;
}

/* Where a sequence of numbers starts: one event, one draw of it, one purpose. */
typedef struct bg_random {
    uint64_t seed, event;
    uint32_t draw, stream;
} bg_random;

BG_FN bg_random bg_random_at(uint64_t seed, uint64_t event, uint32_t draw, uint32_t stream)
{
    bg_random r = {seed, event, draw, stream};
    return r;
}

/* 53 bits to the middle of their interval: uniform in (0, 1), never 0 or 1. */
BG_FN double bg_unit_interval(uint32_t high, uint32_t low)
{
    uint64_t bits = ((uint64_t)high << 20) | (low >> 12);
    return ((double)bits + 0.5) * (1. / 4503599627370496.);
}

/* Numbers 2 k and 2 k + 1 of the sequence. */
BG_FN void bg_random_pair(const bg_random *r, uint32_t k, double u[2])
{
    philox_block counter = {{(uint32_t)r->event, (uint32_t)(r->event >> 32), r->draw, (r->stream << 24) | k}};
    philox_block b = philox4x32(counter, (uint32_t)r->seed, (uint32_t)(r->seed >> 32));
    u[0] = bg_unit_interval(b.word[0], b.word[1]);
    u[1] = bg_unit_interval(b.word[2], b.word[3]);
}

/* The first `count` numbers of the sequence. */
BG_FN void bg_random_fill(const bg_random *r, const int count, double *u)
{
    double pair[2];
    for (int k = 0; k < count; k += 2) {
        bg_random_pair(r, (uint32_t)(k / 2), pair);
        u[k] = pair[0];
        if (k + 1 < count) u[k + 1] = pair[1];
    }
}

#endif
