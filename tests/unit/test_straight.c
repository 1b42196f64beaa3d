/* Code that was written out from programs (cmake/straight) computes what the programs do: identical flavors, ends that come in or not,
 * one line, and a part of the amplitudes of a larger process. Each is an object of straight_code.c. And the kernels of the CPU that are
 * made of it compute what lists of vertices give, for every process that they serve. */
#include "straight_code.h"

#include "backend/cpu/cpu.h"
#include "engine/evaluator.h"

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
    check_code(check_part, 12);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------ */

/* Every code of cmake/Instances.cmake, crossings, and quarks that stand for antiquarks. `wide`: not in the baseline. */
static const struct served {
    int wide;
    const char *process;
} served[] = {{0, "u u~ > g g"},      {0, "u~ u > g g"},       {0, "u g > u g"},        {0, "g u~ > u~ g"},
              {0, "g g > u u~"},      {0, "u u~ > g g g"},     {0, "g d > d g g"},      {0, "g g > u u~ g"},
              {0, "u u~ > d d~"},     {0, "u d > u d"},        {0, "u d~ > d~ u"},      {0, "u u~ > u u~"},
              {0, "u u > u u"},       {0, "d~ d~ > d~ d~"},    {0, "u u~ > d d~ g"},    {0, "g u > u d d~"},
              {0, "u g > d u d~"},    {0, "u u~ > u u~ g"},    {0, "g u~ > u u~ u~"},   {0, "u u~ > d d~ s s~"},
              {0, "u d > u s d s~"},  {0, "s~ d > s~ u d u~"}, {1, "u u~ > d d~ g g"},  {1, "u d~ > g u d~ g"},
              {1, "g u > u d d~ g"},  {1, "u u~ > u u~ g g"},  {1, "u u > g u u g"},    {1, "g u~ > u u~ u~ g"},
              {1, "g g > u u~ d d~"}, {1, "u u~ > u u~ d d~"}, {1, "d~ u > u u u~ d~"}, {1, "d u > d u u u~"}};

enum { POINTS = 21 }; /* whole registers and some lanes */

/* The same plan without the kernels that do not work through a list. */
static void evaluate_lists(const bg_evaluator *e, const double *momenta, double *me2)
{
    const cpu_state *own = e->state;
    const bg_momenta view = bg_evaluator_momenta(e, momenta);
    instruction_set lists = *own->set;
    bg_plan plan = e->plan;
    bg_error error;
    void *state;
    lists.straight = NULL;
    memset(lists.line, 0, sizeof lists.line);
    if (bg_cpu_create_in(&lists, &plan, 1, &state, &error) != BG_OK) fail_msg("%s", error.message);
    assert_true(!((const cpu_state *)state)->tables.straight.runs);
    bg_cpu_evaluate_all(state, 0, POINTS, &view, me2, NULL, NULL);
    bg_cpu_destroy(state);
}

static void check_kernel(random_source *r, const char *text, int there)
{
    bg_options o = default_options();
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_error error;
    double code[POINTS], lists[POINTS], few[POINTS];
    snprintf(o.backend, sizeof o.backend, "cpu");
    o.threads = 1;
    o.rescue = 0;
    if (bg_process_parse(&process, text, 5, 3, &error) != BG_OK ||
        bg_evaluator_create(&e, process, &o, &error) != BG_OK)
        fail_msg("%s: %s", text, error.message);
    if (((const cpu_state *)e->state)->tables.straight.whole != there)
        fail_msg("%s: code is %s", text, there ? "missing" : "there");
    const int n_out = bg_process_n_out(process);
    double *momenta = random_cut_points(r, n_out, 1000., POINTS);
    assert_int_equal(bg_evaluator_evaluate(e, 0, POINTS, momenta, code, NULL, &error), BG_OK);
    evaluate_lists(e, momenta, lists);
    for (int k = 0; k < POINTS; k++) {
        assert_relative(code[k], lists[k], 1e-12, "%s", text);
        /* lanes have the same bits wherever a point is */
        assert_int_equal(
            bg_evaluator_evaluate(e, 0, 1, momenta + (size_t)k * (size_t)(2 + n_out) * 4, few, NULL, &error), BG_OK);
        assert_true(few[0] == code[k]);
    }
    free(momenta);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
}

static void kernels_and_lists(void **state)
{
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        if (!choose_simd(sets[i])) continue;
        random_source r = fresh_source(2);
        for (size_t k = 0; k < sizeof served / sizeof *served; k++)
            check_kernel(&r, served[k].process, i || !served[k].wide);
    }
    default_simd();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_line), cmocka_unit_test(identical_flavors),
                                       cmocka_unit_test(three_lines), cmocka_unit_test(part_of_the_amplitudes),
                                       cmocka_unit_test(kernels_and_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
