/* A phase-space mapping made for the peaks of multi-gluon matrix elements: a hard pair and soft gluons.
 *
 * The two gluons of largest pT are the pair; |M|^2 is symmetric, so only that region is integrated and
 * counted n (n-1) / 2 times. The others are drawn logarithmically in pT and flat in rapidity and azimuth,
 *     d^3p / ((2 pi)^3 2E) = pT^2 L Y 2 pi / (2 (2 pi)^3) dx1 dx2 dx3 ,   pT = ptmin e^(L x1) ,
 * and the pair takes what is left, Q: in its rest frame
 *     dPhi_2 = 1/(8 pi)  sech^2(y) dy / 2  dphi / (2 pi) .
 * The pair's rapidity is y = a v + artanh(v), v in (-1, 1): flat where the matrix element is, and without
 * an end, so that no corner of phase space is left out.
 */
#ifndef BG_PHASESPACE_HARDPAIR_H
#define BG_PHASESPACE_HARDPAIR_H

#include "amplitude/vector.h"

typedef struct hardpair {
    double sqrts;
    double pt_min;   /* lowest pT of a soft gluon */
    double log_pt;   /* L = log(largest / lowest pT) */
    double y_max;    /* rapidity of a soft gluon within +- y_max */
    double y_range;  /* a */
    double constant; /* all factors that are the same for every point */
} hardpair;

BG_FN int hardpair_dimensions(int n) { return 3 * n - 4; }

BG_FN hardpair hardpair_create(int n, double sqrts, double pt_min, double eta_max)
{
    const double pi = 3.14159265358979323846;
    hardpair h;
    h.sqrts = sqrts;
    h.pt_min = pt_min;
    h.log_pt = log(sqrts / (2. * pt_min));
    h.y_max = acosh(sqrts / (2. * pt_min)); /* kinematic limit */
    if (eta_max > 0. && eta_max < h.y_max) h.y_max = eta_max;
    h.y_range = h.y_max;
    h.constant = 0.5 * n * (n - 1) / (8. * pi);
    for (int k = 2; k < n; k++) h.constant *= h.log_pt * 2. * h.y_max * 2. * pi / (2. * 8. * pi * pi * pi);
    return h;
}

/* n momenta from 3 n - 4 numbers in (0, 1): soft ones first, the pair last. The weight is 0 where there is
 * no such point or the pair is not the hardest. */
BG_FN real hardpair_generate(const int n, const hardpair *h, const real *x, vec4 *p)
{
    real one = bg_real(1.), zero = bg_real(0.), half = bg_real(0.5), two_pi = bg_real(6.283185307179586476925286766559);
    real weight = bg_real(h->constant);
    real hardest = zero; /* pT^2 of the hardest soft gluon */
    vec4 Q = {bg_real(h->sqrts), zero, zero, zero};
    for (int k = 0; k < n - 2; k++) {
        real pt = bg_real(h->pt_min) * bg_exp(bg_real(h->log_pt) * x[3 * k]);
        real e = bg_exp(bg_real(h->y_max) * (x[3 * k + 1] + x[3 * k + 1] - one));
        real sine, cosine;
        bg_sincos(two_pi * x[3 * k + 2], &sine, &cosine);
        vec4 q = {half * pt * (e + one / e), pt * cosine, pt * sine, half * pt * (e - one / e)};
        p[k] = q;
        Q = vec4_sub(Q, q);
        weight *= pt * pt;
        hardest = bg_select(hardest < pt * pt, pt * pt, hardest);
    }
    real mass2 = dot(Q, Q);
    mask good = (mass2 > bg_real(4e-6 * h->pt_min * h->pt_min)) & (Q.t > zero);
    real mass = bg_sqrt(bg_select(good, mass2, one));

    real v = x[3 * n - 6] + x[3 * n - 6] - one;
    real stretch = (one + v) / (one - v); /* e^(2 artanh v) */
    real e2y = stretch * bg_exp(bg_real(2. * h->y_range) * v);
    real tanh_y = (e2y - one) / (e2y + one);
    real sech2 = bg_real(4.) * e2y / ((e2y + one) * (e2y + one));
    weight *= sech2 * (bg_real(h->y_range) + one / (one - v * v)); /* dy / 2 with dv = 2 dx */
    real sech = bg_sqrt(sech2), sine, cosine;
    bg_sincos(two_pi * x[3 * n - 5], &sine, &cosine);

    /* from the rest frame of Q to the laboratory */
    real E = half * mass, px = E * sech * cosine, py = E * sech * sine, pz = E * tanh_y;
    real qp = Q.x * px + Q.y * py + Q.z * pz;
    real inverse = one / mass, shift = qp / (Q.t + mass);
    real fp = (E + shift) * inverse, fm = (E - shift) * inverse;
    vec4 a = {(Q.t * E + qp) * inverse, px + Q.x * fp, py + Q.y * fp, pz + Q.z * fp};
    vec4 b = {(Q.t * E - qp) * inverse, Q.x * fm - px, Q.y * fm - py, Q.z * fm - pz};
    p[n - 2] = a;
    p[n - 1] = b;
    good &= (a.x * a.x + a.y * a.y >= hardest) & (b.x * b.x + b.y * b.y >= hardest);
    return bg_select(good, weight, zero);
}

#endif
