/* Sampled colors, helicities and orderings average to the exact sums.
 *
 * For each way of sampling, MOST points (fewer with sanitizers) with `samples` draws each. The mean over all points of sampled / exact must
 * be 1 within its error, and the pulls (sampled - exact) / error must spread by 1. Seeds are fixed, so the outcome
 * is the same on every run. Coherent colors, which points share, are the matter of test_coherent.c.
 */
#include "support.h"
#include "helicity/selector.h"

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

/* ---- helicities by invariant masses ------------------------------------------------------------------------------------ */

enum { LEGS = 6, CONFIGURATIONS = 1 << LEGS };

/* |M|^2 of every configuration, bit k set where the gluon in place k has + as an outgoing one, the incoming ones in the first and
 * the last place; and the momenta by place. */
static void all_configurations(const double *p, double *places, double *me2)
{
    const bg_subprocess s = bg_subprocess_gluons(LEGS - 2);
    for (int leg = 0; leg < LEGS; leg++)
        for (int c = 0; c < 4; c++) places[4 * s.place[leg] + c] = p[4 * leg + c];
    for (uint32_t h = 0; h < CONFIGURATIONS; h++) {
        bg_options o = default_options();
        o.helicity = BG_HELICITY_FIXED;
        for (int leg = 0; leg < LEGS; leg++)
            o.helicities[leg] = ((h >> s.place[leg] & 1u) != 0) == (leg >= 2) ? '+' : '-';
        evaluate(LEGS - 2, &o, 0, 1, p, &me2[h], NULL);
    }
}

/* A probability is how often a configuration comes; what never comes has no amplitude; and |M|^2 over the probability is nearly the
 * same for all of them. */
static void helicities_by_masses(void **state)
{
    (void)state;
    enum { POINTS = 6, DRAWS = 20000 };
    random_source r = fixed_source(77);
    double *p = random_cut_points(&r, LEGS - 2, 14000., POINTS), spread = 0.;
    for (int k = 0; k < POINTS; k++) {
        double places[4 * LEGS], me2[CONFIGURATIONS], probability[CONFIGURATIONS] = {0.}, total = 0., sum = 0.,
                                                      drawn = 0., square = 0., best = 0.;
        int count[CONFIGURATIONS] = {0};
        all_configurations(p + (size_t)k * 4 * LEGS, places, me2);
        const helicity_masses m = masses_of(LEGS, places, 1);
        for (int d = 0; d < DRAWS; d++) {
            double chance;
            const uint32_t set = masses_draw(&m, (d + 0.5) / DRAWS, &chance);
            assert_true(set < CONFIGURATIONS / 2);
            probability[set] = probability[CONFIGURATIONS - 1 - set] = 0.5 * chance;
            count[set]++;
        }
        for (uint32_t h = 0; h < CONFIGURATIONS; h++) {
            total += me2[h];
            sum += probability[h];
            if (h < CONFIGURATIONS / 2) assert_true(fabs(count[h] - 2. * probability[h] * DRAWS) <= 2.);
            if (probability[h] > 0.) best += me2[h] * me2[h] / probability[h];
        }
        assert_bounded(sum - 1., 30. / DRAWS, "sum of probabilities - 1"); /* a few are too rare to come */
        assert_true(sum < 1. + 1e-12);
        for (uint32_t h = 0; h < CONFIGURATIONS; h++)
            if (!(probability[h] > 0.)) assert_bounded(me2[h], 1e-3 * total, "a configuration that never came");
        /* the same with random numbers, as an integration does it */
        const int draws = effort_of(2000, 1);
        for (int d = 0; d < draws; d++) {
            const helicity_choice c =
                helicity_of_point(NULL, HELICITY_BY_MASSES, 0, LEGS, 5, (uint64_t)(k * draws + d), places, 1);
            const double value = me2[c.configuration] / c.probability / total;
            assert_true(c.probability > 0.);
            drawn += value / draws;
            square += value * value / draws;
        }
        const double error = sqrt((square - drawn * drawn) / draws);
        assert_bounded(drawn - 1., 5. * error + 1e-9, "drawn / exact - 1");
        spread += best / (total * total) - 1.;
    }
    if (getenv("BLOCKGEN_TEST_VERBOSE")) printf("variance of a draw: %.3f\n", spread / POINTS);
    assert_true(spread / POINTS < 0.2); /* evenly drawn configurations have 4 and more */
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helicities_by_masses),
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
