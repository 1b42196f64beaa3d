/* blockgen selftest: every algorithm on every backend present against the built-in reference values.
 *
 * Three kinds of rows:
 *   deviation   an exact mode against the reference values, n_out 2 to 5: largest relative deviation
 *   pull        a sampled mode against the exact sum: |mean - exact| / error of the mean, the largest over n_out
 *   agreement   two modes, or one mode on two backends, that must give the same numbers: largest relative difference
 * With quarks there are the exact sums of the fast kernel, all helicities, single ones, and draws of them; and coherent colors.
 */
#include "commands.h"
#include "console.h"
#include "json.h"
#include "options.h"
#include "reference.h"
#include "strategies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "selftest"
#define REFERENCE_LIMIT 1e-11
#define PULL_LIMIT 5.
#define AGREEMENT_LIMIT 1e-10      /* draws at equal seed, different kernels or backends */
#define BACKENDS_EXACT_LIMIT 1e-12 /* exact sums on two backends */

enum { DRAWS = 4096, MOST_COMPARED = 8 };

/* What makes a row: a strategy, changed by options "name=value". */
typedef struct mode {
    const char *strategy, *changes;
    int most; /* largest n_out against the reference values */
} mode;

static const mode modes[] = {
    {"tess", "kernel=fast helicity=summed orderings=all", 5},
    {"tess", "helicity=summed orderings=all", 5},
    {"tess", "kernel=fast orderings=all", 4},
    {"tess", "orderings=all", 4},
    {"tess", "kernel=fast", 5},
    {"lc-all", "kernel=fast", 5},
    {"lc-all", "", 5},
    {"lc-all", "vertex=tensor", 5},
    {"lc", "kernel=fast", 5},
    {"full", "", 5},
    {"full-paper", "", 5},
    {"full-paper", "vertex=tensor", 5},
    {"full-paper", "decomposition=trace", 4},
    {"co-sum", "", 5},
    {"co-mc", "kernel=fast", 4},
    {"co-mc", "", 4},
    {"co-mc-sampled", "vertex=tensor", 5},
    {"coherent", "", 5},
    {"coherent-summed", "", 4},
    {"cd-mc", "color-sampling=continuous", 5},
    {"cd-mc", "kernel=fast color-sampling=discrete", 5},
    {"cd-mc", "helicity=summed color-sampling=discrete", 4},
};
enum { MODES = sizeof modes / sizeof *modes };

/* Pairs that must give the same numbers draw by draw, where no reference values exist. */
static const struct {
    int n_out;
    mode a, b;
} twins[] = {
    {6, {"co-sum", "", 0}, {"co-sum-paper", "", 0}},
    {6, {"co-sum-paper", "", 0}, {"co-sum-paper", "vertex=tensor", 0}},
    {7, {"co-sum", "", 0}, {"co-sum-paper", "vertex=tensor", 0}},
    {8, {"co-sum", "", 0}, {"co-sum-paper", "vertex=tensor", 0}},
    {6, {"lc", "kernel=fast orderings=all", 0}, {"tess", "kernel=fast orderings=all", 0}},
    {7, {"lc", "kernel=fast", 0}, {"tess", "", 0}},
    {8, {"lc", "vertex=tensor", 0}, {"tess", "kernel=fast", 0}},
    {6, {"co-mc-sampled", "kernel=fast", 0}, {"cd-mc", "kernel=fast color-sampling=discrete", 0}},
    {7, {"co-mc-sampled", "vertex=tensor", 0}, {"cd-mc", "color-sampling=discrete", 0}},
    {8, {"co-mc-sampled", "kernel=fast", 0}, {"cd-mc", "kernel=fast color-sampling=discrete", 0}},
};
enum { TWINS = sizeof twins / sizeof *twins };

/* ---- questions ---------------------------------------------------------------------------------------- */

/* Sets "name=value name=value ...": the tables above are known to be right. */
static void change(bg_options *o, const char *changes)
{
    char text[96], *rest = NULL;
    snprintf(text, sizeof text, "%s", changes);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        bg_error error;
        *equals = '\0';
        if (bg_options_set(o, word, equals + 1, &error) != BG_OK) cli_message(NAME, "%s", error.message);
    }
}

static int is_dressed(const bg_options *o) { return o->recursion == BG_RECURSION_DRESSED; }

/* Axes of a mode; the backend is chosen by who asks. */
static bg_options options_of(const mode *m, const char *backend)
{
    bg_options o = strategy_options(m->strategy);
    change(&o, m->changes);
    /* draws are taken to be independent here */
    if (is_dressed(&o) && o.kernel == BG_KERNEL_FAST && o.color_sampling == BG_COLORS_AUTO) o.color_group = 1;
    snprintf(o.backend, sizeof o.backend, "%s", backend);
    return o;
}

static bg_options axes_of(const mode *m) { return options_of(m, "auto"); }

static const char *algorithm_of(const mode *m) { return bg_algorithm_name(strategy_named(m->strategy)->algorithm); }

static int is_sampled(const mode *m)
{
    const bg_options o = axes_of(m);
    return bg_options_are_sampled(&o);
}

static int is_leading(const mode *m) { return axes_of(m).color == BG_COLOR_LEADING; }

/* Nothing but helicities is drawn: to be compared as strictly as exact sums (up to n_out = 7; at 8 rounding alone
 * is of order 1e-12). */
static int is_color_exact(const mode *m)
{
    const bg_options o = axes_of(m);
    return o.color != BG_COLOR_SAMPLED && o.orderings == BG_ORDERINGS_ALL;
}

/* ---- reporting --------------------------------------------------------------------------------------- */

typedef struct report {
    int json_wanted;
    json json;
    int rows, failures;
    cli_range range; /* of outgoing partons */
} report;

/* "fast, quartic": the kernel and, where it is a choice, the vertex. */
static void describe_kernel(const bg_options *o, const char *comma, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", cli_value(o, "kernel").text, is_dressed(o) ? "" : comma,
             is_dressed(o) ? "" : cli_value(o, "vertex").text);
}

static void describe(const mode *m, char *text, size_t size)
{
    const bg_options o = axes_of(m);
    char kernel[80];
    describe_kernel(&o, ", ", kernel, sizeof kernel);
    snprintf(text, size, "%s%s%s%s", kernel,
             o.helicity == BG_HELICITY_SAMPLED ? ", helicities sampled" : ", helicities summed",
             o.decomposition == BG_DECOMPOSITION_TRACE ? ", traces"
             : !is_dressed(&o)                         ? ""
             : o.color_sampling == BG_COLORS_DISCRETE  ? ", discrete colors"
             : o.color_sampling == BG_COLORS_AUTO      ? ", coherent colors"
                                                       : ", continuous colors",
             o.orderings == BG_ORDERINGS_ONE ? ", one ordering" : "");
}

/* A finished row; `process` is NULL for gluons. `value` is not used when `failure` says why there is none. One that was
 * interrupted has neither passed nor failed, and is left out. */
static void finish_row(report *r, const char *process, const char *algorithm, const char *what, const char *backend,
                       int low, int high, const char *measure, double value, double limit, const char *failure)
{
    const int passed = !failure && value < limit; /* a NaN fails */
    if (cli_interrupted()) return;
    r->rows++;
    r->failures += !passed;
    if (r->json_wanted) {
        json *j = &r->json;
        json_open(j, NULL, '{');
        json_text(j, "process", process);
        json_text(j, "algorithm", algorithm);
        json_text(j, "mode", what);
        json_text(j, "backend", backend);
        json_integer(j, "n_out_min", low);
        json_integer(j, "n_out_max", high);
        json_text(j, "measure", measure);
        if (failure)
            json_null(j, "value");
        else
            json_real(j, "value", value);
        json_real(j, "limit", limit);
        json_bool(j, "passed", passed);
        if (failure) json_text(j, "message", failure);
        json_close(j);
        return;
    }
    char range[16], number[32], title[128];
    snprintf(title, sizeof title, "%s%s%s", process ? process : "", process ? ", " : "", what);
    snprintf(range, sizeof range, low == high ? "%d" : "%d-%d", low, high);
    snprintf(number, sizeof number, strcmp(measure, "pull") ? "%.1e" : "%.2f", value);
    printf("%-7s %-50s %-10s %-5s %-10s %-8s %s\n", algorithm, title, backend, range, measure, failure ? "-" : number,
           passed ? "ok" : "FAILED");
    if (failure) printf("        %s\n", failure);
    fflush(stdout);
}

/* ---- values --------------------------------------------------------------------------------------------- */

/* Releases the process. */
static bg_status evaluate_process(const bg_options *options, bg_process *process, size_t count, const double *momenta,
                                  double *me2, bg_error *error)
{
    bg_evaluator *evaluator = NULL;
    bg_status status = bg_evaluator_create_stoppable(&evaluator, process, options, cli_wants_to_stop, NULL, error);
    if (status == BG_OK) status = bg_evaluator_evaluate(evaluator, 0, count, momenta, me2, NULL, error);
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    return status;
}

static bg_status evaluate(const bg_options *options, int n_out, size_t count, const double *momenta, double *me2,
                          bg_error *error)
{
    bg_process *process = NULL;
    const bg_status status = bg_process_create_gluons(&process, n_out, error);
    return status == BG_OK ? evaluate_process(options, process, count, momenta, me2, error) : status;
}

/* `count` values of a mode: exact modes at the points of the reference set; sampled ones, one draw per event, all at
 * the last point of the set. */
static bg_status values_of(const mode *m, const char *backend, int n_out, size_t count, double *me2, bg_error *error)
{
    const reference_set *set = reference_values(n_out);
    const bg_options o = options_of(m, backend);
    if (!is_sampled(m)) return evaluate(&o, n_out, count, set->momenta, me2, error);
    const size_t numbers = 4 * (size_t)(n_out + 2);
    double *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) {
        snprintf(error->message, sizeof error->message, "no memory for %zu points", count);
        return error->status = BG_ERROR_MEMORY;
    }
    for (size_t k = 0; k < count; k++)
        memcpy(momenta + k * numbers, set->momenta + (size_t)(set->points - 1) * numbers, numbers * sizeof *momenta);
    const bg_status status = evaluate(&o, n_out, count, momenta, me2, error);
    free(momenta);
    return status;
}

static double larger(double a, double b) { return isnan(a) || a > b ? a : b; } /* keeps a NaN */

static int at_most(const report *r, const mode *m) { return m->most < r->range.high ? m->most : r->range.high; }

static int is_asked(const report *r, int n_out) { return n_out >= r->range.low && n_out <= r->range.high; }

/* ---- against the reference values ----------------------------------------------------------------------- */

static double deviation_at(const mode *m, int n_out, const double *me2)
{
    const reference_set *set = reference_values(n_out);
    const double *expected = is_leading(m) ? set->leading : set->full;
    double worst = 0.;
    for (int k = 0; k < set->points; k++)
        if (expected[k] > 0.) worst = larger(fabs(me2[k] / expected[k] - 1.), worst);
    return worst;
}

static double pull_of(const double *draw, double expected)
{
    double mean = 0., square = 0.;
    for (int k = 0; k < DRAWS; k++) mean += draw[k] / DRAWS;
    for (int k = 0; k < DRAWS; k++) square += (draw[k] - mean) * (draw[k] - mean);
    return fabs(mean - expected) / sqrt(square / (DRAWS - 1.) / DRAWS);
}

static double pull_at(const mode *m, int n_out, const double *draw)
{
    const reference_set *set = reference_values(n_out);
    return pull_of(draw, (is_leading(m) ? set->leading : set->full)[set->points - 1]);
}

static void against_reference(report *r, const mode *m, const char *backend)
{
    double me2[DRAWS], worst = 0.;
    char text[128];
    bg_error error;
    const int sampled = is_sampled(m), low = r->range.low, high = at_most(r, m);
    const char *failure = NULL;
    if (low > high) return;
    for (int n_out = low; n_out <= high && !failure && !cli_interrupted(); n_out++) {
        const size_t count = sampled ? DRAWS : (size_t)reference_values(n_out)->points;
        if (values_of(m, backend, n_out, count, me2, &error) != BG_OK)
            failure = error.message;
        else
            worst = larger(sampled ? pull_at(m, n_out, me2) : deviation_at(m, n_out, me2), worst);
    }
    describe(m, text, sizeof text);
    finish_row(r, NULL, algorithm_of(m), text, backend, low, high, sampled ? "pull" : "deviation", worst,
               sampled ? PULL_LIMIT : REFERENCE_LIMIT, failure);
}

/* Every single helicity configuration; those that vanish are measured against the sum. */
static void single_helicities(report *r, bg_kernel kernel, const char *backend)
{
    const mode m = {kernel == BG_KERNEL_FAST ? "full" : "full-paper", "", 4};
    double worst = 0.;
    char text[64];
    bg_error error;
    const char *failure = NULL;
    const int low = r->range.low, high = at_most(r, &m);
    if (low > high) return;
    for (int n_out = low; n_out <= high && !failure && !cli_interrupted(); n_out++) {
        const reference_set *set = reference_values(n_out);
        for (int k = 0; k < set->helicity_count && !failure; k++) {
            const reference_helicity *h = &set->helicities[k];
            bg_options o = options_of(&m, backend);
            double me2;
            o.helicity = BG_HELICITY_FIXED;
            snprintf(o.helicities, sizeof o.helicities, "%s", h->helicities);
            if (evaluate(&o, n_out, 1, set->momenta, &me2, &error) != BG_OK)
                failure = error.message;
            else
                worst = larger(h->me2 > 0. ? fabs(me2 / h->me2 - 1.) : fabs(me2 / set->full[0]), worst);
        }
    }
    snprintf(text, sizeof text, "%s, quartic, single helicities", kernel == BG_KERNEL_FAST ? "fast" : "paper");
    finish_row(r, NULL, algorithm_of(&m), text, backend, low, high, "deviation", worst, REFERENCE_LIMIT, failure);
}

/* ---- agreement --------------------------------------------------------------------------------------------- */

/* Largest difference, relative to the value or, where a draw happens to be small, to the mean of all. */
static double disagreement(size_t count, const double *a, const double *b)
{
    double mean = 0., worst = 0.;
    for (size_t k = 0; k < count; k++) mean += fabs(a[k]) / (double)count;
    for (size_t k = 0; k < count; k++) worst = larger(fabs(a[k] - b[k]) / larger(fabs(a[k]), mean), worst);
    return worst;
}

static void agree(report *r, const mode *a, const char *backend_a, const mode *b, const char *backend_b, int low,
                  int high, size_t draws, double limit)
{
    double x[DRAWS], y[DRAWS], worst = 0.;
    char text[256], backends[64];
    bg_error error;
    const char *failure = NULL;
    if (low < r->range.low) low = r->range.low;
    if (high > r->range.high) high = r->range.high;
    if (low > high) return;
    for (int n_out = low; n_out <= high && !failure && !cli_interrupted(); n_out++) {
        const size_t count = is_sampled(a) ? draws : (size_t)reference_values(n_out)->points;
        if (values_of(a, backend_a, n_out, count, x, &error) != BG_OK ||
            values_of(b, backend_b, n_out, count, y, &error) != BG_OK)
            failure = error.message;
        else
            worst = larger(disagreement(count, x, y), worst);
    }
    describe(a, text, sizeof text);
    if (a != b) {
        const bg_options left = axes_of(a), right = axes_of(b);
        char one[80], other[80];
        describe_kernel(&left, " ", one, sizeof one);
        describe_kernel(&right, " ", other, sizeof other);
        snprintf(text, sizeof text, "%s%s = %s %s%s", one, is_dressed(&left) ? " " : "", algorithm_of(b), other,
                 is_dressed(&right) ? " " : "");
    }
    if (strcmp(backend_a, backend_b))
        snprintf(backends, sizeof backends, "%s=%s", backend_a, backend_b);
    else
        snprintf(backends, sizeof backends, "%s", backend_a);
    finish_row(r, NULL, algorithm_of(a), text, backends, low, high, "agreement", worst, limit, failure);
}

/* ---- quarks -------------------------------------------------------------------------------------------------- */

/* What is asked of each process: sums over helicities and draws of them, with exact colors and with sampled ones. */
static const char *const quark_modes[] = {"full", "co-sum", "coherent-summed", "coherent"};
enum { QUARK_MODES = sizeof quark_modes / sizeof *quark_modes };

static bg_options quark_options(int k, const char *backend)
{
    bg_options o = strategy_options(quark_modes[k]);
    if (o.helicity == BG_HELICITY_SAMPLED) o.helicity_sampling = BG_SAMPLE_CIRCULAR;
    if (is_dressed(&o)) o.color_group = 1; /* draws are taken to be independent here */
    snprintf(o.backend, sizeof o.backend, "%s", backend);
    return o;
}

static const char *quark_algorithm(const bg_options *o) { return is_dressed(o) ? "cd-mc" : "co-sum"; }

static const char *quark_title(const bg_options *o)
{
    if (!is_dressed(o)) return o->helicity == BG_HELICITY_SAMPLED ? "helicities sampled" : "helicities summed";
    return o->helicity == BG_HELICITY_SAMPLED ? "coherent, helicities sampled" : "coherent, helicities summed";
}

/* `count` values at points that go round those of the reference set, or all at the last one. */
static bg_status quark_values(const reference_process *p, const bg_options *o, int last, size_t count, double *me2,
                              bg_error *error)
{
    bg_process *process = NULL;
    bg_status status = bg_process_parse(&process, p->text, BG_MAX_FLAVORS, BG_ALL_LINES, error);
    if (status != BG_OK) return status;
    const size_t numbers = 4 * (size_t)(bg_process_n_out(process) + 2), points = (size_t)p->values.points;
    double *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) {
        bg_process_destroy(process);
        return cli_fail(error, BG_ERROR_MEMORY, "no memory for %zu points", count);
    }
    for (size_t k = 0; k < count; k++)
        memcpy(momenta + k * numbers, p->values.momenta + (last ? points - 1 : k % points) * numbers,
               numbers * sizeof *momenta);
    status = evaluate_process(o, process, count, momenta, me2, error);
    free(momenta);
    return status;
}

static int quark_n_out(const reference_process *p)
{
    int partons = 0; /* words but for the arrow */
    for (const char *at = p->text; *at; at++) partons += *at == ' ';
    return partons - 2;
}

static void quarks_against_reference(report *r, const reference_process *p, int k, const char *backend)
{
    double me2[DRAWS], worst = 0.;
    bg_error error;
    const bg_options o = quark_options(k, backend);
    const int sampled = bg_options_are_sampled(&o), n_out = quark_n_out(p), points = p->values.points;
    const int failed = quark_values(p, &o, sampled, sampled ? DRAWS : (size_t)points, me2, &error) != BG_OK;
    if (!failed && sampled) worst = pull_of(me2, p->values.full[points - 1]);
    for (int i = 0; i < points && !failed && !sampled; i++)
        worst = larger(fabs(me2[i] / p->values.full[i] - 1.), worst);
    finish_row(r, p->text, quark_algorithm(&o), quark_title(&o), backend, n_out, n_out, sampled ? "pull" : "deviation",
               worst, sampled ? PULL_LIMIT : REFERENCE_LIMIT, failed ? error.message : NULL);
}

/* All configurations that do not vanish, at the first point. */
static void single_quark_helicities(report *r, const reference_process *p, const char *backend)
{
    double worst = 0.;
    bg_error error;
    int failed = 0;
    for (int k = 0; k < p->values.helicity_count && !failed && !cli_interrupted(); k++) {
        const reference_helicity *h = &p->values.helicities[k];
        bg_options o = quark_options(0, backend);
        double me2;
        o.helicity = BG_HELICITY_FIXED;
        snprintf(o.helicities, sizeof o.helicities, "%s", h->helicities);
        failed = quark_values(p, &o, 0, 1, &me2, &error) != BG_OK;
        if (!failed) worst = larger(fabs(me2 / h->me2 - 1.), worst);
    }
    finish_row(r, p->text, "co-sum", "single helicities", backend, quark_n_out(p), quark_n_out(p), "deviation", worst,
               REFERENCE_LIMIT, failed ? error.message : NULL);
}

static void quarks_agree(report *r, const reference_process *p, int k, const char *one, const char *other)
{
    enum { EVENTS = 256 };
    double x[EVENTS], y[EVENTS];
    char backends[64];
    bg_error error;
    const bg_options a = quark_options(k, one), b = quark_options(k, other);
    const int sampled = bg_options_are_sampled(&a), n_out = quark_n_out(p);
    const int failed = quark_values(p, &a, sampled, EVENTS, x, &error) != BG_OK ||
                       quark_values(p, &b, sampled, EVENTS, y, &error) != BG_OK;
    snprintf(backends, sizeof backends, "%s=%s", one, other);
    finish_row(r, p->text, quark_algorithm(&a), quark_title(&a), backends, n_out, n_out, "agreement",
               failed ? 0. : disagreement(EVENTS, x, y), sampled ? AGREEMENT_LIMIT : BACKENDS_EXACT_LIMIT,
               failed ? error.message : NULL);
}

/* ---- the command ------------------------------------------------------------------------------------------- */

static void test_backend(report *r, const char *backend)
{
    for (int k = 0; k < MODES && !cli_interrupted(); k++) against_reference(r, &modes[k], backend);
    for (int k = 0; k < 2 && !cli_interrupted(); k++) single_helicities(r, (bg_kernel)k, backend);
    for (int k = 0; k < TWINS && !cli_interrupted(); k++)
        agree(r, &twins[k].a, backend, &twins[k].b, backend, twins[k].n_out, twins[k].n_out, 8, AGREEMENT_LIMIT);
    const reference_process *p;
    for (int k = 0; (p = reference_process_at(k)) && !cli_interrupted(); k++) {
        if (!is_asked(r, quark_n_out(p))) continue;
        for (int w = 0; w < QUARK_MODES; w++) quarks_against_reference(r, p, w, backend);
        single_quark_helicities(r, p, backend);
    }
}

/* The same questions to two backends: modes with reference values at n_out 2 to 5, the twins' above. */
static void test_two_backends(report *r, const char *one, const char *other)
{
    for (int k = 0; k < MODES && !cli_interrupted(); k++)
        agree(r, &modes[k], one, &modes[k], other, BG_MIN_OUT, modes[k].most, 256,
              is_sampled(&modes[k]) ? AGREEMENT_LIMIT : BACKENDS_EXACT_LIMIT);
    for (int k = 0; k < TWINS && !cli_interrupted(); k++) {
        const mode *pair[2] = {&twins[k].a, &twins[k].b};
        for (int w = 0; w < 2; w++)
            agree(r, pair[w], one, pair[w], other, twins[k].n_out, twins[k].n_out, 8,
                  is_color_exact(pair[w]) && twins[k].n_out < 8 ? BACKENDS_EXACT_LIMIT : AGREEMENT_LIMIT);
    }
    const reference_process *p;
    for (int k = 0; (p = reference_process_at(k)) && !cli_interrupted(); k++)
        for (int w = 0; w < QUARK_MODES && is_asked(r, quark_n_out(p)); w++) quarks_agree(r, p, w, one, other);
}

int command_selftest(int argc, char **argv)
{
    report r = {.range = {BG_MIN_OUT, MOST_COMPARED}};
    const cli_option own[] = {
        {.name = "n-out",
         .letter = 'n',
         .kind = CLI_KIND_CUSTOM,
         .argument = "N|A:B",
         .target = &r.range,
         .parse = cli_parse_range,
         .help = "outgoing partons (2:8)"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = NAME,
        .summary = "Every algorithm on every backend present against built-in reference values.",
        .details =
            "Exact modes: largest relative deviation from the reference values (n_out 2 to 5). Sampled modes: the\n"
            "pull, |mean - exact| / error of the mean. Above n_out = 5, and between backends, modes that must agree\n"
            "draw by draw are compared. Processes with quarks come last. The exit status is 1 when anything fails.",
        .own = own,
    };
    cli_common common;
    int status;
    if (cli_parse(&command, argc, argv, &common, &status)) return status;
    if (r.range.low > MOST_COMPARED) {
        cli_message(NAME, "-n begins at '%d'; there is something to compare from 2 to %d", r.range.low, MOST_COMPARED);
        return CLI_USAGE;
    }
    r.json_wanted = common.json;
    if (common.json) {
        r.json = json_start(stdout);
        json_open(&r.json, NULL, '{');
        json_text(&r.json, "version", bg_version());
        json_open(&r.json, "results", '[');
    } else {
        printf("%-7s %-50s %-10s %-5s %-10s %-8s\n", "", "mode", "backend", "n_out", "measure", "largest");
    }
    const char *usable[8];
    int backends = 0;
    for (int k = 0; bg_backend_name(k) && backends < 8; k++) {
        char description[BG_NOTE_LENGTH];
        bg_error error;
        if (bg_backend_probe(bg_backend_name(k), description, sizeof description, &error) == BG_OK)
            usable[backends++] = bg_backend_name(k);
        else
            cli_message(NAME, "backend %s is left out: %s", bg_backend_name(k), error.message);
    }
    for (int k = 0; k < backends; k++) test_backend(&r, usable[k]);
    for (int k = 0; k + 1 < backends; k++) test_two_backends(&r, usable[k], usable[backends - 1]);
    const int passed = backends && !r.failures && !cli_interrupted();
    if (common.json) {
        json_close(&r.json);
        json_integer(&r.json, "failures", r.failures);
        json_bool(&r.json, "passed", passed);
        json_close(&r.json);
    } else {
        printf("%d of %d rows passed\n", r.rows - r.failures, r.rows);
    }
    return cli_interrupted() ? CLI_INTERRUPTED : passed ? CLI_DONE : CLI_FAILED;
}
