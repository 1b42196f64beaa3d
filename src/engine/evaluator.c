/* The evaluator: a plan and the backend that runs it. */
#include "amplitude/stability.h"
#include "backend/backend.h"
#include "process/process.h"
#include "engine/choice.h"
#include "engine/evaluator.h"
#include "engine/rescue.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bg_evaluator {
    bg_plan plan;
    const bg_backend *backend;
    void *state;
    bg_rescue *rescue; /* NULL: none */
    bg_stability stability;
    bg_memory memory;
    char hardware[128];
    char note[BG_NOTE_LENGTH];
};

const char *bg_backend_name(int k)
{
    for (int i = 0; bg_backends[i]; i++)
        if (i == k) return bg_backends[i]->name;
    return NULL;
}

static const bg_backend *find_backend(const char *name)
{
    for (int i = 0; bg_backends[i]; i++)
        if (!strcmp(bg_backends[i]->name, name)) return bg_backends[i];
    return NULL;
}

static bg_status unknown_backend(const char *name, bg_error *error)
{
    if (!strcmp(name, "cuda"))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "backend 'cuda' is not built in; configure with CMake where nvcc is found");
    return bg_fail(error, BG_ERROR_ARGUMENT, "unknown backend '%s'; it must be auto, cpu or cuda", name);
}

bg_status bg_backend_probe(const char *name, char *description, size_t size, bg_error *error)
{
    if (!name || !description || !size)
        return bg_fail(error, BG_ERROR_ARGUMENT, "name and description must not be NULL, size not 0");
    const bg_backend *backend = find_backend(name);
    if (!backend) return unknown_backend(name, error);
    return backend->probe(description, size, error);
}

/* What an evaluator is made for. */
typedef struct request {
    const bg_process *process;
    const bg_options *options;
    bg_wish wish;
} request;

/* The plan, with what is automatic chosen for a backend. */
static bg_status make_plan(bg_plan *plan, const request *r, const char *backend, bg_error *error)
{
    bg_options o = *r->options;
    bg_options_resolve(&o, r->process->subprocess[0].n_out, backend, r->wish);
    return bg_plan_create(plan, &r->process->subprocess[0], &o, error);
}

/* Makes the state of a backend that can run here. */
static bg_status start_backend(bg_evaluator *e, const request *r, bg_error *error)
{
    const bg_plan asked = e->plan;
    bg_status status = e->backend->probe(e->hardware, sizeof e->hardware, error);
    if (status == BG_OK && bg_options_automatic(r->options)) status = make_plan(&e->plan, r, e->backend->name, error);
    if (status != BG_OK) return status;
    strcpy(e->plan.options.backend, e->backend->name);
    status = e->backend->create(&e->plan, &e->state, error);
    if (status != BG_OK) e->plan = asked; /* as if nothing had been tried */
    if (status == BG_OK && e->backend->describe) e->backend->describe(e->state, e->hardware, sizeof e->hardware);
    return status;
}

/* Starts the backend that was asked for, or the first that can run the plan here; says so where that is not the best. */
static bg_status choose_backend(bg_evaluator *e, const request *r, bg_error *error)
{
    char wanted[sizeof e->plan.options.backend];
    memcpy(wanted, e->plan.options.backend, sizeof wanted);
    wanted[sizeof wanted - 1] = '\0';
    if (strcmp(wanted, "auto") && wanted[0]) {
        e->backend = find_backend(wanted);
        if (!e->backend) return unknown_backend(wanted, error);
        return start_backend(e, r, error);
    }
    for (int i = 0;; i++) {
        bg_error why;
        e->backend = bg_backends[i];
        const bg_status status = start_backend(e, r, &why);
        /* a wrong option is wrong on every backend */
        if (status == BG_OK || status == BG_ERROR_ARGUMENT || !bg_backends[i + 1])
            return status == BG_OK ? BG_OK : bg_fail(error, status, "%s", why.message);
        snprintf(e->note, sizeof e->note, "running on %s: %.200s", bg_backends[i + 1]->name, why.message);
    }
}

static bg_status create(bg_evaluator **evaluator, const request *r, bg_error *error)
{
    if (!evaluator) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL: no place for the result");
    *evaluator = NULL;
    if (!r->process || !r->options) return bg_fail(error, BG_ERROR_ARGUMENT, "process and options must not be NULL");
    bg_evaluator *e = calloc(1, sizeof *e);
    if (!e) return bg_fail(error, BG_ERROR_MEMORY, "no memory for an evaluator");
    bg_status status = make_plan(&e->plan, r, "cpu", error); /* whether it makes sense, before any hardware is asked */
    if (status == BG_OK) status = choose_backend(e, r, error);
    if (status == BG_OK) status = e->backend->memory(&e->plan, &e->memory, error);
    if (status == BG_OK) status = bg_rescue_create(&e->rescue, &e->plan, r->options->threads, error);
    if (status != BG_OK) {
        bg_evaluator_destroy(e);
        return status;
    }
    *evaluator = e;
    return bg_succeed(error);
}

bg_status bg_evaluator_create_for_integration(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                                              bg_error *error)
{
    const request r = {process, options, BG_WISH_CROSS_SECTION};
    return create(evaluator, &r, error);
}

bg_status bg_evaluator_create(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                              bg_error *error)
{
    const request r = {process, options, BG_WISH_MATRIX_ELEMENT};
    bg_status status = create(evaluator, &r, error);
    if (status == BG_OK && bg_plan_selects_helicities(&(*evaluator)->plan)) {
        bg_evaluator_destroy(*evaluator);
        *evaluator = NULL;
        status = bg_fail(error, BG_ERROR_UNSUPPORTED,
                         "adaptive and invariants helicity sampling learn while integrating; for matrix elements use angle, "
                         "phase, linear or circular");
    }
    return status;
}

const bg_plan *bg_evaluator_plan(const bg_evaluator *e) { return &e->plan; }

/* Who generates points on the host for a device. */
static bg_status find_generator(const bg_options *options, bg_generate **generate, bg_error *error)
{
    for (int k = 0; bg_backends[k]; k++)
        if (bg_backends[k]->generator) return bg_backends[k]->generator(options, generate, error);
    return bg_fail(error, BG_ERROR_UNSUPPORTED, "a hybrid integration needs a backend that generates points on the host");
}

/* The user's array [event][leg][4] as kernels read it. */
static bg_momenta momenta_of(const bg_evaluator *e, const double *momenta)
{
    const bg_subprocess *s = &e->plan.process;
    bg_momenta m = {.at = momenta, .event = 4 * (size_t)s->n, .component = 1, .incoming = s->incoming};
    memcpy(m.row, s->leg, sizeof m.row);
    return m;
}

bg_status bg_evaluator_integrate(bg_evaluator *e, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                                 bg_timing *timing, bg_error *error)
{
    if (!e->backend->integrate)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' does not integrate; use another one", e->backend->name);
    const uint64_t unit = bg_deal_unit(e->plan.group);
    if (batch->first_event % unit)
        return bg_fail(error, BG_ERROR_ARGUMENT, "a batch of points that share colors starts at event %llu; it must be a multiple of %llu",
                       (unsigned long long)batch->first_event, (unsigned long long)unit);
    bg_batch watched = *batch;
    if (e->rescue && !stability_guaranteed(batch->channel->beams.sqrts, &batch->channel->cuts))
        watched.rescue = bg_rescue_stage_of(e->rescue);
    const bg_status status = batch->hybrid ? find_generator(&e->plan.options, &watched.generate, error) : BG_OK;
    if (status != BG_OK) return status;
    return e->backend->integrate(e->state, &watched, tally, histograms, timing, error);
}

bg_status bg_evaluator_time_device(bg_evaluator *e, const double *momenta, size_t count, int repetitions,
                                   double *seconds_each, bg_error *error)
{
    const bg_instrument *i = e->backend->instrument;
    if (!i || !i->time_device)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' has no clock of its own", e->backend->name);
    const bg_momenta m = momenta_of(e, momenta);
    return i->time_device(e->state, &m, count, repetitions, seconds_each, error);
}

bg_status bg_evaluator_time_stages(bg_evaluator *e, const double *momenta, size_t count, int repetitions,
                                   bg_stages *each, bg_error *error)
{
    const bg_instrument *i = e->backend->instrument;
    if (!i || !i->time_stages)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' does not time its stages", e->backend->name);
    const bg_momenta m = momenta_of(e, momenta);
    return i->time_stages(e->state, &m, count, repetitions, each, error);
}

bg_status bg_evaluator_time_points(bg_evaluator *e, const bg_batch *batch, int repetitions, double *seconds_each,
                                   uint64_t *accepted, bg_error *error)
{
    const bg_instrument *i = e->backend->instrument;
    if (!i || !i->time_points)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' does not time its points", e->backend->name);
    return i->time_points(e->state, batch, repetitions, seconds_each, accepted, error);
}

bg_operations bg_evaluator_operations(bg_evaluator *e)
{
    bg_operations o = {0., 0., 0, 0.};
    if (e->backend->instrument && e->backend->instrument->operations) e->backend->instrument->operations(e->state, &o);
    return o;
}

bg_status bg_backend_roofline(const char *name, int device, double seconds, bg_roofline *roofline, bg_error *error)
{
    const bg_backend *backend = find_backend(name);
    if (!backend) return unknown_backend(name, error);
    if (!backend->instrument || !backend->instrument->roofline)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' does not measure its limits", name);
    return backend->instrument->roofline(device, seconds, roofline, error);
}

bg_status bg_evaluator_evaluate(bg_evaluator *e, uint64_t first_event, size_t count, const double *momenta, double *me2,
                                double *uncertainty, bg_error *error)
{
    if (!e) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL");
    if (!count) return bg_succeed(error);
    if (!momenta || !me2) return bg_fail(error, BG_ERROR_ARGUMENT, "momenta and me2 must not be NULL");
    const bg_momenta m = momenta_of(e, momenta);
    const bg_status status = e->backend->evaluate(e->state, first_event, count, &m, me2, uncertainty, error);
    if (status != BG_OK || !e->rescue) return status;
    return bg_rescue_batch(e->rescue, first_event, count, &m, me2, uncertainty, &e->stability, error);
}

bg_stability bg_evaluator_stability(const bg_evaluator *e) { return e->stability; }

bg_status bg_evaluator_evaluate_device(bg_evaluator *e, uint64_t first_event, size_t count, const double *momenta,
                                       double *me2, void *stream, bg_error *error)
{
    if (!e) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL");
    if (!e->backend->evaluate_device)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "backend '%s' takes no device pointers: use bg_evaluator_evaluate(), or backend 'cuda'",
                       e->backend->name);
    if (!count) return bg_succeed(error);
    if (!momenta || !me2) return bg_fail(error, BG_ERROR_ARGUMENT, "momenta and me2 must not be NULL");
    const bg_momenta m = momenta_of(e, momenta);
    return e->backend->evaluate_device(e->state, first_event, count, &m, me2, stream, error);
}

bg_memory bg_evaluator_memory(const bg_evaluator *e) { return e->memory; }
const char *bg_evaluator_backend(const bg_evaluator *e) { return e->backend->name; }
const char *bg_evaluator_hardware(const bg_evaluator *e) { return e->hardware; }
const char *bg_evaluator_note(const bg_evaluator *e) { return e->note; }
int bg_evaluator_threads(const bg_evaluator *e) { return e->plan.options.threads; }
const bg_options *bg_evaluator_options(const bg_evaluator *e) { return &e->plan.options; }

void bg_evaluator_destroy(bg_evaluator *e)
{
    if (!e) return;
    bg_rescue_destroy(e->rescue);
    if (e->state) e->backend->destroy(e->state);
    free(e);
}
