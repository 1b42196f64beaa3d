/* The host's side of the fast kernels: which plans they answer, how many events they take at a time, and
 * their tables on the device.
 */
#include "backend/cuda/fast.h"
#include "backend/cuda/cutter.h"
#include "backend/cuda/recycled.h"
#include "backend/operations.h"
#include "amplitude/external.h"
#include "color/permutation.h"
#include "base/status.h"
#include "base/system.h"

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
    {&bg_cuda_fast_2_1, &bg_cuda_fast_2_2},   {&bg_cuda_fast_3_1, &bg_cuda_fast_3_2},
    {&bg_cuda_fast_4_1, &bg_cuda_fast_4_2},   {&bg_cuda_fast_5_1, &bg_cuda_fast_5_2},
    {&bg_cuda_fast_6_1, &bg_cuda_fast_6_2},   {&bg_cuda_fast_7_1, &bg_cuda_fast_7_2},
    {&bg_cuda_fast_8_1, &bg_cuda_fast_8_2},   {&bg_cuda_fast_9_1, &bg_cuda_fast_9_2},
    {&bg_cuda_fast_10_1, &bg_cuda_fast_10_2},
};

extern const fast_instance bg_cuda_recycled_4, bg_cuda_recycled_5, bg_cuda_recycled_6, bg_cuda_recycled_7;

/* [n_out] */
static const fast_instance *const recycled[RECYCLED_MOST - RECYCLED_LEAST + 1] = {
    &bg_cuda_recycled_4, &bg_cuda_recycled_5, &bg_cuda_recycled_6, &bg_cuda_recycled_7};

int bg_fast_recycles(const bg_plan *plan)
{
    return plan->mode == HELICITY_BASIS && plan->process.letters >= RECYCLED_LEAST &&
           plan->process.letters <= RECYCLED_MOST;
}

const fast_instance *bg_cuda_fast(const bg_plan *plan)
{
    if (!bg_options_want_fast(&plan->options) || plan->process.letters > BG_MAX_OUT_SUMMED || plan->process.lines)
        return NULL;
    const fast_instance *fast = bg_fast_recycles(plan)
                                    ? recycled[plan->process.letters - RECYCLED_LEAST]
                                    : instances[plan->process.letters - BG_MIN_OUT][helicity_parts(plan->mode) - 1];
    int device = 0, most = 0; /* small devices have no room for complex helicities at n_out = 5, or for the color sum */
    const size_t sum = plan->process.letters < FAST_FOURIER ? 0 : bg_cuda_fourier_chip(plan->process.letters);
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return fast->chip <= (size_t)most && sum <= (size_t)most ? fast : NULL;
}

static int processors(void)
{
    int device = 0, count = 0;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count > 0 ? count : 1;
}

/* Enough to fill a large device for some hundred microseconds, so that the start of a kernel does not count. */
size_t bg_fast_batch(const bg_plan *plan)
{
    static const size_t one[] = {1 << 21, 1 << 19, 1 << 17, 1 << 16, 1 << 14, 1 << 12, 512, 128, 128};
    static const size_t all[] = {1 << 20, 1 << 19, 1 << 15, 1 << 14, 1 << 12, 512, 512, 128, 128};
    return (plan->mode == HELICITY_BASIS ? all : one)[plan->process.letters - BG_MIN_OUT];
}

/* Events whose currents exist at a time.
 * One configuration: currents of an event take 40 kB, 280 kB, 2.2 MB, 20 MB and 0.2 GB from n_out = 6 on, twice that if complex. At 6 a block has those
 * of a few events in memory of its own; at 7 a tile is about what the second-level cache of a large device holds; above,
 * it is enough events to fill the device.
 * All helicities: an event has 12 kB, 120 kB, 1.5 MB and 21 MB of amplitudes at n_out = 4 to 7. */
size_t bg_fast_tile(const bg_plan *plan)
{
    static const size_t events[] = {FAST_TILE_7, FAST_TILE_8, FAST_TILE_9, FAST_TILE_10};
    if (bg_fast_recycles(plan)) {
        static const size_t each[] = {64, 16, 8, 1}; /* of a multiprocessor */
        const size_t tile = each[plan->process.letters - RECYCLED_LEAST] * (size_t)processors();
        return (tile + 3) / 4 * 4; /* whole groups */
    }
    if (plan->process.letters <= FAST_ON_CHIP) return 0;
    return plan->process.letters <= FAST_IN_CACHE ? (size_t)processors() * FAST_CACHE_EVENTS
                                                  : events[plan->process.letters - 7];
}

size_t bg_fast_columns(const bg_plan *plan, size_t pitch)
{
    const size_t tile = bg_fast_tile(plan);
    if (bg_fast_recycles(plan)) return (tile < pitch ? tile : pitch) << plan->process.n;
    return pitch * (plan->mode == HELICITY_BASIS ? FAST_COLUMNS : (size_t)helicity_parts(plan->mode));
}

size_t bg_fast_blocks(const fast_instance *instance) { return (size_t)processors() * (size_t)instance->blocks; }

bg_status bg_cuda_fast_sum(const cuda_task *t, const fast_space *s, size_t columns, double *sum, bg_error *error)
{
    if (s->words.letters < FAST_FOURIER)
        return bg_cuda_color_sum(t->stream, t->orderings_count, t->matrix, t->amplitude, columns, t->tile, sum, error);
    return bg_cuda_fourier_sum(t->stream, &s->fourier, t->amplitude, s->other, columns, sum, error);
}

static bg_status upload(cudaStream_t stream, const void *to, const void *from, size_t bytes, bg_error *error)
{
    CUDA_TRY(error, cudaMemcpyAsync(writable(to), from, bytes, cudaMemcpyHostToDevice, stream));
    CUDA_TRY(error, cudaStreamSynchronize(stream));
    return BG_OK;
}

static bg_status stopped(int letters, bg_error *error)
{
    return bg_fail(error, BG_ERROR_INTERRUPTED, "stopped while the color tables of n_out = %d were built", letters);
}

/* Splits, and paths or, where helicities are recycled, records. */
static bg_status fill_words(cudaStream_t stream, const fast_space *s, bg_interrupt *interrupt, bg_error *error)
{
    const fast_words *w = &s->words;
    const int by_inverse = w->letters >= FAST_FOURIER;
    const size_t rows = w->first[w->letters] * sizeof(fast_split);
    const size_t records = bg_factorial(w->letters) * RECYCLED_RECORD((size_t)w->letters) * sizeof(uint32_t);
    const size_t nodes = s->record ? records : (size_t)w->records * w->record * sizeof(uint32_t);
    fast_split *row = malloc(rows);
    uint32_t *node = malloc(nodes);
    bg_status status = BG_OK;
    if (!row || !node)
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the words of n_out = %d", w->letters);
    else if (bg_word_tables(w->letters, w->depth, by_inverse, row, s->record ? NULL : node, interrupt))
        status = stopped(w->letters, error);
    if (status == BG_OK && s->record) bg_word_records(w->letters, by_inverse, node);
    if (status == BG_OK) status = upload(stream, w->row, row, rows, error);
    if (status == BG_OK) status = upload(stream, s->record ? s->record : w->node, node, nodes, error);
    free(row);
    free(node);
    return status;
}

/* The tables are built here and go to where those of the device are. */
bg_status bg_fast_fill_fourier(cudaStream_t stream, color_line line, int letters, fourier_tables *device,
                               double *operations, bg_interrupt *interrupt, bg_error *error)
{
    color_fourier f;
    fourier_tables t;
    bg_fourier_sizes(letters, &t);
    chip_task *task = malloc(t.tasks * sizeof *task);
    product_tile *tile = malloc(t.tiles * sizeof *tile + 1); /* there may be none */
    uint32_t *place = malloc(t.places * sizeof *place);
    double *coefficient = malloc(t.coefficients * sizeof *coefficient);
    const int built = task && tile && place && coefficient &&
                      !bg_color_fourier_create_line(&f, line, letters, bg_default_threads(), interrupt);
    bg_status status = BG_OK;
    t.task = task;
    t.tile = tile;
    t.place = place;
    t.coefficient = coefficient;
    if (bg_interrupt_reason_of(interrupt))
        status = stopped(letters, error);
    else if (!built || bg_fourier_arrange(&f, &t))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the color transform of n_out = %d", letters);
    if (status == BG_OK) status = upload(stream, device->task, task, t.tasks * sizeof *task, error);
    if (status == BG_OK) status = upload(stream, device->tile, tile, t.tiles * sizeof *tile, error);
    if (status == BG_OK) status = upload(stream, device->place, place, t.places * sizeof *place, error);
    if (status == BG_OK)
        status = upload(stream, device->coefficient, coefficient, t.coefficients * sizeof *coefficient, error);
    if (built) {
        *operations = bg_fourier_operations(&f);
        bg_color_fourier_destroy(&f);
    }
    t.task = device->task;
    t.tile = device->tile;
    t.place = device->place;
    t.coefficient = device->coefficient;
    *device = t;
    free(task);
    free(tile);
    free(place);
    free(coefficient);
    return status;
}

bg_status bg_fast_fill(cudaStream_t stream, fast_space *s, bg_interrupt *interrupt, bg_error *error)
{
    const int letters = s->words.letters;
    if (letters <= FAST_IN_REGISTERS) return BG_OK; /* the tables are in the code */
    const bg_status status = fill_words(stream, s, interrupt, error);
    return status == BG_OK && letters >= FAST_FOURIER
               ? bg_fast_fill_fourier(stream, COLOR_LINE_ADJOINT, letters, &s->fourier, &s->operations, interrupt,
                                      error)
               : status;
}
