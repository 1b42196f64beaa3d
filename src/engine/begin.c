/* A question becomes a run: the wish is checked, an evaluator made, an estimate chosen, the tables are laid out, and all ranks find
 * that they were asked the same.
 */
#include "engine/integrator_own.h"
#include "engine/choice.h"
#include "engine/cost.h"
#include "engine/generator.h"
#include "engine/settings.h"
#include "helicity/chirality.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------------------------------------------------------- */

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

/* ---- preparations ---------------------------------------------------------------------------------------------------------- */

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
    g->estimate_cost = bg_estimate_cost(&g->estimate);
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
    s->warmup = w->phase_space == BG_PHASE_SPACE_ADAPTIVE || selecting ? BG_WARMUP : 0;
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

/* Who may stop it. */
static bg_interrupt interrupt_of(const integrator *g)
{
    const bg_integration *w = g->wish;
    return (bg_interrupt){.asked = w->interrupted,
                          .user = w->user,
                          .deadline = w->seconds > 0. ? g->started + w->seconds : 0.,
                          .grace = BG_INTERRUPT_GRACE};
}

bg_status bg_integrator_begin(integrator *g, const bg_subprocess *process, const bg_options *options, bg_error *error)
{
    const bg_integration *wish = g->wish;
    g->saved = bg_seconds();
    g->round = BG_FIRST_ROUND;
    g->histograms = wish->histograms;
    g->threads = options->threads ? options->threads : bg_default_threads();
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

bg_status bg_integrator_set_up(integrator *g, const bg_options *options, bg_error *error)
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

void bg_integrator_release(integrator *g)
{
    bg_evaluator_release(g->evaluator);
    bg_tally_destroy(g->fresh);
    if (g->state) {
        bg_selector_destroy(g->state->selector);
        bg_tally_destroy(g->state->tally);
    }
    free(g->state);
}
