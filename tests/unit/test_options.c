/* Options by name, the table of them, and structs that carry their size. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

#include <limits.h>

/* ---- the table ------------------------------------------------------------------------------------------- */

static bg_status set(const bg_option *o, bg_options *options, bg_integration *integration, const char *value,
                     bg_error *error)
{
    return o->owner == BG_OPTION_OF_ALGORITHM ? bg_options_set(options, o->name, value, error)
                                              : bg_integration_set(integration, o->name, value, error);
}

static bg_status get(const bg_option *o, const bg_options *options, const bg_integration *integration, char *value,
                     size_t room)
{
    return o->owner == BG_OPTION_OF_ALGORITHM ? bg_options_get(options, o->name, value, room, NULL)
                                              : bg_integration_get(integration, o->name, value, room, NULL);
}

/* Every row is complete, every default is what an initialized struct says, and every word can be set and read again. */
static void the_table_is_whole(void **state)
{
    (void)state;
    int rows = 0;
    for (; bg_option_at(rows); rows++) {
        const bg_option *o = bg_option_at(rows);
        bg_options options;
        bg_integration integration;
        bg_error error;
        char value[64];
        bg_options_init(&options);
        bg_integration_init(&integration);
        assert_true(o->size == sizeof *o && *o->name && *o->group && *o->help);
        assert_ptr_equal(bg_option_find(o->name), o);
        assert_null(strpbrk(o->name, "_ ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        assert_int_equal(o->kind == BG_OPTION_CHOICE, o->values != NULL);
        assert_true(o->kind == BG_OPTION_CHOICE || o->kind == BG_OPTION_FLAG || o->argument);
        assert_int_equal(get(o, &options, &integration, value, sizeof value), BG_OK);
        if (strcmp(o->name, "algorithm")) assert_string_equal(value, o->standard);
        if (*o->standard) assert_int_equal(set(o, &options, &integration, o->standard, &error), BG_OK);
        for (int k = 0; o->values && o->values[k]; k++) {
            assert_int_equal(set(o, &options, &integration, o->values[k], &error), BG_OK);
            assert_int_equal(get(o, &options, &integration, value, sizeof value), BG_OK);
            assert_string_equal(value, o->values[k]);
        }
        /* nothing but a file may have any name */
        if (o->kind != BG_OPTION_TEXT)
            assert_refused(set(o, &options, &integration, "nonsense", &error), &error, BG_ERROR_ARGUMENT,
                           "'nonsense'; it must be");
    }
    assert_true(rows > 30);
    assert_null(bg_option_at(rows));
    assert_null(bg_option_at(-1));
    assert_null(bg_option_find("nonsense"));
    assert_null(bg_option_find(NULL));
}

/* What `values` say is what the enumerations say: the fields follow the words in order. */
static void words_are_enumerations(void **state)
{
    (void)state;
    bg_options o = default_options();
    bg_integration w;
    bg_integration_init(&w);
    const struct {
        const char *name, *word;
        const void *field;
        int value;
    } expected[] = {
        {"color", "auto", &o.color, BG_COLOR_AUTO},
        {"color", "leading", &o.color, BG_COLOR_LEADING},
        {"recursion", "auto", &o.recursion, BG_RECURSION_AUTO},
        {"recursion", "dressed", &o.recursion, BG_RECURSION_DRESSED},
        {"helicity", "sampled", &o.helicity, BG_HELICITY_SAMPLED},
        {"helicity", "auto", &o.helicity, BG_HELICITY_AUTO},
        {"helicity-sampling", "invariants", &o.helicity_sampling, BG_SAMPLE_INVARIANTS},
        {"helicity-sampling", "masses", &o.helicity_sampling, BG_SAMPLE_MASSES},
        {"color-sampling", "coherent", &o.color_sampling, BG_COLORS_COHERENT},
        {"kernel", "paper", &o.kernel, BG_KERNEL_PAPER},
        {"vertex", "tensor", &o.vertex, BG_VERTEX_TENSOR},
        {"decomposition", "trace", &o.decomposition, BG_DECOMPOSITION_TRACE},
        {"orderings", "one", &o.orderings, BG_ORDERINGS_ONE},
        {"layout", "cooperative", &o.layout, BG_LAYOUT_COOPERATIVE},
        {"floats", "quad", &o.floats, BG_FLOATS_QUAD},
        {"instruction-set", "avx512", &o.instruction_set, BG_INSTRUCTIONS_AVX512},
        {"threads", "3", &o.threads, 3},
        {"device", "-1", &o.device, -1},
        {"rescue", "no", &o.rescue, 0},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        int value;
        assert_int_equal(bg_options_set(&o, expected[k].name, expected[k].word, NULL), BG_OK);
        memcpy(&value, expected[k].field, sizeof value);
        assert_int_equal(value, expected[k].value);
    }
    assert_int_equal(bg_integration_set(&w, "phase-space", "rambo", NULL), BG_OK);
    assert_int_equal(w.phase_space, BG_PHASE_SPACE_RAMBO);
    assert_int_equal(bg_integration_set(&w, "time", "2.5", NULL), BG_OK);
    assert_true(w.seconds == 2.5);
    assert_int_equal(bg_integration_set(&w, "checkpoint", "/tmp/somewhere", NULL), BG_OK);
    assert_string_equal(w.checkpoint, "/tmp/somewhere");
}

static void helicities_and_presets(void **state)
{
    (void)state;
    bg_options o = default_options();
    bg_error error;
    char value[32];
    assert_int_equal(bg_options_set(&o, "helicity", "+-+--+", NULL), BG_OK);
    assert_int_equal(o.helicity, BG_HELICITY_FIXED);
    assert_string_equal(o.helicities, "+-+--+");
    assert_int_equal(bg_options_get(&o, "helicity", value, sizeof value, NULL), BG_OK);
    assert_string_equal(value, "+-+--+");
    assert_refused(bg_options_set(&o, "helicity", "+-", &error), &error, BG_ERROR_ARGUMENT,
                   "'+-'|summed|sampled|auto|4 to 14");
    assert_refused(bg_options_set(&o, "helicity", "++0-", &error), &error, BG_ERROR_ARGUMENT, "'++0-'");
    assert_string_equal(o.helicities, "+-+--+"); /* what is refused changes nothing */
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++) {
        bg_options by_name = default_options(), by_number = default_options();
        assert_int_equal(bg_options_set(&by_name, "algorithm", bg_algorithm_name((bg_algorithm)k), NULL), BG_OK);
        assert_int_equal(bg_options_set_algorithm(&by_number, (bg_algorithm)k, NULL), BG_OK);
        assert_memory_equal(&by_name, &by_number, sizeof by_name);
        assert_int_equal(bg_options_get(&by_name, "algorithm", value, sizeof value, NULL), BG_OK);
        assert_string_equal(value, bg_algorithm_name((bg_algorithm)k));
    }
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

static void numbers(void **state)
{
    (void)state;
    bg_options o = default_options();
    bg_integration w;
    bg_integration_init(&w);
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},     {"17", 17}, {"1e6", 1000000}, {"1.5e3", 1500}, {"18446744073709551615", UINT64_MAX},
                {"1E+2", 100}};
    static const char *const bad[] = {
        "", " 1", "1 ", "-1", "+1", "1.5", "1e-3", "0x10", "1e20", "18446744073709551616", "inf", "nan", "e3"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_int_equal(bg_options_set(&o, "seed", good[k].text, NULL), BG_OK);
        assert_true(o.seed == good[k].value);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (bg_options_set(&o, "seed", bad[k], NULL) == BG_OK) fail_msg("seed '%s' was taken", bad[k]);
    assert_int_equal(bg_options_set(&o, "threads", "1e2", NULL), BG_OK);
    assert_int_equal(o.threads, 100);
    static const char *const threads[] = {"-1", "4097", "1e9", "99999999999", "2.5"};
    bg_error error;
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
        assert_refused(bg_options_set(&o, "threads", threads[k], &error), &error, BG_ERROR_ARGUMENT,
                       "threads is|from 0 to 4096");
    assert_int_equal(bg_integration_set(&w, "points", "1e18", NULL), BG_OK);
    assert_true(w.points == 1000000000000000000u);
    assert_refused(bg_integration_set(&w, "points", "2e18", &error), &error, BG_ERROR_ARGUMENT, "points is '2e18'");
    assert_int_equal(bg_integration_set(&w, "pt-min", "-0.0", NULL), BG_OK);
    assert_true(w.cuts.pt_min == 0. && !signbit(w.cuts.pt_min));
    assert_refused(bg_integration_set(&w, "pt-min", "-1", &error), &error, BG_ERROR_ARGUMENT,
                   "pt-min is '-1'|from 0 to 1e+08");
    assert_refused(bg_options_set(&o, "alpha-s", "nan", &error), &error, BG_ERROR_ARGUMENT, "alpha-s is 'nan'");
    /* numbers come back as they were, in as few digits as that takes */
    char value[64];
    o.alpha_s = 0.118;
    assert_int_equal(bg_options_get(&o, "alpha-s", value, sizeof value, NULL), BG_OK);
    assert_string_equal(value, "0.118");
    o.alpha_s = 1. / 3.;
    assert_int_equal(bg_options_get(&o, "alpha-s", value, sizeof value, NULL), BG_OK);
    assert_true(strtod(value, NULL) == o.alpha_s);
}

static void flags(void **state)
{
    (void)state;
    static const char *const yes[] = {"yes", "1", "true", "on", "", NULL}, *const no[] = {"no", "0", "false", "off"};
    bg_options o = default_options();
    for (size_t k = 0; k < sizeof yes / sizeof *yes; k++) {
        o.rescue = 0;
        assert_int_equal(bg_options_set(&o, "rescue", yes[k], NULL), BG_OK);
        assert_int_equal(o.rescue, 1);
        assert_int_equal(bg_options_set(&o, "no-rescue", yes[k], NULL), BG_OK);
        assert_int_equal(o.rescue, 0);
    }
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
        o.rescue = 1;
        assert_int_equal(bg_options_set(&o, "rescue", no[k], NULL), BG_OK);
        assert_int_equal(o.rescue, 0);
        assert_int_equal(bg_options_set(&o, "no-rescue", no[k], NULL), BG_OK);
        assert_int_equal(o.rescue, 1);
    }
    bg_error error;
    assert_refused(bg_options_set(&o, "rescue", "maybe", &error), &error, BG_ERROR_ARGUMENT, "'maybe'|yes or no");
    assert_refused(bg_options_set(&o, "no-color", "summed", &error), &error, BG_ERROR_ARGUMENT, "unknown|no-color");
}

static void unknown_names(void **state)
{
    (void)state;
    bg_options o = default_options();
    bg_integration w;
    bg_error error;
    char value[4];
    bg_integration_init(&w);
    assert_refused(bg_options_set(&o, "colour", "auto", &error), &error, BG_ERROR_ARGUMENT,
                   "'colour'|did you mean 'color'");
    assert_refused(bg_options_set(&o, "alpha_s", "0.1", &error), &error, BG_ERROR_ARGUMENT, "did you mean 'alpha-s'");
    assert_refused(bg_integration_set(&w, "ptmin", "1", &error), &error, BG_ERROR_ARGUMENT, "did you mean 'pt-min'");
    assert_refused(bg_integration_set(&w, "color", "auto", &error), &error, BG_ERROR_ARGUMENT,
                   "unknown option 'color'");
    assert_refused(bg_options_set(&o, "xyzzy", "1", &error), &error, BG_ERROR_ARGUMENT, "unknown option 'xyzzy'");
    assert_null(strstr(error.message, "did you mean"));
    assert_refused(bg_options_set(&o, NULL, "1", &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_options_set(&o, "color", NULL, &error), &error, BG_ERROR_ARGUMENT, "color is ''");
    assert_refused(bg_options_set(NULL, "color", "auto", &error), &error, BG_ERROR_ARGUMENT, "options is NULL");
    assert_refused(bg_options_get(&o, "color", NULL, 10, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_options_get(&o, "color", value, sizeof value, &error), &error, BG_ERROR_ARGUMENT,
                   "6 letters|room for 4");
    assert_refused(bg_integration_get(NULL, "sqrts", value, sizeof value, &error), &error, BG_ERROR_ARGUMENT, "NULL");
}

/* ---- strategies ---------------------------------------------------------------------------------------------- */

/* Every strategy makes sense at the ends of its range, and its name is its own. */
static void strategies(void **state)
{
    (void)state;
    bg_error error;
    int rows = 0;
    for (; bg_strategy_at(rows); rows++) {
        const bg_strategy *s = bg_strategy_at(rows);
        assert_ptr_equal(bg_strategy_find(s->name), s);
        for (int n_out = BG_MIN_OUT; n_out <= s->most_out; n_out += s->most_out - BG_MIN_OUT) {
            bg_process *process;
            bg_options o = default_options();
            assert_int_equal(bg_options_set_strategy(&o, s->name, &error), BG_OK);
            assert_int_equal(o.color, s->color);
            assert_int_equal(bg_process_create_gluons(&process, n_out, NULL), BG_OK);
            if (bg_options_check(process, &o, &error) != BG_OK) fail_msg("%s at %d: %s", s->name, n_out, error.message);
            assert_int_equal(bg_options_have_fast_kernel(&o), s->kernel == BG_KERNEL_FAST ||
                                                                  s->color == BG_COLOR_SUMMED ||
                                                                  s->recursion == BG_RECURSION_DRESSED);
            bg_process_destroy(process);
        }
    }
    assert_true(rows >= 14);
    assert_null(bg_strategy_find("feynman"));
    bg_options o = default_options();
    assert_refused(bg_options_set_strategy(&o, "feynman", &error), &error, BG_ERROR_ARGUMENT, "feynman");
    assert_refused(bg_options_set_strategy(&o, NULL, &error), &error, BG_ERROR_ARGUMENT, "strategy ''");
    assert_refused(bg_options_set_strategy(NULL, "full", &error), &error, BG_ERROR_ARGUMENT, "NULL");
}

static void questions_about_options(void **state)
{
    (void)state;
    bg_options o = default_options();
    bg_error error;
    assert_false(bg_options_are_automatic(&o) || bg_options_are_sampled(&o) || bg_options_are_automatic(NULL) ||
                 bg_options_are_sampled(NULL) || bg_options_have_fast_kernel(NULL));
    assert_true(bg_options_have_fast_kernel(&o));
    o.vertex = BG_VERTEX_TENSOR;
    assert_false(bg_options_have_fast_kernel(&o));
    o.color = BG_COLOR_AUTO;
    assert_true(bg_options_are_automatic(&o));
    o = default_options();
    o.helicity = BG_HELICITY_SAMPLED;
    assert_true(bg_options_are_sampled(&o));
    assert_int_equal(bg_options_check(NULL, &o, &error), BG_OK);
    o.recursion = BG_RECURSION_DRESSED;
    assert_refused(bg_options_check(NULL, &o, &error), &error, BG_ERROR_UNSUPPORTED, "dressed");
    o = default_options();
    assert_int_equal(bg_options_set(&o, "helicity", "+-+--+", NULL), BG_OK);
    assert_int_equal(bg_options_check(NULL, &o, &error), BG_OK);
    assert_refused(bg_options_check(NULL, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
}

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

/* bg_options as it might have been yesterday, without what came last. */
enum { YESTERDAY = offsetof(bg_options, floats) };

static void a_shorter_struct_from_yesterday(void **state)
{
    (void)state;
    unsigned char memory[sizeof(bg_options) + 64];
    bg_options *old = malloc(sizeof *old + 64); /* alignment */
    bg_process *process;
    bg_evaluator *e;
    bg_error error;
    char value[32];
    memset(old, 0x5a, sizeof *old + 64);
    memset(memory, 0x5a, sizeof memory);
    const size_t size = (YESTERDAY + 7) / 8 * 8;
    bg_options_init_sized(old, size);
    assert_int_equal(old->size, size);
    assert_int_equal(old->color, BG_COLOR_SUMMED);
    assert_int_equal(old->seed, 1);
    /* nothing behind it was touched, and nothing behind it is read */
    assert_memory_equal((char *)old + size, memory + size, sizeof *old + 64 - size);
    assert_int_equal(bg_process_create_gluons(&process, 2, NULL), BG_OK);
    assert_int_equal(bg_evaluator_create(&e, process, old, &error), BG_OK);
    assert_int_equal(bg_evaluator_options(e)->size, size);
    assert_int_equal(bg_evaluator_options(e)->instruction_set, BG_INSTRUCTIONS_AUTO); /* the default of what it lacks */
    assert_int_equal(bg_evaluator_options(e)->floats, BG_FLOATS_DOUBLE);
    bg_evaluator_destroy(e);
    assert_int_equal(bg_options_set(old, "threads", "2", &error), BG_OK);
    assert_refused(bg_options_set(old, "instruction-set", "baseline", &error), &error, BG_ERROR_UNSUPPORTED,
                   "instruction-set|version");
    assert_refused(bg_options_get(old, "instruction-set", value, sizeof value, &error), &error, BG_ERROR_UNSUPPORTED,
                   "instruction-set");
    assert_memory_equal((char *)old + size, memory + size, sizeof *old + 64 - size);

    /* results and resolved options are cut as well */
    bg_integration w;
    bg_result *result = malloc(sizeof *result);
    assert_non_null(result);
    memset(result, 0x5a, sizeof *result);
    bg_clear(result, offsetof(bg_result, hardware));
    bg_integration_init(&w);
    w.points = 500;
    w.resolved = old;
    assert_int_equal(bg_integrate(process, old, &w, result, &error), BG_OK);
    assert_int_equal(result->size, offsetof(bg_result, hardware));
    assert_true(result->sigma_pb > 0.);
    assert_int_equal(result->hardware[0], 0x5a);
    assert_int_equal(old->size, size);
    assert_string_not_equal(old->backend, "auto");
    assert_memory_equal((char *)old + size, memory + size, sizeof *old + 64 - size);

    /* an integration that ends before its callbacks */
    bg_integration *short_one = malloc(sizeof *short_one);
    assert_non_null(short_one);
    memset(short_one, 0x5a, sizeof *short_one);
    bg_integration_init_sized(short_one, offsetof(bg_integration, histograms));
    short_one->points = 500;
    bg_result whole;
    bg_result_init(&whole);
    assert_int_equal(bg_integrate(process, old, short_one, &whole, &error), BG_OK);
    assert_true(whole.sigma_pb == result->sigma_pb);
    free(short_one);
    free(result);
    free(old);
    bg_process_destroy(process);
}

/* A program that is newer than the library: all is well until it asks for what the library does not know. */
static void a_longer_struct_from_tomorrow(void **state)
{
    (void)state;
    struct {
        bg_options options;
        uint64_t more[2];
    } new;
    bg_error error;
    memset(&new, 0x5a, sizeof new);
    bg_options_init_sized(&new.options, sizeof new);
    assert_true(new.more[0] == 0 && new.more[1] == 0);
    assert_int_equal(bg_options_check(NULL, &new.options, &error), BG_OK);
    new.more[1] = 1;
    assert_refused(bg_options_check(NULL, &new.options, &error), &error, BG_ERROR_UNSUPPORTED, "newer");
}

/* What programs were compiled with stays where it was: the ends of today's structs on 64-bit machines. A new field comes
 * behind them and gets a line of its own; a line that is here never changes within one SONAME. */
#define ENDS_AT(type, field, bytes)                                                                                    \
    _Static_assert(sizeof(void *) != 8 || offsetof(type, field) + sizeof((type *)0)->field == (bytes), #type "." #field)
ENDS_AT(bg_options, reserved, 128);
ENDS_AT(bg_integration, resolved, 168);
ENDS_AT(bg_result, note, 544);
ENDS_AT(bg_memory, stack, 48);
ENDS_AT(bg_stability, rescued, 32);
ENDS_AT(bg_communicator, user, 56);
ENDS_AT(bg_points, event, 48);
ENDS_AT(bg_backend_info, description, 288);
ENDS_AT(bg_choice, machine, 80);
ENDS_AT(bg_option, matters, 84);

static void uninitialized_structs(void **state)
{
    (void)state;
    static const size_t absurd[] = {0, 1, 8, 17, 1u << 20, SIZE_MAX};
    bg_process *process;
    bg_evaluator *e;
    bg_error error;
    assert_int_equal(bg_process_create_gluons(&process, 2, NULL), BG_OK);
    for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++) {
        bg_options o = default_options();
        bg_integration w;
        bg_result r;
        bg_memory m;
        bg_stability s;
        bg_choice c;
        bg_backend_info b;
        const bg_options good = default_options();
        bg_integration_init(&w);
        bg_result_init(&r);
        w.points = 100;
        o.size = absurd[k];
        assert_refused(bg_evaluator_create(&e, process, &o, &error), &error, BG_ERROR_ARGUMENT,
                       "options|bytes|not initialized");
        assert_null(e);
        assert_refused(bg_options_set(&o, "color", "auto", &error), &error, BG_ERROR_ARGUMENT, "not initialized");
        assert_refused(bg_integrate(process, &o, &w, &r, &error), &error, BG_ERROR_ARGUMENT, "options|not initialized");
        w.resolved = &o;
        assert_refused(bg_integrate(process, &good, &w, &r, &error), &error, BG_ERROR_ARGUMENT,
                       "options|not initialized");
        w.resolved = NULL;
        w.size = absurd[k];
        assert_refused(bg_integrate(process, &good, &w, &r, &error), &error, BG_ERROR_ARGUMENT,
                       "integration|not initialized");
        bg_integration_init(&w);
        r.size = absurd[k];
        assert_refused(bg_integrate(process, &good, &w, &r, &error), &error, BG_ERROR_ARGUMENT,
                       "result|not initialized");
        assert_int_equal(bg_evaluator_create(&e, process, &good, &error), BG_OK);
        m.size = s.size = c.size = b.size = absurd[k];
        assert_refused(bg_evaluator_memory(e, &m, &error), &error, BG_ERROR_ARGUMENT, "memory|not initialized");
        assert_refused(bg_evaluator_stability(e, &s, &error), &error, BG_ERROR_ARGUMENT, "stability|not initialized");
        assert_refused(bg_memory_needed(process, &good, &m, &error), &error, BG_ERROR_ARGUMENT,
                       "memory|not initialized");
        assert_refused(bg_choose(process, &good, BG_FOR_CROSS_SECTION, &c, NULL, &error), &error, BG_ERROR_ARGUMENT,
                       "choice|not initialized");
        assert_refused(bg_backend_describe("cpu", &b, &error), &error, BG_ERROR_ARGUMENT,
                       "backend_info|not initialized");
        bg_evaluator_destroy(e);
    }
    bg_process_destroy(process);
    bg_options_init(NULL);
    bg_integration_init(NULL);
    bg_clear(NULL, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_whole),
        cmocka_unit_test(words_are_enumerations),
        cmocka_unit_test(helicities_and_presets),
        cmocka_unit_test(numbers),
        cmocka_unit_test(flags),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(strategies),
        cmocka_unit_test(questions_about_options),
        cmocka_unit_test(a_shorter_struct_from_yesterday),
        cmocka_unit_test(a_longer_struct_from_tomorrow),
        cmocka_unit_test(uninitialized_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
