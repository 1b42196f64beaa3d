/* The evaluator: a plan and the backend that runs it. */
#ifndef BG_ENGINE_EVALUATOR_H
#define BG_ENGINE_EVALUATOR_H

#include "backend/backend.h"
#include "engine/rescue.h"
#include "process/process.h"

struct bg_evaluator {
    bg_plan plan;
    const bg_backend *backend;
    void *state;
    bg_rescue *rescue; /* NULL: none */
    bg_interrupt interrupt;
    bg_stability stability;
    bg_memory memory;
    char hardware[128];
    char note[BG_NOTE_LENGTH];
};

/* What an evaluator is made for. */
typedef struct bg_request {
    const bg_subprocess *process;
    const bg_options *options; /* ours: of full length */
    bg_purpose purpose;
    unsigned needs;         /* BG_CAN_... that the backend must have */
    bg_interrupt interrupt; /* what the evaluator begins with */
    int shares;             /* it takes turns with others that live beside it */
    int local_rank;         /* among those that share the devices of this machine; -1: alone */
} bg_request;

/* The backend of a name; NULL and why. The first one that can run here, for "auto". */
const bg_backend *bg_backend_find(const char *name, bg_error *error);

/* The plan, with what is automatic chosen for a backend. `choice` as in engine/choice.h. */
bg_status bg_request_plan(bg_plan *plan, const bg_request *request, const bg_backend *backend, bg_choice *choice,
                          bg_error *error);

/* Whether the request can be planned at all, before any hardware is asked. */
bg_status bg_request_check(const bg_request *request, bg_error *error);

/* The backend that a request is for: the one it names, or the first that is present and has what is needed. */
bg_status bg_request_backend(const bg_request *request, const bg_backend **backend, bg_error *error);

bg_status bg_evaluator_make(bg_evaluator **evaluator, const bg_request *request, bg_error *error);
void bg_evaluator_release(bg_evaluator *evaluator);

const bg_plan *bg_evaluator_plan(const bg_evaluator *evaluator);

/* A user's array [event][leg][4] as kernels read it. */
bg_momenta bg_evaluator_momenta(const bg_evaluator *evaluator, const double *momenta);

/* Who generates points on the host, for options that may be NULL. */
bg_status bg_evaluator_generator(const bg_options *options, bg_generate **generate, bg_error *error);

/* The status of work on `count` points, unless it was cut short: then BG_ERROR_INTERRUPTED. */
bg_status bg_evaluator_unless_stopped(const bg_evaluator *evaluator, bg_status status, uint64_t count, bg_error *error);

/* As the public calls of similar names, for arguments that are known to be good. */
bg_status bg_evaluator_run(bg_evaluator *evaluator, uint64_t first_event, size_t count, const double *momenta,
                           double *me2, double *uncertainty, bg_error *error);
bg_status bg_evaluator_integrate(bg_evaluator *evaluator, const bg_batch *batch, bg_tally *tally,
                                 struct bg_histograms *histograms, bg_timing *timing, bg_error *error);

#endif
