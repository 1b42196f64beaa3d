/* How blockgen bench shows what it measured: shares of the roofline, a table, JSON. */
#include "bench/bench.h"
#include "console.h"
#include "json.h"

#include <stdio.h>
#include <string.h>

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
    if (!m->idle) return with_unit(text, 24, m->ns, units, 1e3);
    text[0] = '<'; /* a device that is not full: an upper bound */
    with_unit(text + 1, 23, m->ns, units, 1e3);
    return text;
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

/* What fits on a narrow terminal: names and numbers of the machine, one a line. */
static void print_machine_briefly(const bench *b)
{
    char description[BG_NOTE_LENGTH];
    printf("blockgen %s\n%.76s\n", bg_version(), b->machine.cpu);
    for (int k = 0; bg_backend_name(k); k++)
        if (bg_backend_probe(bg_backend_name(k), description, sizeof description, NULL) == BG_OK)
            printf("%s: %.70s\n", bg_backend_name(k), description);
    if (b->label) printf("label: %.70s\n", b->label);
}

void bench_print_machine(const bench *b)
{
    char description[BG_NOTE_LENGTH], text[24];
    const machine *m = &b->machine;
    if (b->brief) {
        print_machine_briefly(b);
        return;
    }
    printf("blockgen %s on %s, %d core%s, %s; %s; %s\n", bg_version(), m->cpu, m->cores, m->cores == 1 ? "" : "s",
           bytes_text(text, m->bytes), m->system, m->compiler);
    for (int k = 0; bg_backend_name(k); k++)
        if (bg_backend_probe(bg_backend_name(k), description, sizeof description, NULL) == BG_OK)
            printf("backend %s: %s\n", bg_backend_name(k), description);
    for (int k = 0; bg_backend_name(k); k++) {
        const bg_roofline *r = machine_roofline(m, bg_backend_name(k));
        if (!(r->gflops[1] > 0.)) continue;
        const int memory = r->gigabytes[0] > 0.;
        printf("measured on %s: %.1f GFLOP/s (FP64 multiply-adds)", bg_backend_name(k), r->gflops[1]);
        if (memory) printf(" and %.1f GB/s", r->gigabytes[1]);
        if (r->tensor_gflops > 0.) printf(", %.1f GFLOP/s on tensor cores", r->tensor_gflops);
        if (r->threads > 1) printf("; with one thread %.1f GFLOP/s", r->gflops[0]);
        if (r->threads > 1 && memory) printf(" and %.1f GB/s", r->gigabytes[0]);
        printf("\n");
    }
    if (b->label) printf("label: %s\n", b->label);
}

void bench_print_group(const bench *b, const target *of)
{
    if (of->text)
        printf("\n%s\n", of->name);
    else
        printf("\ng g -> %d g\n", of->n_out);
    if (b->brief) {
        printf("%-6s %-8s %-6s %-4s %3s %8s %4s %8s %4s %7s %10s\n", "algo", "helicity", "kernel", "on", "thr", "me",
               "+-", "event", "+-", "B/event", "fast:paper");
        return;
    }
    printf("  %-6s %-8s %-6s %-4s %3s  %8s %4s  %8s %8s  %8s %4s %5s  %7s %7s %4s  %5s %4s  %7s %s%7s %7s  %10s\n",
           "algo", "helicity", "kernel", "on", "thr", "me", "+-", "ampl.", "color", "event", "+-", "ev/me", "ph.sp.",
           "cuts", "eff.", "GF/s", "roof", "B/event", b->on_chip ? " on chip " : "", "shared", "batch", "fast:paper");
}

static const char *spread_text(char text[24], const measurement *m)
{
    text[0] = '\0';
    if (m->repetitions) snprintf(text, 24, m->spread < 0.0995 ? "%.1f%%" : "%.0f%%", 100. * m->spread);
    return text;
}

static void print_row_briefly(const row *w)
{
    char me[24], event[24], spread[2][24], bytes[24], speedup[24];
    const measurement *m = w->stage;
    printf("%-6s %-8s %-6s %-4s %3d %8s %4s %8s %4s %7s %10s\n", bg_algorithm_name(w->algorithm),
           cli_value(&w->options, "helicity").text, cli_value(&w->options, "kernel").text, w->options.backend,
           w->options.threads, time_text(me, &m[STAGE_ME]), spread_text(spread[0], &m[STAGE_ME]),
           time_text(event, &m[STAGE_EVENT]), spread_text(spread[1], &m[STAGE_EVENT]),
           bytes_text(bytes, w->memory.per_event), number_text(speedup, "%.1f x", w->speedup));
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
    printf("  %-6s %-8s %-6s %-4s %3d  %8s %4s  %8s %8s  %8s %4s %5s  %7s %7s %4s  %5s %4s  %7s %s%7s %7zu  %10s\n",
           bg_algorithm_name(w->algorithm), cli_value(&w->options, "helicity").text,
           cli_value(&w->options, "kernel").text, w->options.backend, w->options.threads, time[STAGE_ME],
           spread_text(spread[0], &m[STAGE_ME]), time[STAGE_AMPLITUDES], time[STAGE_COLOR_SUM], time[STAGE_EVENT],
           spread_text(spread[1], &m[STAGE_EVENT]),
           number_text(ratio, "%.2f", both ? m[STAGE_EVENT].ns / m[STAGE_ME].ns : 0.), time[STAGE_PHASE_SPACE],
           time[STAGE_CUTS],
           number_text(efficiency, "%.0f%%",
                       100. * m[m[STAGE_EVENT].repetitions ? STAGE_EVENT : STAGE_PHASE_SPACE].efficiency),
           number_text(rate, gflops < 999.95 ? "%.1f" : "%.0f", gflops),
           number_text(roof, "%.0f%%", 100. * roofline_share(b, w, STAGE_ME)),
           bytes_text(per_event, w->memory.per_event), b->on_chip ? chip : "", bytes_text(shared, w->memory.shared),
           w->memory.batch, number_text(speedup, "%.1f x", w->speedup));
}

void bench_print_row(const bench *b, const row *w)
{
    if (b->brief)
        print_row_briefly(w);
    else
        print_row(b, w);
    if (*w->variant) printf("            (%s)\n", w->variant);
    for (int s = 0; s < STAGES; s++)
        if (w->slower[s])
            printf("            SLOWER: %s takes %.2f times as long as in %s\n", measure_stage_words[s],
                   w->stage[s].ns / w->old_ns[s], b->compare);
}

void bench_print_skip(const skip *s)
{
    printf("  %-6s %-8s %-6s %-4s      %s%sskipped: %s\n", bg_algorithm_name(s->algorithm),
           cli_value(&s->options, "helicity").text, cli_value(&s->options, "kernel").text, s->options.backend,
           s->stage < 0 ? "" : measure_stage_words[s->stage], s->stage < 0 ? "" : " ", s->reason);
}

void bench_print_end(const bench *b)
{
    if (b->brief)
        printf("\nMedians, +- their median absolute deviation. me: one |M|^2, the point given;\n"
               "event: phase space, cuts, |M|^2 and sums for one point inside the cuts.\n");
    else
        printf(
            "\nTimes are medians, +- their median absolute deviation. me: one |M|^2, the phase-space point given; "
            "ampl., "
            "color: "
            "its\namplitudes and its color sum. event: random numbers, phase space, cuts, |M|^2 and sums for one point "
            "inside the\ncuts; ph.sp., cuts: its parts before |M|^2, with the trials that fail (eff.: share that "
            "passes). "
            "roof: share of what\nthe measured rates and the operations of me allow. <: more events at once would be "
            "faster on the device, but "
            "take longer\nthan 20 times --seconds allow.\n");
    if (b->compared)
        printf("%d of %d entries are slower than in %s by more than %.0f %%.\n", b->slower, b->compared, b->compare,
               100. * b->tolerance);
    if (b->skip_count) printf("%d skipped.\n", b->skip_count);
}

/* ---- JSON ----------------------------------------------------------------------------------------------- */

static void json_axes(json *j, const target *of, bg_algorithm algorithm, const bg_options *o)
{
    json_text(j, "process", of->name);
    json_integer(j, "n_out", of->n_out);
    json_text(j, "algorithm", bg_algorithm_name(algorithm));
    cli_json_axes(j, o);
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
    json_axes(j, w->of, w->algorithm, &w->options);
    json_text(j, "stage", measure_stage_words[stage]);
    json_real(j, "ns_per_event", m->ns);
    json_unsigned(j, "bytes_per_event", w->memory.per_event);
    json_unsigned(j, "bytes_shared", w->memory.shared);
    json_unsigned(j, "batch", m->batch);
    json_unsigned(j, "bytes_on_chip", w->memory.on_chip);
    json_unsigned(j, "bytes_stack", w->memory.stack);
    json_real(j, "spread", m->spread);
    json_integer(j, "repetitions", m->repetitions);
    json_bool(j, "filled", !m->idle);
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

void bench_print_json(const bench *b)
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
            if (b->rows[k].stage[s].repetitions && bench_wants(b, s)) json_result(b, &j, &b->rows[k], s);
    json_close(&j);
    json_open(&j, "skipped", '[');
    for (int k = 0; k < b->skip_count; k++) {
        const skip *s = &b->skips[k];
        json_open(&j, NULL, '{');
        json_axes(&j, s->of, s->algorithm, &s->options);
        json_text(&j, "stage", s->stage < 0 ? NULL : measure_stage_words[s->stage]);
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
