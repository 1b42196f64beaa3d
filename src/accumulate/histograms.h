/* Distributions of the outgoing gluons, exact in the same sense as the cross section. */
#ifndef BG_ACCUMULATE_HISTOGRAMS_H
#define BG_ACCUMULATE_HISTOGRAMS_H

#include "accumulate/observables.h"
#include "base/exact.h"

enum {
    BG_STANDARD_HISTOGRAMS = 2 * BG_MAX_OUT_DRESSED + 4, /* at most */
    BG_BOOKED_HISTOGRAMS = 32,                           /* of a user's own */
    BG_MOST_HISTOGRAMS = BG_STANDARD_HISTOGRAMS + BG_BOOKED_HISTOGRAMS
};

typedef struct bg_histogram {
    char name[48];  /* file name, such as pt_1 */
    char title[96]; /* axis title, such as "p_T of gluon 1 [GeV]" */
    int booked;     /* by a user */
    bg_axis axis;
} bg_histogram;

/* The standard ones: pT and eta of every gluon (by falling pT), smallest and largest DeltaR, HT, and the weights themselves.
 * Those that a user booked take the place of one of the same name, or come behind. Cell b of histogram k is number
 * histogram[k].axis.first + b among all cells. */
struct bg_histograms {
    bg_kinematics kinematics;
    int count, cells;
    uint8_t place[BG_MAX_LETTERS];  /* of each outgoing leg */
    bg_histogram *histogram;        /* [BG_MOST_HISTOGRAMS], of which there are `count` */
    bg_exact *weight, *weight2;     /* [cells]: pb, pb^2, not divided by points */
    double *group;                  /* [cells]: of the group of points that is being filled in */
    double points, accepted, pairs; /* of the integration behind them, as in bg_result; 0 before it is done */
    /* Processes of several subprocesses: those of each class, which add up, since each has points of its own. The sums above
     * are then not used. */
    struct bg_histograms **part;
    int parts;
    /* Variations of the weight: of some points, [cells][1 + bands] sums of w and of w times the ratio of each. */
    double *band;
    int bands;
};

/* `protons`: sqrts is their energy, not that of the partons, and these are called jets. */
bg_status bg_histograms_allocate(struct bg_histograms **h, const bg_subprocess *process, int protons, double sqrts,
                                 const bg_cuts *cuts, bg_error *error);
bg_status bg_histograms_add_axis(struct bg_histograms *h, const char *text, bg_error *error);
void bg_histograms_free(struct bg_histograms *h);

/* An empty copy, for a thread. NULL without memory. */
struct bg_histograms *bg_histograms_clone(const struct bg_histograms *h);
void bg_histograms_merge(struct bg_histograms *into, const struct bg_histograms *from);

/* Empty ones for `count` subprocesses, as parts of h; those of an earlier integration are gone. -1 without memory. */
int bg_histograms_divide(struct bg_histograms *h, const bg_subprocess *process, int count);

/* Whether a point of weight w fills histograms at all. */
BG_FN int bg_histograms_count(double w) { return fabs(w) > 0. && fabs(w) < 1e150; }

/* A point of weight w (pb), alone or of a group of points that share colors: the squares of those are added when the
 * group ends. Momenta as in bg_outgoing. */
void bg_histograms_fill(struct bg_histograms *h, const double *momenta, size_t stride, double w, int alone);
void bg_histograms_end_group(struct bg_histograms *h);

/* A point that a sieve kept (estimate/sieve.h), with all that it adds to the sums, w, of which `correction` is what was added to
 * its estimate. Corrections of points that share colors are correlated, their estimates are not. */
void bg_histograms_fill_kept(struct bg_histograms *h, const double *momenta, size_t stride, double w, double correction,
                             int alone);

/* Room for bands of so many variations, empty (0: there are none); -1 without memory. A point then adds w and w times its ratios. Momenta are
 * [leg][4], the two incoming ones first. */
int bg_histograms_begin_bands(struct bg_histograms *h, int bands);
void bg_histograms_fill_bands(struct bg_histograms *h, const double *momenta, double w, const double *ratio);

/* All sums as one array of integers that add up, for ranks and checkpoints: of each histogram [2][cells][DIGITS]. */
size_t bg_histograms_integers(const struct bg_histograms *h);
void bg_histograms_save(const struct bg_histograms *h, int64_t *to);
void bg_histograms_load(struct bg_histograms *h, const int64_t *from);

/* Adds such an array. */
void bg_histograms_add(struct bg_histograms *h, const int64_t *from);

/* What they are, for a checkpoint: their number, a checksum of all axes, and those that were booked as far as there is room. */
void bg_histograms_describe(const struct bg_histograms *h, char *text, size_t size);

/* The numbers of histogram k, as bg_histograms_read(). */
void bg_histogram_read(const struct bg_histograms *h, int k, double *edges, double *share, double *uncertainty,
                       double *entries);

/* The smallest and the largest share of every bin of histogram k among all variations, that without a variation included. 0
 * where there are none: no variations, or the weight itself is what it is of. */
int bg_histogram_band(const struct bg_histograms *h, int k, double *least, double *most);

/* What lies below and above its bins, where it is not folded; 0 elsewhere. */
void bg_histogram_beyond(const struct bg_histograms *h, int k, double share[2], double uncertainty[2]);

#endif
