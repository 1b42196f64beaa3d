/* The gnuplot script of a figure: panels in columns, ratio panels below, one legend to the right. */
#include "study/figure.h"
#include "plot.h"

#include <math.h>
#include <string.h>

/* Pixels of the page; the legend is to the right of the panels. */
enum { WIDTH = 1300, WIDTH_COLUMNS = 1850, HEIGHT = 950, LEGEND = 475, AXIS = 150, GAP_COLUMNS = 205 };
/* Shares of the page from below. */
#define BOTTOM 0.105
#define TOP 0.91
#define GAP_ROWS 0.03

typedef struct frame {
    double left, right, bottom, top;
    int lowest; /* of its column: has the numbers of its horizontal axis */
} frame;

static int columns_of(const figure *f)
{
    int most = 0;
    for (int k = 0; k < f->panels; k++)
        if (f->panel[k].column > most) most = f->panel[k].column;
    return most + 1;
}

static int width_of(const figure *f) { return columns_of(f) > 1 ? WIDTH_COLUMNS : WIDTH; }

/* Where the panels end and the legend begins. */
static double right_of(const figure *f) { return 1. - (double)LEGEND / width_of(f); }

static frame frame_of(const figure *f, int panel)
{
    const int columns = columns_of(f), column = f->panel[panel].column;
    const double left = (double)AXIS / width_of(f), gap = (double)GAP_COLUMNS / width_of(f);
    const double width = (right_of(f) - left - (columns - 1) * gap) / columns;
    double above = 0., all = 0.;
    int rows = 0, row = 0, titles = 0;
    for (int k = 0; k < f->panels; k++)
        if (f->panel[k].column == column) {
            if (k == panel) row = rows;
            if (k < panel) above += f->panel[k].height;
            all += f->panel[k].height;
            rows++;
        }
    for (int k = 0; k < f->panels; k++) titles |= f->panel[k].title[0] != '\0';
    const double top = titles ? TOP - 0.03 : TOP;
    const double unit = (top - BOTTOM - (rows - 1) * GAP_ROWS) / all;
    frame r;
    r.left = left + column * (width + gap);
    r.right = r.left + width;
    r.top = top - above * unit - row * GAP_ROWS;
    r.bottom = r.top - f->panel[panel].height * unit;
    r.lowest = row == rows - 1;
    return r;
}

static void x_range(const figure *f, int *low, int *high)
{
    *low = MOST_OUT;
    *high = BG_MIN_OUT;
    for (int k = 0; k < f->points; k++) {
        if (f->point[k].n_out < *low) *low = f->point[k].n_out;
        if (f->point[k].n_out > *high) *high = f->point[k].n_out;
    }
    if (*low > *high) *low = BG_MIN_OUT, *high = BG_MIN_OUT + 1;
}

static int is_ratio(const figure_panel_info *p) { return strstr(p->name, "ratio") != NULL; }

/* Whether a panel has points; the range of its values, with room around them. */
static int y_range(const figure *f, int panel, double *low, double *high)
{
    const figure_panel_info *p = &f->panel[panel];
    int count = 0;
    *low = INFINITY;
    *high = 0.;
    for (int k = 0; k < f->points; k++)
        if (f->curve[f->point[k].curve].panel == panel) {
            *low = fmin(*low, f->point[k].value);
            *high = fmax(*high, f->point[k].value);
            count++;
        }
    if (p->low < p->high) {
        *low = fmin(*low, p->low);
        *high = fmax(*high, p->high);
    } else if (is_ratio(p)) { /* a few per cent should not look like a lot */
        *low = fmin(*low, 0.5);
        *high = fmax(*high, 2.);
    }
    if (!(*low < *high)) {
        *low = count ? 0.5 * *low : 0.1;
        *high = count ? 2. * *high : 10.;
    }
    if (p->linear) {
        const double room = 0.06 * (*high - *low);
        *low -= room;
        *high += room;
    } else {
        const double room = pow(*high / *low, 0.06);
        *low /= room;
        *high *= room;
    }
    return count;
}

/* Powers of ten, every so many decades, with unnamed tics between them where there is room; digits of each decade where there
 * are few of them. */
static void write_y_tics(FILE *out, double low, double high)
{
    const double decades = log10(high / low);
    const int step = decades > 8. ? (int)ceil(decades / 5.) : decades > 5. ? 2 : 1;
    const char *comma = "";
    fprintf(out, "set ytics (");
    for (int d = (int)floor(log10(low)); d <= (int)ceil(log10(high)); d++)
        for (int k = 1; k < 10; k++) {
            const double y = k * pow(10., d);
            const int named = decades < 0.7   ? k < 6 || k == 7
                              : decades < 1.7 ? k == 1 || k == 2 || k == 5
                                              : k == 1 && d % step == 0;
            if (y < 0.9999 * low || y > 1.0001 * high || (!named && decades > 5. && k > 1)) continue;
            fprintf(out, "%s'", comma);
            if (named && decades < 1.7)
                fprintf(out, "%g", y);
            else if (named)
                fprintf(out, "10^{%d}", d);
            fprintf(out, "' %g %d", y, !named);
            comma = ", ";
        }
    fprintf(out, ")\n");
}

/* Dashes that can be told apart in a legend. */
static const char *dashes_of(int dash) { return dash == 1 ? "1" : dash == 2 ? "(12,6)" : "(3,4)"; }

static const char *color_of(int color)
{
    static const char *const grays[] = {"#555555", "#888888"};
    return color >= 0 ? plot_colors[color % PLOT_COLORS] : grays[(-color - 1) % 2];
}

/* Symbols in pairs, filled and open; those of other programs are crosses and stars. */
static int symbol_of(int color, int point, int open)
{
    static const int crosses[] = {1, 2, 3, 8, 10, 12};
    if (color < 0) return crosses[point % 6];
    return 2 * (point % 6) + (open ? 4 : 5);
}

static void write_look(FILE *out, const figure *f, int curve, int open)
{
    const int color = f->curve[curve].color;
    fprintf(out, "linecolor rgb '%s' dashtype %s linewidth %g pointtype %d pointsize %g", color_of(color),
            dashes_of(f->curve[curve].dash), color < 0 || open ? 1. : 1.6,
            symbol_of(color, f->curve[curve].point, open), color < 0 || open ? 1.4 : 1.1);
}

static int has_points(const figure *f, int curve)
{
    for (int k = 0; k < f->points; k++)
        if (f->point[k].curve == curve) return 1;
    return 0;
}

/* Whether a curve of this look stood in an earlier panel: then the legend has it. */
static int is_listed(const figure *f, int curve)
{
    for (int k = 0; k < curve; k++)
        if (has_points(f, k) && !strcmp(f->curve[k].title, f->curve[curve].title)) return 1;
    return 0;
}

/* In a frame of its own, as high as the page: gnuplot fits a legend into the height of its plot. */
static void write_legend(const figure *f, FILE *out)
{
    fprintf(out, "# legend\nset lmargin at screen %.4f\nset rmargin at screen 0.999\n", right_of(f));
    fprintf(out, "set bmargin at screen 0.01\nset tmargin at screen %.4f\n", TOP);
    fprintf(out, "unset xlabel\nunset ylabel\nunset label\nunset title\nunset logscale\nunset border\nunset xtics\n"
                 "unset ytics\nset xrange [0:1]\nset yrange [0:1]\nset key on inside left top Left reverse vertical "
                 "maxcols 1 samplen 2.2 spacing 1.15 font small enhanced\nplot NaN notitle");
    for (int k = 0; k < f->series; k++) {
        if (!has_points(f, k) || is_listed(f, k)) continue;
        fprintf(out, ", \\\n     NaN with linespoints ");
        write_look(out, f, k, 0);
        fprintf(out, " title ");
        plot_text(out, f->curve[k].title);
    }
    for (int k = 0; k < f->points; k++)
        if (f->point[k].kind == FIGURE_EXTRAPOLATED) {
            fprintf(out, ", \\\n     NaN with points linecolor rgb '#555555' pointtype 6 pointsize 1.1 title "
                         "'open: extrapolated'");
            break;
        }
    fprintf(out, "\n");
}

static void write_panel(const figure *f, FILE *out, int panel)
{
    const figure_panel_info *p = &f->panel[panel];
    const frame r = frame_of(f, panel);
    double low, high;
    int n_low, n_high;
    const int filled = y_range(f, panel, &low, &high);
    x_range(f, &n_low, &n_high);
    fprintf(out, "# panel %s\nset lmargin at screen %.4f\nset rmargin at screen %.4f\n", p->name, r.left, r.right);
    fprintf(out, "set bmargin at screen %.4f\nset tmargin at screen %.4f\n", r.bottom, r.top);
    fprintf(out, "set xrange [%g:%g]\nset xtics 1\nset format '%%g'\n", n_low - 0.3, n_high + 0.3);
    if (!r.lowest) fprintf(out, "set format x ''\n");
    fprintf(out, r.lowest ? "set xlabel 'outgoing gluons n_{out}' offset 0,0.3\n" : "unset xlabel\n");
    fprintf(out, "set ylabel ");
    plot_text(out, p->label);
    fprintf(out, " offset -0.3,0\nset yrange [%.6g:%.6g]\n", low, high);
    if (p->linear) {
        fprintf(out, "unset logscale y\nset ytics autofreq\n");
    } else {
        fprintf(out, "set logscale y\n");
        write_y_tics(out, low, high);
    }
    if (p->title[0]) {
        fprintf(out, "set title ");
        plot_text(out, p->title);
        fprintf(out, " offset 0,-0.6 font small\n");
    } else {
        fprintf(out, "unset title\n");
    }
    fprintf(out, "unset label\n");
    if (!filled) fprintf(out, "set label 1 'no measurements' at graph 0.5, graph 0.5 center textcolor rgb '#888888'\n");
    fprintf(out, "set key off\n");
    fprintf(out, "plot NaN notitle");
    if (is_ratio(p)) fprintf(out, ", \\\n     1 with lines linecolor rgb '#888888' linewidth 0.8 notitle");
    for (int k = 0; k < f->series; k++) {
        if (f->curve[k].panel != panel || !has_points(f, k)) continue;
        for (int open = 0; open < 3; open++) {
            /* the line through all of them, then the symbols: filled, and open where the value is extrapolated */
            fprintf(out, ", \\\n     data using (mine('%s','%s')%s ? $3 : NaN):4 with %s ", p->name, f->curve[k].name,
                    !open       ? ""
                    : open == 1 ? " && strcol(6) ne 'extrapolated'"
                                : " && strcol(6) eq 'extrapolated'",
                    open ? "points" : "lines");
            write_look(out, f, k, open == 2);
            fprintf(out, " notitle");
        }
        fprintf(out,
                ", \\\n     data using (mine('%s','%s') ? $3 : NaN):($4*(1-$5)):(0):(2*$4*$5) with vectors heads "
                "size screen 0.003,90 fixed linecolor rgb '%s' linewidth 0.8 notitle",
                p->name, f->curve[k].name, color_of(f->curve[k].color));
    }
    fprintf(out, "\n");
}

void figure_script(const figure *f, FILE *out)
{
    plot_start(out, width_of(f), HEIGHT);
    fprintf(out, "if (strstrt(terminals, ' pdfcairo ')) formats = formats . ' pdf'\n");
    fprintf(out, "data = '%s.csv'\nset datafile missing NaN\nmine(p,s) = strcol(1) eq p && strcol(2) eq s\n", f->name);
    plot_open(out, f->name);
    fprintf(out,
            "small = format eq 'png' ? 'sans,17' : 'sans,10.5'\nset key noautotitle\nset border\nset multiplot title ");
    plot_text(out, f->title);
    fprintf(out, "\n");
    for (int k = 0; k < f->panels; k++) write_panel(f, out, k);
    write_legend(f, out);
    fprintf(out, "unset multiplot\n");
    plot_close(out);
}
