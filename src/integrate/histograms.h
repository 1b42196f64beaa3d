/* Distributions of the outgoing gluons, exact in the same sense as the cross section. */
#ifndef BG_INTEGRATE_HISTOGRAMS_H
#define BG_INTEGRATE_HISTOGRAMS_H

#include "blockgen/blockgen.h"
#include "integrate/exact.h"

#define BG_HISTOGRAM_BINS 50

typedef struct bg_histogram {
    char name[24];     /* file name, such as pt_1 */
    char title[48];    /* axis title, such as "p_T of jet 1 [GeV]" */
    double low, high;  /* range; of log10(x) where logarithmic */
    int logarithmic;
    bg_exact weight[BG_HISTOGRAM_BINS], weight2[BG_HISTOGRAM_BINS]; /* pb, pb^2, not divided by points */
} bg_histogram;

/* pT and eta of every jet (ordered in pT), smallest and largest DeltaR, HT, and the weights themselves. */
struct bg_histograms {
    int n_out, count;
    bg_histogram *histogram; /* [count] */
};

bg_status bg_histograms_create(struct bg_histograms **h, int n_out, double sqrts, const bg_cuts *cuts, bg_error *error);
void bg_histograms_destroy(struct bg_histograms *h);

/* An empty copy, for a thread. NULL without memory. */
struct bg_histograms *bg_histograms_clone(const struct bg_histograms *h);
void bg_histograms_merge(struct bg_histograms *into, const struct bg_histograms *from);

/* A point [2 + n_out][4] of weight w (pb). */
void bg_histograms_fill(struct bg_histograms *h, const double *momenta, double w);

/* All sums as one array of integers that add up, for ranks and checkpoints: [count][2][BINS][DIGITS]. */
size_t bg_histograms_integers(const struct bg_histograms *h);
void bg_histograms_save(const struct bg_histograms *h, int64_t *to);
void bg_histograms_load(struct bg_histograms *h, const int64_t *from);

#endif
