/* blockgen integrate: the cross section within cuts, with a line of progress, checkpoints and pictures. */
#include "commands.h"
#include "console.h"
#include "files.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "engine/evaluator.h"
#include "accumulate/histograms.h"
#include "engine/ranks.h"

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

static const char *const phase_space_words[] = {"adaptive", "rambo", NULL};

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
    if (fraction > 0.02 && !now->warming_up) snprintf(left, sizeof left, ", %.0f s left", seconds * (1. / fraction - 1.));
    if (now->warming_up)
        snprintf(line, sizeof line, "adapting: sigma ~ %.4g pb, %.3g points", now->points ? now->sigma_pb : 0., (double)now->points);
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
    json_text(&j, "phase_space", phase_space_words[r->integration.phase_space]);
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
    json_text(&j, "helicity_sampling",
              o->helicity == BG_HELICITY_SAMPLED ? cli_helicity_sampling_words[o->helicity_sampling] : NULL);
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
    if (s->nonfinite) printf("left out:    %llu points whose weight was not a finite number\n", (unsigned long long)s->nonfinite);
    if (o->rescue)
        printf("unstable:    %llu points (%.2g %%), %llu evaluated again in 128-bit floats\n", (unsigned long long)s->unstable,
               s->accepted ? 100. * (double)s->unstable / (double)s->accepted : 0., (unsigned long long)s->rescued);
    printf("weights:     largest %.3g pb, unweighting efficiency %.2g %%\n", s->max_weight_pb, 100. * s->unweighting);
    printf("time:        %.2f s, %.4g ns a point (phase space %.0f %%)\n", s->seconds,
           1e9 * s->seconds / (double)(s->points + s->warmup_points),
           100. * s->seconds_phase_space / (s->seconds_phase_space + s->seconds_matrix_element + 1e-12));
    if (r->integration.hybrid)
        printf("hybrid:      points %.3g s (%d CPU thread%s, their sum), copies %.3g s, matrix elements %.3g s, CPU waiting %.3g s\n",
               s->seconds_phase_space, o->threads, o->threads == 1 ? "" : "s", s->seconds_copies, s->seconds_matrix_element,
               s->seconds_waiting);
    printf("algorithm:   color %s, %s recursion, helicity %s%s%s, %s kernel\n", cli_color_words[o->color],
           cli_recursion_words[o->recursion], cli_helicity_word(o), o->helicity == BG_HELICITY_SAMPLED ? " by " : "",
           o->helicity == BG_HELICITY_SAMPLED ? cli_helicity_sampling_words[o->helicity_sampling] : "",
           cli_kernel_words[o->kernel]);
    printf("ran on:      %s (%s), %d thread%s", o->backend, s->hardware, o->threads, o->threads == 1 ? "" : "s");
    if (s->ranks > 1) printf(" on each of %d ranks", s->ranks);
    printf(", seed %llu\n", (unsigned long long)o->seed);
}

/* What a reader of sigma must know, on standard error. */
static void warn(const run *r, const bg_result *s)
{
    const double dof = s->iterations - 1.;
    if (r->integration.seconds > 0. && s->warming_up)
        cli_message(NAME, "warning: the time was over while the generator still adapted; sigma is that of %llu points, its error may be too small",
                    (unsigned long long)s->points);
    if (!s->accepted)
        cli_message(NAME, "warning: none of %llu points is inside the cuts", (unsigned long long)s->points);
    else if (!(s->error_pb > 0.))
        cli_message(NAME, "warning: %llu points are too few to know the error", (unsigned long long)s->points);
    const double precision = r->integration.precision;
    if (precision > 0. && !s->interrupted && !(r->integration.seconds > 0.) && !(s->error_pb <= precision * s->sigma_pb))
        cli_message(NAME, "warning: the precision was not reached in %d iterations", s->iterations);
    if (s->chi2_per_dof > 1. + 5. * sqrt(2. / dof))
        cli_message(NAME, "warning: the iterations differ by more than their errors (chi2/dof = %.3g): the error of sigma is too small%s",
                    s->chi2_per_dof, r->integration.phase_space == BG_PHASE_SPACE_RAMBO ? "; --phase-space adaptive converges" : "");
}

/* ---- the run -------------------------------------------------------------------------------------------- */

/* Every rank that has a reason of its own says it; what all of them know, the first. */
static int fail(bg_status status, const bg_error *error)
{
    const int echo = !strncmp(error->message, "another rank failed", 19);
    if (bg_ranks_count() == 1)
        cli_message(NAME, "%s", error->message);
    else if (!echo && bg_ranks_mine() > 0 && strncmp(error->message, "rank ", 5))
        cli_message(NAME, "rank %d: %s", bg_ranks_mine(), error->message);
    else if (!echo)
        cli_message(NAME, "%s", error->message);
    return cli_exit_status(status);
}

/* The worst exit status of all ranks: they go on together or not at all. */
static int together(int status)
{
    double worst = status;
    bg_ranks_max(&worst, 1);
    return (int)worst;
}

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
    if (!r->folder) return code;
    if (bg_ranks_mine() == 0) {
        r->new_folder = stat(r->folder, &about) != 0;
        code = files_make_folder(NAME, r->folder);
    }
    bg_ranks_broadcast(&code, sizeof code);
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
        status = bg_histograms_create(&r->integration.histograms, r->n_out, r->integration.sqrts, &r->integration.cuts, &error);
    r->started = cli_seconds();
    r->integration.progress = progress;
    r->integration.user = r;
    r->integration.resolved = &resolved;
    memset(&result, 0, sizeof result);
    if (together(cli_exit_status(status)) != CLI_DONE && status == BG_OK)
        status = cli_fail(&error, BG_ERROR_MEMORY, "another rank failed");
    if (status == BG_OK) status = bg_integrate(process, &r->common.options, &r->integration, &result, &error);
    cli_progress_clear();
    if (status != BG_OK && !(result.seconds > 0.)) {
        code = fail(status, &error);
        if (r->new_folder) (void)rmdir(r->folder);
    } else if (bg_ranks_mine() == 0) {
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
            const report page = {r->folder, r->integration.histograms, &result, &resolved, &r->integration, r->n_out, hardware,
                                 line ? line : ""};
            code = report_write(&page);
            free(line);
            if (code == CLI_DONE && !r->common.json && !r->common.quiet) printf("pictures:    %s/index.html\n", r->folder);
        }
        if (status != BG_OK) code = fail(status, &error); /* the last checkpoint */
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

int command_integrate(int argc, char **argv)
{
    run r;
    double precision = 0.;
    memset(&r, 0, sizeof r);
    bg_integration *w = &r.integration;
    bg_integration_init(w);
    const double default_precision = w->precision;
    int phase_space = 0;
    const cli_option own[] = {
        CLI_INTEGER("n-out", 'n', "N_OUT", &r.n_out, BG_MIN_OUT, BG_MAX_OUT_DRESSED, "outgoing gluons (needed)"),
        CLI_REAL("sqrts", 0, "GEV", &w->sqrts, 1e-3, 1e8, "energy of the two gluons (14000)"),
        CLI_REAL("pt-min", 0, "GEV", &w->cuts.pt_min, 0., 1e8, "least pT of every gluon, 0: none (20)"),
        CLI_REAL("eta-max", 0, "ETA", &w->cuts.eta_max, 0., 1e3, "largest |eta| of every gluon, 0: none (2.5)"),
        CLI_REAL("dr-min", 0, "R", &w->cuts.dr_min, 0., 1e3, "least DeltaR of every pair, 0: none (0.4)"),
        CLI_REAL("mass-min", 0, "GEV", &w->cuts.mass_min, 0., 1e8, "least invariant mass of every pair, 0: none (0)"),
        CLI_REAL("ht-min", 0, "GEV", &w->cuts.ht_min, 0., 1e8, "least scalar sum of pT, 0: none (0)"),
        CLI_REAL("precision", 0, "P", &precision, 1e-9, 0.999, "relative error to stop at (0.01)"),
        CLI_UNSIGNED("points", 0, "K", &w->points, 1., 1e18, "trial points to stop at, those that only adapt not counted"),
        CLI_REAL("time", 0, "SECONDS", &w->seconds, 1e-3, 1e9, "wall time to stop at, that of the runs before a --resume included"),
        CLI_CHOICE("phase-space", 0, &phase_space, phase_space_words, "generator of points (adaptive)"),
        CLI_FLAG("hybrid", 0, &w->hybrid, "CPU threads generate points while a GPU evaluates those before"),
        CLI_TEXT("histograms", 0, "DIR", &r.folder, "write distributions as CSV and pictures and a page about the run"),
        CLI_TEXT("checkpoint", 0, "FILE", &w->checkpoint, "save the state now and then, and when interrupted"),
        CLI_REAL("checkpoint-interval", 0, "SECONDS", &w->checkpoint_interval, 0., 1e9, "time between two checkpoints (60)"),
        CLI_TEXT("resume", 0, "FILE", &w->resume, "go on from a checkpoint (and keep saving there unless --checkpoint says where)"),
        CLI_LAST,
    };
    const cli_command command = {
        .name = NAME,
        .summary = "cross section of g g -> N_OUT gluons within cuts",
        .details = "The defaults are 14 TeV, pT > 20 GeV, |eta| < 2.5, DeltaR > 0.4. The integration stops at --precision, at\n"
                   "--points or at --time, whichever is given (--time may be added to either). Seed and goal (--points or\n"
                   "--precision) fix the result bit for bit: threads, ranks (mpirun -n R blockgen integrate ...) and\n"
                   "interruptions do not change it.",
        .own = own,
        .axes = 1,
    };
    bg_ranks_start(&argc, &argv);
    int status;
    const int stop = cli_parse(&command, argc, argv, &r.common, &status);
    if (together(stop && status != CLI_DONE ? status : CLI_DONE) != CLI_DONE) {
        if (!stop) status = CLI_FAILED; /* another rank has said why */
    } else if (!stop) {
        w->phase_space = (bg_phase_space)phase_space;
        w->precision = precision > 0. ? precision : w->points || w->seconds > 0. ? 0. : default_precision;
        if (w->resume && !w->checkpoint) w->checkpoint = w->resume;
        if (!r.n_out) {
            cli_message(NAME, "-n N_OUT is missing; it must be %d to %d", BG_MIN_OUT, BG_MAX_OUT_DRESSED);
            status = CLI_USAGE;
        } else if (precision > 0. && w->points) {
            cli_message(NAME, "--precision and --points exclude each other; give one of them");
            status = CLI_USAGE;
        } else if ((status = cli_check_given(&command, &r.common)) == CLI_DONE) {
            status = integrate(&r, argc, argv);
        }
    }
    bg_ranks_stop();
    return status;
}
