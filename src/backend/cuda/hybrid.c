#include "backend/cuda/hybrid.h"
#include "base/status.h"
#include "base/system.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 }; /* trial points that a thread generates at a time */

/* Points in pinned memory. */
typedef struct pinned {
    bg_point_arrays points;
    uint32_t count;
    cudaEvent_t start, copied;
} pinned;

/* What a thread generates into. */
typedef struct block {
    bg_point_arrays points;
    uint32_t count;
} block;

struct cuda_feeder {
    int n, dimensions, threads;
    size_t capacity;
    cudaStream_t stream; /* of the copies */
    pinned slot[2];
    block *block; /* [thread] */
};

/* ---- life ------------------------------------------------------------------------------------------------------ */

/* Bytes of one point, and its arrays in a block of memory for `capacity` of them. */
static size_t point_bytes(const cuda_feeder *f)
{
    return (4 * (size_t)f->n + 1) * sizeof(double) + sizeof(uint64_t) + (size_t)f->dimensions;
}

static void cut_points(const cuda_feeder *f, void *memory, size_t capacity, bg_point_arrays *p)
{
    p->pitch = capacity;
    p->momenta = memory;
    p->weight = p->momenta + 4 * (size_t)f->n * capacity;
    p->event = (uint64_t *)(p->weight + capacity);
    p->bin = (uint8_t *)(p->event + capacity);
}

static int block_create(const cuda_feeder *f, block *b)
{
    void *memory = malloc(BLOCK * point_bytes(f));
    if (!memory) return -1;
    cut_points(f, memory, BLOCK, &b->points);
    b->points.count = &b->count;
    return 0;
}

static bg_status slot_create(const cuda_feeder *f, pinned *p, bg_error *error)
{
    void *memory = NULL;
    CUDA_TRY(error, cudaMallocHost(&memory, f->capacity * point_bytes(f)));
    cut_points(f, memory, f->capacity, &p->points);
    CUDA_TRY(error, cudaEventCreate(&p->start));
    CUDA_TRY(error, cudaEventCreate(&p->copied));
    return BG_OK;
}

static bg_status prepare(cuda_feeder *f, bg_error *error)
{
    bg_status status = BG_OK;
    f->block = calloc((size_t)f->threads, sizeof *f->block);
    for (int k = 0; k < f->threads; k++)
        if (!f->block || block_create(f, &f->block[k]))
            return bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of %d threads", f->threads);
    CUDA_TRY(error, cudaStreamCreateWithFlags(&f->stream, cudaStreamNonBlocking));
    for (int k = 0; k < 2 && status == BG_OK; k++) status = slot_create(f, &f->slot[k], error);
    return status;
}

bg_status bg_cuda_feeder_create(cuda_feeder **feeder, const bg_subprocess *process, size_t capacity, int threads,
                                bg_error *error)
{
    cuda_feeder *f = calloc(1, sizeof *f);
    if (!f) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a hybrid integration");
    f->n = process->n;
    f->dimensions = channel_most_rows(process);
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
        if (f->slot[k].points.momenta) (void)cudaFreeHost(f->slot[k].points.momenta);
    }
    for (int k = 0; f->block && k < f->threads; k++) free(f->block[k].points.momenta);
    free(f->block);
    free(f);
}

/* ---- points -------------------------------------------------------------------------------------------------------- */

/* The points of a block to places `at` and following of a slot, row by row. */
static void place(const cuda_feeder *f, const block *b, int dimensions, size_t at, const bg_point_arrays *to)
{
    const size_t rows = 4 * (size_t)f->n, count = b->count;
    const bg_point_arrays *from = &b->points;
    for (size_t row = 0; row < rows; row++)
        memcpy(to->momenta + row * to->pitch + at, from->momenta + row * from->pitch, count * sizeof(double));
    for (size_t d = 0; d < (size_t)dimensions; d++)
        memcpy(to->bin + d * to->pitch + at, from->bin + d * from->pitch, count);
    memcpy(to->weight + at, from->weight, count * sizeof *to->weight);
    memcpy(to->event + at, from->event, count * sizeof *to->event);
}

bg_status bg_cuda_feeder_fill(cuda_feeder *f, int slot, const bg_batch *batch, uint64_t first, uint32_t trials,
                              uint32_t *count, double *seconds, bg_error *error)
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
        block *b = &f->block[omp_get_thread_num()];
#else
        block *b = &f->block[0];
#endif
        uint32_t at;
        batch->generate(batch->channel, batch->grid, first + from, (int)(left < BLOCK ? left : BLOCK), &b->points);
        /* blocks come in any order: sums do not depend on it */
#ifdef _OPENMP
#pragma omp atomic capture
#endif
        {
            at = used;
            used += b->count;
        }
        place(f, b, batch->channel->axes + batch->channel->cells, at, &p->points);
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

bg_status bg_cuda_feeder_send(cuda_feeder *f, int slot, const bg_point_arrays *to, cudaStream_t stream, bg_error *error)
{
    pinned *p = &f->slot[slot];
    const bg_point_arrays *from = &p->points;
    CUDA_TRY(error, cudaEventRecord(p->start, f->stream));
    if (p->count) {
        bg_status status = copy_rows(to->momenta, to->pitch, from->momenta, from->pitch, p->count, 4 * (size_t)f->n,
                                     sizeof(double), f->stream, error);
        if (status == BG_OK)
            status = copy_rows(to->bin, to->pitch, from->bin, from->pitch, p->count, (size_t)f->dimensions, 1,
                               f->stream, error);
        if (status != BG_OK) return status;
        CUDA_TRY(error, cudaMemcpyAsync(to->weight, from->weight, p->count * sizeof(double), cudaMemcpyHostToDevice,
                                        f->stream));
        CUDA_TRY(error, cudaMemcpyAsync(to->event, from->event, p->count * sizeof(uint64_t), cudaMemcpyHostToDevice,
                                        f->stream));
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
