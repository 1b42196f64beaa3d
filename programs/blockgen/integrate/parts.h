/* The parts of `blockgen integrate`. */
#ifndef BG_PROGRAM_INTEGRATE_PARTS_H
#define BG_PROGRAM_INTEGRATE_PARTS_H

#include "options.h"
#include "process.h"
#include "report.h"

#define INTEGRATE "integrate"

enum { INTEGRATE_MOST_BOOKED = 64 }; /* the library has a limit of its own */

typedef struct run {
    cli_common common;
    cli_process asked;
    int n_out;
    bg_process *subject;      /* the process itself */
    bg_class_result *classes; /* what each class gave, where there are several subprocesses; NULL: one */
    bg_integration integration;
    bg_variations variations; /* where they are asked for */
    const char *folder;       /* for histograms */
    struct booked {
        const char *text[INTEGRATE_MOST_BOOKED]; /* of --histogram */
        int count;
    } booked;
    int new_folder; /* it was not there before */
    const char *command_line;
    char date[32];       /* when it began, ISO 8601, UTC */
    char process[128];   /* "g g > 4 g" */
    int told_trouble;    /* of a checkpoint that could not be written */
    int told_long;       /* that it will take very long */
    int told_backend;    /* that there is no GPU */
    bg_choice automatic; /* what would be chosen if all were left open; no strategy: nothing else than what runs */
    double started;
} run;

/* ---- progress.c: before and while it runs --------------------------------------------------------------------- */

/* Says what was chosen and on what it runs, in a line. Nothing where the question makes no sense: the integration says
 * why. */
void integrate_announce(run *r, const bg_process *process);

/* The callback of the integration; `user` is the run. */
int integrate_progress(const bg_result *now, void *user);

/* ---- results.c: when it is done -------------------------------------------------------------------------------- */

/* Whether protons collide, and the parton densities that they have. */
int integrate_has_protons(const run *r);
const char *integrate_pdf(const run *r);

void integrate_print_json(const run *r, const report *about);
void integrate_print_text(const run *r, const report *about);

/* What a reader of sigma must know, on standard error. */
void integrate_warn(const run *r, const bg_result *result);

#endif
