/* Variations of scales and densities: errors of members against the formulas, cross sections and weights of events against what is
 * known exactly (a factor of all densities, a coupling at a fixed scale) and against whole integrations. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

#include "beams/members.h"
#include "engine/variations.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- a set whose members are multiples of the built-in one --------------------------------------------------------- */

enum { MEMBERS = 5 };
static const double factor_of[MEMBERS] = {1., 1.1, 0.8, 1.25, 1.};
static const double coupling_of[MEMBERS] = {1., 1., 1., 0.9, 1.2};

extern const char bg_pdf_toy_info[], bg_pdf_toy_grid[];

/* Copies the values of an entry that is a list, each times a factor. */
static void write_list(FILE *f, const char *key, double factor)
{
    const char *at = strstr(bg_pdf_toy_info, key);
    assert_non_null(at);
    fprintf(f, "%s [", key);
    at = strchr(at, '[') + 1;
    for (char *end; *at != ']'; at = end + (*end == ',')) fprintf(f, "%.17g,", factor * strtod(at, &end));
    fseek(f, -1, SEEK_CUR);
    fprintf(f, "]\n");
}

/* The grid with all densities times a factor, the coupling times another. */
static void write_member(const char *path, double factor, double coupling)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "PdfType: error\nFormat: lhagrid1\n");
    write_list(f, "AlphaS_Vals:", coupling);
    int line = 0; /* of a subgrid: knots, knots, ids, and densities from 3 on */
    for (const char *at = strstr(bg_pdf_toy_grid, "---"); *at;) {
        const size_t length = strcspn(at, "\n");
        if (line < 3 || !strncmp(at, "---", 3)) {
            fprintf(f, "%.*s\n", (int)length, at);
        } else {
            for (char *end = (char *)(uintptr_t)at; end < at + length;) {
                fprintf(f, " %.17g", factor * strtod(end, &end));
                while (*end == ' ') end++;
            }
            fprintf(f, "\n");
        }
        line = strncmp(at, "---", 3) ? line + 1 : 0;
        at += length + (at[length] == '\n');
    }
    fclose(f);
}

static char folder[64], set[96];

static int make_set(void **state)
{
    char path[160];
    (void)state;
    strcpy(folder, "/tmp/blockgen_variations_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(set, sizeof set, "%s/made", folder);
    if (mkdir(set, 0700)) return -1;
    snprintf(path, sizeof path, "%s/made.info", set);
    FILE *f = fopen(path, "w");
    if (!f) return -1;
    for (const char *at = bg_pdf_toy_info; *at;) {
        const size_t length = strcspn(at, "\n");
        if (strncmp(at, "NumMembers", 10) && strncmp(at, "ErrorType", 9) && strncmp(at, "SetIndex", 8))
            fprintf(f, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    fprintf(f, "NumMembers: %d\nErrorType: symmhessian\nErrorConfLevel: 90\nSetIndex: 7000\n", MEMBERS);
    fclose(f);
    for (int m = 0; m < MEMBERS; m++) {
        snprintf(path, sizeof path, "%s/made_%04d.dat", set, m);
        write_member(path, factor_of[m], coupling_of[m]);
    }
    return 0;
}

static int remove_set(void **state)
{
    char path[160];
    (void)state;
    for (int m = 0; m < MEMBERS; m++) {
        snprintf(path, sizeof path, "%s/made_%04d.dat", set, m);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/made.info", set);
    unlink(path);
    rmdir(set);
    return rmdir(folder);
}

/* ---- errors of members -------------------------------------------------------------------------------------------------- */

static bg_members_error error_of(const char *type, double confidence, int members, const double *value)
{
    bg_pdf pdf = {.members = members, .confidence = confidence};
    bg_error error;
    snprintf(pdf.error_type, sizeof pdf.error_type, "%s", type);
    if (bg_members_check(&pdf, &error) != BG_OK) fail_msg("%s", error.message);
    return bg_members_error_of(&pdf, value);
}

static void close_to(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected))) fail_msg("%.15g is not %.15g", found, expected);
}

static void check_error(bg_members_error e, double up, double down, double both)
{
    close_to(e.up, up, 1e-12);
    close_to(e.down, down, 1e-12);
    close_to(e.symmetric, both, 1e-12);
}

static void errors_of_members(void **state)
{
    static const double value[] = {10., 11., 9.5, 10.5, 10.25, 12., 9.};
    const double ninety = 1.6448536269514722; /* standard deviations that hold 90 percent */
    (void)state;
    const double plus = sqrt(1. + 0.25), minus = 0.5, both = 0.5 * sqrt(1.5 * 1.5 + 0.25 * 0.25);
    check_error(error_of("hessian", BG_ONE_SIGMA, 5, value), plus, minus, both);
    check_error(error_of("hessian", 90., 5, value), plus / ninety, minus / ninety, both / ninety);
    const double all = sqrt(1. + 0.25 + 0.25 + 0.0625);
    check_error(error_of("symmhessian", BG_ONE_SIGMA, 5, value), all, all, all);
    /* mean 10.3125; the confidence level of replicas means nothing */
    const double spread = sqrt((0.6875 * 0.6875 + 0.8125 * 0.8125 + 0.1875 * 0.1875 + 0.0625 * 0.0625) / 3.);
    check_error(error_of("replicas", -1., 5, value), spread, spread, spread);
    /* two members more, of a parameter: 2 up and 1 down */
    check_error(error_of("hessian+as", BG_ONE_SIGMA, 7, value), hypot(plus, 2.), hypot(minus, 1.), hypot(both, 1.5));
    /* one for both directions, and one for its own */
    check_error(error_of("hessian+$a+#b", BG_ONE_SIGMA, 7, value), hypot(plus, 2.), sqrt(0.25 + 4. + 1.),
                hypot(both, 0.5 * (2. + sqrt(5.))));
    check_error(error_of("hessian+#a*#b", BG_ONE_SIGMA, 7, value), hypot(plus, 2.), hypot(minus, 1.), hypot(both, 1.5));
}

static void refused_members(void **state)
{
    static const struct {
        const char *type;
        int members;
        double confidence;
        const char *word;
    } bad[] = {{"replicas", 1, 68., "1 member"},      {"none", 5, 68., "'none'"},
               {"hessian", 4, 68., "pairs"},          {"replicas", 2, 68., "too few"},
               {"hessian+as", 3, 68., "too few"},     {"hessian", 5, 0., "confidence"},
               {"symmhessian", 5, 100., "confidence"}};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        bg_pdf pdf = {.name = "some", .members = bad[k].members, .confidence = bad[k].confidence};
        bg_error error;
        snprintf(pdf.error_type, sizeof pdf.error_type, "%s", bad[k].type);
        assert_int_equal(bg_members_check(&pdf, &error), BG_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, bad[k].word));
        assert_non_null(strstr(error.message, "some"));
    }
}

static void lists(void **state)
{
    static const struct {
        const char *text;
        int wanted;
    } good[] = {{NULL, 0}, {"", 0}, {"scale", 1}, {"pdf", 2}, {"scale,pdf", 3}, {"pdf,scale", 3}};
    static const char *const bad[] = {"scales", "scale,", ",pdf", "scale;pdf", "pdf, scale", "sc"};
    bg_error error;
    int wanted;
    (void)state;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_int_equal(bg_variations_parse(good[k].text, &wanted, &error), BG_OK);
        assert_int_equal(wanted, good[k].wanted);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(bg_variations_parse(bad[k], &wanted, &error), BG_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, bad[k]));
    }
}

/* ---- cross sections ------------------------------------------------------------------------------------------------------ */

typedef struct question {
    bg_process *process;
    bg_options options;
    bg_integration integration;
    bg_variations variations;
    bg_result result;
    double member_pb[MEMBERS];
} question;

static void ask(question *q, const char *scale, const char *variations)
{
    memset(q, 0, sizeof *q);
    ask_usual(&q->process, &q->options, &q->integration, "p p > 2j", 3, 1);
    q->integration.pdf = set;
    q->integration.scale = scale;
    q->integration.variations = variations;
    q->integration.variation_results = &q->variations;
    bg_variations_init(&q->variations);
    q->variations.member_pb = q->member_pb;
    q->variations.member_room = MEMBERS;
    bg_result_init(&q->result);
}

static void integrate(question *q)
{
    bg_error error;
    if (bg_integrate(q->process, &q->options, &q->integration, &q->result, &error) != BG_OK)
        fail_msg("%s", error.message);
}

/* alpha_s^2 relative to that at the scale itself. */
static double coupling(double mu, double factor)
{
    bg_pdf *pdf;
    bg_error error;
    if (bg_pdf_open(&pdf, set, &error) != BG_OK) fail_msg("%s", error.message);
    const double ratio = pdf_alpha_s(&pdf->grid, factor * factor * mu * mu) / pdf_alpha_s(&pdf->grid, mu * mu);
    bg_pdf_close(pdf);
    return ratio * ratio;
}

static void exact_ratios(void **state)
{
    question q;
    double squares = 0.;
    (void)state;
    ask(&q, "fixed:91.2", "scale,pdf");
    integrate(&q);
    const bg_variations *v = &q.variations;
    const double sigma = q.result.sigma_pb;
    assert_int_equal(v->scales, BG_SCALE_VARIATIONS);
    assert_true(v->points > 1000);
    close_to(v->scale_pb[0], sigma, 1e-12);
    for (int k = 0; k < BG_SCALE_VARIATIONS; k++) {
        if (v->muf[k] == 1.) close_to(v->scale_pb[k], sigma * coupling(91.2, v->mur[k]), 1e-10);
        assert_true(v->mur[k] * v->muf[k] != 1. || v->mur[k] == 1.); /* never apart by 4 */
        assert_true(v->scale_pb[k] <= v->scale_up_pb && v->scale_pb[k] >= v->scale_down_pb);
    }
    assert_int_equal(v->members, MEMBERS);
    assert_string_equal(v->pdf_error_type, "symmhessian");
    for (int m = 0; m < MEMBERS; m++) {
        close_to(v->member_pb[m], sigma * pow(factor_of[m] * coupling_of[m], 2.), 1e-10);
        squares += pow(v->member_pb[m] - sigma, 2.);
    }
    close_to(v->pdf_error_pb, sqrt(squares) / 1.6448536269514722, 1e-9);
    bg_process_destroy(q.process);
}

/* A whole integration with other scales, and the same numbers for other threads. */
static void whole_integrations(void **state)
{
    question q, other;
    (void)state;
    ask(&q, "ht/2", "scale");
    integrate(&q);
    assert_true(q.variations.precision < 1e-3);
    assert_int_equal(q.variations.members, 0);
    for (int k = 1; k < BG_SCALE_VARIATIONS; k += 3) {
        ask(&other, "ht/2", NULL);
        other.integration.mur = q.variations.mur[k];
        other.integration.muf = q.variations.muf[k];
        integrate(&other);
        assert_int_equal(other.variations.scales, 0);
        const double error =
            hypot(other.result.error_pb, q.result.error_pb * q.variations.scale_pb[k] / q.result.sigma_pb);
        assert_true(fabs(other.result.sigma_pb - q.variations.scale_pb[k]) < 5. * error);
        assert_true(fabs(other.result.sigma_pb / q.result.sigma_pb - 1.) > 0.03); /* it is a change at all */
        bg_process_destroy(other.process);
    }
    ask(&other, "ht/2", "scale");
    other.options.threads = 2;
    integrate(&other);
    assert_memory_equal(other.variations.scale_pb, q.variations.scale_pb, sizeof q.variations.scale_pb);
    assert_int_equal(other.variations.points, q.variations.points);
    bg_process_destroy(other.process);
    bg_process_destroy(q.process);
}

static void bands(void **state)
{
    enum { BINS = 50 };
    double share[BINS], least[BINS], most[BINS];
    question q;
    bg_error error;
    (void)state;
    ask(&q, "ht/2", "scale");
    assert_int_equal(bg_histograms_create(&q.integration.histograms, q.process, &q.integration, &error), BG_OK);
    assert_int_equal(bg_histograms_band(q.integration.histograms, 0, least, most, &error), BG_ERROR_UNSUPPORTED);
    integrate(&q);
    for (int k = 0; k < bg_histograms_size(q.integration.histograms); k++) {
        const bg_histograms *h = q.integration.histograms;
        double lowest = 0., highest = 0.;
        assert_int_equal(bg_histograms_bins(h, k), BINS);
        if (!strcmp(bg_histograms_name(h, k), "weight")) {
            assert_int_equal(bg_histograms_band(h, k, least, most, &error), BG_ERROR_UNSUPPORTED);
            continue;
        }
        assert_int_equal(bg_histograms_read(h, k, NULL, share, NULL, NULL, &error), BG_OK);
        assert_int_equal(bg_histograms_band(h, k, least, most, &error), BG_OK);
        for (int b = 0; b < BINS; b++) {
            assert_true(least[b] <= share[b] && share[b] <= most[b]);
            if (share[b] > 0.) assert_true(least[b] < 0.97 * share[b] && most[b] > 1.03 * share[b]);
            lowest += least[b];
            highest += most[b];
        }
        /* envelopes of bins are no narrower than that of the sum, and hardly wider: the ratios change slowly */
        close_to(highest, q.variations.scale_up_pb, 0.05);
        close_to(lowest, q.variations.scale_down_pb, 0.05);
    }
    bg_histograms_destroy(q.integration.histograms);
    bg_process_destroy(q.process);
}

static void refused_questions(void **state)
{
    char member[128];
    question q;
    bg_error error;
    (void)state;
    ask(&q, "ht/2", "pdf");
    q.integration.pdf = NULL; /* the built-in set */
    assert_int_equal(bg_integrate(q.process, &q.options, &q.integration, &q.result, &error), BG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, BG_BUILT_IN_PDF));
    assert_non_null(strstr(error.message, "1 member"));
    snprintf(member, sizeof member, "%s:2", set);
    q.integration.pdf = member;
    assert_int_equal(bg_integrate(q.process, &q.options, &q.integration, &q.result, &error), BG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "member 2"));
    q.variations.size = 3; /* never initialized */
    assert_int_equal(bg_integrate(q.process, &q.options, &q.integration, &q.result, &error), BG_ERROR_ARGUMENT);
    bg_process_destroy(q.process);
    ask(&q, "ht/2", "scale");
    bg_process_destroy(q.process);
    for (int jets = 0; jets < 2; jets++) { /* partons of a fixed energy */
        assert_int_equal(bg_process_parse(&q.process, jets ? "g g > 2j" : "g g > g g", 3, 1, &error), BG_OK);
        assert_int_equal(bg_integrate(q.process, &q.options, &q.integration, &q.result, &error), BG_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "fixed energy"));
        bg_process_destroy(q.process);
    }
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

enum { EVENTS = 300, SCALES = BG_SCALE_VARIATIONS - 1, ALL = SCALES + MEMBERS - 1 };

typedef struct collected {
    int begun;
    size_t count;
} collected;

static int begin(const bg_generation_result *result, void *user)
{
    collected *c = user;
    c->begun = 1;
    assert_int_equal(result->variations, ALL);
    assert_int_equal(result->scale_variations, SCALES);
    assert_string_equal(result->variation_names[2], "MUR2_MUF1");
    assert_string_equal(result->variation_names[SCALES + 1], "MUR1_MUF1_PDF7002");
    assert_string_equal(result->pdf_error_type, "symmhessian");
    return 0;
}

static int receive(const bg_event *event, size_t count, void *user)
{
    collected *c = user;
    for (size_t k = 0; k < count; k++) {
        const bg_event *e = &event[k];
        assert_non_null(e->variation);
        close_to(e->variation[2], e->weight * coupling(91.2, 2.), 1e-10);
        close_to(e->variation[0] / e->variation[2], e->variation[3] / e->weight, 1e-10); /* the scales factorize */
        assert_true(fabs(e->variation[3] / e->weight - 1.) > 1e-4);
        for (int m = 1; m < MEMBERS; m++)
            close_to(e->variation[SCALES + m - 1], e->weight * pow(factor_of[m] * coupling_of[m], 2.), 1e-10);
    }
    c->count += count;
    return 0;
}

static void weights_of_events(void **state)
{
    question q;
    collected c = {0, 0};
    bg_generation generation;
    bg_generation_result made;
    bg_error error;
    (void)state;
    ask(&q, "fixed:91.2", "scale,pdf");
    bg_generation_init(&generation);
    bg_generation_result_init(&made);
    generation.events = EVENTS;
    generation.begin = begin;
    generation.receive = receive;
    generation.user = &c;
    if (bg_events_generate(q.process, &q.options, &q.integration, &generation, &made, &error) != BG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(c.begun, 1);
    assert_int_equal(c.count, EVENTS);
    assert_null(made.variation_names);
    bg_process_destroy(q.process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_members),
        cmocka_unit_test(refused_members),
        cmocka_unit_test(lists),
        cmocka_unit_test(exact_ratios),
        cmocka_unit_test(bands),
        cmocka_unit_test(whole_integrations),
        cmocka_unit_test(refused_questions),
        cmocka_unit_test(weights_of_events),
    };
    return cmocka_run_group_tests(tests, make_set, remove_set);
}
