/* Soft and collinear limits, with the rate at which they are reached.
 *
 * Points of the larger process come from those of the smaller by an exact massless map (support.h), so nothing but
 * the limit itself separates the two sides. Mean deviations over a few points fall with the expected power of
 * the distance from the limit: a wrong constant would level off, a wrong power would change the rate.
 */
#include "support.h"

/* Sum over all helicities of |A(order)|^2. */
static double ordered_square(const gluons *g, const int *order)
{
    double sum = 0.;
    gluons states = *g;
    for (unsigned h = 0; h < 1u << g->n; h++) {
        set_linear(&states, h);
        sum += absolute_square(ordered_amplitude(&states, order, BG_VERTEX_TENSOR));
    }
    return sum;
}

/* A(.. a s b ..) with s soft: sum_hel |A|^2 = 4 s_ab / (s_as s_sb) sum_hel |A without s|^2, in the normalization
 * of the recursion (2 a cubic vertex). Next to leading terms are of relative order lambda. */
static void soft_gluon(void **state)
{
    (void)state;
    enum { STEPS = 4, POINTS = 5 };
    random_source r = fresh_source(1);
    for (int n = 4; n <= 6; n++) {
        double mean[STEPS] = {0.};
        for (int point = 0; point < POINTS; point++) {
            double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS];
            int order[MOST_GLUONS], larger[MOST_GLUONS];
            hard_point(&r, n - 2, p);
            for (int k = 0; k < n; k++) order[k] = k;
            shuffle(&r, order, n);
            const gluons g = gluons_of(n - 2, p);
            const double smaller = ordered_square(&g, order);
            const double z = uniform(&r, 0.5, 1.), y = uniform(&r, 0.5, 1.), phi = uniform(&r, 0., 2. * PI);
            for (int step = 0; step < STEPS; step++) {
                const double lambda = pow(10., -2. - step);
                memcpy(q, p, sizeof q);
                /* outgoing gluon 2 radiates, 3 recoils; the soft one comes last among the outgoing */
                split_gluon(p + 8, p + 12, lambda * y, lambda * z, phi, q + 4 * n, q + 8, q + 12);
                const gluons h = gluons_of(n - 1, q);
                /* internally: soft gluon n - 1, second incoming n; it goes between the first two of the order */
                for (int k = 0; k < n; k++) larger[k ? k + 1 : 0] = order[k] == n - 1 ? n : order[k];
                larger[1] = n - 1;
                const double *a = h.p[larger[0]], *s = h.p[n - 1], *b = h.p[larger[2]];
                const double eikonal = fabs(2. * minkowski(a, b) / minkowski(a, s) / minkowski(s, b));
                mean[step] += fabs(ordered_square(&h, larger) / (eikonal * smaller) - 1.) / POINTS;
            }
        }
        for (int step = 0; step < STEPS; step++)
            assert_bounded(mean[step], 50. * pow(10., -2. - step), "soft limit, n = %d, lambda = 1e-%d", n, step + 2);
        for (int step = 1; step < STEPS - 1; step++) {
            const double rate = mean[step] / mean[step + 1];
            if (!(rate > 5. && rate < 20.)) fail_msg("n = %d: deviations fall by %g a decade instead of 10", n, rate);
        }
    }
}

/* Two outgoing gluons i, j with z : 1-z and small angle, averaged over the azimuth:
 * |M_{n+1}|^2 = 2 g^2 / s_ij P(z) |M_n|^2 / (n_out + 1), P(z) = 2 N_c (z/(1-z) + (1-z)/z + z(1-z)), for full color.
 * The average leaves corrections of relative order y only. */
static void collinear_gluons(void **state)
{
    (void)state;
    enum { STEPS = 3, POINTS = 4, ANGLES = 8 };
    random_source r = fresh_source(2);
    for (int n_out = 2; n_out <= 4; n_out++) {
        const int points = n_out < 4 ? POINTS : 1, n = n_out + 2;
        double mean[STEPS] = {0.};
        for (int point = 0; point < points; point++) {
            double p[4 * MOST_GLUONS], q[ANGLES * 4 * MOST_GLUONS], me2[ANGLES];
            const bg_options o = default_options();
            const double z = uniform(&r, 0.2, 0.8), g2 = 4. * PI * o.alpha_s;
            hard_point(&r, n_out, p);
            const double smaller = evaluate_one(n_out, &o, p);
            const double splitting = 6. * (z / (1. - z) + (1. - z) / z + z * (1. - z));
            const double turn = uniform(&r, 0., 2. * PI);
            for (int step = 0; step < STEPS; step++) {
                const double y = pow(10., -4. - step);
                for (int a = 0; a < ANGLES; a++) {
                    double *to = q + a * 4 * (n + 1);
                    memcpy(to, p, (size_t)(4 * n) * sizeof *to);
                    split_gluon(p + 8, p + 12, y, z, turn + 2. * PI * a / ANGLES, to + 8, to + 4 * n, to + 12);
                }
                evaluate(n_out + 1, &o, 0, ANGLES, q, me2, NULL);
                double average = 0.;
                for (int a = 0; a < ANGLES; a++) average += me2[a] / ANGLES;
                const double sij = 2. * minkowski(p + 8, p + 12) * y;
                const double limit = 2. * g2 / sij * splitting * smaller / (n_out + 1);
                mean[step] += fabs(average / limit - 1.) / points;
            }
        }
        for (int step = 0; step < STEPS; step++)
            assert_bounded(mean[step], 500. * pow(10., -4. - step), "collinear limit, n_out = %d, y = 1e-%d", n_out,
                           step + 4);
        for (int step = 0; step < STEPS - 1; step++) {
            const double rate = mean[step] / mean[step + 1];
            if (!(rate > 8. && rate < 12.5))
                fail_msg("n_out = %d: deviations fall by %g a decade instead of 10", n_out, rate);
        }
    }
}

/* Gluons that are not neighbors have no collinear pole: s_ij |A|^2 goes to zero like y. */
static void no_pole_between_strangers(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int n = 5; n <= 6; n++) {
        double p[4 * MOST_GLUONS], q[4 * MOST_GLUONS], value[2][2];
        hard_point(&r, n - 3, p);
        for (int step = 0; step < 2; step++) {
            const double y = step ? 1e-7 : 1e-4;
            memcpy(q, p, sizeof q);
            split_gluon(p + 8, p + 12, y, 0.4, 1., q + 8, q + 4 * (n - 1), q + 12);
            const gluons g = gluons_of(n - 2, q);
            /* i is gluon 1, j gluon n - 2: side by side, then with the spectator between them */
            int order[MOST_GLUONS] = {0, 1, n - 2, 2, n - 1, 3}, apart[MOST_GLUONS] = {0, 1, 2, n - 2, n - 1, 3};
            value[step][0] = ordered_square(&g, order);
            value[step][1] = ordered_square(&g, apart);
        }
        assert_relative(value[1][0] / value[0][0], 1e3, 0.2, "pole of neighbors, n = %d", n);
        assert_relative(value[1][1] / value[0][1], 1., 0.2, "no pole of others, n = %d", n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_gluon),
        cmocka_unit_test(collinear_gluons),
        cmocka_unit_test(no_pole_between_strangers),
    };
    return cmocka_run_group_tests_name("factorization", tests, NULL, NULL);
}
