/* Matrix elements at given points, and their parts: amplitudes and color sum. */
#include "console.h"
#include "measure/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)256 << 20) /* of points, unless a device's batch is larger */

/* Event numbers go on from one repetition to the next: the cost of sampled colors depends on the draw. */
static bg_status time_wall(bg_evaluator *e, measure_setting *s, uint64_t first_event, size_t count, double *seconds,
                           bg_error *error)
{
    bg_status status = measure_provide(s, count, error);
    if (status != BG_OK) return status;
    const double start = cli_seconds();
    status = bg_evaluator_evaluate(e, first_event, count, s->momenta, s->me2, NULL, error);
    *seconds = cli_seconds() - start;
    return status;
}

static bg_status time_device(bg_evaluator *e, measure_setting *s, size_t count, int repetitions, double *seconds,
                             bg_error *error)
{
    bg_status status = measure_provide(s, count, error);
    return status == BG_OK ? bg_evaluator_time_device(e, s->momenta, count, repetitions, seconds, error) : status;
}

bg_status measure_one(bg_evaluator *e, measure_setting *s, double *seconds, bg_error *error)
{
    bg_status status = time_wall(e, s, 0, 1, seconds, error);
    /* the first time pays for pages and, on a device, for loading the kernel */
    if (status == BG_OK && *seconds < 0.5) status = time_wall(e, s, 0, 1, seconds, error);
    if (status == BG_OK && !isfinite(s->me2[0]))
        status = cli_fail(error, BG_ERROR_DEVICE, "|M|^2 is %g at a point inside the cuts", s->me2[0]);
    return status;
}

/* How a repetition is made up: points, on the device or by the clock on the wall, and what it takes. */
typedef struct pace {
    int device;
    size_t count;
    double one; /* seconds of a repetition */
    uint64_t next_event;
    int idle; /* the device is not full */
} pace;

static bg_status time_pace(bg_evaluator *e, measure_setting *s, pace *p, bg_error *error)
{
    const uint64_t first = p->next_event;
    if (p->device) return time_device(e, s, p->count, 1, &p->one, error);
    p->next_event += p->count;
    return time_wall(e, s, first, p->count, &p->one, error);
}

/* A register for every thread at least, then the whole batch, then until the clock is good enough and more points
 * do not make the single one cheaper: on a busy machine threads wait for each other at the end of every call. */
static bg_status find_pace(bg_evaluator *e, measure_setting *s, double seconds, double limit, pace *p, bg_error *error)
{
    bg_memory memory;
    bg_memory_init(&memory);
    bg_status status = bg_evaluator_memory(e, &memory, error);
    if (status != BG_OK) return status;
    /* Of one repetition. Where the draw of colors decides how much is to do, it must average over many draws. */
    const double target = seconds / (bg_evaluator_options(e)->color == BG_COLOR_SAMPLED ? 5. : 25.);
    const size_t batch = memory.batch ? memory.batch : 1, threads = (size_t)bg_evaluator_threads(e);
    double before = INFINITY;
    memset(p, 0, sizeof *p);
    status = time_device(e, s, 1, 1, &p->one, error);
    p->device = status == BG_OK;
    if (status == BG_ERROR_UNSUPPORTED) status = BG_OK;
    const size_t room = MOST_BYTES / (4 * (size_t)(s->n_out + 2) * sizeof(double));
    const size_t most = p->device ? batch : room > batch ? room : batch;
    p->count = p->device ? LEAST_ON_DEVICE : 8 * threads;
    if (p->count > most) p->count = most;
    while (status == BG_OK) {
        status = time_pace(e, s, p, error);
        if (status != BG_OK || p->count >= most || cli_interrupted()) break;
        const double each = p->one / (double)p->count;
        const int idle = measure_has_idle_threads(each, before);
        if (p->count < batch ? 2. * p->one > (idle ? 0.5 : 0.25) * limit
                             : p->one >= target && (!idle || p->one > seconds / 3.)) {
            p->idle = p->device && idle;
            break;
        }
        before = each;
        p->count *= p->one < target / 8. ? 4 : 2;
        if (p->count > most) p->count = most;
    }
    return status;
}

/* Repetitions that fill the time, three where they fit below the limit. */
static int fill_time(double one, double seconds, double limit)
{
    const int filling = one > 0. && seconds / one < MOST_REPETITIONS ? (int)(seconds / one) + 1 : MOST_REPETITIONS;
    return filling < LEAST_REPETITIONS && LEAST_REPETITIONS * one < limit ? LEAST_REPETITIONS : filling;
}

bg_status measure_me(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *m, bg_error *error)
{
    pace p;
    memset(m, 0, sizeof *m);
    measure_series times = {.ns = malloc(MOST_REPETITIONS * sizeof(double))};
    if (!times.ns) return cli_fail(error, BG_ERROR_MEMORY, "no memory for %d times", MOST_REPETITIONS);
    bg_status status = find_pace(e, s, seconds, limit, &p, error);
    double spent = 0.;
    if (status == BG_OK && p.device) {
        times.count = fill_time(p.one, seconds, limit);
        status = time_device(e, s, p.count, times.count, times.ns, error);
        for (int k = 0; k < times.count; k++) times.ns[k] *= 1e9 / (double)p.count;
    }
    while (status == BG_OK && !p.device && measure_goes_on(times.count, spent, seconds, limit)) {
        status = time_pace(e, s, &p, error);
        times.ns[times.count++] = 1e9 * p.one / (double)p.count;
        spent += p.one;
    }
    if (status == BG_OK) measure_conclude(&times, p.count, measure_in_flight(e, p.count), p.idle, m);
    free(times.ns);
    return status;
}

bg_status measure_stages(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *amplitudes,
                         measurement *color_sum, bg_error *error)
{
    pace p;
    memset(amplitudes, 0, sizeof *amplitudes);
    memset(color_sum, 0, sizeof *color_sum);
    bg_status status = bg_evaluator_time_stages(e, s->momenta, 1, 0, NULL, error); /* are they told apart? */
    if (status == BG_ERROR_UNSUPPORTED) return BG_OK;
    if (status == BG_OK) status = find_pace(e, s, seconds, limit, &p, error);
    if (status != BG_OK) return status;
    const int repetitions = fill_time(p.one, seconds, limit);
    bg_stages *each = malloc((size_t)repetitions * sizeof *each);
    measure_series times = {.ns = malloc((size_t)repetitions * sizeof(double)), .count = repetitions};
    if (!each || !times.ns)
        status = cli_fail(error, BG_ERROR_MEMORY, "no memory for %d times", repetitions);
    else
        status = bg_evaluator_time_stages(e, s->momenta, p.count, repetitions, each, error);
    if (status == BG_OK) {
        for (int k = 0; k < repetitions; k++) times.ns[k] = 1e9 * each[k].amplitudes / (double)p.count;
        measure_conclude(&times, p.count, measure_in_flight(e, p.count), p.idle, amplitudes);
        for (int k = 0; k < repetitions; k++) times.ns[k] = 1e9 * each[k].color_sum / (double)p.count;
        measure_conclude(&times, p.count, measure_in_flight(e, p.count), p.idle, color_sum);
    }
    free(each);
    free(times.ns);
    return status;
}
