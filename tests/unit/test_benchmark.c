/* What benchmarks ask of the backends that are here: it must be about the same work as the real thing. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

enum { TRIALS = 20000 };

/* The k-th backend that can run here, or NULL. */
static const char *usable_backend(int k)
{
    char description[128];
    for (int i = 0; bg_backend_name(i); i++)
        if (bg_backend_probe(bg_backend_name(i), description, sizeof description, NULL) == BG_OK && !k--)
            return bg_backend_name(i);
    return NULL;
}

static bg_evaluator *create(const char *backend, int n_out, bg_color color, bg_kernel kernel)
{
    bg_process *process;
    bg_evaluator *e;
    bg_options o;
    bg_error error;
    bg_options_init(&o);
    strcpy(o.backend, backend);
    o.color = color;
    o.kernel = kernel;
    o.helicity = BG_HELICITY_SAMPLED;
    assert_int_equal(bg_process_create_gluons(&process, n_out, NULL), BG_OK);
    if (bg_evaluator_create(&e, process, &o, &error) != BG_OK) fail_msg("%s: %s", backend, error.message);
    bg_process_destroy(process);
    return e;
}

static bg_generator *paper_generator(int n_out)
{
    bg_process *process;
    bg_generator *g;
    bg_options o;
    bg_integration paper;
    bg_options_init(&o);
    bg_integration_init(&paper);
    assert_int_equal(bg_process_create_gluons(&process, n_out, NULL), BG_OK);
    assert_int_equal(bg_generator_create(&g, process, &o, &paper, NULL), BG_OK);
    bg_process_destroy(process);
    return g;
}

/* Points by themselves are those of an integration, and as many repetitions of them as were asked for. */
static void test_points_are_the_same(void **state)
{
    (void)state;
    for (int k = 0; usable_backend(k); k++)
        for (int n_out = 2; n_out <= 5; n_out++) {
            bg_evaluator *e = create(usable_backend(k), n_out, BG_COLOR_SUMMED, BG_KERNEL_FAST);
            bg_generator *g = paper_generator(n_out);
            bg_event_timing timing;
            double seconds[2] = {0., 0.};
            uint64_t accepted = 0;
            assert_int_equal(bg_evaluator_time_events(e, g, 77, TRIALS, &timing, NULL), BG_OK);
            assert_int_equal(bg_evaluator_time_points(e, g, 0., 77, TRIALS / 2, 2, seconds, &accepted, NULL), BG_OK);
            assert_int_equal(accepted, timing.accepted);
            assert_int_equal(timing.next_event, 77 + TRIALS);
            assert_true(timing.seconds > 0.);
            assert_true(accepted > TRIALS / 20);
            assert_true(seconds[0] > 0. && seconds[1] > 0.);
            bg_generator_destroy(g);
            bg_evaluator_destroy(e);
        }
}

/* The coin lets pass what it is told to of the points that are possible, cuts or not. */
static void test_coin(void **state)
{
    (void)state;
    for (int k = 0; usable_backend(k); k++) {
        bg_evaluator *e = create(usable_backend(k), 4, BG_COLOR_SUMMED, BG_KERNEL_FAST);
        bg_generator *g = paper_generator(4);
        double seconds;
        uint64_t inside, possible, passed;
        assert_int_equal(bg_evaluator_time_points(e, g, 0., 0, TRIALS, 1, &seconds, &inside, NULL), BG_OK);
        assert_int_equal(bg_evaluator_time_points(e, g, 1., 0, TRIALS, 1, &seconds, &possible, NULL), BG_OK);
        assert_true(inside < possible && possible <= TRIALS);
        assert_int_equal(bg_evaluator_time_points(e, g, 0.3, 0, TRIALS, 1, &seconds, &passed, NULL), BG_OK);
        assert_true(fabs((double)passed / (double)possible - 0.3) < 0.03);
        bg_generator_destroy(g);
        bg_evaluator_destroy(e);
    }
}

/* The grid learns from the second call on, and more points pass the cuts with it. */
static void test_adaptation(void **state)
{
    (void)state;
    bg_evaluator *e = create("cpu", 4, BG_COLOR_SUMMED, BG_KERNEL_FAST);
    bg_generator *g = paper_generator(4);
    bg_event_timing first, last;
    assert_int_equal(bg_generator_adapt(g, e, 0, TRIALS, &first, NULL), BG_OK);
    uint64_t next = first.next_event;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(bg_generator_adapt(g, e, next, TRIALS, &last, NULL), BG_OK);
        next = last.next_event;
    }
    assert_true(last.accepted > first.accepted);
    bg_generator_destroy(g);
    bg_evaluator_destroy(e);
}

/* What the instruments refuse. */
static void test_refusals(void **state)
{
    (void)state;
    bg_evaluator *e = create("cpu", 4, BG_COLOR_SUMMED, BG_KERNEL_FAST);
    bg_generator *g = paper_generator(3);
    bg_event_timing timing;
    bg_operations operations;
    bg_error error;
    double seconds;
    uint64_t accepted;
    assert_refused(bg_evaluator_time_events(e, g, 0, 1, &timing, &error), &error, BG_ERROR_ARGUMENT,
                   "3 outgoing|evaluator 4");
    assert_refused(bg_evaluator_time_events(NULL, g, 0, 1, &timing, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_evaluator_time_events(e, NULL, 0, 1, &timing, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_generator_adapt(NULL, e, 0, 1, &timing, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    bg_generator_destroy(g);
    g = paper_generator(4);
    assert_refused(bg_evaluator_time_points(e, g, 2., 0, 1, 1, &seconds, &accepted, &error), &error, BG_ERROR_ARGUMENT,
                   "coin is 2|0 to 1");
    assert_refused(bg_evaluator_time_points(e, g, 0., 0, 1, 1, NULL, &accepted, &error), &error, BG_ERROR_ARGUMENT,
                   "NULL");
    assert_refused(bg_evaluator_time_device(e, &seconds, 1, 1, &seconds, &error), &error, BG_ERROR_UNSUPPORTED,
                   "cpu|clock");
    assert_refused(bg_evaluator_operations(NULL, &operations, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_evaluator_operations(e, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_backend_roofline(NULL, -1, 0.1, NULL, NULL, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    bg_generator_destroy(g);
    bg_evaluator_destroy(e);
}

static void test_stages(void **state)
{
    (void)state;
    enum { POINTS = 64 };
    random_source source = fixed_source(1);
    double *momenta = random_cut_points(&source, 5, 14000., POINTS);
    for (int k = 0; usable_backend(k); k++)
        for (int kernel = BG_KERNEL_FAST; kernel <= BG_KERNEL_PAPER; kernel++) {
            bg_stages each[3] = {{0., 0.}, {0., 0.}, {0., 0.}};
            bg_error error;
            bg_evaluator *e = create(usable_backend(k), 5, BG_COLOR_SUMMED, (bg_kernel)kernel);
            assert_int_equal(bg_evaluator_time_stages(e, momenta, 1, 0, NULL, NULL), BG_OK);
            if (bg_evaluator_time_stages(e, momenta, POINTS, 3, each, &error) != BG_OK)
                fail_msg("%s: %s", usable_backend(k), error.message);
            for (int r = 0; r < 3; r++) assert_true(each[r].amplitudes > 0. && each[r].color_sum > 0.);
            bg_operations o;
            assert_int_equal(bg_evaluator_operations(e, &o, NULL), BG_OK);
            assert_true(o.amplitudes > 0. && o.color_sum > 0. && o.bytes == 8. * (4. * 7. + 1.));
            bg_evaluator_destroy(e);
            e = create(usable_backend(k), 5, BG_COLOR_LEADING, BG_KERNEL_PAPER);
            assert_int_equal(bg_evaluator_time_stages(e, momenta, 1, 1, each, NULL), BG_ERROR_UNSUPPORTED);
            bg_evaluator_destroy(e);
        }
    free(momenta);
}

static void test_roofline(void **state)
{
    (void)state;
    for (int k = 0; usable_backend(k); k++) {
        bg_roofline r;
        bg_error error;
        if (bg_backend_roofline(usable_backend(k), -1, 0.05, NULL, NULL, &r, &error) != BG_OK)
            fail_msg("%s: %s", usable_backend(k), error.message);
        assert_true(r.threads >= 1);
        /* more than nothing, less than a thousand operations and numbers in a nanosecond of each thread */
        for (int all = 0; all < 2; all++)
            assert_true(r.gflops[all] > 0. && r.gflops[all] < 1e3 * r.threads && r.gigabytes[all] > 0. &&
                        r.gigabytes[all] < 8e3 * r.threads);
        assert_true(r.gflops[1] >= r.gflops[0] && r.gigabytes[1] >= r.gigabytes[0]);
    }
    bg_roofline ignored;
    assert_int_equal(bg_backend_roofline("abacus", -1, 0.05, NULL, NULL, &ignored, NULL), BG_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_are_the_same),
        cmocka_unit_test(test_coin),
        cmocka_unit_test(test_adaptation),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_roofline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
