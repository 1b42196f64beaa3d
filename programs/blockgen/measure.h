/* How long one algorithm takes at one n_out: the points, the repetitions, the median.
 *
 * A stage is run until `seconds` are filled, in repetitions that are long enough for the clock and, for matrix
 * elements, fill the evaluator's batch. The time of an event is the median of the repetitions, the spread their median
 * absolute deviation relative to it: both are hardly moved by what else the machine does now and then.
 */
#ifndef BG_PROGRAM_MEASURE_H
#define BG_PROGRAM_MEASURE_H

#include "engine/evaluator.h"
#include "process/process.h"

/* The paper's set-up at one n_out: points inside the cuts, and a generator for whole events. */
typedef struct measure_setting {
    int n_out;
    channel channel;
    channel_grid grid;
    double scale;    /* of the importances, a typical weight^2 */
    double *momenta; /* [capacity][2 + n_out][4], the first `distinct` points over and over */
    double *me2;     /* [capacity] */
    size_t distinct, capacity;
} measure_setting;

/* adapt: train the grid as an integration would. */
bg_status measure_setting_create(measure_setting *s, int n_out, int adapt, bg_error *error);
void measure_setting_destroy(measure_setting *s);

typedef struct measurement {
    double ns;         /* an event: a point, or a trial that passed the cuts */
    double spread;     /* relative */
    int repetitions;   /* 0: not measured */
    uint64_t events;   /* points, or trials, of one repetition */
    size_t batch;      /* most of them in flight at a time */
    double efficiency; /* whole events: accepted over trials */
    int idle;          /* part of a device was: time was up before more events at once stopped making each one cheaper */
} measurement;

/* Seconds that one point takes by itself (on a CPU: as long as a whole register), to see what is coming. */
bg_status measure_one(bg_evaluator *e, measure_setting *s, double *seconds, bg_error *error);

/* Matrix elements of points that are there already; on the device, where the backend has one. `limit`: seconds that one
 * repetition may take. */
bg_status measure_me(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *me,
                     bg_error *error);

/* Whole events as the integrator makes them: random numbers, phase space, cuts, matrix element, sums. Times are for an
 * accepted point: the trials that failed are in it. phase_space is the part before the matrix element, and has no
 * repetitions where the backend does not tell it apart. */
bg_status measure_event(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *event,
                        measurement *phase_space, bg_error *error);

/* Parts of the matrix elements of measure_me: amplitudes, and the sum over colors. Both have no repetitions where
 * colors are not summed, or where a kernel does both at once. */
bg_status measure_stages(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *amplitudes,
                         measurement *color_sum, bg_error *error);

/* The points of whole events alone, for each that passes the cuts. cuts: what takes longer with the cuts than with a
 * coin in their place that lets as many points pass; phase_space is the rest, random numbers and packing included. */
bg_status measure_points(bg_evaluator *e, measure_setting *s, double seconds, measurement *phase_space,
                         measurement *cuts, bg_error *error);

#endif
