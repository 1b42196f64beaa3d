/* The list of vertices of a process with quark lines, made once from its legs: what a kernel executes, current by current.
 *
 * A current is a set of legs with one line left open, a kind and a color flow. All legs are taken as outgoing. Kinds:
 *
 *     gluon   a matrix in color space, which comes of a word of gluons, or of a quark pair somewhere inside
 *     quark   starts at an outgoing quark: a row vector in color space
 *     antiquark   starts at an outgoing antiquark: a column vector
 *     U(1)    the part of the gluon of a quark pair that makes it traceless; it couples to quarks only
 *
 * A color flow says which leg follows which on the strings of color/strings.h, as far as they are known inside the set. Four
 * bits for each leg hold the one that follows it, 15 where none does yet. Where a flow is open it has a `head`, the leg
 * before which something may be put, or a `tail`, behind which something may: gluons have both, quarks a tail, antiquarks a
 * head. Then every vertex does the same, it joins a tail to a head:
 *
 *     gluon A, gluon B    -> gluon                A to B, and with the currents exchanged B to A
 *     quark, gluon        -> quark                quark to gluon
 *     antiquark, gluon    -> antiquark            gluon to antiquark
 *     quark, antiquark    -> gluon                nothing is joined: the head of the antiquark, the tail of the quark
 *     quark, antiquark    -> U(1)                 quark to antiquark, with the factor -1/N_c
 *     either, U(1)        -> the same kind        nothing is joined
 *
 * A quark meets the antiquarks that have its label. Lines of different flavors have different labels. Identical flavors
 * with equal chiralities have one and the same: quarks then meet all antiquarks of the flavor, and the list holds all
 * exchanges with their signs. Joining sets S and T has the sign (-1)^(pairs of fermions i in S, j in T with i > j), the
 * quark's set first where a pair is made; all coefficients are signs, but for the factor of U(1) currents.
 *
 * Closing. One leg, the last place of a process, has no current. Terms of all other legs together are contracted with its
 * external state, and the flow says to which color structure they belong: amplitude number a is the sum of the terms of
 * closing[a]. The prefactors (-1/N_c) of structures in which U(1) gluons join groups of lines are in the amplitudes.
 *
 * For q0 qbar0 g, that is one line and one gluon closed by the antiquark, the list is: quark {0} (a leg), gluon {1} (a leg);
 * closing[0] = one term, quark 0 with gluon 1.
 */
#ifndef BG_AMPLITUDE_TAPE_H
#define BG_AMPLITUDE_TAPE_H

#include "base/interrupt.h"
#include "color/strings.h"
#include "process/subprocess.h"

#include <stddef.h>

typedef enum tape_kind { TAPE_GLUON, TAPE_QUARK, TAPE_ANTIQUARK, TAPE_U1 } tape_kind;

/* What a term does with its two currents. */
typedef enum tape_operation {
    TAPE_GLUONS, /* left, right: ordered three-gluon (and four-gluon) vertex, as a split of amplitude/lightcone.h */
    TAPE_EMIT,   /* left: quark or antiquark, right: gluon or U(1) */
    TAPE_PAIR    /* left: quark, right: antiquark: source of a gluon or U(1) current */
} tape_operation;

/* Slots are numbers of currents. */
typedef struct tape_term {
    uint32_t left : 30, operation : 2;
    uint32_t right : 31, negative : 1;
} tape_term;

/* A current is the sum of its terms times a propagator; a U(1) current is also multiplied by -1/N_c. A leg has no terms. */
typedef struct tape_current {
    uint32_t set;          /* of legs */
    uint32_t first, terms; /* in the list of terms */
    uint8_t kind;          /* tape_kind */
    uint8_t leg;           /* of an external current */
    uint8_t label;         /* of a quark or antiquark */
    uint8_t fermions;      /* in the set: without any, a gluon current of real states is real */
} tape_current;

/* The terms of one amplitude. */
typedef struct tape_closing {
    uint32_t first, terms;
} tape_closing;

/* What is asked for: one entry for each leg, all of them outgoing. Quarks and antiquarks have labels; gluons have none. */
typedef struct tape_legs {
    int n, lines, gluons;
    int closes;                  /* the leg without a current */
    uint8_t kind[BG_MAX_LEGS];   /* TAPE_GLUON, TAPE_QUARK or TAPE_ANTIQUARK */
    uint8_t label[BG_MAX_LEGS];  /* quarks meet antiquarks of the same label */
    uint8_t number[BG_MAX_LEGS]; /* of the quark, antiquark or gluon in color structures */
    bg_interrupt *interrupt;     /* asked while a list is built; NULL: none */
} tape_legs;

typedef struct tape {
    tape_legs legs;
    color_strings strings;
    uint32_t currents, terms;
    tape_current *current; /* the legs first, then by number of legs: a current comes behind all that it needs */
    tape_term *term;       /* of currents, then of closings */
    tape_closing *closing; /* [color structure] */
    size_t bytes;
} tape;

/* How many vertices there are, of each kind, for counts of operations. Gluon currents are real or complex by their sets. */
typedef struct tape_counts {
    int quarks, real_gluons, complex_gluons, u1;   /* currents, the legs included */
    int gluons_real, gluons_mixed, gluons_complex; /* terms TAPE_GLUONS, by their two currents */
    int emit_real, emit_complex;                   /* ... TAPE_EMIT by the gluon */
    int pairs;                                     /* ... TAPE_PAIR */
    int closing;                                   /* terms of amplitudes */
} tape_counts;

/* The legs of a subprocess in the order of its places, closed by the last one. `label` is by place, as above; NULL: every line
 * of the subprocess has its own, which leaves exchanges of identical quarks out. */
tape_legs bg_tape_legs(const bg_subprocess *process, const uint8_t *label);

/* Builds the list and drops what no amplitude needs. 0, or -1 without memory. At least one line; the closing leg may be any. */
int bg_tape_create(tape *t, const tape_legs *legs);
void bg_tape_destroy(tape *t);

tape_counts bg_tape_count(const tape *t);

#endif
