/* histograms.yoda: all distributions in the text format of YODA (https://yoda.hepforge.org), for Rivet's tools.
 *
 * A bin has its sums of w, w^2, w x and w x^2. Here w are in pb and divided by the number of points, so that heights are
 * dsigma/dx in pb, and sum w^2 is the square of the error. Points are not kept, so x is the middle of the bin in both
 * of the last sums.
 *
 * A band of scales is two more histograms, /BLOCKGEN/NAME[scale_down] and [scale_up], as if they were weights of those names.
 */
#include "report/parts.h"

#include <math.h>

typedef struct sums {
    double w, w2, wx, wxx, entries;
} sums;

static void add(sums *all, const sums *one)
{
    all->w += one->w;
    all->w2 += one->w2;
    all->wx += one->wx;
    all->wxx += one->wxx;
    all->entries += one->entries;
}

static sums sums_of(double share, double error, double x, double entries)
{
    return (sums){share, error * error, share * x, share * x * x, entries};
}

static void write_sums(FILE *f, const sums *s)
{
    fprintf(f, "\t%.6e\t%.6e\t%.6e\t%.6e\t%.6e\n", s->w, s->w2, s->wx, s->wxx, s->entries);
}

/* A share with its error is as good as (share / error)^2 points. */
static sums beyond(const report_curve *h, int side)
{
    const double share = h->beyond[side], error = h->beyond_error[side];
    const double edge = side ? h->bin[h->bins - 1].high : h->bin[0].low;
    return sums_of(share, error, edge, error > 0. ? share * share / (error * error) : 0.);
}

typedef enum edge { CENTER, DOWN, UP } edge;

/* A bin, or what it is at an edge of the band; its error changes in proportion. */
static sums sums_of_bin(const report_bin *b, edge which)
{
    const double share = which == CENTER ? b->share : which == DOWN ? b->least : b->most;
    const double error = b->share > 0. ? b->error * share / b->share : b->error;
    return sums_of(share, error, 0.5 * (b->low + b->high), b->points);
}

static void write_curve(const report *r, const report_curve *h, edge which, FILE *f)
{
    static const char *const weight[] = {"", "[scale_down]", "[scale_up]"};
    const sums below = beyond(h, 0), above = beyond(h, 1);
    sums total = below;
    add(&total, &above);
    fprintf(f, "BEGIN YODA_HISTO1D_V2 /BLOCKGEN/%s%s\nPath: /BLOCKGEN/%s%s\nTitle: %s, %s\nType: Histo1D\n", h->name,
            weight[which], h->name, weight[which], report_process(r, REPORT_PLAIN).buffer,
            report_cuts(r, REPORT_PLAIN).buffer);
    fprintf(f, "XLabel: %s\nYLabel: dsigma/dx [pb%s]\n---\n", h->title, report_is_in_gev(h) ? "/GeV" : "");
    for (int k = 0; k < h->bins; k++) {
        const report_bin *b = &h->bin[k];
        const sums one = sums_of_bin(b, which);
        add(&total, &one);
    }
    fprintf(f, "# Mean: %.6e\n# Area: %.6e\n", total.w > 0. ? total.wx / total.w : 0., total.w);
    fprintf(f, "# ID\tID\tsumw\tsumw2\tsumwx\tsumwx2\tnumEntries\nTotal   \tTotal   ");
    write_sums(f, &total);
    fprintf(f, "Underflow\tUnderflow");
    write_sums(f, &below);
    fprintf(f, "Overflow\tOverflow");
    write_sums(f, &above);
    fprintf(f, "# xlow\txhigh\tsumw\tsumw2\tsumwx\tsumwx2\tnumEntries\n");
    for (int k = 0; k < h->bins; k++) {
        const report_bin *b = &h->bin[k];
        const sums one = sums_of_bin(b, which);
        fprintf(f, "%.6e\t%.6e", b->low, b->high);
        write_sums(f, &one);
    }
    fprintf(f, "END YODA_HISTO1D_V2\n\n");
}

void report_write_yoda(const report *r, FILE *f)
{
    for (int k = 0; k < r->curves; k++) {
        const report_curve *h = &r->curve[k];
        if (report_is_weight(h)) continue;
        write_curve(r, h, CENTER, f);
        for (edge which = DOWN; h->band && which <= UP; which++) write_curve(r, h, which, f);
    }
}
