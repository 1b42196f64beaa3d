/* blockgen integrate: the cross section within cuts, with a line of progress, checkpoints and pictures. */
#include "commands.h"
#include "console.h"
#include "files.h"
#include "json.h"
#include "options.h"
#include "ranks.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "integrate"

typedef struct run {
    cli_common common;
    int n_out;
    bg_integration integration;
    const char *folder; /* for histograms */
    int new_folder;     /* it was not there before */
    int told;           /* of a checkpoint that could not be written */
    double started;
} run;

/* ---- progress --------------------------------------------------------------------------------------- */

/* Share of the way to the goal: of the points, of the time, or of the inverse variance. */
static double fraction_done(const run *r, const bg_result *now)
{
    const bg_integration *w = &r->integration;
    double fraction = 0.;
    if (now->warming_up) return 0.;
    if (w->points) fraction = (double)now->points / (double)w->points;
    if (w->precision > 0. && now->error_pb > 0.) fraction = pow(w->precision * now->sigma_pb / now->error_pb, 2.);
    if (w->seconds > 0.) fraction = fmax(fraction, now->seconds / w->seconds);
    return fraction < 1. ? fraction : 1.;
}

static int progress(const bg_result *now, void *user)
{
    run *r = user;
    if (now->note[0] && !r->told) cli_message(NAME, "warning: %s", now->note);
    r->told = now->note[0] != '\0';
    const double fraction = fraction_done(r, now);
    const double seconds = cli_seconds() - r->started;
    char line[160], left[32] = "", error[48] = "";
    if (now->error_pb > 0.)
        snprintf(error, sizeof error, " +- %.2g pb (%.2g %%)", now->error_pb, 100. * now->error_pb / now->sigma_pb);
    if (fraction > 0.02 && !now->warming_up)
        snprintf(left, sizeof left, ", %.0f s left", seconds * (1. / fraction - 1.));
    if (now->warming_up)
        snprintf(line, sizeof line, "adapting: sigma ~ %.4g pb, %.3g points", now->points ? now->sigma_pb : 0.,
                 (double)now->points);
    else
        snprintf(line, sizeof line, "sigma = %.5g%s, %.3g points, %.3g/s%s", now->sigma_pb, error, (double)now->points,
                 (double)(now->points + now->warmup_points) / now->seconds, left);
    cli_progress(r->common.quiet, fraction, line);
    return cli_interrupted();
}

/* ---- results ------------------------------------------------------------------------------------------ */

static void print_json(const run *r, const bg_result *s, const bg_options *o)
{
    const bg_cuts *c = &r->integration.cuts;
    cli_word phase_space = {""};
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    json_integer(&j, "n_out", r->n_out);
    json_real(&j, "sqrts", r->integration.sqrts);
    json_open(&j, "cuts", '{');
    json_real(&j, "pt_min", c->pt_min);
    json_real(&j, "eta_max", c->eta_max);
    json_real(&j, "dr_min", c->dr_min);
    json_real(&j, "mass_min", c->mass_min);
    json_real(&j, "ht_min", c->ht_min);
    json_close(&j);
    json_real(&j, "alpha_s", o->alpha_s);
    (void)bg_integration_get(&r->integration, "phase-space", phase_space.text, sizeof phase_space.text, NULL);
    json_text(&j, "phase_space", phase_space.text);
    json_real(&j, "sigma_pb", s->sigma_pb);
    json_real(&j, "error_pb", s->error_pb);
    json_unsigned(&j, "points", s->points);
    json_unsigned(&j, "accepted", s->accepted);
    json_unsigned(&j, "warmup_points", s->warmup_points);
    json_unsigned(&j, "nonfinite", s->nonfinite);
    json_unsigned(&j, "unstable", s->unstable);
    json_unsigned(&j, "rescued", s->rescued);
    json_integer(&j, "iterations", s->iterations);
    json_real(&j, "chi2_per_dof", s->chi2_per_dof);
    json_real(&j, "max_weight_pb", s->max_weight_pb);
    json_real(&j, "unweighting_efficiency", s->unweighting);
    json_real(&j, "seconds", s->seconds);
    json_real(&j, "seconds_phase_space", s->seconds_phase_space);
    json_real(&j, "seconds_matrix_element", s->seconds_matrix_element);
    if (r->integration.hybrid) {
        json_real(&j, "seconds_copies", s->seconds_copies);
        json_real(&j, "seconds_waiting", s->seconds_waiting);
    }
    json_real(&j, "ns_per_point", 1e9 * s->seconds / (double)(s->points + s->warmup_points));
    cli_json_axes(&j, o);
    cli_json_helicity_sampling(&j, o);
    json_text(&j, "hardware", s->hardware);
    json_bool(&j, "hybrid", r->integration.hybrid);
    json_integer(&j, "threads", o->threads);
    json_integer(&j, "ranks", s->ranks);
    json_unsigned(&j, "seed", o->seed);
    json_bool(&j, "interrupted", s->interrupted);
    json_close(&j);
}

static void print_text(const run *r, const bg_result *s, const bg_options *o)
{
    const bg_cuts *c = &r->integration.cuts;
    printf("g g -> %d g at sqrt(s) = %g GeV, alpha_s = %g\n", r->n_out, r->integration.sqrts, o->alpha_s);
    printf("cuts:       ");
    if (c->pt_min > 0.) printf(" pT > %g GeV ", c->pt_min);
    if (c->eta_max > 0.) printf(" |eta| < %g ", c->eta_max);
    if (c->dr_min > 0.) printf(" DeltaR > %g ", c->dr_min);
    if (c->mass_min > 0.) printf(" m(pair) > %g GeV ", c->mass_min);
    if (c->ht_min > 0.) printf(" HT > %g GeV ", c->ht_min);
    printf("\n");
    if (s->error_pb > 0.)
        printf("sigma:       %.8g +- %.3g pb  (%.2g %%)\n", s->sigma_pb, s->error_pb, 100. * s->error_pb / s->sigma_pb);
    else
        printf("sigma:       %.8g pb, error unknown\n", s->sigma_pb);
    if (isfinite(s->chi2_per_dof)) printf("chi2/dof:    %.2f  (%d iterations)\n", s->chi2_per_dof, s->iterations);
    printf("points:      %llu, %.1f %% inside the cuts; %llu more to adapt\n", (unsigned long long)s->points,
           s->points ? 100. * (double)s->accepted / (double)s->points : 0., (unsigned long long)s->warmup_points);
    if (s->nonfinite)
        printf("left out:    %llu points whose weight was not a finite number\n", (unsigned long long)s->nonfinite);
    if (o->rescue)
        printf("unstable:    %llu points (%.2g %%), %llu evaluated again in 128-bit floats\n",
               (unsigned long long)s->unstable, s->accepted ? 100. * (double)s->unstable / (double)s->accepted : 0.,
               (unsigned long long)s->rescued);
    printf("weights:     largest %.3g pb, unweighting efficiency %.2g %%\n", s->max_weight_pb, 100. * s->unweighting);
    printf("time:        %.2f s, %.4g ns a point (phase space %.0f %%)\n", s->seconds,
           1e9 * s->seconds / (double)(s->points + s->warmup_points),
           100. * s->seconds_phase_space / (s->seconds_phase_space + s->seconds_matrix_element + 1e-12));
    if (r->integration.hybrid)
        printf("hybrid:      points %.3g s (%d CPU thread%s, their sum), copies %.3g s, matrix elements %.3g s, CPU "
               "waiting %.3g s\n",
               s->seconds_phase_space, o->threads, o->threads == 1 ? "" : "s", s->seconds_copies,
               s->seconds_matrix_element, s->seconds_waiting);
    printf(
        "algorithm:   color %s, %s recursion, helicity %s%s%s, %s kernel\n", cli_value(o, "color").text,
        cli_value(o, "recursion").text, cli_value(o, "helicity").text, o->helicity == BG_HELICITY_SAMPLED ? " by " : "",
        o->helicity == BG_HELICITY_SAMPLED ? cli_value(o, "helicity-sampling").text : "", cli_value(o, "kernel").text);
    printf("ran on:      %s (%s), %d thread%s", o->backend, s->hardware, o->threads, o->threads == 1 ? "" : "s");
    if (s->ranks > 1) printf(" on each of %d ranks", s->ranks);
    printf(", seed %llu\n", (unsigned long long)o->seed);
}

/* What a reader of sigma must know, on standard error. */
static void warn(const run *r, const bg_result *s)
{
    const double dof = s->iterations - 1.;
    if (r->integration.seconds > 0. && s->warming_up)
        cli_message(NAME,
                    "warning: the time was over while the generator still adapted; sigma is that of %llu points, its "
                    "error may be too small",
                    (unsigned long long)s->points);
    if (!s->accepted)
        cli_message(NAME, "warning: none of %llu points is inside the cuts", (unsigned long long)s->points);
    else if (!(s->error_pb > 0.))
        cli_message(NAME, "warning: %llu points are too few to know the error", (unsigned long long)s->points);
    const double precision = r->integration.precision;
    if (precision > 0. && !s->interrupted && !(r->integration.seconds > 0.) &&
        !(s->error_pb <= precision * s->sigma_pb))
        cli_message(NAME, "warning: the precision was not reached in %d iterations", s->iterations);
    if (s->chi2_per_dof > 1. + 5. * sqrt(2. / dof))
        cli_message(NAME,
                    "warning: the iterations differ by more than their errors (chi2/dof = %.3g): the error of sigma is "
                    "too small%s",
                    s->chi2_per_dof,
                    r->integration.phase_space == BG_PHASE_SPACE_RAMBO ? "; --phase-space adaptive converges" : "");
}

/* ---- the run -------------------------------------------------------------------------------------------- */

/* What rank 0 has to say about a call that failed on every rank; "" where it did not. */
typedef struct first_word {
    char text[BG_MESSAGE_LENGTH];
} first_word;

static first_word hear_first(bg_status status, const bg_error *error)
{
    first_word first = {""};
    if (status != BG_OK) snprintf(first.text, sizeof first.text, "%s", error->message);
    ranks_broadcast(&first, sizeof first);
    return first;
}

/* Every rank that has a reason of its own says it; what all of them know, the first. */
static int fail(bg_status status, const bg_error *error, const first_word *first)
{
    const int echo = ranks_count() > 1 && (!strncmp(error->message, "another rank failed", 19) ||
                                           (ranks_mine() > 0 && !strcmp(error->message, first->text)));
    char who[24] = "";
    if (ranks_mine() > 0 && strncmp(error->message, "rank ", 5)) snprintf(who, sizeof who, "rank %d: ", ranks_mine());
    if (!echo) cli_message(NAME, "%s%s", who, error->message);
    return cli_exit_status(status);
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
        code = files_make_folder(NAME, r->folder);
    }
    ranks_broadcast(&code, sizeof code);
    return code;
}

static int integrate(run *r, int argc, char **argv)
{
    bg_error error;
    bg_process *process = NULL;
    bg_result result;
    bg_options resolved = r->common.options;
    int code = prepare_folder(r);
    if (code != CLI_DONE) return code;
    bg_status status = bg_process_create_gluons(&process, r->n_out, &error);
    if (status == BG_OK && r->folder)
        status = bg_histograms_create(&r->integration.histograms, process, &r->integration, &error);
    r->started = cli_seconds();
    r->integration.progress = progress;
    r->integration.interrupted = cli_wants_to_stop;
    r->integration.user = r;
    r->integration.resolved = &resolved;
    r->integration.communicator = ranks_communicator();
    bg_result_init(&result);
    if (together(cli_exit_status(status)) != CLI_DONE && status == BG_OK)
        status = cli_fail(&error, BG_ERROR_MEMORY, "another rank failed");
    if (status == BG_OK) status = bg_integrate(process, &r->common.options, &r->integration, &result, &error);
    cli_progress_clear();
    const first_word first = hear_first(status, &error);
    if (status != BG_OK && !(result.seconds > 0.)) {
        code = fail(status, &error, &first);
        if (r->new_folder) (void)rmdir(r->folder);
    } else if (ranks_mine() == 0) {
        if (result.note[0] && !r->common.quiet) cli_message(NAME, "%s", result.note);
        warn(r, &result);
        if (r->common.json)
            print_json(r, &result, &resolved);
        else
            print_text(r, &result, &resolved);
        if (r->folder) {
            char hardware[160];
            char *line = join_words(argc, argv);
            snprintf(hardware, sizeof hardware, "%s: %s", resolved.backend, result.hardware);
            report page = {.folder = r->folder,
                           .histograms = r->integration.histograms,
                           .result = &result,
                           .options = &resolved,
                           .integration = &r->integration,
                           .n_out = r->n_out,
                           .hardware = hardware,
                           .command_line = line ? line : ""};
            code = report_write(&page);
            free(line);
            if (code == CLI_DONE && !r->common.json && !r->common.quiet)
                printf("pictures:    %s/index.html\n", r->folder);
        }
        if (status != BG_OK) code = fail(status, &error, &first); /* the last checkpoint */
        if (cli_interrupted()) {
            if (r->integration.checkpoint && status == BG_OK)
                cli_message(NAME, "interrupted; go on with --resume %s", r->integration.checkpoint);
            code = CLI_INTERRUPTED;
        }
    }
    bg_histograms_destroy(r->integration.histograms);
    bg_process_destroy(process);
    return code;
}

/* The goals as they were given: the precision is the goal where there is no other. */
static int check_goal(run *r)
{
    bg_integration *w = &r->integration;
    const int precision = cli_given(&r->common, "precision") && w->precision > 0.;
    if (!precision && (w->points || w->seconds > 0.)) w->precision = 0.;
    if (w->resume && !w->checkpoint) w->checkpoint = w->resume;
    if (!r->n_out) {
        cli_message(NAME, "-n N_OUT is missing; it must be %d to %d", BG_MIN_OUT, BG_MAX_OUT_DRESSED);
        return CLI_USAGE;
    }
    if (precision && w->points) {
        cli_message(NAME, "--precision and --points exclude each other; give one of them");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Whether every rank has a line that it can run: otherwise none does, and the first that has not says why. Returns the exit
 * status. */
static int agree_on_line(int stop, int status)
{
    const int ranks = ranks_count(), mine = ranks_mine();
    const int ahead = (int)ranks_max(stop ? ranks - mine : 0), speaks = ahead == ranks - mine; /* ahead 0: all can */
    const int all = !ranks_max(!stop);
    if (mine > 0) cli_release_messages(speaks);
    if (ahead && speaks && status == CLI_DONE && !all) {
        cli_message(NAME, "rank %d is asked for --help and others are not: nothing is computed", mine);
        return CLI_USAGE;
    }
    return ahead && !stop ? CLI_FAILED : status; /* another rank has said why */
}

int command_integrate(int argc, char **argv)
{
    run r;
    memset(&r, 0, sizeof r);
    bg_integration_init(&r.integration);
    if (ranks_start()) {
        cli_message(NAME, "MPI could not be started");
        return CLI_FAILED;
    }
    const cli_option own[] = {
        {.name = "n-out",
         .letter = 'n',
         .kind = CLI_KIND_INTEGER,
         .argument = "N_OUT",
         .target = &r.n_out,
         .low = BG_MIN_OUT,
         .high = BG_MAX_OUT_DRESSED,
         .help = "outgoing gluons (needed)"},
        {.name = "histograms",
         .kind = CLI_KIND_TEXT,
         .argument = "DIR",
         .target = &r.folder,
         .help = "write distributions as CSV and pictures and a page about the run"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = NAME,
        .summary = "cross section of g g -> N_OUT gluons within cuts",
        .details =
            "The defaults are 14 TeV, pT > 20 GeV, |eta| < 2.5, DeltaR > 0.4. The integration stops at --precision, "
            "at\n"
            "--points or at --time, whichever is given (--time may be added to either). Seed and goal (--points or\n"
            "--precision) fix the result bit for bit: threads, ranks (mpirun -n R blockgen integrate ...) and\n"
            "interruptions do not change it. A run that goes on with --resume keeps saving there unless\n"
            "--checkpoint says where.",
        .own = own,
        .algorithm = 1,
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
    status = agree_on_line(stop, status);
    if (!stop && status == CLI_DONE) status = integrate(&r, argc, argv);
    ranks_stop();
    return status;
}
