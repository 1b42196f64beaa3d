/* What a benchmark asks of a backend besides the work itself: the times of its parts, the operations it takes, and what
 * the hardware could do at best. A backend without such instruments works all the same.
 */
#ifndef BG_BACKEND_INSTRUMENT_H
#define BG_BACKEND_INSTRUMENT_H

#include "backend/batch.h"
#include "base/interrupt.h"

/* The numbers that are measured are types of the experimental part of the public header. */
#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"

/* The instruments of a backend; any of them may be NULL. `state` is that of bg_backend.create(). */
typedef struct bg_instrument {
    /* The time of the matrix elements alone, by the device's own clock. `momenta` are `count` events on the host,
     * 1 <= count <= memory.batch. They are copied to the device once (events 0 to count - 1, the same in every
     * repetition), evaluated once untimed and then `repetitions` times, each between two events of the device:
     * seconds_each[r] is the time from the first kernel to the last of repetition r, all draws of options.samples
     * included, nothing copied to or from the host. NULL where the backend has no memory of its own: then the clock on
     * the wall says the same. */
    bg_status (*time_device)(void *state, const bg_momenta *momenta, size_t count, int repetitions,
                             double *seconds_each, bg_error *error);

    /* The parts of matrix elements with summed colors: of the points of time_device, each[r] for repetition r, all of
     * them timed. On a CPU these are seconds of all threads over their number. BG_ERROR_UNSUPPORTED where the amplitudes
     * are not apart from the color sum; no repetitions: just that question. */
    bg_status (*time_stages)(void *state, const bg_momenta *momenta, size_t count, int repetitions, bg_stages *each,
                             bg_error *error);

    /* The points of a batch alone: random numbers, phase space, cuts, packing of those inside. Repetition r has events
     * first_event + r * count and following; `accepted` gets the points of all repetitions that are inside. */
    bg_status (*time_points)(void *state, const bg_batch *batch, int repetitions, double *seconds_each,
                             uint64_t *accepted, bg_error *error);

    void (*operations)(void *state, bg_operations *operations);

    /* Measures for about `seconds`; device < 0: the default one. What was interrupted is not used. */
    bg_status (*roofline)(int device, double seconds, bg_interrupt *interrupt, bg_roofline *roofline, bg_error *error);
} bg_instrument;

#endif
