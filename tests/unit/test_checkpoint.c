/* Checkpoints that somebody has made: with a checksum that is right, a file is sound or refused, and nothing that it holds
 * makes a number overflow, an array end too early or sigma negative. What changes follows from a fixed seed. */
#include "support.h"

#include "base/parcel.h"
#include "engine/state.h"

#include <unistd.h>

typedef struct file_header {
    char magic[16];
    uint32_t version, endian;
    uint64_t state_bytes, tally_bytes, length;
    bg_question question;
} file_header;

/* A whole file, and the question it belongs to. */
typedef struct crafted {
    unsigned char *bytes, *copy;
    size_t size;
    size_t tables, histograms; /* where they begin */
    bg_options options;
    bg_integration integration;
    bg_process *process;
    bg_result result; /* of the run that left it */
} crafted;

/* ---- the checksum, made right ------------------------------------------------------------------------------------ */

static void repair(unsigned char *bytes, size_t size)
{
    const uint64_t sum = bg_checksum(BG_CHECKSUM_START, bytes, size - sizeof sum);
    memcpy(bytes + size - sizeof sum, &sum, sizeof sum);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void write_bytes(const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(state_file, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, size, 1, f), 1);
    assert_int_equal(fclose(f), 0);
}

static int stop_soon(const bg_result *r, void *user) { return r->points + r->warmup_points >= *(const uint64_t *)user; }

/* Points at which the generator still adapts, and those by which two iterations behind the result are finished: there are
 * 27000 that only adapt, and iterations of 5000. */
enum { ADAPTING = 3000, BEHIND = 39000 };

/* A run that stopped there, with everything that a checkpoint can hold. Whether that is in the middle of an iteration is a
 * matter of speed, and nothing below depends on it. */
static void craft(crafted *c, bg_helicity_sampling sampling, bg_algorithm algorithm, bg_estimates estimate,
                  uint64_t stop_at)
{
    bg_error error;
    memset(c, 0, sizeof *c);
    bg_options_init(&c->options);
    bg_integration_init(&c->integration);
    bg_result_init(&c->result);
    assert_int_equal(bg_options_set_algorithm(&c->options, algorithm, &error), BG_OK);
    strcpy(c->options.backend, "cpu");
    c->options.threads = 1;
    c->options.helicity = BG_HELICITY_SAMPLED;
    c->options.helicity_sampling = sampling;
    c->integration.estimate = estimate;
    c->integration.points = 40000;
    c->integration.precision = 0.;
    c->integration.checkpoint = state_file;
    c->integration.force = 1;
    c->integration.progress = stop_soon;
    c->integration.user = &stop_at;
    assert_int_equal(bg_process_create_gluons(&c->process, 3, &error), BG_OK);
    assert_int_equal(bg_histograms_create(&c->integration.histograms, c->process, &c->integration, &error), BG_OK);
    if (bg_integrate(c->process, &c->options, &c->integration, &c->result, &error) != BG_OK)
        fail_msg("%s", error.message);
    const size_t histograms = bg_histograms_integers(c->integration.histograms) * sizeof(int64_t);
    bg_histograms_destroy(c->integration.histograms);
    c->integration.histograms = NULL;
    c->integration.checkpoint = NULL;
    c->integration.resume = state_file;
    FILE *f = fopen(state_file, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    c->size = (size_t)ftell(f);
    rewind(f);
    c->bytes = malloc(c->size);
    c->copy = malloc(c->size);
    assert_true(c->bytes && c->copy);
    assert_int_equal(fread(c->bytes, c->size, 1, f), 1);
    fclose(f);
    memcpy(c->copy, c->bytes, c->size);
    int32_t iterations;
    memcpy(&iterations, c->bytes + sizeof(file_header) + offsetof(bg_state, iterations), sizeof iterations);
    c->tables = sizeof(file_header) + offsetof(bg_state, iteration) + (size_t)iterations * sizeof(bg_iteration);
    c->histograms = c->size - sizeof(uint64_t) - histograms;
}

static void destroy(crafted *c)
{
    free(c->bytes);
    free(c->copy);
    bg_process_destroy(c->process);
    unlink(state_file);
}

/* ---- cases --------------------------------------------------------------------------------------------------------- */

/* Goes on from the changed file for a round. Returns whether it was taken. */
static int try(crafted *c)
{
    bg_error error;
    bg_result r;
    uint64_t at_once = 0;
    repair(c->copy, c->size);
    write_bytes(c->copy, c->size);
    bg_result_init(&r);
    c->integration.user = &at_once;
    assert_int_equal(bg_histograms_create(&c->integration.histograms, c->process, &c->integration, &error), BG_OK);
    const bg_status status = bg_integrate(c->process, &c->options, &c->integration, &r, &error);
    if (status == BG_OK) {
        double share[64];
        const double least = r.estimated ? -1e150 : 0.; /* with a sieve what a point adds may be negative */
        assert_true(r.sigma_pb >= least && r.sigma_pb < 1e150 && (!(r.error_pb < 0.)));
        for (int k = 0; k < bg_histograms_size(c->integration.histograms); k++) {
            assert_int_equal(bg_histograms_read(c->integration.histograms, k, NULL, share, NULL, NULL, NULL), BG_OK);
            for (int b = 0; b < bg_histograms_bins(c->integration.histograms, k); b++)
                assert_true(share[b] >= (r.estimated ? -HUGE_VAL : 0.));
        }
    } else if (status != BG_ERROR_ARGUMENT) {
        fail_msg("status %d: %s", (int)status, error.message);
    }
    bg_histograms_destroy(c->integration.histograms);
    c->integration.histograms = NULL;
    memcpy(c->copy, c->bytes, c->size);
    return status == BG_OK;
}

static void put(crafted *c, size_t offset, const void *value, size_t bytes)
{
    assert_true(offset + bytes + sizeof(uint64_t) <= c->size);
    memcpy(c->copy + offset, value, bytes);
}

/* A word of the file, by where it stands: the state before its iterations, the first of these, the tally and the tables, the
 * histograms. */
static size_t random_word(const crafted *c, random_source *r)
{
    const size_t start = sizeof(file_header), iterations = start + offsetof(bg_state, iteration);
    const size_t from[] = {start + sizeof(bg_question), iterations, c->tables, c->tables, c->histograms};
    const size_t to[] = {iterations, c->tables, c->tables + sizeof(bg_tally), c->histograms,
                         c->size - sizeof(uint64_t)};
    int k = random_below(r, 5);
    if (from[k] == to[k]) k = 0; /* there is no iteration yet */
    return from[k] + 8 * (size_t)random_below(r, (int)((to[k] - from[k]) / 8));
}

static void fuzz(bg_helicity_sampling sampling, bg_algorithm algorithm, bg_estimates estimate, uint64_t stop_at,
                 uint64_t salt)
{
    static const int64_t whole[] = {-1, INT64_MIN, INT64_MAX, (int64_t)1 << 62, (int64_t)1 << 52, 7, 0};
    static const double broken[] = {(double)NAN, (double)INFINITY, -1., 1e308, 1e-320, 1e6};
    crafted c;
    random_source r = fresh_source(salt);
    const int cases = effort_of(240, 60);
    int taken = 0;
    craft(&c, sampling, algorithm, estimate, stop_at);
    assert_true(try(&c)); /* as it was */
    for (int k = 0; k < cases; k++) {
        for (int changes = 1 + random_below(&r, 2); changes > 0; changes--) {
            const size_t at = random_word(&c, &r);
            const uint64_t bits = random_bits(&r);
            switch (random_below(&r, 4)) {
            case 0: put(&c, at, &whole[random_below(&r, 7)], 8); break;
            case 1: put(&c, at, &broken[random_below(&r, 6)], 8); break;
            case 2: put(&c, at, &bits, 8); break;
            default: c.copy[at + (size_t)random_below(&r, 8)] ^= (unsigned char)(1 << random_below(&r, 8));
            }
        }
        taken += try(&c);
    }
    print_message("%d of %d were taken\n", taken, cases);
    destroy(&c);
}

/* Selected helicities have tables of their own; colors that are shared have pairs. Both while the generator still adapts, and
 * behind the result. */
static void fuzz_while_adapting(void **state)
{
    (void)state;
    fuzz(BG_SAMPLE_ADAPTIVE, BG_ALGORITHM_CO_SUM, BG_ESTIMATE_OFF, ADAPTING, 1);
}

static void fuzz_behind_the_result(void **state)
{
    (void)state;
    fuzz(BG_SAMPLE_INVARIANTS, BG_ALGORITHM_CO_SUM, BG_ESTIMATE_OFF, BEHIND, 2);
}

static void fuzz_shared_colors(void **state)
{
    (void)state;
    fuzz(BG_SAMPLE_CIRCULAR, BG_ALGORITHM_CD_MC, BG_ESTIMATE_OFF, BEHIND, 3);
}

/* The words of a sieve are before the iterations; most of them are coefficients. */
static void fuzz_estimated(void **state)
{
    (void)state;
    fuzz(BG_SAMPLE_CIRCULAR, BG_ALGORITHM_CD_MC, BG_ESTIMATE_ON, BEHIND, 4);
}

/* What made integers overflow or sigma negative: each alone is refused. */
static void impossible_tallies_are_refused(void **state)
{
    (void)state;
    crafted c;
    craft(&c, BG_SAMPLE_INVARIANTS, BG_ALGORITHM_CO_SUM, BG_ESTIMATE_OFF, BEHIND);
    const size_t tally = c.tables, begin = sizeof(file_header);
    const int64_t most = INT64_MAX, least = INT64_MIN, negative = -1;
    const double huge = 1e200;
    const struct {
        size_t at;
        const void *value;
    } changes[] = {
        {tally + offsetof(bg_tally, points), &most},
        {tally + offsetof(bg_tally, accepted), &negative},
        {tally + offsetof(bg_tally, nonfinite), &most},
        {tally + offsetof(bg_tally, unstable), &least},
        {tally + offsetof(bg_tally, rescued), &most},
        {tally + offsetof(bg_tally, pairs), &most},
        {tally + offsetof(bg_tally, weight), &most},
        {tally + offsetof(bg_tally, weight) + 67 * 8, &negative},
        {tally + offsetof(bg_tally, weight2) + 30 * 8, &least},
        {tally + offsetof(bg_tally, weight2) + 67 * 8, &most},
        {tally + offsetof(bg_tally, max_weight), &huge},
        {tally + sizeof(bg_tally), &most},
        {tally + sizeof(bg_tally), &negative},
        {c.histograms, &most},
        {c.histograms + 40 * 8, &least},
        {begin + offsetof(bg_state, seconds), &huge},
        {begin + offsetof(bg_state, iteration) + offsetof(bg_iteration, mean), &huge},
        {begin + offsetof(bg_state, warmed) + offsetof(bg_iteration, unstable), &most},
    };
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        put(&c, changes[k].at, changes[k].value, 8);
        if (try(&c)) fail_msg("change %zu was taken", k);
    }
    destroy(&c);
}

/* What is known of an estimate: no run can have left such numbers. */
static void impossible_siftings_are_refused(void **state)
{
    (void)state;
    static const double nan = (double)NAN, infinite = (double)INFINITY, negative = -1., zero = 0.;
    static const int64_t below = -1, most = INT64_MAX;
    static const int32_t off = 0, less = -2, more = BG_MOST_COEFFICIENTS + 1, odd = 7;
    const int32_t foreign = learned_coefficients(learned_invariants(6)); /* of more legs: there is no room for them */
    crafted c;
    craft(&c, BG_SAMPLE_INVARIANTS, BG_ALGORITHM_CO_SUM, BG_ESTIMATE_ON, BEHIND);
    const size_t sifting = sizeof(file_header) + offsetof(bg_state, sifting), tally = c.tables;
    const struct {
        size_t at;
        const void *value;
        size_t bytes;
    } changes[] = {
        {sifting + offsetof(bg_sifting, on), &off, 4},
        {sifting + offsetof(bg_sifting, coefficients), &less, 4},
        {sifting + offsetof(bg_sifting, coefficients), &more, 4},
        {sifting + offsetof(bg_sifting, coefficients), &odd, 4},
        {sifting + offsetof(bg_sifting, coefficients), &foreign, 4},
        {sifting + offsetof(bg_sifting, legs), &most, 8},
        {sifting + offsetof(bg_sifting, scale), &nan, 8},
        {sifting + offsetof(bg_sifting, scale), &infinite, 8},
        {sifting + offsetof(bg_sifting, scale), &zero, 8},
        {sifting + offsetof(bg_sifting, scale), &negative, 8},
        {sifting + offsetof(bg_sifting, threshold), &nan, 8},
        {sifting + offsetof(bg_sifting, threshold), &negative, 8},
        {sifting + offsetof(bg_sifting, mean), &nan, 8},
        {sifting + offsetof(bg_sifting, mean), &negative, 8},
        {sifting + offsetof(bg_sifting, spread), &infinite, 8},
        {sifting + offsetof(bg_sifting, kept), &negative, 8},
        {sifting + offsetof(bg_sifting, kept) + 8, &infinite, 8},
        {sifting + offsetof(bg_sifting, kept) + 16, &nan, 8},
        {tally + offsetof(bg_tally, evaluated), &below, 8},
        {tally + offsetof(bg_tally, evaluated), &most, 8},
        {tally + offsetof(bg_tally, estimate2) + 30 * 8, &below, 8},
        {tally + offsetof(bg_tally, kept) + 67 * 8, &most, 8},
    };
    assert_true(c.result.estimated);
    assert_true(try(&c)); /* as it was */
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        put(&c, changes[k].at, changes[k].value, changes[k].bytes);
        if (try(&c)) fail_msg("change %zu was taken", k);
    }
    destroy(&c);
}

/* ---- several classes --------------------------------------------------------------------------------------------------- */

/* Two protons: classes with their own grids, tallies and histograms, and what is known of all of them. */
typedef struct protons {
    bg_process *process;
    bg_options options;
    bg_integration integration;
    bg_result result;
    bg_status status;
    bg_error error;
    uint64_t stop_at;
    int64_t *sums; /* of the histograms */
    size_t count;
} protons;

static void begin_protons(protons *c, const char *text)
{
    memset(c, 0, sizeof *c);
    bg_options_init(&c->options);
    bg_integration_init(&c->integration);
    strcpy(c->options.backend, "cpu");
    c->options.threads = 1;
    c->integration.points = 30000;
    c->integration.precision = 0.;
    c->integration.cuts.pt_min = 50.;
    c->stop_at = UINT64_MAX;
    assert_int_equal(bg_process_parse(&c->process, text, 5, -1, &c->error), BG_OK);
}

static void end_protons(protons *c)
{
    free(c->sums);
    bg_process_destroy(c->process);
    unlink(state_file);
}

static void run_protons(protons *c, const char *checkpoint, const char *resume)
{
    bg_integration *w = &c->integration;
    w->checkpoint = checkpoint;
    w->resume = resume;
    w->force = 1;
    w->checkpoint_interval = 0.;
    w->progress = stop_soon;
    w->user = &c->stop_at;
    bg_result_init(&c->result);
    assert_int_equal(bg_histograms_create(&w->histograms, c->process, w, &c->error), BG_OK);
    c->status = bg_integrate(c->process, &c->options, w, &c->result, &c->error);
    free(c->sums);
    c->sums = NULL;
    c->count = 0;
    for (int k = 0; k < w->histograms->parts; k++) {
        const size_t more = bg_histograms_integers(w->histograms->part[k]);
        c->sums = realloc(c->sums, (c->count + more) * sizeof *c->sums);
        assert_non_null(c->sums);
        bg_histograms_save(w->histograms->part[k], c->sums + c->count);
        c->count += more;
    }
    bg_histograms_destroy(w->histograms);
    w->histograms = NULL;
}

/* However often it is stopped, and in whatever stage, it ends with the bits of a run that was left alone. */
static void classes_go_on_to_the_same_bits(void **state)
{
    (void)state;
    for (int by_precision = 0; by_precision < 2; by_precision++) {
        const int few = test_effort() < 1.; /* with fewer classes, and stopped as often */
        const char *text = by_precision ? "u u~ > j j" : few ? "p p > 2j" : "p p > 3j";
        protons whole, pieces;
        begin_protons(&whole, text);
        begin_protons(&pieces, text);
        if (by_precision) {
            whole.integration.points = pieces.integration.points = 0;
            whole.integration.precision = pieces.integration.precision = 0.01;
        }
        run_protons(&whole, NULL, NULL);
        assert_int_equal(whole.status, BG_OK);
        int runs = 0;
        pieces.stop_at = 2000;
        do {
            pieces.options.threads = 1 + runs % 2;
            run_protons(&pieces, state_file, runs ? state_file : NULL);
            assert_true(pieces.status == BG_OK || pieces.status == BG_ERROR_INTERRUPTED);
            pieces.stop_at += by_precision ? 15000 : few ? 45000 : 70000;
            runs++;
            assert_true(runs < 50);
        } while (pieces.status != BG_OK || pieces.result.interrupted);
        print_message("%d runs\n", runs);
        assert_true(runs > 3);
        assert_true(pieces.result.sigma_pb == whole.result.sigma_pb && pieces.result.error_pb == whole.result.error_pb);
        assert_true(pieces.result.points == whole.result.points && pieces.result.evaluated == whole.result.evaluated);
        assert_int_equal(pieces.count, whole.count);
        assert_memory_equal(pieces.sums, whole.sums, whole.count * sizeof *whole.sums);
        run_protons(&pieces, NULL, state_file); /* it is finished: nothing is left to do */
        assert_true(pieces.result.sigma_pb == whole.result.sigma_pb && pieces.result.points == whole.result.points);
        end_protons(&whole);
        end_protons(&pieces);
    }
}

/* Another goal than before is reached from there. */
static void classes_go_on_to_other_goals(void **state)
{
    (void)state;
    protons c;
    begin_protons(&c, "p p > 2j");
    run_protons(&c, state_file, NULL);
    const bg_result first = c.result;
    c.integration.points = 2 * first.points;
    run_protons(&c, state_file, state_file);
    assert_int_equal(c.status, BG_OK);
    assert_true(c.result.points > 1.9 * (double)first.points && c.result.warmup_points == first.warmup_points);
    end_protons(&c);
}

/* A file of another question is refused, and what a run cannot have left. */
static void impossible_classes_are_refused(void **state)
{
    (void)state;
    protons c;
    begin_protons(&c, "p p > 2j");
    c.stop_at = 60000; /* some classes are adapted, others are not */
    run_protons(&c, state_file, NULL);
    assert_true(c.status == BG_OK && c.result.interrupted);
    FILE *f = fopen(state_file, "rb");
    assert_true(f && !fseek(f, 0, SEEK_END));
    const size_t size = (size_t)ftell(f);
    unsigned char *good = malloc(size), *bad = malloc(size);
    rewind(f);
    assert_true(good && bad && fread(good, size, 1, f) == 1);
    fclose(f);
    const double huge = 1e200, negative = -1.;
    const int32_t below = -1, above = 4, many = 1000;
    const uint64_t most = UINT64_MAX;
    /* stage, pass, class, whether it is under way; its points and precision; those of all; what a class was found to be, and is to get */
    const struct {
        size_t at;
        const void *value;
        size_t bytes;
    } changes[] = {{0, &below, 4},     {0, &above, 4},  {4, &below, 4},     {4, &many, 4},      {8, &below, 4},
                   {8, &many, 4},      {12, &above, 4}, {16, &most, 8},     {24, &negative, 8}, {32, &most, 8},
                   {40, &negative, 8}, {48, &huge, 8},  {56, &negative, 8}, {56, &huge, 8}};
    c.stop_at = 0;
    for (size_t k = 0; k <= sizeof changes / sizeof *changes; k++) {
        memcpy(bad, good, size);
        if (k) memcpy(bad + sizeof(file_header) + changes[k - 1].at, changes[k - 1].value, changes[k - 1].bytes);
        repair(bad, size);
        write_bytes(bad, size);
        run_protons(&c, NULL, state_file);
        if ((c.status == BG_OK) != !k) fail_msg("change %zu: %s", k, c.error.message);
        if (k) assert_non_null(strstr(c.error.message, "no run can have left it so"));
    }
    random_source r = fresh_source(5);
    for (int k = 0, cases = effort_of(60, 15); k < cases; k++) { /* and whatever else somebody writes into it */
        memcpy(bad, good, size);
        const uint64_t bits = random_bits(&r);
        memcpy(bad + sizeof(file_header) + 8 * (size_t)random_below(&r, (int)((size - sizeof(file_header)) / 8 - 1)),
               &bits, 8);
        repair(bad, size);
        write_bytes(bad, size);
        run_protons(&c, NULL, state_file);
        assert_true(c.status == BG_OK || c.status == BG_ERROR_ARGUMENT);
    }
    write_bytes(good, size);
    c.options.seed = 2;
    run_protons(&c, NULL, state_file);
    assert_refused(c.status, &c.error, BG_ERROR_ARGUMENT, "seed is 1 there and 2 here");
    c.options.seed = 1;
    c.integration.scale = "ht";
    run_protons(&c, NULL, state_file);
    assert_refused(c.status, &c.error, BG_ERROR_ARGUMENT, "scale is");
    end_protons(&c);
    free(good);
    free(bad);
}

/* ---- files that are there already ------------------------------------------------------------------------------------- */

static bg_status run_with(const char *checkpoint, const char *resume, int force, uint64_t seed, bg_error *error)
{
    bg_options o;
    bg_integration w;
    bg_result r;
    bg_process *process;
    bg_options_init(&o);
    bg_integration_init(&w);
    bg_result_init(&r);
    strcpy(o.backend, "cpu");
    o.seed = seed;
    w.points = 500;
    w.precision = 0.;
    w.checkpoint = checkpoint;
    w.resume = resume;
    w.force = force;
    assert_int_equal(bg_process_create_gluons(&process, 2, error), BG_OK);
    const bg_status status = bg_integrate(process, &o, &w, &r, error);
    bg_process_destroy(process);
    return status;
}

static void other_runs_are_not_replaced(void **state)
{
    (void)state;
    bg_error error;
    char alias[80];
    assert_int_equal(run_with(state_file, NULL, 0, 1, &error), BG_OK);
    assert_int_equal(run_with(state_file, NULL, 0, 2, &error), BG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "seed is 1 there and 2 here"));
    assert_non_null(strstr(error.message, "force"));
    assert_int_equal(run_with(state_file, NULL, 0, 1, &error), BG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "of an earlier run of this question"));
    snprintf(alias, sizeof alias, "/tmp/.%s", state_file + strlen("/tmp"));
    assert_int_equal(run_with(alias, state_file, 0, 1, &error), BG_OK); /* the same file by another name */
    assert_int_equal(run_with(state_file, NULL, 1, 2, &error), BG_OK);
    assert_int_equal(run_with(state_file, state_file, 0, 1, &error),
                     BG_ERROR_ARGUMENT); /* it is that of the other seed now */
    assert_int_equal(truncate(state_file, 0), 0);
    assert_int_equal(run_with(state_file, NULL, 0, 1, &error), BG_OK); /* an empty file is nobody's */
    unlink(state_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fuzz_while_adapting),
        cmocka_unit_test(fuzz_behind_the_result),
        cmocka_unit_test(fuzz_shared_colors),
        cmocka_unit_test(fuzz_estimated),
        cmocka_unit_test(impossible_tallies_are_refused),
        cmocka_unit_test(impossible_siftings_are_refused),
        cmocka_unit_test(classes_go_on_to_the_same_bits),
        cmocka_unit_test(classes_go_on_to_other_goals),
        cmocka_unit_test(impossible_classes_are_refused),
        cmocka_unit_test(other_runs_are_not_replaced),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, name_state_file, remove_state_file);
}
