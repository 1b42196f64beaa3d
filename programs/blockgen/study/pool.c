#include "study/measuring.h"
#include "backends.h"
#include "console.h"
#include "strategies.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 10.        /* times the seconds of a timing: what one repetition may take */
#define LEAST_TOGETHER 0.25 /* seconds of a timing with several threads: they wait for each other on a busy machine */

/* How the time is dealt to the kinds of measurements that are wanted; what one does not use goes to the next. */
static const double shares[NEEDS] = {
    0.01 /* memory */,   0.27 /* one thread */, 0.07 /* stages */, 0.14 /* all cores */, 0.35 /* GPU */,
    0.38 /* 1 %, CPU */, 0.20 /* 1 %, GPU */,   0.06 /* hybrid */, 0.05 /* points */,    0.15 /* digits */,
};

/* Those that are cheap at large n_out first, so that the time is not used up before their turn. */
static const int timed[] = {COHERENT, LC,    TESS,         CO_SUM, FULL,      CO_MC_ONE,
                            CD_MC,    CO_MC, CO_SUM_PAPER, LC_ALL, FULL_PAPER};
static const int timed_on_all_cores[] = {COHERENT, CO_SUM, FULL, CO_MC_ONE, CD_MC, CO_SUM_PAPER, FULL_PAPER};
static const int summed[] = {CO_SUM_PAPER, CO_SUM};

void pool_init(pool *p)
{
    memset(p, 0, sizeof *p);
    p->low = BG_MIN_OUT;
    p->high = 8;
    p->seed = 1;
    p->started = cli_seconds();
}

int measuring_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void measuring_why(char why[WHY_LENGTH], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, WHY_LENGTH, format, args);
    va_end(args);
}

double measuring_left(double end) { return end - cli_seconds(); }

void measuring_show(const pool *p, const char *what, int k, int n_out, const char *where)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %s, g g -> %d g, %s", what, study_curves[k].name, n_out, where);
    cli_progress(p->quiet, (cli_seconds() - p->started) / p->limit, text);
}

/* ---- evaluators ------------------------------------------------------------------------------------------- */

const char *measuring_backend(int place) { return place == GPU ? backend_of_devices() : backend_of_host(); }

bg_options measuring_options(const pool *p, int place, int k)
{
    bg_options o = strategy_options(study_curves[k].name);
    o.seed = p->seed;
    o.threads = place == ONE_THREAD ? 1 : p->threads;
    snprintf(o.backend, sizeof o.backend, "%s", measuring_backend(place));
    return o;
}

bg_evaluator *measuring_create(const pool *p, int place, int k, int n_out, char why[WHY_LENGTH])
{
    const bg_options o = measuring_options(p, place, k);
    bg_evaluator *e = NULL;
    bg_error error;
    int absent;
    if (measure_create(&e, n_out, &o, &absent, &error) != BG_OK) {
        measuring_why(why, "%s", error.message);
        return NULL;
    }
    if (!absent) return e;
    measuring_why(why, "there is no fast kernel for it in this build");
    bg_evaluator_destroy(e);
    return NULL;
}

/* ---- memory ----------------------------------------------------------------------------------------------- */

/* What the CPU would have to allocate for one thread; nothing is. */
static void measure_memory(pool *p)
{
    for (int w = 0; w < COUNT(timed); w++) {
        const int k = timed[w];
        char why[WHY_LENGTH] = "";
        bg_evaluator *e =
            measuring_create(p, ONE_THREAD, k, BG_MIN_OUT, why); /* whether there is such a kernel at all */
        bg_evaluator_destroy(e);
        for (int n_out = p->low; n_out <= MOST_OUT; n_out++) {
            pool_timing *t = &p->timing[ONE_THREAD][k][n_out];
            const bg_options o = measuring_options(p, ONE_THREAD, k);
            bg_process *process = NULL;
            if (*why) {
                measuring_why(t->why, "%s", why);
                continue;
            }
            bg_memory_init(&t->memory);
            if (bg_process_create_gluons(&process, n_out, NULL) != BG_OK ||
                bg_memory_needed(process, &o, &t->memory, NULL) != BG_OK)
                t->memory.batch = 0;
            bg_process_destroy(process);
        }
    }
}

/* ---- timings ---------------------------------------------------------------------------------------------- */

/* What is to be measured of a strategy in one place. */
static unsigned wanted_stages(int place, unsigned needs)
{
    unsigned wanted = 1u << STAGE_ME;
    if (place != ALL_CORES && needs & (NEED_ONE_THREAD | NEED_GPU)) wanted |= 1u << STAGE_EVENT;
    if (needs & NEED_STAGES) wanted |= 1u << STAGE_AMPLITUDES | 1u << STAGE_COLOR_SUM;
    return wanted;
}

static void time_entry(pool *p, int place, int k, measure_setting *s, double one[MOST_OUT + 1], unsigned needs)
{
    pool_timing *t = &p->timing[place][k][s->n_out];
    const double seconds = place == ALL_CORES ? fmax(p->seconds, LEAST_TOGETHER) : p->seconds;
    const double limit = PATIENCE * seconds;
    bg_evaluator *e = measuring_create(p, place, k, s->n_out, t->why);
    bg_error error;
    measured m;
    if (!e) return;
    bg_memory_init(&t->memory);
    if (bg_evaluator_memory(e, &t->memory, NULL) != BG_OK) t->memory.batch = 0;
    t->threads = bg_evaluator_threads(e);
    if (measure_one(e, s, &one[s->n_out], &error) != BG_OK) {
        measuring_why(t->why, "%s", error.message);
    } else if (one[s->n_out] > limit) {
        measuring_why(t->why, "one point takes %.2g s, the limit is %.2g s", one[s->n_out], limit);
    } else {
        measure_entry(e, s, wanted_stages(place, needs), seconds, limit, one[s->n_out], &m);
        if (m.stage[STAGE_ME].repetitions) t->source = POOL_MEASURED;
        if (m.stage[STAGE_ME].idle)
            measuring_why(t->why, "%.3g events at once do not fill the device, and take a good part of %.2g s",
                          (double)m.stage[STAGE_ME].batch, limit);
        for (int w = STAGES - 1; w >= 0; w--) {
            if (m.missing[w].why[0]) measuring_why(t->why, "%s", m.missing[w].why);
            if (!m.stage[w].idle) t->stage[w] = m.stage[w]; /* upper bounds are no points of a figure */
        }
        t->beside = t->stage[STAGE_ME].ns;
    }
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
            const double coming = measure_foresee(one[k], n_out), limit = PATIENCE * p->seconds;
            measuring_show(p, "timing", k, n_out, words[place]);
            if (cli_interrupted())
                measuring_why(t->why, "interrupted");
            else if (status != BG_OK)
                measuring_why(t->why, "%s", error.message);
            else if (measuring_left(end) < 0.)
                measuring_why(t->why, NO_TIME_LEFT);
            else if (coming > limit)
                measuring_why(t->why, "one point would take %.2g s or more, the limit is %.2g s", coming, limit);
            else
                time_entry(p, place, k, &s, one[k], tells_stages(k) ? needs : needs & ~(unsigned)NEED_STAGES);
            if (coming > limit) one[k][n_out] = coming;
        }
        if (status == BG_OK) measure_setting_destroy(&s);
    }
}

/* The making of points on one thread, cuts apart. RAMBO's weight is the same for all of them, so there it is the making of
 * points alone; the adaptive generator works out the weight with the point. */
static void measure_points_alone(pool *p, double end)
{
    for (int n_out = p->low; n_out <= p->high && n_out <= MOST_READY && measuring_left(end) > 0.; n_out++) {
        measure_setting s;
        measurement cuts;
        char why[WHY_LENGTH];
        measuring_show(p, "points", CO_SUM, n_out, "one thread");
        bg_evaluator *e = measuring_create(p, ONE_THREAD, CO_SUM, n_out, why);
        if (!e) return;
        if (measure_setting_create(&s, n_out, 1, NULL) == BG_OK) {
            if (measure_points(e, &s, p->seconds, &p->generated[n_out], &cuts, NULL) != BG_OK)
                memset(&p->generated[n_out], 0, sizeof p->generated[n_out]);
            if (measure_setting_flat(&s, p->seed, NULL) != BG_OK ||
                measure_points(e, &s, p->seconds, &p->flat[n_out], &cuts, NULL) != BG_OK)
                memset(&p->flat[n_out], 0, sizeof p->flat[n_out]);
            measure_setting_destroy(&s);
        }
        bg_evaluator_destroy(e);
        if (cli_interrupted()) return;
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------------- */

void pool_measure(pool *p, unsigned needs)
{
    if (p->recorded) return;
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
        const double end = cli_seconds() + shares[w] / open * measuring_left(stop);
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
        case NEED_PERCENT: measuring_percent(p, ALL_CORES, end); break;
        case NEED_PERCENT_GPU: measuring_percent(p, GPU, end); break;
        case NEED_HYBRID: measuring_hybrid(p, end); break;
        case NEED_POINTS: measure_points_alone(p, end); break;
        case NEED_DIGITS: measuring_digits(p, end); break;
        }
    }
    cli_progress_clear();
}

/* ---- words -------------------------------------------------------------------------------------------------- */

void pool_describe(const pool *p, int place, int threads, char *text, size_t size)
{
    char here[200];
    if (!threads) threads = place == ONE_THREAD ? 1 : p->cores;
    snprintf(here, sizeof here, "%s, %s", p->machine.cpu, p->machine.simd);
    if (place == GPU)
        snprintf(text, size, "%s", p->gpu ? p->gpu_name : p->recorded_on);
    else if (place == GPU_HOST)
        snprintf(text, size, "%s", p->recorded_host);
    else
        snprintf(text, size, "%d thread%s of %s", threads, threads == 1 ? "" : "s",
                 p->recorded ? p->recorded_cpu : here);
}

void pool_gpu_name(const pool *p, char *text, size_t size)
{
    const char *all = p->gpu ? p->gpu_name : p->recorded_on;
    snprintf(text, size, "%.*s", (int)strcspn(all, ","), all);
}

int pool_percent_threads(const pool *p)
{
    for (int k = 0; k < STRATEGIES; k++)
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++)
            if (p->percent[ALL_CORES][k][n_out].source) return p->percent[ALL_CORES][k][n_out].threads;
    return 0;
}

int pool_timing_threads(const pool *p, int place)
{
    for (int k = 0; k < STRATEGIES; k++)
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++)
            if (p->timing[place][k][n_out].source) return p->timing[place][k][n_out].threads;
    return 0;
}
