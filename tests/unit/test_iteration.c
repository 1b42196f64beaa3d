/* Iterations of an integration: sums of two, and how well they agree where few exact values have a long tail. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

#include "engine/iteration.h"

enum { ITERATIONS = 6, RUNS = 400, SHORT = 800 };

static double normal(random_source *r) { return sqrt(-2. * log(uniform(r, 1e-12, 1.))) * cos(uniform(r, 0., 2. * PI)); }

/* What w/e is: on average 1. It is 1/3 and, once in 151 times, 101; or scatters much, or little. */
typedef enum estimates { SMOOTH, POOR, TAIL } estimates;

static double ratio_of(random_source *r, estimates kind)
{
    if (kind == TAIL) return uniform(r, 0., 151.) < 1. ? 101. : 1. / 3.;
    return kind == POOR ? exp(normal(r) - 0.5) : 1. + 0.3 * normal(r);
}

/* Trial points of a sieve: the mean of e is 1. */
static bg_iteration iterate(random_source *r, int points, double threshold, estimates kind, uint64_t *number)
{
    bg_tally *t = bg_tally_create(0, 0, 0);
    assert_non_null(t);
    t->points = t->accepted = points;
    for (int k = 0; k < points; k++) {
        const double e = exp(0.5 * normal(r) - 0.125);
        const double ratio = ratio_of(r, kind);
        const bg_sieved s = sieve_point(threshold, e, 77, (*number)++);
        bg_tally_sieved(t, &s, NULL, 1, 0., 0);
        if (!(s.probability > 0.)) continue;
        t->evaluated++;
        (void)bg_tally_kept(t, &s, e * ratio, -1, 0.);
    }
    const bg_iteration i = bg_iteration_of(t);
    bg_tally_destroy(t);
    return i;
}

/* chi^2 per degree of freedom of iterations that get longer, with the errors of all together or of each alone; the mean over runs. */
static double mean_chi2(random_source *r, estimates kind, int sieved, int *beyond)
{
    double sum = 0.;
    uint64_t number = 0;
    *beyond = 0;
    for (int run = 0; run < RUNS; run++) {
        bg_iteration part[ITERATIONS];
        const bg_iteration *all[ITERATIONS];
        double mean = 0., points = 0.;
        for (int k = 0; k < ITERATIONS; k++) {
            part[k] = iterate(r, SHORT << (k > 1 ? k - 1 : 0), 4. * (k + 1), kind, &number);
            all[k] = &part[k];
            mean += part[k].mean * (double)part[k].points;
            points += (double)part[k].points;
        }
        const double chi2 = bg_iterations_chi2(all, ITERATIONS, mean / points, sieved);
        sum += chi2 / (ITERATIONS - 1) / RUNS;
        *beyond += bg_is_beyond_chance(chi2, ITERATIONS - 1.);
    }
    return sum;
}

static void test_tails(void **state)
{
    random_source r = fresh_source(61);
    int beyond[2], quiet[2];
    const double all = mean_chi2(&r, TAIL, 1, &beyond[1]), own = mean_chi2(&r, TAIL, 0, &beyond[0]);
    const double smooth = mean_chi2(&r, SMOOTH, 1, &quiet[1]), alone = mean_chi2(&r, SMOOTH, 0, &quiet[0]);
    (void)state;
    say("long tail: chi^2 %.2f (own errors %.2f), %d (%d) of %d beyond chance; none: %.2f (%.2f), %d (%d)\n", all, own,
        beyond[1], beyond[0], RUNS, smooth, alone, quiet[1], quiet[0]);
    /* 2000 degrees of freedom; a tail adds the scatter of what all have met of it */
    assert_true(fabs(smooth - 1.) < 0.2 && fabs(alone - 1.) < 0.2);
    assert_true(quiet[1] < RUNS / 20);
    assert_true(fabs(all - 1.) < 0.3 && own > 5.);
    assert_true(10 * beyond[1] < beyond[0]);
}

/* A lesson between two iterations: those before it have a poor estimate, and say nothing about those after it. */
static void test_lessons(void **state)
{
    random_source r = fresh_source(62);
    double apart = 0., together = 0.;
    uint64_t number = 0;
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        bg_iteration part[ITERATIONS];
        const bg_iteration *all[ITERATIONS];
        double mean = 0., points = 0.;
        for (int k = 0; k < ITERATIONS; k++) {
            const int learned = k >= 2;
            part[k] = iterate(&r, SHORT << (k > 1 ? k - 1 : 0), 4., learned ? SMOOTH : POOR, &number);
            part[k].learned = (uint64_t)learned;
            all[k] = &part[k];
            mean += part[k].mean * (double)part[k].points;
            points += (double)part[k].points;
        }
        apart += bg_iterations_chi2(all, ITERATIONS, mean / points, 1) / (ITERATIONS - 1) / RUNS;
        for (int k = 0; k < ITERATIONS; k++) part[k].learned = 0;
        together += bg_iterations_chi2(all, ITERATIONS, mean / points, 1) / (ITERATIONS - 1) / RUNS;
    }
    say("chi^2 per degree of freedom %.2f; all iterations alike %.2f\n", apart, together);
    assert_true(fabs(apart - 1.) < 0.2);
    assert_true(together > 1.3);
}

static void test_sums(void **state)
{
    const bg_iteration a = {.points = 100, .accepted = 60, .evaluated = 7, .mean = 2., .variance = 5., .estimated = 1.};
    const bg_iteration b = {.points = 300, .accepted = 90, .evaluated = 9, .mean = 1., .variance = 9., .estimated = 3.};
    const bg_iteration none = {0}, both = bg_iterations_together(&a, &b), same = bg_iterations_together(&none, &a);
    const bg_iteration *all[] = {&a, &b};
    (void)state;
    assert_true(both.points == 400 && both.accepted == 150 && both.evaluated == 16);
    assert_relative(both.mean, 1.25, 1e-15, "mean");
    assert_relative(both.variance, 8., 1e-15, "variance");
    assert_relative(both.estimated, 2.5, 1e-15, "variance of e");
    assert_relative(same.mean, a.mean, 1e-15, "one alone");
    assert_relative(bg_iterations_chi2(all, 2, both.mean, 0), 0.5625 * 100. / 5. + 0.0625 * 300. / 9., 1e-14, "chi^2");
    /* corrections: (4 7/100 7 + 6 9/300 9) / 16 for one exact value a point */
    const double correction = (4. * 0.49 + 6. * 0.27) / 16.;
    assert_relative(bg_iterations_chi2(all, 2, both.mean, 1),
                    0.5625 * 100. / (1. + correction / 0.07) + 0.0625 * 300. / (3. + correction / 0.03), 1e-14,
                    "chi^2 of a sieve");
    assert_true(bg_is_beyond_chance(12., 1.) && !bg_is_beyond_chance(6., 1.));
    assert_true(bg_is_beyond_chance(24., 10.) && !bg_is_beyond_chance(22., 10.)); /* one percent: 23.2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_tails),
                                       cmocka_unit_test(test_lessons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
