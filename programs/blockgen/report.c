/* The report of an integration: writes tables, script and page, and has the pictures drawn. */
#include "report.h"
#include "console.h"
#include "files.h"
#include "options.h"
#include "plot.h"
#include "report/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define NAME "integrate"

typedef void writer(const report *r, FILE *f);

static int save_text(const report *r, const char *name, writer *write_it)
{
    files_text t;
    files_start(&t);
    if (t.file) write_it(r, t.file);
    return files_finish(NAME, &t, r->folder, name);
}

static int save_table(const report *r, const report_curve *h)
{
    char name[FILES_NAME];
    files_text t;
    snprintf(name, sizeof name, "%s.csv", h->name);
    files_start(&t);
    if (t.file) report_write_table(r, h, t.file);
    return files_finish(NAME, &t, r->folder, name);
}

/* Looks for what gnuplot itself does not report. */
static int check_figure(const report *r, const char *name, int *missing_png)
{
    const int drawn = plot_drawn(r->folder, name);
    if (drawn & PLOT_BROKEN || !(drawn & PLOT_SVG)) {
        cli_message(NAME,
                    "cannot write the pictures %s/%s.png and .svg: gnuplot left them unfinished (is the disk full?)",
                    r->folder, name);
        return CLI_FAILED;
    }
    if (!(drawn & PLOT_PNG)) *missing_png = 1;
    return CLI_DONE;
}

static int draw(const report *r)
{
    char message[1024] = "";
    int status = CLI_DONE, missing_png = 0;
    plot_remove(r->folder, "pt"); /* pictures of an earlier run must not stand beside these numbers */
    plot_remove(r->folder, "eta");
    for (int k = 0; k < r->curves; k++) plot_remove(r->folder, r->curve[k].name);
    if (!report_is_filled(r->curve)) return CLI_DONE; /* no point is inside the cuts */
    switch (plot_run(r->folder, REPORT_SCRIPT, message, sizeof message)) {
    case PLOT_NO_GNUPLOT:
        cli_message(
            NAME,
            "no pictures in %s: gnuplot is not in PATH (Debian: apt-get install gnuplot-nox); tables and page are "
            "written",
            r->folder);
        return CLI_DONE;
    case PLOT_FAILED: cli_message(NAME, "cannot draw %s/" REPORT_SCRIPT ": %s", r->folder, message); return CLI_FAILED;
    case PLOT_DONE: break;
    }
    if (check_figure(r, "pt", &missing_png) || check_figure(r, "eta", &missing_png)) status = CLI_FAILED;
    for (int k = 0; k < r->curves && status == CLI_DONE; k++)
        if (report_is_filled(&r->curve[k])) status = check_figure(r, r->curve[k].name, &missing_png);
    if (status == CLI_DONE && missing_png)
        cli_message(NAME, "no PNG pictures in %s, only SVG: this gnuplot has no terminal for them", r->folder);
    return status;
}

static int write_all(const report *r)
{
    int status = files_make_folder(NAME, r->folder);
    for (int k = 0; k < r->curves && status == CLI_DONE; k++) status = save_table(r, &r->curve[k]);
    if (status == CLI_DONE) status = save_text(r, REPORT_YODA, report_write_yoda);
    if (status == CLI_DONE) status = save_text(r, REPORT_SCRIPT, report_write_script);
    if (status != CLI_DONE) return status;
    status = draw(r);
    const int page = save_text(r, "index.html", report_write_page); /* also without pictures */
    return status != CLI_DONE ? status : page;
}

/* Runs that write into one folder do so one after the other. Whoever has waited for long goes on, and so does everybody
 * on a file system without locks. Returns what is to be closed, or -1. */
static int wait_for_turn(const char *folder)
{
    enum { TRIES = 600 };
    const struct timespec tenth = {0, 100000000};
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int k = 0; file >= 0 && k < TRIES && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; k++)
        nanosleep(&tenth, NULL);
    return file;
}

int report_write(report *r)
{
    bg_error error;
    int status;
    if (report_read(r, &error) == BG_OK) {
        const int turn = wait_for_turn(r->folder);
        status = write_all(r);
        if (turn >= 0) (void)close(turn);
    } else {
        cli_message(NAME, "%s", error.message);
        status = CLI_FAILED;
    }
    report_release(r);
    return status;
}
