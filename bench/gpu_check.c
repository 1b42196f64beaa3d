/* Is the GPU right, and how fast is it? For a machine with a device and nothing but CMake and a compiler.
 *
 *     gpu_check check [MOST [NAME]]    every algorithm on the CPU and on the GPU: same points, same draws (n_out up to MOST)
 *     gpu_check time [MOST [NAME]]     ns an event, momenta on the device, and the dense color sum by itself
 */
#include "backend/cuda/instance.h"
#include "blockgen/blockgen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A flat point (RAMBO). */
static void flat_point(int n_out, double *momenta)
{
    double sum[4] = {0.}, *out = momenta + 8;
    for (int k = 0; k < n_out; k++) {
        const double c = 2. * uniform() - 1., s = sqrt(1. - c * c), phi = 6.283185307179586 * uniform();
        const double energy = -log(uniform() * uniform());
        const double q[4] = {energy, energy * s * cos(phi), energy * s * sin(phi), energy * c};
        for (int m = 0; m < 4; m++) sum[m] += out[4 * k + m] = q[m];
    }
    const double mass = sqrt(product(sum, sum)), gamma = sum[0] / mass, a = 1. / (1. + gamma);
    for (int k = 0; k < n_out; k++) {
        double *q = out + 4 * k, b = 0.;
        for (int m = 1; m < 4; m++) b -= sum[m] / mass * q[m];
        const double energy = q[0], f = energy + a * b;
        q[0] = SQRTS / mass * (gamma * energy + b);
        for (int m = 1; m < 4; m++) q[m] = SQRTS / mass * (q[m] - sum[m] / mass * f);
    }
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
};
enum { MODES = sizeof modes / sizeof *modes };

static bg_status create(bg_evaluator **evaluator, const mode *m, int n_out, const char *backend, bg_error *error)
{
    bg_options o;
    bg_process *process = NULL;
    bg_options_init(&o);
    bg_status status = bg_options_set_algorithm(&o, m->algorithm, error);
    o.kernel = BG_KERNEL_PAPER;
    o.helicity = m->helicity;
    o.helicity_sampling = (bg_helicity_sampling)m->sampling;
    o.vertex = m->tensor ? BG_VERTEX_TENSOR : BG_VERTEX_QUARTIC;
    o.decomposition = m->trace ? BG_DECOMPOSITION_TRACE : BG_DECOMPOSITION_ADJOINT;
    o.orderings = m->one ? BG_ORDERINGS_ONE : BG_ORDERINGS_ALL;
    o.color_sampling = m->discrete ? BG_SAMPLE_DISCRETE : BG_SAMPLE_CONTINUOUS;
    o.samples = m->samples;
    o.seed = 20261115;
    snprintf(o.backend, sizeof o.backend, "%s", backend);
    if (m->helicity == BG_HELICITY_FIXED) snprintf(o.helicities, (size_t)n_out + 3, "++--+-+-+-+-+-");
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
    const double *g = m->algorithm == BG_ALGORITHM_CD_MC             ? dressed
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
    const double limit = exact ? 1e-12 : 1e-9; /* one draw may be a small difference of large terms */
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
    printf("%d of %d rows passed\n", good, rows);
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

int main(int argc, char **argv)
{
    const int most = argc > 2 ? atoi(argv[2]) : 12;
    const char *which = argc > 3 ? argv[3] : NULL;
    if (argc > 1 && !strcmp(argv[1], "check")) return check(most, which);
    if (argc > 1 && !strcmp(argv[1], "time")) return time_all(most, which);
    fprintf(stderr, "usage: gpu_check check|time [largest n_out [algorithm]]\n");
    return 2;
}
