/* Permutations, exact color factors, rows of the color matrix, and the sampling of colors. */
#include "support.h"

#include "color/dense.h"
#include "color/factor.h"
#include "color/permutation.h"
#include "color/sampling.h"

static permutation identity(int n)
{
    permutation p = {{0}};
    for (int k = 0; k < n; k++) p.at[k] = (uint8_t)k;
    return p;
}

static permutation random_permutation(random_source *r, int n)
{
    int list[BG_MAX_LETTERS];
    permutation p = {{0}};
    for (int k = 0; k < n; k++) list[k] = k;
    shuffle(r, list, n);
    for (int k = 0; k < n; k++) p.at[k] = (uint8_t)list[k];
    return p;
}

static void assert_same(int n, const permutation *a, const permutation *b)
{
    assert_memory_equal(a->at, b->at, (size_t)n);
}

/* ---- permutations --------------------------------------------------------------------------------- */

static void factorials(void **state)
{
    (void)state;
    assert_int_equal(bg_factorial(0), 1);
    assert_int_equal(bg_factorial(1), 1);
    assert_int_equal(bg_factorial(12), 479001600);
}

/* Ranks count 0, 1, 2 ... along bg_permutation_next, which visits all in lexicographic order. */
static void ranks_follow_the_order(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; n++) {
        permutation p = identity(n), before = p;
        uint64_t rank = 0;
        do {
            permutation q = bg_permutation_unrank(n, rank);
            assert_same(n, &q, &p);
            assert_int_equal(bg_permutation_rank(n, &p), rank);
            if (rank) assert_true(memcmp(before.at, p.at, (size_t)n) < 0);
            before = p;
            rank++;
        } while (bg_permutation_next(n, &p));
        assert_int_equal(rank, bg_factorial(n));
    }
}

static void ranks_of_many_letters(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int trial = 0; trial < 2000; trial++) {
        const int n = 8 + random_below(&r, BG_MAX_LETTERS - 7);
        const uint64_t rank = random_bits(&r) % bg_factorial(n);
        permutation p = bg_permutation_unrank(n, rank), next = p;
        assert_int_equal(bg_permutation_rank(n, &p), rank);
        if (rank + 1 < bg_factorial(n)) {
            assert_int_equal(bg_permutation_next(n, &next), 1);
            assert_int_equal(bg_permutation_rank(n, &next), rank + 1);
        }
    }
    permutation last = bg_permutation_unrank(BG_MAX_LETTERS, bg_factorial(BG_MAX_LETTERS) - 1);
    for (int k = 0; k < BG_MAX_LETTERS; k++) assert_int_equal(last.at[k], BG_MAX_LETTERS - 1 - k);
    assert_int_equal(bg_permutation_next(BG_MAX_LETTERS, &last), 0);
}

static void group_laws(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int trial = 0; trial < 2000; trial++) {
        const int n = 1 + random_below(&r, BG_MAX_LETTERS);
        permutation a = random_permutation(&r, n), b = random_permutation(&r, n), c = random_permutation(&r, n);
        permutation one = identity(n), inverse = bg_permutation_inverse(n, &a);
        permutation left = bg_permutation_compose(n, &inverse, &a), right = bg_permutation_compose(n, &a, &inverse);
        assert_same(n, &left, &one);
        assert_same(n, &right, &one);
        permutation ab = bg_permutation_compose(n, &a, &b), bc = bg_permutation_compose(n, &b, &c);
        left = bg_permutation_compose(n, &ab, &c);
        right = bg_permutation_compose(n, &a, &bc);
        assert_same(n, &left, &right);
        for (int k = 0; k < n; k++) assert_int_equal(ab.at[k], a.at[b.at[k]]);
    }
}

/* ---- color factors -------------------------------------------------------------------------------- */

static int64_t *adjoint(int N)
{
    int64_t *c = malloc(bg_factorial(N) * sizeof *c);
    assert_non_null(c);
    assert_int_equal(bg_color_adjoint(N, c, 2, NULL), 0);
    return c;
}

static void adjoint_at_identity(void **state)
{
    (void)state;
    int64_t power = 8;
    for (int N = 1; N <= 8; N++) {
        int64_t *c = adjoint(N);
        power *= 6;
        assert_int_equal(c[0], power);
        /* nothing exceeds the diagonal of a positive matrix */
        for (uint64_t k = 0; k < bg_factorial(N); k++) assert_true(llabs(c[k]) <= power);
        free(c);
    }
}

/* The table of physics.md; ranks of S_3: 012, 021, 102, 120, 201, 210. */
static void adjoint_table(void **state)
{
    (void)state;
    static const int64_t two[] = {288, 144}, three[] = {1728, 864, 864, 432, 432, 0};
    int64_t *c = adjoint(2);
    assert_memory_equal(c, two, sizeof two);
    free(c);
    c = adjoint(3);
    assert_memory_equal(c, three, sizeof three);
    free(c);
}

static void adjoint_is_symmetric(void **state)
{
    (void)state;
    for (int N = 2; N <= 7; N++) {
        int64_t *c = adjoint(N);
        permutation p = identity(N), reversal = {{0}};
        for (int k = 0; k < N; k++) reversal.at[k] = (uint8_t)(N - 1 - k);
        uint64_t rank = 0;
        do {
            /* C is symmetric: c(p) = c(p^-1) */
            permutation q = bg_permutation_inverse(N, &p);
            assert_int_equal(c[rank], c[bg_permutation_rank(N, &q)]);
            /* reading both strings from the other end: c(p) = c(r p r) */
            q = bg_permutation_compose(N, &reversal, &p);
            q = bg_permutation_compose(N, &q, &reversal);
            assert_int_equal(c[rank], c[bg_permutation_rank(N, &q)]);
            rank++;
        } while (bg_permutation_next(N, &p));
        free(c);
    }
}

/* Structure constants of SU(3) from their textbook list. */
static void structure_constants(double f[8][8][8])
{
    static const struct {
        int a, b, c;
        double value;
    } list[] = {{1, 2, 3, 1.},
                {1, 4, 7, 0.5},
                {1, 5, 6, -0.5},
                {2, 4, 6, 0.5},
                {2, 5, 7, 0.5},
                {3, 4, 5, 0.5},
                {3, 6, 7, -0.5},
                {4, 5, 8, 0.8660254037844386},
                {6, 7, 8, 0.8660254037844386}};
    memset(f, 0, 512 * sizeof(double));
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const int a = list[k].a - 1, b = list[k].b - 1, c = list[k].c - 1;
        const double v = list[k].value;
        f[a][b][c] = f[b][c][a] = f[c][a][b] = v;
        f[b][a][c] = f[a][c][b] = f[c][b][a] = -v;
    }
}

/* c(p) by summing products of explicit 8x8 matrices over all colors. Tr(T T) = delta makes each F
 * sqrt(2) times the textbook one: 2^N in front. */
static void adjoint_by_matrices(void **state)
{
    (void)state;
    static double f[8][8][8], chain[24][8][8];
    structure_constants(f);
    for (int N = 1; N <= 4; N++) {
        const uint64_t size = bg_factorial(N);
        double sum[24] = {0.};
        for (int colors = 0; colors < 1 << (3 * N); colors++) {
            for (uint64_t s = 0; s < size; s++) {
                permutation p = bg_permutation_unrank(N, s);
                double m[8][8];
                memcpy(m, f[colors >> (3 * p.at[0]) & 7], sizeof m);
                for (int k = 1; k < N; k++) {
                    const double(*F)[8] = (const double(*)[8])f[colors >> (3 * p.at[k]) & 7];
                    double product[8][8] = {{0.}};
                    for (int i = 0; i < 8; i++)
                        for (int l = 0; l < 8; l++)
                            if (m[i][l] != 0.)
                                for (int j = 0; j < 8; j++) product[i][j] += m[i][l] * F[l][j];
                    memcpy(m, product, sizeof m);
                }
                memcpy(chain[s], m, sizeof m);
            }
            for (uint64_t s = 0; s < size; s++)
                for (int i = 0; i < 8; i++)
                    for (int j = 0; j < 8; j++) sum[s] += chain[0][i][j] * chain[s][i][j];
        }
        int64_t *c = adjoint(N);
        for (uint64_t s = 0; s < size; s++)
            assert_bounded(sum[s] * (1 << N) - (double)c[s], 1e-8, "N = %d, permutation %d", N, (int)s);
        free(c);
    }
}

/* t(w) by summing over the color indices of every gluon: the first trace ties j_k to i_{k+1}, the second one must
 * agree. */
static void traces_by_indices(void **state)
{
    (void)state;
    for (int m = 1; m <= 5; m++) {
        const int n = m + 1;
        int64_t *t = malloc(bg_factorial(m) * sizeof *t);
        assert_non_null(t);
        assert_int_equal(bg_color_trace(m, t, 2, NULL), 0);
        int assignments = 1;
        for (int k = 0; k < n; k++) assignments *= 3;
        for (uint64_t w = 0; w < bg_factorial(m); w++) {
            permutation p = bg_permutation_unrank(m, w);
            int word[BG_MAX_LETTERS + 1] = {0};
            int64_t count = 0;
            for (int k = 0; k < m; k++) word[k + 1] = p.at[k] + 1;
            for (int a = 0; a < assignments; a++) {
                int i[BG_MAX_LETTERS + 1], digits = a, agrees = 1;
                for (int k = 0; k < n; k++, digits /= 3) i[k] = digits % 3;
                for (int k = 0; k < n; k++) {
                    const int j = i[(word[k] + 1) % n]; /* j of gluon word[k], from the first trace */
                    if (j != i[word[(k + 1) % n]]) agrees = 0;
                }
                count += agrees;
            }
            assert_int_equal(t[w], count);
        }
        free(t);
    }
}

/* ---- the color matrix ------------------------------------------------------------------------------- */

static void rows_of_the_matrix(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int m = 1; m <= 6; m++) {
        const uint64_t size = bg_factorial(m);
        double *function = malloc(size * sizeof *function), *row = malloc(size * sizeof *row);
        assert_non_null(function);
        assert_non_null(row);
        /* an arbitrary function, not only a symmetric one: s^-1 s' must not be mixed up with s'^-1 s */
        for (uint64_t k = 0; k < size; k++) function[k] = uniform(&r, -1., 1.);
        color_dense d;
        assert_int_equal(bg_color_dense_create(&d, m, function), 0);
        for (uint64_t s = 0; s < size; s++) {
            permutation p = bg_permutation_unrank(m, s), inverse = bg_permutation_inverse(m, &p);
            const uint64_t start = bg_color_dense_row(&d, s, row);
            assert_true(start <= s);
            for (uint64_t k = start; k < size; k++) {
                permutation q = bg_permutation_unrank(m, k), product = bg_permutation_compose(m, &inverse, &q);
                assert_true(row[k] == function[bg_permutation_rank(m, &product)]);
            }
        }
        bg_color_dense_destroy(&d);
        free(row);
    }
}

/* Cholesky with pivots: a symmetric matrix is positive if and only if no pivot is negative. */
static void matrix_is_positive(void **state)
{
    (void)state;
    for (int N = 2; N <= 5; N++) {
        const int size = (int)bg_factorial(N);
        int64_t *c = adjoint(N);
        double *C = malloc((size_t)size * (size_t)size * sizeof *C);
        assert_non_null(C);
        for (int s = 0; s < size; s++)
            for (int k = 0; k < size; k++) {
                permutation p = bg_permutation_unrank(N, (uint64_t)s), q = bg_permutation_unrank(N, (uint64_t)k);
                permutation inverse = bg_permutation_inverse(N, &p);
                permutation product = bg_permutation_compose(N, &inverse, &q);
                C[s * size + k] = (double)c[bg_permutation_rank(N, &product)];
            }
        const double scale = (double)c[0];
        char *done = calloc((size_t)size, 1);
        assert_non_null(done);
        for (int step = 0; step < size; step++) {
            int pivot = -1;
            for (int k = 0; k < size; k++) {
                if (done[k]) continue;
                assert_true(C[k * size + k] > -1e-10 * scale);
                if (pivot < 0 || C[k * size + k] > C[pivot * size + pivot]) pivot = k;
            }
            done[pivot] = 1;
            const double diagonal = C[pivot * size + pivot];
            for (int i = 0; i < size; i++) {
                if (done[i]) continue;
                /* where nothing is left on the diagonal nothing may be left beside it */
                if (diagonal < 1e-10 * scale) assert_true(fabs(C[i * size + pivot]) < 1e-4 * scale);
                const double factor = diagonal < 1e-10 * scale ? 0. : C[i * size + pivot] / diagonal;
                for (int k = 0; k < size; k++)
                    if (!done[k]) C[i * size + k] -= factor * C[pivot * size + k];
            }
        }
        free(done);
        free(C);
        free(c);
    }
}

/* ---- sampling ------------------------------------------------------------------------------------------- */

/* The anticolors are a permutation of the colors, and the weight is 3^n n! / (n1! n2! n3!). */
static void flows_and_weights(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    for (int trial = 0; trial < 2000; trial++) {
        const int n = 4 + random_below(&r, 11);
        color_flow f = color_flow_draw(n, random_bits(&r), random_bits(&r), (uint32_t)random_below(&r, 1000));
        int colors[3] = {0, 0, 0}, anticolors[3] = {0, 0, 0};
        for (int k = 0; k < n; k++) {
            assert_in_range(f.i[k], 0, 2);
            assert_in_range(f.j[k], 0, 2);
            colors[f.i[k]]++;
            anticolors[f.j[k]]++;
        }
        assert_memory_equal(colors, anticolors, sizeof colors);
        const double weight = exp(n * log(3.) + lgamma(n + 1.) - lgamma(colors[0] + 1.) - lgamma(colors[1] + 1.) -
                                  lgamma(colors[2] + 1.));
        assert_relative(f.weight, weight, 1e-12, "weight for %d gluons", n);
    }
}

/* Every (i, j) that can contribute comes up with probability 1/weight: frequencies at n = 4. */
static void flows_are_drawn_evenly(void **state)
{
    (void)state;
    enum { DRAWS = 400000, CELLS = 6561 };
    static int seen[CELLS];
    static double weight[CELLS];
    memset(seen, 0, sizeof seen);
    memset(weight, 0, sizeof weight);
    for (uint64_t event = 0; event < DRAWS; event++) {
        color_flow f = color_flow_draw(4, 99, event, 0);
        int cell = 0;
        for (int k = 0; k < 4; k++) cell = cell * 9 + 3 * f.i[k] + f.j[k];
        seen[cell]++;
        weight[cell] = f.weight;
    }
    double total = 0., chi2 = 0.;
    int cells = 0;
    for (int k = 0; k < CELLS; k++)
        if (seen[k]) {
            const double expected = DRAWS / weight[k];
            total += 1. / weight[k];
            chi2 += (seen[k] - expected) * (seen[k] - expected) / expected;
            cells++;
        }
    /* all (i, j) whose anticolors are an arrangement of the colors came up */
    int possible = 0;
    for (int k = 0; k < CELLS; k++) {
        int content[3] = {0, 0, 0};
        for (int g = 0, digits = k; g < 4; g++, digits /= 9) {
            content[digits % 9 / 3]++;
            content[digits % 3]--;
        }
        possible += !content[0] && !content[1] && !content[2];
    }
    assert_int_equal(cells, possible);
    assert_relative(total, 1., 1e-12, "probabilities of all color flows");
    assert_bounded(chi2 - (cells - 1), 5. * sqrt(2. * (cells - 1)), "chi^2 of color flows");
}

static int deltas_hold(int n, const color_flow *f, const int *order)
{
    for (int k = 0; k < n; k++)
        if (f->i[order[k]] != f->j[order[(k + 1) % n]]) return 0;
    return 1;
}

static void walk_finds_every_ordering(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    for (int n = 4; n <= 9; n++)
        for (int trial = 0; trial < (n < 8 ? 50 : 4); trial++) {
            color_flow f = color_flow_draw(n, random_bits(&r), 0, 0);
            if (trial == 1) /* all alike: every ordering contributes */
                for (int k = 0; k < n; k++) f.i[k] = f.j[k] = 1;
            if (trial == 2) f.j[0] = (signed char)((f.j[0] + 1) % 3); /* color not conserved: none does */
            color_walk walk;
            color_walk_start(&walk);
            permutation p = identity(n - 1);
            do {
                int order[BG_MAX_LEGS] = {0};
                for (int k = 0; k < n - 1; k++) order[k + 1] = p.at[k] + 1;
                if (!deltas_hold(n, &f, order)) continue;
                assert_int_equal(color_walk_next(n, &f, &walk), 1);
                assert_memory_equal(walk.order, order, (size_t)n * sizeof *order);
            } while (bg_permutation_next(n - 1, &p));
            assert_int_equal(color_walk_next(n, &f, &walk), 0);
        }
}

/* Two unit vectors a gluon, isotropic: <M_ij M_kl> = delta_ik delta_jl / 9. */
static void continuous_colors(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    double second[9][9] = {{0.}};
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        real color[9 * 4];
        uint64_t event[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) event[l] = 10 + (uint64_t)l;
        color_continuous(4, 5, event, draw, color);
        for (int k = 0; k < 4; k++) {
            double norm = 0., minor;
            double m[9];
            for (int ij = 0; ij < 9; ij++) {
                m[ij] = (double)bg_lane(color[9 * k + ij], 0);
                norm += m[ij] * m[ij];
            }
            minor = m[0] * m[4] - m[1] * m[3];
            assert_bounded(norm - 1., 1e-14, "norm of a color matrix");
            assert_bounded(minor, 1e-15, "rank of a color matrix");
            if (k == 3)
                for (int a = 0; a < 9; a++)
                    for (int b = 0; b < 9; b++) second[a][b] += m[a] * m[b] / DRAWS;
        }
    }
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++)
            assert_bounded(second[a][b] - (a == b ? 1. / 9. : 0.), 5. * 0.2 / sqrt(DRAWS), "<M_%d M_%d>", a, b);
}

/* The matrices of discrete colors say the same as the flow they come from, in every lane. */
static void discrete_matrices(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    for (int trial = 0; trial < 100; trial++) {
        const int n = 4 + random_below(&r, 11);
        const uint64_t seed = random_bits(&r);
        uint64_t event[BG_LANES];
        real color[9 * BG_MAX_LEGS], weight;
        for (int l = 0; l < BG_LANES; l++) event[l] = random_bits(&r);
        color_discrete(n, seed, event, 7, color, &weight);
        for (int l = 0; l < BG_LANES; l++) {
            color_flow f = color_flow_draw(n, seed, event[l], 7);
            assert_true((double)bg_lane(weight, l) == f.weight);
            for (int k = 0; k < n; k++)
                for (int ij = 0; ij < 9; ij++)
                    assert_true((double)bg_lane(color[9 * k + ij], l) == (ij == 3 * f.j[k] + f.i[k] ? 1. : 0.));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factorials),
        cmocka_unit_test(ranks_follow_the_order),
        cmocka_unit_test(ranks_of_many_letters),
        cmocka_unit_test(group_laws),
        cmocka_unit_test(adjoint_at_identity),
        cmocka_unit_test(adjoint_table),
        cmocka_unit_test(adjoint_is_symmetric),
        cmocka_unit_test(adjoint_by_matrices),
        cmocka_unit_test(traces_by_indices),
        cmocka_unit_test(rows_of_the_matrix),
        cmocka_unit_test(matrix_is_positive),
        cmocka_unit_test(flows_and_weights),
        cmocka_unit_test(flows_are_drawn_evenly),
        cmocka_unit_test(walk_finds_every_ordering),
        cmocka_unit_test(continuous_colors),
        cmocka_unit_test(discrete_matrices),
    };
    return cmocka_run_group_tests_name("color", tests, NULL, NULL);
}
