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
 * Numbers of one event are OPEN_STRIDE apart, but for tuples of numbers: these are pairs 2 OPEN_STRIDE apart, which a GPU reads and writes
 * whole, so that the banks of its memory are all busy. What an item of each step is, a set, a current or a leg, has a function of its own, since a
 * GPU shares items among threads.
 */
#ifndef BG_AMPLITUDE_OPEN_H
#define BG_AMPLITUDE_OPEN_H

#include "amplitude/coherent.h"
#include "amplitude/spinor.h"
#include "color/open_schedule.h"

/* ---- tuples -------------------------------------------------------------------------------------------------------------- */

/* So many numbers as a tuple takes, and where number c is. */
#define OPEN_TUPLE(numbers) (OPEN_STRIDE > 1 ? ((numbers) + 1) / 2 * 2 : (numbers))
BG_FN size_t open_in_tuple(int c) { return (size_t)(c / 2) * (2 * OPEN_STRIDE) + (size_t)(c % 2); }

typedef struct open_two {
    real first, second;
} open_two;

BG_FN open_two open_load_two(const real *tuple, int c)
{
    const real *at = tuple + open_in_tuple(c);
#if defined(__CUDA_ARCH__)
    const double2 v = *(const double2 *)at;
    const open_two r = {v.x, v.y};
#else
    const open_two r = {at[0], at[1]};
#endif
    return r;
}

BG_FN void open_save_two(real *tuple, int c, real first, real second)
{
    real *at = tuple + open_in_tuple(c);
#if defined(__CUDA_ARCH__)
    *(double2 *)at = make_double2(first, second);
#else
    at[0] = first;
    at[1] = second;
#endif
}

/* ---- momenta ------------------------------------------------------------------------------------------------------------ */

/* Numbers of a leg: those of a beam are 0. */
enum {
    LEG_P1,
    LEG_P2,
    LEG_MINUS,
    LEG_INVERSE_MINUS,
    LEG_PLUS,
    OPEN_LEG = OPEN_TUPLE(5),
    OPEN_LEGS = OPEN_LEG * BG_MAX_LEGS
};

typedef struct open_leg {
    real p1, p2, minus, inverse_minus, plus;
} open_leg;

/* Legs in the order of open_process: first the gluons, by number or by place, then the fermions. */
typedef struct open_momenta {
    real *leg;          /* [leg][number], which the caller lends */
    mask first, second; /* sets: the beam opposite to the gauge vector, and that of the gauge vector */
    real beam;          /* p- of the first one */
    real unit;          /* one over the product of the beams */
    light_frame frame;
} open_momenta;

BG_FN open_leg open_leg_of(const open_momenta *m, int k)
{
    const real *leg = m->leg + (size_t)k * OPEN_LEG * OPEN_STRIDE;
    const open_two p = open_load_two(leg, LEG_P1), minus = open_load_two(leg, LEG_MINUS);
    const open_leg r = {p.first, p.second, minus.first, minus.second, leg[open_in_tuple(LEG_PLUS)]};
    return r;
}

/* From the momentum of an outgoing one. */
BG_FN void open_load_leg(const light_frame *frame, vec4 opposite, vec4 p, real *leg)
{
    const vec4 both[2] = {opposite, p};
    shared_gluons g;
    shared_gluon_momenta(1, frame, both, &g);
    open_save_two(leg, LEG_P1, g.p1[0], g.p2[0]);
    open_save_two(leg, LEG_MINUS, g.minus[0], g.inverse_minus[0]);
    leg[open_in_tuple(LEG_PLUS)] = g.plus[0];
}

BG_FN void open_load_beam(real *leg)
{
    const real zero = bg_real(0.);
    open_save_two(leg, LEG_P1, zero, zero);
    open_save_two(leg, LEG_MINUS, zero, zero);
    leg[open_in_tuple(LEG_PLUS)] = zero;
}

/* p- of the first beam: what the outgoing legs have together. */
BG_FN real open_beam(const open_process *o, const open_momenta *m)
{
    real beam = bg_real(0.);
    for (int k = 0; k < o->legs; k++)
        beam = beam - m->leg[(size_t)k * OPEN_LEG * OPEN_STRIDE + open_in_tuple(LEG_MINUS)];
    return beam;
}

/* From momenta by place of the subprocess, all taken as outgoing, to the numbers at m->leg. */
BG_FN void open_load(const open_process *o, const bg_subprocess *s, const vec4 *p, open_momenta *m)
{
    uint32_t first = 0, second = 0;
    m->frame = light_frame_of(p[s->opposite], p[s->gauge]);
    m->unit = bg_inverse(dot(p[s->opposite], p[s->gauge]));
    for (int k = 0; k < o->legs; k++) {
        const int place = o->place[k];
        real *leg = m->leg + (size_t)k * OPEN_LEG * OPEN_STRIDE;
        first |= (place == s->opposite ? 1u : 0u) << k;
        second |= (place == s->gauge ? 1u : 0u) << k;
        if (s->incoming >> place & 1u)
            open_load_beam(leg);
        else
            open_load_leg(&m->frame, p[s->opposite], p[place], leg);
    }
    for (int l = 0; l < BG_LANES; l++) {
        bg_set_lane_bits(&m->first, l, first);
        bg_set_lane_bits(&m->second, l, second);
    }
    m->beam = open_beam(o, m);
}

/* The product of two outgoing legs; 0 with a beam. */
BG_FN real open_product(const open_momenta *m, int i, int j)
{
    const open_leg p = open_leg_of(m, i), q = open_leg_of(m, j);
    const real x = p.p1 * q.minus - q.p1 * p.minus, y = p.p2 * q.minus - q.p2 * p.minus;
    return bg_real(0.5) * (x * x + y * y) * (p.inverse_minus * q.inverse_minus);
}

/* The absolute product of any two legs, in units of that of the beams, from that of outgoing ones where it is known already. Which legs are
 * beams is the same in all lanes here. */
BG_FN real open_invariant(const open_momenta *m, int i, int j, const real *product)
{
    const uint32_t second = bg_lane_bits(&m->second, 0), beams = bg_lane_bits(&m->first, 0) | second;
    const uint32_t in_i = beams >> i & 1u, in_j = beams >> j & 1u;
    if (in_i && in_j) return bg_real(1.);
    if (!in_i && !in_j) return (product ? *product : open_product(m, i, j)) * m->unit;
    const open_leg leg = open_leg_of(m, in_i ? j : i);
    return bg_abs(second >> (in_i ? i : j) & 1u ? leg.minus * m->unit : leg.plus);
}

/* What antennas have of two legs, i behind j. */
BG_FN void open_antenna_of(const open_process *o, const open_momenta *m, int i, int j, const real *product, real *a)
{
    const int n = o->gluons, f = i - n, g = j - n, is_quark = f < 0 || o->is_quark[f]; /* antiquarks come last */
    if (g >= 0 && is_quark == o->is_quark[g]) return;
    const real invariant = open_invariant(m, is_quark ? i : j, is_quark ? j : i, product);
    if (g >= 0) {
        a[open_ends_at(o, o->line[is_quark ? f : g], o->line[is_quark ? g : f])] = invariant;
    } else if (f >= 0) {
        a[is_quark ? open_start_at(o, o->line[f], j) : open_stop_at(o, o->line[f], j)] = bg_inverse(invariant);
    } else {
        a[open_step_at(o, i, j)] = a[open_step_at(o, j, i)] = bg_inverse(invariant);
    }
}

BG_FN void open_antennas(const open_process *o, const open_momenta *m, real *a)
{
    for (int i = 1; i < o->legs; i++)
        for (int j = 0; j < i; j++) open_antenna_of(o, m, i, j, NULL, a);
}

/* The gluons at their places, whose numbers go to to->leg. */
BG_FN void open_place_momenta(const open_process *o, const open_flow *flow, const open_momenta *from, open_momenta *to)
{
    const uint32_t gluons = (1u << o->gluons) - 1u;
    real *leg = to->leg;
    *to = *from;
    to->leg = leg;
    for (int k = o->gluons * OPEN_LEG; k < o->legs * OPEN_LEG; k++) leg[k] = from->leg[k];
    for (int l = 0; l < BG_LANES; l++) {
        const uint32_t first = bg_lane_bits(&from->first, l), second = bg_lane_bits(&from->second, l);
        uint32_t first_to = first & ~gluons, second_to = second & ~gluons;
        for (int k = 0; k < o->gluons; k++) {
            const int g = flow[l].gluon[k];
            first_to |= (first >> g & 1u) << k;
            second_to |= (second >> g & 1u) << k;
            for (int c = 0; c < OPEN_LEG; c++)
                bg_set_lane(&leg[k * OPEN_LEG + c], l, bg_lane(from->leg[g * OPEN_LEG + c], l));
        }
        bg_set_lane_bits(&to->first, l, first_to);
        bg_set_lane_bits(&to->second, l, second_to);
    }
}

/* ---- sets ----------------------------------------------------------------------------------------------------------------- */

/* Sums over the outgoing legs of a set: p-, p1, p2, products with one another, p+, and products with the leg that closes, which are not needed
 * where that is the gauge vector. */
enum { SET_MINUS, SET_P1, SET_P2, SET_PAIRS, SET_PLUS, SET_CLOSING, OPEN_SET };
enum { OPEN_RECORD = OPEN_TUPLE(5) }; /* p-, 1/p-, p1, p2, 1/P^2 */

/* Products of two legs, the larger number first. */
BG_FN size_t open_product_at(int k, int j) { return (size_t)(k * (k - 1) / 2 + j) * OPEN_STRIDE; }
BG_FN size_t open_product_reals(const open_process *o) { return (size_t)(o->legs * (o->legs - 1) / 2); }

BG_FN void open_tabulate_none(real *table)
{
    const real zero = bg_real(0.);
    for (int c = 0; c < OPEN_SET; c += 2) open_save_two(table, c, zero, zero);
}

/* A set from that without its lowest leg. */
BG_FN void open_tabulate_set(const open_process *o, const open_momenta *m, const real *product, real *table,
                             uint32_t set)
{
    const uint32_t rest = set & (set - 1);
    const int k = bg_lowest(set);
    const open_leg leg = open_leg_of(m, k);
    const real *from = table + (size_t)rest * (OPEN_SET * OPEN_STRIDE);
    real *to = table + (size_t)set * (OPEN_SET * OPEN_STRIDE);
    const open_two minus = open_load_two(from, SET_MINUS), p2 = open_load_two(from, SET_P2),
                   plus = open_load_two(from, SET_PLUS);
    real square = p2.second;
    for (uint32_t left = rest; left; left &= left - 1) square = square + product[open_product_at(bg_lowest(left), k)];
    open_save_two(to, SET_MINUS, minus.first + leg.minus, minus.second + leg.p1);
    open_save_two(to, SET_P2, p2.first + leg.p2, square);
    if (o->closes_on_gauge)
        to[open_in_tuple(SET_PLUS)] = plus.first + leg.plus;
    else
        open_save_two(to, SET_PLUS, plus.first + leg.plus,
                      plus.second + product[open_product_at(open_outgoing_bits(o), k)]);
}

BG_FN void open_tabulate(const open_process *o, const open_momenta *m, real *table)
{
    const int bits = open_outgoing_bits(o);
    real product[BG_MAX_LEGS * (BG_MAX_LEGS - 1) / 2];
    for (int k = 1; k <= bits; k++)
        for (int j = 0; j < k; j++) product[open_product_at(k, j)] = open_product(m, k, j);
    open_tabulate_none(table);
    for (uint32_t set = 1; set < 1u << bits; set++) open_tabulate_set(o, m, product, table, set);
}

BG_FN quark_set open_set(const open_process *o, const open_momenta *m, const real *table, uint32_t set)
{
    const int bits = open_outgoing_bits(o);
    const uint32_t all = (1u << bits) - 1u;
    const open_leg closing = open_leg_of(m, bits);
    const real *own = table + (size_t)set * (OPEN_SET * OPEN_STRIDE),
               *rest = table + (size_t)(all ^ set) * (OPEN_SET * OPEN_STRIDE);
    const open_two minus_p1 = open_load_two(own, SET_MINUS), p2_pairs = open_load_two(own, SET_P2);
    const real p1 = minus_p1.second, p2 = p2_pairs.first, own_plus = own[open_in_tuple(SET_PLUS)];
    const real own_minus = minus_p1.first, rest_minus = rest[open_in_tuple(SET_MINUS)] + closing.minus;
    const real transverse = p1 * p1 + p2 * p2;
    const mask first = bg_meets(m->first, set);
    real square = p2_pairs.second + p2_pairs.second;
    const real one_beam = (own_plus + own_plus) * rest_minus + transverse;
    if (o->closes_on_gauge) {
        square = bg_select(first, -one_beam, square);
    } else {
        const mask second = bg_meets(m->second, set);
        const open_two plus_closing = open_load_two(rest, SET_PLUS);
        const real rest_plus = plus_closing.first + closing.plus;
        const real rest_pairs = rest[open_in_tuple(SET_PAIRS)] + plus_closing.second;
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

/* The record of a current. */
BG_FN void open_put_record(const open_process *o, const open_momenta *m, const real *table, uint32_t set, real *to)
{
    const uint32_t all = (1u << o->legs) - 1u;
    /* it is in no sum: all other legs have the opposite momentum */
    const int closing = (int)(set >> open_outgoing_bits(o));
    quark_set q = open_set(o, m, table, closing ? all ^ set : set);
    if (closing) q = open_opposite(q);
    open_save_two(to, 0, q.minus, q.inverse_minus);
    open_save_two(to, 2, q.p1, q.p2);
    to[open_in_tuple(4)] = q.inverse_square;
}

BG_FN quark_set open_record(const real *record, uint32_t current)
{
    const real *r = record + (size_t)current * (OPEN_RECORD * OPEN_STRIDE);
    const open_two minus = open_load_two(r, 0), p = open_load_two(r, 2);
    const quark_set q = {minus.first, minus.second, p.first, p.second, r[open_in_tuple(4)]};
    return q;
}

/* ---- slots ------------------------------------------------------------------------------------------------------------------ */

BG_FN coherent_state open_gluon(const real *store, uint32_t at)
{
    const real *s = store + (size_t)at * OPEN_STRIDE;
    const open_two a = open_load_two(s, 0), z = open_load_two(s, 2), x = open_load_two(s, 4);
    const coherent_state r = {{a.first, a.second, z.first, z.second}, x.first, x.second};
    return r;
}

BG_FN void open_save_gluon(real *store, uint32_t at, light_current c, real minus, real inverse)
{
    real *s = store + (size_t)at * OPEN_STRIDE;
    open_save_two(s, 0, c.a1, c.a2);
    open_save_two(s, 2, c.psi, c.phi);
    open_save_two(s, 4, c.psi * inverse, minus);
}

BG_FN quark_spinor open_fermion(const real *store, uint32_t at)
{
    const real *f = store + (size_t)at * OPEN_STRIDE;
    const open_two x = open_load_two(f, 0), y = open_load_two(f, 2);
    const quark_spinor q = {{x.first, x.second}, {y.first, y.second}};
    return q;
}

BG_FN real open_fermion_sign(const real *store, uint32_t at)
{
    return store[(size_t)at * OPEN_STRIDE + open_in_tuple(4)];
}

BG_FN void open_save_fermion(real *store, uint32_t at, quark_spinor q, real s)
{
    real *f = store + (size_t)at * OPEN_STRIDE;
    open_save_two(f, 0, q.x.re, q.x.im);
    open_save_two(f, 2, q.y.re, q.y.im);
    f[open_in_tuple(4)] = s;
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
        const real s = open_fermion_sign(store, t->left);
        if (identical) { /* nothing where chiralities differ */
            const mask equal = s + open_fermion_sign(store, t->right) == bg_real(0.);
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

/* u and emissions of gluons with so many parts, of every `step`-th term. */
BG_FN_ONCE quark_sum open_add_emissions(const int parts, const open_term *t, const open_term *end, uint32_t step,
                                        const real *store, real s, quark_sum sum)
{
    quark_sum *u = &sum;
    BG_LOOP
    for (; t < end; t += step) {
        const quark_spinor q = open_fermion(store, t->left);
        const real *A = store + (size_t)t->right * OPEN_STRIDE, *B = A + OPEN_GLUON_NUMBERS * OPEN_STRIDE;
        const open_two a = open_load_two(A, 0);
        const real a2 = s * a.second, x = A[open_in_tuple(4)];
        if (parts == 1) {
            spinor_emit_eta1(&q, a.first, a2, u);
            spinor_emit_eta2(&q, a.first, a2, x + x, u);
        } else {
            const open_two b = open_load_two(B, 0);
            const real b2 = s * b.second, y = B[open_in_tuple(4)];
            spinor_emit_complex_eta1(&q, a.first, a2, b.first, b2, u);
            spinor_emit_complex_eta2(&q, a.first, a2, b.first, b2, x + x, y + y, u);
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
    mask negative; /* set of fermions whose s is -1, not 1 */
} open_work;

BG_FN real open_third(void) { return bg_real(1.) / bg_real(3.); }

/* The currents that `lists` sums of part a become, one or the three of a diagonal, and with these their thirds of differences. */
BG_FN void open_finish_gluons(const int parts, const int lists, const open_work *w, const quark_set *P, uint32_t at,
                              const light_sum *sum, int a)
{
    const uint32_t slot = (uint32_t)(OPEN_GLUON_NUMBERS * parts);
    light_current c[3];
    at += (uint32_t)(OPEN_GLUON_NUMBERS * a);
    BG_LAID_OUT
    for (int d = 0; d < 3; d++) {
        if (d >= lists) break;
        light_sum own = sum[d];
        own.d = own.d * P->inverse_minus;
        c[d] = light_propagate(own, P->p1, P->p2, P->inverse_square);
        open_save_gluon(w->store, at + (uint32_t)d * slot, c[d], P->minus, P->inverse_minus);
    }
    if (lists < 3) return;
    BG_LAID_OUT
    for (int d = 0; d < 3; d++)
        open_save_gluon(w->store, at + (uint32_t)(3 + d) * slot,
                        open_scaled(light_less(c[d], c[(d + 2) % 3]), open_third()), P->minus, P->inverse_minus);
}

/* Sums wait in slots of the current that they become. */
BG_FN void open_save_sum(real *store, uint32_t at, light_sum sum)
{
    real *s = store + (size_t)at * OPEN_STRIDE;
    open_save_two(s, 0, sum.n1, sum.n2);
    open_save_two(s, 2, sum.d, sum.w);
}

BG_FN light_sum open_saved_sum(const real *store, uint32_t at)
{
    const real *s = store + (size_t)at * OPEN_STRIDE;
    const open_two n = open_load_two(s, 0), d = open_load_two(s, 2);
    const light_sum sum = {n.first, n.second, d.first, d.second};
    return sum;
}

/* A gluon's current without fermions in it: `parts` of each. */
BG_FN void open_put_gluons(const int parts, const open_work *w, uint32_t number)
{
    const open_current *x = &w->s->current[number];
    const quark_set P = open_record(w->record, number);
    const int lists = x->kind == COHERENT_DIAGONAL ? 3 : 1, order = parts == 2 ? OPEN_CC : OPEN_RR;
    const uint32_t slot = (uint32_t)(OPEN_GLUON_NUMBERS * parts);
    const real twice = P.minus + P.minus;
    const open_term *t = w->s->term + x->first;
    BG_LOOP
    for (int d = 0; d < lists; d++) {
        light_sum sum[2];
        sum[0] = sum[1] = light_zero();
        t = open_add_gluons(parts, parts, t, x->terms[d][order], w->store, twice, sum);
        for (int a = 0; a < parts; a++) {
            if (lists == 3)
                open_save_sum(w->store, x->at + (uint32_t)d * slot + (uint32_t)(OPEN_GLUON_NUMBERS * a), sum[a]);
            else
                open_finish_gluons(parts, 1, w, &P, x->at, &sum[a], a);
        }
    }
    BG_LOOP
    for (int a = 0; a < parts && lists == 3; a++) {
        light_sum sum[3][2], own[3];
        BG_LAID_OUT
        for (int d = 0; d < 3; d++)
            sum[d][0] = open_saved_sum(w->store, x->at + (uint32_t)d * slot + (uint32_t)(OPEN_GLUON_NUMBERS * a));
        coherent_differ(sum, 0);
        BG_LAID_OUT
        for (int d = 0; d < 3; d++) own[d] = sum[d][0];
        open_finish_gluons(parts, 3, w, &P, x->at, own, a);
    }
}

/* ... with fermions: complex, with sources of pairs. */
BG_FN void open_put_mixed(const open_work *w, uint32_t number)
{
    const open_current *x = &w->s->current[number];
    const quark_set P = open_record(w->record, number);
    const int lists = x->kind == COHERENT_DIAGONAL ? 3 : 1;
    const int masked = w->o->identical && !w->o->halves; /* of two lines, whole ways to close the amplitude are */
    const uint32_t slot = open_slot(1);
    const real twice = P.minus + P.minus;
    const open_term *t = w->s->term + x->first;
    BG_LOOP
    for (int d = 0; d < lists; d++) {
        const uint16_t *terms = x->terms[d];
        light_sum sum[2], source[2];
        sum[0] = sum[1] = source[0] = source[1] = light_zero();
        t = open_add_gluons(1, 1, t, terms[OPEN_RR], w->store, twice, sum);
        t = open_add_gluons(1, 2, t, terms[OPEN_RC], w->store, twice, sum);
        t = open_add_gluons(2, 1, t, terms[OPEN_CR], w->store, twice, sum);
        t = open_add_gluons(2, 2, t, terms[OPEN_CC], w->store, twice, sum);
        t = open_add_pairs(masked, t, terms[OPEN_PAIR_MINUS], w->store, source);
        for (int a = 0; a < 2; a++) source[a] = quark_opposite(source[a]);
        t = open_add_pairs(masked, t, terms[OPEN_PAIR_PLUS], w->store, source);
        for (int a = 0; a < 2; a++) {
            const uint32_t at = x->at + (uint32_t)(OPEN_GLUON_NUMBERS * a);
            if (lists == 3) {
                open_save_sum(w->store, at + (uint32_t)d * slot, sum[a]);
                open_save_sum(w->store, at + (uint32_t)(3 + d) * slot, source[a]);
            } else {
                const light_sum total = light_total(sum[a], source[a]);
                open_finish_gluons(2, 1, w, &P, x->at, &total, a);
            }
        }
    }
    BG_LOOP
    for (int a = 0; a < 2 && lists == 3; a++) {
        const uint32_t at = x->at + (uint32_t)(OPEN_GLUON_NUMBERS * a);
        light_sum sum[3][2], source[3], own[3];
        BG_LAID_OUT
        for (int d = 0; d < 3; d++) {
            sum[d][0] = open_saved_sum(w->store, at + (uint32_t)d * slot);
            source[d] = open_saved_sum(w->store, at + (uint32_t)(3 + d) * slot);
        }
        coherent_differ(sum, 0);
        BG_LAID_OUT
        for (int d = 0; d < 3; d++)
            own[d] = light_total(light_total(sum[d][0], source[d]), quark_opposite(source[(d + 1) % 3]));
        open_finish_gluons(2, 3, w, &P, x->at, own, a);
    }
}

/* s of a set of fermions. */
BG_FN real open_sign(const open_work *w, uint32_t fermions)
{
    real s = bg_real(0.);
    for (uint32_t left = fermions; left; left &= left - 1)
        s = s + bg_select(bg_meets(w->negative, left & (0u - left)), bg_real(-1.), bg_real(1.));
    return s;
}

/* What every `step`-th term of a fermion's current adds up to, from `first` on in each list. */
BG_FN quark_sum open_add(const int parts, const open_work *w, const open_current *x, real s, uint32_t first,
                         uint32_t step)
{
    const real zero = bg_real(0.);
    const uint16_t *terms = x->terms[0];
    const quark_sum none = {{zero, zero}, {zero, zero}};
    const open_term *const t = w->s->term + x->first, *const complex_minus = t + terms[OPEN_R_MINUS],
                           *const plus = complex_minus + terms[OPEN_C_MINUS],
                           *const complex_plus = plus + terms[OPEN_R_PLUS],
                           *const end = complex_plus + terms[OPEN_C_PLUS];
    quark_sum u = none;
    if (parts == 1) u = open_add_emissions(1, t + first, complex_minus, step, w->store, s, u);
    u = open_add_emissions(2, complex_minus + first, plus, step, w->store, s, u);
    u = quark_reversed(u);
    if (parts == 1) u = open_add_emissions(1, plus + first, complex_plus, step, w->store, s, u);
    return open_add_emissions(2, complex_plus + first, end, step, w->store, s, u);
}

BG_FN void open_put_fermion(const int parts, const open_work *w, uint32_t number)
{
    const open_current *x = &w->s->current[number];
    const quark_set P = open_record(w->record, number);
    const real s = open_sign(w, (uint32_t)x->set >> w->o->gluons);
    quark_sum u = open_add(parts, w, x, s, 0, 1);
    if (open_is_quark(x->kind)) u = quark_reversed(u); /* xi = -1 */
    open_save_fermion(w->store, x->at, spinor_propagate(&u, &P, s), s);
}

/* ---- legs --------------------------------------------------------------------------------------------------------------------- */

/* The gluon at a place, part by part; on the diagonal its entries as well. */
BG_FN void open_put_leg(const open_work *w, const open_colors *c, const open_momenta *m, int parts, int place,
                        const shared_polarization *e)
{
    const open_leg leg = open_leg_of(m, place);
    const mask beam = bg_meets(m->first, 1u << place);
    const real minus = bg_select(beam, m->beam, leg.minus);
    const real inverse = bg_select(beam, bg_inverse(m->beam), leg.inverse_minus);
    const uint32_t slot = (uint32_t)(OPEN_GLUON_NUMBERS * parts), first = open_gluon_at(parts, place);
    for (int a = 0; a < parts; a++) {
        const uint32_t at = first + (uint32_t)(OPEN_GLUON_NUMBERS * a);
        const light_current g = light_gluon(leg.p1, leg.p2, e[a].a1, e[a].a2);
        open_save_gluon(w->store, at, g, minus, inverse);
        if (c->row[place] != c->col[place]) continue;
        open_save_gluon(w->store, at + slot, open_scaled(g, open_third() + open_third()), minus, inverse);
        open_save_gluon(w->store, at + 2 * slot, open_scaled(g, -open_third()), minus, inverse);
    }
}

BG_FN quark_spinor open_leg_spinor(const open_process *o, const open_momenta *m, int fermion, real s)
{
    const open_leg leg = open_leg_of(m, o->gluons + fermion);
    const mask first = bg_meets(m->first, 1u << (o->gluons + fermion));
    const quark_set q = {bg_select(first, m->beam, leg.minus), bg_select(first, bg_inverse(m->beam), leg.inverse_minus),
                         leg.p1, leg.p2, bg_real(0.)};
    if (o->closes_on_gauge && fermion == 2 * o->lines - 1) return spinor_gauge();
    return spinor_leg(&q, s);
}

BG_FN void open_put_fermion_leg(const open_work *w, const open_momenta *m, int fermion)
{
    const real s = open_sign(w, 1u << fermion);
    open_save_fermion(w->store, open_fermion_at(w->o, w->s->parts, fermion), open_leg_spinor(w->o, m, fermion, s), s);
}

/* Fermions that are no closing leg. */
BG_FN int open_inner_fermions(const open_process *o) { return open_bits(o) - o->gluons; }

/* ---- the amplitude -------------------------------------------------------------------------------------------------------------- */

/* Currents of gluons alone: they are the same for all chiralities. */
BG_FN void open_gluon_currents(const int parts, const open_work *w)
{
    for (uint32_t k = 0; k < w->s->gluons; k++) open_put_gluons(parts, w, k);
}

/* Currents with any of the fermions `turned`, for the chiralities that `negative` says. */
BG_FN void open_fermion_currents(const int parts, const open_work *w, const open_momenta *m, uint32_t turned)
{
    for (int f = 0; f < open_inner_fermions(w->o); f++) open_put_fermion_leg(w, m, f);
    for (uint32_t k = w->s->gluons; k < w->s->currents; k++) {
        if (!((uint32_t)w->s->current[k].set >> w->o->gluons & turned)) continue;
        if (open_is_gluon(w->s->current[k].kind))
            open_put_mixed(w, k);
        else
            open_put_fermion(parts, w, k);
    }
}

/* What every `step`-th term that closes the amplitude on a fermion adds up to, and the square of the amplitude from all of them. */
BG_FN quark_sum open_closing_sum(const int parts, const open_work *w, uint32_t first, uint32_t step)
{
    const open_current *x = open_closing(w->o, w->s, 0, 0);
    return open_add(parts, w, x, open_sign(w, (uint32_t)x->set >> w->o->gluons), first, step);
}

BG_FN real open_closing_square(const open_work *w, const open_momenta *m, const quark_sum *u)
{
    const int closing = 2 * w->o->lines - 1;
    const quark_spinor c = open_leg_spinor(w->o, m, closing, open_sign(w, 1u << closing));
    const quark_number a = spinor_close(0, u, &c);
    return a.re * a.re + a.im * a.im;
}

/* ... for the chiralities that `negative` says. Currents without any of the fermions `turned` are there already. */
BG_FN real open_chirality_square(const int parts, const open_work *w, const open_momenta *m, uint32_t turned)
{
    open_fermion_currents(parts, w, m, turned);
    const quark_sum u = open_closing_sum(parts, w, 0, 1);
    return open_closing_square(w, m, &u);
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

BG_FN open_products open_no_products(void)
{
    const real zero = bg_real(0.);
    const open_products none = {zero, zero, zero, zero};
    return none;
}

/* Adds the source of a way to close the amplitude of two lines that has some of the gluons, times its current. */
BG_FN void open_close(const open_work *w, int way, uint32_t gluons, open_products *sum)
{
    const open_process *o = w->o;
    const open_current *x = open_closing(o, w->s, way, gluons);
    const real zero = bg_real(0.);
    if (x->kind == COHERENT_NOTHING) return;
    const int lists = open_lists(x);
    const uint32_t source = 15u ^ o->half[way];
    const real sign = open_sign(w, 1u << (o->is_quark[bg_lowest(source)] ? bg_lowest(source) : 3));
    const open_term *t = w->s->term + x->first;
    BG_LOOP
    for (int d = 0; d < lists; d++) {
        spinor_products pairs = {{zero, zero}, {zero, zero}, {zero, zero}};
        const uint32_t at = x->at + (lists == 3 ? (uint32_t)(3 + d) * open_slot(1) : 0u);
        if (!(x->terms[d][OPEN_PAIR_MINUS] + x->terms[d][OPEN_PAIR_PLUS])) continue;
        t = open_add_products(t, x->terms[d][OPEN_PAIR_MINUS], w->store, &pairs);
        pairs = spinor_reversed(pairs);
        t = open_add_products(t, x->terms[d][OPEN_PAIR_PLUS], w->store, &pairs);
        open_add_closing(&pairs, sign, w->store + (size_t)at * OPEN_STRIDE, sum);
    }
}

/* The sum of a way, with the sign of its fermions' order. */
BG_FN open_products open_signed_way(const open_process *o, int way, open_products sum)
{
    const uint32_t half = o->half[way], source = 15u ^ half;
    const open_products r = {-sum.rr, -sum.ri, -sum.ir, -sum.ii};
    return open_negative(o, half << o->gluons, source << o->gluons) ? r : sum;
}

/* The square of the amplitude of two lines from the sums of its ways, for the chiralities that `negative` says: of identical flavors, ways
 * count where both ends of their lines have the same. */
BG_FN real open_two_lines_square(const open_work *w, const open_products *sum)
{
    real re = bg_real(0.), im = bg_real(0.);
    BG_LAID_OUT
    for (int way = 0; way < 2; way++) {
        if (way >= w->o->halves) break;
        const mask counts = bg_abs(open_sign(w, w->o->half[way])) < bg_real(1.); /* -2, 0 or 2: gcc 12 fails at == 0 */
        const open_products a = open_signed_way(w->o, way, sum[way]);
        re = re + bg_select(counts, a.rr - a.ii, bg_real(0.));
        im = im + bg_select(counts, a.ri + a.ir, bg_real(0.));
    }
    return re * re + im * im;
}

/* ... summed over half of all chiralities: those of both lines are the same, or opposite, where each way is a pattern by itself. The
 * sums are those of open_put_signs_alike(). */
BG_FN real open_two_lines_sum(const open_process *o, const open_products *ways)
{
    real re = bg_real(0.), im = bg_real(0.), sum = bg_real(0.);
    BG_LAID_OUT
    for (int way = 0; way < 2; way++) {
        if (way >= o->halves) break;
        const open_products a = open_signed_way(o, way, ways[way]);
        const real opposite_re = a.rr + a.ii, opposite_im = a.ri - a.ir;
        re = re + (a.rr - a.ii);
        im = im + (a.ri + a.ir);
        sum = sum + opposite_re * opposite_re + opposite_im * opposite_im;
    }
    return sum + re * re + im * im;
}

BG_FN void open_put_signs_alike(open_work *w)
{
    uint32_t antiquarks = 0;
    for (int i = 0; i < w->o->lines; i++) antiquarks |= 1u << w->o->antiquark[i];
    for (int l = 0; l < BG_LANES; l++) bg_set_lane_bits(&w->negative, l, antiquarks);
}

/* s of all fermions from the helicities of the lanes' events, one bit for each place of the subprocess: as outgoing ones, quarks have
 * helicity -chirality and antiquarks +chirality, and s is minus the helicity of both. Returns 0 in the lanes in which a flavor's
 * chiralities are not in balance, otherwise 1. */
BG_FN real open_put_signs(open_work *w, const uint32_t *configuration)
{
    const open_process *o = w->o;
    real allowed;
    for (int l = 0; l < BG_LANES; l++) {
        uint32_t negative = 0;
        int balanced = 1;
        for (int f = 0; f < 2 * o->lines; f++) negative |= (configuration[l] >> o->place[o->gluons + f] & 1u) << f;
        for (int k = 0; k < OPEN_MOST_LINES; k++)
            balanced &= 2 * bg_members(negative & o->of_flavor[k]) == bg_members(o->of_flavor[k]);
        bg_set_lane_bits(&w->negative, l, negative);
        bg_set_lane(&allowed, l, balanced ? 1. : 0.);
    }
    return allowed;
}

/* ---- events ------------------------------------------------------------------------------------------------------------------------ */

/* Numbers of one event that a caller lends: records, then what is used one after the other: paths, sums over sets, currents. */
BG_FN size_t open_work_reals(const open_process *o, int parts)
{
    const size_t paths = open_flow_reals(o), sets = (size_t)OPEN_SET << open_outgoing_bits(o),
                 currents = open_most_numbers(o, parts);
    const size_t most = paths > sets ? paths : sets;
    return open_most_currents(o) * OPEN_RECORD + (most > currents ? most : currents);
}

/* The transverse polarization vector of a gluon, which is in place `place` of the subprocess. */
BG_FN shared_polarization open_polarization(const bg_subprocess *s, const light_frame *frame, const open_leg *leg,
                                            int place, vec4 state)
{
    shared_polarization e;
    if (s->incoming >> place & 1u)
        light_transverse(frame, state, &e.a1, &e.a2);
    else
        light_polarization(frame, leg->p1, leg->p2, leg->inverse_minus, state, &e.a1, &e.a2);
    return e;
}

/* Those of the gluons by number, from vectors by place of the subprocess, `parts` each. */
BG_FN void open_polarizations(const open_process *o, const bg_subprocess *s, const open_momenta *m, const vec4 *state,
                              int parts, shared_polarization *e)
{
    for (int g = 0; g < o->gluons; g++) {
        const open_leg leg = open_leg_of(m, g);
        for (int a = 0; a < parts; a++) {
            const int place = o->place[g];
            e[g * parts + a] = open_polarization(s, &m->frame, &leg, place, state[place * parts + a]);
        }
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

/* The square of the amplitude of two lines for the legs that are in their slots. */
BG_FN real open_two_lines(const int parts, open_work *w, const open_momenta *m, const uint32_t *configuration)
{
    open_products way[2] = {open_no_products(), open_no_products()};
    real allowed = bg_real(1.);
    if (configuration)
        allowed = open_put_signs(w, configuration);
    else
        open_put_signs_alike(w);
    open_fermion_currents(parts, w, m, 15u);
    for (int k = 0; k < w->o->halves; k++)
        for (uint32_t gluons = 0; gluons < 1u << w->o->gluons; gluons++) open_close(w, k, gluons, &way[k]);
    return configuration ? allowed * open_two_lines_square(w, way) : open_two_lines_sum(w->o, way);
}

/* ... of any process. */
BG_FN real open_sum_chiralities(const int parts, open_work *w, const open_momenta *m, const uint32_t *configuration)
{
    real sum = bg_real(0.);
    if (w->o->halves) return open_two_lines(parts, w, m, configuration);
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
    real legs[OPEN_LEGS];
    shared_polarization e[2 * BG_MAX_LETTERS];
    open_work w;
    placed.leg = legs;
    w.o = o;
    w.s = s;
    w.record = memory;
    w.store = memory + open_most_currents(o) * OPEN_RECORD * OPEN_STRIDE;
    open_place_momenta(o, flow, m, &placed);
    open_tabulate(o, &placed, w.store);
    for (uint32_t k = 0; k < s->currents; k++)
        open_put_record(o, &placed, w.store, s->current[k].set, memory + (size_t)k * OPEN_RECORD * OPEN_STRIDE);
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
                       const real *antennas, const open_momenta *m, const open_flow *flow, real Z,
                       const open_helicities *h, real *memory, bg_interrupt *interrupt)
{
    real at_places[OPEN_MOST_ANTENNAS];
    const open_sums sums = open_sums_in(o, memory);
    open_antenna_at_places(o, antennas, flow, at_places);
    const real weight = open_weight(o, Z, open_flows(o, at_places, c, s->reach, &sums));
    return weight * open_colored_square(parts, o, c, s, m, flow, h, memory, interrupt);
}

#endif
