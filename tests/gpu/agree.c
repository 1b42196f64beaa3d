/* The fast kernels against the paper's, both on the GPU, in every mode that they share. */
#include "gpu_check.h"

/* Inside the paper's cuts. */
static int inside(int n_out, const double *momenta)
{
    double eta[12], phi[12];
    for (int k = 0; k < n_out; k++) {
        const double *q = momenta + 8 + 4 * k, pt = hypot(q[1], q[2]);
        if (pt < 20.) return 0;
        eta[k] = asinh(q[3] / pt);
        phi[k] = atan2(q[2], q[1]);
        if (fabs(eta[k]) > 2.5) return 0;
        for (int j = 0; j < k; j++)
            if (hypot(eta[k] - eta[j], remainder(phi[k] - phi[j], 6.283185307179586)) < 0.4) return 0;
    }
    return 1;
}

/* Angles below 4e-4, one flat point in a million: there the rounding of the momenta alone is seen in the eleventh digit. */
static int nearly_parallel(int n_out, const double *momenta)
{
    for (int i = 0; i < n_out + 2; i++)
        for (int j = 0; j < i; j++)
            if (product(momenta + 4 * i, momenta + 4 * j) < 1e-7 * momenta[4 * i] * momenta[4 * j]) return 1;
    return 0;
}

/* Flat points without cuts, and in every second place inside the cuts. */
static double *mixed_points(int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2);
    double *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) exit(1);
    for (size_t k = 0; k < count; k++) {
        double *p = momenta + k * numbers;
        do flat_point(n_out, p);
        while (k % 2 ? !inside(n_out, p) : nearly_parallel(n_out, p));
    }
    return momenta;
}

static int increasing(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* |M|^2 of the fast or the paper's kernel alone, nothing evaluated again. */
static bg_status evaluate_kernel(const bg_options *options, bg_kernel kernel, int n_out, size_t count,
                                 const double *momenta, double *value, bg_error *error)
{
    bg_options o = *options;
    bg_process *process = NULL;
    bg_evaluator *evaluator = NULL;
    o.kernel = kernel;
    o.rescue = 0;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_evaluator_create(&evaluator, process, &o, error);
    if (status == BG_OK) status = bg_evaluator_evaluate(evaluator, 0, count, momenta, value, NULL, error);
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    return status;
}

static int print_agreement(const char *name, int n_out, const char *where, double *deviation, size_t count)
{
    size_t above = 0;
    for (size_t k = 0; k < count; k++) above += !(deviation[k] <= 1e-11);
    qsort(deviation, count, sizeof *deviation, increasing);
    printf("%-10s %2d  %-10s %6zu  %8.1e %8.1e %8.1e  %zu%s\n", name, n_out, where, count, deviation[count / 2],
           deviation[(size_t)(0.999 * (double)count)], deviation[count - 1], above, above ? "  WRONG" : "");
    return !above;
}

/* Relative to |M|^2 where helicities are summed. A single configuration may nearly vanish and then has few digits: it is
 * held against the sum over helicities where that is larger. */
static int compare_kernels(const char *name, const bg_options *o, int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2), half = count / 2;
    double *momenta = mixed_points(n_out, count), *value = malloc(4 * count * sizeof *value);
    double *fast = value, *paper = value + count, *deviation = value + 2 * count, *sum = value + 3 * count;
    size_t *which = malloc(count * sizeof *which), small = 0;
    bg_error error;
    if (!value || !which) exit(1);
    bg_status status = evaluate_kernel(o, BG_KERNEL_FAST, n_out, count, momenta, fast, &error);
    if (status == BG_OK) status = evaluate_kernel(o, BG_KERNEL_PAPER, n_out, count, momenta, paper, &error);
    for (size_t k = 0; k < count && status == BG_OK; k++)
        if (!(fabs(fast[k] - paper[k]) <= 1e-11 * paper[k]) && o->helicity != SUMMED) { /* gathered at the front */
            memmove(momenta + small * numbers, momenta + k * numbers, numbers * sizeof *momenta);
            which[small++] = k;
        }
    if (small && status == BG_OK) {
        bg_options all = *o;
        all.helicity = SUMMED;
        status = evaluate_kernel(&all, BG_KERNEL_FAST, n_out, small, momenta, sum, &error);
    }
    for (size_t k = 0, next = 0; k < count && status == BG_OK; k++) {
        const double scale = next < small && which[next] == k ? fmax(paper[k], sum[next++]) : paper[k];
        deviation[k % 2 * half + k / 2] = fabs(fast[k] - paper[k]) / scale;
    }
    int good = 0;
    if (status != BG_OK) {
        printf("%-10s %2d  FAILED: %s\n", name, n_out, error.message);
    } else {
        good = print_agreement(name, n_out, "flat", deviation, half);
        good &= print_agreement(name, n_out, "in cuts", deviation + half, half);
    }
    fflush(stdout);
    free(momenta);
    free(value);
    free(which);
    return good;
}

int agree(int most, size_t points)
{
    static const struct {
        const char *name;
        bg_helicity helicity;
        bg_helicity_sampling sampling;
    } shared[] = {
        {"summed", SUMMED, BG_SAMPLE_ANGLE},       {"angle", SAMPLED, BG_SAMPLE_ANGLE},
        {"phase", SAMPLED, BG_SAMPLE_PHASE},       {"linear", SAMPLED, BG_SAMPLE_LINEAR},
        {"circular", SAMPLED, BG_SAMPLE_CIRCULAR}, {"fixed", FIXED, BG_SAMPLE_ANGLE},
    };
    int rows = 0, good = 0;
    printf("helicities n_out points          count  median    99.9 %%    worst   above 1e-11\n");
    for (int n_out = 2; n_out <= most && n_out <= BG_MAX_OUT_ORDERED; n_out++)
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
            bg_options o;
            bg_options_init(&o);
            o.helicity = shared[k].helicity;
            o.helicity_sampling = shared[k].sampling;
            o.seed = 20261115;
            snprintf(o.backend, sizeof o.backend, "cuda");
            if (o.helicity == FIXED) snprintf(o.helicities, sizeof o.helicities, "%.*s", n_out + 2, "+-+-+-+-+-+-+-");
            /* full sums of the paper's kernel take 6 ms at n_out = 7, 0.3 s at 8 */
            const size_t usual = o.helicity == SUMMED ? (n_out < 7   ? 10000
                                                         : n_out < 8 ? 4000
                                                                     : 128)
                                 : n_out < 8          ? 10000
                                                      : 4000;
            const size_t count = points && points < usual ? points : usual;
            good += compare_kernels(shared[k].name, &o, n_out, count / 2 * 2);
            rows++;
        }
    printf("%d of %d modes agree\n", good, rows);
    return good == rows ? 0 : 1;
}
