/* Unstable points (amplitude/stability.h) are evaluated again in 128-bit floats, with the same draws: on the CPU,
 * whatever the backend, so that results do not depend on who computed the first time. Points for which that would take
 * minutes, and all of them where the compiler has no 128-bit floats, are only counted.
 */
#ifndef BG_ENGINE_RESCUE_H
#define BG_ENGINE_RESCUE_H

#include "amplitude/stability.h"
#include "backend/plan.h"
#include "accumulate/tally.h"

typedef struct bg_rescue bg_rescue;

/* For a plan as its backend has resolved it. `threads` as in the options. *rescue is NULL where nothing is to be
 * rescued: options.rescue is 0, or the backend works in 128-bit floats already. Cheap: tables are made when the first
 * unstable point comes. */
bg_status bg_rescue_create(bg_rescue **rescue, const bg_plan *plan, int threads, bg_error *error);
void bg_rescue_destroy(bg_rescue *rescue);

/* Whether unstable points are evaluated again, or only counted. */
int bg_rescue_works(const bg_rescue *rescue);

/* Looks at `count` points (arguments of bg_evaluator_evaluate) and replaces the results of the unstable ones. */
bg_status bg_rescue_batch(bg_rescue *rescue, uint64_t first_event, size_t count, const double *momenta, double *me2,
                          double *uncertainty, bg_stability *found, bg_error *error);

/* The same for points of an integration, of given helicities and groups that share colors; `sum` is |M|^2 without
 * plan->normalization. Several threads may call this at a time, each with its own tally. */
bg_status bg_rescue_block(bg_rescue *rescue, int count, const double *momenta, const uint64_t *event,
                          const uint64_t *group, const uint32_t *configuration, double *sum, bg_tally *tally,
                          bg_error *error);

/* One point that is known to be unstable, where bg_rescue_works(). */
bg_status bg_rescue_point(bg_rescue *rescue, const double *momenta, uint64_t event, uint64_t group,
                          uint32_t configuration, double *sum, bg_error *error);

#endif
