/* The CUDA backend: finds the device, builds the tables on it, chooses the batch from what fills the device and
 * from the memory that is free, and queues batches on a stream.
 *
 * All device memory of an evaluator is one allocation, cut into the arrays of cuda_task. The kernels are
 * in instance.cu (the paper's ordered recursion, one object an n_out), fast.cu (color sums of shared currents), dressed.cu,
 * coherent.cu (dressed currents of colors that a warp shares) and dense.cu (color sum, draws).
 */
#include "backend/cuda/cuda.h"
#include "backend/cuda/cutter.h"
#include "amplitude/external.h"
#include "backend/cuda/coherent.h"
#include "backend/cuda/devices.h"
#include "backend/cuda/fast.h"
#include "backend/cuda/instance.h"
#include "backend/cuda/integrate.h"
#include "backend/cuda/recycled.h"
#include "backend/cuda/roofline.h"
#include "backend/cuda/stages.h"
#include "backend/operations.h"
#include "color/factor.h"
#include "color/permutation.h"
#include "base/status.h"
#include "base/system.h"
#include "backend/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCE(n) extern const cuda_instance bg_cuda_##n##_1, bg_cuda_##n##_2;
INSTANCE(2)
INSTANCE(3)
INSTANCE(4) INSTANCE(5) INSTANCE(6) INSTANCE(7) INSTANCE(8)

    /* [n_out][parts - 1] */
    static const cuda_instance *const instances[BG_MAX_OUT_ORDERED - BG_MIN_OUT + 1][2] = {
        {&bg_cuda_2_1, &bg_cuda_2_2}, {&bg_cuda_3_1, &bg_cuda_3_2}, {&bg_cuda_4_1, &bg_cuda_4_2},
        {&bg_cuda_5_1, &bg_cuda_5_2}, {&bg_cuda_6_1, &bg_cuda_6_2}, {&bg_cuda_7_1, &bg_cuda_7_2},
        {&bg_cuda_8_1, &bg_cuda_8_2},
};

/* Events of a call of the coherent kernel: its memory does not depend on them, and its warps want many groups each. */
#define COHERENT_BATCH ((size_t)1 << 20)

typedef struct cuda_state {
    const bg_plan *plan;
    cuda_algorithm algorithm;
    int device, own; /* its number here, and that of the run time */
    size_t batch;    /* events in flight */
    cudaStream_t stream;
    void *memory; /* tables and workspace */
    cuda_task task;
    const fast_instance *fast; /* or NULL: the paper's kernels */
    fast_space space;          /* of the fast one */
    coherent_space coherent;   /* of coherent color sampling */
    double *mean, *spread;
    double *momenta, *me2, *uncertainty; /* of a batch that comes from the host */
    cuda_integrator *integrator;         /* made by the first integration */
    int all_devices;                     /* no device was named: an integration may use all of them */
    struct cuda_peer *peers;             /* the others, made by the first integration */
    int peer_count;
} cuda_state;

/* Another device that shares the work of an integration. */
typedef struct cuda_peer {
    bg_plan plan;
    cuda_state *state;
} cuda_peer;

/* ---- devices ------------------------------------------------------------------------------------------------ */

static bg_status cuda_probe(char *description, size_t size, bg_error *error)
{
    int count = 0, device, own;
    bg_status status = bg_devices_count(&count, error);
    if (status == BG_OK) status = bg_device_find(-1, &device, &own, error);
    if (status == BG_OK) status = bg_device_describe(own, description, size, error);
    if (status != BG_OK) return status;
    if (count > 1) {
        const size_t used = strlen(description);
        snprintf(description + used, size - used, ", and %d more device%s", count - 1, count > 2 ? "s" : "");
    }
    return bg_succeed(error);
}

/* ---- what a plan needs ----------------------------------------------------------------------------------- */

static cuda_algorithm choose_algorithm(const bg_options *o)
{
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
    if (o->color == BG_COLOR_SUMMED) return o->decomposition == BG_DECOMPOSITION_TRACE ? plan->n - 1 : plan->n_out;
    return o->color == BG_COLOR_LEADING && o->orderings == BG_ORDERINGS_ALL ? plan->n - 1 : 0;
}

static uint64_t ordering_count(const bg_plan *plan)
{
    const int letters = moving_letters(plan);
    return letters ? bg_factorial(letters) : 0;
}

/* Sums that collect_kernel adds up for an event. */
static uint64_t slice_count(const bg_plan *plan, cuda_algorithm algorithm)
{
    const uint64_t configurations = (uint64_t)helicity_configurations(plan->n, plan->mode);
    const uint64_t orderings = ordering_count(plan);
    if (bg_cuda_fast(plan) && plan->n_out <= FAST_IN_REGISTERS) return 1;
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
    case CUDA_SUMMED: return (ordering_count(plan) + CUDA_ORDERINGS - 1) / CUDA_ORDERINGS;
    case CUDA_COOPERATIVE: return slice_count(plan, algorithm) * (uint64_t)(plan->n - 1);
    default: return slice_count(plan, algorithm);
    }
}

static void cut_fast_tables(cutter *c, const bg_plan *plan, fast_space *f)
{
    const int letters = plan->n_out, fourier = letters >= FAST_FOURIER;
    bg_fast_sizes(letters, &f->words);
    if (letters <= FAST_IN_REGISTERS) return;
    f->words.row = cut(c, f->words.first[letters] * sizeof(fast_split));
    if (bg_fast_recycles(plan))
        f->record = cut(c, ordering_count(plan) * RECYCLED_RECORD((size_t)letters) * sizeof(uint32_t));
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
    return plan->options.color == BG_COLOR_SUMMED && !(bg_cuda_fast(plan) && plan->n_out >= FAST_FOURIER);
}

static int needs_orderings(const bg_plan *plan)
{
    return plan->options.color != BG_COLOR_SUMMED || needs_matrix(plan);
}

static void cut_tables(cutter *c, const bg_plan *plan, cuda_state *s)
{
    const uint64_t size = ordering_count(plan);
    s->task.orderings_count = size;
    s->task.orderings = cut(c, needs_orderings(plan) ? size * sizeof(uint64_t) : 0);
    s->task.matrix = cut(c, needs_matrix(plan) ? size * size * sizeof(float) : 0);
    if (bg_cuda_fast(plan)) cut_fast_tables(c, plan, &s->space);
    if (choose_algorithm(&plan->options) == CUDA_COHERENT) {
        s->coherent.memory = cut(c, (size_t)s->coherent.warps * s->coherent.warp_bytes);
        s->coherent.next = cut(c, sizeof *s->coherent.next);
    }
}

static void cut_fast_workspace(cutter *c, const bg_plan *plan, size_t pitch, fast_space *f)
{
    const size_t row = pitch * sizeof(double), parts = (size_t)helicity_parts(plan->mode);
    const int summed = plan->mode == HELICITY_BASIS;
    if (plan->n_out <= FAST_IN_REGISTERS) return;
    bg_fast_sizes(plan->n_out, &f->words);
    f->tile = bg_fast_tile(plan);
    if (f->tile > pitch) f->tile = pitch; /* a multiple of CUDA_BLOCK */
    f->sets = cut(c, ((size_t)1 << plan->n_out) * FAST_SET * row);
    f->polarization = cut(c, summed ? 0 : (size_t)plan->n * parts * 2 * row);
    if (bg_fast_recycles(plan)) {
        const fast_instance *fast = bg_cuda_fast(plan);
        f->blocks = bg_fast_blocks(fast);
        if (f->blocks > f->tile) f->blocks = f->tile;
        f->currents = cut(c, f->blocks * fast->memory);
    } else
        f->currents = cut(c, (size_t)f->words.words * parts * 4 * f->tile * sizeof(double));
    const size_t rows = plan->n_out >= FAST_FOURIER ? bg_fourier_other(plan->n_out) : 0;
    f->other = cut(c, rows * bg_fast_columns(plan, pitch) * sizeof(double));
}

static void cut_workspace(cutter *c, const bg_plan *plan, cuda_algorithm algorithm, size_t pitch, cuda_state *s)
{
    const size_t row = pitch * sizeof(double), components = 4 * (size_t)plan->n;
    const size_t parts = (size_t)helicity_parts(plan->mode), states = (size_t)helicity_states(plan->mode);
    const int fast = bg_cuda_fast(plan) != NULL;
    const int ordered = algorithm != CUDA_DRESSED && algorithm != CUDA_COHERENT && !fast, summed = algorithm == CUDA_SUMMED;
    const size_t columns = fast ? bg_fast_columns(plan, pitch) : parts * pitch;
    const uint64_t size = ordering_count(plan), tiles = (size + CUDA_FORM_ROWS - 1) / CUDA_FORM_ROWS;
    s->task.columns = summed ? columns : 0;
    s->task.p = cut(c, ordered ? components * row : 0);
    s->task.state = cut(c, ordered ? components * states * parts * row : 0);
    s->task.propagator =
        cut(c, ordered ? cuda_propagators(plan->n, plan->options.orderings == BG_ORDERINGS_ONE) * row : 0);
    s->task.amplitude = cut(c, summed ? size * columns * sizeof(double) : 0);
    s->task.tile = cut(c, summed && needs_matrix(plan) && tiles > 1 ? tiles * columns * sizeof(double) : 0);
    if (fast) cut_fast_workspace(c, plan, pitch, &s->space);
    s->task.store = cut(c, algorithm != CUDA_DRESSED ? 0 : bg_cuda_dressed_numbers(plan->n, (int)parts) * row);
    s->task.partial = cut(c, slice_count(plan, algorithm) * row);
    s->mean = cut(c, plan->options.samples > 1 ? row : 0);
    s->spread = cut(c, plan->options.samples > 1 ? row : 0);
    s->momenta = cut(c, components * row);
    s->me2 = cut(c, row);
    s->uncertainty = cut(c, row);
}

/* What does not grow with the batch. */
static size_t table_bytes(const bg_plan *plan)
{
    cutter c = {NULL, 0};
    cuda_state ignored;
    size_t stack;
    memset(&ignored.coherent, 0, sizeof ignored.coherent);
    if (choose_algorithm(&plan->options) == CUDA_COHERENT &&
        bg_cuda_coherent_plan(plan, &ignored.coherent, &stack, NULL) != BG_OK)
        return 0; /* the device is gone: the next call says so */
    cut_tables(&c, plan, &ignored);
    return c.used;
}

static size_t workspace_bytes(const bg_plan *plan, size_t pitch)
{
    cutter c = {NULL, 0};
    cuda_state ignored;
    cut_workspace(&c, plan, choose_algorithm(&plan->options), pitch, &ignored);
    return c.used;
}

static const cuda_instance *choose_instance(const bg_plan *plan)
{
    return plan->n_out <= BG_MAX_OUT_ORDERED ? instances[plan->n_out - BG_MIN_OUT][helicity_parts(plan->mode) - 1]
                                             : NULL;
}

static void ask(const bg_plan *plan, cuda_question *q)
{
    const bg_options *o = &plan->options;
    memset(q, 0, sizeof *q);
    q->n = plan->n;
    q->mode = plan->mode;
    q->tensor = o->vertex == BG_VERTEX_TENSOR;
    q->one = o->orderings == BG_ORDERINGS_ONE;
    q->discrete = o->color_sampling == BG_COLORS_DISCRETE;
    q->circular = plan->mode == HELICITY_CIRCULAR && o->helicity == BG_HELICITY_SAMPLED;
    q->configuration = plan->configuration;
    q->seed = o->seed;
}

static bg_status kernel_resources(const bg_plan *plan, size_t *on_chip, size_t *stack, bg_error *error)
{
    const cuda_instance *instance = choose_instance(plan);
    const fast_instance *fast = bg_cuda_fast(plan);
    cuda_question question;
    ask(plan, &question);
    *on_chip = *stack = 0;
    if (choose_algorithm(&plan->options) == CUDA_COHERENT) {
        coherent_space ignored;
        return bg_cuda_coherent_plan(plan, &ignored, stack, error);
    }
    if (fast) return fast->resources(on_chip, stack, error);
    if (instance) return instance->resources(choose_algorithm(&plan->options), &question, on_chip, stack, error);
    return bg_cuda_dressed_resources(helicity_parts(plan->mode), stack, error);
}

/* Events in flight on the current device: enough to keep every multiprocessor busy over several waves of
 * blocks, in at most half of the memory that is free. */
static bg_status choose_batch(const bg_plan *plan, size_t *batch, bg_error *error)
{
    const cuda_algorithm algorithm = choose_algorithm(&plan->options);
    int device = 0, processors = 0, resident = 0;
    size_t free_bytes = 0, total_bytes = 0, on_chip = 0, stack = 0;
    if (algorithm != CUDA_DRESSED && algorithm != CUDA_COHERENT && !choose_instance(plan) && !bg_cuda_fast(plan))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "n_out = %d with the ordered recursion on the device; it must be %d to %d", plan->n_out,
                       BG_MIN_OUT, BG_MAX_OUT_ORDERED);
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    CUDA_TRY(error, cudaMemGetInfo(&free_bytes, &total_bytes));
    bg_status status = kernel_resources(plan, &on_chip, &stack, error);
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
    const size_t budget = free_bytes / 2;
    if (fixed + step > free_bytes)
        return bg_fail(
            error, BG_ERROR_MEMORY,
            "n_out = %d on the device needs at least %.3g MB (%.3g MB of tables), %.3g MB of %.3g MB are free",
            plan->n_out, 1e-6 * (double)(fixed + step), 1e-6 * (double)table_bytes(plan), 1e-6 * (double)free_bytes,
            1e-6 * (double)total_bytes);
    const size_t fitting = fixed + step < budget ? (budget - fixed) / step : 1;
    *batch = wanted / CUDA_BLOCK < fitting ? wanted : fitting * CUDA_BLOCK;
    return BG_OK;
}

/* On the device that is current. */
static bg_status memory_here(const bg_plan *plan, bg_memory *memory, bg_error *error)
{
    bg_status status = BG_OK;
    memset(memory, 0, sizeof *memory);
    memory->batch = plan->batch;
    if (!memory->batch) status = choose_batch(plan, &memory->batch, error);
    if (status == BG_OK) status = kernel_resources(plan, &memory->on_chip, &memory->stack, error);
    if (status != BG_OK) return status;
    memory->shared = table_bytes(plan);
    memory->per_event = workspace_bytes(plan, memory->batch) / memory->batch;
    if (choose_algorithm(&plan->options) == CUDA_COHERENT) {
        /* no tables: all of it is for the events that the warps work on */
        coherent_space space;
        size_t ignored;
        memory->shared = 0;
        status = bg_cuda_coherent_plan(plan, &space, &ignored, error);
        if (status == BG_OK) memory->per_event += space.warp_bytes / (size_t)space.group;
    }
    return status;
}

static bg_status cuda_memory(const bg_plan *plan, bg_memory *memory, bg_error *error)
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
        uint64_t packed = (uint64_t)(n - 1) << 4 * (n - 1);
        if (letters == n - 1) packed = 0;
        for (int k = 0; k < letters; k++) packed |= (uint64_t)(p.at[k] + 1) << 4 * (k + 1);
        orderings[rank++] = packed;
    } while (bg_permutation_next(letters, &p));
}

/* The color factors as a function on the group. */
static int color_function(const bg_plan *plan, int letters, uint64_t size, float *function)
{
    int64_t *exact = malloc(size * sizeof *exact);
    int failed = !exact;
    if (!failed && plan->options.decomposition == BG_DECOMPOSITION_TRACE)
        bg_color_trace(letters, exact, bg_default_threads());
    else if (!failed)
        failed = bg_color_adjoint(letters, exact, bg_default_threads());
    for (uint64_t k = 0; k < size && !failed; k++) function[k] = (float)exact[k];
    free(exact);
    return failed;
}

static bg_status fill_matrix(const cuda_state *s, int letters, const float *function, bg_error *error)
{
    const uint64_t size = s->task.orderings_count;
    float *on_device = (float *)s->task.amplitude; /* not in use yet, and larger */
    CUDA_TRY(error, cudaMemcpyAsync(on_device, function, size * sizeof *function, cudaMemcpyHostToDevice, s->stream));
    return bg_cuda_color_matrix(s->stream, letters, size, s->task.orderings, on_device, (float *)(size_t)s->task.matrix,
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
        status =
            bg_fail(error, BG_ERROR_MEMORY, "no memory for the orderings and color factors of n_out = %d", plan->n_out);
    if (status == BG_OK) {
        pack_orderings(plan->n, letters, orderings);
        const cudaError_t code = cudaMemcpyAsync((void *)(size_t)s->task.orderings, orderings, size * sizeof *orderings,
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

static void cuda_destroy(void *opaque)
{
    cuda_state *s = opaque;
    int previous;
    (void)bg_device_enter(s->own, &previous, NULL);
    bg_cuda_integrator_destroy(s->integrator);
    if (s->stream) (void)cudaStreamDestroy(s->stream);
    if (s->memory) (void)cudaFree(s->memory); /* waits for kernels that still use it */
    bg_device_leave(previous);
    for (int k = 0; k < s->peer_count; k++) cuda_destroy(s->peers[k].state);
    free(s->peers);
    free(s);
}

static bg_status allocate(cuda_state *s, const bg_plan *plan, bg_error *error)
{
    cutter c = {NULL, 0};
    size_t ignored;
    if (s->algorithm == CUDA_COHERENT) {
        const bg_status status = bg_cuda_coherent_plan(plan, &s->coherent, &ignored, error);
        if (status != BG_OK) return status;
    }
    cut_tables(&c, plan, s);
    cut_workspace(&c, plan, s->algorithm, s->batch, s);
    CUDA_TRY(error, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    const cudaError_t code = cudaMalloc(&s->memory, c.used);
    if (code != cudaSuccess) {
        bg_status status = bg_cuda_fail(error, code, "cudaMalloc");
        if (status == BG_ERROR_MEMORY)
            status = bg_fail(error, status, "cudaMalloc: %.3g MB for n_out = %d were not to be had on device %d",
                             1e-6 * (double)c.used, plan->n_out, s->device);
        return status;
    }
    c.base = s->memory;
    c.used = 0;
    cut_tables(&c, plan, s);
    cut_workspace(&c, plan, s->algorithm, s->batch, s);
    const bg_status status = fill_tables(s, error);
    return status == BG_OK && s->fast ? bg_fast_fill(s->stream, &s->space, error) : status;
}

static bg_status cuda_create(bg_plan *plan, void **state, bg_error *error)
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
    s->all_devices = plan->options.device < 0; /* a rank of several has one of its own */
    s->algorithm = choose_algorithm(&plan->options);
    s->fast = bg_cuda_fast(plan);
    if (!s->fast && s->algorithm != CUDA_COHERENT) plan->options.kernel = BG_KERNEL_PAPER;
    ask(plan, &s->task.question);
    status = choose_batch(plan, &s->batch, error);
    if (status == BG_OK) status = allocate(s, plan, error);
    bg_device_leave(previous);
    if (status != BG_OK) {
        cuda_destroy(s);
        return status;
    }
    plan->batch = s->batch;
    plan->options.device = s->device;
    if (!plan->options.threads) plan->options.threads = 1;
    *state = s;
    return bg_succeed(error);
}

/* ---- evaluation ---------------------------------------------------------------------------------------------- */

/* Queues all draws of up to s->batch events. me2 and uncertainty (may be NULL) are device pointers. */
static bg_status queue_batch(cuda_state *s, cudaStream_t stream, uint64_t first_event, size_t count,
                             cuda_momenta momenta, const cuda_deals *deals, double *me2, double *uncertainty,
                             bg_error *error)
{
    const bg_plan *plan = s->plan;
    const cuda_instance *instance = choose_instance(plan);
    cuda_task *t = &s->task;
    t->stream = stream;
    t->count = (int)count;
    t->pitch = (count + CUDA_BLOCK - 1) / CUDA_BLOCK * CUDA_BLOCK;
    t->slice_step = t->pitch;
    t->event_step = 1;
    t->momenta = momenta;
    t->question.first_event = first_event;
    const double helicities = t->question.circular ? (double)(1u << plan->n) : 1.;
    const double orderings = t->question.one ? (double)bg_factorial(plan->n - 1) : 1.;
    cuda_collection c = {.partial = t->partial,
                         .count = t->count,
                         .samples = plan->options.samples,
                         .sampled = plan->sampled,
                         .mean = s->mean,
                         .spread = s->spread,
                         .me2 = me2,
                         .uncertainty = uncertainty};
    c.weight = helicity_draw_weight(plan->n, plan->mode) * orderings;
    c.normalization = plan->normalization * helicities;
    for (int k = 0; k < plan->options.samples; k++) {
        t->question.draw = (uint32_t)k;
        bg_status status = s->algorithm == CUDA_COHERENT
                               ? bg_cuda_coherent(helicity_parts(plan->mode), t, &s->coherent, deals, error)
                           : s->fast  ? s->fast->evaluate(t, &s->space, error)
                           : instance ? instance->evaluate(s->algorithm, t, error)
                                      : bg_cuda_dressed(helicity_parts(plan->mode), t, error);
        c.draw = k;
        c.slices = t->slices;
        c.slice_step = t->slice_step;
        c.event_step = t->event_step;
        if (status == BG_OK) status = bg_cuda_collect(stream, &c, error);
        if (status != BG_OK) return status;
    }
    return BG_OK;
}

/* Batch after batch of device arrays. */
static bg_status queue_all(cuda_state *s, cudaStream_t stream, uint64_t first_event, size_t count,
                           const double *momenta, double *me2, bg_error *error)
{
    const size_t numbers = 4 * (size_t)s->plan->n;
    for (size_t done = 0; done < count; done += s->batch) {
        const size_t now = count - done < s->batch ? count - done : s->batch;
        const cuda_momenta m = {momenta + done * numbers, numbers, 1};
        const bg_status status = queue_batch(s, stream, first_event + done, now, m, NULL, me2 + done, NULL, error);
        if (status != BG_OK) return status;
    }
    return BG_OK;
}

static bg_status cuda_evaluate_device(void *opaque, uint64_t first_event, size_t count, const double *momenta,
                                      double *me2, void *stream, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = queue_all(s, (cudaStream_t)stream, first_event, count, momenta, me2, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* One batch from the host and back, queued. */
static bg_status queue_host_batch(cuda_state *s, uint64_t first_event, size_t count, const double *momenta, double *me2,
                            double *uncertainty, bg_error *error)
{
    const size_t numbers = 4 * (size_t)s->plan->n, row = count * sizeof(double);
    const cuda_momenta m = {s->momenta, numbers, 1};
    CUDA_TRY(error, cudaMemcpyAsync(s->momenta, momenta, numbers * row, cudaMemcpyHostToDevice, s->stream));
    bg_status status =
        queue_batch(s, s->stream, first_event, count, m, NULL, s->me2, uncertainty ? s->uncertainty : NULL, error);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaMemcpyAsync(me2, s->me2, row, cudaMemcpyDeviceToHost, s->stream));
    if (uncertainty)
        CUDA_TRY(error, cudaMemcpyAsync(uncertainty, s->uncertainty, row, cudaMemcpyDeviceToHost, s->stream));
    return BG_OK;
}

static bg_status cuda_evaluate(void *opaque, uint64_t first_event, size_t count, const double *momenta, double *me2,
                               double *uncertainty, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    for (size_t done = 0; done < count && status == BG_OK; done += s->batch) {
        const size_t now = count - done < s->batch ? count - done : s->batch;
        status = queue_host_batch(s, first_event + done, now, momenta + done * 4 * (size_t)s->plan->n, me2 + done,
                                  uncertainty ? uncertainty + done : NULL, error);
        /* after a failure as well: what was queued uses the caller's arrays */
        const cudaError_t code = cudaStreamSynchronize(s->stream);
        if (status == BG_OK && code != cudaSuccess) status = bg_cuda_fail(error, code, "cudaStreamSynchronize");
    }
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

static void cuda_describe(void *opaque, char *description, size_t size)
{
    const cuda_state *s = opaque;
    if (bg_device_describe(s->own, description, size, NULL) != BG_OK) return;
    const size_t used = strlen(description);
    int count = 0;
    if (s->all_devices && bg_devices_count(&count, NULL) == BG_OK && count > 1)
        snprintf(description + used, size - used, ", device %d (integrations: all %d)", s->device, count);
    else
        snprintf(description + used, size - used, ", device %d", s->device);
}

/* ---- times --------------------------------------------------------------------------------------------------- */

static bg_status time_repetitions(cuda_state *s, const double *momenta, size_t count, int repetitions, double *seconds,
                                  const cudaEvent_t mark[2], bg_error *error)
{
    const size_t numbers = 4 * (size_t)s->plan->n;
    const cuda_momenta m = {s->momenta, numbers, 1};
    CUDA_TRY(error, cudaMemcpyAsync(s->momenta, momenta, count * numbers * sizeof(double), cudaMemcpyHostToDevice,
                                    s->stream));
    for (int r = -1; r < repetitions; r++) { /* the first is not timed */
        float milliseconds = 0.f;
        CUDA_TRY(error, cudaEventRecord(mark[0], s->stream));
        const bg_status status = queue_batch(s, s->stream, 0, count, m, NULL, s->me2, NULL, error);
        if (status != BG_OK) return status;
        CUDA_TRY(error, cudaEventRecord(mark[1], s->stream));
        CUDA_TRY(error, cudaEventSynchronize(mark[1]));
        CUDA_TRY(error, cudaEventElapsedTime(&milliseconds, mark[0], mark[1]));
        if (r >= 0) seconds[r] = 1e-3 * (double)milliseconds;
    }
    return BG_OK;
}

static bg_status time_with_marks(cuda_state *s, const double *momenta, size_t count, int repetitions, double *seconds,
                                 bg_error *error)
{
    cudaEvent_t mark[2] = {NULL, NULL};
    bg_status status = BG_OK;
    for (int k = 0; k < 2 && status == BG_OK; k++) {
        const cudaError_t code = cudaEventCreate(&mark[k]);
        if (code != cudaSuccess) status = bg_cuda_fail(error, code, "cudaEventCreate");
    }
    if (status == BG_OK) status = time_repetitions(s, momenta, count, repetitions, seconds, mark, error);
    if (status != BG_OK) (void)cudaStreamSynchronize(s->stream);
    for (int k = 0; k < 2; k++)
        if (mark[k]) (void)cudaEventDestroy(mark[k]);
    return status;
}

static bg_status cuda_time_device(void *opaque, const double *momenta, size_t count, int repetitions, double *seconds,
                                  bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    if (!count || count > s->batch)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%zu events to time; it must be 1 to %zu", count, s->batch);
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = time_with_marks(s, momenta, count, repetitions, seconds, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* Amplitudes and color sum of each repetition. */
static bg_status time_marked(cuda_state *s, const double *momenta, size_t count, int repetitions, bg_stages *each,
                             bg_error *error)
{
    const size_t numbers = 4 * (size_t)s->plan->n;
    const cuda_momenta m = {s->momenta, numbers, 1};
    CUDA_TRY(error, cudaMemcpyAsync(s->momenta, momenta, count * numbers * sizeof(double), cudaMemcpyHostToDevice,
                                    s->stream));
    for (int r = 0; r < repetitions; r++) {
        bg_status status = queue_batch(s, s->stream, 0, count, m, NULL, s->me2, NULL, error);
        if (status == BG_OK) status = bg_cuda_marks_read(s->task.marks, &each[r], error);
        if (status != BG_OK) return status;
    }
    return BG_OK;
}

static bg_status cuda_time_stages(void *opaque, const double *momenta, size_t count, int repetitions, bg_stages *each,
                                  bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    if (s->algorithm != CUDA_SUMMED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "only summed colors have a color sum beside the amplitudes");
    if (s->fast && s->plan->n_out <= FAST_IN_REGISTERS)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "one kernel does amplitudes and color sum up to n_out = %d",
                       FAST_IN_REGISTERS);
    if (!count || count > s->batch)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%zu events to time; it must be 1 to %zu", count, s->batch);
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = bg_cuda_marks_create(&s->task.marks, error);
    if (status == BG_OK) status = time_marked(s, momenta, count, repetitions, each, error);
    (void)cudaStreamSynchronize(s->stream);
    bg_cuda_marks_destroy(s->task.marks);
    s->task.marks = NULL;
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

static bg_status cuda_roofline(int device, double seconds, bg_roofline *roofline, bg_error *error)
{
    int selected, own, previous;
    bg_status status = bg_device_find(device, &selected, &own, error);
    if (status == BG_OK) status = bg_device_enter(own, &previous, error);
    if (status != BG_OK) return status;
    status = bg_cuda_measure_roofline(seconds, roofline, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

static void cuda_operations(void *opaque, bg_operations *o)
{
    const cuda_state *s = opaque;
    const bg_plan *plan = s->plan;
    const int N = plan->n_out, parts = helicity_parts(plan->mode), basis = plan->mode == HELICITY_BASIS;
    const double samples = plan->options.samples;
    int capability = 0;
    (void)cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, s->own);
    bg_paper_operations(plan, o);
    /* the dense sum of few orderings is done a column a thread */
    o->tensor = plan->options.color == BG_COLOR_SUMMED && ordering_count(plan) > 24 && capability >= 8;
    if (s->algorithm == CUDA_COHERENT)
        o->amplitudes = samples * helicity_configurations(plan->n, plan->mode) *
                        bg_coherent_operations(plan->n, parts, plan->options.seed);
    if (!s->fast) return;
    /* summed helicities: recycled, or the configurations of the outgoing gluons, each with all states of the incoming ones */
    o->amplitudes = samples * (bg_fast_recycles(plan) ? bg_shared_operations(N, 2, 1, 1)
                               : basis                ? (double)(1u << N) * bg_shared_operations(N, 1, 1, 2)
                                                      : bg_shared_operations(N, 1, parts, 1));
    o->color_sum = samples * (basis ? (double)(1u << plan->n) : parts) *
                   (N >= FAST_FOURIER ? s->space.operations : bg_dense_operations(bg_factorial(N)));
}

/* ---- integration ---------------------------------------------------------------------------------------------- */

bg_status bg_cuda_queue_events(void *opaque, cudaStream_t stream, size_t count, cuda_momenta momenta,
                               const uint64_t *events, const uint32_t *configurations, const cuda_deals *deals,
                               double *me2, bg_error *error)
{
    cuda_state *s = opaque;
    cuda_question *q = &s->task.question;
    const int circular = q->circular;
    /* batches of the same size, whole blocks each */
    const size_t batches = (count + s->batch - 1) / s->batch;
    const size_t even = ((count + batches - 1) / batches + CUDA_BLOCK - 1) / CUDA_BLOCK * CUDA_BLOCK;
    const size_t size = even < s->batch ? even : s->batch;
    bg_status status = BG_OK;
    if (configurations) q->circular = 0; /* drawn already, and the probability taken into account by the caller */
    for (size_t done = 0; done < count && status == BG_OK; done += size) {
        const cuda_momenta m = {momenta.at + done * momenta.event, momenta.event, momenta.component};
        q->events = events + done;
        q->configurations = configurations ? configurations + done : NULL;
        status = queue_batch(s, stream, 0, count - done < size ? count - done : size, m, deals, me2 + done, NULL, error);
    }
    q->events = NULL;
    q->configurations = NULL;
    q->circular = circular;
    return status;
}

static bg_status integrate_here(void *opaque, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                                bg_timing *timing, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    if (!s->integrator) status = bg_cuda_integrator_create(&s->integrator, s->plan, s->batch, error);
    if (status == BG_OK)
        status = bg_cuda_integrator_run(s->integrator, s, s->stream, batch, tally, histograms, timing, error);
    bg_device_leave(previous);
    return status;
}

static bg_status cuda_time_points(void *opaque, const bg_batch *batch, int repetitions, double *seconds_each,
                                  uint64_t *accepted, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    if (!s->integrator) status = bg_cuda_integrator_create(&s->integrator, s->plan, s->batch, error);
    if (status == BG_OK)
        status = bg_cuda_integrator_points(s->integrator, s->stream, batch, repetitions, seconds_each, accepted, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* States on all other devices, where no device was named and there is one process. A device that cannot run the plan
 * is left out. */
static bg_status find_peers(cuda_state *s, bg_error *error)
{
    int count = 0;
    bg_status status = bg_devices_count(&count, error);
    s->all_devices = 0; /* from now on they are there, or have failed */
    if (count > MOST_DEVICES) count = MOST_DEVICES;
    if (status != BG_OK || count < 2) return status;
    s->peers = calloc((size_t)count - 1, sizeof *s->peers);
    if (!s->peers) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %d devices", count);
    for (int device = 0; device < count; device++) {
        if (device == s->device) continue;
        cuda_peer *p = &s->peers[s->peer_count];
        void *state = NULL;
        p->plan = *s->plan;
        p->plan.batch = 0;
        p->plan.options.device = device;
        if (cuda_create(&p->plan, &state, NULL) != BG_OK) continue;
        p->state = state;
        s->peer_count++;
    }
    return BG_OK;
}

static bg_status cuda_integrate(void *opaque, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                                bg_timing *timing, bg_error *error)
{
    cuda_state *s = opaque;
    bg_status status = s->all_devices && !batch->hybrid ? find_peers(s, error) : BG_OK;
    void *device[MOST_DEVICES] = {s};
    const int count = batch->hybrid ? 1 : s->peer_count + 1; /* the CPU feeds one device */
    for (int k = 1; k < count; k++) device[k] = s->peers[k - 1].state;
    if (status == BG_OK)
        status = bg_batch_spread(count, device, integrate_here, bg_deal_unit(s->plan->group), batch, tally, histograms,
                                 timing, error);
    return status == BG_OK ? bg_succeed(error) : status;
}

const bg_backend bg_backend_cuda = {
    .name = "cuda",
    .capabilities = BG_CAN_CHOOSE_DEVICE | BG_CAN_TAKE_DEVICE_POINTERS | BG_CAN_RUN_HYBRID,
    .devices = bg_devices_count,
    .probe = cuda_probe,
    .memory = cuda_memory,
    .create = cuda_create,
    .evaluate = cuda_evaluate,
    .integrate = cuda_integrate,
    .evaluate_device = cuda_evaluate_device,
    .time_device = cuda_time_device,
    .describe = cuda_describe,
    .destroy = cuda_destroy,
    .time_stages = cuda_time_stages,
    .time_points = cuda_time_points,
    .operations = cuda_operations,
    .roofline = cuda_roofline,
};
