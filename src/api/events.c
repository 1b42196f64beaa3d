/* Events: color flows, and whole events. */
#include "base/sized.h"
#include "base/status.h"
#include "events/flow.h"
#include "events/generate.h"
#include "process/options.h"
#include "process/process.h"

bg_status bg_flow_create(bg_flow **flow, const bg_process *process, int k, bg_error *error)
{
    if (!flow) return bg_fail(error, BG_ERROR_ARGUMENT, "flow is NULL: no place for the result");
    *flow = NULL;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    if (k < 0 || k >= process->count)
        return bg_fail(error, BG_ERROR_ARGUMENT, "class %d; it must be 0 to %d", k, process->count - 1);
    return bg_flow_make(flow, &process->subprocess[k], error);
}

int bg_flow_is_exact(const bg_flow *flow, int helicities_given)
{
    return flow ? bg_flow_enumerates(flow, helicities_given) : 0;
}

void bg_flow_destroy(bg_flow *flow) { bg_flow_release(flow); }

bg_status bg_flow_draw(bg_flow *flow, const int *pdg, const double *momenta, const char *helicities, uint64_t seed,
                       uint64_t event, int *color, bg_error *error)
{
    if (!flow) return bg_fail(error, BG_ERROR_ARGUMENT, "flow is NULL");
    if (!momenta || !color) return bg_fail(error, BG_ERROR_ARGUMENT, "momenta and color must not be NULL");
    const bg_flow_point point = {pdg, momenta, helicities, seed, event, color};
    const bg_status status = bg_flow_draw_some(flow, 1, &point, error);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* ---- whole events ------------------------------------------------------------------------------------------------------ */

void bg_generation_init(bg_generation *g)
{
    if (!g) return;
    *g = (bg_generation){.size = sizeof *g, .events = 1000, .overweight = 1e-3};
}

static bg_status check_generation(const bg_generation *g, const bg_integration *w, bg_error *error)
{
    if (g->events < 1 || g->events > 1000000000000000u)
        return bg_fail(error, BG_ERROR_ARGUMENT, "events is %llu; it must be 1 to 1e15", (unsigned long long)g->events);
    if (!(g->overweight >= 0. && g->overweight <= 0.5))
        return bg_fail(error, BG_ERROR_ARGUMENT, "overweight is %g; it must be 0 to 0.5", g->overweight);
    if (w->seconds > 0.)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "seconds is %g; events need a goal that can be repeated, precision or points", w->seconds);
    if (w->checkpoint || w->resume || w->histograms || w->receive)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "checkpoints, histograms and delivered points of an integration do not go with events");
    return BG_OK;
}

/* The whole question, checked. */
typedef struct event_question {
    bg_options options;
    bg_integration integration;
    bg_generation generation;
    const bg_generation *caller;
} event_question;

static bg_status read_question(event_question *q, const bg_process *process, const bg_options *options,
                               const bg_integration *integration, const bg_generation *generation, bg_error *error)
{
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    if (!generation) return bg_fail(error, BG_ERROR_ARGUMENT, "generation is NULL");
    q->caller = generation;
    bg_generation_init(&q->generation);
    bg_status status = bg_options_adopt(&q->options, options, error);
    if (status == BG_OK) status = bg_integration_adopt(&q->integration, integration, error);
    if (status == BG_OK) status = bg_sized_read(&q->generation, sizeof q->generation, generation, "generation", error);
    return status == BG_OK ? check_generation(&q->generation, &q->integration, error) : status;
}

/* Callbacks go through our copy of the struct to the caller's, whose `begin` may set `skip` and `used` there. */
static int begin(const bg_generation_result *result, void *user)
{
    event_question *q = user;
    const int stop = q->caller->begin(result, q->caller->user);
    q->generation.skip = q->caller->skip;
    q->generation.used = q->caller->used;
    return stop;
}

static int receive(const bg_event *event, size_t count, void *user)
{
    const event_question *q = user;
    return q->caller->receive(event, count, q->caller->user);
}

bg_status bg_events_generate(const bg_process *process, const bg_options *options, const bg_integration *integration,
                             const bg_generation *generation, bg_generation_result *result, bg_error *error)
{
    event_question q;
    bg_generation_result own;
    bg_status status = bg_sized_check(result, "generation_result", error);
    if (status == BG_OK) status = read_question(&q, process, options, integration, generation, error);
    if (status != BG_OK) return status;
    if (!q.generation.receive)
        return bg_fail(error, BG_ERROR_ARGUMENT, "generation.receive is NULL: nobody takes the events");
    if (q.generation.begin) q.generation.begin = begin;
    q.generation.receive = receive;
    q.generation.user = &q;
    bg_generation_result_init(&own);
    status = bg_generation_run(process, &q.options, &q.integration, &q.generation, &own, error);
    (void)bg_sized_write(result, &own, sizeof own, "generation_result", NULL);
    return status;
}

/* ---- events once more ------------------------------------------------------------------------------------------------------ */

bg_status bg_event_run_create(bg_event_run **run, const bg_process *process, const bg_options *options,
                              const bg_integration *integration, const bg_generation *generation, bg_error *error)
{
    event_question q;
    if (!run) return bg_fail(error, BG_ERROR_ARGUMENT, "run is NULL: no place for the result");
    *run = NULL;
    bg_status status = read_question(&q, process, options, integration, generation, error);
    if (status == BG_OK && q.integration.communicator)
        status = bg_fail(error, BG_ERROR_UNSUPPORTED, "events are made again by one rank, without a communicator");
    return status == BG_OK ? bg_event_run_open(run, process, &q.options, &q.integration, &q.generation, error) : status;
}

bg_status bg_event_run_make(bg_event_run *run, int k, uint64_t number, bg_event *event, bg_event_origin *origin,
                            bg_error *error)
{
    if (!run || !event || !origin) return bg_fail(error, BG_ERROR_ARGUMENT, "run, event and origin must not be NULL");
    bg_event_origin own;
    bg_event_origin_init(&own);
    bg_status status = bg_sized_check(origin, "event_origin", error);
    if (status == BG_OK) status = bg_event_run_again(run, k, number, event, &own, error);
    return status == BG_OK ? bg_sized_write(origin, &own, sizeof own, "event_origin", error) : status;
}

void bg_event_run_destroy(bg_event_run *run) { bg_event_run_close(run); }
