/* What points cost, in floating-point operations: counted, not measured, and the same for all backends, so that what follows from
 * it is a function of the question. Good to a factor of two or so, which is enough to share points out. */
#ifndef BG_ENGINE_COST_H
#define BG_ENGINE_COST_H

#include "backend/plan.h"
#include "estimate/learned.h"

#define BG_TRIAL_COST 2e3 /* of a trial point besides |M|^2 */
#define BG_PROTON_TRIAL_COST                                                                                           \
    2e4 /* ... with parton densities, which take more time than operations: what events go by */

/* One |M|^2 of a plan. */
double bg_exact_cost(const bg_plan *plan);

/* One estimate of it. */
double bg_estimate_cost(const estimate_plan *plan);

/* ... and of its learned factor, of a sieve that has one. */
double bg_factor_cost(const estimate_plan *plan);

#endif
