/* Unstable points: found by their kinematics, evaluated again in 128-bit floats, counted; all others left alone. */
#include "support.h"

#include "amplitude/stability.h"

/* The yardstick: the paper's kernel in 128-bit floats. 0 where there is none. */
static int exact_values(int n_out, const bg_options *o, size_t count, const double *momenta, double *exact)
{
    if (!choose_simd("quad")) return 0;
    evaluate(n_out, o, 0, count, momenta, exact, NULL);
    default_simd();
    return 1;
}

static bg_stability evaluate_watched(int n_out, const bg_options *o, uint64_t first, size_t count,
                                     const double *momenta, double *me2, double *uncertainty)
{
    bg_error error;
    bg_process *process = NULL;
    bg_evaluator *evaluator = NULL;
    if (bg_process_create_gluons(&process, n_out, &error) != BG_OK ||
        bg_evaluator_create(&evaluator, process, o, &error) != BG_OK ||
        bg_evaluator_evaluate(evaluator, first, count, momenta, me2, uncertainty, &error) != BG_OK)
        fail_msg("n_out = %d: %s", n_out, error.message);
    bg_stability found;
    bg_stability_init(&found);
    assert_int_equal(bg_evaluator_stability(evaluator, &found, NULL), BG_OK);
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    return found;
}

/* ---- rescue ------------------------------------------------------------------------------------------------ */

/* With rescue every point agrees with the yardstick; without it the worst is off by more than `least`. */
static void check_rescue(int n_out, const bg_options *options, size_t count, const double *momenta, double least,
                         const char *what)
{
    bg_options o = *options;
    double *exact = malloc(count * sizeof *exact), *me2 = malloc(count * sizeof *me2);
    assert_true(exact && me2);
    if (exact_values(n_out, &o, count, momenta, exact)) {
        const bg_stability found = evaluate_watched(n_out, &o, 0, count, momenta, me2, NULL);
        assert_int_equal(found.points, count);
        assert_int_equal(found.unstable, count);
        assert_int_equal(found.rescued, count);
        for (size_t k = 0; k < count; k++)
            assert_relative(me2[k], exact[k], 1e-12, "%s, n_out = %d, point %zu", what, n_out, k);
        o.rescue = 0;
        const bg_stability none = evaluate_watched(n_out, &o, 0, count, momenta, me2, NULL);
        assert_int_equal(none.points, 0);
        assert_int_equal(none.unstable, 0);
        double worst = 0.;
        for (size_t k = 0; k < count; k++)
            worst = isfinite(me2[k]) ? fmax(worst, fabs(me2[k] / exact[k] - 1.)) : INFINITY;
        if (!(worst > least)) fail_msg("%s, n_out = %d: without rescue %.2g, nothing to rescue", what, n_out, worst);
    } else {
        const bg_stability found = evaluate_watched(n_out, &o, 0, count, momenta, me2, NULL);
        assert_int_equal(found.unstable, count);
        assert_int_equal(found.rescued, 0); /* only counted */
    }
    free(exact);
    free(me2);
}

static void collinear(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    random_source r = fresh_source(1);
    for (int n_out = 3; n_out <= 4; n_out++)
        for (int digits = 6; digits <= 9; digits++) {
            double momenta[COUNT * 4 * 6];
            const double angle = pow(10., -digits);
            for (int k = 0; k < COUNT; k++)
                collinear_point(&r, n_out, angle, uniform(&r, 0.2, 0.8), momenta + k * 4 * (n_out + 2));
            bg_options o = default_options();
            o.helicity = n_out == 4 ? BG_HELICITY_SAMPLED : BG_HELICITY_SUMMED;
            check_rescue(n_out, &o, COUNT, momenta, 1e-17 / angle, "collinear");
            o.kernel = BG_KERNEL_PAPER;
            check_rescue(n_out, &o, COUNT, momenta, 1e-17 / angle, "collinear, paper's kernel");
        }
}

/* Soft gluons are no trouble: no kernel looks at energies. */
static void soft(void **state)
{
    (void)state;
    enum { COUNT = 8, N_OUT = 3 };
    random_source r = fresh_source(2);
    double momenta[COUNT * 4 * (N_OUT + 2)], exact[COUNT], me2[COUNT];
    for (int k = 0; k < COUNT; k++) collinear_point(&r, N_OUT, 0.3, 1e-8, momenta + k * 4 * (N_OUT + 2));
    for (int paper = 0; paper < 2; paper++) {
        bg_options o = default_options();
        o.kernel = paper ? BG_KERNEL_PAPER : BG_KERNEL_FAST;
        const bg_stability found = evaluate_watched(N_OUT, &o, 0, COUNT, momenta, me2, NULL);
        assert_int_equal(found.unstable, 0);
        if (!exact_values(N_OUT, &o, COUNT, momenta, exact)) skip();
        for (int k = 0; k < COUNT; k++) assert_relative(me2[k], exact[k], 1e-12, "soft, kernel %d, point %d", paper, k);
    }
}

/* Sampled modes: the same draws, so the same numbers, means over samples and errors included. */
static void sampled(void **state)
{
    (void)state;
    enum { COUNT = 6, N_OUT = 4, STRIDE = 4 * (N_OUT + 2) };
    random_source r = fresh_source(3);
    double momenta[COUNT * STRIDE];
    for (int k = 0; k < COUNT; k++) collinear_point(&r, N_OUT, 1e-6, uniform(&r, 0.2, 0.8), momenta + k * STRIDE);
    for (int sampling = BG_SAMPLE_ANGLE; sampling <= BG_SAMPLE_CIRCULAR; sampling++)
        for (int mode = 0; mode < 3; mode++) {
            double exact[COUNT], spread[COUNT], me2[COUNT], uncertainty[COUNT];
            bg_options o = default_options();
            o.helicity = BG_HELICITY_SAMPLED;
            o.helicity_sampling = (bg_helicity_sampling)sampling;
            o.color = mode == 1 ? BG_COLOR_LEADING : mode == 2 ? BG_COLOR_SAMPLED : BG_COLOR_SUMMED;
            o.recursion = mode == 2 ? BG_RECURSION_DRESSED : BG_RECURSION_ORDERED;
            o.orderings = mode == 1 ? BG_ORDERINGS_ONE : BG_ORDERINGS_ALL;
            o.samples = 6;
            if (!choose_simd("quad")) skip();
            evaluate(N_OUT, &o, 3, COUNT, momenta, exact, spread);
            default_simd();
            const bg_stability found = evaluate_watched(N_OUT, &o, 3, COUNT, momenta, me2, uncertainty);
            assert_int_equal(found.rescued, COUNT);
            for (int k = 0; k < COUNT; k++) {
                assert_relative(me2[k], exact[k], 1e-12, "mode %d, sampling %d, point %d", mode, sampling, k);
                assert_relative(uncertainty[k], spread[k], 1e-10, "error: mode %d, sampling %d, point %d", mode,
                                sampling, k);
            }
        }
}

/* Gluons along the beams: no trouble down to angles of 1e-7. */
static void along_the_beam(void **state)
{
    (void)state;
    enum { COUNT = 24, CLOSER = 9 };
    random_source r = fresh_source(4);
    double momenta[COUNT * 16], exact[COUNT], me2[COUNT];
    for (int k = 0; k < COUNT; k++) beam_point(&r, 2, pow(10., -2.05 - k / 3.), 1., momenta + 16 * k);
    bg_options o = default_options();
    const bg_stability found = evaluate_watched(2, &o, 0, COUNT, momenta, me2, NULL);
    assert_int_equal(found.unstable, CLOSER);
    if (!exact_values(2, &o, COUNT, momenta, exact)) skip();
    for (int k = 0; k < COUNT; k++) {
        assert_true(isfinite(me2[k]) && me2[k] > 0.);
        assert_relative(me2[k], exact[k], 1e-12, "point %d", k);
    }
}

/* Points that would take minutes each are counted, and left as double precision has them. */
static void too_long_to_rescue(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    static const struct {
        int n_out;
        bg_helicity helicity;
        int works;
    } asked[] = {{12, BG_HELICITY_SAMPLED, 0}, {6, BG_HELICITY_SUMMED, 0}, {4, BG_HELICITY_SAMPLED, 1}};
    random_source r = fresh_source(8);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        double momenta[COUNT * 4 * MOST_GLUONS], me2[COUNT], plain[COUNT];
        const int n_out = asked[k].n_out;
        for (int i = 0; i < COUNT; i++) collinear_point(&r, n_out, 1e-7, 0.4, momenta + i * 4 * (n_out + 2));
        bg_options o = default_options();
        o.color = BG_COLOR_SAMPLED;
        o.recursion = BG_RECURSION_DRESSED;
        o.helicity = asked[k].helicity;
        const bg_stability found = evaluate_watched(n_out, &o, 0, COUNT, momenta, me2, NULL);
        assert_int_equal(found.points, COUNT);
        assert_int_equal(found.unstable, COUNT);
        o.rescue = 0;
        evaluate_watched(n_out, &o, 0, COUNT, momenta, plain, NULL);
        const int same = !memcmp(me2, plain, sizeof me2);
        if (!asked[k].works) {
            assert_int_equal(found.rescued, 0);
            assert_true(same);
        } else {
            assert_true(found.rescued ? found.rescued == COUNT && !same : same); /* none without 128-bit floats */
        }
    }
}

/* ---- everybody else ------------------------------------------------------------------------------------------ */

/* Ordinary points do not change by a bit. */
static void ordinary_points(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    random_source r = fresh_source(5);
    for (int n_out = 2; n_out <= 4; n_out++)
        for (int paper = 0; paper < 2; paper++) {
            double *momenta = random_cut_points(&r, n_out, 14000., COUNT), on[COUNT], off[COUNT];
            bg_options o = default_options();
            o.kernel = paper ? BG_KERNEL_PAPER : BG_KERNEL_FAST;
            o.helicity = BG_HELICITY_SAMPLED;
            const bg_stability found = evaluate_watched(n_out, &o, 0, COUNT, momenta, on, NULL);
            assert_int_equal(found.points, COUNT);
            assert_int_equal(found.unstable, 0);
            o.rescue = 0;
            evaluate_watched(n_out, &o, 0, COUNT, momenta, off, NULL);
            assert_memory_equal(on, off, sizeof on);
            free(momenta);
        }
}

/* One bad point among good ones, wherever it stands: its neighbors keep their bits. */
static void mixed_batch(void **state)
{
    (void)state;
    enum { COUNT = 33, N_OUT = 3, STRIDE = 4 * (N_OUT + 2) };
    random_source r = fresh_source(6);
    double *momenta = random_cut_points(&r, N_OUT, 14000., COUNT), on[COUNT], off[COUNT], again[COUNT];
    for (int k = 0; k < COUNT; k += 16) collinear_point(&r, N_OUT, 1e-7, 0.4, momenta + k * STRIDE);
    bg_options o = default_options();
    o.threads = 1;
    const bg_stability found = evaluate_watched(N_OUT, &o, 0, COUNT, momenta, on, NULL);
    assert_int_equal(found.unstable, 3);
#ifdef BG_HAVE_OPENMP
    o.threads = 4;
#endif
    evaluate_watched(N_OUT, &o, 0, COUNT, momenta, again, NULL);
    assert_memory_equal(on, again, sizeof on);
    o.rescue = 0;
    evaluate_watched(N_OUT, &o, 0, COUNT, momenta, off, NULL);
    for (int k = 0; k < COUNT; k++)
        if (k % 16 == 0) {
            assert_true(on[k] != off[k] || !found.rescued);
        } else {
            assert_memory_equal(&on[k], &off[k], sizeof on[k]);
        }
    free(momenta);
}

/* What the cuts exclude is never looked for; that they do exclude it is seen from points at their edge. */
static void guaranteed_by_cuts(void **state)
{
    (void)state;
    const bg_cuts paper = {20., 2.5, 0.4, 0., 0.}, no_distance = {20., 2.5, 0., 0., 0.}, none = {0., 0., 0., 0., 0.};
    assert_true(stability_guaranteed(14000., &paper));
    assert_false(stability_guaranteed(14000., &no_distance));
    assert_false(stability_guaranteed(14000., &none));
    random_source r = fresh_source(7);
    int excluded = 0;
    for (int k = 0; k < 20000; k++) {
        const double sqrts = 14000.;
        const bg_cuts cuts = {pow(10., uniform(&r, -4., 3.)), uniform(&r, 0.1, 12.), pow(10., uniform(&r, -6., 0.5)),
                              0., 0.};
        if (!stability_guaranteed(sqrts, &cuts)) continue;
        excluded++;
        /* a hard and a soft gluon at the largest rapidity and the smallest distance, and the beams */
        double momenta[16] = {0.5 * sqrts, 0., 0., 0.5 * sqrts, 0.5 * sqrts, 0., 0., -0.5 * sqrts};
        const double most = acosh(0.5 * sqrts / cuts.pt_min), eta = cuts.eta_max < most ? cuts.eta_max : most;
        const double pt[2] = {0.5 * sqrts / cosh(eta), cuts.pt_min}, phi[2] = {0., fmin(cuts.dr_min, PI)};
        for (int g = 0; g < 2; g++) {
            double *p = momenta + 8 + 4 * g;
            p[0] = pt[g] * cosh(eta);
            p[1] = pt[g] * cos(phi[g]);
            p[2] = pt[g] * sin(phi[g]);
            p[3] = pt[g] * sinh(eta);
        }
        const bg_momenta view = momenta_of_gluons(2, momenta);
        if (stability_fails(4, &view, 0))
            fail_msg("pt_min %g, eta_max %g, dr_min %g: unstable all the same", cuts.pt_min, cuts.eta_max, cuts.dr_min);
    }
    assert_true(excluded > 1000);
}

/* ---- integration ---------------------------------------------------------------------------------------------- */

/* Gluons along the beams, and no distance between them. */
static bg_result integrate_loosely(const bg_options *o, double pt_min, uint64_t points)
{
    bg_process *process;
    bg_integration w;
    bg_result result;
    bg_result_init(&result);
    bg_error error;
    bg_integration_init(&w);
    w.cuts.pt_min = pt_min;
    w.cuts.eta_max = 0.;
    w.cuts.dr_min = 1e-6;
    w.precision = 0.;
    w.points = points;
    assert_int_equal(bg_process_create_gluons(&process, 3, &error), BG_OK);
    if (bg_integrate(process, o, &w, &result, &error) != BG_OK) fail_msg("%s", error.message);
    bg_process_destroy(process);
    return result;
}

/* Counted, rescued, and bit for bit the same on any number of threads. `error`: how far sigma is off without. */
static void check_integration(const bg_options *options, double pt_min, uint64_t points, double error)
{
    bg_options o = *options;
    o.threads = 1;
    const bg_result one = integrate_loosely(&o, pt_min, points);
    assert_true(one.unstable > 0 && one.unstable < one.accepted);
    assert_true(one.rescued == one.unstable || one.rescued == 0);
#ifdef BG_HAVE_OPENMP
    o.threads = 3;
#endif
    const bg_result three = integrate_loosely(&o, pt_min, points);
    assert_memory_equal(&one.sigma_pb, &three.sigma_pb, sizeof one.sigma_pb);
    assert_memory_equal(&one.error_pb, &three.error_pb, sizeof one.error_pb);
    assert_int_equal(one.unstable, three.unstable);
    assert_int_equal(one.rescued, three.rescued);
    o.rescue = 0;
    const bg_result plain = integrate_loosely(&o, pt_min, points);
    assert_int_equal(plain.unstable, 0);
    assert_int_equal(plain.points, one.points);
    assert_relative(plain.sigma_pb, one.sigma_pb, error, "pt_min %g", pt_min);
    if (one.rescued) assert_true(plain.sigma_pb != one.sigma_pb);
}

static void integration(void **state)
{
    (void)state;
    bg_options o = default_options();
    o.helicity = BG_HELICITY_SAMPLED;
    o.helicity_sampling = BG_SAMPLE_INVARIANTS;
    check_integration(&o, 8e-4, 1000, 1e-4);
    o.helicity_sampling = BG_SAMPLE_ANGLE;
    o.color = BG_COLOR_LEADING;
    o.orderings = BG_ORDERINGS_ONE;
    check_integration(&o, 8e-4, 2000, 0.1); /* the grid adapts to weights that differ in the tenth digit */
}

static void options_checked(void **state)
{
    (void)state;
    bg_error error;
    bg_process *process;
    bg_evaluator *evaluator;
    bg_options o = default_options();
    assert_int_equal(o.rescue, 1);
    o.rescue = 2;
    assert_int_equal(bg_process_create_gluons(&process, 2, &error), BG_OK);
    assert_refused(bg_evaluator_create(&evaluator, process, &o, &error), &error, BG_ERROR_ARGUMENT,
                   "rescue is 2|0 to 1");
    bg_process_destroy(process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collinear),
        cmocka_unit_test(soft),
        cmocka_unit_test(sampled),
        cmocka_unit_test(along_the_beam),
        cmocka_unit_test(too_long_to_rescue),
        cmocka_unit_test(ordinary_points),
        cmocka_unit_test(mixed_batch),
        cmocka_unit_test(guaranteed_by_cuts),
        cmocka_unit_test(integration),
        cmocka_unit_test(options_checked),
    };
    return cmocka_run_group_tests_name("rescue", tests, NULL, NULL);
}
