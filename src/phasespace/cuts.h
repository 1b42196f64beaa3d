/* Cuts on the outgoing partons, without branches: a mask of the lanes that pass.
 *
 * For pairs with the measure of the longitudinally invariant kT algorithm,
 *     kT_i = pT_i ,   kT_ij = min(pT_i, pT_j) DeltaR_ij / R ,
 * all of which are to be above a resolution.
 */
#ifndef BG_PHASESPACE_CUTS_H
#define BG_PHASESPACE_CUTS_H

#include "base/limits.h"
#include "kinematics/angles.h"

#define BG_LEADING 4 /* partons, the hardest ones, whose pT has a cut of its own */

/* No cut of this kind. */
BG_FN bg_jet_cuts cuts_none(void)
{
    const bg_jet_cuts none = {{0., 0., 0., 0.}, 0., 0., 0., 0., 0., 0.};
    return none;
}

/* R of the cut on kT. */
BG_FN double cuts_radius(const bg_jet_cuts *jets) { return jets->kt_radius > 0. ? jets->kt_radius : 1.; }

/* Whether there are any. */
BG_FN int cuts_any(const bg_jet_cuts *jets)
{
    int any = jets->pt_max > 0. || jets->eta_min > 0. || jets->dr_max > 0. || jets->mass_max > 0. || jets->kt_min > 0.;
    BG_UNROLL
    for (int k = 0; k < BG_LEADING; k++) any = any || jets->leading_pt_min[k] > 0.;
    return any;
}

/* Whether two sets of cuts are the same. */
BG_FN int cuts_same(const bg_jet_cuts *a, const bg_jet_cuts *b)
{
    int same = a->pt_max == b->pt_max && a->eta_min == b->eta_min && a->dr_max == b->dr_max &&
               a->mass_max == b->mass_max && a->kt_min == b->kt_min && cuts_radius(a) == cuts_radius(b);
    for (int k = 0; k < BG_LEADING; k++) same = same && a->leading_pt_min[k] == b->leading_pt_min[k];
    return same;
}

/* What the cuts on the hardest of n partons ask of parton k, counted from 0 by falling pT: those behind it are no harder. */
BG_FN double cuts_leading_pt(const bg_jet_cuts *jets, int n, int k)
{
    double least = 0.;
    BG_UNROLL
    for (int j = k; j < BG_LEADING && j < n; j++)
        least = jets->leading_pt_min[j] > least ? jets->leading_pt_min[j] : least;
    return least;
}

/* The least pT that all cuts leave to it. */
BG_FN double cuts_least_pt(const bg_cuts *cuts, const bg_jet_cuts *jets, int n, int k)
{
    const double least = cuts->pt_min > jets->kt_min ? cuts->pt_min : jets->kt_min,
                 leading = cuts_leading_pt(jets, n, k);
    return leading > least ? leading : least;
}

/* The smallest DeltaR that the cuts allow: m^2 = pT_i pT_j DeltaR^2 for two partons that are close, and no pT is above
 * half of sqrts. */
BG_FN double cuts_nearest(double sqrts, const bg_cuts *cuts, const bg_jet_cuts *jets)
{
    const double by_mass = 2. * cuts->mass_min / sqrts, by_kt = 2. * cuts_radius(jets) * jets->kt_min / sqrts;
    const double nearest = cuts->dr_min > by_mass ? cuts->dr_min : by_mass;
    return nearest > by_kt ? nearest : by_kt;
}

/* A largest value as it is compared with: 0 is none. */
BG_FN real cuts_most(double most) { return bg_real(most > 0. ? most : 1e300); }

/* The pT of the hardest partons one by one: the squares are sorted as far as is needed. */
BG_FN mask cuts_leading_pass(const int n_out, const bg_jet_cuts *jets, const vec4 *p)
{
    mask pass = bg_true();
    real pt2[BG_MAX_OUT_DRESSED];
    BG_UNROLL
    for (int k = 0; k < n_out; k++) pt2[k] = p[k].x * p[k].x + p[k].y * p[k].y;
    BG_UNROLL
    for (int j = 0; j < BG_LEADING && j < n_out; j++) {
        const double least = cuts_leading_pt(jets, n_out, j);
        BG_UNROLL
        for (int k = n_out - 1; k > j; k--) {
            const mask swap = pt2[k] > pt2[k - 1];
            const real larger = bg_select(swap, pt2[k], pt2[k - 1]);
            pt2[k] = bg_select(swap, pt2[k - 1], pt2[k]);
            pt2[k - 1] = larger;
        }
        pass &= pt2[j] >= bg_real(least * least);
    }
    return pass;
}

/* Each parton alone. */
BG_FN mask cuts_single_pass(const int n_out, const bg_jet_cuts *jets, const vec4 *p)
{
    const real least = bg_real(jets->kt_min * jets->kt_min), most = cuts_most(jets->pt_max * jets->pt_max);
    const real tanh_min = bg_real(tanh(jets->eta_min));
    mask pass = bg_true();
    BG_UNROLL
    for (int k = 0; k < n_out; k++) {
        const real pt2 = p[k].x * p[k].x + p[k].y * p[k].y;
        pass &= pt2 >= least;
        pass &= pt2 <= most;
        pass &= bg_abs(p[k].z) >= tanh_min * p[k].t;
    }
    return pass;
}

/* Pairs: the largest mass and distance, and kT. */
BG_FN mask cuts_pairs_pass(const int n_out, const bg_jet_cuts *jets, const vec4 *p)
{
    const double kt = jets->kt_min * cuts_radius(jets);
    const real most_mass = cuts_most(0.5 * jets->mass_max * jets->mass_max);
    const real most_distance = cuts_most(jets->dr_max * jets->dr_max), least_kt = bg_real(kt * kt);
    real eta[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED], pt2[BG_MAX_OUT_DRESSED];
    mask pass = bg_true();
    BG_UNROLL
    for (int k = 0; k < n_out; k++) {
        eta[k] = angles_eta(p[k]);
        phi[k] = bg_atan2(p[k].y, p[k].x);
        pt2[k] = p[k].x * p[k].x + p[k].y * p[k].y;
    }
    BG_UNROLL
    for (int j = 1; j < n_out; j++)
        for (int k = 0; k < j; k++) {
            const real distance2 = angles_distance2(eta[j], phi[j], eta[k], phi[k]);
            pass &= dot(p[j], p[k]) <= most_mass;
            pass &= distance2 <= most_distance;
            pass &= bg_min(pt2[j], pt2[k]) * distance2 >= least_kt;
        }
    return pass;
}

/* All pairs at least dr_min apart, by rapidities and azimuths. */
BG_FN mask cuts_distances_pass(const int n_out, double dr_min, const vec4 *p)
{
    real eta[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED];
    const real least = bg_real(dr_min * dr_min);
    mask pass = bg_true();
    BG_UNROLL
    for (int k = 0; k < n_out; k++) {
        eta[k] = angles_eta(p[k]);
        phi[k] = bg_atan2(p[k].y, p[k].x);
    }
    BG_UNROLL
    for (int j = 1; j < n_out; j++)
        for (int k = 0; k < j; k++) pass &= angles_distance2(eta[j], phi[j], eta[k], phi[k]) >= least;
    return pass;
}

/* Whether cuts_distances_pass() says so, mostly without logarithms and arcs. What is known without them is
 *     x = 2 p_i.p_j / (pT_i pT_j) = 2 cosh(Deta) - 2 cos(Dphi) ,
 * which on the circle DeltaR = d lies between its values at Deta = 0 and at Dphi = 0,
 *     d^2 - d^4/12  <=  x  <=  d^2 + d^4/12 + d^6/300     (the latter for d <= 1) ,
 * and grows with d. Only where x of a pair is between the two, or so close to them that rounding could matter, are the functions
 * computed: at d = 0.4 that is a ring of 3 % of the area inside. Where partons are many, some event of a GPU's warp mostly has such a
 * pair, and all wait for it: there the functions are those of that pair alone, unless an event has several. */
BG_FN mask cuts_apart(const int n_out, double dr_min, const vec4 *p, mask pass)
{
    const double d2 = dr_min * dr_min;
    const real low = bg_real(0.5 * d2 * (1. - d2 / 12.)),
               high = bg_real(d2 <= 1. ? 0.5 * d2 * (1. + d2 * (1. / 12. + d2 / 300.)) : 1e300);
    mask doubtful = bg_real(1.) < bg_real(0.);
    real pt[BG_MAX_OUT_DRESSED];
    int doubts = 0, first = 0, second = 0; /* of one event: pairs, and the last one of them */
    BG_UNROLL
    for (int k = 0; k < n_out; k++) pt[k] = bg_sqrt(p[k].x * p[k].x + p[k].y * p[k].y);
    BG_UNROLL
    for (int j = 1; j < n_out; j++)
        for (int k = 0; k < j; k++) {
            const real product = dot(p[j], p[k]), rounding = bg_real(1e-14) * p[j].t * p[k].t, scale = pt[j] * pt[k];
            const mask near = product - rounding < high * scale;
            pass &= product + rounding >= low * scale;
            doubtful |= near;
#if BG_LANES == 1
            doubts += (int)near;
            first = near ? j : first;
            second = near ? k : second;
#endif
        }
    if (!bg_any(pass & doubtful)) return pass;
    if (doubts != 1) return pass & cuts_distances_pass(n_out, dr_min, p);
    vec4 pair[2] = {p[1], p[0]};
    BG_UNROLL
    for (int k = 0; k < n_out; k++) {
        if (k == first) pair[0] = p[k];
        if (k == second) pair[1] = p[k];
    }
    return pass & cuts_distances_pass(2, dr_min, pair);
}

BG_FN mask cuts_pass(const int n_out, const bg_cuts *cuts, const bg_jet_cuts *jets, const vec4 *p)
{
    mask pass = bg_true();
    real pt2_min = bg_real(cuts->pt_min * cuts->pt_min);
    real tanh_max = bg_real(cuts->eta_max > 0. ? tanh(cuts->eta_max) : 1.);
    BG_UNROLL
    for (int k = 0; k < n_out; k++) {
        real pt2 = p[k].x * p[k].x + p[k].y * p[k].y;
        pass &= pt2 >= pt2_min;
        pass &= bg_abs(p[k].z) <= tanh_max * p[k].t;
    }
    if (cuts->ht_min > 0.) {
        real ht = bg_real(0.);
        BG_UNROLL
        for (int k = 0; k < n_out; k++) ht += bg_sqrt(p[k].x * p[k].x + p[k].y * p[k].y);
        pass &= ht >= bg_real(cuts->ht_min);
    }
    if (cuts->mass_min > 0.) {
        real least = bg_real(0.5 * cuts->mass_min * cuts->mass_min);
        BG_UNROLL
        for (int j = 1; j < n_out; j++)
            for (int k = 0; k < j; k++) pass &= dot(p[j], p[k]) >= least;
    }
    if (cuts->dr_min > 0. && bg_any(pass)) pass = cuts_apart(n_out, cuts->dr_min, p, pass);
    if (!cuts_any(jets) || !bg_any(pass)) return pass;
    if (jets->pt_max > 0. || jets->eta_min > 0. || jets->kt_min > 0.) pass &= cuts_single_pass(n_out, jets, p);
    if (jets->mass_max > 0. || jets->dr_max > 0. || jets->kt_min > 0.) pass &= cuts_pairs_pass(n_out, jets, p);
    if (cuts_leading_pt(jets, n_out, 0) > 0.) pass &= cuts_leading_pass(n_out, jets, p);
    return pass;
}

#endif
