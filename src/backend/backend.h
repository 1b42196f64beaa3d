/* What a backend answers: can you run here, can you run this plan, how much memory does it take,
 * run it. Nothing outside src/backend knows a backend by name.
 */
#ifndef BG_BACKEND_BACKEND_H
#define BG_BACKEND_BACKEND_H

#include "core/plan.h"

typedef struct bg_backend bg_backend;

struct bg_backend {
    const char *name;

    /* Can this backend run here? Describes the hardware, or says why not. */
    bg_status (*probe)(char *description, size_t size, bg_error *error);

    /* Memory that a plan needs, before anything is allocated; the backend chooses the batch. */
    bg_status (*memory)(const bg_plan *plan, bg_memory *memory, bg_error *error);

    /* Tables and workspace for a plan. The plan outlives the state; the backend may resolve options
     * in it (threads, device). */
    bg_status (*create)(bg_plan *plan, void **state, bg_error *error);

    /* The sum behind |M|^2 (times plan->normalization) of `count` events; see bg_evaluator_evaluate. */
    bg_status (*evaluate)(void *state, uint64_t first_event, size_t count, const double *momenta, double *me2,
                          double *uncertainty, bg_error *error);

    void (*destroy)(void *state);
};

/* The backends that are built in, best first; NULL ends the list. */
extern const bg_backend *const bg_backends[];

#endif
