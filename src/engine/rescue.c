#include "engine/rescue.h"
#include "amplitude/stability.h"
#include "base/status.h"
#include "base/system.h"

#include <stdlib.h>

struct bg_rescue {
    bg_plan plan;              /* the same question, for the kernel in 128-bit floats */
    const bg_precise *precise; /* who evaluates; NULL: nobody can */
    int threads;
    void *state; /* made when it is first needed */
    bg_rescue_stage stage;
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

static const bg_precise *find_precise(void)
{
    for (int k = 0; bg_backends[k]; k++)
        if (bg_backends[k]->precise) return bg_backends[k]->precise;
    return NULL;
}

static bg_status again(void *self, size_t count, bg_unstable *point, bg_error *error);

bg_status bg_rescue_create(bg_rescue **rescue, const bg_plan *plan, int threads, bg_error *error)
{
    *rescue = NULL;
    if (!plan->options.rescue || plan->quad) return BG_OK;
    bg_rescue *r = calloc(1, sizeof *r);
    if (!r) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the rescue of unstable points");
    r->plan = *plan;
    r->precise = plan->process.n_out <= most_out(&plan->options) ? find_precise() : NULL;
    r->threads = threads ? threads : bg_default_threads();
    if (plan->options.color == BG_COLOR_SUMMED) { /* the same number, fastest */
        r->plan.options.kernel = BG_KERNEL_FAST;
        r->plan.options.decomposition = BG_DECOMPOSITION_ADJOINT;
        r->plan.options.vertex = BG_VERTEX_QUARTIC;
    }
    r->stage = (bg_rescue_stage){.works = r->precise != NULL, .again = again, .self = r};
    *rescue = r;
    return BG_OK;
}

void bg_rescue_destroy(bg_rescue *r)
{
    if (!r) return;
    if (r->state) r->precise->destroy(r->state);
    free(r);
}

const bg_rescue_stage *bg_rescue_stage_of(const bg_rescue *r) { return &r->stage; }

static bg_status prepare(bg_rescue *r, bg_error *error)
{
    bg_status status = BG_OK;
#ifdef _OPENMP
#pragma omp critical(blockgen_rescue_tables)
#endif
    if (!r->state) status = r->precise->create(&r->plan, &r->state, error);
    return status;
}

/* Of several threads that work on a list of points, the last failure. */
typedef struct failure {
    bg_status status;
    bg_error why;
} failure;

static void note_failure(failure *f, bg_status status, const bg_error *why)
{
    if (status == BG_OK) return;
#ifdef _OPENMP
#pragma omp critical(blockgen_rescue_error)
#endif
    {
        f->status = status;
        f->why = *why;
    }
}

static bg_status report_failure(const failure *f, bg_error *error)
{
    return f->status == BG_OK ? BG_OK : bg_fail(error, f->status, "%s", f->why.message);
}

/* ---- points of an integration ---------------------------------------------------------------------------------- */

static bg_status again(void *self, size_t count, bg_unstable *point, bg_error *error)
{
    bg_rescue *r = self;
    failure failed = {.status = BG_OK};
    const bg_status status = prepare(r, error);
    if (status != BG_OK) return status;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(r->threads) if (count > 1)
#endif
    for (size_t k = 0; k < count; k++) {
        bg_unstable *u = &point[k];
        if (bg_interrupted(r->plan.interrupt)) continue;
        const bg_drawn choice = {.configuration = u->configuration, .group = u->group};
        const bg_momenta momenta = momenta_view(u->momenta, 0, 1, r->plan.process.incoming, NULL);
        bg_error why;
        note_failure(&failed, r->precise->point(r->state, u->event, &choice, &momenta, &u->sum, NULL, &why), &why);
    }
    return report_failure(&failed, error);
}

/* ---- points of a user ------------------------------------------------------------------------------------------- */

/* The screen, laid out straight where the matrix element takes little longer. */
static int fails(const bg_rescue *r, const bg_momenta *momenta, size_t k)
{
    switch (r->plan.process.n) {
    case 4: return stability_fails(4, momenta, k);
    case 5: return stability_fails(5, momenta, k);
    case 6: return stability_fails(6, momenta, k);
    default: return stability_fails(r->plan.process.n, momenta, k);
    }
}

bg_status bg_rescue_batch(bg_rescue *r, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                          double *uncertainty, bg_stability *found, bg_error *error)
{
    uint64_t unstable = 0;
    failure failed = {.status = BG_OK};
    found->points += count;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(r->threads) reduction(+ : unstable) if (count > 4096)
#endif
    for (size_t k = 0; k < count; k++) unstable += (uint64_t)fails(r, momenta, k);
    found->unstable += unstable;
    if (!unstable || !r->precise) return BG_OK;

    const bg_status status = prepare(r, error);
    if (status != BG_OK) return status;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(r->threads) if (unstable > 1)
#endif
    for (size_t k = 0; k < count; k++) {
        if (!fails(r, momenta, k) || bg_interrupted(r->plan.interrupt)) continue;
        const bg_momenta mine = momenta_from(momenta, k);
        bg_error why;
        note_failure(&failed,
                     r->precise->point(r->state, first_event + k, NULL, &mine, &me2[k],
                                       uncertainty ? &uncertainty[k] : NULL, &why),
                     &why);
    }
    if (failed.status == BG_OK) found->rescued += unstable;
    return report_failure(&failed, error);
}
