/* Complex currents in circular components, for helicity eigenstates.
 *
 * Of a complex current in light-cone gauge (lightcone.h) with  a_s = a1 + i s a2 ,  z_s = psi + i s phi ,  s = +1 or -1, both
 * complex numbers of their own, a split A + B takes 32 multiply-adds where real and imaginary parts of the four components take 48:
 *
 *     n_s = alpha_s b_s - beta_s a_s ,      alpha_s = P-/pA- (zA_+ + zA_-) - zA_{-s} ,   beta_s the same of B
 *     d + i s w = ( pB- a_{-s} b_s - pA- a_s b_{-s} ) / P-
 *     P^2 a_s = n_s - P_s (d + i s w) ,   z_s = P_{-s} a_s - (d + i s w) ,      P_s = P1 + i s P2
 */
#ifndef BG_AMPLITUDE_CIRCULAR_H
#define BG_AMPLITUDE_CIRCULAR_H

#include "amplitude/coherent.h"

enum { CIRCULAR_SLOT = 10 }; /* numbers of a current */

typedef struct circular_number {
    real re, im;
} circular_number;

/* [0]: s = +1, [1]: s = -1 */
typedef struct circular_current {
    circular_number a[2], z[2];
    real minus, inverse; /* p- and 1/p- */
} circular_current;

/* n_s, and d + i s w that still lacks its 1/P-. */
typedef struct circular_sum {
    circular_number n[2], e[2];
} circular_sum;

BG_FN circular_number circular_product(circular_number x, circular_number y)
{
    const circular_number r = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    return r;
}

/* P_s x */
BG_FN circular_number circular_turn(real p1, real p2, circular_number x)
{
    const circular_number r = {p1 * x.re - p2 * x.im, p1 * x.im + p2 * x.re};
    return r;
}

BG_FN circular_sum circular_zero(void)
{
    const circular_number o = {bg_real(0.), bg_real(0.)};
    const circular_sum s = {{o, o}, {o, o}};
    return s;
}

/* Adds x y to s, or takes it away. */
BG_FN void circular_gain(circular_number *s, circular_number x, circular_number y)
{
    s->re = s->re + x.re * y.re - x.im * y.im;
    s->im = s->im + x.re * y.im + x.im * y.re;
}

BG_FN void circular_lose(circular_number *s, circular_number x, circular_number y)
{
    s->re = s->re - x.re * y.re + x.im * y.im;
    s->im = s->im - x.re * y.im - x.im * y.re;
}

/* alpha_s of both s; P- = 0 where the split closes the amplitude. */
BG_FN void circular_factors(const circular_current *A, real total, circular_number *alpha)
{
    const real share = total * A->inverse;
    const circular_number sum = {A->z[0].re + A->z[1].re, A->z[0].im + A->z[1].im};
    for (int s = 0; s < 2; s++) {
        alpha[s].re = share * sum.re - A->z[1 - s].re;
        alpha[s].im = share * sum.im - A->z[1 - s].im;
    }
}

/* Adds a split of a current with the given P-. */
BG_FN void circular_add(circular_sum *sum, const circular_current *A, const circular_current *B, real total)
{
    circular_number alpha[2], beta[2];
    circular_factors(A, total, alpha);
    circular_factors(B, total, beta);
    for (int s = 0; s < 2; s++) {
        circular_gain(&sum->n[s], alpha[s], B->a[s]);
        circular_lose(&sum->n[s], beta[s], A->a[s]);
    }
    const circular_number u = circular_product(A->a[1], B->a[0]), v = circular_product(A->a[0], B->a[1]);
    sum->e[0].re = sum->e[0].re + B->minus * u.re - A->minus * v.re;
    sum->e[0].im = sum->e[0].im + B->minus * u.im - A->minus * v.im;
    sum->e[1].re = sum->e[1].re + B->minus * v.re - A->minus * u.re;
    sum->e[1].im = sum->e[1].im + B->minus * v.im - A->minus * u.im;
}

/* a_s of transverse polarizations, e[0] the real part and e[1] the imaginary one. */
BG_FN void circular_polarization(const shared_polarization *e, circular_number *a)
{
    const circular_number plus = {e[0].a1 - e[1].a2, e[1].a1 + e[0].a2};
    const circular_number minus = {e[0].a1 + e[1].a2, e[1].a1 - e[0].a2};
    a[0] = plus;
    a[1] = minus;
}

/* As coherent_gluon(). */
BG_FN circular_current circular_gluon(int n, int k, const coherent_momenta *m, const shared_polarization *e)
{
    const size_t stride = m->stride;
    const uint32_t all = (1u << (n - 2)) - 1u;
    const real *own = m->table + (size_t)(k ? 1u << (k - 1) : all) * COHERENT_SET * stride;
    const real zero = bg_real(0.), p1 = k ? own[stride] : zero, p2 = k ? own[2 * stride] : zero;
    circular_current c;
    c.minus = k ? own[0] : -own[0];
    c.inverse = bg_real(1.) / c.minus;
    circular_polarization(e, c.a);
    c.z[0] = circular_turn(p1, -p2, c.a[0]);
    c.z[1] = circular_turn(p1, p2, c.a[1]);
    return c;
}

/* A current from its splits. */
BG_FN circular_current circular_propagate(const circular_sum *sum, const coherent_own *o)
{
    circular_current c;
    for (int s = 0; s < 2; s++) {
        const real p2 = s ? -o->p2 : o->p2;
        const circular_number e = {sum->e[s].re * o->inverse, sum->e[s].im * o->inverse};
        const circular_number pe = circular_turn(o->p1, p2, e);
        c.a[s].re = (sum->n[s].re - pe.re) * o->propagator;
        c.a[s].im = (sum->n[s].im - pe.im) * o->propagator;
        c.z[s] = circular_turn(o->p1, -p2, c.a[s]);
        c.z[s].re = c.z[s].re - e.re;
        c.z[s].im = c.z[s].im - e.im;
    }
    c.minus = o->minus;
    c.inverse = o->inverse;
    return c;
}

BG_FN void circular_collect(circular_sum *to, const circular_sum *from)
{
    for (int s = 0; s < 2; s++) {
        to->n[s].re = to->n[s].re + from->n[s].re;
        to->n[s].im = to->n[s].im + from->n[s].im;
        to->e[s].re = to->e[s].re + from->e[s].re;
        to->e[s].im = to->e[s].im + from->e[s].im;
    }
}

/* D_a of a diagonal, as coherent_differ(): three times its own splits, less those of all. */
BG_FN circular_sum circular_difference(const circular_sum *own, const circular_sum *all)
{
    const real three = bg_real(3.);
    circular_sum r;
    for (int s = 0; s < 2; s++) {
        r.n[s].re = three * own->n[s].re - all->n[s].re;
        r.n[s].im = three * own->n[s].im - all->n[s].im;
        r.e[s].re = three * own->e[s].re - all->e[s].re;
        r.e[s].im = three * own->e[s].im - all->e[s].im;
    }
    return r;
}

/* The squared amplitude from the splits that close it, with the closing gluon's polarizations. */
BG_FN real circular_square(const circular_sum *sum, const shared_polarization *last)
{
    circular_number a[2], twice = {bg_real(0.), bg_real(0.)};
    circular_polarization(last, a);
    circular_gain(&twice, a[0], sum->n[1]);
    circular_gain(&twice, a[1], sum->n[0]);
    return bg_real(0.25) * (twice.re * twice.re + twice.im * twice.im);
}

#endif
