/* Peak rates by measurement, not from data sheets: clocks, thermal limits and virtual machines do not follow them.
 *
 * Multiply-adds: independent chains in registers, enough of them to hide the latency of every port. The loop is
 * compiled for each instruction set (function attribute `target`) and run with the one that the kernels use, so
 * that a kernel's rate is compared with what its own instructions could do at best.
 */
#include "backend/cpu/roofline.h"
#include "base/status.h"
#include "base/system.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- multiply-adds --------------------------------------------------------------------------------------- */

enum { CHAINS = 12 }; /* latency 4 or 5 cycles on two ports, and as many as fit in 16 registers */

/* `rounds` times CHAINS vector multiply-adds; the result only keeps the compiler from leaving them out. */
typedef double multiply_add_loop(uint64_t rounds, double x);

#define MULTIPLY_ADD_LOOP(name, lanes, attribute)                                                                      \
    attribute static double name(uint64_t rounds, double x)                                                            \
    {                                                                                                                  \
        typedef double vector __attribute__((vector_size(8 * (lanes))));                                               \
        const vector zero = {0.}, f = zero + x, g = zero + (1. - x);                                                   \
        vector a = zero, b = a + 1., c = b + 1., d = c + 1., e = d + 1., h = e + 1., i = h + 1., k = i + 1.,           \
               l = k + 1., m = l + 1., n = m + 1., o = n + 1.;                                                         \
        for (uint64_t r = 0; r < rounds; r++) {                                                                        \
            a = a * f + g, b = b * f + g, c = c * f + g, d = d * f + g, e = e * f + g, h = h * f + g;                  \
            i = i * f + g, k = k * f + g, l = l * f + g, m = m * f + g, n = n * f + g, o = o * f + g;                  \
        }                                                                                                              \
        const vector sum = a + b + c + d + e + h + i + k + l + m + n + o;                                              \
        double total = 0.;                                                                                             \
        for (int lane = 0; lane < (lanes); lane++) total += sum[lane];                                                 \
        return total;                                                                                                  \
    }

MULTIPLY_ADD_LOOP(loop_baseline, 2, )
#ifdef __x86_64__
MULTIPLY_ADD_LOOP(loop_avx2, 4, __attribute__((target("avx2,fma"))))
MULTIPLY_ADD_LOOP(loop_avx512, 8, __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))))
#endif

static multiply_add_loop *choose_loop(const char *isa, int *lanes)
{
#ifdef __x86_64__
    if (!strcmp(isa, "avx512")) return *lanes = 8, loop_avx512;
    if (!strcmp(isa, "avx2")) return *lanes = 4, loop_avx2;
#else
    (void)isa;
#endif
    return *lanes = 2, loop_baseline;
}

static volatile double sink;

/* Seconds of `rounds` on each of `threads` threads at once. */
static double time_loop(multiply_add_loop *loop, uint64_t rounds, int threads)
{
    double total = 0.;
    const double start = bg_seconds();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(+ : total)
#endif
    for (int k = 0; k < threads; k++) total += loop(rounds, 0.999);
    const double seconds = bg_seconds() - start;
    sink = total;
    return seconds;
}

/* Rounds that keep one thread busy for so long. Several threads get as many each: on a busy machine the time until all
 * of them have started says nothing. */
static uint64_t enough_rounds(multiply_add_loop *loop, double seconds)
{
    uint64_t rounds = 100000;
    while (time_loop(loop, rounds, 1) < seconds) rounds *= 2;
    return rounds;
}

/* Best of five: whatever else runs on the machine only takes away. */
static double measure_gflops(multiply_add_loop *loop, int lanes, uint64_t rounds, int threads)
{
    double best = 1e300;
    for (int k = 0; k < 5; k++) {
        const double one = time_loop(loop, rounds, threads);
        if (one < best) best = one;
    }
    return 1e-9 * 2. * lanes * CHAINS * (double)rounds * threads / best;
}

/* ---- bandwidth --------------------------------------------------------------------------------------------- */

static double time_triad(double *a, const double *b, const double *c, size_t length, int threads)
{
    const double start = bg_seconds();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#else
    (void)threads;
#endif
    for (size_t k = 0; k < length; k++) a[k] = b[k] + 3. * c[k];
    const double seconds = bg_seconds() - start;
    sink = a[length / 2];
    return seconds;
}

static double measure_gigabytes(double *arrays, size_t length, int threads, double seconds)
{
    double best = 1e300, spent = 0.;
    for (int k = 0; k < 2 || (spent < seconds && k < 1000); k++) {
        const double one = time_triad(arrays, arrays + length, arrays + 2 * length, length, threads);
        if (one < best) best = one;
        spent += one;
    }
    return 1e-9 * 24. * (double)length / best;
}

/* The last-level cache, or a guess where the system does not say. */
static size_t cache_bytes(void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size > 0) return (size_t)size;
#endif
    return (size_t)32 << 20;
}

/* Four times the last-level cache in all, no more than a quarter of the memory. */
static size_t array_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const size_t most = pages > 0 && page > 0 ? (size_t)pages * (size_t)page / 4 : (size_t)-1;
    const size_t bytes = 4 * cache_bytes();
    return bytes < most ? bytes : most;
}

bg_status bg_cpu_measure_roofline(const char *isa, double seconds, bg_interrupt *interrupt, bg_roofline *r,
                                  bg_error *error)
{
    int lanes;
    multiply_add_loop *loop = choose_loop(isa, &lanes);
    const uint64_t rounds = enough_rounds(loop, seconds / 24.);
    memset(r, 0, sizeof *r);
    r->threads = bg_cores();
    r->gflops[0] = measure_gflops(loop, lanes, rounds, 1);
    r->gflops[1] = measure_gflops(loop, lanes, rounds, r->threads);
    if (r->gflops[1] < r->gflops[0]) r->gflops[1] = r->gflops[0]; /* the other cores were busy */
    if (seconds < BG_ROOFLINE_MEMORY_SECONDS || bg_interrupted(interrupt)) return bg_succeed(error);

    const size_t length = array_bytes() / 3 / sizeof(double);
    double *arrays = malloc(3 * length * sizeof *arrays);
    if (!arrays)
        return bg_fail(error, BG_ERROR_MEMORY, "no memory to measure the bandwidth (%.3g MB)",
                       1e-6 * (double)(3 * length * sizeof *arrays));
        /* each thread touches first what it will use, so that the pages lie close to it */
#ifdef _OPENMP
#pragma omp parallel for num_threads(r->threads) schedule(static)
#endif
    for (size_t k = 0; k < length; k++) arrays[k] = 0., arrays[length + k] = 1., arrays[2 * length + k] = 2.;
    if (!bg_interrupted(interrupt)) r->gigabytes[0] = measure_gigabytes(arrays, length, 1, seconds / 4.);
    if (!bg_interrupted(interrupt)) r->gigabytes[1] = measure_gigabytes(arrays, length, r->threads, seconds / 4.);
    if (r->gigabytes[1] < r->gigabytes[0]) r->gigabytes[1] = r->gigabytes[0];
    free(arrays);
    return bg_succeed(error);
}
