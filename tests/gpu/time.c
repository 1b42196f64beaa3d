/* Times of an event, momenta on the device, and of the dense color sum by itself. */
#include "backend/cuda/instance.h"

#include "gpu_check.h"

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
    bg_memory memory;
    bg_memory_init(&memory);
    (void)bg_evaluator_memory(gpu, &memory, NULL);
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
               1e9 * elapsed / (double)memory.batch / bg_evaluator_options(gpu)->samples, memory.batch,
               memory.per_event, memory.shared, memory.on_chip, memory.stack);
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

int time_all(int most, const char *which)
{
    stopwatch w = stopwatch_create();
    if (!which)
        for (int n_out = 2; n_out <= most && n_out <= 7; n_out++) time_color_sum(n_out, &w);
    for (int k = 0; k < mode_count; k++)
        for (int n_out = 2; n_out <= modes[k].timed && n_out <= most && is_wanted(modes[k].name, which); n_out++)
            time_mode(&modes[k], n_out, &w);
    return 0;
}
