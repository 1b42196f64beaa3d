/* blockgen bench: time and memory of every algorithm x kernel x process x backend. The stories behind it are in
 * the folder bench. */
#include "backends.h"
#include "bench/bench.h"
#include "commands.h"
#include "console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bg_status run_all(bench *b, bg_error *error)
{
    const int total = b->target_count * b->question_count;
    const int adapt = bench_wants(b, STAGE_EVENT) || bench_wants(b, STAGE_PHASE_SPACE) || bench_wants(b, STAGE_CUTS);
    bg_status status = BG_OK;
    int done = 0;
    for (int w = 0; w < b->target_count && status == BG_OK && !cli_interrupted(); w++) {
        const target *of = &b->targets[w];
        measure_setting s;
        status = of->text ? measure_setting_create_named(&s, of->text, adapt, error)
                          : measure_setting_create(&s, of->n_out, adapt, error);
        if (status != BG_OK) break;
        if (!b->common.json) {
            cli_progress_clear();
            bench_print_group(b, of);
        }
        for (int k = 0; k < b->question_count && !cli_interrupted(); k++, done++) {
            question *q = &b->questions[k];
            char text[160];
            snprintf(text, sizeof text, "%s, %s, helicity %s, kernel %s, %s", of->name, bg_algorithm_name(q->algorithm),
                     cli_value(&q->options, "helicity").text, cli_value(&q->options, "kernel").text,
                     q->options.backend);
            cli_progress(b->common.quiet, (double)done / total, text);
            const int rows = b->row_count, skips = b->skip_count;
            bench_measure(b, q, of, &s);
            if (b->common.json) continue;
            cli_progress_clear();
            if (b->row_count > rows) bench_print_row(b, &b->rows[rows]);
            for (int i = skips; i < b->skip_count; i++) bench_print_skip(&b->skips[i]);
            fflush(stdout);
        }
        measure_setting_destroy(&s);
    }
    return status;
}

/* Done, unless a device failed, or nothing could be measured or compared at all. */
static int exit_status(const bench *b)
{
    int usage = b->skip_count > 0;
    if (cli_interrupted()) return CLI_INTERRUPTED;
    for (int k = 0; k < b->skip_count; k++) {
        if (b->skips[k].status == BG_ERROR_DEVICE) {
            cli_message(BENCH_NAME, "%s", b->skips[k].reason);
            return CLI_FAILED;
        }
        usage &= b->skips[k].status == BG_ERROR_UNSUPPORTED || b->skips[k].status == BG_ERROR_ARGUMENT;
    }
    if (b->row_count && (!b->old || b->compared)) return CLI_DONE;
    if (b->row_count) {
        cli_message(
            BENCH_NAME,
            "nothing was compared: no entry of %s has the process, algorithm, axes, threads, stage and variant of "
            "one that was measured here",
            b->compare);
        return CLI_USAGE;
    }
    cli_message(BENCH_NAME, "nothing was measured: %s", b->skip_count ? b->skips[0].reason : "the list is empty");
    return usage ? CLI_USAGE : CLI_FAILED;
}

/* Whether a backend's roofline is of interest: the host's always, it feeds the others. */
static int measures(const bench *b, const char *backend)
{
    int listed = !strcmp(backend, backend_of_host());
    for (int k = 0; k < b->question_count; k++) listed |= !strcmp(b->questions[k].options.backend, backend);
    return listed;
}

static int run(bench *b, const cli_command *command)
{
    const bg_options *o = &b->common.options;
    if (cli_given(&b->common, "helicity") && o->helicity == BG_HELICITY_FIXED && (b->range.high || !b->named.count)) {
        const int n_out = (int)strlen(o->helicities) - 2;
        if (!b->range.high) b->range = (cli_range){2, 6};
        if (n_out < b->range.low || n_out > b->range.high) {
            cli_message(BENCH_NAME, "--helicity %s is for %d outgoing gluons; -n must include them", o->helicities,
                        n_out);
            return CLI_USAGE;
        }
        b->range.low = b->range.high = n_out;
    }
    int code = bench_make_list(b, command);
    if (code == CLI_DONE) code = bench_read_old(b);
    if (code != CLI_DONE) return code;
    const size_t most = (size_t)b->target_count * (size_t)b->question_count;
    b->rows = calloc(most, sizeof *b->rows);
    b->skips = calloc(STAGES * most, sizeof *b->skips);
    if (!b->rows || !b->skips) {
        cli_message(BENCH_NAME, "no memory for %zu results", most);
        return CLI_FAILED;
    }
    bg_error error;
    cli_progress(b->common.quiet, 0., "the machine");
    machine_describe(&b->machine);
    for (int k = 0; bg_backend_name(k); k++)
        if (measures(b, bg_backend_name(k)) && machine_measure(&b->machine, bg_backend_name(k), o->device,
                                                               b->seconds < 1. ? b->seconds : 1., &error) != BG_OK)
            cli_message(BENCH_NAME, "backend %s: %s", bg_backend_name(k), error.message);
    if (!b->common.json) {
        cli_progress_clear();
        bench_print_machine(b);
    }
    const bg_status status = run_all(b, &error);
    cli_progress_clear();
    if (b->common.json)
        bench_print_json(b);
    else
        bench_print_end(b);
    if (status != BG_OK) {
        cli_message(BENCH_NAME, "%s", error.message);
        return cli_exit_status(status);
    }
    return exit_status(b);
}

int command_bench(int argc, char **argv)
{
    bench *b = calloc(1, sizeof *b);
    if (!b) {
        cli_message(BENCH_NAME, "no memory");
        return CLI_FAILED;
    }
    b->stage = STAGES;
    b->seconds = 0.5;
    b->tolerance = 0.1;
    const cli_option own[] = {
        {.name = "n-out",
         .letter = 'n',
         .kind = CLI_KIND_CUSTOM,
         .argument = "N|A:B",
         .target = &b->range,
         .parse = cli_parse_range,
         .help = "outgoing gluons (2:6, none where there is a --process)"},
        {.name = "process",
         .kind = CLI_KIND_CUSTOM,
         .argument = "PROCESS",
         .target = &b->named,
         .parse = bench_add_process,
         .help = "a process such as \"u g > u g g\"; as often as wanted"},
        {.name = "seconds",
         .kind = CLI_KIND_REAL,
         .argument = "S",
         .target = &b->seconds,
         .low = 1e-3,
         .high = 1e4,
         .help = "time for each stage of each entry (0.5); below 0.02 the memory's bandwidth is not measured"},
        {.name = "stage",
         .kind = CLI_KIND_CHOICE,
         .target = &b->stage,
         .choices = measure_stage_words,
         .help = "matrix elements, their amplitudes or color sum, whole events, their phase space or cuts (all)"},
        {.name = "brief", .kind = CLI_KIND_FLAG, .target = &b->brief, .help = "a table of 80 columns"},
        {.name = "compare",
         .kind = CLI_KIND_TEXT,
         .argument = "OLD.json",
         .target = &b->compare,
         .help = "mark what is slower than in an earlier --json run"},
        {.name = "tolerance",
         .kind = CLI_KIND_REAL,
         .argument = "X",
         .target = &b->tolerance,
         .low = 0.,
         .high = 1e3,
         .help = "with --compare: how much slower is still the same (0.1)"},
        {.name = "label",
         .kind = CLI_KIND_TEXT,
         .argument = "TEXT",
         .target = &b->label,
         .help = "kept with the results, for example the commit"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = BENCH_NAME,
        .summary = "Time and memory of every algorithm x kernel x process x backend.",
        .details =
            "The axes of an algorithm, where they are given, restrict the list; --helicity is imposed on all of it.\n"
            "Without them: the five algorithms of the paper and co-sum with sampled helicities, with the paper's\n"
            "kernel and the fast one where there is one, on every backend; with quarks, those that there are.\n"
            "Points are inside the cuts of the paper\n"
            "at 14 TeV. An entry is skipped when one batch would take longer than 20 times --seconds.",
        .own = own,
        .algorithm = 1,
    };
    int status;
    if (!cli_parse(&command, argc, argv, &b->common, &status)) status = run(b, &command);
    free(b->rows);
    free(b->skips);
    json_free(b->old);
    free(b);
    return status;
}
