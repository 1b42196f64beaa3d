/* A run of events: points that unweighting keeps wait in their classes, events are drawn from them in blocks, and go to the caller. What
 * a point is kept by and what an event weighs is in generate.h.
 */
#include "events/generate.h"
#include "events/run.h"
#include "base/room.h"
#include "base/status.h"
#include "base/system.h"
#include "backend/plan.h"
#include "random/philox.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIALS = 1 << 20 }; /* trial points of a class at a time */

/* ---- points -------------------------------------------------------------------------------------------------------- */

static void keep(generation *g, event_class *c, uint64_t number, double w, const double *momenta)
{
    c->kept = bg_more_places(c->kept, c->count, &c->room, sizeof *c->kept, &g->failed);
    if (g->failed) return;
    kept_point *k = &c->kept[c->count++];
    k->number = number;
    k->weight = w;
    memcpy(k->momenta, momenta, 4 * (size_t)g->process->subprocess[g->now].n * sizeof *momenta);
}

/* Takes the points of a batch: one thread at a time. */
static void take(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    generation *g = user;
    event_class *c = &g->class_of[g->now];
    const uint64_t seed = bg_many_seed(g->many, g->now);
    const size_t numbers = 4 * (size_t)g->process->subprocess[g->now].n;
    for (size_t k = 0; k < count; k++) {
        const double w = weight[k];
        if (!(w > 0.) || !isfinite(w)) continue;
        if (!g->keeping)
            bg_survey_note(&c->survey, event[k], w);
        else if (g->wish->weighted || w > c->largest * bg_random_number(seed, event[k], BG_STREAM_UNWEIGHT))
            keep(g, c, event[k], w, momenta + k * numbers);
    }
}

bg_status bg_run_try_points(generation *g, int k, uint64_t count, int survey, bg_error *error)
{
    const bg_sink sink = {take, g};
    event_class *c = &g->class_of[k];
    g->now = k;
    const bg_status status = (survey ? bg_many_survey : bg_many_trials)(g->many, k, c->next, count, &sink, error);
    c->next += count;
    if (status == BG_OK && g->failed) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of events");
    return status;
}

/* ---- blocks of events ---------------------------------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    const kept_point *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Points of this rank from `before` on become those of all ranks, in the order of their numbers. */
static bg_status join_points(generation *g, event_class *c, size_t before, bg_error *error)
{
    void *all;
    size_t total;
    bg_status status = BG_OK;
    if (g->ranks.count > 1) {
        status = bg_ranks_gather(&g->ranks, c->kept ? c->kept + before : NULL, c->count - before, sizeof *c->kept, &all,
                                 &total, error);
        if (status != BG_OK) return status;
        kept_point *more = before + total > c->room ? realloc(c->kept, (before + total) * sizeof *more) : c->kept;
        if (more) {
            if (total) memcpy(more + before, all, total * sizeof *more);
            c->kept = more;
            c->count = before + total;
            if (c->room < c->count) c->room = c->count;
        } else if (before + total) {
            status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of events");
        }
        free(all);
        status = bg_ranks_agree(&g->ranks, status, error);
    }
    if (status == BG_OK && c->count > before)
        qsort(c->kept + before, c->count - before, sizeof *c->kept, compare_points);
    return status;
}

/* Leaves out what a run before has made. */
static void drop_used(event_class *c, size_t before)
{
    size_t left = before;
    for (size_t i = before; i < c->count; i++)
        if (trial_number(&c->kept[i]) >= c->used) c->kept[left++] = c->kept[i];
    c->count = left;
}

/* So many trial points more, each rank its part of them. */
static bg_status go_on(generation *g, int k, uint64_t count, bg_error *error)
{
    event_class *c = &g->class_of[k];
    const size_t before = c->count;
    const uint64_t first = c->next;
    uint64_t from, size;
    bg_batch_part(count, BG_DEAL, (uint64_t)g->ranks.count, (uint64_t)g->ranks.mine, &from, &size);
    c->next = first + from;
    bg_status status = bg_ranks_agree(&g->ranks, size ? bg_run_try_points(g, k, size, 0, error) : BG_OK, error);
    c->next = first + count;
    if (status != BG_OK) return status;
    drop_used(c, before);
    return join_points(g, c, before, error);
}

/* So many kept points of a class, in the order of their numbers. */
static bg_status fill(generation *g, int k, size_t wanted, bg_error *error)
{
    event_class *c = &g->class_of[k];
    bg_status status = BG_OK;
    if (c->first) memmove(c->kept, c->kept + c->first, (c->count - c->first) * sizeof *c->kept);
    c->count -= c->first;
    c->first = 0;
    while (status == BG_OK && c->count < wanted) {
        const double trials = 1.1 * (double)(wanted - c->count) / c->rate + 64.;
        const uint64_t most = trials < MOST_TRIALS ? (uint64_t)trials : MOST_TRIALS;
        status = go_on(g, k, most / BG_DEAL * BG_DEAL + BG_DEAL, error);
    }
    return status;
}

/* The classes of the next events. */
static void draw_classes(const generation *g, uint64_t first, int count, uint16_t *class_of)
{
    for (int i = 0; i < count; i++) {
        double u = bg_random_number(g->seed, first + (uint64_t)i, BG_STREAM_CLASS);
        int k = 0;
        while (k + 1 < g->classes && u >= g->class_of[k].share) u -= g->class_of[k++].share;
        while (k > 0 && !(g->class_of[k].share > 0.)) k--;
        class_of[i] = (uint16_t)k;
    }
}

/* The events of a batch that are this rank's, where ranks share them. */
typedef struct event_range {
    int first, end;
} event_range;

static event_range own_range(const generation *g, int count)
{
    uint64_t first, size;
    bg_batch_part((uint64_t)count, 1, (uint64_t)g->ranks.count, (uint64_t)g->ranks.mine, &first, &size);
    return (event_range){(int)first, (int)(first + size)};
}

/* All of them, each rank a part; where every rank hands over its own, they stay there. */
static bg_status complete_all(generation *g, int count, const uint16_t *class_of, const kept_point *const *point,
                              bg_event *event, bg_error *error)
{
    const event_range own = own_range(g, count);
    void *all;
    size_t total;
    bg_status status = bg_run_complete_some(g, own.first, own.end, class_of, point, event, error);
    if (g->ranks.count == 1) return status;
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status != BG_OK || g->wish->shared) return status;
    status = bg_ranks_gather(&g->ranks, event + own.first, (size_t)(own.end - own.first), sizeof *event, &all, &total,
                             error);
    if (status != BG_OK) return status;
    memcpy(event, all, (size_t)count * sizeof *event);
    free(all);
    return BG_OK;
}

static bg_status make_block(generation *g, uint64_t first, int count, uint16_t *class_of, bg_event *event,
                            bg_error *error)
{
    size_t *wanted = calloc((size_t)g->classes, sizeof *wanted);
    const kept_point **point = malloc((size_t)count * sizeof *point);
    bg_status status = wanted && point ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d events", count);
    if (status == BG_OK) draw_classes(g, first, count, class_of);
    for (int i = 0; i < count && status == BG_OK; i++) wanted[class_of[i]]++;
    for (int k = 0; k < g->classes && status == BG_OK; k++)
        if (wanted[k]) status = fill(g, k, wanted[k], error);
    for (int i = 0; i < count && status == BG_OK; i++) {
        event_class *c = &g->class_of[class_of[i]];
        point[i] = &c->kept[c->first++];
        c->tried = trial_number(point[i]) + 1 - c->begin;
    }
    if (status == BG_OK) status = complete_all(g, count, class_of, point, event, error);
    for (int i = 0; i < count && status == BG_OK; i++) {
        const event_class *c = &g->class_of[class_of[i]];
        const double weight = bg_run_weight(g, c, point[i]), over = weight / c->unit;
        g->all_weight += weight;
        if (!g->wish->weighted && !(g->wish->overweight > 0.) && point[i]->weight > c->largest)
            g->cut_off += c->unit * point[i]->weight / c->largest - weight;
        if (!g->wish->weighted && over > 1.) g->overweight += weight;
        if (over > g->largest_weight) g->largest_weight = over;
    }
    free(wanted);
    free(point);
    return status;
}

/* Where events of before are known: how many there are, and the trial points that they have used up in every class. */
static bg_status go_to_first(generation *g, uint64_t *skip, uint64_t *done, bg_error *error)
{
    const bg_generation *w = g->wish;
    const size_t bytes = (size_t)g->classes * sizeof(uint64_t);
    uint64_t place[2] = {w->skip, w->used != NULL};
    uint64_t *used = malloc(bytes);
    bg_status status = bg_ranks_agree(
        &g->ranks, used ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d classes", g->classes), error);
    if (status == BG_OK) {
        bg_ranks_broadcast(&g->ranks, place, sizeof place);
        if (w->used) memcpy(used, w->used, bytes);
        if (place[1]) bg_ranks_broadcast(&g->ranks, used, bytes);
        status = bg_ranks_agree(&g->ranks, BG_OK, error);
    }
    *skip = place[0];
    *done = place[1] ? place[0] : 0;
    for (int k = 0; place[1] && k < g->classes && status == BG_OK; k++) {
        event_class *c = &g->class_of[k];
        if (used[k] <= c->begin) continue;
        c->used = used[k];
        c->tried = used[k] - c->begin;
        c->next = used[k] / BG_DEAL * BG_DEAL;
    }
    free(used);
    return status;
}

/* Of a batch, what this rank hands over: without its first `skip` events, which are known already. */
static event_range range_to_hand_over(const generation *g, int count, int skip)
{
    event_range r = g->wish->shared ? own_range(g, count) : (event_range){0, g->ranks.mine ? 0 : count};
    if (r.first < skip) r.first = skip < r.end ? skip : r.end;
    return r;
}

/* Additional weights for these, and then they go. */
static bg_status hand_over(generation *g, bg_event *event, event_range r, uint64_t done, bg_error *error)
{
    const size_t count = (size_t)(r.end - r.first);
    bg_status status = BG_OK;
    if (g->reweight && count) status = bg_reweight_events(g->reweight, event + r.first, count, g->threads, error);
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status != BG_OK) return status;
    if ((count || g->wish->shared) && g->wish->receive(event + r.first, count, g->wish->user))
        status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped after %" PRIu64 " events", done);
    return bg_ranks_agree(&g->ranks, status, error);
}

static bg_status make_events(generation *g, bg_error *error)
{
    const bg_generation *w = g->wish;
    uint16_t *class_of = malloc(BG_EVENT_BLOCK * sizeof *class_of);
    bg_event *event = malloc(BG_EVENT_BLOCK * sizeof *event);
    uint64_t done = 0, before = 0;
    bg_status status =
        class_of && event ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d events", BG_EVENT_BLOCK);
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK) status = go_to_first(g, &before, &done, error);
    while (done < w->events && status == BG_OK) {
        const uint64_t left = w->events - done;
        const int count = left < BG_EVENT_BLOCK ? (int)left : BG_EVENT_BLOCK;
        status = make_block(g, done, count, class_of, event, error);
        const uint64_t skip = before > done ? before - done : 0;
        done += (uint64_t)count;
        if (status == BG_OK && skip < (uint64_t)count)
            status = hand_over(g, event, range_to_hand_over(g, count, (int)skip), done, error);
    }
    free(class_of);
    free(event);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------- */

/* What is drawn besides the point makes its weight scatter, and few points are kept then: sums, where they do not take too long.
 * (Where |M|^2 is estimated first, that is the choice anyway.) */
static void choose_exact(bg_options *o, const bg_process *process)
{
    enum { MOST_SUMMED = 5 }; /* outgoing partons */
    if (process->subprocess[0].n_out > MOST_SUMMED) return;
    if (o->color == BG_COLOR_AUTO) o->color = BG_COLOR_SUMMED;
    if (o->recursion == BG_RECURSION_AUTO && o->color == BG_COLOR_SUMMED) o->recursion = BG_RECURSION_ORDERED;
    if (o->helicity == BG_HELICITY_AUTO) o->helicity = BG_HELICITY_SUMMED;
}

void bg_run_release(generation *g)
{
    for (int k = 0; g->class_of && k < g->classes; k++) {
        free(g->class_of[k].kept);
        bg_survey_free(&g->class_of[k].survey);
    }
    for (int k = 0; g->flow && k < g->threads * g->classes; k++) bg_flow_destroy(g->flow[k]);
    free(g->flow);
    free(g->class_of);
    bg_reweight_destroy(g->reweight);
    bg_many_close(g->many);
}

bg_status bg_run_begin(generation *g, const bg_process *process, const bg_options *options,
                       const bg_integration *integration, const bg_generation *wish, bg_result *sigma, bg_error *error)
{
    *g = (generation){.process = process,
                      .own_wish = *wish,
                      .integration = *integration,
                      .options = *options,
                      .classes = process->count,
                      .sqrts = integration->sqrts,
                      .alpha_s = options->alpha_s,
                      .threads = options->threads ? options->threads : bg_default_threads(),
                      .seed = options->seed};
    g->wish = wish;
#ifndef _OPENMP
    g->threads = 1;
#endif
    bg_result_init(sigma);
    if (integration->estimate == BG_ESTIMATE_OFF) choose_exact(&g->options, process);
    bg_status status = bg_ranks_open(&g->ranks, integration->communicator, error);
    if (status == BG_OK)
        status = bg_many_open(&g->many, process, fmax((double)wish->events, 1.), &g->options, &g->integration,
                              sizeof *sigma, error);
    g->class_of = calloc((size_t)g->classes, sizeof *g->class_of);
    g->flow = calloc((size_t)g->threads * (size_t)g->classes, sizeof(bg_flow *));
    const bg_flow_kernel *kernel = NULL;
    if (status == BG_OK) status = bg_flow_kernel_find(&kernel, 0, error);
    if (status == BG_OK) g->lanes = kernel->lanes;
    if (status == BG_OK && (!g->class_of || !g->flow))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d classes", g->classes);
    status = bg_ranks_agree(&g->ranks, status, error);
    return status == BG_OK ? bg_run_learn(g, sigma, error) : status;
}

/* Tells the caller what is known: on rank 0, or on all where they share what comes. */
static bg_status announce(generation *g, const bg_result *sigma, bg_generation_result *result, bg_error *error)
{
    const bg_generation *w = g->wish;
    double shared[2] = {w->shared != 0, w->shared == 0};
    bg_status status = BG_OK;
    bg_ranks_max(&g->ranks, shared, 2);
    if (shared[0] > 0. && shared[1] > 0.)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "generation.shared is set on some ranks only; it must be on all, or none");
    result->sigma_pb = sigma->sigma_pb;
    result->error_pb = sigma->error_pb;
    result->pdf_id = bg_many_pdf_id(g->many);
    result->estimated = sigma->estimated;
    if ((g->ranks.mine == 0 || w->shared) && w->begin && w->begin(result, w->user))
        status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped before the first event");
    return bg_ranks_agree(&g->ranks, status, error);
}

bg_status bg_generation_run(const bg_process *process, const bg_options *options, const bg_integration *integration,
                            const bg_generation *wish, bg_generation_result *result, bg_error *error)
{
    bg_result sigma;
    generation g;
    const double started = bg_seconds();
    bg_status status = bg_run_begin(&g, process, options, integration, wish, &sigma, error);
    if (status == BG_OK)
        status = bg_ranks_agree(
            &g.ranks, bg_reweight_create(&g.reweight, g.many, process, integration, BG_EVENT_BLOCK, error), error);
    if (status == BG_OK) bg_reweight_describe(g.reweight, result);
    if (status == BG_OK) status = announce(&g, &sigma, result, error);
    const double begun = bg_seconds();
    if (status == BG_OK) status = make_events(&g, error);
    result->events = status == BG_OK ? wish->events : 0;
    result->trials = 0; /* what was tried beyond the last event of a class is not a part of it */
    result->evaluated = 0.;
    for (int k = 0; g.class_of && k < g.classes; k++) {
        const event_class *c = &g.class_of[k];
        result->trials += c->tried;
        result->evaluated += c->kept_rate * (double)c->tried;
    }
    result->efficiency = result->trials ? (double)result->events / (double)result->trials : 0.;
    result->overweight_share = g.all_weight > 0. ? g.overweight / g.all_weight : 0.;
    result->largest_weight = g.largest_weight;
    result->cut_share = g.all_weight > 0. ? g.cut_off / (g.all_weight + g.cut_off) : 0.;
    result->seconds = bg_seconds() - started;
    result->seconds_events = bg_seconds() - begun;
    bg_reweight_describe(NULL, result); /* the names go */
    bg_run_release(&g);
    return status == BG_OK ? bg_succeed(error) : status;
}
