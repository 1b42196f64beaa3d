/* plots.gp: the script that draws the pictures from the tables. */
#include "plot.h"
#include "report/parts.h"

#include <math.h>

#define DECADES 1e-8 /* that a figure shows at most */

/* What a figure has to hold. */
typedef struct range {
    double x_low, x_high, y_low, y_high;
} range;

static void widen(range *a, const report *r, const report_curve *h, int with_band)
{
    for (int k = 0; k < h->bins; k++) {
        const report_bin b = h->bin[k];
        const double y = report_is_weight(h) ? b.share / r->result->sigma_pb : report_density(&b);
        const double band = with_band && h->band ? b.most / (b.high - b.low) : 0.;
        const double most = report_is_weight(h) ? fmax(y, b.points / (double)r->result->points)
                                                : fmax(band, y + report_density_error(&b));
        const double least = report_is_weight(h) ? fmin(y, b.points / (double)r->result->points) : y;
        if (report_is_spectrum(h) && !(b.share > 0.)) continue;
        a->x_low = fmin(a->x_low, b.low);
        a->x_high = fmax(a->x_high, b.high);
        a->y_low = fmin(a->y_low, least);
        a->y_high = fmax(a->y_high, most);
    }
}

static range range_of(const report *r, const report_curve *first, int count, int stride)
{
    range a = {INFINITY, -INFINITY, INFINITY, 0.};
    for (int k = 0; k < count; k++) widen(&a, r, first + k * stride, count == 1);
    if (report_is_spectrum(first)) {
        a.y_low = fmax(0.5 * a.y_low, DECADES * a.y_high); /* single points would set it */
        a.y_high *= 2.;
    } else {
        a.y_low = fmin(a.y_low, 0.);
        a.y_high *= 1.08;
    }
    return a;
}

/* 1, 2 and 5 of every decade, or more where there is less than one: an axis of pT holds few whole decades. */
static void write_tics(FILE *f, const range *a)
{
    static const int usual[] = {1, 2, 5, 0}, more[] = {1, 2, 3, 4, 5, 7, 0};
    const int *steps = a->x_high < 10. * a->x_low ? more : usual;
    const char *comma = "";
    fprintf(f, "set xtics (");
    const int first = (int)floor(log10(a->x_low)), last = (int)ceil(log10(a->x_high));
    for (int exponent = first; exponent < last; exponent++)
        for (const int *k = steps; *k; k++) {
            const double x = *k * pow(10., exponent);
            if (x < 0.999 * a->x_low || x > 1.001 * a->x_high) continue;
            fprintf(f, "%s'%g' %g", comma, x, x);
            comma = ", ";
        }
    fprintf(f, ")\n");
}

static void write_axes(const report *r, FILE *f, const report_curve *h, const range *a)
{
    report_text title = report_process(r, REPORT_GNUPLOT);
    report_add(&title, ":  σ = %s%s\n%s", report_sigma(r, REPORT_GNUPLOT).buffer,
               r->result->interrupted ? " (interrupted)" : "", report_cuts(r, REPORT_GNUPLOT).buffer);
    fprintf(f, "set title ");
    plot_text(f, title.buffer);
    fprintf(f, "\nset xrange [%.17g:%.17g]\nset yrange [%.9g:%.9g]\nset xtics autofreq\n", a->x_low, a->x_high,
            a->y_low, a->y_high);
    if (report_is_spectrum(h)) fprintf(f, "set logscale y\nset format y '10^{%%T}'\n");
    if (!h->logarithmic) return;
    fprintf(f, "set logscale x\n");
    if (a->x_high < 1e3 * a->x_low)
        write_tics(f, a);
    else
        fprintf(f, "set format x '10^{%%T}'\n");
}

/* Steps, the right edge of the last bin included. `value` is gnuplot's expression of the columns. */
static void write_steps(FILE *f, const report_curve *h, const char *value, int color, const char *title)
{
    fprintf(f, "'%s.csv' using 1:(%s) with steps linetype %d title ", h->name, value, color);
    plot_text(f, title);
    fprintf(f, ", \\\n     '' using 1:(%s):($2-$1):(0) every ::%d::%d with vectors nohead linetype %d notitle", value,
            h->bins - 1, h->bins - 1, color);
}

/* A distribution with its errors. On a logarithmic axis empty bins, and errors as large as the value, go below the frame. */
static void write_curve(FILE *f, const report_curve *h, double bottom, int color, const char *title)
{
    char value[96] = "$3", least[96] = "$3-$4";
    if (report_is_spectrum(h)) {
        snprintf(value, sizeof value, "above($3,%.9g)", bottom);
        snprintf(least, sizeof least, "above($3-$4,%.9g)", bottom);
    }
    write_steps(f, h, value, color, title);
    fprintf(f,
            ", \\\n     '' using (%s):($3 > 0 ? %s : NaN):(0):($3+$4-(%s)) with vectors nohead linetype %d dashtype 1 "
            "linewidth 0.8 notitle",
            h->logarithmic ? "sqrt($1*$2)" : "0.5*($1+$2)", least, least, color);
}

/* The band of scales, behind the line: columns 6 and 7. Several in one figure would hide each other. */
static void write_band(FILE *f, const report_curve *h, double bottom)
{
    if (!h->band) return;
    fprintf(f,
            "'%s.csv' using 1:3:1:2:(above($6,%.9g)):(above($7,%.9g)) with boxxyerror linetype 1 fillstyle transparent "
            "solid 0.25 noborder notitle, \\\n     ",
            h->name, bottom, bottom);
}

static void write_figure(const report *r, FILE *f, const report_curve *h)
{
    const range a = range_of(r, h, 1, 1);
    plot_open(f, h->name);
    write_axes(r, f, h, &a);
    fprintf(f, "set xlabel ");
    plot_text(f, report_title(h->title, REPORT_GNUPLOT).buffer);
    fprintf(f, "\nset ylabel ");
    if (report_is_weight(h)) {
        char value[96];
        plot_text(f, "fraction in a bin");
        fprintf(f, "\nset key center bottom\nplot ");
        snprintf(value, sizeof value, "above($6,%.9g)", 0.1 * a.y_low);
        write_steps(f, h, value, 1, "of the cross section");
        fprintf(f, ", \\\n     ");
        snprintf(value, sizeof value, "above($5/%.17g,%.9g)", (double)r->result->points, 0.1 * a.y_low);
        write_steps(f, h, value, 2, "of the points");
    } else {
        plot_text(f, report_density_title(h).buffer);
        fprintf(f, "\nset key off\nplot ");
        write_band(f, h, 0.1 * a.y_low);
        write_curve(f, h, 0.1 * a.y_low, 1, "");
    }
    putc('\n', f);
    plot_close(f);
}

/* The same quantity of all gluons. They are every second histogram. */
static void write_overview(const report *r, FILE *f, const char *name, const report_curve *first, const char *title,
                           const char *density)
{
    const range a = range_of(r, first, r->n_out, 2);
    plot_open(f, name);
    write_axes(r, f, first, &a);
    fprintf(f, "set key outside right top\nset xlabel ");
    plot_text(f, title);
    fprintf(f, "\nset ylabel ");
    plot_text(f, density);
    fprintf(f, "\nplot ");
    for (int k = 0; k < r->n_out; k++) {
        char parton[24];
        snprintf(parton, sizeof parton, "%s %d", report_parton(r), k + 1);
        if (k) fprintf(f, ", \\\n     ");
        write_curve(f, first + 2 * k, 0.1 * a.y_low, k + 1, parton);
    }
    putc('\n', f);
    plot_close(f);
}

/* Lines of all gluons are whole and have colors of their own: the seven that figures share, and five more. */
static void write_more_colors(FILE *f)
{
    static const char *const more[] = {"#882255", "#999933", "#332288", "#888888", "#AA4499"};
    for (int k = 0; k < (int)(sizeof more / sizeof *more); k++)
        fprintf(f, "set linetype %d linecolor rgb '%s' linewidth 1.5 dashtype 1\n", PLOT_COLORS + 1 + k, more[k]);
}

void report_write_script(const report *r, FILE *f)
{
    const report_curve *h = r->curve;
    fprintf(f, "# Draws the pictures of this folder again: gnuplot " REPORT_SCRIPT "\n# %s\n",
            report_process(r, REPORT_PLAIN).buffer);
    plot_start(f, PLOT_WIDTH, PLOT_HEIGHT);
    write_more_colors(f);
    fprintf(f, "above(y, bottom) = y > bottom ? y : bottom\n");
    if (!report_is_filled(h)) return;
    write_overview(r, f, "pt", h, r->protons ? "p_T of all jets [GeV]" : "p_T of all gluons [GeV]",
                   "dσ/dp_T  [pb/GeV]");
    write_overview(r, f, "eta", h + 1, r->protons ? "pseudorapidity of all jets" : "pseudorapidity of all gluons",
                   "dσ/dη  [pb]");
    for (int k = 0; k < r->curves; k++)
        if (report_is_filled(h + k)) write_figure(r, f, h + k);
}
