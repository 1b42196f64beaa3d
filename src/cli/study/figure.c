#include "cli/study/figure.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/plot.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define NAME "study"

static const char *const kind_words[] = {"measured", "recorded", "extrapolated", "peer", "counted"};

/* ---- filling it ------------------------------------------------------------------------------------------- */

void figure_init(figure *f, const char *name, const char *title)
{
    memset(f, 0, sizeof *f);
    f->name = name;
    f->title = title;
}

int figure_panel(figure *f, int column, double height, const char *name, const char *label)
{
    if (f->panels == FIGURE_PANELS) return FIGURE_PANELS - 1;
    figure_panel_info *p = &f->panel[f->panels];
    p->name = name;
    p->label = label;
    p->column = column;
    p->height = height;
    return f->panels++;
}

int figure_series(figure *f, int panel, const figure_style *style)
{
    if (f->series == FIGURE_SERIES) return FIGURE_SERIES - 1;
    const int k = f->series++;
    f->curve[k].panel = panel;
    snprintf(f->curve[k].name, sizeof f->curve[k].name, "%s", style->name);
    snprintf(f->curve[k].title, sizeof f->curve[k].title, "%s", style->title);
    f->curve[k].color = style->color;
    f->curve[k].dash = style->dash;
    f->curve[k].point = style->point;
    return k;
}

int figure_strategy(figure *f, int panel, int k)
{
    const strategy *s = &strategies[k];
    return figure_series(f, panel, &(figure_style){s->name, s->title, s->color, s->dash, s->point});
}

void figure_point(figure *f, int curve, int n_out, double value, double spread, figure_kind kind)
{
    if (!(value > 0.) || !isfinite(value) || f->points == FIGURE_POINTS) return;
    f->point[f->points].curve = curve;
    f->point[f->points].n_out = n_out;
    f->point[f->points].value = value;
    f->point[f->points].spread = spread;
    f->point[f->points].kind = kind;
    f->points++;
}

static int find_point(const figure *f, int curve, int n_out)
{
    for (int k = 0; k < f->points; k++)
        if (f->point[k].curve == curve && f->point[k].n_out == n_out) return k;
    return -1;
}

void figure_ratio(figure *f, int to, int from, int reference)
{
    const int series = f->series, points = f->points;
    for (int k = 0; k < series; k++) {
        if (f->curve[k].panel != from) continue;
        const figure_style style = {f->curve[k].name, f->curve[k].title, f->curve[k].color, f->curve[k].dash,
                                    f->curve[k].point};
        const int curve = figure_series(f, to, &style);
        for (int w = 0; w < points; w++) {
            const int base = f->point[w].curve == k ? find_point(f, reference, f->point[w].n_out) : -1;
            if (base < 0) continue;
            const double spread = hypot(f->point[w].spread, k == reference ? 0. : f->point[base].spread);
            figure_point(f, curve, f->point[w].n_out, f->point[w].value / f->point[base].value, spread,
                         f->point[base].kind == FIGURE_EXTRAPOLATED ? FIGURE_EXTRAPOLATED : f->point[w].kind);
        }
    }
}

void figure_caption(figure *f, const char *format, ...)
{
    const size_t used = strlen(f->caption);
    va_list args;
    va_start(args, format);
    vsnprintf(f->caption + used, sizeof f->caption - used, format, args);
    va_end(args);
}

void figure_left_out(figure *f, const char *what, int n_out, const char *why)
{
    const size_t same = strcspn(why, "0123456789");
    if (!*why) return;
    for (int k = 0; k < f->notes; k++)
        if (!strcmp(f->note[k].what, what) && f->note[k].high == n_out - 1 && !strncmp(f->note[k].why, why, same)) {
            f->note[k].high = n_out;
            return;
        }
    if (f->notes == FIGURE_NOTES) return;
    snprintf(f->note[f->notes].what, sizeof f->note[0].what, "%s", what);
    snprintf(f->note[f->notes].why, sizeof f->note[0].why, "%s", why);
    f->note[f->notes].low = f->note[f->notes].high = n_out;
    f->notes++;
}

typedef struct note_text {
    char text[400];
} note_text;

static note_text words_of(const figure *f, int k)
{
    note_text t;
    char range[32];
    snprintf(range, sizeof range, f->note[k].low < f->note[k].high ? "%d to %d" : "%d", f->note[k].low, f->note[k].high);
    snprintf(t.text, sizeof t.text, "%s, n_out = %s: %s", f->note[k].what, range, f->note[k].why);
    return t;
}

/* ---- data ------------------------------------------------------------------------------------------------- */

static void write_csv(const figure *f, FILE *out)
{
    fprintf(out, "# %s\n", f->title);
    fprintf(out, "# blockgen %s study %s; the caption is in %s.txt\n", bg_version(), f->name, f->name);
    for (int k = 0; k < f->panels; k++) fprintf(out, "# panel %s: %s\n", f->panel[k].name, f->panel[k].label);
    for (int k = 0; k < f->notes; k++) fprintf(out, "# left out: %s\n", words_of(f, k).text);
    fprintf(out, "panel,series,n_out,value,relative_spread,kind\n");
    for (int c = 0; c < f->series; c++)
        for (int k = 0; k < f->points; k++)
            if (f->point[k].curve == c)
                fprintf(out, "%s,%s,%d,%.6g,%.3g,%s\n", f->panel[f->curve[c].panel].name, f->curve[c].name,
                        f->point[k].n_out, f->point[k].value, f->point[k].spread, kind_words[f->point[k].kind]);
}

void figure_json(const figure *f, json *j)
{
    json_text(j, "name", f->name);
    json_text(j, "title", f->title);
    json_text(j, "caption", f->caption);
    json_open(j, "panels", '[');
    for (int k = 0; k < f->panels; k++) {
        json_open(j, NULL, '{');
        json_text(j, "name", f->panel[k].name);
        json_text(j, "title", f->panel[k].title);
        json_text(j, "axis", f->panel[k].label);
        json_close(j);
    }
    json_close(j);
    json_open(j, "rows", '[');
    for (int c = 0; c < f->series; c++)
        for (int k = 0; k < f->points; k++) {
            if (f->point[k].curve != c) continue;
            json_open(j, NULL, '{');
            json_text(j, "panel", f->panel[f->curve[c].panel].name);
            json_text(j, "series", f->curve[c].name);
            json_integer(j, "n_out", f->point[k].n_out);
            json_real(j, "value", f->point[k].value);
            json_real(j, "relative_spread", f->point[k].spread);
            json_text(j, "kind", kind_words[f->point[k].kind]);
            json_close(j);
        }
    json_close(j);
    json_open(j, "left_out", '[');
    for (int k = 0; k < f->notes; k++) json_text(j, NULL, words_of(f, k).text);
    json_close(j);
}

/* ---- the picture ------------------------------------------------------------------------------------------ */

/* Pixels of the page; the legend is to the right of the panels. */
enum { WIDTH = 1300, WIDTH_COLUMNS = 1750, HEIGHT = 950, LEGEND = 475, AXIS = 150, GAP_COLUMNS = 150 };
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
            const int named = decades < 0.7 ? k < 6 || k == 7 : decades < 1.7 ? k == 1 || k == 2 || k == 5 : k == 1 && d % step == 0;
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
    static const char *const greys[] = {"#555555", "#888888"};
    return color >= 0 ? plot_colors[color % PLOT_COLORS] : greys[(-color - 1) % 2];
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
        fprintf(out, " offset 0,-0.6\n");
    } else {
        fprintf(out, "unset title\n");
    }
    fprintf(out, "unset label\n");
    if (!filled)
        fprintf(out, "set label 1 'no measurements' at graph 0.5, graph 0.5 center textcolor rgb '#888888'\n");
    fprintf(out, "set key off\n");
    fprintf(out, "plot NaN notitle");
    if (!p->linear && low < 1. && high > 1. && strstr(p->name, "ratio"))
        fprintf(out, ", \\\n     1 with lines linecolor rgb '#888888' linewidth 0.8 notitle");
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
    }
    fprintf(out, "\n");
}

static void write_script(const figure *f, FILE *out)
{
    plot_start(out, width_of(f), HEIGHT);
    fprintf(out, "data = '%s.csv'\nset datafile missing NaN\nmine(p,s) = strcol(1) eq p && strcol(2) eq s\n", f->name);
    plot_open(out, f->name);
    fprintf(out, "small = format eq 'png' ? 'sans,17' : 'sans,10.5'\nset key noautotitle\nset border\nset multiplot title ");
    plot_text(out, f->title);
    fprintf(out, "\n");
    for (int k = 0; k < f->panels; k++) write_panel(f, out, k);
    write_legend(f, out);
    fprintf(out, "unset multiplot\n");
    plot_close(out);
}

/* ---- files -------------------------------------------------------------------------------------------------- */

/* Lines of at most 100 letters. */
static void write_caption(const figure *f, FILE *out)
{
    fprintf(out, "%s\n\n", f->title);
    int column = 0;
    for (const char *word = f->caption; *word;) {
        const int length = (int)strcspn(word, " \n");
        if (column && column + 1 + length > 100) {
            putc('\n', out);
            column = 0;
        }
        column += fprintf(out, "%s%.*s", column ? " " : "", length, word);
        word += length;
        if (*word == '\n') {
            putc('\n', out);
            column = 0;
        }
        word += *word != '\0';
    }
    if (column) putc('\n', out);
    if (f->notes) fprintf(out, "\nLeft out:\n");
    for (int k = 0; k < f->notes; k++) fprintf(out, "- %s\n", words_of(f, k).text);
}

static void write_document(const figure *f, FILE *out)
{
    json j = json_start(out);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    figure_json(f, &j);
    json_close(&j);
}

int figure_write(const figure *f, const char *folder)
{
    static const struct {
        const char *ending;
        void (*write)(const figure *, FILE *);
    } parts[] = {{"csv", write_csv}, {"json", write_document}, {"txt", write_caption}, {"gp", write_script}};
    int status = CLI_DONE;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == CLI_DONE; k++) {
        char name[FILES_NAME];
        files_text t;
        snprintf(name, sizeof name, "%s.%s", f->name, parts[k].ending);
        files_start(&t);
        if (t.file) parts[k].write(f, t.file);
        status = files_finish(NAME, &t, folder, name);
    }
    return status;
}

int figure_draw(figure *f, const char *folder, int *no_gnuplot)
{
    char message[1024] = "", script[FILES_NAME];
    snprintf(script, sizeof script, "%s.gp", f->name);
    plot_remove(folder, f->name); /* a picture of an earlier run must not stand beside these numbers */
    switch (plot_run(folder, script, message, sizeof message)) {
    case PLOT_NO_GNUPLOT: *no_gnuplot = 1; return CLI_DONE;
    case PLOT_FAILED: cli_message(NAME, "cannot draw %s/%s: %s", folder, script, message); return CLI_FAILED;
    case PLOT_DONE: break;
    }
    f->drawn = plot_drawn(folder, f->name);
    if (f->drawn & PLOT_BROKEN || !(f->drawn & PLOT_SVG)) {
        cli_message(NAME, "cannot write the pictures %s/%s.png and .svg: gnuplot left them unfinished (is the disk full?)",
                    folder, f->name);
        return CLI_FAILED;
    }
    return CLI_DONE;
}
