/* The public interface: what it refuses and how it says so, NULL, lifetimes, threads. */
#include "support.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static bg_process *process_of(int n_out)
{
    bg_process *process;
    assert_int_equal(bg_process_create_gluons(&process, n_out, NULL), BG_OK);
    return process;
}

/* ---- names --------------------------------------------------------------------------------------- */

static void names(void **state)
{
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", BG_VERSION_MAJOR, BG_VERSION_MINOR, BG_VERSION_PATCH);
    assert_string_equal(bg_version(), version);
    for (int s = BG_OK; s <= BG_ERROR_COMMUNICATOR; s++) {
        assert_non_null(bg_status_string((bg_status)s));
        for (int t = BG_OK; t < s; t++)
            assert_string_not_equal(bg_status_string((bg_status)s), bg_status_string((bg_status)t));
    }
    assert_non_null(bg_status_string((bg_status)99));
    static const char *const algorithms[] = {"tess", "lc", "co-sum", "co-mc", "cd-mc"};
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++) {
        bg_algorithm a = (bg_algorithm)-1;
        assert_string_equal(bg_algorithm_name((bg_algorithm)k), algorithms[k]);
        assert_int_equal(bg_algorithm_parse(&a, algorithms[k], NULL), BG_OK);
        assert_int_equal(a, k);
    }
    assert_null(bg_algorithm_name((bg_algorithm)BG_ALGORITHM_COUNT));
    assert_null(bg_algorithm_name((bg_algorithm)-1));
}

static void backends(void **state)
{
    (void)state;
    char description[128];
    bg_error error;
    int cpu = 0, k = 0;
    for (; bg_backend_name(k); k++) cpu += !strcmp(bg_backend_name(k), "cpu");
    assert_int_equal(cpu, 1);
    assert_null(bg_backend_name(k + 1));
    assert_null(bg_backend_name(-1));
    assert_int_equal(bg_backend_probe("cpu", description, sizeof description, &error), BG_OK);
    assert_true(bg_backend_capabilities("cpu") & BG_CAN_CHOOSE_THREADS);
    assert_int_equal(bg_backend_capabilities("abacus"), 0);
    assert_int_equal(bg_backend_capabilities(NULL), 0);
    assert_true(strlen(description) > 0);
    /* a short buffer is filled and closed, no more */
    description[4] = 'x';
    assert_int_equal(bg_backend_probe("cpu", description, 4, &error), BG_OK);
    assert_int_equal(strlen(description), 3);
    assert_int_equal(description[4], 'x');
    assert_refused(bg_backend_probe("abacus", description, sizeof description, &error), &error, BG_ERROR_ARGUMENT,
                   "abacus|cpu|cuda|auto");
    assert_refused(bg_backend_probe(NULL, description, sizeof description, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_backend_probe("cpu", NULL, 10, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_backend_probe("cpu", description, 0, &error), &error, BG_ERROR_ARGUMENT, "0");
    setenv("BLOCKGEN_SIMD", "sse9", 1);
    assert_refused(bg_backend_probe("cpu", description, sizeof description, &error), &error, BG_ERROR_ARGUMENT,
                   "sse9|baseline");
    bg_process *process = process_of(2);
    bg_evaluator *e = (bg_evaluator *)process;
    const bg_options o = default_options();
    assert_refused(bg_evaluator_create(&e, process, &o, &error), &error, BG_ERROR_ARGUMENT, "sse9|baseline");
    assert_null(e);
    bg_process_destroy(process);
    default_simd();
}

/* ---- processes ------------------------------------------------------------------------------------- */

static void processes(void **state)
{
    (void)state;
    int pdg[32];
    bg_process *p;
    bg_error error;
    for (int k = 0; k < 32; k++) pdg[k] = BG_PDG_GLUON;
    for (int n_out = BG_MIN_OUT; n_out <= BG_MAX_OUT_DRESSED; n_out++) {
        assert_int_equal(bg_process_create(&p, 2, n_out, pdg, &error), BG_OK);
        assert_int_equal(error.status, BG_OK);
        assert_int_equal(bg_process_n_out(p), n_out);
        bg_process_destroy(p);
        assert_int_equal(bg_process_create_gluons(&p, n_out, NULL), BG_OK);
        assert_int_equal(bg_process_n_out(p), n_out);
        bg_process_destroy(p);
    }
    p = (bg_process *)pdg;
    assert_refused(bg_process_create(&p, 1, 4, pdg, &error), &error, BG_ERROR_ARGUMENT, "1 incoming|must be 2");
    assert_null(p); /* nothing half-made is handed out */
    assert_refused(bg_process_create(&p, 3, 4, pdg, &error), &error, BG_ERROR_ARGUMENT, "3 incoming|must be 2");
    assert_refused(bg_process_create(&p, 2, 1, pdg, &error), &error, BG_ERROR_ARGUMENT, "n_out = 1|2 to 12");
    assert_refused(bg_process_create(&p, 2, 13, pdg, &error), &error, BG_ERROR_ARGUMENT, "n_out = 13|2 to 12");
    assert_refused(bg_process_create(&p, 2, -4, pdg, &error), &error, BG_ERROR_ARGUMENT, "n_out = -4|2 to 12");
    assert_refused(bg_process_create_gluons(&p, 13, &error), &error, BG_ERROR_ARGUMENT, "n_out = 13|2 to 12");
    assert_refused(bg_process_create(&p, 2, 2, NULL, &error), &error, BG_ERROR_ARGUMENT, "pdg is NULL");
    assert_refused(bg_process_create(NULL, 2, 2, pdg, &error), &error, BG_ERROR_ARGUMENT, "process is NULL");
    assert_refused(bg_process_create_gluons(NULL, 2, &error), &error, BG_ERROR_ARGUMENT, "process is NULL");
    pdg[3] = 1;
    assert_refused(bg_process_create(&p, 2, 2, pdg, &error), &error, BG_ERROR_ARGUMENT,
                   "flavor d|g g > g d|0 before|1 after");
    pdg[3] = BG_PDG_GLUON;
    pdg[0] = -21;
    assert_refused(bg_process_create(&p, 2, 2, pdg, &error), &error, BG_ERROR_UNSUPPORTED,
                   "particle 1|PDG id -21;|21|1 to 5");
    bg_process_destroy(NULL);
    /* the message is not needed */
    assert_int_equal(bg_process_create(&p, 2, 1, pdg, NULL), BG_ERROR_ARGUMENT);
}

/* ---- options ----------------------------------------------------------------------------------------- */

static void defaults(void **state)
{
    (void)state;
    bg_options o;
    memset(&o, 0x5a, sizeof o);
    bg_options_init(&o);
    assert_int_equal(o.color, BG_COLOR_SUMMED);
    assert_int_equal(o.recursion, BG_RECURSION_ORDERED);
    assert_int_equal(o.helicity, BG_HELICITY_SUMMED);
    assert_int_equal(o.kernel, BG_KERNEL_FAST);
    assert_int_equal(o.decomposition, BG_DECOMPOSITION_ADJOINT);
    assert_int_equal(o.orderings, BG_ORDERINGS_ALL);
    assert_int_equal(o.layout, BG_LAYOUT_EVENTS);
    assert_string_equal(o.backend, "auto");
    assert_string_equal(o.helicities, "");
    assert_int_equal(o.threads, 0);
    assert_int_equal(o.samples, 1);
    assert_int_equal(o.seed, 1);
    assert_true(o.alpha_s == 0.118);
}

static void presets(void **state)
{
    (void)state;
    static const struct {
        bg_color color;
        bg_recursion recursion;
        bg_helicity helicity;
        bg_layout layout;
    } expected[BG_ALGORITHM_COUNT] = {
        {BG_COLOR_LEADING, BG_RECURSION_ORDERED, BG_HELICITY_SAMPLED, BG_LAYOUT_COOPERATIVE},
        {BG_COLOR_LEADING, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
        {BG_COLOR_SUMMED, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
        {BG_COLOR_SAMPLED, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
        {BG_COLOR_SAMPLED, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED, BG_LAYOUT_EVENTS},
    };
    bg_error error;
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++) {
        bg_options o = default_options();
        o.seed = 77;
        o.alpha_s = 0.2;
        assert_int_equal(bg_options_set_algorithm(&o, (bg_algorithm)k, &error), BG_OK);
        assert_int_equal(o.color, expected[k].color);
        assert_int_equal(o.recursion, expected[k].recursion);
        assert_int_equal(o.helicity, expected[k].helicity);
        assert_int_equal(o.layout, expected[k].layout);
        assert_int_equal(o.seed, 77);
        assert_true(o.alpha_s == 0.2);
    }
    bg_options o = default_options();
    bg_algorithm a;
    assert_refused(bg_options_set_algorithm(&o, (bg_algorithm)5, &error), &error, BG_ERROR_ARGUMENT, "5|0 to 4");
    assert_refused(bg_options_set_algorithm(&o, (bg_algorithm)-1, &error), &error, BG_ERROR_ARGUMENT, "-1|0 to 4");
    assert_refused(bg_options_set_algorithm(NULL, BG_ALGORITHM_LC, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_algorithm_parse(&a, "feynman", &error), &error, BG_ERROR_ARGUMENT,
                   "feynman|tess|lc|co-sum|co-mc|cd-mc");
    assert_refused(bg_algorithm_parse(&a, NULL, &error), &error, BG_ERROR_ARGUMENT, "tess|cd-mc");
    assert_refused(bg_algorithm_parse(NULL, "lc", &error), &error, BG_ERROR_ARGUMENT, "NULL");
}

/* Creating an evaluator with these options fails so. */
static void refuse(int n_out, const bg_options *o, bg_status expected, const char *parts)
{
    bg_process *process = process_of(n_out);
    bg_evaluator *e = (bg_evaluator *)process;
    bg_error error;
    assert_refused(bg_evaluator_create(&e, process, o, &error), &error, expected, parts);
    assert_null(e);
    assert_int_equal(bg_evaluator_create(&e, process, o, NULL), expected);
    bg_process_destroy(process);
}

static void options_out_of_range(void **state)
{
    (void)state;
#define OUT_OF_RANGE(axis, type, last)                                                                                 \
    do {                                                                                                               \
        bg_options x = default_options();                                                                              \
        char parts[64];                                                                                                \
        x.axis = (type)(last + 1);                                                                                     \
        snprintf(parts, sizeof parts, "%s is %d|0 to %d", #axis, last + 1, last);                                      \
        refuse(2, &x, BG_ERROR_ARGUMENT, parts);                                                                       \
        x.axis = (type)-1;                                                                                             \
        snprintf(parts, sizeof parts, "%s is -1|0 to %d", #axis, last);                                                \
        refuse(2, &x, BG_ERROR_ARGUMENT, parts);                                                                       \
    } while (0)
    OUT_OF_RANGE(color, bg_color, (int)BG_COLOR_LEADING);
    OUT_OF_RANGE(recursion, bg_recursion, (int)BG_RECURSION_DRESSED);
    OUT_OF_RANGE(helicity, bg_helicity, (int)BG_HELICITY_FIXED);
    OUT_OF_RANGE(helicity_sampling, bg_helicity_sampling, (int)BG_SAMPLE_MASSES);
    OUT_OF_RANGE(color_sampling, bg_color_sampling, (int)BG_COLORS_COHERENT);
    OUT_OF_RANGE(kernel, bg_kernel, 1);
    OUT_OF_RANGE(vertex, bg_vertex, 1);
    OUT_OF_RANGE(decomposition, bg_decomposition, 1);
    OUT_OF_RANGE(orderings, bg_orderings, 1);
    OUT_OF_RANGE(layout, bg_layout, 1);
    OUT_OF_RANGE(rescue, int, 1);
    OUT_OF_RANGE(floats, bg_floats, 1);
    OUT_OF_RANGE(instruction_set, bg_instruction_set, (int)BG_INSTRUCTIONS_AVX512);

    bg_options o = default_options();
    o.threads = -1;
    refuse(2, &o, BG_ERROR_ARGUMENT, "threads is -1|4096");
    o.threads = 4097;
    refuse(2, &o, BG_ERROR_ARGUMENT, "threads is 4097|4096");
    o = default_options();
    o.samples = 0;
    refuse(2, &o, BG_ERROR_ARGUMENT, "samples is 0|1 to");
    o.samples = -3;
    refuse(2, &o, BG_ERROR_ARGUMENT, "samples is -3|1 to");
    o = default_options();
    static const int groups[] = {-1, -2, 3, 12, 33, 64}; /* powers of two up to 32, or 0 */
    for (int k = 0; k < 6; k++) {
        char parts[64];
        snprintf(parts, sizeof parts, "color_group is %d|power of two|32", groups[k]);
        bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL);
        o.color_group = groups[k];
        refuse(2, &o, BG_ERROR_ARGUMENT, parts);
    }
    o = default_options();
    static const double couplings[] = {0., -0.118, 11., (double)INFINITY, (double)NAN};
    for (int k = 0; k < 5; k++) {
        char parts[64];
        snprintf(parts, sizeof parts, "alpha_s is %g|1e-06 to 10", couplings[k]);
        o.alpha_s = couplings[k];
        refuse(2, &o, BG_ERROR_ARGUMENT, parts);
    }
    o = default_options();
    o.device = -2;
    refuse(2, &o, BG_ERROR_ARGUMENT, "device is -2|-1 to");
    o.device = 1;
    refuse(2, &o, BG_ERROR_ARGUMENT, "device is 1|device 0");
    o = default_options();
    strcpy(o.backend, "abacus");
    refuse(2, &o, BG_ERROR_ARGUMENT, "abacus|auto|cpu|cuda");
    memset(o.backend, 'x', sizeof o.backend); /* no end of string */
    refuse(2, &o, BG_ERROR_ARGUMENT, "xxx|auto|cpu|cuda");
}

static void helicity_strings(void **state)
{
    (void)state;
    bg_options o = default_options();
    o.helicity = BG_HELICITY_FIXED;
    refuse(2, &o, BG_ERROR_ARGUMENT, "0 helicities|4 partons");
    strcpy(o.helicities, "+-+");
    refuse(2, &o, BG_ERROR_ARGUMENT, "3 helicities|'+-+'|4 partons");
    strcpy(o.helicities, "+-+-+");
    refuse(2, &o, BG_ERROR_ARGUMENT, "5 helicities|4 partons");
    strcpy(o.helicities, "+-0-");
    refuse(2, &o, BG_ERROR_ARGUMENT, "helicity '0'|+-0-|+ or -");
    memset(o.helicities, '+', sizeof o.helicities); /* no end of string */
    refuse(2, &o, BG_ERROR_ARGUMENT, "16 helicities|4 partons");
}

static void combinations(void **state)
{
    (void)state;
    bg_options o = default_options();
    o.recursion = BG_RECURSION_DRESSED;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "dressed|summed|sampled");
    o.color = BG_COLOR_LEADING;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "dressed|leading|sampled");
    o.color = BG_COLOR_SAMPLED;
    o.vertex = BG_VERTEX_TENSOR;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "vertex|ordered");
    for (int color = BG_COLOR_SUMMED; color <= BG_COLOR_LEADING; color++) {
        o = default_options();
        o.color = (bg_color)color;
        o.kernel = BG_KERNEL_PAPER;
        refuse(9, &o, BG_ERROR_UNSUPPORTED, "n_out = 9|2 to 8|12");
    }
    /* learned helicity sampling has nothing to learn from at single points */
    for (int s = BG_SAMPLE_ADAPTIVE; s <= BG_SAMPLE_MASSES; s++) {
        o = default_options();
        o.helicity = BG_HELICITY_SAMPLED;
        o.helicity_sampling = (bg_helicity_sampling)s;
        refuse(2, &o, BG_ERROR_UNSUPPORTED, "helicity|angle|phase|linear|circular");
    }
    o = default_options();
    o.layout = BG_LAYOUT_COOPERATIVE;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "cooperative|leading");
    o = default_options();
    o.orderings = BG_ORDERINGS_ONE;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "ordering|leading");
    o = default_options();
    o.decomposition = BG_DECOMPOSITION_TRACE;
    refuse(5, &o, BG_ERROR_UNSUPPORTED, "trace|n_out = 5|2 to 4");
    o.color = BG_COLOR_LEADING;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "trace|summed");
    o = default_options();
    o.color = BG_COLOR_SAMPLED;
    o.color_sampling = BG_COLORS_DISCRETE;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "discrete|dressed");
    o.color_sampling = BG_COLORS_CONTINUOUS;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "continuous|dressed");
    o.color_sampling = BG_COLORS_COHERENT;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "coherent|dressed");
    o.recursion = BG_RECURSION_DRESSED;
    o.kernel = BG_KERNEL_PAPER;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "coherent|fast kernel|continuous or discrete");
    o.color_group = 8;
    o.color_sampling = BG_COLORS_AUTO;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "color_group is 8|coherent|fast kernel");
    o.kernel = BG_KERNEL_FAST;
    for (int s = BG_COLORS_CONTINUOUS; s <= BG_COLORS_DISCRETE; s++) {
        o.color_sampling = (bg_color_sampling)s;
        refuse(2, &o, BG_ERROR_UNSUPPORTED, "color_group is 8|coherent");
    }
    o = default_options();
    o.color_group = 1;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "color_group is 1|coherent");
    o = default_options();
    o.color = BG_COLOR_LEADING;
    o.layout = BG_LAYOUT_COOPERATIVE;
    o.vertex = BG_VERTEX_TENSOR;
    refuse(2, &o, BG_ERROR_UNSUPPORTED, "cooperative|vertex");
}

/* Somebody who says that he wants to stop once he was asked more than `patience` times, from any thread. */
typedef struct impatience {
    int asked, patience;
} impatience;

static int lose_patience(void *user)
{
    impatience *i = user;
    return __atomic_add_fetch(&i->asked, 1, __ATOMIC_RELAXED) > i->patience;
}

/* Every kind of color tables is left where it is, at once; sanitizers look for what stays behind. */
static void creation_is_stopped(void **state)
{
    (void)state;
    static const struct {
        const char *process;
        bg_kernel kernel;
    } kinds[] = {{"g g > g g g g g", BG_KERNEL_FAST},
                 {"g g > g g g g g", BG_KERNEL_PAPER},
                 {"u u~ > g g g g", BG_KERNEL_FAST},
                 {"u u~ > d d~ g g", BG_KERNEL_FAST}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int patience = 0; patience < 200; patience += 1 + patience) {
            impatience i = {0, patience};
            bg_process *process;
            bg_evaluator *e = NULL;
            bg_error error;
            bg_options o = default_options();
            strcpy(o.backend, "cpu");
            o.kernel = kinds[k].kernel;
            o.helicity = BG_HELICITY_SAMPLED; /* code that was written out for sums over helicities has no tables */
            assert_int_equal(bg_process_parse(&process, kinds[k].process, 5, 2, &error), BG_OK);
            const bg_status status = bg_evaluator_create_stoppable(&e, process, &o, lose_patience, &i, &error);
            bg_process_destroy(process);
            assert_int_equal(status, i.asked > patience ? BG_ERROR_INTERRUPTED : BG_OK);
            if (patience <= 1) assert_int_equal(status, BG_ERROR_INTERRUPTED);
            assert_int_equal(e != NULL, status == BG_OK);
            if (status != BG_OK) assert_non_null(strstr(error.message, "stopped"));
            bg_evaluator_destroy(e);
        }
}

/* Matrix elements are exact as far as exact sums go, cross sections take the fastest way; what is given stays. */
static void automatic_choices(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 12; n_out += 5) {
        const int exact = n_out <= BG_MAX_OUT_SUMMED;
        bg_process *process = process_of(n_out);
        bg_evaluator *e;
        bg_options o = default_options();
        bg_options_set_automatic(&o);
        assert_int_equal(bg_evaluator_create(&e, process, &o, NULL), BG_OK);
        const bg_options *chosen = bg_evaluator_options(e);
        assert_int_equal(chosen->color, exact ? BG_COLOR_SUMMED : BG_COLOR_SAMPLED);
        assert_int_equal(chosen->recursion, exact ? BG_RECURSION_ORDERED : BG_RECURSION_DRESSED);
        assert_int_equal(chosen->helicity, BG_HELICITY_SUMMED);
        assert_int_equal(chosen->color_sampling, exact ? BG_COLORS_AUTO : BG_COLORS_COHERENT);
        assert_int_equal(chosen->color_group, exact ? 0 : 32);
        bg_evaluator_destroy(e);
        o.color = BG_COLOR_SAMPLED;
        o.helicity = BG_HELICITY_SAMPLED;
        assert_int_equal(bg_evaluator_create(&e, process, &o, NULL), BG_OK);
        assert_int_equal(bg_evaluator_options(e)->recursion, BG_RECURSION_DRESSED);
        assert_int_equal(bg_evaluator_options(e)->helicity, BG_HELICITY_SAMPLED);
        bg_evaluator_destroy(e);
        bg_process_destroy(process);
    }
    for (int n_out = 2; n_out <= 7; n_out += 5) {
        bg_process *process = process_of(n_out);
        bg_options o = default_options(), chosen = default_options();
        bg_integration w;
        bg_result automatic, same;
        bg_result_init(&automatic);
        bg_result_init(&same);
        bg_integration_init(&w);
        w.points = 500;
        w.resolved = &chosen;
        bg_options_set_automatic(&o);
        assert_int_equal(bg_integrate(process, &o, &w, &automatic, NULL), BG_OK);
        assert_int_equal(chosen.color, n_out == 2 ? BG_COLOR_SUMMED : BG_COLOR_SAMPLED);
        assert_int_equal(chosen.helicity, n_out == 2 ? BG_HELICITY_SUMMED : BG_HELICITY_SAMPLED);
        o = chosen; /* what it says it did gives the same again */
        assert_int_equal(automatic.estimated, n_out > 3);
        w.estimate = automatic.estimated ? BG_ESTIMATE_ON : BG_ESTIMATE_OFF;
        assert_int_equal(bg_integrate(process, &o, &w, &same, NULL), BG_OK);
        assert_true(same.sigma_pb == automatic.sigma_pb && same.error_pb == automatic.error_pb);
        bg_process_destroy(process);
    }
}

/* What does not fit is refused before anything is allocated. */
static void too_large_for_memory(void **state)
{
    (void)state;
    bg_options o = default_options();
    bg_error error;
    o.color = BG_COLOR_SAMPLED;
    o.recursion = BG_RECURSION_DRESSED;
    o.helicity = BG_HELICITY_FIXED;
    strcpy(o.helicities, "++++++++++++++");
    o.threads = 1;
    bg_process *process = process_of(12);
    bg_evaluator *e;
    assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK);
    bg_memory m;
    bg_memory_init(&m);
    (void)bg_evaluator_memory(e, &m, NULL);
    bg_evaluator_destroy(e);
    const double need = 4096. * (double)m.per_event * (double)m.batch;
    unsigned long kilobytes = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %lu", &kilobytes) != 1) continue;
    if (f) fclose(f);
    bg_process_destroy(process);
    if (kilobytes && need > 1.1 * 1024. * (double)kilobytes) { /* or this machine is too large for it */
        o.threads = 4096;
        refuse(12, &o, BG_ERROR_MEMORY, "n_out = 12|4096 threads|MB");
    }
#ifndef TEST_SANITIZED /* whose allocator does not return where memory is short */
    const double mega = 1048576.;
    struct rlimit before, tight;
    unsigned long pages = 0;
    f = fopen("/proc/self/statm", "r");
    assert_true(f && fscanf(f, "%lu", &pages) == 1);
    fclose(f);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    tight = before;
    tight.rlim_cur = (rlim_t)((double)pages * (double)sysconf(_SC_PAGESIZE) + 256. * mega);
    o.threads = 1 + (int)(512. * mega / ((double)m.per_event * (double)m.batch));
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    process = process_of(12);
    const bg_status status = bg_evaluator_create(&e, process, &o, &error);
    bg_process_destroy(process);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_refused(status, &error, BG_ERROR_MEMORY, "no memory|thread");
#endif
}

/* ---- evaluators ------------------------------------------------------------------------------------------ */

static void null_and_nothing(void **state)
{
    (void)state;
    bg_error error;
    bg_process *process = process_of(2);
    bg_evaluator *e = NULL;
    const bg_options o = default_options();
    double p[16], me2 = -1.;
    random_source r = fresh_source(1);
    random_cut_point(&r, 2, 1000., p);
    assert_refused(bg_evaluator_create(NULL, process, &o, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_evaluator_create(&e, NULL, &o, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_evaluator_create(&e, process, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK);
    assert_refused(bg_evaluator_evaluate(NULL, 0, 1, p, &me2, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_evaluator_evaluate(e, 0, 1, NULL, &me2, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_evaluator_evaluate(e, 0, 1, p, NULL, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    /* no points is no work */
    assert_int_equal(bg_evaluator_evaluate(e, 0, 0, NULL, NULL, NULL, &error), BG_OK);
    assert_int_equal(bg_evaluator_evaluate(e, 0, 0, p, &me2, NULL, &error), BG_OK);
    assert_true(me2 == -1.);
    /* an error that was there is cleared */
    error.status = BG_ERROR_IO;
    strcpy(error.message, "old");
    assert_int_equal(bg_evaluator_evaluate(e, 0, 1, p, &me2, NULL, &error), BG_OK);
    assert_int_equal(error.status, BG_OK);
    assert_string_equal(error.message, "");
    bg_evaluator_destroy(e);
    bg_evaluator_destroy(NULL);
    bg_process_destroy(process);
}

static void what_an_evaluator_tells(void **state)
{
    (void)state;
    bg_error error;
    bg_process *process = process_of(4);
    bg_evaluator *e;
    bg_options o = default_options();
    o.samples = 7; /* nothing is sampled: one is enough */
    assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK);
    assert_string_equal(bg_evaluator_backend(e), "cpu");
    assert_true(strlen(bg_evaluator_hardware(e)) > 0);
    assert_true(bg_evaluator_threads(e) >= 1);
    assert_int_equal(bg_evaluator_options(e)->threads, bg_evaluator_threads(e));
    assert_string_equal(bg_evaluator_options(e)->backend, "cpu");
    assert_int_equal(bg_evaluator_options(e)->samples, 1);
    bg_memory one;
    bg_memory_init(&one);
    (void)bg_evaluator_memory(e, &one, NULL);
    assert_true(one.shared >= 24 * sizeof(double));
    assert_true(one.per_event > 0 && one.batch > 0);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
    process = process_of(5);
    o.threads = 3;
    strcpy(o.backend, "auto");
    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* where a GPU is built in, it is not to be found */
    assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK);
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_string_equal(bg_evaluator_backend(e), "cpu");
    bg_memory more;
    bg_memory_init(&more);
    (void)bg_evaluator_memory(e, &more, NULL);
#ifdef BG_HAVE_OPENMP
    assert_int_equal(bg_evaluator_threads(e), 3);
#endif
    assert_true(more.shared > one.shared && more.per_event > one.per_event);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
}

/* Arrays on a device are for backends that have one. */
static void no_device_arrays_on_the_cpu(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    double p[4 * 4], me2 = -1.;
    bg_error error;
    bg_process *process = process_of(2);
    bg_evaluator *e;
    const bg_options o = default_options();
    random_cut_point(&r, 2, 1000., p);
    assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK);
    assert_refused(bg_evaluator_evaluate_device(e, 0, 1, p, &me2, NULL, &error), &error, BG_ERROR_UNSUPPORTED,
                   "cpu|device");
    assert_true(me2 == -1.); /* nothing was written, and the evaluator works as before */
    assert_int_equal(bg_evaluator_evaluate(e, 0, 1, p, &me2, NULL, &error), BG_OK);
    assert_true(me2 > 0.);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
}

static void evaluator_outlives_its_process(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    double p[4 * 5], before, after;
    bg_error error;
    bg_process *process = process_of(3);
    bg_evaluator *e;
    bg_options o = default_options();
    random_cut_point(&r, 3, 1000., p);
    assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK);
    assert_int_equal(bg_evaluator_evaluate(e, 0, 1, p, &before, NULL, &error), BG_OK);
    bg_process_destroy(process);
    memset(&o, 0xff, sizeof o); /* the options as well */
    assert_int_equal(bg_evaluator_evaluate(e, 0, 1, p, &after, NULL, &error), BG_OK);
    assert_true(before == after);
    bg_evaluator_destroy(e);
}

/* ---- several at once ---------------------------------------------------------------------------------------- */

enum { WORKERS = 4, ROUNDS = 20 };

typedef struct worker {
    bg_process *process;
    bg_options options;
    int n_out, failures;
    const double *momenta;
    double expected;
} worker;

static void *work(void *opaque)
{
    worker *w = opaque;
    for (int round = 0; round < ROUNDS; round++) {
        bg_evaluator *e;
        double me2 = 0.;
        if (bg_evaluator_create(&e, w->process, &w->options, NULL) != BG_OK ||
            bg_evaluator_evaluate(e, 5, 1, w->momenta, &me2, NULL, NULL) != BG_OK || me2 != w->expected)
            w->failures++;
        bg_evaluator_destroy(e);
    }
    return NULL;
}

static void several_threads(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    pthread_t thread[WORKERS];
    worker w[WORKERS];
    double p[4 * 6];
    random_cut_point(&r, 4, 1000., p);
    bg_process *process = process_of(4); /* one process for all */
    for (int k = 0; k < WORKERS; k++) {
        w[k] = (worker){.process = process, .options = default_options(), .n_out = 4, .momenta = p};
        bg_options_set_algorithm(&w[k].options, (bg_algorithm)(k + 1), NULL);
        w[k].options.threads = 1 + k % 2;
        w[k].options.samples = 3;
        evaluate(4, &w[k].options, 5, 1, p, &w[k].expected, NULL);
    }
    for (int k = 0; k < WORKERS; k++) assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
    for (int k = 0; k < WORKERS; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(w[k].failures, 0);
    }
    bg_process_destroy(process);
}

/* Evaluators side by side in one thread, used in turns. */
static void side_by_side(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    bg_evaluator *e[BG_ALGORITHM_COUNT][3];
    double p[3][4 * 5], expected[BG_ALGORITHM_COUNT][3];
    bg_error error;
    for (int n_out = 2; n_out <= 3; n_out++) random_cut_point(&r, n_out, 1000., p[n_out - 2]);
    random_cut_point(&r, 3, 1000., p[2]);
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++)
        for (int i = 0; i < 3; i++) {
            const int n_out = i ? 3 : 2;
            bg_process *process = process_of(n_out);
            bg_options o = default_options();
            bg_options_set_algorithm(&o, (bg_algorithm)k, NULL);
            o.seed = (uint64_t)(k + 1);
            assert_int_equal(bg_evaluator_create(&e[k][i], process, &o, &error), BG_OK);
            bg_process_destroy(process);
            evaluate(n_out, &o, 9, 1, p[i], &expected[k][i], NULL);
        }
    for (int round = 0; round < 3; round++)
        for (int k = BG_ALGORITHM_COUNT - 1; k >= 0; k--)
            for (int i = 0; i < 3; i++) {
                double me2;
                assert_int_equal(bg_evaluator_evaluate(e[k][i], 9, 1, p[i], &me2, NULL, &error), BG_OK);
                assert_true(me2 == expected[k][i]);
            }
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++)
        for (int i = 0; i < 3; i++) bg_evaluator_destroy(e[k][i]);
}

/* ---- points --------------------------------------------------------------------------------------------------- */

/* All five partons along the beam: each is massless, and momentum is conserved. */
static void fly_along(double *p)
{
    static const double energy[] = {500., 500., 400., 300., 300.};
    for (int k = 0; k < 5; k++)
        for (int c = 0; c < 4; c++) p[4 * k + c] = c == 0 || c == 3 ? energy[k] : 0.;
}

static void points(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    bg_error error;
    double good[4 * 5], p[4 * 5];
    for (int n_out = 2; n_out <= 12; n_out++) {
        double q[4 * MOST_GLUONS];
        random_point(&r, n_out, uniform(&r, 1., 1e5), q);
        assert_int_equal(bg_check_point(n_out, q, 1e-6, &error), BG_OK);
        assert_int_equal(bg_check_point(n_out, q, 1e-13, &error), BG_OK);
    }
    random_cut_point(&r, 3, 1000., good);
#define CHANGED(change, words)                                                                                         \
    do {                                                                                                               \
        memcpy(p, good, sizeof p);                                                                                     \
        change;                                                                                                        \
        assert_refused(bg_check_point(3, p, 1e-6, &error), &error, BG_ERROR_POINT, words);                             \
    } while (0)
    CHANGED(p[4 * 2 + 1] = (double)NAN, "px|parton 3|nan|finite");
    CHANGED(p[0] = (double)INFINITY, "E|parton 1|inf|finite");
    CHANGED(p[4 * 4 + 3] = -(double)INFINITY, "pz|parton 5|inf|finite");
    CHANGED(p[4 * 3] = -p[4 * 3], "parton 4|-|positive");
    CHANGED(p[4] = 0., "parton 2|0|positive");
    CHANGED(p[4 * 2] += 1., "parton 3|massless|0.001|1e-06");
    CHANGED(p[4 * 4 + 2] += copysign(3., p[4 * 4 + 2]), "parton 5|massless|1e-06");
    CHANGED(for (int c = 0; c < 4; c++) p[4 * 3 + c] *= 1.1, "conserved|1e-06");
    CHANGED(fly_along(p), "same direction|1e-06");
    /* 5 MeV of 1 TeV too much */
    const double stretch = 1. + 0.005 / good[4 * 2];
    CHANGED(for (int c = 0; c < 4; c++) p[4 * 2 + c] *= stretch, "conserved|1e-06");
    /* what is wrong by less than the tolerance is right */
    memcpy(p, good, sizeof p);
    for (int c = 0; c < 4; c++) p[4 * 2 + c] *= 1. + 1e-7;
    assert_int_equal(bg_check_point(3, p, 1e-6, &error), BG_OK);
    assert_refused(bg_check_point(3, p, 1e-9, &error), &error, BG_ERROR_POINT, "conserved|1e-09");
    assert_refused(bg_check_point(1, good, 1e-6, &error), &error, BG_ERROR_ARGUMENT, "n_out = 1|2 to 12");
    assert_refused(bg_check_point(13, good, 1e-6, &error), &error, BG_ERROR_ARGUMENT, "n_out = 13|2 to 12");
    assert_refused(bg_check_point(3, NULL, 1e-6, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_int_equal(bg_check_point(3, p, 1e-9, NULL), BG_ERROR_POINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(backends),
        cmocka_unit_test(processes),
        cmocka_unit_test(defaults),
        cmocka_unit_test(presets),
        cmocka_unit_test(options_out_of_range),
        cmocka_unit_test(helicity_strings),
        cmocka_unit_test(combinations),
        cmocka_unit_test(creation_is_stopped),
        cmocka_unit_test(automatic_choices),
        cmocka_unit_test(too_large_for_memory),
        cmocka_unit_test(null_and_nothing),
        cmocka_unit_test(what_an_evaluator_tells),
        cmocka_unit_test(no_device_arrays_on_the_cpu),
        cmocka_unit_test(evaluator_outlives_its_process),
        cmocka_unit_test(several_threads),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(points),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
