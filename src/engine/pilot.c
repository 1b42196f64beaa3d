/* The pilot: a few points that count for nothing else find how large weights are, before the first iteration. Where estimates come
 * first, it finds how large these are, and then, with a few exact values, their scale.
 */
#include "engine/integrator_own.h"
#include "base/status.h"
#include "base/system.h"

#define PILOT 512      /* points that set the scale of the importances */
#define PILOT_KEPT 32. /* of them that get an exact |M|^2 where there is an estimate */

/* Points that count for nothing, the same on every rank. */
static bg_status pilot_points(integrator *g, bg_tally *t, bg_error *error)
{
    bg_status status = BG_OK;
    uint64_t done = 0, piece = integrator_whole(g, BG_FIRST_ROUND);
    bg_tally_clear(t);
    while (status == BG_OK && done < PILOT && !g->stop) {
        const uint64_t now = piece < PILOT - done ? piece : PILOT - done;
        const double start = bg_seconds();
        status = bg_integrator_round(g, BG_PILOT_EVENT + done, now, 0, 0, t, error);
        if (g->stop) break;
        done += now;
        piece *= 2;
        if (!g->state->sifting.on) g->pilot = bg_iteration_of(t); /* estimates alone are no result */
        if (status == BG_OK) status = bg_integrator_between_rounds(g, now, bg_seconds() - start, error);
    }
    return status;
}

/* The scale of estimates: first how large they are, then exact values of some. */
static bg_status pilot_estimates(integrator *g, bg_tally *t, double *mean2, bg_error *error)
{
    bg_sifting *f = &g->state->sifting;
    bg_status status = pilot_points(g, t, error);
    if (status != BG_OK || g->stop) return status;
    (void)bg_sifting_take(f, t);
    const double mean = f->mean;
    if (!(mean > 0.)) return BG_OK; /* nothing is inside the cuts, yet */
    bg_sifting_keep(f, PILOT_KEPT / PILOT);
    status = pilot_points(g, t, error);
    if (status != BG_OK || g->stop) return status;
    const double factor = bg_sifting_take(f, t), rms = bg_sifting_rms(f);
    f->mean = mean * factor; /* before e and w agree, W scatters much more than e */
    *mean2 = bg_exact_value(&t->estimate2) / PILOT * factor * factor;
    f->spread = *mean2 / (f->mean * f->mean) - 1.;
    g->pilot = bg_iteration_of(t);
    g->pilot.mean = f->mean;
    g->pilot.variance = *mean2 - f->mean * f->mean + f->mean * f->threshold * factor * rms * rms; /* sieve.h */
    return BG_OK;
}

bg_status bg_integrator_pilot(integrator *g, bg_error *error)
{
    bg_tally *t = bg_tally_create(g->state->tally->dimensions, g->state->tally->entries, g->state->tally->cells);
    bg_status status =
        bg_ranks_agree(&g->ranks, t ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for a tally"), error);
    double mean2 = 0.;
    if (g->state->sifting.on) /* what a pilot that was interrupted has learned is gone */
        bg_sifting_begin(&g->state->sifting, g->plan->process.n);
    if (status == BG_OK && g->state->sifting.on)
        status = pilot_estimates(g, t, &mean2, error);
    else if (status == BG_OK) {
        status = pilot_points(g, t, error);
        if (status == BG_OK) mean2 = bg_exact_value(&t->weight2) / PILOT;
    }
    if (status == BG_OK && !g->stop) g->state->scale = mean2 > 0. ? mean2 : 1.;
    bg_tally_destroy(t);
    return status;
}

bg_status bg_integrator_probe(bg_integrator *g, double *sigma, int *stopped, bg_error *error)
{
    const bg_status status = bg_integrator_pilot(g, error);
    *sigma = g->pilot.mean;
    *stopped = g->stop;
    return status;
}
