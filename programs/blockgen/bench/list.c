/* What blockgen bench measures: the paper's five algorithms, and the color sum with one sampled helicity configuration, each
 * with the paper's kernel and, where there is one, the fast kernel. Options take entries out of the list, and so do quarks:
 * what there is for gluons alone is not asked of them.
 */
#include "bench/bench.h"
#include "backends.h"
#include "console.h"
#include "strategies.h"

#include <stdio.h>
#include <string.h>

/* Every algorithm of the paper in its own form; strategies of one algorithm stand together. */
static const char *const standard[] = {"tess", "lc-all", "full-paper", "co-sum-paper", "co-mc", "cd-mc"};
enum { STANDARD = sizeof standard / sizeof *standard };
_Static_assert(2 * STANDARD * BENCH_MOST_BACKENDS <= BENCH_MOST_QUESTIONS, "all of the list must fit");

/* Whether the axes that were given leave this entry in the list; sets its options. */
static int admit(const bench *b, int k, bg_kernel kernel, const char *backend, question *q)
{
    const cli_common *c = &b->common;
    memset(q, 0, sizeof *q);
    q->algorithm = strategy_named(standard[k])->algorithm;
    q->options = c->options;
    if (c->algorithm >= 0 && (bg_algorithm)c->algorithm != q->algorithm) return 0;
    bg_options *o = &q->options;
    bg_options_set_algorithm(o, q->algorithm, NULL);
    o->rescue = 0; /* the kernels are measured, not the watch over them */
    if (c->algorithm >= 0) o->layout = c->options.layout;
    if (c->algorithm < 0 && c->options.layout == BG_LAYOUT_COOPERATIVE && o->layout != BG_LAYOUT_COOPERATIVE) return 0;
    if (cli_given(c, "color") && o->color != c->options.color) return 0;
    if (cli_given(c, "recursion") && o->recursion != c->options.recursion) return 0;
    if (cli_given(c, "helicity")) {
        /* imposed on every algorithm, once */
        o->helicity = c->options.helicity;
        if (k && strategy_named(standard[k - 1])->algorithm == q->algorithm) return 0;
    } else {
        o->helicity = strategy_named(standard[k])->helicity;
    }
    if (cli_given(c, "kernel") && kernel != c->options.kernel) return 0;
    o->kernel = kernel;
    snprintf(o->backend, sizeof o->backend, "%s", backend);
    return 1;
}

/* ---- targets ------------------------------------------------------------------------------------------------ */

const char *bench_add_process(const char *word, void *to)
{
    process_list *list = to;
    if (list->count == BENCH_MOST_PROCESSES) return "one of 32 processes at most";
    list->text[list->count++] = word;
    return NULL;
}

bg_status bench_process(const target *of, bg_process **process, bg_error *error)
{
    return of->text ? bg_process_parse(process, of->text, BG_MAX_FLAVORS, BG_ALL_LINES, error)
                    : bg_process_create_gluons(process, of->n_out, error);
}

/* Completes a target. Protons and jets stand for several processes, of which each has to be named. */
static bg_status describe(target *of, bg_error *error)
{
    bg_process *process = NULL;
    bg_process_class c;
    bg_options o;
    bg_process_class_init(&c);
    bg_options_init(&o);
    bg_status status = bench_process(of, &process, error);
    if (status == BG_OK && bg_process_classes(process) > 1)
        status = cli_fail(error, BG_ERROR_UNSUPPORTED,
                          "%s stands for %d subprocesses: name one of them (blockgen processes lists them)", of->text,
                          bg_process_classes(process));
    if (status == BG_OK && of->text && bg_process_n_out(process) <= BG_MAX_OUT_SUMMED)
        status = bg_options_check(process, &o, error);
    if (status == BG_OK) status = bg_process_class_at(process, 0, &c, error);
    if (status == BG_OK) {
        of->n_out = c.n_out;
        snprintf(of->name, sizeof of->name, "%s", c.name);
    }
    bg_process_destroy(process);
    return status;
}

/* The numbers of gluons that -n has, or the standard ones where no process is named; then the processes. */
static int make_targets(bench *b)
{
    bg_error error;
    if (!b->range.high && !b->named.count) b->range = (cli_range){2, 6};
    for (int n_out = b->range.low; b->range.high && n_out <= b->range.high; n_out++)
        b->targets[b->target_count++].n_out = n_out;
    for (int k = 0; k < b->named.count; k++) b->targets[b->target_count++].text = b->named.text[k];
    const bg_options *o = &b->common.options;
    const int partons =
        cli_given(&b->common, "helicity") && o->helicity == BG_HELICITY_FIXED ? (int)strlen(o->helicities) : 0;
    for (int k = 0; k < b->target_count; k++) {
        target *of = &b->targets[k];
        if (describe(of, &error) != BG_OK) {
            cli_message(BENCH_NAME, "%s", error.message);
            return cli_exit_status(error.status);
        }
        if (of->text && partons && partons != of->n_out + 2) {
            cli_message(BENCH_NAME, "--helicity %s is for %d partons; %s has %d", o->helicities, partons, of->name,
                        of->n_out + 2);
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

/* ---- questions ---------------------------------------------------------------------------------------------- */

bg_status bench_makes_sense(const question *q, const target *of, bg_error *error)
{
    bg_process *process = NULL;
    bg_status status = bench_process(of, &process, error);
    if (status == BG_OK) status = bg_options_check(process, &q->options, error);
    bg_process_destroy(process);
    return status;
}

/* Whether any target can be asked. Gluons are taken as few as there may be: for more of them it is said why not. */
static int makes_sense_somewhere(const bench *b, const question *q, bg_error *last)
{
    const target few = {.n_out = q->options.helicity == BG_HELICITY_FIXED ? b->range.low : BG_MIN_OUT};
    int found = b->range.high && bench_makes_sense(q, &few, last) == BG_OK;
    for (int k = 0; k < b->target_count && !found; k++)
        found = b->targets[k].text && bench_makes_sense(q, &b->targets[k], last) == BG_OK;
    return found;
}

int bench_make_list(bench *b, const cli_command *command)
{
    bg_error error = {BG_OK, ""}, last = {BG_OK, ""};
    int backends = 0;
    const int wrong = make_targets(b);
    if (wrong != CLI_DONE) return wrong;
    for (int w = 0; bg_backend_name(w) && backends < BENCH_MOST_BACKENDS; w++) {
        char description[BG_NOTE_LENGTH];
        const char *name = bg_backend_name(w);
        if (strcmp(b->common.options.backend, "auto") && strcmp(b->common.options.backend, name)) continue;
        if (bg_backend_probe(name, description, sizeof description, &error) != BG_OK) {
            cli_message(BENCH_NAME, "backend %s is left out: %s", name, error.message);
            continue;
        }
        backends++;
        b->on_chip |= backend_can(name, BG_CAN_CHOOSE_DEVICE);
        for (int k = 0; k < STANDARD; k++)
            for (int kernel = BG_KERNEL_PAPER; kernel >= BG_KERNEL_FAST; kernel--) {
                question q;
                if (!admit(b, k, (bg_kernel)kernel, name, &q)) continue;
                /* refinements such as the vertex also take out what they make no sense for */
                if (!makes_sense_somewhere(b, &q, &last)) continue;
                b->questions[b->question_count++] = q;
            }
    }
    if (!backends) {
        cli_message(BENCH_NAME, "no backend can run here: %s", error.message);
        return CLI_FAILED;
    }
    if (b->question_count) return CLI_DONE;
    if (last.status != BG_OK) {
        cli_message(BENCH_NAME, "%s", last.message);
        return cli_exit_status(last.status);
    }
    const int status = cli_check_axes(command, &b->common.options);
    if (status != CLI_DONE) return status;
    cli_message(BENCH_NAME,
                "none of the algorithms tess, lc, co-sum, co-mc and cd-mc that are left has the axes that were given");
    return CLI_USAGE;
}
