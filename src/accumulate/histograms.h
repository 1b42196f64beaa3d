/* Distributions of the outgoing gluons, exact in the same sense as the cross section. */
#ifndef BG_ACCUMULATE_HISTOGRAMS_H
#define BG_ACCUMULATE_HISTOGRAMS_H

#include "base/exact.h"
#include "base/limits.h"
#include "kinematics/angles.h"
#include "process/subprocess.h"

#define BG_HISTOGRAM_BINS 50
#define BG_MOST_HISTOGRAMS (2 * BG_MAX_OUT_DRESSED + 4)

typedef struct bg_histogram {
    char name[24];    /* file name, such as pt_1 */
    char title[48];   /* axis title, such as "p_T of jet 1 [GeV]" */
    double low, high; /* range; of log10(x) where logarithmic */
    int logarithmic;
    bg_exact weight[BG_HISTOGRAM_BINS], weight2[BG_HISTOGRAM_BINS]; /* pb, pb^2, not divided by points */
    double group[BG_HISTOGRAM_BINS];                                /* of the group of points that is being filled in */
} bg_histogram;

/* pT and eta of every jet (ordered in pT), smallest and largest DeltaR, HT, and the weights themselves. */
struct bg_histograms {
    int n_out, count;
    uint8_t place[BG_MAX_LETTERS];  /* of each outgoing leg */
    bg_histogram *histogram;        /* [count] */
    double points, accepted, pairs; /* of the integration behind them, as in bg_result; 0 before it is done */
};

bg_status bg_histograms_allocate(struct bg_histograms **h, const bg_subprocess *process, double sqrts,
                                 const bg_cuts *cuts, bg_error *error);
void bg_histograms_free(struct bg_histograms *h);

/* An empty copy, for a thread. NULL without memory. */
struct bg_histograms *bg_histograms_clone(const struct bg_histograms *h);
void bg_histograms_merge(struct bg_histograms *into, const struct bg_histograms *from);

/* The values that a point fills in, in the order of the histograms. Component c of the momentum in place k is
 * momenta[(4 k + c) * stride]; place[j] is that of outgoing leg j. */
BG_FN void bg_histograms_values(const int n_out, const uint8_t *place, const double *momenta, size_t stride, double w,
                                double *value)
{
    double pt[BG_MAX_OUT_DRESSED], ht = 0.;
    real eta[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED];
    int order[BG_MAX_OUT_DRESSED];
    for (int k = 0; k < n_out; k++) {
        const double *q = momenta + 4 * (size_t)place[k] * stride;
        const vec4 p = {bg_real(q[0]), bg_real(q[stride]), bg_real(q[2 * stride]), bg_real(q[3 * stride])};
        pt[k] = hypot(q[stride], q[2 * stride]);
        eta[k] = angles_eta(p);
        phi[k] = bg_atan2(p.y, p.x);
        ht += pt[k];
        int at = k;
        for (; at > 0 && pt[order[at - 1]] < pt[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
    double nearest = (double)INFINITY, farthest = 0.;
    for (int j = 1; j < n_out; j++)
        for (int k = 0; k < j; k++) {
            const double r = (double)bg_lane(bg_sqrt(angles_distance2(eta[j], phi[j], eta[k], phi[k])), 0);
            if (r < nearest) nearest = r;
            if (r > farthest) farthest = r;
        }
    for (int k = 0; k < n_out; k++) {
        value[2 * k] = pt[order[k]];
        value[2 * k + 1] = (double)bg_lane(eta[order[k]], 0);
    }
    value[2 * n_out] = nearest;
    value[2 * n_out + 1] = farthest;
    value[2 * n_out + 2] = ht;
    value[2 * n_out + 3] = w;
}

/* Values outside the range go to the first and last bin: nothing is lost from the sum. */
BG_FN int bg_histogram_bin(double low, double high, int logarithmic, double x)
{
    if (logarithmic) x = x > 0. ? log10(x) : low;
    const double at = (x - low) / (high - low) * BG_HISTOGRAM_BINS;
    return !(at > 0.) ? 0 : at >= BG_HISTOGRAM_BINS ? BG_HISTOGRAM_BINS - 1 : (int)at;
}

/* Whether a point of weight w fills histograms at all. */
BG_FN int bg_histograms_count(double w) { return w > 0. && w < 1e150; }

/* A point of weight w (pb), alone or of a group of points that share colors: the squares of those are added when the
 * group ends. Momenta as above. */
void bg_histograms_fill(struct bg_histograms *h, const double *momenta, size_t stride, double w, int alone);
void bg_histograms_end_group(struct bg_histograms *h);

/* All sums as one array of integers that add up, for ranks and checkpoints: [count][2][BINS][DIGITS]. */
size_t bg_histograms_integers(const struct bg_histograms *h);
void bg_histograms_save(const struct bg_histograms *h, int64_t *to);
void bg_histograms_load(struct bg_histograms *h, const int64_t *from);

/* The numbers of histogram k, as bg_histograms_read(). */
void bg_histogram_read(const struct bg_histograms *h, int k, double *edges, double *share, double *uncertainty,
                       double *entries);

/* Adds such an array. */
void bg_histograms_add(struct bg_histograms *h, const int64_t *from);

#endif
