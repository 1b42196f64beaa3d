/* What code that is written out from a program (program.h) is made of: steps whose currents are values.
 *
 * Where a process has few gluons, its program becomes functions without loops or tables before this project is compiled
 * (cmake/straight), and all currents of one configuration of helicities stay in registers. The order of the steps is one in
 * which few of them are needed at a time. The arithmetic is that of quarks.h.
 *
 * Numbers of an event that do not depend on helicities are in memory, number k at w[k * stride]: those of sets and splits that are
 * needed, as in the program, and then STRAIGHT_END_NUMBERS for each place: y, and x of chirality +1, of a quark (spinor.h).
 *
 * The includer defines STRAIGHT_NEXT, a statement between two steps.
 */
#ifndef BG_AMPLITUDE_STRAIGHT_H
#define BG_AMPLITUDE_STRAIGHT_H

#include "amplitude/quarks.h"

enum { STRAIGHT_END_NUMBERS = 3 };

/* ---- legs ---------------------------------------------------------------------------------------------------------- */

/* The numbers of a quark's place. */
BG_FN void straight_put_end(real *w, const size_t stride, uint32_t at, quark_set q, int gauge)
{
    const quark_spinor e = gauge ? spinor_gauge() : spinor_leg(&q, bg_real(1.));
    real *to = w + at * stride;
    to[0] = e.y.re;
    to[stride] = e.x.re;
    to[2 * stride] = e.x.im;
}

/* The current of a place, s as in spinor.h. */
BG_FN quark_spinor straight_end(const real *w, const size_t stride, uint32_t at, real s)
{
    const real *c = w + at * stride;
    const quark_spinor q = {{c[stride], s * c[2 * stride]}, {c[0], bg_real(0.)}};
    return q;
}

/* A gluon in the first or the second of its real states. */
BG_FN light_current straight_gluon(const real *w, const size_t stride, uint32_t set, int second)
{
    const real *c = w + set * stride, one = bg_real(second ? 0. : 1.), two = bg_real(second ? 1. : 0.);
    return light_gluon(c[2 * stride], c[3 * stride], one, two);
}

/* ---- vertices ------------------------------------------------------------------------------------------------------- */

/* Two gluons of so many parts. */
BG_FN void straight_join(const int lefts, const int rights, const light_current *left, const light_current *right,
                         const real *w, const size_t stride, uint32_t split, quark_gluon_sum *u)
{
    const real *factor = w + split * stride;
    BG_UNROLL
    for (int a = 0; a < lefts; a++) {
        BG_UNROLL
        for (int b = 0; b < rights; b++) {
            const light_current A = (a + b) & 2 ? light_negative(left[a]) : left[a];
            light_add(&u->part[phase_part(a + b)], A, right[b], factor[0], factor[stride], factor[2 * stride]);
        }
    }
}

/* Emission of a gluon of so many parts, with the sign of `s` and of `sign`, 1 or -1. */
BG_FN void straight_emit(const int parts, const int only_eta1, const quark_spinor *q, const light_current *A,
                         const real *w, const size_t stride, uint32_t set, const double sign, real s, quark_sum *u)
{
    const real own = bg_real(sign), a1 = own * A[0].a1, a2 = own * s * A[0].a2;
    const real inverse = w[(set + 1) * stride], twice = own * (inverse + inverse);
    if (parts == 1) {
        spinor_emit_eta1(q, a1, a2, u);
        if (!only_eta1) spinor_emit_eta2(q, a1, a2, twice * A[0].psi, u);
        return;
    }
    const real b1 = own * A[1].a1, b2 = own * s * A[1].a2;
    spinor_emit_complex_eta1(q, a1, a2, b1, b2, u);
    if (!only_eta1) spinor_emit_complex_eta2(q, a1, a2, b1, b2, twice * A[0].psi, twice * A[1].psi, u);
}

/* A quark and an antiquark. */
BG_FN void straight_pair(const quark_spinor *b, const quark_spinor *k, const real *w, const size_t stride, uint32_t set,
                         const double sign, real s, quark_gluon_sum *u)
{
    const real inverse = w[(set + 1) * stride];
    const quark_spinor own = sign < 0. ? spinor_opposite(*b) : *b;
    spinor_pair(&own, k, s, inverse + inverse, u->part);
}

/* The real part of such a pair alone, or the imaginary one. */
BG_FN void straight_pair_part(const int imaginary, const quark_spinor *b, const quark_spinor *k, const real *w,
                              const size_t stride, uint32_t set, const double sign, quark_gluon_sum *u)
{
    const real inverse = w[(set + 1) * stride];
    const quark_spinor turned = imaginary ? spinor_turned(*b) : *b, own = sign < 0. ? spinor_opposite(turned) : turned;
    spinor_pair_real(&own, k, inverse + inverse, u->part);
}

/* ---- currents ------------------------------------------------------------------------------------------------------- */

BG_FN quark_gluon_sum straight_no_gluon(void)
{
    const quark_gluon_sum u = {{light_zero(), light_zero()}};
    return u;
}

BG_FN quark_sum straight_no_quark(void)
{
    const real zero = bg_real(0.);
    const quark_sum u = {{zero, zero}, {zero, zero}};
    return u;
}

/* A gluon of so many parts, or a U(1) gluon, from its sum. */
BG_FN void straight_make_gluon(const int parts, const int u1, const quark_gluon_sum *u, const real *w,
                               const size_t stride, uint32_t set, light_current *to)
{
    const quark_set P = quark_set_at(w, stride, set);
    BG_UNROLL
    for (int a = 0; a < parts; a++) {
        const light_current c = light_propagate(u->part[a], P.p1, P.p2, P.inverse_square);
        to[a] = u1 ? quark_u1_share(c) : c;
    }
}

/* Part of a U(1) gluon, from the same part of so many gluons. Nobody asks for phi. */
BG_FN light_current straight_u1_part(const int count, const light_current *const *gluon)
{
    light_current c = *gluon[0];
    BG_UNROLL
    for (int k = 1; k < count; k++) {
        c.a1 = c.a1 + gluon[k]->a1;
        c.a2 = c.a2 + gluon[k]->a2;
        c.psi = c.psi + gluon[k]->psi;
    }
    return quark_u1_share(c);
}

/* A quark (xi = -1) or an antiquark from its sum. */
BG_FN quark_spinor straight_make_quark(const int kind, quark_sum u, const real *w, const size_t stride, uint32_t set,
                                       real s)
{
    const quark_set P = quark_set_at(w, stride, set);
    if (kind == PROGRAM_QUARK) u = quark_reversed(u);
    return spinor_propagate(&u, &P, s);
}

#endif
