/* What the library serves, from a small text file:
 *
 *     # flavor index 0, 1, ... in this order
 *     process = u g > u g g
 *     process = d g > d g g
 *     backend = cpu
 *
 * Every other name is an option of an algorithm, as on the command line of `blockgen me`. */
#ifndef UMAMI_CONFIGURATION_H
#define UMAMI_CONFIGURATION_H

#include "blockgen/blockgen.h"

enum { UMAMI_MOST_PROCESSES = 128 };

typedef struct umami_configuration {
    bg_options options;
    bg_process *process[UMAMI_MOST_PROCESSES];
    int processes;
    int legs; /* of each of them */
    int cuda; /* arrays are on a device of CUDA */
} umami_configuration;

/* Reads the file that the environment variable BLOCKGEN_UMAMI names, or `path` where there is none. Returns 0, or -1 with
 * the reason in error->message; what was read is released by the next. */
int umami_configuration_read(umami_configuration *c, const char *path, bg_error *error);
void umami_configuration_release(umami_configuration *c);

#endif
