/* Executes a list of vertices (tape.h) in light-cone gauge for one register of events: one pattern of chiralities, one
 * polarization vector of every gluon.
 *
 * The gauge vector Q is the momentum of the second incoming parton, R that of the first one, whatever they are and whichever
 * leg closes. Components are those of lightcone.h. A massless quark is two complex numbers: y, which propagates, and x, which
 * is constrained as X+ of a gluon is. With V_s = V1 + i s V2, s = chirality for currents that start at a quark and -chirality
 * for those that start at an antiquark, and xi = -1 and +1 for the two,
 *
 *     vertex      eta1 = - sum A_s y ,      eta2 = sum ( 2 A+ y - A_{-s} x )                  A+ = psi / p-
 *     propagate   y = xi ( P_{-s} eta1 + P- eta2 ) / P^2 ,   x = ( xi eta1 + P_s y ) / P-
 *     leg         y = sqrt|p-| ,  x = P_s y / p-             (the leg with momentum Q: y = 0, x = sqrt|2 p+| = sqrt(2))
 *     close       eta1 x_c + eta2 y_c
 *
 * and a pair, quark b and antiquark k, is a source of a gluon current:
 *
 *     n1 += x_b y_k + y_b x_k ,    n2 += -i s ( x_b y_k - y_b x_k ) ,    d += 2 y_b y_k / P- .
 *
 * Momenta of sets have terms of one sign only. With O the outgoing legs of a set and O' those that are not in it,
 *
 *     set contains    p-            P^2
 *     no beam         sum_O p-      2 sum pi.pj, pairs in O
 *     first beam      -sum_O' p-    -(2 O+ O'- + O_T^2)
 *     second beam     sum_O p-      -(2 O'+ O- + O_T^2)
 *     both            -sum_O' p-    2 sum pi.pj, pairs in O' .
 */
#ifndef BG_AMPLITUDE_QUARKS_H
#define BG_AMPLITUDE_QUARKS_H

#include "amplitude/shared.h"
#include "amplitude/tape.h"
#include "base/constants.h"

typedef struct quark_number {
    real re, im;
} quark_number;

/* Real and imaginary part of a current (the parts of shared.h). Of a quark's, x is in a1 and y in a2. */
typedef struct quark_current {
    light_current part[2];
} quark_current;

/* Of a set of legs. Where p- vanishes, for the second beam alone, its inverse is 0 as well. */
typedef struct quark_set {
    real minus, inverse_minus, p1, p2, inverse_square;
} quark_set;

/* The legs of one register of events. */
typedef struct quark_legs {
    int n_out;
    uint8_t place[BG_MAX_LETTERS]; /* of outgoing leg k below */
    shared_gluons outgoing;
    real beams; /* Q.R */
} quark_legs;

/* ---- complex numbers ---------------------------------------------------------------------------------------------- */

BG_FN quark_number quark_zero(void)
{
    const quark_number z = {bg_real(0.), bg_real(0.)};
    return z;
}

BG_FN quark_number quark_plus(quark_number a, quark_number b)
{
    const quark_number z = {a.re + b.re, a.im + b.im};
    return z;
}

BG_FN quark_number quark_minus(quark_number a, quark_number b)
{
    const quark_number z = {a.re - b.re, a.im - b.im};
    return z;
}

BG_FN quark_number quark_times(quark_number a, quark_number b)
{
    const quark_number z = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return z;
}

BG_FN quark_number quark_scale(real c, quark_number a)
{
    const quark_number z = {c * a.re, c * a.im};
    return z;
}

/* a + i s b */
BG_FN quark_number quark_turned(quark_number a, real s, quark_number b)
{
    const quark_number z = {a.re - s * b.im, a.im + s * b.re};
    return z;
}

BG_FN quark_number quark_number_of(real re, real im)
{
    const quark_number z = {re, im};
    return z;
}

BG_FN quark_number quark_a1(const quark_current *c) { return quark_number_of(c->part[0].a1, c->part[1].a1); }
BG_FN quark_number quark_a2(const quark_current *c) { return quark_number_of(c->part[0].a2, c->part[1].a2); }
BG_FN quark_number quark_psi(const quark_current *c) { return quark_number_of(c->part[0].psi, c->part[1].psi); }

/* The current of a quark. */
BG_FN quark_current quark_spinor(quark_number x, quark_number y)
{
    const real zero = bg_real(0.);
    const quark_current c = {{{x.re, y.re, zero, zero}, {x.im, y.im, zero, zero}}};
    return c;
}

/* ---- momenta -------------------------------------------------------------------------------------------------------- */

/* p by place, all outgoing. */
BG_FN void quark_legs_of(const bg_subprocess *s, const vec4 *p, quark_legs *legs)
{
    vec4 ordered[BG_MAX_LEGS];
    legs->n_out = 0;
    ordered[0] = p[s->opposite];
    for (int k = 0; k < s->n; k++) {
        if (k == s->gauge || k == s->opposite) continue;
        legs->place[legs->n_out++] = (uint8_t)k;
        ordered[legs->n_out] = p[k];
    }
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    shared_gluon_momenta(legs->n_out, &frame, ordered, &legs->outgoing);
    legs->beams = dot(p[s->opposite], p[s->gauge]);
}

/* Sum of 2 pi.pj over the pairs of outgoing legs that are in the set, or that are not. */
BG_FN real quark_pairs(const quark_legs *legs, uint32_t set, uint32_t in)
{
    real sum = bg_real(0.);
    for (int k = 1; k < legs->n_out; k++)
        for (int j = 0; j < k; j++)
            if ((set >> legs->place[k] & 1u) == in && (set >> legs->place[j] & 1u) == in)
                sum = sum + legs->outgoing.pair[k * legs->n_out + j];
    return sum + sum;
}

BG_FN quark_set quark_set_of(const bg_subprocess *s, const quark_legs *legs, uint32_t set)
{
    const real zero = bg_real(0.);
    const shared_gluons *g = &legs->outgoing;
    const uint32_t first = set >> s->opposite & 1u, second = set >> s->gauge & 1u;
    real plus[2] = {zero, zero}, minus[2] = {zero, zero};
    quark_set q = {zero, zero, zero, zero, zero};
    for (int k = 0; k < legs->n_out; k++) {
        const uint32_t in = set >> legs->place[k] & 1u;
        plus[in] = plus[in] + g->plus[k];
        minus[in] = minus[in] + g->minus[k];
        if (!in) continue;
        q.p1 = q.p1 + g->p1[k];
        q.p2 = q.p2 + g->p2[k];
    }
    q.minus = first ? -minus[0] : minus[1];
    if (set != 1u << s->gauge) q.inverse_minus = bg_inverse(q.minus);
    if (!(set & (set - 1u))) return q; /* a leg has no propagator */
    const real squares = q.p1 * q.p1 + q.p2 * q.p2;
    const real square = first == second ? quark_pairs(legs, set, !first)
                        : first         ? -(bg_real(2.) * plus[1] * minus[0] + squares)
                                        : -(bg_real(2.) * plus[0] * minus[1] + squares);
    q.inverse_square = bg_inverse(square);
    return q;
}

/* ---- currents ------------------------------------------------------------------------------------------------------- */

/* s of a current, from the chirality in its label (helicity/chirality.h). */
BG_FN double quark_sign(int kind, int label) { return (kind == TAPE_QUARK) == (label & 1) ? 1. : -1.; }

/* The external state of a leg; `a` are the transverse components of a gluon's polarization. */
BG_FN quark_current quark_leg(const bg_subprocess *s, const tape_legs *legs, int place, const quark_set *q,
                              const quark_number *a)
{
    if (legs->kind[place] == TAPE_GLUON) {
        const quark_current c = {
            {light_gluon(q->p1, q->p2, a[0].re, a[1].re), light_gluon(q->p1, q->p2, a[0].im, a[1].im)}};
        return c;
    }
    if (place == s->gauge) return quark_spinor(quark_number_of(bg_sqrt(bg_real(2.)), bg_real(0.)), quark_zero());
    const real y = bg_sqrt(bg_abs(q->minus)), x = y * q->inverse_minus;
    const real sign = bg_real(quark_sign(legs->kind[place], legs->label[place]));
    return quark_spinor(quark_number_of(x * q->p1, sign * x * q->p2), quark_number_of(y, bg_real(0.)));
}

/* What the terms of a current add up to: for a gluon n, d and w, real and imaginary parts; for a quark eta1 and eta2. */
typedef struct quark_sum {
    light_sum gluon[2];
    quark_number eta1, eta2;
} quark_sum;

/* Exchanging the two currents changes the sign. */
BG_FN void quark_add_gluons(quark_sum *u, const quark_current *A, const quark_current *B, const quark_set *a,
                            const quark_set *b, int negative, const quark_set *P)
{
    const real twice = P->minus + P->minus, one = bg_real(1.);
    const quark_set *l = negative ? b : a, *r = negative ? a : b;
    const light_split split = {.left = (negative ? B : A)->part,
                               .right = (negative ? A : B)->part,
                               .left_factor = twice * l->inverse_minus - one,
                               .right_factor = twice * r->inverse_minus - one,
                               .difference = (r->minus - l->minus) * P->inverse_minus};
    shared_add(2, &split, u->gluon);
}

BG_FN void quark_add_pair(quark_sum *u, const quark_current *A, const quark_current *B, real s, real c,
                          const quark_set *P)
{
    const quark_number xy = quark_scale(c, quark_times(quark_a1(A), quark_a2(B)));
    const quark_number yx = quark_scale(c, quark_times(quark_a2(A), quark_a1(B)));
    const quark_number n1 = quark_plus(xy, yx), n2 = quark_turned(quark_zero(), -s, quark_minus(xy, yx));
    const quark_number d = quark_scale((c + c) * P->inverse_minus, quark_times(quark_a2(A), quark_a2(B)));
    const light_sum re = {n1.re, n2.re, d.re, bg_real(0.)}, im = {n1.im, n2.im, d.im, bg_real(0.)};
    u->gluon[0] = light_total(u->gluon[0], re);
    u->gluon[1] = light_total(u->gluon[1], im);
}

BG_FN void quark_add_emission(quark_sum *u, const quark_current *A, const quark_current *B, const quark_set *b, real s,
                              real c)
{
    const quark_number x = quark_scale(c, quark_a1(A)), y = quark_scale(c, quark_a2(A));
    const quark_number twice_plus = quark_scale(b->inverse_minus + b->inverse_minus, quark_psi(B));
    u->eta1 = quark_minus(u->eta1, quark_times(quark_turned(quark_a1(B), s, quark_a2(B)), y));
    u->eta2 = quark_plus(
        u->eta2, quark_minus(quark_times(twice_plus, y), quark_times(quark_turned(quark_a1(B), -s, quark_a2(B)), x)));
}

/* Terms [first, first + terms) of a list; `row` says which set a current has. */
BG_FN quark_sum quark_add(const tape *t, const uint16_t *row, const quark_set *sets, const quark_current *current,
                          uint32_t first, uint32_t terms, const quark_set *P)
{
    quark_sum u = {{light_zero(), light_zero()}, quark_zero(), quark_zero()};
    for (uint32_t k = first; k < first + terms; k++) {
        const tape_term term = t->term[k];
        const tape_current *left = &t->current[term.left];
        const quark_current *A = &current[term.left], *B = &current[term.right];
        const quark_set *a = &sets[row[term.left]], *b = &sets[row[term.right]];
        const real c = bg_real(term.negative ? -1. : 1.), s = bg_real(quark_sign(left->kind, left->label));
        if (term.operation == TAPE_GLUONS)
            quark_add_gluons(&u, A, B, a, b, term.negative, P);
        else if (term.operation == TAPE_PAIR)
            quark_add_pair(&u, A, B, s, c, P);
        else
            quark_add_emission(&u, A, B, b, s, c);
    }
    return u;
}

BG_FN quark_current quark_propagate(const tape_current *c, const quark_sum *u, const quark_set *P)
{
    if (c->kind == TAPE_QUARK || c->kind == TAPE_ANTIQUARK) {
        const real s = bg_real(quark_sign(c->kind, c->label)), xi = bg_real(c->kind == TAPE_QUARK ? -1. : 1.);
        const quark_number against = {P->p1, -(s * P->p2)}, along = {P->p1, s * P->p2};
        const quark_number y = quark_scale(xi * P->inverse_square,
                                           quark_plus(quark_times(against, u->eta1), quark_scale(P->minus, u->eta2)));
        const quark_number x =
            quark_scale(P->inverse_minus, quark_plus(quark_scale(xi, u->eta1), quark_times(along, y)));
        return quark_spinor(x, y);
    }
    quark_current r;
    for (int z = 0; z < 2; z++) {
        light_current *part = &r.part[z];
        *part = light_propagate(u->gluon[z], P->p1, P->p2, P->inverse_square);
        if (c->kind != TAPE_U1) continue;
        const real factor = bg_real(-1. / BG_NC);
        const light_current scaled = {factor * part->a1, factor * part->a2, factor * part->psi, factor * part->phi};
        *part = scaled;
    }
    return r;
}

/* ---- amplitudes ------------------------------------------------------------------------------------------------------- */

/* Of all color structures, for polarization vectors a[2 * gluon + component] by the number of the gluon. `sets` has a row for
 * every current, sets[row[k]], and `closing` is that of the leg that closes; `current` has room for all currents. */
BG_FN void quark_amplitudes(const bg_subprocess *s, const tape *t, const uint16_t *row, const quark_set *sets,
                            const quark_set *closing, const quark_number *a, quark_current *current,
                            quark_number *amplitude)
{
    const tape_legs *legs = &t->legs;
    for (uint32_t k = 0; k < t->currents; k++) {
        const tape_current *c = &t->current[k];
        const quark_set *P = &sets[row[k]];
        if (!c->terms) {
            current[k] = quark_leg(s, legs, c->leg, P, &a[2 * legs->number[c->leg]]);
            continue;
        }
        const quark_sum u = quark_add(t, row, sets, current, c->first, c->terms, P);
        current[k] = quark_propagate(c, &u, P);
    }
    const int last = legs->closes, gluon = legs->kind[last] == TAPE_GLUON;
    const quark_current e = quark_leg(s, legs, last, closing, &a[2 * legs->number[last]]);
    /* All other legs together have minus its momentum. */
    const quark_set P = {-closing->minus, -closing->inverse_minus, -closing->p1, -closing->p2, bg_real(0.)};
    for (uint64_t n = 0; n < t->strings.structures; n++) {
        const tape_closing *terms = &t->closing[n];
        const quark_sum u = quark_add(t, row, sets, current, terms->first, terms->terms, &P);
        quark_number to1 = u.eta1, to2 = u.eta2;
        if (gluon) { /* n, or n - P d where P does not vanish: what light_propagate() makes without its propagator */
            const light_current re = light_propagate(u.gluon[0], P.p1, P.p2, bg_real(1.));
            const light_current im = light_propagate(u.gluon[1], P.p1, P.p2, bg_real(1.));
            to1 = quark_number_of(re.a1, im.a1);
            to2 = quark_number_of(re.a2, im.a2);
        }
        amplitude[n] = quark_plus(quark_times(quark_a1(&e), to1), quark_times(quark_a2(&e), to2));
    }
}

#endif
