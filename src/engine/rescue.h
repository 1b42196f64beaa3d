/* Unstable points (amplitude/stability.h) are evaluated again in 128-bit floats, with the same draws: by the backend that
 * has such floats, whoever computed the first time, so that results do not depend on it. Points for which that would take
 * minutes, and all of them where no backend has 128-bit floats, are only counted.
 */
#ifndef BG_ENGINE_RESCUE_H
#define BG_ENGINE_RESCUE_H

#include "backend/backend.h"

typedef struct bg_rescue bg_rescue;

/* For a plan as its backend has resolved it. `threads` as in the options. *rescue is NULL where nothing is to be
 * rescued: options.rescue is 0, or the backend works in 128-bit floats already. Cheap: tables are made when the first
 * unstable point comes. */
bg_status bg_rescue_create(bg_rescue **rescue, const bg_plan *plan, int threads, bg_error *error);
void bg_rescue_destroy(bg_rescue *rescue);

/* Looks at `count` points (arguments of bg_evaluator_evaluate) and replaces the results of the unstable ones. */
bg_status bg_rescue_batch(bg_rescue *rescue, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                          double *uncertainty, bg_stability *found, bg_error *error);

/* The stage of an integration, which a backend hands its unstable points to. */
const bg_rescue_stage *bg_rescue_stage_of(const bg_rescue *rescue);

#endif
