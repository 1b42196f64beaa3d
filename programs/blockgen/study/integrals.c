/* Integrations of the cross section: to 1 % by every strategy, and the hybrid arrangement. */
#include "study/measuring.h"
#include "console.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GOAL 0.01               /* relative error */
enum { MOST_RUNS = 5 };         /* with different seeds */
enum { FEWEST_ACCEPTED = 200 }; /* points inside the cuts that an extrapolation rests on */

static const int integrated[] = {FULL,        CO_SUM, CO_SUM_PAIRS, CO_MC,          CO_MC_ONE,
                                 CO_MC_PAIRS, CD_MC,  COHERENT,     COHERENT_PAIRS, FULL_PAPER};

/* ---- to 1 % ------------------------------------------------------------------------------------------- */

static int stop_when_interrupted(const bg_result *result, void *user)
{
    const pool *p = user;
    char text[160];
    snprintf(text, sizeof text, "integrating: sigma = %.4g +- %.2g pb", result->sigma_pb, result->error_pb);
    cli_progress(p->quiet, (cli_seconds() - p->started) / p->limit, text);
    return cli_interrupted();
}

/* Integrates as `w` says, with a line of progress. `resolved` may be NULL. */
static bg_status integrate(pool *p, int n_out, const bg_options *o, bg_integration *w, bg_result *r,
                           bg_options *resolved, bg_error *error)
{
    bg_process *process = NULL;
    w->progress = stop_when_interrupted;
    w->interrupted = cli_wants_to_stop;
    w->user = p;
    w->resolved = resolved;
    if (resolved) bg_options_init(resolved);
    bg_result_init(r);
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_integrate(process, o, w, r, error);
    bg_process_destroy(process);
    return status;
}

/* Points and time to 1 %, the mean and the median of a few seeds where that is quick. */
static void integrate_entry(pool *p, int place, int k, int n_out, double limit)
{
    pool_percent *q = &p->percent[place][k][n_out];
    double points[MOST_RUNS] = {0.}, seconds[MOST_RUNS] = {0.}, spent = 0., sum = 0., square = 0.;
    bg_evaluator *e = measuring_create(p, place, k, n_out, q->why);
    bg_options o = measuring_options(p, place, k), resolved;
    if (!e) return;
    bg_evaluator_destroy(e);
    while (q->runs < MOST_RUNS && (!q->runs || (spent < 0.2 * limit && spent < 2. && !q->extrapolated))) {
        bg_result r;
        bg_error error;
        bg_integration goal;
        bg_integration_init(&goal);
        goal.precision = GOAL;
        goal.seconds = limit;
        o.seed = p->seed + (uint64_t)q->runs;
        const bg_status status = integrate(p, n_out, &o, &goal, &r, &resolved, &error);
        if (status != BG_OK || cli_interrupted()) {
            if (!q->runs) measuring_why(q->why, "%s", status != BG_OK ? error.message : "interrupted");
            break;
        }
        const double ratio = r.sigma_pb > 0. ? r.error_pb / r.sigma_pb / GOAL : INFINITY;
        if (r.warming_up || r.accepted < FEWEST_ACCEPTED || !(ratio < 30.)) {
            if (!q->runs) measuring_why(q->why, "%.2g s are not enough for an estimate", limit);
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
    qsort(seconds, (size_t)q->runs, sizeof *seconds, measuring_ascending);
    q->seconds = seconds[q->runs / 2];
}

void measuring_percent(pool *p, int place, double end)
{
    int left = (p->high - p->low + 1) * COUNT(integrated);
    for (int n_out = p->low; n_out <= p->high; n_out++)
        for (int w = 0; w < COUNT(integrated); w++, left--) {
            const int k = integrated[w];
            pool_percent *q = &p->percent[place][k][n_out];
            const double have = measuring_left(end);
            /* most entries take less than their part or are skipped */
            const double limit = fmin(fmax(4. * have / left, 0.1), 0.25 * have);
            const pool_percent *last = n_out > p->low ? q - 1 : NULL, *before = n_out > p->low + 1 ? q - 2 : NULL;
            double coming = last && last->source ? 2. * last->seconds : 0.;
            if (coming > 0. && before && before->source && last->seconds > 2. * before->seconds)
                coming = last->seconds * last->seconds / before->seconds;
            measuring_show(p, "integrating", k, n_out, measuring_backend(place));
            if (cli_interrupted())
                measuring_why(q->why, "interrupted");
            else if (have < 0.1)
                measuring_why(q->why, NO_TIME_LEFT);
            else if (last && !last->source)
                measuring_why(q->why, "%s", last->why);
            else if (coming > 100. * limit)
                measuring_why(q->why, "it would take about %.2g s or more, there are %.2g s for it", coming, limit);
            else
                integrate_entry(p, place, k, n_out, limit);
        }
}

/* ---- the hybrid arrangement --------------------------------------------------------------------------------- */

static bg_status run_hybrid(pool *p, int n_out, int hybrid, bg_phase_space phase_space, uint64_t points, double limit,
                            bg_result *r, bg_options *resolved, bg_error *error)
{
    const bg_options o = measuring_options(p, GPU, CO_SUM);
    bg_integration w;
    bg_integration_init(&w);
    w.precision = 0.;
    w.points = points;
    w.seconds = limit;
    w.hybrid = hybrid;
    w.phase_space = phase_space;
    return integrate(p, n_out, &o, &w, r, resolved, error);
}

/* Points inside the cuts of a whole run: those that only adapted pass about as often. */
static double all_accepted(const bg_result *r)
{
    return r->points ? (double)r->accepted * (double)(r->points + r->warmup_points) / (double)r->points : 0.;
}

void measuring_hybrid(pool *p, double end)
{
    for (int n_out = p->low; n_out <= p->high && n_out <= MOST_READY; n_out++) {
        pool_hybrid *h = &p->hybrid[n_out];
        const double limit = measuring_left(end) / (3. * (p->high - n_out + 1));
        bg_result r, flat, device;
        bg_options resolved;
        bg_error error;
        measuring_show(p, "hybrid", CO_SUM, n_out, "GPU");
        if (cli_interrupted() || limit < 0.05) {
            measuring_why(h->why, cli_interrupted() ? "interrupted" : NO_TIME_LEFT);
            continue;
        }
        bg_status status = run_hybrid(p, n_out, 1, BG_PHASE_SPACE_ADAPTIVE, 0, limit, &r, &resolved, &error);
        if (status == BG_OK) status = run_hybrid(p, n_out, 1, BG_PHASE_SPACE_RAMBO, 0, limit, &flat, NULL, &error);
        if (status == BG_OK && r.points)
            status = run_hybrid(p, n_out, 0, BG_PHASE_SPACE_ADAPTIVE, r.points, limit, &device, NULL, &error);
        if (status != BG_OK || cli_interrupted() || r.warming_up || !r.accepted || !flat.accepted) {
            measuring_why(h->why, "%s", status != BG_OK ? error.message : "stopped before a result");
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
