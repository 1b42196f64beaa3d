/* What a plan means to a backend. */
#include "backend/plan.h"
#include "base/status.h"

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

/* ---- what could not be built ------------------------------------------------------------------------------------ */

bg_status bg_plan_no_vertices(const bg_plan *plan, bg_error *error)
{
    const int gluons = plan->process.gluons, lines = plan->process.lines;
    return bg_interrupt_reason_of(plan->interrupt)
               ? bg_fail(error, BG_ERROR_INTERRUPTED,
                         "stopped while the vertices of %d gluons and %d quark lines were listed", gluons, lines)
               : bg_fail(error, BG_ERROR_MEMORY, "no memory for the vertices of %d gluons and %d quark lines", gluons,
                         lines);
}

bg_status bg_plan_no_tables(const bg_plan *plan, bg_error *error)
{
    const int n_out = plan->process.n_out;
    return bg_interrupt_reason_of(plan->interrupt)
               ? bg_fail(error, BG_ERROR_INTERRUPTED, "stopped while the color tables of n_out = %d were built", n_out)
               : bg_fail(error, BG_ERROR_MEMORY, "no memory for the color tables of n_out = %d", n_out);
}
