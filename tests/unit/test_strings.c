/* Colors of quark lines: the function on S_n of one line, structures and color matrix of several. */
#include "support.h"

#include "color/dense.h"
#include "color/fourier.h"
#include "color/strings.h"
#include "color/transform.h"

static void *aligned(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(p);
    return p;
}

static int64_t *fundamental(int N)
{
    int64_t *c = malloc(bg_factorial(N) * sizeof *c);
    assert_non_null(c);
    assert_int_equal(bg_color_line(COLOR_LINE_FUNDAMENTAL, N, c, 2, NULL), 0);
    return c;
}

/* ---- explicit generators ------------------------------------------------------------------------------------------ */

/* Gell-Mann's matrices over sqrt(2): Tr(T^a T^b) = delta. */
static void generators(double complex T[8][3][3])
{
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const double r = sqrt(0.5);
    memset(T, 0, 8 * 9 * sizeof(double complex));
    for (int p = 0; p < 3; p++) {
        const int i = pair[p][0], j = pair[p][1];
        T[2 * p][i][j] = T[2 * p][j][i] = r;
        T[2 * p + 1][i][j] = -I * r;
        T[2 * p + 1][j][i] = I * r;
    }
    T[6][0][0] = r;
    T[6][1][1] = -r;
    T[7][0][0] = T[7][1][1] = 1. / sqrt(6.);
    T[7][2][2] = -2. / sqrt(6.);
}

/* The value of a structure for given colors: gluon[g] of 8, quark[i] and antiquark[j] of 3. */
static double complex value_of(double complex T[8][3][3], int lines, const color_structure *x, const int *gluon,
                               const int *quark, const int *antiquark)
{
    double complex value = 1.;
    int place = 0;
    for (int s = 0; s < lines; s++) {
        double complex row[3] = {0.};
        row[quark[s]] = 1.;
        for (int g = 0; g < x->length[s]; g++) {
            double complex next[3] = {0.};
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) next[j] += row[i] * T[gluon[x->word.at[place]]][i][j];
            memcpy(row, next, sizeof row);
            place++;
        }
        value *= row[antiquark[x->connection.at[s]]];
    }
    return value;
}

/* All elements of the matrix as sums over all colors of explicit generators. */
static double *matrix_by_colors(const color_strings *s)
{
    const int F = (int)s->structures, k = s->lines, n = s->gluons;
    double *C = calloc((size_t)(F * F), sizeof *C);
    double complex T[8][3][3], *value = malloc((size_t)F * sizeof *value);
    color_structure *x = malloc((size_t)F * sizeof *x);
    long colors = 1;
    assert_true(C && value && x);
    generators(T);
    for (int a = 0; a < F; a++) x[a] = bg_color_structure_unrank(s, (uint64_t)a);
    for (int g = 0; g < n; g++) colors *= 8;
    for (int q = 0; q < 2 * k; q++) colors *= 3;
    for (long all = 0; all < colors; all++) {
        int gluon[BG_MAX_LETTERS], quark[BG_MAX_LINES], antiquark[BG_MAX_LINES];
        long left = all;
        for (int g = 0; g < n; g++, left /= 8) gluon[g] = (int)(left % 8);
        for (int q = 0; q < k; q++, left /= 3) quark[q] = (int)(left % 3);
        for (int q = 0; q < k; q++, left /= 3) antiquark[q] = (int)(left % 3);
        for (int a = 0; a < F; a++) value[a] = value_of(T, k, &x[a], gluon, quark, antiquark);
        for (int a = 0; a < F; a++)
            for (int b = 0; b < F && value[a] != 0.; b++) C[a * F + b] += creal(value[a] * conj(value[b]));
    }
    free(value);
    free(x);
    return C;
}

/* Rank of a positive matrix, by elimination with the largest diagonal element first; the matrix is destroyed. */
static int rank_of(int F, double *C)
{
    const double first = C[0];
    int *row = malloc((size_t)F * sizeof *row), rank = 0;
    assert_non_null(row);
    for (int k = 0; k < F; k++) row[k] = k;
    for (; rank < F; rank++) {
        int best = rank;
        for (int k = rank; k < F; k++)
            if (C[row[k] * F + row[k]] > C[row[best] * F + row[best]]) best = k;
        const int swapped = row[best];
        row[best] = row[rank];
        row[rank] = swapped;
        const double *pivot = C + (size_t)swapped * (size_t)F;
        if (pivot[swapped] < 1e-9 * first) break;
        for (int k = rank + 1; k < F; k++) {
            double *to = C + (size_t)row[k] * (size_t)F;
            const double factor = to[swapped] / pivot[swapped];
            for (int c = rank + 1; c < F && factor != 0.; c++) to[row[c]] -= factor * pivot[row[c]];
        }
    }
    for (int k = rank; k < F; k++) assert_bounded(C[row[k] * F + row[k]], 1e-9 * first, "positive");
    free(row);
    return rank;
}

/* ---- one line ------------------------------------------------------------------------------------------------------- */

/* Ranks of S_3: 012, 021, 102, 120, 201, 210. */
static void line_table(void **state)
{
    (void)state;
    static const int64_t one[] = {24}, two[] = {192, -24}, three[] = {1536, -192, -192, 24, 24, 240};
    static const int64_t *const table[] = {one, two, three};
    for (int N = 1; N <= 3; N++) {
        int64_t *c = fundamental(N);
        assert_memory_equal(c, table[N - 1], bg_factorial(N) * sizeof *c);
        free(c);
    }
    int64_t none;
    assert_int_equal(bg_color_fundamental(0, &none, 1, NULL), 0);
    assert_int_equal(none, 3);
    assert_true(fabs(bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, 3) * 27. - 1.) < 1e-15);
    assert_true(bg_color_line_unit(COLOR_LINE_ADJOINT, 5) == 1.);
}

static void line_is_symmetric(void **state)
{
    (void)state;
    int64_t power = 3;
    for (int N = 1; N <= 8; N++) {
        int64_t *c = fundamental(N);
        permutation p = bg_permutation_unrank(N, 0), reversal = {{0}};
        uint64_t rank = 0;
        power *= 8;
        assert_int_equal(c[0], power);
        for (int k = 0; k < N; k++) reversal.at[k] = (uint8_t)(N - 1 - k);
        do {
            permutation q = bg_permutation_inverse(N, &p);
            assert_int_equal(c[rank], c[bg_permutation_rank(N, &q)]);
            q = bg_permutation_compose(N, &reversal, &p);
            q = bg_permutation_compose(N, &q, &reversal);
            assert_int_equal(c[rank], c[bg_permutation_rank(N, &q)]);
            assert_true(llabs(c[rank]) <= power);
            rank++;
        } while (bg_permutation_next(N, &p));
        free(c);
    }
}

/* One line is the case k = 1 of strings. */
static void line_is_a_string(void **state)
{
    (void)state;
    for (int N = 0; N <= 6; N++) {
        const color_strings s = bg_color_strings(1, N);
        int64_t *c = fundamental(N), *f = bg_color_string_functions(&s);
        assert_non_null(f);
        assert_int_equal(s.structures, bg_factorial(N));
        assert_memory_equal(c, f, bg_factorial(N) * sizeof *c);
        free(c);
        free(f);
    }
}

/* The Fourier transform with this function, against rows of the matrix. */
static void line_by_transform(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int N = 2; N <= 7; N++) {
        const uint64_t size = bg_factorial(N);
        color_fourier t;
        color_dense dense;
        int64_t *exact = fundamental(N);
        double *function = malloc(size * sizeof *function), *row = malloc(size * sizeof *row), sum = 0.;
        real *inverse = aligned(size * sizeof *inverse), *scratch = aligned(transform_scratch(N) * sizeof *scratch);
        double *A = malloc(size * sizeof *A);
        assert_true(function && row && A);
        for (uint64_t k = 0; k < size; k++) function[k] = (double)exact[k];
        assert_int_equal(bg_color_dense_create(&dense, N, function), 0);
        assert_int_equal(bg_color_fourier_create_line(&t, COLOR_LINE_FUNDAMENTAL, N, 2, NULL), 0);
        assert_true(t.bytes <= bg_color_fourier_bytes(N));
        for (uint64_t s = 0; s < size; s++) {
            permutation p = bg_permutation_unrank(N, s);
            p = bg_permutation_inverse(N, &p);
            A[s] = uniform(&r, -1., 1.);
            inverse[bg_permutation_rank(N, &p)] = bg_real(A[s]);
        }
        for (uint64_t s = 0; s < size; s++) {
            bg_color_dense_row(&dense, s, row);
            sum += row[s] * A[s] * A[s];
            for (uint64_t k = s + 1; k < size; k++) sum += 2. * row[k] * A[k] * A[s];
        }
        const real transformed = transform_color_sum(&t, inverse, scratch);
        for (int l = 0; l < BG_LANES; l++) assert_relative(bg_lane(transformed, l), sum, 1e-12, "N = %d", N);
        free(exact);
        free(row);
        free(A);
        free(inverse);
        free(scratch);
        bg_color_dense_destroy(&dense);
        bg_color_fourier_destroy(&t);
    }
}

/* ---- several -------------------------------------------------------------------------------------------------------- */

static void structures_are_counted(void **state)
{
    (void)state;
    static const struct {
        int lines, gluons, skeletons, structures;
    } list[] = {{1, 4, 1, 24},    {2, 0, 2, 2},   {2, 1, 4, 4},   {2, 2, 6, 12},   {2, 3, 8, 48},
                {2, 4, 10, 240},  {3, 0, 6, 6},   {3, 1, 18, 18}, {3, 2, 36, 72},  {3, 3, 60, 360},
                {3, 4, 90, 2160}, {4, 0, 24, 24}, {4, 1, 96, 96}, {5, 0, 120, 120}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const color_strings s = bg_color_strings(list[k].lines, list[k].gluons);
        assert_int_equal(s.skeletons, list[k].skeletons);
        assert_int_equal(s.structures, list[k].structures);
        for (uint64_t number = 0; number < s.structures; number++) {
            const color_structure x = bg_color_structure_unrank(&s, number);
            int total = 0;
            for (int i = 0; i < s.lines; i++) total += x.length[i];
            assert_int_equal(total, s.gluons);
            assert_int_equal(bg_color_structure_rank(&s, &x), number);
        }
    }
    /* the list in strings.h: number 3 is q0 1 qbar0 | q1 0 qbar1 */
    const color_strings s = bg_color_strings(2, 2);
    const color_structure x = bg_color_structure_unrank(&s, 3);
    assert_true(x.length[0] == 1 && x.length[1] == 1 && x.word.at[0] == 1 && x.connection.at[0] == 0);
}

static void matrix_by_generators(void **state)
{
    (void)state;
    static const int list[][2] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 0}, {2, 1}, {2, 2}, {2, 3}, {3, 0}, {3, 1}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const color_strings s = bg_color_strings(list[k][0], list[k][1]);
        const size_t F = (size_t)s.structures;
        double *C = bg_color_string_matrix(&s), *expected = matrix_by_colors(&s);
        assert_non_null(C);
        for (size_t e = 0; e < F * F; e++)
            assert_bounded(C[e] - expected[e], 1e-11 * C[0], "lines %d gluons %d element %zu", s.lines, s.gluons, e);
        free(C);
        free(expected);
    }
}

static void ranks_of_matrices(void **state)
{
    (void)state;
    static const struct {
        int lines, gluons, rank;
    } list[] = {{1, 5, 120}, {1, 6, 685}, {2, 2, 12}, {2, 3, 46}, {2, 4, 204},
                {3, 0, 6},   {3, 1, 17},  {3, 2, 62}, {3, 3, 263}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const color_strings s = bg_color_strings(list[k].lines, list[k].gluons);
        const size_t F = (size_t)s.structures;
        double *C = bg_color_string_matrix(&s);
        const double diagonal = pow(3., list[k].lines) * pow(8. / 3., list[k].gluons);
        assert_non_null(C);
        for (size_t a = 0; a < F; a++) {
            assert_relative(C[a * F + a], diagonal, 1e-14, "diagonal");
            for (size_t b = 0; b < a; b++) assert_true(C[a * F + b] == C[b * F + a]);
        }
        assert_int_equal(rank_of((int)F, C), list[k].rank);
        free(C);
    }
}

/* The sum by irreps of S_n against the matrix. */
static void strings_by_transform(void **state)
{
    (void)state;
    static const int list[][2] = {{2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}, {3, 0}, {3, 1},
                                  {3, 2}, {3, 3}, {4, 0}, {4, 1}, {1, 1}, {1, 2}, {1, 5}};
    random_source r = fresh_source(2);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const color_strings s = bg_color_strings(list[k][0], list[k][1]);
        const size_t F = (size_t)s.structures, W = (size_t)s.words;
        color_fourier t;
        double *C = bg_color_string_matrix(&s), *A = malloc(F * sizeof *A), sum = 0.;
        assert_true(C && A);
        assert_int_equal(bg_color_fourier_create_strings(&t, &s, 2, NULL), 0);
        assert_true(t.bytes <= bg_color_string_fourier_bytes(&s));
        real *by_inverse = aligned(F * sizeof *by_inverse);
        real *scratch = aligned(transform_string_scratch(&t) * sizeof *scratch);
        for (size_t a = 0; a < F; a++) {
            permutation p = bg_permutation_unrank(s.gluons, a % W);
            p = bg_permutation_inverse(s.gluons, &p);
            A[a] = uniform(&r, -1., 1.);
            by_inverse[a - a % W + bg_permutation_rank(s.gluons, &p)] = bg_real(A[a]);
        }
        for (size_t a = 0; a < F; a++)
            for (size_t b = 0; b < F; b++) sum += C[a * F + b] * A[a] * A[b];
        const real transformed = transform_string_sums(&t, 1, by_inverse, 0, scratch);
        const double unit = bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, s.gluons);
        for (int l = 0; l < BG_LANES; l++)
            assert_relative(unit * bg_lane(transformed, l), sum, 1e-11, "lines %d gluons %d", s.lines, s.gluons);
        free(C);
        free(A);
        free(by_inverse);
        free(scratch);
        bg_color_fourier_destroy(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_table),
        cmocka_unit_test(line_is_symmetric),
        cmocka_unit_test(line_is_a_string),
        cmocka_unit_test(line_by_transform),
        cmocka_unit_test(structures_are_counted),
        cmocka_unit_test(matrix_by_generators),
        cmocka_unit_test(ranks_of_matrices),
        cmocka_unit_test(strings_by_transform),
    };
    return cmocka_run_group_tests_name("strings", tests, NULL, NULL);
}
