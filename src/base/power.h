/* Logarithms, exponentials and powers of ordinary numbers, to the last digit or two, all lanes at once.
 *
 * bg_log() and bg_exp() of scalar.h call the C library for each lane, which is most of what a station with a few of them
 * costs. Here, with x = m 2^e, m between sqrt(1/2) and sqrt(2), and t = (m - 1)/(m + 1),
 *
 *     ln x  = e ln 2 + 2 (t + t^3/3 + t^5/5 + ..)          |t| < 0.172
 *     exp x = 2^k sum_j r^j / j! ,   x = k ln 2 + r        |r| < 0.347
 *
 * Ordinary: ln x of normal positive numbers, exp x for |x| < 700. Zero, infinities and denormal numbers give nonsense.
 */
#ifndef BG_BASE_POWER_H
#define BG_BASE_POWER_H

#include "base/scalar.h"

#if BG_LANES == 1

BG_FN real bg_fast_log(real x) { return bg_log(x); }
BG_FN real bg_fast_exp(real x) { return bg_exp(x); }

#else

typedef unsigned long long bg_bits __attribute__((vector_size(8 * BG_LANES)));

/* ln 2 in two parts, the first with zeros at its end, so that its product with an exponent is exact. */
#define BG_LN2_HIGH 0x1.62e42fee00000p-1
#define BG_LN2_LOW 0x1.a39ef35793c76p-33

BG_FN real bg_fast_log(real x)
{
    const bg_bits bits = (bg_bits)x;
    const real one = bg_real(1.);
    /* the bits of an integer below 2^52 in a number of that size */
    real e = (real)((bits >> 52) | 0x4330000000000000u) - bg_real(0x1p52 + 1023.);
    real m = (real)((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    const mask large = m > bg_real(1.4142135623730951);
    m = bg_select(large, bg_real(0.5) * m, m);
    e = bg_select(large, e + one, e);
    const real t = (m - one) / (m + one), t2 = t * t;
    real series = bg_real(1. / 21.);
    BG_UNROLL
    for (int k = 19; k > 1; k -= 2) series = series * t2 + bg_real(1. / k);
    return e * bg_real(BG_LN2_HIGH) + ((t + t) + ((t + t) * (t2 * series) + e * bg_real(BG_LN2_LOW)));
}

BG_FN real bg_fast_exp(real x)
{
    const real shifted =
        x * bg_real(1.4426950408889634) + bg_real(0x1.8p52); /* the last bits are the nearest integer */
    const real k = shifted - bg_real(0x1.8p52);
    const real r = (x - k * bg_real(BG_LN2_HIGH)) - k * bg_real(BG_LN2_LOW);
    real series = bg_real(1.);
    BG_UNROLL
    for (int j = 13; j > 0; j--) series = series * (r * bg_real(1. / j)) + bg_real(1.);
    return series * (real)(((bg_bits)shifted + 1023u) << 52);
}

#endif

/* x to a constant power. */
BG_FN real bg_power(real x, double exponent) { return bg_fast_exp(bg_real(exponent) * bg_fast_log(x)); }

#endif
