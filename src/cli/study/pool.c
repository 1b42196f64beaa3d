#include "cli/study/pool.h"
#include "backend/backend.h"
#include "cli/console.h"
#include "core/system.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 10.            /* times the seconds of a timing: what one repetition may take */
#define LEAST_TOGETHER 0.25     /* seconds of a timing with several threads: they wait for each other on a busy machine */
#define NO_TIME_LEFT "the time for these measurements was used up"
#define GOAL 0.01               /* relative error of an integration */
enum { MOST_RUNS = 5 };         /* of an integration, with different seeds */
enum { FEWEST_ACCEPTED = 200 }; /* points inside the cuts that an extrapolation rests on */
enum { DIGITS_MOST_OUT = 6, DIGITS_POINTS = 1000, DIGITS_FEWEST = 8 };

/* How the time is dealt to the kinds of measurements that are wanted; what one does not use goes to the next. */
static const double shares[NEEDS] = {
    0.01 /* memory */,   0.27 /* one thread */, 0.07 /* stages */, 0.14 /* all cores */, 0.35 /* GPU */,
    0.38 /* 1 %, CPU */, 0.20 /* 1 %, GPU */,   0.06 /* hybrid */, 0.05 /* points */,     0.15 /* digits */,
};

static const int timed[] = {TESS,   LC,    LC_ALL,    FULL_PAPER, FULL,    CO_SUM_PAPER,
                            CO_SUM, CO_MC, CO_MC_ONE, CD_MC,      COHERENT};
static const int timed_on_all_cores[] = {FULL_PAPER, FULL, CO_SUM_PAPER, CO_SUM, CO_MC_ONE, CD_MC, COHERENT};
static const int summed[] = {CO_SUM_PAPER, CO_SUM};
static const int integrated[] = {FULL,      CO_SUM,      CO_SUM_PAIRS, CO_MC,    CO_MC_ONE,
                                 CO_MC_PAIRS, CD_MC, COHERENT,     COHERENT_PAIRS, FULL_PAPER};
static const int compared[] = {FULL, FULL_PAPER, CO_SUM, CO_SUM_PAPER, LC, CD_MC, COHERENT};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

void pool_init(pool *p)
{
    memset(p, 0, sizeof *p);
    p->low = BG_MIN_OUT;
    p->high = 8;
    p->seed = 1;
    p->started = cli_seconds();
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say_why(char why[WHY_LENGTH], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, WHY_LENGTH, format, args);
    va_end(args);
}

static double remaining(double end) { return end - cli_seconds(); }

/* A line of progress: the whole run is what the limit allows. */
static void show(const pool *p, const char *what, int k, int n_out, const char *where)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %s, g g -> %d g, %s", what, strategies[k].name, n_out, where);
    cli_progress(p->quiet, (cli_seconds() - p->started) / p->limit, text);
}

/* ---- evaluators ------------------------------------------------------------------------------------------- */

static const char *backend_of(int place) { return place == GPU ? "cuda" : "cpu"; }

static bg_options options_of(const pool *p, int place, int k)
{
    const strategy *s = &strategies[k];
    bg_options o;
    bg_options_init(&o);
    bg_options_set_algorithm(&o, s->algorithm, NULL);
    o.helicity = s->helicity;
    o.helicity_sampling = s->helicity_sampling;
    o.kernel = s->kernel;
    o.orderings = s->orderings;
    o.seed = p->seed;
    o.threads = place == ONE_THREAD ? 1 : p->threads;
    snprintf(o.backend, sizeof o.backend, "%s", backend_of(place));
    return o;
}

/* NULL with the reason where there is no such evaluator. A strategy with a fast kernel must really get one: the paper's
 * own is another strategy. */
static bg_evaluator *create(const pool *p, int place, int k, int n_out, char why[WHY_LENGTH])
{
    const bg_options o = options_of(p, place, k);
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_error error;
    bg_status status = bg_process_create_gluons(&process, n_out, &error);
    if (status == BG_OK) status = bg_evaluator_create_for_integration(&e, process, &o, &error);
    bg_process_destroy(process);
    if (status != BG_OK) {
        say_why(why, "%s", error.message);
        return NULL;
    }
    if (o.kernel == BG_KERNEL_FAST && bg_evaluator_options(e)->kernel != BG_KERNEL_FAST) {
        say_why(why, "there is no fast kernel for it in this build");
        bg_evaluator_destroy(e);
        return NULL;
    }
    return e;
}

/* ---- memory ----------------------------------------------------------------------------------------------- */

/* What the CPU backend would allocate for one thread; nothing is. */
static void measure_memory(pool *p)
{
    const bg_backend *cpu = NULL;
    for (int b = 0; bg_backends[b]; b++)
        if (!strcmp(bg_backends[b]->name, "cpu")) cpu = bg_backends[b];
    for (int w = 0; w < COUNT(timed) && cpu; w++) {
        const int k = timed[w];
        char why[WHY_LENGTH] = "";
        bg_evaluator *e = create(p, ONE_THREAD, k, BG_MIN_OUT, why); /* whether there is such a kernel at all */
        bg_evaluator_destroy(e);
        for (int n_out = p->low; n_out <= MOST_OUT; n_out++) {
            pool_timing *t = &p->timing[ONE_THREAD][k][n_out];
            const bg_options o = options_of(p, ONE_THREAD, k);
            bg_process *process = NULL;
            bg_plan plan;
            bg_error error;
            if (*why) {
                say_why(t->why, "%s", why);
                continue;
            }
            bg_status status = bg_process_create_gluons(&process, n_out, &error);
            if (status == BG_OK) status = bg_plan_create(&plan, process, &o, &error);
            if (status == BG_OK) status = cpu->memory(&plan, &t->memory, &error);
            if (status != BG_OK) t->memory.batch = 0;
            bg_process_destroy(process);
        }
    }
}

/* ---- timings ---------------------------------------------------------------------------------------------- */

/* Seconds that one point will take at n_out at least, from those before; the factor from one to the next grows. 0: not
 * known. */
static double foresee(const double one[MOST_OUT + 1], int n_out)
{
    const double last = n_out > 0 ? one[n_out - 1] : 0., before = n_out > 1 ? one[n_out - 2] : 0.;
    if (!(last > 0.)) return 0.;
    return before > 0. && last > before ? last * last / before : last;
}

static void time_entry(pool *p, int place, int k, measure_setting *s, double one[MOST_OUT + 1], unsigned needs)
{
    pool_timing *t = &p->timing[place][k][s->n_out];
    const double seconds = place == ALL_CORES ? fmax(p->seconds, LEAST_TOGETHER) : p->seconds;
    const double limit = PATIENCE * seconds;
    bg_evaluator *e = create(p, place, k, s->n_out, t->why);
    bg_error error;
    if (!e) return;
    t->memory = bg_evaluator_memory(e);
    t->threads = bg_evaluator_threads(e);
    bg_status status = measure_one(e, s, &one[s->n_out], &error);
    if (status == BG_OK && one[s->n_out] > limit) {
        say_why(t->why, "one point takes %.2g s, the limit is %.2g s", one[s->n_out], limit);
    } else if (status == BG_OK) {
        status = measure_me(e, s, seconds, limit, &t->me, &error);
        if (status == BG_OK) t->source = POOL_MEASURED;
        const int rounds_fit = 64e-9 * t->me.ns < limit; /* an integration goes in rounds of 64 points at least */
        if (status == BG_OK && place != ALL_CORES && rounds_fit && needs & (NEED_ONE_THREAD | NEED_GPU))
            status = measure_event(e, s, p->seconds, limit, &t->event, &t->phase_space, &error);
        if (status == BG_OK && needs & NEED_STAGES && !cli_interrupted())
            status = measure_stages(e, s, p->seconds, limit, &t->amplitudes, &t->color_sum, &error);
    }
    if (status != BG_OK) say_why(t->why, "%s", error.message);
    bg_evaluator_destroy(e);
}

/* Amplitudes and color sum are told apart for one polarization, as in the paper's figure. */
static int tells_stages(int k) { return k == CO_SUM_PAPER || k == CO_SUM; }

static void measure_timings(pool *p, int place, const int *list, int count, unsigned needs, double end)
{
    static const char *const words[PLACES] = {"one thread", "all cores", "GPU", "GPU host"};
    double one[STRATEGIES][MOST_OUT + 1] = {{0.}};
    for (int n_out = p->low; n_out <= p->high && !cli_interrupted(); n_out++) {
        measure_setting s;
        bg_error error;
        const int adapt = place == ONE_THREAD || place == GPU;
        const bg_status status = measure_setting_create(&s, n_out, adapt, &error);
        for (int w = 0; w < count; w++) {
            const int k = list[w];
            pool_timing *t = &p->timing[place][k][n_out];
            const double coming = foresee(one[k], n_out), limit = PATIENCE * p->seconds;
            show(p, "timing", k, n_out, words[place]);
            if (cli_interrupted())
                say_why(t->why, "interrupted");
            else if (status != BG_OK)
                say_why(t->why, "%s", error.message);
            else if (remaining(end) < 0.)
                say_why(t->why, NO_TIME_LEFT);
            else if (coming > limit)
                say_why(t->why, "one point would take %.2g s or more, the limit is %.2g s", coming, limit);
            else
                time_entry(p, place, k, &s, one[k], tells_stages(k) ? needs : needs & ~(unsigned)NEED_STAGES);
            if (coming > limit) one[k][n_out] = coming;
        }
        if (status == BG_OK) measure_setting_destroy(&s);
    }
}

/* ---- integrations ------------------------------------------------------------------------------------------- */

static int stop_when_interrupted(const bg_result *result, void *user)
{
    const pool *p = user;
    char text[160];
    snprintf(text, sizeof text, "integrating: sigma = %.4g +- %.2g pb", result->sigma_pb, result->error_pb);
    cli_progress(p->quiet, (cli_seconds() - p->started) / p->limit, text);
    return cli_interrupted();
}

static bg_status integrate(pool *p, int n_out, const bg_options *o, double limit, bg_result *r, bg_options *resolved,
                           bg_error *error)
{
    bg_integration w;
    bg_process *process = NULL;
    bg_integration_init(&w);
    w.precision = GOAL;
    w.seconds = limit;
    w.progress = stop_when_interrupted;
    w.user = p;
    w.resolved = resolved;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_integrate(process, o, &w, r, error);
    bg_process_destroy(process);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Points and time to 1 %, the mean and the median of a few seeds where that is quick. */
static void integrate_entry(pool *p, int place, int k, int n_out, double limit)
{
    pool_percent *q = &p->percent[place][k][n_out];
    double points[MOST_RUNS] = {0.}, seconds[MOST_RUNS] = {0.}, spent = 0., sum = 0., square = 0.;
    bg_evaluator *e = create(p, place, k, n_out, q->why);
    bg_options o = options_of(p, place, k), resolved;
    if (!e) return;
    bg_evaluator_destroy(e);
    while (q->runs < MOST_RUNS && (!q->runs || (spent < 0.2 * limit && spent < 2. && !q->extrapolated))) {
        bg_result r;
        bg_error error;
        o.seed = p->seed + (uint64_t)q->runs;
        const bg_status status = integrate(p, n_out, &o, limit, &r, &resolved, &error);
        if (status != BG_OK || cli_interrupted()) {
            if (!q->runs) say_why(q->why, "%s", status != BG_OK ? error.message : "interrupted");
            break;
        }
        const double ratio = r.sigma_pb > 0. ? r.error_pb / r.sigma_pb / GOAL : INFINITY;
        if (r.warming_up || r.accepted < FEWEST_ACCEPTED || !(ratio < 30.)) {
            if (!q->runs) say_why(q->why, "%.2g s are not enough for an estimate", limit);
            break;
        }
        /* reached: as it was; stopped by the limit: the rest by the square of the error, the adaptation is done */
        const double adapting = r.seconds * (double)r.warmup_points / (double)(r.warmup_points + r.points);
        q->extrapolated = ratio > 1.;
        points[q->runs] = (double)r.points * ratio * ratio;
        seconds[q->runs] = ratio > 1. ? adapting + (r.seconds - adapting) * ratio * ratio : r.seconds;
        q->sigma_pb = r.sigma_pb;
        q->error_pb = r.error_pb;
        q->threads = resolved.threads;
        spent += r.seconds;
        q->runs++;
    }
    if (!q->runs) return;
    for (int w = 0; w < q->runs; w++) {
        sum += points[w];
        square += points[w] * points[w];
    }
    q->source = POOL_MEASURED;
    q->points = sum / q->runs;
    const double variance = square / q->runs - q->points * q->points;
    q->spread = q->runs > 1 && variance > 0. ? sqrt(variance) / q->points : 0.;
    qsort(seconds, (size_t)q->runs, sizeof *seconds, ascending);
    q->seconds = seconds[q->runs / 2];
}

static void measure_percent(pool *p, int place, double end)
{
    int left = (p->high - p->low + 1) * COUNT(integrated);
    for (int n_out = p->low; n_out <= p->high; n_out++)
        for (int w = 0; w < COUNT(integrated); w++, left--) {
            const int k = integrated[w];
            pool_percent *q = &p->percent[place][k][n_out];
            const double have = remaining(end);
            /* most entries take less than their part or are skipped */
            const double limit = fmin(fmax(4. * have / left, 0.1), 0.25 * have);
            const pool_percent *last = n_out > p->low ? q - 1 : NULL, *before = n_out > p->low + 1 ? q - 2 : NULL;
            double coming = last && last->source ? 2. * last->seconds : 0.;
            if (coming > 0. && before && before->source && last->seconds > 2. * before->seconds)
                coming = last->seconds * last->seconds / before->seconds;
            show(p, "integrating", k, n_out, backend_of(place));
            if (cli_interrupted())
                say_why(q->why, "interrupted");
            else if (have < 0.1)
                say_why(q->why, NO_TIME_LEFT);
            else if (last && !last->source)
                say_why(q->why, "%s", last->why);
            else if (coming > 100. * limit)
                say_why(q->why, "it would take about %.2g s or more, there are %.2g s for it", coming, limit);
            else
                integrate_entry(p, place, k, n_out, limit);
        }
}

/* ---- the hybrid arrangement --------------------------------------------------------------------------------- */

static bg_status run_hybrid(pool *p, int n_out, int hybrid, bg_phase_space phase_space, uint64_t points, double limit,
                            bg_result *r, bg_options *resolved, bg_error *error)
{
    const bg_options o = options_of(p, GPU, CO_SUM);
    bg_integration w;
    bg_process *process = NULL;
    bg_integration_init(&w);
    w.precision = 0.;
    w.points = points;
    w.seconds = limit;
    w.hybrid = hybrid;
    w.phase_space = phase_space;
    w.progress = stop_when_interrupted;
    w.user = p;
    w.resolved = resolved;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_integrate(process, &o, &w, r, error);
    bg_process_destroy(process);
    return status;
}

/* Points inside the cuts of a whole run: those that only adapted pass about as often. */
static double all_accepted(const bg_result *r)
{
    return r->points ? (double)r->accepted * (double)(r->points + r->warmup_points) / (double)r->points : 0.;
}

static void measure_hybrid(pool *p, double end)
{
    for (int n_out = p->low; n_out <= p->high && n_out <= BG_MAX_OUT_SUMMED; n_out++) {
        pool_hybrid *h = &p->hybrid[n_out];
        const double limit = remaining(end) / (3. * (p->high - n_out + 1));
        bg_result r, flat, device;
        bg_options resolved;
        bg_error error;
        show(p, "hybrid", CO_SUM, n_out, "GPU");
        if (cli_interrupted() || limit < 0.05) {
            say_why(h->why, cli_interrupted() ? "interrupted" : NO_TIME_LEFT);
            continue;
        }
        bg_status status = run_hybrid(p, n_out, 1, BG_PHASE_SPACE_ADAPTIVE, 0, limit, &r, &resolved, &error);
        if (status == BG_OK)
            status = run_hybrid(p, n_out, 1, BG_PHASE_SPACE_RAMBO, 0, limit, &flat, NULL, &error);
        if (status == BG_OK && r.points)
            status = run_hybrid(p, n_out, 0, BG_PHASE_SPACE_ADAPTIVE, r.points, limit, &device, NULL, &error);
        if (status != BG_OK || cli_interrupted() || r.warming_up || !r.accepted || !flat.accepted) {
            say_why(h->why, "%s", status != BG_OK ? error.message : "stopped before a result");
            continue;
        }
        h->source = POOL_MEASURED;
        h->threads = resolved.threads;
        h->accepted = all_accepted(&r);
        h->points = r.seconds_phase_space;
        h->flat = flat.seconds_phase_space * h->accepted / all_accepted(&flat);
        h->copies = r.seconds_copies;
        h->matrix_elements = r.seconds_matrix_element;
        h->whole = r.seconds;
        h->device = device.seconds;
    }
}

/* The making of points on one thread, cuts apart. RAMBO's weight is the same for all of them, so there it is the making of
 * points alone; the adaptive generator works out the weight with the point. */
static void measure_points_alone(pool *p, double end)
{
    bg_integration paper;
    bg_integration_init(&paper);
    for (int n_out = p->low; n_out <= p->high && n_out <= BG_MAX_OUT_SUMMED && remaining(end) > 0.; n_out++) {
        measure_setting s;
        measurement cuts;
        char why[WHY_LENGTH];
        show(p, "points", CO_SUM, n_out, "one thread");
        bg_evaluator *e = create(p, ONE_THREAD, CO_SUM, n_out, why);
        if (!e) return;
        if (measure_setting_create(&s, n_out, 1, NULL) == BG_OK) {
            if (measure_points(e, &s, p->seconds, &p->generated[n_out], &cuts, NULL) != BG_OK)
                memset(&p->generated[n_out], 0, sizeof p->generated[n_out]);
            s.channel = channel_create(BG_PHASE_SPACE_RAMBO, n_out, paper.sqrts, &paper.cuts, p->seed);
            if (measure_points(e, &s, p->seconds, &p->flat[n_out], &cuts, NULL) != BG_OK)
                memset(&p->flat[n_out], 0, sizeof p->flat[n_out]);
            measure_setting_destroy(&s);
        }
        bg_evaluator_destroy(e);
        if (cli_interrupted()) return;
    }
}

/* ---- digits ------------------------------------------------------------------------------------------------- */

/* An evaluator in 128-bit floats: the instruction set is chosen when it is created. */
static bg_evaluator *create_exact(const pool *p, int k, int n_out, char why[WHY_LENGTH])
{
    const char *name = "BLOCKGEN_SIMD", *set = getenv(name);
    char *old = set ? strdup(set) : NULL;
    bg_options o = options_of(p, ALL_CORES, k);
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_error error;
    setenv(name, "quad", 1);
    bg_status status = bg_process_create_gluons(&process, n_out, &error);
    if (status == BG_OK) status = bg_evaluator_create(&e, process, &o, &error);
    bg_process_destroy(process);
    if (old)
        setenv(name, old, 1);
    else
        unsetenv(name);
    free(old);
    if (status != BG_OK) say_why(why, "%s", error.message);
    return e;
}

static void compare_entry(pool *p, int k, measure_setting *s, double seconds)
{
    pool_digits *d = &p->digits[k][s->n_out];
    bg_evaluator *e = create(p, ALL_CORES, k, s->n_out, d->why), *exact = NULL;
    bg_error error;
    double *reference = NULL;
    if (!e || !(exact = create_exact(p, k, s->n_out, d->why))) goto end;
    if (k == COHERENT && bg_evaluator_options(exact)->kernel != BG_KERNEL_FAST) {
        say_why(d->why, "quadruple precision has no kernel that draws the same colors");
        goto end;
    }
    const size_t first = 4 * (size_t)bg_evaluator_threads(exact); /* four points are a thread's unit of work */
    const double start = cli_seconds();
    reference = malloc(DIGITS_POINTS * sizeof *reference);
    if (!reference) {
        say_why(d->why, "no memory");
        goto end;
    }
    bg_status status = bg_evaluator_evaluate(exact, 0, first < DIGITS_POINTS ? first : DIGITS_POINTS, s->momenta,
                                             reference, NULL, &error);
    const double each = (cli_seconds() - start) / (double)first;
    size_t count = each > 0. && seconds / each < DIGITS_POINTS ? (size_t)(seconds / each) : DIGITS_POINTS;
    if (count > s->distinct) count = s->distinct;
    if (status == BG_OK && (count < DIGITS_FEWEST || cli_interrupted())) {
        say_why(d->why, "one point in quadruple precision takes %.2g s", each);
        goto end;
    }
    if (status == BG_OK) status = bg_evaluator_evaluate(exact, 0, count, s->momenta, reference, NULL, &error);
    if (status == BG_OK) status = bg_evaluator_evaluate(e, 0, count, s->momenta, s->me2, NULL, &error);
    if (status != BG_OK) {
        say_why(d->why, "%s", error.message);
        goto end;
    }
    for (size_t w = 0; w < count; w++) reference[w] = fabs(s->me2[w] / reference[w] - 1.);
    qsort(reference, count, sizeof *reference, ascending);
    d->source = POOL_MEASURED;
    d->points = (int)count;
    d->median = reference[count / 2];
    d->worst = reference[count - 1];
end:
    free(reference);
    bg_evaluator_destroy(exact);
    bg_evaluator_destroy(e);
}

static void measure_digits(pool *p, double end)
{
    const int high = p->high < DIGITS_MOST_OUT ? p->high : DIGITS_MOST_OUT;
    int left = (high - p->low + 1) * COUNT(compared);
    for (int n_out = p->low; n_out <= high; n_out++) {
        measure_setting s;
        bg_error error;
        const bg_status status = measure_setting_create(&s, n_out, 0, &error);
        for (int w = 0; w < COUNT(compared); w++, left--) {
            const int k = compared[w];
            pool_digits *d = &p->digits[k][n_out];
            show(p, "digits", k, n_out, "quadruple precision");
            if (cli_interrupted())
                say_why(d->why, "interrupted");
            else if (status != BG_OK)
                say_why(d->why, "%s", error.message);
            else if (n_out > p->low && !p->digits[k][n_out - 1].source)
                say_why(d->why, "left out at n_out = %d already", n_out - 1);
            else if (remaining(end) < 0.)
                say_why(d->why, NO_TIME_LEFT);
            else
                compare_entry(p, k, &s, 1.5 * remaining(end) / left);
        }
        if (status == BG_OK) measure_setting_destroy(&s);
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------------- */

void pool_measure(pool *p, unsigned needs)
{
    if (!p->cpu) needs &= ~(unsigned)(NEED_ONE_THREAD | NEED_STAGES | NEED_PERCENT | NEED_POINTS | NEED_DIGITS);
    if (!p->gpu) needs &= ~(unsigned)(NEED_GPU | NEED_PERCENT_GPU | NEED_HYBRID);
    if (p->gpu && needs & NEED_GPU) needs |= NEED_ALL_CORES; /* recorded beside it */
    const double stop = p->started + p->limit;
    double open = 0.;
    for (int w = 0; w < NEEDS; w++)
        if (needs & 1u << w) open += shares[w];
    for (int w = 0; w < NEEDS; w++) {
        const unsigned need = 1u << w;
        if (!(needs & need)) continue;
        const double end = cli_seconds() + shares[w] / open * remaining(stop);
        open -= shares[w];
        switch (need) {
        case NEED_MEMORY: measure_memory(p); break;
        case NEED_ONE_THREAD: measure_timings(p, ONE_THREAD, timed, COUNT(timed), needs, end); break;
        case NEED_STAGES:
            /* alone: otherwise they are timed with the rest */
            if (!(needs & NEED_ONE_THREAD)) measure_timings(p, ONE_THREAD, summed, COUNT(summed), needs, end);
            break;
        case NEED_ALL_CORES:
            measure_timings(p, ALL_CORES, timed_on_all_cores, COUNT(timed_on_all_cores), NEED_ALL_CORES, end);
            break;
        case NEED_GPU: measure_timings(p, GPU, timed, COUNT(timed), NEED_GPU | NEED_STAGES, end); break;
        case NEED_PERCENT: measure_percent(p, ALL_CORES, end); break;
        case NEED_PERCENT_GPU: measure_percent(p, GPU, end); break;
        case NEED_HYBRID: measure_hybrid(p, end); break;
        case NEED_POINTS: measure_points_alone(p, end); break;
        case NEED_DIGITS: measure_digits(p, end); break;
        }
    }
    cli_progress_clear();
}

/* ---- words -------------------------------------------------------------------------------------------------- */

void pool_describe(const pool *p, int place, char *text, size_t size)
{
    const int threads = place == ONE_THREAD ? 1 : p->cores;
    if (place == GPU)
        snprintf(text, size, "%s", p->gpu ? p->gpu_name : p->recorded_on);
    else if (place == GPU_HOST)
        snprintf(text, size, "%s", p->recorded_host);
    else
        snprintf(text, size, "%d thread%s of %s, %s", threads, threads == 1 ? "" : "s", p->machine.cpu, p->machine.simd);
}
