/* Few gluons and full sums over helicities: kernels whose programs were written out as code (amplitude/straight.h, cmake/straight).
 * What straight.cu (one object for each of them), straight.c and quarks.c share.
 *
 * A kernel serves all processes that become its own by renaming: lines, gluons and the number of identical flavors must agree, and
 * what closes; places are found for all legs. Where a quark stands for an antiquark, all do, which leaves |M|^2 summed over
 * helicities as it is.
 *
 * The kernel of a process with few amplitudes computes all of them and their color sum. Where there are more, several kernels share
 * them and write them to memory. Some of these run once for each gluon that can stand in the place of gluon 0: the code is the same.
 */
#ifndef BG_BACKEND_CUDA_STRAIGHT_H
#define BG_BACKEND_CUDA_STRAIGHT_H

#include "amplitude/program.h"
#include "backend/cuda/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STRAIGHT_MOST_LEGS = 8, STRAIGHT_MOST_PATTERNS = 16, STRAIGHT_MOST_STRUCTURES = 48 };

typedef struct straight_run straight_run;

typedef struct straight_instance {
    int legs;
    int pdg[STRAIGHT_MOST_LEGS]; /* of its own process, the incoming partons first */
    int configurations;          /* of helicities */
    int whole;                   /* computes the color sum */
    int place;                   /* of gluon 0 in all of its words; -1: any */
    int structures;              /* its amplitudes */
    uint16_t
        position[STRAIGHT_MOST_STRUCTURES]; /* [structure] where they are among all amplitudes (bg_program_position) */
    double operations;                      /* of one configuration and all pairings */
    size_t chip;                            /* shared memory of a block */
    int events;                             /* of a block */
    /* Queues a run: sums over helicities and colors, out[event], or amplitudes, out[position][column]. */
    bg_status (*evaluate)(const cuda_task *task, const straight_run *run, double *out, bg_error *error);
    /* Stack of a thread, in bytes. */
    bg_status (*resources)(size_t *stack, bg_error *error);
} straight_instance;

/* How a process becomes that of a kernel, whose places these are. */
typedef struct straight_places {
    uint8_t place[STRAIGHT_MOST_LEGS];    /* of the process, [place] */
    uint8_t outgoing[STRAIGHT_MOST_LEGS]; /* [number] */
    uint8_t gauge, opposite;
    uint8_t gluon[STRAIGHT_MOST_LEGS];           /* [gluon] in amplitudes that are written */
    uint16_t position[STRAIGHT_MOST_STRUCTURES]; /* likewise [structure] */
    uint32_t pattern[STRAIGHT_MOST_PATTERNS];    /* of chiralities */
    uint32_t allowed[STRAIGHT_MOST_PATTERNS];    /* bits of pairings */
} straight_places;

struct straight_run {
    const straight_instance *instance;
    straight_places places;
};

/* All runs of a process. */
typedef struct straight_runs {
    straight_run *run;
    int runs;  /* 0: it has no kernels */
    int whole; /* one run, which computes the color sum */
    uint32_t configurations, structures;
    double operations; /* of all amplitudes of one configuration, on average */
} straight_runs;

/* -1 without memory. bg_cuda_straight_destroy() releases them. */
int bg_cuda_straight_create(straight_runs *runs, const bg_subprocess *process);
void bg_cuda_straight_destroy(straight_runs *runs);

/* The most shared memory of a block and of an event, and the stack of a thread, in bytes. */
size_t bg_cuda_straight_chip(const straight_runs *runs);
bg_status bg_cuda_straight_resources(const straight_runs *runs, size_t *on_chip, size_t *stack, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
