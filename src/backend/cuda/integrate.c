/* Integration on a device, chunk by chunk.
 *
 * Everything is queued on one stream: points of chunk 0, points of chunk 1, matrix elements and sums of chunk 0, points
 * of chunk 2, and so on. The host needs the number of accepted points of a chunk to queue its matrix elements; by
 * then the device is busy with the chunk before, so it never waits for the host. Points are therefore held twice.
 * With a sieve (estimate/sieve.h) the points of a chunk are sieved behind their generation, and those that were kept are gathered,
 * evaluated and added up, so many at a time as there is room for.
 * In a hybrid integration the host generates the points of a chunk (hybrid.c) while the device evaluates the one before.
 */
#include "backend/cuda/integrator.h"
#include "backend/cuda/loan.h"
#include "base/status.h"
#include "base/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HYBRID_CHUNK ((size_t)1 << 17)
#define HYBRID_LEAST ((size_t)1 << 12)
#define MOST_POINTS ((uint64_t)1 << 29) /* between two merges: digits of exact sums have room for 2^30 terms */

/* ---- a chunk ----------------------------------------------------------------------------------------------------- */

static uint64_t trials_of(const cuda_call *c, uint64_t chunk)
{
    const uint64_t from = chunk * c->size, left = c->count - from;
    return left < c->size ? left : c->size;
}

bg_status bg_cuda_prepare_channel(cuda_call *c, bg_error *error)
{
    cuda_integrator *g = c->g;
    c->channel = *c->batch->channel;
    if (!c->channel.protons) return BG_OK;
    if (g->protons != c->channel.protons) {
        bg_protons copy = *c->channel.protons;
        const size_t bytes = (size_t)copy.grid.doubles * sizeof(double);
        if (g->device_protons) (void)cudaFree(g->device_protons);
        g->device_protons = NULL;
        g->protons = NULL;
        CUDA_TRY(error, cudaMalloc((void **)&g->device_protons, sizeof copy + bytes));
        double *densities = (double *)(g->device_protons + 1);
        CUDA_TRY(error, cudaMemcpyAsync(densities, copy.grid.data, bytes, cudaMemcpyHostToDevice, c->stream));
        copy.grid.data = densities;
        CUDA_TRY(error, cudaMemcpyAsync(g->device_protons, &copy, sizeof copy, cudaMemcpyHostToDevice, c->stream));
        CUDA_TRY(error, cudaStreamSynchronize(c->stream));
        g->protons = c->channel.protons;
    }
    c->channel.protons = g->device_protons;
    return BG_OK;
}

bg_status bg_cuda_queue_points(cuda_call *c, uint64_t chunk, bg_error *error)
{
    cuda_slot *s = &c->g->slot[chunk % 2];
    CUDA_TRY(error, cudaEventRecord(s->start, c->stream));
    const bg_status status = bg_cuda_generate(c->stream, &c->channel, c->g->grid, c->first + chunk * c->size,
                                              (uint32_t)trials_of(c, chunk), &s->points, error);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaEventRecord(s->generated, c->stream));
    if (c->batch->sieve) {
        const bg_status sifted = bg_cuda_sift(c->stream, &c->g->sieve, &s->points, &s->sieved, error);
        if (sifted != BG_OK) return sifted;
        CUDA_TRY(error, cudaMemcpyAsync(&c->g->mail->kept[chunk % 2], s->sieved.kept, sizeof(uint32_t),
                                        cudaMemcpyDeviceToHost, c->stream));
    }
    CUDA_TRY(error, cudaMemcpyAsync(&c->g->mail->count[chunk % 2], s->points.count, sizeof(uint32_t),
                                    cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(error, cudaEventRecord(s->counted, c->stream));
    return BG_OK;
}

/* Adds the time between two events that have passed. */
static bg_status add_time(cudaEvent_t from, cudaEvent_t to, double *seconds, bg_error *error)
{
    float milliseconds = 0.f;
    CUDA_TRY(error, cudaEventElapsedTime(&milliseconds, from, to));
    *seconds += 1e-3 * (double)milliseconds;
    return BG_OK;
}

static bg_status take_time(cuda_call *c, cuda_slot *s, bg_error *error)
{
    if (!s->timed) return BG_OK;
    s->timed = 0;
    if (c->batch->hybrid) {
        const bg_status status = bg_cuda_feeder_time(c->g->feeder, s == &c->g->slot[1], &c->timing.copies, error);
        if (status != BG_OK) return status;
    }
    return add_time(s->begun, s->done, &c->timing.matrix_element, error);
}

bg_status bg_cuda_count_points(cuda_call *c, uint64_t chunk, bg_error *error)
{
    cuda_slot *s = &c->g->slot[chunk % 2];
    CUDA_TRY(error, cudaEventSynchronize(s->counted));
    const bg_status status = take_time(c, s, error);
    return status == BG_OK ? add_time(s->start, s->generated, &c->timing.phase_space, error) : status;
}

/* Hybrid: generates the points of a chunk and queues their copy, once the slot is free. */
static bg_status feed_points(cuda_call *c, uint64_t chunk, bg_error *error)
{
    cuda_integrator *g = c->g;
    const int at = (int)(chunk % 2);
    cuda_slot *s = &g->slot[at];
    bg_status status = BG_OK;
    if (s->timed) {
        const double start = bg_seconds();
        CUDA_TRY(error, cudaEventSynchronize(s->done));
        c->timing.waiting += bg_seconds() - start;
        status = take_time(c, s, error);
    }
    if (status == BG_OK)
        status = bg_cuda_feeder_fill(g->feeder, at, c->batch, c->first + chunk * c->size, (uint32_t)trials_of(c, chunk),
                                     &g->mail->count[at], &c->timing.phase_space, error);
    return status == BG_OK ? bg_cuda_feeder_send(g->feeder, at, &s->points, c->stream, error) : status;
}

/* ---- matrix elements and sums -------------------------------------------------------------------------------------- */

/* Matrix elements of points on the device, and their sums. */
static bg_status queue_points_sums(cuda_call *c, uint64_t chunk, cuda_summands *summands, bg_error *error)
{
    cuda_integrator *g = c->g;
    const bg_plan *plan = g->plan;
    const bg_point_arrays *points = &summands->points;
    const bg_momenta momenta = points_momenta(points, &plan->process);
    const int dealt = plan->group > 1;
    const uint32_t count = summands->count;
    bg_status status = BG_OK;
    g->deals.first = (c->first + chunk * c->size) / BG_DEAL;
    g->deals.deals = (uint32_t)((trials_of(c, chunk) + BG_DEAL - 1) / BG_DEAL);
    summands->deals = g->deals;
    c->evaluated += count;
    if (g->drawn)
        status = bg_cuda_choose(c->stream, plan->process.n, plan->options.seed, bg_helicity_choosing(&plan->options),
                                c->batch->selector ? &g->selector : NULL, count, points, &g->choices, error);
    if (status == BG_OK && dealt)
        status = bg_cuda_deal(c->stream, points->event, count, g->deals.first * BG_DEAL, &g->deals, error);
    if (status == BG_OK)
        status = bg_cuda_queue_events(c->state, c->stream, count, &momenta, points->event, g->choices.configuration,
                                      dealt ? &g->deals : NULL, g->me2, error);
    if (status == BG_OK && bg_interrupted(c->g->plan->interrupt)) return BG_OK;
    if (status == BG_OK && c->batch->rescue) status = bg_cuda_watch_unstable(c, summands, error);
    if (status == BG_OK)
        status = (summands->kept ? bg_cuda_add_kept : bg_cuda_accumulate)(c->stream, summands, &g->tally, error);
    if (status == BG_OK && c->batch->sink) status = bg_cuda_deliver(c, summands, error);
    if (status == BG_OK && c->axes.count) status = bg_cuda_fill(c->stream, summands, &c->axes, g->histograms, error);
    return status;
}

/* The points of a chunk after the sieve, and those of them that were kept. */
static bg_status queue_sieved_sums(cuda_call *c, uint64_t chunk, cuda_summands *all, bg_error *error)
{
    cuda_integrator *g = c->g;
    const cuda_slot *s = &g->slot[chunk % 2];
    const uint32_t kept = g->mail->kept[chunk % 2];
    bg_status status = BG_OK;
    all->estimate = s->sieved.estimate;
    all->probability = s->sieved.probability;
    if (c->batch->survey) {
        memset(&all->choices, 0, sizeof all->choices); /* nobody chose anything */
        return bg_cuda_deliver(c, all, error);
    }
    status = bg_cuda_add_sieved(c->stream, all, &g->tally, error);
    if (status == BG_OK && c->axes.count) status = bg_cuda_fill(c->stream, all, &c->axes, g->histograms, error);
    cuda_summands part = *all;
    part.points = g->kept;
    part.estimate = g->kept_estimate;
    part.probability = g->kept_probability;
    part.kept = 1;
    for (uint32_t first = 0; first < kept && status == BG_OK; first += part.count) {
        part.count = kept - first < g->room ? kept - first : (uint32_t)g->room;
        status = bg_cuda_gather(c->stream, g->plan->process.n, &s->points, &s->sieved, first, part.count, &g->kept,
                                g->kept_estimate, g->kept_probability, error);
        if (status == BG_OK) status = queue_points_sums(c, chunk, &part, error);
    }
    return status;
}

static bg_status queue_sums(cuda_call *c, uint64_t chunk, bg_error *error)
{
    cuda_integrator *g = c->g;
    cuda_slot *s = &g->slot[chunk % 2];
    const helicity_selector *selector = c->batch->selector;
    const uint32_t count = g->mail->count[chunk % 2];
    c->accepted += count;
    if (!count) return BG_OK;
    cuda_summands summands = {.count = count,
                              .dimensions = c->batch->channel->axes,
                              .cells = c->batch->channel->cells,
                              .cubic = c->batch->cubic,
                              .entries = selector ? selector->entries : 0,
                              .scale = c->batch->importance_scale,
                              .me2 = g->me2,
                              .points = s->points,
                              .choices = g->choices,
                              .group = g->plan->group};
    CUDA_TRY(error, cudaEventRecord(s->begun, c->stream));
    const bg_status status = (c->batch->sieve ? queue_sieved_sums : queue_points_sums)(c, chunk, &summands, error);
    if (status != BG_OK || bg_interrupted(g->plan->interrupt)) return status;
    CUDA_TRY(error, cudaEventRecord(s->done, c->stream));
    s->timed = 1;
    return BG_OK;
}

/* ---- a call ------------------------------------------------------------------------------------------------------- */

/* Grid, selector and empty sums to the device. */
static bg_status send(cuda_call *c, bg_error *error)
{
    cuda_integrator *g = c->g;
    const helicity_selector *selector = c->batch->selector;
    CUDA_TRY(error, cudaMemcpyAsync(g->grid, c->batch->grid, sizeof *g->grid, cudaMemcpyHostToDevice, c->stream));
    if (selector) {
        g->selector.by_invariants = selector->by_invariants;
        g->selector.n = selector->n;
        g->selector.entries = selector->entries;
        CUDA_TRY(error, cudaMemcpyAsync(g->selector.probability, selector->probability,
                                        bg_selector_numbers(selector->entries) * sizeof(double), cudaMemcpyHostToDevice,
                                        c->stream));
    }
    if (c->batch->sieve) {
        const double *coefficient = c->batch->sieve->coefficient;
        g->sieve.plan.masses = c->batch->sieve->plan.masses;
        g->sieve.scale = c->batch->sieve->scale;
        g->sieve.threshold = c->batch->survey ? HUGE_VAL : c->batch->sieve->threshold;
        g->sieve.coefficient = coefficient ? g->coefficient : NULL;
        if (coefficient)
            CUDA_TRY(error, cudaMemcpyAsync(g->coefficient, coefficient,
                                            (size_t)learned_coefficients(learned_numbers(&g->sieve.plan)) *
                                                sizeof *coefficient,
                                            cudaMemcpyHostToDevice, c->stream));
    }
    CUDA_TRY(error, cudaMemsetAsync(g->tally.counts, 0, cuda_tally_bytes(g), c->stream));
    if (c->axes.count)
        CUDA_TRY(error, cudaMemsetAsync(g->histograms, 0, 2 * (size_t)c->axes.cells * sizeof(bg_exact), c->stream));
    return BG_OK;
}

/* The device's tally has room for the axes of the adaptive generator, whichever generator it is. */
static void merge_tally(bg_tally *tally, bg_tally *found)
{
    int64_t *to = found->importance + (size_t)tally->dimensions * BG_GRID_BINS;
    found->dimensions = tally->dimensions;
    found->entries = tally->entries;
    found->cells = tally->cells;
    memmove(to, found->helicity, (size_t)found->entries * sizeof *found->helicity);
    memmove(to + found->entries, found->direction, (size_t)found->cells * BG_SYMMETRIC_CELLS * sizeof *to);
    bg_tally_merge(tally, found);
}

static bg_status receive(cuda_call *c, bg_tally *tally, struct bg_histograms *histograms, bg_error *error)
{
    cuda_integrator *g = c->g;
    CUDA_TRY(error,
             cudaMemcpyAsync(&g->mail->tally, g->tally.counts, cuda_tally_bytes(g), cudaMemcpyDeviceToHost, c->stream));
    if (histograms)
        CUDA_TRY(error, cudaMemcpyAsync(g->host_histograms, g->histograms,
                                        bg_histograms_integers(histograms) * sizeof(int64_t), cudaMemcpyDeviceToHost,
                                        c->stream));
    const double start = bg_seconds();
    CUDA_TRY(error, cudaStreamSynchronize(c->stream));
    if (c->batch->hybrid) c->timing.waiting += bg_seconds() - start;
    for (int k = 0; k < 2; k++) {
        const bg_status status = take_time(c, &g->slot[k], error);
        if (status != BG_OK) return status;
    }
    bg_tally *found = &g->mail->tally;
    found->points = (int64_t)c->count;
    found->accepted = c->accepted;
    found->evaluated = c->evaluated;
    found->unstable = c->unstable;
    found->rescued = c->rescued;
    found->importance = (int64_t *)(found + 1);
    found->helicity = found->importance + (size_t)g->dimensions * BG_GRID_BINS;
    found->direction = found->helicity + g->entries;
    merge_tally(tally, found);
    if (histograms) bg_histograms_add(histograms, g->host_histograms);
    return BG_OK;
}

static bg_status run_call(cuda_call *c, bg_tally *tally, struct bg_histograms *histograms, bg_error *error)
{
    bg_status status = send(c, error);
    const int hybrid = c->batch->hybrid;
    if (status == BG_OK && !hybrid) status = bg_cuda_queue_points(c, 0, error);
    for (uint64_t k = 0; k < c->chunks && status == BG_OK && !bg_interrupted(c->g->plan->interrupt); k++) {
        if (hybrid) {
            status = feed_points(c, k, error);
        } else {
            if (k + 1 < c->chunks) status = bg_cuda_queue_points(c, k + 1, error);
            if (status == BG_OK) status = bg_cuda_count_points(c, k, error);
        }
        if (status == BG_OK) status = queue_sums(c, k, error);
    }
    const int interrupted = bg_interrupted(c->g->plan->interrupt);
    if (status == BG_OK && !interrupted) status = receive(c, tally, histograms, error);
    if (status == BG_OK && !interrupted) return BG_OK;
    /* nothing may be left behind that still uses the slots */
    if (c->g->feeder) bg_cuda_feeder_wait(c->g->feeder);
    (void)cudaStreamSynchronize(c->stream);
    c->g->slot[0].timed = c->g->slot[1].timed = 0;
    return status;
}

static bg_status prepare_histograms(cuda_integrator *g, const struct bg_histograms *h, cuda_axes *axes, bg_error *error)
{
    memset(axes, 0, sizeof *axes);
    if (!h) return BG_OK;
    const size_t bytes = bg_histograms_integers(h) * sizeof(int64_t);
    if (!g->host_histograms && !(g->host_histograms = malloc(bytes)))
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for histograms");
    if (!g->histograms) CUDA_TRY(error, cudaMalloc((void **)&g->histograms, bytes));
    axes->n_out = h->kinematics.n_out;
    memcpy(axes->place, h->place, sizeof axes->place);
    axes->count = h->count;
    axes->cells = h->cells;
    for (int k = 0; k < h->count; k++) axes->axis[k] = h->histogram[k].axis;
    return BG_OK;
}

bg_status bg_cuda_integrator_run(cuda_integrator *g, void *state, cudaStream_t stream, const bg_batch *batch,
                                 bg_tally *tally, struct bg_histograms *histograms, bg_timing *timing, bg_error *error)
{
    cuda_call c;
    uint64_t most = g->capacity;
    if (batch->hybrid) {
        /* several chunks a call, so that there is something to overlap, unless they get too small */
        most = batch->count / 8 < HYBRID_LEAST ? HYBRID_LEAST : batch->count / 8;
        most = most < HYBRID_CHUNK ? most : HYBRID_CHUNK;
        most = most < g->capacity ? most : g->capacity;
    }
    memset(&c, 0, sizeof c);
    c.g = g;
    c.state = state;
    c.stream = stream;
    c.batch = batch;
    void *memory = NULL;
    bg_status status = prepare_histograms(g, histograms, &c.axes, error);
    if (status == BG_OK) status = bg_cuda_prepare_channel(&c, error);
    if (status == BG_OK) status = bg_cuda_borrow_points(g, &memory, error);
    if (status == BG_OK && batch->hybrid && !g->feeder)
        status = bg_cuda_feeder_create(&g->feeder, &g->plan->process,
                                       g->capacity < HYBRID_CHUNK ? g->capacity : HYBRID_CHUNK, batch->hybrid, error);
    for (uint64_t done = 0; done < batch->count && status == BG_OK; done += c.count) {
        const uint64_t left = batch->count - done;
        c.first = batch->first_event + done;
        c.count = left < MOST_POINTS ? left : MOST_POINTS;
        c.chunks = (c.count + most - 1) / most;
        c.size = (c.count + c.chunks - 1) / c.chunks; /* all alike */
        if (g->plan->group > 1) c.size = (c.size + BG_DEAL - 1) / BG_DEAL * BG_DEAL;
        c.chunks = (c.count + c.size - 1) / c.size;
        c.accepted = c.evaluated = c.unstable = c.rescued = 0;
        status = run_call(&c, tally, histograms, error);
    }
    if (memory) bg_loan_return(BG_LOAN_POINTS, g->device, memory);
    bg_timing_add(timing, &c.timing);
    return status;
}
