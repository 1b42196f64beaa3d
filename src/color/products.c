/* Builds the tables of products.h from those of the CPU. */
#include "color/products.h"

#include "color/irreps.h"
#include "color/permutation.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BLOCKS 40 /* of rows of a form: 45 * 90 at N = 10, 128 rows each */

/* Where tables are written, and how far they are. Without `f` they are only counted, with all rows of the forms. */
typedef struct writer {
    const color_fourier *f;
    fourier_tables *t;
    chip_task *task;
    product_tile *tile;
    uint32_t *place;
    double *coefficient;
    double *rows;           /* 16 rows of a left factor */
    uint32_t *where, *next; /* places of the numbers of a transform, in its run */
    int *result;            /* of each row of a product: which number of the transform, b = 0 */
} writer;

static irreps irreps_of(int k)
{
    irreps s;
    bg_irreps_list(&s, k);
    return s;
}

static int blocks_of(int length, int size) { return (length + size - 1) / size; }

/* ---- left factors ---------------------------------------------------------------------------------------- */

/* One tile: w->rows from column `first` on, with zeros up to a multiple of `grain` columns. Returns where it starts. */
static uint32_t add_left(writer *w, int rows, int depth, int first, int grain)
{
    const uint32_t start = (uint32_t)(w->t->coefficients / PRODUCT_NUMBERS);
    const int end = blocks_of(depth, grain) * grain;
    if (w->f)
        for (int k = first; k < end; k += PRODUCT_STEP)
            for (int lane = 0; lane < 32; lane++)
                for (int half = 0; half < 2; half++) {
                    const int r = lane / 4 + 8 * half, c = k + lane % 4;
                    w->coefficient[w->t->coefficients + (size_t)((k - first) * PRODUCT_ROWS + 2 * lane + half)] =
                        r < rows && c < depth ? w->rows[r * depth + c] : 0.;
                }
    w->t->coefficients += (size_t)(end - first) * PRODUCT_ROWS;
    return start;
}

/* Row r of T_mu of the step to S_k: sets *place to that of its result in the transform over S_k, b = 0. */
static void climb_row(const color_fourier *f, const transform_stage *stage, int offset, int r, double *row, int *place)
{
    for (int n = 0; n < stage->blocks; n++) {
        const transform_block *block = &f->blocks[stage->first + n];
        if (block->in != offset) continue;
        if (r >= block->rows) {
            r -= block->rows;
            continue;
        }
        const int panel = r / BG_PANEL_ROWS * BG_PANEL_ROWS, columns = stage->k * block->inner;
        const int rows = block->rows - panel < BG_PANEL_ROWS ? block->rows - panel : BG_PANEL_ROWS;
        const double *from = f->coefficient + block->coefficient + panel * columns + (r - panel);
        for (int c = 0; c < columns; c++) row[c] = from[c * rows];
        *place = block->out + r * block->rows;
        return;
    }
}

/* Row r of G^T; returns where it may start. */
static int form_row(const color_fourier *f, const color_form *form, int r, double *row)
{
    const form_panel *panel = &f->panels[form->first + r / BG_PANEL_ROWS];
    const double *from = f->coefficient + panel->coefficient + r % BG_PANEL_ROWS;
    const int depth = f->cosets * form->dimension;
    for (int c = 0; c < depth; c++) row[c] = c < panel->first ? 0. : from[(c - panel->first) * panel->rows];
    return panel->first;
}

static int form_rows(const writer *w, int form, int depth)
{
    if (!w->f) return depth;
    const color_form *g = &w->f->form[form];
    return g->panels ? (g->panels - 1) * BG_PANEL_ROWS + w->f->panels[g->first + g->panels - 1].rows : 0;
}

/* Rows [row, row + 16) of a form; returns the first column of the first one. */
static int take_form_rows(writer *w, int form, int row, int rows, int depth)
{
    int first = row;
    for (int r = 0; r < rows && w->f; r++) {
        const int start = form_row(w->f, &w->f->form[form], row + r, w->rows + r * depth);
        if (!r) first = start;
    }
    return first;
}

/* ---- on chip --------------------------------------------------------------------------------------------- */

/* Room for a list of places; NULL where they are only counted. */
static uint32_t *add_places(writer *w, int count)
{
    uint32_t *list = w->f ? w->place + w->t->places : NULL;
    w->t->places += (size_t)count;
    return list;
}

static void add_task(writer *w, chip_task task)
{
    /* sorted by size, so that warps get equal shares */
    size_t at = w->t->tasks++;
    if (!w->f) return;
    for (; at; at--) {
        const chip_task *before = &w->task[at - 1];
        if (before->steps * before->dimension >= task.steps * task.dimension) break;
        w->task[at] = *before;
    }
    w->task[at] = task;
}

/* Which row of the panel belongs to each number that a thread has after its transform over S_s: irreps of S_s one
 * after the other, in each [b][run][a]. */
static void lay_out_panel(writer *w, int s, const irreps *top, int runs)
{
    product_chip *chip = &w->t->chip;
    const int size = (int)bg_factorial(s);
    chip->rows = runs * size;
    if (!w->f) return;
    uint16_t row[CHIP_NUMBERS], step[CHIP_NUMBERS]; /* by place in the transform */
    for (int l = 0; l < top->count; l++) {
        const int d = top->dimension[l];
        for (int a = 0; a < d; a++)
            for (int b = 0; b < d; b++) {
                const int e = top->offset[l] + a * d + b;
                row[e] = (uint16_t)(runs * (top->offset[l] + b * d) + a);
                step[e] = (uint16_t)d;
            }
    }
    for (int e = 0; e < size; e++) {
        chip->row[e] = row[e];
        chip->step[e] = step[e];
    }
    if (s == 3) return;
    /* S_4: results are where the arguments of product_climb() were */
    const irreps small = irreps_of(3);
    double *T = chip->climb;
    for (int mu = 0; mu < small.count; mu++) {
        const int d = small.dimension[mu], n = 4 * d;
        for (int r = 0; r < n; r++) {
            int place = 0;
            climb_row(w->f, &w->f->stage[0], small.offset[mu], r, T, &place);
            T += n;
            for (int b = 0; b < d; b++) {
                const int e = r / d * 6 + small.offset[mu] + r % d * d + b;
                chip->row[e] = row[place + b];
                chip->step[e] = step[place + b];
            }
        }
    }
}

/* The forms from a panel with all of F. */
static void add_chip_forms(writer *w, const irreps *top)
{
    const int X = w->t->cosets;
    for (int l = 0; l < top->count; l++)
        for (int odd = 0; odd < 2; odd++) {
            const int d = top->dimension[l], depth = X * d, rows = form_rows(w, 2 * l + odd, depth);
            const int together = d < CHIP_TOGETHER(w->t->letters) ? d : CHIP_TOGETHER(w->t->letters);
            for (int row = 0; row < rows; row += PRODUCT_ROWS) {
                const int more = rows - row < PRODUCT_ROWS ? rows - row : PRODUCT_ROWS;
                const int first = take_form_rows(w, 2 * l + odd, row, more, depth) / PRODUCT_STEP * PRODUCT_STEP;
                chip_task task = {
                    .left = add_left(w, more, depth, first, PRODUCT_STEP),
                    .steps = (uint16_t)blocks_of(depth - first, PRODUCT_STEP),
                    .rows = (uint16_t)more,
                    .dimension = (uint16_t)together,
                    .stride = (uint16_t)depth,
                };
                for (int b = 0; b < d; b += together) {
                    task.panel = (uint16_t)(odd * w->t->chip.rows + X * top->offset[l] + b * depth + first);
                    add_task(w, task);
                }
            }
        }
}

/* The step from S_4 to S_5. */
static void add_chip_climb(writer *w)
{
    const irreps small = irreps_of(4);
    for (int mu = 0; mu < small.count; mu++) {
        const int d = small.dimension[mu], n = 5 * d;
        int place[PRODUCT_ROWS] = {0};
        for (int r = 0; r < n && w->f; r++)
            climb_row(w->f, &w->f->stage[1], small.offset[mu], r, w->rows + r * n, &place[r]);
        chip_task task = {
            .left = add_left(w, n, n, 0, PRODUCT_STEP),
            .steps = (uint16_t)blocks_of(n, PRODUCT_STEP),
            .rows = (uint16_t)n,
            .dimension = 2,
            .stride = (uint16_t)w->t->chip.rows,
        };
        for (int b = 0; b < d; b++) {
            task.out = (uint32_t)w->t->places;
            uint32_t *out = add_places(w, n);
            for (int r = 0; r < n && out; r++) out[r] = (uint32_t)(place[r] + b);
            task.panel = (uint16_t)(5 * (small.offset[mu] + b * d));
            add_task(w, task);
        }
    }
}

/* ---- in memory ------------------------------------------------------------------------------------------- */

static void add_tile(writer *w, product_tile tile)
{
    if (w->f) w->tile[w->t->tiles] = tile;
    w->t->tiles++;
    w->t->stage[w->t->stages - 1].count++;
    if (tile.depth > w->t->depth) w->t->depth = tile.depth;
}

static product_stage *start_stage(writer *w, uint32_t runs, uint32_t run, int tiles, int apart)
{
    product_stage *stage = &w->t->stage[w->t->stages++];
    stage->first = (uint32_t)w->t->tiles;
    stage->count = 0;
    stage->runs = runs;
    stage->run = run;
    stage->tiles = tiles;
    stage->apart = apart;
    return stage;
}

static product_tile empty_tile(int depth, int rows)
{
    product_tile tile = {.depth = (uint16_t)depth, .rows = (uint16_t)rows};
    for (int k = 0; k < PRODUCT_TILES; k++) tile.first[k] = (uint16_t)blocks_of(depth, PRODUCT_SLAB);
    return tile;
}

/* The step to S_k, k > 5. */
static void add_climb(writer *w, int k)
{
    fourier_tables *t = w->t;
    const irreps small = irreps_of(k - 1);
    const uint32_t size = (uint32_t)bg_factorial(k), sub = size / (uint32_t)k;
    const int most = k * small.largest, half = PRODUCT_TILES / 2;
    const int tiles = most <= half * PRODUCT_ROWS ? half : PRODUCT_TILES, height = tiles * PRODUCT_ROWS;
    const int apart = most > height;
    start_stage(w, (uint32_t)(t->letters * (t->letters - 1) * t->block) / size, size, tiles, apart);
    for (int mu = 0; mu < small.count; mu++) {
        const int d = small.dimension[mu], n = k * d, blocks = blocks_of(n, height);
        product_tile block[MOST_BLOCKS];
        for (int part = 0; part < blocks; part++) {
            const int rows = n - part * height < height ? n - part * height : height;
            block[part] = empty_tile(n, rows);
            for (int row = 0; row < rows; row += PRODUCT_ROWS) {
                const int more = rows - row < PRODUCT_ROWS ? rows - row : PRODUCT_ROWS, from = part * height + row;
                for (int r = 0; r < more && w->f; r++)
                    climb_row(w->f, &w->f->stage[k - 4], small.offset[mu], from + r, w->rows + r * n,
                              &w->result[from + r]);
                block[part].left[row / PRODUCT_ROWS] = add_left(w, more, n, 0, PRODUCT_SLAB);
                block[part].first[row / PRODUCT_ROWS] = 0;
            }
        }
        for (int b = 0; b < d; b++) {
            const uint32_t in = (uint32_t)t->places;
            uint32_t *argument = add_places(w, n);
            const uint32_t out = apart ? (uint32_t)t->places : in;
            uint32_t *result = apart ? add_places(w, n) : argument;
            for (int c = 0; c < n && w->f; c++)
                argument[c] = (uint32_t)(c / d) * sub + w->where[small.offset[mu] + c % d * d + b];
            for (int r = 0; r < n && w->f; r++) {
                if (apart) result[r] = (uint32_t)(w->result[r] + b);
                w->next[w->result[r] + b] = result[r];
            }
            for (int part = 0; part < blocks; part++) {
                block[part].in = in;
                block[part].out = out + (uint32_t)(part * height);
                add_tile(w, block[part]);
            }
        }
    }
    if (w->f) memcpy(w->where, w->next, size * sizeof *w->where);
}

/* One form: its tiles are neighbors for every b, and read the same arguments. */
static void add_form(writer *w, const irreps *top, int l, int odd)
{
    const fourier_tables *t = w->t;
    const int d = top->dimension[l], depth = t->cosets * d, height = PRODUCT_TILES * PRODUCT_ROWS;
    const int form = 2 * l + odd, all = form_rows(w, form, depth), blocks = blocks_of(all, height);
    product_tile block[MOST_BLOCKS];
    for (int n = 0; n < blocks; n++) {
        const int rows = all - n * height < height ? all - n * height : height;
        block[n] = empty_tile(depth, rows);
        for (int row = 0; row < rows; row += PRODUCT_ROWS) {
            const int more = rows - row < PRODUCT_ROWS ? rows - row : PRODUCT_ROWS;
            const int first = take_form_rows(w, form, n * height + row, more, depth) / PRODUCT_SLAB * PRODUCT_SLAB;
            block[n].left[row / PRODUCT_ROWS] = add_left(w, more, depth, first, PRODUCT_SLAB);
            block[n].first[row / PRODUCT_ROWS] = (uint16_t)(first / PRODUCT_SLAB);
        }
    }
    for (int b = 0; b < d; b++) {
        const uint32_t in = (uint32_t)t->places;
        uint32_t *argument = add_places(w, depth);
        for (int c = 0; c < depth && argument; c++)
            argument[c] = w->place[odd * t->cosets + c / d] + w->where[top->offset[l] + c % d * d + b];
        for (int n = 0; n < blocks; n++) {
            block[n].in = in;
            add_tile(w, block[n]);
        }
    }
}

/* The largest come first: a device is full to the end. */
static void add_forms(writer *w, const irreps *top)
{
    start_stage(w, 1, 0, PRODUCT_TILES, 0);
    for (int d = top->largest; d > 0; d--)
        for (int l = 0; l < top->count; l++)
            for (int odd = 0; odd < 2 && top->dimension[l] == d; odd++) add_form(w, top, l, odd);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void write_all(writer *w, int letters)
{
    fourier_tables *t = w->t;
    const int m = letters - 2;
    const irreps top = irreps_of(m), chip = irreps_of(m < 4 ? m : 4);
    t->letters = letters;
    t->cosets = letters * (letters - 1) / 2;
    t->block = (int)bg_factorial(m);
    t->tasks = t->tiles = t->places = t->coefficients = 0;
    t->stages = t->depth = 0;
    uint32_t *start = add_places(w, 2 * t->cosets);
    for (int odd = 0; odd < 2 && start; odd++)
        for (int i = 0; i < letters; i++)
            for (int j = i + 1; j < letters; j++) {
                const int run = odd ? j * (letters - 1) + i : i * (letters - 1) + j - 1;
                *start++ = (uint32_t)(run * t->block);
            }
    lay_out_panel(w, m < 4 ? m : 4, &chip, m <= 4 ? t->cosets : 5);
    if (m <= 4)
        add_chip_forms(w, &top);
    else {
        add_chip_climb(w);
        for (int k = 6; k <= m; k++) add_climb(w, k);
        add_forms(w, &top);
    }
    t->chip.tasks = (int)t->tasks;
}

void bg_fourier_sizes(int letters, fourier_tables *t)
{
    writer w = {.t = t};
    memset(t, 0, sizeof *t);
    write_all(&w, letters);
}

int bg_fourier_arrange(const color_fourier *f, fourier_tables *t)
{
    writer w = {
        .f = f,
        .t = t,
        .task = (chip_task *)t->task,
        .tile = (product_tile *)t->tile,
        .place = (uint32_t *)t->place,
        .coefficient = (double *)t->coefficient,
    };
    /* rows of T_mu have up to m times a dimension of S_{m-1} numbers, fewer than those of the forms */
    const size_t block = (size_t)f->block, depth = (size_t)f->cosets * (size_t)f->largest + CHIP_NUMBERS;
    w.rows = malloc(PRODUCT_ROWS * depth * sizeof *w.rows);
    w.where = malloc(block * sizeof *w.where);
    w.next = malloc(block * sizeof *w.next);
    w.result = malloc(depth * sizeof *w.result);
    const int failed = !w.rows || !w.where || !w.next || !w.result;
    if (!failed) {
        for (uint32_t e = 0; e < block; e++) w.where[e] = e;
        write_all(&w, f->letters);
    }
    free(w.rows);
    free(w.where);
    free(w.next);
    free(w.result);
    return failed ? -1 : 0;
}

size_t bg_fourier_other(int letters)
{
    fourier_tables t;
    bg_fourier_sizes(letters, &t);
    if (!t.stages) return 0;
    for (int s = 0; s < t.stages; s++)
        if (t.stage[s].apart) return (size_t)(letters * (letters - 1)) * (size_t)t.block;
    return t.stage[t.stages - 1].count;
}
