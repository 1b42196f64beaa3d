/* Color flows of events: from a color structure to the tags that event files have.
 *
 * A string q g1 .. gm qbar, all legs taken as outgoing, has one tag between neighbors, t0 .. tm. An outgoing quark has the
 * color t0, gluon i the color ti and the anticolor t(i-1), an outgoing antiquark the anticolor tm. An incoming parton is
 * an outgoing antiparton: its color and its anticolor are exchanged. Every tag then runs from one parton to another, and
 * color is conserved. For u d > u d, the strings u(out) -> d(in), d(out) -> u(in) give
 *
 *     leg          0 u (in)    1 d (in)    2 u (out)    3 d (out)
 *     color        502         501         501          502
 *     anticolor    0           0           0            0
 *
 * Without quarks a structure is a trace, that is a cyclic ordering of all gluons, with a tag between neighbors.
 */
#ifndef BG_COLOR_TAGS_H
#define BG_COLOR_TAGS_H

#include "color/strings.h"
#include "process/subprocess.h"

enum { BG_FIRST_TAG = 501 }; /* as the Les Houches accord has it */

typedef struct color_tag {
    int color, anticolor; /* 0: none */
} color_tag;

/* tag[leg] of a structure of the subprocess, which has quarks. String i starts at the quark of line i, antiquark j belongs
 * to line j, and gluon g of the word is subprocess->gluon[g]. */
void bg_color_tags(const bg_subprocess *subprocess, const color_structure *structure, color_tag *tag);

/* ... of the ordering of a single line: its structure, word[k] the k-th letter behind the start in place 0. */
color_structure bg_color_structure_of_line(const bg_subprocess *subprocess, const permutation *word);

/* ... and of gluons alone: leg[k] in the order of a trace, all legs. */
void bg_color_tags_of_trace(const bg_subprocess *subprocess, const uint8_t *leg, color_tag *tag);

/* The structure that a number u from 0 to below 1 chooses, with probabilities proportional to `weight`, the squares of the
 * amplitudes: all diagonal elements of the color matrix are the same. Structures without weight are never chosen,
 * unless none has any. */
uint64_t bg_color_choose(uint64_t count, const double *weight, double u);

#endif
