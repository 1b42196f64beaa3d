/* The exact color sum of one register of events by Fourier transform; the tables and the mathematics are
 * in fourier.h.
 */
#ifndef BG_COLOR_TRANSFORM_H
#define BG_COLOR_TRANSFORM_H

#include "color/fourier.h"
#include "base/scalar.h"

/* z[row][column] += sum_a coefficient[a][row] in[a][column], a in this order. Numbers of a row of `in` are `step`
 * apart: 1 where a number is a register of events, more where events lie between them. */
BG_FN void transform_accumulate(const int rows, const int columns, int inner, const double *coefficient, const real *in,
                                size_t inner_stride, const size_t step, real *z)
{
    for (int a = 0; a < inner; a++) {
        BG_UNROLL
        for (int r = 0; r < rows; r++) {
            BG_UNROLL
            for (int c = 0; c < columns; c++) z[r * columns + c] += coefficient[r] * in[(size_t)c * step];
        }
        coefficient += rows;
        in += inner_stride;
    }
}

/* One tile of a product with a constant matrix: rows x columns accumulators, each a sum over i and a in
 * this order whatever the size of the tile. */
BG_FN void transform_tile(const int rows, const int columns, int outer, int inner, const double *coefficient,
                          const real *in, size_t outer_stride, size_t inner_stride, const size_t step, real *sum)
{
    real z[BG_PANEL_ROWS * 4];
    BG_UNROLL
    for (int k = 0; k < rows * columns; k++) z[k] = bg_real(0.);
    for (int i = 0; i < outer; i++)
        transform_accumulate(rows, columns, inner, coefficient + i * inner * rows, in + (size_t)i * outer_stride,
                             inner_stride, step, z);
    BG_UNROLL
    for (int k = 0; k < rows * columns; k++) sum[k] = z[k];
}

/* Calls TILE(rows, columns) with the sizes as literals. */
#define BG_ANY_TILE(rows, columns, TILE)                                                                               \
    switch (4 * (rows) + (columns)) {                                                                                  \
    case 5: TILE(1, 1); break;                                                                                         \
    case 6: TILE(1, 2); break;                                                                                         \
    case 7: TILE(1, 3); break;                                                                                         \
    case 8: TILE(1, 4); break;                                                                                         \
    case 9: TILE(2, 1); break;                                                                                         \
    case 10: TILE(2, 2); break;                                                                                        \
    case 11: TILE(2, 3); break;                                                                                        \
    case 12: TILE(2, 4); break;                                                                                        \
    case 13: TILE(3, 1); break;                                                                                        \
    case 14: TILE(3, 2); break;                                                                                        \
    case 15: TILE(3, 3); break;                                                                                        \
    case 16: TILE(3, 4); break;                                                                                        \
    case 17: TILE(4, 1); break;                                                                                        \
    case 18: TILE(4, 2); break;                                                                                        \
    case 19: TILE(4, 3); break;                                                                                        \
    case 20: TILE(4, 4); break;                                                                                        \
    default: break;                                                                                                    \
    }

/* The same with sizes that are not literal. */
BG_FN void transform_any_tile(int rows, int columns, int outer, int inner, const double *coefficient, const real *in,
                              size_t outer_stride, size_t inner_stride, const size_t step, real *sum)
{
#define BG_TILE(r, c) transform_tile(r, c, outer, inner, coefficient, in, outer_stride, inner_stride, step, sum)
    BG_ANY_TILE(rows, columns, BG_TILE);
#undef BG_TILE
}

/* Transform over S_3 of six neighbors, in place: trivial irrep, the 2x2 one, sign. */
BG_FN void transform_s3(real *f)
{
    const real half = bg_real(0.5), root = bg_real(0.86602540378443864676);
    /* sums and differences over the last transposition */
    const real e0 = f[0] + f[1], e1 = f[2] + f[3], e2 = f[4] + f[5];
    const real o0 = f[0] - f[1], o1 = f[2] - f[3], o2 = f[4] - f[5];
    const real even = e1 + e2, odd = o1 - o2;
    f[0] = e0 + even;
    f[1] = o0 + half * odd;
    f[2] = root * (e1 - e2);
    f[3] = root * (o1 + o2);
    f[4] = e0 - half * even;
    f[5] = o0 - odd;
}

/* Transform over S_m of the m! numbers in f, in place; `other` has room for as many. */
BG_FN void transform_climb(const color_fourier *t, real *f, real *other)
{
    if (t->m == 2) {
        const real a = f[0], b = f[1];
        f[0] = a + b;
        f[1] = a - b;
    }
    if (t->m < 3) return;
    for (int k = 0; k < t->block; k += 6) transform_s3(f + k);
    real *from = f, *to = other;
    int size = 6;
    for (int s = 0; s < t->stages; s++) {
        const transform_stage *stage = &t->stage[s];
        const int k = stage->k, sub = size;
        size *= k;
        for (int start = 0; start < t->block; start += size)
            for (int b = 0; b < stage->blocks; b++) {
                const transform_block *block = &t->blocks[stage->first + b];
                const double *coefficient = t->coefficient + block->coefficient;
                const real *in = from + start + block->in;
                for (int row = 0; row < block->rows; row += BG_PANEL_ROWS) {
                    const int left = block->rows - row, rows = left < BG_PANEL_ROWS ? left : BG_PANEL_ROWS;
                    for (int column = 0; column < block->inner; column += 4) {
                        const int more = block->inner - column, columns = more < 4 ? more : 4;
                        real sum[BG_PANEL_ROWS * 4];
                        transform_any_tile(rows, columns, k, block->inner, coefficient, in + column, (size_t)sub,
                                           (size_t)block->inner, 1, sum);
                        real *out = to + start + block->out + row * block->rows + column;
                        for (int r = 0; r < rows; r++)
                            for (int c = 0; c < columns; c++) out[r * block->rows + c] = sum[r * columns + c];
                    }
                    coefficient += rows * k * block->inner;
                }
            }
        real *swap = from;
        from = to;
        to = swap;
    }
    if (from != f)
        for (int k = 0; k < t->block; k++) f[k] = from[k];
}

/* Numbers that transform_color_sum() needs besides the amplitudes. */
BG_FN size_t transform_scratch(int letters)
{
    const size_t largest[] = {1, 1, 1, 2, 3, 6, 16, 35, 90}; /* dimension of an irrep of S_m */
    const size_t d = largest[letters - 2], form = (size_t)(letters * (letters - 1) / 2) * d * d;
    size_t block = 1;
    for (int k = 2; k <= letters - 2; k++) block *= (size_t)k;
    return form > block ? form : block;
}

/* total + |G^T x|^2 for one irrep, x[coset][row][column]. */
BG_FN real transform_form(const color_fourier *t, const color_form *form, const real *x, real total)
{
    const int d = form->dimension, size = t->cosets * d;
    for (int n = 0; n < form->panels; n++) {
        const form_panel *panel = &t->panels[form->first + n];
        for (int column = 0; column < d; column += 4) {
            const int more = d - column, columns = more < 4 ? more : 4;
            real z[BG_PANEL_ROWS * 4];
            transform_any_tile(panel->rows, columns, 1, size - panel->first, t->coefficient + panel->coefficient,
                               x + panel->first * d + column, 0, (size_t)d, 1, z);
            for (int c = 0; c < panel->rows * columns; c++) total += z[c] * z[c];
        }
    }
    return total;
}

/* sum_ss' A_s C_ss' A_s' of the amplitudes A, by rank of s^-1. They are overwritten. */
BG_FN real transform_color_sum(const color_fourier *t, real *A, real *scratch)
{
    const int N = t->letters;
    real total = bg_real(0.);
    for (int b = 0; b < N * (N - 1); b++) transform_climb(t, A + (size_t)b * (size_t)t->block, scratch);
    for (int k = 0; k < t->forms; k++) {
        const color_form *form = &t->form[k];
        const int count = form->dimension * form->dimension;
        const real sign = bg_real((double)form->sign);
        real *x = scratch;
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++) {
                /* places of the runs that start with letters i, j and with j, i */
                const real *p = A + (size_t)(i * (N - 1) + j - 1) * (size_t)t->block + form->offset;
                const real *q = A + (size_t)(j * (N - 1) + i) * (size_t)t->block + form->offset;
                for (int c = 0; c < count; c++) x[c] = p[c] + sign * q[c];
                x += count;
            }
        total = transform_form(t, form, scratch, total);
    }
    return total;
}

/* Numbers that transform_string_sum() needs besides the amplitudes. */
BG_FN size_t transform_string_scratch(const color_fourier *t)
{
    const size_t form = (size_t)t->cosets * (size_t)(t->largest * t->largest), block = (size_t)t->block;
    return form > block ? form : block;
}

/* The same for several quark lines: A[skeleton][rank of the inverse of the word]. They are overwritten. */
BG_FN real transform_string_sum(const color_fourier *t, real *A, real *scratch)
{
    real total = bg_real(0.);
    for (int x = 0; x < t->cosets; x++) transform_climb(t, A + (size_t)x * (size_t)t->block, scratch);
    for (int k = 0; k < t->forms; k++) {
        const color_form *form = &t->form[k];
        const int count = form->dimension * form->dimension;
        real *to = scratch;
        for (int x = 0; x < t->cosets; x++) {
            const real *from = A + (size_t)x * (size_t)t->block + form->offset;
            for (int c = 0; c < count; c++) *to++ = from[c];
        }
        total = transform_form(t, form, scratch, total);
    }
    return total;
}

/* Either, for a process with quark lines (bg_color_fourier_create_quarks). */
BG_FN real transform_any_sum(const color_fourier *t, real *A, real *scratch)
{
    return t->m == t->letters ? transform_string_sum(t, A, scratch) : transform_color_sum(t, A, scratch);
}

#endif
