/* Events once more: a run that was opened, but makes no events of its own, makes any of them again from its number, with the numbers that
 * it came from.
 */
#include "events/generate.h"
#include "events/origin.h"
#include "events/run.h"
#include "base/status.h"
#include "engine/state.h"
#include "random/philox.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bg_status bg_event_run_open(bg_event_run **run, const bg_process *process, const bg_options *options,
                            const bg_integration *integration, const bg_generation *wish, bg_error *error)
{
    bg_result sigma;
    generation *g = malloc(sizeof *g);
    *run = NULL;
    if (!g) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a run");
    const bg_status status = bg_run_begin(g, process, options, integration, wish, &sigma, error);
    g->wish = &g->own_wish;
    if (status != BG_OK) {
        bg_event_run_close(g);
        return status;
    }
    *run = g;
    return bg_succeed(error);
}

void bg_event_run_close(bg_event_run *g)
{
    if (!g) return;
    bg_run_release(g);
    free(g);
}

/* The point of one number among those of a batch. */
typedef struct wanted_point {
    uint64_t number;
    size_t numbers; /* of its momenta */
    int found;
    kept_point point;
} wanted_point;

static void look_for(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    wanted_point *w = user;
    for (size_t k = 0; k < count; k++) {
        const kept_point here = {.number = event[k], .weight = weight[k]};
        if (trial_number(&here) != w->number) continue;
        w->point = here;
        memcpy(w->point.momenta, momenta + k * w->numbers, w->numbers * sizeof *momenta);
        w->found = 1;
    }
}

bg_status bg_event_run_again(bg_event_run *g, int k, uint64_t number, bg_event *event, bg_event_origin *origin,
                             bg_error *error)
{
    enum { MOST_BITS = 61 }; /* of a number, see trial_number() */
    if (k < 0 || k >= g->classes)
        return bg_fail(error, BG_ERROR_ARGUMENT, "class %d; it must be 1 to %d", k + 1, g->classes);
    if (number >> MOST_BITS)
        return bg_fail(error, BG_ERROR_ARGUMENT, "event %" PRIu64 " of class %d; numbers are below 2^%d", number, k + 1,
                       (int)MOST_BITS);
    const bg_subprocess *s = &g->process->subprocess[k];
    const event_class *c = &g->class_of[k];
    const uint64_t unit = bg_deal_unit(bg_many_state(g->many, k)->group);
    wanted_point w = {.number = number, .numbers = 4 * (size_t)s->n};
    const bg_sink sink = {look_for, &w};
    bg_status status = bg_many_trials(g->many, k, number / unit * unit, unit, &sink, error);
    if (status == BG_OK && !(w.found && w.point.weight > 0.))
        return bg_fail(error, BG_ERROR_POINT,
                       "trial point %" PRIu64 " of class %d is outside the cuts, or the sieve has not kept it", number,
                       k + 1);
    if (status == BG_OK) status = bg_run_complete_one(g, k, &w.point, event, error);
    if (status != BG_OK) return status;
    origin->seed = bg_many_seed(g->many, k);
    origin->weight_pb = w.point.weight;
    origin->largest_pb = g->wish->weighted ? 0. : c->largest;
    origin->chance = bg_random_number(origin->seed, w.point.number, BG_STREAM_UNWEIGHT);
    origin->exchanged = w.point.momenta[3] < 0.;
    const bg_interrupt interrupt = {.asked = g->integration.interrupted, .user = g->integration.user}; /* no grace */
    return bg_origin_fill(origin, event, s, bg_many_protons(g->many, k), &g->options, interrupt, error);
}
