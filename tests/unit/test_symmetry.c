/* What |M|^2 must not depend on: names of gluons, frame, units. */
#include "support.h"

/* Rounding errors inside the cuts are below 1e-11 almost always; a frame change also rounds the momenta. */
static const double tolerance = 1e-9;

static void permute_gluons(int n, const int *order, const double *from, double *to)
{
    for (int k = 0; k < n; k++) memcpy(to + 4 * k, from + 4 * order[k], 4 * sizeof *to);
}

static void bose_symmetry(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int n_out = 2; n_out <= 5; n_out++)
        for (int trial = 0; trial < (n_out < 5 ? 5 : 2); trial++) {
            const int n = n_out + 2;
            double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
            int order[MOST_GLUONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
            random_cut_point(&r, n_out, 14000., p);
            for (int color = BG_COLOR_SUMMED; color <= BG_COLOR_LEADING; color += BG_COLOR_LEADING) {
                bg_options o = default_options();
                o.color = (bg_color)color;
                const double me2 = evaluate_one(n_out, &o, p);
                shuffle(&r, order + 2, n_out);
                permute_gluons(n, order, p, q);
                assert_relative(evaluate_one(n_out, &o, q), me2, tolerance, "outgoing, n_out = %d, color %d", n_out,
                                color);
                order[0] = 1;
                order[1] = 0;
                permute_gluons(n, order, p, q);
                assert_relative(evaluate_one(n_out, &o, q), me2, tolerance, "incoming, n_out = %d, color %d", n_out,
                                color);
            }
        }
}

/* With helicities the names go along. */
static void bose_symmetry_of_helicities(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int n_out = 3; n_out <= 6; n_out++) {
        const int n = n_out + 2;
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
        int order[MOST_GLUONS] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
        random_cut_point(&r, n_out, 14000., p);
        bg_options o = default_options();
        o.helicity = BG_HELICITY_FIXED;
        /* two negative helicities as outgoing ones: incoming both +, i.e. - - when crossed; never zero */
        for (int k = 0; k < n; k++) o.helicities[k] = '+';
        o.helicities[2 + random_below(&r, n_out)] = n_out > 3 ? '-' : '+';
        const double me2 = evaluate_one(n_out, &o, p);
        assert_true(me2 > 0.);
        shuffle(&r, order + 2, n_out);
        permute_gluons(n, order, p, q);
        bg_options permuted = o;
        for (int k = 0; k < n; k++) permuted.helicities[k] = o.helicities[order[k]];
        assert_relative(evaluate_one(n_out, &permuted, q), me2, tolerance, "%s", o.helicities);
    }
}

/* A boost along a random direction after a rotation about another. */
static void transform(random_source *r, int n, const double *from, double *to)
{
    double axis[2][3];
    for (int a = 0; a < 2; a++) {
        const double c = uniform(r, -1., 1.), phi = uniform(r, 0., 2. * PI), s = sqrt(1. - c * c);
        axis[a][0] = s * cos(phi);
        axis[a][1] = s * sin(phi);
        axis[a][2] = c;
    }
    const double angle = uniform(r, 0., 2. * PI), rapidity = uniform(r, 0.5, 1.5);
    for (int k = 0; k < n; k++) {
        const double *p = from + 4 * k, *u = axis[0], *b = axis[1];
        double *q = to + 4 * k;
        const double along = u[0] * p[1] + u[1] * p[2] + u[2] * p[3];
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            q[i + 1] = cos(angle) * p[i + 1] + sin(angle) * (u[j] * p[l + 1] - u[l] * p[j + 1]) +
                       (1. - cos(angle)) * along * u[i];
        }
        const double bq = b[0] * q[1] + b[1] * q[2] + b[2] * q[3];
        for (int i = 0; i < 3; i++) q[i + 1] += b[i] * ((cosh(rapidity) - 1.) * bq + sinh(rapidity) * p[0]);
        q[0] = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
}

static void lorentz_invariance(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int n_out = 2; n_out <= 5; n_out++)
        for (int trial = 0; trial < (n_out < 5 ? 5 : 2); trial++) {
            double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
            bg_error error;
            random_cut_point(&r, n_out, 14000., p);
            transform(&r, n_out + 2, p, q);
            assert_int_equal(bg_check_point(n_out, q, 1e-12, &error), BG_OK);
            bg_options o = default_options();
            assert_relative(evaluate_one(n_out, &o, q), evaluate_one(n_out, &o, p), tolerance, "n_out = %d", n_out);
            o.color = BG_COLOR_LEADING;
            assert_relative(evaluate_one(n_out, &o, q), evaluate_one(n_out, &o, p), tolerance, "n_out = %d", n_out);
            /* helicity is invariant too, as long as no boost overtakes a massless gluon */
            o = default_options();
            o.helicity = BG_HELICITY_FIXED;
            for (int k = 0; k < n_out + 2; k++) o.helicities[k] = k == 3 && n_out > 3 ? '-' : '+';
            assert_relative(evaluate_one(n_out, &o, q), evaluate_one(n_out, &o, p), tolerance, "%s", o.helicities);
        }
}

/* |M|^2 has dimension GeV^(4 - 2 n_out). A power of two changes no mantissa: then it is exact. */
static void dimension(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    for (int n_out = 2; n_out <= 5; n_out++) {
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
        random_cut_point(&r, n_out, 14000., p);
        const bg_options o = default_options();
        const double me2 = evaluate_one(n_out, &o, p);
        for (int power = -8; power <= 8; power += 4) {
            for (int k = 0; k < 4 * (n_out + 2); k++) q[k] = ldexp(p[k], power);
            assert_true(evaluate_one(n_out, &o, q) == ldexp(me2, power * (4 - 2 * n_out)));
        }
        for (int k = 0; k < 4 * (n_out + 2); k++) q[k] = 0.1234 * p[k];
        assert_relative(evaluate_one(n_out, &o, q), me2 * pow(0.1234, 4 - 2 * n_out), tolerance, "n_out = %d", n_out);
    }
}

/* |M|^2 is proportional to alpha_s^n_out, in every algorithm. */
static void coupling(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    for (int n_out = 2; n_out <= 4; n_out++)
        for (int k = 0; k < BG_ALGORITHM_COUNT; k++) {
            double p[4 * MOST_GLUONS];
            random_cut_point(&r, n_out, 14000., p);
            bg_options o = default_options();
            assert_int_equal(bg_options_set_algorithm(&o, (bg_algorithm)k, NULL), BG_OK);
            o.samples = 50;
            const double one = evaluate_one(n_out, &o, p);
            o.alpha_s *= 2.;
            assert_relative(evaluate_one(n_out, &o, p), ldexp(one, n_out), 1e-14, "%s",
                            bg_algorithm_name((bg_algorithm)k));
        }
}

/* Points of flat phase space without cuts, soft and collinear regions included: positive and finite. */
static void flat_points(void **state)
{
    (void)state;
    enum { POINTS = 500 };
    random_source r = fresh_source(6);
    for (int n_out = 2; n_out <= 4; n_out++) {
        static double p[POINTS * 4 * 6], full[POINTS], leading[POINTS];
        for (int k = 0; k < POINTS; k++) random_point(&r, n_out, 1000., p + 4 * k * (n_out + 2));
        bg_options o = default_options();
        evaluate(n_out, &o, 0, POINTS, p, full, NULL);
        o.color = BG_COLOR_LEADING;
        evaluate(n_out, &o, 0, POINTS, p, leading, NULL);
        for (int k = 0; k < POINTS; k++) {
            assert_true(isfinite(full[k]) && full[k] > 0.);
            /* what leading color leaves out is of relative order 1/N_c^2 */
            assert_true(fabs(leading[k] / full[k] - 1.) < (n_out < 4 ? 1e-6 : 0.2));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bose_symmetry),      cmocka_unit_test(bose_symmetry_of_helicities),
        cmocka_unit_test(lorentz_invariance), cmocka_unit_test(dimension),
        cmocka_unit_test(coupling),           cmocka_unit_test(flat_points),
    };
    return cmocka_run_group_tests_name("symmetry", tests, NULL, NULL);
}
