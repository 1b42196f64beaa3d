/* The number type of the physics headers.
 *
 * Each station's arithmetic is written once, against `real`, and compiled
 *   - as C with `real` a SIMD vector of doubles, one event a lane (BG_LANES of them),
 *   - as C with `real` a 128-bit float (BG_QUAD), the accuracy yardstick,
 *   - as CUDA with `real` a double, one event a thread,
 *   - as C++ with `real` a number that counts the operations on it (BG_COUNTED, tests/unit/counted.h).
 * Multiplicities and the like are parameters of always-inlined functions: each instance calls
 * them with literal constants. Data-dependent branches are selects.
 */
#ifndef BG_BASE_SCALAR_H
#define BG_BASE_SCALAR_H

#include "base/inline.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__)

#define BG_LANES 1
typedef double real, element;
typedef int mask;

#elif defined(BG_QUAD)

#ifndef BG_LANES
#define BG_LANES 1
#endif
__extension__ typedef __float128 real, element;
typedef int mask;

#elif defined(BG_COUNTED)

#define BG_LANES 1
#include "counted.h"

#else

#ifndef BG_LANES
#define BG_LANES 2
#endif
typedef double element; /* what a lane of `real` holds */
#if BG_LANES == 1 /* for what looks at a point at a time */
typedef double real;
typedef int mask;
#else
typedef double real __attribute__((vector_size(8 * BG_LANES)));
typedef long long mask __attribute__((vector_size(8 * BG_LANES)));
#endif

#endif

/* A constant in every lane. */
BG_FN real bg_real(double x)
{
#if BG_LANES == 1
    return (real)x;
#else
    real r;
    for (int l = 0; l < BG_LANES; l++) r[l] = x;
    return r;
#endif
}

BG_FN element bg_lane(real x, int lane)
{
#if BG_LANES == 1
    (void)lane;
    return x;
#else
    return x[lane];
#endif
}

/* The same of a register in memory. To look up a lane that it does not know in a value, a compiler stores all of
 * them first; here it reads that lane. */
BG_FN element bg_lane_at(const real *x, int lane)
{
#if BG_LANES == 1
    (void)lane;
    return *x;
#else
    return (*x)[lane];
#endif
}

BG_FN void bg_set_lane(real *x, int lane, element value)
{
#if BG_LANES == 1
    (void)lane;
    *x = value;
#else
    (*x)[lane] = value;
#endif
}

/* One lane in every lane. */
BG_FN real bg_broadcast(real x, int lane)
{
#if BG_LANES == 1
    (void)lane;
    return x;
#else
    return bg_real(x[lane]);
#endif
}

BG_FN real bg_select(mask m, real a, real b)
{
#if BG_LANES == 1
    return m ? a : b;
#else
    return (real)(((mask)a & m) | ((mask)b & ~m));
#endif
}

BG_FN real bg_sqrt(real x)
{
#if defined(BG_QUAD)
    /* One Newton step doubles the 53 bits of the hardware root. */
    real y = (real)sqrt((double)x);
    return x > 0 ? (y + x / y) / 2 : (real)0;
#elif BG_LANES == 1
    return sqrt(x);
#else
    real r;
    for (int l = 0; l < BG_LANES; l++) r[l] = __builtin_sqrt(x[l]);
    return r;
#endif
}

/* Inverses of ordinary numbers: to the last digit or two, zero gives not a number. A GPU improves its twenty bits in one
 * cubic step, without the branches that take care of all other numbers in 1 / x and rsqrt(). */
BG_FN real bg_inverse(real x)
{
#if defined(__CUDA_ARCH__)
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x, r, 1.);
    return fma(r, fma(e, e, e), r);
#else
    return bg_real(1.) / x;
#endif
}

BG_FN real bg_inverse_sqrt(real x)
{
#if defined(__CUDA_ARCH__)
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x, r * r, 1.);
    return fma(e * r, fma(0.375, e, 0.5), r);
#else
    return bg_real(1.) / bg_sqrt(x);
#endif
}

/* Sine and cosine of u turns, 0 <= u <= 1, to the last digit or two: the nearest quarter turn, and polynomials (by
 * Chebyshev interpolation, good to 4e-18) for the eighth on either side. */
BG_FN void bg_turn(real u, real *sine, real *cosine)
{
    static const double sines[] = {1.5707963267948966143,     -0.64596409750624431573,   0.079692626246043003134,
                                   -0.0046817541323409759917, 0.00016044115074219091052, -3.598643352982309702e-6,
                                   5.6339337815378539538e-8};
    static const double cosines[] = {1.,
                                     -1.2337005501361698118,
                                     0.2536695079010467091,
                                     -0.020863480763311209103,
                                     0.00091926027418315572082,
                                     -0.000025202036770460258445,
                                     4.7106097267578230119e-7,
                                     -6.3212568696285884105e-9};
    const real quarters = bg_real(4.) * u;
#if defined(__CUDA_ARCH__)
    const double shifted = quarters + 6755399441055744.; /* 1.5 2^52: the last bits are the nearest integer */
    const int nearest = __double2loint(shifted);
    const double r = quarters - (shifted - 6755399441055744.);
#else
    const mask one = u >= bg_real(0.125), two = u >= bg_real(0.375), three = u >= bg_real(0.625),
               four = u >= bg_real(0.875);
    const real r =
        quarters -
        bg_select(four, bg_real(4.),
                  bg_select(three, bg_real(3.), bg_select(two, bg_real(2.), bg_select(one, bg_real(1.), bg_real(0.)))));
#endif
    const real x = r * r;
    real s = bg_real(sines[6]), c = bg_real(cosines[7]);
    BG_UNROLL
    for (int k = 6; k-- > 0;) s = s * x + bg_real(sines[k]);
    BG_UNROLL
    for (int k = 7; k-- > 0;) c = c * x + bg_real(cosines[k]);
    s = s * r;
#if defined(__CUDA_ARCH__)
    const double first = nearest & 1 ? c : s, second = nearest & 1 ? s : c;
    *sine = nearest & 2 ? -first : first;
    *cosine = (nearest + 1) & 2 ? -second : second;
#else
    *sine = bg_select(four, s, bg_select(three, -c, bg_select(two, -s, bg_select(one, c, s))));
    *cosine = bg_select(four, c, bg_select(three, s, bg_select(two, -c, bg_select(one, -s, c))));
#endif
}

/* Functions of the C library, lane by lane. */
#if defined(__CUDA_ARCH__)
#define BG_LANEWISE(name, function)                                                                                    \
    BG_FN real name(real x) { return function(x); }
#else
#define BG_LANEWISE(name, function)                                                                                    \
    BG_FN real name(real x)                                                                                            \
    {                                                                                                                  \
        real r;                                                                                                        \
        for (int l = 0; l < BG_LANES; l++) bg_set_lane(&r, l, function((double)bg_lane(x, l)));                        \
        return r;                                                                                                      \
    }
#endif
BG_LANEWISE(bg_exp, exp)
BG_LANEWISE(bg_log, log)
#undef BG_LANEWISE

BG_FN real bg_atan2(real y, real x)
{
#if defined(__CUDA_ARCH__)
    return atan2(y, x);
#else
    real r;
    for (int l = 0; l < BG_LANES; l++) bg_set_lane(&r, l, atan2((double)bg_lane(y, l), (double)bg_lane(x, l)));
    return r;
#endif
}

BG_FN real bg_abs(real x) { return bg_select(x < bg_real(0.), -x, x); }
BG_FN real bg_min(real a, real b) { return bg_select(a < b, a, b); }

/* Sets as bit masks: the lowest member, and how many there are. */
BG_FN int bg_lowest(uint32_t set)
{
#if defined(__CUDA_ARCH__)
    return __ffs((int)set) - 1;
#else
    return __builtin_ctz(set);
#endif
}

BG_FN int bg_members(uint32_t set)
{
#if defined(__CUDA_ARCH__)
    return __popc(set);
#else
    return __builtin_popcount(set);
#endif
}

/* A mask that serves as a set of bits in each lane: those of a lane, and where it has any of `bits`. */
BG_FN uint32_t bg_lane_bits(const mask *x, int lane)
{
#if BG_LANES == 1
    (void)lane;
    return (uint32_t)*x;
#else
    return (uint32_t)(*x)[lane];
#endif
}

BG_FN void bg_set_lane_bits(mask *x, int lane, uint32_t bits)
{
#if BG_LANES == 1
    (void)lane;
    *x = (mask)bits;
#else
    (*x)[lane] = bits;
#endif
}

BG_FN mask bg_meets(mask x, uint32_t bits) { return (x & (long long)bits) != 0; }

/* A mask that holds in every lane, and whether one holds in any. */
BG_FN mask bg_true(void) { return bg_real(0.) < bg_real(1.); }

BG_FN int bg_any(mask m)
{
#if BG_LANES == 1
    return m != 0;
#else
    long long any = 0;
    for (int l = 0; l < BG_LANES; l++) any |= m[l];
    return any != 0;
#endif
}

#endif
