/* What histograms are made of: observables of the outgoing gluons, which are numbered by falling pT, and the axis of a
 * histogram. One source for the CPU and for CUDA.
 *
 *     pt(k), eta(k), y(k), energy(k)     of gluon k
 *     dphi(i,j), deta(i,j), dr(i,j)      of two gluons; dphi from 0 to pi
 *     mass(i,j,...)                      of two or more together
 *     ht, dr_min, dr_max, weight         of the whole point
 */
#ifndef BG_ACCUMULATE_OBSERVABLES_H
#define BG_ACCUMULATE_OBSERVABLES_H

#include "base/limits.h"
#include "kinematics/angles.h"
#include "process/subprocess.h"

#include <math.h>

enum {
    OBSERVABLE_PT,
    OBSERVABLE_ETA,
    OBSERVABLE_Y,
    OBSERVABLE_ENERGY,
    OBSERVABLE_DPHI,
    OBSERVABLE_DETA,
    OBSERVABLE_DR,
    OBSERVABLE_MASS,
    OBSERVABLE_HT,
    OBSERVABLE_DR_MIN,
    OBSERVABLE_DR_MAX,
    OBSERVABLE_WEIGHT,
    OBSERVABLES
};

typedef struct bg_observable {
    int kind;
    uint32_t gluons; /* a bit each: bit 0 is that of gluon 1 */
} bg_observable;

/* Where a value goes. A folded axis puts what lies beyond its edges into its first and last bin, so that nothing is lost from
 * the sum of its bins; another has two more cells, bins (below) and bins + 1 (above). */
typedef struct bg_axis {
    bg_observable observable;
    int bins, first; /* `first`: cells of all axes before this one */
    int logarithmic, folded;
    double low, high; /* of log10(x) where logarithmic */
} bg_axis;

BG_FN int bg_axis_cells(const bg_axis *a) { return a->bins + (a->folded ? 0 : 2); }

BG_FN int bg_axis_cell(const bg_axis *a, double x)
{
    if (a->logarithmic) x = x > 0. ? log10(x) : a->folded ? a->low : -(double)INFINITY;
    const double at = (x - a->low) / (a->high - a->low) * a->bins;
    if (a->folded) return !(at > 0.) ? 0 : at >= a->bins ? a->bins - 1 : (int)at;
    return !(at >= 0.) ? a->bins : at >= a->bins ? a->bins + 1 : (int)at;
}

/* The outgoing gluons of a point. */
typedef struct bg_outgoing {
    const double *momenta; /* component c of the momentum in place k is momenta[(4 k + c) * stride] */
    size_t stride;
    const uint8_t *place;          /* of each outgoing leg */
    int order[BG_MAX_OUT_DRESSED]; /* legs by falling pT */
    double pt[BG_MAX_OUT_DRESSED]; /* of each leg, as the next two */
    real eta[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED];
    double ht, nearest, farthest; /* the last two: DeltaR of a pair */
    double weight;
} bg_outgoing;

BG_FN void bg_outgoing_read(bg_outgoing *g, int n_out, const uint8_t *place, const double *momenta, size_t stride,
                            double weight)
{
    g->momenta = momenta;
    g->stride = stride;
    g->place = place;
    g->weight = weight;
    g->ht = 0.;
    for (int k = 0; k < n_out; k++) {
        const double *q = momenta + 4 * (size_t)place[k] * stride;
        const vec4 p = {bg_real(q[0]), bg_real(q[stride]), bg_real(q[2 * stride]), bg_real(q[3 * stride])};
        g->pt[k] = hypot(q[stride], q[2 * stride]);
        g->eta[k] = angles_eta(p);
        g->phi[k] = bg_atan2(p.y, p.x);
        g->ht += g->pt[k];
        int at = k;
        for (; at > 0 && g->pt[g->order[at - 1]] < g->pt[k]; at--) g->order[at] = g->order[at - 1];
        g->order[at] = k;
    }
    g->nearest = (double)INFINITY;
    g->farthest = 0.;
    for (int j = 1; j < n_out; j++)
        for (int k = 0; k < j; k++) {
            const double r = (double)bg_lane(bg_sqrt(angles_distance2(g->eta[j], g->phi[j], g->eta[k], g->phi[k])), 0);
            if (r < g->nearest) g->nearest = r;
            if (r > g->farthest) g->farthest = r;
        }
}

/* The next gluon of a set from k on: its number, counted from 0. */
BG_FN int bg_next_gluon(uint32_t set, int k)
{
    while (!(set >> k & 1u)) k++;
    return k;
}

BG_FN double bg_outgoing_dphi(const bg_outgoing *g, int i, int j)
{
    const double d = fabs((double)bg_lane(g->phi[i], 0) - (double)bg_lane(g->phi[j], 0));
    return d < BG_TWO_PI - d ? d : BG_TWO_PI - d;
}

BG_FN double bg_outgoing_deta(const bg_outgoing *g, int i, int j)
{
    return fabs((double)bg_lane(g->eta[i], 0) - (double)bg_lane(g->eta[j], 0));
}

/* m^2 = sum of 2 p_i p_j, which for massless momenta is 4 pT pT (sinh^2(Deta/2) + sin^2(Dphi/2)): nothing cancels. */
BG_FN double bg_outgoing_mass(const bg_outgoing *g, uint32_t set)
{
    double square = 0.;
    for (int j = 1; set >> j; j++)
        for (int i = 0; i < j; i++) {
            if (!(set >> i & set >> j & 1u)) continue;
            const int a = g->order[i], b = g->order[j];
            const double sh = sinh(0.5 * bg_outgoing_deta(g, a, b)), sn = sin(0.5 * bg_outgoing_dphi(g, a, b));
            square += 4. * g->pt[a] * g->pt[b] * (sh * sh + sn * sn);
        }
    return sqrt(square);
}

BG_FN double bg_observable_value(const bg_observable *o, const bg_outgoing *g)
{
    if (o->kind == OBSERVABLE_HT) return g->ht;
    if (o->kind == OBSERVABLE_DR_MIN) return g->nearest;
    if (o->kind == OBSERVABLE_DR_MAX) return g->farthest;
    if (o->kind == OBSERVABLE_WEIGHT) return g->weight;
    if (o->kind == OBSERVABLE_MASS) return bg_outgoing_mass(g, o->gluons);
    const int first = bg_next_gluon(o->gluons, 0), i = g->order[first];
    if (o->kind == OBSERVABLE_PT) return g->pt[i];
    if (o->kind == OBSERVABLE_ETA || o->kind == OBSERVABLE_Y) return (double)bg_lane(g->eta[i], 0); /* massless */
    if (o->kind == OBSERVABLE_ENERGY) return g->momenta[4 * (size_t)g->place[i] * g->stride];
    const int j = g->order[bg_next_gluon(o->gluons, first + 1)];
    if (o->kind == OBSERVABLE_DPHI) return bg_outgoing_dphi(g, i, j);
    if (o->kind == OBSERVABLE_DETA) return bg_outgoing_deta(g, i, j);
    return hypot(bg_outgoing_deta(g, i, j), bg_outgoing_dphi(g, i, j));
}

/* ---- names and ranges (observables.c) ------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

/* What is possible within energy, cuts and momentum conservation. */
typedef struct bg_kinematics {
    int n_out;
    int protons; /* 1: sqrts is theirs, and the partons have a part of it */
    double sqrts;
    bg_cuts cuts;
} bg_kinematics;

/* "mass(1,2):50:0:5000", and ":log" behind it for logarithmic bins. Without bins and edges they are the standard ones, those
 * that the kinematics leave. Fills in everything but `first`. */
bg_status bg_axis_parse(bg_axis *axis, const bg_kinematics *kinematics, const char *text, bg_error *error);

/* The standard axis of an observable; folded. */
bg_axis bg_axis_standard(const bg_kinematics *kinematics, int kind, uint32_t gluons);

/* "mass_1_2", and "mass of gluons 1, 2 [GeV]", or "of jets 1, 2". */
void bg_observable_name(const bg_observable *observable, char *name, size_t size);
void bg_observable_title(const bg_observable *observable, int jets, char *title, size_t size);

#ifdef __cplusplus
}
#endif

#endif
