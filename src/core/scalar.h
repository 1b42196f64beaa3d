/* The number type of the physics headers.
 *
 * Each station's arithmetic is written once, against `real`, and compiled
 *   - as C with `real` a SIMD vector of doubles, one event a lane (BG_LANES of them),
 *   - as C with `real` a 128-bit float (BG_QUAD), the accuracy yardstick,
 *   - as CUDA with `real` a double, one event a thread,
 *   - as C++ with `real` a number that counts the operations on it (BG_COUNTED, tests/counted.h).
 * Multiplicities and the like are parameters of always-inlined functions: each instance calls
 * them with literal constants. Data-dependent branches are selects.
 */
#ifndef BG_CORE_SCALAR_H
#define BG_CORE_SCALAR_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define BG_FN static __host__ __device__ __forceinline__
#else
#define BG_FN static inline __attribute__((always_inline, unused))
#endif

/* Before a loop with constant bounds that an instance for a GPU wants laid out straight, so that what it
 * indexes stays in registers (BG_STRAIGHT, chosen by size). */
#if defined(__CUDA_ARCH__) && defined(BG_STRAIGHT)
#define BG_UNROLL _Pragma("unroll")
#define BG_LOOP _Pragma("unroll 1") /* ... and one that is to stay a loop */
#else
#define BG_UNROLL
#define BG_LOOP
#endif

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
typedef double real __attribute__((vector_size(8 * BG_LANES)));
typedef long long mask __attribute__((vector_size(8 * BG_LANES)));

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

BG_FN void bg_sincos(real x, real *sine, real *cosine)
{
#if defined(__CUDA_ARCH__)
    sincospi(x * 0.31830988618379067154, sine, cosine); /* angles are a turn or two: no use for sincos()'s reduction */
#else
    *sine = *cosine = x; /* all lanes are overwritten; compilers do not always see it */
    for (int l = 0; l < BG_LANES; l++) {
        bg_set_lane(sine, l, sin((double)bg_lane(x, l)));
        bg_set_lane(cosine, l, cos((double)bg_lane(x, l)));
    }
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
