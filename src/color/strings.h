/* Color structures of several quark lines: open strings from quarks to antiquarks, with gluons on them.
 *
 * With k quarks, k antiquarks and n gluons, a structure says which antiquark each string from quark i ends in (the
 * connection), how many gluons it holds, and which gluons these are, in order:
 *
 *     (T^{g1} T^{g2} ..)_{q_0 qbar_c(0)} (T^{g..} ..)_{q_1 qbar_c(1)} ..
 *
 * The word is all gluons from the first string to the last, a permutation of 0 .. n-1. Connection and lengths together are
 * the skeleton, of which there are B = k! C(n+k-1, k-1). Structures are numbered as
 *
 *     ((connection k-rank) C(n+k-1, k-1) + (number of the lengths)) n! + (rank of the word)
 *
 * with lengths in falling lexicographic order. For k = 2, n = 2, with | between strings, numbers 0 to 11 are
 *
 *     q0 0 1 qbar0 | q1 qbar1     q0 1 0 qbar0 | q1 qbar1     q0 0 qbar0 | q1 1 qbar1     q0 1 qbar0 | q1 0 qbar1
 *     q0 qbar0 | q1 0 1 qbar1     q0 qbar0 | q1 1 0 qbar1     and the same with qbar0 and qbar1 exchanged.
 *
 * The color matrix is the contraction of one structure with the conjugate of another,
 *
 *     C_ab = sum_{S subset of gluons} (-1/N_c)^|S| N_c^loops(a without S, b without S) ,
 *
 * and since renaming gluons changes nothing, C_(x,s)(y,t) = c_xy(s^-1 t): a function on S_n for every pair of skeletons.
 * All diagonal elements are N_c^k ((N_c^2 - 1)/N_c)^n. Factors 1/N_c of gluons between the lines are in the amplitudes
 * (amplitude/tape.h), not here.
 */
#ifndef BG_COLOR_STRINGS_H
#define BG_COLOR_STRINGS_H

#include "color/permutation.h"

/* How many there are. */
typedef struct color_strings {
    int lines, gluons;
    int connections, lengths, skeletons; /* k!, C(n+k-1, k-1), their product B */
    uint64_t words, structures;          /* n!, B n! */
} color_strings;

typedef struct color_structure {
    permutation connection; /* at[string] = antiquark */
    uint8_t length[BG_MAX_LINES];
    permutation word;
} color_structure;

color_strings bg_color_strings(int lines, int gluons);

/* A structure by its number, and back. */
color_structure bg_color_structure_unrank(const color_strings *s, uint64_t number);
uint64_t bg_color_structure_rank(const color_strings *s, const color_structure *structure);

/* N_c^n c_xy(w) of all pairs of skeletons, whole numbers, to be freed: [(x B + y) n! + rank of w]. NULL without memory. */
int64_t *bg_color_string_functions(const color_strings *s);

/* The whole matrix C, [a F + b] with F the number of structures, to be freed. NULL without memory. */
double *bg_color_string_matrix(const color_strings *s);

#endif
