/* What `blockgen integrate --histograms DIR` leaves in DIR: a table of every distribution (NAME.csv), pictures of them
 * (NAME.png, NAME.svg, and the script that draws them, plots.gp), all of them for YODA, and one page about the run, index.html. */
#ifndef BG_PROGRAM_REPORT_H
#define BG_PROGRAM_REPORT_H

#include "blockgen/blockgen.h"

typedef struct report {
    const char *folder;
    const bg_histograms *histograms;
    const bg_result *result;
    const bg_options *options; /* as resolved */
    const bg_integration *integration;
    const bg_variations *variations;
    int n_out;
    const char *process;
    int protons;           /* come in */
    const char *densities; /* of partons in them; NULL: none */
    const char *hardware;  /* such as "cpu: AVX-512, 2 cores" */
    const char *command_line;
    /* filled by report_write() */
    struct report_curve *curve;
    int curves;
} report;

/* Creates the folder where needed and writes everything, over files of the same names. Returns 0, or the exit
 * status CLI_FAILED after a message. Without gnuplot there are no pictures, and a warning says how to get them. */
int report_write(report *r);

#endif
