/* Files of events once more: what they say about their run, and single events of them. */
#ifndef BG_PROGRAM_EVENTS_READER_H
#define BG_PROGRAM_EVENTS_READER_H

#include "experimental.h"

/* The options of the run that has made a file, or is to go on with FILE.part: "name = value" a line, to be freed. NULL and why. */
char *events_read_about(const char *path, bg_error *error);

/* An event as a file has it: what identifies it, and what it is compared by. Incoming partons stand as in the file. */
typedef struct events_entry {
    uint64_t place; /* in the file, from 1: set by the caller */
    uint64_t number;
    int process; /* from 0 */
    int legs;
    int pdg[BG_EVENT_LEGS];
    int color[BG_EVENT_LEGS][2];
    double momentum[BG_EVENT_LEGS][4]; /* E, px, py, pz */
    double weight;
    int found;
} events_entry;

/* Finds events by their places, in any order. */
bg_status events_read(const char *path, events_entry *entry, size_t count, bg_error *error);

#endif
