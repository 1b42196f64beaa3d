#include "engine/evaluator.h"
#include "engine/plan.h"
#include "amplitude/stability.h"
#include "engine/choice.h"
#include "base/status.h"
#include "base/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- backends -------------------------------------------------------------------------------------------------- */

const bg_backend *bg_backend_find(const char *name, bg_error *error)
{
    for (int i = 0; bg_backends[i]; i++)
        if (!strcmp(bg_backends[i]->name, name)) return bg_backends[i];
    if (!strcmp(name, "cuda"))
        bg_fail(error, BG_ERROR_UNSUPPORTED,
                "backend 'cuda' is not built in; configure with CMake where nvcc is found");
    else
        bg_fail(error, BG_ERROR_ARGUMENT, "unknown backend '%s'; it must be auto, cpu or cuda", name);
    return NULL;
}

/* The name in the options, which may lack an end; "" where any will do. */
static void wanted_backend(const bg_options *o, char name[sizeof o->backend])
{
    memcpy(name, o->backend, sizeof o->backend);
    name[sizeof o->backend - 1] = '\0';
    if (!strcmp(name, "auto")) name[0] = '\0';
}

/* Whether a backend has all that is needed. */
static bg_status check_needs(const bg_backend *backend, const bg_request *r, bg_error *error)
{
    static const struct {
        unsigned flag;
        const char *what;
    } words[] = {{BG_CAN_DELIVER_POINTS, "hand out points (integration.receive)"},
                 {BG_CAN_USE_QUAD, "work in 128-bit floats"}};
    const unsigned missing =
        (r->needs | (r->options->floats == BG_FLOATS_QUAD ? BG_CAN_USE_QUAD : 0u)) & ~backend->capabilities;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (missing & words[k].flag)
            return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' does not %s", backend->name, words[k].what);
    return BG_OK;
}

bg_status bg_request_backend(const bg_request *r, const bg_backend **backend, bg_error *error)
{
    char wanted[sizeof r->options->backend], description[128];
    bg_status status = BG_OK;
    wanted_backend(r->options, wanted);
    if (wanted[0]) {
        bg_error why = {BG_OK, ""};
        *backend = bg_backend_find(wanted, &why);
        return *backend ? BG_OK : bg_fail(error, why.status, "%s", why.message);
    }
    for (int i = 0; bg_backends[i]; i++) {
        *backend = bg_backends[i];
        status = check_needs(*backend, r, error);
        if (status == BG_OK) status = (*backend)->probe(description, sizeof description, error);
        if (status == BG_OK) return BG_OK;
    }
    return status;
}

/* ---- plans ----------------------------------------------------------------------------------------------------- */

bg_status bg_request_plan(bg_plan *plan, const bg_request *r, const bg_backend *backend, bg_choice *choice,
                          bg_error *error)
{
    bg_options o = *r->options;
    bg_choice_make(&o, r->process, backend, r->purpose, choice);
    const bg_status status = bg_plan_create(plan, r->process, &o, error);
    const int chooses =
        plan->options.helicity == BG_HELICITY_SAMPLED && plan->options.helicity_sampling >= BG_SAMPLE_ADAPTIVE;
    if (status == BG_OK && r->purpose == BG_FOR_MATRIX_ELEMENTS && chooses)
        return bg_fail(
            error, BG_ERROR_UNSUPPORTED,
            "helicity sampling adaptive, invariants or masses is for integrating; for matrix elements use angle, "
            "phase, linear or circular");
    return status;
}

/* The last backend, which can run anywhere, stands for all. */
bg_status bg_request_check(const bg_request *r, bg_error *error)
{
    bg_plan plan;
    int last = 0;
    while (bg_backends[last + 1]) last++;
    return bg_request_plan(&plan, r, bg_backends[last], NULL, error);
}

/* ---- evaluators ------------------------------------------------------------------------------------------------- */

/* Ranks that share the devices of a machine take turns. */
static bg_status choose_device(bg_evaluator *e, const bg_request *r, bg_error *error)
{
    int count = 1;
    if (r->local_rank < 0 || e->plan.options.device >= 0 || !e->backend->devices) return BG_OK;
    const bg_status status = e->backend->devices(&count, error);
    if (status == BG_OK) e->plan.options.device = r->local_rank % (count > 0 ? count : 1);
    return status;
}

/* Makes the state of a backend that can run here. */
static bg_status start_backend(bg_evaluator *e, const bg_request *r, bg_error *error)
{
    bg_status status = check_needs(e->backend, r, error);
    if (status == BG_OK) status = e->backend->probe(e->hardware, sizeof e->hardware, error);
    if (status == BG_OK) status = bg_request_plan(&e->plan, r, e->backend, NULL, error);
    if (status == BG_OK) status = choose_device(e, r, error);
    if (status != BG_OK) return status;
    e->interrupt = r->interrupt;
    e->plan.interrupt = &e->interrupt;
    e->plan.shares = r->shares;
    snprintf(e->plan.options.backend, sizeof e->plan.options.backend, "%s", e->backend->name);
    status = e->backend->create(&e->plan, &e->state, error);
    if (status == BG_OK && e->backend->describe) e->backend->describe(e->state, e->hardware, sizeof e->hardware);
    return status;
}

/* Starts the backend that was asked for, or the first that can run the plan here; says so where that is not the best. */
static bg_status choose_backend(bg_evaluator *e, const bg_request *r, bg_error *error)
{
    char wanted[sizeof r->options->backend];
    wanted_backend(r->options, wanted);
    if (wanted[0]) {
        const bg_status status = bg_request_backend(r, &e->backend, error);
        return status == BG_OK ? start_backend(e, r, error) : status;
    }
    for (int i = 0;; i++) {
        bg_error why = {BG_OK, ""};
        e->backend = bg_backends[i];
        const bg_status status = start_backend(e, r, &why);
        /* a wrong option is wrong on every backend, and who was told to stop does not try the next */
        const int final = status == BG_OK || status == BG_ERROR_ARGUMENT || status == BG_ERROR_INTERRUPTED;
        if (final || !bg_backends[i + 1]) return status == BG_OK ? BG_OK : bg_fail(error, status, "%s", why.message);
        snprintf(e->note, sizeof e->note, "running on %s: %.200s", bg_backends[i + 1]->name, why.message);
    }
}

bg_status bg_evaluator_make(bg_evaluator **evaluator, const bg_request *r, bg_error *error)
{
    bg_evaluator *e = calloc(1, sizeof *e);
    if (!e) return bg_fail(error, BG_ERROR_MEMORY, "no memory for an evaluator");
    bg_status status = bg_request_check(r, error); /* whether it makes sense, before any hardware is asked */
    if (status == BG_OK) status = bg_threads_check(r->options->threads, error);
    if (status == BG_OK) status = choose_backend(e, r, error);
    if (status == BG_OK) status = e->backend->memory(&e->plan, &e->memory, error);
    if (status == BG_OK) status = bg_rescue_create(&e->rescue, &e->plan, r->options->threads, error);
    if (status != BG_OK) {
        bg_evaluator_release(e);
        return status;
    }
    *evaluator = e;
    return bg_succeed(error);
}

void bg_evaluator_release(bg_evaluator *e)
{
    if (!e) return;
    bg_rescue_destroy(e->rescue);
    if (e->state) e->backend->destroy(e->state);
    free(e);
}

const bg_plan *bg_evaluator_plan(const bg_evaluator *e) { return &e->plan; }

/* ---- runs --------------------------------------------------------------------------------------------------------- */

bg_momenta bg_evaluator_momenta(const bg_evaluator *e, const double *momenta)
{
    const bg_subprocess *s = &e->plan.process;
    return momenta_view(momenta, 4 * (size_t)s->n, 1, s->incoming, s->leg);
}

bg_status bg_evaluator_unless_stopped(const bg_evaluator *e, bg_status status, uint64_t count, bg_error *error)
{
    return status == BG_OK && bg_interrupt_reason_of(&e->interrupt)
               ? bg_fail(error, BG_ERROR_INTERRUPTED, "interrupted while %" PRIu64 " points were evaluated", count)
               : status;
}

bg_status bg_evaluator_run(bg_evaluator *e, uint64_t first_event, size_t count, const double *momenta, double *me2,
                           double *uncertainty, bg_error *error)
{
    const bg_momenta m = bg_evaluator_momenta(e, momenta);
    bg_interrupt_reset(&e->interrupt);
    bg_status status = e->backend->evaluate(e->state, first_event, count, &m, me2, uncertainty, error);
    if (status == BG_OK && e->rescue && !bg_interrupt_reason_of(&e->interrupt))
        status = bg_rescue_batch(e->rescue, first_event, count, &m, me2, uncertainty, &e->stability, error);
    return bg_evaluator_unless_stopped(e, status, count, error);
}

bg_status bg_evaluator_generator(const bg_options *options, bg_generate **generate, bg_error *error)
{
    for (int k = 0; bg_backends[k]; k++)
        if (bg_backends[k]->generator) return bg_backends[k]->generator(options, generate, error);
    return bg_fail(error, BG_ERROR_UNSUPPORTED, "no backend generates points on the host");
}

bg_status bg_evaluator_integrate(bg_evaluator *e, const bg_batch *batch, bg_tally *tally,
                                 struct bg_histograms *histograms, bg_timing *timing, bg_error *error)
{
    if (!e->backend->integrate)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' does not integrate; use another one",
                       e->backend->name);
    const uint64_t unit = bg_deal_unit(e->plan.group);
    if (batch->first_event % unit)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "a batch of points that share colors starts at event %llu; it must be a multiple of %llu",
                       (unsigned long long)batch->first_event, (unsigned long long)unit);
    bg_batch watched = *batch;
    if (e->rescue && !stability_guaranteed(batch->channel->beams.sqrts, &batch->channel->cuts))
        watched.rescue = bg_rescue_stage_of(e->rescue);
    const bg_status status = batch->hybrid ? bg_evaluator_generator(&e->plan.options, &watched.generate, error) : BG_OK;
    if (status != BG_OK) return status;
    return e->backend->integrate(e->state, &watched, tally, histograms, timing, error);
}
