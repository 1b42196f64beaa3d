/* Integration on a device, chunk by chunk.
 *
 * Everything is queued on one stream: points of chunk 0, points of chunk 1, matrix elements and sums of chunk 0, points
 * of chunk 2, and so on. The host needs the number of accepted points of a chunk to queue its matrix elements; by
 * then the device is busy with the chunk before, so it never waits for the host. Points are therefore held twice.
 * With a sieve (estimate/sieve.h) the points of a chunk are sieved behind their generation, and those that were kept are gathered,
 * evaluated and added up, so many at a time as there is room for.
 * In a hybrid integration the host generates the points of a chunk (hybrid.c) while the device evaluates the one before.
 */
#include "backend/cuda/cutter.h"
#include "backend/cuda/integrate.h"
#include "backend/cuda/hybrid.h"
#include "backend/cuda/loan.h"
#include "helicity/mode.h"
#include "base/status.h"
#include "base/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CHUNK ((size_t)1 << 17)
#define MOST_CHUNK ((size_t)1 << 20) /* unless a batch of matrix elements is larger */
#define SIEVED_CHUNK ((size_t)1 << 18)
#define SIEVED_ROOM ((size_t)1 << 16) /* points that were kept, evaluated at a time */
#define SIEVE_BYTES 5e8               /* for sums over paths, of all threads together, at most */
#define HYBRID_CHUNK ((size_t)1 << 17)
#define HYBRID_LEAST ((size_t)1 << 12)
#define MOST_POINTS ((uint64_t)1 << 29) /* between two merges: digits of exact sums have room for 2^30 terms */

/* What the host reads back, in memory that the device can write to; the tally with its importances follows it. */
typedef struct mailbox {
    uint32_t count[2], kept[2], unstable;
    bg_tally tally;
} mailbox;

/* Of one chunk in flight. */
typedef struct slot {
    bg_point_arrays points;
    cuda_sieved sieved; /* with a sieve */
    cudaEvent_t start, generated, counted, begun, done;
    int timed; /* begun and done are of a chunk whose time is not taken yet */
} slot;

struct cuda_integrator {
    const bg_plan *plan;
    int drawn;                 /* helicities are drawn, point by point */
    int dimensions;            /* axes of points, at most */
    int cells;                 /* soft partons whose directions are learned, at most */
    const bg_protons *protons; /* on the host: those that the device has a copy of, with their densities behind it */
    bg_protons *device_protons;
    int entries;     /* of the selector; 0: there is none */
    size_t capacity; /* trial points of a chunk */
    int sieved;      /* made for a sieve */
    size_t room;     /* points that are evaluated at a time: those of a chunk, or that a sieve kept */
    bg_point_arrays kept;
    double *kept_estimate, *kept_probability;
    cuda_sieve sieve;    /* the kernel's, without what changes from call to call */
    double *coefficient; /* on the device, of the learned factor */
    int device;          /* by the number of the run time */
    size_t bytes;        /* that a call borrows (loan.h) */
    slot slot[2];
    cuda_choices choices;
    double *me2;
    cuda_deals deals; /* of points that share colors; NULL pointers where none do */
    channel_grid *grid;
    helicity_selector selector; /* with its tables on the device */
    cuda_tally tally;
    mailbox *mail;
    int64_t *histograms, *host_histograms; /* made when they are first wanted */
    cuda_feeder *feeder;                   /* likewise */
    cuda_unstables unstable;               /* likewise; the room grows with what is found */
};

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* A tally in one block: counts and exact sums, then the importances. */
static size_t tally_bytes(const cuda_integrator *g)
{
    return sizeof(bg_tally) + bg_tally_importances(g->dimensions, g->entries, g->cells) * sizeof(int64_t);
}

/* Cuts a block of memory up; without one, only finds out its size. */
static size_t cut_up(cuda_integrator *g, char *base, size_t capacity)
{
    const size_t numbers = 4 * (size_t)g->plan->process.n;
    const size_t most = g->plan->group > 1 || !g->sieved ? capacity : SIEVED_ROOM;
    g->room = capacity < most ? capacity : most;
    cutter at = {base, 0};
    for (int k = 0; k < 2; k++) {
        bg_point_arrays *p = &g->slot[k].points;
        p->pitch = capacity;
        p->momenta = cut(&at, numbers * capacity * sizeof(double));
        p->weight = cut(&at, capacity * sizeof(double));
        p->event = cut(&at, capacity * sizeof(uint64_t));
        p->bin = cut(&at, capacity * (size_t)(g->dimensions + g->cells));
        p->count = cut(&at, sizeof(uint32_t));
        cuda_sieved *s = &g->slot[k].sieved;
        s->estimate = cut(&at, g->sieved ? capacity * sizeof(double) : 0);
        s->probability = cut(&at, g->sieved ? capacity * sizeof(double) : 0);
        s->index = cut(&at, g->sieved ? capacity * sizeof(uint32_t) : 0);
        s->kept = cut(&at, sizeof(uint32_t));
    }
    if (g->sieved) {
        g->kept.pitch = g->room;
        g->kept.momenta = cut(&at, numbers * g->room * sizeof(double));
        g->kept.weight = cut(&at, g->room * sizeof(double));
        g->kept.event = cut(&at, g->room * sizeof(uint64_t));
        g->kept_estimate = cut(&at, g->room * sizeof(double));
        g->kept_probability = cut(&at, g->room * sizeof(double));
        g->sieve.room = cut(&at, sieve_reals(&g->sieve.plan) * g->sieve.threads * sizeof(double));
        g->coefficient =
            cut(&at, (size_t)learned_coefficients(learned_most_numbers(g->plan->process.n)) * sizeof(double));
    }
    g->unstable.count = cut(&at, sizeof(uint32_t));
    g->me2 = cut(&at, g->room * sizeof(double));
    memset(&g->choices, 0, sizeof g->choices);
    if (g->drawn) {
        g->choices.configuration = cut(&at, g->room * sizeof(uint32_t));
        g->choices.probability = cut(&at, g->room * sizeof(double));
        g->choices.entry = cut(&at, g->room * sizeof(int32_t));
    }
    memset(&g->deals, 0, sizeof g->deals);
    if (g->plan->group > 1) {
        const size_t deals = (capacity + BG_DEAL - 1) / BG_DEAL;
        g->deals.place = cut(&at, deals * BG_DEAL * sizeof(uint32_t));
        g->deals.order = cut(&at, deals * BG_DEAL * sizeof(uint32_t));
        g->deals.count = cut(&at, deals * sizeof(uint32_t));
    }
    g->grid = cut(&at, sizeof *g->grid);
    g->selector.probability = cut(&at, bg_selector_numbers(g->entries) * sizeof(double));
    g->tally.counts = cut(&at, tally_bytes(g));
    if (base) {
        g->selector.cumulative = g->selector.probability + g->entries;
        g->tally.importance = (int64_t *)(g->tally.counts + 1);
        g->tally.helicity = g->tally.importance + (size_t)g->dimensions * BG_GRID_BINS;
        g->tally.direction = g->tally.helicity + g->entries;
    }
    return at.used;
}

static bg_status allocate(cuda_integrator *g, size_t batch, bg_error *error)
{
    size_t free_bytes = 0, total_bytes = 0, capacity = 16 * batch;
    size_t most = batch > MOST_CHUNK ? batch : MOST_CHUNK;
    if (g->sieved && g->plan->group == 1 && most > SIEVED_CHUNK) most = SIEVED_CHUNK;
    CUDA_TRY(error, cudaMemGetInfo(&free_bytes, &total_bytes));
    capacity = capacity < LEAST_CHUNK ? LEAST_CHUNK : capacity > most ? most : capacity;
    free_bytes += bg_loan_bytes(BG_LOAN_POINTS, g->device);
    while (capacity > CUDA_BLOCK && cut_up(g, NULL, capacity) > free_bytes / 2) capacity /= 2;
    capacity = (capacity + CUDA_BLOCK - 1) / CUDA_BLOCK * CUDA_BLOCK;
    if (g->plan->group > 1) { /* whole deals, and a chunk is a batch */
        if (capacity > batch) capacity = batch;
        capacity = capacity / BG_DEAL * BG_DEAL;
        if (!capacity)
            return bg_fail(error, BG_ERROR_MEMORY, "n_out = %d on the device: %.3g MB are free, too few for %d points",
                           g->plan->process.n_out, 1e-6 * (double)free_bytes, BG_DEAL);
    }
    g->bytes = cut_up(g, NULL, capacity);
    g->capacity = capacity;
    CUDA_TRY(error, cudaMallocHost((void **)&g->mail, sizeof *g->mail + tally_bytes(g) - sizeof(bg_tally)));
    for (int k = 0; k < 2; k++) {
        slot *s = &g->slot[k];
        CUDA_TRY(error, cudaEventCreate(&s->start));
        CUDA_TRY(error, cudaEventCreate(&s->generated));
        CUDA_TRY(error, cudaEventCreate(&s->begun));
        CUDA_TRY(error, cudaEventCreate(&s->done));
        CUDA_TRY(error, cudaEventCreateWithFlags(&s->counted, cudaEventDisableTiming));
    }
    return BG_OK;
}

/* Everything on the device but densities and histograms, for a call. */
static bg_status borrow(cuda_integrator *g, void **memory, bg_error *error)
{
    bg_error why;
    const bg_status status = bg_loan_take(BG_LOAN_POINTS, g->device, g->bytes, memory, &why);
    if (status == BG_OK) {
        cut_up(g, *memory, g->capacity);
        return BG_OK;
    }
    size_t free_bytes = 0, total_bytes = 0;
    (void)cudaMemGetInfo(&free_bytes, &total_bytes);
    if (status != BG_ERROR_MEMORY) return bg_fail(error, status, "%s", why.message);
    return bg_fail(error, status, "cudaMalloc: %.3g MB for the points of n_out = %d, %.3g MB are free",
                   1e-6 * (double)g->bytes, g->plan->process.n_out, 1e-6 * (double)free_bytes);
}

/* Threads that estimate: a few for each place to run, unless their paths take too much memory. */
static bg_status prepare_sieve(cuda_integrator *g, const bg_sieve *sieve, bg_error *error)
{
    int device, processors;
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    const double most = SIEVE_BYTES / (double)(sieve_reals(&sieve->plan) * sizeof(double) * CUDA_BLOCK);
    const double blocks = fmin(512. / CUDA_BLOCK * processors, most);
    g->sieved = 1;
    g->sieve.plan = sieve->plan;
    g->sieve.seed = g->plan->options.seed;
    g->sieve.processors = (uint32_t)processors;
    g->sieve.threads = CUDA_BLOCK * (blocks < 1. ? 1u : (uint32_t)blocks);
    return BG_OK;
}

bg_status bg_cuda_integrator_create(cuda_integrator **integrator, const bg_plan *plan, size_t batch,
                                    const bg_sieve *sieve, bg_error *error)
{
    cuda_integrator *g = calloc(1, sizeof *g);
    if (!g) return bg_fail(error, BG_ERROR_MEMORY, "no memory for an integration");
    g->plan = plan;
    const cudaError_t code = cudaGetDevice(&g->device);
    if (code != cudaSuccess) {
        free(g);
        return bg_cuda_fail(error, code, "cudaGetDevice");
    }
    bg_loan_join(BG_LOAN_POINTS, g->device);
    g->drawn = plan->mode == HELICITY_CIRCULAR && plan->options.helicity == BG_HELICITY_SAMPLED;
    g->cells = plan->process.n_out - 2;
    g->dimensions = channel_most_rows(&plan->process) - g->cells;
    if (bg_plan_selects_helicities(plan))
        g->entries = bg_selector_entries(plan->process.n, bg_plan_by_invariants(plan));
    bg_status status = sieve ? prepare_sieve(g, sieve, error) : BG_OK;
    if (status == BG_OK) status = allocate(g, batch, error);
    if (status != BG_OK) {
        bg_cuda_integrator_destroy(g);
        return status;
    }
    *integrator = g;
    return BG_OK;
}

int bg_cuda_integrator_fits(const cuda_integrator *g, const bg_batch *batch) { return g->sieved == !!batch->sieve; }

void bg_cuda_integrator_destroy(cuda_integrator *g)
{
    if (!g) return;
    for (int k = 0; k < 2; k++) {
        const cudaEvent_t events[] = {g->slot[k].start, g->slot[k].generated, g->slot[k].counted, g->slot[k].begun,
                                      g->slot[k].done};
        for (size_t e = 0; e < sizeof events / sizeof *events; e++)
            if (events[e]) (void)cudaEventDestroy(events[e]);
    }
    bg_loan_leave(BG_LOAN_POINTS, g->device);
    if (g->histograms) (void)cudaFree(g->histograms);
    if (g->device_protons) (void)cudaFree(g->device_protons);
    if (g->unstable.record) (void)cudaFree(g->unstable.record);
    bg_cuda_feeder_destroy(g->feeder);
    if (g->mail) (void)cudaFreeHost(g->mail);
    free(g->host_histograms);
    free(g);
}

/* ---- a chunk ----------------------------------------------------------------------------------------------------- */

/* One call: chunks of at most `size` points. */
typedef struct call {
    cuda_integrator *g;
    void *state;
    cudaStream_t stream;
    const bg_batch *batch;
    uint64_t first, count, size, chunks;
    cuda_axes axes;  /* count 0: no histograms */
    channel channel; /* as the device sees it */
    int64_t accepted, evaluated, unstable, rescued;
    bg_timing timing;
} call;

static uint64_t trials_of(const call *c, uint64_t chunk)
{
    const uint64_t from = chunk * c->size, left = c->count - from;
    return left < c->size ? left : c->size;
}

/* Protons and their densities go to the device once. */
static bg_status prepare_channel(call *c, bg_error *error)
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

static bg_status queue_points(call *c, uint64_t chunk, bg_error *error)
{
    slot *s = &c->g->slot[chunk % 2];
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

static bg_status take_time(call *c, slot *s, bg_error *error)
{
    if (!s->timed) return BG_OK;
    s->timed = 0;
    if (c->batch->hybrid) {
        const bg_status status = bg_cuda_feeder_time(c->g->feeder, s == &c->g->slot[1], &c->timing.copies, error);
        if (status != BG_OK) return status;
    }
    return add_time(s->begun, s->done, &c->timing.matrix_element, error);
}

/* Waits for the number of points of a chunk. They were queued behind the matrix elements that used this slot before. */
static bg_status count_points(call *c, uint64_t chunk, bg_error *error)
{
    slot *s = &c->g->slot[chunk % 2];
    CUDA_TRY(error, cudaEventSynchronize(s->counted));
    const bg_status status = take_time(c, s, error);
    return status == BG_OK ? add_time(s->start, s->generated, &c->timing.phase_space, error) : status;
}

/* Hybrid: generates the points of a chunk and queues their copy, once the slot is free. */
static bg_status feed_points(call *c, uint64_t chunk, bg_error *error)
{
    cuda_integrator *g = c->g;
    const int at = (int)(chunk % 2);
    slot *s = &g->slot[at];
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

/* ---- unstable points ---------------------------------------------------------------------------------------------- */

/* Has the engine evaluate points again, in any order. */
static bg_status rescue_points(call *c, uint32_t count, bg_unstable *point, bg_error *error)
{
    const bg_plan *plan = c->g->plan;
    const bg_rescue_stage *rescue = c->batch->rescue;
    for (uint32_t k = 0; k < count; k++) /* what stands there is the rank in the deal */
        point[k].group = bg_group_of(point[k].event, (int)point[k].group, plan->group);
    const bg_status status = rescue->again(rescue->self, count, point, error);
    for (uint32_t k = 0; k < count; k++) point[k].sum *= plan->normalization;
    return status;
}

/* Room for unstable points on the device. */
static bg_status make_room(cuda_integrator *g, uint32_t room, bg_error *error)
{
    if (g->unstable.record) (void)cudaFree(g->unstable.record);
    g->unstable.record = NULL;
    g->unstable.room = 0;
    CUDA_TRY(error, cudaMalloc((void **)&g->unstable.record, room * sizeof *g->unstable.record));
    g->unstable.room = room;
    return BG_OK;
}

/* Waits for them. */
static bg_status copy_points(call *c, bg_unstable *to, const bg_unstable *from, uint32_t count,
                             enum cudaMemcpyKind kind, bg_error *error)
{
    CUDA_TRY(error, cudaMemcpyAsync(to, from, count * sizeof *to, kind, c->stream));
    CUDA_TRY(error, cudaStreamSynchronize(c->stream));
    return BG_OK;
}

/* Replaces |M|^2 of the unstable points of a chunk, for which the host and the device wait: only where the cuts allow
 * any. */
static bg_status watch_points(call *c, const cuda_summands *summands, bg_error *error)
{
    enum { ROOM = 1024 };
    cuda_integrator *g = c->g;
    const int works = c->batch->rescue->works;
    bg_status status = works && !g->unstable.room ? make_room(g, ROOM, error) : BG_OK;
    for (;;) {
        if (status == BG_OK)
            status =
                bg_cuda_screen(c->stream, summands, &g->plan->process, g->plan->configuration, &g->unstable, error);
        if (status != BG_OK) return status;
        CUDA_TRY(error, cudaMemcpyAsync(&g->mail->unstable, g->unstable.count, sizeof(uint32_t), cudaMemcpyDeviceToHost,
                                        c->stream));
        CUDA_TRY(error, cudaStreamSynchronize(c->stream));
        if (!works || g->mail->unstable <= g->unstable.room) break;
        status = make_room(g, g->mail->unstable, error);
    }
    const uint32_t count = g->mail->unstable;
    c->unstable += count;
    if (!works || !count) return BG_OK;
    bg_unstable *point = malloc(count * sizeof *point);
    if (!point) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %u unstable points", count);
    status = copy_points(c, point, g->unstable.record, count, cudaMemcpyDeviceToHost, error);
    if (status == BG_OK) status = rescue_points(c, count, point, error);
    if (status == BG_OK) status = copy_points(c, g->unstable.record, point, count, cudaMemcpyHostToDevice, error);
    free(point);
    if (status != BG_OK) return status;
    c->rescued += count;
    return bg_cuda_replace(c->stream, count, g->unstable.record, g->me2, error);
}

/* ---- points for a sink ------------------------------------------------------------------------------------------- */

/* The points of a chunk on the host, with all that their weights are made of. */
typedef struct delivery {
    bg_point_arrays points;
    double *momenta, *me2, *probability;
    double *kept; /* p of the sieve */
    void *memory;
} delivery;

static int delivery_create(delivery *d, size_t n, size_t count)
{
    const size_t numbers = 4 * n * count;
    double *at = d->memory = malloc((2 * numbers + 5 * count) * sizeof(double));
    if (!at) return -1;
    d->points = (bg_point_arrays){.pitch = count, .momenta = at, .weight = at + numbers};
    d->points.event = (uint64_t *)(d->points.weight + count);
    d->me2 = d->points.weight + 2 * count;
    d->probability = d->me2 + count;
    d->kept = d->probability + count;
    d->momenta = d->kept + count;
    return 0;
}

static bg_status fetch(const call *c, const cuda_summands *s, delivery *d, bg_error *error)
{
    const size_t row = s->count * sizeof(double), rows = 4 * (size_t)c->g->plan->process.n;
    CUDA_TRY(error, cudaMemcpy2DAsync(d->points.momenta, row, s->points.momenta, s->points.pitch * sizeof(double), row,
                                      rows, cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(error, cudaMemcpyAsync(d->points.weight, s->points.weight, row, cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(error, cudaMemcpyAsync(d->points.event, s->points.event, row, cudaMemcpyDeviceToHost, c->stream));
    /* a survey is about estimates */
    const double *values = c->batch->survey ? s->estimate : s->me2;
    CUDA_TRY(error, cudaMemcpyAsync(d->me2, values, row, cudaMemcpyDeviceToHost, c->stream));
    if (s->kept) CUDA_TRY(error, cudaMemcpyAsync(d->kept, s->probability, row, cudaMemcpyDeviceToHost, c->stream));
    if (s->choices.probability)
        CUDA_TRY(error,
                 cudaMemcpyAsync(d->probability, s->choices.probability, row, cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(error, cudaStreamSynchronize(c->stream));
    return BG_OK;
}

/* Hands the points of a chunk to the sink, which the host and the device wait for: only where somebody asked for them. */
static bg_status deliver(const call *c, const cuda_summands *s, bg_error *error)
{
    const bg_subprocess *process = &c->g->plan->process;
    const bg_sink *sink = c->batch->sink;
    delivery d;
    if (delivery_create(&d, (size_t)process->n, s->count))
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for %u points", s->count);
    const bg_status status = fetch(c, s, &d, error);
    if (status == BG_OK) {
        points_copy_out(&d.points, process, s->count, d.momenta);
        for (size_t k = 0; k < s->count && !c->batch->survey; k++)
            d.me2[k] = bg_point_weight(d.me2[k], s->choices.probability ? d.probability[k] : 1., d.points.weight[k]) /
                       (s->kept ? d.kept[k] : 1.);
#ifdef _OPENMP
#pragma omp critical(blockgen_sink)
#endif
        sink->take(sink->user, s->count, d.momenta, d.me2, d.points.event);
    }
    free(d.memory);
    return status;
}

/* ---- matrix elements and sums -------------------------------------------------------------------------------------- */

/* Matrix elements of points on the device, and their sums. */
static bg_status queue_points_sums(call *c, uint64_t chunk, cuda_summands *summands, bg_error *error)
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
    if (status == BG_OK && c->batch->rescue) status = watch_points(c, summands, error);
    if (status == BG_OK)
        status = (summands->kept ? bg_cuda_add_kept : bg_cuda_accumulate)(c->stream, summands, &g->tally, error);
    if (status == BG_OK && c->batch->sink) status = deliver(c, summands, error);
    if (status == BG_OK && c->axes.count) status = bg_cuda_fill(c->stream, summands, &c->axes, g->histograms, error);
    return status;
}

/* The points of a chunk after the sieve, and those of them that were kept. */
static bg_status queue_sieved_sums(call *c, uint64_t chunk, cuda_summands *all, bg_error *error)
{
    cuda_integrator *g = c->g;
    const slot *s = &g->slot[chunk % 2];
    const uint32_t kept = g->mail->kept[chunk % 2];
    bg_status status = BG_OK;
    all->estimate = s->sieved.estimate;
    all->probability = s->sieved.probability;
    if (c->batch->survey) {
        memset(&all->choices, 0, sizeof all->choices); /* nobody chose anything */
        return deliver(c, all, error);
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

static bg_status queue_sums(call *c, uint64_t chunk, bg_error *error)
{
    cuda_integrator *g = c->g;
    slot *s = &g->slot[chunk % 2];
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
static bg_status send(call *c, bg_error *error)
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
    CUDA_TRY(error, cudaMemsetAsync(g->tally.counts, 0, tally_bytes(g), c->stream));
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

static bg_status receive(call *c, bg_tally *tally, struct bg_histograms *histograms, bg_error *error)
{
    cuda_integrator *g = c->g;
    CUDA_TRY(error,
             cudaMemcpyAsync(&g->mail->tally, g->tally.counts, tally_bytes(g), cudaMemcpyDeviceToHost, c->stream));
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

static bg_status run_call(call *c, bg_tally *tally, struct bg_histograms *histograms, bg_error *error)
{
    bg_status status = send(c, error);
    const int hybrid = c->batch->hybrid;
    if (status == BG_OK && !hybrid) status = queue_points(c, 0, error);
    for (uint64_t k = 0; k < c->chunks && status == BG_OK && !bg_interrupted(c->g->plan->interrupt); k++) {
        if (hybrid) {
            status = feed_points(c, k, error);
        } else {
            if (k + 1 < c->chunks) status = queue_points(c, k + 1, error);
            if (status == BG_OK) status = count_points(c, k, error);
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
    call c;
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
    if (status == BG_OK) status = prepare_channel(&c, error);
    if (status == BG_OK) status = borrow(g, &memory, error);
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

static bg_status time_points(cuda_integrator *g, cudaStream_t stream, const bg_batch *batch, int repetitions,
                             double *seconds_each, uint64_t *accepted, bg_error *error)
{
    call c;
    bg_status status = BG_OK;
    memset(&c, 0, sizeof c);
    c.g = g;
    c.stream = stream;
    c.batch = batch;
    c.count = batch->count;
    c.chunks = (c.count + g->capacity - 1) / g->capacity;
    c.size = (c.count + c.chunks - 1) / c.chunks;
    *accepted = 0;
    status = prepare_channel(&c, error);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaMemcpyAsync(g->grid, batch->grid, sizeof *g->grid, cudaMemcpyHostToDevice, stream));
    for (int r = 0; r < repetitions && status == BG_OK; r++) {
        c.first = batch->first_event + (uint64_t)r * batch->count;
        c.timing.phase_space = 0.;
        for (uint64_t k = 0; k < c.chunks && status == BG_OK; k++) {
            status = queue_points(&c, k, error);
            if (status == BG_OK) status = count_points(&c, k, error);
            if (status == BG_OK) *accepted += g->mail->count[k % 2];
        }
        seconds_each[r] = c.timing.phase_space;
    }
    if (status != BG_OK) (void)cudaStreamSynchronize(stream);
    return status;
}

bg_status bg_cuda_integrator_points(cuda_integrator *g, cudaStream_t stream, const bg_batch *batch, int repetitions,
                                    double *seconds_each, uint64_t *accepted, bg_error *error)
{
    void *memory = NULL;
    bg_status status = borrow(g, &memory, error);
    if (status != BG_OK) return status;
    status = time_points(g, stream, batch, repetitions, seconds_each, accepted, error);
    bg_loan_return(BG_LOAN_POINTS, g->device, memory);
    return status;
}
