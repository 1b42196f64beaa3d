/* Full sums over helicities of one quark line and gluons, LINE_LEAST to LINE_MOST letters, and of two lines of different flavors and four
 * gluons, where the second line is a letter as a gluon is: what line.cu (one object a number of letters, and one with a second line) and
 * quarks.c share. The tables are those of amplitude/words.h. Other numbers of lines and gluons, and helicities that are not summed,
 * are in quarks.h.
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

/* Which places the ends of the line have, bits of the places of each letter, and the ends of a second line that is letter 0. */
typedef struct line_places {
    uint8_t start, end, quark, antiquark;
    uint16_t letter[LINE_MOST];
} line_places;

/* Where an instance finds things on the device. */
typedef struct line_space {
    word_tables words;      /* the rows of all words; there are no nodes */
    const uint32_t *record; /* of all orderings */
    double *numbers;        /* of sets and ends, [number][event] */
    double *currents;       /* memory of the blocks */
    size_t blocks;          /* that have some */
    size_t tile;            /* events whose amplitudes exist at a time */
    line_places places;
} line_space;

/* With a second line that is letter 0, the table of records of N letters has more behind it: those of the N - 1 gluons alone; which of these an
 * ordering of all letters has in it; the orderings by the place of letter 0; those in which it is the last one, by what the gluons have; and
 * the places of the amplitudes of strings that end in their own lines, [gluons on the first line][ordering of the gluons]. */
#define LINE_ORDERINGS(N) ((N) == 4 ? 24 : (N) == 5 ? 120 : 720)
#define LINE_GLUON_TABLE(N) (LINE_ORDERINGS(N) * RECYCLED_RECORD(N))
#define LINE_GLUON_RANKS(N) (LINE_GLUON_TABLE(N) + LINE_ORDERINGS(N) / (N)*RECYCLED_RECORD((N)-1))
#define LINE_BY_PLACE(N) (LINE_GLUON_RANKS(N) + LINE_ORDERINGS(N))
#define LINE_LAST(N) (LINE_BY_PLACE(N) + LINE_ORDERINGS(N))
#define LINE_DIRECT(N) (LINE_LAST(N) + LINE_ORDERINGS(N) / (N))
#define LINE_PAIR_TABLE(N) (LINE_DIRECT(N) + LINE_ORDERINGS(N))

/* The place of letter 0 among the first `letters` of an ordering of N; N: it is not among them. */
BG_FN int line_place_of_pair(int N, const uint32_t *record, int letters)
{
    int place = N;
    for (int k = 0; k < letters; k++)
        if (!packed_letter(record[1], k)) place = k;
    return place;
}

typedef struct line_instance {
    int letters, pair;
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

/* The places of a process whose lines are one, or two of different flavors. */
line_places bg_cuda_line_places(const bg_subprocess *process);

/* The table of records for so many letters, and how many numbers it has. */
size_t bg_cuda_line_table(int letters, int pair);
void bg_cuda_line_fill(int letters, int pair, uint32_t *table);

#ifdef __cplusplus
}
#endif

#endif
