/* Phase space of two protons: a pair of hard partons that balances soft ones, neither of the pair being special.
 *
 * With F(x) = x f(x) the cross section for n massless partons at the energy sqrt(S) is
 *     sigma = (2 pi)^(4-3n) 2^-n  int prod_{i<=n} dy_i  prod_{i<n} d^2pT_i  F(x1) F(x2) / s^2  |M|^2 ,
 *     x1 = sum pT_i exp(y_i) / sqrt(S) ,   x2 = sum pT_i exp(-y_i) / sqrt(S) ,   s = x1 x2 S ,
 * in 3n - 2 dimensions: everything happens in the laboratory, nothing is ever boosted.
 *
 * Transverse momenta. The n-2 soft partons come first, the hardest of them before the others. That one, of pT h, follows
 * a power law,
 *     h = h0 v^(-1/2) ,  v = 1 - u (1 - (h0/h1)^2) ,                h dh = h^2 / (2 v) (1 - (h0/h1)^2) du ,
 * and log(pT) of each of the others is uniform up to that of the one before. They leave K = -sum pT to the pair,
 *     p_a = K/2 + q ,   p_b = K/2 - q ,   d^2p_a = q dq dphi_q .
 * Both are harder than h if q is above the larger solution of q^2 - K |c| q + K^2/4 = h^2,
 *     q0 = (K |c| + sqrt(K^2 c^2 - K^2 + 4 h^2)) / 2 ,   c: cosine of the angle between q and K.
 * For K > 2h, which takes three soft partons, they are so below the smaller solution as well, or for all q where there
 * is none; then q begins at 0 and leaves out the gap. A power law once more,
 *     z = q^2 + C^2 = z0 v^(-2/a) ,   q dq = z / (a v) dv ,   a = 5/2 ,
 * v being uniform in what is allowed; z0 is max(q0^2, h^2/4) at q = q0, and K^2/4 at q = 0 where q begins there.
 *
 * Rapidities of the pair are uniform within the cut; for n = 2 it is y* = (y_a - y_b)/2, then (y_a + y_b)/2.
 *
 * The direction of a soft parton is drawn from a mixture, whose whole density divides the weight: cells in y and the angle
 * between the parton and the line of q, and rings, in each of which the density is 1/r^2, around the pair and around the soft
 * partons that are there already. How probable each cell and each ring is, is learned. The angle is at most a quarter turn, since
 * q and -q are the same pair; and there q0 is least and the density has a cusp, which wide cells would cut off. Where the pair
 * will fly is estimated from what is known by then: phi_q, z / z0, and the K of the soft partons so far. The recoil of the
 * parton itself, of pT k, is known exactly: one of the pair that would have P = K/2 +- q without it has p = P - k/2, so that
 * at an angle delta from p the parton is at phi from P,
 *     p = -(k/2) cos delta + sqrt(P^2 - (k/2)^2 sin^2 delta) ,   tan phi = p sin delta / (p cos delta + k/2) ,
 *     ddelta/dphi = p.P / p^2 ,
 * with q as it is where the parton flies along. Rings around the pair are circles in y and 2 tan(delta/2), which takes no
 * functions but roots. What comes after moves the pair a little, so they begin within DeltaR.
 *
 * The pair is any of n(n-1)/2, the order of the soft ones any of (n-2)!, and the weight counts them all: see region.h.
 */
#ifndef BG_PHASESPACE_SYMMETRIC_H
#define BG_PHASESPACE_SYMMETRIC_H

#include "base/constants.h"
#include "base/power.h"
#include "phasespace/cuts.h"
#include "phasespace/learning.h"

enum {
    BG_SYMMETRIC_SOFT = BG_MAX_OUT_DRESSED - 2, /* soft partons at most */
    BG_SYMMETRIC_Y = 20,                        /* cells in rapidity */
    BG_SYMMETRIC_PHI = 8,                       /* ... and in the angle to the line of q, a quarter turn */
    BG_SYMMETRIC_FLAT = BG_SYMMETRIC_Y * BG_SYMMETRIC_PHI,
    BG_SYMMETRIC_SOFT_RINGS = 8, /* around soft partons; the first one has none, so they stand first */
    BG_SYMMETRIC_PAIR_RINGS = 16,
    BG_SYMMETRIC_RINGS = BG_SYMMETRIC_SOFT_RINGS + BG_SYMMETRIC_PAIR_RINGS,
    BG_SYMMETRIC_CELLS = BG_SYMMETRIC_RINGS + BG_SYMMETRIC_FLAT /* rings and cells */
};

#define BG_SYMMETRIC_POWER 2.5   /* a of the pair */
#define BG_SYMMETRIC_FAR 3.0     /* radius up to which rings reach */
#define BG_SYMMETRIC_SHRINK 0.25 /* radius from which those around the pair do, over DeltaR */
#define BG_SYMMETRIC_LEAST 1e-6  /* radius where nothing keeps partons apart */
#define BG_SYMMETRIC_HEAVY 1.2   /* P over k/2 at least, where a ring is around p */

/* Plain data: copied to devices as it is. */
typedef struct symmetric {
    double sqrts;
    double y_max;                      /* rapidities are within +- y_max */
    double pair_pt;                    /* least pT of the pair */
    double soft_pt[BG_SYMMETRIC_SOFT]; /* ... and of each soft parton, never rising */
    double rest;                       /* 1 - (h0/h1)^2 */
    double pair_begin, soft_begin;     /* log r from which rings reach, */
    double pair_step, soft_step;       /* ... and the width of one of them */
    double constant;                   /* all factors that are the same for every point */
} symmetric;

/* What is learned of directions, for each soft parton: rings around soft partons and around the pair, the inner ones first, then cell
 * BG_SYMMETRIC_PHI * (cell in y) + (cell in phi). */
typedef struct symmetric_table {
    double probability[BG_SYMMETRIC_SOFT][BG_SYMMETRIC_CELLS];
    double cumulative[BG_SYMMETRIC_SOFT][BG_SYMMETRIC_CELLS + 1]; /* it follows the probabilities */
} symmetric_table;

/* Numbers that a grid should adapt: pT of the n-2 soft partons, q, two rapidities. */
BG_FN int symmetric_adaptive(int n) { return n + 1; }

/* Numbers in all: behind those the azimuth of the pair, and three for the direction of each soft parton. */
BG_FN int symmetric_numbers(int n) { return 4 * n - 4; }

BG_FN symmetric symmetric_create(int n, double sqrts, const bg_cuts *cuts, const bg_jet_cuts *jets)
{
    symmetric s;
    const double nearest = cuts_nearest(sqrts, cuts, jets), least = cuts_least_pt(cuts, jets, n, n - 1);
    const double slow = 3. * cuts_least_pt(cuts, jets, n, 2) / sqrts; /* h0/h1: three partons have at least h */
    s.sqrts = sqrts;
    s.y_max = acosh(sqrts / (2. * least)); /* kinematic limit */
    if (cuts->eta_max > 0. && cuts->eta_max < s.y_max) s.y_max = cuts->eta_max;
    s.pair_pt = cuts_least_pt(cuts, jets, n, 1);
    for (int k = 0; k < BG_SYMMETRIC_SOFT; k++) s.soft_pt[k] = cuts_least_pt(cuts, jets, n, k + 2);
    s.rest = 1. - slow * slow;
    s.soft_begin = log(nearest > 1. ? 1. : nearest > 0. ? nearest : BG_SYMMETRIC_LEAST);
    s.pair_begin = s.soft_begin + log(BG_SYMMETRIC_SHRINK);
    s.soft_step = (log(BG_SYMMETRIC_FAR) - s.soft_begin) / BG_SYMMETRIC_SOFT_RINGS;
    s.pair_step = (log(BG_SYMMETRIC_FAR) - s.pair_begin) / BG_SYMMETRIC_PAIR_RINGS;
    s.constant = BG_GEV2_PB * BG_TWO_PI * 0.5 * n * (n - 1) / (sqrts * sqrts * sqrts * sqrts);
    for (int k = 0; k < n; k++) s.constant *= 0.5 / (BG_TWO_PI * BG_TWO_PI * BG_TWO_PI);
    s.constant *= BG_TWO_PI * BG_TWO_PI * BG_TWO_PI * BG_TWO_PI;
    for (int k = 2; k <= n - 2; k++) s.constant *= k;
    return s;
}

/* Where q of the pair may be. */
typedef struct symmetric_range {
    real z0, shift;         /* z where q begins, and C^2 = z - q^2 */
    real gap_low, gap_high; /* both 0 where there is no gap */
} symmetric_range;

/* ... for K = (x, y) of the soft partons, the direction of q, and the least pT. */
BG_FN symmetric_range symmetric_bounds(real x, real y, real sine, real cosine, real h)
{
    const real zero = bg_real(0.), half = bg_real(0.5), quarter = bg_real(0.25), h2 = h * h;
    const real along = bg_abs(x * cosine + y * sine), k2 = x * x + y * y, root2 = along * along - k2 + bg_real(4.) * h2;
    const mask two = root2 > zero, from_zero = k2 > bg_real(4.) * h2;
    const real root = bg_sqrt(bg_select(two, root2, zero)), low = half * (along - root), high = half * (along + root);
    const real begin2 = bg_select(from_zero, zero, high * high);
    symmetric_range r;
    r.z0 = bg_select(from_zero, quarter * k2, bg_select(begin2 < quarter * h2, quarter * h2, begin2));
    r.shift = r.z0 - begin2;
    mask gap = from_zero;
    gap &= two;
    r.gap_low = bg_select(gap, low, zero);
    r.gap_high = bg_select(gap, high, zero);
    return r;
}

/* v at some q. */
BG_FN real symmetric_v(const symmetric_range *r, real q)
{
    return bg_exp(bg_real(0.5 * BG_SYMMETRIC_POWER) * bg_log(r->z0 / (q * q + r->shift)));
}

/* z of the pair from a number u, q being up to `most`, which is above where q begins; *jacobian gets that of q dq. */
BG_FN real symmetric_z(const int n, const symmetric_range *r, real most, real u, real *jacobian)
{
    const double a = BG_SYMMETRIC_POWER;
    const real zero = bg_real(0.), one = bg_real(1.);
    const real last = symmetric_v(r, most);
    real left_out = zero, before = one;
    if (n >= 5) {
        const mask gap = r->gap_high > zero, whole = r->gap_high < most;
        const real low = bg_select(r->gap_low < most, r->gap_low, most), high = bg_select(whole, r->gap_high, most);
        before = bg_select(gap, symmetric_v(r, low), one);
        left_out = bg_select(gap, before - symmetric_v(r, high), zero);
    }
    const real length = one - last - left_out;
    real v = one - u * length;
    if (n >= 5) v = bg_select(v < before, v - left_out, v);
    const real z = r->z0 * bg_exp(bg_real(-2. / a) * bg_log(v));
    *jacobian = z * length / (bg_real(a) * v);
    return z;
}

/* The cell at y and an azimuth `from` that of q, between -2 pi and 2 pi. Branches would go either way as often: there are none. */
BG_FN int symmetric_cell(double y_max, double y, double from)
{
    const double quarters = fabs(from) * (2. / BG_PI), angle = 1. - fabs(fabs(quarters - 2.) - 1.);
    int in_y = (int)((y / y_max + 1.) * (0.5 * BG_SYMMETRIC_Y)), in_phi = (int)(angle * BG_SYMMETRIC_PHI);
    in_y = in_y < 0 ? 0 : in_y < BG_SYMMETRIC_Y ? in_y : BG_SYMMETRIC_Y - 1;
    in_phi = in_phi < BG_SYMMETRIC_PHI ? in_phi : BG_SYMMETRIC_PHI - 1;
    return BG_SYMMETRIC_RINGS + in_y * BG_SYMMETRIC_PHI + in_phi;
}

BG_FN int symmetric_search(const double *cumulative, double u)
{
    int low = 0, high = BG_SYMMETRIC_CELLS;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (u < cumulative[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* An azimuth less than a turn away as one between 0 and 2 pi. */
BG_FN real symmetric_azimuth(real phi)
{
    const real zero = bg_real(0.), turn = bg_real(BG_TWO_PI);
    phi = bg_select(phi < zero, phi + turn, phi);
    return bg_select(phi >= turn, phi - turn, phi);
}

/* Partons that are there, as centers of rings: the pair first. Azimuths are between 0 and 2 pi. */
typedef struct symmetric_centers {
    int count;
    real y[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED]; /* the pair has no phi, but */
    real px[2], py[2], size[2];                          /* ... P without the parton that is to come, and its length */
    real half;                                           /* pT of that one, over two */
} symmetric_centers;

/* A direction. */
typedef struct symmetric_flight {
    real y, phi, sine, cosine;
} symmetric_flight;

/* The direction of a parton at an angle delta, of t = tan(delta/2), from where one of the pair flies, whose P is (px, py). */
BG_FN void symmetric_beside(real px, real py, real size, real half, real t, real *sine, real *cosine)
{
    const real one = bg_real(1.), part = one / (one + t * t), c = (one - t * t) * part, s = (t + t) * part;
    const real p = bg_sqrt(size * size - half * half * s * s) - half * c;
    const real along = p * c + half, across = p * s, inverse = one / (size * size);
    *cosine = (px * along - py * across) * inverse;
    *sine = (py * along + px * across) * inverse;
}

/* r^2 of a direction from where one of the pair flies if that is taken, 2 tan(delta/2) being the distance in azimuth, and the
 * derivative of that. */
BG_FN real symmetric_from_pair(const symmetric_centers *c, int which, const symmetric_flight *f, real *slope)
{
    const real x = c->px[which] - c->half * f->cosine, y = c->py[which] - c->half * f->sine, p2 = x * x + y * y;
    const real across = x * f->sine - y * f->cosine, along = x * f->cosine + y * f->sine;
    const real behind = bg_sqrt(p2) + along; /* p (1 + cos delta): nothing is left of it where the other one flies */
    const real least = bg_real(1e-12) * p2, t = across / bg_select(behind * behind < least, bg_sqrt(least), behind);
    const real dy = f->y - c->y[which], far = t + t;
    *slope = (x * c->px[which] + y * c->py[which]) / p2 * (bg_real(1.) + t * t);
    return dy * dy + far * far;
}

/* The density of `rings` of the probabilities given, over the whole of each ring, at r^2. */
BG_FN real symmetric_ring_density(const double *probability, int rings, double begin, double step, real r2)
{
    const real at = (bg_real(0.5) * bg_fast_log(r2) - bg_real(begin)) * bg_real(1. / step);
    real found;
    for (int l = 0; l < BG_LANES; l++) {
        const double ring = (double)bg_lane(at, l);
        bg_set_lane(&found, l, ring >= 0. && ring < rings ? probability[(int)ring] : 0.);
    }
    return found * bg_real(1. / (BG_TWO_PI * step)) / r2;
}

/* What is drawn for the direction of a soft parton: a cell and a place in it, or a ring around a center. */
typedef struct symmetric_choice {
    real center; /* -1: none, */
    real y, phi; /* ... but this direction; */
    real log_r;  /* otherwise log of the distance */
} symmetric_choice;

BG_FN symmetric_choice symmetric_choose(const symmetric *s, const symmetric_table *t, int k, real phi_q, const real *u,
                                        uint8_t *cell)
{
    symmetric_choice c;
    for (int l = 0; l < BG_LANES; l++) {
        const double v = (double)bg_lane(u[0], l), w = (double)bg_lane(u[1], l);
        const double around = 4. * (double)bg_lane(u[2], l);
        const int quarter = (int)around;
        const int at = symmetric_search(t->cumulative[k], v), flat = at - BG_SYMMETRIC_RINGS;
        const double part = (v - t->cumulative[k][at]) / t->probability[k][at];
        double center = -1., y = 0., phi = 0., log_r = 0.;
        cell[l] = (uint8_t)at;
        if (flat >= 0) {
            const int row = flat / BG_SYMMETRIC_PHI;
            const double turned = (flat % BG_SYMMETRIC_PHI + (around - quarter)) * (0.5 * BG_PI / BG_SYMMETRIC_PHI);
            y = s->y_max * ((row + w) * (2. / BG_SYMMETRIC_Y) - 1.);
            const int half_turns = quarter / 2;
            phi = (double)bg_lane(phi_q, l) + BG_PI * half_turns + turned * (1 - 2 * (quarter & 1));
        } else if (at >= BG_SYMMETRIC_SOFT_RINGS) {
            center = part < 0.5 ? 0. : 1.;
            log_r = s->pair_begin + s->pair_step * (at - BG_SYMMETRIC_SOFT_RINGS + w);
        } else {
            const int one = (int)(part * k);
            center = 2. + (one < k ? one : k - 1);
            log_r = s->soft_begin + s->soft_step * (at + w);
        }
        bg_set_lane(&c.center, l, center);
        bg_set_lane(&c.y, l, y);
        bg_set_lane(&c.phi, l, phi);
        bg_set_lane(&c.log_r, l, log_r);
    }
    return c;
}

/* The direction of soft parton k from three numbers u, relative to the azimuth phi_q; returns the density of the mixture
 * there, which is 0 outside the rapidity range. cell[lane] gets the cell or ring that it was drawn from. */
BG_FN real symmetric_direction(const symmetric *s, const symmetric_table *t, int k, const symmetric_centers *centers,
                               real phi_q, const real *u, symmetric_flight *f, uint8_t *cell)
{
    const real zero = bg_real(0.);
    const symmetric_choice chosen = symmetric_choose(s, t, k, phi_q, u, cell);
    const real r = bg_fast_exp(chosen.log_r);
    real px = centers->px[0], py = centers->py[0], size = centers->size[0], sine, cosine, density;
    f->y = chosen.y;
    f->phi = chosen.phi;
    bg_turn(u[2], &sine, &cosine);
    BG_UNROLL
    for (int c = 0; c < centers->count; c++) { /* the last one that is not beyond the center */
        const mask here = chosen.center >= bg_real((double)c);
        f->y = bg_select(here, centers->y[c] + r * cosine, f->y);
        if (c < 2) {
            px = bg_select(here, centers->px[c], px);
            py = bg_select(here, centers->py[c], py);
            size = bg_select(here, centers->size[c], size);
        } else {
            f->phi = bg_select(here, centers->phi[c] + r * sine, f->phi);
        }
    }
    mask pair = chosen.center >= zero;
    pair &= chosen.center < bg_real(1.5);
    real beside_sine, beside_cosine;
    symmetric_beside(px, py, size, centers->half, bg_real(0.5) * r * sine, &beside_sine, &beside_cosine);
    f->phi = symmetric_azimuth(bg_select(pair, bg_atan2(beside_sine, beside_cosine), f->phi));
    bg_turn(f->phi * bg_real(1. / BG_TWO_PI), &sine, &cosine);
    f->sine = bg_select(pair, beside_sine, sine);
    f->cosine = bg_select(pair, beside_cosine, cosine);

    for (int l = 0; l < BG_LANES; l++) {
        const int at =
            symmetric_cell(s->y_max, (double)bg_lane(f->y, l), (double)bg_lane(f->phi, l) - (double)bg_lane(phi_q, l));
        bg_set_lane(&density, l, t->probability[k][at]);
    }
    density *= bg_real(BG_SYMMETRIC_FLAT / (2. * s->y_max * BG_TWO_PI));
    BG_UNROLL
    for (int c = 0; c < centers->count; c++) {
        real slope;
        if (c < 2) {
            const real r2 = symmetric_from_pair(centers, c, f, &slope);
            density += bg_real(0.5) * slope *
                       symmetric_ring_density(t->probability[k] + BG_SYMMETRIC_SOFT_RINGS, BG_SYMMETRIC_PAIR_RINGS,
                                              s->pair_begin, s->pair_step, r2);
        } else {
            const real r2 = angles_distance2(f->y, f->phi, centers->y[c], centers->phi[c]);
            density += bg_real(1. / k) * symmetric_ring_density(t->probability[k], BG_SYMMETRIC_SOFT_RINGS,
                                                                s->soft_begin, s->soft_step, r2);
        }
    }
    return bg_select(bg_abs(f->y) <= bg_real(s->y_max), density, zero);
}

/* A massless momentum from its transverse part, pT and exp(y). */
BG_FN vec4 symmetric_momentum(real x, real y, real pt, real e)
{
    const real half = bg_real(0.5), one = bg_real(1.);
    const vec4 p = {half * pt * (e + one / e), x, y, half * pt * (e - one / e)};
    return p;
}

/* Where the pair would fly if K = (x, y) and a parton along one of them, of pT `pt`, were all of it, z being `ratio` times its
 * least: into the first two centers. The parton is taken along q itself. */
BG_FN void symmetric_aim(symmetric_centers *centers, real x, real y, real sine, real cosine, real h, real ratio,
                         real pt)
{
    const real half = bg_real(0.5), least = bg_real(0.5 * BG_SYMMETRIC_HEAVY) * pt;
    centers->half = half * pt;
    BG_UNROLL
    for (int k = 0; k < 2; k++) {
        const real qx = k ? -cosine : cosine, qy = k ? -sine : sine;
        const symmetric_range r = symmetric_bounds(x - pt * qx, y - pt * qy, sine, cosine, h);
        const real q = bg_sqrt(r.z0 * ratio - r.shift), px = half * x + q * qx, py = half * y + q * qy;
        const real size = bg_sqrt(px * px + py * py);
        const mask light = size < least;
        const real longer = bg_select(light, least / size, bg_real(1.));
        centers->px[k] = longer * px;
        centers->py[k] = longer * py;
        centers->size[k] = bg_select(light, least, size);
    }
}

/* The soft partons: momenta p[0] to p[n-3], the hardest first, their share of the weight, K and the sum of pT. */
BG_FN real symmetric_soft(const int n, const symmetric *s, const symmetric_table *t, const real *x, real pair_y[2],
                          real sine, real cosine, vec4 *p, real *kx, real *ky, real *h, real *total, uint8_t *cell)
{
    const real one = bg_real(1.), zero = bg_real(0.), phi_q = bg_real(BG_TWO_PI) * x[n + 1];
    const real ratio = bg_exp(bg_real(-2. / BG_SYMMETRIC_POWER) * bg_log(one - bg_real(0.999) * x[n - 2]));
    symmetric_centers centers;
    real weight = one, pt = zero;
    mask good = bg_true();
    centers.y[0] = pair_y[0];
    centers.y[1] = pair_y[1];
    *kx = *ky = *total = zero;
    *h = bg_real(s->pair_pt);
    BG_UNROLL
    for (int k = 0; k < n - 2; k++) {
        if (k == 0) {
            const real v = one - x[0] * bg_real(s->rest);
            pt = bg_real(s->soft_pt[0]) / bg_sqrt(v);
            weight *= pt * pt * bg_real(0.5 * s->rest) / v;
            *h = bg_select(pt > *h, pt, *h);
        } else {
            const real length = bg_log(pt * bg_real(1. / s->soft_pt[k]));
            pt = bg_real(s->soft_pt[k]) * bg_exp(length * x[k]);
            weight *= pt * pt * length;
        }
        symmetric_flight f;
        symmetric_aim(&centers, *kx, *ky, sine, cosine, *h, ratio, pt);
        centers.count = k + 2;
        const real density = symmetric_direction(s, t, k, &centers, phi_q, x + n + 2 + 3 * k, &f, cell + k * BG_LANES);
        const mask possible = density > zero;
        good &= possible;
        f.y = bg_select(possible, f.y, zero);
        weight /= bg_select(possible, density, one);
        p[k] = symmetric_momentum(pt * f.cosine, pt * f.sine, pt, bg_exp(f.y));
        *kx -= p[k].x;
        *ky -= p[k].y;
        *total += pt;
        centers.y[k + 2] = f.y;
        centers.phi[k + 2] = f.phi;
    }
    return bg_select(good, weight, zero);
}

/* n momenta in the laboratory from symmetric_numbers(n) numbers in (0, 1), the adaptive ones first: soft partons, the
 * hardest first, the pair last; and the fractions x1, x2 of the protons' momenta. Returns all of sigma that is neither
 * F(x1) F(x2) nor |M|^2, in pb; 0 where there is no such point. cell[soft parton * BG_LANES + lane] gets the cell or ring
 * that a direction was drawn from. */
BG_FN real symmetric_generate(const int n, const symmetric *s, const symmetric_table *t, const real *x, vec4 *p,
                              real *x1, real *x2, uint8_t *cell)
{
    const real zero = bg_real(0.), one = bg_real(1.), half = bg_real(0.5);
    real y[2], kx, ky, h, soft_pt, sine, cosine;
    real weight = bg_real(s->constant);
    y[0] = bg_real(s->y_max) * (x[n - 1] + x[n - 1] - one);
    y[1] = bg_real(s->y_max) * (x[n] + x[n] - one);
    if (n == 2) {
        const real star = y[0], range = bg_real(s->y_max) - bg_abs(star), mean = range * (x[n] + x[n] - one);
        y[0] = mean + star;
        y[1] = mean - star;
        weight *= bg_real(8. * s->y_max) * range;
    } else {
        weight *= bg_real(4. * s->y_max * s->y_max);
    }
    bg_turn(x[n + 1], &sine, &cosine);
    weight *= symmetric_soft(n, s, t, x, y, sine, cosine, p, &kx, &ky, &h, &soft_pt, cell);
    mask good = weight > zero;

    /* q up to where the pair has all of the energy that is left */
    const symmetric_range range = symmetric_bounds(kx, ky, sine, cosine, h);
    const real most = half * (bg_real(s->sqrts) - soft_pt);
    good &= most > zero;
    good &= most * most + range.shift > range.z0;
    real jacobian;
    const real z = symmetric_z(n, &range, bg_select(good, most, bg_real(s->sqrts)), x[n - 2], &jacobian);
    const real q2 = z - range.shift, q = bg_sqrt(bg_select(q2 > zero, q2, zero));
    weight *= jacobian;

    real plus = zero, minus = zero; /* sums of E + pz and E - pz */
    BG_UNROLL
    for (int k = 0; k < n - 2; k++) {
        plus += p[k].t + p[k].z;
        minus += p[k].t - p[k].z;
    }
    const real h2 = h * h * bg_real(1. - 1e-12);
    BG_UNROLL
    for (int k = 0; k < 2; k++) {
        const real to = k ? -q : q, px = half * kx + to * cosine, py = half * ky + to * sine;
        const real pt2 = px * px + py * py, pt = bg_sqrt(pt2), e = bg_exp(y[k]);
        good &= pt2 >= h2;
        p[n - 2 + k] = symmetric_momentum(px, py, pt, e);
        plus += pt * e;
        minus += pt / e;
    }
    *x1 = plus * bg_real(1. / s->sqrts);
    *x2 = minus * bg_real(1. / s->sqrts);
    good &= *x1 <= one;
    good &= *x2 <= one;
    const real x12 = *x1 * *x2;
    return bg_select(good, weight / (x12 * x12), zero);
}

/* Cells that are all alike, and rings. */
void bg_symmetric_uniform(symmetric_table *table);

/* Toward the directions of `soft` partons that importance[soft][BG_SYMMETRIC_CELLS] has found, for the points that were drawn
 * from each cell or ring. */
void bg_symmetric_adapt(symmetric_table *table, int soft, const int64_t *importance, bg_learning how);

/* Whether they can be such probabilities. */
int bg_symmetric_is_sound(const symmetric_table *table);

#endif
