/* Builds the tables of fourier.h: Young's orthogonal form along the chain of symmetric groups. The blocks of the color
 * matrix and their Cholesky factors are in forms.c.
 *
 * Tableaux are those of irreps.h. Point j of S_k (0-based) stands for number k - j: the subgroup that fixes the first
 * point is the one that leaves the last number alone.
 */
#include "color/factor.h"
#include "color/forms.h"
#include "color/irreps.h"
#include "color/permutation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* matrix <- rho(s) matrix, s the transposition of points j and j + 1 of S_k. */
static void apply_transposition(int d, int k, const signed char *tableaux, int j, double *matrix, double *row)
{
    const int low = k - j - 2, high = low + 1; /* numbers minus 1 */
    for (int t = 0; t < d; t++) {
        const signed char *tableau = tableaux + t * k;
        int column[BG_IRREPS_LARGEST] = {0}, content[BG_IRREPS_LARGEST];
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

/* The matrices of the step from S_{k-1} to S_k. */
static int add_stage(color_fourier *f, size_t *blocks, const irreps *small, const irreps *big)
{
    const int k = big->k;
    transform_stage *stage = &f->stage[f->stages++];
    stage->k = k;
    stage->first = (int)*blocks;
    for (int l = 0; l < big->count; l++) {
        const int d = big->dimension[l];
        const size_t square = (size_t)d * (size_t)d;
        signed char *tableaux = malloc((size_t)d * (size_t)k);
        double *rho = calloc((size_t)k * square, sizeof *rho), *row = malloc((size_t)d * sizeof *row);
        transform_block *more = realloc(f->blocks, (*blocks + BG_IRREPS_LARGEST) * sizeof *more);
        if (more) f->blocks = more;
        int failed = !tableaux || !rho || !row || !more;
        if (!failed) {
            bg_irreps_tableaux(&big->lambda[l], k, tableaux);
            /* rho(c_i) = rho(s_{i-1}) rho(c_{i-1}) */
            for (int c = 0; c < d; c++) rho[c * d + c] = 1.;
            for (int i = 1; i < k; i++) {
                memcpy(rho + (size_t)i * square, rho + (size_t)(i - 1) * square, square * sizeof *rho);
                apply_transposition(d, k, tableaux, i - 1, rho + (size_t)i * square, row);
            }
            int column = 0;
            for (int r = 0; r < big->lambda[l].rows; r++) {
                shape mu;
                if (!bg_irreps_remove_box(&big->lambda[l], r, &mu)) continue;
                const int s = bg_irreps_find(small, &mu), inner = small->dimension[s];
                transform_block *block = &f->blocks[(*blocks)++];
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
    stage->blocks = (int)*blocks - stage->first;
    return 0;
}

/* Numbers of the steps up to S_m: k sum_lambda d_lambda^2 = k k! each. */
static size_t stage_numbers(int m)
{
    size_t numbers = 0;
    for (int k = 4; k <= m; k++) numbers += (size_t)k * (size_t)bg_factorial(k);
    return numbers;
}

/* The tables of a sum whose steps climb to S_m, from the color factors c. */
static int create(color_fourier *f, int letters, int m, int cosets, const int64_t *c, int threads,
                  bg_interrupt *interrupt)
{
    memset(f, 0, sizeof *f);
    f->interrupt = interrupt;
    f->letters = letters;
    f->m = m;
    f->block = (int)bg_factorial(f->m);
    f->cosets = cosets;
    size_t blocks = 0;
    irreps *chain = calloc(BG_IRREPS_LARGEST + 1, sizeof *chain);
    f->coefficient = malloc((stage_numbers(f->m) + 1) * sizeof *f->coefficient);
    int failed = !chain || !c || !f->coefficient;
    if (!failed) {
        for (int k = 0; k <= f->m; k++) bg_irreps_list(&chain[k], k);
        const irreps *top = &chain[f->m];
        f->largest = top->largest;
        for (int k = 4; k <= f->m && !failed; k++) failed = add_stage(f, &blocks, &chain[k - 1], &chain[k]);
        if (!failed)
            failed = (letters == m ? bg_color_add_string_forms : bg_color_add_forms)(f, top->count, top->dimension,
                                                                                     top->offset, c, threads);
    }
    free(chain);
    if (failed) {
        bg_color_fourier_destroy(f);
        return -1;
    }
    size_t panels = 0;
    for (int k = 0; k < f->forms; k++) panels += (size_t)f->form[k].panels;
    f->bytes = sizeof *f + blocks * sizeof *f->blocks + (size_t)f->forms * sizeof *f->form +
               panels * sizeof *f->panels + f->coefficients * sizeof *f->coefficient;
    return 0;
}

int bg_color_fourier_create_line(color_fourier *f, color_line line, int letters, int threads, bg_interrupt *interrupt)
{
    int64_t *c = malloc(bg_factorial(letters) * sizeof *c);
    const int known = c && !bg_color_line(line, letters, c, threads, interrupt);
    const int failed =
        create(f, letters, letters - 2, letters * (letters - 1) / 2, known ? c : NULL, threads, interrupt);
    free(c);
    return failed;
}

int bg_color_fourier_create(color_fourier *f, int letters, int threads, bg_interrupt *interrupt)
{
    return bg_color_fourier_create_line(f, COLOR_LINE_ADJOINT, letters, threads, interrupt);
}

int bg_color_fourier_create_strings(color_fourier *f, const color_strings *s, int threads, bg_interrupt *interrupt)
{
    int64_t *c = bg_color_string_functions(s);
    const int failed = create(f, s->gluons, s->gluons, s->skeletons, c, threads, interrupt);
    free(c);
    return failed;
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
    return (X * X * block + 4 * X * block + stage_numbers(letters - 2)) * sizeof(double) + 4096;
}

/* With fewer letters a line has no subgroup that would pay. */
static int is_line(const color_strings *s) { return s->lines == 1 && s->gluons > 2; }

int bg_color_fourier_create_quarks(color_fourier *f, const color_strings *s, int threads, bg_interrupt *interrupt)
{
    return is_line(s) ? bg_color_fourier_create_line(f, COLOR_LINE_FUNDAMENTAL, s->gluons, threads, interrupt)
                      : bg_color_fourier_create_strings(f, s, threads, interrupt);
}

size_t bg_color_fourier_quark_bytes(const color_strings *s)
{
    return is_line(s) ? bg_color_fourier_bytes(s->gluons) : bg_color_string_fourier_bytes(s);
}

size_t bg_color_fourier_quark_scratch(const color_strings *s)
{
    irreps all;
    const int m = is_line(s) ? s->gluons - 2 : s->gluons;
    bg_irreps_list(&all, m);
    const size_t cosets = (size_t)(is_line(s) ? s->gluons * (s->gluons - 1) / 2 : s->skeletons);
    const size_t form = cosets * (size_t)(all.largest * all.largest), block = (size_t)bg_factorial(m);
    if (!is_line(s)) return 4 * ((cosets * block | 1u) + (block | 1u)); /* transform_string_scratch() */
    return form > block ? form : block;
}

size_t bg_color_string_fourier_bytes(const color_strings *s)
{
    const size_t B = (size_t)s->skeletons, block = (size_t)s->words;
    return (B * (B + 4) * block + stage_numbers(s->gluons)) * sizeof(double) + 4096;
}
