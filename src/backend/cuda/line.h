/* One quark line and full sums over helicities, LINE_LEAST to LINE_MOST gluons: what line.cu (one object a number of gluons)
 * and quarks.c share. The tables are those of amplitude/words.h. Outside this range, and where helicities are not summed, the
 * kernel of quarks.cu works through a list of vertices.
 */
#ifndef BG_BACKEND_CUDA_LINE_H
#define BG_BACKEND_CUDA_LINE_H

#include "amplitude/program.h"
#include "amplitude/words.h"
#include "backend/cuda/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LINE_LEAST 4
#define LINE_MOST 6

/* Where an instance finds things on the device. */
typedef struct line_space {
    word_tables words;      /* the rows of all words; there are no nodes */
    const uint32_t *record; /* of all orderings */
    double *numbers;        /* of sets and ends, [number][event] */
    double *currents;       /* memory of the blocks */
    size_t blocks;          /* that have some */
    size_t tile;            /* events whose amplitudes exist at a time */
} line_space;

typedef struct line_instance {
    int gluons;
    size_t numbers; /* of sets, an event */
    size_t chip;    /* shared memory of a block */
    size_t memory;  /* that a block has for itself besides */
    int events;     /* of a block */
    int blocks;     /* of a multiprocessor */
    /* Numbers of all events. */
    bg_status (*prepare)(const cuda_task *task, const bg_subprocess *process, const quark_program *program,
                         const line_space *space, bg_error *error);
    /* Amplitudes [place][event of the tile][configuration][part] of the `events` events from `first` on. */
    bg_status (*amplitudes)(const cuda_task *task, const line_space *space, size_t first, size_t events,
                            bg_error *error);
    /* Stack of a thread, in bytes. */
    bg_status (*resources)(size_t *stack, bg_error *error);
} line_instance;

#ifdef __cplusplus
}
#endif

#endif
