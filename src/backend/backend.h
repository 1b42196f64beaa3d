/* What a backend answers: can you run here, what can you do, how much memory does a plan take, run it. Nothing outside
 * src/backend knows a backend by name: who needs to know something asks for a capability.
 */
#ifndef BG_BACKEND_BACKEND_H
#define BG_BACKEND_BACKEND_H

#include "backend/batch.h"
#include "backend/instrument.h"
#include "backend/plan.h"

/* What an integration has chosen for a point: its helicities, and the group that it shares colors with. */
typedef struct bg_drawn {
    uint32_t configuration;
    uint64_t group;
} bg_drawn;

/* Single points in 128-bit floats, for who can evaluate them. */
typedef struct bg_precise {
    /* Tables for a plan (whose kernel may be the fast one), which must outlive them. */
    bg_status (*create)(bg_plan *plan, void **state, bg_error *error);
    void (*destroy)(void *state);

    /* Event 0 of `momenta` as event number `event`. `choice` NULL: |M|^2 as bg_evaluator_evaluate() gives it; otherwise
     * the sum behind it (times plan->normalization) for that choice. Several threads may call this at a time. */
    bg_status (*point)(const void *state, uint64_t event, const bg_drawn *choice, const bg_momenta *momenta,
                       double *me2, double *uncertainty, bg_error *error);
} bg_precise;

typedef struct bg_backend bg_backend;

struct bg_backend {
    const char *name;
    unsigned capabilities; /* BG_CAN_... of the public header */

    /* Can this backend run here? Describes the hardware, or says why not. */
    bg_status (*probe)(char *description, size_t size, bg_error *error);

    /* How many devices there are that plan->options.device may name. */
    bg_status (*devices)(int *count, bg_error *error);

    /* Memory that a plan needs, before anything is allocated; the backend chooses the batch. */
    bg_status (*memory)(const bg_plan *plan, bg_memory *memory, bg_error *error);

    /* Tables and workspace for a plan, on one device. The plan outlives the state; the backend may resolve options in
     * it (threads, device). */
    bg_status (*create)(bg_plan *plan, void **state, bg_error *error);

    /* |M|^2 of `count` events on the host; see bg_evaluator_evaluate. */
    bg_status (*evaluate)(void *state, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                          double *uncertainty, bg_error *error);

    /* Generates, cuts, evaluates and adds up the trial points of a batch: tally, timing and, where it is not
     * NULL, histograms are added to. */
    bg_status (*integrate)(void *state, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                           bg_timing *timing, bg_error *error);

    void (*destroy)(void *state);

    /* What a state runs on, where there is a choice of devices; NULL: the words of probe() say it all. */
    void (*describe)(void *state, char *description, size_t size);

    /* As evaluate, on device pointers, queued on a stream of the backend and not waited for; see
     * bg_evaluator_evaluate_device. NULL where the backend has no memory of its own. */
    bg_status (*evaluate_device)(void *state, uint64_t first_event, size_t count, const bg_momenta *momenta,
                                 double *me2, void *stream, bg_error *error);

    /* What generates points on the host, for devices that want to be fed; NULL: it cannot. */
    bg_status (*generator)(const bg_options *options, bg_generate **generate, bg_error *error);

    const bg_precise *precise;       /* NULL: no 128-bit floats */
    const bg_instrument *instrument; /* NULL: none */
};

/* The backends that are built in, best first; NULL ends the list. */
extern const bg_backend *const bg_backends[];

#endif
