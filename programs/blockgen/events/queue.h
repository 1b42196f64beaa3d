/* A writer from the inside, for writer.c and queue.c: its file, and the blocks of events that are on their way to it. */
#ifndef BG_PROGRAM_EVENTS_QUEUE_H
#define BG_PROGRAM_EVENTS_QUEUE_H

#include "events/format.h"

#include <pthread.h>

enum { EVENTS_MOST_THREADS = 64 }; /* that encode, however many there are for the events */

/* What the run of a sink points to. */
typedef struct events_copies {
    int variations;
    char **variation, *version, *description, *about;
    events_process *process;
} events_copies;

struct events_writer {
    events_sink sink;
    events_copies copies;
    struct events_place *place;
    size_t places;
    uint64_t filled, taken, written; /* blocks handed over, taken by threads that encode, appended */
    int ends;                        /* no more blocks will come */
    int parted;                      /* ranks that wrote together do so no more */
    uint64_t count, last;            /* complete events in the file, number of the last one */
    double waited;                   /* seconds, for a place */
    bg_status status;                /* of the first that failed */
    bg_error error;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread[EVENTS_MOST_THREADS + 1];
    int threads, locks; /* threads that run; whether mutex and condition exist */
};

/* Room for the blocks, and the threads that encode and append. */
bg_status events_start_threads(events_writer *w, bg_error *error);

/* Waits until all blocks are written, the one that is not full as well, and the threads are gone. */
void events_join_threads(events_writer *w);

/* Of all places, when the threads are gone. */
void events_free_blocks(events_writer *w);

/* Room for so many events in a block; what is in it is lost. */
bg_status events_make_room(events_block *b, size_t room, size_t variations, bg_error *error);

/* The block that is being filled, as soon as there is a place for one. Nobody else looks at an empty place. */
bg_status events_open_block(events_writer *w, events_block **block, bg_error *error);

/* Hands it over. */
void events_close_block(events_writer *w);

#endif
