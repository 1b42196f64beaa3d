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

/* ---- several quark lines ----------------------------------------------------------------------------------------- */

/* Columns of amplitudes are transformed four at a time: where irreps are small, as those of few letters are, a tile of one column has few
 * sums for a processor to work on, and one has to be chosen for each of them. */
enum { TRANSFORM_COLUMNS = 4 };

/* From one column to the next in the two parts of the scratch: not a multiple of a power of two, which caches do not like. */
BG_FN size_t transform_string_pitch(const color_fourier *t) { return (size_t)t->cosets * (size_t)t->block | 1u; }
BG_FN size_t transform_other_pitch(const color_fourier *t) { return (size_t)t->block | 1u; }

/* Numbers that transform_string_sums() needs besides the amplitudes. */
BG_FN size_t transform_string_scratch(const color_fourier *t)
{
    return TRANSFORM_COLUMNS * (transform_string_pitch(t) + transform_other_pitch(t));
}

/* One tile of a step: its rows are `row_stride` apart, its columns `pitch`. */
BG_FN void transform_step_tile(const int rows, const int columns, int outer, int inner, const double *coefficient,
                               const real *in, size_t outer_stride, size_t step, real *to, size_t row_stride,
                               size_t pitch)
{
    real sum[BG_PANEL_ROWS * TRANSFORM_COLUMNS];
    transform_tile(rows, columns, outer, inner, coefficient, in, outer_stride, (size_t)inner, step, sum);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) to[(size_t)r * row_stride + (size_t)c * pitch] = sum[r * columns + c];
}

/* One block of a step to S_k of so many columns: their numbers are `from_pitch` and `to_pitch` apart. */
BG_FN void transform_block_columns(const color_fourier *t, const transform_block *block, int k, int sub, int columns,
                                   const real *from, size_t from_pitch, real *to, size_t to_pitch)
{
    const double *coefficient = t->coefficient + block->coefficient;
    const int d = block->rows, inner = block->inner;
    for (int row = 0; row < d; row += BG_PANEL_ROWS) {
        const int left = d - row, rows = left < BG_PANEL_ROWS ? left : BG_PANEL_ROWS;
        for (int a = 0; a < inner; a++) {
#define BG_TILE(r, c)                                                                                                  \
    transform_step_tile(r, c, k, inner, coefficient, from + a, (size_t)sub, from_pitch, to + row * d + a, (size_t)d,   \
                        to_pitch)
            BG_ANY_TILE(rows, columns, BG_TILE);
#undef BG_TILE
        }
        coefficient += rows * k * inner;
    }
}

/* The last step to S_m of skeleton x, to where the forms want it: irrep by irrep and then by skeleton. */
BG_FN void transform_last_step(const color_fourier *t, int x, int columns, const real *from, size_t from_pitch, real *F)
{
    const transform_stage *stage = &t->stage[t->stages - 1];
    const color_form *form = t->form; /* irreps follow one another as the blocks do */
    for (int b = 0; b < stage->blocks; b++) {
        const transform_block *block = &t->blocks[stage->first + b];
        while (block->out >= form->offset + form->dimension * form->dimension) form++;
        const int at = t->cosets * form->offset + x * form->dimension * form->dimension + block->out - form->offset;
        transform_block_columns(t, block, stage->k, t->block / stage->k, columns, from + block->in, from_pitch, F + at,
                                transform_string_pitch(t));
    }
}

/* The transform over S_m of skeleton x, A of which is overwritten. */
BG_FN void transform_string_climb(const color_fourier *t, int x, int columns, real *A, size_t pitch, real *other,
                                  real *F)
{
    real *from = A, *to = other;
    size_t from_pitch = pitch, to_pitch = transform_other_pitch(t);
    for (int c = 0; c < columns; c++) {
        real *f = A + (size_t)c * pitch;
        if (t->m == 2) {
            const real a = f[0], b = f[1];
            f[0] = a + b;
            f[1] = a - b;
        }
        for (int k = 0; t->m > 2 && k < t->block; k += 6) transform_s3(f + k);
    }
    int size = 6;
    for (int s = 0; s + 1 < t->stages; s++) {
        const transform_stage *stage = &t->stage[s];
        const int sub = size;
        size *= stage->k;
        for (int start = 0; start < t->block; start += size)
            for (int b = 0; b < stage->blocks; b++) {
                const transform_block *block = &t->blocks[stage->first + b];
                transform_block_columns(t, block, stage->k, sub, columns, from + start + block->in, from_pitch,
                                        to + start + block->out, to_pitch);
            }
        real *swap = from;
        from = to;
        to = swap;
        const size_t swap_pitch = from_pitch;
        from_pitch = to_pitch;
        to_pitch = swap_pitch;
    }
    if (t->stages) {
        transform_last_step(t, x, columns, from, from_pitch, F);
        return;
    }
    for (int k = 0; k < t->forms; k++) {
        const int offset = t->form[k].offset, count = t->form[k].dimension * t->form[k].dimension;
        for (int c = 0; c < columns; c++)
            for (int i = 0; i < count; i++)
                F[(size_t)(t->cosets * offset + x * count + i) + (size_t)c * transform_string_pitch(t)] =
                    A[(size_t)(offset + i) + (size_t)c * pitch];
    }
}

/* One tile of G^T F, and what its squares add to the sums of the columns. */
BG_FN void transform_form_tile(const int rows, const int columns, int inner, const double *coefficient, const real *in,
                               size_t inner_stride, size_t step, real *total)
{
    real z[BG_PANEL_ROWS * TRANSFORM_COLUMNS];
    transform_tile(rows, columns, 1, inner, coefficient, in, 0, inner_stride, step, z);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) total[c] += z[r * columns + c] * z[r * columns + c];
}

/* The color sums of up to TRANSFORM_COLUMNS columns of several quark lines, together: A[skeleton][rank of the inverse of the word], `pitch`
 * numbers from one column to the next. They are overwritten. */
BG_FN real transform_string_sums(const color_fourier *t, int columns, real *A, size_t pitch, real *scratch)
{
    const size_t step = transform_string_pitch(t);
    real *F = scratch, *other = scratch + TRANSFORM_COLUMNS * step, total[TRANSFORM_COLUMNS];
    for (int c = 0; c < TRANSFORM_COLUMNS; c++) total[c] = bg_real(0.);
    for (int x = 0; x < t->cosets; x++)
        transform_string_climb(t, x, columns, A + (size_t)x * (size_t)t->block, pitch, other, F);
    for (int k = 0; k < t->forms; k++) {
        const color_form *form = &t->form[k];
        const int d = form->dimension, size = t->cosets * d;
        for (int n = 0; n < form->panels; n++) {
            const form_panel *panel = &t->panels[form->first + n];
            const double *coefficient = t->coefficient + panel->coefficient;
            for (int a = 0; a < d; a++) {
                const real *in = F + t->cosets * form->offset + panel->first * d + a;
#define BG_TILE(r, c) transform_form_tile(r, c, size - panel->first, coefficient, in, (size_t)d, step, total)
                BG_ANY_TILE(panel->rows, columns, BG_TILE);
#undef BG_TILE
            }
        }
    }
    real sum = total[0];
    for (int c = 1; c < columns; c++) sum += total[c];
    return sum;
}

/* The color sums of all columns of a process with quark lines (bg_color_fourier_create_quarks), together. */
BG_FN real transform_any_sums(const color_fourier *t, uint32_t columns, real *A, size_t pitch, real *scratch)
{
    real sum = bg_real(0.);
    if (t->m != t->letters)
        for (uint32_t k = 0; k < columns; k++) {
            const real own = transform_color_sum(t, A + k * pitch, scratch);
            sum = k ? sum + own : own;
        }
    else
        for (uint32_t k = 0; k < columns; k += TRANSFORM_COLUMNS) {
            const uint32_t left = columns - k;
            const real own = transform_string_sums(t, left < TRANSFORM_COLUMNS ? (int)left : TRANSFORM_COLUMNS,
                                                   A + k * pitch, pitch, scratch);
            sum = k ? sum + own : own;
        }
    return sum;
}

#endif
