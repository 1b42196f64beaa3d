/* blockgen bench: time and memory of every algorithm x kernel x n_out x backend.
 *
 * The list: the paper's five algorithms, and the color sum with one sampled helicity configuration, each with the
 * paper's kernel and, where there is one, the fast kernel. Options take entries out of the list. What would take
 * too long is found out from one point at smaller n_out, and is skipped with a note.
 */
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/jsonread.h"
#include "cli/machine.h"
#include "cli/measure.h"
#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "bench"
#define PATIENCE 20.   /* times --seconds: what one repetition may take */
enum { SAFE_OUT = 5 }; /* largest n_out where nothing takes long enough to ask first */

enum { STAGE_ME, STAGE_AMPLITUDES, STAGE_COLOR_SUM, STAGE_EVENT, STAGE_PHASE_SPACE, STAGE_CUTS, STAGES };
static const char *const stage_words[] = {"me", "amplitudes", "color-sum", "event", "phase-space", "cuts", "all", NULL};

/* ---- the list ------------------------------------------------------------------------------------------- */

static const struct {
    bg_algorithm algorithm;
    bg_helicity helicity;
} standard[] = {
    {BG_ALGORITHM_TESS, BG_HELICITY_SAMPLED},  {BG_ALGORITHM_LC, BG_HELICITY_SUMMED},
    {BG_ALGORITHM_CO_SUM, BG_HELICITY_SUMMED}, {BG_ALGORITHM_CO_SUM, BG_HELICITY_SAMPLED},
    {BG_ALGORITHM_CO_MC, BG_HELICITY_SUMMED},  {BG_ALGORITHM_CD_MC, BG_HELICITY_SAMPLED},
};
enum {
    STANDARD = sizeof standard / sizeof *standard,
    MOST_BACKENDS = 4,
    MOST_QUESTIONS = 2 * STANDARD * MOST_BACKENDS
};

/* One algorithm with one kernel on one backend, at every n_out of the run. */
typedef struct question {
    bg_algorithm algorithm;
    bg_options options;
    double one[BG_MAX_OUT_DRESSED + 1]; /* seconds of a single point at each n_out, 0: not known */
    int absent;                         /* there is no such kernel: the paper's runs, and that is in the list already */
} question;

/* One question at one n_out. */
typedef struct row {
    int n_out;
    bg_algorithm algorithm;
    bg_options options; /* as resolved */
    bg_memory memory;
    measurement stage[STAGES];
    char variant[192]; /* options beyond the axes, "" for none */
    bg_operations operations;
    double speedup; /* over the paper's kernel in this run, 0: not known */
    double old_ns[STAGES];
    int slower[STAGES];
} row;

typedef struct skip {
    int n_out, stage; /* -1: all stages */
    bg_algorithm algorithm;
    bg_options options;
    bg_status status;
    char reason[BG_MESSAGE_LENGTH];
} skip;

/* The points of a backend are the same for all its algorithms: measured once at each n_out. */
typedef struct points_of_backend {
    char backend[16];
    int n_out;
    measurement phase_space, cuts;
} points_of_backend;

typedef struct bench {
    cli_common common;
    cli_range range; /* of n_out */
    int stage;
    double seconds, tolerance;
    const char *label, *compare;
    json_value *old;
    machine machine;
    question questions[MOST_QUESTIONS];
    int question_count;
    int on_chip; /* a backend may use memory on chip: show it */
    points_of_backend points[MOST_BACKENDS];
    row *rows;
    int row_count;
    skip *skips;
    int skip_count;
    int slower, compared;
} bench;

static int wants(const bench *b, int stage) { return b->stage == STAGES || b->stage == stage; }

/* Whether the axes that were given leave this entry in the list; sets its options. */
static int admit(const bench *b, int k, bg_kernel kernel, const char *backend, question *q)
{
    const cli_common *c = &b->common;
    memset(q, 0, sizeof *q);
    q->algorithm = standard[k].algorithm;
    q->options = c->options;
    if (c->algorithm >= 0 && (bg_algorithm)c->algorithm != q->algorithm) return 0;
    bg_options *o = &q->options;
    bg_options_set_algorithm(o, q->algorithm, NULL);
    o->rescue = 0; /* the kernels are measured, not the watch over them */
    if (c->algorithm >= 0) o->layout = c->options.layout;
    if (c->algorithm < 0 && c->options.layout == BG_LAYOUT_COOPERATIVE && o->layout != BG_LAYOUT_COOPERATIVE) return 0;
    if (c->given & CLI_GIVEN_COLOR && o->color != c->options.color) return 0;
    if (c->given & CLI_GIVEN_RECURSION && o->recursion != c->options.recursion) return 0;
    if (c->given & CLI_GIVEN_HELICITY) {
        /* imposed on every algorithm, once */
        o->helicity = c->options.helicity;
        if (k && standard[k - 1].algorithm == q->algorithm) return 0;
    } else {
        o->helicity = standard[k].helicity;
    }
    if (c->given & CLI_GIVEN_KERNEL && kernel != c->options.kernel) return 0;
    o->kernel = kernel;
    snprintf(o->backend, sizeof o->backend, "%s", backend);
    return 1;
}

static bg_status makes_sense(const question *q, int n_out, bg_error *error)
{
    bg_plan plan;
    bg_process *process = NULL;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_plan_create(&plan, process, &q->options, error);
    bg_process_destroy(process);
    return status;
}

static int make_list(bench *b, const cli_command *command)
{
    bg_error error = {BG_OK, ""}, last = {BG_OK, ""};
    int backends = 0;
    for (int w = 0; bg_backend_name(w) && backends < MOST_BACKENDS; w++) {
        char description[128];
        const char *name = bg_backend_name(w);
        if (strcmp(b->common.options.backend, "auto") && strcmp(b->common.options.backend, name)) continue;
        if (bg_backend_probe(name, description, sizeof description, &error) != BG_OK) {
            cli_message(NAME, "backend %s is left out: %s", name, error.message);
            continue;
        }
        backends++;
        b->on_chip |= strcmp(name, "cpu") != 0;
        for (int k = 0; k < STANDARD; k++)
            for (int kernel = BG_KERNEL_PAPER; kernel >= BG_KERNEL_FAST; kernel--) {
                question q;
                if (!admit(b, k, (bg_kernel)kernel, name, &q)) continue;
                /* refinements such as the vertex also take out what they make no sense for */
                const int n_out = q.options.helicity == BG_HELICITY_FIXED ? b->range.low : BG_MIN_OUT;
                if (makes_sense(&q, n_out, &last) != BG_OK) continue;
                b->questions[b->question_count++] = q;
            }
    }
    if (!backends) {
        cli_message(NAME, "no backend can run here: %s", error.message);
        return CLI_FAILED;
    }
    if (b->question_count) return CLI_DONE;
    if (last.status != BG_OK) {
        cli_message(NAME, "%s", last.message);
        return cli_exit_status(last.status);
    }
    const int status = cli_check_axes(command, &b->common.options);
    if (status != CLI_DONE) return status;
    cli_message(NAME,
                "none of the algorithms tess, lc, co-sum, co-mc and cd-mc that are left has the axes that were given");
    return CLI_USAGE;
}

/* ---- an earlier run ------------------------------------------------------------------------------------- */

static int read_old(bench *b)
{
    char why[160];
    if (!b->compare) return CLI_DONE;
    b->old = json_read_file(b->compare, why, sizeof why);
    if (!b->old) {
        cli_message(NAME, "%s: %s", b->compare, why);
        return strncmp(why, "cannot read", 11) ? CLI_USAGE : CLI_FAILED;
    }
    const json_value *results = json_member(b->old, "results");
    if (results && results->kind == JSON_ARRAY) return CLI_DONE;
    cli_message(NAME, "%s: not a result of blockgen bench --json: it has no array \"results\"", b->compare);
    return CLI_USAGE;
}

static int same_text(const json_value *r, const char *key, const char *text)
{
    return !strcmp(json_string(json_member(r, key), ""), text);
}

static const json_value *find_old(const bench *b, const row *w, int stage)
{
    const json_value *results = json_member(b->old, "results");
    const bg_options *o = &w->options;
    for (const json_value *r = results ? results->first : NULL; r; r = r->next)
        if ((int)json_number(json_member(r, "n_out"), 0.) == w->n_out &&
            (int)json_number(json_member(r, "threads"), 0.) == o->threads &&
            same_text(r, "algorithm", bg_algorithm_name(w->algorithm)) &&
            same_text(r, "color", cli_color_words[o->color]) &&
            same_text(r, "recursion", cli_recursion_words[o->recursion]) &&
            same_text(r, "helicity", cli_helicity_word(o)) && same_text(r, "kernel", cli_kernel_words[o->kernel]) &&
            same_text(r, "backend", o->backend) && same_text(r, "stage", stage_words[stage]) &&
            same_text(r, "variant", w->variant))
            return r;
    return NULL;
}

/* Slower: by more than the tolerance, and by more than the scatter of the two medians explains. */
static void compare_with_old(bench *b, row *w)
{
    for (int s = 0; s < STAGES && b->old; s++) {
        const measurement *m = &w->stage[s];
        const json_value *r = m->repetitions && wants(b, s) ? find_old(b, w, s) : NULL;
        const double ns = json_number(json_member(r, "ns_per_event"), 0.);
        if (!(ns > 0.)) continue;
        const double spread = m->spread + json_number(json_member(r, "spread"), 0.);
        w->old_ns[s] = ns;
        w->slower[s] = m->ns / ns > 1. + b->tolerance && m->ns / ns > 1. + 3. * spread;
        b->slower += w->slower[s];
        b->compared++;
    }
}

/* ---- roofline -------------------------------------------------------------------------------------------- */

/* Floating-point operations of a stage for each event, 0: not counted. */
static double operations_of(const row *w, int stage)
{
    const bg_operations *o = &w->operations;
    return stage == STAGE_ME           ? o->amplitudes + o->color_sum
           : stage == STAGE_AMPLITUDES ? o->amplitudes
           : stage == STAGE_COLOR_SUM  ? o->color_sum
                                       : 0.;
}

static double gflops_of(const row *w, int stage)
{
    const measurement *m = &w->stage[stage];
    return m->repetitions ? operations_of(w, stage) / m->ns : 0.;
}

/* The time that the hardware would take at best for the operations and for the bytes of a stage, over the time that it
 * took. 0: not known. */
static double roofline_share(const bench *b, const row *w, int stage)
{
    const bg_roofline *r = machine_roofline(&b->machine, w->options.backend);
    const bg_operations *o = &w->operations;
    const measurement *m = &w->stage[stage];
    const int all = w->options.threads >= r->threads;
    const double gflops = all ? r->gflops[1] : w->options.threads * r->gflops[0];
    const double gigabytes = all ? r->gigabytes[1] : w->options.threads * r->gigabytes[0];
    const double color_gflops = o->tensor && r->tensor_gflops > 0. ? r->tensor_gflops : gflops;
    if (!m->repetitions || !(operations_of(w, stage) > 0.) || !(gflops > 0.)) return 0.;
    double ns = 0.;
    if (stage != STAGE_COLOR_SUM) ns += o->amplitudes / gflops;
    if (stage != STAGE_AMPLITUDES) ns += o->color_sum / color_gflops;
    if (stage == STAGE_ME && gigabytes > 0. && o->bytes / gigabytes > ns) ns = o->bytes / gigabytes;
    return ns / m->ns;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static const char *with_unit(char *text, size_t size, double x, const char *const *units, double step)
{
    int k = 0;
    while (x >= 999.5 && units[k + 1]) {
        x /= step;
        k++;
    }
    snprintf(text, size, x < 9.995 ? "%.2f %s" : x < 99.95 ? "%.1f %s" : "%.0f %s", x, units[k]);
    return text;
}

static const char *time_text(char text[24], const measurement *m)
{
    static const char *const units[] = {"ns", "us", "ms", "s ", NULL};
    if (!m->repetitions) return strcpy(text, "-");
    return with_unit(text, 24, m->ns, units, 1e3);
}

static const char *bytes_text(char text[24], size_t bytes)
{
    static const char *const units[] = {"B ", "kB", "MB", "GB", NULL};
    if (bytes < 1000) {
        snprintf(text, 24, "%d B ", (int)bytes);
        return text;
    }
    return with_unit(text, 24, (double)bytes, units, 1e3);
}

static const char *number_text(char text[24], const char *format, double x)
{
    if (!(x > 0.)) return strcpy(text, "-");
    snprintf(text, 24, format, x);
    return text;
}

static void print_machine(const bench *b)
{
    char description[128], text[24];
    const machine *m = &b->machine;
    printf("blockgen %s on %s, %d core%s, %s; %s; %s\n", bg_version(), m->cpu, m->cores, m->cores == 1 ? "" : "s",
           bytes_text(text, m->bytes), m->system, m->compiler);
    for (int k = 0; bg_backend_name(k); k++)
        if (bg_backend_probe(bg_backend_name(k), description, sizeof description, NULL) == BG_OK)
            printf("backend %s: %s\n", bg_backend_name(k), description);
    for (int k = 0; bg_backend_name(k); k++) {
        const bg_roofline *r = machine_roofline(m, bg_backend_name(k));
        if (!(r->gflops[1] > 0.)) continue;
        printf("measured on %s: %.1f GFLOP/s (FP64 multiply-adds) and %.1f GB/s", bg_backend_name(k), r->gflops[1],
               r->gigabytes[1]);
        if (r->tensor_gflops > 0.) printf(", %.1f GFLOP/s on tensor cores", r->tensor_gflops);
        if (r->threads > 1) printf("; with one thread %.1f GFLOP/s and %.1f GB/s", r->gflops[0], r->gigabytes[0]);
        printf("\n");
    }
    if (b->label) printf("label: %s\n", b->label);
}

static void print_group(const bench *b, int n_out)
{
    printf("\ng g -> %d g\n", n_out);
    printf("  %-6s %-8s %-6s %-4s %3s  %7s %4s  %7s %7s  %7s %4s %5s  %7s %7s %4s  %5s %4s  %7s %s%7s %7s  %10s\n",
           "algo", "helicity", "kernel", "on", "thr", "me", "+-", "ampl.", "color", "event", "+-", "ev/me", "ph.sp.",
           "cuts", "eff.", "GF/s", "roof", "B/event", b->on_chip ? " on chip " : "", "shared", "batch", "fast:paper");
}

static const char *spread_text(char text[24], const measurement *m)
{
    text[0] = '\0';
    if (m->repetitions) snprintf(text, 24, m->spread < 0.0995 ? "%.1f%%" : "%.0f%%", 100. * m->spread);
    return text;
}

static void print_row(const bench *b, const row *w)
{
    char time[STAGES][24], per_event[24], chip[32], shared[24], spread[2][24], ratio[24], efficiency[24], rate[24],
        roof[24], speedup[24];
    const measurement *m = w->stage;
    const int both = m[STAGE_ME].repetitions && m[STAGE_EVENT].repetitions;
    const double gflops = gflops_of(w, STAGE_ME);
    for (int k = 0; k < STAGES; k++) time_text(time[k], &m[k]);
    if (b->on_chip) snprintf(chip, sizeof chip, " %7s ", bytes_text(shared, w->memory.on_chip));
    printf("  %-6s %-8s %-6s %-4s %3d  %7s %4s  %7s %7s  %7s %4s %5s  %7s %7s %4s  %5s %4s  %7s %s%7s %7zu  %10s\n",
           bg_algorithm_name(w->algorithm), cli_helicity_word(&w->options), cli_kernel_words[w->options.kernel],
           w->options.backend, w->options.threads, time[STAGE_ME], spread_text(spread[0], &m[STAGE_ME]),
           time[STAGE_AMPLITUDES], time[STAGE_COLOR_SUM], time[STAGE_EVENT], spread_text(spread[1], &m[STAGE_EVENT]),
           number_text(ratio, "%.2f", both ? m[STAGE_EVENT].ns / m[STAGE_ME].ns : 0.), time[STAGE_PHASE_SPACE],
           time[STAGE_CUTS],
           number_text(efficiency, "%.0f%%",
                       100. * m[m[STAGE_EVENT].repetitions ? STAGE_EVENT : STAGE_PHASE_SPACE].efficiency),
           number_text(rate, gflops < 999.95 ? "%.1f" : "%.0f", gflops),
           number_text(roof, "%.0f%%", 100. * roofline_share(b, w, STAGE_ME)),
           bytes_text(per_event, w->memory.per_event), b->on_chip ? chip : "", bytes_text(shared, w->memory.shared),
           w->memory.batch, number_text(speedup, "%.1f x", w->speedup));
    if (*w->variant) printf("            (%s)\n", w->variant);
    for (int s = 0; s < STAGES; s++)
        if (w->slower[s])
            printf("            SLOWER: %s takes %.2f times as long as in %s\n", stage_words[s], m[s].ns / w->old_ns[s],
                   b->compare);
}

static void print_skip(const skip *s)
{
    printf("  %-6s %-8s %-6s %-4s      %s%sskipped: %s\n", bg_algorithm_name(s->algorithm),
           cli_helicity_word(&s->options), cli_kernel_words[s->options.kernel], s->options.backend,
           s->stage < 0 ? "" : stage_words[s->stage], s->stage < 0 ? "" : " ", s->reason);
}

static void print_end(const bench *b)
{
    printf(
        "\nTimes are medians, +- their median absolute deviation. me: one |M|^2 of a point that is there; ampl., "
        "color: "
        "its\namplitudes and its color sum. event: random numbers, phase space, cuts, |M|^2 and sums for one point "
        "inside the\ncuts; ph.sp., cuts: its parts before |M|^2, with the trials that fail (eff.: share that passes). "
        "roof: share of what\nthe measured rates and the operations of me allow.\n");
    if (b->old)
        printf("%d of %d entries are slower than in %s by more than %.0f %%.\n", b->slower, b->compared, b->compare,
               100. * b->tolerance);
    if (b->skip_count) printf("%d skipped.\n", b->skip_count);
}

/* ---- JSON ----------------------------------------------------------------------------------------------- */

static void json_axes(json *j, int n_out, bg_algorithm algorithm, const bg_options *o)
{
    json_integer(j, "n_out", n_out);
    json_text(j, "algorithm", bg_algorithm_name(algorithm));
    json_text(j, "color", cli_color_words[o->color]);
    json_text(j, "recursion", cli_recursion_words[o->recursion]);
    json_text(j, "helicity", cli_helicity_word(o));
    json_text(j, "kernel", cli_kernel_words[o->kernel]);
    json_text(j, "backend", o->backend);
    json_integer(j, "threads", o->threads);
}

static void json_optional(json *j, const char *key, double x)
{
    if (x > 0.)
        json_real(j, key, x);
    else
        json_null(j, key);
}

static void json_result(const bench *b, json *j, const row *w, int stage)
{
    const measurement *m = &w->stage[stage];
    json_open(j, NULL, '{');
    json_axes(j, w->n_out, w->algorithm, &w->options);
    json_text(j, "stage", stage_words[stage]);
    json_real(j, "ns_per_event", m->ns);
    json_unsigned(j, "bytes_per_event", w->memory.per_event);
    json_unsigned(j, "bytes_shared", w->memory.shared);
    json_unsigned(j, "batch", m->batch);
    json_unsigned(j, "bytes_on_chip", w->memory.on_chip);
    json_unsigned(j, "bytes_stack", w->memory.stack);
    json_real(j, "spread", m->spread);
    json_integer(j, "repetitions", m->repetitions);
    json_unsigned(j, "events_per_repetition", m->events);
    json_optional(j, "efficiency", m->efficiency);
    json_optional(j, "flops_per_event", operations_of(w, stage));
    json_optional(j, "bytes_moved_per_event", stage == STAGE_ME ? w->operations.bytes : 0.);
    json_optional(j, "gflops", gflops_of(w, stage));
    json_optional(j, "roofline", roofline_share(b, w, stage));
    json_optional(j, "speedup_over_paper", stage == STAGE_ME ? w->speedup : 0.);
    json_text(j, "variant", w->variant);
    if (b->old) {
        json_optional(j, "old_ns_per_event", w->old_ns[stage]);
        json_bool(j, "slower", w->slower[stage]);
    }
    json_close(j);
}

static void print_json(const bench *b)
{
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    json_text(&j, "label", b->label);
    json_real(&j, "seconds_per_entry", b->seconds);
    machine_json(&b->machine, &j, "machine");
    json_open(&j, "results", '[');
    for (int k = 0; k < b->row_count; k++)
        for (int s = 0; s < STAGES; s++)
            if (b->rows[k].stage[s].repetitions && wants(b, s)) json_result(b, &j, &b->rows[k], s);
    json_close(&j);
    json_open(&j, "skipped", '[');
    for (int k = 0; k < b->skip_count; k++) {
        const skip *s = &b->skips[k];
        json_open(&j, NULL, '{');
        json_axes(&j, s->n_out, s->algorithm, &s->options);
        json_text(&j, "stage", s->stage < 0 ? NULL : stage_words[s->stage]);
        json_text(&j, "reason", s->reason);
        json_close(&j);
    }
    json_close(&j);
    if (b->old) {
        json_text(&j, "compared_with", b->compare);
        json_real(&j, "tolerance", b->tolerance);
        json_integer(&j, "compared", b->compared);
        json_integer(&j, "slower", b->slower);
    }
    json_bool(&j, "interrupted", cli_interrupted());
    json_close(&j);
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

/* What sets an evaluator apart beyond the axes of the contract. */
static void describe_variant(const bg_options *o, bg_algorithm algorithm, char *text, size_t size)
{
    bg_options preset = *o;
    const char *word[6];
    char samples[32];
    int count = 0;
    bg_options_set_algorithm(&preset, algorithm, NULL);
    if (o->vertex != BG_VERTEX_QUARTIC) word[count++] = "vertex tensor";
    if (o->decomposition != BG_DECOMPOSITION_ADJOINT) word[count++] = "decomposition trace";
    if (o->orderings != BG_ORDERINGS_ALL) word[count++] = "orderings one";
    if (o->layout != preset.layout)
        word[count++] = o->layout == BG_LAYOUT_EVENTS ? "layout events" : "layout cooperative";
    if (o->color_sampling == BG_SAMPLE_DISCRETE) word[count++] = "color-sampling discrete";
    if (o->samples > 1) {
        snprintf(samples, sizeof samples, "samples %d", o->samples);
        word[count++] = samples;
    }
    text[0] = '\0';
    for (int k = 0; k < count; k++) snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? ", " : "", word[k]);
    if (o->helicity == BG_HELICITY_SAMPLED && o->helicity_sampling != BG_SAMPLE_ANGLE)
        snprintf(text + strlen(text), size - strlen(text), "%shelicity-sampling %s", count ? ", " : "",
                 cli_helicity_sampling_words[o->helicity_sampling]);
}

static void add_skip(bench *b, int n_out, const question *q, int stage, bg_status status, const char *reason)
{
    skip *s = &b->skips[b->skip_count++];
    s->n_out = n_out;
    s->stage = stage;
    s->algorithm = q->algorithm;
    s->options = q->options;
    s->status = status;
    snprintf(s->reason, sizeof s->reason, "%s", reason);
}

static bg_status create_evaluator(const bench *b, question *q, int n_out, bg_evaluator **e, bg_error *error)
{
    bg_process *process = NULL;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_evaluator_create_for_integration(e, process, &q->options, error);
    bg_process_destroy(process);
    if (status == BG_OK && bg_evaluator_options(*e)->kernel != q->options.kernel &&
        !(b->common.given & CLI_GIVEN_KERNEL))
        q->absent = 1;
    return status;
}

/* Seconds that one point will take at n_out at least, from smaller n_out: the factor from one to the next grows. 0: no
 * reason to worry. */
static double foresee(const bench *b, question *q, int n_out, double limit)
{
    if (n_out <= SAFE_OUT) return 0.;
    for (int m = SAFE_OUT - 1; m < n_out; m++) {
        if (q->one[m] > 0.) continue;
        const double coming = foresee(b, q, m, limit);
        bg_evaluator *e = NULL;
        measure_setting s;
        if (coming > limit) return coming;
        if (cli_interrupted() || create_evaluator(b, q, m, &e, NULL) != BG_OK) return 0.;
        if (!q->absent && measure_setting_create(&s, m, 0, NULL) == BG_OK) {
            if (measure_one(e, &s, &q->one[m], NULL) != BG_OK) q->one[m] = 0.;
            measure_setting_destroy(&s);
        }
        bg_evaluator_destroy(e);
        if (q->absent) return 0.;
    }
    const double last = q->one[n_out - 1], before = q->one[n_out - 2];
    return before > 0. && last > before ? last * last / before : last;
}

static void say_too_long(char text[128], double seconds, double limit)
{
    snprintf(text, 128, "one batch would take %.2g s or more, the limit is %.3g s (20 times --seconds)", seconds,
             limit);
}

/* `expected`: seconds of an event. */
static void measure_event_of_row(bench *b, question *q, bg_evaluator *e, measure_setting *s, double expected, row *w)
{
    const double limit = PATIENCE * b->seconds;
    measurement before; /* measured by itself, see below */
    bg_error error;
    char text[128];
    if (!wants(b, STAGE_EVENT)) return;
    if (64. * expected > limit) {
        say_too_long(text, 64. * expected, limit);
        add_skip(b, s->n_out, q, STAGE_EVENT, BG_OK, text);
        return;
    }
    const bg_status status = measure_event(e, s, b->seconds, limit, &w->stage[STAGE_EVENT], &before, &error);
    if (status != BG_OK) add_skip(b, s->n_out, q, STAGE_EVENT, status, error.message);
}

static void measure_points_of_row(bench *b, question *q, bg_evaluator *e, measure_setting *s, row *w)
{
    points_of_backend *p = b->points;
    bg_error error;
    if (cli_interrupted() || !(wants(b, STAGE_PHASE_SPACE) || wants(b, STAGE_CUTS))) return;
    while (p->backend[0] && strcmp(p->backend, w->options.backend)) p++;
    if (p->n_out != s->n_out) {
        const bg_status status = measure_points(e, s, b->seconds, &p->phase_space, &p->cuts, &error);
        if (status != BG_OK) {
            add_skip(b, s->n_out, q, STAGE_PHASE_SPACE, status, error.message);
            return;
        }
        snprintf(p->backend, sizeof p->backend, "%s", w->options.backend);
        p->n_out = s->n_out;
    }
    w->stage[STAGE_PHASE_SPACE] = p->phase_space;
    w->stage[STAGE_CUTS] = p->cuts;
    if (b->stage == STAGE_CUTS && !p->cuts.repetitions)
        add_skip(b, s->n_out, q, STAGE_CUTS, BG_OK, "the time of the cuts is lost in the noise of that of the points");
}

/* Measures the stages that are wanted. Returns 1 when there is a row. */
static int measure_row(bench *b, question *q, bg_evaluator *e, measure_setting *s, row *w)
{
    const double limit = PATIENCE * b->seconds;
    const int selects = bg_plan_selects_helicities(bg_evaluator_plan(e));
    char text[128];
    bg_error error;
    bg_status status = measure_one(e, s, &q->one[s->n_out], &error);
    if (status != BG_OK) {
        add_skip(b, s->n_out, q, -1, status, error.message);
        return 0;
    }
    if (q->one[s->n_out] > limit) {
        say_too_long(text, q->one[s->n_out], limit);
        add_skip(b, s->n_out, q, -1, BG_OK, text);
        return 0;
    }
    double expected = q->one[s->n_out] / 8.; /* of an event */
    if (wants(b, STAGE_ME)) {
        if (selects)
            add_skip(b, s->n_out, q, STAGE_ME, BG_ERROR_UNSUPPORTED, "these helicities are learned while integrating");
        else if ((status = measure_me(e, s, b->seconds, limit, &w->stage[STAGE_ME], &error)) != BG_OK)
            add_skip(b, s->n_out, q, STAGE_ME, status, error.message);
        else
            expected = 1e-9 * w->stage[STAGE_ME].ns;
    }
    if ((wants(b, STAGE_AMPLITUDES) || wants(b, STAGE_COLOR_SUM)) && !selects && !cli_interrupted()) {
        status =
            measure_stages(e, s, b->seconds, limit, &w->stage[STAGE_AMPLITUDES], &w->stage[STAGE_COLOR_SUM], &error);
        if (status != BG_OK)
            add_skip(b, s->n_out, q, STAGE_AMPLITUDES, status, error.message);
        else if (b->stage != STAGES && !w->stage[b->stage].repetitions)
            add_skip(b, s->n_out, q, b->stage, BG_ERROR_UNSUPPORTED, "amplitudes and color sum are not apart");
    }
    if ((wants(b, STAGE_EVENT) || wants(b, STAGE_PHASE_SPACE) || wants(b, STAGE_CUTS)) && !cli_interrupted()) {
        if (w->options.samples > 1) {
            add_skip(b, s->n_out, q, STAGE_EVENT, BG_ERROR_UNSUPPORTED,
                     "an integration makes one draw a point, not --samples");
        } else {
            measure_event_of_row(b, q, e, s, expected, w);
            measure_points_of_row(b, q, e, s, w);
        }
    }
    for (int k = 0; k < STAGES; k++)
        if (!wants(b, k)) w->stage[k].repetitions = 0;
    int measured = 0;
    for (int k = 0; k < STAGES; k++) measured |= w->stage[k].repetitions;
    return measured;
}

/* The time of the paper's kernel over that of the fast one, from the rows so far. */
static double speedup_of(const bench *b, const row *w)
{
    const bg_options *o = &w->options;
    if (o->kernel != BG_KERNEL_FAST || !w->stage[STAGE_ME].repetitions) return 0.;
    for (int k = 0; k < b->row_count; k++) {
        const row *p = &b->rows[k];
        if (p->n_out == w->n_out && p->algorithm == w->algorithm && p->options.helicity == o->helicity &&
            p->options.kernel == BG_KERNEL_PAPER && !strcmp(p->options.backend, o->backend) &&
            p->stage[STAGE_ME].repetitions)
            return p->stage[STAGE_ME].ns / w->stage[STAGE_ME].ns;
    }
    return 0.;
}

static void run_question(bench *b, question *q, measure_setting *s)
{
    const double limit = PATIENCE * b->seconds;
    char text[128];
    bg_evaluator *e = NULL;
    bg_error error;
    bg_status status = makes_sense(q, s->n_out, &error);
    if (status != BG_OK) {
        const int once = q->options.kernel == BG_KERNEL_PAPER || b->common.given & CLI_GIVEN_KERNEL;
        if (once || bg_options_want_fast(&q->options)) add_skip(b, s->n_out, q, -1, status, error.message);
        return;
    }
    q->absent = 0;
    const double coming = foresee(b, q, s->n_out, limit);
    if (q->absent || cli_interrupted()) return;
    if (coming > limit) {
        say_too_long(text, coming, limit);
        add_skip(b, s->n_out, q, -1, BG_OK, text);
        return;
    }
    status = create_evaluator(b, q, s->n_out, &e, &error);
    if (status != BG_OK) {
        add_skip(b, s->n_out, q, -1, status, error.message);
        return;
    }
    if (q->absent) {
        bg_evaluator_destroy(e);
        return;
    }
    row w = {.n_out = s->n_out,
             .algorithm = q->algorithm,
             .options = *bg_evaluator_options(e),
             .memory = bg_evaluator_memory(e),
             .operations = bg_evaluator_operations(e)};
    if (measure_row(b, q, e, s, &w)) {
        describe_variant(&w.options, w.algorithm, w.variant, sizeof w.variant);
        w.speedup = speedup_of(b, &w);
        compare_with_old(b, &w);
        b->rows[b->row_count++] = w;
    }
    bg_evaluator_destroy(e);
}

static bg_status run_all(bench *b, bg_error *error)
{
    const int total = (b->range.high - b->range.low + 1) * b->question_count;
    bg_status status = BG_OK;
    int done = 0;
    for (int n_out = b->range.low; n_out <= b->range.high && status == BG_OK && !cli_interrupted(); n_out++) {
        measure_setting s;
        status = measure_setting_create(
            &s, n_out, wants(b, STAGE_EVENT) || wants(b, STAGE_PHASE_SPACE) || wants(b, STAGE_CUTS), error);
        if (status != BG_OK) break;
        if (!b->common.json) {
            cli_progress_clear();
            print_group(b, n_out);
        }
        for (int k = 0; k < b->question_count && !cli_interrupted(); k++, done++) {
            question *q = &b->questions[k];
            char text[160];
            snprintf(text, sizeof text, "g g -> %d g, %s, helicity %s, kernel %s, %s", n_out,
                     bg_algorithm_name(q->algorithm), cli_helicity_word(&q->options),
                     cli_kernel_words[q->options.kernel], q->options.backend);
            cli_progress(b->common.quiet, (double)done / total, text);
            const int rows = b->row_count, skips = b->skip_count;
            run_question(b, q, &s);
            if (b->common.json) continue;
            cli_progress_clear();
            if (b->row_count > rows) print_row(b, &b->rows[rows]);
            for (int w = skips; w < b->skip_count; w++) print_skip(&b->skips[w]);
            fflush(stdout);
        }
        measure_setting_destroy(&s);
    }
    return status;
}

/* ---- the command ---------------------------------------------------------------------------------------- */

/* Done, unless a device failed or nothing could be measured at all. */
static int exit_status(const bench *b)
{
    int usage = b->skip_count > 0;
    if (cli_interrupted()) return CLI_INTERRUPTED;
    for (int k = 0; k < b->skip_count; k++) {
        if (b->skips[k].status == BG_ERROR_DEVICE) {
            cli_message(NAME, "%s", b->skips[k].reason);
            return CLI_FAILED;
        }
        usage &= b->skips[k].status == BG_ERROR_UNSUPPORTED || b->skips[k].status == BG_ERROR_ARGUMENT;
    }
    if (b->row_count) return CLI_DONE;
    cli_message(NAME, "nothing was measured: %s", b->skip_count ? b->skips[0].reason : "the list is empty");
    return usage ? CLI_USAGE : CLI_FAILED;
}

/* Whether a backend's roofline is of interest: the CPU's always, it feeds the others. */
static int measures(const bench *b, const char *backend)
{
    int listed = !strcmp(backend, "cpu");
    for (int k = 0; k < b->question_count; k++) listed |= !strcmp(b->questions[k].options.backend, backend);
    return listed;
}

static int run(bench *b, const cli_command *command)
{
    const bg_options *o = &b->common.options;
    if (b->common.given & CLI_GIVEN_HELICITY && o->helicity == BG_HELICITY_FIXED) {
        const int n_out = (int)strlen(o->helicities) - 2;
        if (n_out < b->range.low || n_out > b->range.high) {
            cli_message(NAME, "--helicity %s is for %d outgoing gluons; -n must include them", o->helicities, n_out);
            return CLI_USAGE;
        }
        b->range.low = b->range.high = n_out;
    }
    int code = make_list(b, command);
    if (code == CLI_DONE) code = read_old(b);
    if (code != CLI_DONE) return code;
    const size_t most = (size_t)(b->range.high - b->range.low + 1) * (size_t)b->question_count;
    b->rows = calloc(most, sizeof *b->rows);
    b->skips = calloc(STAGES * most, sizeof *b->skips);
    if (!b->rows || !b->skips) {
        cli_message(NAME, "no memory for %zu results", most);
        return CLI_FAILED;
    }
    bg_error error;
    cli_progress(b->common.quiet, 0., "the machine");
    machine_describe(&b->machine);
    for (int k = 0; bg_backend_name(k); k++)
        if (measures(b, bg_backend_name(k)) && machine_measure(&b->machine, bg_backend_name(k), o->device,
                                                               b->seconds < 1. ? b->seconds : 1., &error) != BG_OK)
            cli_message(NAME, "backend %s: %s", bg_backend_name(k), error.message);
    if (!b->common.json) {
        cli_progress_clear();
        print_machine(b);
    }
    const bg_status status = run_all(b, &error);
    cli_progress_clear();
    if (b->common.json)
        print_json(b);
    else
        print_end(b);
    if (status != BG_OK) {
        cli_message(NAME, "%s", error.message);
        return cli_exit_status(status);
    }
    return exit_status(b);
}

int command_bench(int argc, char **argv)
{
    bench *b = calloc(1, sizeof *b);
    if (!b) {
        cli_message(NAME, "no memory");
        return CLI_FAILED;
    }
    b->range.low = 2;
    b->range.high = 6;
    b->stage = STAGES;
    b->seconds = 0.5;
    b->tolerance = 0.1;
    const cli_option own[] = {
        CLI_CUSTOM("n-out", 'n', "N|A:B", &b->range, cli_parse_range, "outgoing gluons (2:6)"),
        CLI_REAL("seconds", 0, "S", &b->seconds, 1e-3, 1e4, "time for each stage of each entry (0.5)"),
        CLI_CHOICE("stage", 0, &b->stage, stage_words,
                   "matrix elements, their amplitudes or color sum, whole events, their phase space or cuts (all)"),
        CLI_TEXT("compare", 0, "OLD.json", &b->compare, "mark what is slower than in an earlier --json run"),
        CLI_REAL("tolerance", 0, "X", &b->tolerance, 0., 1e3,
                 "with --compare: how much slower is still the same (0.1)"),
        CLI_TEXT("label", 0, "TEXT", &b->label, "kept with the results, for example the commit"),
        CLI_LAST,
    };
    const cli_command command = {
        .name = NAME,
        .summary = "Time and memory of every algorithm x kernel x n_out x backend.",
        .details =
            "The axes of an algorithm, where they are given, restrict the list; --helicity is imposed on all of it.\n"
            "Without them: the five algorithms of the paper and co-sum with sampled helicities, with the paper's\n"
            "kernel and the fast one where there is one, on every backend. Points are inside the cuts of the paper\n"
            "at 14 TeV. An entry is skipped when one batch would take longer than 20 times --seconds.",
        .own = own,
        .axes = 1,
    };
    int status;
    if (!cli_parse(&command, argc, argv, &b->common, &status)) status = run(b, &command);
    free(b->rows);
    free(b->skips);
    json_free(b->old);
    free(b);
    return status;
}
