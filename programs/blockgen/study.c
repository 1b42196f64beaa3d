/* blockgen study: remakes the figures of the paper, and ours, in a folder: data, pictures and captions. */
#include "backends.h"
#include "commands.h"
#include "console.h"
#include "files.h"
#include "json.h"
#include "plot.h"
#include "study/figures.h"
#include "study/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "study"

/* What the limits in the manual leave: 15 minutes, and 2 with --quick. Pictures and the machine come on top. */
#define LIMIT 660.
#define LIMIT_QUICK 75.
#define SECONDS 0.25
#define SECONDS_QUICK 0.03
enum { HIGH_QUICK = 5 };

typedef struct study {
    cli_common common;
    const char *folder, *label;
    cli_range range;
    double seconds, limit;
    int quick, list, recorded;
    int wanted[STUDY_FIGURES];
    pool pool;
    figure figure[STUDY_FIGURES];
    int no_gnuplot;
} study;

/* ---- what is asked for -------------------------------------------------------------------------------------- */

static void print_list(const study *s)
{
    if (!s->common.json) {
        for (int k = 0; k < STUDY_FIGURES; k++) printf("%-12s %s\n", study_figures[k].name, study_figures[k].title);
        printf("%-12s every one of them\n", "all");
        return;
    }
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    json_open(&j, "figures", '[');
    for (int k = 0; k < STUDY_FIGURES; k++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", study_figures[k].name);
        json_text(&j, "title", study_figures[k].title);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
}

/* The names on the command line; anything wrong with them is said. */
static int choose_figures(study *s)
{
    char names[256] = "";
    for (int k = 0; k < STUDY_FIGURES; k++) {
        strcat(names, study_figures[k].name);
        strcat(names, ", ");
    }
    strcat(names, "all");
    for (int w = 0; w < s->common.operand_count; w++) {
        const char *word = s->common.operands[w];
        int found = 0;
        for (int k = 0; k < STUDY_FIGURES; k++)
            if (!strcmp(word, study_figures[k].name) || !strcmp(word, "all")) s->wanted[k] = found = 1;
        if (!found) {
            cli_message(NAME, "there is no figure '%s'; it must be one of %s", word, names);
            return CLI_USAGE;
        }
    }
    if (!s->common.operand_count) {
        cli_message(NAME, "no figure is named; it must be one of %s", names);
        return CLI_USAGE;
    }
    if (!s->folder) {
        cli_message(NAME, "-o DIR is missing: the folder for data, pictures and captions");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Where to measure: everywhere, or on the backend that was named. A GPU that was asked for must be there. */
static int choose_places(study *s)
{
    pool *p = &s->pool;
    const char *wanted = s->common.options.backend, *devices = backend_of_devices();
    const int everywhere = !strcmp(wanted, "auto");
    bg_error error;
    p->recorded = s->recorded;
    if (p->recorded) return CLI_DONE;
    p->cpu = everywhere || backend_can(wanted, BG_CAN_CHOOSE_THREADS);
    p->gpu = devices && (everywhere || backend_can(wanted, BG_CAN_CHOOSE_DEVICE)) &&
             bg_backend_probe(devices, p->gpu_name, sizeof p->gpu_name, &error) == BG_OK;
    if (p->cpu || p->gpu) return CLI_DONE;
    cli_message(NAME, "%s", error.message);
    return CLI_FAILED;
}

/* ---- results ------------------------------------------------------------------------------------------------ */

static const char *picture_word(const figure *f)
{
    static const char *const words[] = {[PLOT_PNG] = ", .png",
                                        [PLOT_SVG] = ", .svg",
                                        [PLOT_PNG | PLOT_SVG] = ", .png, .svg",
                                        [PLOT_SVG | PLOT_PDF] = ", .svg, .pdf",
                                        [PLOT_PNG | PLOT_SVG | PLOT_PDF] = ", .png, .svg, .pdf"};
    const int drawn = f->drawn & (PLOT_PNG | PLOT_SVG | PLOT_PDF);
    return words[drawn] ? words[drawn] : "";
}

static void print_results(const study *s, double seconds)
{
    if (!s->common.json) {
        for (int k = 0; k < STUDY_FIGURES; k++)
            if (s->wanted[k])
                printf("%s/%s.csv, .json, .md, .txt%s\n", s->folder, study_figures[k].name,
                       picture_word(&s->figure[k]));
        printf("%s/index.html\n", s->folder);
        if (s->pool.gpu) printf("%s/%s\n", s->folder, RECORDED_NAME);
        if (s->pool.cpu) printf("%s/%s\n", s->folder, RECORDED_CPU_NAME);
        printf("%.0f s\n", seconds);
        return;
    }
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    json_text(&j, "folder", s->folder);
    json_real(&j, "seconds", seconds);
    machine_json(&s->pool.machine, &j, "machine");
    json_text(&j, "recorded", s->pool.gpu ? NULL : s->pool.recorded_on);
    json_open(&j, "figures", '[');
    for (int k = 0; k < STUDY_FIGURES; k++) {
        if (!s->wanted[k]) continue;
        json_open(&j, NULL, '{');
        figure_json(&s->figure[k], &j);
        json_bool(&j, "png", s->figure[k].drawn & PLOT_PNG);
        json_bool(&j, "svg", s->figure[k].drawn & PLOT_SVG);
        json_bool(&j, "pdf", s->figure[k].drawn & PLOT_PDF);
        json_close(&j);
    }
    json_close(&j);
    json_bool(&j, "interrupted", cli_interrupted());
    json_close(&j);
}

/* ---- the run ------------------------------------------------------------------------------------------------ */

/* Times have a spread of their repetitions; that of numbers of points is said by the figure itself. */
static void say_spread(figure *f)
{
    for (int k = 0; k < f->points; k++)
        if (f->point[k].spread > 0. && !strstr(f->caption, "Error bars")) {
            figure_caption(f, "Error bars: median absolute deviation of repeated timings, mostly smaller than the "
                              "symbols. ");
            return;
        }
}

static int write_figures(study *s)
{
    int status = CLI_DONE;
    for (int k = 0; k < STUDY_FIGURES && status == CLI_DONE; k++) {
        figure *f = &s->figure[k];
        if (!s->wanted[k]) continue;
        figure_init(f, study_figures[k].name, study_figures[k].title);
        if (study_figures[k].paper)
            figure_caption(f, "Figure %d; compare with figure%s %s of the paper. ", k + 1,
                           strchr(study_figures[k].paper, ' ') ? "s" : "", study_figures[k].paper);
        else
            figure_caption(f, "Figure %d, which the paper does not have. ", k + 1);
        study_figures[k].make(&s->pool, f);
        say_spread(f);
        if (cli_interrupted()) figure_caption(f, "The run was interrupted: not everything was measured. ");
        status = figure_write(f, s->folder);
        if (status == CLI_DONE) status = figure_draw(f, s->folder, &s->no_gnuplot);
    }
    if (status == CLI_DONE) status = study_write_page(s->figure, s->wanted, NAME, s->folder);
    if (status == CLI_DONE) status = recorded_write(&s->pool, s->folder, s->label);
    if (status == CLI_DONE && s->no_gnuplot)
        cli_message(
            NAME,
            "no pictures in %s: gnuplot is not in PATH (Debian: apt-get install gnuplot-nox); data, captions and "
            "scripts are written",
            s->folder);
    return status;
}

static void fill_pool(study *s)
{
    pool *p = &s->pool;
    p->low = s->range.low ? s->range.low : p->low;
    p->high = s->range.low ? s->range.high : s->quick ? HIGH_QUICK : p->high;
    p->seconds = s->seconds > 0. ? s->seconds : s->quick ? SECONDS_QUICK : SECONDS;
    p->limit = s->limit > 0. ? s->limit : s->quick ? LIMIT_QUICK : LIMIT;
    p->threads = s->common.options.threads;
    p->seed = s->common.options.seed;
    p->quiet = s->common.quiet;
}

static int run(study *s)
{
    unsigned needs = 0;
    if (s->list) {
        print_list(s);
        return CLI_DONE;
    }
    int status = choose_figures(s);
    pool_init(&s->pool);
    if (status == CLI_DONE) status = choose_places(s);
    if (status == CLI_DONE) status = files_make_folder(NAME, s->folder);
    if (status != CLI_DONE) return status;
    fill_pool(s);
    machine_describe(&s->pool.machine);
    s->pool.cores = s->pool.threads ? s->pool.threads : s->pool.machine.cores;
    status = pool_recall(&s->pool);
    if (status != CLI_DONE) return status;
    for (int k = 0; k < STUDY_FIGURES; k++)
        if (s->wanted[k]) needs |= study_figures[k].needs;
    pool_measure(&s->pool, needs);
    status = write_figures(s);
    if (status != CLI_DONE) return status;
    print_results(s, cli_seconds() - s->pool.started);
    return cli_interrupted() ? CLI_INTERRUPTED : CLI_DONE;
}

int command_study(int argc, char **argv)
{
    study *s = calloc(1, sizeof *s);
    if (!s) {
        cli_message(NAME, "no memory");
        return CLI_FAILED;
    }
    static const char *const library[] = {"backend", "threads", "seed", NULL};
    const cli_option own[] = {
        {.name = "output",
         .letter = 'o',
         .kind = CLI_KIND_TEXT,
         .argument = "DIR",
         .target = &s->folder,
         .help = "folder for data, pictures and captions (needed)"},
        {.name = "list", .kind = CLI_KIND_FLAG, .target = &s->list, .help = "name the figures"},
        {.name = "quick",
         .kind = CLI_KIND_FLAG,
         .target = &s->quick,
         .help = "n_out up to 5 and short measurements: under two minutes"},
        {.name = "n-out",
         .letter = 'n',
         .kind = CLI_KIND_CUSTOM,
         .argument = "N|A:B",
         .target = &s->range,
         .parse = cli_parse_range,
         .help = "outgoing gluons (2:8; 2:5 with --quick)"},
        {.name = "seconds",
         .kind = CLI_KIND_REAL,
         .argument = "S",
         .target = &s->seconds,
         .low = 1e-3,
         .high = 1e4,
         .help = "time for each timing (0.25; 0.03 with --quick)"},
        {.name = "limit",
         .kind = CLI_KIND_REAL,
         .argument = "S",
         .target = &s->limit,
         .low = 1.,
         .high = 1e6,
         .help = "time for all measurements; what does not fit is left out (660; 75 with --quick)"},
        {.name = "recorded",
         .kind = CLI_KIND_FLAG,
         .target = &s->recorded,
         .help = "measure nothing: draw everything from the results that were recorded"},
        {.name = "label",
         .kind = CLI_KIND_TEXT,
         .argument = "TEXT",
         .target = &s->label,
         .help = "kept in " RECORDED_NAME " and " RECORDED_CPU_NAME ", for example the commit"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = NAME,
        .operands = "NAME...",
        .summary = "Remakes figures of the paper: data (CSV, JSON), tables, pictures (PNG, SVG, PDF), captions, and a "
                   "page of them all.",
        .details =
            "NAME: a figure of --list, or all. Measurements are made once for all figures, on CPU and GPU unless\n"
            "--backend names one of them; --threads are those behind \"all cores\". Without a GPU its curves come "
            "from\n"
            "results recorded on an H200, and the captions say so. What was measured is kept in " RECORDED_CPU_NAME
            " and\n" RECORDED_NAME ", the files that --recorded draws from when they are in bench/results at build "
            "time.",
        .own = own,
        .algorithm = 1,
        .only = library,
        .max_operands = CLI_MOST_OPERANDS,
    };
    int status;
    if (!cli_parse(&command, argc, argv, &s->common, &status)) status = run(s);
    free(s);
    return status;
}
