/* Is the GPU right, and how fast is it? For a machine with a device and nothing but CMake and a compiler.
 *
 *     gpu_check check [MOST [NAME]]    every algorithm on the CPU and on the GPU: same points, same draws (n_out up to MOST)
 *     gpu_check agree [MOST [POINTS]]  the fast kernels against the paper's, both on the GPU, in every mode that they share
 *     gpu_check integrate [MOST [NAME]] cross sections on both at equal seed and points, and the time of a whole event
 *     gpu_check time [MOST [NAME]]     ns an event, momenta on the device, and the dense color sum by itself
 */
#include "backend/cuda/instance.h"
#include "blockgen/blockgen.h"
#include "core/evaluator.h"
#include "integrate/adapt.h"
#include "integrate/histograms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SQRTS 14000.

/* ---- points ------------------------------------------------------------------------------------------- */

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.;
}

static double product(const double *a, const double *b)
{
    return a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
}

/* Massless momenta in their rest frame, at the energy SQRTS. */
static void to_rest_frame(int n_out, double *out)
{
    double sum[4] = {0.};
    for (int k = 0; k < 4 * n_out; k++) sum[k % 4] += out[k];
    const double mass = sqrt(product(sum, sum)), gamma = sum[0] / mass, a = 1. / (1. + gamma);
    for (int k = 0; k < n_out; k++) {
        double *q = out + 4 * k, b = 0.;
        for (int m = 1; m < 4; m++) b -= sum[m] / mass * q[m];
        const double f = q[0] + a * b;
        for (int m = 1; m < 4; m++) q[m] = SQRTS / mass * (q[m] - sum[m] / mass * f);
        q[0] = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
}

/* A flat point (RAMBO). */
static void flat_point(int n_out, double *momenta)
{
    double *out = momenta + 8;
    for (int k = 0; k < n_out; k++) {
        const double c = 2. * uniform() - 1., s = sqrt(1. - c * c), phi = 6.283185307179586 * uniform();
        const double energy = -log(uniform() * uniform());
        const double q[4] = {energy, energy * s * cos(phi), energy * s * sin(phi), energy * c};
        memcpy(out + 4 * k, q, sizeof q);
    }
    to_rest_frame(n_out, out);
    to_rest_frame(n_out, out); /* the digits that a large boost has lost */
    const double in[8] = {SQRTS / 2, 0., 0., SQRTS / 2, SQRTS / 2, 0., 0., -SQRTS / 2};
    memcpy(momenta, in, sizeof in);
}

/* Away from the singular regions, where rounding is amplified. */
static void good_point(int n_out, double *momenta)
{
    const int n = n_out + 2;
    double smallest;
    do {
        smallest = 1.;
        flat_point(n_out, momenta);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                smallest = fmin(smallest, 2. * product(momenta + 4 * i, momenta + 4 * j) / (SQRTS * SQRTS));
    } while (smallest * n * n * n < 0.1);
}

static double *many_points(int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2);
    double *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) exit(1);
    for (size_t k = 0; k < count; k++) good_point(n_out, momenta + k * numbers);
    return momenta;
}

/* ---- modes ----------------------------------------------------------------------------------------------- */

typedef struct mode {
    const char *name;
    bg_algorithm algorithm;
    bg_helicity helicity;
    int sampling, tensor, trace, one, discrete, samples;
    int checked, timed; /* largest n_out */
    double cost;        /* of an event at n_out = 4 on the CPU, roughly, in units of its co-sum with one helicity */
} mode;

#define SUMMED BG_HELICITY_SUMMED
#define SAMPLED BG_HELICITY_SAMPLED
#define FIXED BG_HELICITY_FIXED

static const mode modes[] = {
    {"co-sum angle", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 8, 8, 1},
    {"co-sum angle tensor", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, 1, 0, 0, 0, 1, 8, 7, 1},
    {"co-sum phase, 3 draws", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_PHASE, 0, 0, 0, 0, 3, 5, 0, 3},
    {"co-sum linear", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_LINEAR, 0, 0, 0, 0, 1, 5, 0, 1},
    {"co-sum circular", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 7, 6, 6},
    {"co-sum circular tensor", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 1, 0, 0, 0, 1, 6, 0, 6},
    {"co-sum fixed", BG_ALGORITHM_CO_SUM, FIXED, 0, 0, 0, 0, 0, 1, 6, 0, 6},
    {"co-sum summed", BG_ALGORITHM_CO_SUM, SUMMED, 0, 0, 0, 0, 0, 1, 5, 5, 64},
    {"co-sum summed tensor", BG_ALGORITHM_CO_SUM, SUMMED, 0, 1, 0, 0, 0, 1, 4, 0, 64},
    {"co-sum summed trace", BG_ALGORITHM_CO_SUM, SUMMED, 0, 0, 1, 0, 0, 1, 4, 0, 320},
    {"co-sum circular trace", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 1, 0, 0, 1, 4, 0, 30},
    {"lc angle", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 6, 6, 30},
    {"lc angle tensor", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 1, 0, 0, 0, 1, 6, 0, 30},
    {"lc circular", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 5, 0, 180},
    {"lc summed", BG_ALGORITHM_LC, SUMMED, 0, 0, 0, 0, 0, 1, 4, 4, 320},
    {"lc one ordering, 4 draws", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 1, 0, 4, 8, 0, .2},
    {"lc one ordering", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 1, 0, 1, 0, 8, .1},
    {"tess angle", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 6, 6, 60},
    {"tess circular", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 5, 0, 400},
    {"tess summed", BG_ALGORITHM_TESS, SUMMED, 0, 0, 0, 0, 0, 1, 4, 0, 640},
    {"tess one ordering", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 1, 0, 1, 8, 8, .3},
    {"co-mc angle", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 8, 8, .5},
    {"co-mc circular tensor", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_CIRCULAR, 1, 0, 0, 0, 1, 6, 0, 3},
    {"co-mc summed, 2 draws", BG_ALGORITHM_CO_MC, SUMMED, 0, 0, 0, 0, 0, 2, 5, 4, 60},
    {"cd-mc angle", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 9, 7, 1},
    {"cd-mc circular", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 8, 0, 4},
    {"cd-mc discrete", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 1, 1, 8, 0, 1},
    {"cd-mc summed", BG_ALGORITHM_CD_MC, SUMMED, 0, 0, 0, 0, 0, 1, 4, 0, 64},
    {"fast angle", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 10, 10, 1},
    {"fast phase, 3 draws", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_PHASE, 0, 0, 0, 0, 3, 7, 0, 3},
    {"fast circular", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 10, 10, 2},
    {"fast fixed", BG_ALGORITHM_CO_SUM, FIXED, 0, 0, 0, 0, 0, 1, 6, 0, 2},
    {"fast summed", BG_ALGORITHM_CO_SUM, SUMMED, 0, 0, 0, 0, 0, 1, 7, 7, 16},
    {"fast coherent angle", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 12, 12, 1},
    {"fast coherent circular", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 9, 12, 2},
    {"fast coherent angle, 3 draws", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 3, 6, 0, 3},
    {"fast coherent summed", BG_ALGORITHM_CD_MC, SUMMED, 0, 0, 0, 0, 0, 1, 5, 5, 64},
};
enum { MODES = sizeof modes / sizeof *modes };

/* The others are the paper's. */
static int is_fast(const mode *m) { return !strncmp(m->name, "fast", 4); }

static bg_status create(bg_evaluator **evaluator, const mode *m, int n_out, const char *backend, bg_error *error)
{
    bg_options o;
    bg_process *process = NULL;
    bg_options_init(&o);
    bg_status status = bg_options_set_algorithm(&o, m->algorithm, error);
    o.kernel = is_fast(m) ? BG_KERNEL_FAST : BG_KERNEL_PAPER;
    o.helicity = m->helicity;
    o.helicity_sampling = (bg_helicity_sampling)m->sampling;
    o.vertex = m->tensor ? BG_VERTEX_TENSOR : BG_VERTEX_QUARTIC;
    o.decomposition = m->trace ? BG_DECOMPOSITION_TRACE : BG_DECOMPOSITION_ADJOINT;
    o.orderings = m->one ? BG_ORDERINGS_ONE : BG_ORDERINGS_ALL;
    o.color_sampling = m->discrete ? BG_SAMPLE_DISCRETE : BG_SAMPLE_AUTOMATIC;
    o.samples = m->samples;
    o.seed = 20261115;
    snprintf(o.backend, sizeof o.backend, "%s", backend);
    if (m->helicity == BG_HELICITY_FIXED) snprintf(o.helicities, (size_t)n_out + 3, "+-+-+-+-+-+-+-");
    if (status == BG_OK) status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_evaluator_create(evaluator, process, &o, error);
    bg_process_destroy(process);
    return status;
}

/* ---- check -------------------------------------------------------------------------------------------------- */

/* Events that the CPU does in a fraction of a second. */
static size_t check_count(const mode *m, int n_out)
{
    static const double growth[13] = {0, 0, .02, .1, 1, 12, 150, 3000, 60000, 100, 500, 2500, 12000};
    static const double dressed[13] = {0, 0, .3, .6, 1, 4, 12, 36, 110, 330, 1000, 3000, 9000};
    static const double single[13] = {0, 0, .3, .6, 1, 2, 4, 8, 16};
    static const double fast[13] = {0, 0, .3, .5, 1, 4, 28, 290, 5500, 120000, 3e6};
    const double *g = is_fast(m) && m->algorithm == BG_ALGORITHM_CO_SUM ? fast
                      : m->algorithm == BG_ALGORITHM_CD_MC           ? dressed
                      : m->one || m->algorithm == BG_ALGORITHM_CO_MC ? single
                                                                     : growth;
    const double events = 20000. / (g[n_out] * m->cost * (m->helicity == SUMMED ? pow(2., n_out - 4) : 1.));
    return events > 700. ? 700 : events < 3. ? 3 : (size_t)events;
}

static int check_mode(const mode *m, int n_out)
{
    bg_error error;
    bg_evaluator *cpu = NULL, *gpu = NULL;
    const size_t count = check_count(m, n_out), numbers = 4 * ((size_t)n_out + 2), half = count / 2;
    double *momenta = many_points(n_out, count), *value = malloc(5 * count * sizeof *value);
    double *a = value, *b = value + count, *ea = value + 2 * count, *eb = value + 3 * count, *c = value + 4 * count;
    const uint64_t first = 12345678901u;
    bg_status status = create(&cpu, m, n_out, "cpu", &error);
    if (status == BG_OK) status = bg_evaluator_evaluate(cpu, first, count, momenta, a, ea, &error);
    if (status == BG_OK) status = create(&gpu, m, n_out, "cuda", &error);
    memset(b, 0xff, count * sizeof *b);
    if (status == BG_OK) status = bg_evaluator_evaluate(gpu, first, count, momenta, b, eb, &error);
    /* cut in two, the numbers must be the same bit by bit */
    if (status == BG_OK && half) status = bg_evaluator_evaluate(gpu, first, half, momenta, c, NULL, &error);
    if (status == BG_OK)
        status =
            bg_evaluator_evaluate(gpu, first + half, count - half, momenta + half * numbers, c + half, NULL, &error);
    /* Draws may vanish by symmetry (equal helicities, equal colors): what is left then is rounding. */
    double worst = 0., worst_error = 0., floor = 0.;
    int bits = 1;
    for (size_t k = 0; status == BG_OK && k < count; k++) floor += 1e-10 * fabs(a[k]) / (double)count;
    for (size_t k = 0; status == BG_OK && k < count; k++) {
        const double off = fabs(a[k] - b[k]) / fmax(fabs(a[k]), floor);
        if (a[k] != b[k] && !(off <= worst)) worst = off;
        const double off_error =
            ea[k] == eb[k] || (isnan(ea[k]) && isnan(eb[k])) ? 0. : fabs(ea[k] - eb[k]) / fmax(a[k], floor);
        if (!(off_error <= worst_error)) worst_error = off_error;
        bits &= !memcmp(&b[k], &c[k], sizeof *b);
    }
    const int exact =
        m->helicity != SAMPLED && m->algorithm != BG_ALGORITHM_CO_MC && m->algorithm != BG_ALGORITHM_CD_MC;
    /* one draw, or one helicity, may be a small difference of large terms */
    const double limit = exact && m->helicity != BG_HELICITY_FIXED ? 1e-12 : 1e-9;
    const int good = status == BG_OK && worst <= limit && worst_error <= limit && bits;
    if (status != BG_OK)
        printf("%-26s %2d %6zu  FAILED: %s\n", m->name, n_out, count, error.message);
    else
        printf("%-26s %2d %6zu  %8.1e %8.1e  %s%s\n", m->name, n_out, count, worst, worst_error, good ? "ok" : "WRONG",
               bits ? "" : " (depends on the batch)");
    fflush(stdout);
    bg_evaluator_destroy(cpu);
    bg_evaluator_destroy(gpu);
    free(momenta);
    free(value);
    return good;
}

/* Unstable points are evaluated again by the host, so that both backends give the same bits. */
static int check_rescue(void)
{
    enum { POINTS = 64, NUMBERS = 20 };
    double momenta[POINTS * NUMBERS], value[2][POINTS];
    bg_stability found[2] = {{0, 0, 0}, {0, 0, 0}};
    bg_error error;
    bg_status status = BG_OK;
    for (int k = 0; k < POINTS; k++) {
        double *p = momenta + k * NUMBERS, sum[4] = {0.};
        const double theta = 0.5 + 2. * uniform(), phi = 6.283185307179586 * uniform(), angle = pow(10., -6. - 3. * uniform());
        for (int g = 0; g < 2; g++) { /* two almost collinear gluons, and one against them */
            const double energy = 500. * (1. + uniform()), t = theta + g * angle;
            const double q[4] = {energy, energy * sin(t) * cos(phi), energy * sin(t) * sin(phi), energy * cos(t)};
            for (int m = 0; m < 4; m++) sum[m] += p[8 + 4 * g + m] = q[m];
        }
        p[16] = sqrt(sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]);
        for (int m = 1; m < 4; m++) p[16 + m] = -sum[m];
        const double beam = 0.5 * (sum[0] + p[16]), in[8] = {beam, 0., 0., beam, beam, 0., 0., -beam};
        memcpy(p, in, sizeof in);
    }
    for (int b = 0; b < 2 && status == BG_OK; b++) {
        const mode m = {"co-sum summed", BG_ALGORITHM_CO_SUM, SUMMED, 0, 0, 0, 0, 0, 1, 3, 0, 64};
        bg_evaluator *evaluator = NULL;
        status = create(&evaluator, &m, 3, b ? "cuda" : "cpu", &error);
        if (status == BG_OK) status = bg_evaluator_evaluate(evaluator, 0, POINTS, momenta, value[b], NULL, &error);
        if (status == BG_OK) found[b] = bg_evaluator_stability(evaluator);
        bg_evaluator_destroy(evaluator);
    }
    const int good = status == BG_OK && found[0].rescued == POINTS && found[1].rescued == POINTS &&
                     !memcmp(value[0], value[1], sizeof value[0]);
    printf("%-26s %2d %6d  %s%s\n", "rescue of unstable points", 3, POINTS, good ? "ok" : "WRONG ",
           status == BG_OK ? "" : error.message);
    return good;
}

/* Whether a mode is asked for: by the beginning of its name. */
static int wanted(const mode *m, const char *which) { return !which || !strncmp(m->name, which, strlen(which)); }

static int check(int most, const char *which)
{
    int rows = 0, good = 0;
    printf("algorithm               n_out events  deviation of value, error\n");
    for (int k = 0; k < MODES; k++)
        for (int n_out = 2; n_out <= modes[k].checked && n_out <= most && wanted(&modes[k], which); n_out++) {
            good += check_mode(&modes[k], n_out);
            rows++;
        }
    if (!which) {
        good += check_rescue();
        rows++;
    }
    printf("%d of %d rows passed\n", good, rows);
    return good == rows ? 0 : 1;
}

/* ---- agree ---------------------------------------------------------------------------------------------------- */

/* Inside the paper's cuts. */
static int inside(int n_out, const double *momenta)
{
    double eta[12], phi[12];
    for (int k = 0; k < n_out; k++) {
        const double *q = momenta + 8 + 4 * k, pt = hypot(q[1], q[2]);
        if (pt < 20.) return 0;
        eta[k] = asinh(q[3] / pt);
        phi[k] = atan2(q[2], q[1]);
        if (fabs(eta[k]) > 2.5) return 0;
        for (int j = 0; j < k; j++)
            if (hypot(eta[k] - eta[j], remainder(phi[k] - phi[j], 6.283185307179586)) < 0.4) return 0;
    }
    return 1;
}

/* Angles below 4e-4, one flat point in a million: there the rounding of the momenta alone is seen in the eleventh digit. */
static int nearly_parallel(int n_out, const double *momenta)
{
    for (int i = 0; i < n_out + 2; i++)
        for (int j = 0; j < i; j++)
            if (product(momenta + 4 * i, momenta + 4 * j) < 1e-7 * momenta[4 * i] * momenta[4 * j]) return 1;
    return 0;
}

/* Flat points without cuts, and in every second place inside the cuts. */
static double *mixed_points(int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2);
    double *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) exit(1);
    for (size_t k = 0; k < count; k++) {
        double *p = momenta + k * numbers;
        do flat_point(n_out, p);
        while (k % 2 ? !inside(n_out, p) : nearly_parallel(n_out, p));
    }
    return momenta;
}

static int increasing(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* |M|^2 of the fast or the paper's kernel alone, nothing evaluated again. */
static bg_status evaluate_kernel(const bg_options *options, bg_kernel kernel, int n_out, size_t count, const double *momenta,
                                 double *value, bg_error *error)
{
    bg_options o = *options;
    bg_process *process = NULL;
    bg_evaluator *evaluator = NULL;
    o.kernel = kernel;
    o.rescue = 0;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_evaluator_create(&evaluator, process, &o, error);
    if (status == BG_OK) status = bg_evaluator_evaluate(evaluator, 0, count, momenta, value, NULL, error);
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    return status;
}

static int print_agreement(const char *name, int n_out, const char *where, double *deviation, size_t count)
{
    size_t above = 0;
    for (size_t k = 0; k < count; k++) above += !(deviation[k] <= 1e-11);
    qsort(deviation, count, sizeof *deviation, increasing);
    printf("%-10s %2d  %-10s %6zu  %8.1e %8.1e %8.1e  %zu%s\n", name, n_out, where, count, deviation[count / 2],
           deviation[(size_t)(0.999 * (double)count)], deviation[count - 1], above, above ? "  WRONG" : "");
    return !above;
}

/* Relative to |M|^2 where helicities are summed. A single configuration may nearly vanish and then has few digits: it is
 * held against the sum over helicities where that is larger. */
static int compare_kernels(const char *name, const bg_options *o, int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2), half = count / 2;
    double *momenta = mixed_points(n_out, count), *value = malloc(4 * count * sizeof *value);
    double *fast = value, *paper = value + count, *deviation = value + 2 * count, *sum = value + 3 * count;
    size_t *which = malloc(count * sizeof *which), small = 0;
    bg_error error;
    if (!value || !which) exit(1);
    bg_status status = evaluate_kernel(o, BG_KERNEL_FAST, n_out, count, momenta, fast, &error);
    if (status == BG_OK) status = evaluate_kernel(o, BG_KERNEL_PAPER, n_out, count, momenta, paper, &error);
    for (size_t k = 0; k < count && status == BG_OK; k++)
        if (!(fabs(fast[k] - paper[k]) <= 1e-11 * paper[k]) && o->helicity != SUMMED) { /* gathered at the front */
            memmove(momenta + small * numbers, momenta + k * numbers, numbers * sizeof *momenta);
            which[small++] = k;
        }
    if (small && status == BG_OK) {
        bg_options all = *o;
        all.helicity = SUMMED;
        status = evaluate_kernel(&all, BG_KERNEL_FAST, n_out, small, momenta, sum, &error);
    }
    for (size_t k = 0, next = 0; k < count && status == BG_OK; k++) {
        const double scale = next < small && which[next] == k ? fmax(paper[k], sum[next++]) : paper[k];
        deviation[k % 2 * half + k / 2] = fabs(fast[k] - paper[k]) / scale;
    }
    int good = 0;
    if (status != BG_OK) {
        printf("%-10s %2d  FAILED: %s\n", name, n_out, error.message);
    } else {
        good = print_agreement(name, n_out, "flat", deviation, half);
        good &= print_agreement(name, n_out, "in cuts", deviation + half, half);
    }
    fflush(stdout);
    free(momenta);
    free(value);
    free(which);
    return good;
}

static int agree(int most, size_t points)
{
    static const struct {
        const char *name;
        bg_helicity helicity;
        bg_helicity_sampling sampling;
    } shared[] = {
        {"summed", SUMMED, BG_SAMPLE_ANGLE},      {"angle", SAMPLED, BG_SAMPLE_ANGLE},
        {"phase", SAMPLED, BG_SAMPLE_PHASE},      {"linear", SAMPLED, BG_SAMPLE_LINEAR},
        {"circular", SAMPLED, BG_SAMPLE_CIRCULAR}, {"fixed", FIXED, BG_SAMPLE_ANGLE},
    };
    int rows = 0, good = 0;
    printf("helicities n_out points          count  median    99.9 %%    worst   above 1e-11\n");
    for (int n_out = 2; n_out <= most && n_out <= BG_MAX_OUT_ORDERED; n_out++)
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
            bg_options o;
            bg_options_init(&o);
            o.helicity = shared[k].helicity;
            o.helicity_sampling = shared[k].sampling;
            o.seed = 20261115;
            snprintf(o.backend, sizeof o.backend, "cuda");
            if (o.helicity == FIXED) snprintf(o.helicities, sizeof o.helicities, "%.*s", n_out + 2, "+-+-+-+-+-+-+-");
            /* full sums of the paper's kernel take 6 ms at n_out = 7, 0.3 s at 8 */
            const size_t usual = o.helicity == SUMMED ? (n_out < 7 ? 10000 : n_out < 8 ? 4000 : 128) : n_out < 8 ? 10000 : 4000;
            const size_t count = points && points < usual ? points : usual;
            good += compare_kernels(shared[k].name, &o, n_out, count / 2 * 2);
            rows++;
        }
    printf("%d of %d modes agree\n", good, rows);
    return good == rows ? 0 : 1;
}

/* ---- time --------------------------------------------------------------------------------------------------- */

static void must(cudaError_t code, const char *what)
{
    if (code == cudaSuccess) return;
    printf("%s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

typedef struct stopwatch {
    cudaEvent_t start, stop;
} stopwatch;

static stopwatch stopwatch_create(void)
{
    stopwatch w;
    must(cudaEventCreate(&w.start), "cudaEventCreate");
    must(cudaEventCreate(&w.stop), "cudaEventCreate");
    return w;
}

static double seconds(stopwatch *w)
{
    float milliseconds = 0.f;
    must(cudaEventRecord(w->stop, 0), "cudaEventRecord");
    must(cudaEventSynchronize(w->stop), "cudaEventSynchronize");
    must(cudaEventElapsedTime(&milliseconds, w->start, w->stop), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
}

static void time_mode(const mode *m, int n_out, stopwatch *w)
{
    bg_error error;
    bg_evaluator *gpu = NULL;
    if (create(&gpu, m, n_out, "cuda", &error) != BG_OK) {
        printf("%-22s %2d  %s\n", m->name, n_out, error.message);
        return;
    }
    const bg_memory memory = bg_evaluator_memory(gpu);
    const size_t numbers = 4 * ((size_t)n_out + 2), different = 1000;
    double *momenta = many_points(n_out, different), *on_device = NULL, *me2 = NULL;
    must(cudaMalloc((void **)&on_device, memory.batch * numbers * sizeof(double)), "cudaMalloc");
    must(cudaMalloc((void **)&me2, memory.batch * sizeof(double)), "cudaMalloc");
    for (size_t done = 0; done < memory.batch; done += different)
        must(cudaMemcpy(on_device + done * numbers, momenta,
                        (memory.batch - done < different ? memory.batch - done : different) * numbers * sizeof(double),
                        cudaMemcpyHostToDevice),
             "cudaMemcpy");
    bg_status status = BG_OK;
    double elapsed = 0.;
    for (int pass = 0, repeats = 1; pass < 3 && status == BG_OK; pass++) { /* load, guess, measure */
        must(cudaEventRecord(w->start, 0), "cudaEventRecord");
        for (int r = 0; r < repeats && status == BG_OK; r++)
            status = bg_evaluator_evaluate_device(gpu, (uint64_t)r * memory.batch, memory.batch, on_device, me2, NULL,
                                                  &error);
        elapsed = seconds(w) / repeats;
        repeats = elapsed > 0.15 ? 1 : (int)(0.15 / elapsed) + 1;
        if (pass == 1 && elapsed > 1.) break;
        if (pass == 0) repeats = 1;
    }
    double *values = malloc(memory.batch * sizeof *values), sum = 0.;
    must(cudaMemcpy(values, me2, memory.batch * sizeof *values, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (size_t k = 0; k < memory.batch; k++) sum += values[k];
    if (status == BG_OK && isfinite(sum))
        printf("%-22s %2d %12.4g ns %10zu %12zu B/event %10zu B shared %6zu on chip %6zu stack\n", m->name, n_out,
               1e9 * elapsed / (double)memory.batch / m->samples, memory.batch, memory.per_event, memory.shared,
               memory.on_chip, memory.stack);
    else
        printf("%-22s %2d FAILED %s\n", m->name, n_out, status == BG_OK ? "(not finite)" : error.message);
    fflush(stdout);
    free(values);
    free(momenta);
    cudaFree(on_device);
    cudaFree(me2);
    bg_evaluator_destroy(gpu);
}

/* The color sum alone, on random amplitudes with a random symmetric matrix, checked for one column. */
static void time_color_sum(int n_out, stopwatch *w)
{
    static const size_t size_of[9] = {0, 0, 2, 6, 24, 120, 720, 5040, 40320};
    const size_t size = size_of[n_out];
    size_t columns = 200000000 / (8 * size) / CUDA_BLOCK * CUDA_BLOCK;
    if (columns > 1 << 20) columns = 1 << 20;
    const size_t tiles = (size + CUDA_FORM_ROWS - 1) / CUDA_FORM_ROWS;
    float *row = malloc(size * sizeof *row), *matrix = NULL;
    double *amplitude = malloc(size * sizeof *amplitude), *a = NULL, *tile = NULL, *sum = NULL, expected = 0., got = 0.;
    bg_error error;
    must(cudaMalloc((void **)&matrix, size * size * sizeof(float)), "cudaMalloc");
    must(cudaMalloc((void **)&a, size * columns * sizeof(double)), "cudaMalloc");
    must(cudaMalloc((void **)&tile, tiles * columns * sizeof(double)), "cudaMalloc");
    must(cudaMalloc((void **)&sum, columns * sizeof(double)), "cudaMalloc");
    /* C_st = g(s) g(t) + h(s) h(t): the form is two squares */
    double x = 0., y = 0.;
    double *big = malloc(columns * sizeof *big);
    for (size_t s = 0; s < size; s++) {
        amplitude[s] = uniform() - 0.5;
        x += (double)(s % 7) * amplitude[s];
        y += (double)(s % 5) * amplitude[s];
    }
    expected = x * x + y * y;
    for (size_t s = 0; s < size; s++) {
        for (size_t t = 0; t < size; t++) row[t] = (float)((s % 7) * (t % 7) + (s % 5) * (t % 5));
        must(cudaMemcpy(matrix + s * size, row, size * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
        for (size_t c = 0; c < columns; c++) big[c] = amplitude[s];
        must(cudaMemcpy(a + s * columns, big, columns * sizeof(double), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    double elapsed = 0.;
    bg_status status = BG_OK;
    for (int pass = 0, repeats = 1; pass < 3 && status == BG_OK; pass++) {
        must(cudaEventRecord(w->start, 0), "cudaEventRecord");
        for (int r = 0; r < repeats && status == BG_OK; r++)
            status = bg_cuda_color_sum(0, size, matrix, a, columns, tile, sum, &error);
        elapsed = seconds(w) / repeats;
        repeats = pass == 0 || elapsed > 0.1 ? 1 : (int)(0.1 / elapsed) + 1;
    }
    must(cudaMemcpy(big, sum, columns * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy");
    double worst = 0.;
    for (size_t c = 0; c < columns; c++) worst = fmax(worst, fabs(big[c] / expected - 1.));
    got = 1e9 * elapsed / (double)columns;
    printf("color sum %d: %12.4g ns an event, %6.2f TFLOP/s of the whole matrix, deviation %.1e%s\n", n_out, got,
           2e-3 * (double)size * (double)size / got, worst, status == BG_OK ? "" : error.message);
    fflush(stdout);
    cudaFree(matrix);
    cudaFree(a);
    cudaFree(tile);
    cudaFree(sum);
    free(row);
    free(amplitude);
    free(big);
}

static int time_all(int most, const char *which)
{
    stopwatch w = stopwatch_create();
    if (!which)
        for (int n_out = 2; n_out <= most && n_out <= 7; n_out++) time_color_sum(n_out, &w);
    for (int k = 0; k < MODES; k++)
        for (int n_out = 2; n_out <= modes[k].timed && n_out <= most && wanted(&modes[k], which); n_out++)
            time_mode(&modes[k], n_out, &w);
    return 0;
}

/* ---- integrate ------------------------------------------------------------------------------------------------ */

typedef struct integral {
    const char *name;
    bg_algorithm algorithm;
    bg_helicity helicity;
    bg_helicity_sampling sampling;
    bg_phase_space phase_space;
    int low, high, histograms, hybrid;
    double pt_min; /* the only cut; 0: those of the paper */
} integral;

static const integral integrals[] = {
    {"co-sum summed", BG_ALGORITHM_CO_SUM, SUMMED, 0, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 0, 0, 0.},
    {"co-sum invariants", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_INVARIANTS, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 0, 0, 0.},
    {"co-sum adaptive", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ADAPTIVE, BG_PHASE_SPACE_ADAPTIVE, 3, 5, 0, 0, 0.},
    {"co-sum circular", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 0, 0, 0.},
    {"co-sum angle, histograms", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 1, 0, 0.},
    /* two gluons have the same pT: which is jet 1 is a matter of rounding */
    {"co-sum angle, rambo", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_RAMBO, 3, 5, 1, 0, 0.},
    {"co-sum invariants, hybrid", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_INVARIANTS, BG_PHASE_SPACE_ADAPTIVE, 4, 5, 0, 1, 0.},
    {"co-sum angle, rambo, hybrid", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_RAMBO, 3, 3, 0, 1, 0.},
    {"lc angle", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 0, 0, 0.},
    {"tess angle", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 0, 0, 0.},
    {"co-mc angle", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 5, 0, 0, 0.},
    {"cd-mc angle", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 7, 1, 0, 0.}, /* coherent */
    {"cd-mc invariants, hybrid", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_INVARIANTS, BG_PHASE_SPACE_ADAPTIVE, 2, 5, 0, 1, 0.},
    {"cd-mc adaptive", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ADAPTIVE, BG_PHASE_SPACE_ADAPTIVE, 3, 4, 0, 0, 0.},
    /* loose enough for unstable points, which the host evaluates again */
    {"lc angle, loose", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 3, 4, 1, 0, 1.},
    {"co-mc circular, loose", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_CIRCULAR, BG_PHASE_SPACE_ADAPTIVE, 3, 3, 0, 0, 1.},
    {"lc angle, loose, hybrid", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 3, 3, 0, 1, 1.},
};
enum { INTEGRALS = sizeof integrals / sizeof *integrals };

static bg_options integral_options(const integral *i, const char *backend)
{
    bg_options o;
    bg_options_init(&o);
    (void)bg_options_set_algorithm(&o, i->algorithm, NULL);
    o.helicity = i->helicity;
    o.helicity_sampling = i->sampling;
    o.seed = 20261115;
    snprintf(o.backend, sizeof o.backend, "%s", backend);
    return o;
}

static bg_status integrate_on(const integral *i, int n_out, const char *backend, uint64_t points, bg_result *result,
                              struct bg_histograms **histograms, bg_error *error)
{
    bg_process *process = NULL;
    bg_integration w;
    const bg_options o = integral_options(i, backend);
    bg_integration_init(&w);
    w.phase_space = i->phase_space;
    w.precision = 0.;
    w.points = points;
    w.hybrid = i->hybrid && !strcmp(backend, "cuda");
    if (i->pt_min > 0.) {
        w.cuts.pt_min = i->pt_min;
        w.cuts.eta_max = w.cuts.dr_min = 0.;
    }
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK && i->histograms)
        status = bg_histograms_create(histograms, n_out, w.sqrts, &w.cuts, error);
    w.histograms = *histograms;
    if (status == BG_OK) status = bg_integrate(process, &o, &w, result, error);
    bg_process_destroy(process);
    return status;
}

/* Largest difference of two bins, weights or squares, as a fraction of the whole. */
static double compare_histograms(const struct bg_histograms *a, const struct bg_histograms *b)
{
    double worst = 0.;
    for (int k = 0; a && k < a->count; k++) {
        double sum = 0., off = 0.;
        double sum2 = 0., off2 = 0.;
        for (int i = 0; i < BG_HISTOGRAM_BINS; i++) {
            const double x = bg_exact_value(&a->histogram[k].weight[i]), y = bg_exact_value(&b->histogram[k].weight[i]);
            const double x2 = bg_exact_value(&a->histogram[k].weight2[i]), y2 = bg_exact_value(&b->histogram[k].weight2[i]);
            sum += x;
            sum2 += x2;
            if (!(fabs(x - y) <= off)) off = fabs(x - y);
            if (!(fabs(x2 - y2) <= off2)) off2 = fabs(x2 - y2);
        }
        if (!(off / sum <= worst)) worst = off / sum;
        if (!(off2 / sum2 <= worst)) worst = off2 / sum2;
    }
    return worst;
}

static int check_integral(const integral *i, int n_out)
{
    bg_error error;
    bg_result a, b;
    struct bg_histograms *ha = NULL, *hb = NULL;
    const int loose = i->pt_min > 0.;
    const uint64_t points = n_out < 5 ? 40000 : n_out < 7 ? 10000 : 4000;
    bg_status status = integrate_on(i, n_out, "cpu", points, &a, &ha, &error);
    if (status == BG_OK) status = integrate_on(i, n_out, "cuda", points, &b, &hb, &error);
    int good = 0;
    if (status != BG_OK) {
        printf("%-26s %2d FAILED: %s\n", i->name, n_out, error.message);
    } else {
        const double off = fabs(b.sigma_pb / a.sigma_pb - 1.), off_error = fabs(b.error_pb / a.error_pb - 1.);
        const double off_max = fabs(b.max_weight_pb / a.max_weight_pb - 1.), off_bins = compare_histograms(ha, hb);
        const int same = a.points == b.points && a.accepted == b.accepted && a.nonfinite == b.nonfinite &&
                         a.unstable == b.unstable && a.rescued == b.rescued;
        good = same && a.accepted > 0 && loose == (a.unstable > 0);
        /* loose: a few points decide, and each has lost digits */
        good &= loose ? off <= 1e-8 && off_error <= 1e-8 && off_max <= 1e-8 && off_bins <= 1e-8
                      : off <= 1e-12 && off_error <= 1e-11 && off_max <= 1e-9 && off_bins <= 1e-11;
        printf("%-26s %2d %6llu %6llu  %.10g pb  %8.1e %8.1e %8.1e %8.1e  %s%s\n", i->name, n_out,
               (unsigned long long)b.points, (unsigned long long)b.accepted, b.sigma_pb, off, off_error, off_max, off_bins,
               good ? "ok" : "WRONG", same ? "" : " (counts differ)");
    }
    fflush(stdout);
    bg_histograms_destroy(ha);
    bg_histograms_destroy(hb);
    return good;
}

/* A thousand different points, again and again. */
static double *repeated_points(int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2), different = 1000;
    double *points = many_points(n_out, different), *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) exit(1);
    for (size_t k = 0; k < count; k++)
        memcpy(momenta + k * numbers, points + k % different * numbers, numbers * sizeof *momenta);
    free(points);
    return momenta;
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A whole event against its matrix element: ns for each point inside the cuts. */
static void time_integral(const integral *i, int n_out)
{
    bg_error error;
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_integration w;
    bg_tally *tally = calloc(1, sizeof *tally);
    channel_grid *grid = malloc(sizeof *grid);
    const bg_options o = integral_options(i, "cuda");
    bg_integration_init(&w);
    bg_status status = bg_process_create_gluons(&process, n_out, &error);
    if (status == BG_OK) status = bg_evaluator_create_for_integration(&e, process, &o, &error);
    if (status == BG_OK) {
        const channel c = channel_create((int)i->phase_space, n_out, w.sqrts, &w.cuts, o.seed);
        bg_batch batch = {.channel = &c, .grid = grid, .count = 4096};
        bg_timing timing = {0};
        const size_t events = bg_evaluator_memory(e).batch;
        double *momenta = repeated_points(n_out, events), me[3] = {0.}, seconds_spent = 0.;
        bg_grid_uniform(grid);
        while (status == BG_OK) { /* until it takes long enough to be measured */
            memset(tally, 0, sizeof *tally);
            memset(&timing, 0, sizeof timing);
            const double start = wall();
            status = bg_evaluator_integrate(e, &batch, tally, NULL, &timing, &error);
            seconds_spent = wall() - start;
            batch.importance_scale = bg_exact_value(&tally->weight2) / (double)batch.count;
            batch.first_event += batch.count;
            if (seconds_spent > 0.1) break;
            batch.count *= seconds_spent < 0.02 ? 4 : 2;
        }
        if (status == BG_OK) status = bg_evaluator_time_device(e, momenta, events, 3, me, &error);
        if (status == BG_OK) {
            const double ns = 1e9 / (double)tally->accepted, alone = 1e9 * fmin(me[0], fmin(me[1], me[2])) / (double)events;
            printf("%-26s %2d %10llu trials, %4.1f %% inside: %10.4g ns an event = %.4g points + %.4g |M|^2 and sums; "
                   "|M|^2 alone %.4g ns, ratio %.2f\n",
                   i->name, n_out, (unsigned long long)batch.count, 100. * (double)tally->accepted / (double)batch.count,
                   ns * seconds_spent, ns * timing.phase_space, ns * timing.matrix_element, alone, ns * seconds_spent / alone);
        }
        free(momenta);
    }
    if (status != BG_OK) printf("%-26s %2d FAILED: %s\n", i->name, n_out, error.message);
    fflush(stdout);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
    free(tally);
    free(grid);
}

static int integrate(int most, const char *which)
{
    int rows = 0, good = 0;
    printf("integral                n_out points inside  sigma on the GPU, deviation of sigma, error, largest weight, bins\n");
    for (int k = 0; k < INTEGRALS; k++)
        for (int n_out = integrals[k].low; n_out <= integrals[k].high && n_out <= most; n_out++) {
            if (which && strncmp(integrals[k].name, which, strlen(which))) continue;
            good += check_integral(&integrals[k], n_out);
            rows++;
        }
    printf("%d of %d integrals passed\n", good, rows);
    for (int k = 0; k < INTEGRALS; k++)
        for (int n_out = 2; n_out <= 6 && n_out <= most; n_out++)
            if (which && strncmp(integrals[k].name, which, strlen(which)))
                continue;
            else if ((integrals[k].helicity == SUMMED && n_out < 6) || (integrals[k].histograms && n_out <= integrals[k].high))
                time_integral(&integrals[k], n_out);
    return good == rows ? 0 : 1;
}

int main(int argc, char **argv)
{
    const int most = argc > 2 ? atoi(argv[2]) : 12;
    const char *which = argc > 3 ? argv[3] : NULL;
    if (argc > 1 && !strcmp(argv[1], "check")) return check(most, which);
    if (argc > 1 && !strcmp(argv[1], "agree")) return agree(argc > 2 ? most : 8, which ? (size_t)atoll(which) : 0);
    if (argc > 1 && !strcmp(argv[1], "integrate")) return integrate(most, which);
    if (argc > 1 && !strcmp(argv[1], "time")) return time_all(most, which);
    fprintf(stderr, "usage: gpu_check check|integrate|time [largest n_out [algorithm]]\n"
                    "       gpu_check agree [largest n_out [points]]\n");
    return 2;
}
