#include "study/recorded.h"
#include "backends.h"
#include "console.h"
#include "files.h"
#include "jsonread.h"
#include "strategies.h"
#include "study/measuring.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NAME "study"

/* ---- reading ---------------------------------------------------------------------------------------------- */

static const char *text_of(const json_value *r, const char *key) { return json_string(json_member(r, key), ""); }
static double number_of(const json_value *r, const char *key) { return json_number(json_member(r, key), 0.); }

/* What a row of bench says beyond the axes. */
static const char *variant_of(const bg_options *o) { return o->orderings == BG_ORDERINGS_ONE ? "orderings one" : ""; }

/* Whether a row of bench, which has no name of a strategy, is of this one. */
static int has_axes(const json_value *r, int k)
{
    const bg_options o = strategy_options(study_curves[k].name);
    return o.helicity_sampling == BG_SAMPLE_ANGLE && !strcmp(text_of(r, "variant"), variant_of(&o)) &&
           !strcmp(text_of(r, "algorithm"), bg_algorithm_name(strategy_named(study_curves[k].name)->algorithm)) &&
           !strcmp(text_of(r, "kernel"), cli_value(&o, "kernel").text) &&
           !strcmp(text_of(r, "helicity"), cli_value(&o, "helicity").text);
}

/* By name, or by the axes; -1: not one of the study's. */
static int find_strategy(const json_value *r)
{
    const char *name = text_of(r, "strategy");
    for (int k = 0; k < STRATEGIES; k++)
        if (*name ? !strcmp(name, study_curves[k].name) : has_axes(r, k)) return k;
    return -1;
}

/* The results are of one GPU and of the CPU beside it, which has the same backend as ours. */
static int is_of_host(const char *backend) { return !strcmp(backend, backend_of_host()); }

static int find_place(const json_value *r)
{
    const char *backend = text_of(r, "backend");
    return !*backend ? -1 : is_of_host(backend) ? GPU_HOST : GPU;
}

static int n_out_of(const json_value *r)
{
    const double n = number_of(r, "n_out");
    return n >= BG_MIN_OUT && n <= MOST_OUT ? (int)n : 0;
}

static const json_value *list_of(const json_value *document, const char *key)
{
    const json_value *list = json_member(document, key);
    return list && list->kind == JSON_ARRAY ? list->first : NULL;
}

static void read_timing(pool *p, const json_value *r)
{
    const int k = find_strategy(r), place = find_place(r), n_out = n_out_of(r);
    if (k < 0 || place < 0 || !n_out || !json_boolean(json_member(r, "filled"), 1)) return;
    pool_timing *t = &p->timing[place][k][n_out];
    for (int s = 0; s < STAGES; s++) {
        measurement *m = &t->stage[s];
        if (strcmp(text_of(r, "stage"), measure_stage_words[s])) continue;
        m->ns = number_of(r, "ns_per_event");
        m->spread = number_of(r, "spread");
        m->repetitions = (int)number_of(r, "repetitions");
        m->events = (uint64_t)number_of(r, "events_per_repetition");
        m->efficiency = number_of(r, "efficiency");
        t->source = POOL_RECORDED;
        t->threads = (int)number_of(r, "threads");
        t->memory.per_event = (size_t)number_of(r, "bytes_per_event");
        t->memory.shared = (size_t)number_of(r, "bytes_shared");
        t->memory.batch = (size_t)number_of(r, "batch");
        t->memory.on_chip = (size_t)number_of(r, "bytes_on_chip");
        t->memory.stack = (size_t)number_of(r, "bytes_stack");
    }
}

static void read_percent(pool *p, const json_value *r)
{
    const int k = find_strategy(r), place = find_place(r), n_out = n_out_of(r);
    if (k < 0 || place < 0 || !n_out) return;
    pool_percent *q = &p->percent[place][k][n_out];
    q->source = POOL_RECORDED;
    q->threads = (int)number_of(r, "threads");
    q->points = number_of(r, "points");
    q->spread = number_of(r, "spread");
    q->seconds = number_of(r, "seconds");
    q->sigma_pb = number_of(r, "sigma_pb");
    q->error_pb = number_of(r, "error_pb");
    q->runs = (int)number_of(r, "runs");
    q->extrapolated = json_boolean(json_member(r, "extrapolated"), 0);
}

static void read_hybrid(pool *p, const json_value *r)
{
    const int n_out = n_out_of(r);
    if (!n_out) return;
    pool_hybrid *h = &p->hybrid[n_out];
    h->source = POOL_RECORDED;
    h->threads = (int)number_of(r, "threads");
    h->accepted = number_of(r, "accepted");
    h->points = number_of(r, "seconds_points");
    h->flat = number_of(r, "seconds_points_rambo");
    h->copies = number_of(r, "seconds_copies");
    h->matrix_elements = number_of(r, "seconds_matrix_elements");
    h->whole = number_of(r, "seconds");
    h->device = number_of(r, "seconds_on_device");
}

static void read_machine(pool *p, const json_value *document)
{
    const json_value *m = json_member(document, "machine");
    const char *gpu = "a GPU";
    for (const json_value *b = list_of(m, "backends"); b; b = b->next)
        if (!is_of_host(text_of(b, "name"))) gpu = text_of(b, "description");
    snprintf(p->recorded_on, sizeof p->recorded_on, "%.120s, commit %.40s, %.20s", gpu,
             json_string(json_member(document, "label"), "unknown"),
             json_string(json_member(document, "date"), "no date"));
    snprintf(p->recorded_host, sizeof p->recorded_host, "%.80s, %d cores, %.20s", text_of(m, "cpu"),
             (int)number_of(m, "cores"), text_of(m, "simd"));
}

int pool_recall(pool *p)
{
    /* the study's own results are the later ones */
    const char *const texts[] = {bg_recorded_bench, bg_recorded_study};
    if (p->gpu) return CLI_DONE;
    for (int k = 0; k < 2; k++) {
        char why[160];
        json_value *document = json_read(texts[k], why, sizeof why);
        if (!document) {
            cli_message(NAME, "the recorded results in this program cannot be read: %s", why);
            return CLI_FAILED;
        }
        for (const json_value *r = list_of(document, "results"); r; r = r->next) read_timing(p, r);
        for (const json_value *r = list_of(document, "one_percent"); r; r = r->next) read_percent(p, r);
        for (const json_value *r = list_of(document, "hybrid"); r; r = r->next) read_hybrid(p, r);
        read_machine(p, document);
        json_free(document);
    }
    return CLI_DONE;
}

/* ---- writing ---------------------------------------------------------------------------------------------- */

static void write_axes(json *j, int place, int k, int n_out, int threads)
{
    bg_options o = strategy_options(study_curves[k].name);
    snprintf(o.backend, sizeof o.backend, "%s", measuring_backend(place));
    json_text(j, "strategy", study_curves[k].name);
    json_integer(j, "n_out", n_out);
    json_text(j, "algorithm", bg_algorithm_name(strategy_named(study_curves[k].name)->algorithm));
    cli_json_axes(j, &o);
    json_integer(j, "threads", threads);
}

static void write_timing(json *j, int place, int k, int n_out, const pool_timing *t)
{
    const bg_options o = strategy_options(study_curves[k].name);
    for (int s = 0; s < STAGES; s++) {
        const measurement *m = &t->stage[s];
        if (!m->repetitions) continue;
        json_open(j, NULL, '{');
        write_axes(j, place, k, n_out, t->threads);
        json_text(j, "stage", measure_stage_words[s]);
        json_real(j, "ns_per_event", m->ns);
        json_unsigned(j, "bytes_per_event", t->memory.per_event);
        json_unsigned(j, "bytes_shared", t->memory.shared);
        json_unsigned(j, "batch", t->memory.batch);
        json_unsigned(j, "bytes_on_chip", t->memory.on_chip);
        json_unsigned(j, "bytes_stack", t->memory.stack);
        json_real(j, "spread", m->spread);
        json_integer(j, "repetitions", m->repetitions);
        json_unsigned(j, "events_per_repetition", m->events);
        json_real(j, "efficiency", m->efficiency);
        json_text(j, "variant", variant_of(&o));
        json_close(j);
    }
}

static void write_percent(json *j, int place, int k, int n_out, const pool_percent *q)
{
    const bg_options o = strategy_options(study_curves[k].name);
    json_open(j, NULL, '{');
    write_axes(j, place, k, n_out, q->threads);
    cli_json_helicity_sampling(j, &o);
    json_real(j, "points", q->points);
    json_real(j, "spread", q->spread);
    json_real(j, "seconds", q->seconds);
    json_real(j, "sigma_pb", q->sigma_pb);
    json_real(j, "error_pb", q->error_pb);
    json_integer(j, "runs", q->runs);
    json_bool(j, "extrapolated", q->extrapolated);
    json_close(j);
}

static void write_hybrid(json *j, int n_out, const pool_hybrid *h)
{
    json_open(j, NULL, '{');
    json_integer(j, "n_out", n_out);
    json_integer(j, "threads", h->threads);
    json_real(j, "accepted", h->accepted);
    json_real(j, "seconds_points", h->points);
    json_real(j, "seconds_points_rambo", h->flat);
    json_real(j, "seconds_copies", h->copies);
    json_real(j, "seconds_matrix_elements", h->matrix_elements);
    json_real(j, "seconds", h->whole);
    json_real(j, "seconds_on_device", h->device);
    json_close(j);
}

static void write_document(const pool *p, const char *label, FILE *out)
{
    static const int places[] = {GPU, ALL_CORES};
    const time_t now = time(NULL);
    struct tm utc;
    char date[32] = "";
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    json j = json_start(out);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    json_text(&j, "label", label);
    json_text(&j, "date", date);
    json_real(&j, "seconds_per_entry", p->seconds);
    machine_json(&p->machine, &j, "machine");
    json_open(&j, "results", '[');
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < STRATEGIES; k++)
            for (int n = BG_MIN_OUT; n <= MOST_OUT; n++) {
                const pool_timing *t = &p->timing[places[w]][k][n];
                if (t->source == POOL_MEASURED) write_timing(&j, places[w], k, n, t);
            }
    json_close(&j);
    json_open(&j, "one_percent", '[');
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < STRATEGIES; k++)
            for (int n = BG_MIN_OUT; n <= MOST_OUT; n++) {
                const pool_percent *q = &p->percent[places[w]][k][n];
                if (q->source == POOL_MEASURED) write_percent(&j, places[w], k, n, q);
            }
    json_close(&j);
    json_open(&j, "hybrid", '[');
    for (int n = BG_MIN_OUT; n <= MOST_OUT; n++)
        if (p->hybrid[n].source == POOL_MEASURED) write_hybrid(&j, n, &p->hybrid[n]);
    json_close(&j);
    json_bool(&j, "interrupted", cli_interrupted());
    json_close(&j);
}

int recorded_write(const pool *p, const char *folder, const char *label)
{
    files_text t;
    files_start(&t);
    if (t.file) write_document(p, label, t.file);
    return files_finish(NAME, &t, folder, RECORDED_NAME);
}
