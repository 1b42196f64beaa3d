/* The integrator: iterations of trial points, adaptation between them, and when to stop.
 *
 * A few iterations only adapt the generator; those after them make the result and go on adapting. Each
 * iteration's size follows from the results before it, never from time or hardware, and all sums are exact,
 * so the result is a function of the question and the seed. Within an iteration the points are dealt in
 * rounds of about a quarter second, each rank taking a slice; between rounds progress is shown, checkpoints are
 * written and the ranks agree on whether to stop.
 *
 * Where a cheap estimate of |M|^2 comes first (estimate/sieve.h), the generator learns from the estimate, and the few exact
 * values of each iteration tell how good it is and how many the next one needs. Where very many of them are still to come, a
 * lesson (engine/lesson.h) makes the estimate better first.
 */
#include "engine/integrator_own.h"
#include "engine/generator.h"
#include "engine/reduce.h"
#include "base/interrupt.h"
#include "base/status.h"
#include "base/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ACCEPTED 1500 /* points inside the cuts that may change a grid that was borrowed */

enum { GO_ON = BG_INTERRUPT_NONE, STOPPED_BY_CLOCK = BG_INTERRUPT_CLOCK, STOPPED_BY_USER = BG_INTERRUPT_USER };

/* ---- checkpoints -------------------------------------------------------------------------------------------- */

/* The state with the sums of all ranks, to a parcel; the ranks go on with their own. */
static bg_status pack(integrator *g, bg_parcel *p, const char *path, bg_error *error)
{
    bg_status status = BG_OK;
    bg_state *whole = malloc(sizeof *whole);
    bg_tally *tally = bg_tally_copy(g->state->tally);
    struct bg_histograms *sum = g->histograms ? bg_histograms_clone(g->histograms) : NULL;
    if (!whole || !tally || (g->histograms && !sum))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for a checkpoint");
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK) {
        *whole = *g->state;
        whole->tally = tally;
        bg_reduce_tally(&g->ranks, tally);
        whole->seconds += bg_seconds() - g->started;
        if (sum) {
            bg_histograms_merge(sum, g->histograms);
            status = bg_reduce_histograms(&g->ranks, sum, error);
        }
        if (status == BG_OK) status = bg_state_pass(whole, sum, p, path, error);
        status = bg_ranks_agree(&g->ranks, status, error);
    }
    bg_histograms_free(sum);
    bg_tally_destroy(tally);
    free(whole);
    g->saved = bg_seconds();
    return status;
}

/* ... and back. The sums that it holds stay with rank 0. */
static bg_status unpack(integrator *g, bg_parcel *p, const char *path, bg_error *error)
{
    const int first = g->ranks.mine == 0;
    struct bg_histograms *others = g->histograms && !first ? bg_histograms_clone(g->histograms) : NULL;
    bg_status status = BG_OK;
    if (g->histograms && !first && !others) status = bg_fail(error, BG_ERROR_MEMORY, "no memory to read '%s'", path);
    if (status == BG_OK) status = bg_state_pass(g->state, first ? g->histograms : others, p, path, error);
    bg_histograms_free(others);
    if (status != BG_OK) return status;
    if (!first) bg_tally_clear(g->state->tally);
    /* The clock counts what earlier runs of a resumed integration took. */
    if (g->evaluator->interrupt.deadline > 0.) g->evaluator->interrupt.deadline -= g->state->seconds;
    return BG_OK;
}

static bg_status save(integrator *g, bg_error *error)
{
    const char *path = g->wish->checkpoint;
    if (!path) return BG_OK;
    if (g->saver.save) return g->saver.save(g->saver.user, error);
    bg_parcel p = {.bytes = NULL};
    bg_status status = pack(g, &p, path, error);
    if (status == BG_OK && g->ranks.mine == 0) status = bg_checkpoint_write(path, &g->state->question, &p, error);
    bg_parcel_free(&p);
    return bg_ranks_agree(&g->ranks, status, error);
}

/* Rank 0 reads, all get the state. */
static bg_status resume(integrator *g, bg_error *error)
{
    const char *path = g->wish->resume;
    bg_parcel p = {.bytes = NULL};
    bg_status status = BG_OK;
    if (g->ranks.mine == 0) {
        status = bg_checkpoint_read(path, &g->state->question, &p, error);
        if (status == BG_OK) status = unpack(g, &p, path, error);
        if (status == BG_OK && !bg_parcel_is_empty(&p))
            status = bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: it is too long", path);
    }
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK) status = bg_ranks_send_parcel(&g->ranks, &p, error);
    if (status == BG_OK && g->ranks.mine > 0) status = unpack(g, &p, path, error);
    bg_parcel_free(&p);
    return bg_ranks_agree(&g->ranks, status, error);
}

/* ---- rounds --------------------------------------------------------------------------------------------------- */

/* Points on their way to the caller, one thread at a time. */
static void deliver(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    integrator *g = user;
    const bg_points points = {.size = sizeof points,
                              .count = count,
                              .particles = g->plan->process.n,
                              .warming_up = g->state->warmup > 0,
                              .momenta = momenta,
                              .weight = weight,
                              .event = event};
    if (count && !g->refused) g->refused = g->wish->receive(&points, g->wish->user) != 0;
}

static bg_status run_batch(integrator *g, uint64_t first, uint64_t count, int adapting,
                           struct bg_histograms *histograms, bg_error *error)
{
    bg_state *s = g->state;
    const bg_sieve sieve = bg_sifting_sieve(&s->sifting, &g->estimate);
    const bg_sink sink = {deliver, g};
    const bg_batch batch = {.channel = &g->channel,
                            .sieve = s->sifting.on ? &sieve : NULL,
                            .grid = &s->grid,
                            .selector = s->selector,
                            .first_event = first,
                            .count = count,
                            .importance_scale = adapting ? s->scale : 0.,
                            .cubic = g->for_events,
                            .hybrid = g->hybrid,
                            .sink = adapting && g->wish->receive ? &sink : NULL}; /* the pilot is nobody's business */
    if (!count) return BG_OK;
    return bg_evaluator_integrate(g->evaluator, &batch, g->fresh, histograms, &g->timing, error);
}

bg_status bg_integrator_round(integrator *g, uint64_t first, uint64_t count, int adapting, int histograms,
                              bg_tally *tally, bg_error *error)
{
    struct bg_histograms *fresh = histograms && g->histograms ? bg_histograms_clone(g->histograms) : NULL;
    bg_status status = BG_OK;
    if (histograms && g->histograms && !fresh) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for histograms");
    bg_tally_clear(g->fresh);
    if (status == BG_OK) status = run_batch(g, first, count, adapting, fresh, error);
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK) {
        double reason = bg_interrupt_reason_of(&g->evaluator->interrupt);
        bg_ranks_max(&g->ranks, &reason, 1);
        g->stop = (int)reason;
        if (!g->stop) {
            bg_tally_merge(tally, g->fresh);
            if (fresh) bg_histograms_merge(g->histograms, fresh);
        }
    }
    bg_histograms_free(fresh);
    return status;
}

/* The last round of an iteration may be short and says nothing about larger ones. */
bg_status bg_integrator_between_rounds(integrator *g, uint64_t points, double seconds, bg_error *error)
{
    bg_tally *t = bg_tally_copy(g->state->tally);
    bg_status status =
        bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
    if (status != BG_OK) {
        bg_tally_destroy(t);
        return status;
    }
    bg_reduce_sums(&g->ranks, t);
    struct {
        uint64_t round;
        int stop, save;
    } order = {g->round, GO_ON, 0};
    double refused = g->refused || (g->wish->interrupted && g->wish->interrupted(g->wish->user)); /* on any rank */
    bg_ranks_max(&g->ranks, &refused, 1);
    if (g->ranks.mine == 0) {
        bg_result r;
        bg_integrator_summarise(g, t, &r);
        if (points >= g->round || seconds > BG_ROUND_SECONDS)
            order.round = bg_integrator_next_round(g, &r, points, seconds);
        if (g->wish->progress && (bg_seconds() - g->shown > 0.2 || g->state->done == g->state->size)) {
            g->shown = bg_seconds();
            if (g->wish->progress(&r, g->wish->user)) order.stop = STOPPED_BY_USER;
        }
        if (refused > 0.) order.stop = STOPPED_BY_USER;
        if (!order.stop && g->wish->seconds > 0. && r.seconds >= g->wish->seconds) order.stop = STOPPED_BY_CLOCK;
        order.save = g->state->scale > 0. && /* a pilot leaves nothing to go on from */
                     bg_seconds() - g->saved >= g->wish->checkpoint_interval;
    }
    bg_tally_destroy(t);
    bg_ranks_broadcast(&g->ranks, &order, sizeof order);
    g->round = order.round;
    g->stop = order.stop;
    /* it may work out next time; until then the results so far say so */
    if (order.save && save(g, &g->trouble) == BG_OK) g->trouble.message[0] = '\0';
    return BG_OK;
}

/* ---- iterations ----------------------------------------------------------------------------------------------- */

static bg_status run_iteration(integrator *g, bg_error *error)
{
    bg_state *s = g->state;
    const uint64_t ranks = (uint64_t)g->ranks.count, mine = (uint64_t)g->ranks.mine;
    bg_status status = BG_OK;
    while (status == BG_OK && s->done < s->size && !g->stop) {
        const uint64_t left = s->size - s->done, most = integrator_whole(g, g->round),
                       round = most < left ? most : left;
        const double start = bg_seconds();
        uint64_t from, size;
        bg_batch_part(round, integrator_unit(g), ranks, mine, &from, &size);
        status = bg_integrator_round(g, s->next_event + s->done + from, size, 1, !s->warmup, s->tally, error);
        if (g->stop) break;
        s->done += round;
        if (status == BG_OK) status = bg_integrator_between_rounds(g, round, bg_seconds() - start, error);
    }
    return status;
}

/* What the importances of the finished iteration are. Grids of two partons are damped as Lepage does. */
static bg_learning kind_of_importances(const integrator *g)
{
    const bg_tally *t = g->state->tally;
    const double sum = bg_exact_value(&t->weight);
    const double square = bg_exact_value(g->state->sifting.on ? &t->estimate2 : &t->weight2);
    if (!g->protons) return (bg_learning){.power = 0};
    return (bg_learning){.power = g->for_events ? 3 : 2,
                         .points = square > 0. ? fmin(sum * sum / square, (double)t->points) : 0.};
}

/* Takes in the finished iteration and prepares the next. */
static void finish_iteration(integrator *g)
{
    bg_state *s = g->state;
    bg_reduce_tally(&g->ranks, s->tally);
    const bg_iteration i = bg_integrator_iteration(g, s->tally);
    if (s->borrowed && i.accepted < LEAST_ACCEPTED) { /* few points know less than the grid that it began with */
        if (g->channel.axes > g->channel.dimensions)
            bg_regions_adapt(&s->grid.regions, s->tally->importance + (size_t)g->channel.dimensions * BG_GRID_BINS);
    } else {
        const bg_learning how = kind_of_importances(g);
        bg_grid_adapt(&s->grid, g->channel.dimensions, g->channel.axes, s->tally->importance, how);
        if (g->channel.cells) bg_symmetric_adapt(&s->grid.directions, g->channel.cells, s->tally->direction, how);
    }
    if (s->selector) bg_selector_adapt(s->selector, s->tally->helicity);
    double moment = bg_exact_value(&s->tally->weight2) / (double)i.points;
    if (s->sifting.on) {
        const double factor = bg_sifting_take(&s->sifting, s->tally);
        moment = bg_exact_value(&s->tally->estimate2) / (double)i.points * factor * factor;
    }
    if (moment > 0.) s->scale = moment;
    if (s->warmup) {
        s->warmup--;
        s->warmed = bg_iterations_together(&s->warmed, &i);
    } else {
        s->iteration[s->iterations++] = i;
        if (s->tally->max_weight > s->max_weight) s->max_weight = s->tally->max_weight;
    }
    bg_tally_clear(s->tally);
    s->next_event +=
        integrator_whole(g, s->size); /* a deal that was not finished never is, so colors are not dealt twice */
    s->done = 0;
    s->size = bg_integrator_next_size(g);
    bg_integrator_aim(g);
}

/* Iterations until the goal is reached, or somebody stops it. */
static bg_status iterate(integrator *g, bg_error *error)
{
    bg_state *s = g->state;
    bg_status status = BG_OK;
    if (!s->done) { /* also where the goal has moved */
        s->size = bg_integrator_next_size(g);
        bg_integrator_aim(g);
    }
    while (status == BG_OK && !g->stop && !bg_integrator_reached(g)) {
        status = bg_integrator_lesson_before_iteration(g, error);
        if (status == BG_OK && !g->stop) status = run_iteration(g, error);
        if (status == BG_OK && s->done == s->size) finish_iteration(g);
        if (status == BG_OK && !g->stop) status = bg_integrator_check_hope(g, error);
    }
    return status;
}

static bg_status integrate(integrator *g, bg_result *result, bg_error *error)
{
    bg_state *s = g->state;
    const char *checkpoint = g->wish->checkpoint;
    bg_status status = BG_OK;
    if (checkpoint && g->ranks.mine == 0)
        status = bg_checkpoint_check(checkpoint, &s->question, g->wish->resume, g->wish->force, error);
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK && !(s->scale > 0.)) status = bg_integrator_pilot(g, error);
    if (status == BG_OK) status = iterate(g, error);
    if (status != BG_OK) return status;
    const bg_status saved = save(g, error);
    status = bg_reduce_histograms(&g->ranks, g->histograms, error);
    if (status == BG_OK) {
        bg_tally *t = bg_tally_copy(s->tally);
        status = bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
        if (status == BG_OK) {
            bg_reduce_sums(&g->ranks, t);
            status = bg_ranks_agree(&g->ranks, BG_OK, error);
            bg_integrator_summarise(g, t, result);
            result->interrupted = g->stop == STOPPED_BY_USER && !bg_integrator_reached(g);
            if (!result->points && g->stop)
                status = bg_fail(error, BG_ERROR_INTERRUPTED,
                                 "stopped after %.3g s, before the first points were finished: there is no result",
                                 result->seconds);
            if (status != BG_OK) result->seconds = 0.; /* nothing to show */
        }
        bg_tally_destroy(t);
    }
    return status == BG_OK ? saved : status;
}

/* What the run leaves in the caller's objects. */
static void hand_over(const integrator *g, const bg_result *result)
{
    const bg_integration *w = g->wish;
    if (w->histograms) {
        w->histograms->points = result->warming_up ? 0. : (double)result->points;
        w->histograms->accepted = (double)result->accepted;
        w->histograms->pairs = (double)result->pairs;
    }
    if (w->generator) {
        w->generator->grid = g->state->grid;
        w->generator->scale = g->state->scale;
    }
}

/* All that follows. */
static bg_status run(integrator *g, const bg_options *options, bg_result *result, bg_error *error)
{
    bg_status status = bg_integrator_set_up(g, options, error);
    if (status == BG_OK && g->wish->resume) status = resume(g, error);
    if (status == BG_OK) status = integrate(g, result, error);
    if (status == BG_OK || result->seconds > 0.) { /* a last checkpoint that could not be written loses nothing */
        snprintf(result->hardware, sizeof result->hardware, "%s", g->evaluator->hardware);
        snprintf(result->note, sizeof result->note, "%s", g->evaluator->note);
        hand_over(g, result);
    }
    return status;
}

bg_status bg_integrator_run(const bg_subprocess *process, const bg_options *options, const bg_integration *wish,
                            bg_result *result, bg_error *error)
{
    integrator g = {.wish = wish, .result_size = result->size, .started = bg_seconds(), .effort = 1.};
    bg_status status = bg_integrator_begin(&g, process, options, error);
    if (status == BG_OK) status = run(&g, options, result, error);
    bg_integrator_release(&g);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* ---- one of several subprocesses ----------------------------------------------------------------------------------- */

bg_status bg_integrator_open(bg_integrator **integrator_, const bg_subprocess *process, const bg_protons *protons,
                             double channels, int for_events, int shares, const bg_options *options,
                             const bg_integration *wish, double started, size_t result_size, bg_error *error)
{
    integrator *g = calloc(1, sizeof *g);
    *integrator_ = NULL;
    if (!g) return bg_fail(error, BG_ERROR_MEMORY, "no memory for an integration");
    *g = (integrator){.wish = wish,
                      .result_size = result_size,
                      .started = started,
                      .protons = protons,
                      .effort = 1.,
                      .shares = shares,
                      .for_events = for_events};
    bg_status status = bg_integrator_begin(g, process, options, error);
    if (status == BG_OK) status = bg_integrator_set_up(g, options, error);
    g->channel.beams.flux *= channels;
    if (status != BG_OK) {
        bg_integrator_close(g);
        return status;
    }
    *integrator_ = g;
    return BG_OK;
}

void bg_integrator_close(bg_integrator *g)
{
    if (!g) return;
    bg_integrator_release(g);
    free(g);
}

void bg_integrator_borrow(bg_integrator *g, const bg_integrator *other)
{
    channel_grid *to = &g->state->grid;
    const channel_grid *from = &other->state->grid;
    if (g->channel.dimensions != other->channel.dimensions) return;
    memcpy(to->edge, from->edge, sizeof to->edge);
    to->directions = from->directions;
    g->state->borrowed = 1;
}

bg_status bg_integrator_advance(bg_integrator *g, double effort, bg_result *result, int *stopped, bg_error *error)
{
    g->effort = effort;
    bg_status status = iterate(g, error);
    *stopped = g->stop;
    return status == BG_OK ? bg_integrator_report(g, result, error) : status;
}

bg_status bg_integrator_report(bg_integrator *g, bg_result *result, bg_error *error)
{
    bg_tally *t = bg_tally_copy(g->state->tally);
    const bg_status status =
        bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
    if (status == BG_OK) {
        bg_reduce_sums(&g->ranks, t);
        bg_integrator_summarise(g, t, result);
        snprintf(result->hardware, sizeof result->hardware, "%s", g->evaluator->hardware);
        snprintf(result->note, sizeof result->note, "%s", g->evaluator->note);
    }
    bg_tally_destroy(t);
    return status;
}

void bg_integrator_save_by(bg_integrator *g, bg_saver saver) { g->saver = saver; }

bg_status bg_integrator_pass(bg_integrator *g, bg_parcel *p, const char *path, bg_error *error)
{
    return p->unpacking ? unpack(g, p, path, error) : pack(g, p, path, error);
}

bg_status bg_integrator_finish(bg_integrator *g, const bg_result *result, bg_error *error)
{
    const bg_status status = bg_reduce_histograms(&g->ranks, g->histograms, error);
    if (status == BG_OK) hand_over(g, result);
    return status;
}

bg_state *bg_integrator_state(bg_integrator *g) { return g->state; }
