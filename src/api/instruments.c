/* The experimental part: instruments for benchmarks. */
#include "base/status.h"
#include "engine/evaluator.h"
#include "engine/generator.h"
#include "engine/instruments.h"

static bg_status no_evaluator(bg_error *error) { return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL"); }

static bg_status lacks(const bg_evaluator *e, const char *what, bg_error *error)
{
    return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' %s", e->backend->name, what);
}

/* The instruments of its backend; NULL: none. */
static const bg_instrument *has(const bg_evaluator *e) { return e->backend->instrument; }

/* ---- matrix elements -------------------------------------------------------------------------------------------- */

bg_status bg_evaluator_time_device(bg_evaluator *e, const double *momenta, size_t count, int repetitions,
                                   double *seconds_each, bg_error *error)
{
    if (!e) return no_evaluator(error);
    if (!has(e) || !has(e)->time_device) return lacks(e, "has no clock of its own", error);
    if (!momenta || !seconds_each)
        return bg_fail(error, BG_ERROR_ARGUMENT, "momenta and seconds_each must not be NULL");
    const bg_momenta m = bg_evaluator_momenta(e, momenta);
    bg_interrupt_reset(&e->interrupt);
    const bg_status status = has(e)->time_device(e->state, &m, count, repetitions, seconds_each, error);
    return bg_evaluator_unless_stopped(e, status, count, error);
}

bg_status bg_evaluator_time_stages(bg_evaluator *e, const double *momenta, size_t count, int repetitions,
                                   bg_stages *each, bg_error *error)
{
    if (!e) return no_evaluator(error);
    if (!has(e) || !has(e)->time_stages) return lacks(e, "does not time its stages", error);
    if (repetitions > 0 && (!momenta || !each))
        return bg_fail(error, BG_ERROR_ARGUMENT, "momenta and each must not be NULL");
    const bg_momenta m = bg_evaluator_momenta(e, momenta);
    bg_interrupt_reset(&e->interrupt);
    const bg_status status = has(e)->time_stages(e->state, &m, count, repetitions, each, error);
    return bg_evaluator_unless_stopped(e, status, count, error);
}

bg_status bg_evaluator_operations(bg_evaluator *e, bg_operations *operations, bg_error *error)
{
    static const bg_operations none = {0., 0., 0, 0.};
    if (!e) return no_evaluator(error);
    if (!operations) return bg_fail(error, BG_ERROR_ARGUMENT, "operations is NULL: no place for the result");
    *operations = none;
    if (has(e) && has(e)->operations) has(e)->operations(e->state, operations);
    return bg_succeed(error);
}

bg_status bg_backend_roofline(const char *name, int device, double seconds, int (*asked)(void *user), void *user,
                              bg_roofline *roofline, bg_error *error)
{
    bg_error why = {BG_OK, ""};
    if (!name || !roofline) return bg_fail(error, BG_ERROR_ARGUMENT, "name and roofline must not be NULL");
    const bg_backend *backend = bg_backend_find(name, &why);
    if (!backend) return bg_fail(error, why.status, "%s", why.message);
    if (!backend->instrument || !backend->instrument->roofline)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "backend '%s' does not measure its limits", name);
    bg_interrupt interrupt = {.asked = asked, .user = user}; /* no grace: a part is no result */
    const bg_status status = backend->instrument->roofline(device, seconds, &interrupt, roofline, error);
    return status == BG_OK && bg_interrupt_reason_of(&interrupt)
               ? bg_fail(error, BG_ERROR_INTERRUPTED, "interrupted while the limits of '%s' were measured", name)
               : status;
}

/* ---- points and events ------------------------------------------------------------------------------------------- */

static bg_status check_pair(const bg_evaluator *e, const bg_generator *g, bg_error *error)
{
    if (!e) return no_evaluator(error);
    if (!g) return bg_fail(error, BG_ERROR_ARGUMENT, "generator is NULL");
    if (g->channel.process.n_out != e->plan.process.n_out)
        return bg_fail(error, BG_ERROR_ARGUMENT, "the generator has %d outgoing gluons, the evaluator %d",
                       g->channel.process.n_out, e->plan.process.n_out);
    return BG_OK;
}

bg_status bg_evaluator_time_points(bg_evaluator *e, const bg_generator *g, double coin, uint64_t first_event,
                                   uint64_t count, int repetitions, double *seconds_each, uint64_t *accepted,
                                   bg_error *error)
{
    const bg_status status = check_pair(e, g, error);
    if (status != BG_OK) return status;
    if (!has(e) || !has(e)->time_points) return lacks(e, "does not time its points", error);
    if (!seconds_each || !accepted)
        return bg_fail(error, BG_ERROR_ARGUMENT, "seconds_each and accepted must not be NULL");
    if (!(coin >= 0. && coin <= 1.)) return bg_fail(error, BG_ERROR_ARGUMENT, "coin is %g; it must be 0 to 1", coin);
    return bg_instruments_points(e, g, coin, first_event, count, repetitions, seconds_each, accepted, error);
}

bg_status bg_evaluator_time_events(bg_evaluator *e, const bg_generator *g, uint64_t first_event, uint64_t count,
                                   bg_event_timing *timing, bg_error *error)
{
    const bg_status status = check_pair(e, g, error);
    if (status != BG_OK) return status;
    if (!timing) return bg_fail(error, BG_ERROR_ARGUMENT, "timing is NULL: no place for the result");
    return bg_instruments_events(e, g, NULL, first_event, count, timing, error);
}

bg_status bg_generator_adapt(bg_generator *g, bg_evaluator *e, uint64_t first_event, uint64_t count,
                             bg_event_timing *timing, bg_error *error)
{
    bg_event_timing ignored;
    const bg_status status = check_pair(e, g, error);
    return status == BG_OK ? bg_instruments_events(e, g, g, first_event, count, timing ? timing : &ignored, error)
                           : status;
}
