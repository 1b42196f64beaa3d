/* The largest processes: they run, and agree with what can be had otherwise. */
#include "support.h"

/* n_out = 8 with all 40320 orderings and the full color sum. Incoming + + is outgoing - -: nothing vanishes. */
static void eight_gluons_summed(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    double *p = random_cut_points(&r, 8, 14000., 1), q[4 * 10];
    bg_options o = default_options();
    o.helicity = BG_HELICITY_FIXED;
    strcpy(o.helicities, "++++++++++");
    const double me2 = evaluate_one(8, &o, p);
    assert_true(isfinite(me2) && me2 > 0.);
    /* exchanging two outgoing gluons of equal helicity changes nothing */
    memcpy(q, p, sizeof q);
    memcpy(q + 4 * 3, p + 4 * 7, 4 * sizeof *q);
    memcpy(q + 4 * 7, p + 4 * 3, 4 * sizeof *q);
    assert_relative(evaluate_one(8, &o, q), me2, 1e-8, "n_out = 8, two gluons exchanged");
    free(p);
}

/* Dressed amplitudes up to n_out = 12, one draw each: they run and scale as they must. */
static void many_gluons_dressed(void **state)
{
    (void)state;
    for (int n_out = 9; n_out <= BG_MAX_OUT_DRESSED; n_out++) {
        random_source r = fresh_source((uint64_t)n_out);
        double *p = random_cut_points(&r, n_out, 14000., 1), q[4 * MOST_GLUONS];
        bg_options o = default_options();
        o.color = BG_COLOR_SAMPLED;
        o.recursion = BG_RECURSION_DRESSED;
        o.helicity = BG_HELICITY_SAMPLED;
        for (int sampling = BG_COLORS_CONTINUOUS; sampling <= BG_COLORS_COHERENT; sampling += 2) {
            o.color_sampling = (bg_color_sampling)sampling;
            const double me2 = evaluate_one(n_out, &o, p);
            assert_true(isfinite(me2) && me2 > 0.);
            /* dimension GeV^(4 - 2 n_out), exactly for a power of two */
            for (int k = 0; k < 4 * (n_out + 2); k++) q[k] = 2. * p[k];
            if (n_out < BG_MAX_OUT_DRESSED || sampling == BG_COLORS_COHERENT)
                assert_true(evaluate_one(n_out, &o, q) == ldexp(me2, 4 - 2 * n_out));
        }
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_gluons_summed),
        cmocka_unit_test(many_gluons_dressed),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
