#include "engine/instruments.h"
#include "base/status.h"
#include "base/system.h"
#include "phasespace/grid.h"

#include <stdlib.h>
#include <string.h>

bg_status bg_instruments_points(bg_evaluator *e, const bg_generator *g, double coin, uint64_t first_event,
                                uint64_t count, int repetitions, double *seconds_each, uint64_t *accepted,
                                bg_error *error)
{
    channel c = g->channel;
    const bg_batch batch = {.channel = &c, .grid = &g->grid, .first_event = first_event, .count = count};
    c.coin = coin;
    return e->backend->instrument->time_points(e->state, &batch, repetitions, seconds_each, accepted, error);
}

bg_status bg_instruments_events(bg_evaluator *e, const bg_generator *g, bg_generator *learner, uint64_t first_event,
                                uint64_t count, bg_event_timing *timing, bg_error *error)
{
    const int selects = bg_plan_selects_helicities(&e->plan);
    helicity_selector *selector =
        selects ? bg_selector_create(&e->plan.process, bg_plan_by_invariants(&e->plan)) : NULL;
    bg_tally *tally = bg_tally_create(g->channel.axes, selector ? selector->entries : 0, g->channel.cells);
    bg_timing parts = {0., 0., 0., 0.};
    bg_status status = BG_OK;
    if (!tally || (selects && !selector))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the sums of %llu points", (unsigned long long)count);
    const bg_batch batch = {.channel = &g->channel,
                            .grid = &g->grid,
                            .selector = selector,
                            .first_event = first_event,
                            .count = count,
                            .importance_scale = g->scale};
    bg_interrupt_reset(&e->interrupt);
    const double start = bg_seconds();
    if (status == BG_OK) status = bg_evaluator_integrate(e, &batch, tally, NULL, &parts, error);
    status = bg_evaluator_unless_stopped(e, status, count, error);
    if (status == BG_OK) {
        timing->seconds = bg_seconds() - start;
        timing->phase_space_seconds = parts.phase_space / e->plan.options.threads;
        timing->accepted = (uint64_t)tally->accepted;
        timing->next_event = first_event + bg_deal_whole(e->plan.group, count);
    }
    if (status == BG_OK && learner) {
        const double moment = count ? bg_exact_value(&tally->weight2) / (double)count : 0.;
        if (learner->scale > 0.)
            bg_grid_adapt(&learner->grid, learner->channel.dimensions, learner->channel.axes, tally->importance,
                          (bg_learning){.power = 0});
        if (moment > 0.) learner->scale = moment;
    }
    bg_selector_destroy(selector);
    bg_tally_destroy(tally);
    return status == BG_OK ? bg_succeed(error) : status;
}
