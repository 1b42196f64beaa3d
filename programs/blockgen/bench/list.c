/* What blockgen bench measures: the paper's five algorithms, and the color sum with one sampled helicity configuration, each
 * with the paper's kernel and, where there is one, the fast kernel. Options take entries out of the list.
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

bg_status bench_makes_sense(const question *q, int n_out, bg_error *error)
{
    bg_process *process = NULL;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_options_check(process, &q->options, error);
    bg_process_destroy(process);
    return status;
}

int bench_make_list(bench *b, const cli_command *command)
{
    bg_error error = {BG_OK, ""}, last = {BG_OK, ""};
    int backends = 0;
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
                const int n_out = q.options.helicity == BG_HELICITY_FIXED ? b->range.low : BG_MIN_OUT;
                if (bench_makes_sense(&q, n_out, &last) != BG_OK) continue;
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
