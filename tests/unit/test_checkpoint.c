/* Checkpoints that somebody has made: with a checksum that is right, a file is sound or refused, and nothing that it holds
 * makes a number overflow, an array end too early or sigma negative. What changes follows from a fixed seed. */
#include "support.h"

#include "engine/state.h"

#include <unistd.h>

typedef struct file_header {
    char magic[16];
    uint32_t version, endian;
    uint64_t state_bytes, table_bytes, histogram_bytes;
} file_header;

/* A whole file, and the question it belongs to. */
typedef struct crafted {
    unsigned char *bytes, *copy;
    size_t size;
    bg_options options;
    bg_integration integration;
    bg_process *process;
    bg_result result; /* of the run that left it */
} crafted;

static char name[64];

/* ---- the checksum, once more ----------------------------------------------------------------------------------- */

static uint64_t add_up(uint64_t hash, const unsigned char *p, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 8) {
        uint64_t word = 0;
        memcpy(&word, p + k, bytes - k < 8 ? bytes - k : 8);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void repair(unsigned char *bytes, size_t size)
{
    file_header h;
    memcpy(&h, bytes, sizeof h);
    const size_t parts[] = {sizeof h, sizeof(bg_state), h.table_bytes, h.histogram_bytes};
    uint64_t sum = 1469598103934665603u;
    const unsigned char *at = bytes;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; at += parts[k++]) sum = add_up(sum, at, parts[k]);
    assert_int_equal(at + sizeof sum - bytes, size);
    memcpy(bytes + size - sizeof sum, &sum, sizeof sum);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void write_bytes(const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(name, "wb");
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
    c->integration.checkpoint = name;
    c->integration.force = 1;
    c->integration.progress = stop_soon;
    c->integration.user = &stop_at;
    assert_int_equal(bg_process_create_gluons(&c->process, 3, &error), BG_OK);
    assert_int_equal(bg_histograms_create(&c->integration.histograms, c->process, &c->integration, &error), BG_OK);
    if (bg_integrate(c->process, &c->options, &c->integration, &c->result, &error) != BG_OK)
        fail_msg("%s", error.message);
    bg_histograms_destroy(c->integration.histograms);
    c->integration.histograms = NULL;
    c->integration.checkpoint = NULL;
    c->integration.resume = name;
    FILE *f = fopen(name, "rb");
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
}

static void destroy(crafted *c)
{
    free(c->bytes);
    free(c->copy);
    bg_process_destroy(c->process);
    unlink(name);
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
    const size_t tables = start + sizeof(bg_state), end = c->size - sizeof(uint64_t);
    file_header h;
    memcpy(&h, c->bytes, sizeof h);
    const size_t from[] = {start + sizeof(bg_question), iterations, tables, tables, tables + h.table_bytes};
    const size_t to[] = {iterations, iterations + 4 * sizeof(bg_iteration), tables + sizeof(bg_tally),
                         tables + h.table_bytes, end};
    const int k = random_below(r, 5);
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
    const size_t tally = sizeof(file_header) + sizeof(bg_state);
    const int64_t most = INT64_MAX, least = INT64_MIN, negative = -1;
    const double huge = 1e200;
    file_header h;
    memcpy(&h, c.bytes, sizeof h);
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
        {tally + h.table_bytes, &most},
        {tally + h.table_bytes + 40 * 8, &least},
        {sizeof h + offsetof(bg_state, seconds), &huge},
        {sizeof h + offsetof(bg_state, iteration) + offsetof(bg_iteration, mean), &huge},
        {sizeof h + offsetof(bg_state, warmed) + offsetof(bg_iteration, unstable), &most},
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
    static const int32_t off = 0, less = -1, more = BG_MOST_COEFFICIENTS + 1;
    const size_t sifting = sizeof(file_header) + offsetof(bg_state, sifting);
    const size_t tally = sizeof(file_header) + sizeof(bg_state);
    const struct {
        size_t at;
        const void *value;
        size_t bytes;
    } changes[] = {
        {sifting + offsetof(bg_sifting, on), &off, 4},
        {sifting + offsetof(bg_sifting, coefficients), &less, 4},
        {sifting + offsetof(bg_sifting, coefficients), &more, 4},
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
    crafted c;
    craft(&c, BG_SAMPLE_INVARIANTS, BG_ALGORITHM_CO_SUM, BG_ESTIMATE_ON, BEHIND);
    assert_true(c.result.estimated);
    assert_true(try(&c)); /* as it was */
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        put(&c, changes[k].at, changes[k].value, changes[k].bytes);
        if (try(&c)) fail_msg("change %zu was taken", k);
    }
    destroy(&c);
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
    assert_int_equal(run_with(name, NULL, 0, 1, &error), BG_OK);
    assert_int_equal(run_with(name, NULL, 0, 2, &error), BG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "seed is 1 there and 2 here"));
    assert_non_null(strstr(error.message, "force"));
    assert_int_equal(run_with(name, NULL, 0, 1, &error), BG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "of an earlier run of this question"));
    snprintf(alias, sizeof alias, "/tmp/.%s", name + strlen("/tmp"));
    assert_int_equal(run_with(alias, name, 0, 1, &error), BG_OK); /* the same file by another name */
    assert_int_equal(run_with(name, NULL, 1, 2, &error), BG_OK);
    assert_int_equal(run_with(name, name, 0, 1, &error), BG_ERROR_ARGUMENT); /* it is that of the other seed now */
    assert_int_equal(truncate(name, 0), 0);
    assert_int_equal(run_with(name, NULL, 0, 1, &error), BG_OK); /* an empty file is nobody's */
    unlink(name);
}

static int name_file(void **state)
{
    (void)state;
    snprintf(name, sizeof name, "/tmp/blockgen-crafted-%ld.state", (long)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(name);
    return 0;
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
        cmocka_unit_test(other_runs_are_not_replaced),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, name_file, remove_file);
}
