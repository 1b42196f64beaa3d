#include "study/recorded.h"
#include "backends.h"
#include "console.h"
#include "jsonread.h"
#include "strategies.h"

#include <stdio.h>
#include <string.h>

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

/* Results of a GPU and of the CPU beside it, which has the same backend as ours; or those of a CPU alone. */
static int is_of_host(const char *backend) { return !strcmp(backend, backend_of_host()); }

static int find_place(const json_value *r, int cpu_alone)
{
    const char *backend = text_of(r, "backend");
    if (!*backend) return -1;
    if (!cpu_alone) return is_of_host(backend) ? GPU_HOST : GPU;
    return number_of(r, "threads") > 1. || !strcmp(text_of(r, "place"), "all-cores") ? ALL_CORES : ONE_THREAD;
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

static void read_memory(bg_memory *m, const json_value *r)
{
    m->per_event = (size_t)number_of(r, "bytes_per_event");
    m->shared = (size_t)number_of(r, "bytes_shared");
    m->batch = (size_t)number_of(r, "batch");
    m->on_chip = (size_t)number_of(r, "bytes_on_chip");
    m->stack = (size_t)number_of(r, "bytes_stack");
}

/* A row may say that it is no result of the program as it is: the device was not full, or the grid of a whole event had not
 * been adapted. */
static int counts(const json_value *r)
{
    return json_boolean(json_member(r, "filled"), 1) && json_boolean(json_member(r, "adapted"), 1);
}

static void read_timing(pool *p, const json_value *r, int cpu_alone)
{
    const int k = find_strategy(r), place = find_place(r, cpu_alone), n_out = n_out_of(r);
    if (k < 0 || place < 0 || !n_out || !counts(r)) return;
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
        if (!cpu_alone) read_memory(&t->memory, r);
        if (s == STAGE_EVENT) t->beside = t->stage[STAGE_ME].ns; /* read before it, of the same run */
    }
}

/* What a CPU would have to allocate is counted, with or without a time beside it. */
static void read_counted(pool *p, const json_value *r)
{
    const int k = find_strategy(r), n_out = n_out_of(r);
    if (k >= 0 && n_out) read_memory(&p->timing[ONE_THREAD][k][n_out].memory, r);
}

/* The making of points: {"n_out", "phase_space": "adaptive" or "rambo", "ns_per_event", "spread"}. */
static void read_points(pool *p, const json_value *r)
{
    const int n_out = n_out_of(r);
    measurement *m = strcmp(text_of(r, "phase_space"), "rambo") ? &p->generated[n_out] : &p->flat[n_out];
    if (!n_out) return;
    m->ns = number_of(r, "ns_per_event");
    m->spread = number_of(r, "spread");
    m->repetitions = 1;
}

static void read_digits(pool *p, const json_value *r)
{
    const int k = find_strategy(r), n_out = n_out_of(r);
    if (k < 0 || !n_out) return;
    pool_digits *d = &p->digits[k][n_out];
    d->source = POOL_RECORDED;
    d->points = (int)number_of(r, "points");
    d->median = number_of(r, "median");
    d->worst = number_of(r, "worst");
}

/* Why something is missing: {"of": "one-thread", "all-cores", "one-percent" or "digits", "strategy", "n_out", "why"}. */
static void read_missing(pool *p, const json_value *r)
{
    const int k = find_strategy(r), n_out = n_out_of(r);
    const char *of = text_of(r, "of");
    if (k < 0 || !n_out) return;
    char *why = !strcmp(of, "one-percent") ? p->percent[ALL_CORES][k][n_out].why
                : !strcmp(of, "digits")    ? p->digits[k][n_out].why
                : !strcmp(of, "all-cores") ? p->timing[ALL_CORES][k][n_out].why
                                           : p->timing[ONE_THREAD][k][n_out].why;
    snprintf(why, WHY_LENGTH, "%s", text_of(r, "why"));
}

static void read_percent(pool *p, const json_value *r, int cpu_alone)
{
    const int k = find_strategy(r), place = cpu_alone ? ALL_CORES : find_place(r, 0), n_out = n_out_of(r);
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

static void read_cpu(pool *p, const json_value *document)
{
    const json_value *m = json_member(document, "machine");
    snprintf(p->recorded_cpu, sizeof p->recorded_cpu, "%.80s, %.20s", text_of(m, "cpu"), text_of(m, "simd"));
    snprintf(p->recorded_cpu_at, sizeof p->recorded_cpu_at, "commit %.24s, %.20s",
             json_string(json_member(document, "label"), "unknown"),
             json_string(json_member(document, "date"), "no date"));
}

static int read_document(pool *p, const char *text, int cpu_alone)
{
    char why[160];
    json_value *document = json_read(text, why, sizeof why);
    if (!document) {
        cli_message(NAME, "the recorded results in this program cannot be read: %s", why);
        return CLI_FAILED;
    }
    for (const json_value *r = list_of(document, "results"); r; r = r->next) read_timing(p, r, cpu_alone);
    for (const json_value *r = list_of(document, "one_percent"); r; r = r->next) read_percent(p, r, cpu_alone);
    for (const json_value *r = list_of(document, "hybrid"); r; r = r->next) read_hybrid(p, r);
    for (const json_value *r = list_of(document, "memory"); r; r = r->next) read_counted(p, r);
    for (const json_value *r = list_of(document, "points"); r; r = r->next) read_points(p, r);
    for (const json_value *r = list_of(document, "digits"); r; r = r->next) read_digits(p, r);
    for (const json_value *r = list_of(document, "missing"); r; r = r->next) read_missing(p, r);
    if (cpu_alone)
        read_cpu(p, document);
    else
        read_machine(p, document);
    json_free(document);
    return CLI_DONE;
}

int pool_recall(pool *p)
{
    /* the study's own results are the later ones */
    const struct {
        const char *text;
        int cpu_alone;
    } records[] = {{bg_recorded_bench_cuda, 0},
                   {bg_recorded_study_cuda, 0},
                   {bg_recorded_bench_cpu, 1},
                   {bg_recorded_study_cpu, 1}};
    int status = CLI_DONE;
    for (int k = 0; k < 4 && status == CLI_DONE; k++)
        if (records[k].cpu_alone ? p->recorded : !p->gpu)
            status = read_document(p, records[k].text, records[k].cpu_alone);
    if (p->recorded) p->cores = pool_timing_threads(p, ALL_CORES);
    return status;
}
