/* What benchmarks measure of the events of an integration, without the integration. */
#ifndef BG_ENGINE_INSTRUMENTS_H
#define BG_ENGINE_INSTRUMENTS_H

#include "engine/evaluator.h"
#include "engine/generator.h"

/* As bg_evaluator_time_points(). */
bg_status bg_instruments_points(bg_evaluator *evaluator, const bg_generator *generator, double coin,
                                uint64_t first_event, uint64_t count, int repetitions, double *seconds_each,
                                uint64_t *accepted, bg_error *error);

/* As bg_evaluator_time_events(); `learner`, where it is not NULL, adapts its grid to the points. */
bg_status bg_instruments_events(bg_evaluator *evaluator, const bg_generator *generator, bg_generator *learner,
                                uint64_t first_event, uint64_t count, bg_event_timing *timing, bg_error *error);

#endif
