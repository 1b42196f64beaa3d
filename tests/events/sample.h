/* Events to write: points of flat phase space inside cuts, with color flows, for tests of event files. */
#ifndef TEST_EVENTS_SAMPLE_H
#define TEST_EVENTS_SAMPLE_H

#include "events/writer.h"

typedef struct sample {
    bg_event *event;
    double *variation; /* [event][2] */
    size_t count;
    events_process process[1];
    events_run run; /* points to the rest */
} sample;

/* `count` events of a process, 500 GeV partons in 6800 GeV protons. Weighted ones have |M|^2 in arbitrary units as
 * their weight. */
void sample_create(sample *s, const char *process, size_t count, int strategy);
void sample_destroy(sample *s);

#endif
