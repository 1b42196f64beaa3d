/* Pictures through gnuplot.
 *
 * A command writes a gnuplot script beside its data: the start of the script comes from plot_start(), every figure
 * stands between plot_open() and plot_close() and is drawn once for PNG and once for SVG, and for PDF where the script adds
 * that to `formats`. plot_run() then runs gnuplot in that folder. The script names files without their folder, so it can be changed and run again by hand:
 *
 *     plot_start(f, PLOT_WIDTH, PLOT_HEIGHT);
 *     plot_open(f, "pt_1");              pt_1.png and pt_1.svg
 *     fprintf(f, "set xlabel ");
 *     plot_text(f, "p_T of jet 1 [GeV]");
 *     fprintf(f, "\nplot 'pt_1.csv' using 1:3 with steps\n");
 *     plot_close(f);
 *
 * Data files have columns separated by commas, comments after '#' and one line of column names.
 */
#ifndef BG_PROGRAM_PLOT_H
#define BG_PROGRAM_PLOT_H

#include <stddef.h>
#include <stdio.h>

typedef enum plot_status { PLOT_DONE = 0, PLOT_NO_GNUPLOT, PLOT_FAILED } plot_status;

enum { PLOT_PNG = 1, PLOT_SVG = 2, PLOT_PDF = 4, PLOT_BROKEN = 8 };

/* Okabe and Ito's colors, told apart by color-blind readers too, less the yellow that does not show on white. */
enum { PLOT_COLORS = 7 };
extern const char *const plot_colors[PLOT_COLORS];

/* Terminals as far as this gnuplot has them, fonts, grid, line types 1, 2, ... of the colors above. The size is that of
 * PNG pictures, in pixels; SVG pictures have half of it. */
enum { PLOT_WIDTH = 1200, PLOT_HEIGHT = 840 };
void plot_start(FILE *f, int width, int height);

/* Begins the figure NAME.png, NAME.svg with linear automatic axes. */
void plot_open(FILE *f, const char *name);
void plot_close(FILE *f);

/* A string of gnuplot's, quoted. Its _ and ^ still make sub- and superscripts. */
void plot_text(FILE *f, const char *text);

/* Runs gnuplot on a script that lies in the folder, after everything that was printed is out. `message` gets the reason when
 * it fails. A gnuplot that takes longer than PLOT_SECONDS, or than BLOCKGEN_GNUPLOT_SECONDS in the environment says, is
 * ended. */
enum { PLOT_SECONDS = 300 };
plot_status plot_run(const char *folder, const char *script_name, char *message, size_t size);

/* Which of PLOT_PNG, PLOT_SVG and PLOT_PDF there are of a figure; PLOT_BROKEN where a file has no end. */
int plot_drawn(const char *folder, const char *name);

/* Removes a figure of an earlier run. */
void plot_remove(const char *folder, const char *name);

#endif
