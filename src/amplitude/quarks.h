/* Executes the steps of a process with quark lines (program.h) in light-cone gauge for one register of events.
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

#include "amplitude/program.h"
#include "amplitude/shared.h"
#include "base/constants.h"

/* Number k of the workspace is at w[k * stride]. Kernels that have one event in a workspace say so with a literal 1. */

/* Real and imaginary part of a complex number. */
typedef struct quark_number {
    real re, im;
} quark_number;

/* The current of a quark. */
typedef struct quark_spinor {
    quark_number x, y;
} quark_spinor;

/* The momentum of a set of legs. Where p- vanishes, for the gauge vector alone, its inverse is 0 as well. */
typedef struct quark_set {
    real minus, inverse_minus, p1, p2, inverse_square;
} quark_set;

/* ---- the workspace -------------------------------------------------------------------------------------------------- */

BG_FN light_current quark_gluon_at(const real *w, const size_t stride, uint32_t at)
{
    const real *c = w + at * stride;
    const light_current r = {c[0], c[stride], c[2 * stride], c[3 * stride]};
    return r;
}

BG_FN void quark_put_gluon(real *w, const size_t stride, uint32_t at, light_current c)
{
    real *to = w + at * stride;
    to[0] = c.a1;
    to[stride] = c.a2;
    to[2 * stride] = c.psi;
    to[3 * stride] = c.phi;
}

BG_FN quark_spinor quark_spinor_at(const real *w, const size_t stride, uint32_t at)
{
    const real *c = w + at * stride;
    const quark_spinor r = {{c[0], c[stride]}, {c[2 * stride], c[3 * stride]}};
    return r;
}

BG_FN void quark_put_spinor(real *w, const size_t stride, uint32_t at, quark_spinor q)
{
    real *to = w + at * stride;
    to[0] = q.x.re;
    to[stride] = q.x.im;
    to[2 * stride] = q.y.re;
    to[3 * stride] = q.y.im;
}

BG_FN quark_set quark_set_at(const real *w, const size_t stride, uint32_t at)
{
    const real *c = w + at * stride;
    const quark_set r = {c[0], c[stride], c[2 * stride], c[3 * stride], c[4 * stride]};
    return r;
}

BG_FN void quark_put_set(real *w, const size_t stride, uint32_t at, quark_set q)
{
    real *to = w + at * stride;
    to[0] = q.minus;
    to[stride] = q.inverse_minus;
    to[2 * stride] = q.p1;
    to[3 * stride] = q.p2;
    to[4 * stride] = q.inverse_square;
}

/* ---- momenta -------------------------------------------------------------------------------------------------------- */

/* The legs that go out: their light-cone components, and the places that they have. */
typedef struct quark_legs {
    int n_out;
    uint8_t place[BG_MAX_LETTERS];
    shared_gluons outgoing;
} quark_legs;

/* p by place, all of them taken as outgoing. */
BG_FN void quark_legs_of(const bg_subprocess *s, const light_frame *frame, const vec4 *p, quark_legs *legs)
{
    vec4 ordered[BG_MAX_LEGS];
    legs->n_out = 0;
    ordered[0] = p[s->opposite];
    for (int k = 0; k < s->n; k++) {
        if (k == s->gauge || k == s->opposite) continue;
        legs->place[legs->n_out++] = (uint8_t)k;
        ordered[legs->n_out] = p[k];
    }
    shared_gluon_momenta(legs->n_out, frame, ordered, &legs->outgoing);
}

BG_FN quark_set quark_set_of(const bg_subprocess *s, const quark_legs *legs, uint32_t set)
{
    const real zero = bg_real(0.);
    const shared_gluons *g = &legs->outgoing;
    const uint32_t first = set >> s->opposite & 1u, second = set >> s->gauge & 1u;
    real plus[2] = {zero, zero}, minus[2] = {zero, zero}, pairs = zero;
    quark_set q = {zero, zero, zero, zero, zero};
    for (int k = 0; k < legs->n_out; k++) {
        const uint32_t in = set >> legs->place[k] & 1u;
        plus[in] = plus[in] + g->plus[k];
        minus[in] = minus[in] + g->minus[k];
        if (in) {
            q.p1 = q.p1 + g->p1[k];
            q.p2 = q.p2 + g->p2[k];
        }
        if (first != second || in == first) continue;
        for (int j = 0; j < k; j++)
            if ((set >> legs->place[j] & 1u) == in) pairs = pairs + g->pair[k * legs->n_out + j];
    }
    q.minus = first ? -minus[0] : minus[1];
    if (set != 1u << s->gauge) q.inverse_minus = bg_inverse(q.minus);
    if (!(set & (set - 1u))) return q; /* a leg has no propagator */
    const real squares = q.p1 * q.p1 + q.p2 * q.p2;
    const real square = first == second ? pairs + pairs
                        : first         ? -(bg_real(2.) * plus[1] * minus[0] + squares)
                                        : -(bg_real(2.) * plus[0] * minus[1] + squares);
    q.inverse_square = bg_inverse(square);
    return q;
}

/* Momenta of all sets, and the factors of all splits. */
BG_FN void quark_momenta(const quark_program *p, const bg_subprocess *s, const quark_legs *legs, const size_t stride,
                         real *w)
{
    const uint32_t behind = p->sets * PROGRAM_SET_NUMBERS;
    for (uint32_t k = 0; k < p->sets; k++)
        quark_put_set(w, stride, k * PROGRAM_SET_NUMBERS, quark_set_of(s, legs, p->set[k]));
    for (uint32_t k = 0; k < p->splits; k++) {
        const program_split *split = &p->split[k];
        const quark_set l = quark_set_at(w, stride, split->left), r = quark_set_at(w, stride, split->right),
                        P = quark_set_at(w, stride, split->whole);
        const real twice = P.minus + P.minus, one = bg_real(1.);
        real *to = w + (behind + k * PROGRAM_SPLIT_NUMBERS) * stride;
        to[0] = twice * l.inverse_minus - one;
        to[stride] = twice * r.inverse_minus - one;
        to[2 * stride] = (r.minus - l.minus) * P.inverse_minus;
    }
}

/* ---- legs ------------------------------------------------------------------------------------------------------------ */

/* s of a current whose line has a chirality. */
BG_FN real quark_s(int kind, real chirality) { return kind == PROGRAM_QUARK ? chirality : -chirality; }

BG_FN quark_spinor quark_external(const bg_subprocess *s, const program_leg *leg, const quark_set *q, real chirality)
{
    const real zero = bg_real(0.);
    if (leg->place == s->gauge) {
        const quark_spinor gauge = {{bg_real(1.41421356237309504880168872420969808), zero}, {zero, zero}};
        return gauge;
    }
    const real y = bg_sqrt(bg_abs(q->minus)), x = y * q->inverse_minus;
    const quark_spinor r = {{x * q->p1, quark_s(leg->kind, chirality) * x * q->p2}, {y, zero}};
    return r;
}

/* External currents. `given` has the transverse components of the polarization vectors that are not inner ones, [gluon][part],
 * one part or two. */
BG_FN void quark_put_legs(const quark_program *p, const bg_subprocess *s, const shared_polarization *given,
                          const real *sign, const size_t stride, real *w)
{
    const int parts = p->complex ? 2 : 1;
    for (uint32_t k = 0; k < p->legs; k++) {
        const program_leg *leg = &p->leg[k];
        const quark_set q = quark_set_at(w, stride, leg->set);
        if (leg->kind == PROGRAM_QUARK || leg->kind == PROGRAM_ANTIQUARK) {
            quark_put_spinor(w, stride, leg->at, quark_external(s, leg, &q, sign[leg->sign]));
            continue;
        }
        for (int a = 0; a < parts; a++) {
            const shared_polarization basis = {bg_real(leg->state == 0 && !a ? 1. : 0.),
                                               bg_real(leg->state == 1 && !a ? 1. : 0.)};
            const shared_polarization e = leg->state == PROGRAM_GIVEN ? given[leg->gluon * parts + a] : basis;
            quark_put_gluon(w, stride, leg->at + 4 * (uint32_t)a, light_gluon(q.p1, q.p2, e.a1, e.a2));
        }
    }
}

/* ---- vertices --------------------------------------------------------------------------------------------------------- */

/* What the terms of a gluon current add up to, real and imaginary part. */
typedef struct quark_gluon_sum {
    light_sum part[2];
} quark_gluon_sum;

/* ... and those of a quark's. */
typedef struct quark_sum {
    quark_number eta1, eta2;
} quark_sum;

/* A three-gluon vertex whose halves have `lefts` and `rights` parts. */
BG_FN void quark_add_gluons(const int lefts, const int rights, const program_term *t, const real *w,
                            const size_t stride, quark_gluon_sum *u)
{
    const real *factor = w + t->with * stride;
    BG_UNROLL
    for (int a = 0; a < lefts; a++) {
        const light_current left = quark_gluon_at(w, stride, t->left + 4 * (uint32_t)a);
        BG_UNROLL
        for (int b = 0; b < rights; b++) {
            const light_current A = (a + b) & 2 ? light_negative(left) : left;
            light_add(&u->part[phase_part(a + b)], A, quark_gluon_at(w, stride, t->right + 4 * (uint32_t)b), factor[0],
                      factor[stride], factor[2 * stride]);
        }
    }
}

BG_FN void quark_add_pair(const program_term *t, const real *w, const size_t stride, const real *sign,
                          real twice_inverse, quark_gluon_sum *u)
{
    const quark_spinor b = quark_spinor_at(w, stride, t->left), k = quark_spinor_at(w, stride, t->right);
    const real s = sign[t->with];
    const real xy_re = b.x.re * k.y.re - b.x.im * k.y.im, xy_im = b.x.re * k.y.im + b.x.im * k.y.re;
    const real yx_re = b.y.re * k.x.re - b.y.im * k.x.im, yx_im = b.y.re * k.x.im + b.y.im * k.x.re;
    light_sum *re = &u->part[0], *im = &u->part[1];
    re->n1 = re->n1 + xy_re + yx_re;
    im->n1 = im->n1 + xy_im + yx_im;
    re->n2 = re->n2 + s * (xy_im - yx_im);
    im->n2 = im->n2 - s * (xy_re - yx_re);
    re->d = re->d + twice_inverse * (b.y.re * k.y.re - b.y.im * k.y.im);
    im->d = im->d + twice_inverse * (b.y.re * k.y.im + b.y.im * k.y.re);
}

BG_FN void quark_add_real(const int only_eta1, const program_term *t, const real *w, const size_t stride, real s,
                          quark_sum *u)
{
    const quark_spinor q = quark_spinor_at(w, stride, t->left);
    const real *A = w + t->right * stride;
    const real a1 = A[0], a2 = s * A[stride];
    u->eta1.re = u->eta1.re - a1 * q.y.re + a2 * q.y.im;
    u->eta1.im = u->eta1.im - a1 * q.y.im - a2 * q.y.re;
    if (only_eta1) return;
    const real inverse = w[(t->with + 1) * stride], plus = (inverse + inverse) * A[2 * stride];
    u->eta2.re = u->eta2.re + plus * q.y.re - a1 * q.x.re - a2 * q.x.im;
    u->eta2.im = u->eta2.im + plus * q.y.im - a1 * q.x.im + a2 * q.x.re;
}

BG_FN void quark_add_complex(const int only_eta1, const program_term *t, const real *w, const size_t stride, real s,
                             quark_sum *u)
{
    const quark_spinor q = quark_spinor_at(w, stride, t->left);
    const real *A = w + t->right * stride, *B = w + (t->right + 4) * stride; /* real and imaginary part */
    const real a2 = s * A[stride], b2 = s * B[stride];
    const real along_re = A[0] - b2, along_im = B[0] + a2; /* A_s */
    u->eta1.re = u->eta1.re - along_re * q.y.re + along_im * q.y.im;
    u->eta1.im = u->eta1.im - along_re * q.y.im - along_im * q.y.re;
    if (only_eta1) return;
    const real inverse = w[(t->with + 1) * stride], twice = inverse + inverse;
    const real plus_re = twice * A[2 * stride], plus_im = twice * B[2 * stride];
    const real against_re = A[0] + b2, against_im = B[0] - a2; /* A_{-s} */
    u->eta2.re = u->eta2.re + plus_re * q.y.re - plus_im * q.y.im - against_re * q.x.re + against_im * q.x.im;
    u->eta2.im = u->eta2.im + plus_re * q.y.im + plus_im * q.y.re - against_re * q.x.im - against_im * q.x.re;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

BG_FN light_sum quark_opposite(light_sum s)
{
    const light_sum r = {-s.n1, -s.n2, -s.d, -s.w};
    return r;
}

BG_FN void quark_real_gluon(const program_step *step, const program_term *t, const size_t stride, real *w)
{
    const quark_set P = quark_set_at(w, stride, step->set);
    quark_gluon_sum u = {{light_zero(), light_zero()}};
    for (const program_term *end = t + step->terms[TERMS_RR]; t < end; t++) quark_add_gluons(1, 1, t, w, stride, &u);
    quark_put_gluon(w, stride, step->at, light_propagate(u.part[0], P.p1, P.p2, P.inverse_square));
}

BG_FN void quark_complex_gluon(const program_step *step, const program_term *t, const real *sign, const size_t stride,
                               real *w)
{
    const quark_set P = quark_set_at(w, stride, step->set);
    const real twice_inverse = P.inverse_minus + P.inverse_minus;
    const program_term *pairs =
        t + step->terms[TERMS_RR] + step->terms[TERMS_RC] + step->terms[TERMS_CR] + step->terms[TERMS_CC];
    const program_term *end = pairs + step->terms[TERMS_PAIR_MINUS];
    quark_gluon_sum u = {{light_zero(), light_zero()}};
    for (; pairs < end; pairs++) quark_add_pair(pairs, w, stride, sign, twice_inverse, &u);
    u.part[0] = quark_opposite(u.part[0]);
    u.part[1] = quark_opposite(u.part[1]);
    for (end += step->terms[TERMS_PAIR_PLUS]; pairs < end; pairs++)
        quark_add_pair(pairs, w, stride, sign, twice_inverse, &u);
    for (end = t + step->terms[TERMS_RR]; t < end; t++) quark_add_gluons(1, 1, t, w, stride, &u);
    for (end = t + step->terms[TERMS_RC]; t < end; t++) quark_add_gluons(1, 2, t, w, stride, &u);
    for (end = t + step->terms[TERMS_CR]; t < end; t++) quark_add_gluons(2, 1, t, w, stride, &u);
    for (end = t + step->terms[TERMS_CC]; t < end; t++) quark_add_gluons(2, 2, t, w, stride, &u);
    const real factor = bg_real(step->kind == PROGRAM_U1 ? -1. / BG_NC : 1.);
    BG_UNROLL
    for (int a = 0; a < 2; a++) {
        const light_current c = light_propagate(u.part[a], P.p1, P.p2, P.inverse_square);
        const light_current scaled = {factor * c.a1, factor * c.a2, factor * c.psi, factor * c.phi};
        quark_put_gluon(w, stride, step->at + 4 * (uint32_t)a, scaled);
    }
}

/* eta1 and eta2 of a step. */
BG_FN quark_sum quark_add(const int only_eta1, const program_step *step, const program_term *t, real s,
                          const size_t stride, const real *w)
{
    const real zero = bg_real(0.);
    quark_sum u = {{zero, zero}, {zero, zero}};
    const program_term *end = t + step->terms[TERMS_EMIT_R_MINUS];
    for (; t < end; t++) quark_add_real(only_eta1, t, w, stride, s, &u);
    for (end = t + step->terms[TERMS_EMIT_C_MINUS]; t < end; t++) quark_add_complex(only_eta1, t, w, stride, s, &u);
    const quark_sum opposite = {{-u.eta1.re, -u.eta1.im}, {-u.eta2.re, -u.eta2.im}};
    u = opposite;
    for (end = t + step->terms[TERMS_EMIT_R_PLUS]; t < end; t++) quark_add_real(only_eta1, t, w, stride, s, &u);
    for (end = t + step->terms[TERMS_EMIT_C_PLUS]; t < end; t++) quark_add_complex(only_eta1, t, w, stride, s, &u);
    return u;
}

BG_FN void quark_fermion(const program_step *step, const program_term *t, const real *sign, const size_t stride,
                         real *w)
{
    const quark_set P = quark_set_at(w, stride, step->set);
    const real s = quark_s(step->kind, sign[step->sign]), xi = bg_real(step->kind == PROGRAM_QUARK ? -1. : 1.);
    const quark_sum u = quark_add(0, step, t, s, stride, w);
    const real p2 = s * P.p2, scale = xi * P.inverse_square;
    const quark_number y = {scale * (P.p1 * u.eta1.re + p2 * u.eta1.im + P.minus * u.eta2.re),
                            scale * (P.p1 * u.eta1.im - p2 * u.eta1.re + P.minus * u.eta2.im)};
    const quark_spinor q = {{P.inverse_minus * (xi * u.eta1.re + P.p1 * y.re - p2 * y.im),
                             P.inverse_minus * (xi * u.eta1.im + P.p1 * y.im + p2 * y.re)},
                            y};
    quark_put_spinor(w, stride, step->at, q);
}

/* An amplitude: what its terms add up to, contracted with the leg that closes. */
BG_FN quark_number quark_close(const int on_gauge, const program_step *step, const program_term *t, const real *sign,
                               const size_t stride, const real *w)
{
    const quark_spinor c = quark_spinor_at(w, stride, step->set);
    const quark_sum u = quark_add(on_gauge, step, t, quark_s(step->kind, sign[step->sign]), stride, w);
    quark_number a = {u.eta1.re * c.x.re - u.eta1.im * c.x.im, u.eta1.re * c.x.im + u.eta1.im * c.x.re};
    if (!on_gauge) { /* y is real */
        a.re = a.re + u.eta2.re * c.y.re;
        a.im = a.im + u.eta2.im * c.y.re;
    }
    return a;
}

/* All amplitudes. Momenta and legs are there; `sign` has the chiralities that steps refer to, and `allowed` the factor, 0 or
 * 1, of each pairing where chiralities are given (otherwise NULL). */
BG_FN void quark_run(const quark_program *p, const real *sign, const real *allowed, const size_t stride, real *w)
{
    if (p->adds)
        for (uint32_t k = 0; k < 2 * p->configurations * p->pitch; k++) w[(p->numbers + k) * stride] = bg_real(0.);
    for (uint32_t k = 0; k < p->steps; k++) {
        const program_step *step = &p->step[k];
        const program_term *t = &p->term[step->first];
        if (!step->closes) {
            if (step->kind == PROGRAM_REAL_GLUON)
                quark_real_gluon(step, t, stride, w);
            else if (step->kind == PROGRAM_COMPLEX_GLUON || step->kind == PROGRAM_U1)
                quark_complex_gluon(step, t, sign, stride, w);
            else
                quark_fermion(step, t, sign, stride, w);
            continue;
        }
        quark_number a =
            p->on_gauge ? quark_close(1, step, t, sign, stride, w) : quark_close(0, step, t, sign, stride, w);
        real *re = w + step->at * stride, *im = w + (step->at + p->pitch) * stride;
        if (allowed) {
            a.re = allowed[step->pairing] * a.re;
            a.im = allowed[step->pairing] * a.im;
        }
        re[0] = p->adds ? re[0] + a.re : a.re;
        im[0] = p->adds ? im[0] + a.im : a.im;
    }
}

#endif
