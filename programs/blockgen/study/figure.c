#include "study/figure.h"
#include "console.h"
#include "files.h"
#include "plot.h"

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

int figure_strategy(figure *f, int panel, int k) { return figure_series(f, panel, &study_curves[k]); }

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
        const figure_style style = {.name = f->curve[k].name,
                                    .title = f->curve[k].title,
                                    .color = f->curve[k].color,
                                    .dash = f->curve[k].dash,
                                    .point = f->curve[k].point};
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
    char *to = f->caption + used; /* names of curves come with gnuplot's marks for indices */
    for (const char *from = to; *from; from++)
        if (*from != '{' && *from != '}') *to++ = *from;
    *to = '\0';
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

typedef struct short_text {
    char text[128];
} short_text;

/* Without gnuplot's marks for indices: "CO_{sum}" becomes "CO_sum". */
static short_text plain(const char *text)
{
    short_text t;
    size_t length = 0;
    for (; *text && length < sizeof t.text - 1; text++)
        if (*text != '{' && *text != '}') t.text[length++] = *text;
    t.text[length] = '\0';
    return t;
}

/* With the bars of a table's cell escaped. */
static short_text cell(const char *text)
{
    short_text t;
    size_t length = 0;
    for (; *text && length < sizeof t.text - 2; text++) {
        if (*text == '|') t.text[length++] = '\\';
        t.text[length++] = *text;
    }
    t.text[length] = '\0';
    return t;
}

/* Where there is one run only nothing is known about the spread. */
static short_text spread_of(const figure *f, int k)
{
    short_text t = {""};
    if (f->point[k].spread > 0.) snprintf(t.text, sizeof t.text, "%.3g", f->point[k].spread);
    return t;
}

static int has_points(const figure *f, int curve)
{
    for (int k = 0; k < f->points; k++)
        if (f->point[k].curve == curve) return 1;
    return 0;
}

/* Whether no curve before it has this name. */
static int is_new_name(const figure *f, int curve)
{
    for (int k = 0; k < curve; k++)
        if (has_points(f, k) && !strcmp(f->curve[k].name, f->curve[curve].name)) return 0;
    return has_points(f, curve);
}

/* The title of a panel; a panel of ratios has that of the one above. */
static const char *title_of(const figure *f, int panel)
{
    const char *title = "";
    for (int k = 0; k <= panel; k++)
        if (f->panel[k].column == f->panel[panel].column && f->panel[k].title[0]) title = f->panel[k].title;
    return title;
}

typedef struct note_text {
    char text[400];
} note_text;

static note_text words_of(const figure *f, int k)
{
    note_text t;
    char range[32];
    snprintf(range, sizeof range, f->note[k].low < f->note[k].high ? "%d to %d" : "%d", f->note[k].low,
             f->note[k].high);
    snprintf(t.text, sizeof t.text, "%s, n_out = %s: %s", plain(f->note[k].what).text, range, f->note[k].why);
    return t;
}

/* ---- data ------------------------------------------------------------------------------------------------- */

static void write_csv(const figure *f, FILE *out)
{
    fprintf(out, "# %s\n", f->title);
    fprintf(out, "# blockgen %s study %s; the caption is in %s.txt\n", bg_version(), f->name, f->name);
    for (int k = 0; k < f->panels; k++) fprintf(out, "# panel %s: %s\n", f->panel[k].name, f->panel[k].label);
    for (int c = 0; c < f->series; c++)
        if (is_new_name(f, c)) fprintf(out, "# series %s: %s\n", f->curve[c].name, plain(f->curve[c].title).text);
    for (int k = 0; k < f->notes; k++) fprintf(out, "# left out: %s\n", words_of(f, k).text);
    fprintf(out, "panel,series,n_out,value,relative_spread,kind\n");
    for (int c = 0; c < f->series; c++)
        for (int k = 0; k < f->points; k++)
            if (f->point[k].curve == c)
                fprintf(out, "%s,%s,%d,%.6g,%s,%s\n", f->panel[f->curve[c].panel].name, f->curve[c].name,
                        f->point[k].n_out, f->point[k].value, spread_of(f, k).text, kind_words[f->point[k].kind]);
}

/* Three digits, without an exponent up to a million. */
static short_text readable(double x)
{
    short_text t;
    const double power = pow(10., floor(log10(x)) - 2.), rounded = round(x / power) * power;
    if (rounded >= 999.5 && rounded < 1e6)
        snprintf(t.text, sizeof t.text, "%.0f", rounded);
    else if (rounded >= 1e6)
        snprintf(t.text, sizeof t.text, "%.2fe%d", rounded / pow(10., floor(log10(rounded))),
                 (int)floor(log10(rounded)));
    else
        snprintf(t.text, sizeof t.text, "%.3g", x);
    return t;
}

/* A table for each panel: a row for each curve, by its name in the legend, a column for each n_out. */
static void write_tables(const figure *f, FILE *out)
{
    for (int panel = 0; panel < f->panels; panel++) {
        int low = MOST_OUT, high = 0;
        for (int k = 0; k < f->points; k++)
            if (f->curve[f->point[k].curve].panel == panel) {
                if (f->point[k].n_out < low) low = f->point[k].n_out;
                if (f->point[k].n_out > high) high = f->point[k].n_out;
            }
        if (low > high) continue;
        const char *title = title_of(f, panel);
        fprintf(out, "%s%s%s%s:\n\n| n_out |", panel ? "\n" : "", title, *title ? ", " : "",
                cell(plain(f->panel[panel].label).text).text);
        for (int n = low; n <= high; n++) fprintf(out, " %d |", n);
        fprintf(out, "\n|---|");
        for (int n = low; n <= high; n++) fprintf(out, "---|");
        putc('\n', out);
        for (int c = 0; c < f->series; c++) {
            if (f->curve[c].panel != panel || !has_points(f, c)) continue;
            fprintf(out, "| %s |", cell(plain(f->curve[c].title).text).text);
            for (int n = low; n <= high; n++) {
                const int k = find_point(f, c, n);
                if (k < 0)
                    fprintf(out, " |");
                else
                    fprintf(out, " %s%s |", f->point[k].kind == FIGURE_EXTRAPOLATED ? "~" : "",
                            readable(f->point[k].value).text);
            }
            putc('\n', out);
        }
    }
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
            json_real(j, "relative_spread", f->point[k].spread > 0. ? f->point[k].spread : NAN);
            json_text(j, "kind", kind_words[f->point[k].kind]);
            json_close(j);
        }
    json_close(j);
    json_open(j, "left_out", '[');
    for (int k = 0; k < f->notes; k++) json_text(j, NULL, words_of(f, k).text);
    json_close(j);
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
    } parts[] = {{"csv", write_csv},
                 {"json", write_document},
                 {"txt", write_caption},
                 {"md", write_tables},
                 {"gp", figure_script}};
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
        cli_message(NAME,
                    "cannot write the pictures %s/%s.png and .svg: gnuplot left them unfinished (is the disk full?)",
                    folder, f->name);
        return CLI_FAILED;
    }
    return CLI_DONE;
}
