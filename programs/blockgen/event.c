/* blockgen event: events of a file once more, from their numbers, with everything that is computed on the way. */
#include "commands.h"
#include "console.h"
#include "events/reader.h"
#include "events/writer.h"
#include "generate/about.h"
#include "jsonread.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME "event"

typedef struct run {
    cli_common common;
    about_run about;
    char *text;           /* that `about` points into */
    json_value *document; /* or this one */
    const char *path;     /* of the events; NULL: the run has no file */
    char state[4096];
    bg_process *process;
    bg_event_run *events;
    events_entry *entry;
    size_t count;
} run;

/* ---- which events ------------------------------------------------------------------------------------------------------- */

/* A place in the file, or CLASS:TRIAL. Returns 0, or -1. */
static int read_number(const char *word, events_entry *e)
{
    char *end;
    if (*word < '0' || *word > '9') return -1;
    errno = 0;
    const unsigned long long first = strtoull(word, &end, 10);
    if (errno || !first) return -1;
    if (!*end) {
        e->place = first;
        return 0;
    }
    if (*end != ':' || end[1] < '0' || end[1] > '9' || first > 1000000) return -1;
    e->process = (int)first - 1;
    e->number = strtoull(end + 1, &end, 10);
    return *end || errno ? -1 : 0;
}

static int read_numbers(run *r)
{
    for (size_t k = 0; k < r->count; k++)
        if (read_number(r->common.operands[k + 1], &r->entry[k])) {
            cli_message(
                NAME,
                "'%s' is no number of an event; it must be its place in the file, from 1, or CLASS:TRIAL, such as "
                "2:4711",
                r->common.operands[k + 1]);
            return CLI_USAGE;
        }
    return CLI_DONE;
}

/* Places become classes and trial points: those that have one go to the front for the reader, and back. */
static int find_places(run *r)
{
    size_t wanted = 0;
    bg_error error;
    events_entry *found = calloc(r->count, sizeof *found);
    if (!found) {
        cli_message(NAME, "no memory for %zu events", r->count);
        return CLI_FAILED;
    }
    for (size_t k = 0; k < r->count; k++)
        if (r->entry[k].place) found[wanted++].place = r->entry[k].place;
    int status = CLI_DONE;
    if (wanted && !r->path) {
        cli_message(NAME, "'%s' has no events; their numbers must be CLASS:TRIAL", r->common.operands[0]);
        status = CLI_USAGE;
    } else if (wanted && events_read(r->path, found, wanted, &error) != BG_OK) {
        cli_message(NAME, "%s", error.message);
        status = cli_exit_status(error.status);
    }
    for (size_t k = r->count; k-- > 0 && status == CLI_DONE;)
        if (r->entry[k].place) r->entry[k] = found[--wanted];
    free(found);
    return status;
}

/* ---- of which run --------------------------------------------------------------------------------------------------------- */

static int ends_in(const char *path, const char *ending)
{
    const size_t all = strlen(path), length = strlen(ending);
    return all > length && !strcmp(path + all - length, ending);
}

/* What blockgen generate --json has printed. */
static int read_document(run *r, const char *path)
{
    char why[128];
    bg_error error;
    r->document = json_read_file(path, why, sizeof why);
    const json_value *options = json_member(r->document, "options");
    if (!options || options->kind != JSON_OBJECT) {
        cli_message(NAME, "'%s': %s", path, r->document ? "it has no options of a run that made events" : why);
        return r->document || strncmp(why, "cannot read", 11) != 0 ? CLI_USAGE : CLI_FAILED;
    }
    for (const json_value *o = options->first; o; o = o->next)
        if (about_set(&r->about, o->key, json_string(o, ""), &error) != BG_OK) {
            cli_message(NAME, "'%s' has an option that this program does not take: %s", path, error.message);
            return CLI_USAGE;
        }
    r->path = json_string(json_member(r->document, "file"), NULL);
    return CLI_DONE;
}

static int read_about(run *r, const char *path)
{
    bg_error error;
    if (ends_in(path, ".json")) return read_document(r, path);
    r->text = events_read_about(path, &error);
    if (!r->text) {
        cli_message(NAME, "%s", error.message);
        return cli_exit_status(error.status);
    }
    if (events_format_name(path, NULL)) r->path = path;
    return about_read(NAME, path, r->text, &r->about);
}

/* The machine is that of this run: what the command line says, or what there is. */
static void choose_machine(run *r)
{
    bg_options *o = &r->about.options;
    const bg_options *here = &r->common.options;
    o->threads = here->threads;
    o->device = here->device;
    o->instruction_set = here->instruction_set;
    if (cli_given(&r->common, "backend")) memcpy(o->backend, here->backend, sizeof o->backend);
}

static int progress(const bg_result *now, void *user)
{
    const run *r = user;
    return cli_integrating(r->common.quiet, now);
}

/* Grids and largest weights: from the file that the run has left, or learned again. */
static int open_run(run *r)
{
    struct stat about;
    bg_error error;
    about_run *a = &r->about;
    a->integration.progress = progress;
    a->integration.interrupted = cli_wants_to_stop;
    a->integration.user = r;
    if (r->path && snprintf(r->state, sizeof r->state, "%s" EVENTS_STATE, r->path) < (int)sizeof r->state &&
        !stat(r->state, &about)) {
        a->generation.state = r->state;
        a->generation.go_on = 1;
    } else if (!r->common.quiet) {
        cli_message(NAME, "integrating as the run did: what it has learned was not kept (generate --keep-state)");
    }
    const bg_status status =
        bg_event_run_create(&r->events, r->process, &a->options, &a->integration, &a->generation, &error);
    cli_progress_clear();
    if (status == BG_OK) return CLI_DONE;
    cli_message(NAME, "%s", error.message);
    return cli_interrupted() ? CLI_INTERRUPTED : cli_exit_status(status);
}

/* ---- what it says ----------------------------------------------------------------------------------------------------------- */

/* The largest difference between an event and the file, relative to energies; infinite where partons or colors differ. */
static double difference(const events_entry *f, const bg_event *e)
{
    double most = 0.;
    if (f->legs != e->legs) return (double)INFINITY;
    for (int k = 0; k < e->legs; k++) {
        if (f->pdg[k] != e->pdg[k] || memcmp(f->color[k], e->color[k], sizeof e->color[k]) != 0)
            return (double)INFINITY;
        for (int c = 0; c < 4; c++) most = fmax(most, fabs(f->momentum[k][c] - e->momentum[k][c]) / e->momentum[k][0]);
    }
    return most;
}

static bg_process_class class_of(const run *r, int k)
{
    bg_process_class c;
    bg_process_class_init(&c);
    (void)bg_process_class_at(r->process, k, &c, NULL);
    return c;
}

static void print_json(json *j, const run *r, const events_entry *f, const bg_event *e, const bg_event_origin *o)
{
    json_open(j, NULL, '{');
    if (f->found)
        json_unsigned(j, "place", f->place);
    else
        json_null(j, "place");
    json_integer(j, "class", e->process + 1);
    json_unsigned(j, "number", e->number);
    json_text(j, "process", class_of(r, e->process).name);
    json_unsigned(j, "seed", o->seed);
    json_open(j, "partons", '[');
    for (int k = 0; k < e->legs; k++) {
        json_open(j, NULL, '{');
        json_integer(j, "pdg", e->pdg[k]);
        json_bool(j, "incoming", k < 2);
        json_integer(j, "color", e->color[k][0]);
        json_integer(j, "anticolor", e->color[k][1]);
        if (e->helicity[k] == BG_HELICITY_UNKNOWN)
            json_null(j, "helicity");
        else
            json_integer(j, "helicity", e->helicity[k]);
        json_open(j, "momentum", '[');
        for (int c = 0; c < 4; c++) json_real(j, NULL, e->momentum[k][c]);
        json_close(j);
        json_close(j);
    }
    json_close(j);
    json_real(j, "x1", e->x[0]);
    json_real(j, "x2", e->x[1]);
    json_real(j, "scale", e->scale);
    json_real(j, "mur", e->mur);
    json_real(j, "muf", e->muf);
    json_real(j, "alpha_s", e->alpha_s);
    json_open(j, "densities", '[');
    for (int side = 0; side < 2; side++) json_real(j, NULL, e->xf[side]);
    json_close(j);
    json_real(j, "luminosity", o->luminosity);
    json_bool(j, "exchanged", o->exchanged);
    json_real(j, "estimate", o->estimate);
    json_real(j, "me2", o->me2);
    json_real(j, "phase_space_pb", o->phase_space);
    json_real(j, "point_weight_pb", o->weight_pb);
    json_real(j, "largest_pb", o->largest_pb);
    json_real(j, "chance", o->chance);
    json_real(j, "weight_pb", e->weight);
    if (f->found)
        json_real(j, "difference", difference(f, e));
    else
        json_null(j, "difference");
    json_close(j);
}

static void print_text(const run *r, const events_entry *f, const bg_event *e, const bg_event_origin *o)
{
    const int protons = bg_process_has_protons(r->process);
    if (f->found) printf("event %llu: ", (unsigned long long)f->place);
    printf("class %d (%s), trial point %llu, seed of the class %llu\n", e->process + 1, class_of(r, e->process).name,
           (unsigned long long)e->number, (unsigned long long)o->seed);
    printf("%8s %6s %6s %4s %24s %24s %24s %24s\n", "parton", "color", "anti", "hel.", "E", "px", "py", "pz");
    for (int k = 0; k < e->legs; k++)
        printf("%8d %6d %6d %4s %24.17g %24.17g %24.17g %24.17g\n", e->pdg[k], e->color[k][0], e->color[k][1],
               e->helicity[k] == BG_HELICITY_UNKNOWN ? "?"
               : e->helicity[k] > 0                  ? "+"
                                                     : "-",
               e->momentum[k][0], e->momentum[k][1], e->momentum[k][2], e->momentum[k][3]);
    if (protons) {
        printf("x1, x2:       %.17g %.17g%s\n", e->x[0], e->x[1], o->exchanged ? " (beams exchanged)" : "");
        printf("x f(x):       %.17g %.17g at muF = %.17g GeV\n", e->xf[0], e->xf[1], e->muf);
        printf("luminosity:   %.17g of all channels of the class\n", o->luminosity);
    }
    printf("scale:        %.17g GeV\n", e->scale);
    printf("alpha_s:      %.17g at muR = %.17g GeV\n", e->alpha_s, e->mur);
    printf("|M|^2:        %.17g, estimate %.17g\n", o->me2, o->estimate);
    printf("phase space:  %.17g pb, with the flux%s\n", o->phase_space,
           r->about.integration.estimate == BG_ESTIMATE_ON ? ", over the probability to be kept" : "");
    printf("point:        %.17g pb", o->weight_pb);
    if (o->largest_pb > 0.)
        printf(", over the largest usual weight %.17g; chance %.17g", o->weight_pb / o->largest_pb, o->chance);
    printf("\nweight:       %.17g pb\n", e->weight);
    if (f->found) printf("in the file:  differs by %.2g\n", difference(f, e));
}

static int make_events(run *r)
{
    int status = CLI_DONE;
    json j = json_start(stdout);
    if (r->common.json) {
        json_open(&j, NULL, '{');
        json_text(&j, "version", bg_version());
        json_text(&j, "run", r->common.operands[0]);
        json_text(&j, "process", r->about.process.text);
        json_open(&j, "events", '[');
    }
    for (size_t k = 0; k < r->count && status == CLI_DONE; k++) {
        bg_event event;
        bg_event_origin origin;
        bg_error error;
        bg_event_origin_init(&origin);
        const bg_status made =
            bg_event_run_make(r->events, r->entry[k].process, r->entry[k].number, &event, &origin, &error);
        if (made != BG_OK) {
            cli_message(NAME, "%s", error.message);
            status = cli_interrupted() ? CLI_INTERRUPTED : cli_exit_status(made);
            break;
        }
        events_order_beams(&event);
        if (r->common.json) {
            print_json(&j, r, &r->entry[k], &event, &origin);
        } else {
            if (k) putchar('\n');
            print_text(r, &r->entry[k], &event, &origin);
        }
    }
    if (r->common.json) {
        json_close(&j);
        json_close(&j);
    }
    return status;
}

static int run_all(run *r)
{
    int status = read_numbers(r);
    if (status == CLI_DONE) status = read_about(r, r->common.operands[0]);
    if (status == CLI_DONE) status = find_places(r);
    if (status == CLI_DONE) status = cli_process_make(NAME, &r->about.process, &r->process);
    if (status != CLI_DONE) return status;
    choose_machine(r);
    status = open_run(r);
    return status == CLI_DONE ? make_events(r) : status;
}

int command_event(int argc, char **argv)
{
    static const char *const machine[] = {"backend", "device", "threads", "instruction-set", NULL};
    static const cli_option own[] = {{.name = NULL}};
    const cli_command command = {
        .name = NAME,
        .operands = "RUN NUMBER...",
        .summary = "Makes events again from their numbers, with everything that is computed on the way.",
        .details =
            "RUN is a file that blockgen generate has made, or what its --json has printed (RUN.json). NUMBER is the\n"
            "place of an event in the file, from 1, or CLASS:TRIAL, the class and the number that the file has for "
            "it.\n"
            "All random numbers follow from the seed, the class and the trial point. Grids and largest weights are "
            "read\n"
            "from RUN.state where it was kept (generate --keep-state); otherwise the integration is repeated.",
        .own = own,
        .algorithm = 1,
        .only = machine,
        .max_operands = CLI_MOST_OPERANDS,
    };
    run r;
    int status;
    memset(&r, 0, sizeof r);
    if (cli_parse(&command, argc, argv, &r.common, &status)) return status;
    if (r.common.operand_count < 2) {
        cli_message(NAME, "%s (see blockgen event --help)",
                    r.common.operand_count ? "no number of an event given" : "no file of events given");
        return CLI_USAGE;
    }
    r.about.process = (cli_process)CLI_PROCESS_NONE;
    bg_options_init(&r.about.options);
    bg_integration_init(&r.about.integration);
    bg_generation_init(&r.about.generation);
    r.count = (size_t)r.common.operand_count - 1;
    r.entry = calloc(r.count, sizeof *r.entry);
    if (r.entry)
        status = run_all(&r);
    else
        status = CLI_FAILED;
    bg_event_run_destroy(r.events);
    bg_process_destroy(r.process);
    json_free(r.document);
    free(r.entry);
    free(r.text);
    return status;
}
