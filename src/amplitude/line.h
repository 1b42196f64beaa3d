/* One quark line and n gluons in light-cone gauge: all n! amplitudes A(q, s, qbar) at once, from currents that they share.
 *
 * As in shared.h, with the quark in place of gluon 0 and the antiquark in place of the closing gluon. All gluons are letters,
 * incoming ones as well, and the components of a quark are those of quarks.h:
 *
 *     K(s1 .. sm)      an ordered subset of the gluons: real,
 *     L(q, s1 .. sk)   the quark and an ordered prefix: two complex numbers x and y,
 *     A(q, s, qbar) = close( sum_k L(q, s1 .. sk) K(s_{k+1} .. sn) ) ,   k = 0 .. n - 1.
 *
 * Half of the work would be in the longest words: K of all gluons and of all but one, each of which enters few amplitudes. But
 * those are sums of splits as well, and an amplitude is linear in each of its currents. What stands before a current
 * K = (a1, a2, psi, phi) is its dual, a row of four complex numbers; what stands before the sums n, d and w (lightcone.h) that
 * K is made of follows from it. So nothing longer than n - 2 letters is needed:
 *
 *     A(q, s, qbar) = sum_{k=2}^{n-1} T(s1 .. sk) . K(s_{k+1} .. sn)  +  W(sn) . sum_{k=1}^{n-2} [ K(s1 .. sk), K(s_{k+1} .. s_{n-1}) ]
 *
 * where [ , ] are the sums of a split. T is made of prefixes alone:
 *
 *     L(q, s1 .. sk), closed;
 *     E . [ K(s1 .. sk), . ]         E: before the sums of all gluons, from the two ends of the line,
 *     S(s1) . [ K(s2 .. sk), . ]     S: before those of all gluons but s1, from the first two on this list with k = 1 .
 *
 * W stands before the sums of all gluons but the last one, and has everything in which K(s1 .. s_{n-1}) is a current of its own:
 * emitted by the quark, with sn emitted by the antiquark (R below); and joined with sn. T(s1 .. s_{n-1}) does without those.
 *
 * Both chiralities of the line give the same sum over helicities: here it is +1. Charge conjugation exchanges quark and
 * antiquark, so that the start of the line is taken as the quark whatever it is.
 */
#ifndef BG_AMPLITUDE_LINE_H
#define BG_AMPLITUDE_LINE_H

#include "amplitude/quarks.h"

/* Before the components of a gluon current. */
typedef struct line_dual {
    quark_number a1, a2, psi, phi;
} line_dual;

/* Before the sums that it is made of. */
typedef struct line_sums {
    quark_number n1, n2, d, w;
} line_sums;

BG_FN quark_number line_product(quark_number a, quark_number b)
{
    const quark_number r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return r;
}

/* The start of the line, which is never the gauge vector. */
BG_FN quark_spinor line_start(const quark_set *q)
{
    const real y = bg_sqrt(bg_abs(q->minus)), x = y * q->inverse_minus;
    const quark_spinor r = {{x * q->p1, x * q->p2}, {y, bg_real(0.)}};
    return r;
}

/* The spinor that closes it; its y is real. */
BG_FN quark_spinor line_end(const quark_set *q, const int on_gauge)
{
    if (on_gauge) return quark_on_gauge();
    quark_spinor r = line_start(q);
    r.x.im = -r.x.im;
    return r;
}

/* Before a gluon that is emitted between q and an antiquark's current r; `twice` is 2 / p- of the gluon. */
BG_FN line_dual line_contract(quark_spinor q, quark_spinor r, real twice)
{
    const quark_number yx = line_product(q.y, r.x), xy = line_product(q.x, r.y), yy = line_product(q.y, r.y);
    const real zero = bg_real(0.);
    const line_dual t = {{-yx.re - xy.re, -yx.im - xy.im},
                         {yx.im - xy.im, xy.re - yx.re},
                         {twice * yy.re, twice * yy.im},
                         {zero, zero}};
    return t;
}

/* The same with the antiquark itself, whose y is real. */
BG_FN line_dual line_closed(quark_spinor q, quark_spinor close, real twice)
{
    const quark_number yx = line_product(q.y, close.x);
    const real xy_re = q.x.re * close.y.re, xy_im = q.x.im * close.y.re, psi = twice * close.y.re, zero = bg_real(0.);
    const line_dual t = {
        {-yx.re - xy_re, -yx.im - xy_im}, {yx.im - xy_im, xy_re - yx.re}, {psi * q.y.re, psi * q.y.im}, {zero, zero}};
    return t;
}

/* From before a current to before its sums; `set`: its gluons. */
BG_FN line_sums line_before_sums(const line_dual *t, const quark_set *set)
{
    const real p1 = set->p1, p2 = set->p2, propagator = set->inverse_square;
    line_sums c;
    c.n1.re = propagator * (t->a1.re + t->psi.re * p1 - t->phi.re * p2);
    c.n1.im = propagator * (t->a1.im + t->psi.im * p1 - t->phi.im * p2);
    c.n2.re = propagator * (t->a2.re + t->psi.re * p2 + t->phi.re * p1);
    c.n2.im = propagator * (t->a2.im + t->psi.im * p2 + t->phi.im * p1);
    c.d.re = -(p1 * c.n1.re + p2 * c.n2.re) - t->psi.re;
    c.d.im = -(p1 * c.n1.im + p2 * c.n2.im) - t->psi.im;
    c.w.re = p2 * c.n1.re - p1 * c.n2.re - t->phi.re;
    c.w.im = p2 * c.n1.im - p1 * c.n2.im - t->phi.im;
    return c;
}

/* Adds c . [ A, . ]; the factors are those of lightcone.h for the split. */
BG_FN void line_add_split(line_dual *t, const line_sums *c, light_current A, real left, real right, real difference)
{
    const real u = left * A.psi, d1 = difference * A.a1, d2 = difference * A.a2;
    const real r1 = right * A.a1, r2 = right * A.a2;
    t->a1.re = t->a1.re + c->n1.re * u + c->n2.re * A.phi + c->d.re * d1 - c->w.re * A.a2;
    t->a1.im = t->a1.im + c->n1.im * u + c->n2.im * A.phi + c->d.im * d1 - c->w.im * A.a2;
    t->a2.re = t->a2.re + c->n2.re * u - c->n1.re * A.phi + c->d.re * d2 + c->w.re * A.a1;
    t->a2.im = t->a2.im + c->n2.im * u - c->n1.im * A.phi + c->d.im * d2 + c->w.im * A.a1;
    t->psi.re = t->psi.re - c->n1.re * r1 - c->n2.re * r2;
    t->psi.im = t->psi.im - c->n1.im * r1 - c->n2.im * r2;
    t->phi.re = t->phi.re + c->n1.re * A.a2 - c->n2.re * A.a1;
    t->phi.im = t->phi.im + c->n1.im * A.a2 - c->n2.im * A.a1;
}

/* c . s */
BG_FN quark_number line_from_sums(const line_sums *c, light_sum s)
{
    const quark_number a = {c->n1.re * s.n1 + c->n2.re * s.n2 + c->d.re * s.d + c->w.re * s.w,
                            c->n1.im * s.n1 + c->n2.im * s.n2 + c->d.im * s.d + c->w.im * s.w};
    return a;
}

/* Adds a split that closes the amplitude. */
BG_FN void line_close(quark_number *a, const line_dual *t, light_current B)
{
    a->re = a->re + t->a1.re * B.a1 + t->a2.re * B.a2 + t->psi.re * B.psi + t->phi.re * B.phi;
    a->im = a->im + t->a1.im * B.a1 + t->a2.im * B.a2 + t->psi.im * B.psi + t->phi.im * B.phi;
}

/* Adds the emission of a gluon current (a1, a2, plus = 2 psi / p-) to what an L is made of: minus eta1 and eta2. */
BG_FN void line_emit(quark_sum *u, quark_spinor q, real a1, real a2, real plus)
{
    u->eta1.re = u->eta1.re + a1 * q.y.re - a2 * q.y.im;
    u->eta1.im = u->eta1.im + a1 * q.y.im + a2 * q.y.re;
    u->eta2.re = u->eta2.re - plus * q.y.re + a1 * q.x.re + a2 * q.x.im;
    u->eta2.im = u->eta2.im - plus * q.y.im + a1 * q.x.im - a2 * q.x.re;
}

/* L from its emissions. */
BG_FN quark_spinor line_propagate(quark_sum u, real minus, real inverse, real p1, real p2, real propagator)
{
    const quark_number y = {propagator * (p1 * u.eta1.re + p2 * u.eta1.im + minus * u.eta2.re),
                            propagator * (p1 * u.eta1.im - p2 * u.eta1.re + minus * u.eta2.im)};
    const quark_spinor q = {
        {inverse * (u.eta1.re + p1 * y.re - p2 * y.im), inverse * (u.eta1.im + p1 * y.im + p2 * y.re)}, y};
    return q;
}

/* The antiquark's current with one more gluon; `line`: the set of all other legs, whose momentum is the opposite. */
BG_FN quark_spinor line_against(quark_spinor close, light_current A, real plus, const quark_set *line)
{
    const quark_number along = {A.a1, -A.a2}, against = {A.a1, A.a2};
    const quark_number y = line_product(along, close.y), x = line_product(against, close.x);
    const quark_number eta1 = {-y.re, -y.im}, eta2 = {plus * close.y.re - x.re, plus * close.y.im - x.im};
    const quark_number P = {-line->p1, -line->p2}, conjugate = {-line->p1, line->p2};
    const quark_number first = line_product(P, eta1);
    const quark_spinor half = {eta1,
                               {line->inverse_square * (first.re - line->minus * eta2.re),
                                line->inverse_square * (first.im - line->minus * eta2.im)}};
    const quark_number second = line_product(conjugate, half.y);
    const quark_spinor r = {
        {-line->inverse_minus * (eta1.re + second.re), -line->inverse_minus * (eta1.im + second.im)}, half.y};
    return r;
}

#endif
