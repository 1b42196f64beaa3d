/* Massless quarks in light-cone gauge: two complex numbers a current.
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
 */
#ifndef BG_AMPLITUDE_SPINOR_H
#define BG_AMPLITUDE_SPINOR_H

#include "amplitude/shared.h"
#include "base/constants.h"

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

/* What the terms of a gluon current add up to, real and imaginary part. */
typedef struct quark_gluon_sum {
    light_sum part[2];
} quark_gluon_sum;

/* ... and those of a quark's. */
typedef struct quark_sum {
    quark_number eta1, eta2;
} quark_sum;

/* ---- legs ------------------------------------------------------------------------------------------------------------- */

/* The leg whose momentum is the gauge vector. */
BG_FN quark_spinor spinor_gauge(void)
{
    const real zero = bg_real(0.);
    const quark_spinor gauge = {{bg_real(1.41421356237309504880168872420969808), zero}, {zero, zero}};
    return gauge;
}

/* ... where its root of two comes in later. */
BG_FN quark_spinor spinor_gauge_one(void)
{
    const real zero = bg_real(0.);
    const quark_spinor gauge = {{bg_real(1.), zero}, {zero, zero}};
    return gauge;
}

/* Any other one. */
BG_FN quark_spinor spinor_leg(const quark_set *q, real s)
{
    const real y = bg_sqrt(bg_abs(q->minus)), x = y * q->inverse_minus;
    const quark_spinor r = {{x * q->p1, s * x * q->p2}, {y, bg_real(0.)}};
    return r;
}

/* ---- vertices --------------------------------------------------------------------------------------------------------- */

/* Adds a pair, quark b and antiquark k, to the real and the imaginary part of a gluon's sum; `twice_inverse` is 2 / P-, or 2 where that
 * comes in later. */
BG_FN void spinor_pair(const quark_spinor *b, const quark_spinor *k, real s, real twice_inverse, light_sum *sum)
{
    const real xy_re = b->x.re * k->y.re - b->x.im * k->y.im, xy_im = b->x.re * k->y.im + b->x.im * k->y.re;
    const real yx_re = b->y.re * k->x.re - b->y.im * k->x.im, yx_im = b->y.re * k->x.im + b->y.im * k->x.re;
    light_sum *re = &sum[0], *im = &sum[1];
    re->n1 = re->n1 + xy_re + yx_re;
    im->n1 = im->n1 + xy_im + yx_im;
    re->n2 = re->n2 + s * (xy_im - yx_im);
    im->n2 = im->n2 - s * (xy_re - yx_re);
    re->d = re->d + twice_inverse * (b->y.re * k->y.re - b->y.im * k->y.im);
    im->d = im->d + twice_inverse * (b->y.re * k->y.im + b->y.im * k->y.re);
}

/* The real part alone, chirality +1. */
BG_FN void spinor_pair_real(const quark_spinor *b, const quark_spinor *k, real twice_inverse, light_sum *sum)
{
    const real xy_re = b->x.re * k->y.re - b->x.im * k->y.im, xy_im = b->x.re * k->y.im + b->x.im * k->y.re;
    const real yx_re = b->y.re * k->x.re - b->y.im * k->x.im, yx_im = b->y.re * k->x.im + b->y.im * k->x.re;
    sum->n1 = sum->n1 + xy_re + yx_re;
    sum->n2 = sum->n2 + xy_im - yx_im;
    sum->d = sum->d + twice_inverse * (b->y.re * k->y.re - b->y.im * k->y.im);
}

/* -i times a quark: the real part of the pair that it makes is the imaginary part of the quark's own. */
BG_FN quark_spinor spinor_turned(quark_spinor q)
{
    const quark_spinor r = {{q.x.im, -q.x.re}, {q.y.im, -q.y.re}};
    return r;
}

/* What the pairs of a line emit with one leg open at each end, to be contracted with a current: sums of x_b y_k, y_b x_k and y_b y_k. */
typedef struct spinor_products {
    quark_number xy, yx, yy;
} spinor_products;

BG_FN void spinor_add_product(quark_number a, quark_number b, quark_number *sum)
{
    sum->re = sum->re + a.re * b.re - a.im * b.im;
    sum->im = sum->im + a.re * b.im + a.im * b.re;
}

BG_FN void spinor_add_products(const quark_spinor *b, const quark_spinor *k, spinor_products *sum)
{
    spinor_add_product(b->x, k->y, &sum->xy);
    spinor_add_product(b->y, k->x, &sum->yx);
    spinor_add_product(b->y, k->y, &sum->yy);
}

BG_FN spinor_products spinor_reversed(spinor_products p)
{
    const spinor_products r = {{-p.xy.re, -p.xy.im}, {-p.yx.re, -p.yx.im}, {-p.yy.re, -p.yy.im}};
    return r;
}

/* The source of a gluon that they are: n1, n2 and d. */
typedef struct spinor_source {
    quark_number n1, n2, d;
} spinor_source;

BG_FN spinor_source spinor_source_of(const spinor_products *sum, real s, real twice_inverse)
{
    const spinor_source r = {{sum->xy.re + sum->yx.re, sum->xy.im + sum->yx.im},
                             {s * (sum->xy.im - sum->yx.im), s * (sum->yx.re - sum->xy.re)},
                             {twice_inverse * sum->yy.re, twice_inverse * sum->yy.im}};
    return r;
}

/* Subtracts the product of a source and a real current, - n1 a1 - n2 a2 - d psi, from a number: an amplitude. P- in d is that of the source,
 * the opposite of the current's. */
BG_FN void spinor_contract(const spinor_source *j, real a1, real a2, real psi, quark_number *a)
{
    a->re = a->re - j->n1.re * a1 - j->n2.re * a2 - j->d.re * psi;
    a->im = a->im - j->n1.im * a1 - j->n2.im * a2 - j->d.im * psi;
}

/* Adds the emission of a real gluon (a1, a2), a2 times s already, to eta1, and with plus = 2 A+ to eta2. */
BG_FN void spinor_emit_eta1(const quark_spinor *q, real a1, real a2, quark_sum *u)
{
    u->eta1.re = u->eta1.re - a1 * q->y.re + a2 * q->y.im;
    u->eta1.im = u->eta1.im - a1 * q->y.im - a2 * q->y.re;
}
BG_FN void spinor_emit_eta2(const quark_spinor *q, real a1, real a2, real plus, quark_sum *u)
{
    u->eta2.re = u->eta2.re + plus * q->y.re - a1 * q->x.re - a2 * q->x.im;
    u->eta2.im = u->eta2.im + plus * q->y.im - a1 * q->x.im + a2 * q->x.re;
}

/* ... of a complex gluon, whose real part is (a1, a2) and whose imaginary part is (b1, b2). */
BG_FN void spinor_emit_complex_eta1(const quark_spinor *q, real a1, real a2, real b1, real b2, quark_sum *u)
{
    const real along_re = a1 - b2, along_im = b1 + a2; /* A_s */
    u->eta1.re = u->eta1.re - along_re * q->y.re + along_im * q->y.im;
    u->eta1.im = u->eta1.im - along_re * q->y.im - along_im * q->y.re;
}
BG_FN void spinor_emit_complex_eta2(const quark_spinor *q, real a1, real a2, real b1, real b2, real plus_re,
                                    real plus_im, quark_sum *u)
{
    const real against_re = a1 + b2, against_im = b1 - a2; /* A_{-s} */
    u->eta2.re = u->eta2.re + plus_re * q->y.re - plus_im * q->y.im - against_re * q->x.re + against_im * q->x.im;
    u->eta2.im = u->eta2.im + plus_re * q->y.im + plus_im * q->y.re - against_re * q->x.im - against_im * q->x.re;
}

/* ---- sums ---------------------------------------------------------------------------------------------------------------- */

BG_FN light_sum quark_opposite(light_sum s)
{
    const light_sum r = {-s.n1, -s.n2, -s.d, -s.w};
    return r;
}

BG_FN quark_spinor spinor_opposite(quark_spinor q)
{
    const quark_spinor r = {{-q.x.re, -q.x.im}, {-q.y.re, -q.y.im}};
    return r;
}

BG_FN quark_sum quark_reversed(quark_sum u)
{
    const quark_sum r = {{-u.eta1.re, -u.eta1.im}, {-u.eta2.re, -u.eta2.im}};
    return r;
}

/* The current of a quark or antiquark from what its terms add up to, times xi. */
BG_FN quark_spinor spinor_propagate(const quark_sum *u, const quark_set *P, real s)
{
    const real p2 = s * P->p2;
    const quark_number y = {P->inverse_square * (P->p1 * u->eta1.re + p2 * u->eta1.im + P->minus * u->eta2.re),
                            P->inverse_square * (P->p1 * u->eta1.im - p2 * u->eta1.re + P->minus * u->eta2.im)};
    const quark_spinor q = {{P->inverse_minus * (u->eta1.re + P->p1 * y.re - p2 * y.im),
                             P->inverse_minus * (u->eta1.im + P->p1 * y.im + p2 * y.re)},
                            y};
    return q;
}

/* The amplitude: contracted with the leg that closes. */
BG_FN quark_number spinor_close(const int on_gauge, const quark_sum *u, const quark_spinor *c)
{
    quark_number a = {u->eta1.re * c->x.re - u->eta1.im * c->x.im, u->eta1.re * c->x.im + u->eta1.im * c->x.re};
    if (!on_gauge) { /* y is real */
        a.re = a.re + u->eta2.re * c->y.re;
        a.im = a.im + u->eta2.im * c->y.re;
    }
    return a;
}

#endif
