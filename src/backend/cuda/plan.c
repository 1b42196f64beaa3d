/* What a plan needs on a device: which kernels, which tables, how many events in flight; and the life of a state. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/cutter.h"
#include "backend/cuda/devices.h"
#include "backend/cuda/loan.h"
#include "backend/cuda/open.h"
#include "backend/cuda/recycled.h"
#include "base/status.h"
#include "base/system.h"
#include "color/factor.h"
#include "color/permutation.h"
#include "helicity/mode.h"
#include "helicity/selector.h"
#include "instances.h" /* made by CMake from the lists of what it compiles */

#include <stdlib.h>
#include <string.h>

#define DECLARE(letters) extern const cuda_instance bg_cuda_##letters##_1, bg_cuda_##letters##_2;
#define ADDRESSES(letters) [letters] = {&bg_cuda_##letters##_1, &bg_cuda_##letters##_2},

BG_CUDA_PAPER_INSTANCES(DECLARE)

/* [letters][parts - 1] */
static const cuda_instance *const instances[BG_MAX_OUT_ORDERED + 1][2] = {BG_CUDA_PAPER_INSTANCES(ADDRESSES)};

/* Events of a batch of integrations that take turns, at most: after a sieve there are few points. */
#define SHARED_BATCH ((size_t)1 << 16)

/* Events of a call of the coherent kernel: its memory does not depend on them, and it wants many groups. */
#define COHERENT_BATCH ((size_t)1 << 20)

/* ---- what a plan needs ----------------------------------------------------------------------------------- */

static cuda_algorithm choose_algorithm(const bg_plan *plan)
{
    const bg_options *o = &plan->options;
    if (bg_plan_sums_quarks(plan)) return CUDA_QUARKS;
    if (bg_options_want_coherent(o)) return CUDA_COHERENT;
    if (o->recursion == BG_RECURSION_DRESSED) return CUDA_DRESSED;
    if (o->color == BG_COLOR_SUMMED) return CUDA_SUMMED;
    if (o->color == BG_COLOR_SAMPLED) return CUDA_SAMPLED;
    return o->layout == BG_LAYOUT_COOPERATIVE ? CUDA_COOPERATIVE : CUDA_LEADING;
}

/* Letters that the orderings of the color or the leading-color sum move; 0 where there is no such sum. */
static int moving_letters(const bg_plan *plan)
{
    const bg_options *o = &plan->options;
    if (o->color == BG_COLOR_SUMMED)
        return o->decomposition == BG_DECOMPOSITION_TRACE ? plan->process.n - 1 : plan->process.letters;
    return o->color == BG_COLOR_LEADING && o->orderings == BG_ORDERINGS_ALL ? plan->process.n - 1 : 0;
}

uint64_t bg_cuda_orderings(const bg_plan *plan)
{
    const int letters = moving_letters(plan);
    return letters ? bg_factorial(letters) : 0;
}

/* Sums that collect_kernel adds up for an event. */
static uint64_t slice_count(const bg_plan *plan, cuda_algorithm algorithm)
{
    const uint64_t configurations = (uint64_t)helicity_configurations(plan->process.n, plan->mode);
    const uint64_t orderings = bg_cuda_orderings(plan);
    if (bg_cuda_fast(plan) && plan->process.letters <= FAST_IN_REGISTERS) return 1;
    switch (algorithm) {
    case CUDA_SUMMED: return configurations * (uint64_t)helicity_parts(plan->mode);
    case CUDA_SAMPLED: return configurations;
    case CUDA_LEADING:
    case CUDA_COOPERATIVE: return orderings ? (orderings + CUDA_SUMMANDS - 1) / CUDA_SUMMANDS : 1;
    default: return 1;
    }
}

/* Threads that work on an event at the same time. */
static uint64_t threads_per_event(const bg_plan *plan, cuda_algorithm algorithm)
{
    switch (algorithm) {
    case CUDA_SUMMED: return (bg_cuda_orderings(plan) + CUDA_ORDERINGS - 1) / CUDA_ORDERINGS;
    case CUDA_COOPERATIVE: return slice_count(plan, algorithm) * (uint64_t)(plan->process.n - 1);
    default: return slice_count(plan, algorithm);
    }
}

/* Groups of events that share colors, of gluons or of quark lines. */
static bg_status plan_groups(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error)
{
    return plan->process.lines ? bg_cuda_open_plan(plan, space, stack, error)
                               : bg_cuda_coherent_plan(plan, space, stack, error);
}

static void cut_fast_tables(cutter *c, const bg_plan *plan, fast_space *f)
{
    const int letters = plan->process.letters, fourier = letters >= FAST_FOURIER;
    bg_fast_sizes(letters, &f->words);
    if (letters <= FAST_IN_REGISTERS) return;
    f->words.row = cut(c, f->words.first[letters] * sizeof(fast_split));
    if (bg_fast_recycles(plan))
        f->record = cut(c, bg_cuda_orderings(plan) * RECYCLED_RECORD((size_t)letters) * sizeof(uint32_t));
    else
        f->words.node = cut(c, (size_t)f->words.records * f->words.record * sizeof(uint32_t));
    if (!fourier) return;
    bg_fourier_sizes(letters, &f->fourier);
    f->fourier.task = cut(c, f->fourier.tasks * sizeof(chip_task));
    f->fourier.tile = cut(c, f->fourier.tiles * sizeof(product_tile));
    f->fourier.place = cut(c, f->fourier.places * sizeof(uint32_t));
    f->fourier.coefficient = cut(c, f->fourier.coefficients * sizeof(double));
}

/* Whether the dense color matrix is needed. */
static int needs_matrix(const bg_plan *plan)
{
    return plan->options.color == BG_COLOR_SUMMED && !(bg_cuda_fast(plan) && plan->process.letters >= FAST_FOURIER);
}

static int needs_orderings(const bg_plan *plan) { return plan->options.color != BG_COLOR_SUMMED || needs_matrix(plan); }

static void cut_tables(cutter *c, const bg_plan *plan, cuda_state *s)
{
    const uint64_t size = bg_cuda_orderings(plan);
    s->task.orderings_count = size;
    s->task.orderings = cut(c, needs_orderings(plan) ? size * sizeof(uint64_t) : 0);
    s->task.matrix = cut(c, needs_matrix(plan) ? size * size * sizeof(float) : 0);
    if (bg_cuda_fast(plan)) cut_fast_tables(c, plan, &s->space);
}

/* What the groups in flight need, however many events there are. */
static void cut_groups(cutter *c, const bg_plan *plan, cuda_state *s)
{
    if (choose_algorithm(plan) != CUDA_COHERENT) return;
    s->coherent.memory = cut(c, (size_t)s->coherent.flights * s->coherent.bytes);
    s->coherent.next = cut(c, sizeof *s->coherent.next);
}

static void cut_fast_workspace(cutter *c, const bg_plan *plan, size_t pitch, fast_space *f)
{
    const size_t row = pitch * sizeof(double), parts = (size_t)helicity_parts(plan->mode);
    const int summed = plan->mode == HELICITY_BASIS;
    if (plan->process.letters <= FAST_IN_REGISTERS) return;
    bg_fast_sizes(plan->process.letters, &f->words);
    f->tile = bg_fast_tile(plan);
    if (f->tile > pitch) f->tile = pitch; /* a multiple of CUDA_BLOCK */
    f->sets = cut(c, ((size_t)1 << plan->process.letters) * FAST_SET * row);
    f->polarization = cut(c, summed ? 0 : (size_t)plan->process.n * parts * 2 * row);
    if (bg_fast_recycles(plan)) {
        const fast_instance *fast = bg_cuda_fast(plan);
        f->blocks = bg_fast_blocks(fast);
        if (f->blocks > f->tile) f->blocks = f->tile;
        f->currents = cut(c, f->blocks * fast->memory);
    } else
        f->currents = cut(c, (size_t)f->words.words * parts * 4 * f->tile * sizeof(double));
    const size_t rows = plan->process.letters >= FAST_FOURIER ? bg_fourier_other(plan->process.letters) : 0;
    f->other = cut(c, rows * bg_fast_columns(plan, pitch) * sizeof(double));
}

/* What every kernel needs for a batch. */
static void cut_results(cutter *c, const bg_plan *plan, size_t pitch, cuda_state *s)
{
    const size_t row = pitch * sizeof(double);
    s->mean = cut(c, plan->options.samples > 1 ? row : 0);
    s->spread = cut(c, plan->options.samples > 1 ? row : 0);
    s->momenta = cut(c, 4 * (size_t)plan->process.n * row);
    s->me2 = cut(c, row);
    s->uncertainty = cut(c, row);
}

static void cut_workspace(cutter *c, const bg_plan *plan, cuda_algorithm algorithm, size_t pitch, cuda_state *s)
{
    const size_t row = pitch * sizeof(double), components = 4 * (size_t)plan->process.n;
    const size_t parts = (size_t)helicity_parts(plan->mode), states = (size_t)helicity_states(plan->mode);
    const int fast = bg_cuda_fast(plan) != NULL;
    const int ordered = algorithm != CUDA_DRESSED && algorithm != CUDA_COHERENT && !fast,
              summed = algorithm == CUDA_SUMMED;
    const size_t columns = fast ? bg_fast_columns(plan, pitch) : parts * pitch;
    const uint64_t size = bg_cuda_orderings(plan), tiles = (size + CUDA_FORM_ROWS - 1) / CUDA_FORM_ROWS;
    s->task.columns = summed ? columns : 0;
    s->task.p = cut(c, ordered ? components * row : 0);
    s->task.state = cut(c, ordered ? components * states * parts * row : 0);
    s->task.propagator =
        cut(c, ordered ? cuda_propagators(plan->process.n, plan->options.orderings == BG_ORDERINGS_ONE) * row : 0);
    s->task.amplitude = cut(c, summed ? size * columns * sizeof(double) : 0);
    s->task.tile = cut(c, summed && needs_matrix(plan) && tiles > 1 ? tiles * columns * sizeof(double) : 0);
    if (fast) cut_fast_workspace(c, plan, pitch, &s->space);
    const int flows = algorithm == CUDA_COHERENT && plan->process.lines > 0, sorted = flows && plan->process.lines > 1;
    s->task.flow = cut(c, flows ? pitch * sizeof(cuda_flow) : 0);
    s->task.order = cut(c, sorted ? (pitch / BG_DEAL + 2) * BG_DEAL * sizeof(uint32_t) : 0);
    s->task.store = cut(c, algorithm != CUDA_DRESSED ? 0 : bg_cuda_dressed_numbers(plan->process.n, (int)parts) * row);
    s->task.partial = cut(c, slice_count(plan, algorithm) * row);
    cut_results(c, plan, pitch, s);
}

/* What does not grow with the batch. */
static size_t table_bytes(const bg_plan *plan)
{
    cutter c = {NULL, 0};
    cuda_state ignored;
    size_t stack;
    memset(&ignored.coherent, 0, sizeof ignored.coherent);
    if (choose_algorithm(plan) == CUDA_COHERENT && plan_groups(plan, &ignored.coherent, &stack, NULL) != BG_OK)
        return 0; /* the device is gone: the next call says so */
    cut_tables(&c, plan, &ignored);
    cut_groups(&c, plan, &ignored);
    return c.used;
}

static size_t workspace_bytes(const bg_plan *plan, size_t pitch)
{
    cutter c = {NULL, 0};
    cuda_state ignored;
    cut_workspace(&c, plan, choose_algorithm(plan), pitch, &ignored);
    return c.used;
}

const cuda_instance *bg_cuda_paper(const bg_plan *plan)
{
    const int letters = plan->process.letters;
    return letters <= BG_MAX_OUT_ORDERED ? instances[letters][helicity_parts(plan->mode) - 1] : NULL;
}

static void ask(const bg_plan *plan, cuda_question *q)
{
    const bg_options *o = &plan->options;
    memset(q, 0, sizeof *q);
    q->n = plan->process.n;
    q->mode = plan->mode;
    q->tensor = o->vertex == BG_VERTEX_TENSOR;
    q->one = o->orderings == BG_ORDERINGS_ONE;
    q->discrete = o->color_sampling == BG_COLORS_DISCRETE;
    q->flat = bg_helicity_choosing(o) == HELICITY_BY_MASSES;
    q->circular = plan->mode == HELICITY_CIRCULAR && o->helicity == BG_HELICITY_SAMPLED;
    q->configuration = plan->configuration;
    q->seed = o->seed;
}

static bg_status kernel_resources(const bg_plan *plan, size_t *on_chip, size_t *stack, bg_error *error)
{
    const cuda_instance *instance = bg_cuda_paper(plan);
    const fast_instance *fast = bg_cuda_fast(plan);
    cuda_question question;
    ask(plan, &question);
    *on_chip = *stack = 0;
    if (choose_algorithm(plan) == CUDA_COHERENT) {
        coherent_space ignored;
        return plan_groups(plan, &ignored, stack, error);
    }
    if (fast) return fast->resources(on_chip, stack, error);
    if (instance) return instance->resources(choose_algorithm(plan), &question, on_chip, stack, error);
    return bg_cuda_dressed_resources(helicity_parts(plan->mode), stack, error);
}

/* Bytes of the current device that a plan may have, what it may borrow included. */
static bg_status find_free(const bg_plan *plan, size_t *free_bytes, size_t *total_bytes, bg_error *error)
{
    int device = 0;
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaMemGetInfo(free_bytes, total_bytes));
    if (plan->shares) *free_bytes += bg_loan_bytes(BG_LOAN_BATCH, device);
    return BG_OK;
}

/* What it takes of them. */
static size_t fair_share(size_t free_bytes) { return free_bytes / 2; }

/* Events in flight on the current device: enough to keep every multiprocessor busy over several waves of
 * blocks, in its share of the memory that is free. */
static bg_status choose_batch(const bg_plan *plan, size_t *batch, bg_error *error)
{
    const cuda_algorithm algorithm = choose_algorithm(plan);
    int device = 0, processors = 0, resident = 0;
    size_t free_bytes = 0, total_bytes = 0, on_chip = 0, stack = 0;
    if (algorithm != CUDA_DRESSED && algorithm != CUDA_COHERENT && !bg_cuda_paper(plan) && !bg_cuda_fast(plan))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "n_out = %d with the ordered recursion on the device; it must be %d to %d", plan->process.n_out,
                       BG_MIN_OUT, BG_MAX_OUT_ORDERED);
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    bg_status status = find_free(plan, &free_bytes, &total_bytes, error);
    if (status == BG_OK) status = kernel_resources(plan, &on_chip, &stack, error);
    if (status != BG_OK) return status;

    /* The driver keeps a stack for every thread that could be resident. A dressed event keeps all its currents
     * in memory: no more events than run at once. */
    const size_t threads = (size_t)processors * (size_t)resident, stacks = threads * stack;
    const uint64_t fill = algorithm == CUDA_DRESSED ? threads / 4 : 4 * threads;
    size_t wanted = bg_cuda_fast(plan) ? bg_fast_batch(plan) : (size_t)(fill / threads_per_event(plan, algorithm));
    if (algorithm == CUDA_COHERENT) wanted = COHERENT_BATCH;
    wanted = (wanted + CUDA_BLOCK - 1) / CUDA_BLOCK * CUDA_BLOCK;
    if (wanted < 4 * CUDA_BLOCK && !bg_cuda_fast(plan)) wanted = 4 * CUDA_BLOCK;

    const size_t fixed = table_bytes(plan) + stacks, step = workspace_bytes(plan, CUDA_BLOCK);
    const size_t budget = fair_share(free_bytes);
    if (fixed + step > free_bytes)
        return bg_fail(
            error, BG_ERROR_MEMORY,
            "n_out = %d on the device needs at least %.3g MB (%.3g MB of tables), %.3g MB of %.3g MB are free",
            plan->process.n_out, 1e-6 * (double)(fixed + step), 1e-6 * (double)table_bytes(plan),
            1e-6 * (double)free_bytes, 1e-6 * (double)total_bytes);
    const size_t fitting = fixed + step < budget ? (budget - fixed) / step : 1;
    *batch = wanted / CUDA_BLOCK < fitting ? wanted : fitting * CUDA_BLOCK;
    return BG_OK;
}

/* ---- processes with quark lines ------------------------------------------------------------------------------ */

/* Bytes of all that they need for a batch of events. */
static size_t quark_bytes(const bg_plan *plan, quark_space *space, size_t pitch)
{
    cutter c = {NULL, 0};
    cuda_state ignored;
    bg_cuda_quarks_cut_tables(&c, space, &ignored.task);
    bg_cuda_quarks_cut_batch(&c, space, pitch, &ignored.task);
    cut_results(&c, plan, pitch, &ignored);
    return c.used;
}

/* Events in flight, in the plan's share of the memory that is free. */
static bg_status quark_batch(const bg_plan *plan, quark_space *space, size_t *batch, bg_error *error)
{
    size_t free_bytes = 0, total_bytes = 0;
    const bg_status status = find_free(plan, &free_bytes, &total_bytes, error);
    if (status != BG_OK) return status;
    *batch = bg_cuda_quarks_batch(space);
    if (plan->shares && *batch > SHARED_BATCH) *batch = SHARED_BATCH;
    *batch = *batch / CUDA_BLOCK * CUDA_BLOCK;
    while (*batch > CUDA_BLOCK && quark_bytes(plan, space, *batch) > fair_share(free_bytes))
        *batch = *batch / 2 / CUDA_BLOCK * CUDA_BLOCK;
    if (*batch < CUDA_BLOCK) *batch = CUDA_BLOCK;
    if (quark_bytes(plan, space, *batch) > free_bytes)
        return bg_fail(error, BG_ERROR_MEMORY,
                       "%d gluons and %d quark lines need at least %.3g MB on the device, %.3g MB of %.3g MB are free",
                       plan->process.gluons, plan->process.lines, 1e-6 * (double)quark_bytes(plan, space, *batch),
                       1e-6 * (double)free_bytes, 1e-6 * (double)total_bytes);
    return BG_OK;
}

static bg_status quark_memory(const bg_plan *plan, bg_memory *memory, bg_error *error)
{
    quark_space space;
    bg_status status = bg_cuda_quarks_plan(plan, &space, error);
    if (status != BG_OK) return status;
    if (!memory->batch) status = quark_batch(plan, &space, &memory->batch, error);
    if (status == BG_OK) status = bg_cuda_quark_resources(&space, &memory->on_chip, &memory->stack, error);
    if (status == BG_OK) {
        const size_t two = quark_bytes(plan, &space, 2 * memory->batch), one = quark_bytes(plan, &space, memory->batch);
        memory->per_event = (two - one) / memory->batch;
        memory->shared = one - memory->per_event * memory->batch;
    }
    bg_cuda_quarks_destroy(&space);
    return status;
}

/* On the device that is current. */
static bg_status memory_here(const bg_plan *plan, bg_memory *memory, bg_error *error)
{
    bg_status status = BG_OK;
    memset(memory, 0, sizeof *memory);
    memory->batch = plan->batch;
    if (bg_plan_sums_quarks(plan)) return quark_memory(plan, memory, error);
    if (!memory->batch) status = choose_batch(plan, &memory->batch, error);
    if (status == BG_OK) status = kernel_resources(plan, &memory->on_chip, &memory->stack, error);
    if (status != BG_OK) return status;
    memory->shared = table_bytes(plan);
    memory->per_event = workspace_bytes(plan, memory->batch) / memory->batch;
    if (choose_algorithm(plan) == CUDA_COHERENT) {
        /* no tables: all of it is for the groups in flight */
        coherent_space space;
        size_t ignored;
        memory->shared = 0;
        status = plan_groups(plan, &space, &ignored, error);
        if (status == BG_OK) memory->per_event += space.bytes / (size_t)space.group;
    }
    return status;
}

bg_status bg_cuda_memory(const bg_plan *plan, bg_memory *memory, bg_error *error)
{
    int device, own, previous;
    bg_status status = bg_device_find(plan->options.device, &device, &own, error);
    if (status == BG_OK) status = bg_device_enter(own, &previous, error);
    if (status != BG_OK) return status;
    status = memory_here(plan, memory, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* ---- tables --------------------------------------------------------------------------------------------- */

/* Orderings, gluon 0 first, packed four bits a place; see packed_gluon(). */
static void pack_orderings(int n, int letters, uint64_t *orderings)
{
    permutation p = bg_permutation_unrank(letters, 0);
    uint64_t rank = 0;
    do {
        uint64_t packed = packed_place(n - 1, n - 1);
        if (letters == n - 1) packed = 0;
        for (int k = 0; k < letters; k++) packed |= packed_place(p.at[k] + 1, k + 1);
        orderings[rank++] = packed;
    } while (bg_permutation_next(letters, &p));
}

/* The color factors as a function on the group. */
static int color_function(const bg_plan *plan, int letters, uint64_t size, float *function)
{
    int64_t *exact = malloc(size * sizeof *exact);
    int failed = !exact;
    if (!failed && plan->options.decomposition == BG_DECOMPOSITION_TRACE)
        failed = bg_color_trace(letters, exact, bg_default_threads(), plan->interrupt);
    else if (!failed)
        failed = bg_color_adjoint(letters, exact, bg_default_threads(), plan->interrupt);
    for (uint64_t k = 0; k < size && !failed; k++) function[k] = (float)exact[k];
    free(exact);
    return failed;
}

static bg_status fill_matrix(const cuda_state *s, int letters, const float *function, bg_error *error)
{
    const uint64_t size = s->task.orderings_count;
    float *on_device = (float *)s->task.amplitude; /* not in use yet, and larger */
    CUDA_TRY(error, cudaMemcpyAsync(on_device, function, size * sizeof *function, cudaMemcpyHostToDevice, s->stream));
    return bg_cuda_color_matrix(s->stream, letters, size, s->task.orderings, on_device, writable(s->task.matrix),
                                error);
}

static bg_status fill_tables(const cuda_state *s, bg_error *error)
{
    const bg_plan *plan = s->plan;
    const int letters = moving_letters(plan), summed = plan->options.color == BG_COLOR_SUMMED;
    const uint64_t size = s->task.orderings_count;
    if (!size || !needs_orderings(plan)) return BG_OK;
    uint64_t *orderings = malloc(size * sizeof *orderings);
    float *function = malloc(size * sizeof *function);
    bg_status status = BG_OK;
    if (!orderings || !function || (summed && color_function(plan, letters, size, function)))
        status = bg_plan_no_tables(plan, error);
    if (status == BG_OK) {
        pack_orderings(plan->process.n, letters, orderings);
        const cudaError_t code = cudaMemcpyAsync(writable(s->task.orderings), orderings, size * sizeof *orderings,
                                                 cudaMemcpyHostToDevice, s->stream);
        if (code != cudaSuccess) status = bg_cuda_fail(error, code, "cudaMemcpyAsync");
    }
    if (status == BG_OK && summed) status = fill_matrix(s, letters, function, error);
    if (status == BG_OK) {
        const cudaError_t code = cudaStreamSynchronize(s->stream);
        if (code != cudaSuccess) status = bg_cuda_fail(error, code, "cudaStreamSynchronize");
    }
    free(orderings);
    free(function);
    return status;
}

/* ---- life of a state -------------------------------------------------------------------------------------- */

void bg_cuda_destroy(void *opaque)
{
    cuda_state *s = opaque;
    int previous;
    (void)bg_device_enter(s->own, &previous, NULL);
    bg_cuda_integrator_destroy(s->integrator);
    if (s->stream) (void)cudaStreamDestroy(s->stream);
    if (s->memory) (void)cudaFree(s->memory); /* waits for kernels that still use it */
    if (s->plan->shares)
        bg_loan_leave(BG_LOAN_BATCH, s->own);
    else if (s->workspace)
        (void)cudaFree(s->workspace);
    bg_cuda_quarks_destroy(&s->quarks);
    bg_device_leave(previous);
    bg_cuda_peers_destroy(s);
    free(s);
}

/* Cut memory up, or count it: what stays, and what a batch needs. */
static size_t cut_kept(cuda_state *s, void *base)
{
    cutter c = {base, 0};
    if (s->algorithm == CUDA_QUARKS)
        bg_cuda_quarks_cut_tables(&c, &s->quarks, &s->task);
    else
        cut_tables(&c, s->plan, s);
    return c.used;
}

static size_t cut_batch(cuda_state *s, void *base)
{
    cutter c = {base, 0};
    if (s->algorithm == CUDA_QUARKS) {
        bg_cuda_quarks_cut_batch(&c, &s->quarks, s->batch, &s->task);
        cut_results(&c, s->plan, s->batch, s);
    } else {
        cut_groups(&c, s->plan, s);
        cut_workspace(&c, s->plan, s->algorithm, s->batch, s);
    }
    return c.used;
}

static bg_status failed(const cuda_state *s, cudaError_t code, size_t bytes, bg_error *error)
{
    const bg_status status = bg_cuda_fail(error, code, "cudaMalloc");
    if (status != BG_ERROR_MEMORY) return status;
    return bg_fail(error, status, "cudaMalloc: %.3g MB for n_out = %d were not to be had on device %d",
                   1e-6 * (double)bytes, s->plan->process.n_out, s->device);
}

/* Lays out a batch in its memory. */
static bg_status place_batch(cuda_state *s, bg_error *error)
{
    cut_batch(s, s->workspace);
    return s->algorithm == CUDA_QUARKS ? bg_cuda_quarks_clear(s->stream, &s->quarks, &s->task, error) : BG_OK;
}

bg_status bg_cuda_borrow(cuda_state *s, bg_error *error)
{
    if (!s->plan->shares) return BG_OK;
    const size_t bytes = cut_batch(s, NULL);
    bg_error why;
    const bg_status status = bg_loan_take(BG_LOAN_BATCH, s->own, bytes, &s->workspace, &why);
    if (status != BG_OK) {
        s->workspace = NULL;
        if (status == BG_ERROR_MEMORY) return failed(s, cudaErrorMemoryAllocation, bytes, error);
        return bg_fail(error, status, "%s", why.message);
    }
    return place_batch(s, error);
}

void bg_cuda_return(cuda_state *s)
{
    if (!s->plan->shares || !s->workspace) return;
    bg_loan_return(BG_LOAN_BATCH, s->own, s->workspace);
    s->workspace = NULL;
}

/* The memory of a batch for good. */
static bg_status own_batch(cuda_state *s, bg_error *error)
{
    const size_t bytes = cut_batch(s, NULL);
    const cudaError_t code = cudaMalloc(&s->workspace, bytes);
    if (code != cudaSuccess) return failed(s, code, bytes, error);
    return place_batch(s, error);
}

static bg_status fill(cuda_state *s, bg_error *error)
{
    if (s->algorithm == CUDA_QUARKS)
        return bg_cuda_quarks_fill(s->stream, &s->quarks, &s->task, s->plan->interrupt, error);
    const bg_status status = fill_tables(s, error);
    return status == BG_OK && s->fast ? bg_fast_fill(s->stream, &s->space, s->plan->interrupt, error) : status;
}

static bg_status allocate(cuda_state *s, bg_error *error)
{
    size_t ignored;
    bg_status status = BG_OK;
    if (s->algorithm == CUDA_COHERENT) status = plan_groups(s->plan, &s->coherent, &ignored, error);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    const size_t bytes = cut_kept(s, NULL);
    const cudaError_t code = bytes ? cudaMalloc(&s->memory, bytes) : cudaSuccess;
    if (code != cudaSuccess) return failed(s, code, bytes, error);
    cut_kept(s, s->memory);
    status = s->plan->shares ? bg_cuda_borrow(s, error) : own_batch(s, error);
    if (status == BG_OK) status = fill(s, error); /* which may use memory of the batch */
    if (s->plan->shares) {
        const cudaError_t done = cudaStreamSynchronize(s->stream);
        bg_cuda_return(s);
        if (status == BG_OK && done != cudaSuccess) status = bg_cuda_fail(error, done, "cudaStreamSynchronize");
    }
    return status;
}

bg_status bg_cuda_create(bg_plan *plan, void **state, bg_error *error)
{
    int previous;
    cuda_state *s = calloc(1, sizeof *s);
    if (!s) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the CUDA backend");
    bg_status status = bg_device_find(plan->options.device, &s->device, &s->own, error);
    if (status == BG_OK) status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) {
        free(s);
        return status;
    }
    s->plan = plan;
    if (plan->shares) bg_loan_join(BG_LOAN_BATCH, s->own);
    s->all_devices = plan->options.device < 0;
    s->algorithm = choose_algorithm(plan);
    s->fast = bg_cuda_fast(plan);
    if (!s->fast && s->algorithm != CUDA_COHERENT && s->algorithm != CUDA_QUARKS)
        plan->options.kernel = BG_KERNEL_PAPER;
    ask(plan, &s->task.question);
    if (s->algorithm == CUDA_QUARKS) {
        status = bg_cuda_quarks_plan(plan, &s->quarks, error);
        if (status == BG_OK) status = quark_batch(plan, &s->quarks, &s->batch, error);
    } else {
        status = choose_batch(plan, &s->batch, error);
    }
    if (status == BG_OK) status = allocate(s, error);
    bg_device_leave(previous);
    if (status != BG_OK) {
        bg_cuda_destroy(s);
        return status;
    }
    plan->batch = s->batch;
    plan->options.device = s->device;
    if (!plan->options.threads) plan->options.threads = 1;
    *state = s;
    return bg_succeed(error);
}
