/* Counter-based random numbers: Philox 4x32-10 (Salmon et al., SC 2011).
 *
 * A number is a function of (seed, event, draw, stream, index), so event k is event k on any
 * thread, rank or device, and nothing has to be stored or skipped.
 */
#ifndef BG_RANDOM_PHILOX_H
#define BG_RANDOM_PHILOX_H

#include "base/scalar.h"

#if BG_LANES > 2 && defined(__AVX2__)
#include <immintrin.h>
#endif

/* What the numbers are for; each purpose has its own stream. */
enum bg_stream {
    BG_STREAM_HELICITY = 0,
    BG_STREAM_COLOR = 1,
    BG_STREAM_ORDERING = 2,
    BG_STREAM_PHASE_SPACE = 3,
    BG_STREAM_UNWEIGHT = 4,
    BG_STREAM_REGION = 5,
    BG_STREAM_FLOW = 6,
    BG_STREAM_CLASS = 7,
    BG_STREAM_CHANNEL = 8,
    BG_STREAM_SIEVE = 9
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

/* The first number of a purpose: where an event needs no more. */
BG_FN double bg_random_number(uint64_t seed, uint64_t event, uint32_t stream)
{
    const bg_random r = bg_random_at(seed, event, 0, stream);
    double u[2];
    bg_random_pair(&r, 0, u);
    return u[0];
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

#if BG_LANES > 2
/* Words of 32 bits, one a lane, in lanes of 64 bits, so that a product has room for its upper half. */
typedef uint64_t philox_words __attribute__((vector_size(8 * BG_LANES)));

/* bg_unit_interval() of each lane. A number of 52 bits is turned into a double in the mantissa of 2^52. */
BG_FN real philox_unit_interval(const philox_words *high, const philox_words *low)
{
    const philox_words bits = *high << 20 | *low >> 12 | UINT64_C(0x4330000000000000);
    return ((real)bits - 4503599627370496. + 0.5) * (1. / 4503599627370496.);
}

/* Products of the lower halves of all lanes, whatever the upper ones hold. x86 has an instruction for that, which gcc does not take even
 * where the upper halves are known to be zero: whole products of 64 bits are three times as much work. */
BG_FN philox_words philox_product(const philox_words *word, uint32_t factor)
{
#if defined(__AVX512F__) && BG_LANES == 8
    return (philox_words)_mm512_mul_epu32((__m512i)*word, _mm512_set1_epi64((long long)factor));
#elif defined(__AVX2__) && BG_LANES == 4
    return (philox_words)_mm256_mul_epu32((__m256i)*word, _mm256_set1_epi64x((long long)factor));
#else
    return (*word & UINT64_C(0xffffffff)) * (uint64_t)factor;
#endif
}

/* bg_random_pair() for the event of each lane, all lanes in step. The upper halves of words are only cleared at the end. */
BG_FN void philox_pair(uint64_t seed, const philox_words *event, uint32_t draw, uint32_t last, real u[2])
{
    const philox_words low = (philox_words){0} + UINT64_C(0xffffffff);
    philox_words c0 = *event, c1 = *event >> 32, c2 = (philox_words){0} + draw, c3 = (philox_words){0} + last;
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        const philox_words a = philox_product(&c0, 0xD2511F53u), b = philox_product(&c2, 0xCD9E8D57u);
        c0 = b >> 32 ^ c1 ^ (uint64_t)key0;
        c1 = b;
        c2 = a >> 32 ^ c3 ^ (uint64_t)key1;
        c3 = a;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    c0 &= low;
    c1 &= low;
    c2 &= low;
    c3 &= low;
    u[0] = philox_unit_interval(&c0, &c1);
    u[1] = philox_unit_interval(&c2, &c3);
}
#endif

/* The first `count` numbers of a sequence for each lane, lane l for event number event[l]. */
BG_FN void bg_random_lanes(uint64_t seed, const uint64_t *event, uint32_t draw, uint32_t stream, const int count,
                           real *u)
{
#if BG_LANES > 2
    philox_words events;
    for (int l = 0; l < BG_LANES; l++) events[l] = event[l];
    for (int k = 0; k < count; k += 2) {
        real pair[2];
        philox_pair(seed, &events, draw, stream << 24 | (uint32_t)(k / 2), pair);
        u[k] = pair[0];
        if (k + 1 < count) u[k + 1] = pair[1];
    }
#else
    for (int l = 0; l < BG_LANES; l++) {
        const bg_random r = bg_random_at(seed, event[l], draw, stream);
        double pair[2] = {0., 0.};
        BG_UNROLL
        for (int k = 0; k < count; k++) {
            if (k % 2 == 0) bg_random_pair(&r, (uint32_t)(k / 2), pair);
            bg_set_lane(&u[k], l, pair[k % 2]);
        }
    }
#endif
}

#endif
