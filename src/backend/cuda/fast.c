/* The host's side of the fast kernels: which plans they answer, how many events they take at a time, and
 * their tables on the device.
 */
#include "backend/cuda/fast.h"
#include "backend/operations.h"
#include "amplitude/external.h"
#include "core/status.h"
#include "core/system.h"

#include <stdlib.h>

#define INSTANCE(n) extern const fast_instance bg_cuda_fast_##n##_1, bg_cuda_fast_##n##_2;
INSTANCE(2)
INSTANCE(3)
INSTANCE(4)
INSTANCE(5)
INSTANCE(6)
INSTANCE(7)
INSTANCE(8)
INSTANCE(9)
INSTANCE(10)

/* [n_out][parts - 1] */
static const fast_instance *const instances[BG_MAX_OUT_SUMMED - BG_MIN_OUT + 1][2] = {
    {&bg_cuda_fast_2_1, &bg_cuda_fast_2_2}, {&bg_cuda_fast_3_1, &bg_cuda_fast_3_2},
    {&bg_cuda_fast_4_1, &bg_cuda_fast_4_2}, {&bg_cuda_fast_5_1, &bg_cuda_fast_5_2},
    {&bg_cuda_fast_6_1, &bg_cuda_fast_6_2}, {&bg_cuda_fast_7_1, &bg_cuda_fast_7_2},
    {&bg_cuda_fast_8_1, &bg_cuda_fast_8_2}, {&bg_cuda_fast_9_1, &bg_cuda_fast_9_2},
    {&bg_cuda_fast_10_1, &bg_cuda_fast_10_2},
};

const fast_instance *bg_cuda_fast(const bg_plan *plan)
{
    if (!bg_options_want_fast(&plan->options) || plan->n_out > BG_MAX_OUT_SUMMED) return NULL;
    const fast_instance *fast = instances[plan->n_out - BG_MIN_OUT][external_parts(plan->mode) - 1];
    int device = 0, most = 0; /* small devices have no room for the currents of complex helicities at n_out = 5 */
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return fast->chip <= (size_t)most ? fast : NULL;
}

size_t bg_fast_columns(const bg_plan *plan)
{
    return plan->mode == EXTERNAL_BASIS ? FAST_COLUMNS : (size_t)external_parts(plan->mode);
}

/* Enough to fill a large device for some hundred microseconds, so that the start of a kernel does not count. */
size_t bg_fast_batch(const bg_plan *plan)
{
    static const size_t events[] = {1 << 20, 1 << 19, 1 << 17, 1 << 16, 1 << 14, 1 << 12, 512, 128, 128};
    const size_t wanted = events[plan->n_out - BG_MIN_OUT];
    return plan->mode == EXTERNAL_BASIS && plan->n_out >= 4 && wanted > 512 ? wanted / 4 : wanted;
}

/* Currents of an event take 40 kB, 280 kB, 2.2 MB, 20 MB and 0.2 GB from n_out = 6 on, twice that if complex. At 6 and 7 a tile is about what the
 * second-level cache of a large device holds; above, it is enough events to fill the device. */
size_t bg_fast_tile(const bg_plan *plan)
{
    if (plan->n_out > FAST_ON_CHIP && plan->n_out <= FAST_IN_CACHE) {
        int device = 0, processors = 0; /* a block each */
        (void)cudaGetDevice(&device);
        (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
        return (size_t)(processors > 0 ? processors : 1) * FAST_CACHE_EVENTS;
    }
    static const size_t events[] = {FAST_TILE_6, FAST_TILE_7, FAST_TILE_8, FAST_TILE_9, FAST_TILE_10};
    return plan->n_out <= FAST_ON_CHIP ? 0 : events[plan->n_out - 6];
}

static bg_status upload(cudaStream_t stream, const void *to, const void *from, size_t bytes, bg_error *error)
{
    CUDA_TRY(error, cudaMemcpyAsync((void *)(size_t)to, from, bytes, cudaMemcpyHostToDevice, stream));
    CUDA_TRY(error, cudaStreamSynchronize(stream));
    return BG_OK;
}

static bg_status fill_words(cudaStream_t stream, const fast_words *w, bg_error *error)
{
    const size_t rows = w->first[w->letters] * sizeof(fast_split);
    const size_t nodes = (size_t)w->records * w->record * sizeof(uint32_t);
    fast_split *row = malloc(rows);
    uint32_t *node = malloc(nodes);
    bg_status status = BG_OK;
    if (!row || !node)
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the words of n_out = %d", w->letters);
    else
        bg_fast_tables(w->letters, row, node);
    if (status == BG_OK) status = upload(stream, w->row, row, rows, error);
    if (status == BG_OK) status = upload(stream, w->node, node, nodes, error);
    free(row);
    free(node);
    return status;
}

static bg_status fill_fourier(cudaStream_t stream, int letters, fourier_device *d, bg_error *error)
{
    color_fourier f;
    fourier_tile *tile = malloc(bg_fourier_most_tiles(letters) * sizeof *tile);
    uint32_t place[BG_MAX_OUT_SUMMED * BG_MAX_OUT_SUMMED];
    if (!tile || bg_color_fourier_create(&f, letters, bg_cores())) {
        free(tile);
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for the color transform of n_out = %d", letters);
    }
    bg_fourier_tiles(&f, d, tile, place);
    d->operations = bg_fourier_operations(&f);
    bg_status status = upload(stream, d->tile, tile, d->tiles * sizeof *tile, error);
    if (status == BG_OK) status = upload(stream, d->place, place, 2 * (size_t)d->cosets * sizeof *place, error);
    if (status == BG_OK)
        status = upload(stream, d->coefficient, f.coefficient, f.coefficients * sizeof *f.coefficient, error);
    bg_color_fourier_destroy(&f);
    free(tile);
    return status;
}

bg_status bg_fast_fill(cudaStream_t stream, fast_space *s, bg_error *error)
{
    const int letters = s->words.letters;
    if (letters <= FAST_IN_REGISTERS) return BG_OK; /* the tables are in the code */
    const bg_status status = fill_words(stream, &s->words, error);
    return status == BG_OK && letters >= FAST_FOURIER ? fill_fourier(stream, letters, &s->fourier, error) : status;
}
