/* A subprocess as a value: which partons scatter, and what of them the stations must know.
 *
 * Legs are numbered as the user names them, the incoming ones first. Inside, legs stand in places: the two ends of the
 * color line first and last, between them the letters, which the orderings of a color sum permute. For g g -> 2 g,
 *
 *     place   0           1           2           3
 *     leg     0 (in)      2 (out)     3 (out)     1 (in)
 *
 * so that orderings permute the outgoing gluons alone. The kernels know places, letters and the kind of the ends; they
 * do not ask which legs come in, except for the sign of a momentum.
 */
#ifndef BG_PROCESS_SUBPROCESS_H
#define BG_PROCESS_SUBPROCESS_H

#include "base/limits.h"

#include <stdint.h>

/* What a color line ends in. */
typedef enum bg_ends { BG_ENDS_GLUONS, BG_ENDS_KINDS } bg_ends;

/* Plain data: copied to devices as it is. */
typedef struct bg_subprocess {
    int n_in, n_out, n;         /* legs: incoming, outgoing, all */
    int letters;                /* legs between the ends of the color line */
    int ends;                   /* enum bg_ends */
    int couplings;              /* |M|^2 is proportional to alpha_s to this power */
    int pdg[BG_MAX_LEGS];       /* [leg] */
    uint8_t leg[BG_MAX_LEGS];   /* [place] */
    uint8_t place[BG_MAX_LEGS]; /* [leg] */
    uint8_t
        alike[BG_MAX_LEGS]; /* [leg] how many outgoing legs up to this one are the same parton; 1 for incoming ones */
    uint32_t incoming;      /* bit k: the leg in place k comes in */
    double incoming_colors; /* color states of the incoming legs together */
    double incoming_helicities; /* ... and helicity states */
} bg_subprocess;

/* From PDG ids, `n_in` incoming ones first; refuses what the library cannot compute. */
bg_status bg_subprocess_create(bg_subprocess *subprocess, int n_in, int n_out, const int *pdg, bg_error *error);

/* g g -> n_out gluons, n_out in its range. */
bg_subprocess bg_subprocess_gluons(int n_out);

#endif
