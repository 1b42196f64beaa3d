/* Peak rates by measurement, not from data sheets: clocks, thermal limits and virtual machines do not follow them.
 *
 * Multiply-adds: independent chains in registers, enough of them to hide the latency of every port. The loop is
 * compiled for each instruction set (function attribute `target`) and run with the one that the CPU backend chose, so
 * that a kernel's rate is compared with what its own instructions could do at best.
 */
#include "cli/machine.h"
#include "blockgen/blockgen.h"
#include "cli/console.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* ---- what it is ---------------------------------------------------------------------------------------- */

static int usable_cores(void)
{
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}

/* The first line of /proc/cpuinfo that names the processor. */
static void name_cpu(char *name, size_t size)
{
    static const char *const keys[] = {"model name", "Model", "cpu model"};
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        for (int k = 0; colon && k < 3; k++)
            if (!strncmp(line, keys[k], strlen(keys[k]))) {
                const char *value = colon + 1 + strspn(colon + 1, " \t");
                snprintf(name, size, "%.*s", (int)strcspn(value, "\n"), value);
                fclose(f);
                return;
            }
    }
    if (f) fclose(f);
}

void machine_describe(machine *m)
{
    struct utsname u;
    char description[128];
    memset(m, 0, sizeof *m);
    name_cpu(m->cpu, sizeof m->cpu);
    if (bg_backend_probe("cpu", description, sizeof description, NULL) == BG_OK)
        snprintf(m->simd, sizeof m->simd, "%.*s", (int)strcspn(description, ","), description);
    if (!uname(&u)) snprintf(m->system, sizeof m->system, "%.40s %.60s %.40s", u.sysname, u.release, u.machine);
    m->compiler = COMPILER;
    m->cores = usable_cores();
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) m->bytes = (size_t)pages * (size_t)page;
}

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

static multiply_add_loop *choose_loop(const char *simd, int *lanes)
{
#ifdef __x86_64__
    if (!strcmp(simd, "AVX-512")) return *lanes = 8, loop_avx512;
    if (!strcmp(simd, "AVX2+FMA")) return *lanes = 4, loop_avx2;
#else
    (void)simd;
#endif
    return *lanes = 2, loop_baseline;
}

static volatile double sink;

/* Seconds of `rounds` on each of `threads` threads at once. */
static double time_loop(multiply_add_loop *loop, uint64_t rounds, int threads)
{
    double total = 0.;
    const double start = cli_seconds();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(+ : total)
#endif
    for (int k = 0; k < threads; k++) total += loop(rounds, 0.999);
    const double seconds = cli_seconds() - start;
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
    const double start = cli_seconds();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#else
    (void)threads;
#endif
    for (size_t k = 0; k < length; k++) a[k] = b[k] + 3. * c[k];
    const double seconds = cli_seconds() - start;
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

int machine_measure(machine *m, double seconds)
{
    int lanes;
    multiply_add_loop *loop = choose_loop(m->simd, &lanes);
    const uint64_t rounds = enough_rounds(loop, seconds / 24.);
    m->gflops[0] = measure_gflops(loop, lanes, rounds, 1);
    m->gflops[1] = measure_gflops(loop, lanes, rounds, m->cores);
    if (m->gflops[1] < m->gflops[0]) m->gflops[1] = m->gflops[0]; /* the other cores were busy */

    /* four times the cache in all, no more than a quarter of the memory */
    size_t bytes = 4 * cache_bytes();
    if (m->bytes && bytes > m->bytes / 4) bytes = m->bytes / 4;
    const size_t length = bytes / 3 / sizeof(double);
    double *arrays = malloc(3 * length * sizeof *arrays);
    if (!arrays) return -1;
        /* each thread touches first what it will use, so that the pages lie close to it */
#ifdef _OPENMP
#pragma omp parallel for num_threads(m->cores) schedule(static)
#endif
    for (size_t k = 0; k < length; k++) arrays[k] = 0., arrays[length + k] = 1., arrays[2 * length + k] = 2.;
    m->gigabytes[0] = measure_gigabytes(arrays, length, 1, seconds / 4.);
    m->gigabytes[1] = measure_gigabytes(arrays, length, m->cores, seconds / 4.);
    if (m->gigabytes[1] < m->gigabytes[0]) m->gigabytes[1] = m->gigabytes[0];
    free(arrays);
    return 0;
}

/* ---- as JSON ------------------------------------------------------------------------------------------------ */

static void measured(json *j, const char *key, double x)
{
    if (x > 0.)
        json_real(j, key, x);
    else
        json_null(j, key);
}

void machine_json(const machine *m, json *j, const char *key)
{
    json_open(j, key, '{');
    json_text(j, "cpu", m->cpu);
    json_text(j, "simd", m->simd);
    json_integer(j, "cores", m->cores);
    json_unsigned(j, "memory_bytes", m->bytes);
    json_text(j, "system", m->system);
    json_text(j, "compiler", m->compiler);
    json_open(j, "backends", '[');
    for (int k = 0; bg_backend_name(k); k++) {
        char description[128];
        if (bg_backend_probe(bg_backend_name(k), description, sizeof description, NULL) != BG_OK) continue;
        json_open(j, NULL, '{');
        json_text(j, "name", bg_backend_name(k));
        json_text(j, "description", description);
        json_close(j);
    }
    json_close(j);
    measured(j, "fp64_gflops_one_thread", m->gflops[0]);
    measured(j, "fp64_gflops_all_threads", m->gflops[1]);
    measured(j, "bandwidth_gbs_one_thread", m->gigabytes[0]);
    measured(j, "bandwidth_gbs_all_threads", m->gigabytes[1]);
    json_close(j);
}
