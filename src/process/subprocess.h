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
 *
 * Quarks. All legs are taken as outgoing: an incoming quark is an outgoing antiquark. Each flavor then has as many quarks
 * as antiquarks, and they make `lines` lines. With one line its two ends are the ends and all gluons are letters,
 * incoming ones as well. For u g -> u g, whose incoming u closes the amplitude,
 *
 *     place   0           1           2           3
 *     leg     2 (out, u)  1 (in, g)   3 (out, g)  0 (in, u)
 *
 * An incoming quark closes wherever there is one, since its momentum is then the gauge vector, and closing costs least.
 * Charge conjugation leaves |M|^2 alone, helicity by helicity; so a kernel need not know whether the end that closes is the
 * quark or the antiquark. Only color flows must: `reversed` says that the word of an ordering runs from the antiquark to
 * the quark. With several lines there are no two ends. Places are as they are for gluons, with an incoming quark in the last one
 * where there is one.
 */
#ifndef BG_PROCESS_SUBPROCESS_H
#define BG_PROCESS_SUBPROCESS_H

#include "base/limits.h"

#include <stdint.h>

/* What a color line ends in. */
typedef enum bg_ends {
    BG_ENDS_GLUONS, /* no quarks: the incoming gluons are the ends */
    BG_ENDS_QUARKS, /* one quark line */
    BG_ENDS_MANY,   /* several quark lines: a list of vertices (amplitude/tape.h) instead of a line */
    BG_ENDS_KINDS
} bg_ends;

/* Plain data: copied to devices as it is. */
typedef struct bg_subprocess {
    int n_in, n_out, n;         /* legs: incoming, outgoing, all */
    int letters;                /* legs between the ends of the color line; with several lines the gluons */
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

    /* quarks */
    int gluons, lines, flavors;      /* flavors: how many different ones the lines have */
    int crossed[BG_MAX_LEGS];        /* [leg] PDG id with all legs outgoing */
    uint8_t lines_of[BG_MAX_LINES];  /* [flavor] how many lines, never rising: 2, 1 for u u > u u d d~ */
    uint8_t flavor[BG_MAX_LINES];    /* [line] lines of one flavor are neighbors */
    uint8_t quark[BG_MAX_LINES];     /* [line] the leg that is an outgoing quark */
    uint8_t antiquark[BG_MAX_LINES]; /* [line] ... antiquark */
    uint8_t gluon[BG_MAX_LEGS];      /* [number] legs that are gluons, in the order of their places */
    uint8_t gauge, opposite;         /* places: the momentum that is the gauge vector, and the other incoming one */
    uint8_t reversed;                /* one line: its start (place 0) is the antiquark */
} bg_subprocess;

/* From PDG ids, `n_in` incoming ones first; refuses what is no process of massless QCD, and more lines than there may be. */
bg_status bg_subprocess_create(bg_subprocess *subprocess, int n_in, int n_out, const int *pdg, bg_error *error);

/* g g -> n_out gluons, n_out in its range. */
bg_subprocess bg_subprocess_gluons(int n_out);

/* What |M|^2 is divided by because of identical outgoing partons: k! for k of a kind. */
double bg_subprocess_symmetry(const bg_subprocess *subprocess);

#endif
