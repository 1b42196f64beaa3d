/* |M|^2 of processes with quarks through the public interface: against another program, against textbook formulas, against the
 * plain interpreter (oracle.h), every way of the library to the same number.
 */
#include "partons.h"

#include "oracle.h"

/* ---- the values of another program --------------------------------------------------------------------------------- */

/* Helicities summed, on every instruction set and with 128-bit floats. */
static void summed_helicities(void **state)
{
    (void)state;
    parton_reference *all = parton_references();
    for (int w = 0; instruction_sets[w]; w++) {
        if (!choose_simd(instruction_sets[w])) continue;
        for (int k = 0; k < REFERENCE_PROCESSES; k++) {
            const parton_reference *r = &all[k];
            const bg_options o = default_options();
            double me2[REFERENCE_POINTS];
            evaluate_process(r->process, &o, 0, (size_t)r->points, r->momenta, me2, NULL);
            for (int i = 0; i < r->points; i++)
                assert_relative(me2[i], r->me2[i], 1e-11, "%s on %s, point %d", r->process, instruction_sets[w], i + 1);
        }
        default_simd();
    }
    free(all);
}

/* Every configuration by itself: those of the table, and those that vanish. Together they are the sum. */
static void check_configurations(const parton_reference *r, const char *set)
{
    const double average = 4.; /* over incoming helicities */
    double sum = 0.;
    for (uint32_t h = 0; h < 1u << r->n; h++) {
        char signs[REFERENCE_LEGS + 1] = "";
        for (int leg = 0; leg < r->n; leg++) signs[leg] = h >> leg & 1u ? '+' : '-';
        const double me2 = evaluate_helicity(r->process, signs, r->momenta);
        assert_bounded(me2 - parton_reference_helicity(r, signs), 1e-12 * average * r->me2[0], "%s on %s: %s",
                       r->process, set, signs);
        sum += me2;
    }
    assert_relative(sum / average, r->me2[0], 1e-11, "%s on %s: all helicities", r->process, set);
}

static void single_helicities(void **state)
{
    (void)state;
    parton_reference *all = parton_references();
    const int step = test_effort() < 1. ? 4 : 1;
    for (int w = 0; instruction_sets[w]; w++) {
        if (!choose_simd(instruction_sets[w])) continue;
        for (int k = 0; k < REFERENCE_PROCESSES; k += step) check_configurations(&all[k], instruction_sets[w]);
        default_simd();
    }
    free(all);
}

/* ---- helicities that are drawn ---------------------------------------------------------------------------------------- */

/* The mean over draws is the sum, with the error that is claimed; and so is the mean over events of one draw each. */
static void check_sampling(const parton_reference *r, bg_helicity_sampling sampling)
{
    enum { MOST = 4000 };
    static double momenta[MOST * 4 * REFERENCE_LEGS], draw[MOST];
    const int draws = effort_of(MOST, 2000), last = r->points - 1;
    const double *p = r->momenta + last * 4 * r->n, exact = r->me2[last];
    double me2, error, mean = 0., square = 0.;
    bg_options o = default_options();
    o.helicity = BG_HELICITY_SAMPLED;
    o.helicity_sampling = sampling;
    for (int k = 0; k < draws; k++) memcpy(momenta + k * 4 * r->n, p, 4 * (size_t)r->n * sizeof *p);
    evaluate_process(r->process, &o, 1000, (size_t)draws, momenta, draw, NULL);
    for (int k = 0; k < draws; k++) {
        assert_true(isfinite(draw[k]) && draw[k] >= 0.);
        mean += draw[k] / draws;
    }
    for (int k = 0; k < draws; k++) square += (draw[k] - mean) * (draw[k] - mean);
    assert_bounded(mean - exact, 5. * sqrt(square / (draws - 1.) / draws) + 1e-11 * exact,
                   "%s, sampling %d, one draw an event: %g", r->process, (int)sampling, mean / exact);
    o.samples = draws / 4;
    evaluate_process(r->process, &o, 0, 1, p, &me2, &error);
    /* without gluons, only helicities of quarks are there to draw, which some samplings sum over */
    assert_true(error >= 0. && error < 0.5 * exact);
    assert_bounded(me2 - exact, 5. * error + 1e-11 * exact, "%s, sampling %d, mean of draws: %g", r->process,
                   (int)sampling, me2 / exact);
}

static void sampled_helicities(void **state)
{
    (void)state;
    parton_reference *all = parton_references();
    for (int k = 0; k < REFERENCE_PROCESSES; k++)
        for (int sampling = BG_SAMPLE_ANGLE; sampling <= BG_SAMPLE_CIRCULAR; sampling++)
            check_sampling(&all[k], (bg_helicity_sampling)sampling);
    free(all);
}

/* A draw depends on the seed and the number of the event alone, not on instruction sets, threads and batches. */
static void draws_stay(void **state)
{
    (void)state;
    enum { EVENTS = 37, N_OUT = 3 };
    static const char *const text = "u u~ > u u~ g";
    random_source r = fresh_source(1);
    double *p = random_cut_points(&r, N_OUT, 1000., EVENTS);
    for (int sampling = BG_SAMPLE_ANGLE; sampling <= BG_SAMPLE_CIRCULAR; sampling++) {
        double first[EVENTS], other[EVENTS], sum[EVENTS];
        const bg_options all = default_options();
        bg_options o = all;
        o.helicity = BG_HELICITY_SAMPLED;
        o.helicity_sampling = (bg_helicity_sampling)sampling;
        o.threads = 1;
        evaluate_process(text, &all, 0, EVENTS, p, sum, NULL);
        evaluate_process(text, &o, 0, EVENTS, p, first, NULL);
        o.threads = 3;
        evaluate_process(text, &o, 0, EVENTS, p, other, NULL);
        assert_memory_equal(first, other, sizeof first);
        for (size_t k = 0, count = 1; k < EVENTS; k += count, count += 3) {
            if (k + count > EVENTS) count = EVENTS - k;
            evaluate_process(text, &o, k, count, p + k * 4 * (N_OUT + 2), other + k, NULL);
        }
        assert_memory_equal(first, other, sizeof first);
        for (int w = 0; instruction_sets[w]; w++) {
            if (!choose_simd(instruction_sets[w])) continue;
            evaluate_process(text, &o, 0, EVENTS, p, other, NULL);
            for (int k = 0; k < EVENTS; k++)
                assert_bounded(other[k] - first[k], 1e-10 * sum[k], "sampling %d on %s", sampling, instruction_sets[w]);
            default_simd();
        }
    }
    free(p);
}

/* ---- textbook formulas ------------------------------------------------------------------------------------------------- */

/* |M|^2 / g^4 of two partons to two, averaged and summed (R. K. Ellis, W. J. Stirling, B. R. Webber, QCD and Collider Physics,
 * table 7.1). All follow from four functions by crossing. */
static double different(double s, double t, double u) { return 4. / 9. * (s * s + u * u) / (t * t); }
static double same(double s, double t, double u)
{
    return different(s, t, u) + different(s, u, t) - 8. / 27. * s * s / (t * u);
}
static double annihilation(double s, double t, double u) { return different(t, s, u); }
static double scattering(double s, double t, double u)
{
    return annihilation(s, t, u) + different(s, t, u) - 8. / 27. * u * u / (s * t);
}
static double to_gluons(double s, double t, double u)
{
    return 32. / 27. * (t * t + u * u) / (t * u) - 8. / 3. * (t * t + u * u) / (s * s);
}
static double from_gluons(double s, double t, double u) { return 9. / 64. * to_gluons(s, t, u); }
static double compton(double s, double t, double u)
{
    return -4. / 9. * (s * s + u * u) / (s * u) + (s * s + u * u) / (t * t);
}

static void textbook(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double (*formula)(double s, double t, double u);
        double identical;
    } list[] = {
        {"u d > u d", different, 1.},      {"d u~ > d u~", different, 1.},  {"s~ b~ > s~ b~", different, 1.},
        {"u u > u u", same, 2.},           {"c~ c~ > c~ c~", same, 2.},     {"u u~ > d d~", annihilation, 1.},
        {"d~ d > b~ b", annihilation, 1.}, {"u u~ > u u~", scattering, 1.}, {"u u~ > g g", to_gluons, 2.},
        {"s~ s > g g", to_gluons, 2.},     {"g g > u u~", from_gluons, 1.}, {"g g > b~ b", from_gluons, 1.},
        {"u g > u g", compton, 1.},        {"g d~ > g d~", compton, 1.},
    };
    const bg_options o = default_options();
    const double g4 = pow(4. * PI * o.alpha_s, 2);
    random_source r = fresh_source(2);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int trial = 0; trial < 10; trial++) {
            double p[16];
            random_cut_point(&r, 2, 14000., p);
            const double s = 2. * minkowski(p, p + 4), t = -2. * minkowski(p, p + 8), u = -s - t;
            assert_relative(evaluate_process_one(list[k].text, &o, p),
                            g4 * list[k].formula(s, t, u) / list[k].identical, 1e-11, "%s", list[k].text);
        }
}

/* ---- the plain interpreter ---------------------------------------------------------------------------------------------- */

/* Random points, up to five lines; the rest of the partons in any order. */
static void any_process(void **state)
{
    (void)state;
    static const char *const texts[] = {"g g > u g u~ g g",    "g u > g u g g",         "d~ g > g g d~ g g",
                                        "u~ u > g d~ g d",     "u u~ > u u~ g g",       "g u~ > u~ u~ u g",
                                        "d u > s d g u s~",    "g g > u u~ u u~ g",     "g g > u u~ d d~ s s~",
                                        "u u > u u u u~ g",    "u d > u d s s~ c c~",   "u u~ > d d~ d d~ s s~",
                                        "u u > u u u u~ u u~", "u d > u d s s~ c c~ g", "u u~ > d d~ s s~ c c~ b b~"};
    const int count = (int)(sizeof texts / sizeof *texts);
    random_source r = fresh_source(3);
    for (int k = 0; k < count - (test_effort() < 1. ? 3 : 0); k++) {
        const int n = legs_of(texts[k]);
        double p[4 * MOST_GLUONS];
        oracle plain;
        bg_options o = default_options();
        char signs[MOST_GLUONS + 1] = "";
        random_cut_point(&r, n - 2, 14000., p);
        oracle_create_text(&plain, texts[k], -1);
        const double me2 = evaluate_process_one(texts[k], &o, p);
        assert_relative(me2, oracle_me2(&plain, o.alpha_s, p), 1e-9, "%s", texts[k]);
        for (int trial = 0; trial < 4; trial++) {
            for (int leg = 0; leg < n; leg++) signs[leg] = random_below(&r, 2) ? '+' : '-';
            assert_bounded(evaluate_helicity(texts[k], signs, p) - oracle_helicity(&plain, o.alpha_s, signs, p),
                           1e-9 * 4. * me2, "%s: %s", texts[k], signs);
        }
        oracle_destroy(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summed_helicities), cmocka_unit_test(single_helicities), cmocka_unit_test(sampled_helicities),
        cmocka_unit_test(draws_stay),        cmocka_unit_test(textbook),          cmocka_unit_test(any_process),
    };
    return cmocka_run_group_tests_name("quark values", tests, NULL, NULL);
}
