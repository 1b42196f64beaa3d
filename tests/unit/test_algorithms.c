/* Algorithms against each other, wherever they must agree point by point or draw by draw.
 *
 * Sampled algorithms with the same seed draw the same helicities, colors and orderings, so they agree draw by draw
 * and not only on average. Deviations are measured against the natural size of |M|^2 at the same point, because
 * a single draw may vanish.
 */
#include "support.h"

#include "color/permutation.h"
#include "color/sampling.h"

/* As in test_ordered.c; amplitudes are compared, not their squares, because rounding errors are those of the
 * larger amplitudes of the same point. */
static const double tolerance = 3e-10;

/* A rough |M|^2 of each point, whatever its helicities and colors: leading color, sampled. */
static void natural_scale(int n_out, size_t count, const double *momenta, double *scale)
{
    bg_options o = default_options();
    o.color = BG_COLOR_LEADING;
    o.orderings = BG_ORDERINGS_ONE;
    o.helicity = BG_HELICITY_SAMPLED;
    o.samples = 100;
    evaluate(n_out, &o, 0, count, momenta, scale, NULL);
}

static void compare(int n_out, const bg_options *a, const bg_options *b, size_t count, const double *momenta,
                    const char *what)
{
    double first[64], second[64], scale[64];
    int nonzero = 0;
    assert_true(count <= 64);
    natural_scale(n_out, count, momenta, scale);
    evaluate(n_out, a, 17, count, momenta, first, NULL);
    evaluate(n_out, b, 17, count, momenta, second, NULL);
    for (size_t k = 0; k < count; k++) {
        assert_bounded(sqrt(first[k]) - sqrt(second[k]), tolerance * sqrt(fmax(first[k], scale[k])),
                       "%s, n_out = %d, point %zu: %.17g and %.17g", what, n_out, k, first[k], second[k]);
        nonzero += first[k] > 1e-3 * scale[k];
    }
    assert_true(nonzero > 0);
}

/* ---- exact sums ------------------------------------------------------------------------------------- */

static void leading_is_full_up_to_three(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int n_out = 2; n_out <= 3; n_out++) {
        double *p = random_cut_points(&r, n_out, 14000., 40);
        bg_options a = default_options(), b = a;
        b.color = BG_COLOR_LEADING;
        compare(n_out, &a, &b, 40, p, "summed helicities");
        /* it holds for any polarizations, not only for their sum */
        a.helicity = b.helicity = BG_HELICITY_SAMPLED;
        for (int s = BG_SAMPLE_ANGLE; s <= BG_SAMPLE_LINEAR; s++) {
            a.helicity_sampling = b.helicity_sampling = (bg_helicity_sampling)s;
            compare(n_out, &a, &b, 40, p, "sampled helicities");
        }
        a.helicity = b.helicity = BG_HELICITY_FIXED;
        strcpy(a.helicities, n_out == 2 ? "+-+-" : "+-+-+");
        strcpy(b.helicities, a.helicities);
        compare(n_out, &a, &b, 40, p, "fixed helicities");
        free(p);
    }
    /* and no further */
    double *p = random_cut_points(&r, 4, 14000., 1);
    bg_options a = default_options(), b = a;
    b.color = BG_COLOR_LEADING;
    const double ratio = evaluate_one(4, &b, p) / evaluate_one(4, &a, p);
    assert_true(fabs(ratio - 1.) > 1e-6 && fabs(ratio - 1.) < 0.2);
    free(p);
}

static void adjoint_and_trace(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int n_out = 2; n_out <= 4; n_out++) {
        double *p = random_cut_points(&r, n_out, 14000., 10);
        bg_options a = default_options(), b = a;
        b.decomposition = BG_DECOMPOSITION_TRACE;
        compare(n_out, &a, &b, 10, p, "summed helicities");
        a.helicity = b.helicity = BG_HELICITY_SAMPLED;
        compare(n_out, &a, &b, 10, p, "sampled helicities");
        a.helicity = b.helicity = BG_HELICITY_FIXED;
        for (int k = 0; k < n_out + 2; k++) a.helicities[k] = b.helicities[k] = k == 2 && n_out > 3 ? '-' : '+';
        compare(n_out, &a, &b, 10, p, "fixed helicities");
        free(p);
    }
}

/* The 2^n fixed configurations add up to four times the average over incoming helicities. */
static void fixed_helicities_add_up(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int n_out = 2; n_out <= 4; n_out++) {
        double *p = random_cut_points(&r, n_out, 14000., 1), sum = 0.;
        bg_options o = default_options(), fixed = o;
        fixed.helicity = BG_HELICITY_FIXED;
        for (unsigned h = 0; h < 1u << (n_out + 2); h++) {
            for (int k = 0; k < n_out + 2; k++) fixed.helicities[k] = h >> k & 1u ? '+' : '-';
            sum += evaluate_one(n_out, &fixed, p);
        }
        assert_relative(sum, 4. * evaluate_one(n_out, &o, p), 1e-11, "n_out = %d", n_out);
        free(p);
    }
}

static void kernels_and_vertices(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    for (int n_out = 2; n_out <= 5; n_out++) {
        double *p = random_cut_points(&r, n_out, 14000., 4);
        bg_options fast = default_options(), paper = fast, with_tensor;
        paper.kernel = BG_KERNEL_PAPER;
        with_tensor = paper;
        with_tensor.vertex = BG_VERTEX_TENSOR;
        compare(n_out, &fast, &paper, 4, p, "fast and paper");
        compare(n_out, &paper, &with_tensor, 4, p, "quartic and with_tensor");
        free(p);
    }
}

/* Every multiplicity of the ordered recursion, draw by draw. */
static void vertices_of_one_ordering(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    for (int n_out = 2; n_out <= 8; n_out++) {
        double *p = random_cut_points(&r, n_out, 14000., 30);
        bg_options a = default_options(), b;
        a.color = BG_COLOR_LEADING;
        a.orderings = BG_ORDERINGS_ONE;
        a.helicity = BG_HELICITY_SAMPLED;
        b = a;
        b.vertex = BG_VERTEX_TENSOR;
        compare(n_out, &a, &b, 30, p, "angle");
        a.helicity_sampling = b.helicity_sampling = BG_SAMPLE_PHASE;
        compare(n_out, &a, &b, 30, p, "phase");
        free(p);
    }
}

/* ---- layouts ------------------------------------------------------------------------------------------ */

static void tess_and_lc(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    for (int n_out = 2; n_out <= 8; n_out++) {
        double *p = random_cut_points(&r, n_out, 14000., 19);
        for (int orderings = n_out < 5 ? BG_ORDERINGS_ALL : BG_ORDERINGS_ONE; orderings <= BG_ORDERINGS_ONE;
             orderings++)
            for (int helicity = n_out < 7 ? BG_HELICITY_SUMMED : BG_HELICITY_SAMPLED; helicity <= BG_HELICITY_FIXED;
                 helicity++) {
                bg_options a = default_options(), b;
                a.color = BG_COLOR_LEADING;
                a.orderings = (bg_orderings)orderings;
                a.helicity = (bg_helicity)helicity;
                for (int k = 0; k < n_out + 2; k++) a.helicities[k] = '+';
                b = a;
                b.layout = BG_LAYOUT_COOPERATIVE;
                compare(n_out, &a, &b, 19, p, "tess");
            }
        free(p);
    }
}

/* ---- sampled colors -------------------------------------------------------------------------------------- */

/* co-mc and cd-mc with discrete colors: same draws, same numbers. */
static void dressed_and_ordered_evaluators(void **state)
{
    (void)state;
    random_source r = fresh_source(7);
    for (int n_out = 2; n_out <= 7; n_out++) {
        const size_t count = n_out < 6 ? 40 : 12;
        double *p = random_cut_points(&r, n_out, 14000., count);
        for (int helicity = n_out < 5 ? BG_HELICITY_SUMMED : BG_HELICITY_SAMPLED; helicity <= BG_HELICITY_FIXED;
             helicity++) {
            bg_options a = default_options(), b;
            a.color = BG_COLOR_SAMPLED;
            a.helicity = (bg_helicity)helicity;
            a.samples = 5;
            for (int k = 0; k < n_out + 2; k++) a.helicities[k] = '+';
            b = a;
            b.recursion = BG_RECURSION_DRESSED;
            b.color_sampling = BG_COLORS_DISCRETE;
            compare(n_out, &a, &b, count, p, "discrete colors");
        }
        free(p);
    }
}

/* The same gluons with the two incoming ones negative: nothing vanishes, nothing is larger. The measure of rounding. */
static gluons largest_helicities(const gluons *g, int n)
{
    gluons largest = *g;
    set_helicities(&largest, (1u << (n - 1)) - 2u);
    return largest;
}

/* A dressed amplitude for fixed discrete colors is the sum of the ordered ones whose Kronecker deltas hold. */
static void dressed_is_a_sum_of_ordered(void **state)
{
    (void)state;
    random_source r = fresh_source(8);
    for (int n = 4; n <= 8; n++)
        for (int trial = 0; trial < 10; trial++) {
            double momenta[4 * MOST_GLUONS], color[MOST_GLUONS][9] = {{0.}};
            random_cut_point(&r, n - 2, 14000., momenta);
            gluons g = gluons_of(n - 2, momenta);
            if (trial % 2)
                set_angles(&g, &r);
            else
                set_helicities(&g, (unsigned)random_below(&r, 1 << n));
            const color_flow f = color_flow_draw(n, random_bits(&r), 0, 0);
            for (int k = 0; k < n; k++) color[k][3 * f.j[k] + f.i[k]] = 1.;
            double complex sum = 0.;
            double scale = 0.;
            const gluons largest = largest_helicities(&g, n);
            color_walk walk;
            color_walk_start(&walk);
            while (color_walk_next(n, &f, &walk)) {
                sum += ordered_amplitude(&g, walk.order, BG_VERTEX_QUARTIC);
                scale += cabs(ordered_amplitude(&largest, walk.order, BG_VERTEX_QUARTIC));
            }
            const double complex dressed = dressed_of(&g, (const double(*)[9])color);
            if (scale == 0.) { /* no ordering contributes */
                assert_true(dressed == 0.);
                continue;
            }
            assert_bounded(cabs(dressed - sum), 1e-8 * scale, "n = %d", n);
        }
}

/* Any color matrices: the sum over all orderings of Tr(M_1 M_s2 .. M_sn) A(1, s2 .. sn). */
static void dressed_is_a_sum_of_traces(void **state)
{
    (void)state;
    random_source r = fresh_source(9);
    for (int n = 4; n <= 7; n++)
        for (int trial = 0; trial < (n < 7 ? 5 : 1); trial++) {
            double momenta[4 * MOST_GLUONS], color[MOST_GLUONS][9];
            random_cut_point(&r, n - 2, 14000., momenta);
            gluons g = gluons_of(n - 2, momenta);
            if (trial % 2)
                set_angles(&g, &r);
            else
                set_helicities(&g, (1u << n) - 1u - (1u << trial % n) - (1u << (trial + 1) % n));
            for (int k = 0; k < n; k++)
                for (int ij = 0; ij < 9; ij++) color[k][ij] = uniform(&r, -1., 1.);
            double complex sum = 0.;
            double scale = 0.;
            const gluons largest = largest_helicities(&g, n);
            permutation p = bg_permutation_unrank(n - 1, 0);
            do {
                int order[MOST_GLUONS] = {0};
                double m[9], product[9];
                for (int k = 0; k < n - 1; k++) order[k + 1] = p.at[k] + 1;
                memcpy(m, color[0], sizeof m);
                for (int k = 1; k < n; k++) {
                    for (int i = 0; i < 3; i++)
                        for (int j = 0; j < 3; j++) {
                            product[3 * i + j] = 0.;
                            for (int l = 0; l < 3; l++) product[3 * i + j] += m[3 * i + l] * color[order[k]][3 * l + j];
                        }
                    memcpy(m, product, sizeof m);
                }
                const double trace = m[0] + m[4] + m[8];
                sum += trace * ordered_amplitude(&g, order, BG_VERTEX_TENSOR);
                scale += fabs(trace) * cabs(ordered_amplitude(&largest, order, BG_VERTEX_TENSOR));
            } while (bg_permutation_next(n - 1, &p));
            assert_bounded(cabs(dressed_of(&g, (const double(*)[9])color) - sum), 1e-9 * scale, "n = %d", n);
        }
}

/* The U(1) gluon, with the unit matrix as its color, couples to nothing. */
static void dressed_photon_decouples(void **state)
{
    (void)state;
    random_source r = fresh_source(10);
    for (int n = 4; n <= 10; n++) {
        double momenta[4 * MOST_GLUONS], color[MOST_GLUONS][9];
        random_cut_point(&r, n - 2, 14000., momenta);
        gluons g = gluons_of(n - 2, momenta);
        set_helicities(&g, (1u << (n - 1)) - 2u); /* the two incoming negative: nothing is larger */
        for (int k = 0; k < n; k++)
            for (int ij = 0; ij < 9; ij++) color[k][ij] = uniform(&r, -1., 1.);
        const double scale = cabs(dressed_of(&g, (const double(*)[9])color));
        const int photon = random_below(&r, n);
        for (int ij = 0; ij < 9; ij++) color[photon][ij] = ij % 4 ? 0. : 1.;
        assert_bounded(cabs(dressed_of(&g, (const double(*)[9])color)), 1e-6 * scale, "n = %d, gluon %d", n, photon);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leading_is_full_up_to_three),    cmocka_unit_test(adjoint_and_trace),
        cmocka_unit_test(fixed_helicities_add_up),        cmocka_unit_test(kernels_and_vertices),
        cmocka_unit_test(vertices_of_one_ordering),       cmocka_unit_test(tess_and_lc),
        cmocka_unit_test(dressed_and_ordered_evaluators), cmocka_unit_test(dressed_is_a_sum_of_ordered),
        cmocka_unit_test(dressed_is_a_sum_of_traces),     cmocka_unit_test(dressed_photon_decouples),
    };
    return cmocka_run_group_tests_name("algorithms", tests, NULL, NULL);
}
