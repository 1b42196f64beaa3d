/* Code that was written out from programs (cmake/straight) computes what the programs do: identical flavors, ends that come in or not,
 * one line, and a part of the amplitudes of a larger process. Each is an object of straight_code.c. */
#include "straight_code.h"

#include "support.h"

straight_checker check_one_line, check_identical, check_three_lines, check_part;

static void check_code(straight_checker *checker, int structures)
{
    random_source r = fresh_source(1);
    const straight_check own = checker(NULL);
    assert_int_equal(own.structures, structures);
    for (int k = 0; k < 5; k++) {
        double momenta[4 * 8];
        random_cut_point(&r, own.legs - 2, 1000., momenta);
        const straight_check found = checker(momenta);
        assert_true(found.amplitudes < 1e-12);
        assert_true(found.colors < 1e-12);
    }
}

static void one_line(void **state)
{
    (void)state;
    check_code(check_one_line, 6);
}

static void identical_flavors(void **state)
{
    (void)state;
    check_code(check_identical, 4);
}

static void three_lines(void **state)
{
    (void)state;
    check_code(check_three_lines, 6);
}

static void part_of_the_amplitudes(void **state)
{
    (void)state;
    check_code(check_part, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_line), cmocka_unit_test(identical_flavors),
                                       cmocka_unit_test(three_lines), cmocka_unit_test(part_of_the_amplitudes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
