/* How long one strategy takes at one n_out: the points, the repetitions, the median. bench and study measure with it.
 *
 * A stage is run until `seconds` are filled, in repetitions that are long enough for the clock and, for matrix
 * elements, fill the evaluator's batch. The time of an event is the median of the repetitions, the spread their median
 * absolute deviation relative to it: both are hardly moved by what else the machine does now and then.
 */
#ifndef BG_PROGRAM_MEASURE_MEASURE_H
#define BG_PROGRAM_MEASURE_MEASURE_H

#include "experimental.h"

/* ---- what is measured ---------------------------------------------------------------------------------------- */

enum { STAGE_ME, STAGE_AMPLITUDES, STAGE_COLOR_SUM, STAGE_EVENT, STAGE_PHASE_SPACE, STAGE_CUTS, STAGES };

/* "me", "amplitudes", ..., then "all" and NULL. */
extern const char *const measure_stage_words[];

typedef struct measurement {
    double ns;         /* an event: a point, or a trial that passed the cuts */
    double spread;     /* relative */
    int repetitions;   /* 0: not measured */
    uint64_t events;   /* points, or trials, of one repetition */
    size_t batch;      /* most of them in flight at a time */
    double efficiency; /* whole events: accepted over trials */
    int idle; /* part of a device was: time was up before more events at once stopped making each one cheaper */
} measurement;

/* ---- setting.c: the paper's set-up for one process -------------------------------------------------------------- */

/* Points inside the cuts, and a generator for whole events. */
typedef struct measure_setting {
    int n_out;
    bg_process *process;
    bg_generator *generator;
    double *momenta; /* [capacity][2 + n_out][4], the first `distinct` points over and over */
    double *me2;     /* [capacity] */
    size_t distinct, capacity;
} measure_setting;

/* Of gluons. With `adapt` the grid is trained as an integration would train it. */
bg_status measure_setting_create(measure_setting *s, int n_out, int adapt, bg_error *error);

/* ... of a process that is named, "u g > u g g". */
bg_status measure_setting_create_named(measure_setting *s, const char *text, int adapt, bg_error *error);
void measure_setting_destroy(measure_setting *s);

/* Lets RAMBO make the points of whole events from now on. */
bg_status measure_setting_flat(measure_setting *s, uint64_t seed, bg_error *error);

/* ---- the stages ------------------------------------------------------------------------------------------------ */

/* Measures the seconds that one point takes by itself (on a CPU as long as a whole register of points), which tells what is
 * coming. */
bg_status measure_one(bg_evaluator *e, measure_setting *s, double *seconds, bg_error *error);

/* matrix.c measures matrix elements of given points, which lie on the device where the backend has one. One repetition may
 * take `limit` seconds. */
bg_status measure_me(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *me,
                     bg_error *error);

/* matrix.c measures the parts of the same: amplitudes, and the sum over colors. Both have no repetitions where colors are not
 * summed, or where a kernel does both at once. */
bg_status measure_stages(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *amplitudes,
                         measurement *color_sum, bg_error *error);

/* events.c measures whole events as the integrator makes them: random numbers, phase space, cuts, matrix element, sums. The
 * time is that of an accepted point and includes the trials that failed. */
bg_status measure_event(bg_evaluator *e, measure_setting *s, double seconds, double limit, measurement *event,
                        bg_error *error);

/* points.c measures the making of points alone, for each point that passes the cuts. The time of the cuts is what is saved
 * when a random decision of the same acceptance stands in their place; phase_space is the rest, random numbers and packing
 * included. */
bg_status measure_points(bg_evaluator *e, measure_setting *s, double seconds, measurement *phase_space,
                         measurement *cuts, bg_error *error);

/* ---- entry.c: a strategy from its options to its times ----------------------------------------------------------- */

/* Creates an evaluator for matrix elements and whole events. *absent (absent may be NULL) says that the fast kernel was asked
 * for and that there is none. */
bg_status measure_create(bg_evaluator **e, int n_out, const bg_options *options, int *absent, bg_error *error);
bg_status measure_create_for(bg_evaluator **e, const bg_process *process, const bg_options *options, int *absent,
                             bg_error *error);

/* Foresees the seconds that one point will take at n_out at least, from those of smaller n_out: the factor from one n_out to
 * the next grows. Times that are not known are 0, here and in the answer. */
double measure_foresee(const double one[BG_MAX_OUT_DRESSED + 1], int n_out);

/* The stages of an evaluator, and why one of them that was wanted is not there: no time (`too_long`: seconds that a
 * repetition would take), or what `why` says. */
typedef struct measured {
    measurement stage[STAGES];
    struct {
        bg_status status;
        double too_long;
        char why[BG_MESSAGE_LENGTH];
    } missing[STAGES];
} measured;

/* `wanted`: bits 1 << STAGE_... of STAGE_ME to STAGE_EVENT; `one`: of measure_one. Stages that cannot be told apart are
 * just not there. */
void measure_entry(bg_evaluator *e, measure_setting *s, unsigned wanted, double seconds, double limit, double one,
                   measured *m);

#endif
