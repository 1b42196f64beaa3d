#ifndef BG_BACKEND_CPU_CPU_H
#define BG_BACKEND_CPU_CPU_H

#include "backend/backend.h"

extern const bg_backend bg_backend_cpu;

/* ---- single points in 128-bit floats -------------------------------------------------------------------- */

/* Whether they are built in, and whether the CPU backend uses them anyway for these options. */
int bg_cpu_quad_present(void);
int bg_cpu_uses_quad(const bg_options *options);

/* Tables for a plan (whose kernel may be the fast one), which must outlive them. */
bg_status bg_cpu_quad_create(bg_plan *plan, void **state, bg_error *error);
void bg_cpu_quad_destroy(void *state);

/* What an integration has chosen for a point: its helicities, and the group that it shares colors with. */
typedef struct cpu_choice {
    uint32_t configuration;
    uint64_t group;
} cpu_choice;

/* One point. `choice` NULL: |M|^2 as bg_evaluator_evaluate() gives it; otherwise the sum behind it (times
 * plan->normalization) for that choice. Several threads may call this at a time. */
bg_status bg_cpu_quad_point(const void *state, uint64_t event, const cpu_choice *choice, const double *momenta,
                            double *me2, double *uncertainty, bg_error *error);

#endif
