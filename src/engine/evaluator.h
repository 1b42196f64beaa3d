/* What the integrator needs of an evaluator beyond the public calls. */
#ifndef BG_ENGINE_EVALUATOR_H
#define BG_ENGINE_EVALUATOR_H

#include "backend/instrument.h"
#include "backend/plan.h"
#include "backend/batch.h"

/* As bg_evaluator_create, but helicities may also be selected point by point (adaptive, invariants). */
bg_status bg_evaluator_create_for_integration(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                                              bg_error *error);

const bg_plan *bg_evaluator_plan(const bg_evaluator *evaluator);

bg_status bg_evaluator_integrate(bg_evaluator *evaluator, const bg_batch *batch, bg_tally *tally,
                                 struct bg_histograms *histograms, bg_timing *timing, bg_error *error);

/* Times `repetitions` evaluations of the same points by the clock of the backend, without copies (see time_device in
 * backend/backend.h). BG_ERROR_UNSUPPORTED where the backend has none: take the time of bg_evaluator_evaluate. */
bg_status bg_evaluator_time_device(bg_evaluator *evaluator, const double *momenta, size_t count, int repetitions,
                                   double *seconds_each, bg_error *error);

/* As the calls of the same names in backend/backend.h; BG_ERROR_UNSUPPORTED where the backend has none. */
bg_status bg_evaluator_time_stages(bg_evaluator *evaluator, const double *momenta, size_t count, int repetitions,
                                   bg_stages *each, bg_error *error);
bg_status bg_evaluator_time_points(bg_evaluator *evaluator, const bg_batch *batch, int repetitions, double *seconds_each,
                                   uint64_t *accepted, bg_error *error);
bg_operations bg_evaluator_operations(bg_evaluator *evaluator);
bg_status bg_backend_roofline(const char *name, int device, double seconds, bg_roofline *roofline, bg_error *error);

#endif
