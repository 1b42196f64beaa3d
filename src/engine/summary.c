/* What is known so far: the iterations of an integration become a result. */
#include "engine/integrator_own.h"
#include "base/system.h"

#include <math.h>
#include <stdio.h>

bg_iteration bg_integrator_iteration(const integrator *g, const bg_tally *tally)
{
    bg_iteration i = bg_iteration_of(tally);
    i.learned = g->state->sifting.coefficients > 0;
    return i;
}

/* All points behind the result weigh the same, whichever iteration they belong to: unlike weights from the
 * estimated variances, that cannot bias the result. Those that only adapt do not count, until there are others. */
void bg_integrator_summarise(const integrator *g, const bg_tally *tally, bg_result *r)
{
    static const bg_iteration none = {0};
    const bg_state *s = g->state;
    const bg_iteration current = tally ? bg_integrator_iteration(g, tally) : none,
                       warmed = bg_iterations_together(&s->warmed, &current);
    const int open = current.points > 0, nothing = !warmed.points && !s->iterations;
    /* a run that ends just where it has adapted has nothing else to show */
    const int just_adapted = tally && !s->iterations && !open;
    const bg_iteration *adapting = nothing ? &g->pilot : s->warmup || just_adapted ? &warmed : NULL;
    const int count = adapting ? 1 : s->iterations + open;
    const bg_iteration *all[BG_MAX_ITERATIONS + 1];
    double sum = 0., variance = 0., n = 0.;
    bg_clear(r, sizeof *r);
    r->size = g->result_size;
    r->warming_up = adapting != NULL;
    r->iterations = adapting ? 0 : count;
    r->warmup_points = adapting ? 0 : s->warmed.points;
    r->max_weight_pb = tally && tally->max_weight > s->max_weight ? tally->max_weight : s->max_weight;
    for (int k = 0; k < count; k++) {
        const bg_iteration *i = all[k] = adapting ? adapting : k == s->iterations ? &current : &s->iteration[k];
        sum += (double)i->points * i->mean;
        variance += (double)i->points * i->variance;
        n += (double)i->points;
        r->points += i->points;
        r->accepted += i->accepted;
        r->nonfinite += i->nonfinite;
        r->unstable += i->unstable;
        r->rescued += i->rescued;
        r->pairs += i->pairs;
        r->evaluated += i->evaluated;
    }
    r->sigma_pb = n > 0. ? sum / n : (double)NAN;
    r->error_pb = variance > 0. ? sqrt(variance) / n : (double)NAN;
    const double chi2 = bg_iterations_chi2(all, r->iterations, r->sigma_pb, s->sifting.on);
    r->chi2_per_dof = r->iterations > 1 && r->accepted ? chi2 / (r->iterations - 1) : (double)NAN;
    /* Iterations that differ by more than their errors have seen too little of a long tail: their scatter tells more. */
    r->error_scale = r->iterations > 1 && bg_is_beyond_chance(chi2, r->iterations - 1.) ? sqrt(r->chi2_per_dof) : 1.;
    r->error_pb *= r->error_scale;
    r->unweighting = r->max_weight_pb > 0. ? r->sigma_pb / r->max_weight_pb : 0.;
    r->ranks = g->ranks.count;
    r->estimated = s->sifting.on;
    r->seconds = s->seconds + bg_seconds() - g->started;
    r->seconds_matrix_element = g->timing.matrix_element;
    r->seconds_phase_space = g->timing.phase_space;
    r->seconds_copies = g->timing.copies;
    r->seconds_waiting = g->timing.waiting;
    snprintf(r->note, sizeof r->note, "%.*s", (int)sizeof r->note - 1, g->trouble.message);
}

bg_result bg_integrator_so_far(const integrator *g)
{
    bg_result r;
    bg_integrator_summarise(g, NULL, &r);
    if (!g->state->iterations && !g->state->warmed.points) r.points = r.accepted = 0; /* the pilot decides nothing */
    return r;
}
