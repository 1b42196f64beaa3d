/* Exact color sums where they are largest: tables from n_out = 8 on, and everything at n_out = 10, which takes some
 * gigabytes and is left out where they are not to be had.
 */
#include "amplitude/external.h"
#include "amplitude/shared.h"
#include "backend/cpu/cpu.h"
#include "color/factor.h"
#include "color/permutation.h"
#include "color/transform.h"
#include "engine/evaluator.h"

#include "support.h"

enum { THREADS = 2 };

/* Whether the machine has the memory; the sanitizers make it several times as much. */
static int has_gigabytes(double wanted)
{
#ifdef TEST_SANITIZED
    (void)wanted;
    return 0;
#else
    unsigned long kilobytes = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %lu", &kilobytes) != 1) continue;
    if (f) fclose(f);
    return 1024e-9 * (double)kilobytes > wanted;
#endif
}

static void *aligned(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(p);
    return p;
}

/* ---- color factors ------------------------------------------------------------------------------------------- */

/* Those of ten letters take ten seconds: what the tables were made of is kept as it passes, and not computed again. The linker sends
 * the calls of color/fourier.c here (CMakeLists.txt). */
static struct {
    int64_t *factor;
    int letters; /* 0: of none */
} kept;

int __real_bg_color_line(color_line line, int N, int64_t *c, int threads, bg_interrupt *interrupt);
int __wrap_bg_color_line(color_line line, int N, int64_t *c, int threads, bg_interrupt *interrupt);

int __wrap_bg_color_line(color_line line, int N, int64_t *c, int threads, bg_interrupt *interrupt)
{
    const int failed = __real_bg_color_line(line, N, c, threads, interrupt);
    const size_t bytes = (size_t)bg_factorial(N) * sizeof *c;
    free(kept.factor);
    kept.factor = failed || line != COLOR_LINE_ADJOINT ? NULL : malloc(bytes);
    kept.letters = kept.factor ? N : 0;
    if (kept.factor) memcpy(kept.factor, c, bytes);
    return failed;
}

/* ---- the color sum ---------------------------------------------------------------------------------------- */

/* Amplitudes that vanish except for a few orderings: the sum over pairs of them takes the color factors as they are. */
static void few_orderings_in(const color_fourier *t, int N, int few)
{
    const size_t size = (size_t)bg_factorial(N);
    random_source r = fresh_source((uint64_t)N);
    permutation *s = malloc((size_t)few * sizeof *s);
    real *value = aligned((size_t)few * sizeof *value);
    const int64_t *c = kept.factor;
    assert_true(s && c);
    assert_int_equal(kept.letters, N);
    /* lane 0: anywhere; lane 1: permutations of five neighboring letters, whose factors are large */
    const int start = random_below(&r, N - 4);
    for (int k = 0; k < few; k++) {
        s[k] = bg_permutation_unrank(N, k % 2 ? 0 : random_bits(&r) % size);
        if (k % 2) {
            const permutation p = bg_permutation_unrank(5, random_bits(&r) % 120);
            for (int j = 0; j < 5; j++) s[k].at[start + j] = (uint8_t)(start + p.at[j]);
        }
        for (int l = 0; l < BG_LANES; l++) bg_set_lane(&value[k], l, l % 2 == k % 2 ? uniform(&r, -1., 1.) : 0.);
    }
    real expected = bg_real(0.), square = bg_real(0.);
    for (int k = 0; k < few; k++) {
        const permutation back = bg_permutation_inverse(N, &s[k]);
        square += value[k] * value[k];
        for (int j = 0; j < few; j++) {
            const permutation w = bg_permutation_compose(N, &back, &s[j]);
            expected += bg_real((double)c[bg_permutation_rank(N, &w)]) * value[k] * value[j];
        }
    }
    real *A = aligned(size * sizeof *A), *scratch = aligned(transform_scratch(N) * sizeof *scratch);
    for (size_t k = 0; k < size; k++) A[k] = bg_real(0.);
    for (int k = 0; k < few; k++) {
        const permutation back = bg_permutation_inverse(N, &s[k]);
        A[bg_permutation_rank(N, &back)] += value[k];
    }
    const real sum = transform_color_sum(t, A, scratch);
    for (int l = 0; l < BG_LANES; l++)
        assert_relative(bg_lane(sum, l), bg_lane(expected, l), 1e-11, "N = %d, lane %d", N, l);
    free(A);
    free(scratch);
    free(value);
    free(s);
}

static void few_orderings(int N, int few)
{
    color_fourier t;
    assert_int_equal(bg_color_fourier_create(&t, N, THREADS, NULL), 0);
    assert_true(t.bytes <= bg_color_fourier_bytes(N));
    few_orderings_in(&t, N, few);
    bg_color_fourier_destroy(&t);
}

static void few_orderings_at_eight_and_nine(void **state)
{
    (void)state;
    few_orderings(8, 400);
    if (test_effort() >= 1.) few_orderings(9, 400);
}

/* Tables do not depend on the number of threads that build them. */
static void threads_of_tables(void **state)
{
    (void)state;
    color_fourier one, three;
    assert_int_equal(bg_color_fourier_create(&one, 8, 1, NULL), 0);
    assert_int_equal(bg_color_fourier_create(&three, 8, 3, NULL), 0);
    assert_int_equal(one.coefficients, three.coefficients);
    assert_memory_equal(one.coefficient, three.coefficient, one.coefficients * sizeof *one.coefficient);
    bg_color_fourier_destroy(&one);
    bg_color_fourier_destroy(&three);
}

/* ---- amplitudes ---------------------------------------------------------------------------------------------- */

/* All amplitudes of n_out = 10 with two negative helicities: |A|^2 = 2^(n-2) s_ij^4 / (s_12 s_23 .. s_n1). A point and
 * a pair a lane. */
static void parke_taylor_at_ten(void **state)
{
    (void)state;
    enum { N = 10, GLUONS = N + 2, STRIDE = 4 * GLUONS };
    if (!has_gigabytes(2.)) skip();
    random_source r = fresh_source(3);
    double *momenta = random_cut_points(&r, N, 14000., BG_LANES);
    double pair[BG_LANES], s[BG_LANES][GLUONS][GLUONS];
    uint32_t configuration[BG_LANES];
    for (int l = 0; l < BG_LANES; l++) {
        const gluons g = gluons_of(N, momenta + l * STRIDE);
        const int i = random_below(&r, GLUONS), j = (i + 1 + random_below(&r, GLUONS - 1)) % GLUONS;
        for (int a = 0; a < GLUONS; a++)
            for (int b = 0; b < GLUONS; b++) s[l][a][b] = fabs(2. * minkowski(g.p[a], g.p[b]));
        configuration[l] = ((1u << GLUONS) - 1u) & ~(1u << i | 1u << j);
        pair[l] = ldexp(pow(s[l][i][j], 4.), GLUONS - 2);
    }

    /* as in backend/cpu/fast.c */
    shared_layout o;
    vec4 p[GLUONS], e[2 * GLUONS];
    shared_polarization polarization[2 * GLUONS];
    uint64_t event[BG_LANES] = {0};
    shared_lay_out(N, 1, 2, &o);
    shared_sets *sets = aligned(((size_t)1 << N) * sizeof *sets);
    light_current *words = aligned(o.base[N] * sizeof *words), path[2 * N];
    const bg_momenta view = momenta_of_gluons(N, momenta);
    external_load(GLUONS, &view, BG_LANES, p);
    const light_frame frame = light_frame_of(p[0], p[GLUONS - 1]);
    shared_gluons outgoing;
    shared_momenta(N, &frame, p, &outgoing, sets);
    external_polarizations(GLUONS, HELICITY_CIRCULAR, configuration, 1, event, 0, p, e);
    for (int k = 0; k < 2 * GLUONS; k++) polarization[k] = shared_transverse(N, &frame, &outgoing, k / 2, &e[k]);
    shared_words(N, 1, 2, &o, sets, polarization, words);
    shared_word w;
    word_start(&w);
    size_t orderings = 0;
    double worst[BG_LANES] = {0.};
    while (word_next(N, N, &w)) {
        if (w.length < N) {
            shared_prefix(N, 1, 2, &o, sets, polarization, words, &w, path);
            continue;
        }
        light_split split[N + 1], whole[N + 1];
        real amplitude[2];
        shared_closing_splits(N, &o, sets, words, path, &w, split, whole);
        shared_close_one(N, 2, split, whole, polarization, polarization + 2 * (GLUONS - 1), amplitude);
        for (int l = 0; l < BG_LANES; l++) {
            double product = s[l][GLUONS - 1][0];
            int last = 0;
            for (int k = 0; k <= N; k++) {
                const int next = k < N ? w.letter[k] + 1 : GLUONS - 1;
                product *= s[l][last][next];
                last = next;
            }
            const double expected = pair[l] / product;
            const double value = bg_lane(amplitude[0], l) * bg_lane(amplitude[0], l) +
                                 bg_lane(amplitude[1], l) * bg_lane(amplitude[1], l);
            worst[l] = fmax(worst[l], fabs(value / expected - 1.));
        }
        orderings++;
    }
    assert_int_equal(orderings, bg_factorial(N));
    /* a point with gluons close to each other has fewer digits, another one has them all */
    double best = INFINITY;
    for (int l = 0; l < BG_LANES; l++) {
        best = fmin(best, worst[l]);
        assert_bounded(worst[l], 1e-6, "worst of %zu amplitudes", orderings);
    }
    assert_bounded(best, 1e-8, "worst of %zu amplitudes at the best point", orderings);
    free(momenta);
    free(sets);
    free(words);
}

/* ---- matrix elements ------------------------------------------------------------------------------------------- */

/* Exchanging outgoing gluons of equal helicity, or the beams, changes nothing, but nearly every number on the way. The color
 * tables, which take a minute to build, are then tried by themselves. */
static void symmetry_and_few_orderings_at_ten(void **state)
{
    (void)state;
    enum { N_OUT = 10, STRIDE = 4 * (N_OUT + 2) };
    if (!has_gigabytes(3.)) skip();
    random_source r = fresh_source(4);
    double *p = random_cut_points(&r, N_OUT, 14000., 1), both[2 * STRIDE], me2[2];
    int order[N_OUT];
    bg_options o = default_options();
    snprintf(o.backend, sizeof o.backend, "cpu");
    o.helicity = BG_HELICITY_FIXED;
    o.threads = THREADS;
    strcpy(o.helicities, "--+++++-----");
    for (int k = 0; k < N_OUT; k++) order[k] = k;
    shuffle(&r, order, N_OUT / 2);
    shuffle(&r, order + N_OUT / 2, N_OUT / 2);
    memcpy(both, p, STRIDE * sizeof *p);
    for (int k = 0; k < N_OUT + 2; k++)
        memcpy(both + STRIDE + 4 * k, p + (k < 2 ? 4 * (1 - k) : 8 + 4 * order[k - 2]), 4 * sizeof *p);
    bg_error error;
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    if (bg_process_create_gluons(&process, N_OUT, &error) != BG_OK ||
        bg_evaluator_create(&e, process, &o, &error) != BG_OK ||
        bg_evaluator_evaluate(e, 0, 2, both, me2, NULL, &error) != BG_OK)
        fail_msg("n_out = 10: %s", error.message);
    assert_true(isfinite(me2[0]) && me2[0] > 0.);
    assert_relative(me2[1], me2[0], 1e-8, "n_out = 10, gluons exchanged");
    const cpu_state *own = e->state;
    assert_true(own->tables.fourier.bytes <= bg_color_fourier_bytes(N_OUT));
    few_orderings_in(&own->tables.fourier, N_OUT, 400);
    bg_process_destroy(process);
    bg_evaluator_destroy(e);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_orderings_at_eight_and_nine),
        cmocka_unit_test(threads_of_tables),
        cmocka_unit_test(parke_taylor_at_ten),
        cmocka_unit_test(symmetry_and_few_orderings_at_ten),
    };
    const int failed = cmocka_run_group_tests_name("ten", tests, NULL, NULL);
    free(kept.factor);
    return failed;
}
