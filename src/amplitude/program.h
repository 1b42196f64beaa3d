/* What quarks.h executes for a process with quark lines: the list of vertices of tape.h with helicities laid out.
 *
 * Helicities share currents: a current is kept in every state of what its own legs leave open, no other. Open are
 *
 *     the states of the `inner` first gluons, two real polarization vectors each, bit g for gluon g, and
 *     the chiralities of the lines 1, 2, .. in the bits behind, where they are summed over (that of line 0 is +1: changing
 *     all of them conjugates every amplitude).
 *
 * By parts. Where all gluons have real polarization vectors, changing the chirality of a line that does not close conjugates the gluon
 * current that it makes, so that chiralities are summed over in another basis as well: the real and the imaginary part of that current. Both
 * are like the current of a real gluon, and all that they meet are real gluons; a complex one has four numbers more, and takes twice
 * (with another one four times) the work. A quark's or antiquark's own current has one chirality, +1. With a, b = 0, 1 for the real and the
 * imaginary part of two lines,
 *
 *     A(chi, chi') = sum_ab (i chi)^a (i chi')^b A_ab ,      sum over chi, chi' of |A|^2 = 4 sum_ab |A_ab|^2 ,
 *
 * and likewise with any real color matrix between them. Amplitudes A_ab of identical flavors become those of chiralities before their
 * pairings add up. Bits of lines, all but that which closes, are a and b then, and a current has one where both ends of the line are in it.
 *
 * All other gluons have a polarization vector that is given, real or complex, and where chiralities are given as well they may
 * differ from event to event. With u g > u g, one line and two gluons, the current of the quark with gluon 0 has two states,
 * that of the gluons together has four.
 *
 * A step computes one state of one current, or closes one amplitude. Its terms are in an order that takes no decisions on the
 * way: by what they multiply, and those with a minus sign before the others, so that the sum changes sign once. Three-gluon
 * vertices are written with their currents exchanged instead. The current of a reversed word of gluons is that of the word,
 * up to a sign, and is not computed.
 *
 * Identical flavors. With all lines distinct, quark i belongs to antiquark i. Otherwise the amplitude is the sum over the
 * pairings of quarks with antiquarks of equal flavor and chirality (their signs are in tape.h), and the steps of one pairing
 * follow those of another. Where chiralities are summed over, a pairing and its chiralities make one of the patterns of
 * helicity/chirality.h, and add to its amplitudes; where they are given, events in which a pairing joins different
 * chiralities must not add it.
 *
 * Levels. A step needs nothing of its own level or of later ones, and steps of one kind stand together: a level has the currents of as many
 * legs, and amplitudes have one for each pairing. Threads can share the steps of a level.
 *
 * Everything that a step reads or writes, but for the amplitudes, has a number, its place in the workspace of an event:
 *
 *     momenta of sets    PROGRAM_SET_NUMBERS each: p-, 1/p-, P1, P2, 1/P^2
 *     splits             PROGRAM_SPLIT_NUMBERS each: the factors of a three-gluon vertex (lightcone.h)
 *     outgoing legs      n_out each of P1, P2, p-, p+, and n_out^2 products pi.pj (row i, column j < i)
 *     polarizations      two transverse components of each part of each gluon that is not an inner one
 *     signs              chiralities: +1 and -1 where they are summed over, otherwise one for each leg
 *     allowed            1 or 0 for each pairing, where chiralities are given
 *     currents           4 for real gluons and parts, 8 for complex ones, 4 for quarks (real and imaginary parts of x and y)
 */
#ifndef BG_AMPLITUDE_PROGRAM_H
#define BG_AMPLITUDE_PROGRAM_H

#include "amplitude/tape.h"

enum { PROGRAM_SET_NUMBERS = 5, PROGRAM_SPLIT_NUMBERS = 3 };
enum { BG_MAX_PAIRINGS = 120 }; /* BG_MAX_LINES lines of one flavor */

typedef enum program_kind {
    PROGRAM_REAL_GLUON,
    PROGRAM_COMPLEX_GLUON,
    PROGRAM_U1,
    PROGRAM_QUARK,
    PROGRAM_ANTIQUARK,
    PROGRAM_PART,   /* what quarks make of a gluon, the real or the imaginary part of it */
    PROGRAM_PART_U1 /* ... of a U(1) gluon, without phi, which quarks do not ask for */
} program_kind;

static inline int program_is_quark(int kind) { return kind == PROGRAM_QUARK || kind == PROGRAM_ANTIQUARK; }

/* The orders of terms: of gluons (real and complex left, right halves; pairs of quarks with a minus sign, with a plus) and
 * of quarks (emission of a real or complex gluon with a minus sign, with a plus). Where gluons are parts, both halves are real, and
 * pairs give their real or their imaginary part; a U(1) gluon is a sum of others, left and right being the same one, unless it is to be made alone. */
enum { TERMS_RR, TERMS_RC, TERMS_CR, TERMS_CC, TERMS_PAIR_MINUS, TERMS_PAIR_PLUS, TERMS_ORDERS };
enum { TERMS_REAL_MINUS = TERMS_RR + 1, TERMS_IMAGINARY_MINUS, TERMS_REAL_PLUS, TERMS_IMAGINARY_PLUS };
enum { TERMS_EMIT_R_MINUS, TERMS_EMIT_C_MINUS, TERMS_EMIT_R_PLUS, TERMS_EMIT_C_PLUS };

/* left and right are places of currents; `with` is the place of the split of two gluons, of the set of an emitted gluon, the bit of a pair's line (by parts), or the place of
 * the chirality of a pair. */
typedef struct program_term {
    uint32_t left, right, with;
} program_term;

typedef struct program_step {
    uint32_t at;            /* where its numbers go; of an amplitude: its color structure */
    uint32_t first;         /* of its terms */
    uint32_t set;           /* of a current: place of its momentum; of an amplitude: place of the leg that closes */
    uint32_t sign;          /* of a quark: place of its chirality */
    uint32_t configuration; /* of an amplitude */
    uint16_t terms[TERMS_ORDERS]; /* how many of each order */
    uint8_t kind;                 /* program_kind: of the current, or of what the closing leg is contracted with */
    uint8_t closes;               /* 1: an amplitude */
    uint8_t pairing;
    uint8_t level;
} program_step;

/* An external current. */
typedef struct program_leg {
    uint32_t at, set;
    uint32_t from; /* a quark: place of its chirality; PROGRAM_GIVEN: place of the polarization vector */
    uint8_t place;
    uint8_t kind;  /* program_kind */
    uint8_t state; /* of a gluon: 0 or 1, a basis vector; PROGRAM_GIVEN: the polarization vector that is given */
    uint8_t gauge; /* its momentum is the gauge vector */
} program_leg;

enum { PROGRAM_GIVEN = 2 };

typedef struct program_split {
    uint32_t left, right, whole; /* places of sets */
} program_split;

/* The ends of each line. */
typedef struct program_pairing {
    uint8_t quark[BG_MAX_LINES], antiquark[BG_MAX_LINES]; /* places, [line] */
} program_pairing;

/* Plain data but for the lists: a device has copies of those. */
typedef struct quark_program {
    int n, n_out, gluons, lines, pairings;
    int inner;                     /* gluons whose states are both kept */
    int complex;                   /* given polarization vectors are complex */
    int given;                     /* chiralities are given, event by event */
    int parts;                     /* chiralities are summed over by parts */
    int alone;                     /* ... and U(1) gluons are made of their pairs, not of gluons */
    int on_gauge;                  /* the closing leg is the gauge vector: of its two components one vanishes */
    int adds;                      /* amplitudes are added to: they must be 0 before */
    uint8_t outgoing[BG_MAX_LEGS]; /* places of the outgoing legs */
    uint32_t sets, splits, legs, steps, terms, levels;
    uint32_t at_splits, at_outgoing, at_given, at_sign, at_allowed,
        at_currents;         /* where the parts of a workspace start */
    uint32_t numbers;        /* of a workspace */
    uint32_t configurations; /* of amplitudes */
    uint32_t structures;
    uint32_t *set;        /* [sets] legs by place; number k is at k PROGRAM_SET_NUMBERS */
    program_split *split; /* [splits] */
    program_leg *leg;
    program_step *step;
    program_term *term;
    program_pairing *pairing;
    uint32_t *level;   /* [levels + 1] the first step of each */
    uint16_t *pattern; /* parts: [pairing << (lines - 1) | chiralities of the lines] which of all patterns that is */
    size_t bytes;
} quark_program;

/* How helicities are laid out. */
typedef struct program_layout {
    int inner, complex, given, parts;
    int alone;  /* for those who want some of the amplitudes: U(1) gluons without the gluons that they are sums of */
    int closes; /* 1 + the place of the quark or antiquark that closes; 0: the one that suits best */
    bg_interrupt *interrupt; /* asked while the steps are built; NULL: none */
} program_layout;

/* Builds the steps. 0, or -1 without memory or after an interruption. At least one line. */
int bg_program_create(quark_program *p, const bg_subprocess *process, const program_layout *layout);
void bg_program_destroy(quark_program *p);

/* The place of the quark or antiquark that closes, where the layout does not name one. */
int bg_program_closes(const bg_subprocess *process);

/* Ways to pair quarks with antiquarks of their flavors. */
int bg_program_pairings(const bg_subprocess *process);

/* Where the amplitude of a color structure is: by skeleton and then by the rank of the inverse word, as the color sum wants them. */
uint32_t bg_program_position(const color_strings *strings, const color_structure *structure);

/* The most inner gluons for which a workspace and the amplitudes have at most so many numbers, chiralities being summed over; -1
 * without memory or after an interruption. */
int bg_program_inner(const bg_subprocess *process, int parts, size_t numbers, bg_interrupt *interrupt);

/* What the sum of squares has to be multiplied with: one half of the chiralities gives the same as the other, and c = p + iq and c = p - iq
 * have 2 |p|^2 + 2 |q|^2 together, for each line but that which closes (`joined`: parts have become chiralities). By parts, a closing leg on
 * the gauge vector lacks a root of two. */
BG_CONSTANT_FN double program_parts_weight(int lines, int on_gauge, int joined)
{
    return (on_gauge ? 2. : 1.) * (joined ? 2. : (double)(2u << (lines - 1)));
}

static inline double program_chiralities(const quark_program *p, int joined)
{
    if (!p->parts) return p->given ? 1. : 2.;
    return program_parts_weight(p->lines, p->on_gauge, joined);
}

/* Numbers of all amplitudes, real and imaginary parts. */
static inline size_t program_amplitudes(const quark_program *p)
{
    return 2 * (size_t)p->configurations * p->structures;
}

#endif
