/* Digits: double precision against 128-bit floats inside the paper's cuts at 14 TeV, fixed points. The table of
 * docs/accuracy.md comes from accuracy.c, with more points. */
#include "accuracy.h"

static void check(int n_out, const bg_options *o, size_t count, const char *what)
{
    double deviation[512];
    assert_true(count <= 512);
    if (!deviations(n_out, o, 14000 + (uint64_t)n_out, count, deviation)) skip();
    assert_bounded(deviation[count / 2], 1e-13, "median, %s, n_out = %d", what, n_out);
    assert_bounded(deviation[count - 1], 1e-8, "worst, %s, n_out = %d", what, n_out);
}

static void full_sum(void **state)
{
    (void)state;
    bg_options o = default_options();
    check(2, &o, 500, "full sum");
    check(3, &o, 200, "full sum");
    check(4, &o, 12, "full sum");
    o.kernel = BG_KERNEL_PAPER;
    check(2, &o, 500, "paper");
    check(3, &o, 200, "paper");
    o.vertex = BG_VERTEX_TENSOR;
    check(3, &o, 200, "paper, tensor");
}

/* One polarization of each gluon, the same in both precisions, all colors. */
static void sampled_helicities(void **state)
{
    (void)state;
    bg_options o = default_options();
    o.helicity = BG_HELICITY_SAMPLED;
    check(4, &o, 200, "angle");
    check(5, &o, 50, "angle");
    check(6, &o, 8, "angle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_sum), cmocka_unit_test(sampled_helicities)};
    return cmocka_run_group_tests_name("accuracy", tests, NULL, NULL);
}
