/* The memory of an integration on a device: how many points a chunk has, and where on the device everything that they need is. It is one
 * block, which integrations use by turns (loan.h), cut into arrays for each call. Points of a chunk are held twice, those that a sieve kept
 * once, so many as are evaluated at a time.
 */
#include "backend/cuda/cutter.h"
#include "backend/cuda/integrator.h"
#include "backend/cuda/loan.h"
#include "helicity/mode.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CHUNK ((size_t)1 << 17)
#define MOST_CHUNK ((size_t)1 << 20) /* unless a batch of matrix elements is larger */
#define SIEVED_CHUNK ((size_t)1 << 18)
#define SIEVED_ROOM ((size_t)1 << 16) /* points that were kept, evaluated at a time */
#define SIEVE_BYTES 5e8               /* for sums over paths, of all threads together, at most */

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
    g->tally.counts = cut(&at, cuda_tally_bytes(g));
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
    CUDA_TRY(error, cudaMallocHost((void **)&g->mail, sizeof *g->mail + cuda_tally_bytes(g) - sizeof(bg_tally)));
    for (int k = 0; k < 2; k++) {
        cuda_slot *s = &g->slot[k];
        CUDA_TRY(error, cudaEventCreate(&s->start));
        CUDA_TRY(error, cudaEventCreate(&s->generated));
        CUDA_TRY(error, cudaEventCreate(&s->begun));
        CUDA_TRY(error, cudaEventCreate(&s->done));
        CUDA_TRY(error, cudaEventCreateWithFlags(&s->counted, cudaEventDisableTiming));
    }
    return BG_OK;
}

bg_status bg_cuda_borrow_points(cuda_integrator *g, void **memory, bg_error *error)
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
