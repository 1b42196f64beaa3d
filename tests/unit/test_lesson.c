/* Lessons: the factor that estimates learn is the one that is there, the same from points in any order, and none where there is
 * nothing to learn. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

#include "engine/lesson.h"

enum { N_OUT = 4, LEGS = N_OUT + 2, POINTS = 3000 };

/* Points of gluons with made-up values: e scatters by factors, and w / e is a function of momenta, or none. */
typedef struct made_up {
    double *momenta, e[POINTS], w[POINTS];
    uint64_t number[POINTS];
} made_up;

static double normal(random_source *r) { return sqrt(-2. * log(uniform(r, 1e-12, 1.))) * cos(uniform(r, 0., 2. * PI)); }

static double product(const double *p, const double *q)
{
    return p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
}

/* A quadratic form in logarithms that knows nothing of the order of the gluons. */
static double form(const double *momenta)
{
    double sum = 0.;
    for (int i = 2; i < LEGS; i++) {
        const double u = log(product(momenta, momenta + 4 * i) / product(momenta, momenta + 4));
        sum += 0.05 * (u + 3.) + 0.01 * (u + 3.) * (u + 3.);
    }
    return sum;
}

static made_up *make_points(double known, double noise)
{
    random_source r = fixed_source(5);
    made_up *m = malloc(sizeof *m);
    assert_non_null(m);
    m->momenta = random_cut_points(&r, N_OUT, 14000., POINTS);
    for (int k = 0; k < POINTS; k++) {
        m->e[k] = exp(normal(&r));
        m->w[k] = 0.5 * m->e[k] * exp(known * form(m->momenta + 4 * LEGS * k) + noise * normal(&r));
        m->number[k] = 1000u + 3u * (uint64_t)k;
    }
    return m;
}

/* Takes the points from both ends or in order; those below the threshold by turns. */
static bg_sifting learn(const made_up *m, bg_lesson_aim aim, double points, int backwards)
{
    const bg_subprocess s = bg_subprocess_gluons(N_OUT);
    bg_sifting f;
    bg_lesson l;
    bg_sifting_begin(&f, LEGS);
    assert_int_equal(bg_lesson_begin(&l, &s, aim, points, 1 + backwards, NULL), BG_OK);
    const bg_sink estimates = bg_lesson_estimates(&l), exacts = bg_lesson_exacts(&l);
    for (int k = 0; k < POINTS; k++) {
        const int at = backwards ? POINTS - 1 - k : k;
        estimates.take(estimates.user, 1, m->momenta + 4 * LEGS * at, &m->e[at], &m->number[at]);
    }
    const double threshold = bg_lesson_threshold(&l, 2000.);
    for (int k = 0; k < POINTS; k++) {
        const int at = backwards ? POINTS - 1 - k : k;
        const bg_sieved kept = sieve_point(threshold, m->e[at], 7, m->number[at]);
        if (!(kept.probability > 0.)) continue;
        const double w = m->w[at] / kept.probability;
        exacts.take(exacts.user, 1, m->momenta + 4 * LEGS * at, &w, &m->number[at]);
    }
    assert_int_equal(bg_lesson_learn(&l, &f, NULL), BG_OK);
    bg_lesson_free(&l);
    return f;
}

static void check_learned(bg_lesson_aim aim, double points, int coefficients, double most)
{
    made_up *m = make_points(1., 0.02);
    const bg_sifting f = learn(m, aim, points, 0), back = learn(m, aim, points, 1);
    assert_int_equal(f.coefficients, coefficients);
    assert_memory_equal(&f, &back, sizeof f);
    /* what is left is the noise, and the means agree */
    assert_bounded(bg_sifting_rms(&f) / 0.02 - 1., most, "spread that is left %g", bg_sifting_rms(&f));
    const bg_subprocess s = bg_subprocess_gluons(N_OUT);
    estimate_plan plan;
    assert_int_equal(bg_estimate_plan(&plan, &s, NULL, NULL), BG_OK);
    const bg_sieve sieve = bg_sifting_sieve(&f, &plan);
    assert_non_null(sieve.coefficient);
    for (int k = 0; k < 50; k++) {
        real room[2 * (BG_MAX_LEGS + 1) * (BG_MAX_LEGS + 1)], u[BG_LESSON_NUMBERS];
        vec4 p[LEGS];
        const double *from = m->momenta + 4 * LEGS * k;
        for (int leg = 0; leg < LEGS; leg++)
            p[leg] = (vec4){bg_real(from[4 * leg]), bg_real(from[4 * leg + 1]), bg_real(from[4 * leg + 2]),
                            bg_real(from[4 * leg + 3])};
        const pair_table table = pairs_in(LEGS, room, 1);
        pairs_fill(LEGS, p, &table);
        const double factor = sieve.scale * bg_lane(learned_factor(&sieve.plan, &table, sieve.coefficient, u, 1), 0);
        assert_bounded(factor * m->e[k] / m->w[k] - 1., 0.15, "factor of point %d", k);
    }
    free(m->momenta);
    free(m);
}

static void what_is_there_is_learned(void **state)
{
    (void)state;
    check_learned(BG_LESSON_FOR_INTEGRAL, 2000., learned_coefficients(learned_invariants(LEGS)), 0.3);
    check_learned(BG_LESSON_FOR_EVENTS, 1900., learned_coefficients(learned_invariants(LEGS)), 0.5);
    check_learned(BG_LESSON_FOR_EVENTS, 2000., learned_coefficients(learned_most_numbers(LEGS)), 0.5);
}

static void noise_is_not_learned(void **state)
{
    (void)state;
    made_up *m = make_points(0., 0.3);
    const bg_sifting f = learn(m, BG_LESSON_FOR_INTEGRAL, 2000., 0);
    const bg_subprocess s = bg_subprocess_gluons(N_OUT);
    estimate_plan plan;
    assert_int_equal(f.coefficients, -1);
    assert_true(f.scale == 1.); /* NOLINT: nothing was changed */
    assert_int_equal(bg_estimate_plan(&plan, &s, NULL, NULL), BG_OK);
    assert_null(bg_sifting_sieve(&f, &plan).coefficient);
    free(m->momenta);
    free(m);
}

static void few_legs_have_no_factor(void **state)
{
    (void)state;
    for (int aim = BG_LESSON_FOR_INTEGRAL; aim <= BG_LESSON_FOR_EVENTS; aim++)
        assert_true(bg_lesson_points(5, (bg_lesson_aim)aim) == 0. && bg_lesson_points(9, (bg_lesson_aim)aim) == 0.);
    assert_true(
        bg_lesson_points(6, BG_LESSON_FOR_INTEGRAL) == 960. && bg_lesson_points(7, BG_LESSON_FOR_INTEGRAL) == 1848. &&
        bg_lesson_points(8, BG_LESSON_FOR_INTEGRAL) == 3248. && bg_lesson_points(8, BG_LESSON_FOR_EVENTS) == 2436.);
    assert_true(
        bg_lesson_has_masses(6, BG_LESSON_FOR_EVENTS, 1950.) && !bg_lesson_has_masses(6, BG_LESSON_FOR_EVENTS, 1949.) &&
        !bg_lesson_has_masses(6, BG_LESSON_FOR_INTEGRAL, 1e6) && !bg_lesson_has_masses(7, BG_LESSON_FOR_EVENTS, 1e6));
}

static bg_result integrate(const bg_process *process, bg_estimates estimate, uint64_t points)
{
    bg_options options;
    bg_integration wish;
    bg_result result;
    bg_error error;
    bg_options_init(&options);
    bg_integration_init(&wish);
    bg_result_init(&result);
    snprintf(options.backend, sizeof options.backend, "cpu");
    options.color = BG_COLOR_SUMMED;
    options.helicity = BG_HELICITY_SUMMED;
    wish.estimate = estimate;
    wish.points = points;
    if (bg_integrate(process, &options, &wish, &result, &error) != BG_OK) fail_msg("%s", error.message);
    return result;
}

/* A long integration learns, so that it needs a smaller share of exact values than a short one, and finds the same cross
 * section. */
static void integrations_learn(void **state)
{
    (void)state;
    bg_process *process;
    static const int legs[] = {21, 21, 21, 21, 21, 21};
    assert_int_equal(bg_process_create(&process, 2, 4, legs, NULL), BG_OK);
    const bg_result brief = integrate(process, BG_ESTIMATE_ON, 150000),
                    exact = integrate(process, BG_ESTIMATE_OFF, 60000);
    const bg_result whole = integrate(process, BG_ESTIMATE_ON, 1200000);
    bg_process_destroy(process);
    const double before = (double)brief.evaluated / (double)brief.points;
    assert_true((double)whole.evaluated / (double)whole.points < 0.8 * before);
    assert_true(whole.error_pb < 0.5 * brief.error_pb);
    assert_bounded((whole.sigma_pb - exact.sigma_pb) / hypot(whole.error_pb, exact.error_pb), 4., "sigma %g and %g",
                   whole.sigma_pb, exact.sigma_pb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_learned),
        cmocka_unit_test(noise_is_not_learned),
        cmocka_unit_test(few_legs_have_no_factor),
        cmocka_unit_test(integrations_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
