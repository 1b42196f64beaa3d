/* Points for lessons and for events: with what an integration has learned so far, and no part of its result. They go to whoever
 * asked for them.
 */
#include "engine/integrator_own.h"
#include "engine/lesson.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define LESSON_MOST 16000. /* exact values of a lesson: more teach little */
#define LESSON_PAYS 4.     /* a lesson has to save so many times its exact values, */
#define LESSON_EVENTS 2.   /* or be of use for so many times as many events */

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

/* ---- lessons ---------------------------------------------------------------------------------------------------------------- */

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
    if (status == BG_OK) status = show_points(g, BG_LESSON_EVENT, trials, 1, &estimates, error);
    g->state->sifting.threshold = bg_lesson_threshold(&lesson, points);
    if (status == BG_OK && !bg_interrupted(&g->evaluator->interrupt))
        status = show_points(g, BG_LESSON_EVENT, trials, 0, &exacts, error);
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

/* Before an iteration: where very many exact values are still to come, some of them are spent on a better estimate. */
bg_status bg_integrator_lesson_before_iteration(integrator *g, bg_error *error)
{
    const bg_state *s = g->state;
    if (s->done || s->warmup || !s->iterations || !can_learn(g)) return BG_OK;
    const double points = bg_lesson_points(g->plan->process.n, BG_LESSON_FOR_INTEGRAL);
    const double share = bg_sifting_kept_share(&s->sifting, bg_integrator_best_share(g));
    if (bg_integrator_points_to_come(g) * share < LESSON_PAYS * points) return BG_OK;
    const bg_status status = take_lesson(g, points, BG_LESSON_FOR_INTEGRAL, error);
    if (status == BG_OK && !g->stop) bg_integrator_aim(g);
    return status;
}

/* ---- events ----------------------------------------------------------------------------------------------------------------- */

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
    const bg_status status = show_points(g, BG_TRIAL_EVENT + first, count, survey, sink, error);
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

void bg_integrator_set_threshold(bg_integrator *g, double threshold) { g->state->sifting.threshold = threshold; }
