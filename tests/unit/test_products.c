/* The color sum as the GPU does it (color/products.h): its tables, executed here one number after the other. */
#include "support.h"

#include "color/products.h"
#include "color/permutation.h"

static void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    assert_non_null(p);
    memset(p, 0, (bytes + 127) / 64 * 64);
    return p;
}

static void make_tables(const color_fourier *f, fourier_tables *t)
{
    fourier_tables most;
    bg_fourier_sizes(f->letters, &most);
    *t = most;
    t->task = memory(most.tasks * sizeof *t->task);
    t->tile = memory(most.tiles * sizeof *t->tile);
    t->place = memory(most.places * sizeof *t->place);
    t->coefficient = memory(most.coefficients * sizeof *t->coefficient);
    assert_int_equal(bg_fourier_arrange(f, t), 0);
    /* what was planned for is enough */
    assert_true(t->tasks <= most.tasks && t->tiles <= most.tiles && t->places <= most.places);
    assert_true(t->coefficients <= most.coefficients);
    assert_int_equal(t->stages, most.stages);
    if (t->stages) assert_true(t->stage[t->stages - 1].count <= bg_fourier_other(f->letters));
}

static void free_tables(fourier_tables *t)
{
    free((void *)t->task);
    free((void *)t->tile);
    free((void *)t->place);
    free((void *)t->coefficient);
}

/* Number of a tile of 16 rows, column c counted from its first one. */
static double left_number(const fourier_tables *t, uint32_t left, int r, int c)
{
    const size_t step = (left + (size_t)(c / PRODUCT_STEP)) * PRODUCT_NUMBERS;
    return t->coefficient[step + (size_t)(2 * (r % 8 * 4 + c % PRODUCT_STEP) + r / 8)];
}

/* A run and its partner, as a thread has them: to the panel. */
static void fill_panel(const fourier_tables *t, int size, const real *even, const real *odd, int run, real *panel)
{
    real f[CHIP_NUMBERS], g[CHIP_NUMBERS];
    for (int e = 0; e < size; e++) {
        f[e] = even[e] + odd[e];
        g[e] = even[e] - odd[e];
    }
    product_climb(size, t->chip.climb, f);
    product_climb(size, t->chip.climb, g);
    for (int e = 0; e < size; e++) {
        const int row = t->chip.row[e] + run * t->chip.step[e];
        assert_in_range(row, 0, t->chip.rows - 1);
        panel[row] = f[e];
        panel[t->chip.rows + row] = g[e];
    }
}

static real chip_product(const fourier_tables *t, const chip_task *task, int r, int b, const real *panel)
{
    real z = bg_real(0.);
    for (int c = 0; c < task->steps * PRODUCT_STEP; c++)
        z += bg_real(left_number(t, task->left, r, c)) * panel[task->panel + b * task->stride + c];
    return z;
}

static real chip_sum(const fourier_tables *t, const real *A)
{
    const int size = t->block;
    real *panel = memory((size_t)(2 * t->chip.rows + PRODUCT_STEP) * sizeof *panel), total = bg_real(0.);
    for (int x = 0; x < t->cosets; x++) fill_panel(t, size, A + t->place[x], A + t->place[t->cosets + x], x, panel);
    for (int n = 0; n < t->chip.tasks; n++)
        for (int r = 0; r < t->task[n].rows; r++)
            for (int b = 0; b < t->task[n].dimension; b++) {
                const real z = chip_product(t, &t->task[n], r, b, panel);
                total += z * z;
            }
    free(panel);
    return total;
}

/* Up to S_5, in place. */
static void chip_climb(const fourier_tables *t, real *A)
{
    real panel[2 * 120 + PRODUCT_STEP];
    for (int k = 0; k < PRODUCT_STEP; k++) panel[240 + k] = bg_real(0.);
    for (int x = 0; x < t->cosets; x++)
        for (int start = 0; start < t->block; start += 120) {
            real *run[2] = {A + t->place[x] + start, A + t->place[t->cosets + x] + start};
            for (int i = 0; i < 5; i++) fill_panel(t, 24, run[0] + 24 * i, run[1] + 24 * i, i, panel);
            for (int n = 0; n < t->chip.tasks; n++) {
                const chip_task *task = &t->task[n];
                for (int r = 0; r < task->rows; r++)
                    for (int odd = 0; odd < 2; odd++)
                        run[odd][t->place[task->out + (uint32_t)r]] = chip_product(t, task, r, odd, panel);
            }
        }
}

static real tile_product(const fourier_tables *t, const product_tile *tile, int r, const real *from)
{
    const int part = r / PRODUCT_ROWS, first = tile->first[part] * PRODUCT_SLAB;
    real z = bg_real(0.);
    for (int c = first; c < tile->depth; c++)
        z += bg_real(left_number(t, tile->left[part], r % PRODUCT_ROWS, c - first)) *
             from[t->place[tile->in + (uint32_t)c]];
    return z;
}

static void climb_stage(const fourier_tables *t, const product_stage *stage, const real *from, real *to)
{
    real z[PRODUCT_TILES * PRODUCT_ROWS];
    for (uint32_t run = 0; run < stage->runs; run++)
        for (uint32_t n = 0; n < stage->count; n++) {
            const product_tile *tile = &t->tile[stage->first + n];
            assert_true(tile->rows <= stage->tiles * PRODUCT_ROWS);
            for (int r = 0; r < tile->rows; r++) z[r] = tile_product(t, tile, r, from + run * stage->run);
            for (int r = 0; r < tile->rows; r++) to[run * stage->run + t->place[tile->out + (uint32_t)r]] = z[r];
        }
}

static real memory_sum(const fourier_tables *t, real *A, real *other)
{
    real total = bg_real(0.);
    chip_climb(t, A);
    for (int s = 0; s + 1 < t->stages; s++) {
        climb_stage(t, &t->stage[s], A, t->stage[s].apart ? other : A);
        if (t->stage[s].apart) A = other;
    }
    const product_stage *forms = &t->stage[t->stages - 1];
    for (uint32_t n = 0; n < forms->count; n++)
        for (int r = 0; r < t->tile[forms->first + n].rows; r++) {
            const real z = tile_product(t, &t->tile[forms->first + n], r, A);
            total += z * z;
        }
    return total;
}

static void products_against_transform(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    for (int N = 5; N <= 8; N++) {
        const size_t size = (size_t)bg_factorial(N);
        color_fourier f;
        fourier_tables t;
        real *A = memory(size * sizeof *A), *B = memory(size * sizeof *A), *other = memory(size * sizeof *A);
        real *scratch = memory(transform_scratch(N) * sizeof *A);
        assert_int_equal(bg_color_fourier_create(&f, N, 2, NULL), 0);
        make_tables(&f, &t);
        for (size_t s = 0; s < size; s++) {
            A[s] = bg_real(0.);
            for (int l = 0; l < BG_LANES; l++) bg_set_lane(&A[s], l, uniform(&r, -1., 1.));
            B[s] = A[s];
        }
        const real expected = transform_color_sum(&f, A, scratch);
        const real sum = t.stages ? memory_sum(&t, B, other) : chip_sum(&t, B);
        for (int l = 0; l < BG_LANES; l++) assert_relative(bg_lane(sum, l), bg_lane(expected, l), 1e-13, "N = %d", N);
        free_tables(&t);
        bg_color_fourier_destroy(&f);
        free(A);
        free(B);
        free(other);
        free(scratch);
    }
}

/* Up to N = 10: numbers fit their fields, tables and shared memory stay small. */
static void sizes(void **state)
{
    (void)state;
    for (int N = 5; N <= 10; N++) {
        fourier_tables t;
        bg_fourier_sizes(N, &t);
        const size_t all = (size_t)bg_factorial(N);
        assert_in_range(t.depth, 0, PRODUCT_MOST_DEPTH);
        assert_true((size_t)t.chip.rows * 2 <= 720);
        assert_true(t.coefficients / PRODUCT_NUMBERS <= 0xffffffffu);
        /* tiles with zeros cost little where there are many */
        if (N >= 8) assert_true(t.coefficients * sizeof(double) < 1.3 * (double)bg_color_fourier_bytes(N));
        /* N = 10 alone needs a copy of the amplitudes */
        assert_true(N == 10 ? bg_fourier_other(N) == all : bg_fourier_other(N) < all / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_against_transform), cmocka_unit_test(sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
