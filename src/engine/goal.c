/* How many points next: those of an iteration and of a round, how many of them get an exact |M|^2, and whether any are needed or
 * of any use. All of it but the size of a round follows from the results so far and from counted costs, never from time or
 * hardware.
 */
#include "engine/integrator_own.h"
#include "engine/cost.h"
#include "base/status.h"

#include <math.h>

#define MOST_ROUND 1e12
#define FILLING 16.                      /* points inside the cuts for each thread in a round at least */
#define MOST_FILLING 1e5                 /* ... unless that takes so many trials */
#define HOPELESS (1ull << 24)            /* points none of which is inside the cuts */
#define WARMUP_KEPT 48.                  /* points of an iteration that only adapts that get an exact |M|^2, */
#define LEAST_KEPT 64.                   /* ... and of any other, where an estimate comes first */
enum { PIECES = 8, LEAST_PIECE = 1000 }; /* a given number of points: iterations, and points of one at least */

/* ---- the next iteration ------------------------------------------------------------------------------------------------ */

/* Points of the first iteration: enough for a histogram of every axis. Largest weights, which decide how many points become events,
 * are learned from many more, where these cost little. */
static uint64_t first_size(const integrator *g)
{
    const double some = g->for_events && g->state->sifting.on ? 2000. : 500.;
    return (uint64_t)(some * g->effort) * (uint64_t)(g->plan->process.n_out + 1);
}

/* The error that decides when to stop. A long tail may keep iterations from ever agreeing: it is given four times the
 * points, and then the result says that its precision was not reached. */
static double deciding_error(const bg_result *r) { return r->error_pb / r->error_scale * fmin(r->error_scale, 2.); }

/* Points of the next iteration, from the results so far alone. */
static uint64_t wanted_size(const integrator *g)
{
    const bg_state *s = g->state;
    const bg_integration *w = g->wish;
    if (s->warmup) return first_size(g) * (uint64_t)(BG_WARMUP - s->warmup + 2) / 2;
    const uint64_t least = 4 * first_size(g);
    const bg_result r = bg_integrator_so_far(g);
    if (w->points) {
        const uint64_t fitting = w->points / LEAST_PIECE, pieces = fitting < 1        ? 1
                                                                   : fitting < PIECES ? fitting
                                                                                      : PIECES;
        const uint64_t piece = w->points / pieces + (w->points % pieces > 0);
        const uint64_t left = w->points > r.points ? w->points - r.points : 0;
        return piece < left ? piece : left;
    }
    if (!s->iterations || !(w->precision > 0.) || !(r.sigma_pb > 0.)) {
        const uint64_t grown = r.points / 2;
        return grown > least ? grown : least;
    }
    /* as many more as the precision asks for, a few per cent over, but never more than have been made so far */
    const double ratio = deciding_error(&r) / r.sigma_pb / w->precision;
    double more = (double)r.points * (1.03 * ratio * ratio - 1.);
    if (more > (double)r.points) more = (double)r.points;
    return more > (double)least / 4 ? (uint64_t)more : least / 4;
}

/* In whole deals, but for the last points of a given number of them. */
uint64_t bg_integrator_next_size(const integrator *g)
{
    const uint64_t wanted = integrator_whole(g, wanted_size(g));
    if (!g->wish->points || g->state->warmup) return wanted;
    const uint64_t points = bg_integrator_so_far(g).points;
    const uint64_t left = g->wish->points > points ? g->wish->points - points : 0;
    return wanted < left ? wanted : left;
}

int bg_integrator_reached(const integrator *g)
{
    const bg_state *s = g->state;
    const bg_integration *w = g->wish;
    if (s->warmup) return 0;
    const bg_result r = bg_integrator_so_far(g);
    if (s->iterations >= BG_MAX_ITERATIONS) return 1;
    if (w->points) return r.points >= w->points;
    return w->precision > 0. && s->iterations >= 2 && r.sigma_pb > 0. &&
           deciding_error(&r) <= w->precision * r.sigma_pb;
}

double bg_integrator_points_to_come(const integrator *g)
{
    const bg_result r = bg_integrator_so_far(g);
    if (g->wish->points) return g->wish->points > r.points ? (double)(g->wish->points - r.points) : 0.;
    if (!(g->wish->precision > 0.) || !(r.sigma_pb > 0.)) return (double)g->state->size;
    const double ratio = deciding_error(&r) / r.sigma_pb / g->wish->precision;
    return ratio > 1. ? (double)r.points * (ratio * ratio - 1.) : 0.;
}

/* It is no use where nothing is inside the cuts, and nobody said how many points to try. */
bg_status bg_integrator_check_hope(const integrator *g, bg_error *error)
{
    if (g->wish->points) return BG_OK;
    const bg_result r = bg_integrator_so_far(g);
    if (r.accepted || r.points < HOPELESS) return BG_OK;
    return bg_fail(error, BG_ERROR_POINT,
                   "none of %llu trial points is inside the cuts: they leave no room, or too little to be found",
                   (unsigned long long)r.points);
}

/* ---- the next round ---------------------------------------------------------------------------------------------------- */

/* So many that it takes as long as a round should; but at least so many that those inside the cuts fill the registers of
 * every thread. */
uint64_t bg_integrator_next_round(const integrator *g, const bg_result *r, uint64_t points, double seconds)
{
    const double threads = (double)g->plan->options.threads * g->ranks.count;
    const double least =
        fmin(FILLING * threads * (double)r->points / (double)(r->accepted ? r->accepted : 1), MOST_FILLING);
    const double ratio = BG_ROUND_SECONDS / (seconds > 1e-6 ? seconds : 1e-6);
    const double wanted = (double)points * (ratio < 0.25 ? 0.25 : ratio < 4. ? ratio : 4.);
    return (uint64_t)fmin(fmax(wanted, fmax(least, BG_FIRST_ROUND)), MOST_ROUND);
}

/* ---- exact values ------------------------------------------------------------------------------------------------------ */

/* Of a trial point and its estimate, which those inside the cuts have. */
static double trial_cost(const integrator *g, double inside)
{
    const bg_sieve sieve = bg_sifting_sieve(&g->state->sifting, &g->estimate);
    const double factor = sieve.coefficient ? bg_factor_cost(&sieve.plan) : 0.;
    return g->trial_cost + inside * (g->estimate_cost + factor);
}

double bg_integrator_best_share(const integrator *g)
{
    const bg_sifting *f = &g->state->sifting;
    return bg_sifting_best_share(f, trial_cost(g, f->inside), g->exact_cost);
}

void bg_integrator_aim(integrator *g)
{
    const bg_state *s = g->state;
    bg_sifting *f = &g->state->sifting;
    if (!f->on) return;
    const double size = (double)s->size, best = bg_integrator_best_share(g);
    const double least = (s->warmup ? WARMUP_KEPT * g->effort : LEAST_KEPT) / size;
    /* helicities are learned from exact values alone */
    const double share = s->warmup && !s->selector ? least : fmax(best, least);
    bg_sifting_keep(f, share < 1. ? share : 1.); /* all of them where nothing is known */
}

double bg_integrator_cost(const bg_integrator *g)
{
    const bg_sifting *f = &g->state->sifting;
    if (!f->on) return trial_cost(g, 0.) + g->exact_cost;
    return trial_cost(g, f->inside) + bg_sifting_kept_share(f, bg_integrator_best_share(g)) * g->exact_cost;
}

void bg_integrator_costs(const bg_integrator *g, double *trial, double *exact)
{
    *trial = trial_cost(g, 1.);
    *exact = g->exact_cost;
}
