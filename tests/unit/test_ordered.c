/* Color-ordered amplitudes: the formula of Parke and Taylor, gauge invariance, and the identities that relate
 * orderings. Deviations are measured against the natural size of the amplitudes, since a single one may vanish or
 * be small by accident.
 */
#include "support.h"

/* Rounding errors grow with the multiplicity and with the inverse of the smallest invariant. Inside the cuts the
 * largest deviation over 300 seeds was 3e-12; a hundred times that leaves room for rarer points. */
static const double tight = 3e-10;

static void random_order(random_source *r, int n, int *order)
{
    for (int k = 0; k < n; k++) order[k] = k;
    shuffle(r, order, n);
}

static gluons random_gluons(random_source *r, int n_out)
{
    double momenta[4 * MOST_GLUONS];
    random_cut_point(r, n_out, 14000., momenta);
    return gluons_of(n_out, momenta);
}

/* ---- helicity amplitudes ---------------------------------------------------------------------------- */

/* |A|^2 = 2^(n-2) s_ij^4 / (s_12 s_23 .. s_n1) for two negative helicities i, j: the factor is what the recursion
 * leaves out, 1/sqrt(2) a cubic vertex. */
static double parke_taylor(const gluons *g, const int *order, int i, int j)
{
    double value = 1.;
    const double sij = 2. * minkowski(g->p[i], g->p[j]);
    for (int k = 0; k < g->n; k++) value /= fabs(2. * minkowski(g->p[order[k]], g->p[order[(k + 1) % g->n]]));
    for (int k = 0; k < g->n - 2; k++) value *= 2.;
    return value * sij * sij * sij * sij;
}

/* The natural size of an ordered amplitude: the largest one with two negative helicities. */
static double natural_scale(const gluons *g, const int *order)
{
    double largest = 0.;
    for (int a = 0; a < g->n; a++)
        for (int b = 0; b < a; b++) largest = fmax(largest, parke_taylor(g, order, a, b));
    return sqrt(largest);
}

static void maximally_helicity_violating(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int n = 4; n <= 10; n++)
        for (int trial = 0; trial < 20; trial++) {
            gluons g = random_gluons(&r, n - 2);
            int order[MOST_GLUONS], pair[MOST_GLUONS];
            random_order(&r, n, order);
            random_order(&r, n, pair);
            const int i = pair[0], j = pair[1];
            const double expected = parke_taylor(&g, order, i, j);
            const double scale = natural_scale(&g, order);
            for (int anti = 0; anti < 2; anti++) {
                const unsigned minus = 1u << i | 1u << j, all = (1u << n) - 1u;
                set_helicities(&g, anti ? minus : all & ~minus);
                for (bg_vertex v = BG_VERTEX_QUARTIC; v <= BG_VERTEX_TENSOR; v++) {
                    const double value = cabs(ordered_amplitude(&g, order, v));
                    assert_bounded(value - sqrt(expected), tight * scale, "n = %d, vertex %d", n, (int)v);
                }
            }
        }
}

static void all_plus_and_one_minus_vanish(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int n = 4; n <= 9; n++)
        for (int trial = 0; trial < 10; trial++) {
            gluons g = random_gluons(&r, n - 2);
            int order[MOST_GLUONS];
            random_order(&r, n, order);
            const double scale = natural_scale(&g, order);
            const unsigned all = (1u << n) - 1u;
            for (int odd = -1; odd < n; odd++)
                for (int anti = 0; anti < 2; anti++) {
                    const unsigned minus = odd < 0 ? 0u : 1u << odd;
                    set_helicities(&g, anti ? minus : all & ~minus);
                    for (bg_vertex v = BG_VERTEX_QUARTIC; v <= BG_VERTEX_TENSOR; v++)
                        assert_bounded(cabs(ordered_amplitude(&g, order, v)), tight * scale,
                                       "n = %d, gluon %d different", n, odd);
                }
        }
}

/* Parity: flipping all helicities conjugates the amplitude. */
static void parity(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int n = 4; n <= 10; n++) {
        gluons g = random_gluons(&r, n - 2);
        int order[MOST_GLUONS];
        random_order(&r, n, order);
        const unsigned h = (unsigned)random_below(&r, 1 << n);
        set_helicities(&g, h);
        const double complex one = ordered_amplitude(&g, order, BG_VERTEX_QUARTIC);
        set_helicities(&g, ~h);
        const double complex other = ordered_amplitude(&g, order, BG_VERTEX_QUARTIC);
        assert_true(one == conj(other));
    }
}

/* Summed over states, real and circular polarizations give the same. */
static void real_and_circular_sums(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    for (int n = 4; n <= 8; n++) {
        gluons g = random_gluons(&r, n - 2);
        int order[MOST_GLUONS];
        double linear = 0., circular = 0.;
        random_order(&r, n, order);
        for (unsigned h = 0; h < 1u << n; h++) {
            set_linear(&g, h);
            linear += absolute_square(ordered_amplitude(&g, order, BG_VERTEX_TENSOR));
            set_helicities(&g, h);
            circular += absolute_square(ordered_amplitude(&g, order, BG_VERTEX_TENSOR));
        }
        assert_relative(linear, circular, 1e-11, "n = %d", n);
    }
}

/* ---- gauge invariance --------------------------------------------------------------------------------- */

static void gauge_invariance(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    for (int n = 4; n <= 10; n++)
        for (int k = 0; k < n; k++) {
            gluons g = random_gluons(&r, n - 2);
            int order[MOST_GLUONS];
            random_order(&r, n, order);
            if (k % 2)
                set_angles(&g, &r);
            else
                set_helicities(&g, (unsigned)random_below(&r, 1 << n));
            for (int c = 0; c < 4; c++) g.e[k][c] = g.p[k][c];
            for (bg_vertex v = BG_VERTEX_QUARTIC; v <= BG_VERTEX_TENSOR; v++)
                assert_bounded(cabs(ordered_amplitude(&g, order, v)),
                               tight * natural_scale(&g, order) * fabs(g.p[k][0]), "n = %d, gluon %d, vertex %d", n, k,
                               (int)v);
        }
}

/* ---- identities among orderings ------------------------------------------------------------------------ */

/* A(1,2,..,n) = A(2,..,n,1) and A(1,2,..,n) = (-1)^n A(n,..,2,1) */
static void cyclic_and_reflection(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    for (int n = 4; n <= 10; n++)
        for (int trial = 0; trial < 10; trial++) {
            gluons g = random_gluons(&r, n - 2);
            int order[MOST_GLUONS], other[MOST_GLUONS];
            random_order(&r, n, order);
            set_angles(&g, &r);
            for (bg_vertex v = BG_VERTEX_QUARTIC; v <= BG_VERTEX_TENSOR; v++) {
                const double a = creal(ordered_amplitude(&g, order, v)), scale = natural_scale(&g, order);
                for (int shift = 1; shift < n; shift++) {
                    for (int k = 0; k < n; k++) other[k] = order[(k + shift) % n];
                    assert_bounded(creal(ordered_amplitude(&g, other, v)) - a, tight * scale, "cyclic by %d, n = %d",
                                   shift, n);
                }
                for (int k = 0; k < n; k++) other[k] = order[n - 1 - k];
                const double reflected = creal(ordered_amplitude(&g, other, v));
                assert_bounded(n % 2 ? reflected + a : reflected - a, tight * scale, "reflection, n = %d", n);
            }
        }
}

/* A gluon inserted at every place of the others sums to zero: it could be a photon. */
static void photon_decoupling(void **state)
{
    (void)state;
    random_source r = fresh_source(7);
    for (int n = 4; n <= 10; n++)
        for (int trial = 0; trial < 10; trial++) {
            gluons g = random_gluons(&r, n - 2);
            int order[MOST_GLUONS];
            random_order(&r, n, order);
            if (trial % 2)
                set_angles(&g, &r);
            else
                set_helicities(&g, (unsigned)random_below(&r, 1 << n));
            double complex sum = 0.;
            double scale = 0.;
            for (int place = 1; place < n; place++) {
                int inserted[MOST_GLUONS];
                for (int k = 0; k < n - 1; k++) inserted[k < place ? k : k + 1] = order[k + 1];
                inserted[place] = order[0];
                const double complex a =
                    ordered_amplitude(&g, inserted, trial % 3 ? BG_VERTEX_TENSOR : BG_VERTEX_QUARTIC);
                sum += a;
                scale += natural_scale(&g, inserted);
            }
            assert_bounded(cabs(sum), tight * scale, "n = %d", n);
        }
}

/* A(1, {alpha}, n, {beta}) = (-1)^|beta| sum over shuffles of alpha with the reversed beta of A(1, shuffle, n) */
static void kleiss_kuijf(void **state)
{
    (void)state;
    random_source r = fresh_source(8);
    for (int n = 4; n <= 9; n++)
        for (int beta = 0; beta <= n - 2; beta++) {
            gluons g = random_gluons(&r, n - 2);
            const int alpha = n - 2 - beta;
            int label[MOST_GLUONS], order[MOST_GLUONS];
            random_order(&r, n, label); /* label[0]: first, 1..alpha, then the last, then beta */
            set_angles(&g, &r);
            const double left = creal(ordered_amplitude(&g, label, BG_VERTEX_QUARTIC));
            double sum = 0., scale = natural_scale(&g, label);
            for (unsigned places = 0; places < 1u << (n - 2); places++) {
                if (__builtin_popcount(places) != beta) continue;
                int from_alpha = 1, from_beta = n - 1;
                order[0] = label[0];
                for (int k = 0; k < n - 2; k++)
                    order[k + 1] = places >> k & 1u ? label[from_beta--] : label[from_alpha++];
                order[n - 1] = label[alpha + 1];
                const double a = creal(ordered_amplitude(&g, order, BG_VERTEX_QUARTIC));
                sum += a;
                scale += natural_scale(&g, order);
            }
            assert_bounded(left - (beta % 2 ? -sum : sum), tight * scale, "n = %d, |beta| = %d", n, beta);
        }
}

/* ---- the two forms of the recursion --------------------------------------------------------------------- */

static void quartic_and_tensor(void **state)
{
    (void)state;
    random_source r = fresh_source(9);
    for (int n = 4; n <= 10; n++)
        for (int trial = 0; trial < 50; trial++) {
            gluons g = random_gluons(&r, n - 2);
            int order[MOST_GLUONS];
            random_order(&r, n, order);
            if (trial % 2)
                set_angles(&g, &r);
            else
                set_helicities(&g, (unsigned)random_below(&r, 1 << n));
            const double complex a = ordered_amplitude(&g, order, BG_VERTEX_QUARTIC);
            const double complex b = ordered_amplitude(&g, order, BG_VERTEX_TENSOR);
            assert_bounded(cabs(a - b), tight * natural_scale(&g, order), "n = %d", n);
        }
}

/* Currents with a zero imaginary part give the real amplitude. */
static void one_part_and_two(void **state)
{
    (void)state;
    random_source r = fresh_source(10);
    for (int n = 4; n <= 10; n++) {
        gluons g = random_gluons(&r, n - 2), turned;
        int order[MOST_GLUONS];
        random_order(&r, n, order);
        set_angles(&g, &r);
        turned = g;
        for (int c = 0; c < 4; c++) turned.e[n / 2][c] *= I;
        for (bg_vertex v = BG_VERTEX_QUARTIC; v <= BG_VERTEX_TENSOR; v++) {
            const double complex a = ordered_amplitude(&g, order, v), b = ordered_amplitude(&turned, order, v);
            assert_relative(cimag(b), creal(a), 1e-12, "n = %d", n);
            assert_true(creal(b) == 0.);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maximally_helicity_violating),
        cmocka_unit_test(all_plus_and_one_minus_vanish),
        cmocka_unit_test(parity),
        cmocka_unit_test(real_and_circular_sums),
        cmocka_unit_test(gauge_invariance),
        cmocka_unit_test(cyclic_and_reflection),
        cmocka_unit_test(photon_decoupling),
        cmocka_unit_test(kleiss_kuijf),
        cmocka_unit_test(quartic_and_tensor),
        cmocka_unit_test(one_part_and_two),
    };
    return cmocka_run_group_tests_name("ordered", tests, NULL, NULL);
}
