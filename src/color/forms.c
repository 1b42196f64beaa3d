/* Blocks of the color matrix and their Cholesky factors, in place: at N = 10 a block has up to 4050 rows, and all of
 * them together take as much memory as the tables that come out.
 *
 * The lower half of a block lies in panels of four columns, [panel][row from the panel's first column on][column], from
 * its first number to its last coefficient. The factorization works through groups of panels from left to
 * right. A block belongs to one thread, so nothing depends on how many there are.
 */
#include "color/forms.h"
#include "color/permutation.h"
#include "color/transform.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = BG_PANEL_ROWS, /* columns of a panel, rows of a tile */
    GROUP = 4,             /* panels that are brought up to date together */
    COLUMNS = GROUP * WIDTH,
    DEPTH = 64 /* columns whose products are subtracted at a time: they stay in the cache */
};

/* A block while it is built: its order is n, a multiple of WIDTH; the last few rows may be empty. */
typedef struct block {
    int sign, dimension, offset;
    int n;
    size_t start; /* in the coefficients */
    unsigned char *present;
} block;

static size_t panel_start(int n, int panel)
{
    return (size_t)WIDTH * ((size_t)panel * (size_t)n - (size_t)WIDTH * (size_t)panel * (size_t)(panel - 1) / 2);
}

/* The four numbers of a row in a panel. */
static double *row_of(double *M, int n, int panel, int row)
{
    return M + panel_start(n, panel) + (size_t)WIDTH * (size_t)(row - panel * WIDTH);
}

/* ---- the blocks ------------------------------------------------------------------------------------------- */

/* u_x of the coset of letters i < j: they come first, the rest in order. */
static permutation coset(int letters, int i, int j)
{
    permutation p = {{0}};
    p.at[0] = (uint8_t)i;
    p.at[1] = (uint8_t)j;
    for (int k = 0, place = 2; k < letters; k++)
        if (k != i && k != j) p.at[place++] = (uint8_t)k;
    return p;
}

/* c(u_x h u_y^-1) for all h of H. The word u_x h u_y^-1 has the first two letters of u_x, in either order, at the places
 * that the first two letters of u_y name; the others, in all orders, fill the rest from left to right. So the orders
 * come in the order of their ranks, and the rank of the word grows digit by digit. */
typedef struct factor_walk {
    int letters;
    const int64_t *c;
    permutation x, y;
    real *g; /* the next number: even under S_2 in the first lane, odd in the second */
} factor_walk;

static void walk_factors(factor_walk *w, int place, permutation_rank first, permutation_rank second, unsigned used)
{
    if (place == w->letters) {
        const double a = (double)w->c[first.number], b = (double)w->c[second.number];
        bg_set_lane(w->g, 0, a + b);
        bg_set_lane(w->g, 1, a - b);
        w->g++;
    } else if (place == w->y.at[0] || place == w->y.at[1]) {
        const int k = place == w->y.at[1];
        first = permutation_rank_add(first, w->letters - place, w->x.at[k]);
        second = permutation_rank_add(second, w->letters - place, w->x.at[1 - k]);
        walk_factors(w, place + 1, first, second, used);
    } else {
        for (int k = 2; k < w->letters; k++) {
            if (used >> k & 1u) continue;
            walk_factors(w, place + 1, permutation_rank_add(first, w->letters - place, w->x.at[k]),
                         permutation_rank_add(second, w->letters - place, w->x.at[k]), used | 1u << k);
        }
    }
}

/* Where the color factors of a pair of cosets come from. */
typedef struct factor_source {
    int signs; /* of irreps: 2 for H = S_{N-2} x S_2, 1 for the functions of pairs of skeletons */
    const int64_t *c;
} factor_source;

/* The color factors c_xy(w) of a pair of skeletons, by rank of w. */
static void copy_factors(const int64_t *c, int count, real *g)
{
    for (int k = 0; k < count; k++) g[k] = bg_real((double)c[k]);
}

/* The numbers of one pair of cosets x >= y in all blocks. */
static void fill_pair(const color_fourier *f, int signs, int x, int y, const real *g, int blocks, const block *b,
                      double *all)
{
    for (int k = 0; k < blocks; k++, b++) {
        const int d = b->dimension, odd = b->sign < 0;
        const double weight = (double)d / ((double)signs * f->block);
        for (int p = 0; p < d; p++)
            for (int q = 0; q < d; q++) {
                const int row = x * d + p, column = y * d + q;
                if (row >= column)
                    row_of(all + b->start, b->n, column / WIDTH, row)[column % WIDTH] =
                        weight * bg_lane(g[b->offset + p * d + q], odd);
            }
    }
}

/* The first two letters of all cosets of H; NULL without memory. */
static permutation *list_cosets(int N)
{
    permutation *u = malloc((size_t)(N * (N - 1) / 2 + 1) * sizeof *u);
    for (int x = 0, i = 0; i < N && u; i++)
        for (int j = i + 1; j < N; j++) u[x++] = coset(N, i, j);
    return u;
}

static int fill_blocks(const color_fourier *f, const factor_source *source, int blocks, const block *b, double *all,
                       int threads)
{
    const int N = f->letters, X = f->cosets;
    const size_t bytes = ((size_t)f->block * sizeof(real) + 63) / 64 * 64;
    permutation *u = source->signs == 2 ? list_cosets(N) : NULL;
    int failed = source->signs == 2 && !u;
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(| : failed)
#endif
    {
        real *g = aligned_alloc(64, bytes), *scratch = aligned_alloc(64, bytes);
        failed |= !g || !scratch;
        /* M is symmetric: the lower half will do */
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (int pair = 0; pair < X * X; pair++) {
            const int x = pair / X, y = pair % X;
            if (y > x || !g || !scratch) continue;
            failed |= bg_interrupted(f->interrupt);
            if (failed) continue;
            if (u) {
                factor_walk w = {N, source->c, u[x], u[y], g};
                walk_factors(&w, 0, permutation_rank_none(), permutation_rank_none(), 0u);
            } else if (source->signs == 1) {
                copy_factors(source->c + (size_t)pair * (size_t)f->block, f->block, g);
            }
            transform_climb(f, g, scratch);
            fill_pair(f, source->signs, x, y, g, blocks, b, all);
        }
        free(g);
        free(scratch);
    }
    free(u);
    return failed ? -1 : 0;
}

/* ---- their factors ------------------------------------------------------------------------------------------- */

/* Subtracts from the panels [panel, end) what the columns [from, to) contribute: sum_k G_jk G_ck. `turned` has room for
 * COLUMNS numbers of each column. */
static void subtract_products(int n, double *M, int from, int to, int panel, int end, double *turned)
{
    for (int q = from / WIDTH; q < to / WIDTH; q++)
        for (int c = panel * WIDTH; c < end * WIDTH; c++) {
            const double *row = row_of(M, n, q, c);
            for (int k = 0; k < WIDTH; k++)
                turned[(size_t)(q * WIDTH + k) * COLUMNS + (size_t)(c - panel * WIDTH)] = row[k];
        }
    for (int first = from; first < to; first += DEPTH) {
        const int last = to < first + DEPTH ? to : first + DEPTH;
        for (int j = panel * WIDTH; j < n; j += WIDTH)
            for (int p = panel; p < end && p * WIDTH <= j; p++) {
                double *to_rows = row_of(M, n, p, j);
                real z[WIDTH][WIDTH / 2];
                for (int r = 0; r < WIDTH; r++)
                    for (int c = 0; c < WIDTH / 2; c++) memcpy(&z[r][c], to_rows + r * WIDTH + 2 * c, sizeof(real));
                const double *t = turned + (size_t)first * COLUMNS + (size_t)((p - panel) * WIDTH);
                for (int q = first / WIDTH; q < last / WIDTH; q++) {
                    const double *left = row_of(M, n, q, j);
                    for (int k = 0; k < WIDTH; k++, t += COLUMNS)
                        for (int c = 0; c < WIDTH / 2; c++) {
                            real right;
                            memcpy(&right, t + 2 * c, sizeof right);
                            for (int r = 0; r < WIDTH; r++) z[r][c] -= bg_real(left[r * WIDTH + k]) * right;
                        }
                }
                for (int r = 0; r < WIDTH; r++)
                    for (int c = 0; c < WIDTH / 2; c++) memcpy(to_rows + r * WIDTH + 2 * c, &z[r][c], sizeof(real));
            }
    }
}

/* What a pivot, in units of the largest diagonal element, is taken for. */
#define THERE 1e-9     /* from here on it is not zero */
#define ROUNDING 3e-14 /* up to here it is */

/* The last step for a panel: what its own columns contribute to one another. A pivot that is zero up to `rounding` ends
 * its row of G^T: the matrix is positive, so what is left of that column vanishes with it. Returns -1 at one that
 * cannot be told from zero. */
static int finish_panel(int n, double *M, int panel, double largest, double rounding, unsigned char *present)
{
    double *top = row_of(M, n, panel, panel * WIDTH);
    const int rows = n - panel * WIDTH;
    for (int c = 0; c < WIDTH; c++) {
        const double pivot = top[c * WIDTH + c];
        const int there = pivot > (rounding > 0. ? THERE * largest : 0.);
        if (!there && fabs(pivot) > rounding) return -1;
        const double inverse = there ? 1. / sqrt(pivot) : 0.;
        present[panel * WIDTH + c] = (unsigned char)there;
        for (int j = 0; j < rows; j++) top[j * WIDTH + c] = j < c ? 0. : top[j * WIDTH + c] * inverse;
        for (int j = c + 1; j < rows; j++)
            for (int other = c + 1; other < WIDTH; other++)
                top[j * WIDTH + other] -= top[j * WIDTH + c] * top[other * WIDTH + c];
    }
    return 0;
}

/* G of M = G G^T; -1 as above. */
static int factor(int n, double *M, double largest, double rounding, double *turned, unsigned char *present,
                  bg_interrupt *interrupt)
{
    for (int group = 0; group < n / WIDTH && !bg_interrupted(interrupt); group += GROUP) {
        const int end = group + GROUP < n / WIDTH ? group + GROUP : n / WIDTH;
        subtract_products(n, M, 0, group * WIDTH, group, end, turned);
        for (int p = group; p < end; p++) {
            subtract_products(n, M, group * WIDTH, p * WIDTH, p, p + 1, turned);
            if (finish_panel(n, M, p, largest, rounding, present)) return -1;
        }
    }
    return 0;
}

/* The factor of a block of `order` rows that are not padding. M is singular, and its columns come in an order that
 * can make the rounding of a vanishing pivot grow by many powers of ten. Where that happens, all pivots are kept:
 * M + shift has a factor that is right up to rounding whatever the order, and a shift of some hundred roundings of the
 * largest element does no harm. */
static int cholesky(int order, int n, double *M, unsigned char *present, bg_interrupt *interrupt)
{
    const size_t numbers = panel_start(n, n / WIDTH);
    double largest = 0., *turned = malloc((size_t)n * COLUMNS * sizeof *turned), *copy = malloc(numbers * sizeof *copy);
    if (!turned || !copy) {
        free(turned);
        free(copy);
        return -1;
    }
    for (int i = 0; i < order; i++) {
        const double diagonal = row_of(M, n, i / WIDTH, i)[i % WIDTH];
        if (diagonal > largest) largest = diagonal;
    }
    double shift = ROUNDING * largest;
    memcpy(copy, M, numbers * sizeof *copy);
    if (factor(n, M, largest, shift, turned, present, interrupt)) {
        do {
            memcpy(M, copy, numbers * sizeof *copy);
            for (int i = 0; i < n; i++) row_of(M, n, i / WIDTH, i)[i % WIDTH] += i < order ? shift : largest;
            shift *= 4.;
        } while (factor(n, M, largest, 0., turned, present, interrupt));
    }
    free(turned);
    free(copy);
    return 0;
}

/* ---- the tables ---------------------------------------------------------------------------------------------- */

/* Rows of G^T that do not vanish, in panels of neighbors, moved down to where the coefficients end. A new panel ends
 * before the next old one begins, and has all that is left of the old ones up to there. */
static int add_form(color_fourier *f, const block *b, size_t *panels)
{
    const int n = f->cosets * b->dimension;
    double *G = f->coefficient + b->start, *rows_of_panel = malloc((size_t)(WIDTH * n) * sizeof *rows_of_panel);
    form_panel *more = realloc(f->panels, (*panels + (size_t)n) * sizeof *more);
    if (more) f->panels = more;
    if (!more || !rows_of_panel) {
        free(rows_of_panel);
        return -1;
    }
    color_form *form = &f->form[f->forms++];
    *form = (color_form){b->sign, b->dimension, b->offset, (int)*panels, 0};
    for (int i = 0; i < n;) {
        int column[WIDTH], rows = 0;
        for (; i < n && rows < WIDTH; i++)
            if (b->present[i]) column[rows++] = i;
        if (!rows) break;
        f->panels[(*panels)++] = (form_panel){column[0], rows, f->coefficients};
        double *next = rows_of_panel;
        for (int j = column[0]; j < n; j++)
            for (int r = 0; r < rows; r++)
                *next++ = j >= column[r] ? row_of(G, b->n, column[r] / WIDTH, j)[column[r] % WIDTH] : 0.;
        const size_t numbers = (size_t)(next - rows_of_panel);
        memcpy(f->coefficient + f->coefficients, rows_of_panel, numbers * sizeof *next);
        f->coefficients += numbers;
    }
    form->panels = (int)*panels - form->first;
    free(rows_of_panel);
    return 0;
}

static int add_forms(color_fourier *f, int irreps, const int *dimension, const int *offset, const factor_source *source,
                     int threads)
{
    const int blocks = source->signs * irreps;
    block *b = calloc((size_t)blocks, sizeof *b);
    f->form = malloc((size_t)blocks * sizeof *f->form);
    if (!b || !f->form) {
        free(b);
        return -1;
    }
    size_t room = f->coefficients, rows = 0, panels = 0;
    for (int k = 0; k < blocks; k++) {
        const int irrep = k / source->signs, d = dimension[irrep], n = (f->cosets * d + WIDTH - 1) / WIDTH * WIDTH;
        b[k] = (block){k % source->signs ? -1 : 1, d, offset[irrep], n, room, NULL};
        room += panel_start(n, n / WIDTH);
        rows += (size_t)n;
    }
    double *all = calloc(room, sizeof *all);
    unsigned char *present = malloc(rows);
    int failed = !all || !present;
    if (!failed) {
        memcpy(all, f->coefficient, f->coefficients * sizeof *all);
        free(f->coefficient);
        f->coefficient = all;
        b[0].present = present;
        for (int k = 1; k < blocks; k++) b[k].present = b[k - 1].present + b[k - 1].n;
        failed = fill_blocks(f, source, blocks, b, all, threads);
    }
    if (!failed) {
        /* the large ones first, so that the threads end together */
        int *order = malloc((size_t)blocks * sizeof *order);
        failed = !order;
        for (int k = 0; k < blocks && order; k++) {
            int at = k;
            for (; at > 0 && b[order[at - 1]].n < b[k].n; at--) order[at] = order[at - 1];
            order[at] = k;
        }
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(| : failed)
#endif
        for (int k = 0; k < blocks; k++)
            if (order)
                failed |= cholesky(f->cosets * b[order[k]].dimension, b[order[k]].n, all + b[order[k]].start,
                                   b[order[k]].present, f->interrupt) ||
                          bg_interrupted(f->interrupt);
        free(order);
    }
    for (int k = 0; k < blocks && !failed; k++) failed = add_form(f, &b[k], &panels);
    if (!failed) {
        double *less = realloc(f->coefficient, (f->coefficients + 1) * sizeof *less);
        if (less) f->coefficient = less;
    } else if (f->coefficient != all) {
        free(all);
    }
    free(present);
    free(b);
    return failed ? -1 : 0;
}

int bg_color_add_forms(color_fourier *f, int irreps, const int *dimension, const int *offset, const int64_t *c,
                       int threads)
{
    return add_forms(f, irreps, dimension, offset, &(factor_source){.signs = 2, .c = c}, threads);
}

int bg_color_add_string_forms(color_fourier *f, int irreps, const int *dimension, const int *offset, const int64_t *c,
                              int threads)
{
    return add_forms(f, irreps, dimension, offset, &(factor_source){.signs = 1, .c = c}, threads);
}
