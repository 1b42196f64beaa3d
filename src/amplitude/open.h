/* The dressed amplitude of a process with quark lines for colors that all lanes share: currents in light-cone gauge (lightcone.h,
 * spinor.h), in the order of a schedule (color/open_schedule.h).
 *
 * Gluons stand at places, which gluon at which is a choice of each event, and an incoming gluon is one of them. So lanes differ in which
 * sets hold a beam, and momenta of sets are chosen lane by lane from the four cases of quarks.h. They are worked out once for all
 * configurations of helicities: a record of each current.
 *
 * A gluon's slot holds for each part its current, x = psi / p- and p-, as in coherent.h. A fermion's holds x, y and s of its line.
 * Helicities may differ from lane to lane. The s of a set is the sum of those of its fermions, s = chirality of quarks and minus that
 * of antiquarks, since the ends of a line that is inside cancel. Of identical flavors, a pair is made only in the lanes in which both
 * have the same chirality.
 *
 * Two lines close on a gluon: their amplitude is a sum of products n . a of sources n and currents a, in each of which one line has
 * taken up gluons alone. Where polarizations are real, the source of the opposite chirality is its complex conjugate, so that
 * both come from the same sums, of products of real and imaginary parts.
 *
 * Numbers of one event are OPEN_STRIDE apart.
 */
#ifndef BG_AMPLITUDE_OPEN_H
#define BG_AMPLITUDE_OPEN_H

#include "amplitude/coherent.h"
#include "amplitude/spinor.h"
#include "color/open_schedule.h"

/* ---- momenta ------------------------------------------------------------------------------------------------------------ */

/* Legs in the order of open_process: first the gluons, by number or by place, then the fermions. The components of beams are 0. */
typedef struct open_momenta {
    light_frame frame;
    real p1[BG_MAX_LEGS], p2[BG_MAX_LEGS], minus[BG_MAX_LEGS], plus[BG_MAX_LEGS];
    real inverse_minus[BG_MAX_LEGS];
    real first[BG_MAX_LEGS],
        second[BG_MAX_LEGS]; /* 1 for the beam opposite to the gauge vector, and for the gauge vector */
    real beam;               /* p- of the first one */
    real ends;               /* product of the beams */
} open_momenta;

/* From momenta by place of the subprocess, all taken as outgoing. */
BG_FN void open_load(const open_process *o, const bg_subprocess *s, const vec4 *p, open_momenta *m)
{
    vec4 ordered[BG_MAX_LEGS];
    shared_gluons g;
    int outgoing = 0, number[BG_MAX_LEGS];
    const real zero = bg_real(0.), one = bg_real(1.);
    m->frame = light_frame_of(p[s->opposite], p[s->gauge]);
    m->ends = dot(p[s->opposite], p[s->gauge]);
    m->beam = zero;
    ordered[0] = p[s->opposite];
    for (int k = 0; k < o->legs; k++) {
        const int place = o->place[k];
        m->first[k] = place == s->opposite ? one : zero;
        m->second[k] = place == s->gauge ? one : zero;
        m->p1[k] = m->p2[k] = m->minus[k] = m->plus[k] = m->inverse_minus[k] = zero;
        if (s->incoming >> place & 1u) continue;
        number[outgoing++] = k;
        ordered[outgoing] = p[place];
    }
    shared_gluon_momenta(outgoing, &m->frame, ordered, &g);
    for (int j = 0; j < outgoing; j++) {
        const int k = number[j];
        m->p1[k] = g.p1[j];
        m->p2[k] = g.p2[j];
        m->minus[k] = g.minus[j];
        m->plus[k] = g.plus[j];
        m->inverse_minus[k] = g.inverse_minus[j];
        m->beam = m->beam - g.minus[j];
    }
}

/* The product of two outgoing legs; 0 with a beam. */
BG_FN real open_product(const open_momenta *m, int i, int j)
{
    const real x = m->p1[i] * m->minus[j] - m->p1[j] * m->minus[i];
    const real y = m->p2[i] * m->minus[j] - m->p2[j] * m->minus[i];
    return bg_real(0.5) * (x * x + y * y) * (m->inverse_minus[i] * m->inverse_minus[j]);
}

/* The absolute product of any two legs, in units of that of the beams. */
BG_FN real open_invariant(const open_process *o, const bg_subprocess *s, const open_momenta *m, int i, int j)
{
    const int in_i = (int)(s->incoming >> o->place[i] & 1u), in_j = (int)(s->incoming >> o->place[j] & 1u);
    const real unit = bg_inverse(m->ends);
    if (in_i && in_j) return bg_real(1.);
    if (!in_i && !in_j) return open_product(m, i, j) * unit;
    const int beam = in_i ? i : j, leg = in_i ? j : i;
    return bg_abs(o->place[beam] == s->gauge ? m->minus[leg] * unit : m->plus[leg]);
}

BG_FN void open_antennas(const open_process *o, const bg_subprocess *s, const open_momenta *m, open_antenna *a)
{
    const int n = o->gluons;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < k; j++) a->step[k * n + j] = a->step[j * n + k] = bg_inverse(open_invariant(o, s, m, k, j));
        for (int i = 0; i < o->lines; i++) {
            a->start[i][k] = bg_inverse(open_invariant(o, s, m, n + o->quark[i], k));
            a->stop[i][k] = bg_inverse(open_invariant(o, s, m, k, n + o->antiquark[i]));
        }
    }
    for (int i = 0; i < o->lines; i++)
        for (int j = 0; j < o->lines; j++)
            a->ends[i][j] = open_invariant(o, s, m, n + o->quark[i], n + o->antiquark[j]);
}

/* One number of each gluon, moved to its place. */
BG_FN void open_take_places(int gluons, const open_flow *flow, const real *from, real *to)
{
    for (int k = 0; k < gluons; k++)
        for (int l = 0; l < BG_LANES; l++) bg_set_lane(&to[k], l, bg_lane(from[flow[l].gluon[k]], l));
}

/* The gluons at their places. */
BG_FN void open_place_momenta(const open_process *o, const open_flow *flow, const open_momenta *from, open_momenta *to)
{
    *to = *from;
    open_take_places(o->gluons, flow, from->p1, to->p1);
    open_take_places(o->gluons, flow, from->p2, to->p2);
    open_take_places(o->gluons, flow, from->minus, to->minus);
    open_take_places(o->gluons, flow, from->plus, to->plus);
    open_take_places(o->gluons, flow, from->inverse_minus, to->inverse_minus);
    open_take_places(o->gluons, flow, from->first, to->first);
    open_take_places(o->gluons, flow, from->second, to->second);
}

/* ---- sets ----------------------------------------------------------------------------------------------------------------- */

/* Sums over the outgoing legs of a set: p-, p1, p2, products with one another, p+, products with the leg that closes; and whether it has
 * the beams. */
enum { SET_MINUS, SET_P1, SET_P2, SET_PAIRS, SET_PLUS, SET_FIRST, SET_CLOSING, SET_SECOND, OPEN_SET };
enum { OPEN_SET_ON_GAUGE = SET_CLOSING }; /* of these that are needed where the gauge vector closes */
enum { OPEN_RECORD = 5 };                 /* p-, 1/p-, p1, p2, 1/P^2 */

BG_FN void open_tabulate(const open_process *o, const open_momenta *m, real *table)
{
    const int bits = open_outgoing_bits(o), columns = o->closes_on_gauge ? (int)OPEN_SET_ON_GAUGE : (int)OPEN_SET;
    real pair[BG_MAX_LEGS * BG_MAX_LEGS]; /* with the leg that closes in the last row */
    for (int k = 1; k <= bits; k++)
        for (int j = 0; j < k; j++) pair[k * bits + j] = open_product(m, k, j);
    for (int c = 0; c < columns; c++) table[(size_t)c * OPEN_STRIDE] = bg_real(0.);
    for (uint32_t set = 1; set < 1u << bits; set++) {
        const uint32_t rest = set & (set - 1);
        const int k = bg_lowest(set);
        const real *from = table + (size_t)rest * OPEN_SET * OPEN_STRIDE;
        real *to = table + (size_t)set * OPEN_SET * OPEN_STRIDE;
        real square = from[SET_PAIRS * OPEN_STRIDE];
        for (uint32_t left = rest; left; left &= left - 1) square = square + pair[bg_lowest(left) * bits + k];
        to[SET_MINUS * OPEN_STRIDE] = from[SET_MINUS * OPEN_STRIDE] + m->minus[k];
        to[SET_P1 * OPEN_STRIDE] = from[SET_P1 * OPEN_STRIDE] + m->p1[k];
        to[SET_P2 * OPEN_STRIDE] = from[SET_P2 * OPEN_STRIDE] + m->p2[k];
        to[SET_PAIRS * OPEN_STRIDE] = square;
        to[SET_PLUS * OPEN_STRIDE] = from[SET_PLUS * OPEN_STRIDE] + m->plus[k];
        to[SET_FIRST * OPEN_STRIDE] = from[SET_FIRST * OPEN_STRIDE] + m->first[k];
        if (o->closes_on_gauge) continue;
        to[SET_CLOSING * OPEN_STRIDE] = from[SET_CLOSING * OPEN_STRIDE] + pair[bits * bits + k];
        to[SET_SECOND * OPEN_STRIDE] = from[SET_SECOND * OPEN_STRIDE] + m->second[k];
    }
}

BG_FN quark_set open_set(const open_process *o, const open_momenta *m, const real *table, uint32_t set)
{
    const int closing = open_outgoing_bits(o);
    const uint32_t all = (1u << closing) - 1u;
    const real *own = table + (size_t)set * OPEN_SET * OPEN_STRIDE,
               *rest = table + (size_t)(all ^ set) * OPEN_SET * OPEN_STRIDE;
    const real half = bg_real(0.5), p1 = own[SET_P1 * OPEN_STRIDE], p2 = own[SET_P2 * OPEN_STRIDE];
    const real own_minus = own[SET_MINUS * OPEN_STRIDE], rest_minus = rest[SET_MINUS * OPEN_STRIDE] + m->minus[closing];
    const real transverse = p1 * p1 + p2 * p2;
    const mask first = own[SET_FIRST * OPEN_STRIDE] > half;
    real square = own[SET_PAIRS * OPEN_STRIDE] + own[SET_PAIRS * OPEN_STRIDE];
    const real one_beam = (own[SET_PLUS * OPEN_STRIDE] + own[SET_PLUS * OPEN_STRIDE]) * rest_minus + transverse;
    if (o->closes_on_gauge) {
        square = bg_select(first, -one_beam, square);
    } else {
        const mask second = own[SET_SECOND * OPEN_STRIDE] > half;
        const real rest_plus = rest[SET_PLUS * OPEN_STRIDE] + m->plus[closing];
        const real rest_pairs = rest[SET_PAIRS * OPEN_STRIDE] + rest[SET_CLOSING * OPEN_STRIDE];
        const real other_beam = (rest_plus + rest_plus) * own_minus + transverse;
        square = bg_select(first, bg_select(second, rest_pairs + rest_pairs, -one_beam),
                           bg_select(second, -other_beam, square));
    }
    const real minus = bg_select(first, -rest_minus, own_minus);
    const real both = bg_inverse(minus * square); /* one division for two */
    const quark_set q = {minus, both * square, p1, p2, both * minus};
    return q;
}

BG_FN quark_set open_opposite(quark_set q)
{
    const quark_set r = {-q.minus, -q.inverse_minus, -q.p1, -q.p2, q.inverse_square};
    return r;
}

/* Records of all currents of a schedule. */
BG_FN void open_records(const open_process *o, const open_schedule *s, const open_momenta *m, const real *table,
                        real *record)
{
    for (uint32_t k = 0; k < s->currents; k++) {
        const uint32_t set = s->current[k].set, all = (1u << o->legs) - 1u;
        const int closing =
            (int)(set >> open_outgoing_bits(o)); /* it is in no sum: all other legs have the opposite momentum */
        quark_set q = open_set(o, m, table, closing ? all ^ set : set);
        if (closing) q = open_opposite(q);
        real *to = record + (size_t)k * OPEN_RECORD * OPEN_STRIDE;
        to[0] = q.minus;
        to[OPEN_STRIDE] = q.inverse_minus;
        to[2 * OPEN_STRIDE] = q.p1;
        to[3 * OPEN_STRIDE] = q.p2;
        to[4 * OPEN_STRIDE] = q.inverse_square;
    }
}

BG_FN quark_set open_record(const real *record, uint32_t current)
{
    const real *r = record + (size_t)current * OPEN_RECORD * OPEN_STRIDE;
    const quark_set q = {r[0], r[OPEN_STRIDE], r[2 * OPEN_STRIDE], r[3 * OPEN_STRIDE], r[4 * OPEN_STRIDE]};
    return q;
}

/* ---- slots ------------------------------------------------------------------------------------------------------------------ */

BG_FN coherent_state open_gluon(const real *store, uint32_t at)
{
    return coherent_load(store + (size_t)at * OPEN_STRIDE, OPEN_STRIDE, 1, 0, 0);
}

BG_FN void open_save_gluon(real *store, uint32_t at, light_current c, real minus, real inverse)
{
    coherent_save(store + (size_t)at * OPEN_STRIDE, OPEN_STRIDE, 1, 0, 0, c, minus, inverse);
}

BG_FN quark_spinor open_fermion(const real *store, uint32_t at)
{
    const real *f = store + (size_t)at * OPEN_STRIDE;
    const quark_spinor q = {{f[0], f[OPEN_STRIDE]}, {f[2 * OPEN_STRIDE], f[3 * OPEN_STRIDE]}};
    return q;
}

BG_FN void open_save_fermion(real *store, uint32_t at, quark_spinor q, real s)
{
    real *f = store + (size_t)at * OPEN_STRIDE;
    f[0] = q.x.re;
    f[OPEN_STRIDE] = q.x.im;
    f[2 * OPEN_STRIDE] = q.y.re;
    f[3 * OPEN_STRIDE] = q.y.im;
    f[4 * OPEN_STRIDE] = s;
}

BG_FN light_current open_scaled(light_current c, real factor)
{
    const light_current r = {factor * c.a1, factor * c.a2, factor * c.psi, factor * c.phi};
    return r;
}

/* ---- vertices --------------------------------------------------------------------------------------------------------------- */

/* Splits into two gluons that have `lefts` and `rights` parts; sums as in coherent_add(). */
BG_FN const open_term *open_add_gluons(const int lefts, const int rights, const open_term *t, uint32_t count,
                                       const real *store, real twice, light_sum *sum)
{
    light_sum part[2] = {sum[0], sum[1]};
    BG_LOOP
    for (const open_term *end = t + count; t < end; t++)
        for (int a = 0; a < lefts; a++) {
            const coherent_state left = open_gluon(store, t->left + (uint32_t)(OPEN_GLUON_NUMBERS * a));
            for (int b = 0; b < rights; b++) {
                const coherent_state B = open_gluon(store, t->right + (uint32_t)(OPEN_GLUON_NUMBERS * b));
                coherent_state A = left;
                if (a + b == 2) {
                    A.c = light_negative(A.c);
                    A.x = -A.x;
                }
                coherent_add(&part[phase_part(a + b)], &A, &B, twice);
            }
        }
    sum[0] = part[0];
    sum[1] = part[1];
    return t;
}

/* Pairs of quarks. */
BG_FN const open_term *open_add_pairs(int identical, const open_term *t, uint32_t count, const real *store,
                                      light_sum *sum)
{
    light_sum part[2] = {sum[0], sum[1]};
    BG_LOOP
    for (const open_term *end = t + count; t < end; t++) {
        quark_spinor b = open_fermion(store, t->left);
        const quark_spinor k = open_fermion(store, t->right);
        const real s = store[(size_t)(t->left + 4) * OPEN_STRIDE];
        if (identical) { /* nothing where chiralities differ */
            const mask equal = s + store[(size_t)(t->right + 4) * OPEN_STRIDE] == bg_real(0.);
            const real zero = bg_real(0.);
            b.x.re = bg_select(equal, b.x.re, zero);
            b.x.im = bg_select(equal, b.x.im, zero);
            b.y.re = bg_select(equal, b.y.re, zero);
            b.y.im = bg_select(equal, b.y.im, zero);
        }
        spinor_pair(&b, &k, s, bg_real(2.), part);
    }
    sum[0] = part[0];
    sum[1] = part[1];
    return t;
}

/* ... as products, for a source that closes the amplitude. */
BG_FN const open_term *open_add_products(const open_term *t, uint32_t count, const real *store, spinor_products *sum)
{
    BG_LOOP
    for (const open_term *end = t + count; t < end; t++) {
        const quark_spinor b = open_fermion(store, t->left), k = open_fermion(store, t->right);
        spinor_add_products(&b, &k, sum);
    }
    return t;
}

/* u and emissions of gluons with so many parts. */
BG_FN_ONCE quark_sum open_add_emissions(const int parts, const open_term *t, uint32_t count, const real *store, real s,
                                        quark_sum sum)
{
    quark_sum *u = &sum;
    BG_LOOP
    for (const open_term *end = t + count; t < end; t++) {
        const quark_spinor q = open_fermion(store, t->left);
        const real *A = store + (size_t)t->right * OPEN_STRIDE, *B = A + OPEN_GLUON_NUMBERS * OPEN_STRIDE;
        const real a2 = s * A[OPEN_STRIDE];
        if (parts == 1) {
            spinor_emit_eta1(&q, A[0], a2, u);
            spinor_emit_eta2(&q, A[0], a2, A[4 * OPEN_STRIDE] + A[4 * OPEN_STRIDE], u);
        } else {
            const real b2 = s * B[OPEN_STRIDE];
            spinor_emit_complex_eta1(&q, A[0], a2, B[0], b2, u);
            spinor_emit_complex_eta2(&q, A[0], a2, B[0], b2, A[4 * OPEN_STRIDE] + A[4 * OPEN_STRIDE],
                                     B[4 * OPEN_STRIDE] + B[4 * OPEN_STRIDE], u);
        }
    }
    return sum;
}

/* ---- currents ----------------------------------------------------------------------------------------------------------------- */

/* What an evaluation works with. */
typedef struct open_work {
    const open_process *o;
    const open_schedule *s;
    const real *record;
    real *store;
    real sign[OPEN_MOST_FERMIONS]; /* s of the fermions */
} open_work;

BG_FN real open_third(void) { return bg_real(1.) / bg_real(3.); }

/* The currents that `lists` sums of a part become, one or the three of a diagonal, and with these their thirds of differences. */
BG_FN void open_finish_gluons(const int parts, const int lists, const open_work *w, const quark_set *P, uint32_t at,
                              light_sum sum[3][2], int a)
{
    const uint32_t slot = (uint32_t)(OPEN_GLUON_NUMBERS * parts);
    light_current c[3];
    at += (uint32_t)(OPEN_GLUON_NUMBERS * a);
    for (int d = 0; d < lists; d++) {
        sum[d][a].d = sum[d][a].d * P->inverse_minus;
        c[d] = light_propagate(sum[d][a], P->p1, P->p2, P->inverse_square);
        open_save_gluon(w->store, at + (uint32_t)d * slot, c[d], P->minus, P->inverse_minus);
    }
    for (int d = 0; d < 3 && lists == 3; d++)
        open_save_gluon(w->store, at + (uint32_t)(3 + d) * slot,
                        open_scaled(light_less(c[d], c[(d + 2) % 3]), open_third()), P->minus, P->inverse_minus);
}

/* A gluon's current without fermions in it: `parts` of each. */
BG_FN void open_put_gluons(const int parts, const open_work *w, uint32_t number)
{
    const open_current *x = &w->s->current[number];
    const quark_set P = open_record(w->record, number);
    const int lists = x->kind == COHERENT_DIAGONAL ? 3 : 1, order = parts == 2 ? OPEN_CC : OPEN_RR;
    const real twice = P.minus + P.minus;
    const open_term *t = w->s->term + x->first;
    light_sum sum[3][2];
    for (int d = 0; d < lists; d++) {
        sum[d][0] = sum[d][1] = light_zero();
        t = open_add_gluons(parts, parts, t, x->terms[d][order], w->store, twice, sum[d]);
    }
    for (int a = 0; a < parts; a++) {
        if (lists == 3) coherent_differ(sum, a);
        open_finish_gluons(parts, lists, w, &P, x->at, sum, a);
    }
}

/* ... with fermions: complex, with sources of pairs. */
BG_FN void open_put_mixed(const open_work *w, uint32_t number)
{
    const open_current *x = &w->s->current[number];
    const quark_set P = open_record(w->record, number);
    const int lists = x->kind == COHERENT_DIAGONAL ? 3 : 1;
    const int masked = w->o->identical && !w->o->halves; /* of two lines, whole ways to close the amplitude are */
    const real twice = P.minus + P.minus;
    const open_term *t = w->s->term + x->first;
    light_sum sum[3][2], source[3][2];
    for (int d = 0; d < lists; d++) {
        const uint16_t *terms = x->terms[d];
        sum[d][0] = sum[d][1] = source[d][0] = source[d][1] = light_zero();
        t = open_add_gluons(1, 1, t, terms[OPEN_RR], w->store, twice, sum[d]);
        t = open_add_gluons(1, 2, t, terms[OPEN_RC], w->store, twice, sum[d]);
        t = open_add_gluons(2, 1, t, terms[OPEN_CR], w->store, twice, sum[d]);
        t = open_add_gluons(2, 2, t, terms[OPEN_CC], w->store, twice, sum[d]);
        t = open_add_pairs(masked, t, terms[OPEN_PAIR_MINUS], w->store, source[d]);
        for (int a = 0; a < 2; a++) source[d][a] = quark_opposite(source[d][a]);
        t = open_add_pairs(masked, t, terms[OPEN_PAIR_PLUS], w->store, source[d]);
    }
    for (int a = 0; a < 2; a++) {
        if (lists == 3) coherent_differ(sum, a);
        for (int d = 0; d < lists; d++) {
            sum[d][a] = light_total(sum[d][a], source[d][a]);
            if (lists == 3) sum[d][a] = light_total(sum[d][a], quark_opposite(source[(d + 1) % 3][a]));
        }
        open_finish_gluons(2, lists, w, &P, x->at, sum, a);
    }
}

/* s of a set. */
BG_FN real open_sign(const open_work *w, uint32_t set)
{
    real s = bg_real(0.);
    for (uint32_t left = set >> w->o->gluons; left; left &= left - 1) s = s + w->sign[bg_lowest(left)];
    return s;
}

BG_FN quark_sum open_add(const int parts, const open_work *w, const open_current *x, real s)
{
    const real zero = bg_real(0.);
    const open_term *t = w->s->term + x->first;
    const uint16_t *terms = x->terms[0];
    const quark_sum none = {{zero, zero}, {zero, zero}};
    const open_term *const complex_minus = t + terms[OPEN_R_MINUS], *const plus = complex_minus + terms[OPEN_C_MINUS],
                           *const complex_plus = plus + terms[OPEN_R_PLUS];
    quark_sum u = none;
    if (parts == 1) u = open_add_emissions(1, t, terms[OPEN_R_MINUS], w->store, s, u);
    u = open_add_emissions(2, complex_minus, terms[OPEN_C_MINUS], w->store, s, u);
    u = quark_reversed(u);
    if (parts == 1) u = open_add_emissions(1, plus, terms[OPEN_R_PLUS], w->store, s, u);
    return open_add_emissions(2, complex_plus, terms[OPEN_C_PLUS], w->store, s, u);
}

BG_FN void open_put_fermion(const int parts, const open_work *w, uint32_t number)
{
    const open_current *x = &w->s->current[number];
    const quark_set P = open_record(w->record, number);
    const real s = open_sign(w, x->set);
    quark_sum u = open_add(parts, w, x, s);
    if (open_is_quark(x->kind)) u = quark_reversed(u); /* xi = -1 */
    open_save_fermion(w->store, x->at, spinor_propagate(&u, &P, s), s);
}

/* ---- legs --------------------------------------------------------------------------------------------------------------------- */

/* The gluon at a place, part by part; on the diagonal its entries as well. */
BG_FN void open_put_leg(const open_work *w, const open_colors *c, const open_momenta *m, int parts, int place,
                        const shared_polarization *e)
{
    const real half = bg_real(0.5), minus = bg_select(m->first[place] > half, m->beam, m->minus[place]);
    const real inverse = bg_select(m->first[place] > half, bg_inverse(m->beam), m->inverse_minus[place]);
    const uint32_t slot = (uint32_t)(OPEN_GLUON_NUMBERS * parts), first = open_gluon_at(parts, place);
    for (int a = 0; a < parts; a++) {
        const uint32_t at = first + (uint32_t)(OPEN_GLUON_NUMBERS * a);
        const light_current g = light_gluon(m->p1[place], m->p2[place], e[a].a1, e[a].a2);
        open_save_gluon(w->store, at, g, minus, inverse);
        if (c->row[place] != c->col[place]) continue;
        open_save_gluon(w->store, at + slot, open_scaled(g, open_third() + open_third()), minus, inverse);
        open_save_gluon(w->store, at + 2 * slot, open_scaled(g, -open_third()), minus, inverse);
    }
}

BG_FN quark_spinor open_leg_spinor(const open_process *o, const open_momenta *m, int fermion, real s)
{
    const int leg = o->gluons + fermion;
    const real half = bg_real(0.5);
    const mask first = m->first[leg] > half;
    const quark_set q = {bg_select(first, m->beam, m->minus[leg]),
                         bg_select(first, bg_inverse(m->beam), m->inverse_minus[leg]), m->p1[leg], m->p2[leg],
                         bg_real(0.)};
    if (o->closes_on_gauge && fermion == 2 * o->lines - 1) return spinor_gauge();
    return spinor_leg(&q, s);
}

BG_FN void open_put_fermions(const open_work *w, const open_momenta *m)
{
    for (int f = 0; f < open_bits(w->o) - w->o->gluons; f++)
        open_save_fermion(w->store, open_fermion_at(w->o, w->s->parts, f), open_leg_spinor(w->o, m, f, w->sign[f]),
                          w->sign[f]);
}

/* ---- the amplitude -------------------------------------------------------------------------------------------------------------- */

/* Currents of gluons alone: they are the same for all chiralities. */
BG_FN void open_gluon_currents(const int parts, const open_work *w)
{
    for (uint32_t k = 0; k < w->s->gluons; k++) open_put_gluons(parts, w, k);
}

/* Currents with any of the fermions `turned`, for the chiralities that `sign` says. */
BG_FN void open_fermion_currents(const int parts, const open_work *w, const open_momenta *m, uint32_t turned)
{
    open_put_fermions(w, m);
    for (uint32_t k = w->s->gluons; k < w->s->currents; k++) {
        if (!((uint32_t)w->s->current[k].set >> w->o->gluons & turned)) continue;
        if (open_is_gluon(w->s->current[k].kind))
            open_put_mixed(w, k);
        else
            open_put_fermion(parts, w, k);
    }
}

/* The square of the amplitude for the chiralities that `sign` says. Currents without any of the fermions `turned` are there already. */
BG_FN real open_chirality_square(const int parts, const open_work *w, const open_momenta *m, uint32_t turned)
{
    const open_process *o = w->o;
    const open_schedule *s = w->s;
    const int closing = 2 * o->lines - 1;
    open_fermion_currents(parts, w, m, turned);
    const quark_sum u = open_add(parts, w, &s->closing, open_sign(w, s->closing.set));
    const quark_spinor c = open_leg_spinor(o, m, closing, w->sign[closing]);
    const quark_number a = spinor_close(0, &u, &c);
    return a.re * a.re + a.im * a.im;
}

/* Sums of products of sources and currents, of the real (r) and imaginary (i) parts of both. */
typedef struct open_products {
    real rr, ri, ir, ii;
} open_products;

/* Adds the products of a current with pairs of one color. */
BG_FN void open_add_closing(const spinor_products *pairs, real s, const real *store, open_products *sum)
{
    const spinor_source n = spinor_source_of(pairs, s, bg_real(-2.)); /* over the current's P-, which x has already */
    const coherent_state A = open_gluon(store, 0), B = open_gluon(store, OPEN_GLUON_NUMBERS);
    sum->rr = sum->rr + n.n1.re * A.c.a1 + n.n2.re * A.c.a2 + n.d.re * A.x;
    sum->ri = sum->ri + n.n1.re * B.c.a1 + n.n2.re * B.c.a2 + n.d.re * B.x;
    sum->ir = sum->ir + n.n1.im * A.c.a1 + n.n2.im * A.c.a2 + n.d.im * A.x;
    sum->ii = sum->ii + n.n1.im * B.c.a1 + n.n2.im * B.c.a2 + n.d.im * B.x;
}

/* One way to close the amplitude of two lines, with the sign of its fermions' order. */
BG_FN open_products open_close_way(const open_work *w, int way)
{
    const open_process *o = w->o;
    const open_schedule *s = w->s;
    const real zero = bg_real(0.);
    const uint32_t half = o->half[way], source = 15u ^ half;
    const real sign = w->sign[o->is_quark[bg_lowest(source)] ? bg_lowest(source) : 3];
    open_products sum = {zero, zero, zero, zero};
    for (uint32_t gluons = 0; gluons < 1u << o->gluons; gluons++) {
        const open_current *x = open_closing(o, s, way, gluons);
        const int lists = open_lists(x);
        const open_term *t = s->term + x->first;
        if (x->kind == COHERENT_NOTHING) continue;
        for (int d = 0; d < lists; d++) {
            spinor_products pairs = {{zero, zero}, {zero, zero}, {zero, zero}};
            const uint32_t at = x->at + (lists == 3 ? (uint32_t)(3 + d) * open_slot(1) : 0u);
            if (!(x->terms[d][OPEN_PAIR_MINUS] + x->terms[d][OPEN_PAIR_PLUS])) continue;
            t = open_add_products(t, x->terms[d][OPEN_PAIR_MINUS], w->store, &pairs);
            pairs = spinor_reversed(pairs);
            t = open_add_products(t, x->terms[d][OPEN_PAIR_PLUS], w->store, &pairs);
            open_add_closing(&pairs, sign, w->store + (size_t)at * OPEN_STRIDE, &sum);
        }
    }
    if (open_negative(o, half << o->gluons, source << o->gluons)) {
        const open_products r = {-sum.rr, -sum.ri, -sum.ir, -sum.ii};
        return r;
    }
    return sum;
}

/* The square of the amplitude of two lines for the chiralities that `sign` says: of identical flavors, ways count where both ends of
 * their lines have the same. */
BG_FN real open_two_lines_square(const int parts, const open_work *w, const open_momenta *m)
{
    real re = bg_real(0.), im = bg_real(0.);
    open_fermion_currents(parts, w, m, 15u);
    for (int way = 0; way < w->o->halves; way++) {
        const uint32_t half = w->o->half[way], rest = half & (half - 1);
        const mask counts = w->sign[bg_lowest(half)] + w->sign[bg_lowest(rest)] == bg_real(0.);
        const open_products a = open_close_way(w, way);
        re = re + bg_select(counts, a.rr - a.ii, bg_real(0.));
        im = im + bg_select(counts, a.ri + a.ir, bg_real(0.));
    }
    return re * re + im * im;
}

/* ... summed over half of all chiralities: those of both lines are the same, or opposite, where each way is a pattern by itself. */
BG_FN real open_two_lines_sum(const int parts, open_work *w, const open_momenta *m)
{
    real re = bg_real(0.), im = bg_real(0.), sum = bg_real(0.);
    for (int f = 0; f < 4; f++) w->sign[f] = bg_real(w->o->is_quark[f] ? 1. : -1.);
    open_fermion_currents(parts, w, m, 15u);
    for (int way = 0; way < w->o->halves; way++) {
        const open_products a = open_close_way(w, way);
        const real opposite_re = a.rr + a.ii, opposite_im = a.ri - a.ir;
        re = re + (a.rr - a.ii);
        im = im + (a.ri + a.ir);
        sum = sum + opposite_re * opposite_re + opposite_im * opposite_im;
    }
    return sum + re * re + im * im;
}

/* s of all fermions from the helicities of the lanes' events, one bit for each place of the subprocess: as outgoing ones, quarks have
 * helicity -chirality and antiquarks +chirality, and s is minus the helicity of both. Returns 0 in the lanes in which a flavor's
 * chiralities are not in balance, otherwise 1. */
BG_FN real open_put_signs(open_work *w, const uint32_t *configuration)
{
    const open_process *o = w->o;
    real allowed = bg_real(1.), net[OPEN_MOST_LINES];
    for (int f = 0; f < OPEN_MOST_LINES; f++) net[f] = bg_real(0.);
    for (int f = 0; f < 2 * o->lines; f++) {
        for (int l = 0; l < BG_LANES; l++)
            bg_set_lane(&w->sign[f], l, configuration[l] >> o->place[o->gluons + f] & 1u ? -1. : 1.);
        net[o->flavor[f]] = net[o->flavor[f]] + w->sign[f];
    }
    for (int f = 0; f < OPEN_MOST_LINES; f++) allowed = bg_select(net[f] == bg_real(0.), allowed, bg_real(0.));
    return allowed;
}

/* ---- events ------------------------------------------------------------------------------------------------------------------------ */

/* Numbers of one event that a caller lends: records, then what is used one after the other: paths, sums over sets, currents. */
BG_FN size_t open_work_reals(const open_process *o, int parts)
{
    const size_t paths = open_antenna_reals(o), sets = (size_t)OPEN_SET << open_outgoing_bits(o),
                 currents = open_most_numbers(o, parts);
    const size_t most = paths > sets ? paths : sets;
    return open_most_currents(o) * OPEN_RECORD + (most > currents ? most : currents);
}

/* Transverse polarization vectors of the gluons by number, from vectors by place of the subprocess, `parts` each. */
BG_FN void open_polarizations(const open_process *o, const bg_subprocess *s, const open_momenta *m, const vec4 *state,
                              int parts, shared_polarization *e)
{
    for (int g = 0; g < o->gluons; g++)
        for (int a = 0; a < parts; a++) {
            const int place = o->place[g];
            shared_polarization *to = &e[g * parts + a];
            if (s->incoming >> place & 1u)
                light_transverse(&m->frame, state[place * parts + a], &to->a1, &to->a2);
            else
                light_polarization(&m->frame, m->p1[g], m->p2[g], m->inverse_minus[g], state[place * parts + a],
                                   &to->a1, &to->a2);
        }
}

/* What the helicity axis asks for. */
typedef struct open_helicities {
    const shared_polarization *given; /* of the gluons, [gluon * parts + part]; NULL: a sum over two real states each */
    const uint32_t *configuration;    /* of each lane's fermions; NULL: a sum over the patterns of the process */
} open_helicities;

/* Polarization vectors of the gluons at their places. */
BG_FN void open_place_polarizations(const open_process *o, int parts, const open_flow *flow,
                                    const shared_polarization *from, shared_polarization *to)
{
    for (int k = 0; k < o->gluons; k++)
        for (int l = 0; l < BG_LANES; l++)
            for (int a = 0; a < parts; a++) {
                const shared_polarization *own = &from[flow[l].gluon[k] * parts + a];
                bg_set_lane(&to[k * parts + a].a1, l, bg_lane(own->a1, l));
                bg_set_lane(&to[k * parts + a].a2, l, bg_lane(own->a2, l));
            }
}

/* The square of the amplitude for the legs that are in their slots. */
BG_FN real open_sum_chiralities(const int parts, open_work *w, const open_momenta *m, const uint32_t *configuration)
{
    real sum = bg_real(0.);
    if (w->o->halves && !configuration) return open_two_lines_sum(parts, w, m);
    if (w->o->halves) return open_put_signs(w, configuration) * open_two_lines_square(parts, w, m);
    for (int k = 0; k < (configuration ? 1 : w->o->patterns); k++) {
        uint32_t pattern[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) pattern[l] = configuration ? configuration[l] : w->o->pattern[k];
        const real allowed = open_put_signs(w, pattern);
        sum = sum + allowed * open_chirality_square(parts, w, m, w->o->turned[k]);
    }
    return sum;
}

/* The squared amplitude of given colors, the gluons at the places that the flows say. The momenta are by number of the gluons. Where
 * chiralities are summed over, that is one half of them. */
BG_FN real open_colored_square(const int parts, const open_process *o, const open_colors *c, const open_schedule *s,
                               const open_momenta *m, const open_flow *flow, const open_helicities *h, real *memory,
                               bg_interrupt *interrupt)
{
    open_momenta placed;
    shared_polarization e[2 * BG_MAX_LETTERS];
    open_work w;
    w.o = o;
    w.s = s;
    w.record = memory;
    w.store = memory + open_most_currents(o) * OPEN_RECORD * OPEN_STRIDE;
    open_place_momenta(o, flow, m, &placed);
    open_tabulate(o, &placed, w.store);
    open_records(o, s, &placed, w.store, memory);
    if (h->given) open_place_polarizations(o, parts, flow, h->given, e);
    real sum = bg_real(0.);
    for (unsigned state = 0; state < (h->given ? 1u : 1u << o->gluons) && !coherent_stopped(interrupt, state);
         state++) {
        for (int k = 0; k < o->gluons; k++) {
            const double second = (double)(state >> k & 1u);
            const shared_polarization basis = {bg_real(1. - second), bg_real(second)};
            if (!h->given) e[k] = basis;
            open_put_leg(&w, c, &placed, parts, k, &e[k * parts]);
        }
        open_gluon_currents(parts, &w);
        sum = sum + open_sum_chiralities(parts, &w, &placed, h->configuration);
    }
    return sum;
}

/* ... of events of one group whose flows have one skeleton, times the weight of its colors. */
BG_FN real open_square(const int parts, const open_process *o, const open_colors *c, const open_schedule *s,
                       const open_antenna *antennas, const open_momenta *m, const open_flow *flow, real Z,
                       const open_helicities *h, real *memory, bg_interrupt *interrupt)
{
    open_antenna at_places;
    open_antenna_at_places(o, antennas, flow, &at_places);
    const real weight = open_weight(o, &at_places, c, s->reach, Z, memory);
    return weight * open_colored_square(parts, o, c, s, m, flow, h, memory, interrupt);
}

#endif
