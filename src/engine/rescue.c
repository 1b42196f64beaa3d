#include "engine/rescue.h"
#include "backend/cpu/cpu.h"
#include "base/status.h"
#include "base/system.h"

#include <stdlib.h>
#include <string.h>

struct bg_rescue {
    bg_plan plan; /* the same question, for the kernel in 128-bit floats */
    int works, threads;
    void *state; /* made when it is first needed */
};

/* The largest n_out for which a point takes about a minute at most in 128-bit floats. */
static int most_out(const bg_options *o)
{
    const int all_helicities = o->helicity == BG_HELICITY_SUMMED;
    if (o->color == BG_COLOR_SUMMED) return all_helicities ? 7 : 9;
    if (o->recursion == BG_RECURSION_DRESSED) return all_helicities ? 5 : 11;
    if (o->color == BG_COLOR_SAMPLED) return all_helicities ? 6 : BG_MAX_OUT_ORDERED;
    if (o->orderings == BG_ORDERINGS_ONE) return BG_MAX_OUT_ORDERED;
    return all_helicities ? 5 : 7; /* all orderings */
}

bg_status bg_rescue_create(bg_rescue **rescue, const bg_plan *plan, int threads, bg_error *error)
{
    *rescue = NULL;
    if (!plan->options.rescue || (!strcmp(plan->options.backend, bg_backend_cpu.name) && bg_cpu_uses_quad(&plan->options)))
        return BG_OK;
    bg_rescue *r = calloc(1, sizeof *r);
    if (!r) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the rescue of unstable points");
    r->plan = *plan;
    r->works = bg_cpu_quad_present() && plan->n_out <= most_out(&plan->options);
    r->threads = threads ? threads : bg_default_threads();
    if (plan->options.color == BG_COLOR_SUMMED) { /* the same number, fastest */
        r->plan.options.kernel = BG_KERNEL_FAST;
        r->plan.options.decomposition = BG_DECOMPOSITION_ADJOINT;
        r->plan.options.vertex = BG_VERTEX_QUARTIC;
    }
    *rescue = r;
    return BG_OK;
}

void bg_rescue_destroy(bg_rescue *r)
{
    if (!r) return;
    bg_cpu_quad_destroy(r->state);
    free(r);
}

int bg_rescue_works(const bg_rescue *r) { return r->works; }

static bg_status prepare(bg_rescue *r, bg_error *error)
{
    bg_status status = BG_OK;
#ifdef _OPENMP
#pragma omp critical(blockgen_rescue_tables)
#endif
    if (!r->state) status = bg_cpu_quad_create(&r->plan, &r->state, error);
    return status;
}

bg_status bg_rescue_point(bg_rescue *r, const double *momenta, uint64_t event, uint64_t group, uint32_t configuration,
                          double *sum, bg_error *error)
{
    const cpu_choice choice = {configuration, group};
    const bg_status status = prepare(r, error);
    return status == BG_OK ? bg_cpu_quad_point(r->state, event, &choice, momenta, sum, NULL, error) : status;
}

/* The screen for a point of the user's array; laid out straight where the matrix element takes little longer. */
static int fails(const bg_rescue *r, const double *momenta)
{
    switch (r->plan.n) {
    case 4: return stability_fails(4, momenta, 1);
    case 5: return stability_fails(5, momenta, 1);
    case 6: return stability_fails(6, momenta, 1);
    default: return stability_fails(r->plan.n, momenta, 1);
    }
}

bg_status bg_rescue_block(bg_rescue *r, int count, const double *momenta, const uint64_t *event, const uint64_t *group,
                          const uint32_t *configuration, double *sum, bg_tally *tally, bg_error *error)
{
    const size_t stride = 4 * (size_t)r->plan.n;
    for (int k = 0; k < count; k++) {
        const double *p = momenta + (size_t)k * stride;
        if (!fails(r, p)) continue;
        tally->unstable++;
        if (!r->works) continue;
        const bg_status status = bg_rescue_point(r, p, event[k], group[k], configuration[k], &sum[k], error);
        if (status != BG_OK) return status;
        tally->rescued++;
    }
    return BG_OK;
}

bg_status bg_rescue_batch(bg_rescue *r, uint64_t first_event, size_t count, const double *momenta, double *me2,
                          double *uncertainty, bg_stability *found, bg_error *error)
{
    const size_t stride = 4 * (size_t)r->plan.n;
    uint64_t unstable = 0;
    found->points += count;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(r->threads) reduction(+ : unstable) if (count > 4096)
#endif
    for (size_t k = 0; k < count; k++) unstable += (uint64_t)fails(r, momenta + k * stride);
    found->unstable += unstable;
    if (!unstable || !r->works) return BG_OK;

    bg_status status = prepare(r, error);
    if (status != BG_OK) return status;
    bg_error why;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(r->threads) if (unstable > 1)
#endif
    for (size_t k = 0; k < count; k++) {
        const double *p = momenta + k * stride;
        bg_error one;
        if (!fails(r, p)) continue;
        const bg_status mine =
            bg_cpu_quad_point(r->state, first_event + k, NULL, p, &me2[k], uncertainty ? &uncertainty[k] : NULL, &one);
        if (mine == BG_OK) continue;
#ifdef _OPENMP
#pragma omp critical(blockgen_rescue_error)
#endif
        {
            status = mine;
            why = one;
        }
    }
    if (status != BG_OK) return bg_fail(error, status, "%s", why.message);
    found->rescued += unstable;
    return BG_OK;
}
