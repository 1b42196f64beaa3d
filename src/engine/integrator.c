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
#include "engine/integrator.h"
#include "engine/choice.h"
#include "engine/cost.h"
#include "engine/evaluator.h"
#include "engine/generator.h"
#include "engine/lesson.h"
#include "engine/ranks.h"
#include "engine/settings.h"
#include "engine/state.h"
#include "helicity/chirality.h"
#include "base/interrupt.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARMUP = 6 }; /* iterations that only adapt */
#define PILOT 512    /* points that set the scale of the importances */
#define PILOT_EVENT (1ull << 62)
#define TRIAL_EVENT (1ull << 61)  /* points for events: behind those of any result */
#define LESSON_EVENT (3ull << 60) /* points that a factor of the estimate is learned from */
#define ROUND_SECONDS 0.25
#define FIRST_ROUND 16 /* points: they may be slow */
#define MOST_ROUND 1e12
#define LEAST_LESSON 1500                /* points inside the cuts that may change a grid that was borrowed */
#define FILLING 16.                      /* points inside the cuts for each thread in a round at least */
#define MOST_FILLING 1e5                 /* ... unless that takes so many trials */
#define HOPELESS (1ull << 24)            /* points none of which is inside the cuts */
#define PILOT_KEPT 32.                   /* of its points that get an exact |M|^2 where there is an estimate */
#define WARMUP_KEPT 48.                  /* ... of those of an iteration that only adapts */
#define LEAST_KEPT 64.                   /* ... of any other */
#define LESSON_MOST 16000.               /* exact values of a lesson: more teach little */
#define LESSON_PAYS 4.                   /* a lesson has to save so many times its exact values, */
#define LESSON_EVENTS 2.                 /* or be of use for so many times as many events */
enum { PIECES = 8, LEAST_PIECE = 1000 }; /* a given number of points: iterations, and points of one at least */

enum { GO_ON = BG_INTERRUPT_NONE, STOPPED_BY_CLOCK = BG_INTERRUPT_CLOCK, STOPPED_BY_USER = BG_INTERRUPT_USER };

typedef struct bg_integrator {
    const bg_integration *wish;
    size_t result_size; /* of the caller's struct: what callbacks see says the same */
    bg_ranks ranks;
    bg_sink sink;
    int refused;               /* the caller wants no more points */
    const bg_protons *protons; /* NULL: two partons of a fixed energy */
    double effort;             /* share of the usual points that adaptation takes */
    int threads;               /* of this process */
    int shares;                /* it takes turns with other integrations */
    int for_events;            /* the grid is to keep the largest weights small */
    estimate_plan estimate;    /* of |M|^2, where there is one */
    double trial_cost, exact_cost;
    bg_evaluator *evaluator;
    const bg_plan *plan;
    channel channel;
    bg_state *state;
    struct bg_histograms *histograms; /* this rank's share; NULL without */
    bg_tally *fresh;                  /* of the round under way, which may be thrown away */
    bg_iteration pilot;               /* points that found the scale: the result where nothing else was done */
    bg_timing timing;
    double started, shown, saved;
    uint64_t round;   /* points of the next round, all ranks together */
    int stop;         /* who stopped it */
    bg_error trouble; /* of the last checkpoint that could not be written */
    bg_saver saver;   /* who writes checkpoints, where it is not this one */
    int hybrid;       /* CPU threads that generate points for a device, or 0 */
} integrator;

/* ---- results ------------------------------------------------------------------------------------------ */

static bg_iteration iteration_of(const integrator *g, const bg_tally *tally)
{
    bg_iteration i = bg_iteration_of(tally);
    i.learned = g->state->sifting.coefficients > 0;
    return i;
}

/* All points behind the result weigh the same, whichever iteration they belong to: unlike weights from the
 * estimated variances, that cannot bias the result. Those that only adapt do not count, until there are others.
 * `tally` is that of the current iteration, of all ranks; NULL: the finished ones alone. */
static void summarise(const integrator *g, const bg_tally *tally, bg_result *r)
{
    static const bg_iteration none = {0};
    const bg_state *s = g->state;
    const bg_iteration current = tally ? iteration_of(g, tally) : none,
                       warmed = bg_iterations_together(&s->warmed, &current);
    const int open = current.points > 0, nothing = !warmed.points && !s->iterations;
    /* a run that ends just where it has adapted has nothing else to show */
    const int just_adapted = tally && !s->iterations && !open;
    const bg_iteration *adapting = nothing ? &g->pilot : s->warmup || just_adapted ? &warmed : NULL;
    const int count = adapting ? 1 : s->iterations + open;
    const bg_iteration *all[BG_MAX_ITERATIONS + 1];
    double sum = 0., variance = 0., n = 0.;
    bg_clear(r, sizeof *r);
    r->size = g->result_size;
    r->warming_up = adapting != NULL;
    r->iterations = adapting ? 0 : count;
    r->warmup_points = adapting ? 0 : s->warmed.points;
    r->max_weight_pb = tally && tally->max_weight > s->max_weight ? tally->max_weight : s->max_weight;
    for (int k = 0; k < count; k++) {
        const bg_iteration *i = all[k] = adapting ? adapting : k == s->iterations ? &current : &s->iteration[k];
        sum += (double)i->points * i->mean;
        variance += (double)i->points * i->variance;
        n += (double)i->points;
        r->points += i->points;
        r->accepted += i->accepted;
        r->nonfinite += i->nonfinite;
        r->unstable += i->unstable;
        r->rescued += i->rescued;
        r->pairs += i->pairs;
        r->evaluated += i->evaluated;
    }
    r->sigma_pb = n > 0. ? sum / n : (double)NAN;
    r->error_pb = variance > 0. ? sqrt(variance) / n : (double)NAN;
    const double chi2 = bg_iterations_chi2(all, r->iterations, r->sigma_pb, s->sifting.on);
    r->chi2_per_dof = r->iterations > 1 && r->accepted ? chi2 / (r->iterations - 1) : (double)NAN;
    /* Iterations that differ by more than their errors have seen too little of a long tail: their scatter tells more. */
    r->error_scale = r->iterations > 1 && bg_is_beyond_chance(chi2, r->iterations - 1.) ? sqrt(r->chi2_per_dof) : 1.;
    r->error_pb *= r->error_scale;
    r->unweighting = r->max_weight_pb > 0. ? r->sigma_pb / r->max_weight_pb : 0.;
    r->ranks = g->ranks.count;
    r->estimated = s->sifting.on;
    r->seconds = s->seconds + bg_seconds() - g->started;
    r->seconds_matrix_element = g->timing.matrix_element;
    r->seconds_phase_space = g->timing.phase_space;
    r->seconds_copies = g->timing.copies;
    r->seconds_waiting = g->timing.waiting;
    snprintf(r->note, sizeof r->note, "%.*s", (int)sizeof r->note - 1, g->trouble.message);
}

/* The finished iterations alone: what decides how it goes on. */
static bg_result so_far(const integrator *g)
{
    bg_result r;
    summarise(g, NULL, &r);
    if (!g->state->iterations && !g->state->warmed.points) r.points = r.accepted = 0; /* the pilot decides nothing */
    return r;
}

/* ---- sums over ranks -------------------------------------------------------------------------------------- */

/* Counts and sums: enough for a result, small enough for every round. */
static void reduce_sums(bg_ranks *ranks, bg_tally *t)
{
    int64_t *const counts[] = {&t->points,   &t->accepted, &t->nonfinite, &t->pairs,
                               &t->unstable, &t->rescued,  &t->evaluated};
    bg_exact *const sums[] = {&t->weight, &t->weight2, &t->estimate2, &t->kept[0], &t->kept[1], &t->kept[2]};
    enum { COUNTS = sizeof counts / sizeof *counts, SUMS = sizeof sums / sizeof *sums };
    int64_t values[COUNTS + SUMS * BG_EXACT_DIGITS];
    for (int k = 0; k < COUNTS; k++) values[k] = *counts[k];
    for (int k = 0; k < SUMS; k++) {
        bg_exact_carry(sums[k]);
        memcpy(values + COUNTS + k * BG_EXACT_DIGITS, sums[k]->digit, sizeof sums[k]->digit);
    }
    bg_ranks_sum(ranks, values, sizeof values / sizeof *values);
    for (int k = 0; k < COUNTS; k++) *counts[k] = values[k];
    for (int k = 0; k < SUMS; k++) memcpy(sums[k]->digit, values + COUNTS + k * BG_EXACT_DIGITS, sizeof sums[k]->digit);
    bg_ranks_max(ranks, &t->max_weight, 1);
}

static void reduce_tally(bg_ranks *ranks, bg_tally *t)
{
    reduce_sums(ranks, t);
    bg_ranks_sum(ranks, t->importance, bg_tally_importances(t->dimensions, t->entries, t->cells));
}

/* A tally of its own with the same sums; NULL without memory. */
static bg_tally *copy_tally(const bg_tally *t)
{
    bg_tally *copy = bg_tally_create(t->dimensions, t->entries, t->cells);
    if (copy) bg_tally_merge(copy, t);
    return copy;
}

/* The histograms of all ranks, on every rank. */
static bg_status reduce_histograms(bg_ranks *ranks, struct bg_histograms *h, bg_error *error)
{
    const size_t count = bg_histograms_integers(h);
    if (!count) return BG_OK;
    int64_t *integers = malloc(count * sizeof *integers);
    const bg_status status = bg_ranks_agree(
        ranks, integers ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory to add up histograms"), error);
    if (status != BG_OK) {
        free(integers);
        return status;
    }
    bg_histograms_save(h, integers);
    bg_ranks_sum(ranks, integers, count);
    bg_histograms_load(h, integers);
    free(integers);
    return BG_OK;
}

/* ---- checkpoints -------------------------------------------------------------------------------------------- */

/* The state with the sums of all ranks, to a parcel; the ranks go on with their own. */
static bg_status pack(integrator *g, bg_parcel *p, const char *path, bg_error *error)
{
    bg_status status = BG_OK;
    bg_state *whole = malloc(sizeof *whole);
    bg_tally *tally = copy_tally(g->state->tally);
    struct bg_histograms *sum = g->histograms ? bg_histograms_clone(g->histograms) : NULL;
    if (!whole || !tally || (g->histograms && !sum))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for a checkpoint");
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK) {
        *whole = *g->state;
        whole->tally = tally;
        reduce_tally(&g->ranks, tally);
        whole->seconds += bg_seconds() - g->started;
        if (sum) {
            bg_histograms_merge(sum, g->histograms);
            status = reduce_histograms(&g->ranks, sum, error);
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

/* ---- the loop ------------------------------------------------------------------------------------------------- */

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
    const bg_batch batch = {.channel = &g->channel,
                            .sieve = s->sifting.on ? &sieve : NULL,
                            .grid = &s->grid,
                            .selector = s->selector,
                            .first_event = first,
                            .count = count,
                            .importance_scale = adapting ? s->scale : 0.,
                            .cubic = g->for_events,
                            .hybrid = g->hybrid,
                            .sink =
                                adapting && g->wish->receive ? &g->sink : NULL}; /* the pilot is nobody's business */
    if (!count) return BG_OK;
    return bg_evaluator_integrate(g->evaluator, &batch, g->fresh, histograms, &g->timing, error);
}

/* This rank's share of a round of points. All ranks keep it, or none: where one was interrupted, the round did not
 * happen. */
static bg_status run_round(integrator *g, uint64_t first, uint64_t count, int adapting, int histograms, bg_tally *tally,
                           bg_error *error)
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

/* Whole deals of points that share colors. */
static uint64_t unit(const integrator *g) { return bg_deal_unit(g->plan->group); }
static uint64_t whole(const integrator *g, uint64_t points) { return bg_deal_whole(g->plan->group, points); }

/* Points of the first iteration: enough for a histogram of every axis. Largest weights, which decide how many points become events,
 * are learned from many more, where these cost little. */
static uint64_t first_size(const integrator *g)
{
    const double some = g->for_events && g->state->sifting.on ? 2000. : 500.;
    return (uint64_t)(some * g->effort) * (uint64_t)(g->plan->process.n_out + 1);
}

/* The error that decides when to stop. A long tail may keep iterations from ever agreeing: it is given four times the
 * points, and then the result says that its precision was not reached. */
static double deciding_error(const bg_result *r) { return r->error_pb / r->error_scale * fmin(r->error_scale, 2.); }

/* Points of the next iteration, from the results so far alone. */
static uint64_t wanted_size(const integrator *g)
{
    const bg_state *s = g->state;
    const bg_integration *w = g->wish;
    if (s->warmup) return first_size(g) * (uint64_t)(WARMUP - s->warmup + 2) / 2;
    const uint64_t least = 4 * first_size(g);
    const bg_result r = so_far(g);
    if (w->points) {
        const uint64_t fitting = w->points / LEAST_PIECE, pieces = fitting < 1        ? 1
                                                                   : fitting < PIECES ? fitting
                                                                                      : PIECES;
        const uint64_t piece = w->points / pieces + (w->points % pieces > 0);
        const uint64_t left = w->points > r.points ? w->points - r.points : 0;
        return piece < left ? piece : left;
    }
    if (!s->iterations || !(w->precision > 0.) || !(r.sigma_pb > 0.)) {
        const uint64_t grown = r.points / 2;
        return grown > least ? grown : least;
    }
    /* as many more as the precision asks for, a few per cent over, but never more than have been made so far */
    const double ratio = deciding_error(&r) / r.sigma_pb / w->precision;
    double more = (double)r.points * (1.03 * ratio * ratio - 1.);
    if (more > (double)r.points) more = (double)r.points;
    return more > (double)least / 4 ? (uint64_t)more : least / 4;
}

/* In whole deals, but for the last points of a given number of them. */
static uint64_t next_size(const integrator *g)
{
    const uint64_t wanted = whole(g, wanted_size(g));
    if (!g->wish->points || g->state->warmup) return wanted;
    const uint64_t points = so_far(g).points;
    const uint64_t left = g->wish->points > points ? g->wish->points - points : 0;
    return wanted < left ? wanted : left;
}

static int reached(const integrator *g)
{
    const bg_state *s = g->state;
    const bg_integration *w = g->wish;
    if (s->warmup) return 0;
    const bg_result r = so_far(g);
    if (s->iterations >= BG_MAX_ITERATIONS) return 1;
    if (w->points) return r.points >= w->points;
    return w->precision > 0. && s->iterations >= 2 && r.sigma_pb > 0. &&
           deciding_error(&r) <= w->precision * r.sigma_pb;
}

/* Points of a round that takes as long as a round should, after one of `points` that took `seconds`; but so many that
 * those inside the cuts fill the registers of every thread. */
static uint64_t paced(const integrator *g, const bg_result *r, uint64_t points, double seconds)
{
    const double threads = (double)g->plan->options.threads * g->ranks.count;
    const double least =
        fmin(FILLING * threads * (double)r->points / (double)(r->accepted ? r->accepted : 1), MOST_FILLING);
    const double ratio = ROUND_SECONDS / (seconds > 1e-6 ? seconds : 1e-6);
    const double wanted = (double)points * (ratio < 0.25 ? 0.25 : ratio < 4. ? ratio : 4.);
    return (uint64_t)fmin(fmax(wanted, fmax(least, FIRST_ROUND)), MOST_ROUND);
}

/* Between two rounds: show, save, and agree on stopping and on the size of the next round, from the points and seconds
 * of the one before. The last round of an iteration may be short and says nothing about larger ones. */
static bg_status between_rounds(integrator *g, uint64_t points, double seconds, bg_error *error)
{
    bg_tally *t = copy_tally(g->state->tally);
    bg_status status =
        bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
    if (status != BG_OK) {
        bg_tally_destroy(t);
        return status;
    }
    reduce_sums(&g->ranks, t);
    struct {
        uint64_t round;
        int stop, save;
    } order = {g->round, GO_ON, 0};
    double refused = g->refused || (g->wish->interrupted && g->wish->interrupted(g->wish->user)); /* on any rank */
    bg_ranks_max(&g->ranks, &refused, 1);
    if (g->ranks.mine == 0) {
        bg_result r;
        summarise(g, t, &r);
        if (points >= g->round || seconds > ROUND_SECONDS) order.round = paced(g, &r, points, seconds);
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

/* Points that count for nothing, the same on every rank. */
static bg_status pilot_points(integrator *g, bg_tally *t, bg_error *error)
{
    bg_status status = BG_OK;
    uint64_t done = 0, piece = whole(g, FIRST_ROUND);
    bg_tally_clear(t);
    while (status == BG_OK && done < PILOT && !g->stop) {
        const uint64_t now = piece < PILOT - done ? piece : PILOT - done;
        const double start = bg_seconds();
        status = run_round(g, PILOT_EVENT + done, now, 0, 0, t, error);
        if (g->stop) break;
        done += now;
        piece *= 2;
        if (!g->state->sifting.on) g->pilot = bg_iteration_of(t); /* estimates alone are no result */
        if (status == BG_OK) status = between_rounds(g, now, bg_seconds() - start, error);
    }
    return status;
}

/* The scale of estimates: first how large they are, then exact values of some. */
static bg_status pilot_estimates(integrator *g, bg_tally *t, double *mean2, bg_error *error)
{
    bg_sifting *f = &g->state->sifting;
    bg_status status = pilot_points(g, t, error);
    if (status != BG_OK || g->stop) return status;
    (void)bg_sifting_take(f, t);
    const double mean = f->mean;
    if (!(mean > 0.)) return BG_OK; /* nothing is inside the cuts, yet */
    bg_sifting_keep(f, PILOT_KEPT / PILOT);
    status = pilot_points(g, t, error);
    if (status != BG_OK || g->stop) return status;
    const double factor = bg_sifting_take(f, t), rms = bg_sifting_rms(f);
    f->mean = mean * factor; /* before e and w agree, W scatters much more than e */
    *mean2 = bg_exact_value(&t->estimate2) / PILOT * factor * factor;
    f->spread = *mean2 / (f->mean * f->mean) - 1.;
    g->pilot = bg_iteration_of(t);
    g->pilot.mean = f->mean;
    g->pilot.variance = *mean2 - f->mean * f->mean + f->mean * f->threshold * factor * rms * rms; /* sieve.h */
    return BG_OK;
}

/* The scale of the importances from a few points that count for nothing else. Every rank finds the same. */
static bg_status pilot(integrator *g, bg_error *error)
{
    bg_tally *t = bg_tally_create(g->state->tally->dimensions, g->state->tally->entries, g->state->tally->cells);
    bg_status status =
        bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
    double mean2 = 0.;
    if (g->state->sifting.on) /* what a pilot that was interrupted has learned is gone */
        bg_sifting_begin(&g->state->sifting, g->plan->process.n);
    if (status == BG_OK && g->state->sifting.on)
        status = pilot_estimates(g, t, &mean2, error);
    else if (status == BG_OK) {
        status = pilot_points(g, t, error);
        if (status == BG_OK) mean2 = bg_exact_value(&t->weight2) / PILOT;
    }
    if (status == BG_OK && !g->stop) g->state->scale = mean2 > 0. ? mean2 : 1.;
    bg_tally_destroy(t);
    return status;
}

static double trial_cost(const integrator *g)
{
    const bg_sieve sieve = bg_sifting_sieve(&g->state->sifting, &g->estimate);
    return g->trial_cost + (sieve.coefficient ? bg_factor_cost(&sieve.plan) : 0.);
}

/* The share of the trial points that best get an exact |M|^2. */
static double best_share(const integrator *g)
{
    return bg_sifting_best_share(&g->state->sifting, trial_cost(g), g->exact_cost);
}

/* How many points of the iteration that begins get an exact |M|^2. */
static void aim(integrator *g)
{
    const bg_state *s = g->state;
    bg_sifting *f = &g->state->sifting;
    if (!f->on) return;
    const double size = (double)s->size, best = best_share(g);
    const double least = (s->warmup ? WARMUP_KEPT * g->effort : LEAST_KEPT) / size;
    /* helicities are learned from exact values alone */
    const double share = s->warmup && !s->selector ? least : fmax(best, least);
    bg_sifting_keep(f, share < 1. ? share : 1.); /* all of them where nothing is known */
}

/* Points of a lesson, of a survey and of events go to a sink; nobody adds them up. */
static bg_status show_points(integrator *g, uint64_t first, uint64_t count, int survey, const bg_sink *sink,
                             bg_error *error)
{
    const bg_sieve sieve = bg_sifting_sieve(&g->state->sifting, &g->estimate);
    const bg_batch batch = {.channel = &g->channel,
                            .grid = &g->state->grid,
                            .selector = g->state->selector,
                            .sieve = g->state->sifting.on ? &sieve : NULL,
                            .survey = survey,
                            .first_event = first,
                            .count = count,
                            .sink = sink};
    bg_tally_clear(g->fresh);
    return bg_evaluator_integrate(g->evaluator, &batch, g->fresh, NULL, &g->timing, error);
}

/* Exact values are those of all helicities and colors: draws of them scatter by more than a factor could mend. */
static int can_learn(const integrator *g)
{
    const bg_options *o = &g->plan->options;
    return g->state->sifting.on && !g->state->sifting.coefficients &&
           bg_lesson_points(g->plan->process.n, BG_LESSON_FOR_INTEGRAL) > 0. && o->color == BG_COLOR_SUMMED &&
           o->helicity != BG_HELICITY_SAMPLED;
}

/* The same on every rank. A lesson that is interrupted leaves no trace. */
static bg_status take_lesson(integrator *g, double points, bg_lesson_aim aim, bg_error *error)
{
    const bg_sifting before = g->state->sifting;
    const uint64_t trials = bg_deal_whole(g->plan->group, (uint64_t)(BG_LESSON_TRIALS * points));
    bg_lesson lesson;
    bg_status status = bg_lesson_begin(&lesson, &g->plan->process, aim, points, g->threads, error);
    const bg_sink estimates = bg_lesson_estimates(&lesson), exacts = bg_lesson_exacts(&lesson);
    if (status == BG_OK) status = show_points(g, LESSON_EVENT, trials, 1, &estimates, error);
    g->state->sifting.threshold = bg_lesson_threshold(&lesson, points);
    if (status == BG_OK && !bg_interrupted(&g->evaluator->interrupt))
        status = show_points(g, LESSON_EVENT, trials, 0, &exacts, error);
    g->state->sifting.threshold = before.threshold;
    if (status == BG_OK && !bg_interrupted(&g->evaluator->interrupt))
        status = bg_lesson_learn(&lesson, &g->state->sifting, error);
    bg_lesson_free(&lesson);
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status != BG_OK) return status;
    double reason = bg_interrupt_reason_of(&g->evaluator->interrupt);
    bg_ranks_max(&g->ranks, &reason, 1);
    if (reason > 0.) g->state->sifting = before;
    g->stop = (int)reason;
    bg_ranks_broadcast(&g->ranks, &g->state->sifting, sizeof g->state->sifting); /* devices may round differently */
    return BG_OK;
}

/* Trial points up to the goal, as far as it can be seen. */
static double points_to_come(const integrator *g)
{
    const bg_result r = so_far(g);
    if (g->wish->points) return g->wish->points > r.points ? (double)(g->wish->points - r.points) : 0.;
    if (!(g->wish->precision > 0.) || !(r.sigma_pb > 0.)) return (double)g->state->size;
    const double ratio = deciding_error(&r) / r.sigma_pb / g->wish->precision;
    return ratio > 1. ? (double)r.points * (ratio * ratio - 1.) : 0.;
}

/* Before an iteration: where very many exact values are still to come, some of them are spent on a better estimate. */
static bg_status learn(integrator *g, bg_error *error)
{
    const bg_state *s = g->state;
    if (s->done || s->warmup || !s->iterations || !can_learn(g)) return BG_OK;
    const double points = bg_lesson_points(g->plan->process.n, BG_LESSON_FOR_INTEGRAL);
    if (points_to_come(g) * best_share(g) < LESSON_PAYS * points) return BG_OK;
    const bg_status status = take_lesson(g, points, BG_LESSON_FOR_INTEGRAL, error);
    if (status == BG_OK && !g->stop) aim(g);
    return status;
}

static bg_status run_iteration(integrator *g, bg_error *error)
{
    bg_state *s = g->state;
    const uint64_t ranks = (uint64_t)g->ranks.count, mine = (uint64_t)g->ranks.mine;
    bg_status status = BG_OK;
    while (status == BG_OK && s->done < s->size && !g->stop) {
        const uint64_t left = s->size - s->done, most = whole(g, g->round), round = most < left ? most : left;
        const double start = bg_seconds();
        uint64_t from, size;
        bg_batch_part(round, unit(g), ranks, mine, &from, &size);
        status = run_round(g, s->next_event + s->done + from, size, 1, !s->warmup, s->tally, error);
        if (g->stop) break;
        s->done += round;
        if (status == BG_OK) status = between_rounds(g, round, bg_seconds() - start, error);
    }
    return status;
}

/* What the importances of the finished iteration are. Grids of two partons are damped as Lepage does. */
static bg_learning learning(const integrator *g)
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
    reduce_tally(&g->ranks, s->tally);
    const bg_iteration i = iteration_of(g, s->tally);
    if (s->borrowed && i.accepted < LEAST_LESSON) { /* few points know less than the grid that it began with */
        if (g->channel.axes > g->channel.dimensions)
            bg_regions_adapt(&s->grid.regions, s->tally->importance + (size_t)g->channel.dimensions * BG_GRID_BINS);
    } else {
        const bg_learning how = learning(g);
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
    s->next_event += whole(g, s->size); /* a deal that was not finished never is, so colors are not dealt twice */
    s->done = 0;
    s->size = next_size(g);
    aim(g);
}

/* Whether it is no use to go on: nothing is inside the cuts, and nobody said how many points to try. */
static bg_status check_hope(const integrator *g, bg_error *error)
{
    if (g->wish->points) return BG_OK;
    const bg_result r = so_far(g);
    if (r.accepted || r.points < HOPELESS) return BG_OK;
    return bg_fail(error, BG_ERROR_POINT,
                   "none of %llu trial points is inside the cuts: they leave no room, or too little to be found",
                   (unsigned long long)r.points);
}

/* Iterations until the goal is reached, or somebody stops it. */
static bg_status iterate(integrator *g, bg_error *error)
{
    bg_state *s = g->state;
    bg_status status = BG_OK;
    if (!s->done) { /* also where the goal has moved */
        s->size = next_size(g);
        aim(g);
    }
    while (status == BG_OK && !g->stop && !reached(g)) {
        status = learn(g, error);
        if (status == BG_OK && !g->stop) status = run_iteration(g, error);
        if (status == BG_OK && s->done == s->size) finish_iteration(g);
        if (status == BG_OK && !g->stop) status = check_hope(g, error);
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
    if (status == BG_OK && !(s->scale > 0.)) status = pilot(g, error);
    if (status == BG_OK) status = iterate(g, error);
    if (status != BG_OK) return status;
    const bg_status saved = save(g, error);
    status = reduce_histograms(&g->ranks, g->histograms, error);
    if (status == BG_OK) {
        bg_tally *t = copy_tally(s->tally);
        status = bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
        if (status == BG_OK) {
            reduce_sums(&g->ranks, t);
            status = bg_ranks_agree(&g->ranks, BG_OK, error);
            summarise(g, t, result);
            result->interrupted = g->stop == STOPPED_BY_USER && !reached(g);
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

/* Some tree amplitudes vanish (helicity/chirality.h), and what is left is rounding. */
static bg_status check_helicities(const bg_plan *plan, bg_error *error)
{
    const bg_options *o = &plan->options;
    if (o->helicity != BG_HELICITY_FIXED || bg_helicities_allowed(&plan->process, plan->configuration)) return BG_OK;
    return bg_fail(
        error, BG_ERROR_ARGUMENT, "helicities %s: the tree amplitude vanishes, sigma is 0; %s", o->helicities,
        plan->process.lines
            ? "a quark and its antiquark, all legs taken as outgoing, must have opposite helicities, and gluons "
              "beside a single quark line not all the same"
            : "as outgoing gluons at least two must have + and two -");
}

/* Ranks that were asked different things, or chose differently on different hardware, would wait for each other. */
static bg_status same_question(integrator *g, bg_error *error)
{
    const bg_integration *w = g->wish;
    struct {
        bg_question question;
        uint64_t points, receives, saves, resumes;
        double precision;
    } mine = {.question = g->state->question,
              .points = w->points,
              .receives = w->receive != NULL,
              .saves = w->checkpoint != NULL,
              .resumes = w->resume != NULL,
              .precision = w->precision},
      first = mine;
    bg_ranks_broadcast(&g->ranks, &first, sizeof first);
    bg_status status = BG_OK;
    if (strcmp(first.question.text, mine.question.text) || first.points != mine.points ||
        first.precision != mine.precision || first.receives != mine.receives)
        status = bg_fail(error, BG_ERROR_ARGUMENT,
                         "rank %d has another question or algorithm than rank 0 (automatic choices depend on the "
                         "hardware: name them)",
                         g->ranks.mine);
    else if (first.saves != mine.saves || first.resumes != mine.resumes)
        status = bg_fail(error, BG_ERROR_ARGUMENT,
                         "rank %d and rank 0 differ in whether they %s a checkpoint: all ranks must be told the same",
                         g->ranks.mine, first.saves != mine.saves ? "write" : "resume from");
    return bg_ranks_agree(&g->ranks, status, error);
}

static bg_status check_wish(const bg_subprocess *process, const bg_options *options, const bg_integration *w,
                            bg_error *error)
{
    bg_status status = bg_integration_check_cuts(w, process->n_out, error);
    if (status == BG_OK) status = bg_integration_check_goal(w, error);
    if (status == BG_OK && options->samples > 1)
        status =
            bg_fail(error, BG_ERROR_UNSUPPORTED,
                    "samples is %d; an integration makes one draw a point (more points do more)", options->samples);
    return status;
}

/* What the caller's other objects have to do with the question. */
static bg_status check_objects(const integrator *g, bg_error *error)
{
    const bg_integration *w = g->wish;
    if (w->histograms && w->histograms->kinematics.n_out != g->plan->process.n_out)
        return bg_fail(error, BG_ERROR_ARGUMENT, "the histograms are for %d outgoing partons, the process has %d",
                       w->histograms->kinematics.n_out, g->plan->process.n_out);
    if (w->generator && !bg_generator_fits(w->generator, &g->channel))
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "the generator is for another process, energy, phase space or other cuts than the integration");
    return BG_OK;
}

/* Whether an estimate is to come first: where it costs much less than |M|^2 does, which for three quark lines alone it never
 * does. But an event takes many trial points, few of which need an exact value then. */
static int estimate_is_wanted(const integrator *g, const bg_options *asked)
{
    enum {
        LEAST_OUT = 3,
        LEAST_OUT_EVENTS = 2,
        LEAST_OUT_PARTONIC = 4,
        MOST_SAMPLED = 9
    }; /* beyond, what is drawn scatters more than what E misses, unless helicities are drawn by invariant masses */
    const bg_subprocess *s = &g->plan->process;
    const bg_options *o = &g->plan->options;
    const int scatters =
        o->color == BG_COLOR_SAMPLED && s->n_out > MOST_SAMPLED && bg_helicity_choosing(o) != HELICITY_BY_MASSES;
    const int least = !g->protons ? LEAST_OUT_PARTONIC : g->for_events ? LEAST_OUT_EVENTS : LEAST_OUT;
    const int as_cheap = s->lines == ESTIMATE_MOST_LINES && !s->gluons && !g->for_events;
    if (g->wish->estimate == BG_ESTIMATE_OFF || as_cheap) return 0;
    return g->wish->estimate == BG_ESTIMATE_ON || (!scatters && s->lines <= ESTIMATE_MOST_LINES && s->n_out >= least &&
                                                   bg_choice_purpose(asked, g->wish) == BG_FOR_ESTIMATED_CROSS_SECTION);
}

static bg_status choose_estimate(integrator *g, const bg_options *asked, bg_error *error)
{
    const bg_integration *w = g->wish;
    g->trial_cost = g->protons && g->for_events ? BG_PROTON_TRIAL_COST : BG_TRIAL_COST;
    if (g->protons) g->exact_cost = bg_exact_cost(g->plan);
    if (!estimate_is_wanted(g, asked)) return BG_OK;
    if (w->receive || w->hybrid)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "estimate is on, and %s: all points need an exact |M|^2 then, so it must be off or auto",
                       w->receive ? "points are delivered" : "points are made on the host (hybrid)");
    const bg_status status = bg_estimate_plan(&g->estimate, &g->plan->process, g->plan->process.place, error);
    if (status != BG_OK) return status;
    g->exact_cost = bg_exact_cost(g->plan);
    g->trial_cost += bg_estimate_cost(&g->estimate);
    bg_sifting_begin(&g->state->sifting, g->plan->process.n);
    return BG_OK;
}

/* The state of an integration that begins. */
static bg_status prepare(integrator *g, const bg_options *asked, bg_error *error)
{
    bg_state *s = g->state;
    const bg_integration *w = g->wish;
    const int selecting = bg_plan_selects_helicities(g->plan);
    bg_status status = choose_estimate(g, asked, error);
    bg_integration said = *w; /* the question says what was chosen */
    said.estimate = s->sifting.on ? BG_ESTIMATE_ON : BG_ESTIMATE_OFF;
    if (status == BG_OK) status = bg_question_write(&s->question, g->plan, &said, w->histograms, error);
    s->group = g->plan->group;
    s->warmup = w->phase_space == BG_PHASE_SPACE_ADAPTIVE || selecting ? WARMUP : 0;
    bg_grid_uniform(&s->grid, &g->plan->process, g->protons != NULL);
    if (selecting) s->selector = bg_selector_create(&g->plan->process, bg_plan_by_invariants(g->plan));
    s->tally = bg_tally_create(g->channel.axes, s->selector ? s->selector->entries : 0, g->channel.cells);
    g->fresh = bg_tally_create(g->channel.axes, s->selector ? s->selector->entries : 0, g->channel.cells);
    if (status == BG_OK && (!s->tally || !g->fresh || (selecting && !s->selector)))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the tables of an integration");
    if (status == BG_OK) status = check_helicities(g->plan, error);
    if (status == BG_OK) status = check_objects(g, error);
    return bg_ranks_agree(&g->ranks, status, error);
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

/* Who may stop it. */
static bg_interrupt interrupt_of(const integrator *g)
{
    const bg_integration *w = g->wish;
    return (bg_interrupt){.asked = w->interrupted,
                          .user = w->user,
                          .deadline = w->seconds > 0. ? g->started + w->seconds : 0.,
                          .grace = BG_INTERRUPT_GRACE};
}

/* What follows first once there is an evaluator. */
static bg_status set_up(integrator *g, const bg_options *options, bg_error *error)
{
    const bg_integration *w = g->wish;
    g->plan = bg_evaluator_plan(g->evaluator);
    if (w->hybrid) g->hybrid = options->threads ? options->threads : bg_default_threads();
    if (w->resolved) {
        bg_options resolved = g->plan->options;
        if (g->hybrid) resolved.threads = g->hybrid;
        (void)bg_sized_write(w->resolved, &resolved, sizeof resolved, "resolved",
                             NULL); /* its size was checked before */
    }
    g->channel = channel_create((int)w->phase_space, &g->plan->process, w->sqrts, &w->cuts, &w->jet_cuts, g->protons,
                                g->plan->options.seed);
    const bg_status status = prepare(g, options, error);
    return status == BG_OK ? same_question(g, error) : status;
}

/* All that follows. */
static bg_status run(integrator *g, const bg_options *options, bg_result *result, bg_error *error)
{
    bg_status status = set_up(g, options, error);
    if (status == BG_OK && g->wish->resume) status = resume(g, error);
    if (status == BG_OK) status = integrate(g, result, error);
    if (status == BG_OK || result->seconds > 0.) { /* a last checkpoint that could not be written loses nothing */
        snprintf(result->hardware, sizeof result->hardware, "%s", g->evaluator->hardware);
        snprintf(result->note, sizeof result->note, "%s", g->evaluator->note);
        hand_over(g, result);
    }
    return status;
}

/* The evaluator, on all ranks or on none. */
static bg_status begin(integrator *g, const bg_subprocess *process, const bg_options *options, bg_error *error)
{
    const bg_integration *wish = g->wish;
    g->saved = bg_seconds();
    g->round = FIRST_ROUND;
    g->histograms = wish->histograms;
    g->threads = options->threads ? options->threads : bg_default_threads();
    g->sink = (bg_sink){deliver, g};
    bg_status status = bg_ranks_open(&g->ranks, wish->communicator, error);
    if (status != BG_OK) return status;
    const bg_request request = {.process = process,
                                .options = options,
                                .purpose = bg_choice_purpose(options, g->wish),
                                .needs = wish->receive ? BG_CAN_DELIVER_POINTS : 0u,
                                .interrupt = interrupt_of(g),
                                .shares = g->shares,
                                .local_rank = g->ranks.count > 1 ? g->ranks.communicator.local_rank : -1};
    g->state = calloc(1, sizeof *g->state);
    if (!g->state) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for an integration");
    if (status == BG_OK) status = check_wish(process, options, wish, error);
    if (status == BG_OK) status = bg_evaluator_make(&g->evaluator, &request, error);
    return bg_ranks_agree(&g->ranks, status, error);
}

static void release(integrator *g)
{
    bg_evaluator_release(g->evaluator);
    bg_tally_destroy(g->fresh);
    if (g->state) {
        bg_selector_destroy(g->state->selector);
        bg_tally_destroy(g->state->tally);
    }
    free(g->state);
}

bg_status bg_integrator_run(const bg_subprocess *process, const bg_options *options, const bg_integration *wish,
                            bg_result *result, bg_error *error)
{
    integrator g = {.wish = wish, .result_size = result->size, .started = bg_seconds(), .effort = 1.};
    bg_status status = begin(&g, process, options, error);
    if (status == BG_OK) status = run(&g, options, result, error);
    release(&g);
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
    bg_status status = begin(g, process, options, error);
    if (status == BG_OK) status = set_up(g, options, error);
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
    release(g);
    free(g);
}

bg_status bg_integrator_probe(bg_integrator *g, double *sigma, int *stopped, bg_error *error)
{
    const bg_status status = pilot(g, error);
    *sigma = g->pilot.mean;
    *stopped = g->stop;
    return status;
}

double bg_integrator_cost(const bg_integrator *g)
{
    const bg_sifting *f = &g->state->sifting;
    return trial_cost(g) + (f->on ? best_share(g) : 1.) * g->exact_cost;
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
    bg_tally *t = copy_tally(g->state->tally);
    const bg_status status =
        bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
    if (status == BG_OK) {
        reduce_sums(&g->ranks, t);
        summarise(g, t, result);
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
    const bg_status status = reduce_histograms(&g->ranks, g->histograms, error);
    if (status == BG_OK) hand_over(g, result);
    return status;
}

/* The time that was given is that of the integration before. Points for events that are interrupted are made again some other time, so it
 * is no use to wait for them. */
static void end_of_integration(integrator *g)
{
    bg_interrupt *interrupt = &g->evaluator->interrupt;
    interrupt->deadline = 0.;
    interrupt->grace = 0.;
    if (bg_interrupt_reason_of(interrupt) == BG_INTERRUPT_CLOCK) bg_interrupt_reset(interrupt);
}

static bg_status unless_stopped(int reason, bg_error *error)
{
    return reason ? bg_fail(error, BG_ERROR_INTERRUPTED, "interrupted while points were made") : BG_OK;
}

bg_status bg_integrator_trials(bg_integrator *g, uint64_t first, uint64_t count, int survey, const bg_sink *sink,
                               bg_error *error)
{
    end_of_integration(g);
    const bg_status status = show_points(g, TRIAL_EVENT + first, count, survey, sink, error);
    return status == BG_OK ? unless_stopped(bg_interrupt_reason_of(&g->evaluator->interrupt), error) : status;
}

bg_status bg_integrator_learn(bg_integrator *g, double events, bg_error *error)
{
    const double least = bg_lesson_points(g->plan->process.n, BG_LESSON_FOR_EVENTS), points = events / LESSON_EVENTS;
    if (!can_learn(g) || points < least) return BG_OK;
    end_of_integration(g);
    const bg_status status = take_lesson(g, fmin(points, LESSON_MOST), BG_LESSON_FOR_EVENTS, error);
    return status == BG_OK ? unless_stopped(g->stop, error) : status;
}

/* As they were chosen for the point before: from its number, and by its invariants. */
int bg_integrator_helicities(const bg_integrator *g, uint64_t event, const double *momenta, uint32_t *configuration)
{
    const bg_plan *plan = g->plan;
    const bg_subprocess *s = &plan->process;
    double placed[4 * BG_MAX_LEGS];
    if (plan->mode != HELICITY_CIRCULAR) return 0;
    for (int place = 0; place < s->n; place++)
        memcpy(placed + 4 * place, momenta + 4 * s->leg[place], 4 * sizeof *placed);
    *configuration = helicity_of_point(g->state->selector, bg_helicity_choosing(&plan->options), plan->configuration,
                                       s->n, plan->options.seed, event, placed, 1)
                         .configuration;
    return 1;
}

int bg_integrator_is_sieved(const bg_integrator *g) { return g->state->sifting.on; }
void bg_integrator_costs(const bg_integrator *g, double *trial, double *exact)
{
    *trial = trial_cost(g);
    *exact = g->exact_cost;
}

void bg_integrator_set_threshold(bg_integrator *g, double threshold) { g->state->sifting.threshold = threshold; }

bg_state *bg_integrator_state(bg_integrator *g) { return g->state; }
