/* blockgen generate: exactly so many events, in a file that parton showers read. */
#include "commands.h"
#include "console.h"
#include "events/reader.h"
#include "events/writer.h"
#include "generate/about.h"
#include "json.h"
#include "process.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "generate"

typedef struct run {
    cli_common common;
    cli_process asked;
    bg_process *process;
    bg_integration integration;
    bg_generation generation;
    bg_class_result *classes;
    const char *path, *shower_scale;
    double events, overweight; /* below 0: not given */
    int resume, force, keep_state, compression;
    int format; /* of `formats`; below 0: as the name says */
    int opened; /* there is a FILE.part of this run */
    events_writer *writer;
    const bg_communicator *writers; /* ranks that write the file together; NULL: rank 0 does */
    double waited;                  /* seconds, for the file */
    events_process *rows;           /* of the file */
    bg_error trouble;               /* of the writer */
    uint64_t done;                  /* events, about */
    double sigma_pb, error_pb;      /* while that is integrated, from so many points */
    uint64_t points;
    int variations;      /* weights of every event besides its own */
    bg_options resolved; /* as they are run */
    char name[128];
    char description[1024];
    char about[ABOUT_LENGTH];
    char file[4096], state[4096]; /* of rank 0: that of events, and the one that keeps what was learned */
} run;

/* Rank 0 speaks for all. */
static int is_quiet(const run *r) { return r->common.quiet || ranks_mine() > 0; }

/* ---- events on their way -------------------------------------------------------------------------------------------------- */

static events_options wanted_file(const run *r)
{
    return (events_options){.threads = r->common.options.threads,
                            .compression = r->compression,
                            .resume = r->resume,
                            .force = r->force,
                            .ranks = r->writers};
}

static void fill_rows(run *r)
{
    for (int k = 0; k < bg_process_classes(r->process); k++)
        r->rows[k] = (events_process){.n_out = bg_process_n_out(r->process),
                                      .sigma_pb = r->classes[k].sigma_pb,
                                      .error_pb = r->classes[k].error_pb,
                                      .max_weight = r->classes[k].sigma_pb};
}

/* All weights are one: there are no overweight events. */
static int counts_alike(const run *r) { return !r->generation.weighted && !(r->generation.overweight > 0.); }

static about_run question(const run *r)
{
    return (about_run){
        .process = r->asked, .options = r->resolved, .integration = r->integration, .generation = r->generation};
}

/* A file that cannot be gone on with, because a process was killed while HDF5 wrote it, begins again: its events follow from
 * what is known. */
static bg_status open_file(run *r, const events_run *about)
{
    events_options options = wanted_file(r);
    bg_status status = events_open(&r->writer, r->path, about, &options, &r->trouble);
    if (status != BG_ERROR_IO || !r->resume) return status;
    if (ranks_mine() == 0) cli_message(NAME, "%s: its events are made again", r->trouble.message);
    options.resume = 0;
    options.force = 1;
    return events_open(&r->writer, r->path, about, &options, &r->trouble);
}

/* Opens the file once sigma is known. */
static int begin(const bg_generation_result *result, void *user)
{
    run *r = user;
    const int protons = bg_process_has_protons(r->process);
    bg_process_class c;
    bg_process_class_init(&c);
    (void)bg_process_class_at(r->process, 0, &c, NULL);
    fill_rows(r);
    r->integration.estimate =
        result->estimated ? BG_ESTIMATE_ON : BG_ESTIMATE_OFF; /* what was chosen, so that it is said */
    const about_run asked = question(r);
    about_write(&asked, r->name, r->about);
    r->variations = result->variations;
    events_run about = {.beam = {protons ? 2212 : c.pdg[0], protons ? 2212 : c.pdg[1]},
                        .energy = {0.5 * r->integration.sqrts, 0.5 * r->integration.sqrts},
                        .pdf = {result->pdf_id, result->pdf_id},
                        .strategy = counts_alike(r) ? EVENTS_UNWEIGHTED : EVENTS_WEIGHTED,
                        .version = bg_version(),
                        .description = r->description,
                        .about = r->about,
                        .processes = bg_process_classes(r->process),
                        .process = r->rows,
                        .variations = result->variations,
                        .variation = result->variation_names,
                        .scale_variations = result->scale_variations};
    if (result->pdf_error_type) snprintf(about.combine, sizeof about.combine, "%s", result->pdf_error_type);
    cli_progress_clear();
    if (!is_quiet(r))
        cli_message(NAME, "sigma = %.5g +- %.2g pb with %s; now the events", result->sigma_pb, result->error_pb,
                    cli_describe_algorithm(&r->resolved).text);
    if (open_file(r, &about) != BG_OK) return 1;
    r->opened = 1;
    r->generation.skip = events_count(r->writer);
    r->generation.used = events_used(r->writer);
    if (r->generation.skip && !is_quiet(r))
        cli_message(NAME, "going on behind %llu events", (unsigned long long)r->generation.skip);
    return 0;
}

/* While sigma is integrated. */
static int progress(const bg_result *now, void *user)
{
    run *r = user;
    r->sigma_pb = now->sigma_pb;
    r->error_pb = now->error_pb;
    r->points = now->points + now->warmup_points;
    return cli_integrating(is_quiet(r), now);
}

/* In the unit of the file: where all weights are one, variations are relative to them. */
static bg_status write_events(run *r, const bg_event *event, size_t count)
{
    const size_t variations = (size_t)r->variations;
    if (!counts_alike(r)) return events_write(r->writer, event, count, &r->trouble);
    bg_event *one = malloc((count + 1) * sizeof *one);
    double *relative = malloc((count * variations + 1) * sizeof *relative);
    bg_status status = BG_OK;
    if (!one || !relative)
        status = cli_fail(&r->trouble, BG_ERROR_MEMORY, "no memory for the weights of %zu events", count);
    for (size_t k = 0; k < count && status == BG_OK; k++) {
        double *own = relative + k * variations;
        one[k] = event[k];
        one[k].weight = 1.;
        for (size_t v = 0; v < variations; v++) own[v] = event[k].variation[v] / event[k].weight;
        if (variations) one[k].variation = own;
    }
    if (status == BG_OK) status = events_write(r->writer, one, count, &r->trouble);
    free(one);
    free(relative);
    return status;
}

/* Of ranks that write together each receives its part, about as much as all others. */
static int receive(const bg_event *event, size_t count, void *user)
{
    run *r = user;
    char text[96];
    if (write_events(r, event, count) != BG_OK) return 1;
    r->done += r->writers ? count * (size_t)ranks_count() : count;
    const double share = fmin((double)(r->done + r->generation.skip) / r->events, 1.);
    snprintf(text, sizeof text, "%.4g of %.4g events", share * r->events, r->events);
    cli_progress(is_quiet(r), share, text);
    return cli_interrupted();
}

#define MUCH 0.2 /* share of the time that is worth a word */

/* ---- what it says ------------------------------------------------------------------------------------------------------------ */

static const char *densities(const run *r) { return cli_process_densities(r->process, &r->integration); }
static const char *scale(const run *r) { return cli_process_scale(&r->integration); }

static double file_bytes(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size : 0.;
}

static double megabytes(const run *r) { return 1e-6 * file_bytes(r->path); }

/* Of the events that this run has made. */
static double rate(const run *r, double all, const bg_generation_result *s)
{
    const double share = s->events ? 1. - (double)r->generation.skip / (double)s->events : 0.;
    return s->seconds_events > 0. ? share * all / s->seconds_events : 0.;
}

static void add_option(const char *name, const char *value, void *user) { json_text(user, name, value); }

static void print_json(const run *r, const bg_generation_result *s, const char *format)
{
    const about_run asked = question(r);
    cli_word phase_space = {""};
    (void)bg_integration_get(&r->integration, "phase-space", phase_space.text, sizeof phase_space.text, NULL);
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    json_text(&j, "process", r->name);
    json_integer(&j, "n_out", bg_process_n_out(r->process));
    json_text(&j, "beams", densities(r) ? "p p" : "partonic");
    json_text(&j, "pdf", densities(r));
    json_text(&j, "scale", densities(r) ? scale(r) : NULL);
    json_real(&j, "sqrts", r->integration.sqrts);
    json_text(&j, "phase_space", phase_space.text);
    json_unsigned(&j, "events", s->events);
    json_unsigned(&j, "trials", s->trials);
    json_real(&j, "sigma_pb", s->sigma_pb);
    json_real(&j, "error_pb", s->error_pb);
    json_real(&j, "efficiency", s->efficiency);
    json_real(&j, "exact_per_event", s->events ? s->evaluated / (double)s->events : 0.);
    if (r->generation.skip) { /* weights of events that were in the file before are not known */
        json_null(&j, "overweight_share");
        json_null(&j, "largest_weight");
        json_null(&j, "cut_share");
    } else {
        json_real(&j, "overweight_share", s->overweight_share);
        json_real(&j, "largest_weight", s->largest_weight);
        json_real(&j, "cut_share", s->cut_share);
    }
    json_bool(&j, "weighted", r->generation.weighted);
    json_integer(&j, "variations", r->variations);
    json_real(&j, "seconds", s->seconds);
    json_real(&j, "seconds_events", s->seconds_events);
    json_real(&j, "seconds_writing", r->waited);
    json_real(&j, "events_per_second", rate(r, (double)s->events, s));
    json_real(&j, "trials_per_second", rate(r, (double)s->trials, s));
    json_real(&j, "megabytes", megabytes(r));
    json_real(&j, "megabytes_per_second", rate(r, megabytes(r), s));
    json_text(&j, "file", r->path);
    json_text(&j, "format", format);
    cli_json_axes(&j, &r->resolved);
    json_integer(&j, "threads", r->resolved.threads);
    json_integer(&j, "ranks", ranks_count());
    json_integer(&j, "writers", r->writers ? ranks_count() : 1);
    json_unsigned(&j, "seed", r->common.options.seed);
    json_open(&j, "options", '{');
    about_list(&asked, r->name, add_option, &j);
    json_close(&j);
    json_close(&j);
}

static void print_text(const run *r, const bg_generation_result *s, const char *format)
{
    printf("%s: %llu %s events in %s (%s, %.3g MB)\n", r->name, (unsigned long long)s->events,
           r->generation.weighted ? "weighted" : "unweighted", r->path, format, megabytes(r));
    if (densities(r))
        printf("protons:     %s, scale %s (muR %g, muF %g)\n", densities(r), scale(r), r->integration.mur,
               r->integration.muf);
    printf("sigma:       %.6g +- %.2g pb\n", s->sigma_pb, s->error_pb);
    if (r->variations) printf("variations:  %d weights of every event besides its own\n", r->variations);
    printf("trials:      %llu, %.3g %% of them became events\n", (unsigned long long)s->trials, 100. * s->efficiency);
    const int new_ones = r->generation.skip < s->events;
    if (!r->generation.weighted && new_ones)
        printf("overweight:  %.2g %% of the weight%s, the largest %.3g\n", 100. * s->overweight_share,
               r->generation.skip ? " of the events that were added" : "", s->largest_weight);
    if (s->cut_share > 0.)
        printf("cut off:     %.2g %% of sigma is above the largest weight of the survey and counts as if it were not\n",
               100. * s->cut_share);
    printf("time:        %.2f s, without the integration %.2f s: %.4g events/s, %.4g trials/s, %.3g MB/s\n", s->seconds,
           s->seconds_events, rate(r, (double)s->events, s), rate(r, (double)s->trials, s), rate(r, megabytes(r), s));
    if (r->waited > MUCH * s->seconds_events)
        printf("limit:       writing: events waited for the file in %.0f %% of that time\n",
               100. * r->waited / s->seconds_events);
}

/* ---- the run ------------------------------------------------------------------------------------------------------------------ */

static void announce(const run *r)
{
    char goal[64];
    if (r->integration.points)
        snprintf(goal, sizeof goal, "with %.4g points", (double)r->integration.points);
    else
        snprintf(goal, sizeof goal, "to %.2g %%", 100. * r->integration.precision);
    cli_message(NAME, "%s%s%s: integrating %s first", r->name, densities(r) ? ", " : "",
                densities(r) ? densities(r) : "", goal);
}

/* A run that is gone on with has to be this one. What another one would learn first would go to FILE.state, in the way of the right one.
 * (Where the file cannot be read, as after a kill, the writer sees it in the end.) */
static int check_question(const run *r)
{
    struct stat about;
    char path[sizeof r->state], its[ABOUT_VALUE], ours[ABOUT_VALUE];
    const about_run asked = question(r);
    snprintf(path, sizeof path, "%s" EVENTS_PART, r->path);
    if (stat(path, &about)) snprintf(path, sizeof path, "%s", r->path);
    char *text = r->resume && !stat(path, &about) ? events_read_about(path, NULL) : NULL;
    if (!text) return CLI_DONE;
    const int differs = about_differs(text, &asked, r->name, its, ours);
    free(text);
    if (!differs) return CLI_DONE;
    cli_message(NAME, "'%s' is of another run: it has '%s', and '%s' is asked for", path, its, ours);
    return CLI_USAGE;
}

/* Whether the file can be written, before anything is computed. */
static int check_place(run *r)
{
    bg_error error;
    struct stat about;
    const events_options file = wanted_file(r);
    if (!events_format_name(r->path, &error) || events_check_place(r->path, &file, &error) != BG_OK) {
        cli_message(NAME, "%s", error.message);
        return cli_exit_status(error.status);
    }
    if (snprintf(r->state, sizeof r->state, "%s" EVENTS_STATE, r->path) >= (int)sizeof r->state) {
        cli_message(NAME, "the name of the file of events is too long");
        return CLI_USAGE;
    }
    if (!r->resume && !r->force && !stat(r->state, &about)) {
        cli_message(NAME, "'%s' is left from another run; --force replaces it, --resume goes on with it", r->state);
        return CLI_USAGE;
    }
    return check_question(r);
}

/* What an integration has found that was interrupted before there were events. */
static void report_sigma(const run *r)
{
    if (r->opened || !r->points || !(r->sigma_pb > 0.)) return;
    if (r->common.json) {
        json j = json_start(stdout);
        json_open(&j, NULL, '{');
        json_text(&j, "version", bg_version());
        json_text(&j, "process", r->name);
        json_bool(&j, "interrupted", 1);
        json_unsigned(&j, "events", 0);
        json_real(&j, "sigma_pb", r->sigma_pb);
        json_real(&j, "error_pb", r->error_pb);
        json_unsigned(&j, "points", r->points);
        json_unsigned(&j, "seed", r->common.options.seed);
        json_close(&j);
    } else {
        printf("%s: interrupted before the first event\n", r->name);
        printf("sigma:       %.6g +- %.2g pb so far, from %llu points\n", r->sigma_pb, r->error_pb,
               (unsigned long long)r->points);
    }
}

/* What is left behind where it did not work out; rank 0 says what. */
static int leave(run *r, const bg_error *error, const ranks_word *first)
{
    const int interrupted = cli_interrupted();
    bg_error ignored;
    const int status = ranks_fail(NAME, error->status, error, first);
    if (r->writer) (void)events_leave(r->writer, &ignored); /* what went wrong is said */
    r->writer = NULL;
    if (interrupted && ranks_mine() == 0) report_sigma(r);
    if (r->opened && ranks_mine() == 0) {
        const events_options again = {.resume = 1, .force = 1};
        cli_message(NAME, "%s.part has what is complete%s", r->path,
                    events_check_place(r->path, &again, NULL) == BG_OK ? "; go on with --resume" : "");
    }
    return interrupted ? CLI_INTERRUPTED : status;
}

/* Files are those of rank 0, which also decides whether ranks write theirs together. */
static void share_names(run *r)
{
    int together = events_shares(r->path);
    ranks_broadcast(&together, sizeof together);
    ranks_broadcast(r->state, sizeof r->state);
    snprintf(r->file, sizeof r->file, "%.*s", (int)(strlen(r->state) - strlen(EVENTS_STATE)), r->state);
    r->path = r->file;
    if (together) r->writers = ranks_for_thread();
}

static void prepare(run *r)
{
    r->integration.class_results = r->classes;
    r->integration.class_room = bg_process_classes(r->process);
    r->integration.progress = progress;
    r->integration.interrupted = cli_wants_to_stop;
    r->integration.user = r;
    r->integration.resolved = &r->resolved;
    r->integration.communicator = ranks_communicator();
    r->generation.begin = begin;
    r->generation.receive = receive;
    r->generation.user = r;
    r->generation.state = r->state;
    r->generation.go_on = r->resume;
    r->generation.shared = r->writers != NULL;
}

/* The end of the file; with it what was learned is not worth keeping, unless somebody wants it. What is still under way when the
 * last event is made counts as well. */
static bg_status finish(run *r, bg_generation_result *result, bg_error *error)
{
    const double since = cli_seconds();
    fill_rows(r);
    r->waited = events_waited(r->writer);
    const bg_status status = events_close(r->writer, r->rows, (double)result->trials, error);
    r->writer = NULL;
    result->seconds += cli_seconds() - since;
    result->seconds_events += cli_seconds() - since;
    if (status == BG_OK && !r->keep_state && ranks_mine() == 0) (void)unlink(r->state);
    return status;
}

static int generate(run *r)
{
    bg_generation_result result;
    bg_error error = {BG_OK, ""};
    const size_t classes = (size_t)bg_process_classes(r->process);
    r->resolved = r->common.options;
    int code = ranks_mine() == 0 ? check_place(r) : CLI_DONE;
    ranks_broadcast(&code, sizeof code);
    if (code != CLI_DONE) return code;
    share_names(r);
    r->classes = calloc(classes, sizeof *r->classes);
    r->rows = calloc(classes, sizeof *r->rows);
    if (ranks_max(!r->classes || !r->rows) > 0.) {
        cli_message(NAME, "no memory for %zu classes", classes);
        return CLI_FAILED;
    }
    prepare(r);
    bg_generation_result_init(&result);
    if (!is_quiet(r)) announce(r);
    bg_status status =
        bg_events_generate(r->process, &r->common.options, &r->integration, &r->generation, &result, &error);
    cli_progress_clear();
    if (status != BG_OK && r->trouble.message[0]) error = r->trouble;
    if (status == BG_OK && r->writer) status = finish(r, &result, &error);
    code = cli_exit_status((bg_status)ranks_max(status));
    const ranks_word first = ranks_hear_first(status, &error);
    if (code != CLI_DONE) return status == BG_OK ? code : leave(r, &error, &first); /* of another rank: it says why */
    if (ranks_mine() == 0) (r->common.json ? print_json : print_text)(r, &result, events_format_name(r->path, NULL));
    return CLI_DONE;
}

static const char *const formats[] = {"lhe", "lhe.gz", "h5", "npy", "csv", NULL};

/* The name of a file says its format. One that does not gets the ending of --format. */
static int name_file(run *r)
{
    if (r->format < 0) return CLI_DONE;
    char example[16];
    snprintf(example, sizeof example, "x.%s", formats[r->format]);
    bg_error error;
    const char *wanted = events_format_name(example, &error), *there = events_format_name(r->path, NULL);
    if (!wanted) {
        cli_message(NAME, "%s", error.message);
        return cli_exit_status(error.status);
    }
    if (there && strcmp(there, wanted) != 0) {
        cli_message(NAME, "--format is %s, but '%.300s' is the name of a file of format %s", formats[r->format],
                    r->path, there);
        return CLI_USAGE;
    }
    if (there) return CLI_DONE;
    if (snprintf(r->file, sizeof r->file, "%s.%s", r->path, formats[r->format]) >= (int)sizeof r->file) {
        cli_message(NAME, "the name of the file of events is too long");
        return CLI_USAGE;
    }
    r->path = r->file;
    return CLI_DONE;
}

/* What makes sense of the command's own options. */
static int check(run *r)
{
    if (!r->asked.n_out && !r->asked.text) {
        cli_message(NAME, "--process PROCESS (or -n N_OUT for gluons) is missing");
        return CLI_USAGE;
    }
    if (!r->path) {
        cli_message(NAME, "-o FILE is missing: run.lhe, run.lhe.gz, run.h5, run.npy or run.csv");
        return CLI_USAGE;
    }
    if (!(r->events >= 1.) || r->events > 1e15 || r->events != floor(r->events)) {
        cli_message(NAME, "--events is %g; it must be a whole number from 1 to 1e15", r->events);
        return CLI_USAGE;
    }
    if (r->shower_scale && strcmp(r->shower_scale, "event") != 0 && strcmp(r->shower_scale, "softest") != 0) {
        cli_message(NAME, "--shower-scale is '%s'; it must be event or softest", r->shower_scale);
        return CLI_USAGE;
    }
    if (r->integration.points && cli_given(&r->common, "precision") && r->integration.precision > 0.) {
        cli_message(NAME, "--precision and --points exclude each other; give one of them");
        return CLI_USAGE;
    }
    if (r->generation.weighted && r->overweight >= 0.) {
        cli_message(NAME, "--overweight has no effect with --weighted: all points inside the cuts are events");
        return CLI_USAGE;
    }
    if (r->overweight >= 0.) r->generation.overweight = r->overweight;
    if (r->integration.points) r->integration.precision = 0.;
    r->generation.events = (uint64_t)r->events;
    r->generation.softest_scale = r->shower_scale && !strcmp(r->shower_scale, "softest");
    return name_file(r);
}

/* Adds ", name value" to the description. */
static void remember(run *r, const char *name, const char *value)
{
    const size_t used = strlen(r->description);
    snprintf(r->description + used, sizeof r->description - used, ", %s %s", name, value);
}

/* What the file remembers of the question, which a run that goes on must repeat: everything that is not as usual. */
static void describe(run *r)
{
    const bg_integration *w = &r->integration;
    char value[128];
    snprintf(r->description, sizeof r->description, "%s, sqrt(s) = %g GeV, pT > %g GeV, |eta| < %g, DeltaR > %g",
             r->name, w->sqrts, w->cuts.pt_min, w->cuts.eta_max, w->cuts.dr_min);
    if (bg_process_has_protons(r->process)) {
        remember(r, "densities", w->pdf && *w->pdf ? w->pdf : BG_BUILT_IN_PDF);
        remember(r, "scale", scale(r));
    }
    static const char *const named[] = {"sqrts", "pt-min", "eta-max", "dr-min", "pdf", "scale", "seed", NULL};
    for (int k = 0; bg_option_at(k); k++) {
        const bg_option *o = bg_option_at(k);
        int there = !o->matters && strcmp(o->name, "precision") != 0 && strcmp(o->name, "points") != 0;
        for (int i = 0; named[i]; i++) there |= !strcmp(o->name, named[i]);
        if (there) continue;
        const bg_status status = o->owner == BG_OPTION_OF_INTEGRATION
                                     ? bg_integration_get(w, o->name, value, sizeof value, NULL)
                                     : bg_options_get(&r->common.options, o->name, value, sizeof value, NULL);
        if (status == BG_OK && strcmp(value, o->standard) != 0 && strcmp(value, "auto") != 0)
            remember(r, o->name, value);
    }
    snprintf(value, sizeof value, "%g", r->generation.overweight);
    remember(r, r->generation.weighted ? "weighted" : "overweight", r->generation.weighted ? "events" : value);
    if (r->generation.softest_scale) remember(r, "shower scale", "softest");
    snprintf(value, sizeof value, "%llu", (unsigned long long)r->common.options.seed);
    remember(r, "seed", value);
}

int command_generate(int argc, char **argv)
{
    run r;
    int status;
    memset(&r, 0, sizeof r);
    if (ranks_start(1)) {
        cli_message(NAME, "MPI could not be started");
        return CLI_FAILED;
    }
    bg_integration_init(&r.integration);
    bg_generation_init(&r.generation);
    r.asked = (cli_process)CLI_PROCESS_NONE;
    r.events = 1000.;
    r.overweight = -1.;
    r.format = -1;
    const cli_option own[] = {
        CLI_GLUONS_OPTION(&r.asked),
        CLI_PROCESS_OPTION(&r.asked),
        CLI_FLAVOR_OPTIONS(&r.asked),
        {.name = "events",
         .kind = CLI_KIND_REAL,
         .argument = "K",
         .target = &r.events,
         .low = 1.,
         .high = 1e15,
         .help = "exactly so many events (1000)"},
        {.name = "output",
         .letter = 'o',
         .kind = CLI_KIND_TEXT,
         .argument = "FILE",
         .target = &r.path,
         .help = "file of events: .lhe, .lhe.gz, .h5, .hdf5, .npy or .csv"},
        {.name = "format",
         .kind = CLI_KIND_CHOICE,
         .target = &r.format,
         .choices = formats,
         .help = "of a FILE whose name does not end in one: it gets that ending"},
        {.name = "weighted",
         .kind = CLI_KIND_FLAG,
         .target = &r.generation.weighted,
         .help = "points inside the cuts are events, with their weights"},
        {.name = "overweight",
         .kind = CLI_KIND_REAL,
         .argument = "SHARE",
         .target = &r.overweight,
         .low = 0.,
         .high = 0.5,
         .help = "share of sigma that events above the usual weight may carry (0.001)"},
        {.name = "shower-scale",
         .kind = CLI_KIND_TEXT,
         .argument = "event|softest",
         .target = &r.shower_scale,
         .help = "where showers start: the scale of the event, or the softest pT (event)"},
        {.name = "compression",
         .kind = CLI_KIND_INTEGER,
         .argument = "0..9",
         .target = &r.compression,
         .low = 0.,
         .high = 9.,
         .help = "of HDF5 and .lhe.gz (0: none, and 3 for .lhe.gz)"},
        {.name = "resume",
         .kind = CLI_KIND_FLAG,
         .target = &r.resume,
         .help = "go on with FILE.part of an interrupted run: the rest of the line as it was there"},
        {.name = "keep-state",
         .kind = CLI_KIND_FLAG,
         .target = &r.keep_state,
         .help = "keep FILE.state, from which blockgen event makes events again without an integration"},
        {.name = "force", .kind = CLI_KIND_FLAG, .target = &r.force, .help = "replace a file that is there"},
        {.name = NULL},
    };
    /* Events are gone on with from their file, not from checkpoints, and a time would not give the same ones again. */
    static const char *const without[] = {"checkpoint", "checkpoint-interval", "resume", "force", "hybrid", "time",
                                          NULL};
    const cli_command command = {
        .name = NAME,
        .summary = "Unweighted events in files that parton showers read.",
        .details =
            "The cross section is integrated to --precision first; then points are kept as often as their weights\n"
            "say. Events above the largest usual weight are kept with their weight and never dropped. Weights are in\n"
            "pb, and their mean is sigma; with --overweight 0 all are one. Every event has a color flow drawn with "
            "its\n"
            "probability. The same seed, goal and number of events give the same events for any number of threads and\n"
            "ranks (mpirun -n R blockgen generate ...). A run that was killed at any moment goes on with --resume.\n"
            "blockgen event makes events again.",
        .own = own,
        .algorithm = 1,
        .chooses = 1,
        .precision = "0.003; from five outgoing partons on 0.01",
        .integration = &r.integration,
        .without = without,
        .silent = ranks_mine() > 0,
    };
    if (ranks_mine() > 0) cli_hold_messages();
    int stop = cli_parse(&command, argc, argv, &r.common, &status);
    if (!stop) {
        status = check(&r);
        if (status == CLI_DONE) status = cli_check_given(&command, &r.common);
        if (status == CLI_DONE) status = cli_process_make(NAME, &r.asked, &r.process);
        if (status == CLI_DONE) status = cli_process_check_given(NAME, &r.asked, &r.common, r.process);
        stop = status != CLI_DONE;
    }
    status = ranks_agree_on_line(NAME, stop, status);
    if (!stop && status == CLI_DONE) {
        cli_process_name(&r.asked, r.name, sizeof r.name);
        /* a grid that has seen more points loses fewer of them, which pays where matrix elements are cheap */
        if (!cli_given(&r.common, "precision") && bg_process_n_out(r.process) <= 4) r.integration.precision = 0.003;
        describe(&r);
        status = generate(&r);
    }
    free(r.classes);
    free(r.rows);
    bg_process_destroy(r.process);
    ranks_stop();
    return status;
}
