#ifndef BG_BACKEND_CPU_CPU_H
#define BG_BACKEND_CPU_CPU_H

#include "backend/backend.h"

extern const bg_backend bg_backend_cpu;

/* ---- single points in 128-bit floats -------------------------------------------------------------------- */

/* Whether they are built in, and whether BLOCKGEN_SIMD has the CPU backend use them anyway. */
int bg_cpu_quad_present(void);
int bg_cpu_uses_quad(void);

/* Tables for a plan (whose kernel may be the fast one), which must outlive them. */
bg_status bg_cpu_quad_create(bg_plan *plan, void **state, bg_error *error);
void bg_cpu_quad_destroy(void *state);

/* One point. `configuration` NULL: |M|^2 as bg_evaluator_evaluate() gives it; otherwise the sum behind it (times
 * plan->normalization) for these helicities. Several threads may call this at a time. */
bg_status bg_cpu_quad_point(const void *state, uint64_t event, const uint32_t *configuration, const double *momenta,
                            double *me2, double *uncertainty, bg_error *error);

#endif
