/* Executes the steps of a process with quark lines (program.h) in light-cone gauge for one register of events.
 *
 * Vertices and propagators are those of spinor.h and lightcone.h. The gauge vector is the momentum of the second incoming parton, whatever
 * the partons are and whichever leg closes.
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
#include "amplitude/spinor.h"

/* Number k of the workspace is at w[k * stride]. Kernels that have one event in a workspace say so with a literal 1. */

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

/* Components of n outgoing legs behind the first incoming one in p. */
BG_FN void quark_put_components(const int n, const light_frame *frame, const vec4 *p, const size_t stride, real *to)
{
    shared_gluons g;
    shared_gluon_momenta(n, frame, p, &g);
    BG_UNROLL
    for (int k = 0; k < n; k++) {
        to[(size_t)k * stride] = g.p1[k];
        to[(size_t)(n + k) * stride] = g.p2[k];
        to[(size_t)(2 * n + k) * stride] = g.minus[k];
        to[(size_t)(3 * n + k) * stride] = g.plus[k];
        BG_UNROLL
        for (int j = 0; j < k; j++) to[(size_t)(4 * n + k * n + j) * stride] = g.pair[k * n + j];
    }
}

/* pi.pj of two legs from P1, P2 and p- of each, as shared_gluon_momenta() has it. */
BG_FN real quark_pair_product(const real *i, const real *j)
{
    const real x = i[0] * j[2] - j[0] * i[2], y = i[1] * j[2] - j[1] * i[2];
    return bg_real(0.5) * (x * x + y * y) * (bg_inverse(i[2]) * bg_inverse(j[2]));
}

/* ... of a process, from momenta by place, all of them taken as outgoing. */
BG_FN void quark_put_outgoing(const quark_program *program, const bg_subprocess *s, const light_frame *frame,
                              const vec4 *p, const size_t stride, real *w)
{
    const int n = program->n_out;
    vec4 ordered[BG_MAX_LEGS];
    ordered[0] = p[s->opposite];
    for (int k = 0; k < n; k++) ordered[k + 1] = p[program->outgoing[k]];
    quark_put_components(n, frame, ordered, stride, w + program->at_outgoing * stride);
}

/* A set of the outgoing legs `inside`, by number, with or without the first and the second beam. */
BG_FN quark_set quark_set_inside(const int n, uint32_t inside, uint32_t first, uint32_t second, const size_t stride,
                                 const real *leg)
{
    const real zero = bg_real(0.);
    real plus = zero, minus = zero, pairs = zero;
    quark_set q = {zero, zero, zero, zero, zero};
    const uint32_t minus_of = first ? ~inside : inside, plus_of = second ? ~inside : inside;
    BG_UNROLL
    for (int k = 0; k < n; k++) {
        if (minus_of >> k & 1u) minus = minus + leg[(size_t)(2 * n + k) * stride];
        if (inside >> k & 1u) {
            q.p1 = q.p1 + leg[(size_t)k * stride];
            q.p2 = q.p2 + leg[(size_t)(n + k) * stride];
        }
    }
    q.minus = first ? -minus : minus;
    if (first || inside) q.inverse_minus = bg_inverse(q.minus);
    if (first + second + (inside ? (inside & (inside - 1u) ? 2u : 1u) : 0u) < 2) return q; /* a leg has no propagator */
    real square;
    if (first == second) { /* pairs of the legs inside, or of those outside */
        BG_UNROLL
        for (int k = 1; k < n; k++) {
            BG_UNROLL
            for (int j = 0; j < k; j++)
                if (minus_of >> k & minus_of >> j & 1u) pairs = pairs + leg[(size_t)(4 * n + k * n + j) * stride];
        }
        square = pairs + pairs;
    } else {
        BG_UNROLL
        for (int k = 0; k < n; k++)
            if (plus_of >> k & 1u) plus = plus + leg[(size_t)(3 * n + k) * stride];
        square = -((plus + plus) * minus + q.p1 * q.p1 + q.p2 * q.p2);
    }
    q.inverse_square = bg_inverse(square);
    return q;
}

/* A set of places. */
BG_FN quark_set quark_set_of(const quark_program *program, const bg_subprocess *s, uint32_t set, const size_t stride,
                             const real *w)
{
    const int n = program->n_out;
    uint32_t inside = 0;
    for (int k = 0; k < n; k++) inside |= (set >> program->outgoing[k] & 1u) << k;
    return quark_set_inside(n, inside, set >> s->opposite & 1u, set >> s->gauge & 1u, stride,
                            w + program->at_outgoing * stride);
}

/* The factors of a three-gluon vertex. */
BG_FN void quark_put_factors(program_split split, const size_t stride, real *w, uint32_t at)
{
    const quark_set l = quark_set_at(w, stride, split.left), r = quark_set_at(w, stride, split.right),
                    P = quark_set_at(w, stride, split.whole);
    const real twice = P.minus + P.minus, one = bg_real(1.);
    real *to = w + at * stride;
    to[0] = twice * l.inverse_minus - one;
    to[stride] = twice * r.inverse_minus - one;
    to[2 * stride] = (r.minus - l.minus) * P.inverse_minus;
}

BG_FN void quark_put_split(const quark_program *program, uint32_t number, const size_t stride, real *w)
{
    quark_put_factors(program->split[number], stride, w, program->at_splits + number * PROGRAM_SPLIT_NUMBERS);
}

/* Momenta of all sets, and the factors of all splits. */
BG_FN void quark_momenta(const quark_program *program, const bg_subprocess *s, const size_t stride, real *w)
{
    for (uint32_t k = 0; k < program->sets; k++)
        quark_put_set(w, stride, k * PROGRAM_SET_NUMBERS, quark_set_of(program, s, program->set[k], stride, w));
    for (uint32_t k = 0; k < program->splits; k++) quark_put_split(program, k, stride, w);
}

/* ---- legs ------------------------------------------------------------------------------------------------------------ */

/* The polarization vector of a gluon that is not an inner one, part by part. */
BG_FN void quark_put_polarization(const quark_program *program, int gluon, int part, shared_polarization e,
                                  const size_t stride, real *w)
{
    real *to = w + (program->at_given + 2 * (uint32_t)((program->complex ? 2 : 1) * gluon + part)) * stride;
    to[0] = e.a1;
    to[stride] = e.a2;
}

/* ... of all gluons, from vectors in the order of places, `parts` each. An outgoing leg's is made transverse to the gauge vector. */
BG_FN void quark_put_polarizations(const quark_program *program, const bg_subprocess *s, const light_frame *frame,
                                   const vec4 *state, const int parts, const size_t stride, real *w)
{
    const int n = program->n_out;
    const real *leg = w + program->at_outgoing * stride;
    for (int g = 0; g < program->gluons; g++) {
        const int place = s->place[s->gluon[g]];
        int out = 0;
        while (out < n && program->outgoing[out] != place) out++;
        for (int a = 0; a < parts; a++) {
            shared_polarization e;
            if (out == n)
                light_transverse(frame, state[place * parts + a], &e.a1, &e.a2);
            else
                light_polarization(frame, leg[(size_t)out * stride], leg[(size_t)(n + out) * stride],
                                   bg_inverse(leg[(size_t)(2 * n + out) * stride]), state[place * parts + a], &e.a1,
                                   &e.a2);
            quark_put_polarization(program, g, a, e, stride, w);
        }
    }
}

/* Chiralities that are summed over. */
BG_FN void quark_put_signs(const quark_program *program, const size_t stride, real *w)
{
    w[program->at_sign * stride] = bg_real(1.);
    w[(program->at_sign + 1) * stride] = bg_real(-1.);
}

/* Chiralities of the lanes' events, from their helicities by place, and which pairings they allow. The helicity of an outgoing
 * quark is minus its chirality. */
BG_FN void quark_put_given_signs(const quark_program *program, const uint32_t *configuration, const size_t stride,
                                 real *w)
{
    for (int line = 0; line < program->lines; line++) {
        const int quark = program->pairing[0].quark[line], antiquark = program->pairing[0].antiquark[line];
        for (int l = 0; l < BG_LANES; l++) {
            bg_set_lane(&w[(program->at_sign + (uint32_t)quark) * stride], l,
                        configuration[l] >> quark & 1u ? -1. : 1.);
            bg_set_lane(&w[(program->at_sign + (uint32_t)antiquark) * stride], l,
                        configuration[l] >> antiquark & 1u ? 1. : -1.);
        }
    }
    for (int k = 0; k < program->pairings; k++) {
        const program_pairing *ends = &program->pairing[k];
        real allowed = bg_real(1.);
        for (int line = 0; line < program->lines; line++) {
            const mask equal = w[(program->at_sign + ends->quark[line]) * stride] ==
                               w[(program->at_sign + ends->antiquark[line]) * stride];
            allowed = bg_select(equal, allowed, bg_real(0.));
        }
        w[(program->at_allowed + (uint32_t)k) * stride] = allowed;
    }
}

/* s of a current whose line has a chirality. */
BG_FN real quark_s(int kind, real chirality) { return kind == PROGRAM_QUARK ? chirality : -chirality; }

BG_FN quark_spinor quark_external(const program_leg *leg, const quark_set *q, real chirality)
{
    return leg->gauge ? spinor_gauge() : spinor_leg(q, quark_s(leg->kind, chirality));
}

/* An external current. */
BG_FN void quark_put_leg(const quark_program *program, const program_leg *leg, const size_t stride, real *w)
{
    const quark_set q = quark_set_at(w, stride, leg->set);
    if (leg->kind == PROGRAM_QUARK || leg->kind == PROGRAM_ANTIQUARK) {
        quark_put_spinor(w, stride, leg->at, quark_external(leg, &q, w[leg->from * stride]));
        return;
    }
    for (uint32_t a = 0; a < (program->complex ? 2u : 1u); a++) {
        const shared_polarization basis = {bg_real(leg->state == 0 && !a ? 1. : 0.),
                                           bg_real(leg->state == 1 && !a ? 1. : 0.)};
        shared_polarization e = basis;
        if (leg->state == PROGRAM_GIVEN) {
            e.a1 = w[(leg->from + 2 * a) * stride];
            e.a2 = w[(leg->from + 2 * a + 1) * stride];
        }
        quark_put_gluon(w, stride, leg->at + 4 * a, light_gluon(q.p1, q.p2, e.a1, e.a2));
    }
}

BG_FN void quark_put_legs(const quark_program *program, const size_t stride, real *w)
{
    for (uint32_t k = 0; k < program->legs; k++) quark_put_leg(program, &program->leg[k], stride, w);
}

/* ---- vertices --------------------------------------------------------------------------------------------------------- */

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

BG_FN void quark_add_pair(const program_term *t, const real *w, const size_t stride, real twice_inverse,
                          quark_gluon_sum *u)
{
    const quark_spinor b = quark_spinor_at(w, stride, t->left), k = quark_spinor_at(w, stride, t->right);
    spinor_pair(&b, &k, w[t->with * stride], twice_inverse, u->part);
}

BG_FN void quark_add_real(const int only_eta1, const program_term *t, const real *w, const size_t stride, real s,
                          quark_sum *u)
{
    const quark_spinor q = quark_spinor_at(w, stride, t->left);
    const real *A = w + t->right * stride;
    const real a1 = A[0], a2 = s * A[stride];
    spinor_emit_eta1(&q, a1, a2, u);
    if (only_eta1) return;
    const real inverse = w[(t->with + 1) * stride], plus = (inverse + inverse) * A[2 * stride];
    spinor_emit_eta2(&q, a1, a2, plus, u);
}

BG_FN void quark_add_complex(const int only_eta1, const program_term *t, const real *w, const size_t stride, real s,
                             quark_sum *u)
{
    const quark_spinor q = quark_spinor_at(w, stride, t->left);
    const real *A = w + t->right * stride, *B = w + (t->right + 4) * stride; /* real and imaginary part */
    const real a2 = s * A[stride], b2 = s * B[stride];
    spinor_emit_complex_eta1(&q, A[0], a2, B[0], b2, u);
    if (only_eta1) return;
    const real inverse = w[(t->with + 1) * stride], twice = inverse + inverse;
    spinor_emit_complex_eta2(&q, A[0], a2, B[0], b2, twice * A[2 * stride], twice * B[2 * stride], u);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

BG_FN void quark_real_gluon(const program_step *step, const program_term *t, const size_t stride, real *w)
{
    const quark_set P = quark_set_at(w, stride, step->set);
    quark_gluon_sum u = {{light_zero(), light_zero()}};
    for (const program_term *end = t + step->terms[TERMS_RR]; t < end; t++) quark_add_gluons(1, 1, t, w, stride, &u);
    quark_put_gluon(w, stride, step->at, light_propagate(u.part[0], P.p1, P.p2, P.inverse_square));
}

/* The factor of a U(1) gluon, -1/N_c. */
BG_FN real quark_u1(void)
{
#if defined(BG_QUAD)
    return (real)-1 / BG_NC;
#else
    return bg_real(-1. / BG_NC);
#endif
}

/* ... times that of a gluon. */
BG_FN light_current quark_u1_share(light_current c)
{
    const real share = quark_u1();
    const light_current r = {share * c.a1, share * c.a2, share * c.psi, share * c.phi};
    return r;
}

BG_FN void quark_complex_gluon(const program_step *step, const program_term *t, const size_t stride, real *w)
{
    const quark_set P = quark_set_at(w, stride, step->set);
    const real twice_inverse = P.inverse_minus + P.inverse_minus;
    const program_term *pairs =
        t + step->terms[TERMS_RR] + step->terms[TERMS_RC] + step->terms[TERMS_CR] + step->terms[TERMS_CC];
    const program_term *end = pairs + step->terms[TERMS_PAIR_MINUS];
    quark_gluon_sum u = {{light_zero(), light_zero()}};
    for (; pairs < end; pairs++) quark_add_pair(pairs, w, stride, twice_inverse, &u);
    u.part[0] = quark_opposite(u.part[0]);
    u.part[1] = quark_opposite(u.part[1]);
    for (end += step->terms[TERMS_PAIR_PLUS]; pairs < end; pairs++) quark_add_pair(pairs, w, stride, twice_inverse, &u);
    for (end = t + step->terms[TERMS_RR]; t < end; t++) quark_add_gluons(1, 1, t, w, stride, &u);
    for (end = t + step->terms[TERMS_RC]; t < end; t++) quark_add_gluons(1, 2, t, w, stride, &u);
    for (end = t + step->terms[TERMS_CR]; t < end; t++) quark_add_gluons(2, 1, t, w, stride, &u);
    for (end = t + step->terms[TERMS_CC]; t < end; t++) quark_add_gluons(2, 2, t, w, stride, &u);
    BG_UNROLL
    for (int a = 0; a < 2; a++) {
        light_current c = light_propagate(u.part[a], P.p1, P.p2, P.inverse_square);
        if (step->kind == PROGRAM_U1) c = quark_u1_share(c);
        quark_put_gluon(w, stride, step->at + 4 * (uint32_t)a, c);
    }
}

/* Adds a pair's real part, or the imaginary one. */
BG_FN void quark_add_pair_part(const int imaginary, const program_term *t, const real *w, const size_t stride,
                               real twice_inverse, light_sum *u)
{
    const quark_spinor b = quark_spinor_at(w, stride, t->left), k = quark_spinor_at(w, stride, t->right);
    const quark_spinor turned = imaginary ? spinor_turned(b) : b;
    spinor_pair_real(&turned, &k, twice_inverse, u);
}

/* The real or the imaginary part of a gluon that quarks make. */
BG_FN void quark_part(const program_step *step, const program_term *t, const size_t stride, real *w)
{
    const quark_set P = quark_set_at(w, stride, step->set);
    const real twice_inverse = P.inverse_minus + P.inverse_minus;
    const program_term *pairs = t + step->terms[TERMS_RR], *end = pairs + step->terms[TERMS_REAL_MINUS];
    light_sum u = light_zero();
    for (; pairs < end; pairs++) quark_add_pair_part(0, pairs, w, stride, twice_inverse, &u);
    for (end += step->terms[TERMS_IMAGINARY_MINUS]; pairs < end; pairs++)
        quark_add_pair_part(1, pairs, w, stride, twice_inverse, &u);
    u = quark_opposite(u);
    for (end += step->terms[TERMS_REAL_PLUS]; pairs < end; pairs++)
        quark_add_pair_part(0, pairs, w, stride, twice_inverse, &u);
    for (end += step->terms[TERMS_IMAGINARY_PLUS]; pairs < end; pairs++)
        quark_add_pair_part(1, pairs, w, stride, twice_inverse, &u);
    for (end = t + step->terms[TERMS_RR]; t < end; t++) {
        const real *factor = w + t->with * stride;
        light_add(&u, quark_gluon_at(w, stride, t->left), quark_gluon_at(w, stride, t->right), factor[0],
                  factor[stride], factor[2 * stride]);
    }
    quark_put_gluon(w, stride, step->at, light_propagate(u, P.p1, P.p2, P.inverse_square));
}

/* ... of a U(1) gluon, from gluons. */
BG_FN void quark_part_u1(const program_step *step, const program_term *t, const size_t stride, real *w)
{
    const program_term *end = t + step->terms[TERMS_RR];
    const real *first = w + t->left * stride, share = quark_u1();
    real *to = w + step->at * stride, a1 = first[0], a2 = first[stride], psi = first[2 * stride];
    for (t++; t < end; t++) {
        const real *c = w + t->left * stride;
        a1 = a1 + c[0];
        a2 = a2 + c[stride];
        psi = psi + c[2 * stride];
    }
    to[0] = share * a1;
    to[stride] = share * a2;
    to[2 * stride] = share * psi;
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
    u = quark_reversed(u);
    for (end = t + step->terms[TERMS_EMIT_R_PLUS]; t < end; t++) quark_add_real(only_eta1, t, w, stride, s, &u);
    for (end = t + step->terms[TERMS_EMIT_C_PLUS]; t < end; t++) quark_add_complex(only_eta1, t, w, stride, s, &u);
    return u;
}

BG_FN void quark_fermion(const program_step *step, const program_term *t, const size_t stride, real *w)
{
    const quark_set P = quark_set_at(w, stride, step->set);
    const real s = quark_s(step->kind, w[step->sign * stride]);
    quark_sum u = quark_add(0, step, t, s, stride, w);
    if (step->kind == PROGRAM_QUARK) u = quark_reversed(u); /* xi = -1 */
    const quark_spinor q = spinor_propagate(&u, &P, s);
    quark_put_spinor(w, stride, step->at, q);
}

/* An amplitude: what its terms add up to, contracted with the leg that closes. */
BG_FN quark_number quark_close(const int on_gauge, const program_step *step, const program_term *t, const size_t stride,
                               const real *w)
{
    const quark_spinor c = quark_spinor_at(w, stride, step->set);
    const quark_sum u = quark_add(on_gauge, step, t, quark_s(step->kind, w[step->sign * stride]), stride, w);
    return spinor_close(on_gauge, &u, &c);
}

/* A current from its terms. */
BG_FN void quark_current(const quark_program *program, const program_step *step, const size_t stride, real *w)
{
    const program_term *t = &program->term[step->first];
    if (step->kind == PROGRAM_REAL_GLUON)
        quark_real_gluon(step, t, stride, w);
    else if (step->kind == PROGRAM_COMPLEX_GLUON || step->kind == PROGRAM_U1)
        quark_complex_gluon(step, t, stride, w);
    else
        quark_fermion(step, t, stride, w);
}

/* ... where chiralities may be summed over by parts. */
BG_FN void quark_any_current(const quark_program *program, const program_step *step, const size_t stride, real *w)
{
    const program_term *t = &program->term[step->first];
    if (step->kind == PROGRAM_PART)
        quark_part(step, t, stride, w);
    else if (step->kind == PROGRAM_PART_U1)
        quark_part_u1(step, t, stride, w);
    else
        quark_current(program, step, stride, w);
}

/* An amplitude of parts, without the root of two of a closing leg on the gauge vector: that is left to whoever adds up squares. */
BG_FN quark_number quark_part_amplitude(const quark_program *program, const program_step *step, const size_t stride,
                                        const real *w)
{
    const program_term *t = &program->term[step->first];
    if (!program->on_gauge) return quark_close(0, step, t, stride, w);
    return quark_add(1, step, t, quark_s(step->kind, w[step->sign * stride]), stride, w).eta1;
}

/* From parts to chiralities. Row k of a[] has the amplitudes of one pairing in which the parts of the lines are the bits of k, real and
 * imaginary parts `pitch` apart, and rows `step`. They become those of chiralities, -1 where a bit is set: the current of a line is its real
 * part and i times its imaginary one, or the conjugate. */
BG_FN void quark_join_parts(int lines, uint32_t count, size_t pitch, size_t step, real *a)
{
    const uint32_t rows = 1u << (lines - 1);
    for (uint32_t bit = 1; bit < rows; bit <<= 1)
        for (uint32_t k = 0; k < rows; k++) {
            if (k & bit) continue;
            real *one = a + k * step, *other = a + (k | bit) * step;
            for (uint32_t i = 0; i < count; i++) {
                const quark_number x = {one[i], one[i + pitch]}, y = {other[i], other[i + pitch]};
                one[i] = x.re - y.im;
                one[i + pitch] = x.im + y.re;
                other[i] = x.re + y.im;
                other[i + pitch] = x.im - y.re;
            }
        }
}

/* What a step adds to its amplitude. */
BG_FN quark_number quark_amplitude(const quark_program *program, const program_step *step, const size_t stride,
                                   const real *w)
{
    const program_term *t = &program->term[step->first];
    quark_number a = program->on_gauge ? quark_close(1, step, t, stride, w) : quark_close(0, step, t, stride, w);
    if (program->given) {
        const real allowed = w[(program->at_allowed + step->pairing) * stride];
        a.re = allowed * a.re;
        a.im = allowed * a.im;
    }
    return a;
}

#endif
