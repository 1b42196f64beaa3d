/* Philox 4x32-10 against the vectors published with Random123, and the numbers made from it. */
#define BG_LANES 4 /* the vectors of a wide instruction set, whatever this machine has */
#include "support.h"

#include "random/philox.h"

static void known_answers(void **state)
{
    (void)state;
    static const uint32_t vectors[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
         0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1},
    };
    for (int k = 0; k < 3; k++) {
        const uint32_t *v = vectors[k];
        philox_block counter = {{v[0], v[1], v[2], v[3]}};
        philox_block b = philox4x32(counter, v[4], v[5]);
        for (int w = 0; w < 4; w++) assert_int_equal(b.word[w], v[6 + w]);
    }
}

/* Lanes bring the numbers of their events, bit for bit, also where events do not follow one another. */
static void lanes_are_events(void **state)
{
    (void)state;
    static const uint64_t event[BG_LANES] = {7, 0, 0xfedcba9876543210u, 0xffffffff};
    enum { COUNT = 9 };
    real u[COUNT];
    bg_random_lanes(0x123456789abcdef0u, event, 5, BG_STREAM_PHASE_SPACE, COUNT, u);
    for (int l = 0; l < BG_LANES; l++) {
        const bg_random r = bg_random_at(0x123456789abcdef0u, event[l], 5, BG_STREAM_PHASE_SPACE);
        double alone[COUNT];
        bg_random_fill(&r, COUNT, alone);
        for (int k = 0; k < COUNT; k++) assert_true(bg_lane(u[k], l) == alone[k]);
    }
}

static void unit_interval_is_open(void **state)
{
    (void)state;
    const double least = bg_unit_interval(0, 0), most = bg_unit_interval(0xffffffff, 0xffffffff);
    assert_true(least > 0.);
    assert_true(most < 1.);
    /* symmetric about one half, so that no sampling angle is favoured */
    assert_true(least == 1. - most);
    assert_true(bg_unit_interval(0x80000000, 0) > 0.5);
    assert_true(bg_unit_interval(0x7fffffff, 0xffffffff) < 0.5);
}

/* Means, variances and neighbor correlations of a million numbers, within five standard errors. */
static void moments_are_uniform(void **state)
{
    (void)state;
    enum { EVENTS = 100000, EACH = 10 };
    double sum = 0., squares = 0., along = 0., across = 0., previous = 0.5;
    for (uint64_t event = 0; event < EVENTS; event++) {
        double u[EACH];
        bg_random r = bg_random_at(20210607, event, 0, BG_STREAM_COLOR);
        bg_random_fill(&r, EACH, u);
        for (int k = 0; k < EACH; k++) {
            const double x = u[k] - 0.5;
            assert_true(u[k] > 0. && u[k] < 1.);
            sum += x;
            squares += x * x;
            if (k) along += x * (u[k - 1] - 0.5);
        }
        across += (u[0] - 0.5) * (previous - 0.5);
        previous = u[0];
    }
    const double n = (double)EVENTS * EACH;
    assert_bounded(sum / n, 5. * sqrt(1. / 12. / n), "mean of u - 1/2");
    assert_bounded(squares / n - 1. / 12., 5. * sqrt(1. / 180. / n), "variance of u");
    assert_bounded(along / n, 5. / 12. / sqrt(n), "correlation along an event");
    assert_bounded(across / EVENTS, 5. / 12. / sqrt(EVENTS), "correlation across events");
}

/* chi^2 of 64 x 64 cells of pairs: 4095 degrees of freedom, standard deviation about 90. */
static void pairs_fill_the_square(void **state)
{
    (void)state;
    enum { SIDE = 64, PAIRS = 400000 };
    static int cell[SIDE][SIDE];
    memset(cell, 0, sizeof cell);
    for (uint64_t event = 0; event < PAIRS; event++) {
        double u[2];
        bg_random r = bg_random_at(7, event, 3, BG_STREAM_HELICITY);
        bg_random_pair(&r, 5, u);
        cell[(int)(SIDE * u[0])][(int)(SIDE * u[1])]++;
    }
    const double expected = (double)PAIRS / (SIDE * SIDE);
    double chi2 = 0.;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) chi2 += (cell[i][j] - expected) * (cell[i][j] - expected) / expected;
    assert_bounded(chi2 - (SIDE * SIDE - 1), 5. * sqrt(2. * (SIDE * SIDE - 1)), "chi^2 of pairs");
}

/* Seed, event, draw, stream and place each change the number; high halves of 64-bit values count. */
static void coordinates_are_independent(void **state)
{
    (void)state;
    const bg_random base = bg_random_at(1, 2, 3, 4);
    const bg_random other[] = {
        bg_random_at(2, 2, 3, 4),
        bg_random_at(1, 3, 3, 4),
        bg_random_at(1, 2, 4, 4),
        bg_random_at(1, 2, 3, 0),
        bg_random_at(1, 2 + (UINT64_C(1) << 32), 3, 4),
        bg_random_at(1 + (UINT64_C(1) << 32), 2, 3, 4),
    };
    double u[6], v[6];
    bg_random_fill(&base, 6, u);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        bg_random_fill(&other[k], 6, v);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) assert_true(u[i] != v[j]);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) assert_true(u[i] != u[j]);
    /* an odd count ends where it should, and the numbers do not depend on how many are asked for */
    double w[4] = {0., 0., 0., -1.};
    bg_random_fill(&base, 3, w);
    assert_memory_equal(u, w, 3 * sizeof *u);
    assert_true(w[3] == -1.);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),         cmocka_unit_test(lanes_are_events),
        cmocka_unit_test(unit_interval_is_open), cmocka_unit_test(moments_are_uniform),
        cmocka_unit_test(pairs_fill_the_square), cmocka_unit_test(coordinates_are_independent),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
