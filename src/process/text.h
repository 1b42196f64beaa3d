/* Processes as text: "u g > u g g", "g g > 4g", "2 21 > 2 21 21", "p p > 3j". */
#ifndef BG_PROCESS_TEXT_H
#define BG_PROCESS_TEXT_H

#include "base/limits.h"

/* Legs that stand for several partons; no PDG id of a parton is one of these numbers. */
enum {
    BG_LEG_JET = 0,      /* j: a gluon or a light quark or antiquark, outgoing */
    BG_LEG_PROTON = 2212 /* p: the same, incoming, with a parton density */
};

/* The legs of a process, PDG ids or the above, the incoming ones first. */
typedef struct bg_legs {
    int n_in, n_out;
    int leg[BG_MAX_LEGS];
} bg_legs;

/* Reads a process. Partons have blanks between them; "4g" and "4 g" stand for g g g g. Names and PDG ids do not mix, so that a
 * number before a name is always a count. A message names the word that is wrong. */
bg_status bg_legs_read(bg_legs *legs, const char *text, bg_error *error);

/* Whether a leg stands for several partons. */
int bg_legs_are_open(const bg_legs *legs);

#endif
