/* What the files of this folder share. */
#ifndef BG_PROGRAM_MEASURE_PARTS_H
#define BG_PROGRAM_MEASURE_PARTS_H

#include "measure/measure.h"

enum { MOST_REPETITIONS = 4096, LEAST_REPETITIONS = 3 };
enum { LEAST_ON_DEVICE = 64 }; /* events of a repetition: far from filling any device */

/* Makes room for `count` points in a setting and fills it by repeating the points that there are. */
bg_status measure_provide(measure_setting *s, size_t count, bg_error *error);

/* The times of one event in ns, one for each repetition so far. */
typedef struct measure_series {
    double *ns;
    int count;
} measure_series;

/* Takes the median of a series and its spread; the series is overwritten. A median that is not positive is a difference that
 * is lost in the noise: the measurement then stays empty. */
void measure_conclude(measure_series *s, uint64_t events, size_t batch, int idle, measurement *m);

/* Says whether another repetition is due. Repetitions go on until the time is filled, and there are three of them at least
 * where these fit below the limit. */
int measure_goes_on(int done, double spent, double seconds, double limit);

/* Says whether a device has threads to spare: it has, as long as twice the events take clearly less than twice the time. An
 * event took `before` seconds with fewer events at once, INFINITY where that was not tried. */
int measure_has_idle_threads(double each, double before);

/* How many of the `count` events of a repetition are in flight together. */
size_t measure_in_flight(const bg_evaluator *e, size_t count);

#endif
