/* The making of points alone: phase space and cuts. */
#include "console.h"
#include "measure/parts.h"

#include <stdlib.h>
#include <string.h>

/* One repetition of points with the cuts (coin 0) or a coin in their place. */
static bg_status time_points(bg_evaluator *e, measure_setting *s, double coin, uint64_t *first_event, uint64_t count,
                             double *seconds, uint64_t *accepted, bg_error *error)
{
    const uint64_t first = *first_event;
    *first_event += count;
    return bg_evaluator_time_points(e, s->generator, coin, first, count, 1, seconds, accepted, error);
}

bg_status measure_points(bg_evaluator *e, measure_setting *s, double seconds, measurement *phase_space,
                         measurement *cuts, bg_error *error)
{
    const double target = seconds / 50.;
    measure_series points = {.ns = malloc(MOST_REPETITIONS * sizeof(double))},
                   difference = {.ns = malloc(MOST_REPETITIONS * sizeof(double))};
    uint64_t next = 0, count = 1024, inside = 0, possible = 0, trials = 0, accepted = 0;
    double with = 0., without = 0., spent = 0.;
    bg_status status = BG_OK;
    memset(phase_space, 0, sizeof *phase_space);
    memset(cuts, 0, sizeof *cuts);
    if (!points.ns || !difference.ns)
        status = cli_fail(error, BG_ERROR_MEMORY, "no memory for %d times", MOST_REPETITIONS);
    while (status == BG_OK) {
        status = time_points(e, s, 0., &next, count, &with, &inside, error);
        if (status != BG_OK || with >= target || count >= (uint64_t)1 << 30 || cli_interrupted()) break;
        count *= with < target / 8. ? 4 : 2;
    }
    /* points that there are before the cuts, and so the share of them that passes */
    if (status == BG_OK) status = time_points(e, s, 1., &next, count, &without, &possible, error);
    const double coin = possible ? (double)inside / (double)possible : 0.;
    while (status == BG_OK && coin > 0. && measure_goes_on(points.count, spent, seconds, seconds)) {
        uint64_t passed = 0;
        status = time_points(e, s, 0., &next, count, &with, &inside, error);
        if (status == BG_OK) status = time_points(e, s, coin, &next, count, &without, &passed, error);
        spent += with + without;
        trials += count;
        accepted += inside;
        points.ns[points.count++] = 1e9 * without / (double)(passed ? passed : 1);
        difference.ns[difference.count++] = inside ? 1e9 * (with - without) / (double)inside : 0.;
    }
    if (status == BG_OK) {
        measure_conclude(&points, count, measure_in_flight(e, (size_t)count), 0, phase_space);
        measure_conclude(&difference, count, measure_in_flight(e, (size_t)count), 0, cuts);
        phase_space->efficiency = cuts->efficiency = trials ? (double)accepted / (double)trials : 0.;
    }
    free(points.ns);
    free(difference.ns);
    return status == BG_ERROR_UNSUPPORTED ? BG_OK : status;
}
