/* As others use it: from several threads, on a stream and arrays of their own, on several devices, after an error that
 * was somebody else's. Every answer must be that of the plain call, bit by bit.
 */
#include "backend/cuda/instance.h"
#include "accumulate/histograms.h"

#include "gpu_check.h"

static int report(const char *what, int n_out, int good, const bg_error *error)
{
    printf("%-34s %2d  %s%s%s\n", what, n_out, good ? "ok" : "WRONG", error ? ": " : "", error ? error->message : "");
    fflush(stdout);
    return good;
}

static const mode angle = {.name = "fast angle", .strategy = "co-sum", .changes = ""};

/* The plain call. */
static bg_status evaluate_plainly(int n_out, size_t count, const double *momenta, double *value, bg_error *error)
{
    bg_evaluator *e = NULL;
    bg_status status = create(&e, &angle, n_out, "cuda", error);
    if (status == BG_OK) status = bg_evaluator_evaluate(e, 7, count, momenta, value, NULL, error);
    bg_evaluator_destroy(e);
    return status;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

/* Arrays that start 8 bytes after a multiple of 16. */
static bg_status evaluate_elsewhere(int n_out, size_t count, const double *momenta, double *value, bg_error *error)
{
    const size_t numbers = 4 * ((size_t)n_out + 2) * count;
    bg_evaluator *e = NULL;
    cudaStream_t stream = NULL;
    double *memory = NULL;
    bg_status status = create(&e, &angle, n_out, "cuda", error);
    if (status == BG_OK &&
        (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
         cudaMalloc((void **)&memory, (numbers + count + 1) * sizeof(double)) != cudaSuccess ||
         cudaMemcpyAsync(memory + 1, momenta, numbers * sizeof(double), cudaMemcpyHostToDevice, stream) != cudaSuccess))
        status = BG_ERROR_DEVICE;
    if (status == BG_OK)
        status = bg_evaluator_evaluate_device(e, 7, count, memory + 1, memory + 1 + numbers, stream, error);
    if (status == BG_OK && (cudaMemcpyAsync(value, memory + 1 + numbers, count * sizeof(double), cudaMemcpyDeviceToHost,
                                            stream) != cudaSuccess ||
                            cudaStreamSynchronize(stream) != cudaSuccess))
        status = BG_ERROR_DEVICE;
    bg_evaluator_destroy(e);
    (void)cudaFree(memory);
    if (stream) (void)cudaStreamDestroy(stream);
    return status;
}

static int check_streams(int n_out)
{
    enum { COUNT = 301 };
    double *momenta = many_points(n_out, COUNT), plain[COUNT], other[COUNT];
    bg_error error = {BG_OK, ""};
    bg_status status = evaluate_plainly(n_out, COUNT, momenta, plain, &error);
    if (status == BG_OK) status = evaluate_elsewhere(n_out, COUNT, momenta, other, &error);
    free(momenta);
    return report("own stream, odd addresses", n_out, status == BG_OK && !memcmp(plain, other, sizeof plain),
                  status == BG_OK ? NULL : &error);
}

/* ---- threads --------------------------------------------------------------------------------------------- */

/* Evaluators of different n_out at the same time: kernels that they share are launched in turns. */
static int check_threads(void)
{
    enum { LEAST = 6, MOST = 10, COUNT = 16, TURNS = 8 };
    double *momenta[MOST + 1], plain[MOST + 1][COUNT];
    int good = 1;
    bg_error error;
    for (int n_out = LEAST; n_out <= MOST; n_out++) {
        momenta[n_out] = many_points(n_out, COUNT);
        if (evaluate_plainly(n_out, COUNT, momenta[n_out], plain[n_out], &error) != BG_OK)
            good = report("threads", n_out, 0, &error);
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(MOST - LEAST + 1) reduction(& : good)
#endif
    for (int n_out = LEAST; n_out <= MOST; n_out++) {
        double value[COUNT];
        bg_evaluator *e = NULL;
        bg_error why;
        bg_status status = create(&e, &angle, n_out, "cuda", &why);
        for (int k = 0; k < TURNS && status == BG_OK; k++) {
            status = bg_evaluator_evaluate(e, 7, COUNT, momenta[n_out], value, NULL, &why);
            good &= status == BG_OK && !memcmp(value, plain[n_out], sizeof value);
        }
        if (status != BG_OK) good &= report("threads", n_out, 0, &why);
        bg_evaluator_destroy(e);
    }
    for (int n_out = LEAST; n_out <= MOST; n_out++) free(momenta[n_out]);
    return report("a thread for each n_out from 6 to", MOST, good, NULL);
}

/* ---- errors that are over -------------------------------------------------------------------------------- */

static int check_old_error(void)
{
    enum { N_OUT = 5, COUNT = 64 };
    double *momenta = many_points(N_OUT, COUNT), value[COUNT];
    void *nothing = NULL;
    bg_error error;
    const int failed = cudaMalloc(&nothing, (size_t)1 << 60) != cudaSuccess;
    const bg_status status = evaluate_plainly(N_OUT, COUNT, momenta, value, &error);
    free(momenta);
    return report("after a failed call of others", N_OUT, failed && status == BG_OK, status == BG_OK ? NULL : &error);
}

/* ---- devices --------------------------------------------------------------------------------------------- */

static bg_status integrate_on(const char *devices, bg_algorithm algorithm, int n_out, uint64_t points,
                              bg_result *result, struct bg_histograms **histograms, bg_error *error)
{
    bg_process *process = NULL;
    bg_options o;
    bg_integration w;
    bg_options_init(&o);
    (void)bg_options_set_algorithm(&o, algorithm, NULL);
    o.helicity = SAMPLED;
    snprintf(o.backend, sizeof o.backend, "cuda");
    bg_integration_init(&w);
    w.precision = 0.;
    w.points = points;
    (void)setenv("BLOCKGEN_CUDA_DEVICES", devices, 1);
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK)
        status = bg_histograms_allocate(histograms, (bg_subprocess[]){bg_subprocess_gluons(n_out)}, 0, w.sqrts, &w.cuts,
                                        error);
    w.histograms = *histograms;
    if (status == BG_OK) status = bg_integrate(process, &o, &w, result, error);
    bg_process_destroy(process);
    (void)unsetenv("BLOCKGEN_CUDA_DEVICES");
    return status;
}

static int same_bins(const struct bg_histograms *a, const struct bg_histograms *b)
{
    int same = a->cells == b->cells;
    for (int c = 0; c < a->cells && same; c++)
        same = bg_exact_value(&a->weight[c]) == bg_exact_value(&b->weight[c]) &&
               bg_exact_value(&a->weight2[c]) == bg_exact_value(&b->weight2[c]);
    return same;
}

/* One device that stands for several, with so few points that some get none, and with many. */
static int check_devices(bg_algorithm algorithm, int n_out, uint64_t points)
{
    static const char *const lists[] = {"0", "0,0", "0,0,0"};
    struct bg_histograms *bins[3] = {NULL, NULL, NULL};
    bg_result r[3];
    for (int i = 0; i < 3; i++) bg_result_init(&r[i]);
    bg_error error;
    bg_status status = BG_OK;
    int good = 1;
    for (int k = 0; k < 3 && status == BG_OK; k++) {
        status = integrate_on(lists[k], algorithm, n_out, points, &r[k], &bins[k], &error);
        good &= status == BG_OK && r[k].points == points && r[k].accepted == r[0].accepted &&
                r[k].sigma_pb == r[0].sigma_pb && r[k].error_pb == r[0].error_pb && same_bins(bins[0], bins[k]);
    }
    for (int k = 0; k < 3; k++) bg_histograms_destroy(bins[k]);
    return report(algorithm == BG_ALGORITHM_CD_MC ? "1, 2, 3 devices, coherent" : "1, 2, 3 devices, summed", n_out,
                  good, status == BG_OK ? NULL : &error);
}

int use(void)
{
    int rows = 0, good = 0;
    for (int n_out = 2; n_out <= 7; n_out++, rows++) good += check_streams(n_out);
    good += check_threads() + check_old_error();
    rows += 2;
    for (int n_out = 2; n_out <= 5; n_out++)
        for (uint64_t points = 700; points < 1000000; points *= 30, rows += 2)
            good +=
                check_devices(BG_ALGORITHM_CO_SUM, n_out, points) + check_devices(BG_ALGORITHM_CD_MC, n_out, points);
    printf("%d of %d rows passed\n", good, rows);
    return good == rows ? 0 : 1;
}
