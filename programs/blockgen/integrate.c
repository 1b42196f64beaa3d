/* blockgen integrate: the cross section within cuts, with a line of progress, checkpoints and pictures. */
#include "commands.h"
#include "console.h"
#include "files.h"
#include "integrate/parts.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the run -------------------------------------------------------------------------------------------- */

/* What was asked for does not go with this n_out: says that something else does, where `auto` finds it. */
static void hint(const run *r, const bg_process *process, bg_status status)
{
    bg_options open = r->common.options;
    bg_options_set_automatic(&open);
    if (status != BG_ERROR_UNSUPPORTED || ranks_mine() > 0 ||
        bg_options_check(process, &r->common.options, NULL) == BG_OK || bg_options_check(process, &open, NULL) != BG_OK)
        return;
    cli_message(INTEGRATE, "%s works with --color auto --recursion auto --helicity auto, the default", r->process);
}

/* The worst exit status of all ranks: they go on together or not at all. */
static int together(int status) { return (int)ranks_max(status); }

/* A word as a shell would have to be given it: as it is, or in single quotes. Returns the place behind. */
static char *quote_word(char *to, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (*word && !word[strspn(word, plain)]) return stpcpy(to, word);
    *to++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *word;
    }
    return stpcpy(to, "'");
}

/* The command line, to be run again. */
static char *join_words(int argc, char **argv)
{
    size_t length = sizeof "blockgen";
    for (int k = 0; k < argc; k++) length += 4 * strlen(argv[k]) + 3; /* at most, quoted */
    char *line = malloc(length);
    if (!line) return NULL;
    char *end = stpcpy(line, "blockgen");
    for (int k = 0; k < argc; k++) {
        *end++ = ' ';
        end = quote_word(end, argv[k]);
    }
    return line;
}

/* The folder of the histograms before anything is computed: only the first rank writes there. */
static int prepare_folder(run *r)
{
    struct stat about;
    int code = CLI_DONE;
    if (r->folder && ranks_mine() == 0) {
        r->new_folder = stat(r->folder, &about) != 0;
        code = files_make_folder(INTEGRATE, r->folder);
    }
    ranks_broadcast(&code, sizeof code);
    return code;
}

/* Everything that a run leaves behind. `status` is that of the last checkpoint. */
static int hand_out(run *r, const bg_result *result, const bg_options *resolved, bg_status status,
                    const bg_error *error, const ranks_word *first)
{
    int code = CLI_DONE;
    char hardware[160];
    snprintf(hardware, sizeof hardware, "%s: %s", resolved->backend, result->hardware);
    report about = {.folder = r->folder,
                    .histograms = r->integration.histograms,
                    .result = result,
                    .options = resolved,
                    .integration = &r->integration,
                    .variations = &r->variations,
                    .n_out = r->n_out,
                    .process = r->process,
                    .protons = integrate_has_protons(r),
                    .densities = integrate_pdf(r),
                    .hardware = hardware,
                    .command_line = r->command_line};
    if (result->note[0] && !r->common.quiet && !r->told_backend) cli_message(INTEGRATE, "%s", result->note);
    integrate_warn(r, result);
    (r->common.json ? integrate_print_json : integrate_print_text)(r, &about);
    if (r->folder) {
        fflush(stdout); /* whatever becomes of the pictures */
        code = report_write(&about);
        if (code == CLI_DONE && !r->common.json && !r->common.quiet) printf("pictures:    %s/index.html\n", r->folder);
    }
    if (status != BG_OK) code = ranks_fail(INTEGRATE, status, error, first);
    if (cli_interrupted()) {
        if (r->integration.checkpoint && status == BG_OK)
            cli_message(INTEGRATE, "interrupted; go on with --resume %s", r->integration.checkpoint);
        code = CLI_INTERRUPTED;
    }
    return code;
}

static void describe(run *r)
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(r->date, sizeof r->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cli_process_name(&r->asked, r->process, sizeof r->process);
}

static int integrate(run *r)
{
    bg_error error;
    bg_process *process = NULL;
    bg_result result;
    bg_options resolved = r->common.options;
    int code = prepare_folder(r);
    if (code != CLI_DONE) return code;
    bg_status status = BG_OK;
    code = cli_process_make(INTEGRATE, &r->asked, &process);
    if (code == CLI_DONE) code = cli_process_check_given(INTEGRATE, &r->asked, &r->common, process);
    if (code != CLI_DONE) {
        bg_process_destroy(process);
        return code;
    }
    r->n_out = bg_process_n_out(process);
    r->subject = process;
    if (bg_process_is_open(process)) {
        r->integration.class_room = bg_process_classes(process);
        r->classes = r->integration.class_results = calloc((size_t)r->integration.class_room, sizeof *r->classes);
        if (!r->classes) status = cli_fail(&error, BG_ERROR_MEMORY, "no memory for the classes of %s", r->process);
    }
    bg_variations_init(&r->variations);
    r->integration.variation_results = &r->variations;
    if (status == BG_OK && r->folder)
        status = bg_histograms_create(&r->integration.histograms, process, &r->integration, &error);
    for (int k = 0; k < r->booked.count && status == BG_OK; k++)
        status = bg_histograms_book(r->integration.histograms, r->booked.text[k], &error);
    r->started = cli_seconds();
    r->integration.progress = integrate_progress;
    r->integration.interrupted = cli_wants_to_stop;
    r->integration.user = r;
    r->integration.resolved = &resolved;
    r->integration.communicator = ranks_communicator();
    bg_result_init(&result);
    if (together(cli_exit_status(status)) != CLI_DONE && status == BG_OK)
        status = cli_fail(&error, BG_ERROR_MEMORY, "another rank failed");
    if (status == BG_OK && ranks_mine() == 0) integrate_announce(r, process);
    if (status == BG_OK) status = bg_integrate(process, &r->common.options, &r->integration, &result, &error);
    cli_progress_clear();
    const ranks_word first = ranks_hear_first(status, &error);
    if (status != BG_OK && !(result.seconds > 0.)) {
        code = ranks_fail(INTEGRATE, status, &error, &first);
        hint(r, process, status);
        if (r->new_folder) (void)rmdir(r->folder);
    } else if (ranks_mine() == 0) {
        code = hand_out(r, &result, &resolved, status, &error, &first);
    }
    bg_histograms_destroy(r->integration.histograms);
    free(r->classes);
    bg_process_destroy(process);
    return code;
}

/* --histogram, as often as it is given. */
static const char *add_histogram(const char *word, void *target)
{
    struct booked *b = target;
    if (b->count == INTEGRATE_MOST_BOOKED) return "one of fewer";
    b->text[b->count++] = word;
    return NULL;
}

/* The goals as they were given: the precision is the goal where there is no other. */
static int check_goal(run *r)
{
    bg_integration *w = &r->integration;
    const int precision = cli_given(&r->common, "precision") && w->precision > 0.;
    if (!precision && (w->points || w->seconds > 0.)) w->precision = 0.;
    if (w->resume && !w->checkpoint) w->checkpoint = w->resume;
    if (!r->asked.n_out && !r->asked.text) {
        cli_message(INTEGRATE, "-n N_OUT (%d to %d) or --process PROCESS is missing", BG_MIN_OUT, BG_MAX_OUT_DRESSED);
        return CLI_USAGE;
    }
    if (r->booked.count && !r->folder) {
        cli_message(INTEGRATE, "--histogram needs --histograms DIR, the folder for it");
        return CLI_USAGE;
    }
    if (precision && w->points) {
        cli_message(INTEGRATE, "--precision and --points exclude each other; give one of them");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

int command_integrate(int argc, char **argv)
{
    run r;
    memset(&r, 0, sizeof r);
    bg_integration_init(&r.integration);
    r.asked = (cli_process)CLI_PROCESS_NONE;
    if (ranks_start(0)) {
        cli_message(INTEGRATE, "MPI could not be started");
        return CLI_FAILED;
    }
    const cli_option own[] = {
        CLI_GLUONS_OPTION(&r.asked),
        CLI_PROCESS_OPTION(&r.asked),
        CLI_FLAVOR_OPTIONS(&r.asked),
        {.name = "histogram",
         .kind = CLI_KIND_CUSTOM,
         .argument = "NAME:BINS:LOW:HIGH[:log]",
         .target = &r.booked,
         .parse = add_histogram,
         .help = "a distribution of your own, such as \"mass(1,2):50:0:5000\"; as often as wanted"},
        {.name = "histograms",
         .kind = CLI_KIND_TEXT,
         .argument = "DIR",
         .target = &r.folder,
         .help = "write distributions as CSV and pictures and a page about the run"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = INTEGRATE,
        .summary = "cross section within cuts, of two partons or of two protons",
        .details =
            "Two partons (-n 4, --process \"u g > u g g\") have a fixed energy and a fixed alpha_s: such a cross "
            "section is\n"
            "partonic. Two protons (--process \"p p > 3j\") have parton densities (--pdf) and a running coupling; j is "
            "a\n"
            "gluon or a light quark or antiquark.\n"
            "The defaults are 14 TeV, pT > 20 GeV, |eta| < 2.5, DeltaR > 0.4. Color, recursion and helicity are\n"
            "chosen for the shortest time unless they are given. The integration stops at --precision, at\n"
            "--points or at --time, whichever is given (--time may be added to either). Seed and goal (--points or\n"
            "--precision) fix the result bit for bit: threads, ranks (mpirun -n R blockgen integrate ...) and\n"
            "interruptions do not change it. A run that goes on with --resume keeps saving there unless\n"
            "--checkpoint says where.\n\n"
            "Observables of --histogram: pt(k), eta(k), y(k), energy(k), dphi(i,j), deta(i,j), dr(i,j),\n"
            "mass(i,j,...), ht, dr_min, dr_max, weight. Gluon 1 is that of the largest pT. NAME alone, or NAME:BINS,\n"
            "has the range that energy, momentum and cuts leave.",
        .own = own,
        .algorithm = 1,
        .chooses = 1,
        .integration = &r.integration,
        .silent = ranks_mine() > 0,
    };
    int status;
    if (ranks_mine() > 0) cli_hold_messages();
    int stop = cli_parse(&command, argc, argv, &r.common, &status);
    if (!stop) {
        status = check_goal(&r);
        if (status == CLI_DONE) status = cli_check_given(&command, &r.common);
        stop = status != CLI_DONE;
    }
    status = ranks_agree_on_line(INTEGRATE, stop, status);
    if (!stop && status == CLI_DONE) {
        char *line = join_words(argc, argv);
        r.command_line = line ? line : "";
        describe(&r);
        status = integrate(&r);
        free(line);
    }
    ranks_stop();
    return status;
}
