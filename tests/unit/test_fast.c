/* The fast kernels: the transform on the symmetric group against the dense color sum, shared and recycled
 * currents in light-cone gauge against the paper's recursion, and symmetries where the paper's kernel does not
 * reach.
 */
#include "support.h"

#include "color/dense.h"
#include "color/factor.h"
#include "color/transform.h"

/* ---- the transform --------------------------------------------------------------------------------- */

static void *aligned(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(p);
    return p;
}

static real random_real(random_source *r)
{
    real x = bg_real(0.);
    for (int l = 0; l < BG_LANES; l++) bg_set_lane(&x, l, uniform(r, -1., 1.));
    return x;
}

/* sum_s |f(s)|^2 = sum_irreps d/m! |F|^2 for functions on S_m. */
static void plancherel(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int N = 4; N <= 8; N++) {
        color_fourier t;
        assert_int_equal(bg_color_fourier_create(&t, N, 2, NULL), 0);
        assert_true(t.bytes <= bg_color_fourier_bytes(N));
        real *f = aligned((size_t)t.block * sizeof *f), *other = aligned((size_t)t.block * sizeof *f);
        real before = bg_real(0.), after = bg_real(0.);
        int numbers = 0;
        for (int k = 0; k < t.block; k++) {
            f[k] = random_real(&r);
            before += f[k] * f[k];
        }
        transform_climb(&t, f, other);
        for (int k = 0; k < t.forms; k++) {
            const color_form *form = &t.form[k];
            if (form->sign < 0) continue;
            const int d = form->dimension;
            for (int e = 0; e < d * d; e++)
                after += bg_real((double)d / t.block) * f[form->offset + e] * f[form->offset + e];
            numbers += d * d;
        }
        assert_int_equal(numbers, t.block);
        for (int l = 0; l < BG_LANES; l++) assert_relative(bg_lane(after, l), bg_lane(before, l), 1e-13, "S_%d", t.m);
        free(f);
        free(other);
        bg_color_fourier_destroy(&t);
    }
}

/* The transform of a single permutation is its representation matrix: rho(g) rho(h) = rho(gh), and
 * rho(g) rho(g)^T = 1. */
static void representations(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int N = 5; N <= 8; N++) {
        color_fourier t;
        assert_int_equal(bg_color_fourier_create(&t, N, 2, NULL), 0);
        const size_t size = (size_t)t.block;
        real *other = aligned(size * sizeof *other), *rho[3];
        for (int k = 0; k < 3; k++) rho[k] = aligned(size * sizeof *other);
        for (int trial = 0; trial < 8; trial++) {
            permutation g[3];
            for (int k = 0; k < 2; k++) g[k] = bg_permutation_unrank(t.m, (uint64_t)random_below(&r, t.block));
            g[2] = bg_permutation_compose(t.m, &g[0], &g[1]);
            for (int k = 0; k < 3; k++) {
                for (size_t e = 0; e < size; e++) rho[k][e] = bg_real(0.);
                rho[k][bg_permutation_rank(t.m, &g[k])] = bg_real(1.);
                transform_climb(&t, rho[k], other);
            }
            for (int k = 0; k < t.forms; k++) {
                const int d = t.form[k].dimension, offset = t.form[k].offset;
                for (int a = 0; a < d; a++)
                    for (int b = 0; b < d; b++) {
                        double product = 0., square = 0.;
                        for (int c = 0; c < d; c++) {
                            product += bg_lane(rho[0][offset + a * d + c], 0) * bg_lane(rho[1][offset + c * d + b], 0);
                            square += bg_lane(rho[0][offset + a * d + c], 0) * bg_lane(rho[0][offset + b * d + c], 0);
                        }
                        assert_bounded(product - bg_lane(rho[2][offset + a * d + b], 0), 1e-13, "product in S_%d", t.m);
                        assert_bounded(square - (a == b), 1e-13, "orthogonality in S_%d", t.m);
                    }
            }
        }
        for (int k = 0; k < 3; k++) free(rho[k]);
        free(other);
        bg_color_fourier_destroy(&t);
    }
}

static void transform_against_dense(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int N = 2; N <= 7; N++) {
        const uint64_t size = bg_factorial(N);
        color_fourier t;
        color_dense dense;
        int64_t *exact = malloc(size * sizeof *exact);
        double *function = malloc(size * sizeof *function), *row = malloc(size * sizeof *row);
        real *A = aligned(size * sizeof *A), *inverse = aligned(size * sizeof *A);
        real *scratch = aligned(transform_scratch(N) * sizeof *A);
        assert_true(exact && function && row);
        assert_int_equal(bg_color_adjoint(N, exact, 2, NULL), 0);
        for (uint64_t k = 0; k < size; k++) function[k] = (double)exact[k];
        assert_int_equal(bg_color_dense_create(&dense, N, function), 0);
        assert_int_equal(bg_color_fourier_create(&t, N, 2, NULL), 0);
        for (uint64_t s = 0; s < size; s++) {
            permutation p = bg_permutation_unrank(N, s);
            p = bg_permutation_inverse(N, &p);
            A[s] = random_real(&r);
            inverse[bg_permutation_rank(N, &p)] = A[s];
        }
        const real sum = transform_color_sum(&t, inverse, scratch);
        real expected = bg_real(0.);
        for (uint64_t s = 0; s < size; s++) {
            bg_color_dense_row(&dense, s, row);
            real half = bg_real(0.5 * row[s]) * A[s];
            for (uint64_t k = s + 1; k < size; k++) half += bg_real(row[k]) * A[k];
            expected += bg_real(2.) * half * A[s];
        }
        for (int l = 0; l < BG_LANES; l++) assert_relative(bg_lane(sum, l), bg_lane(expected, l), 1e-12, "N = %d", N);
        free(exact);
        free(row);
        free(A);
        free(inverse);
        free(scratch);
        bg_color_dense_destroy(&dense);
        bg_color_fourier_destroy(&t);
    }
}

/* ---- against the paper's kernel ---------------------------------------------------------------------- */

/* Points inside the cuts whose momenta add up: the two kernels see a violation differently. */
static double *sharp_points(random_source *r, int n_out, size_t count)
{
    const size_t stride = (size_t)(n_out + 2) * 4;
    const double sqrts = 14000.;
    double *momenta = malloc(count * stride * sizeof *momenta);
    assert_non_null(momenta);
    for (size_t k = 0; k < count;) {
        double *p = momenta + k * stride, worst = 0.;
        random_cut_point(r, n_out, sqrts, p);
        for (int c = 0; c < 4; c++) {
            double sum = p[c] + p[4 + c];
            for (int g = 2; g < n_out + 2; g++) sum -= p[4 * g + c];
            worst = fmax(worst, fabs(sum));
        }
        for (int g = 2; g < n_out + 2; g++) worst = fmax(worst, fabs(minkowski(p + 4 * g, p + 4 * g)) / p[4 * g]);
        if (worst < 1e-14 * sqrts) k++;
    }
    return momenta;
}

/* Points without cuts, soft and collinear gluons among them. Only angles below 4e-4 are left out, one point in a million:
 * there the rounding of the momenta alone is seen in the eleventh digit. */
static double *flat_points(random_source *r, int n_out, size_t count)
{
    const int n = n_out + 2;
    double *momenta = malloc(count * (size_t)(4 * n) * sizeof *momenta);
    assert_non_null(momenta);
    for (size_t k = 0; k < count;) {
        double *p = momenta + k * (size_t)(4 * n);
        int parallel = 0;
        random_point(r, n_out, 1000., p);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) parallel |= minkowski(p + 4 * i, p + 4 * j) < 1e-7 * p[4 * i] * p[4 * j];
        if (!parallel) k++;
    }
    return momenta;
}

/* Both kernels alone, without rescue, at points without cuts and inside them. Sums over helicities are compared with
 * themselves. A single configuration may nearly vanish, and then has few digits: its deviation is held against the sum
 * over helicities where that is larger. */
static void compare_at(const char *where, const double *momenta, int n_out, size_t count, bg_helicity helicity,
                       bg_helicity_sampling sampling, const char *helicities)
{
    double *fast = malloc(count * sizeof *fast), *paper = malloc(count * sizeof *paper);
    double *scale = calloc(count, sizeof *scale);
    assert_true(fast && paper && scale);
    bg_options o = default_options();
    o.rescue = 0;
    if (helicity != BG_HELICITY_SUMMED) evaluate(n_out, &o, 0, count, momenta, scale, NULL);
    o.helicity = helicity;
    o.helicity_sampling = sampling;
    if (helicities) snprintf(o.helicities, sizeof o.helicities, "%s", helicities);
    o.samples = helicity == BG_HELICITY_SAMPLED ? 2 : 1;
    evaluate(n_out, &o, 11, count, momenta, fast, NULL);
    o.kernel = BG_KERNEL_PAPER;
    evaluate(n_out, &o, 11, count, momenta, paper, NULL);
    for (size_t k = 0; k < count; k++)
        assert_bounded(fast[k] - paper[k], 1e-11 * fmax(paper[k], scale[k]),
                       "%s: n_out = %d, helicity %d, sampling %d, point %zu: fast %.17g, paper %.17g", where, n_out,
                       (int)helicity, (int)sampling, k, fast[k], paper[k]);
    free(fast);
    free(paper);
    free(scale);
}

static void compare_kernels(int n_out, size_t most, bg_helicity helicity, bg_helicity_sampling sampling,
                            const char *helicities)
{
    const size_t count = (size_t)effort_of((int)most, most < 20 ? 2 : 20);
    random_source r = fresh_source(100u + (uint64_t)(64 * n_out + 8 * (int)helicity + (int)sampling));
    double *flat = flat_points(&r, n_out, count), *cut = sharp_points(&r, n_out, count);
    compare_at("flat", flat, n_out, count, helicity, sampling, helicities);
    compare_at("inside cuts", cut, n_out, count, helicity, sampling, helicities);
    free(flat);
    free(cut);
}

static void helicities_summed(void **state)
{
    (void)state;
    const size_t count[] = {0, 0, 4000, 4000, 1000, 50, 4};
    for (int n_out = 2; n_out <= 6; n_out++)
        compare_kernels(n_out, count[n_out], BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, NULL);
}

static void helicities_sampled(void **state)
{
    (void)state;
    const size_t count[] = {0, 0, 4000, 4000, 3000, 1000, 50};
    for (int sampling = BG_SAMPLE_ANGLE; sampling <= BG_SAMPLE_CIRCULAR; sampling++)
        for (int n_out = 2; n_out <= 6; n_out++)
            compare_kernels(n_out, count[n_out], BG_HELICITY_SAMPLED, (bg_helicity_sampling)sampling, NULL);
}

static void helicities_fixed(void **state)
{
    (void)state;
    /* incoming first; an incoming helicity counts as the opposite outgoing one */
    static const char *const given[] = {"+++-", "--+--", "+-+-+-", "++-++++", "-+--++-+"};
    const size_t count[] = {0, 0, 4000, 4000, 2000, 200, 8};
    for (int n_out = 2; n_out <= 5; n_out++)
        compare_kernels(n_out, count[n_out], BG_HELICITY_FIXED, BG_SAMPLE_ANGLE, given[n_out - 2]);
    compare_kernels(2, 500, BG_HELICITY_FIXED, BG_SAMPLE_ANGLE, "++++");
    compare_kernels(6, 8, BG_HELICITY_FIXED, BG_SAMPLE_ANGLE, given[4]);
}

static void one_helicity_at_seven(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    enum { COUNT = 8 };
    double *momenta = sharp_points(&r, 7, COUNT), fast[COUNT], paper[COUNT];
    bg_options o = default_options();
    o.helicity = BG_HELICITY_SAMPLED;
    evaluate(7, &o, 0, COUNT, momenta, fast, NULL);
    o.kernel = BG_KERNEL_PAPER;
    evaluate(7, &o, 0, COUNT, momenta, paper, NULL);
    for (int k = 0; k < COUNT; k++) assert_relative(fast[k], paper[k], 1e-11, "point %d", k);
    free(momenta);
}

/* Every instruction set, not only the best. */
static void instruction_sets(void **state)
{
    (void)state;
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    for (int k = 0; k < 3; k++) {
        if (!choose_simd(names[k])) continue;
        compare_kernels(3, 50, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, NULL);
        compare_kernels(4, 20, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, NULL);
        compare_kernels(5, 20, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, NULL);
        compare_kernels(4, 20, BG_HELICITY_SAMPLED, BG_SAMPLE_CIRCULAR, NULL);
    }
    default_simd();
}

/* ---- against values of other programs ---------------------------------------------------------------- */

static void reference_values(void **state)
{
    (void)state;
    enum { POINTS = 7 };
    for (int n_out = 2; n_out <= 5; n_out++) {
        double momenta[POINTS * 4 * 7], values[POINTS], me2[POINTS];
        char name[32];
        bg_options o = default_options();
        snprintf(name, sizeof name, "gg_%dg.points", n_out);
        assert_int_equal(read_numbers(name, momenta, (size_t)(POINTS * 4 * (n_out + 2))), POINTS * 4 * (n_out + 2));
        snprintf(name, sizeof name, "gg_%dg.values", n_out);
        assert_int_equal(read_numbers(name, values, POINTS), POINTS);
        evaluate(n_out, &o, 0, POINTS, momenta, me2, NULL);
        for (int k = 0; k < POINTS; k++)
            assert_relative(me2[k], values[k], 1e-11, "n_out = %d, point %d", n_out, k + 1);
    }
}

/* ---- where the paper's kernel does not reach ----------------------------------------------------------- */

/* The sum over helicity eigenstates, one evaluator each, is the recycled sum. Parity relates a configuration
 * to its opposite, and fewer than two gluons of either helicity (all outgoing) give nothing. */
static void recycled_sum_at_seven(void **state)
{
    (void)state;
    const int n_out = test_effort() < 1. ? 6 : 7, n = n_out + 2;
    random_source r = fresh_source(5);
    double *momenta = sharp_points(&r, n_out, 1), total, sum = 0., one;
    bg_options o = default_options();
    evaluate(n_out, &o, 0, 1, momenta, &total, NULL);
    o.helicity = BG_HELICITY_FIXED;
    for (unsigned h = 0; h < 1u << (n - 1); h++) {
        int plus = 0;
        for (int k = 0; k < n; k++) {
            const int set = h >> k & 1u;
            o.helicities[k] = set ? '+' : '-';
            plus += k < 2 ? !set : set;
        }
        o.helicities[n] = '\0';
        if (plus < 2 || plus > n - 2) continue;
        evaluate(n_out, &o, 0, 1, momenta, &one, NULL);
        sum += 2. * one;
    }
    assert_relative(total, sum / 4., 1e-11, "n_out = %d: recycled and summed one by one", n_out);
    free(momenta);
}

/* Gluons are bosons: exchanging two outgoing ones together with their helicities, or the beams, leaves |M|^2 as it
 * is. Here they are treated quite differently: the gauge vector is the second incoming momentum. */
static void bose_symmetry(void **state)
{
    (void)state;
    static const char *const given[] = {"++++---+-+", "--++-++-+-+"};
    random_source r = fresh_source(6);
    for (int n_out = 8; n_out <= (test_effort() < 1. ? 8 : 9); n_out++) {
        const int n = n_out + 2;
        double *momenta = sharp_points(&r, n_out, 1), both[2][4 * MOST_GLUONS], me2[2];
        int order[MOST_OUT];
        bg_options o = default_options();
        o.helicity = BG_HELICITY_FIXED;
        snprintf(o.helicities, sizeof o.helicities, "%s", given[n_out - 8]);
        /* a random order of the gluons of each helicity; the beams have the same one */
        for (int k = 0; k < n_out; k++) order[k] = k;
        for (int k = 0; k < 4 * n_out; k++) {
            const int a = random_below(&r, n_out), b = random_below(&r, n_out), t = order[a];
            if (o.helicities[2 + a] != o.helicities[2 + b]) continue;
            order[a] = order[b];
            order[b] = t;
        }
        memcpy(both[0], momenta, (size_t)(4 * n) * sizeof(double));
        memcpy(both[1], momenta + 4, 4 * sizeof(double));
        memcpy(both[1] + 4, momenta, 4 * sizeof(double));
        for (int k = 0; k < n_out; k++) memcpy(both[1] + 8 + 4 * k, momenta + 8 + 4 * order[k], 4 * sizeof(double));
        double two[2 * 4 * MOST_GLUONS];
        memcpy(two, both[0], (size_t)(4 * n) * sizeof(double));
        memcpy(two + 4 * n, both[1], (size_t)(4 * n) * sizeof(double));
        evaluate(n_out, &o, 0, 2, two, me2, NULL);
        assert_true(me2[0] > 0.);
        assert_relative(me2[1], me2[0], 1e-9, "n_out = %d", n_out);
        free(momenta);
    }
}

/* At n_out = 8: the mean over random real polarizations is that of the dressed recursion with random colors.
 * Copies of one point are independent draws, and fill the registers. */
static void dressed_mean_at_eight(void **state)
{
    (void)state;
    enum { N_OUT = 8, COPIES = 64, DRESSED = 8192, STRIDE = 4 * (N_OUT + 2) };
    random_source r = fixed_source(8);
    double *point = sharp_points(&r, N_OUT, 1);
    double *momenta = malloc(DRESSED * STRIDE * sizeof *momenta), *me2 = malloc(DRESSED * sizeof *me2);
    assert_true(momenta && me2);
    for (int k = 0; k < DRESSED; k++) memcpy(momenta + k * STRIDE, point, STRIDE * sizeof *point);
    double mean[2] = {0., 0.}, error[2] = {0., 0.};
    for (int which = 0; which < 2; which++) {
        const int count = which ? effort_of(DRESSED, 1) : effort_of(COPIES, 16);
        bg_options o = default_options();
        o.helicity = BG_HELICITY_SAMPLED;
        if (which) {
            o.color = BG_COLOR_SAMPLED;
            o.recursion = BG_RECURSION_DRESSED;
            o.color_sampling = BG_COLORS_CONTINUOUS; /* of each copy its own */
        }
        evaluate(N_OUT, &o, 0, (size_t)count, momenta, me2, NULL);
        for (int k = 0; k < count; k++) mean[which] += me2[k] / count;
        for (int k = 0; k < count; k++) error[which] += (me2[k] - mean[which]) * (me2[k] - mean[which]);
        error[which] = sqrt(error[which] / (count - 1.) / count);
        assert_true(error[which] < 0.3 / sqrt(test_effort()) * mean[which]);
    }
    assert_bounded(mean[0] - mean[1], 4. * hypot(error[0], error[1]), "n_out = 8: %.3g +- %.2g, dressed %.3g +- %.2g",
                   mean[0], error[0], mean[1], error[1]);
    free(point);
    free(momenta);
    free(me2);
}

/* ---- how events are grouped, and what is reported -------------------------------------------------------- */

static void independent_of_grouping(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    random_source r = fresh_source(7);
    for (int n_out = 2; n_out <= 5; n_out++)
        for (int mode = 0; mode < 3; mode++) {
            const size_t stride = (size_t)(n_out + 2) * 4;
            double *momenta = random_cut_points(&r, n_out, 1000., COUNT), whole[COUNT], threads[COUNT], single;
            bg_options o = default_options();
            o.helicity = mode ? BG_HELICITY_SAMPLED : BG_HELICITY_SUMMED;
            o.helicity_sampling = mode == 2 ? BG_SAMPLE_CIRCULAR : BG_SAMPLE_ANGLE;
            o.threads = 1;
            evaluate(n_out, &o, 5, COUNT, momenta, whole, NULL);
#ifdef BG_HAVE_OPENMP
            o.threads = 3;
#endif
            evaluate(n_out, &o, 5, COUNT, momenta, threads, NULL);
            assert_memory_equal(whole, threads, sizeof whole);
            o.threads = 1;
            for (int k = 0; k < COUNT; k += 5) {
                evaluate(n_out, &o, 5u + (uint64_t)k, 1, momenta + (size_t)k * stride, &single, NULL);
                assert_memory_equal(&single, &whole[k], sizeof single);
            }
            free(momenta);
        }
}

static bg_kernel kernel_of(int n_out, const bg_options *options, bg_status *status, bg_error *error)
{
    bg_process *process;
    bg_evaluator *evaluator = NULL;
    bg_kernel kernel = BG_KERNEL_PAPER;
    assert_int_equal(bg_process_create_gluons(&process, n_out, error), BG_OK);
    *status = bg_evaluator_create(&evaluator, process, options, error);
    if (*status == BG_OK) kernel = bg_evaluator_options(evaluator)->kernel;
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    return kernel;
}

/* The evaluator says which kernel really runs. */
static void reported_kernel(void **state)
{
    (void)state;
    bg_status status;
    bg_error error;
    bg_options o = default_options();
    snprintf(o.backend, sizeof o.backend, "cpu");
    o.kernel = BG_KERNEL_FAST;
    assert_int_equal(kernel_of(4, &o, &status, &error), BG_KERNEL_FAST);
    o.decomposition = BG_DECOMPOSITION_TRACE;
    assert_int_equal(kernel_of(4, &o, &status, &error), BG_KERNEL_PAPER);
    o.decomposition = BG_DECOMPOSITION_ADJOINT;
    o.vertex = BG_VERTEX_TENSOR;
    assert_int_equal(kernel_of(4, &o, &status, &error), BG_KERNEL_PAPER);
    o.vertex = BG_VERTEX_QUARTIC;
    o.color = BG_COLOR_LEADING;
    assert_int_equal(kernel_of(4, &o, &status, &error), BG_KERNEL_PAPER);
    assert_int_equal(status, BG_OK);
    o.color = BG_COLOR_SAMPLED;
    o.recursion = BG_RECURSION_DRESSED;
    assert_int_equal(kernel_of(12, &o, &status, &error), BG_KERNEL_FAST);
    o.color_sampling = BG_COLORS_CONTINUOUS;
    assert_int_equal(kernel_of(4, &o, &status, &error), BG_KERNEL_PAPER);
    assert_int_equal(status, BG_OK);
    o.color_sampling = BG_COLORS_AUTO;
    o.recursion = BG_RECURSION_ORDERED;
    o.color = BG_COLOR_SUMMED;
    o.kernel = BG_KERNEL_PAPER;
    assert_int_equal(kernel_of(4, &o, &status, &error), BG_KERNEL_PAPER);
    assert_int_equal(status, BG_OK);
    kernel_of(9, &o, &status, &error);
    assert_refused(status, &error, BG_ERROR_UNSUPPORTED, "n_out = 9|2 to 8");
    o.kernel = BG_KERNEL_FAST;
    kernel_of(11, &o, &status, &error);
    assert_refused(status, &error, BG_ERROR_UNSUPPORTED, "n_out = 11|2 to 10");
    if (choose_simd("quad")) { /* no fast kernel in 128-bit floats */
        assert_int_equal(kernel_of(3, &o, &status, &error), BG_KERNEL_PAPER);
        assert_int_equal(status, BG_OK);
        kernel_of(9, &o, &status, &error);
        assert_refused(status, &error, BG_ERROR_UNSUPPORTED, "n_out = 9|2 to 8");
    }
    default_simd();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plancherel),
        cmocka_unit_test(representations),
        cmocka_unit_test(transform_against_dense),
        cmocka_unit_test(helicities_summed),
        cmocka_unit_test(helicities_sampled),
        cmocka_unit_test(helicities_fixed),
        cmocka_unit_test(one_helicity_at_seven),
        cmocka_unit_test(instruction_sets),
        cmocka_unit_test(reference_values),
        cmocka_unit_test(recycled_sum_at_seven),
        cmocka_unit_test(bose_symmetry),
        cmocka_unit_test(dressed_mean_at_eight),
        cmocka_unit_test(independent_of_grouping),
        cmocka_unit_test(reported_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
