/* Prints the table of docs/accuracy.md: |M|^2 in double precision against 128-bit floats, inside the paper's cuts at
 * 14 TeV, fixed points. Usage: accuracy [FACTOR [N_OUT]]; FACTOR multiplies the number of points (0.01: a minute), N_OUT
 * is the only number of gluons to look at. accuracy limits [FACTOR]: the table of nearly singular points. accuracy agree [FACTOR
 * [N_OUT]]: the fast kernels against the paper's, in every mode that they share. accuracy quarks [FACTOR]: nearly singular
 * points of processes with quarks, and what they say about the bound of amplitude/stability.h. However small the factor is, a few points
 * are left: that is how CTest calls it.
 *
 * The exit status is 1 where a number is far from what docs/accuracy.md has, and 77 without 128-bit floats.
 *
 * Where colors are summed, the yardstick is the fast kernel in 128-bit floats, which is itself compared with the paper's
 * in 128-bit floats first; elsewhere it is the paper's.
 */
#include "accuracy.h"
#include "partons.h"
#include "engine/plan.h"

#include <float.h>

#include "amplitude/stability.h"
#include "backend/backend.h"

enum { SKIPPED = 77 };

static double factor = 1.;
static int failed; /* something is far from what it should be */

static void expect_below(double value, double bound)
{
    if (value <= bound) return;
    printf("%.1e is above %.0e\n", value, bound);
    failed = 1;
}

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
    if (!choose_simd("quad")) exit(SKIPPED);
    evaluate(s->n_out, o, 0, count, s->momenta, exact, NULL);
    default_simd();
}

/* The fast one. */
static void exact_by_fast(const sample *s, const bg_options *o)
{
    const bg_precise *precise = NULL;
    const bg_subprocess process = bg_subprocess_gluons(s->n_out);
    const bg_momenta all = momenta_of_gluons(s->n_out, s->momenta);
    bg_plan plan;
    bg_error error;
    void *state = NULL;
    for (int k = 0; bg_backends[k] && !precise; k++) precise = bg_backends[k]->precise;
    if (!precise) exit(SKIPPED);
    if (bg_plan_create(&plan, &process, o, &error) != BG_OK || precise->create(&plan, &state, &error) != BG_OK) {
        printf("%s\n", error.message);
        exit(1);
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (size_t k = 0; k < s->count; k++) {
        const bg_momenta one = momenta_from(&all, k);
        if (precise->point(state, k, NULL, &one, &s->exact[k], NULL, NULL) != BG_OK) exit(1);
    }
    precise->destroy(state);
}

static void print_row(int n_out, size_t count, const double *deviation, const char *what)
{
    printf("| %d | %s | %zu | %.1e | %.1e | %.1e |\n", n_out, what, count, deviation[count / 2],
           deviation[(size_t)(0.99 * (double)count)], deviation[count - 1]);
    expect_below(deviation[count / 2], 1e-13);
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
    enum { N_OUT = 3, MOST = 300, STRIDE = 4 * (N_OUT + 2) };
    const int count = factor * MOST < 10. ? 10 : factor < 1. ? (int)(factor * MOST) : MOST;
    static const char *const kinds[] = {"two gluons at an angle x", "a gluon of energy x at a wide angle",
                                        "a gluon at an angle x to a beam"};
    double *momenta = malloc(MOST * STRIDE * sizeof *momenta), exact[MOST], deviation[3][MOST];
    if (!momenta) exit(1);
    printf("| | x | fast: median | worst | paper: median | worst | paper with rescue: worst | unstable |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (int kind = 0; kind < 3; kind++)
        for (int digits = 2; digits <= 8; digits += 2) {
            const double x = pow(10., -digits);
            random_source r = fixed_source(1);
            for (int k = 0; k < count; k++) {
                double *p = momenta + k * STRIDE;
                if (kind == 0) collinear_point(&r, N_OUT, x, uniform(&r, 0.2, 0.8), p);
                if (kind == 1) collinear_point(&r, N_OUT, 0.3, x, p);
                if (kind == 2) beam_point(&r, N_OUT, x, uniform(&r, 0.1, 0.4), p);
            }
            bg_options o = default_options(), paper = o;
            if (!choose_simd("quad")) exit(SKIPPED);
            evaluate(N_OUT, &o, 0, (size_t)count, momenta, exact, NULL);
            default_simd();
            paper.kernel = BG_KERNEL_PAPER;
            deviations_from(N_OUT, &o, (size_t)count, momenta, exact, deviation[0]);
            deviations_from(N_OUT, &paper, (size_t)count, momenta, exact, deviation[1]);
            evaluate(N_OUT, &paper, 0, (size_t)count, momenta, deviation[2], NULL);
            double worst = 0.;
            int unstable = 0;
            const bg_momenta view = momenta_of_gluons(N_OUT, momenta);
            for (int k = 0; k < count; k++) {
                worst = fmax(worst, fabs(deviation[2][k] / exact[k] - 1.));
                unstable += stability_fails(N_OUT + 2, &view, (size_t)k);
            }
            printf("| %s | 1e-%d | %.1e | %.1e | %.1e | %.1e | %.1e | %d %% |\n", kinds[kind], digits,
                   deviation[0][count / 2], deviation[0][count - 1], deviation[1][count / 2], deviation[1][count - 1],
                   worst, 100 * unstable / count);
            expect_below(worst, 1e-9);
            fflush(stdout);
        }
    free(momenta);
}

/* Both kernels in double precision, without rescue. Relative to |M|^2 where helicities are summed; a single configuration
 * may nearly vanish and then has few digits, so it is held against the sum over helicities where that is larger. */
static void agree_row(int n_out, const char *what, const bg_options *options, size_t count, int cuts)
{
    const size_t stride = 4 * (size_t)(n_out + 2);
    random_source r = fixed_source(cuts ? 3 : 2);
    double *momenta = malloc(count * stride * sizeof *momenta), *fast = malloc(count * sizeof *fast),
           *paper = malloc(count * sizeof *paper), *sum = malloc(count * sizeof *sum);
    size_t *which = malloc(count * sizeof *which);
    if (!momenta || !fast || !paper || !sum || !which) exit(1);
    for (size_t k = 0; k < count; k++)
        (cuts ? random_cut_point : random_point)(&r, n_out, cuts ? 14000. : 1000., momenta + k * stride);
    bg_options o = *options;
    o.rescue = 0;
    evaluate(n_out, &o, 0, count, momenta, fast, NULL);
    o.kernel = BG_KERNEL_PAPER;
    evaluate(n_out, &o, 0, count, momenta, paper, NULL);
    /* the sums that are needed, gathered at the front */
    size_t above = 0, small = 0;
    for (size_t k = 0; k < count; k++)
        if (!(fabs(fast[k] - paper[k]) <= 1e-11 * paper[k]) && o.helicity != BG_HELICITY_SUMMED) {
            memmove(momenta + small * stride, momenta + k * stride, stride * sizeof *momenta);
            which[small++] = k;
        }
    const bg_options all = default_options();
    if (small) evaluate(n_out, &all, 0, small, momenta, sum, NULL);
    for (size_t k = 0, next = 0; k < count; k++) {
        const double scale = next < small && which[next] == k ? fmax(paper[k], sum[next++]) : paper[k];
        fast[k] = fabs(fast[k] - paper[k]) / scale;
        above += !(fast[k] <= 1e-11);
    }
    qsort(fast, count, sizeof *fast, increasing);
    printf("| %d | %s, %s | %zu | %.1e | %.1e | %.1e | %zu |\n", n_out, what, cuts ? "inside cuts" : "flat", count,
           fast[count / 2], fast[(size_t)(0.999 * (double)count)], fast[count - 1], above);
    expect_below(fast[(size_t)(0.999 * (double)count)], 1e-11);
    fflush(stdout);
    free(momenta);
    free(fast);
    free(paper);
    free(sum);
    free(which);
}

static void agreement(int only)
{
    static const struct {
        const char *name;
        bg_helicity helicity;
        bg_helicity_sampling sampling;
        double points[6]; /* n_out = 2 to 7 */
    } shared[] = {
        {"full sum", BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, {1e4, 1e4, 5000, 2000, 1000, 16}},
        {"angle", BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, {1e4, 1e4, 1e4, 1e4, 5000, 1000}},
        {"phase", BG_HELICITY_SAMPLED, BG_SAMPLE_PHASE, {1e4, 1e4, 1e4, 5000, 2000, 200}},
        {"linear", BG_HELICITY_SAMPLED, BG_SAMPLE_LINEAR, {1e4, 1e4, 1e4, 5000, 2000, 200}},
        {"circular", BG_HELICITY_SAMPLED, BG_SAMPLE_CIRCULAR, {1e4, 1e4, 1e4, 5000, 2000, 200}},
        {"one helicity string", BG_HELICITY_FIXED, BG_SAMPLE_ANGLE, {1e4, 1e4, 1e4, 5000, 2000, 200}},
    };
    printf("| n_out | helicities, points | points | median | 99.9 %% | worst | above 1e-11 "
           "|\n|---|---|---|---|---|---|---|\n");
    for (int n_out = 2; n_out <= 7; n_out++)
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
            const double points = factor * shared[k].points[n_out - 2];
            bg_options o = default_options();
            o.helicity = shared[k].helicity;
            o.helicity_sampling = shared[k].sampling;
            if (o.helicity == BG_HELICITY_FIXED) snprintf(o.helicities, (size_t)n_out + 3, "+-+-+-+-+");
            for (int cuts = 0; cuts < 2 && (!only || only == n_out); cuts++)
                agree_row(n_out, shared[k].name, &o, points < 4. ? 4 : (size_t)points, cuts);
        }
}

/* The last leg and the second outgoing one, or a beam, at an angle x. */
typedef struct close_pair {
    const char *what, *process;
    int beam;   /* 1: the last leg and a beam */
    int closes; /* 1: the pair has the antiquark that closes the amplitudes: a soft pair then loses digits, too */
} close_pair;

/* The largest sqrt(Ei Ej / pi.pj) of a point. */
static double condition(int n, const double *p)
{
    double largest = 0.;
    for (int j = 1; j < n; j++)
        for (int i = 0; i < j; i++) {
            const double *a = p + 4 * i, *b = p + 4 * j, energies = a[0] * b[0];
            double square =
                0.; /* of E_b a - E_a b, which is 2 Ea Eb a.b: where energies cancel, a.b has no digits left */
            for (int c = 1; c < 4; c++) square += (b[0] * a[c] - a[0] * b[c]) * (b[0] * a[c] - a[0] * b[c]);
            if (j > 1) largest = fmax(largest, sqrt(2. * energies * energies / square));
        }
    return largest;
}

/* Worst deviations at angles of 1e-1 to 1e-6, in units of eps sqrt(Ei Ej / pi.pj) as well; where the pair closes, once more
 * with the energy of a beam over that of the pair in the unit. Returns the last. */
static double close_row(const close_pair *c)
{
    enum { MOST = 500, DIGITS = 6 };
    const int n = legs_of(c->process), n_out = n - 2, count = factor * MOST < 10. ? 10 : (int)(fmin(factor, 1.) * MOST);
    double *momenta = malloc((size_t)(MOST * 4 * n) * sizeof *momenta), exact[MOST], me2[MOST], worst[DIGITS] = {0.};
    double ratio[2] = {0., 0.};
    bg_options o = default_options();
    o.rescue = 0;
    if (!momenta) exit(1);
    for (int digits = 1; digits <= DIGITS; digits++) {
        random_source r = fixed_source((uint64_t)digits);
        for (int k = 0; k < count; k++) {
            double *p = momenta + k * 4 * n;
            if (c->beam)
                beam_point(&r, n_out, pow(10., -digits), uniform(&r, 0.1, 0.4), p);
            else
                collinear_point(&r, n_out, pow(10., -digits), uniform(&r, 0.2, 0.8), p);
        }
        if (!choose_simd("quad")) exit(SKIPPED);
        evaluate_process(c->process, &o, 0, (size_t)count, momenta, exact, NULL);
        default_simd();
        evaluate_process(c->process, &o, 0, (size_t)count, momenta, me2, NULL);
        for (int k = 0; k < count; k++) {
            const double deviation = fabs(me2[k] / exact[k] - 1.);
            worst[digits - 1] = fmax(worst[digits - 1], deviation);
            const double *p = momenta + k * 4 * n, energy = p[8] + p[4 * (n - 1)];
            const double units = deviation / (DBL_EPSILON * condition(n, p));
            ratio[0] = fmax(ratio[0], units);
            ratio[1] = fmax(ratio[1], c->closes ? units / fmax(1., p[0] / energy) : units);
        }
    }
    printf("| %s | `%s` | %.1e | %.1e | %.1e | %.1f | %.1f |\n", c->what, c->process, worst[1], worst[3], worst[5],
           ratio[0], ratio[1]);
    fflush(stdout);
    free(momenta);
    return ratio[1];
}

static void close_quarks(void)
{
    static const close_pair list[] = {
        {"two gluons", "g g > g g g", 0, 0},
        {"two gluons", "u g > g u g", 0, 0},
        {"two gluons", "u u~ > g g g", 0, 0},
        {"two gluons", "u d > g u d g", 0, 0},
        {"two gluons", "g g > g u u~ g", 0, 0},
        {"a quark and a gluon", "u g > u g g", 0, 0},
        {"a quark and a gluon", "g g > u u~ g", 0, 0},
        {"a quark and a gluon", "u d > u d g", 0, 0},
        {"a quark and a gluon", "u u > u u g g", 0, 0},
        {"a quark and a gluon", "u d > u d g g", 0, 0},
        {"a quark and its antiquark", "u g > d u d~", 0, 0},
        {"a quark and its antiquark", "u u~ > d g d~", 0, 0},
        {"a quark and its antiquark", "g g > u g g u~", 0, 1},
        {"a quark and its antiquark", "g g > u d d~ u~", 0, 1},
        {"a quark and its antiquark", "u d > s u d s~", 0, 0},
        {"a quark and its antiquark", "u u > u u u u~", 0, 0},
        {"two quarks", "u u > u g u", 0, 0},
        {"quarks of two flavors", "g g > u u~ d~ d", 0, 0},
        {"a gluon and a beam", "g g > g g g", 1, 0},
        {"a gluon and a beam", "u g > u g g", 1, 0},
        {"a gluon and a beam", "u u~ > d d~ g", 1, 0},
        {"a quark and a beam", "u g > g g u", 1, 0},
        {"a quark and a beam", "u d > g d u", 1, 0},
        {"a quark and a beam", "g g > u~ g g u", 1, 0},
        {"a quark and a beam", "u u~ > d~ s s~ d", 1, 0},
    };
    double worst[2] = {0., 0.};
    printf("| at an angle x | process | x = 1e-2: worst | 1e-4 | 1e-6 | in eps sqrt(Ei Ej / pi.pj) | ..., E / (Ei + "
           "Ej) |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        worst[list[k].beam] = fmax(worst[list[k].beam], close_row(&list[k]));
    expect_below(worst[0], 10.);
    expect_below(worst[1], 5.);
}

int main(int argc, char **argv)
{
    /* points for the full sum, for one polarization with all colors, for single amplitudes, and for the yardsticks */
    static const double full[] = {1e5, 1e5, 2e4, 3600, 60}, one[] = {1e5, 1e5, 1e5, 1e5, 1e5},
                        single[] = {1e5, 1e5, 1e5, 1.2e4, 1000}, dressed[] = {1e4, 5000, 2000, 600, 50},
                        checks[] = {2000, 500, 20, 0, 0}, checks_one[] = {1e4, 5000, 1000, 15, 2};
    const int limits = argc > 1 && !strcmp(argv[1], "limits"), agree = argc > 1 && !strcmp(argv[1], "agree");
    const int quarks = argc > 1 && !strcmp(argv[1], "quarks");
    const int first = limits || agree || quarks, only = argc > 2 + first ? atoi(argv[2 + first]) : 0;
    if (argc > 1 + first) factor = atof(argv[1 + first]);
    if (limits) singular_limits();
    if (agree) agreement(only);
    if (quarks) close_quarks();
    if (first) return failed;
    printf("| n_out | algorithm | points | median | 99 %% | worst |\n|---|---|---|---|---|---|\n");
    for (int n_out = 2; n_out <= 6; n_out++) {
        const int k = n_out - 2;
        if (only && only != n_out) continue;
        summed_colors(n_out, BG_HELICITY_SUMMED, full[k], checks[k], "all helicities");
        summed_colors(n_out, BG_HELICITY_SAMPLED, one[k], checks_one[k], "one polarization");
        bg_options lc = default_options();
        lc.color = BG_COLOR_LEADING;
        lc.orderings = BG_ORDERINGS_ONE;
        lc.helicity = BG_HELICITY_SAMPLED;
        single_amplitudes(n_out, &lc, single[k], "lc, one ordering, one polarization");
        bg_options cd = default_options();
        cd.color = BG_COLOR_SAMPLED;
        cd.recursion = BG_RECURSION_DRESSED;
        cd.helicity = BG_HELICITY_SAMPLED;
        single_amplitudes(n_out, &cd, dressed[k], "cd-mc, fast");
        cd.kernel = BG_KERNEL_PAPER;
        single_amplitudes(n_out, &cd, dressed[k], "cd-mc, paper");
    }
    return failed;
}
