/* What a backend answers: can you run here, can you run this plan, how much memory does it take,
 * run it. Nothing outside src/backend knows a backend by name.
 */
#ifndef BG_BACKEND_BACKEND_H
#define BG_BACKEND_BACKEND_H

#include "backend/instrument.h"
#include "backend/plan.h"
#include "backend/batch.h"

typedef struct bg_backend bg_backend;

struct bg_backend {
    const char *name;
    unsigned capabilities; /* BG_CAN_... of the public header */

    /* Can this backend run here? Describes the hardware, or says why not. */
    bg_status (*probe)(char *description, size_t size, bg_error *error);

    /* How many devices there are to choose from; NULL where there is no choice. */
    bg_status (*devices)(int *count, bg_error *error);

    /* Memory that a plan needs, before anything is allocated; the backend chooses the batch. */
    bg_status (*memory)(const bg_plan *plan, bg_memory *memory, bg_error *error);

    /* Tables and workspace for a plan. The plan outlives the state; the backend may resolve options
     * in it (threads, device). */
    bg_status (*create)(bg_plan *plan, void **state, bg_error *error);

    /* The sum behind |M|^2 (times plan->normalization) of `count` events; see bg_evaluator_evaluate. */
    bg_status (*evaluate)(void *state, uint64_t first_event, size_t count, const double *momenta, double *me2,
                          double *uncertainty, bg_error *error);

    /* Generates, cuts, evaluates and adds up the trial points of a batch: tally, timing and, where it is not
     * NULL, histograms are added to. */
    bg_status (*integrate)(void *state, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                           bg_timing *timing, bg_error *error);

    void (*destroy)(void *state);

    /* As evaluate, on device pointers, queued on a stream of the backend and not waited for; see
     * bg_evaluator_evaluate_device. NULL where the backend has no memory of its own. */
    bg_status (*evaluate_device)(void *state, uint64_t first_event, size_t count, const double *momenta, double *me2,
                                 void *stream, bg_error *error);

    /* For benchmarks: the time of the matrix elements alone, by the device's own clock. `host_momenta` is [count][n][4]
     * in the user's order, with 1 <= count <= memory.batch. Copies the points to the device once (they are the same in
     * every repetition, event numbers 0 to count - 1), evaluates them once untimed and then `repetitions` times, each
     * between two events of the device: seconds_each[r] is the time from the first kernel to the last of repetition r,
     * all draws of options.samples included, nothing copied to or from the host. Waits until all is done; device errors
     * come back. NULL where the backend has no memory of its own: then the clock on the wall says the same. */
    bg_status (*time_device)(void *state, const double *host_momenta, size_t count, int repetitions, double *seconds_each,
                             bg_error *error);

    /* What a state runs on, where there is a choice of devices; NULL: the words of probe() say it all. */
    void (*describe)(void *state, char *description, size_t size);

    /* For benchmarks, all that follows; NULL where a backend does not tell. */

    /* The parts of matrix elements with summed colors: of the points of time_device, each[r] for repetition r, all of
     * them timed. On a CPU seconds of all threads over their number. BG_ERROR_UNSUPPORTED where the amplitudes are not
     * apart from the color sum; no repetitions: just that question. */
    bg_status (*time_stages)(void *state, const double *host_momenta, size_t count, int repetitions, bg_stages *each,
                             bg_error *error);

    /* The points of a batch alone: random numbers, phase space, cuts, packing of those inside. Repetition r has events
     * first_event + r * count and following; `accepted` gets the points of all repetitions that are inside. */
    bg_status (*time_points)(void *state, const bg_batch *batch, int repetitions, double *seconds_each,
                             uint64_t *accepted, bg_error *error);

    void (*operations)(void *state, bg_operations *operations);

    /* Measures for about `seconds`; device < 0: the default one. */
    bg_status (*roofline)(int device, double seconds, bg_roofline *roofline, bg_error *error);
};

/* The backends that are built in, best first; NULL ends the list. */
extern const bg_backend *const bg_backends[];

#endif
