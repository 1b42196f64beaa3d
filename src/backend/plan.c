/* What a plan means to a backend. */
#include "backend/plan.h"

int bg_options_want_fast(const bg_options *o)
{
    return o->kernel == BG_KERNEL_FAST && o->color == BG_COLOR_SUMMED && o->decomposition == BG_DECOMPOSITION_ADJOINT &&
           o->vertex == BG_VERTEX_QUARTIC;
}

int bg_options_want_coherent(const bg_options *o)
{
    return o->color == BG_COLOR_SAMPLED && o->recursion == BG_RECURSION_DRESSED && o->kernel == BG_KERNEL_FAST &&
           (o->color_sampling == BG_COLORS_AUTO || o->color_sampling == BG_COLORS_COHERENT);
}

int bg_plan_sums_quarks(const bg_plan *plan) { return plan->process.lines && plan->options.color == BG_COLOR_SUMMED; }

int bg_plan_selects_helicities(const bg_plan *plan)
{
    const bg_options *o = &plan->options;
    return o->helicity == BG_HELICITY_SAMPLED &&
           (o->helicity_sampling == BG_SAMPLE_ADAPTIVE || o->helicity_sampling == BG_SAMPLE_INVARIANTS);
}

int bg_plan_by_invariants(const bg_plan *plan) { return plan->options.helicity_sampling == BG_SAMPLE_INVARIANTS; }
