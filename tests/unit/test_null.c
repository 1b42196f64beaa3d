/* Every function of the library with NULL for every pointer at once, and for each of them alone: what returns a status
 * refuses, the rest answers 0, NULL or "". tests/package/library.py holds the list below against the header. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

/* Refused with a message, and without a place for one. */
#define REFUSES(call, ...)                                                                                             \
    do {                                                                                                               \
        bg_error why = {BG_OK, ""};                                                                                    \
        assert_int_not_equal(call(__VA_ARGS__, &why), BG_OK);                                                          \
        assert_int_not_equal(why.status, BG_OK);                                                                       \
        assert_true(why.message[0]);                                                                                   \
        assert_int_not_equal(call(__VA_ARGS__, NULL), BG_OK);                                                          \
    } while (0)

static void names_and_structs(void **state)
{
    (void)state;
    assert_non_null(bg_version());
    assert_non_null(bg_version_string());
    assert_non_null(bg_status_string(BG_OK));
    bg_clear(NULL, 0);
    bg_clear(NULL, 100);
    bg_result_init(NULL);
    bg_memory_init(NULL);
    bg_stability_init(NULL);
    bg_choice_init(NULL);
    bg_backend_info_init(NULL);
    bg_communicator_init(NULL);
    assert_int_equal(bg_built_with(NULL), -1);
    assert_non_null(bg_backend_name(0));
    assert_null(bg_backend_name(-1));
    REFUSES(bg_backend_probe, NULL, NULL, 0);
    assert_int_equal(bg_backend_capabilities(NULL), 0);
    REFUSES(bg_backend_describe, NULL, NULL);
    REFUSES(bg_backend_describe, "cpu", NULL);
    REFUSES(bg_backend_roofline, NULL, 0, 0.1, NULL, NULL, NULL);
    REFUSES(bg_backend_roofline, "cpu", 0, 0.1, NULL, NULL, NULL);
}

static void processes_and_options(void **state)
{
    (void)state;
    bg_process *process, *none;
    bg_options o;
    bg_choice choice;
    bg_memory memory;
    char value[32];
    bg_options_init(&o);
    bg_choice_init(&choice);
    bg_memory_init(&memory);
    assert_int_equal(bg_process_create_gluons(&process, 2, NULL), BG_OK);
    REFUSES(bg_process_create, NULL, 2, 2, NULL);
    REFUSES(bg_process_create_gluons, NULL, 2);
    REFUSES(bg_process_parse, NULL, NULL, BG_MAX_FLAVORS, BG_ALL_LINES);
    REFUSES(bg_process_parse, &none, NULL, BG_MAX_FLAVORS, BG_ALL_LINES);
    REFUSES(bg_process_parse, NULL, "g g > g g", BG_MAX_FLAVORS, BG_ALL_LINES);
    assert_int_equal(bg_process_is_open(NULL), 0);
    assert_int_equal(bg_process_has_protons(NULL), 0);
    assert_int_equal(bg_process_has_protons(process), 0);
    assert_int_equal(bg_process_classes(NULL), 0);
    bg_process_class_init(NULL);
    bg_process_beams_init(NULL);
    REFUSES(bg_process_class_at, NULL, 0, NULL);
    REFUSES(bg_process_class_at, process, 0, NULL);
    REFUSES(bg_process_beams_at, NULL, 0, 0, NULL);
    REFUSES(bg_process_beams_at, process, 0, 0, NULL);
    REFUSES(bg_process_channel_at, NULL, 0, 0, NULL, NULL);
    REFUSES(bg_process_channel_at, process, 0, 0, NULL, NULL);
    assert_int_equal(bg_process_n_out(NULL), 0);
    bg_process_destroy(NULL);
    bg_flow *flow;
    REFUSES(bg_flow_create, NULL, NULL, 0);
    REFUSES(bg_flow_create, NULL, process, 0);
    REFUSES(bg_flow_create, &flow, NULL, 0);
    assert_int_equal(bg_flow_create(&flow, process, 0, NULL), BG_OK);
    REFUSES(bg_flow_draw, NULL, NULL, NULL, NULL, 1, 0, NULL);
    REFUSES(bg_flow_draw, flow, NULL, NULL, NULL, 1, 0, NULL);
    assert_int_equal(bg_flow_is_exact(NULL, 0), 0);
    bg_flow_destroy(flow);
    bg_flow_destroy(NULL);
    bg_generation generation;
    bg_generation_result made;
    bg_generation_init(NULL);
    bg_generation_result_init(NULL);
    bg_generation_init(&generation);
    bg_generation_result_init(&made);
    bg_integration wish;
    bg_integration_init(&wish);
    REFUSES(bg_events_generate, NULL, NULL, NULL, NULL, NULL);
    REFUSES(bg_events_generate, process, &o, &wish, NULL, &made);
    REFUSES(bg_events_generate, process, &o, &wish, &generation, NULL);
    REFUSES(bg_events_generate, process, &o, NULL, &generation, &made);
    REFUSES(bg_events_generate, process, NULL, &wish, &generation, &made);
    REFUSES(bg_events_generate, process, &o, &wish, &generation, &made); /* receive */
    bg_event_run *again;
    bg_event once_more;
    bg_event_origin origin;
    bg_event_origin_init(NULL);
    bg_event_origin_init(&origin);
    REFUSES(bg_event_run_create, NULL, process, &o, &wish, &generation);
    REFUSES(bg_event_run_create, &again, NULL, &o, &wish, &generation);
    REFUSES(bg_event_run_create, &again, process, NULL, &wish, &generation);
    REFUSES(bg_event_run_create, &again, process, &o, NULL, &generation);
    REFUSES(bg_event_run_create, &again, process, &o, &wish, NULL);
    REFUSES(bg_event_run_make, NULL, 0, 0, &once_more, &origin);
    bg_event_run_destroy(NULL);
    REFUSES(bg_check_point, 2, NULL, 1e-6);
    bg_options_init(NULL);
    bg_options_init_sized(NULL, sizeof o);
    bg_options_init_sized(NULL, 0);
    bg_options_set_automatic(NULL);
    assert_int_equal(bg_options_are_automatic(NULL), 0);
    assert_int_equal(bg_options_are_sampled(NULL), 0);
    assert_int_equal(bg_options_have_fast_kernel(NULL), 0);
    REFUSES(bg_options_set_algorithm, NULL, BG_ALGORITHM_LC);
    assert_null(bg_algorithm_name((bg_algorithm)-1));
    REFUSES(bg_algorithm_parse, NULL, NULL);
    REFUSES(bg_options_check, NULL, NULL);
    REFUSES(bg_options_check, process, NULL);
    assert_null(bg_option_at(-1));
    assert_null(bg_option_find(NULL));
    REFUSES(bg_options_set, NULL, NULL, NULL);
    REFUSES(bg_options_set, &o, NULL, "1");
    REFUSES(bg_options_set, &o, "color", NULL);
    REFUSES(bg_options_get, NULL, NULL, NULL, 0);
    REFUSES(bg_options_get, &o, NULL, value, sizeof value);
    REFUSES(bg_options_get, &o, "color", NULL, sizeof value);
    assert_null(bg_strategy_at(-1));
    assert_null(bg_strategy_find(NULL));
    REFUSES(bg_options_set_strategy, NULL, NULL);
    REFUSES(bg_options_set_strategy, &o, NULL);
    REFUSES(bg_choose, NULL, NULL, BG_FOR_CROSS_SECTION, NULL, NULL);
    REFUSES(bg_choose, process, &o, BG_FOR_CROSS_SECTION, NULL, NULL);
    REFUSES(bg_choose, process, NULL, BG_FOR_CROSS_SECTION, &choice, NULL);
    assert_int_equal(bg_integration_purpose(NULL, NULL), BG_FOR_CROSS_SECTION);
    assert_int_equal(bg_integration_purpose(&o, NULL), BG_FOR_CROSS_SECTION);
    REFUSES(bg_memory_needed, NULL, NULL, NULL);
    REFUSES(bg_memory_needed, process, &o, NULL);
    REFUSES(bg_memory_needed, process, NULL, &memory);
    bg_process_destroy(process);
}

static void evaluators(void **state)
{
    (void)state;
    bg_process *process;
    bg_evaluator *e;
    bg_generator *g;
    bg_integration w;
    bg_event_timing timing;
    double seconds = 0., p[16] = {500, 0, 0, 500, 500, 0, 0, -500, 500, 500, 0, 0, 500, -500, 0, 0}, me2;
    uint64_t accepted;
    bg_options o = default_options();
    strcpy(o.backend, "cpu");
    bg_integration_init(&w);
    assert_int_equal(bg_process_create_gluons(&process, 2, NULL), BG_OK);
    assert_int_equal(bg_evaluator_create(&e, process, &o, NULL), BG_OK);
    assert_int_equal(bg_generator_create(&g, process, &o, &w, NULL), BG_OK);
    REFUSES(bg_evaluator_create, NULL, NULL, NULL);
    REFUSES(bg_evaluator_create_stoppable, NULL, NULL, NULL, NULL, NULL);
    REFUSES(bg_evaluator_create_for, NULL, NULL, NULL, BG_FOR_CROSS_SECTION, NULL, NULL);
    REFUSES(bg_evaluator_evaluate, NULL, 0, 1, NULL, NULL, NULL);
    REFUSES(bg_evaluator_evaluate, e, 0, 1, NULL, &me2, NULL);
    REFUSES(bg_evaluator_evaluate, e, 0, 1, p, NULL, NULL);
    REFUSES(bg_evaluator_evaluate_device, NULL, 0, 1, NULL, NULL, NULL);
    REFUSES(bg_evaluator_evaluate_device, e, 0, 1, NULL, NULL, NULL);
    REFUSES(bg_evaluator_interrupt, NULL, NULL, NULL);
    assert_int_equal(bg_evaluator_interrupt(e, NULL, NULL, NULL), BG_OK); /* nobody asks */
    REFUSES(bg_evaluator_stability, NULL, NULL);
    REFUSES(bg_evaluator_stability, e, NULL);
    REFUSES(bg_evaluator_memory, NULL, NULL);
    REFUSES(bg_evaluator_memory, e, NULL);
    assert_string_equal(bg_evaluator_backend(NULL), "");
    assert_string_equal(bg_evaluator_hardware(NULL), "");
    assert_string_equal(bg_evaluator_note(NULL), "");
    assert_int_equal(bg_evaluator_threads(NULL), 0);
    assert_null(bg_evaluator_options(NULL));
    bg_evaluator_destroy(NULL);
    REFUSES(bg_evaluator_operations, NULL, NULL);
    REFUSES(bg_evaluator_operations, e, NULL);
    REFUSES(bg_evaluator_time_device, NULL, NULL, 1, 1, NULL);
    REFUSES(bg_evaluator_time_device, e, NULL, 1, 1, NULL);
    REFUSES(bg_evaluator_time_stages, NULL, NULL, 1, 1, NULL);
    REFUSES(bg_evaluator_time_stages, e, NULL, 1, 1, NULL);
    REFUSES(bg_evaluator_time_events, NULL, NULL, 0, 1, NULL);
    REFUSES(bg_evaluator_time_events, e, NULL, 0, 1, &timing);
    REFUSES(bg_evaluator_time_events, e, g, 0, 1, NULL);
    REFUSES(bg_evaluator_time_points, NULL, NULL, 0., 0, 1, 1, NULL, NULL);
    REFUSES(bg_evaluator_time_points, e, g, 0., 0, 1, 1, NULL, &accepted);
    REFUSES(bg_evaluator_time_points, e, g, 0., 0, 1, 1, &seconds, NULL);
    REFUSES(bg_generator_adapt, NULL, NULL, 0, 1, NULL);
    REFUSES(bg_generator_adapt, g, NULL, 0, 1, NULL);
    bg_generator_destroy(g);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
}

static void cross_sections(void **state)
{
    (void)state;
    bg_process *process;
    bg_generator *g;
    bg_histograms *h;
    double beyond[2];
    bg_integration w;
    bg_result result;
    char value[32];
    double weight, momenta[16];
    const uint64_t event = 0;
    bg_options o = default_options();
    bg_integration_init(&w);
    bg_result_init(&result);
    assert_int_equal(bg_process_create_gluons(&process, 2, NULL), BG_OK);
    bg_integration_init(NULL);
    bg_integration_init_sized(NULL, sizeof w);
    REFUSES(bg_integration_set, NULL, NULL, NULL);
    REFUSES(bg_integration_set, &w, NULL, "1");
    REFUSES(bg_integration_set, &w, "sqrts", NULL);
    REFUSES(bg_integration_get, NULL, NULL, NULL, 0);
    REFUSES(bg_integration_get, &w, NULL, value, sizeof value);
    REFUSES(bg_integration_get, &w, "sqrts", NULL, sizeof value);
    REFUSES(bg_integrate, NULL, NULL, NULL, NULL);
    REFUSES(bg_integrate, process, NULL, &w, &result);
    REFUSES(bg_integrate, process, &o, NULL, &result);
    REFUSES(bg_integrate, process, &o, &w, NULL);
    REFUSES(bg_histograms_create, NULL, NULL, NULL);
    REFUSES(bg_histograms_create, &h, NULL, &w);
    REFUSES(bg_histograms_create, &h, process, NULL);
    assert_int_equal(bg_histograms_size(NULL), 0);
    assert_null(bg_histograms_name(NULL, 0));
    assert_null(bg_histograms_title(NULL, 0));
    assert_int_equal(bg_histograms_bins(NULL, 0), 0);
    assert_int_equal(bg_histograms_logarithmic(NULL, 0), 0);
    REFUSES(bg_histograms_read, NULL, 0, NULL, NULL, NULL, NULL);
    assert_int_equal(bg_histograms_create(&h, process, &w, NULL), BG_OK);
    assert_int_equal(bg_histograms_read(h, 0, NULL, NULL, NULL, NULL, NULL), BG_OK); /* nothing is wanted */
    REFUSES(bg_histograms_book, NULL, "ht");
    REFUSES(bg_histograms_book, h, NULL);
    REFUSES(bg_histograms_band, NULL, 0, beyond, beyond);
    REFUSES(bg_histograms_band, h, 0, NULL, beyond);
    REFUSES(bg_histograms_band, h, 0, beyond, NULL);
    REFUSES(bg_histograms_beyond, NULL, 0, beyond, beyond);
    REFUSES(bg_histograms_beyond, h, 0, NULL, beyond);
    REFUSES(bg_histograms_beyond, h, 0, beyond, NULL);
    bg_histograms_destroy(h);
    bg_histograms_destroy(NULL);
    REFUSES(bg_generator_create, NULL, NULL, NULL, NULL);
    REFUSES(bg_generator_create, &g, process, NULL, &w);
    REFUSES(bg_generator_create, &g, process, &o, NULL);
    REFUSES(bg_generator_points, NULL, 1, NULL, NULL, NULL);
    assert_int_equal(bg_generator_create(&g, process, &o, &w, NULL), BG_OK);
    REFUSES(bg_generator_points, g, 1, NULL, momenta, &weight);
    REFUSES(bg_generator_points, g, 1, &event, NULL, &weight);
    REFUSES(bg_generator_points, g, 1, &event, momenta, NULL);
    bg_generator_destroy(g);
    bg_generator_destroy(NULL);
    bg_process_destroy(process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_structs),
        cmocka_unit_test(processes_and_options),
        cmocka_unit_test(evaluators),
        cmocka_unit_test(cross_sections),
    };
    return cmocka_run_group_tests_name("null", tests, NULL, NULL);
}
