/* What a run of the study measured, as a file that later ones can read: study-cuda.json, study-cpu.json (recorded.h). */
#include "console.h"
#include "files.h"
#include "strategies.h"
#include "study/measuring.h"
#include "study/recorded.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NAME "study"

static const char *variant_of(const bg_options *o) { return o->orderings == BG_ORDERINGS_ONE ? "orderings one" : ""; }

static void write_axes(json *j, int place, int k, int n_out, int threads)
{
    bg_options o = strategy_options(study_curves[k].name);
    snprintf(o.backend, sizeof o.backend, "%s", measuring_backend(place));
    json_text(j, "strategy", study_curves[k].name);
    json_integer(j, "n_out", n_out);
    json_text(j, "algorithm", bg_algorithm_name(strategy_named(study_curves[k].name)->algorithm));
    cli_json_axes(j, &o);
    json_integer(j, "threads", threads);
    json_text(j, "place", place == ONE_THREAD ? "one-thread" : place == ALL_CORES ? "all-cores" : "gpu");
}

static void write_memory(json *j, const bg_memory *m)
{
    json_unsigned(j, "bytes_per_event", m->per_event);
    json_unsigned(j, "bytes_shared", m->shared);
    json_unsigned(j, "batch", m->batch);
    json_unsigned(j, "bytes_on_chip", m->on_chip);
    json_unsigned(j, "bytes_stack", m->stack);
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
        write_memory(j, &t->memory);
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

static void write_points(json *j, int n_out, const char *phase_space, const measurement *m)
{
    if (!m->repetitions) return;
    json_open(j, NULL, '{');
    json_integer(j, "n_out", n_out);
    json_text(j, "phase_space", phase_space);
    json_real(j, "ns_per_event", m->ns);
    json_real(j, "spread", m->spread);
    json_close(j);
}

static void write_digits(json *j, int k, int n_out, const pool_digits *d)
{
    json_open(j, NULL, '{');
    json_text(j, "strategy", study_curves[k].name);
    json_integer(j, "n_out", n_out);
    json_integer(j, "points", d->points);
    json_real(j, "median", d->median);
    json_real(j, "worst", d->worst);
    json_close(j);
}

static void write_missing(json *j, const char *of, int k, int n_out, const char *why)
{
    if (!*why) return;
    json_open(j, NULL, '{');
    json_text(j, "of", of);
    json_text(j, "strategy", study_curves[k].name);
    json_integer(j, "n_out", n_out);
    json_text(j, "why", why);
    json_close(j);
}

static void write_start(json *j, const pool *p, const char *label)
{
    const time_t now = time(NULL);
    struct tm utc;
    char date[32] = "";
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    json_open(j, NULL, '{');
    json_text(j, "version", bg_version());
    json_text(j, "label", label);
    json_text(j, "date", date);
    json_real(j, "seconds_per_entry", p->seconds);
    machine_json(&p->machine, j, "machine");
}

/* Times and integrals of two places. */
static void write_results(json *j, const pool *p, const int places[2])
{
    json_open(j, "results", '[');
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < STRATEGIES; k++)
            for (int n = BG_MIN_OUT; n <= MOST_OUT; n++) {
                const pool_timing *t = &p->timing[places[w]][k][n];
                if (t->source == POOL_MEASURED) write_timing(j, places[w], k, n, t);
            }
    json_close(j);
    json_open(j, "one_percent", '[');
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < STRATEGIES; k++)
            for (int n = BG_MIN_OUT; n <= MOST_OUT; n++) {
                const pool_percent *q = &p->percent[places[w]][k][n];
                if (q->source == POOL_MEASURED) write_percent(j, places[w], k, n, q);
            }
    json_close(j);
}

static void write_gpu(const pool *p, const char *label, FILE *out)
{
    static const int places[] = {GPU, ALL_CORES};
    json j = json_start(out);
    write_start(&j, p, label);
    write_results(&j, p, places);
    json_open(&j, "hybrid", '[');
    for (int n = BG_MIN_OUT; n <= MOST_OUT; n++)
        if (p->hybrid[n].source == POOL_MEASURED) write_hybrid(&j, n, &p->hybrid[n]);
    json_close(&j);
    json_bool(&j, "interrupted", cli_interrupted());
    json_close(&j);
}

static void write_cpu(const pool *p, const char *label, FILE *out)
{
    static const int places[] = {ONE_THREAD, ALL_CORES};
    json j = json_start(out);
    write_start(&j, p, label);
    write_results(&j, p, places);
    json_open(&j, "memory", '[');
    for (int k = 0; k < STRATEGIES; k++)
        for (int n = BG_MIN_OUT; n <= MOST_OUT; n++) {
            const bg_memory *m = &p->timing[ONE_THREAD][k][n].memory;
            if (!m->batch) continue;
            json_open(&j, NULL, '{');
            json_text(&j, "strategy", study_curves[k].name);
            json_integer(&j, "n_out", n);
            write_memory(&j, m);
            json_close(&j);
        }
    json_close(&j);
    json_open(&j, "points", '[');
    for (int n = BG_MIN_OUT; n <= MOST_OUT; n++) {
        write_points(&j, n, "adaptive", &p->generated[n]);
        write_points(&j, n, "rambo", &p->flat[n]);
    }
    json_close(&j);
    json_open(&j, "digits", '[');
    for (int k = 0; k < STRATEGIES; k++)
        for (int n = BG_MIN_OUT; n <= MOST_OUT; n++)
            if (p->digits[k][n].source) write_digits(&j, k, n, &p->digits[k][n]);
    json_close(&j);
    json_open(&j, "missing", '[');
    for (int k = 0; k < STRATEGIES; k++)
        for (int n = BG_MIN_OUT; n <= MOST_OUT; n++) {
            write_missing(&j, "one-thread", k, n, p->timing[ONE_THREAD][k][n].why);
            write_missing(&j, "all-cores", k, n, p->timing[ALL_CORES][k][n].why);
            write_missing(&j, "one-percent", k, n, p->percent[ALL_CORES][k][n].why);
            write_missing(&j, "digits", k, n, p->digits[k][n].why);
        }
    json_close(&j);
    json_bool(&j, "interrupted", cli_interrupted());
    json_close(&j);
}

static int write_file(const pool *p, const char *folder, const char *label, const char *name,
                      void (*write)(const pool *, const char *, FILE *))
{
    files_text t;
    files_start(&t);
    if (t.file) write(p, label, t.file);
    return files_finish(NAME, &t, folder, name);
}

int recorded_write(const pool *p, const char *folder, const char *label)
{
    int status = CLI_DONE;
    if (p->recorded) return status;
    if (p->gpu) status = write_file(p, folder, label, RECORDED_NAME, write_gpu);
    if (p->cpu && status == CLI_DONE) status = write_file(p, folder, label, RECORDED_CPU_NAME, write_cpu);
    return status;
}
