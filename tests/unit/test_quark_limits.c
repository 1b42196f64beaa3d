/* Soft and collinear limits with quarks, with the rate at which they are reached.
 *
 * Points of the larger process come from those of the smaller by exact massless maps, so nothing but the limit itself separates
 * the two sides. Mean deviations over a few points fall with the expected power of the distance from the limit: a wrong
 * constant would level off, a wrong power would change the rate.
 */
#include "partons.h"

static const double CA = 3., CF = 4. / 3., TR = 0.5;

/* Splitting functions, averaged over the polarization of the parton that splits: z is the fraction of the first one. */
static double to_quark_gluon(double z) { return CF * (1. + z * z) / (1. - z); }
static double to_gluon_quark(double z) { return to_quark_gluon(1. - z); }
static double to_pair(double z) { return TR * (z * z + (1. - z) * (1. - z)); }
static double to_gluons(double z) { return 2. * CA * (z / (1. - z) + (1. - z) / z + z * (1. - z)); }

static double coupling(void)
{
    const bg_options o = default_options();
    return 4. * PI * o.alpha_s;
}

/* |M|^2 as if all outgoing partons were different. */
static double unsymmetrized(const char *text, const double *momenta)
{
    const bg_options o = default_options();
    return identical_factor(text) * evaluate_process_one(text, &o, momenta);
}

/* Deviations at distances of 10^-first, 10^-(first + 1), .. fall by about ten each. */
static void assert_falling(const char *what, int first, int steps, const double *mean, double most, double slack)
{
    for (int step = 0; step < steps; step++)
        assert_bounded(mean[step], most * pow(10., -first - step), "%s, 1e-%d", what, first + step);
    for (int step = 0; step < steps - 1; step++) {
        const double rate = mean[step] / mean[step + 1];
        if (!(rate > 10. / slack && rate < 10. * slack))
            fail_msg("%s: deviations fall by %g a decade instead of 10", what, rate);
    }
}

/* ---- two outgoing partons --------------------------------------------------------------------------------------------- */

/* Leg 2 of the smaller process splits into leg 2 and the last leg of the larger one. */
typedef struct splitting {
    const char *smaller, *larger;
    double (*function)(double z);
} splitting;

enum { STEPS = 3, POINTS = 3, ANGLES = 8, FIRST = 4 };

/* The mean of `ANGLES` points around the direction of the parton that splits: corrections are then of order y. */
static double around(const splitting *s, const double *p, double y, double z, double turn)
{
    const int n = legs_of(s->smaller);
    double q[ANGLES * 4 * MOST_GLUONS], me2[ANGLES], sum = 0.;
    const bg_options o = default_options();
    for (int a = 0; a < ANGLES; a++) {
        double *to = q + a * 4 * (n + 1);
        memcpy(to, p, (size_t)(4 * n) * sizeof *to);
        split_gluon(p + 8, p + 12, y, z, turn + 2. * PI * a / ANGLES, to + 8, to + 4 * n, to + 12);
    }
    evaluate_process(s->larger, &o, 0, ANGLES, q, me2, NULL);
    for (int a = 0; a < ANGLES; a++) sum += me2[a] / ANGLES;
    return identical_factor(s->larger) * sum;
}

/* |M_{n+1}|^2 = 2 g^2 / s_ij P(z) |M_n|^2. */
static void collinear_partons(void **state)
{
    (void)state;
    static const splitting list[] = {
        {"u u~ > d d~", "u u~ > d d~ g", to_quark_gluon},
        {"u u~ > d~ d", "u u~ > g d d~", to_gluon_quark},
        {"u g > u g", "u g > u g g", to_quark_gluon},
        {"u g > g u", "u g > g u g", to_gluons},
        {"u u > u u", "u u > u u g", to_quark_gluon},
        {"u u~ > g g", "u u~ > d g d~", to_pair},
        {"u g > g u", "u g > u u u~", to_pair},
        {"g g > g g", "g g > u g u~", to_pair},
        {"u d > g u d", "u d > s u d s~", to_pair},
        {"u u > g u u", "u u > u u u u~", to_pair},
        {"g g > u u~", "g g > u u~ g", to_quark_gluon},
        {"g u~ > g u~ g", "g u~ > d u~ g d~", to_pair},
        {"u u~ > d d~ g", "u u~ > g d~ g d", to_gluon_quark},
        {"u u~ > g g g", "u u~ > g g g g", to_gluons},
    };
    random_source r = fresh_source(1);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const splitting *s = &list[k];
        double mean[STEPS] = {0.}, p[4 * MOST_GLUONS];
        for (int point = 0; point < POINTS; point++) {
            const double z = uniform(&r, 0.2, 0.8), turn = uniform(&r, 0., 2. * PI);
            hard_point(&r, legs_of(s->smaller) - 2, p);
            const double smaller = unsymmetrized(s->smaller, p);
            for (int step = 0; step < STEPS; step++) {
                const double y = pow(10., -FIRST - step), sij = 2. * minkowski(p + 8, p + 12) * y;
                const double limit = 2. * coupling() / sij * s->function(z) * smaller;
                mean[step] += fabs(around(s, p, y, z, turn) / limit - 1.) / POINTS;
            }
        }
        assert_falling(s->larger, FIRST, STEPS, mean, 2000., 1.25);
    }
}

/* Partons that no vertex joins have no pole: |M|^2 stays as the pair gets close. */
static void no_pole_between_strangers(void **state)
{
    (void)state;
    static const char *const texts[] = {"u g > u g d~ d", "g g > u u~ d~ d", "u u~ > s d s~ d~", "u d > u g d"};
    random_source r = fresh_source(2);
    for (int k = 0; k < 4; k++) { /* leg 2 and the last one */
        const int n_out = legs_of(texts[k]) - 2;
        const double s = uniform(&r, 0.3, 0.7);
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS], value[2];
        hard_point(&r, n_out - 1, p);
        for (int step = 0; step < 2; step++) {
            memcpy(q, p, sizeof q);
            split_gluon(p + 8, p + 12, step ? 1e-9 : 1e-7, s, 1., q + 8, q + 4 * (n_out + 1), q + 12);
            value[step] = unsymmetrized(texts[k], q);
        }
        assert_relative(value[1], value[0], 0.05, "%s", texts[k]);
    }
}

/* ---- a parton and a beam ---------------------------------------------------------------------------------------------- */

/* A beam of the larger process emits its last leg; what is left, with a share x of its energy, enters the smaller one. The
 * recoil is taken by all outgoing partons (the map of Catani and Seymour for two incoming partons): with K the sum of these,
 *
 *     p_i = (1 - x - v) p_a + v p_b + kT ,     k -> k - 2 (K + K').k (K + K') / (K + K')^2 + 2 K'.k K / K'^2 .
 */
static void emit_from_beam(int n, int beam, const double *p, double x, double v, double phi, double *q)
{
    const double *b = p + 4 * (1 - beam);
    double a[4], K[4], sum[4], *i = q + 4 * n;
    memcpy(q, p, (size_t)(4 * n) * sizeof *q);
    for (int c = 0; c < 4; c++) a[c] = q[4 * beam + c] = p[4 * beam + c] / x;
    const double s = 2. * minkowski(a, b), kt = sqrt((1. - x - v) * v * s);
    for (int c = 0; c < 4; c++) {
        i[c] = (1. - x - v) * a[c] + v * b[c] + (c == 1 ? kt * cos(phi) : c == 2 ? kt * sin(phi) : 0.);
        K[c] = a[c] + b[c] - i[c];
        sum[c] = K[c] + p[c] + p[4 + c];
    }
    const double square = minkowski(sum, sum), mass = x * s;
    for (int leg = 2; leg < n; leg++) {
        const double *k = p + 4 * leg;
        double *to = q + 4 * leg, born[4];
        for (int c = 0; c < 4; c++) born[c] = p[c] + p[4 + c];
        const double along = 2. * minkowski(sum, k) / square, before = 2. * minkowski(born, k) / mass;
        for (int c = 0; c < 4; c++) to[c] = k[c] - along * sum[c] + before * K[c];
        to[0] = sqrt(to[1] * to[1] + to[2] * to[2] + to[3] * to[3]);
    }
    i[0] = sqrt(i[1] * i[1] + i[2] * i[2] + i[3] * i[3]);
}

/* |M_{n+1}|^2 = 2 g^2 / (x s_ai) P(x) |M_n|^2, P the function of what enters. */
static void collinear_to_beam(void **state)
{
    (void)state;
    static const struct {
        int beam;
        splitting of;
    } list[] = {
        {0, {"u d > u d", "u d > u d g", to_quark_gluon}},   {1, {"d~ u > d~ u", "d~ u > d~ u g", to_quark_gluon}},
        {0, {"g d > g d", "u d > g d u", to_gluon_quark}},   {1, {"u g > u g", "u d~ > u g d~", to_gluon_quark}},
        {0, {"u~ d > u~ d", "g d > u~ d u", to_pair}},       {1, {"u u > u u", "u g > u u u~", to_pair}},
        {0, {"g u > g u", "g u > g u g", to_gluons}},        {1, {"u g > u g g", "u g > u g g g", to_gluons}},
        {0, {"u u~ > g g", "u u~ > g g g", to_quark_gluon}}, {0, {"u u~ > d d~", "g u~ > d d~ u~", to_pair}},
        {1, {"g g > u u~", "g s > u u~ s", to_gluon_quark}}, {0, {"u d > u d g", "g d > u d g u~", to_pair}},
    };
    random_source r = fresh_source(3);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const splitting *s = &list[k].of;
        const int n = legs_of(s->smaller);
        double mean[STEPS] = {0.};
        for (int point = 0; point < POINTS; point++) {
            double p[4 * MOST_GLUONS], q[ANGLES * 4 * MOST_GLUONS], me2[ANGLES];
            const double x = uniform(&r, 0.2, 0.8), turn = uniform(&r, 0., 2. * PI);
            const bg_options o = default_options();
            hard_point(&r, n - 2, p);
            const double smaller = unsymmetrized(s->smaller, p);
            for (int step = 0; step < STEPS; step++) {
                const double v = pow(10., -FIRST - step), sai = 2. * minkowski(p, p + 4) / x * v;
                const double limit = 2. * coupling() / (x * sai) * s->function(x) * smaller;
                double average = 0.;
                for (int a = 0; a < ANGLES; a++)
                    emit_from_beam(n, list[k].beam, p, x, v, turn + 2. * PI * a / ANGLES, q + a * 4 * (n + 1));
                evaluate_process(s->larger, &o, 0, ANGLES, q, me2, NULL);
                for (int a = 0; a < ANGLES; a++) average += identical_factor(s->larger) * me2[a] / ANGLES;
                mean[step] += fabs(average / limit - 1.) / POINTS;
            }
        }
        assert_falling(s->larger, FIRST, STEPS, mean, 2000., 1.25);
    }
}

/* ---- soft partons ------------------------------------------------------------------------------------------------------ */

/* Two lines that exchange one gluon: the products of color charges T_i.T_j over |M|^2 are numbers. The ends of a line make an
 * octet, so theirs is C_A / 2 - C_F = 1/6; two quarks of different lines (all legs taken as outgoing) have (d^2 - f^2) / 32
 * = -1/3, a quark and an antiquark -(d^2 + f^2) / 32 = -7/6; each row adds up to -C_F. */
static double color_product(const parton_words *w, int i, int j)
{
    const int same_line = w->word[i][0] == w->word[j][0];
    const int anti_i = (strchr(w->word[i], '~') != NULL) != (i < 2),
              anti_j = (strchr(w->word[j], '~') != NULL) != (j < 2);
    return same_line ? 1. / 6. : anti_i == anti_j ? -1. / 3. : -7. / 6.;
}

/* |M_5|^2 = -g^2 sum_ij T_i.T_j pi.pj / (pi.k pj.k) |M_4|^2. Next to leading terms are of relative order lambda. */
static void soft_gluon(void **state)
{
    (void)state;
    enum { SOFT_STEPS = 4, SOFT_POINTS = 5 };
    static const char *const texts[][2] = {{"u d > u d", "u d > u d g"},
                                           {"u d~ > d~ u", "u d~ > d~ u g"},
                                           {"u u~ > d d~", "u u~ > d d~ g"},
                                           {"u~ d~ > u~ d~", "u~ d~ > u~ d~ g"}};
    random_source r = fresh_source(4);
    for (int k = 0; k < 4; k++) {
        const parton_words words = parton_words_of(texts[k][0]);
        double mean[SOFT_STEPS] = {0.}, row = CF;
        for (int j = 1; j < 4; j++) row += color_product(&words, 0, j);
        assert_bounded(row, 1e-15, "color of %s", texts[k][0]);
        for (int point = 0; point < SOFT_POINTS; point++) {
            double p[16], q[20];
            hard_point(&r, 2, p);
            const double smaller = unsymmetrized(texts[k][0], p);
            const double z = uniform(&r, 0.5, 1.), y = uniform(&r, 0.5, 1.), phi = uniform(&r, 0., 2. * PI);
            for (int step = 0; step < SOFT_STEPS; step++) {
                const double lambda = pow(10., -2. - step);
                double eikonal = 0.;
                memcpy(q, p, sizeof p);
                split_gluon(p + 8, p + 12, lambda * y, lambda * z, phi, q + 16, q + 8, q + 12);
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < i; j++) {
                        const double *a = q + 4 * i, *b = q + 4 * j, *soft = q + 16;
                        eikonal -= 2. * color_product(&words, i, j) * minkowski(a, b) / minkowski(a, soft) /
                                   minkowski(soft, b);
                    }
                const double limit = coupling() * eikonal * smaller;
                mean[step] += fabs(unsymmetrized(texts[k][1], q) / limit - 1.) / SOFT_POINTS;
            }
        }
        assert_falling(texts[k][1], 2, SOFT_STEPS, mean, 50., 2.5);
    }
}

/* A soft quark makes |M|^2 as large as 1 / energy, where a soft gluon has its square. */
static void soft_quark(void **state)
{
    (void)state;
    static const char *const texts[] = {"g g > u~ g u", "u g > u d d~", "u u~ > g d~ d", "g g > u~ d d~ u"};
    random_source r = fresh_source(5);
    for (int k = 0; k < 4; k++) { /* the last leg is soft */
        const int n_out = legs_of(texts[k]) - 2;
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS], value[2];
        hard_point(&r, n_out - 1, p);
        for (int step = 0; step < 2; step++) {
            const double lambda = step ? 1e-5 : 1e-4;
            memcpy(q, p, sizeof q);
            split_gluon(p + 8, p + 12, lambda, lambda, 1., q + 4 * (n_out + 1), q + 8, q + 12);
            value[step] = unsymmetrized(texts[k], q);
        }
        assert_relative(value[1] / value[0], 10., 0.1, "%s", texts[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collinear_partons), cmocka_unit_test(no_pole_between_strangers),
        cmocka_unit_test(collinear_to_beam), cmocka_unit_test(soft_gluon),
        cmocka_unit_test(soft_quark),
    };
    return cmocka_run_group_tests_name("quark limits", tests, NULL, NULL);
}
