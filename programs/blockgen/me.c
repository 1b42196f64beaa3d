/* blockgen me: |M|^2 at the points of a file.
 *
 * Lines are read, checked and collected into batches of one multiplicity; a batch is evaluated and printed before
 * more is read, so input of any length runs in bounded memory. Batches grow until one takes a noticeable time, and
 * no further: at large n_out results and the answer to an interrupt come soon, at small n_out calls stay cheap. A batch
 * is not waited for where no more input is there yet: a program at the other end of a pipe may want its answer first.
 * The draws of a point depend on its place in the input alone, never on how it was batched.
 */
#include "backends.h"
#include "commands.h"
#include "console.h"
#include "json.h"
#include "me/lines.h"
#include "options.h"
#include "process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "me"

enum {
    SMALLEST_BATCH = 8, /* points that fill a register */
    LARGEST_BATCH = 8192,
};

typedef struct batch {
    int n_out; /* of the points in it; 0: empty */
    size_t count;
    uint64_t first_event;
    double *momenta, *me2, *uncertainty;
    unsigned long *line;
} batch;

typedef struct session {
    const cli_common *common;
    int keep_going;
    cli_process asked;
    bg_process *process; /* of --process; NULL: gluons, as many as a line has */
    reader in;
    batch batch;
    uint64_t event;       /* points read so far */
    unsigned long points; /* printed */
    bg_evaluator *evaluator[BG_MAX_OUT_DRESSED + 1];
    size_t best_batch[BG_MAX_OUT_DRESSED + 1];
    json json;
    int bad_lines;
} session;

/* ---- results ---------------------------------------------------------------------------------------- */

static void print_result(session *s, int n_out, double me2, double uncertainty, int sampled)
{
    if (!s->common->json) {
        if (isnan(me2))
            printf("nan\n"); /* never "-nan" */
        else
            printf("%.17g\n", me2);
        return;
    }
    json_open(&s->json, NULL, '{');
    if (n_out)
        json_integer(&s->json, "n_out", n_out);
    else
        json_null(&s->json, "n_out");
    json_real(&s->json, "me2", me2);
    if (sampled)
        json_real(&s->json, "error", uncertainty);
    else
        json_null(&s->json, "error");
    json_close(&s->json);
}

/* Evaluates and prints what was collected. Returns the exit status. */
static int flush_batch(session *s)
{
    batch *b = &s->batch;
    if (!b->count) return CLI_DONE;
    bg_error error;
    const double start = cli_seconds();
    if (bg_evaluator_evaluate(s->evaluator[b->n_out], b->first_event, b->count, b->momenta, b->me2, b->uncertainty,
                              &error) != BG_OK) {
        cli_message(NAME, "%s", error.message);
        return cli_exit_status(error.status);
    }
    const double seconds = cli_seconds() - start;
    size_t *best = &s->best_batch[b->n_out];
    if (b->count == *best && seconds < 0.1 && *best < LARGEST_BATCH) *best *= 2;
    if (b->count == *best && seconds > 0.5 && *best > SMALLEST_BATCH) *best /= 2;
    const int sampled = bg_options_are_sampled(bg_evaluator_options(s->evaluator[b->n_out]));
    for (size_t k = 0; k < b->count; k++) {
        if (!isfinite(b->me2[k])) /* physical all the same, so not an error */
            cli_message(NAME,
                        "%s:%lu: warning: |M|^2 is not finite: partons are collinear or soft, or momenta too large or "
                        "too small for a double",
                        s->in.title, b->line[k]);
        print_result(s, b->n_out, b->me2[k], b->uncertainty[k], sampled);
    }
    s->points += b->count;
    b->count = 0;
    return cli_output_failed(NAME) ? CLI_FAILED : CLI_DONE;
}

/* A line that has no result. Returns the exit status; CLI_DONE: go on. */
static int bad_line(session *s, int n_out, const char *reason)
{
    int status = flush_batch(s);
    if (status != CLI_DONE) return status;
    cli_message(NAME, "%s:%lu: %s", s->in.title, s->in.number, reason);
    s->bad_lines = 1;
    if (!s->keep_going) return CLI_USAGE;
    print_result(s, n_out, NAN, NAN, 0);
    return CLI_DONE;
}

/* ---- points ------------------------------------------------------------------------------------------ */

/* The evaluator of an n_out, made when its first point comes. */
static bg_status prepare(session *s, int n_out, bg_error *error)
{
    if (s->evaluator[n_out]) return BG_OK;
    int first = 1;
    for (int n = 0; n <= BG_MAX_OUT_DRESSED; n++) first &= !s->evaluator[n];
    bg_process *gluons = NULL;
    bg_status status = s->process ? BG_OK : bg_process_create_gluons(&gluons, n_out, error);
    if (status != BG_OK) return status;
    status = bg_evaluator_create_stoppable(&s->evaluator[n_out], s->process ? s->process : gluons, &s->common->options,
                                           cli_wants_to_stop, NULL, error);
    bg_process_destroy(gluons);
    s->best_batch[n_out] = SMALLEST_BATCH;
    if (status == BG_OK && first && !s->common->quiet && bg_evaluator_note(s->evaluator[n_out])[0]) {
        char line[BG_NOTE_LENGTH];
        const int no_device = backend_fallback(&s->common->options, line, sizeof line);
        cli_message(NAME, "%s", no_device ? line : bg_evaluator_note(s->evaluator[n_out]));
    }
    if (status == BG_OK && bg_options_are_automatic(&s->common->options) && !s->common->quiet) {
        const bg_options *o = bg_evaluator_options(s->evaluator[n_out]);
        cli_message(NAME, "n_out = %d: color %s, %s recursion, helicity %s", n_out, cli_value(o, "color").text,
                    cli_value(o, "recursion").text, cli_value(o, "helicity").text);
    }
    return status;
}

static int add_point(session *s, int n_out, const double *numbers)
{
    batch *b = &s->batch;
    bg_error error;
    if (s->process && n_out != bg_process_n_out(s->process)) {
        char reason[BG_MESSAGE_LENGTH];
        snprintf(reason, sizeof reason, "%d momenta, but %.200s has %d partons", n_out + 2, s->asked.text,
                 bg_process_n_out(s->process) + 2);
        s->event++;
        return bad_line(s, n_out, reason);
    }
    if (prepare(s, n_out, &error) != BG_OK) {
        const int exit_status = cli_exit_status(error.status);
        if (exit_status == CLI_USAGE) { /* this n_out does not go with the options: a matter of this line */
            s->event++;
            return bad_line(s, n_out, error.message);
        }
        const int status = flush_batch(s);
        if (status != CLI_DONE) return status;
        cli_message(NAME, "%s:%lu: %s", s->in.title, s->in.number, error.message);
        return exit_status;
    }
    if (b->count && b->n_out != n_out) {
        const int status = flush_batch(s);
        if (status != CLI_DONE) return status;
    }
    if (!b->count) {
        b->n_out = n_out;
        b->first_event = s->event;
    }
    const size_t per_point = 4 * (size_t)(n_out + 2);
    memcpy(b->momenta + b->count * per_point, numbers, per_point * sizeof *numbers);
    b->line[b->count++] = s->in.number;
    s->event++;
    return b->count >= s->best_batch[n_out] ? flush_batch(s) : CLI_DONE;
}

static void show_progress(const session *s)
{
    char text[64];
    snprintf(text, sizeof text, "%lu points", s->points);
    cli_progress(s->common->quiet, s->in.size > 0. ? s->in.read / s->in.size : -1., text);
}

static int read_line(session *s, char *line, size_t length)
{
    double numbers[LINE_NUMBERS];
    char reason[BG_MESSAGE_LENGTH];
    int n_out;
    const int row = s->in.array.row > 0;
    switch (row ? row_parse(line, length, numbers, &n_out, reason, sizeof reason)
                : line_parse(line, length, numbers, &n_out, reason, sizeof reason)) {
    case LINE_POINT: return add_point(s, n_out, numbers);
    case LINE_BAD: s->event++; return bad_line(s, n_out, reason);
    case LINE_EMPTY: break;
    }
    return CLI_DONE;
}

static int read_points(session *s)
{
    reader *in = &s->in;
    int status = CLI_DONE;
    while (status == CLI_DONE && !cli_interrupted()) {
        char *line;
        size_t length;
        if (reader_take(in, &line, &length)) {
            status = read_line(s, line, length);
            show_progress(s);
            continue;
        }
        if (in->array.trouble[0]) {
            (void)flush_batch(s); /* what was read is still answered */
            cli_message(NAME, "%s: %s", in->title, in->array.trouble);
            return CLI_USAGE;
        }
        if (in->ended) break;
        if (!reader_is_ready(in)) status = flush_batch(s);
        const int reason = status == CLI_DONE && !cli_interrupted() ? reader_read(in) : 0;
        if (reason && reason != EINTR) {
            (void)flush_batch(s); /* what was read is still answered */
            cli_message(NAME, "cannot read %s: %s", in->title, strerror(reason));
            return CLI_FAILED;
        }
    }
    if (status == CLI_DONE) status = flush_batch(s);
    cli_progress_clear();
    if (status == CLI_DONE && cli_interrupted()) {
        cli_message(NAME, "interrupted after %lu points", s->points);
        return CLI_INTERRUPTED;
    }
    return status == CLI_DONE && s->bad_lines ? CLI_USAGE : status;
}

/* ---- unstable points --------------------------------------------------------------------------------- */

static bg_stability total_stability(const session *s)
{
    bg_stability total, one;
    bg_stability_init(&total);
    bg_stability_init(&one);
    for (int n = 0; n <= BG_MAX_OUT_DRESSED; n++) {
        if (!s->evaluator[n]) continue;
        if (bg_evaluator_stability(s->evaluator[n], &one, NULL) != BG_OK) continue;
        total.points += one.points;
        total.unstable += one.unstable;
        total.rescued += one.rescued;
    }
    return total;
}

/* Mere information where all of them were evaluated again. */
static void tell_stability(const bg_stability *found, int quiet)
{
    if (!found->unstable || (quiet && found->rescued == found->unstable)) return;
    char rest[160] = "";
    if (found->rescued < found->unstable)
        snprintf(rest, sizeof rest, "; %llu were not: they would take minutes each, or 128-bit floats are not built in",
                 (unsigned long long)(found->unstable - found->rescued));
    cli_message(
        NAME,
        "%llu of %llu points (%.3g %%) are unstable in double precision, %llu were evaluated again in 128-bit floats%s",
        (unsigned long long)found->unstable, (unsigned long long)found->points,
        100. * (double)found->unstable / (double)found->points, (unsigned long long)found->rescued, rest);
}

/* How each n_out was evaluated. */
static void tell_choices(session *s)
{
    json_open(&s->json, "algorithms", '[');
    for (int n = 0; n <= BG_MAX_OUT_DRESSED; n++) {
        if (!s->evaluator[n]) continue;
        const bg_options *o = bg_evaluator_options(s->evaluator[n]);
        json_open(&s->json, NULL, '{');
        json_integer(&s->json, "n_out", n);
        cli_json_axes(&s->json, o);
        json_close(&s->json);
    }
    json_close(&s->json);
}

/* ---- the command ------------------------------------------------------------------------------------- */

static int allocate(batch *b)
{
    b->momenta = malloc(LARGEST_BATCH * LINE_NUMBERS * sizeof *b->momenta);
    b->me2 = malloc(LARGEST_BATCH * sizeof *b->me2);
    b->uncertainty = malloc(LARGEST_BATCH * sizeof *b->uncertainty);
    b->line = malloc(LARGEST_BATCH * sizeof *b->line);
    if (b->momenta && b->me2 && b->uncertainty && b->line) return CLI_DONE;
    cli_message(NAME, "no memory for a batch of points");
    return CLI_FAILED;
}

static void release(session *s)
{
    for (int n = 0; n <= BG_MAX_OUT_DRESSED; n++) bg_evaluator_destroy(s->evaluator[n]);
    bg_process_destroy(s->process);
    free(s->batch.momenta);
    free(s->batch.me2);
    free(s->batch.uncertainty);
    free(s->batch.line);
    reader_close(&s->in);
}

int command_me(int argc, char **argv)
{
    session s;
    cli_common common;
    int status;
    memset(&s, 0, sizeof s);
    s.in.file = -1;
    s.asked = (cli_process)CLI_PROCESS_NONE;
    const cli_option own[] = {
        CLI_PROCESS_OPTION(&s.asked),
        {.name = "keep-going",
         .kind = CLI_KIND_FLAG,
         .target = &s.keep_going,
         .help = "print nan for a bad line and go on (the exit status is still 2)"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = NAME,
        .operands = "[FILE]",
        .summary = "|M|^2 at given points, one number per line.",
        .details =
            "FILE (or standard input, also \"-\") has one point per line: E px py pz of each parton in GeV, the two\n"
            "incoming ones first, physical energies, blanks or commas between them; # starts a comment, and no line "
            "is\n"
            "longer than 4 MiB. Without --process all are gluons, as many as the line has. Files of numpy.save() are "
            "taken as well:\n"
            "doubles of the shape (points, n, 4) or (points, 4 n). |M|^2 is summed over helicities and colors,\n"
            "averaged over incoming ones, divided by k! for k identical outgoing partons.",
        .own = own,
        .algorithm = 1,
        .max_operands = 1,
    };
    if (cli_parse(&command, argc, argv, &common, &status)) return status;
    s.common = &common;
    status = cli_check_given(&command, &common);
    if (status == CLI_DONE) status = cli_check_axes(&command, &common.options);
    if (status == CLI_DONE && s.asked.text) status = cli_process_make(NAME, &s.asked, &s.process);
    cli_process_recursion(&common, s.process);
    if (status == CLI_DONE && !common.operand_count && !common.quiet && isatty(STDIN_FILENO))
        cli_message(NAME,
                    "points are read from standard input: one per line, Ctrl-D ends them (see blockgen me --help)");
    const int reason = status == CLI_DONE ? reader_open(&s.in, common.operand_count ? common.operands[0] : NULL) : 0;
    if (reason) {
        cli_message(NAME, "cannot open %s: %s", s.in.title, strerror(reason));
        status = CLI_FAILED;
    }
    if (status == CLI_DONE) status = allocate(&s.batch);
    if (status == CLI_DONE) {
        if (common.json) {
            s.json = json_start(stdout);
            json_open(&s.json, NULL, '{');
            json_text(&s.json, "version", bg_version());
            if (s.asked.text)
                json_text(&s.json, "process", s.asked.text);
            else
                json_null(&s.json, "process");
            json_open(&s.json, "points", '[');
        }
        status = read_points(&s);
        const bg_stability found = total_stability(&s);
        tell_stability(&found, common.quiet);
        if (common.json) {
            json_close(&s.json);
            json_unsigned(&s.json, "unstable", found.unstable);
            json_unsigned(&s.json, "rescued", found.rescued);
            tell_choices(&s);
            json_close(&s.json);
        }
    }
    release(&s);
    return status;
}
