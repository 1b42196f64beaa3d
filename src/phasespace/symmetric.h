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
 * The direction of a soft parton is drawn from a mixture, whose whole density divides the weight: most of it from a
 * histogram in y and phi - phi_q, which is learned, and the rest as 1/r^2 around the pair and around the soft
 * partons that are there already. Where the pair will fly is estimated from what is known by then: phi_q, z / z0, and
 * the K of the soft partons so far. What comes after moves it a little, so the disc around it begins within DeltaR.
 *
 * The pair is any of n(n-1)/2, the order of the soft ones any of (n-2)!, and the weight counts them all: see region.h.
 */
#ifndef BG_PHASESPACE_SYMMETRIC_H
#define BG_PHASESPACE_SYMMETRIC_H

#include "base/constants.h"
#include "phasespace/cuts.h"

enum {
    BG_SYMMETRIC_SOFT = BG_MAX_OUT_DRESSED - 2, /* soft partons at most */
    BG_SYMMETRIC_Y = 20,                        /* cells in rapidity */
    BG_SYMMETRIC_PHI = 8,                       /* ... and in |phi - phi_q|, half a turn */
    BG_SYMMETRIC_CELLS = BG_SYMMETRIC_Y * BG_SYMMETRIC_PHI,
    BG_SYMMETRIC_NONE = 255 /* in place of a cell: the direction is not from the histogram */
};

#define BG_SYMMETRIC_POWER 2.5 /* a of the pair */
#define BG_SYMMETRIC_FLAT 0.65 /* share of the histogram in the mixture where DeltaR > 0.4 */
#define BG_SYMMETRIC_FAR 3.0   /* radius up to which a center reaches */
#define BG_SYMMETRIC_PAIR 0.25 /* radius from which those at the pair do, at most */
#define BG_SYMMETRIC_SHRINK 0.625
#define BG_SYMMETRIC_LEAST 1e-6 /* radius where nothing keeps partons apart */

/* Plain data: copied to devices as it is. */
typedef struct symmetric {
    double sqrts;
    double y_max;                      /* rapidities are within +- y_max */
    double pair_pt;                    /* least pT of the pair */
    double soft_pt[BG_SYMMETRIC_SOFT]; /* ... and of each soft parton, never rising */
    double rest;                       /* 1 - (h0/h1)^2 */
    double flat;                       /* share of the histogram in the mixture */
    double near_pair, near_soft;       /* radii from which the centers reach */
    double log_pair, log_soft;         /* log(BG_SYMMETRIC_FAR / near) */
    double constant;                   /* all factors that are the same for every point */
} symmetric;

/* Histograms of directions, one for each soft parton; they are learned. Cell BG_SYMMETRIC_PHI * (cell in y) + (cell in phi). */
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
    s.near_soft = nearest > 1. ? 1. : nearest > 0. ? nearest : BG_SYMMETRIC_LEAST;
    s.near_pair = BG_SYMMETRIC_SHRINK * s.near_soft;
    if (s.near_pair > BG_SYMMETRIC_PAIR) s.near_pair = BG_SYMMETRIC_PAIR;
    s.log_pair = log(BG_SYMMETRIC_FAR / s.near_pair);
    s.log_soft = log(BG_SYMMETRIC_FAR / s.near_soft);
    /* what is not flat grows with the logarithm that it covers */
    s.flat = BG_SYMMETRIC_FLAT /
             (BG_SYMMETRIC_FLAT + (1. - BG_SYMMETRIC_FLAT) * s.log_pair / log(BG_SYMMETRIC_FAR / BG_SYMMETRIC_PAIR));
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

/* The cell of a histogram at y and an azimuth `from` that of the pair, between -2 pi and 2 pi. */
BG_FN int symmetric_cell(double y_max, double y, double from)
{
    double phi = from < 0. ? -from : from;
    if (phi > BG_PI) phi = BG_TWO_PI - phi;
    int in_y = (int)((y / y_max + 1.) * (0.5 * BG_SYMMETRIC_Y)), in_phi = (int)(phi * (BG_SYMMETRIC_PHI / BG_PI));
    in_y = in_y < 0 ? 0 : in_y < BG_SYMMETRIC_Y ? in_y : BG_SYMMETRIC_Y - 1;
    in_phi = in_phi < BG_SYMMETRIC_PHI ? in_phi : BG_SYMMETRIC_PHI - 1;
    return in_y * BG_SYMMETRIC_PHI + in_phi;
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

/* Partons that are there, as centers of the mixture: the pair first. Azimuths are between 0 and 2 pi. */
typedef struct symmetric_centers {
    int count;
    real y[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED];
} symmetric_centers;

/* The direction of soft parton k from three numbers u, relative to the azimuth phi_q; returns the density of the mixture
 * there, which is 0 outside the rapidity range. cell[lane] gets the cell that it was drawn from. */
BG_FN real symmetric_direction(const symmetric *s, const symmetric_table *t, int k, const symmetric_centers *centers,
                               real phi_q, const real *u, real *y, real *phi, uint8_t *cell)
{
    const double share = (1. - s->flat) / centers->count;
    const real zero = bg_real(0.);
    real at_y, at_phi, sine, cosine, density;
    for (int l = 0; l < BG_LANES; l++) {
        const double v = (double)bg_lane(u[1], l), w = 2. * (double)bg_lane(u[2], l) - 1.;
        cell[l] = BG_SYMMETRIC_NONE;
        bg_set_lane(&at_y, l, 0.);
        bg_set_lane(&at_phi, l, 0.);
        if ((double)bg_lane(u[0], l) >= s->flat) continue; /* it belongs to a center */
        const int at = symmetric_search(t->cumulative[k], v), row = at / BG_SYMMETRIC_PHI;
        const double part = (v - t->cumulative[k][at]) / t->probability[k][at], size = w < 0. ? -w : w;
        const double turned = (at % BG_SYMMETRIC_PHI + size) * (BG_PI / BG_SYMMETRIC_PHI);
        bg_set_lane(&at_y, l, s->y_max * ((row + part) * (2. / BG_SYMMETRIC_Y) - 1.));
        bg_set_lane(&at_phi, l, (double)bg_lane(phi_q, l) + (w < 0. ? -turned : turned));
        cell[l] = (uint8_t)at;
    }
    /* the first number says which part of the mixture: below `flat` the histogram, then the centers in turn */
    const real pair_r = bg_real(s->near_pair) * bg_exp(bg_real(s->log_pair) * u[1]);
    const real soft_r = bg_real(s->near_soft) * bg_exp(bg_real(s->log_soft) * u[1]);
    bg_turn(u[2], &sine, &cosine);
    BG_UNROLL
    for (int c = 0; c < centers->count; c++) {
        const mask here = u[0] >= bg_real(s->flat + c * share);
        const real r = c < 2 ? pair_r : soft_r;
        at_y = bg_select(here, centers->y[c] + r * cosine, at_y);
        at_phi = bg_select(here, centers->phi[c] + r * sine, at_phi);
    }
    at_phi = symmetric_azimuth(at_phi);
    for (int l = 0; l < BG_LANES; l++) {
        const int at =
            symmetric_cell(s->y_max, (double)bg_lane(at_y, l), (double)bg_lane(at_phi, l) - (double)bg_lane(phi_q, l));
        bg_set_lane(&density, l, t->probability[k][at]);
    }
    density *= bg_real(s->flat * BG_SYMMETRIC_CELLS / (2. * s->y_max * BG_TWO_PI));
    BG_UNROLL
    for (int c = 0; c < centers->count; c++) {
        const double near = c < 2 ? s->near_pair : s->near_soft, log_r = c < 2 ? s->log_pair : s->log_soft;
        const real r2 = angles_distance2(at_y, at_phi, centers->y[c], centers->phi[c]);
        mask reach = r2 >= bg_real(near * near);
        reach &= r2 <= bg_real(BG_SYMMETRIC_FAR * BG_SYMMETRIC_FAR);
        density += bg_select(reach, bg_real(share / (BG_TWO_PI * log_r)) / r2, zero);
    }
    *y = at_y;
    *phi = at_phi;
    return bg_select(bg_abs(at_y) <= bg_real(s->y_max), density, zero);
}

/* A massless momentum from its transverse part, pT and exp(y). */
BG_FN vec4 symmetric_momentum(real x, real y, real pt, real e)
{
    const real half = bg_real(0.5), one = bg_real(1.);
    const vec4 p = {half * pt * (e + one / e), x, y, half * pt * (e - one / e)};
    return p;
}

/* Where the pair would fly if K = (x, y) were all of it, z being `ratio` times its least: into the first two centers. */
BG_FN void symmetric_aim(symmetric_centers *centers, real x, real y, real sine, real cosine, real h, real ratio)
{
    const real half = bg_real(0.5);
    const symmetric_range r = symmetric_bounds(x, y, sine, cosine, h);
    const real q = bg_sqrt(r.z0 * ratio - r.shift);
    centers->phi[0] = symmetric_azimuth(bg_atan2(half * y + q * sine, half * x + q * cosine));
    centers->phi[1] = symmetric_azimuth(bg_atan2(half * y - q * sine, half * x - q * cosine));
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
        real y, phi, sine_k, cosine_k;
        symmetric_aim(&centers, *kx, *ky, sine, cosine, *h, ratio);
        centers.count = k + 2;
        const real density =
            symmetric_direction(s, t, k, &centers, phi_q, x + n + 2 + 3 * k, &y, &phi, cell + k * BG_LANES);
        const mask possible = density > zero;
        good &= possible;
        y = bg_select(possible, y, zero);
        weight /= bg_select(possible, density, one);
        bg_turn(phi * bg_real(1. / BG_TWO_PI), &sine_k, &cosine_k);
        p[k] = symmetric_momentum(pt * cosine_k, pt * sine_k, pt, bg_exp(y));
        *kx -= p[k].x;
        *ky -= p[k].y;
        *total += pt;
        centers.y[k + 2] = y;
        centers.phi[k + 2] = phi;
    }
    return bg_select(good, weight, zero);
}

/* n momenta in the laboratory from symmetric_numbers(n) numbers in (0, 1), the adaptive ones first: soft partons, the
 * hardest first, the pair last; and the fractions x1, x2 of the protons' momenta. Returns all of sigma that is neither
 * F(x1) F(x2) nor |M|^2, in pb; 0 where there is no such point. cell[soft parton * BG_LANES + lane] gets the cell of the
 * histogram that a direction was drawn from, or BG_SYMMETRIC_NONE. */
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

/* Histograms in which all directions are alike. */
void bg_symmetric_uniform(symmetric_table *table);

/* Toward the directions of `soft` partons that importance[soft][BG_SYMMETRIC_CELLS] has found: the sum of weight^2 (or
 * a higher power) of the points that were drawn from each cell. */
void bg_symmetric_adapt(symmetric_table *table, int soft, const int64_t *importance);

/* Whether they can be such histograms. */
int bg_symmetric_is_sound(const symmetric_table *table);

#endif
