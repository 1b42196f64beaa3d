/* One figure of the study: panels with curves over n_out, the same numbers as CSV and JSON, and a caption.
 *
 *     figure f;
 *     figure_init(&f, "cpu-time", "Time of one |M|^2, one thread");
 *     const int main = figure_panel(&f, 0, 2., "summed", "time [ns]");
 *     const int curve = figure_series(&f, main, &(figure_style){.name = "full", .title = "full sum", .dash = 1});
 *     figure_point(&f, curve, 4, 3040., 0.01, FIGURE_MEASURED);
 *     figure_caption(&f, "...");
 *     figure_write(&f, folder);
 *     figure_draw(&f, folder, &no_gnuplot);
 *
 * A name too many or a text too long is cut, never written past its end.
 */
#ifndef BG_PROGRAM_STUDY_FIGURE_H
#define BG_PROGRAM_STUDY_FIGURE_H

#include "study/pool.h"

#include <stdio.h>

enum { FIGURE_PANELS = 6, FIGURE_SERIES = 72, FIGURE_POINTS = 700, FIGURE_NOTES = 120 };

/* How a number came about; the word stands in the data. */
typedef enum figure_kind {
    FIGURE_MEASURED,
    FIGURE_RECORDED,
    FIGURE_EXTRAPOLATED,
    FIGURE_PEER,
    FIGURE_COUNTED
} figure_kind;

typedef struct figure_panel_info {
    const char *name;  /* in the data */
    const char *label; /* of its vertical axis */
    char title[96];
    int column;
    double height;    /* relative to the others of its column */
    int linear;       /* not logarithmic */
    double low, high; /* least range that it shows; low < high */
} figure_panel_info;

typedef struct figure {
    const char *name, *title;
    int panels, series, points, notes;
    figure_panel_info panel[FIGURE_PANELS];
    struct {
        int panel;
        char name[48], title[64];
        int color, dash, point;
    } curve[FIGURE_SERIES];
    struct {
        int curve, n_out;
        double value, spread; /* spread relative, 0: not known */
        figure_kind kind;
    } point[FIGURE_POINTS];
    struct { /* what was left out, and why */
        char what[64], why[WHY_LENGTH];
        int low, high; /* n_out */
    } note[FIGURE_NOTES];
    char caption[6000];
    int drawn; /* PLOT_PNG, PLOT_SVG of figure_write */
} figure;

void figure_init(figure *f, const char *name, const char *title);

/* A panel below those of the same column; `name` must live as long as the figure. Returns its number. */
int figure_panel(figure *f, int column, double height, const char *name, const char *label);

int figure_series(figure *f, int panel, const figure_style *style);

/* A curve of strategy k in its own style. */
int figure_strategy(figure *f, int panel, int k);

/* Points that are not positive and finite do not exist. */
void figure_point(figure *f, int curve, int n_out, double value, double spread, figure_kind kind);

/* A panel of the curves of another one over one of them, where both have points. */
void figure_ratio(figure *f, int to, int from, int reference);

#if defined(__GNUC__)
#define FIGURE_FORMAT __attribute__((format(printf, 2, 3)))
#else
#define FIGURE_FORMAT
#endif

/* Adds to the caption: sentences. */
FIGURE_FORMAT void figure_caption(figure *f, const char *format, ...);

/* Notes that something is missing. The same reason for the next n_out (its numbers may differ) lengthens the note; an empty
 * one is none. */
void figure_left_out(figure *f, const char *what, int n_out, const char *why);

/* NAME.csv, NAME.json, NAME.txt (the caption), NAME.md (tables) and NAME.gp. Returns CLI_DONE or, after a message, CLI_FAILED. */
int figure_write(const figure *f, const char *folder);

/* What NAME.gp says (picture.c). */
void figure_script(const figure *f, FILE *out);

/* NAME.png, NAME.svg and, where gnuplot can, NAME.pdf from NAME.gp. *no_gnuplot is set where there is no gnuplot. */
int figure_draw(figure *f, const char *folder, int *no_gnuplot);

/* The figure as an object of a JSON document. */
void figure_json(const figure *f, json *j);

#endif
