/* What the files of this folder share. */
#ifndef BG_PROGRAM_MEASURE_PARTS_H
#define BG_PROGRAM_MEASURE_PARTS_H

#include "measure/measure.h"

enum { MOST_REPETITIONS = 4096, LEAST_REPETITIONS = 3 };
enum { LEAST_ON_DEVICE = 64 }; /* events of a repetition: far from filling any device */

/* Room for `count` points in a setting, filled by repeating those that there are. */
bg_status measure_provide(measure_setting *s, size_t count, bg_error *error);

/* Times of one event, in ns, of the repetitions so far. */
typedef struct measure_series {
    double *ns;
    int count;
} measure_series;

/* The median and its spread; overwrites the series. Nothing is said where the median is lost in the noise of what it is
 * the difference of. */
void measure_conclude(measure_series *s, uint64_t events, size_t batch, int idle, measurement *m);

/* Whether another repetition is due: until the time is filled, and three where they fit below the limit. */
int measure_goes_on(int done, double spent, double seconds, double limit);

/* A device has threads to spare as long as twice the events take less than twice the time. `before`: seconds of an event
 * with fewer of them at once, INFINITY: not tried. */
int measure_has_idle_threads(double each, double before);

/* Events of a repetition that are in flight together. */
size_t measure_in_flight(const bg_evaluator *e, size_t count);

#endif
