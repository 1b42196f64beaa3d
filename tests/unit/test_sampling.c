/* Sampled colors, helicities and orderings average to the exact sums.
 *
 * For each way of sampling, MOST points (fewer with sanitizers) with `samples` draws each. The mean over all points of sampled / exact must
 * be 1 within its error, and the pulls (sampled - exact) / error must spread by 1. Seeds are fixed, so the outcome
 * is the same on every run. Coherent colors, which points share, are the matter of test_coherent.c.
 */
#include "support.h"

enum { MOST = 40 };

static int points_here(void) { return effort_of(MOST, 5); }

/* The mean pull is no good measure: draws are skewed, so that a mean below has a small error as well. The mean of
 * the ratio is free of that. */
static void check_pulls(int n_out, const bg_options *sampled, const double *momenta, const double *exact,
                        const char *what)
{
    const int points = points_here();
    const double wider = sqrt((double)MOST / points);
    double mean[MOST], error[MOST], ratio = 0., variance = 0., squares = 0.;
    evaluate(n_out, sampled, 1000, (size_t)points, momenta, mean, error);
    for (int k = 0; k < points; k++) {
        assert_true(isfinite(mean[k]) && mean[k] > 0.);
        assert_true(isfinite(error[k]) && error[k] > 0.);
        const double pull = (mean[k] - exact[k]) / error[k], relative = error[k] / exact[k];
        squares += pull * pull;
        ratio += mean[k] / exact[k] / points;
        variance += relative * relative / points / points;
    }
    const double spread = sqrt(squares / points);
    if (getenv("BLOCKGEN_TEST_VERBOSE"))
        printf("%-32s n_out = %d: sampled / exact %6.4f +- %.4f, spread of pulls %5.3f\n", what, n_out, ratio,
               sqrt(variance), spread);
    assert_bounded(ratio - 1., 4. * sqrt(variance), "sampled / exact - 1, %s, n_out = %d", what, n_out);
    assert_bounded(sqrt(variance), 0.05 * wider, "error of sampled / exact, %s, n_out = %d", what, n_out);
    assert_bounded(spread - 1., 0.6 * wider, "spread of pulls - 1, %s, n_out = %d", what, n_out);
}

static double *exact_values(int n_out, const bg_options *o, const double *momenta)
{
    double *exact = malloc(MOST * sizeof *exact);
    assert_non_null(exact);
    evaluate(n_out, o, 0, (size_t)points_here(), momenta, exact, NULL);
    return exact;
}

static void helicities(void **state)
{
    (void)state;
    static const char *const names[] = {"angle", "phase", "linear", "circular"};
    for (int n_out = 2; n_out <= 4; n_out++) {
        random_source r = fixed_source(100 + (uint64_t)n_out);
        double *p = random_cut_points(&r, n_out, 14000., MOST);
        for (int color = BG_COLOR_SUMMED; color <= BG_COLOR_LEADING; color += BG_COLOR_LEADING) {
            if (color && n_out == 4) continue;
            bg_options o = default_options();
            o.color = (bg_color)color;
            double *exact = exact_values(n_out, &o, p);
            o.helicity = BG_HELICITY_SAMPLED;
            o.samples = n_out < 4 ? 1000 : 300;
            for (int s = BG_SAMPLE_ANGLE; s <= BG_SAMPLE_CIRCULAR; s++) {
                o.helicity_sampling = (bg_helicity_sampling)s;
                check_pulls(n_out, &o, p, exact, names[s]);
            }
            free(exact);
        }
        free(p);
    }
}

static void colors(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 4; n_out++) {
        random_source r = fixed_source(200 + (uint64_t)n_out);
        double *p = random_cut_points(&r, n_out, 14000., MOST);
        bg_options o = default_options();
        double *exact = exact_values(n_out, &o, p);
        o.color = BG_COLOR_SAMPLED;
        o.samples = n_out == 2 ? 1000 : n_out == 3 ? 500 : 200;
        check_pulls(n_out, &o, p, exact, "co-mc");
        if (n_out < 4) {
            o.recursion = BG_RECURSION_DRESSED;
            o.color_sampling = BG_COLORS_CONTINUOUS;
            check_pulls(n_out, &o, p, exact, "cd-mc, continuous colors");
            o.color_sampling = BG_COLORS_DISCRETE;
            check_pulls(n_out, &o, p, exact, "cd-mc, discrete colors");
        }
        free(exact);
        free(p);
    }
}

static void colors_and_helicities(void **state)
{
    (void)state;
    static const char *const names[] = {"cd-mc and angle", "cd-mc and phase", "cd-mc and linear", "cd-mc and circular"};
    for (int n_out = 2; n_out <= 4; n_out++) {
        random_source r = fixed_source(300 + (uint64_t)n_out);
        double *p = random_cut_points(&r, n_out, 14000., MOST);
        bg_options o = default_options();
        double *exact = exact_values(n_out, &o, p);
        o.color = BG_COLOR_SAMPLED;
        o.helicity = BG_HELICITY_SAMPLED;
        o.samples = n_out == 2 ? 2000 : n_out == 3 ? 1000 : 500;
        check_pulls(n_out, &o, p, exact, "co-mc and angle");
        o.recursion = BG_RECURSION_DRESSED;
        o.color_sampling = BG_COLORS_CONTINUOUS;
        for (int s = BG_SAMPLE_ANGLE; s <= (n_out < 4 ? BG_SAMPLE_CIRCULAR : BG_SAMPLE_ANGLE); s++) {
            o.helicity_sampling = (bg_helicity_sampling)s;
            /* most configurations vanish: it takes more draws until the errors can be trusted */
            if (s == BG_SAMPLE_CIRCULAR) o.samples *= 4;
            check_pulls(n_out, &o, p, exact, names[s]);
        }
        free(exact);
        free(p);
    }
}

/* Fixed helicities, sampled colors. */
static void colors_of_one_helicity(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 3; n_out++) {
        random_source r = fixed_source(400 + (uint64_t)n_out);
        double *p = random_cut_points(&r, n_out, 14000., MOST);
        bg_options o = default_options();
        o.helicity = BG_HELICITY_FIXED;
        strcpy(o.helicities, n_out == 2 ? "+-+-" : "+-+-+");
        double *exact = exact_values(n_out, &o, p);
        o.color = BG_COLOR_SAMPLED;
        o.samples = 1000;
        check_pulls(n_out, &o, p, exact, "co-mc, one helicity");
        o.recursion = BG_RECURSION_DRESSED;
        o.color_sampling = BG_COLORS_CONTINUOUS;
        check_pulls(n_out, &o, p, exact, "cd-mc, one helicity");
        free(exact);
        free(p);
    }
}

static void orderings(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 4; n_out++) {
        random_source r = fixed_source(500 + (uint64_t)n_out);
        double *p = random_cut_points(&r, n_out, 14000., MOST);
        bg_options o = default_options();
        o.color = BG_COLOR_LEADING;
        double *exact = exact_values(n_out, &o, p);
        o.orderings = BG_ORDERINGS_ONE;
        o.samples = n_out < 4 ? 1000 : 300;
        check_pulls(n_out, &o, p, exact, "one ordering");
        o.helicity = BG_HELICITY_SAMPLED;
        o.samples = n_out < 4 ? 2000 : 1000;
        check_pulls(n_out, &o, p, exact, "one ordering, one polarization");
        o.layout = BG_LAYOUT_COOPERATIVE;
        check_pulls(n_out, &o, p, exact, "tess");
        free(exact);
        free(p);
    }
}

/* 0 where nothing is sampled, NaN for a single draw, falling with the root of the number of draws. */
static void uncertainties(void **state)
{
    (void)state;
    random_source r = fixed_source(600);
    double *p = random_cut_points(&r, 2, 14000., 1), me2, error, fewer, more;
    bg_options o = default_options();
    evaluate(2, &o, 0, 1, p, &me2, &error);
    assert_true(error == 0.);
    o.helicity = BG_HELICITY_SAMPLED;
    evaluate(2, &o, 0, 1, p, &me2, &error);
    assert_true(isnan(error));
    o.samples = 1000;
    evaluate(2, &o, 0, 1, p, &me2, &fewer);
    o.samples = 100000;
    evaluate(2, &o, 0, 1, p, &me2, &more);
    assert_relative(fewer / more, 10., 0.2, "error of 1e3 over error of 1e5 draws");
    free(p);
}

/* Different seeds and events draw differently; the mean over events of one draw each is the mean over draws. */
static void seeds_and_events(void **state)
{
    (void)state;
    enum { EVENTS = 4000 };
    static double same[EVENTS * 16], single[EVENTS];
    random_source r = fixed_source(700);
    double p[16], exact, sum = 0., squares = 0., other;
    random_cut_point(&r, 2, 14000., p);
    bg_options o = default_options();
    exact = evaluate_one(2, &o, p);
    o.helicity = BG_HELICITY_SAMPLED;
    for (int k = 0; k < EVENTS; k++) memcpy(same + 16 * k, p, sizeof p);
    evaluate(2, &o, 0, EVENTS, same, single, NULL);
    for (int k = 0; k < EVENTS; k++) {
        sum += single[k] / EVENTS;
        squares += single[k] * single[k] / EVENTS;
        if (k) assert_true(single[k] != single[k - 1]);
    }
    assert_bounded(sum - exact, 4. * sqrt((squares - sum * sum) / EVENTS), "mean over events");
    o.seed = 2;
    evaluate(2, &o, 0, 1, p, &other, NULL);
    assert_true(other != single[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helicities),
        cmocka_unit_test(colors),
        cmocka_unit_test(colors_and_helicities),
        cmocka_unit_test(colors_of_one_helicity),
        cmocka_unit_test(orderings),
        cmocka_unit_test(uncertainties),
        cmocka_unit_test(seeds_and_events),
    };
    return cmocka_run_group_tests_name("sampling", tests, NULL, NULL);
}
