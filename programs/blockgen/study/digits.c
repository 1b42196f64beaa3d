/* |M|^2 in double precision against the same source in 128-bit floats. */
#include "study/measuring.h"
#include "console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST_OUT = 6, DIGITS_POINTS = 1000, DIGITS_FEWEST = 8 };

static const int compared[] = {FULL, FULL_PAPER, CO_SUM, CO_SUM_PAPER, LC, CD_MC, COHERENT};

/* An evaluator of the same strategy in 128-bit floats. */
static bg_evaluator *create_exact(const pool *p, int k, int n_out, char why[WHY_LENGTH])
{
    bg_options o = measuring_options(p, ALL_CORES, k);
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_error error;
    o.floats = BG_FLOATS_QUAD;
    bg_status status = bg_process_create_gluons(&process, n_out, &error);
    if (status == BG_OK) status = bg_evaluator_create_stoppable(&e, process, &o, cli_wants_to_stop, NULL, &error);
    bg_process_destroy(process);
    if (status != BG_OK) measuring_why(why, "%s", error.message);
    return e;
}

/* `each`: seconds of a point in quadruple precision, one thread. */
static void compare_entry(pool *p, int k, measure_setting *s, double seconds, double *each)
{
    pool_digits *d = &p->digits[k][s->n_out];
    bg_evaluator *e = measuring_create(p, ALL_CORES, k, s->n_out, d->why), *exact = NULL;
    bg_error error;
    double *reference = NULL;
    if (!e || !(exact = create_exact(p, k, s->n_out, d->why))) goto end;
    if (k == COHERENT && bg_evaluator_options(exact)->kernel != BG_KERNEL_FAST) {
        measuring_why(d->why, "quadruple precision has no kernel that draws the same colors");
        goto end;
    }
    reference = malloc(DIGITS_POINTS * sizeof *reference);
    if (!reference) {
        measuring_why(d->why, "no memory");
        goto end;
    }
    const double start = cli_seconds();
    bg_status status = bg_evaluator_evaluate(exact, 0, 1, s->momenta, reference, NULL, &error);
    *each = cli_seconds() - start;
    const double fit = seconds * bg_evaluator_threads(exact) / *each;
    const size_t count = fit < DIGITS_POINTS ? (size_t)fit : DIGITS_POINTS;
    if (status == BG_OK && (count < DIGITS_FEWEST || cli_interrupted())) {
        measuring_why(d->why, "one point in quadruple precision takes %.2g s", *each);
        goto end;
    }
    if (status == BG_OK) status = bg_evaluator_evaluate(exact, 0, count, s->momenta, reference, NULL, &error);
    if (status == BG_OK) status = bg_evaluator_evaluate(e, 0, count, s->momenta, s->me2, NULL, &error);
    if (status != BG_OK) {
        measuring_why(d->why, "%s", error.message);
        goto end;
    }
    for (size_t w = 0; w < count; w++) reference[w] = fabs(s->me2[w] / reference[w] - 1.);
    qsort(reference, count, sizeof *reference, measuring_ascending);
    d->source = POOL_MEASURED;
    d->points = (int)count;
    d->median = reference[count / 2];
    d->worst = reference[count - 1];
end:
    free(reference);
    bg_evaluator_destroy(exact);
    bg_evaluator_destroy(e);
}

void measuring_digits(pool *p, double end)
{
    const int high = p->high < DIGITS_MOST_OUT ? p->high : DIGITS_MOST_OUT;
    double one[STRATEGIES][MOST_OUT + 1] = {{0.}};
    int left = (high - p->low + 1) * COUNT(compared);
    for (int n_out = p->low; n_out <= high; n_out++) {
        measure_setting s;
        bg_error error;
        const bg_status status = measure_setting_create(&s, n_out, 0, &error);
        for (int w = 0; w < COUNT(compared); w++, left--) {
            const int k = compared[w];
            pool_digits *d = &p->digits[k][n_out];
            const double seconds = 1.5 * measuring_left(end) / left, coming = measure_foresee(one[k], n_out);
            measuring_show(p, "digits", k, n_out, "quadruple precision");
            if (cli_interrupted())
                measuring_why(d->why, "interrupted");
            else if (status != BG_OK)
                measuring_why(d->why, "%s", error.message);
            else if (n_out > p->low && !p->digits[k][n_out - 1].source)
                measuring_why(d->why, "left out at n_out = %d already", n_out - 1);
            else if (measuring_left(end) < 0.)
                measuring_why(d->why, NO_TIME_LEFT);
            else if (coming * DIGITS_FEWEST > seconds * p->cores)
                measuring_why(d->why, "one point in quadruple precision would take %.2g s or more", coming);
            else
                compare_entry(p, k, &s, seconds, &one[k][n_out]);
        }
        if (status == BG_OK) measure_setting_destroy(&s);
    }
}
