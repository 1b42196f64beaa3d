/* Which parton is where, by the momenta that a map has made: a better choice than that of region.h, for two protons.
 *
 * The ends of a quark line stand next to each other in the order of colors, and a quark that is soft, or far in rapidity from the
 * other end of its line, costs a power of that. In u d > u d g each of the quarks is next to its beam and the gluon between
 * them, which is one of six orders. Chosen blindly, the other five are made as often, and the weights of the right one are
 * six times larger than they need to be.
 *
 * So the momenta come first, as for partons that are all alike. A cast, which says what leg has which of them, is then
 * chosen with the probability
 *
 *     P = (1 - floor) f / (sum of f over all casts) + floor / casts ,
 *     f = sum over pairings  prod over lines  N A ,
 *
 * pairings being the ways to join quarks and antiquarks of the same flavor. The weight gets the factor 1 / (casts P). Legs
 * of the same parton are alike, so a cast says only which kinds of partons have which momenta. For the two ends i, j of a line
 *
 * - A is about the probability that i and j are neighbors in a cyclic order with the weight 1 / (s_12 s_23 .. s_n1), where all
 *   orders are summed over. As far as links between partons do not know of each other, but each parton has two of them,
 *
 *       A_ij = v / (1 + v) ,   v = l_i l_j / s_ij ,   sum_j A_ij = 2 ,
 *
 *   and a few rounds l_i -> l_i sqrt(2 / sum_j A_ij) find the numbers l.
 * - N is what the numerators of amplitudes do (estimate.h). Between a beam and an outgoing parton that has the share x of its momentum,
 *   of all p+ or of all p-, it is x (1 + x^2): MHV with the other beam. Between two outgoing ones, which have the shares z and 1 - z of their p+ and p-, it is the mean of
 *   sqrt(z (1-z)) (z^2 + (1-z)^2) for both: a gluon that splits.
 */
#ifndef BG_PHASESPACE_CASTING_H
#define BG_PHASESPACE_CASTING_H

#include "kinematics/vector.h"
#include "phasespace/region.h"

enum {
    BG_CASTS = 2520,                        /* at most: seven partons, two of them alike */
    BG_CAST_LINES = 3,                      /* quark lines at most */
    BG_CAST_PAIRINGS = 6,                   /* of three lines of one flavor */
    BG_CAST_NODES = BG_MAX_OUT_DRESSED + 2, /* the two beams, then the slots of the map */
};

#define BG_CAST_FLOOR 0.02
enum { BG_CAST_ROUNDS = 4 }; /* to find neighbors */

/* Plain data: copied to devices as it is. */
typedef struct bg_casting {
    int count; /* casts; 0: there are too many or only one, and regions take their place */
    int n;     /* outgoing legs */
    int lines, pairings;
    uint8_t pairing[BG_CAST_PAIRINGS][BG_CAST_LINES]; /* which antiquark belongs to the quark of each line */
    uint8_t quark[BG_CASTS][BG_CAST_LINES];           /* node of each line's quark, all legs taken as outgoing, */
    uint8_t antiquark[BG_CASTS][BG_CAST_LINES];       /* ... and of its antiquark */
    uint64_t order[BG_CASTS];                         /* legs of the slots (region.h) */
} bg_casting;

/* pT pT' / s of two outgoing partons. */
BG_FN real casting_pair(const vec4 *a, const vec4 *b)
{
    const real pt2 = (a->x * a->x + a->y * a->y) * (b->x * b->x + b->y * b->y), s = bg_real(2.) * dot(*a, *b);
    const real least = bg_real(1e-9) * a->t * b->t; /* rounding may leave nothing of a collinear pair */
    return bg_sqrt(pt2) / bg_select(s < least, least, s);
}

/* That of all nodes; a beam has neither pT nor scale, and two beams have 1. */
BG_FN void casting_pairs(const int n, const vec4 *p, real *pair)
{
    pair[1] = pair[BG_CAST_NODES] = bg_real(1.);
    for (int a = 0; a < n; a++) {
        const real pt = bg_sqrt(p[a].x * p[a].x + p[a].y * p[a].y);
        const real minus = p[a].t - p[a].z, plus = p[a].t + p[a].z;
        pair[a + 2] = pair[(a + 2) * BG_CAST_NODES] = plus / pt; /* the first beam flies along +z */
        pair[BG_CAST_NODES + a + 2] = pair[(a + 2) * BG_CAST_NODES + 1] = minus / pt;
        for (int b = 0; b < a; b++)
            pair[(a + 2) * BG_CAST_NODES + b + 2] = pair[(b + 2) * BG_CAST_NODES + a + 2] = casting_pair(&p[a], &p[b]);
    }
}

/* A of all pairs in place of 1 / s, which may have any factor for each node. */
BG_FN void casting_neighbors(const int nodes, real *pair)
{
    const real zero = bg_real(0.), one = bg_real(1.), two = bg_real(2.);
    real scale[BG_CAST_NODES], links[BG_CAST_NODES];
    for (int a = 0; a < nodes; a++) {
        real sum = zero;
        for (int b = 0; b < nodes; b++)
            if (b != a) sum += pair[a * BG_CAST_NODES + b];
        scale[a] = one / bg_sqrt(sum);
    }
    for (int round = 0; round <= BG_CAST_ROUNDS; round++) {
        for (int a = 0; a < nodes; a++) links[a] = zero;
        for (int a = 1; a < nodes; a++)
            for (int b = 0; b < a; b++) {
                const real v = scale[a] * scale[b] * pair[a * BG_CAST_NODES + b], linked = v / (one + v);
                links[a] += linked;
                links[b] += linked;
                if (round == BG_CAST_ROUNDS) pair[a * BG_CAST_NODES + b] = pair[b * BG_CAST_NODES + a] = linked;
            }
        for (int a = 0; a < nodes; a++) scale[a] *= bg_sqrt(two / links[a]);
    }
}

/* N of a beam and a parton with the share x. */
BG_FN real casting_beam(real x) { return x * (bg_real(1.) + x * x); }

/* sqrt(z (1-z)) (z^2 + (1-z)^2) of two parts. */
BG_FN real casting_splitting(real x, real y)
{
    const real sum = x + y, zz = x * y / (sum * sum);
    return bg_sqrt(zz) * (bg_real(1.) - (zz + zz));
}

/* N A of all pairs. */
BG_FN void casting_lines(const int n, const vec4 *p, real *pair)
{
    real plus[BG_MAX_OUT_DRESSED], minus[BG_MAX_OUT_DRESSED], all_plus = bg_real(0.), all_minus = bg_real(0.);
    casting_pairs(n, p, pair);
    casting_neighbors(n + 2, pair);
    for (int a = 0; a < n; a++) {
        plus[a] = p[a].t + p[a].z;
        minus[a] = p[a].t - p[a].z;
        all_plus += plus[a];
        all_minus += minus[a];
    }
    for (int a = 0; a < n; a++) {
        plus[a] /= all_plus;
        minus[a] /= all_minus;
    }
    for (int a = 0; a < n; a++) {
        real *row = pair + (a + 2) * BG_CAST_NODES;
        pair[a + 2] = row[0] *= casting_beam(plus[a]);
        pair[BG_CAST_NODES + a + 2] = row[1] *= casting_beam(minus[a]);
        for (int b = 0; b < a; b++)
            pair[(b + 2) * BG_CAST_NODES + a + 2] = row[b + 2] *=
                bg_real(0.5) * (casting_splitting(plus[a], plus[b]) + casting_splitting(minus[a], minus[b]));
    }
}

/* f of a cast. */
BG_FN real casting_value(const bg_casting *c, int cast, const real *pair)
{
    real sum = bg_real(0.);
    for (int k = 0; k < c->pairings; k++) {
        real product = bg_real(1.);
        for (int line = 0; line < c->lines; line++)
            product *= pair[c->quark[cast][line] * BG_CAST_NODES + c->antiquark[cast][c->pairing[k][line]]];
        sum += product;
    }
    return sum;
}

/* A cast for n momenta by a number u of each lane; returns the factor of the weight. */
BG_FN real casting_choose(const bg_casting *c, const int n, const vec4 *p, real u, bg_region *region)
{
    real pair[BG_CAST_NODES * BG_CAST_NODES], all = bg_real(0.), upto = bg_real(0.);
    real chosen = bg_real(0.), chance = bg_real(1.);
    casting_lines(n, p, pair);
    for (int k = 0; k < c->count; k++) all += casting_value(c, k, pair);
    const real scale = bg_real(1. - BG_CAST_FLOOR) / all, least = bg_real(BG_CAST_FLOOR / c->count);
    for (int k = 0; k < c->count; k++) { /* the last one that begins at u or before */
        const real here = scale * casting_value(c, k, pair) + least;
        const mask begun = upto <= u;
        chance = bg_select(begun, here, chance);
        chosen = bg_select(begun, bg_real((double)k), chosen);
        upto += here;
    }
    for (int l = 0; l < BG_LANES; l++) region[l].order = c->order[(int)bg_lane(chosen, l)];
    return bg_real(1. / c->count) / chance;
}

/* The casts of a process. */
void bg_casting_create(bg_casting *casting, const bg_subprocess *process);

/* Whether two tables are the same. */
int bg_casting_same(const bg_casting *a, const bg_casting *b);

#endif
