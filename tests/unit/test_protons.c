/* Cross sections of two protons: against quadrature, against the sum of their parts, and what is refused. */
#include "support.h"

#include "base/constants.h"
#include "beams/pdf.h"

/* ---- g g > g g by quadrature ------------------------------------------------------------------------------------------ */

enum { NODES = 64 };

/* Nodes and weights of Gauss and Legendre on (0, 1): zeros of P_n by Newton's method. */
static void gauss_legendre(int n, double *x, double *w)
{
    for (int k = 0; k < n; k++) {
        double z = cos(PI * (k + 0.75) / (n + 0.5)), slope = 1.;
        for (int round = 0; round < 100; round++) {
            double p0 = 1., p1 = z;
            for (int j = 2; j <= n; j++) {
                const double p2 = ((2. * j - 1.) * z * p1 - (j - 1.) * p0) / j;
                p0 = p1;
                p1 = p2;
            }
            slope = n * (z * p1 - p0) / (z * z - 1.);
            const double step = p1 / slope;
            z -= step;
            if (fabs(step) < 1e-15) break;
        }
        x[k] = 0.5 * (1. - z);
        w[k] = 1. / ((1. - z * z) * slope * slope);
    }
}

/* Averaged |M|^2 over two identical gluons, (g^4/2) (9/2) (3 - tu/s^2 - su/t^2 - st/u^2), at alpha_s. */
static double gluons_squared(double s, double t, double u, double alpha_s)
{
    const double g2 = 4. * PI * alpha_s;
    return g2 * g2 * 2.25 * (3. - t * u / (s * s) - s * u / (t * t) - s * t / (u * u));
}

/* d(sigma) / dpT^2 dy3 dy4 = x1 f x2 f |M|^2 / (16 pi s^2), in y* = (y3 - y4)/2, Y = (y3 + y4)/2 and pT = pT_min / v. */
static double quadrature(const pdf_grid *grid, double sqrts, double pt_min, double eta_max, double fixed)
{
    double x[NODES], w[NODES], sum = 0.;
    gauss_legendre(NODES, x, w);
    const double least = 2. * pt_min / sqrts;
    for (int i = 0; i < NODES; i++) {
        const double v = least + (1. - least) * x[i], pt = pt_min / v, mu = fixed > 0. ? fixed : pt;
        const double alpha_s = pdf_alpha_s(grid, mu * mu);
        const double most_star = fmin(eta_max, acosh(sqrts / (2. * pt)));
        for (int j = 0; j < NODES; j++) {
            const double star = most_star * x[j], shat = 4. * pt * pt * cosh(star) * cosh(star);
            const double t = -0.5 * shat * (1. - tanh(star)), u = -shat - t;
            const double most_y = fmin(eta_max - star, log(sqrts / sqrt(shat)));
            for (int k = 0; k < NODES && most_y > 0.; k++) {
                const double y = most_y * (2. * x[k] - 1.), root = sqrt(shat) / sqrts;
                double f1, f2;
                const pdf_scale scale = pdf_scale_of(grid, mu * mu);
                pdf_some(grid, &scale, root * exp(y), BG_PDF_GLUON, 1, &f1);
                pdf_some(grid, &scale, root * exp(-y), BG_PDF_GLUON, 1, &f2);
                /* dpT^2 = 2 pT^2 dv / v; y* of both signs; dy3 dy4 = 2 dY dy* */
                const double measure =
                    w[i] * (1. - least) * 2. * pt * pt / v * w[j] * 2. * most_star * w[k] * 2. * most_y * 2.;
                sum += measure * f1 * f2 * gluons_squared(shat, t, u, alpha_s) / (16. * PI * shat * shat);
            }
        }
    }
    return sum * BG_GEV2_PB;
}

static bg_result integrate_text(const char *text, int lines, const bg_integration *w, int threads)
{
    bg_process *process;
    bg_options o;
    bg_result r;
    bg_error error;
    bg_options_init(&o);
    o.threads = threads;
    snprintf(o.backend, sizeof o.backend, "cpu");
    bg_options_set_automatic(&o);
    bg_result_init(&r);
    assert_int_equal(bg_process_parse(&process, text, 5, lines, &error), BG_OK);
    if (bg_integrate(process, &o, w, &r, &error) != BG_OK) fail_msg("%s: %s", text, error.message);
    bg_process_destroy(process);
    return r;
}

static bg_integration set_up(void)
{
    bg_integration w;
    bg_integration_init(&w);
    w.sqrts = 13600.;
    w.cuts.pt_min = 30.;
    w.cuts.eta_max = 5.;
    w.precision = test_effort() < 1. ? 0.01 : 0.003;
    return w;
}

/* Different scales and rapidities, with the set that is built in. */
static void two_gluons_are_the_quadrature(void **state)
{
    (void)state;
    const struct {
        const char *scale;
        double fixed, eta_max;
    } all[] = {{"ht/2", 0., 5.}, {"pt1", 0., 2.5}, {"fixed:91.2", 91.2, 5.}};
    bg_pdf *pdf;
    assert_int_equal(bg_pdf_open(&pdf, NULL, NULL), BG_OK);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bg_integration w = set_up();
        w.scale = all[k].scale;
        w.cuts.eta_max = all[k].eta_max;
        const double exact = quadrature(&pdf->grid, w.sqrts, w.cuts.pt_min, w.cuts.eta_max, all[k].fixed);
        const bg_result r = integrate_text("p p > 2j", 0, &w, 1);
        if (!(fabs(r.sigma_pb - exact) < 4. * r.error_pb + 1e-4 * exact))
            fail_msg("%s: %g +- %g, quadrature %g", all[k].scale, r.sigma_pb, r.error_pb, exact);
    }
    bg_pdf_close(pdf);
}

/* ---- sums ------------------------------------------------------------------------------------------------------------- */

/* Two partons and jets: the sum over what comes out. */
static void jets_are_a_sum(void **state)
{
    (void)state;
    static const char *const parts[] = {"g g > g g", "g g > u u~", "g g > d d~", "g g > s s~"};
    bg_integration w;
    double sum = 0., variance = 0.;
    bg_integration_init(&w);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const bg_result r = integrate_text(parts[k], 3, &w, 1);
        sum += r.sigma_pb;
        variance += r.error_pb * r.error_pb;
    }
    bg_process *process;
    bg_options o;
    bg_result all;
    bg_options_init(&o);
    snprintf(o.backend, sizeof o.backend, "cpu");
    bg_result_init(&all);
    bg_class_result classes[2];
    w.class_results = classes;
    w.class_room = 2;
    assert_int_equal(bg_process_parse(&process, "g g > 2j", 3, 3, NULL), BG_OK);
    assert_int_equal(bg_process_classes(process), 2);
    assert_int_equal(bg_integrate(process, &o, &w, &all, NULL), BG_OK);
    assert_true(fabs(all.sigma_pb - sum) < 4. * sqrt(variance + all.error_pb * all.error_pb));
    assert_relative(classes[0].sigma_pb + classes[1].sigma_pb, all.sigma_pb, 1e-14, "sum of classes");
    bg_process_destroy(process);
}

/* Seed and goal fix the result, whatever the threads. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    bg_integration w = set_up();
    w.precision = 0.02;
    const bg_result one = integrate_text("p p > 3j", 1, &w, 1), two = integrate_text("p p > 3j", 1, &w, 2);
    assert_true(one.sigma_pb == two.sigma_pb && one.error_pb == two.error_pb && one.points == two.points);
    assert_true(one.error_pb <= 0.021 * one.sigma_pb);
}

/* Histograms of all classes add up to the cross section. */
static void histograms_add_up(void **state)
{
    (void)state;
    bg_integration w = set_up();
    bg_process *process;
    bg_error error;
    w.precision = 0.02;
    assert_int_equal(bg_process_parse(&process, "p p > 2j", 5, 2, &error), BG_OK);
    assert_int_equal(bg_histograms_create(&w.histograms, process, &w, &error), BG_OK);
    const bg_result r = integrate_text("p p > 2j", 2, &w, 2);
    for (int k = 0; k < bg_histograms_size(w.histograms); k++) {
        const int bins = bg_histograms_bins(w.histograms, k);
        double *share = malloc((size_t)bins * sizeof *share), beyond[2], ignored[2], sum = 0.;
        assert_non_null(share);
        assert_int_equal(bg_histograms_read(w.histograms, k, NULL, share, NULL, NULL, &error), BG_OK);
        assert_int_equal(bg_histograms_beyond(w.histograms, k, beyond, ignored, &error), BG_OK);
        for (int b = 0; b < bins; b++) sum += share[b];
        assert_relative(sum + beyond[0] + beyond[1], r.sigma_pb, 1e-12, "%s", bg_histograms_name(w.histograms, k));
        free(share);
    }
    bg_histograms_destroy(w.histograms);
    bg_process_destroy(process);
}

/* What is said of a class that has come to its end, such as which hardware it ran on, is no trouble of those that follow. */
static int count_notes(const bg_result *now, void *user)
{
    *(int *)user += now->note[0] != '\0';
    return 0;
}

static void progress_tells_of_trouble_alone(void **state)
{
    (void)state;
    bg_integration w = set_up();
    bg_process *process;
    bg_options o;
    bg_result r;
    bg_error error;
    int notes = 0;
    w.precision = 0.001; /* classes have more than one turn */
    w.progress = count_notes;
    w.user = &notes;
    bg_options_init(&o); /* any hardware: where there is no GPU, the result has a note of that */
    bg_options_set_automatic(&o);
    w.estimate = BG_ESTIMATE_OFF;
    bg_result_init(&r);
    assert_int_equal(bg_process_parse(&process, "p p > 2j", 5, 1, &error), BG_OK);
    if (bg_integrate(process, &o, &w, &r, &error) != BG_OK) fail_msg("%s", error.message);
    print_message("in the end: %s\n", r.note);
    assert_int_equal(notes, 0);
    bg_process_destroy(process);
}

/* ---- what is refused -------------------------------------------------------------------------------------------------- */

static void bad_wishes_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *process, *pdf, *scale, *word;
        bg_phase_space generator;
    } all[] = {{"p p > 2j", "no-such-set", NULL, "no-such-set", BG_PHASE_SPACE_ADAPTIVE},
               {"p p > 2j", NULL, "ht/3", "ht/3", BG_PHASE_SPACE_ADAPTIVE},
               {"p p > 2j", NULL, "fixed:", "fixed:", BG_PHASE_SPACE_ADAPTIVE},
               {"p p > 2j", NULL, "fixed:-3", "fixed:-3", BG_PHASE_SPACE_ADAPTIVE},
               {"p p > 2j", NULL, NULL, "adaptive", BG_PHASE_SPACE_RAMBO},
               {"p g > 2j", NULL, NULL, "proton", BG_PHASE_SPACE_ADAPTIVE}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bg_integration w = set_up();
        bg_process *process;
        bg_options o;
        bg_result r;
        bg_error error;
        bg_options_init(&o);
        bg_result_init(&r);
        snprintf(o.backend, sizeof o.backend, "cpu");
        w.pdf = all[k].pdf;
        w.scale = all[k].scale;
        w.phase_space = all[k].generator;
        assert_int_equal(bg_process_parse(&process, all[k].process, 5, 0, &error), BG_OK);
        assert_true(bg_integrate(process, &o, &w, &r, &error) != BG_OK);
        if (!strstr(error.message, all[k].word)) fail_msg("%s is not in: %s", all[k].word, error.message);
        bg_process_destroy(process);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_gluons_are_the_quadrature),   cmocka_unit_test(jets_are_a_sum),
        cmocka_unit_test(threads_do_not_matter),           cmocka_unit_test(histograms_add_up),
        cmocka_unit_test(progress_tells_of_trouble_alone), cmocka_unit_test(bad_wishes_are_refused),
    };
    return cmocka_run_group_tests_name("protons", tests, NULL, NULL);
}
