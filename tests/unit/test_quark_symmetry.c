/* What |M|^2 with quarks must not depend on: frame, units, names of flavors, order of partons, charge conjugation, parity. */
#include "partons.h"

/* Rounding errors inside the cuts are below 1e-11 almost always; a frame change also rounds the momenta. */
static const double tolerance = 1e-9;

static const char *const processes[] = {"u g > u g g",      "g g > u u~ g",   "u u~ > g g g",    "u d > u d g",
                                        "u u~ > u u~ g",    "u u > u u g",    "g u~ > u~ d d~",  "u d~ > u d~ g g",
                                        "u u~ > d d~ s s~", "u u > u u u u~", "g g > u u~ d d~", "u g > u u u~ g"};
enum { PROCESSES = sizeof processes / sizeof *processes };

static void permute_momenta(int n, const int *order, const double *from, double *to)
{
    for (int k = 0; k < n; k++) memcpy(to + 4 * k, from + 4 * order[k], 4 * sizeof *to);
}

static void random_signs(random_source *r, int n, char *signs)
{
    for (int k = 0; k < n; k++) signs[k] = random_below(r, 2) ? '+' : '-';
    signs[n] = '\0';
}

/* A boost along a random direction after a rotation about another. */
static void transform(random_source *r, int n, double rapidity, const double *from, double *to)
{
    double axis[2][3];
    for (int a = 0; a < 2; a++) {
        const double c = uniform(r, -1., 1.), phi = uniform(r, 0., 2. * PI), s = sqrt(1. - c * c);
        axis[a][0] = s * cos(phi);
        axis[a][1] = s * sin(phi);
        axis[a][2] = c;
    }
    const double angle = uniform(r, 0., 2. * PI);
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
    random_source r = fresh_source(1);
    for (int k = 0; k < PROCESSES; k++)
        for (int trial = 0; trial < 4; trial++) {
            const int n = legs_of(processes[k]);
            const bg_options o = default_options();
            double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
            char signs[MOST_GLUONS + 1];
            random_cut_point(&r, n - 2, 1000., p);
            transform(&r, n, trial ? uniform(&r, 0.5, 1.5) : 0., p, q);
            const double me2 = evaluate_process_one(processes[k], &o, p);
            assert_relative(evaluate_process_one(processes[k], &o, q), me2, tolerance, "%s", processes[k]);
            /* helicity is invariant too, as long as no boost overtakes a massless parton */
            random_signs(&r, n, signs);
            assert_bounded(evaluate_helicity(processes[k], signs, q) - evaluate_helicity(processes[k], signs, p),
                           4. * tolerance * me2, "%s: %s", processes[k], signs);
        }
}

/* Partons may be written in any order, which the momenta follow: outgoing ones, and the beams. */
static void order_of_partons(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int k = 0; k < PROCESSES; k++)
        for (int trial = 0; trial < 6; trial++) {
            const parton_words list = parton_words_of(processes[k]);
            const bg_options o = default_options();
            int order[MOST_GLUONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
            double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
            char text[128], signs[MOST_GLUONS + 1], permuted[MOST_GLUONS + 1] = "";
            random_cut_point(&r, list.n - 2, 1000., p);
            shuffle(&r, order + 2, list.n - 2);
            if (trial & 1) shuffle(&r, order, 2);
            random_signs(&r, list.n, signs);
            for (int leg = 0; leg < list.n; leg++) permuted[leg] = signs[order[leg]];
            parton_words_write(&list, order, text, sizeof text);
            permute_momenta(list.n, order, p, q);
            const double me2 = evaluate_process_one(processes[k], &o, p);
            assert_relative(evaluate_process_one(text, &o, q), me2, tolerance, "%s as %s", processes[k], text);
            assert_bounded(evaluate_helicity(text, permuted, q) - evaluate_helicity(processes[k], signs, p),
                           4. * tolerance * me2, "%s as %s: %s", processes[k], text, signs);
        }
}

/* The beams exchanged, and everything turned by half a turn about the x axis: the beams are where they were. */
static void reflected_beams(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int k = 0; k < PROCESSES; k++) {
        const parton_words list = parton_words_of(processes[k]);
        const bg_options o = default_options();
        int order[MOST_GLUONS] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
        char text[128];
        random_cut_point(&r, list.n - 2, 1000., p);
        parton_words_write(&list, order, text, sizeof text);
        permute_momenta(list.n, order, p, q);
        for (int leg = 0; leg < list.n; leg++) {
            q[4 * leg + 2] = -q[4 * leg + 2];
            q[4 * leg + 3] = -q[4 * leg + 3];
        }
        assert_relative(q[3], p[3], 1e-15, "the first beam");
        assert_relative(evaluate_process_one(text, &o, q), evaluate_process_one(processes[k], &o, p), tolerance,
                        "%s as %s", processes[k], text);
    }
}

/* Identical outgoing partons are exchanged. */
static void identical_partons(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    for (int k = 0; k < PROCESSES; k++) {
        const parton_words list = parton_words_of(processes[k]);
        const bg_options o = default_options();
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
        random_cut_point(&r, list.n - 2, 1000., p);
        const double me2 = evaluate_process_one(processes[k], &o, p);
        for (int i = 2; i < list.n; i++)
            for (int j = 2; j < i; j++) {
                int order[MOST_GLUONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
                if (strcmp(list.word[i], list.word[j]) != 0) continue;
                order[i] = j;
                order[j] = i;
                permute_momenta(list.n, order, p, q);
                assert_relative(evaluate_process_one(processes[k], &o, q), me2, tolerance, "%s: legs %d and %d",
                                processes[k], j + 1, i + 1);
            }
    }
}

/* Parity: all helicities change, or all momenta are reflected. */
static void parity(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    for (int k = 0; k < PROCESSES; k++) {
        const int n = legs_of(processes[k]);
        const bg_options o = default_options();
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
        random_cut_point(&r, n - 2, 1000., p);
        for (int c = 0; c < 4 * n; c++) q[c] = c % 4 ? -p[c] : p[c];
        const double me2 = evaluate_process_one(processes[k], &o, p);
        assert_relative(evaluate_process_one(processes[k], &o, q), me2, tolerance, "%s, reflected", processes[k]);
        for (int trial = 0; trial < 6; trial++) {
            char signs[MOST_GLUONS + 1], opposite[MOST_GLUONS + 1] = "";
            random_signs(&r, n, signs);
            for (int leg = 0; leg < n; leg++) opposite[leg] = signs[leg] == '+' ? '-' : '+';
            const double value = evaluate_helicity(processes[k], signs, p);
            assert_bounded(evaluate_helicity(processes[k], opposite, p) - value, 4. * tolerance * me2, "%s: %s",
                           processes[k], signs);
            assert_bounded(evaluate_helicity(processes[k], opposite, q) - value, 4. * tolerance * me2,
                           "%s, reflected: %s", processes[k], signs);
        }
    }
}

/* What becomes of a quark: another flavor, or the antiquark. */
static void replace(parton_words *list, const char *from, const char *to, int conjugate)
{
    static const char names[] = "duscb";
    for (int k = 0; k < list->n; k++) {
        char *word = list->word[k], *bar = strchr(word, '~');
        const char *at = strchr(from, word[0]);
        if (!strchr(names, word[0])) continue; /* a gluon */
        const int anti = (bar != NULL) != (conjugate != 0);
        const char flavor = at ? to[at - from] : word[0];
        snprintf(word, sizeof list->word[0], "%c%s", flavor, anti ? "~" : "");
    }
}

/* Quarks exchanged with antiquarks, and flavors renamed: the same to the last digits, helicity by helicity. */
static void conjugation_and_flavors(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    for (int k = 0; k < PROCESSES; k++)
        for (int variant = 1; variant < 4; variant++) {
            parton_words list = parton_words_of(processes[k]);
            const bg_options o = default_options();
            double p[4 * MOST_GLUONS];
            char text[128], signs[MOST_GLUONS + 1];
            replace(&list, "uds", variant & 2 ? "bsc" : "uds", variant & 1);
            parton_words_write(&list, NULL, text, sizeof text);
            random_cut_point(&r, list.n - 2, 1000., p);
            random_signs(&r, list.n, signs);
            const double me2 = evaluate_process_one(processes[k], &o, p);
            assert_relative(evaluate_process_one(text, &o, p), me2, tolerance, "%s as %s", processes[k], text);
            assert_bounded(evaluate_helicity(text, signs, p) - evaluate_helicity(processes[k], signs, p),
                           4. * tolerance * me2, "%s as %s: %s", processes[k], text, signs);
        }
}

/* Quarks of one flavor whose chiralities differ are as good as of different flavors; the factor 1/2 of two outgoing ones is
 * made up for by the exchanged configuration. */
static void opposite_chiralities_are_flavors(void **state)
{
    (void)state;
    random_source r = fresh_source(7);
    double p[4 * MOST_GLUONS];
    for (int n_out = 2; n_out <= 4; n_out++) {
        static const char *const alike[] = {"u u > u u", "u u > u u g", "u u > u u g g"};
        static const char *const apart[] = {"u d > u d", "u d > u d g", "u d > u d g g"};
        random_cut_point(&r, n_out, 1000., p);
        for (int trial = 0; trial < 4; trial++) {
            char signs[MOST_GLUONS + 1];
            random_signs(&r, n_out + 2, signs);
            signs[2] = signs[0];
            signs[1] = signs[3] = signs[0] == '+' ? '-' : '+';
            const double expected = evaluate_helicity(apart[n_out - 2], signs, p);
            if (expected > 0.)
                assert_relative(2. * evaluate_helicity(alike[n_out - 2], signs, p), expected, tolerance, "%s: %s",
                                alike[n_out - 2], signs);
        }
    }
}

/* |M|^2 has dimension GeV^(4 - 2 n_out), and n_out powers of the coupling. A power of two changes no mantissa. */
static void dimension_and_coupling(void **state)
{
    (void)state;
    random_source r = fresh_source(8);
    for (int k = 0; k < PROCESSES; k++) {
        const int n = legs_of(processes[k]), n_out = n - 2;
        bg_options o = default_options();
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
        random_cut_point(&r, n_out, 1000., p);
        const double me2 = evaluate_process_one(processes[k], &o, p);
        for (int c = 0; c < 4 * n; c++) q[c] = 4. * p[c];
        assert_true(evaluate_process_one(processes[k], &o, q) == ldexp(me2, 2 * (4 - 2 * n_out)));
        o.alpha_s *= 2.;
        assert_relative(evaluate_process_one(processes[k], &o, p), ldexp(me2, n_out), 1e-14, "%s", processes[k]);
    }
}

/* Points of flat phase space without cuts, soft and collinear regions included: positive and finite. */
static void flat_points(void **state)
{
    (void)state;
    enum { POINTS = 300 };
    static double p[POINTS * 4 * MOST_GLUONS], me2[POINTS];
    random_source r = fresh_source(9);
    const int points = effort_of(POINTS, 30);
    for (int k = 0; k < PROCESSES; k++) {
        const int n = legs_of(processes[k]);
        const bg_options o = default_options();
        for (int e = 0; e < points; e++) random_point(&r, n - 2, 1000., p + 4 * n * e);
        evaluate_process(processes[k], &o, 0, (size_t)points, p, me2, NULL);
        for (int e = 0; e < points; e++) assert_true(isfinite(me2[e]) && me2[e] > 0.);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lorentz_invariance),
        cmocka_unit_test(order_of_partons),
        cmocka_unit_test(reflected_beams),
        cmocka_unit_test(identical_partons),
        cmocka_unit_test(parity),
        cmocka_unit_test(conjugation_and_flavors),
        cmocka_unit_test(opposite_chiralities_are_flavors),
        cmocka_unit_test(dimension_and_coupling),
        cmocka_unit_test(flat_points),
    };
    return cmocka_run_group_tests_name("quark symmetry", tests, NULL, NULL);
}
