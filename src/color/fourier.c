/* Builds the tables of fourier.h: Young's orthogonal form along the chain of symmetric groups, the
 * blocks of the color matrix and their Cholesky factors.
 *
 * A tableau is the list of the rows that receive the numbers 1, 2, ..; the tableaux of a shape are
 * ordered by the row of the last number, then as tableaux of the shape without it. So the tableaux that
 * belong to one smaller shape mu are neighbours. Point j of S_k (0-based) stands for number k - j: the
 * subgroup that fixes the first point is the one that leaves the last number alone.
 */
#include "color/transform.h"
#include "color/factor.h"
#include "color/permutation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 10        /* largest group here: S_MOST, as in N - 2 <= 10 */
#define MOST_SHAPES 42 /* partitions of 10 */

typedef struct shape {
    int rows;
    int length[MOST];
} shape;

/* The irreps of one S_k: shapes in descending lexicographic order. */
typedef struct irreps {
    int k, count;
    shape lambda[MOST_SHAPES];
    int dimension[MOST_SHAPES];
    int offset[MOST_SHAPES]; /* of the d x d block in the transform */
} irreps;

static void add_shapes(irreps *s, shape *partial, int left, int most)
{
    if (!left) {
        s->lambda[s->count++] = *partial;
        return;
    }
    for (int part = left < most ? left : most; part >= 1; part--) {
        partial->length[partial->rows++] = part;
        add_shapes(s, partial, left - part, part);
        partial->rows--;
    }
}

/* Whether a box can be taken from row r, and the shape without it. */
static int remove_box(const shape *lambda, int r, shape *mu)
{
    if (r + 1 < lambda->rows && lambda->length[r] == lambda->length[r + 1]) return 0;
    *mu = *lambda;
    if (--mu->length[r] == 0) mu->rows--;
    return 1;
}

static int find_shape(const irreps *s, const shape *lambda)
{
    for (int k = 0; k < s->count; k++) {
        if (s->lambda[k].rows != lambda->rows) continue;
        int same = 1;
        for (int r = 0; r < lambda->rows; r++) same &= s->lambda[k].length[r] == lambda->length[r];
        if (same) return k;
    }
    return -1;
}

/* The irreps of S_k from those of S_{k-1}. */
static void list_irreps(irreps *s, const irreps *smaller, int k)
{
    shape empty;
    memset(&empty, 0, sizeof empty);
    s->k = k;
    s->count = 0;
    add_shapes(s, &empty, k, k);
    int offset = 0;
    for (int l = 0; l < s->count; l++) {
        int d = 0;
        for (int r = 0; r < s->lambda[l].rows; r++) {
            shape mu;
            if (k > 1 && remove_box(&s->lambda[l], r, &mu)) d += smaller->dimension[find_shape(smaller, &mu)];
        }
        s->dimension[l] = k > 1 ? d : 1;
        s->offset[l] = offset;
        offset += s->dimension[l] * s->dimension[l];
    }
}

/* All tableaux of a shape of k boxes, rows[t * k + number - 1]; returns how many. */
static int list_tableaux(const shape *lambda, int k, int total, signed char *rows)
{
    if (!k) return 1;
    int count = 0;
    for (int r = 0; r < lambda->rows; r++) {
        shape mu;
        if (!remove_box(lambda, r, &mu)) continue;
        const int more = list_tableaux(&mu, k - 1, total, rows + count * total);
        for (int t = 0; t < more; t++) rows[(count + t) * total + k - 1] = (signed char)r;
        count += more;
    }
    return count;
}

/* matrix <- rho(s) matrix, s the transposition of points j and j + 1 of S_k. */
static void apply_transposition(int d, int k, const signed char *tableaux, int j, double *matrix, double *row)
{
    const int low = k - j - 2, high = low + 1; /* numbers minus 1 */
    for (int t = 0; t < d; t++) {
        const signed char *tableau = tableaux + t * k;
        int column[MOST] = {0}, content[MOST];
        for (int n = 0; n < k; n++) {
            content[n] = column[tableau[n]] - tableau[n];
            column[tableau[n]]++;
        }
        const double inverse = 1. / (content[high] - content[low]); /* of the axial distance */
        /* the partner, with the two numbers exchanged; do each pair once */
        int partner = -1;
        for (int u = 0; u < d && partner < 0; u++) {
            const signed char *other = tableaux + u * k;
            int same = other[low] == tableau[high] && other[high] == tableau[low] && u != t;
            for (int n = 0; n < k && same; n++) same = n == low || n == high || other[n] == tableau[n];
            if (same) partner = u;
        }
        double *a = matrix + (size_t)t * (size_t)d;
        if (partner < 0) {
            for (int c = 0; c < d; c++) a[c] *= inverse;
        } else if (partner > t) {
            const double beside = sqrt(1. - inverse * inverse);
            double *b = matrix + (size_t)partner * (size_t)d;
            memcpy(row, a, (size_t)d * sizeof *row);
            for (int c = 0; c < d; c++) {
                a[c] = inverse * row[c] + beside * b[c];
                b[c] = beside * row[c] - inverse * b[c];
            }
        }
    }
}

/* Growing arrays of the tables. */
typedef struct builder {
    color_fourier *f;
    size_t blocks, panels, room;
} builder;

static int reserve(builder *b, size_t more)
{
    if (b->f->coefficients + more <= b->room) return 0;
    const size_t room = 2 * b->room + more;
    double *p = realloc(b->f->coefficient, room * sizeof *p);
    if (!p) return -1;
    b->f->coefficient = p;
    b->room = room;
    return 0;
}

/* The matrices of the step from S_{k-1} to S_k. */
static int add_stage(builder *b, const irreps *small, const irreps *big)
{
    color_fourier *f = b->f;
    const int k = big->k;
    transform_stage *stage = &f->stage[f->stages++];
    stage->k = k;
    stage->first = (int)b->blocks;
    for (int l = 0; l < big->count; l++) {
        const int d = big->dimension[l];
        const size_t square = (size_t)d * (size_t)d;
        signed char *tableaux = malloc((size_t)(d * k));
        double *rho = calloc((size_t)k * square, sizeof *rho), *row = malloc((size_t)d * sizeof *row);
        transform_block *more = realloc(f->blocks, (b->blocks + MOST) * sizeof *more);
        if (more) f->blocks = more;
        int failed = !tableaux || !rho || !row || !more || reserve(b, (size_t)k * square);
        if (!failed) {
            list_tableaux(&big->lambda[l], k, k, tableaux);
            /* rho(c_i) = rho(s_{i-1}) rho(c_{i-1}) */
            for (int c = 0; c < d; c++) rho[c * d + c] = 1.;
            for (int i = 1; i < k; i++) {
                memcpy(rho + (size_t)i * square, rho + (size_t)(i - 1) * square, square * sizeof *rho);
                apply_transposition(d, k, tableaux, i - 1, rho + (size_t)i * square, row);
            }
            int column = 0;
            for (int r = 0; r < big->lambda[l].rows; r++) {
                shape mu;
                if (!remove_box(&big->lambda[l], r, &mu)) continue;
                const int s = find_shape(small, &mu), inner = small->dimension[s];
                transform_block *block = &f->blocks[b->blocks++];
                block->rows = d;
                block->inner = inner;
                block->in = small->offset[s];
                block->out = big->offset[l] + column;
                block->coefficient = f->coefficients;
                for (int panel = 0; panel < d; panel += BG_PANEL_ROWS)
                    for (int i = 0; i < k; i++)
                        for (int a = 0; a < inner; a++)
                            for (int p = panel; p < d && p < panel + BG_PANEL_ROWS; p++)
                                f->coefficient[f->coefficients++] =
                                    rho[(size_t)i * square + (size_t)(p * d + column + a)];
                column += inner;
            }
        }
        free(tableaux);
        free(rho);
        free(row);
        if (failed) return -1;
    }
    stage->blocks = (int)b->blocks - stage->first;
    return 0;
}

/* G of M = G G^T in the lower half of the n x n matrix; a pivot that is zero up to rounding ends its row
 * of G^T: the matrix is positive, so what is left of that column vanishes with it. */
static void cholesky(int n, double *M, unsigned char *present)
{
    double largest = 0.;
    for (int i = 0; i < n; i++)
        if (M[(size_t)i * (size_t)n + (size_t)i] > largest) largest = M[(size_t)i * (size_t)n + (size_t)i];
    /* row by row: row j needs the rows above it only */
    for (int j = 0; j < n; j++) {
        double *row = M + (size_t)j * (size_t)n;
        for (int i = 0; i <= j; i++) {
            const double *above = M + (size_t)i * (size_t)n;
            if (i < j && !present[i]) {
                row[i] = 0.;
                continue;
            }
            double partial[4] = {0., 0., 0., 0.};
            int k = 0;
            for (; k + 4 <= i; k += 4)
                for (int c = 0; c < 4; c++) partial[c] += row[k + c] * above[k + c];
            for (; k < i; k++) partial[0] += row[k] * above[k];
            const double left = row[i] - ((partial[0] + partial[1]) + (partial[2] + partial[3]));
            if (i < j) {
                row[i] = left / above[i];
            } else {
                present[j] = left > 1e-11 * largest;
                row[j] = present[j] ? sqrt(left) : 0.;
            }
        }
    }
}

/* Rows of G^T in panels of neighbours. */
static int add_form(builder *b, int sign, int dimension, int offset, int n, const double *G,
                    const unsigned char *present)
{
    color_fourier *f = b->f;
    form_panel *more = realloc(f->panels, (b->panels + (size_t)n) * sizeof *more);
    if (!more) return -1;
    f->panels = more;
    color_form *form = &f->form[f->forms++];
    form->sign = sign;
    form->dimension = dimension;
    form->offset = offset;
    form->first = (int)b->panels;
    for (int i = 0; i < n;) {
        int row[BG_PANEL_ROWS], rows = 0;
        for (; i < n && rows < BG_PANEL_ROWS; i++)
            if (present[i]) row[rows++] = i;
        if (!rows) break;
        form_panel *panel = &f->panels[b->panels++];
        panel->first = row[0];
        panel->rows = rows;
        panel->coefficient = f->coefficients;
        if (reserve(b, (size_t)rows * (size_t)(n - row[0]))) return -1;
        for (int j = row[0]; j < n; j++)
            for (int r = 0; r < rows; r++)
                f->coefficient[f->coefficients++] = j >= row[r] ? G[(size_t)j * (size_t)n + (size_t)row[r]] : 0.;
    }
    form->panels = (int)b->panels - form->first;
    return 0;
}

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

/* Transforms over H of c(u_x h u_y^-1), even under S_2 in the first lane, odd in the second. */
static void transform_factors(const color_fourier *f, const int64_t *c, const permutation *x, const permutation *y,
                              real *g, real *scratch)
{
    const int N = f->letters;
    const permutation back = bg_permutation_inverse(N, y);
    permutation h = {{0}};
    for (int k = 0; k < f->m; k++) h.at[k] = (uint8_t)k;
    int rank = 0;
    do {
        double value[2];
        for (int swap = 0; swap < 2; swap++) {
            permutation u = {{0}}, w;
            u.at[swap] = x->at[0];
            u.at[1 - swap] = x->at[1];
            for (int k = 0; k < f->m; k++) u.at[k + 2] = x->at[h.at[k] + 2];
            w = bg_permutation_compose(N, &u, &back);
            value[swap] = (double)c[bg_permutation_rank(N, &w)];
        }
        bg_set_lane(&g[rank], 0, value[0] + value[1]);
        bg_set_lane(&g[rank], 1, value[0] - value[1]);
        rank++;
    } while (bg_permutation_next(f->m, &h));
    transform_climb(f, g, scratch);
}

/* All blocks M_rho and their factors. The numbers of all pairs of cosets go to one array, [irrep entry][x][y],
 * from which the blocks are put together. */
static int add_forms(builder *b, const irreps *top, const int64_t *c)
{
    color_fourier *f = b->f;
    const int N = f->letters, X = f->cosets;
    const size_t pairs = (size_t)X * (size_t)X;
    real *g = aligned_alloc(64, ((size_t)f->block * sizeof(real) + 63) / 64 * 64);
    real *scratch = aligned_alloc(64, ((size_t)f->block * sizeof(real) + 63) / 64 * 64);
    double *all = malloc(2 * pairs * (size_t)f->block * sizeof *all);
    const size_t largest = (size_t)X * (size_t)f->largest;
    double *M = malloc(largest * largest * sizeof *M);
    unsigned char *present = malloc(largest);
    int failed = !g || !scratch || !all || !M || !present;
    for (int x = 0, i = 0; i < N && !failed; i++)
        for (int j = i + 1; j < N; j++, x++)
            for (int y = 0, k = 0; k < N; k++)
                for (int l = k + 1; l < N; l++, y++) {
                    const permutation p = coset(N, i, j), q = coset(N, k, l);
                    if (y > x) continue; /* M is symmetric: the lower half will do */
                    transform_factors(f, c, &p, &q, g, scratch);
                    for (int e = 0; e < f->block; e++)
                        for (int odd = 0; odd < 2; odd++)
                            all[((size_t)e * 2 + (size_t)odd) * pairs + (size_t)(x * X + y)] = bg_lane(g[e], odd);
                }
    for (int mu = 0; mu < top->count && !failed; mu++)
        for (int odd = 0; odd < 2 && !failed; odd++) {
            const int d = top->dimension[mu], n = X * d;
            const double weight = (double)d / (2. * f->block);
            for (int x = 0; x < X; x++)
                for (int y = 0; y <= x; y++)
                    for (int p = 0; p < d; p++)
                        for (int q = 0; q < d; q++) {
                            const size_t e = (size_t)(top->offset[mu] + p * d + q);
                            M[(size_t)(x * d + p) * (size_t)n + (size_t)(y * d + q)] =
                                weight * all[(e * 2 + (size_t)odd) * pairs + (size_t)(x * X + y)];
                        }
            cholesky(n, M, present);
            failed = add_form(b, odd ? -1 : 1, d, top->offset[mu], n, M, present);
        }
    free(g);
    free(scratch);
    free(all);
    free(M);
    free(present);
    return failed ? -1 : 0;
}

int bg_color_fourier_create(color_fourier *f, int letters)
{
    memset(f, 0, sizeof *f);
    f->letters = letters;
    f->m = letters - 2;
    f->block = (int)bg_factorial(f->m);
    f->cosets = letters * (letters - 1) / 2;
    builder b = {f, 0, 0, 0};
    irreps *chain = calloc(MOST + 1, sizeof *chain);
    int64_t *c = malloc(bg_factorial(letters) * sizeof *c);
    int failed = !chain || !c || bg_color_adjoint(letters, c);
    if (!failed) {
        /* S_0 has one irrep, as S_1 */
        list_irreps(&chain[0], NULL, 1);
        for (int k = 1; k <= f->m; k++) list_irreps(&chain[k], &chain[k - 1], k);
        const irreps *top = &chain[f->m];
        for (int l = 0; l < top->count; l++)
            if (top->dimension[l] > f->largest) f->largest = top->dimension[l];
        f->form = malloc(2 * (size_t)top->count * sizeof *f->form);
        failed = !f->form;
        for (int k = 4; k <= f->m && !failed; k++) failed = add_stage(&b, &chain[k - 1], &chain[k]);
        if (!failed) failed = add_forms(&b, top, c);
    }
    free(chain);
    free(c);
    if (failed) {
        bg_color_fourier_destroy(f);
        return -1;
    }
    f->bytes = sizeof *f + b.blocks * sizeof *f->blocks + (size_t)f->forms * sizeof *f->form +
               b.panels * sizeof *f->panels + f->coefficients * sizeof *f->coefficient;
    return 0;
}

void bg_color_fourier_destroy(color_fourier *f)
{
    free(f->blocks);
    free(f->form);
    free(f->panels);
    free(f->coefficient);
    memset(f, 0, sizeof *f);
}

size_t bg_color_fourier_bytes(int letters)
{
    /* the factors of H: 2 sum_mu (X d_mu)^2 / 2 = X^2 m!; the steps: k k! each; some for the panels */
    const size_t X = (size_t)(letters * (letters - 1) / 2), block = (size_t)bg_factorial(letters - 2);
    size_t numbers = X * X * block + 4 * X * block;
    for (int k = 4; k <= letters - 2; k++) numbers += (size_t)k * (size_t)bg_factorial(k);
    return numbers * sizeof(double) + 4096;
}
