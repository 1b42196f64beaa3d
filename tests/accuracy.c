/* Prints the table of docs/accuracy.md: |M|^2 in double precision against 128-bit floats, inside the paper's cuts at
 * 14 TeV, fixed points. Usage: accuracy [FACTOR [N_OUT]]; FACTOR multiplies the number of points (0.01: a minute), N_OUT
 * is the only number of gluons to look at. accuracy limits: the table of nearly singular points.
 *
 * Where colors are summed, the yardstick is the fast kernel in 128-bit floats, which is itself compared with the paper's
 * in 128-bit floats first; elsewhere it is the paper's.
 */
#include "accuracy.h"

#include "amplitude/stability.h"
#include "backend/cpu/cpu.h"

static double factor = 1.;

typedef struct sample {
    int n_out;
    size_t count;
    double *momenta, *exact, *deviation;
} sample;

static sample sample_create(int n_out, double points)
{
    random_source r = fixed_source(1);
    const size_t count = factor * points < 4. ? 4 : (size_t)(factor * points);
    const sample s = {n_out, count, random_cut_points(&r, n_out, 14000., count), malloc(count * sizeof(double)),
                      malloc(count * sizeof(double))};
    if (!s.exact || !s.deviation) {
        printf("no memory\n");
        exit(1);
    }
    return s;
}

static void sample_destroy(sample *s)
{
    free(s->momenta);
    free(s->exact);
    free(s->deviation);
}

/* The paper's kernel in 128-bit floats. */
static void exact_by_paper(const sample *s, size_t count, const bg_options *o, double *exact)
{
    if (!choose_simd("quad")) exit(1);
    evaluate(s->n_out, o, 0, count, s->momenta, exact, NULL);
    default_simd();
}

/* The fast one. */
static void exact_by_fast(const sample *s, const bg_options *o)
{
    bg_process *process;
    bg_plan plan;
    bg_error error;
    void *state = NULL;
    if (bg_process_create_gluons(&process, s->n_out, &error) != BG_OK ||
        bg_plan_create(&plan, process, o, &error) != BG_OK || bg_cpu_quad_create(&plan, &state, &error) != BG_OK) {
        printf("%s\n", error.message);
        exit(1);
    }
    const size_t stride = 4 * (size_t)plan.n;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (size_t k = 0; k < s->count; k++)
        if (bg_cpu_quad_point(state, k, NULL, s->momenta + k * stride, &s->exact[k], NULL, NULL) != BG_OK) exit(1);
    bg_cpu_quad_destroy(state);
    bg_process_destroy(process);
}

static void print_row(int n_out, size_t count, const double *deviation, const char *what)
{
    printf("| %d | %s | %zu | %.1e | %.1e | %.1e |\n", n_out, what, count, deviation[count / 2],
           deviation[(size_t)(0.99 * (double)count)], deviation[count - 1]);
    fflush(stdout);
}

static void row(const sample *s, const bg_options *o, const char *what)
{
    deviations_from(s->n_out, o, s->count, s->momenta, s->exact, s->deviation);
    print_row(s->n_out, s->count, s->deviation, what);
}

/* The yardstick against the one that costs more, on `points` of the sample. */
static void check_yardstick(const sample *s, const bg_options *o, double points, const char *what)
{
    const size_t wanted = factor * points < 2. ? 2 : (size_t)(factor * points);
    const size_t count = wanted < s->count ? wanted : s->count;
    exact_by_paper(s, count, o, s->deviation);
    for (size_t k = 0; k < count; k++) s->deviation[k] = fabs(s->exact[k] / s->deviation[k] - 1.);
    qsort(s->deviation, count, sizeof *s->deviation, increasing);
    print_row(s->n_out, count, s->deviation, what);
}

static void summed_colors(int n_out, bg_helicity helicity, double points, double checks, const char *helicities)
{
    sample s = sample_create(n_out, points);
    bg_options o = default_options();
    char what[128];
    o.helicity = helicity;
    exact_by_fast(&s, &o);
    snprintf(what, sizeof what, "co-sum, %s, 128-bit floats: fast against paper", helicities);
    if (checks > 0.) check_yardstick(&s, &o, checks, what);
    snprintf(what, sizeof what, "co-sum, %s, fast", helicities);
    row(&s, &o, what);
    o.kernel = BG_KERNEL_PAPER;
    snprintf(what, sizeof what, "co-sum, %s, paper", helicities);
    row(&s, &o, what);
    o.vertex = BG_VERTEX_TENSOR;
    snprintf(what, sizeof what, "co-sum, %s, paper, tensor", helicities);
    row(&s, &o, what);
    sample_destroy(&s);
}

static void single_amplitudes(int n_out, const bg_options *o, double points, const char *what)
{
    sample s = sample_create(n_out, points);
    exact_by_paper(&s, s.count, o, s.exact);
    row(&s, o, what);
    sample_destroy(&s);
}

/* Where double precision loses digits: collinear, soft, along a beam. Full sums at n_out = 3. */
static void singular_limits(void)
{
    enum { N_OUT = 3, COUNT = 300, STRIDE = 4 * (N_OUT + 2) };
    static const char *const kinds[] = {"two gluons at an angle x", "a gluon of energy x at a wide angle",
                                        "a gluon at an angle x to a beam"};
    double *momenta = malloc(COUNT * STRIDE * sizeof *momenta), exact[COUNT], deviation[3][COUNT];
    if (!momenta) exit(1);
    printf("| | x | fast: median | worst | paper: median | worst | paper with rescue: worst | unstable: fast, paper |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (int kind = 0; kind < 3; kind++)
        for (int digits = 2; digits <= 8; digits += 2) {
            const double x = pow(10., -digits);
            random_source r = fixed_source(1);
            for (int k = 0; k < COUNT; k++) {
                double *p = momenta + k * STRIDE;
                if (kind == 0) collinear_point(&r, N_OUT, x, uniform(&r, 0.2, 0.8), p);
                if (kind == 1) collinear_point(&r, N_OUT, 0.3, x, p);
                if (kind == 2) beam_point(&r, N_OUT, x, uniform(&r, 0.1, 0.4), p);
            }
            bg_options o = default_options(), paper = o;
            if (!choose_simd("quad")) exit(1);
            evaluate(N_OUT, &o, 0, COUNT, momenta, exact, NULL);
            default_simd();
            paper.kernel = BG_KERNEL_PAPER;
            deviations_from(N_OUT, &o, COUNT, momenta, exact, deviation[0]);
            deviations_from(N_OUT, &paper, COUNT, momenta, exact, deviation[1]);
            evaluate(N_OUT, &paper, 0, COUNT, momenta, deviation[2], NULL);
            double worst = 0.;
            int unstable[2] = {0, 0};
            for (int k = 0; k < COUNT; k++) {
                worst = fmax(worst, fabs(deviation[2][k] / exact[k] - 1.));
                for (int which = 0; which < 2; which++)
                    unstable[which] += stability_fails(stability_of(!which), N_OUT + 2, momenta + k * STRIDE, 1);
            }
            printf("| %s | 1e-%d | %.1e | %.1e | %.1e | %.1e | %.1e | %d %%, %d %% |\n", kinds[kind], digits,
                   deviation[0][COUNT / 2], deviation[0][COUNT - 1], deviation[1][COUNT / 2], deviation[1][COUNT - 1],
                   worst, 100 * unstable[0] / COUNT, 100 * unstable[1] / COUNT);
            fflush(stdout);
        }
    free(momenta);
}

int main(int argc, char **argv)
{
    /* points for the full sum, for one polarisation with all colors, for single amplitudes, and for the yardstick */
    static const double full[] = {1e5, 1e5, 1e5, 1.2e4, 600}, one[] = {1e5, 1e5, 1e5, 1e5, 2e4},
                        single[] = {1e5, 1e5, 1e5, 4e4, 1e4}, checks[] = {2000, 500, 20, 0, 0},
                        checks_one[] = {1e4, 5000, 1000, 50, 4};
    const int only = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 1 && !strcmp(argv[1], "limits")) {
        singular_limits();
        return 0;
    }
    if (argc > 1) factor = atof(argv[1]);
    printf("| n_out | algorithm | points | median | 99 %% | worst |\n|---|---|---|---|---|---|\n");
    for (int n_out = 2; n_out <= 6; n_out++) {
        const int k = n_out - 2;
        if (only && only != n_out) continue;
        summed_colors(n_out, BG_HELICITY_SUMMED, full[k], checks[k], "all helicities");
        summed_colors(n_out, BG_HELICITY_SAMPLED, one[k], checks_one[k], "one polarisation");
        bg_options lc = default_options();
        lc.color = BG_COLOR_LEADING;
        lc.orderings = BG_ORDERINGS_ONE;
        lc.helicity = BG_HELICITY_SAMPLED;
        single_amplitudes(n_out, &lc, single[k], "lc, one ordering, one polarisation");
        bg_options cd = default_options();
        cd.color = BG_COLOR_SAMPLED;
        cd.recursion = BG_RECURSION_DRESSED;
        cd.helicity = BG_HELICITY_SAMPLED;
        single_amplitudes(n_out, &cd, single[k] / 5., "cd-mc, fast");
        cd.kernel = BG_KERNEL_PAPER;
        single_amplitudes(n_out, &cd, single[k] / 5., "cd-mc, paper");
    }
    return 0;
}
