/* Whole events on the CPU: blocks of trial points, each generated, cut, evaluated and added up by one thread. */
#include "amplitude/stability.h"
#include "backend/cpu/cpu.h"
#include "base/status.h"
#include "base/system.h"

#include <stdlib.h>
#include <string.h>

/* Trial points of a block, the unit of work of a thread, unless colors are dealt out: at most, and where there are enough. */
enum { TRIALS = 1024, FILLING = 256 };

/* Points that a sieve has kept wait until there are so many of them: then registers are full. */
enum { PENDING = 128 };

/* What a thread works with while integrating. */
typedef struct trial_block {
    bg_point_arrays points;      /* inside the cuts; with a sieve those that it kept, of several blocks of trials */
    uint32_t count;              /* of them */
    bg_point_arrays generated;   /* with a sieve: all points inside the cuts */
    uint32_t found;              /* of them */
    double *estimate;            /* ... their e */
    bg_sieved *sieved, *moved;   /* of the points that were kept; room to bring them into another order */
    void *room;                  /* for estimates */
    double *sum, *probability;   /* behind |M|^2, of the helicities */
    uint64_t *group;             /* of points that share colors */
    int *entry;                  /* of the selector */
    uint32_t *configuration;     /* helicities */
    cpu_flow *flow, *flow_moved; /* of colors, likewise; NULL: the order of points does not depend on them */
    bg_unstable *unstable;       /* made when the first one comes */
    size_t unstable_room;
    bg_tally *tally;
    struct bg_histograms *histograms;
    bg_timing timing;
    void *memory;
    double *delivered; /* momenta [point][leg][4] for a sink; NULL: nobody wants them */
    bg_status failed;  /* of rescues */
    bg_error why;
} trial_block;

/* ---- memory --------------------------------------------------------------------------------------------------------- */

int bg_cpu_points_create(bg_point_arrays *points, int n, size_t trials, int axes, uint32_t *count)
{
    /* The numbers of a point lie `pitch` apart. A power of two would bring all of them into one set of the cache. */
    const size_t numbers = 4 * (size_t)n, pitch = trials + 64 / sizeof(double);
    points->momenta = malloc(pitch * ((numbers + 1) * sizeof(double) + sizeof(uint64_t) + (size_t)axes));
    if (!points->momenta) return -1;
    points->pitch = pitch;
    points->weight = points->momenta + numbers * pitch;
    points->event = (uint64_t *)(points->weight + pitch);
    points->bin = (uint8_t *)(points->event + pitch);
    points->count = count;
    return 0;
}

/* Points of a deal are sorted by the skeletons of their flows. One quark line has one skeleton. */
static int is_sorted(const cpu_state *s)
{
    return s->instance->draw_flows && s->plan->group > 1 && s->plan->process.lines > 1;
}

static int trial_block_create(const cpu_state *s, trial_block *b, const bg_batch *batch, size_t trials,
                              const bg_tally *tally, const struct bg_histograms *histograms)
{
    memset(b, 0, sizeof *b);
    const int rows = batch->channel->axes + batch->channel->cells, n = batch->channel->process.n;
    const size_t all = trials;
    if (batch->sieve) trials += PENDING;
    b->memory = malloc(trials * (2 * sizeof(double) + sizeof(uint64_t) + sizeof(int) + sizeof(uint32_t)));
    b->tally = bg_tally_create(tally->dimensions, tally->entries, tally->cells);
    if (histograms) b->histograms = bg_histograms_clone(histograms);
    if (!b->memory || !b->tally || (histograms && !b->histograms) ||
        bg_cpu_points_create(&b->points, n, trials, rows, &b->count))
        return -1;
    if (batch->sink && !(b->delivered = malloc(trials * 4 * (size_t)n * sizeof(double)))) return -1;
    if (batch->sieve) {
        enum { REGISTER = 64 }; /* bytes of the widest */
        b->estimate = malloc(all * sizeof *b->estimate);
        b->sieved = malloc(2 * trials * sizeof *b->sieved);
        b->moved = b->sieved + trials;
        b->room = aligned_alloc(REGISTER, sieve_reals(&batch->sieve->plan) * REGISTER);
        if (!b->estimate || !b->sieved || !b->room || bg_cpu_points_create(&b->generated, n, all, rows, &b->found))
            return -1;
    }
    if (is_sorted(s) && !(b->flow = malloc(2 * trials * sizeof *b->flow))) return -1;
    b->flow_moved = b->flow ? b->flow + trials : NULL;
    b->sum = b->memory;
    b->probability = b->sum + trials;
    b->group = (uint64_t *)(b->probability + trials);
    b->entry = (int *)(b->group + trials);
    b->configuration = (uint32_t *)(b->entry + trials);
    return 0;
}

static void trial_block_destroy(trial_block *b)
{
    free(b->memory);
    free(b->points.momenta);
    free(b->generated.momenta);
    free(b->estimate);
    free(b->sieved);
    free(b->room);
    free(b->flow);
    free(b->unstable);
    bg_tally_destroy(b->tally);
    free(b->delivered);
    bg_histograms_free(b->histograms);
}

/* ---- stations --------------------------------------------------------------------------------------------------------- */

/* Helicities of the points of a block, and the probability of each choice. */
static void choose_helicities(const bg_plan *plan, const bg_batch *batch, trial_block *b)
{
    const int choosing = bg_helicity_choosing(&plan->options);
    for (uint32_t e = 0; e < b->count; e++) {
        const helicity_choice c =
            helicity_of_point(batch->selector, choosing, plan->configuration, plan->process.n, plan->options.seed,
                              b->points.event[e], b->points.momenta + e, b->points.pitch);
        b->entry[e] = c.entry;
        b->probability[e] = c.probability;
        b->configuration[e] = c.configuration;
    }
}

/* What a kernel does with the points of a block from number `from` on, up to `count` of them. */
static void run_points(const cpu_state *s, void (*run)(const cpu_task *), void *workspace, const trial_block *b,
                       uint32_t from, uint32_t count)
{
    /* whole registers are read: the numbers past the last point are those of the first */
    uint64_t event[BG_VECTORS * 8], group[BG_VECTORS * 8];
    uint32_t configuration[BG_VECTORS * 8];
    const uint32_t chunk = (uint32_t)(BG_VECTORS * s->instance->lanes);
    const bg_momenta momenta = points_momenta(&b->points, &s->plan->process);
    for (uint32_t e = 0; e < chunk; e++) {
        event[e] = b->points.event[from + (e < count ? e : 0)];
        group[e] = b->group[from + (e < count ? e : 0)];
        configuration[e] = b->configuration[from + (e < count ? e : 0)];
    }
    const cpu_task task = {.plan = s->plan,
                           .tables = &s->tables,
                           .event = event,
                           .group = group,
                           .configuration = configuration,
                           .count = (int)count,
                           .flow = b->flow ? b->flow + from : NULL,
                           .momenta = momenta_from(&momenta, from),
                           .value = b->sum + from,
                           .workspace = workspace};
    run(&task);
}

/* Brings one row of numbers into another order; `room` is for as many. */
#define REORDER(type)                                                                                                  \
    static void reorder_##type(uint32_t count, const uint32_t *order, type *row, void *room)                           \
    {                                                                                                                  \
        type *moved = room;                                                                                            \
        for (uint32_t e = 0; e < count; e++) moved[e] = row[order[e]];                                                 \
        memcpy(row, moved, count * sizeof *row);                                                                       \
    }
REORDER(double)
REORDER(uint64_t)
REORDER(uint32_t)
REORDER(int)
REORDER(uint8_t)
REORDER(bg_sieved)
REORDER(cpu_flow)

/* Brings the points of a block into another order. */
static void reorder_points(const bg_batch *batch, const uint32_t *order, void *room, trial_block *b)
{
    bg_point_arrays *p = &b->points;
    for (int c = 0; c < 4 * batch->channel->process.n; c++)
        reorder_double(b->count, order, p->momenta + (size_t)c * p->pitch, room);
    if (batch->sieve) /* whose bins were needed before */
        reorder_bg_sieved(b->count, order, b->sieved, b->moved);
    else
        for (int c = 0; c < batch->channel->axes + batch->channel->cells; c++)
            reorder_uint8_t(b->count, order, p->bin + (size_t)c * p->pitch, room);
    reorder_cpu_flow(b->count, order, b->flow, b->flow_moved);
    reorder_double(b->count, order, p->weight, room);
    reorder_uint64_t(b->count, order, p->event, room);
    reorder_double(b->count, order, b->probability, room);
    reorder_int(b->count, order, b->entry, room);
    reorder_uint32_t(b->count, order, b->configuration, room);
}

/* Whether point a comes after point b: first by deals, then by skeletons. */
static int comes_after(const trial_block *b, uint32_t a, uint32_t before)
{
    const uint64_t deal = b->points.event[a] / BG_DEAL, other = b->points.event[before] / BG_DEAL;
    return deal != other ? deal > other : b->flow[a].flow.skeleton > b->flow[before].flow.skeleton;
}

/* Merges neighboring runs of `size` points each. */
static void merge_runs(const trial_block *b, uint32_t size, const uint32_t *from, uint32_t *to)
{
    for (uint32_t first = 0; first < b->count; first += 2 * size) {
        const uint32_t middle = first + size < b->count ? first + size : b->count;
        const uint32_t end = middle + size < b->count ? middle + size : b->count;
        for (uint32_t left = first, right = middle, k = first; k < end; k++)
            to[k] = right == end || (left < middle && !comes_after(b, from[left], from[right])) ? from[left++]
                                                                                                : from[right++];
    }
}

/* Points of a deal that share colors well stand together; otherwise they stay in order. */
static void sort_points(const cpu_state *s, void *workspace, const bg_batch *batch, trial_block *b)
{
    const uint32_t chunk = (uint32_t)(BG_VECTORS * s->instance->lanes);
    for (uint32_t from = 0; from < b->count; from += chunk)
        run_points(s, s->instance->draw_flows, workspace, b, from, b->count - from < chunk ? b->count - from : chunk);
    uint32_t *order = (uint32_t *)b->group, *other = order + b->count; /* groups come later */
    for (uint32_t e = 0; e < b->count; e++) order[e] = e;
    for (uint32_t size = 1; size < b->count; size *= 2) {
        uint32_t *merged = other;
        merge_runs(b, size, order, merged);
        other = order;
        order = merged;
    }
    reorder_points(batch, order, b->sum, b);
}

/* Deals the points of a block out to groups that share colors. */
static void deal_points(int size, trial_block *b)
{
    for (uint32_t e = 0, first = 0; e < b->count; e++) {
        if (b->points.event[e] / BG_DEAL != b->points.event[first] / BG_DEAL) first = e;
        b->group[e] = bg_group_of(b->points.event[e], (int)(e - first), size);
    }
}

static void evaluate_points(const cpu_state *s, void *workspace, trial_block *b)
{
    const uint32_t chunk = (uint32_t)(BG_VECTORS * s->instance->lanes);
    for (uint32_t from = 0, take; from < b->count && !bg_interrupted(s->plan->interrupt); from += take) {
        const uint32_t left = b->count - from;
        take = left < chunk ? left : chunk;
        /* points that share colors stay together, so that registers are full of them */
        if (s->plan->group > 1)
            while (b->group[from + take - 1] != b->group[from]) take--;
        run_points(s, s->instance->evaluate, workspace, b, from, take);
    }
}

/* Room for one more unstable point; NULL without memory. */
static bg_unstable *next_unstable(trial_block *b, size_t count)
{
    if (count == b->unstable_room) {
        const size_t room = 2 * count + 16;
        bg_unstable *more = realloc(b->unstable, room * sizeof *more);
        if (!more) return NULL;
        b->unstable = more;
        b->unstable_room = room;
    }
    return &b->unstable[count];
}

/* Hands the unstable points of a block to the engine, which evaluates them again. */
static bg_status watch_points(const bg_plan *plan, const bg_rescue_stage *rescue, trial_block *b, bg_error *error)
{
    const bg_momenta momenta = points_momenta(&b->points, &plan->process);
    const int n = plan->process.n;
    size_t count = 0;
    for (uint32_t e = 0; e < b->count; e++) {
        if (!stability_fails(n, &momenta, e)) continue;
        b->tally->unstable++;
        if (!rescue->works) continue;
        bg_unstable *u = next_unstable(b, count++);
        if (!u) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %zu unstable points", count);
        for (int c = 0; c < 4 * n; c++) u->momenta[c] = b->points.momenta[(size_t)c * b->points.pitch + e];
        u->event = b->points.event[e];
        u->group = b->group[e];
        u->configuration = b->configuration[e];
        u->point = e;
    }
    if (!count) return BG_OK;
    const bg_status status = rescue->again(rescue->self, count, b->unstable, error);
    if (status != BG_OK) return status;
    for (size_t k = 0; k < count; k++) b->sum[b->unstable[k].point] = b->unstable[k].sum;
    b->tally->rescued += (int64_t)count;
    return BG_OK;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------ */

static int ends_group(const trial_block *b, uint32_t e) { return e + 1 == b->count || b->group[e + 1] != b->group[e]; }

static void add_up(const bg_plan *plan, const bg_batch *batch, trial_block *b)
{
    const int alone = plan->group == 1;
    double sum = 0.; /* of a group, since point `begun` */
    uint32_t begun = 0;
    b->tally->accepted += b->count;
    b->tally->evaluated += b->count;
    for (uint32_t e = 0; e < b->count; e++) {
        const double w = bg_point_weight(plan->normalization * b->sum[e], b->probability[e], b->points.weight[e]);
        if (bg_tally_point(b->tally, w, alone, b->points.bin + e, b->points.pitch, b->entry[e], batch->importance_scale,
                           batch->cubic))
            sum += w;
        if (b->histograms && bg_histograms_count(w))
            bg_histograms_fill(b->histograms, b->points.momenta + e, b->points.pitch, w, alone);
        b->sum[e] = w; /* for the sink */
        if (!alone && ends_group(b, e)) {
            bg_tally_group(b->tally, sum, e + 1 - begun);
            if (b->histograms) bg_histograms_end_group(b->histograms);
            sum = 0.;
            begun = e + 1;
        }
    }
}

/* The same for points that a sieve kept. */
static void add_up_kept(const bg_plan *plan, const bg_batch *batch, trial_block *b)
{
    const int alone = plan->group == 1;
    double sum = 0., squares = 0.; /* of a group */
    b->tally->evaluated += b->count;
    for (uint32_t e = 0; e < b->count; e++) {
        const bg_sieved *s = &b->sieved[e];
        const double w = bg_point_weight(plan->normalization * b->sum[e], b->probability[e], b->points.weight[e]);
        const double correction = bg_tally_kept(b->tally, s, w, b->entry[e], batch->importance_scale);
        if (b->histograms && bg_histograms_count(s->estimate + correction))
            bg_histograms_fill_kept(b->histograms, b->points.momenta + e, b->points.pitch, s->estimate + correction,
                                    correction, alone);
        b->sum[e] = w / s->probability; /* for the sink */
        sum += correction;
        squares += correction * correction;
        if (alone || !ends_group(b, e)) continue;
        bg_tally_kept_group(b->tally, sum, squares);
        if (b->histograms) bg_histograms_end_group(b->histograms);
        sum = squares = 0.;
    }
}

/* Hands points out, in the user's order of legs. */
static void deliver(const bg_subprocess *process, const bg_sink *sink, const bg_point_arrays *points, uint32_t count,
                    double *momenta, const double *weight)
{
    points_copy_out(points, process, count, momenta);
#ifdef _OPENMP
#pragma omp critical(blockgen_sink)
#endif
    sink->take(sink->user, count, momenta, weight, points->event);
}

/* ---- the sieve --------------------------------------------------------------------------------------------------------- */

/* A point joins those that were kept. */
static void keep(const bg_subprocess *process, trial_block *b, uint32_t e, const bg_sieved *s)
{
    const bg_point_arrays *from = &b->generated, *to = &b->points;
    const uint32_t at = b->count++;
    for (size_t c = 0; c < 4 * (size_t)process->n; c++)
        to->momenta[c * to->pitch + at] = from->momenta[c * from->pitch + e];
    to->weight[at] = from->weight[e];
    to->event[at] = from->event[e];
    b->sieved[at] = *s;
}

/* The points of a block of trials: most are done with here. */
static void sift(const cpu_state *s, const bg_batch *batch, trial_block *b)
{
    const bg_subprocess *process = &s->plan->process;
    const bg_point_arrays *points = &b->generated;
    s->estimate(batch->sieve, process, points, b->found, b->room, b->estimate);
    b->tally->accepted += b->found;
    for (uint32_t e = 0; e < b->found; e++) {
        b->estimate[e] *= batch->sieve->scale * points->weight[e];
        if (batch->survey) continue;
        const bg_sieved k =
            sieve_point(batch->sieve->threshold, b->estimate[e], s->plan->options.seed, points->event[e]);
        bg_tally_sieved(b->tally, &k, points->bin + e, points->pitch, batch->importance_scale, batch->cubic);
        if (k.probability > 0.)
            keep(process, b, e, &k);
        else if (b->histograms && bg_histograms_count(k.estimate))
            bg_histograms_fill(b->histograms, points->momenta + e, points->pitch, k.estimate, 1);
    }
    if (batch->survey) deliver(process, batch->sink, points, b->found, b->delivered, b->estimate);
}

/* ---- a block ----------------------------------------------------------------------------------------------------------- */

/* Evaluates the points that there are. */
static void evaluate_block(const cpu_state *s, void *workspace, const bg_batch *batch, trial_block *b)
{
    choose_helicities(s->plan, batch, b);
    deal_points(s->plan->group, b);
    if (is_sorted(s)) {
        sort_points(s, workspace, batch, b);
        deal_points(s->plan->group, b);
    }
    evaluate_points(s, workspace, b);
    if (bg_interrupted(s->plan->interrupt)) return;
    if (batch->rescue && b->failed == BG_OK) b->failed = watch_points(s->plan, batch->rescue, b, &b->why);
    (batch->sieve ? add_up_kept : add_up)(s->plan, batch, b);
    if (batch->sink) deliver(&s->plan->process, batch->sink, &b->points, b->count, b->delivered, b->sum);
    b->count = 0;
}

static void integrate_block(const cpu_state *s, void *workspace, const bg_batch *batch, uint64_t first, int count,
                            trial_block *b)
{
    const double start = bg_seconds();
    s->generate(batch->channel, batch->grid, first, count, batch->sieve ? &b->generated : &b->points);
    const double generated = bg_seconds();
    b->tally->points += count;
    if (batch->sieve) sift(s, batch, b);
    if (!batch->sieve || b->count >= PENDING) evaluate_block(s, workspace, batch, b);
    b->timing.phase_space += generated - start;
    b->timing.matrix_element += bg_seconds() - generated;
}

/* Points that still wait when there are no more blocks. */
static void finish_block(const cpu_state *s, void *workspace, const bg_batch *batch, trial_block *b)
{
    const double start = bg_seconds();
    if (!bg_interrupted(s->plan->interrupt)) evaluate_block(s, workspace, batch, b);
    b->timing.matrix_element += bg_seconds() - start;
}

/* ---- a batch ------------------------------------------------------------------------------------------------------------ */

/* Trials of a block: several blocks a thread, so that all end together, but enough that the points which pass the cuts
 * fill registers. Points that share colors stay together. */
static uint64_t block_size(const cpu_state *s, uint64_t count)
{
    const uint64_t threads = (uint64_t)s->threads, all = (count + threads - 1) / threads;
    const uint64_t lanes = (uint64_t)s->instance->lanes, least = all < FILLING ? all : FILLING;
    if (s->plan->group > 1) return BG_DEAL;
    uint64_t size = count / (threads * 8);
    size = ((size < least ? least : size) + lanes - 1) / lanes * lanes;
    return size > TRIALS ? TRIALS : size;
}

bg_status bg_cpu_integrate(void *state, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                           bg_timing *timing, bg_error *error)
{
    const cpu_state *s = state;
    if (batch->hybrid)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "a hybrid integration needs a device for the matrix elements: the CPU alone is not hybrid");
    const uint64_t size = block_size(s, batch->count), blocks = (batch->count + size - 1) / size;
    bg_status status = BG_OK;
    bg_error why;
#ifdef _OPENMP
#pragma omp parallel num_threads(cpu_useful_threads(s, blocks))
#endif
    {
        trial_block b;
        const int ready = !trial_block_create(s, &b, batch, size, tally, histograms);
        if (!ready) b.failed = bg_fail(&b.why, BG_ERROR_MEMORY, "no memory for the points of %d threads", s->threads);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (uint64_t k = 0; k < blocks; k++) {
            const uint64_t done = k * size, left = batch->count - done;
            if (ready && !bg_interrupted(s->plan->interrupt))
                integrate_block(s, s->workspace[cpu_thread()], batch, batch->first_event + done,
                                (int)(left < size ? left : size), &b);
        }
        if (ready && batch->sieve) finish_block(s, s->workspace[cpu_thread()], batch, &b);
#ifdef _OPENMP
#pragma omp critical(blockgen_sums)
#endif
        {
            if (b.failed != BG_OK) {
                status = b.failed;
                why = b.why;
            }
            if (ready) {
                bg_tally_merge(tally, b.tally);
                if (histograms) bg_histograms_merge(histograms, b.histograms);
                bg_timing_add(timing, &b.timing);
            }
        }
        trial_block_destroy(&b);
    }
    return status == BG_OK ? bg_succeed(error) : bg_fail(error, status, "%s", why.message);
}
