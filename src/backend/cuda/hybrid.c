#include "backend/cuda/hybrid.h"
#include "backend/cpu/generate.h"
#include "base/status.h"
#include "base/system.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 }; /* trial points that a thread generates at a time */

/* Pinned memory, laid out as cuda_points. */
typedef struct pinned {
    void *memory;
    double *momenta, *weight;
    uint64_t *event;
    uint8_t *bin;
    uint32_t count;
    cudaEvent_t start, copied;
} pinned;

struct cuda_feeder {
    int n_out, dimensions, threads;
    size_t capacity;
    cpu_generate *generate;
    cudaStream_t stream; /* of the copies */
    pinned slot[2];
    cpu_points *block; /* [thread] */
};

/* ---- life ------------------------------------------------------------------------------------------------------ */

static int block_create(cpu_points *b, int n)
{
    const size_t numbers = 4 * (size_t)n;
    b->momenta = malloc(BLOCK * (numbers * sizeof(double) + sizeof(double) + sizeof(uint64_t) + BG_MAX_DIMENSIONS));
    if (!b->momenta) return -1;
    b->weight = b->momenta + BLOCK * numbers;
    b->event = (uint64_t *)(b->weight + BLOCK);
    b->bin = (uint8_t *)(b->event + BLOCK);
    return 0;
}

static bg_status slot_create(const cuda_feeder *f, pinned *p, bg_error *error)
{
    const size_t rows = 4 * ((size_t)f->n_out + 2) + 2;
    CUDA_TRY(error, cudaMallocHost(&p->memory, f->capacity * (rows * sizeof(double) + (size_t)f->dimensions)));
    p->momenta = p->memory;
    p->weight = p->momenta + (rows - 2) * f->capacity;
    p->event = (uint64_t *)(p->weight + f->capacity);
    p->bin = (uint8_t *)(p->event + f->capacity);
    CUDA_TRY(error, cudaEventCreate(&p->start));
    CUDA_TRY(error, cudaEventCreate(&p->copied));
    return BG_OK;
}

static bg_status prepare(cuda_feeder *f, bg_error *error)
{
    bg_status status = bg_cpu_choose_generate(NULL, &f->generate, error);
    f->block = calloc((size_t)f->threads, sizeof *f->block);
    for (int k = 0; status == BG_OK && k < f->threads; k++)
        if (!f->block || block_create(&f->block[k], f->n_out + 2))
            return bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of %d threads", f->threads);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaStreamCreateWithFlags(&f->stream, cudaStreamNonBlocking));
    for (int k = 0; k < 2 && status == BG_OK; k++) status = slot_create(f, &f->slot[k], error);
    return status;
}

bg_status bg_cuda_feeder_create(cuda_feeder **feeder, int n_out, size_t capacity, int threads, bg_error *error)
{
    cuda_feeder *f = calloc(1, sizeof *f);
    if (!f) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a hybrid integration");
    f->n_out = n_out;
    f->dimensions = hardpair_adaptive(n_out);
    f->threads = threads;
    f->capacity = capacity;
    const bg_status status = prepare(f, error);
    if (status != BG_OK) {
        bg_cuda_feeder_destroy(f);
        return status;
    }
    *feeder = f;
    return BG_OK;
}

void bg_cuda_feeder_destroy(cuda_feeder *f)
{
    if (!f) return;
    if (f->stream) (void)cudaStreamDestroy(f->stream);
    for (int k = 0; k < 2; k++) {
        if (f->slot[k].start) (void)cudaEventDestroy(f->slot[k].start);
        if (f->slot[k].copied) (void)cudaEventDestroy(f->slot[k].copied);
        if (f->slot[k].memory) (void)cudaFreeHost(f->slot[k].memory);
    }
    for (int k = 0; f->block && k < f->threads; k++) free(f->block[k].momenta);
    free(f->block);
    free(f);
}

/* ---- points -------------------------------------------------------------------------------------------------------- */

/* The points of a block to places `at` and following of a slot, row by row. */
static void place(const cuda_feeder *f, const cpu_points *b, int dimensions, size_t at, pinned *p)
{
    const size_t numbers = 4 * ((size_t)f->n_out + 2), count = (size_t)b->count;
    for (size_t row = 0; row < numbers; row++)
        for (size_t k = 0; k < count; k++) p->momenta[row * f->capacity + at + k] = b->momenta[k * numbers + row];
    for (size_t d = 0; d < (size_t)dimensions; d++)
        for (size_t k = 0; k < count; k++) p->bin[d * f->capacity + at + k] = b->bin[k * BG_MAX_DIMENSIONS + d];
    memcpy(p->weight + at, b->weight, count * sizeof *b->weight);
    memcpy(p->event + at, b->event, count * sizeof *b->event);
}

bg_status bg_cuda_feeder_fill(cuda_feeder *f, int slot, const channel *c, const channel_grid *grid, uint64_t first,
                              uint32_t trials, uint32_t *count, double *seconds, bg_error *error)
{
    pinned *p = &f->slot[slot];
    const int blocks = (int)((trials + BLOCK - 1) / BLOCK);
    uint32_t used = 0;
    double spent = 0.;
    if (trials > f->capacity) return bg_fail(error, BG_ERROR_ARGUMENT, "%u points for %zu places", trials, f->capacity);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(f->threads) reduction(+ : spent)
#endif
    for (int k = 0; k < blocks; k++) {
        const uint32_t from = (uint32_t)k * BLOCK, left = trials - from;
        const double start = bg_seconds();
#ifdef _OPENMP
        cpu_points *b = &f->block[omp_get_thread_num()];
#else
        cpu_points *b = &f->block[0];
#endif
        uint32_t at;
        f->generate(c, grid, first + from, (int)(left < BLOCK ? left : BLOCK), b);
        /* blocks come in any order: sums do not depend on it */
#ifdef _OPENMP
#pragma omp atomic capture
#endif
        {
            at = used;
            used += (uint32_t)b->count;
        }
        place(f, b, c->dimensions, at, p);
        spent += bg_seconds() - start;
    }
    *count = p->count = used;
    *seconds += spent;
    return BG_OK;
}

/* ---- copies --------------------------------------------------------------------------------------------------------- */

/* `height` rows of which the first `count` numbers are in use. */
static bg_status copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t count, size_t height,
                           size_t size, cudaStream_t stream, bg_error *error)
{
    if (height)
        CUDA_TRY(error, cudaMemcpy2DAsync(to, to_pitch * size, from, from_pitch * size, count * size, height,
                                          cudaMemcpyHostToDevice, stream));
    return BG_OK;
}

bg_status bg_cuda_feeder_send(cuda_feeder *f, int slot, const cuda_points *to, cudaStream_t stream, bg_error *error)
{
    pinned *p = &f->slot[slot];
    const size_t numbers = 4 * ((size_t)f->n_out + 2);
    CUDA_TRY(error, cudaEventRecord(p->start, f->stream));
    if (p->count) {
        bg_status status = copy_rows(to->momenta, to->pitch, p->momenta, f->capacity, p->count, numbers, sizeof(double),
                                     f->stream, error);
        if (status == BG_OK)
            status = copy_rows(to->bin, to->pitch, p->bin, f->capacity, p->count, (size_t)f->dimensions, 1, f->stream,
                               error);
        if (status != BG_OK) return status;
        CUDA_TRY(error,
                 cudaMemcpyAsync(to->weight, p->weight, p->count * sizeof(double), cudaMemcpyHostToDevice, f->stream));
        CUDA_TRY(error,
                 cudaMemcpyAsync(to->event, p->event, p->count * sizeof(uint64_t), cudaMemcpyHostToDevice, f->stream));
    }
    CUDA_TRY(error, cudaEventRecord(p->copied, f->stream));
    CUDA_TRY(error, cudaStreamWaitEvent(stream, p->copied, 0));
    return BG_OK;
}

bg_status bg_cuda_feeder_time(cuda_feeder *f, int slot, double *seconds, bg_error *error)
{
    float milliseconds = 0.f;
    CUDA_TRY(error, cudaEventElapsedTime(&milliseconds, f->slot[slot].start, f->slot[slot].copied));
    *seconds += 1e-3 * (double)milliseconds;
    return BG_OK;
}

void bg_cuda_feeder_wait(cuda_feeder *f) { (void)cudaStreamSynchronize(f->stream); }
