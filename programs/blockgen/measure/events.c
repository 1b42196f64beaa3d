/* Whole events as the integrator makes them. */
#include "backends.h"
#include "console.h"
#include "measure/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Rounds as long as the integrator's, longer where that leaves part of a device idle and time allows. `last`: the round
 * that decided it. */
static bg_status find_round(bg_evaluator *e, measure_setting *s, double target, double limit, uint64_t *count,
                            int *idle, bg_event_timing *last, bg_error *error)
{
    bg_memory memory;
    bg_memory_init(&memory);
    bg_status status = bg_evaluator_memory(e, &memory, error);
    const int on_device = backend_can(bg_evaluator_backend(e), BG_CAN_CHOOSE_DEVICE);
    double before = INFINITY;
    while (status == BG_OK) {
        status = bg_evaluator_time_events(e, s->generator, last->next_event, *count, last, error);
        if (status != BG_OK || *count >= (uint64_t)1 << 30 || cli_interrupted()) break;
        const double each = last->accepted ? last->seconds / (double)last->accepted : INFINITY;
        const int full = last->accepted >= memory.batch;
        *idle = on_device && !full && (last->accepted < LEAST_ON_DEVICE || measure_has_idle_threads(each, before));
        if (full ? last->seconds >= target : last->seconds > (*idle ? 0.25 : 0.125) * limit) break;
        before = each;
        *count *= last->seconds < target / 8. ? 4 : 2;
    }
    if (status == BG_OK) *count = whole_batches(*count, last->accepted, memory.batch);
    return status;
}

bg_status measure_event(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *event,
                        bg_error *error)
{
    const double target = seconds < 1. ? 0.25 * seconds : 0.25; /* the integrator's rounds take a quarter second */
    measure_series whole = {.ns = malloc(MOST_REPETITIONS * sizeof(double))};
    bg_event_timing round = {.next_event = 0};
    uint64_t count = 64, trials = 0, accepted = 0;
    double spent = 0.;
    int idle = 0;
    memset(event, 0, sizeof *event);
    bg_status status = whole.ns ? find_round(e, s, target, limit, &count, &idle, &round, error)
                                : cli_fail(error, BG_ERROR_MEMORY, "no memory for %d times", MOST_REPETITIONS);
    while (status == BG_OK && measure_goes_on(whole.count, spent, seconds, limit)) {
        status = bg_evaluator_time_events(e, s->generator, round.next_event, count, &round, error);
        if (status != BG_OK) break;
        spent += round.seconds;
        trials += count;
        accepted += round.accepted;
        if (round.accepted)
            whole.ns[whole.count++] = 1e9 * round.seconds / (double)round.accepted;
        else if (spent > seconds)
            status = cli_fail(error, BG_ERROR_POINT, "no trial point of %.3g is inside the cuts", (double)trials);
    }
    if (status == BG_OK) {
        const uint64_t each = accepted / (uint64_t)(whole.count ? whole.count : 1);
        measure_conclude(&whole, count, measure_in_flight(e, (size_t)each), idle, event);
        event->efficiency = trials ? (double)accepted / (double)trials : 0.;
    }
    free(whole.ns);
    return status;
}
