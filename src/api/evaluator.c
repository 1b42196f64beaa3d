/* Evaluators: matrix elements at given points. */
#include "base/sized.h"
#include "base/status.h"
#include "engine/evaluator.h"
#include "process/options.h"

/* Whom an evaluator asks whether to stop. */
static bg_interrupt asking(int (*asked)(void *user), void *user, double grace)
{
    return (bg_interrupt){.asked = asked, .user = user, .grace = grace};
}

/* There is no grace: half of an evaluator is of no use, and the points that wait for it would have their own. */
static bg_status create(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                        bg_purpose purpose, int (*asked)(void *user), void *user, bg_error *error)
{
    bg_options o;
    if (!evaluator) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL: no place for the result");
    *evaluator = NULL;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    bg_status status = bg_process_check_kernels(process, error);
    if (status == BG_OK) status = bg_options_adopt(&o, options, error);
    if (status != BG_OK) return status;
    bg_request request = {.process = &process->subprocess[0],
                          .options = &o,
                          .purpose = purpose,
                          .interrupt = asking(asked, user, 0.),
                          .local_rank = -1};
    if (bg_interrupted(&request.interrupt))
        return bg_fail(error, BG_ERROR_INTERRUPTED, "stopped before the evaluator was created");
    status = bg_evaluator_make(evaluator, &request, error);
    if (status == BG_OK) (*evaluator)->interrupt = asking(asked, user, BG_INTERRUPT_GRACE);
    return status;
}

bg_status bg_evaluator_create(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                              bg_error *error)
{
    return create(evaluator, process, options, BG_FOR_MATRIX_ELEMENTS, NULL, NULL, error);
}

bg_status bg_evaluator_create_stoppable(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                                        int (*asked)(void *user), void *user, bg_error *error)
{
    return create(evaluator, process, options, BG_FOR_MATRIX_ELEMENTS, asked, user, error);
}

bg_status bg_evaluator_create_for(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                                  bg_purpose purpose, int (*asked)(void *user), void *user, bg_error *error)
{
    if ((int)purpose < BG_FOR_MATRIX_ELEMENTS || purpose > BG_FOR_ESTIMATED_CROSS_SECTION)
        return bg_fail(error, BG_ERROR_ARGUMENT, "purpose is %d; it must be 0, 1 or 2", (int)purpose);
    return create(evaluator, process, options, purpose, asked, user, error);
}

void bg_evaluator_destroy(bg_evaluator *evaluator) { bg_evaluator_release(evaluator); }

bg_status bg_evaluator_evaluate(bg_evaluator *e, uint64_t first_event, size_t count, const double *momenta, double *me2,
                                double *uncertainty, bg_error *error)
{
    if (!e) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL");
    if (!count) return bg_succeed(error);
    if (!momenta || !me2) return bg_fail(error, BG_ERROR_ARGUMENT, "momenta and me2 must not be NULL");
    return bg_evaluator_run(e, first_event, count, momenta, me2, uncertainty, error);
}

bg_status bg_evaluator_evaluate_device(bg_evaluator *e, uint64_t first_event, size_t count, const double *momenta,
                                       double *me2, void *stream, bg_error *error)
{
    if (!e) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL");
    if (!e->backend->evaluate_device)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "backend '%s' takes no device pointers: use bg_evaluator_evaluate(), or a backend with devices",
                       e->backend->name);
    if (!count) return bg_succeed(error);
    if (!momenta || !me2) return bg_fail(error, BG_ERROR_ARGUMENT, "momenta and me2 must not be NULL");
    const bg_momenta m = bg_evaluator_momenta(e, momenta);
    bg_interrupt_reset(&e->interrupt);
    const bg_status status = e->backend->evaluate_device(e->state, first_event, count, &m, me2, stream, error);
    return bg_evaluator_unless_stopped(e, status, count, error);
}

bg_status bg_evaluator_interrupt(bg_evaluator *e, int (*asked)(void *user), void *user, bg_error *error)
{
    if (!e) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL");
    e->interrupt = asking(asked, user, BG_INTERRUPT_GRACE);
    return bg_succeed(error);
}

bg_status bg_evaluator_stability(const bg_evaluator *e, bg_stability *stability, bg_error *error)
{
    if (!e) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL");
    const bg_status status = bg_sized_write(stability, &e->stability, sizeof e->stability, "stability", error);
    return status == BG_OK ? bg_succeed(error) : status;
}

bg_status bg_evaluator_memory(const bg_evaluator *e, bg_memory *memory, bg_error *error)
{
    if (!e) return bg_fail(error, BG_ERROR_ARGUMENT, "evaluator is NULL");
    const bg_status status = bg_sized_write(memory, &e->memory, sizeof e->memory, "memory", error);
    return status == BG_OK ? bg_succeed(error) : status;
}

bg_status bg_memory_needed(const bg_process *process, const bg_options *options, bg_memory *memory, bg_error *error)
{
    bg_options o;
    bg_plan plan;
    bg_memory needed;
    const bg_backend *backend;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    bg_status status = bg_process_check_kernels(process, error);
    if (status == BG_OK) status = bg_options_adopt(&o, options, error);
    const bg_request request = {
        .process = &process->subprocess[0], .options = &o, .purpose = BG_FOR_CROSS_SECTION, .local_rank = -1};
    bg_memory_init(&needed);
    if (status == BG_OK) status = bg_sized_check(memory, "memory", error);
    if (status == BG_OK) status = bg_request_check(&request, error);
    if (status == BG_OK) status = bg_request_backend(&request, &backend, error);
    if (status == BG_OK) status = bg_request_plan(&plan, &request, backend, NULL, error);
    if (status == BG_OK) status = backend->memory(&plan, &needed, error);
    if (status == BG_OK) status = bg_sized_write(memory, &needed, sizeof needed, "memory", error);
    return status == BG_OK ? bg_succeed(error) : status;
}

const char *bg_evaluator_backend(const bg_evaluator *e) { return e ? e->backend->name : ""; }
const char *bg_evaluator_hardware(const bg_evaluator *e) { return e ? e->hardware : ""; }
const char *bg_evaluator_note(const bg_evaluator *e) { return e ? e->note : ""; }
int bg_evaluator_threads(const bg_evaluator *e) { return e ? e->plan.options.threads : 0; }
const bg_options *bg_evaluator_options(const bg_evaluator *e) { return e ? &e->plan.options : NULL; }
