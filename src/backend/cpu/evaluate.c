/* Matrix elements at given points: chunks of events dealt to the threads, and single points in 128-bit floats. */
#include "backend/cpu/cpu.h"
#include "base/mean.h"
#include "base/status.h"
#include "helicity/mode.h"

#include <stdlib.h>

/* Full registers, and all that may share colors. */
static int events_of_a_task(const cpu_state *s)
{
    const int full = BG_VECTORS * s->instance->lanes, together = bg_group_at_points(s->plan);
    return together > full ? together : full;
}

/* All draws of one chunk: mean and standard error of each event, in the order of the draws. `stages`: see cpu_task. */
static void evaluate_chunk(const cpu_state *s, void *workspace, uint64_t first_event, int count,
                           const bg_momenta *momenta, double *me2, double *uncertainty, cpu_stages *stages)
{
    enum { MOST = BG_TOGETHER };
    const bg_plan *plan = s->plan;
    const bg_options *o = &plan->options;
    const int circular = plan->mode == HELICITY_CIRCULAR && o->helicity == BG_HELICITY_SAMPLED;
    const int full = BG_VECTORS * s->instance->lanes, whole = (count + full - 1) / full * full;
    double mean[MOST], spread[MOST];
    uint64_t event[MOST], group[MOST];
    uint32_t configuration[MOST];
    for (int e = 0; e < whole; e++) {
        event[e] = first_event + (uint64_t)e;
        group[e] = bg_group_of(event[e], (int)(event[e] % BG_DEAL), bg_group_at_points(plan));
        configuration[e] = plan->configuration;
        mean[e] = spread[e] = 0.;
    }
    cpu_task task = {.plan = plan,
                     .tables = &s->tables,
                     .event = event,
                     .group = group,
                     .configuration = configuration,
                     .count = count,
                     .momenta = *momenta,
                     .value = me2,
                     .workspace = workspace,
                     .stages = stages};
    for (int k = 0; k < o->samples && !bg_interrupted(plan->interrupt); k++) {
        task.draw = (uint32_t)k;
        if (circular)
            for (int e = 0; e < whole; e++)
                configuration[e] = helicity_draw_configuration(plan->process.n, o->seed, event[e], task.draw);
        s->instance->evaluate(&task);
        for (int e = 0; e < count; e++) mean_add(k, me2[e], &mean[e], &spread[e]);
    }
    const double norm = plan->normalization * (circular ? (double)(1u << plan->process.n) : 1.);
    for (int e = 0; e < count; e++) {
        me2[e] = norm * mean[e];
        if (uncertainty) uncertainty[e] = norm * mean_error(plan->sampled, o->samples, spread[e]);
    }
}

void bg_cpu_evaluate_all(const cpu_state *s, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                         double *uncertainty, cpu_stages *stages)
{
    const size_t lanes = (size_t)s->instance->lanes, full = (size_t)events_of_a_task(s);
    /* Whole registers, small enough that every thread gets work. */
    size_t chunk = (count / (size_t)s->threads + lanes - 1) / lanes * lanes;
    chunk = chunk < lanes ? lanes : chunk > full ? full : chunk;
    const size_t chunks = (count + chunk - 1) / chunk;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(cpu_useful_threads(s, chunks))
#endif
    for (size_t c = 0; c < chunks; c++) {
        const size_t from = c * chunk, left = count - from;
        if (bg_interrupted(s->plan->interrupt)) continue;
        const bg_momenta mine = momenta_from(momenta, from);
        const int thread = cpu_thread();
        evaluate_chunk(s, s->workspace[thread], first_event + from, (int)(left < chunk ? left : chunk), &mine,
                       me2 + from, uncertainty ? uncertainty + from : NULL, stages ? &stages[thread] : NULL);
    }
}

bg_status bg_cpu_evaluate(void *state, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                          double *uncertainty, bg_error *error)
{
    bg_cpu_evaluate_all(state, first_event, count, momenta, me2, uncertainty, NULL);
    return bg_succeed(error);
}

/* ---- single points in 128-bit floats -------------------------------------------------------------------------------- */

static bg_status precise_create(bg_plan *plan, void **state, bg_error *error)
{
    return bg_cpu_create_in(bg_cpu_quad, plan, 0, state, error);
}

/* The sum behind |M|^2 for what an integration has chosen. */
static void evaluate_choice(const cpu_state *s, void *workspace, uint64_t event, const bg_drawn *choice,
                            const bg_momenta *momenta, double *sum)
{
    uint64_t events[BG_VECTORS], groups[BG_VECTORS];
    uint32_t configurations[BG_VECTORS];
    for (int k = 0; k < BG_VECTORS; k++) {
        events[k] = event;
        groups[k] = choice->group;
        configurations[k] = choice->configuration;
    }
    const cpu_task task = {.plan = s->plan,
                           .tables = &s->tables,
                           .event = events,
                           .group = groups,
                           .configuration = configurations,
                           .count = 1,
                           .momenta = *momenta,
                           .value = sum,
                           .workspace = workspace};
    s->instance->evaluate(&task);
}

static bg_status precise_point(const void *state, uint64_t event, const bg_drawn *choice, const bg_momenta *momenta,
                               double *me2, double *uncertainty, bg_error *error)
{
    const cpu_state *s = state;
    void *workspace = bg_cpu_workspace(s);
    if (!workspace)
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for a point in 128-bit floats (%.3g MB)",
                       1e-6 * (double)s->workspace_size);
    if (choice)
        evaluate_choice(s, workspace, event, choice, momenta, me2);
    else
        evaluate_chunk(s, workspace, event, 1, momenta, me2, uncertainty, NULL);
    free(workspace);
    return BG_OK;
}

const bg_precise bg_cpu_precise = {.create = precise_create, .destroy = bg_cpu_destroy, .point = precise_point};
