/* The operations that benchmarks report (backend/operations.h) against the headers of the stations themselves, compiled
 * with a number that counts. */
#define BG_COUNTED
extern "C" {
#include "backend/operations.h"
#include "color/permutation.h"
#include "process/process.h"
}
#include "amplitude/coherent.h"
#include "amplitude/dressed.h"
#include "amplitude/line.h"
#include "amplitude/ordered.h"
#include "amplitude/quarks.h"
#include "amplitude/shared.h"
#include "color/form.h"
#include "color/transform.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
}

/* Any numbers will do; none is 1, none leads to a division by zero. */
static real number()
{
    static double x = 0.3;
    x = std::fmod(x * 1.7 + 0.31, 1.) + 0.05;
    return x;
}

static vec4 vector_of_numbers()
{
    vec4 v = {number(), number(), number(), number()};
    return v;
}

static void assert_operations(const char *what, int n, int parts, double expected)
{
    if (counted::operations != expected)
        fail_msg("%s, %d, parts %d: %.0f operations, the formula says %.0f", what, n, parts, counted::operations,
                 expected);
}

static void test_ordered(void **)
{
    for (int n = 4; n <= 10; n++)
        for (int parts = 1; parts <= 2; parts++)
            for (int tensor = 0; tensor < 2; tensor++) {
                vec4 p[10], e[20];
                real a[2], propagator[BG_ORDERED_RUNS];
                for (int k = 0; k < n; k++) p[k] = vector_of_numbers();
                for (int k = 0; k < 2 * n; k++) e[k] = vector_of_numbers();
                for (auto &x : propagator) x = number();
                const run_propagators of = {propagator, 1, 0, 0};
                counted::operations = 0.;
                (tensor ? ordered_amplitude_tensor : ordered_amplitude_quartic)(n, parts, p, e, &of, a);
                assert_operations(tensor ? "tensor" : "quartic", n, parts, bg_ordered_operations(n, parts, tensor));
            }
}

static void test_dressed(void **)
{
    for (int n = 4; n <= 8; n++)
        for (int parts = 1; parts <= 2; parts++) {
            std::vector<real> store(dressed_store_reals(n, parts)), color(9 * (size_t)n);
            vec4 p[8], e[16];
            real a[2], values[BG_INVARIANTS(6)];
            const invariants v = {values, 1};
            for (int k = 0; k < n; k++) p[k] = vector_of_numbers();
            for (int k = 0; k < 2 * n; k++) e[k] = vector_of_numbers();
            for (auto &x : values) x = number();
            for (auto &c : color) c = number();
            counted::operations = 0.;
            dressed_amplitude(n, parts, p, &v, e, color.data(), store.data(), 1, a);
            assert_operations("dressed", n, parts, bg_dressed_operations(n, parts));
        }
}

/* As the kernels do it (backend/cpu/fast.c); gluon 0 and the closing one in `ends` states each where the others are in
 * one configuration (backend/cuda/fast.cu). */
static void run_shared(int N, int states, int parts, int ends)
{
    shared_layout o;
    shared_lay_out(N, states, parts, &o);
    std::vector<shared_sets> sets((size_t)1 << N);
    std::vector<light_current> K(o.base[N]), path(o.path[N]);
    std::vector<shared_polarization> polarization(2 * (size_t)(N + 2));
    std::vector<real> amplitude((size_t)1 << (N + 2));
    for (auto &s : sets) s = {number(), number(), number(), number(), number(), number()};
    for (auto &e : polarization) e = {number(), number()};
    counted::operations = 0.;
    shared_words(N, states, parts, &o, sets.data(), polarization.data(), K.data());
    shared_word w;
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (w.length < N) {
            shared_prefix(N, states, parts, &o, sets.data(), polarization.data(), K.data(), &w, path.data());
            for (int k = 1; k < ends; k++) { /* the factors of the splits are there already */
                const double before = counted::operations;
                light_split split[BG_MAX_WORD_LETTERS + 1];
                light_current out[2];
                for (int l = 1; l <= w.length; l++) {
                    split[l].left = path.data();
                    split[l].right = K.data();
                    split[l].left_factor = split[l].right_factor = split[l].difference = number();
                }
                counted::operations = before;
                shared_current(1, parts, 1, w.length + 1, split, polarization.data(), number(), number(), number(), out,
                               nullptr);
            }
            continue;
        }
        light_split split[BG_MAX_WORD_LETTERS + 1], whole[BG_MAX_WORD_LETTERS + 1];
        shared_closing_splits(N, &o, sets.data(), K.data(), path.data(), &w, split, whole);
        if (states == 2) shared_close_states(N, split, whole, w.letter, amplitude.data(), 1);
        for (int k = 0; k < ends * ends && states == 1; k++)
            shared_close_one(N, parts, split, whole, polarization.data(), polarization.data(), amplitude.data());
    }
}

static void test_shared(void **)
{
    for (int N = 2; N <= 6; N++) {
        run_shared(N, 2, 1, 1);
        assert_operations("shared, all states", N, 1, bg_shared_operations(N, 2, 1, 1));
        run_shared(N, 1, 1, 2);
        assert_operations("shared, two states of the incoming gluons", N, 1, bg_shared_operations(N, 1, 1, 2));
        for (int parts = 1; parts <= 2; parts++) {
            run_shared(N, 1, parts, 1);
            assert_operations("shared", N, parts, bg_shared_operations(N, 1, parts, 1));
        }
    }
}

/* As the kernels do it (backend/cpu/quarks.c), without what comes before the steps. */
static void run_program(const quark_program *p)
{
    const size_t parts = ((size_t)2 << (p->inner + p->lines - 1)) * p->structures; /* of one pairing */
    std::vector<real> w(p->numbers), amplitude(std::max(program_amplitudes(p), parts));
    for (auto &x : w) x = number();
    counted::operations = 0.;
    for (uint32_t k = 0; k < p->steps; k++) {
        const program_step *step = &p->step[k];
        if (!step->closes) {
            quark_any_current(p, step, 1, w.data());
            continue;
        }
        const quark_number a =
            p->parts ? quark_part_amplitude(p, step, 1, w.data()) : quark_amplitude(p, step, 1, w.data());
        real *re = amplitude.data() + 2 * (size_t)step->configuration * p->structures + step->at,
             *im = re + p->structures;
        const int adds = p->adds && !p->parts;
        *re = adds ? *re + a.re : a.re;
        *im = adds ? *im + a.im : a.im;
    }
    for (int k = 0; p->parts && p->adds && k < p->pairings; k++) {
        const size_t one = 2 * (size_t)p->structures;
        for (size_t h = 0; h < (size_t)1 << p->inner; h++)
            quark_join_parts(p->lines, p->structures, p->structures, one << p->inner, amplitude.data() + h * one);
        for (size_t i = 0; i < parts; i++) amplitude[i] = amplitude[i] + amplitude[parts - 1 - i];
    }
}

/* As the kernel of one line does it (backend/cpu/line.c), without what comes before the words. */
static void run_line(int N)
{
    shared_layout o;
    shared_lay_out(N, 2, 1, &o);
    std::vector<shared_sets> sets((size_t)1 << N);
    std::vector<quark_set> line((size_t)1 << N);
    std::vector<light_current> K(o.base[N]);
    std::vector<shared_polarization> polarization(2 * (size_t)(N + 2));
    std::vector<quark_spinor> path(line_place(N));
    std::vector<line_dual> dual(line_place(N));
    std::vector<real> amplitude((size_t)2 << N);
    std::vector<uint32_t> record(bg_factorial(N) * RECYCLED_RECORD((size_t)N));
    line_ends ends = {};
    for (auto &s : sets) s = {number(), number(), number(), number(), number(), number()};
    for (auto &s : line) s = {number(), number(), number(), number(), number()};
    for (auto &e : polarization) e = {number(), number()};
    bg_word_records(N, 1, record.data());
    counted::operations = 0.;
    shared_words_up_to(N, N - 2, 2, 1, &o, sets.data(), polarization.data(), K.data());
    line_view v = {sets.data(), line.data(), &ends, K.data(), record.data()};
    for (uint64_t rank = 0; rank < bg_factorial(N); rank++, v.record += RECYCLED_RECORD(N)) {
        for (int k = 1; k < N; k++) {
            if (rank % bg_factorial(N - k)) continue;
            if (k == 1)
                line_first_prefix(N, &v, path.data());
            else
                line_prefix(N, &v, k, path.data(), dual.data());
        }
        line_close_states(N, &v, dual.data(), amplitude.data(), 1);
    }
}

static void test_line(void **)
{
    for (int N = 3; N <= 6; N++) {
        run_line(N);
        assert_operations("line", N, 1, bg_line_operations(N));
    }
}

static void test_quarks(void **)
{
    static const char *const texts[] = {"u g > u g",   "g g > u u~ g",   "u u~ > g g g g", "u d > u d g g",
                                        "u u > u u g", "g u~ > u~ d d~", "u u > u u u u~", "g g > u u~ d d~ g"};
    for (const char *text : texts) {
        bg_process *process = nullptr;
        assert_int_equal(bg_process_parse(&process, text, 5, BG_ALL_LINES, nullptr), BG_OK);
        const bg_subprocess *s = &process->subprocess[0];
        for (int parts = 0; parts < 3; parts++) /* chiralities by parts: 0 */
            for (int inner = 0; inner <= (parts == 2 ? 0 : s->gluons); inner++)
                for (int closes = 0; closes <= s->n; closes++) {
                    if (closes && s->pdg[s->leg[closes - 1]] == BG_PDG_GLUON) continue;
                    program_layout layout = {};
                    layout.inner = inner;
                    layout.parts = !parts;
                    layout.complex = layout.given = parts == 2;
                    layout.closes = closes;
                    quark_program p;
                    assert_int_equal(bg_program_create(&p, s, &layout), 0);
                    run_program(&p);
                    assert_operations(text, inner, parts, bg_quark_operations(&p));
                    bg_program_destroy(&p);
                }
        bg_process_destroy(process);
    }
}

/* The mean over the colors of some groups, the same as those of the formula; the square of the amplitude comes on top. */
static void test_coherent(void **)
{
    enum { GROUPS = 16, SEED = 5 };
    for (int n = 4; n <= 9; n++)
        for (int parts = 1; parts <= 2; parts++) {
            std::vector<uint64_t> memory(coherent_schedule_bytes(n) / 8 + 1);
            std::vector<real> table(coherent_table_reals(n - 2)), store(coherent_store_reals(n, parts));
            std::vector<shared_polarization> e((size_t)(n * parts));
            for (auto &x : table) x = number();
            for (auto &x : e) x = {number(), number()};
            const coherent_momenta m = {table.data(), 1};
            coherent_schedule s;
            coherent_schedule_place(n, memory.data(), &s);
            coherent_rule_table(s.rule);
            counted::operations = 0.;
            for (uint64_t group = 0; group < GROUPS; group++) {
                const coherent_colors c = coherent_draw(n, SEED, group, 0);
                real amplitude[2];
                coherent_build(n, &c, &s);
                coherent_amplitude(n, parts, &s, &m, e.data(), store.data(), amplitude);
            }
            counted::operations = counted::operations / GROUPS + 2. * parts;
            assert_operations("coherent", n, parts, bg_coherent_operations(n, parts, SEED));
        }
}

static void test_fourier(void **)
{
    for (int N = 2; N <= 7; N++) {
        color_fourier f;
        assert_int_equal(bg_color_fourier_create(&f, N, 2, NULL), 0);
        std::vector<real> A((size_t)bg_factorial(N)), scratch(transform_scratch(N));
        for (auto &a : A) a = number();
        counted::operations = 0.;
        transform_color_sum(&f, A.data(), scratch.data());
        assert_operations("Fourier transform", N, 1, bg_fourier_operations(&f));
        bg_color_fourier_destroy(&f);
    }
}

static void test_strings(void **)
{
    for (int lines = 1; lines <= 4; lines++)
        for (int gluons = 0; gluons + lines <= 5; gluons++) {
            const color_strings s = bg_color_strings(lines, gluons);
            color_fourier f;
            assert_int_equal(bg_color_fourier_create_quarks(&f, &s, 2, NULL), 0);
            std::vector<real> A((size_t)s.structures), scratch(bg_color_fourier_quark_scratch(&s));
            for (auto &a : A) a = number();
            counted::operations = 0.;
            transform_any_sums(&f, 1, A.data(), 0, scratch.data());
            assert_operations("color of quark lines", lines, gluons, bg_fourier_operations(&f));
            bg_color_fourier_destroy(&f);
        }
}

static void test_dense(void **)
{
    const uint64_t size = 24;
    real A[24], half, sum = 0.;
    double row[24];
    for (auto &a : A) a = number();
    for (auto &c : row) c = 0.7;
    counted::operations = 0.;
    for (uint64_t s = 0; s < size; s++) {
        color_form_half(1, size, s, row, A, &half);
        color_form_add(A[s], half, &sum);
    }
    assert_operations("dense", (int)size, 1, bg_dense_operations(size));
}

/* A row of the table of counts in docs/performance.md: half the operations for each ordering (and configuration). */
typedef struct documented {
    int N;
    double all, color, dense, one;
} documented;

static void assert_documented(int N, const char *what, double written, double operations)
{
    /* three digits */
    if (!(std::fabs(written - operations) <= 0.006 * operations))
        fail_msg("n_out = %d, %s: docs/performance.md says %g, it is %g", N, what, written, operations);
}

static void test_documented(void **)
{
    FILE *file = fopen(DOCUMENTATION, "r");
    char line[512];
    int rows = 0, counts = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        documented d;
        if (!strcmp(line, "### Counts\n") && !rows) counts = 1;
        if (rows && line[0] != '|') counts = 0; /* the first table only */
        if (!counts || sscanf(line, "| %d | %lf | %lf | %lf | %lf |", &d.N, &d.all, &d.color, &d.dense, &d.one) != 5)
            continue;
        color_fourier f;
        const uint64_t orderings = bg_factorial(d.N);
        const double one = 2. * (double)orderings, all = one * (double)(4u << d.N);
        assert_in_range(d.N, 2, 9);
        assert_int_equal(bg_color_fourier_create(&f, d.N, 2, NULL), 0);
        assert_documented(d.N, "amplitudes, all configurations", d.all, bg_shared_operations(d.N, 2, 1, 1) / all);
        assert_documented(d.N, "amplitudes, one configuration", d.one, bg_shared_operations(d.N, 1, 1, 1) / one);
        assert_documented(d.N, "color", d.color, bg_fourier_operations(&f) / one);
        assert_documented(d.N, "dense color", d.dense, bg_dense_operations(orderings) / one);
        bg_color_fourier_destroy(&f);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 8); /* n_out = 2 to 9 */
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordered),    cmocka_unit_test(test_dressed), cmocka_unit_test(test_shared),
        cmocka_unit_test(test_coherent),   cmocka_unit_test(test_fourier), cmocka_unit_test(test_dense),
        cmocka_unit_test(test_quarks),     cmocka_unit_test(test_line),    cmocka_unit_test(test_strings),
        cmocka_unit_test(test_documented),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
