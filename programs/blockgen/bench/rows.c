/* Measures the entries of blockgen bench, and holds them against an earlier run. What would take too long is found out from
 * one point at smaller n_out, and is skipped with a note.
 */
#include "bench/bench.h"
#include "console.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE 20.   /* times --seconds: what one repetition may take */
enum { SAFE_OUT = 5 }; /* largest n_out where nothing takes long enough to ask first */

/* ---- an earlier run ------------------------------------------------------------------------------------- */

/* Whether the entries are what bench writes, as far as they are compared: numbers of gluons and threads are whole. */
static int check_old(const bench *b, const json_value *results)
{
    static const char *const whole[] = {"n_out", "threads"};
    int number = 0;
    for (const json_value *r = results->first; r; r = r->next) {
        number++;
        if (r->kind != JSON_OBJECT) {
            cli_message(BENCH_NAME, "%s: entry %d of \"results\" is no object", b->compare, number);
            return CLI_USAGE;
        }
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
            const double x = json_number(json_member(r, whole[k]), -1.);
            if (x >= 0. && x <= 1e6 && x == floor(x)) continue;
            cli_message(BENCH_NAME, "%s: entry %d of \"results\": %s must be a whole number", b->compare, number,
                        whole[k]);
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

int bench_read_old(bench *b)
{
    char why[160];
    if (!b->compare) return CLI_DONE;
    b->old = json_read_file(b->compare, why, sizeof why);
    if (!b->old) {
        cli_message(BENCH_NAME, "%s: %s", b->compare, why);
        return strncmp(why, "cannot read", 11) ? CLI_USAGE : CLI_FAILED;
    }
    const json_value *results = json_member(b->old, "results");
    if (results && results->kind == JSON_ARRAY) return check_old(b, results);
    cli_message(BENCH_NAME, "%s: not a result of blockgen bench --json: it has no array \"results\"", b->compare);
    return CLI_USAGE;
}

static int same_text(const json_value *r, const char *key, const char *text)
{
    return !strcmp(json_string(json_member(r, key), ""), text);
}

/* Files from before there were processes with names are of gluons. */
static int same_process(const json_value *r, const target *of)
{
    return json_member(r, "process") ? same_text(r, "process", of->name) : !of->text;
}

static const json_value *find_old(const bench *b, const row *w, int stage)
{
    const json_value *results = json_member(b->old, "results");
    const bg_options *o = &w->options;
    for (const json_value *r = results ? results->first : NULL; r; r = r->next)
        if (json_number(json_member(r, "n_out"), 0.) == w->of->n_out && same_process(r, w->of) &&
            json_number(json_member(r, "threads"), 0.) == o->threads &&
            same_text(r, "algorithm", bg_algorithm_name(w->algorithm)) &&
            same_text(r, "color", cli_value(o, "color").text) &&
            same_text(r, "recursion", cli_value(o, "recursion").text) &&
            same_text(r, "helicity", cli_value(o, "helicity").text) &&
            same_text(r, "kernel", cli_value(o, "kernel").text) && same_text(r, "backend", o->backend) &&
            same_text(r, "stage", measure_stage_words[stage]) && same_text(r, "variant", w->variant))
            return r;
    return NULL;
}

/* Slower: by more than the tolerance, and by more than the scatter of the two medians explains. */
static void compare_with_old(bench *b, row *w)
{
    for (int s = 0; s < STAGES && b->old; s++) {
        const measurement *m = &w->stage[s];
        const json_value *r = m->repetitions && !m->idle && bench_wants(b, s) ? find_old(b, w, s) : NULL;
        const double ns = json_number(json_member(r, "ns_per_event"), 0.);
        if (!(ns > 0.) || !json_boolean(json_member(r, "filled"), 1)) continue; /* nor a bound with a time */
        const double spread = m->spread + json_number(json_member(r, "spread"), 0.);
        w->old_ns[s] = ns;
        w->slower[s] = m->ns / ns > 1. + b->tolerance && m->ns / ns > 1. + 3. * spread;
        b->slower += w->slower[s];
        b->compared++;
    }
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

/* What sets an evaluator apart beyond the axes of the command line. */
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
    if (o->color_sampling == BG_COLORS_DISCRETE) word[count++] = "color-sampling discrete";
    if (o->samples > 1) {
        snprintf(samples, sizeof samples, "samples %d", o->samples);
        word[count++] = samples;
    }
    text[0] = '\0';
    for (int k = 0; k < count; k++) snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? ", " : "", word[k]);
    if (o->helicity == BG_HELICITY_SAMPLED && o->helicity_sampling != BG_SAMPLE_ANGLE)
        snprintf(text + strlen(text), size - strlen(text), "%shelicity-sampling %s", count ? ", " : "",
                 cli_value(o, "helicity-sampling").text);
}

static void add_skip(bench *b, const target *of, const question *q, int stage, bg_status status, const char *reason)
{
    skip *s = &b->skips[b->skip_count++];
    s->of = of;
    s->stage = stage;
    s->algorithm = q->algorithm;
    s->options = q->options;
    s->status = status;
    snprintf(s->reason, sizeof s->reason, "%s", reason);
}

static bg_status create_evaluator(const bench *b, question *q, const target *of, bg_evaluator **e, bg_error *error)
{
    int absent = 0;
    bg_process *process = NULL;
    bg_status status = bench_process(of, &process, error);
    if (status == BG_OK) status = measure_create_for(e, process, &q->options, &absent, error);
    bg_process_destroy(process);
    if (absent && !(cli_given(&b->common, "kernel"))) q->absent = 1;
    return status;
}

/* Seconds that one point of gluons will take at n_out at least, from smaller n_out, which are measured where they were not. 0:
 * no reason to worry. */
static double foresee(const bench *b, question *q, int n_out, double limit)
{
    if (n_out <= SAFE_OUT) return 0.;
    for (int m = SAFE_OUT - 1; m < n_out; m++) {
        if (q->one[m] > 0.) continue;
        const double coming = foresee(b, q, m, limit);
        const target fewer = {.n_out = m};
        bg_evaluator *e = NULL;
        measure_setting s;
        if (coming > limit) return coming;
        if (cli_interrupted() || create_evaluator(b, q, &fewer, &e, NULL) != BG_OK) return 0.;
        if (!q->absent && measure_setting_create(&s, m, 0, NULL) == BG_OK) {
            if (measure_one(e, &s, &q->one[m], NULL) != BG_OK) q->one[m] = 0.;
            measure_setting_destroy(&s);
        }
        bg_evaluator_destroy(e);
        if (q->absent) return 0.;
    }
    return measure_foresee(q->one, n_out);
}

static void say_too_long(char text[128], double seconds, double limit)
{
    snprintf(text, 128, "one batch would take %.2g s or more, the limit is %.3g s (20 times --seconds)", seconds,
             limit);
}

static void measure_points_of_row(bench *b, const question *q, bg_evaluator *e, measure_setting *s, row *w)
{
    points_of_backend *p = b->points;
    bg_error error;
    if (cli_interrupted() || !(bench_wants(b, STAGE_PHASE_SPACE) || bench_wants(b, STAGE_CUTS))) return;
    while (p->backend[0] && strcmp(p->backend, w->options.backend)) p++;
    if (p->of != w->of) {
        const bg_status status = measure_points(e, s, b->seconds, &p->phase_space, &p->cuts, &error);
        if (status != BG_OK) {
            add_skip(b, w->of, q, STAGE_PHASE_SPACE, status, error.message);
            return;
        }
        snprintf(p->backend, sizeof p->backend, "%s", w->options.backend);
        p->of = w->of;
    }
    w->stage[STAGE_PHASE_SPACE] = p->phase_space;
    w->stage[STAGE_CUTS] = p->cuts;
    if (b->stage == STAGE_CUTS && !p->cuts.repetitions)
        add_skip(b, w->of, q, STAGE_CUTS, BG_OK, "the time of the cuts is lost in the noise of that of the points");
}

/* Says what is missing of the stages of measure_entry(). */
static void add_skips(bench *b, const question *q, const target *of, const measured *m, double limit)
{
    char text[128];
    for (int k = 0; k < STAGES; k++) {
        if (m->missing[k].too_long > 0.) {
            say_too_long(text, m->missing[k].too_long, limit);
            add_skip(b, of, q, k, BG_OK, text);
        } else if (m->missing[k].why[0]) {
            add_skip(b, of, q, k, m->missing[k].status, m->missing[k].why);
        }
    }
    const int apart = b->stage == STAGE_AMPLITUDES || b->stage == STAGE_COLOR_SUM;
    if (apart && !m->stage[b->stage].repetitions && !m->missing[STAGE_AMPLITUDES].why[0])
        add_skip(b, of, q, b->stage, BG_ERROR_UNSUPPORTED, "amplitudes and color sum are not apart");
}

/* Measures the stages that are wanted. Returns 1 when there is a row. */
static int measure_row(bench *b, question *q, bg_evaluator *e, measure_setting *s, row *w)
{
    const double limit = PATIENCE * b->seconds;
    const int events = bench_wants(b, STAGE_EVENT) || bench_wants(b, STAGE_PHASE_SPACE) || bench_wants(b, STAGE_CUTS);
    unsigned wanted = 0;
    char text[128];
    double one = 0.;
    bg_error error;
    measured m;
    bg_status status = measure_one(e, s, &one, &error);
    if (!w->of->text) q->one[s->n_out] = one;
    if (status != BG_OK) {
        add_skip(b, w->of, q, -1, status, error.message);
        return 0;
    }
    if (one > limit) {
        say_too_long(text, one, limit);
        add_skip(b, w->of, q, -1, BG_OK, text);
        return 0;
    }
    for (int k = 0; k < STAGES; k++)
        if (bench_wants(b, k) && (k != STAGE_EVENT || w->options.samples == 1)) wanted |= 1u << k;
    measure_entry(e, s, wanted, b->seconds, limit, one, &m);
    memcpy(w->stage, m.stage, sizeof w->stage);
    add_skips(b, q, w->of, &m, limit);
    if (events && !cli_interrupted()) {
        if (w->options.samples > 1)
            add_skip(b, w->of, q, STAGE_EVENT, BG_ERROR_UNSUPPORTED,
                     "an integration makes one draw per point, not --samples");
        else
            measure_points_of_row(b, q, e, s, w);
    }
    int there = 0;
    for (int k = 0; k < STAGES; k++) {
        if (!bench_wants(b, k)) w->stage[k].repetitions = 0;
        there |= w->stage[k].repetitions;
    }
    return there;
}

/* The time of the paper's kernel over that of the fast one, from the rows so far. */
static double speedup_of(const bench *b, const row *w)
{
    const bg_options *o = &w->options;
    if (o->kernel != BG_KERNEL_FAST || !w->stage[STAGE_ME].repetitions || w->stage[STAGE_ME].idle) return 0.;
    for (int k = 0; k < b->row_count; k++) {
        const row *p = &b->rows[k];
        if (p->of == w->of && p->algorithm == w->algorithm && p->options.helicity == o->helicity &&
            p->options.kernel == BG_KERNEL_PAPER && !strcmp(p->options.backend, o->backend) &&
            p->stage[STAGE_ME].repetitions && !p->stage[STAGE_ME].idle)
            return p->stage[STAGE_ME].ns / w->stage[STAGE_ME].ns;
    }
    return 0.;
}

/* Whether an entry that makes no sense for a process was asked for, so that it is said why it is not there. With quarks most
 * are not, and nobody wonders unless he named one. */
static int is_missed(const bench *b, const question *q, const target *of)
{
    const cli_common *c = &b->common;
    if (of->text && c->algorithm < 0 && !cli_given(c, "kernel") && !cli_given(c, "color") &&
        !cli_given(c, "recursion") && q->options.helicity != BG_HELICITY_FIXED)
        return 0;
    return q->options.kernel == BG_KERNEL_PAPER || cli_given(c, "kernel") || bg_options_have_fast_kernel(&q->options);
}

void bench_measure(bench *b, question *q, const target *of, measure_setting *s)
{
    const double limit = PATIENCE * b->seconds;
    char text[128];
    bg_evaluator *e = NULL;
    bg_error error;
    bg_status status = bench_makes_sense(q, of, &error);
    if (status != BG_OK) {
        if (is_missed(b, q, of)) add_skip(b, of, q, -1, status, error.message);
        return;
    }
    q->absent = 0;
    const double coming = of->text ? 0. : foresee(b, q, of->n_out, limit);
    if (q->absent || cli_interrupted()) return;
    if (coming > limit) {
        say_too_long(text, coming, limit);
        add_skip(b, of, q, -1, BG_OK, text);
        return;
    }
    status = create_evaluator(b, q, of, &e, &error);
    if (status != BG_OK) {
        add_skip(b, of, q, -1, status, error.message);
        return;
    }
    if (q->absent) {
        bg_evaluator_destroy(e);
        return;
    }
    row w = {.of = of, .algorithm = q->algorithm, .options = *bg_evaluator_options(e)};
    bg_memory_init(&w.memory);
    status = bg_evaluator_memory(e, &w.memory, &error);
    if (status == BG_OK) status = bg_evaluator_operations(e, &w.operations, &error);
    if (status != BG_OK)
        add_skip(b, of, q, -1, status, error.message);
    else if (measure_row(b, q, e, s, &w)) {
        describe_variant(&w.options, w.algorithm, w.variant, sizeof w.variant);
        w.speedup = speedup_of(b, &w);
        compare_with_old(b, &w);
        b->rows[b->row_count++] = w;
    }
    bg_evaluator_destroy(e);
}
