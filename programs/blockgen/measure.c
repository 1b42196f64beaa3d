#include "measure.h"
#include "console.h"
#include "base/status.h"
#include "phasespace/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DISTINCT = 8192, MOST_REPETITIONS = 4096, LEAST_REPETITIONS = 3 };
enum { LEAST_ON_DEVICE = 64 }; /* events of a repetition: far from filling any device */
#define MOST_BYTES ((size_t)256 << 20) /* of points, unless a device's batch is larger */
#define SEED 1

/* ---- points ---------------------------------------------------------------------------------------------- */

/* Trial points until `distinct` are inside the cuts. */
static bg_status generate_points(measure_setting *s, bg_error *error)
{
    const int n_out = s->n_out, n = n_out + 2;
    const double beam = 0.5 * s->channel.beams.sqrts;
    const double incoming[8] = {beam, 0., 0., beam, beam, 0., 0., -beam};
    size_t got = 0;
    for (uint64_t first = 0; got < s->distinct; first += BG_LANES) {
        vec4 p[BG_MAX_OUT_DRESSED];
        uint8_t bin[BG_MAX_DIMENSIONS * BG_LANES];
        uint64_t event[BG_LANES];
        if (first > 10000ull * s->distinct)
            return bg_fail(error, BG_ERROR_POINT, "of %llu trial points with %d gluons only %llu are inside the cuts",
                           (unsigned long long)first, n_out, (unsigned long long)got);
        for (int l = 0; l < BG_LANES; l++) event[l] = first + (uint64_t)l;
        const real weight = channel_generate(n_out, &s->channel, &s->grid, event, p, bin);
        for (int l = 0; l < BG_LANES && got < s->distinct; l++) {
            if (!(bg_lane(weight, l) > 0.)) continue;
            double *q = s->momenta + got++ * (size_t)n * 4;
            memcpy(q, incoming, sizeof incoming);
            for (int k = 0; k < n_out; k++) {
                q[8 + 4 * k] = bg_lane(p[k].t, l);
                q[8 + 4 * k + 1] = bg_lane(p[k].x, l);
                q[8 + 4 * k + 2] = bg_lane(p[k].y, l);
                q[8 + 4 * k + 3] = bg_lane(p[k].z, l);
            }
        }
    }
    return BG_OK;
}

/* Room for `count` points, filled by repeating those that there are. */
static bg_status provide(measure_setting *s, size_t count, bg_error *error)
{
    const size_t numbers = 4 * (size_t)(s->n_out + 2);
    if (count <= s->capacity) return BG_OK;
    double *momenta = realloc(s->momenta, count * numbers * sizeof *momenta);
    if (momenta) s->momenta = momenta;
    double *me2 = realloc(s->me2, count * sizeof *me2);
    if (me2) s->me2 = me2;
    if (!momenta || !me2)
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for %.3g points (%.3g MB)", (double)count,
                       1e-6 * (double)(count * numbers * sizeof(double)));
    for (size_t k = s->capacity; k < count; k++)
        if (k >= s->distinct)
            memcpy(momenta + k * numbers, momenta + k % s->distinct * numbers, numbers * sizeof *momenta);
    s->capacity = count;
    return BG_OK;
}

/* A few iterations of the integrator's own adaptation, with the cheapest matrix element that has the right shape: summed
 * colors for few gluons, coherent ones for many. The numbers of points are fixed, so that every run measures the same
 * events. */
enum { SAMPLES_COLORS = 6 };
static bg_status adapt_grid(measure_setting *s, bg_error *error)
{
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_options o;
    bg_tally *tally = bg_tally_create(s->channel.dimensions, 0);
    bg_options_init(&o);
    if (s->n_out >= SAMPLES_COLORS) (void)bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL);
    o.helicity = BG_HELICITY_SAMPLED;
    strcpy(o.backend, "cpu");
    bg_status status = tally ? bg_process_create_gluons(&process, s->n_out, error)
                             : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally");
    if (status == BG_OK) status = bg_evaluator_create(&e, process, &o, error);
    uint64_t first = (uint64_t)1 << 40;
    for (int k = 0; k < 5 && status == BG_OK && !cli_interrupted(); k++) {
        /* the first few points only find the scale */
        const uint64_t count = k ? 250 * (uint64_t)(s->n_out + 1) * (uint64_t)(k + 1) : 512;
        const bg_batch batch = {
            .channel = &s->channel, .grid = &s->grid, .first_event = first, .count = count, .importance_scale = s->scale};
        bg_timing timing = {0};
        bg_tally_clear(tally);
        status = bg_evaluator_integrate(e, &batch, tally, NULL, &timing, error);
        if (status != BG_OK) break;
        if (k) bg_grid_adapt(&s->grid, s->channel.dimensions, tally->importance);
        const double moment = bg_exact_value(&tally->weight2) / (double)count;
        if (moment > 0.) s->scale = moment;
        first += bg_deal_whole(bg_evaluator_plan(e)->group, count);
    }
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
    bg_tally_destroy(tally);
    return status;
}

bg_status measure_setting_create(measure_setting *s, int n_out, int adapt, bg_error *error)
{
    bg_integration paper;
    memset(s, 0, sizeof *s);
    bg_integration_init(&paper);
    s->n_out = n_out;
    s->distinct = DISTINCT;
    const bg_subprocess process = bg_subprocess_gluons(n_out);
    s->channel = channel_create((int)paper.phase_space, &process, paper.sqrts, &paper.cuts, SEED);
    bg_grid_uniform(&s->grid);
    bg_status status = provide(s, DISTINCT, error);
    if (status == BG_OK && adapt) status = adapt_grid(s, error);
    if (status == BG_OK) status = generate_points(s, error);
    if (status != BG_OK) measure_setting_destroy(s);
    return status;
}

void measure_setting_destroy(measure_setting *s)
{
    free(s->momenta);
    free(s->me2);
    memset(s, 0, sizeof *s);
}

/* ---- repetitions -------------------------------------------------------------------------------------------- */

/* Times of one event, in ns, of the repetitions so far. */
typedef struct series {
    double *ns;
    int count;
} series;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

/* Overwrites the series. Nothing is said where the median is lost in the noise of what it is the difference of. */
static void conclude(series *s, uint64_t events, size_t batch, int idle, measurement *m)
{
    if (!s->count) return;
    m->ns = median(s->ns, s->count);
    if (!(m->ns > 0.)) return;
    for (int k = 0; k < s->count; k++) s->ns[k] = fabs(s->ns[k] - m->ns);
    m->spread = median(s->ns, s->count) / m->ns;
    m->repetitions = s->count;
    m->events = events;
    m->batch = batch;
    m->idle = idle;
}

/* Whether another repetition is due: until the time is filled, and three where they fit below the limit. */
static int goes_on(int done, double spent, double seconds, double limit)
{
    if (!done) return 1;
    if (cli_interrupted() || done >= MOST_REPETITIONS) return 0;
    if (done < LEAST_REPETITIONS && spent * (1. + 1. / done) < limit) return 1;
    return spent < seconds;
}

/* A device has threads to spare as long as twice the events take less than twice the time. `before`: seconds of an event
 * with fewer of them at once, INFINITY: not tried. */
static int has_idle_threads(double each, double before) { return !(each > 0.8 * before); }

/* ---- matrix elements ------------------------------------------------------------------------------------------ */

/* Event numbers go on from one repetition to the next: the cost of sampled colors depends on the draw. */
static bg_status time_wall(bg_evaluator *e, measure_setting *s, uint64_t first_event, size_t count, double *seconds,
                           bg_error *error)
{
    bg_status status = provide(s, count, error);
    if (status != BG_OK) return status;
    const double start = cli_seconds();
    status = bg_evaluator_evaluate(e, first_event, count, s->momenta, s->me2, NULL, error);
    *seconds = cli_seconds() - start;
    return status;
}

static bg_status time_device(bg_evaluator *e, measure_setting *s, size_t count, int repetitions, double *seconds,
                             bg_error *error)
{
    bg_status status = provide(s, count, error);
    return status == BG_OK ? bg_evaluator_time_device(e, s->momenta, count, repetitions, seconds, error) : status;
}

bg_status measure_one(bg_evaluator *e, measure_setting *s, double *seconds, bg_error *error)
{
    bg_status status = time_wall(e, s, 0, 1, seconds, error);
    /* the first time pays for pages and, on a device, for loading the kernel */
    if (status == BG_OK && *seconds < 0.5) status = time_wall(e, s, 0, 1, seconds, error);
    if (status == BG_OK && !isfinite(s->me2[0]))
        status = bg_fail(error, BG_ERROR_DEVICE, "|M|^2 is %g at a point inside the cuts", s->me2[0]);
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
    const bg_memory memory = bg_evaluator_memory(e);
    /* Of one repetition. Where the draw of colors decides how much is to do, it must average over many draws. */
    const double target = seconds / (bg_evaluator_options(e)->color == BG_COLOR_SAMPLED ? 5. : 25.);
    const size_t batch = memory.batch ? memory.batch : 1, threads = (size_t)bg_evaluator_threads(e);
    double before = INFINITY;
    memset(p, 0, sizeof *p);
    bg_status status = time_device(e, s, 1, 1, &p->one, error);
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
        const int idle = has_idle_threads(each, before);
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

/* Events of a repetition that are in flight together. */
static size_t in_flight(const bg_evaluator *e, size_t count)
{
    const size_t batch = bg_evaluator_memory(e).batch;
    return count < batch ? count : batch;
}

bg_status measure_me(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *m, bg_error *error)
{
    pace p;
    memset(m, 0, sizeof *m);
    series times = {malloc(MOST_REPETITIONS * sizeof(double)), 0};
    if (!times.ns) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %d times", MOST_REPETITIONS);
    bg_status status = find_pace(e, s, seconds, limit, &p, error);
    double spent = 0.;
    if (status == BG_OK && p.device) {
        times.count = fill_time(p.one, seconds, limit);
        status = time_device(e, s, p.count, times.count, times.ns, error);
        for (int k = 0; k < times.count; k++) times.ns[k] *= 1e9 / (double)p.count;
    }
    while (status == BG_OK && !p.device && goes_on(times.count, spent, seconds, limit)) {
        status = time_pace(e, s, &p, error);
        times.ns[times.count++] = 1e9 * p.one / (double)p.count;
        spent += p.one;
    }
    if (status == BG_OK) conclude(&times, p.count, in_flight(e, p.count), p.idle, m);
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
    series times = {malloc((size_t)repetitions * sizeof(double)), repetitions};
    if (!each || !times.ns)
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d times", repetitions);
    else
        status = bg_evaluator_time_stages(e, s->momenta, p.count, repetitions, each, error);
    if (status == BG_OK) {
        for (int k = 0; k < repetitions; k++) times.ns[k] = 1e9 * each[k].amplitudes / (double)p.count;
        conclude(&times, p.count, in_flight(e, p.count), p.idle, amplitudes);
        for (int k = 0; k < repetitions; k++) times.ns[k] = 1e9 * each[k].color_sum / (double)p.count;
        conclude(&times, p.count, in_flight(e, p.count), p.idle, color_sum);
    }
    free(each);
    free(times.ns);
    return status;
}

/* ---- whole events ------------------------------------------------------------------------------------------- */

typedef struct round_of_trials {
    bg_evaluator *evaluator;
    bg_batch batch;
    bg_tally *tally;
    double seconds, phase_space; /* of the last one */
    int64_t accepted;
} round_of_trials;

static bg_status run_round(round_of_trials *r, uint64_t count, bg_error *error)
{
    bg_timing timing = {0};
    r->batch.count = count;
    bg_tally_clear(r->tally);
    const double start = cli_seconds();
    const bg_status status = bg_evaluator_integrate(r->evaluator, &r->batch, r->tally, NULL, &timing, error);
    r->seconds = cli_seconds() - start;
    r->phase_space = timing.phase_space / bg_evaluator_threads(r->evaluator);
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
                        measurement *phase_space, bg_error *error)
{
    const double target = seconds < 1. ? 0.25 * seconds : 0.25; /* the integrator's rounds take a quarter second */
    const bg_plan *plan = bg_evaluator_plan(e);
    const size_t batch = bg_evaluator_memory(e).batch;
    const int on_device = strcmp(bg_evaluator_options(e)->backend, "cpu") != 0;
    series whole = {malloc(MOST_REPETITIONS * sizeof(double)), 0},
           part = {malloc(MOST_REPETITIONS * sizeof(double)), 0};
    helicity_selector *selector =
        bg_plan_selects_helicities(plan)
            ? bg_selector_create(plan->process.n, plan->options.helicity_sampling == BG_SAMPLE_INVARIANTS)
            : NULL;
    round_of_trials r = {
        .evaluator = e,
        .batch = {.channel = &s->channel, .grid = &s->grid, .selector = selector, .importance_scale = s->scale},
        .tally = bg_tally_create(s->channel.dimensions, selector ? selector->entries : 0)};
    uint64_t count = 64, trials = 0, accepted = 0;
    double spent = 0., before = INFINITY;
    int idle = 0;
    bg_status status = BG_OK;
    memset(event, 0, sizeof *event);
    memset(phase_space, 0, sizeof *phase_space);
    if (!whole.ns || !part.ns || !r.tally || (bg_plan_selects_helicities(plan) && !selector))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d times", MOST_REPETITIONS);
    /* rounds as long as the integrator's, longer where that leaves part of a device idle and time allows */
    while (status == BG_OK) {
        status = run_round(&r, count, error);
        if (status != BG_OK || count >= (uint64_t)1 << 30 || cli_interrupted()) break;
        const double each = r.accepted ? r.seconds / (double)r.accepted : INFINITY;
        idle = on_device && (size_t)r.accepted < batch &&
               (r.accepted < LEAST_ON_DEVICE || has_idle_threads(each, before));
        if ((size_t)r.accepted < batch ? r.seconds > (idle ? 0.25 : 0.125) * limit : r.seconds >= target) break;
        before = each;
        count *= r.seconds < target / 8. ? 4 : 2;
    }
    if (status == BG_OK) count = whole_batches(count, (uint64_t)r.accepted, batch);
    while (status == BG_OK && goes_on(whole.count, spent, seconds, limit)) {
        status = run_round(&r, count, error);
        spent += r.seconds;
        trials += count;
        accepted += (uint64_t)r.accepted;
        if (r.accepted > 0) {
            whole.ns[whole.count++] = 1e9 * r.seconds / (double)r.accepted;
            if (r.phase_space > 0.) part.ns[part.count++] = 1e9 * r.phase_space / (double)r.accepted;
        } else if (spent > seconds) {
            status = bg_fail(error, BG_ERROR_POINT, "no trial point of %.3g is inside the cuts", (double)trials);
        }
    }
    if (status == BG_OK) {
        const size_t used = in_flight(e, (size_t)(accepted / (uint64_t)(whole.count ? whole.count : 1)));
        conclude(&whole, count, used, idle, event);
        conclude(&part, count, used, idle, phase_space);
        event->efficiency = phase_space->efficiency = trials ? (double)accepted / (double)trials : 0.;
    }
    free(whole.ns);
    free(part.ns);
    bg_tally_destroy(r.tally);
    bg_selector_destroy(selector);
    return status;
}

/* ---- points alone ------------------------------------------------------------------------------------------- */

/* One repetition of points with the cuts (coin 0) or a coin in their place. */
static bg_status time_points(bg_evaluator *e, measure_setting *s, double coin, uint64_t *first_event, uint64_t count,
                             double *seconds, uint64_t *accepted, bg_error *error)
{
    channel c = s->channel;
    const bg_batch batch = {.channel = &c, .grid = &s->grid, .first_event = *first_event, .count = count};
    c.coin = coin;
    *first_event += count;
    return bg_evaluator_time_points(e, &batch, 1, seconds, accepted, error);
}

bg_status measure_points(bg_evaluator *e, measure_setting *s, double seconds, measurement *phase_space,
                         measurement *cuts, bg_error *error)
{
    const double target = seconds / 50.;
    series points = {malloc(MOST_REPETITIONS * sizeof(double)), 0},
           difference = {malloc(MOST_REPETITIONS * sizeof(double)), 0};
    uint64_t next = 0, count = 1024, inside = 0, possible = 0, trials = 0, accepted = 0;
    double with = 0., without = 0., spent = 0.;
    bg_status status = BG_OK;
    memset(phase_space, 0, sizeof *phase_space);
    memset(cuts, 0, sizeof *cuts);
    if (!points.ns || !difference.ns)
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d times", MOST_REPETITIONS);
    while (status == BG_OK) {
        status = time_points(e, s, 0., &next, count, &with, &inside, error);
        if (status != BG_OK || with >= target || count >= (uint64_t)1 << 30 || cli_interrupted()) break;
        count *= with < target / 8. ? 4 : 2;
    }
    /* points that there are before the cuts, and so the share of them that passes */
    if (status == BG_OK) status = time_points(e, s, 1., &next, count, &without, &possible, error);
    const double coin = possible ? (double)inside / (double)possible : 0.;
    while (status == BG_OK && coin > 0. && goes_on(points.count, spent, seconds, seconds)) {
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
        conclude(&points, count, in_flight(e, (size_t)count), 0, phase_space);
        conclude(&difference, count, in_flight(e, (size_t)count), 0, cuts);
        phase_space->efficiency = cuts->efficiency = trials ? (double)accepted / (double)trials : 0.;
    }
    free(points.ns);
    free(difference.ns);
    return status == BG_ERROR_UNSUPPORTED ? BG_OK : status;
}
