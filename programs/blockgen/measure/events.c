/* Whole events as the integrator makes them. */
#include "console.h"
#include "measure/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct round_of_trials {
    bg_evaluator *evaluator;
    bg_batch batch;
    bg_tally *tally;
    double seconds; /* of the last one */
    int64_t accepted;
} round_of_trials;

static bg_status run_round(round_of_trials *r, uint64_t count, bg_error *error)
{
    bg_timing timing = {0};
    r->batch.count = count;
    memset(r->tally, 0, sizeof *r->tally);
    const double start = cli_seconds();
    const bg_status status = bg_evaluator_integrate(r->evaluator, &r->batch, r->tally, NULL, &timing, error);
    r->seconds = cli_seconds() - start;
    r->accepted = r->tally->accepted;
    if (!(r->batch.importance_scale > 0.))
        r->batch.importance_scale = bg_exact_value(&r->tally->weight2) / (double)count;
    r->batch.first_event += bg_deal_whole(bg_evaluator_plan(r->evaluator)->group, count);
    return status;
}

/* A device takes the points of a round in batches of equal size: a few more than fit into one would fill two by half.
 * Trials so that the points that pass stay just below a whole number of batches, unless their number scatters more than
 * is gained. */
static uint64_t whole_batches(uint64_t trials, uint64_t accepted, size_t batch)
{
    const uint64_t batches = batch ? accepted / batch : 0;
    if (!batches || batches > 8) return trials;
    const double wanted = (double)batches * (double)batch, share = (double)accepted / (double)trials;
    const double margin = 2. * sqrt(wanted * (1. - share));
    return margin > 0.15 * wanted ? trials : (uint64_t)((wanted - margin) / share);
}

bg_status measure_event(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *event,
                        bg_error *error)
{
    const double target = seconds < 1. ? 0.25 * seconds : 0.25; /* the integrator's rounds take a quarter second */
    const bg_plan *plan = bg_evaluator_plan(e);
    const size_t batch = bg_evaluator_memory(e).batch;
    const int on_device = strcmp(bg_evaluator_options(e)->backend, "cpu") != 0;
    measure_series whole = {.ns = malloc(MOST_REPETITIONS * sizeof(double))};
    helicity_selector *selector = bg_plan_selects_helicities(plan) ? calloc(1, sizeof *selector) : NULL;
    round_of_trials r = {
        .evaluator = e,
        .batch = {.channel = &s->channel, .grid = &s->grid, .selector = selector, .importance_scale = s->scale},
        .tally = malloc(sizeof(bg_tally))};
    uint64_t count = 64, trials = 0, accepted = 0;
    double spent = 0., before = INFINITY;
    int idle = 0;
    bg_status status = BG_OK;
    memset(event, 0, sizeof *event);
    if (!whole.ns || !r.tally || (bg_plan_selects_helicities(plan) && !selector))
        status = cli_fail(error, BG_ERROR_MEMORY, "no memory for %d times", MOST_REPETITIONS);
    if (status == BG_OK && selector)
        bg_selector_uniform(selector, plan->n, plan->options.helicity_sampling == BG_SAMPLE_INVARIANTS);
    /* rounds as long as the integrator's, longer where that leaves part of a device idle and time allows */
    while (status == BG_OK) {
        status = run_round(&r, count, error);
        if (status != BG_OK || count >= (uint64_t)1 << 30 || cli_interrupted()) break;
        const double each = r.accepted ? r.seconds / (double)r.accepted : INFINITY;
        idle = on_device && (size_t)r.accepted < batch &&
               (r.accepted < LEAST_ON_DEVICE || measure_has_idle_threads(each, before));
        if ((size_t)r.accepted < batch ? r.seconds > (idle ? 0.25 : 0.125) * limit : r.seconds >= target) break;
        before = each;
        count *= r.seconds < target / 8. ? 4 : 2;
    }
    if (status == BG_OK) count = whole_batches(count, (uint64_t)r.accepted, batch);
    while (status == BG_OK && measure_goes_on(whole.count, spent, seconds, limit)) {
        status = run_round(&r, count, error);
        spent += r.seconds;
        trials += count;
        accepted += (uint64_t)r.accepted;
        if (r.accepted > 0)
            whole.ns[whole.count++] = 1e9 * r.seconds / (double)r.accepted;
        else if (spent > seconds)
            status = cli_fail(error, BG_ERROR_POINT, "no trial point of %.3g is inside the cuts", (double)trials);
    }
    if (status == BG_OK) {
        const size_t used = measure_in_flight(e, (size_t)(accepted / (uint64_t)(whole.count ? whole.count : 1)));
        measure_conclude(&whole, count, used, idle, event);
        event->efficiency = trials ? (double)accepted / (double)trials : 0.;
    }
    free(whole.ns);
    free(r.tally);
    free(selector);
    return status;
}
