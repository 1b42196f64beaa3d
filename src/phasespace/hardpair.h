/* A phase-space mapping made for the peaks of multi-gluon matrix elements: a hard pair and soft gluons.
 *
 * The two gluons of largest pT are the pair; where |M|^2 is symmetric, only that region is integrated and
 * counted n (n-1) / 2 times; for other partons see region.h. The others are drawn logarithmically in pT,
 *     d^3p / ((2 pi)^3 2E) = pT^2 / (2 (2 pi)^3)  dlog(pT) dy dphi ,
 * and in (y, phi) from a mixture: flat, or as 1/r^2 around one of the gluons that are there already, where the
 * collinear peaks are. The density of the whole mixture divides the weight, so it does not matter which part a
 * point came from. The pair takes what is left, Q; in its rest frame
 *     dPhi_2 = 1/(8 pi)  sech^2(y) dy / 2  dphi / (2 pi) .
 * Were Q without transverse momentum, y would run to ymax - |y(Q)|: most points are drawn flat in between, where
 * the matrix element has its peaks at the ends, and a few beyond, flat in the cosine, so that no corner of phase
 * space is left out. The pair's direction is drawn first: the others are soft, so that is close to where the pair
 * will fly, and good enough as a center of the mixture.
 *
 * Close is not good enough where gluons may come closer to the pair than the recoil moves it. For cuts that allow that the
 * centers are exact ("collinear"): one of the pair, a, flies where it was drawn, in the laboratory, with the energy
 * E = Q^2 / (2 Q.n) that leaves its partner b massless,
 *     dPhi_2 = pT_a^2 / (8 pi^2 Q^2)  dy_a dphi_a ,
 * and the center at b is where b would be if no more soft gluons came. A gluon that is collinear with b leaves the
 * direction of b as it is. Softer ones come later, so that they move b little. What is closest to the pair is close to a:
 * that is half of phase space, counted twice.
 */
#ifndef BG_PHASESPACE_HARDPAIR_H
#define BG_PHASESPACE_HARDPAIR_H

#include "base/constants.h"
#include "base/limits.h"
#include "kinematics/angles.h"

#define BG_HARDPAIR_FAR 3.0     /* radius up to which a center reaches */
#define BG_HARDPAIR_INSIDE 0.95 /* share of the pair's rapidities that are drawn inside */
#define BG_HARDPAIR_LEAST 1e-6  /* radius of the centers where nothing keeps gluons apart */
#define BG_HARDPAIR_CLOSE 0.2   /* cuts that let gluons come closer than this need exact centers */

typedef struct hardpair {
    double sqrts;
    double pt_min;   /* lowest pT of a soft gluon */
    double log_pt;   /* L = log(largest / lowest pT) */
    double y_max;    /* rapidity of a soft gluon within +- y_max */
    double flat;     /* probability of the flat part of the mixture */
    double near;     /* radius from which a center reaches */
    double log_r;    /* log(BG_HARDPAIR_FAR / near) */
    int collinear;   /* the centers at the pair are exact */
    double constant; /* all factors that are the same for every point */
} hardpair;

/* Numbers that a grid should adapt: log(pT) of each soft gluon, rapidity of the pair. */
BG_FN int hardpair_adaptive(int n) { return n - 1; }

/* Numbers in all: azimuth of the pair, and three for the direction of each soft gluon. */
BG_FN int hardpair_numbers(int n) { return 4 * n - 6; }

/* nearest: the smallest DeltaR that the cuts allow. */
BG_FN hardpair hardpair_create(int n, double sqrts, double pt_min, double eta_max, double nearest)
{
    const double pi = BG_PI;
    hardpair h;
    h.sqrts = sqrts;
    h.pt_min = pt_min;
    h.log_pt = log(sqrts / (2. * pt_min));
    h.y_max = acosh(sqrts / (2. * pt_min)); /* kinematic limit */
    if (eta_max > 0. && eta_max < h.y_max) h.y_max = eta_max;
    h.collinear = n > 2 && nearest < BG_HARDPAIR_CLOSE;
    h.near = nearest > 1. ? 1. : nearest > 0. ? nearest : BG_HARDPAIR_LEAST;
    if (h.collinear)
        h.near *= 0.5; /* b, at least as hard as a gluon beside it, moves away from it by as much again at most */
    h.log_r = log(BG_HARDPAIR_FAR / h.near);
    /* seven parts in ten at DeltaR > 0.4; the rest grows with the logarithm that it covers */
    h.flat = h.collinear ? 0.7 / (0.7 + 0.3 * h.log_r / log(BG_HARDPAIR_FAR / 0.4)) : 0.7;
    h.constant = 0.5 * n * (n - 1) / (8. * pi);
    for (int k = 2; k < n; k++) h.constant *= h.log_pt / (2. * 8. * pi * pi * pi);
    return h;
}

/* Direction of soft gluon k in the presence of `centers` gluons; returns the density of the mixture there. u has
 * three numbers. Directions outside the rapidity range have density 0. */
BG_FN real hardpair_direction(const hardpair *h, int centers, const real *center_y, const real *center_phi,
                              const real *u, real *y, real *phi)
{
    const double pi = BG_PI;
    const double share = (1. - h->flat) / centers;
    real zero = bg_real(0.), two_pi = bg_real(2. * pi);
    /* the first number says which part of the mixture: below `flat` the flat one, then the centers in turn */
    real flat_y = bg_real(h->y_max) * (u[1] + u[1] - bg_real(1.)), flat_phi = two_pi * u[2];
    real r = bg_real(h->near) * bg_exp(bg_real(h->log_r) * u[1]), sine, cosine;
    bg_turn(u[2], &sine, &cosine);
    real at_y = flat_y, at_phi = flat_phi;
    BG_UNROLL
    for (int c = 0; c < centers; c++) {
        mask here = u[0] >= bg_real(h->flat + c * share);
        at_y = bg_select(here, center_y[c] + r * cosine, at_y);
        at_phi = bg_select(here, center_phi[c] + r * sine, at_phi);
    }
    at_phi = bg_select(at_phi < zero, at_phi + two_pi, at_phi);
    at_phi = bg_select(at_phi >= two_pi, at_phi - two_pi, at_phi);
    real density = bg_real(h->flat / (2. * h->y_max * 2. * pi));
    BG_UNROLL
    for (int c = 0; c < centers; c++) {
        real r2 = angles_distance2(at_y, at_phi, center_y[c], center_phi[c]);
        mask reach = r2 >= bg_real(h->near * h->near);
        reach &= r2 <= bg_real(BG_HARDPAIR_FAR * BG_HARDPAIR_FAR);
        density += bg_select(reach, bg_real(share / (2. * pi * h->log_r)) / r2, zero);
    }
    *y = at_y;
    *phi = at_phi;
    return bg_select(bg_abs(at_y) <= bg_real(h->y_max), density, zero);
}

/* A massless momentum from pT, rapidity and azimuth in turns. */
BG_FN vec4 hardpair_momentum(real pt, real y, real turns)
{
    const real half = bg_real(0.5), one = bg_real(1.);
    real s, c;
    const real e = bg_exp(y);
    bg_turn(turns, &s, &c);
    const vec4 p = {half * pt * (e + one / e), pt * c, pt * s, half * pt * (e - one / e)};
    return p;
}

/* An azimuth between -pi and pi as one between 0 and 2 pi. */
BG_FN real hardpair_azimuth(real phi) { return bg_select(phi < bg_real(0.), phi + bg_real(BG_TWO_PI), phi); }

/* Sorts transverse momenta, the largest first. */
BG_FN void hardpair_sort(const int count, real *pt)
{
    BG_UNROLL
    for (int j = 1; j < count; j++) {
        BG_UNROLL
        for (int k = 0; k < count - j; k++) {
            const mask swap = pt[k] < pt[k + 1];
            const real larger = bg_select(swap, pt[k + 1], pt[k]);
            pt[k + 1] = bg_select(swap, pt[k], pt[k + 1]);
            pt[k] = larger;
        }
    }
}

/* hardpair_generate() with exact centers. */
BG_FN real hardpair_generate_collinear(const int n, const hardpair *h, const real *x, vec4 *p)
{
    const real one = bg_real(1.), zero = bg_real(0.), turns = bg_real(1. / BG_TWO_PI);
    real weight = bg_real(8. * h->constant * h->y_max);
    real center_y[BG_MAX_LETTERS], center_phi[BG_MAX_LETTERS], pt[BG_MAX_LETTERS];
    center_y[0] = bg_real(h->y_max) * (x[n - 2] + x[n - 2] - one);
    center_phi[0] = bg_real(BG_TWO_PI) * x[n - 1];
    const vec4 along = hardpair_momentum(one, center_y[0], x[n - 1]); /* a with a pT of 1 */
    BG_UNROLL
    for (int k = 0; k < n - 2; k++) pt[k] = bg_real(h->pt_min) * bg_exp(bg_real(h->log_pt) * x[k]);
    hardpair_sort(n - 2, pt);

    mask good = bg_true();
    vec4 Q = {bg_real(h->sqrts), zero, zero, zero};
    BG_UNROLL
    for (int k = 0; k < n - 2; k++) {
        /* b as it would be now */
        const real mass2 = dot(Q, Q);
        good &= mass2 > bg_real(4e-6 * h->pt_min * h->pt_min);
        good &= Q.t > zero;
        const vec4 a = vec4_scale(bg_select(good, mass2 / (bg_real(2.) * dot(Q, along)), one), along);
        const vec4 b = vec4_sub(Q, a);
        center_y[1] = bg_select(good, angles_eta(b), zero);
        center_phi[1] = hardpair_azimuth(bg_atan2(b.y, b.x));
        real y, phi;
        const real density = hardpair_direction(h, k + 2, center_y, center_phi, x + n + 3 * k, &y, &phi);
        good &= density > zero;
        y = bg_select(good, y, zero);
        p[k] = hardpair_momentum(pt[k], y, phi * turns);
        Q = vec4_sub(Q, p[k]);
        weight *= pt[k] * pt[k] / bg_select(good, density, one);
        center_y[k + 2] = y;
        center_phi[k + 2] = phi;
    }
    const real mass2 = dot(Q, Q);
    good &= mass2 > bg_real(4e-6 * h->pt_min * h->pt_min);
    good &= Q.t > zero;
    const real hard = bg_select(good, mass2 / (bg_real(2.) * dot(Q, along)), one); /* pT of a */
    p[n - 2] = vec4_scale(hard, along);
    p[n - 1] = vec4_sub(Q, p[n - 2]);
    /* The difference has lost digits where b is soft against Q; massless is what it must be. */
    const vec4 *b = &p[n - 1];
    p[n - 1].t = bg_sqrt(b->x * b->x + b->y * b->y + b->z * b->z);
    weight *= hard * hard / bg_select(good, mass2, one);
    good &= hard >= pt[0];
    good &= b->x * b->x + b->y * b->y >= pt[0] * pt[0];
    real near_a = bg_real(1e6), near_b = near_a;
    const real y_b = bg_select(good, angles_eta(*b), zero), phi_b = bg_atan2(b->y, b->x);
    BG_UNROLL
    for (int k = 2; k < n; k++) {
        near_a = bg_min(near_a, angles_distance2(center_y[0], center_phi[0], center_y[k], center_phi[k]));
        near_b = bg_min(near_b, angles_distance2(y_b, hardpair_azimuth(phi_b), center_y[k], center_phi[k]));
    }
    good &= near_a <= near_b;
    return bg_select(good, weight, zero);
}

/* n momenta from hardpair_numbers(n) numbers in (0, 1), the adaptive ones first: soft gluons, the pair last. The
 * weight is 0 where there is no such point or the pair is not the hardest. */
BG_FN real hardpair_generate(const int n, const hardpair *h, const real *x, vec4 *p)
{
    if (h->collinear) return hardpair_generate_collinear(n, h, x, p);
    real one = bg_real(1.), zero = bg_real(0.), half = bg_real(0.5), two_pi = bg_real(BG_TWO_PI);
    real weight = bg_real(h->constant);
    real center_y[BG_MAX_LETTERS], center_phi[BG_MAX_LETTERS];

    /* where the pair will be, about */
    real v = x[n - 2] + x[n - 2] - one, sine, cosine;
    real azimuth = two_pi * x[n - 1];
    bg_turn(x[n - 1], &sine, &cosine);
    center_y[0] = bg_real(h->y_max / BG_HARDPAIR_INSIDE) * v;
    center_y[1] = -center_y[0];
    center_phi[0] = azimuth;
    center_phi[1] = bg_select(azimuth < half * two_pi, azimuth + half * two_pi, azimuth - half * two_pi);

    real hardest = zero; /* pT^2 of the hardest soft gluon */
    mask good = bg_true();
    vec4 Q = {bg_real(h->sqrts), zero, zero, zero};
    BG_UNROLL
    for (int k = 0; k < n - 2; k++) {
        real pt = bg_real(h->pt_min) * bg_exp(bg_real(h->log_pt) * x[k]), y, phi;
        real density = hardpair_direction(h, k + 2, center_y, center_phi, x + n + 3 * k, &y, &phi);
        mask possible = density > zero;
        good &= possible;
        y = bg_select(possible, y, zero);
        p[k] = hardpair_momentum(pt, y, phi * bg_real(1. / BG_TWO_PI));
        Q = vec4_sub(Q, p[k]);
        weight *= pt * pt / bg_select(possible, density, one);
        hardest = bg_select(hardest < pt * pt, pt * pt, hardest);
        center_y[k + 2] = y;
        center_phi[k + 2] = phi;
    }
    real mass2 = dot(Q, Q);
    /* below this the boost has no digits left; such a pair is far below any pT that a pair can have */
    good &= mass2 > bg_real(4e-6 * h->pt_min * h->pt_min);
    good &= Q.t > zero;
    real mass = bg_sqrt(bg_select(good, mass2, one));

    /* direction of the pair in its rest frame: rapidity a v / INSIDE up to a, the cosine linear in v beyond */
    real boost = half * bg_abs(bg_log(bg_select(good, (Q.t + Q.z) / (Q.t - Q.z), one)));
    real a = bg_real(h->y_max) - boost;
    a = bg_select(a < bg_real(0.1), bg_real(0.1), a);
    real size = bg_abs(v);
    mask inside = size < bg_real(BG_HARDPAIR_INSIDE);
    real e2a = bg_exp(a + a), e2y = bg_exp(bg_real(2. / BG_HARDPAIR_INSIDE) * a * size);
    real rest = bg_real(2.) / (e2a + one);                                       /* 1 - tanh(a) */
    real beyond = (one - size) * bg_real(1. / (1. - BG_HARDPAIR_INSIDE)) * rest; /* 1 - cosine */
    real short_of_one = bg_select(inside, bg_real(2.) / (e2y + one), beyond);
    real tanh_y = bg_select(v < zero, short_of_one - one, one - short_of_one);
    real sech2 = short_of_one * (bg_real(2.) - short_of_one);
    real sech = bg_sqrt(sech2);
    /* d(cosine) / 2 with dv = 2 dx */
    weight *=
        bg_select(inside, sech2 * a * bg_real(1. / BG_HARDPAIR_INSIDE), rest * bg_real(1. / (1. - BG_HARDPAIR_INSIDE)));

    /* from the rest frame of Q to the laboratory */
    real E = half * mass, px = E * sech * cosine, py = E * sech * sine, pz = E * tanh_y;
    real qp = Q.x * px + Q.y * py + Q.z * pz;
    real inverse = one / mass, shift = qp / (Q.t + mass);
    real fp = (E + shift) * inverse, fm = (E - shift) * inverse;
    vec4 one_of = {(Q.t * E + qp) * inverse, px + Q.x * fp, py + Q.y * fp, pz + Q.z * fp};
    vec4 other = {(Q.t * E - qp) * inverse, Q.x * fm - px, Q.y * fm - py, Q.z * fm - pz};
    p[n - 2] = one_of;
    p[n - 1] = other;
    good &= one_of.x * one_of.x + one_of.y * one_of.y >= hardest;
    good &= other.x * other.x + other.y * other.y >= hardest;
    return bg_select(good, weight, zero);
}

#endif
