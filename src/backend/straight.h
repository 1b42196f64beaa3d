/* Few gluons and full sums over helicities: programs that were written out as code (amplitude/straight.h, cmake/straight), and which
 * processes they serve. The kernels that are made of them are the backends' own.
 *
 * A code serves all processes that become its own by renaming: lines, gluons and the number of identical flavors must agree, and
 * what closes; places are found for all legs. Where a quark stands for an antiquark, all do, which leaves |M|^2 summed over
 * helicities as it is.
 *
 * The code of a process with few amplitudes computes all of them and their color sum. Where there are more, several codes share them.
 */
#ifndef BG_BACKEND_STRAIGHT_H
#define BG_BACKEND_STRAIGHT_H

#include "process/subprocess.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STRAIGHT_MOST_LEGS = 7, STRAIGHT_MOST_PATTERNS = 16 };

/* What a code computes. */
typedef struct straight_code {
    int legs;
    int pdg[STRAIGHT_MOST_LEGS]; /* of its own process, the incoming partons first */
    int configurations;          /* of helicities */
    int whole;                   /* computes the color sum */
    int structures;              /* its amplitudes */
    double operations;           /* of one configuration and all pairings */
    double color_operations;     /* of the color sum of one column of amplitudes; 0 where there is none */
} straight_code;

/* ... as its header says, where that is included. */
#define BG_STRAIGHT_WRITTEN                                                                                            \
    {                                                                                                                  \
        STRAIGHT_LEGS, {STRAIGHT_PDG}, STRAIGHT_PATTERNS << STRAIGHT_GLUONS, STRAIGHT_WHOLE, STRAIGHT_STRUCTURES,      \
            STRAIGHT_OPERATIONS, STRAIGHT_COLOR_OPERATIONS                                                             \
    }

/* How a process becomes that of a code, whose places these are. */
typedef struct straight_places {
    uint8_t place[STRAIGHT_MOST_LEGS];    /* of the process, [place] */
    uint8_t outgoing[STRAIGHT_MOST_LEGS]; /* [number] */
    uint8_t gauge, opposite;
    uint32_t pattern[STRAIGHT_MOST_PATTERNS]; /* of chiralities */
    uint32_t allowed[STRAIGHT_MOST_PATTERNS]; /* bits of pairings */
} straight_places;

typedef struct straight_run {
    int code; /* its number in the list */
    straight_places places;
} straight_run;

/* All runs of a process. */
typedef struct straight_runs {
    straight_run *run;
    int runs;  /* 0: no code serves it */
    int whole; /* one run, which computes the color sum */
    uint32_t configurations, structures;
    double operations;       /* of all amplitudes of one configuration, on average */
    double color_operations; /* as of the code */
} straight_runs;

/* Whether a code serves a process, alone or with others. */
int bg_straight_serves(const straight_code *code, const bg_subprocess *process);

/* The runs of a process by a list of codes. -1 without memory. bg_straight_destroy() releases them. */
int bg_straight_create(straight_runs *runs, const bg_subprocess *process, const straight_code *const *list, int codes);
void bg_straight_destroy(straight_runs *runs);

#ifdef __cplusplus
}
#endif

#endif
