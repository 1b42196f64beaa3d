/* The parts of the report of an integration. */
#ifndef BG_PROGRAM_REPORT_PARTS_H
#define BG_PROGRAM_REPORT_PARTS_H

#include "report.h"

#include <stdio.h>

#define REPORT_SCRIPT "plots.gp"
#define REPORT_YODA "histograms.yoda"

/* ---- bins.c: numbers --------------------------------------------------------------------------------------- */

typedef struct report_bin {
    double low, high;    /* edges in x itself, also where bins are logarithmic */
    double share, error; /* pb */
    double points;       /* (sum w)^2 / sum w^2: how many points of equal weight would say as much */
    double least, most;  /* share with other scales, where there is a band */
} report_bin;

/* One distribution: pT and eta of each gluon in turn, then the others. */
typedef struct report_curve {
    const char *name, *title;
    int logarithmic, bins;
    int band; /* of scales */
    report_bin *bin;
    double beyond[2], beyond_error[2]; /* pb, below and above all bins and in none of them */
} report_curve;

/* Reads all of them into the report; to be released in any case. */
bg_status report_read(report *r, bg_error *error);
void report_release(report *r);

/* dsigma/dx and its error. */
double report_density(const report_bin *b);
double report_density_error(const report_bin *b);

int report_is_weight(const report_curve *c); /* the distribution of the weights themselves */
int report_is_in_gev(const report_curve *c);
int report_is_filled(const report_curve *c);

/* Whether its figure has a logarithmic y axis: spectra fall over decades. */
int report_is_spectrum(const report_curve *c);

/* ---- words.c: the same facts for three readers ---------------------------------------------------------------- */

typedef enum report_style { REPORT_PLAIN, REPORT_GNUPLOT, REPORT_HTML } report_style;

typedef struct report_text {
    char buffer[512];
    size_t length;
} report_text;

/* Appends; what does not fit is cut. Everything below is short enough. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void report_add(report_text *t, const char *format, ...);

report_text report_process(const report *r, report_style s); /* "g g -> 4 g at sqrt(s) = 14000 GeV" */
report_text report_cuts(const report *r, report_style s);    /* "pT > 20 GeV, |eta| < 2.5" */
report_text report_sigma(const report *r, report_style s);   /* "(1.234 +- 0.012)e5 pb" */
const char *report_parton(const report *r);                  /* "gluon", or "jet" where protons come in */
report_text report_coupling(const report *r);                /* "alpha_s = 0.118" */
report_text report_scale(const report *r);                   /* "ht/2 (muR 1, muF 1)" */
report_text report_title(const char *title, report_style s); /* of an axis */
report_text report_density_title(const report_curve *h);     /* of the other one, for gnuplot */

/* ---- table.c, yoda.c, pictures.c, page.c: files ------------------------------------------------------------------------ */

void report_write_table(const report *r, const report_curve *h, FILE *f);
void report_write_yoda(const report *r, FILE *f);
void report_write_script(const report *r, FILE *f);
void report_write_page(const report *r, FILE *f);

#endif
