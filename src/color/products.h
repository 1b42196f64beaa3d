/* The color sum by Fourier transform (color/fourier.h) as products of constant matrices with the amplitudes, arranged
 * for tensor cores: tables that depend on N alone. fourier.cu executes them, tests/unit/test_products.c as well.
 *
 * The transform is linear and the same for all runs of amplitudes, so even and odd combinations under the exchange of
 * the first two letters come first: the run of letters i, j takes the even one of each pair, that of j, i the odd one.
 *
 * Climbing to S_k sorts by the irreps mu of S_{k-1}: for column b of mu,
 *     F(lambda)[p, b of mu] = sum_{i,a} T_mu[(lambda p), (i a)] F_i(mu)[a, b]
 * for all lambda that contain mu, and T_mu is square: k d_mu numbers come from as many. A product of T_mu
 * with the numbers of all runs, columns b and events; its results can take the places of its arguments, which is why
 * no second copy of the amplitudes is needed. A form |G^T F|^2 is such a product as well, of G^T with F, with
 * squares added up instead.
 *
 * Left factors lie as tensor cores want them: tiles of 16 rows, in them steps of 4 columns, each [lane][2] with rows
 * lane / 4 and lane / 4 + 8 of column lane % 4 (tensor.cuh). Tiles start where their first row does: half of
 * G^T is zero.
 *
 * On chip: the transform over S_3 or S_4 in registers, a run of 6 or 24 numbers and its partner a thread; from there
 * to a panel in shared memory, from which tensor cores do the forms (N = 5, 6) or the step to S_5 (above).
 */
#ifndef BG_COLOR_PRODUCTS_H
#define BG_COLOR_PRODUCTS_H

#include "color/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PRODUCT_ROWS 16                               /* of a tile of a left factor */
#define PRODUCT_STEP 4                                /* columns of it that are used at once */
#define PRODUCT_NUMBERS (PRODUCT_ROWS * PRODUCT_STEP) /* of a step */
#define PRODUCT_SLAB 16                               /* columns between two barriers, in products in memory */
#define PRODUCT_TILES 8                               /* most tiles of rows in one block */
#define PRODUCT_STAGES 4                              /* products in memory: climbs to S_6, S_7, S_8, and the forms */
#define PRODUCT_MOST_DEPTH 4050                       /* columns of the largest form: 45 cosets, dimension 90 of S_8 */
#define CHIP_NUMBERS 24                               /* largest run in registers, S_4 */
/* Columns b of a form that a warp takes together: they share a left factor, but need registers. */
#define CHIP_TOGETHER(letters) ((letters) == 5 ? 1 : 3)

/* ---- in memory ------------------------------------------------------------------------------------------- */

/* Rows that a block computes of one product, for one b. */
typedef struct product_tile {
    uint32_t left[PRODUCT_TILES];  /* where coefficients of 16 rows start, in steps */
    uint16_t first[PRODUCT_TILES]; /* slab that they start with; none: the number of slabs */
    uint32_t in, out;              /* where the lists of the places of arguments and results start */
    uint16_t depth, rows;
} product_tile;

typedef struct product_stage {
    uint32_t first, count; /* of product_tile */
    uint32_t runs, run;    /* how many, numbers in each */
    int tiles;             /* of a block: PRODUCT_TILES or half of it */
    int apart;             /* results do not fit into one block: they go to another copy of the amplitudes */
} product_stage;

/* ---- on chip --------------------------------------------------------------------------------------------- */

/* What a warp computes from the panel: 16 rows or less. */
typedef struct chip_task {
    uint32_t left;              /* in steps */
    uint32_t out;               /* climb: list of places of the results */
    uint16_t steps, rows;       /* of the left factor */
    uint16_t panel;             /* row of the panel of the first column */
    uint16_t dimension, stride; /* columns b, or even and odd; rows of the panel from one to the next */
} chip_task;

/* An argument of kernels, so that all threads have the numbers at hand. */
typedef struct product_chip {
    int rows;                   /* of the panel, even ones; as many odd ones follow */
    int tasks;                  /* in order of falling size */
    uint16_t row[CHIP_NUMBERS]; /* number e of run k is row[e] + k step[e] of the panel */
    uint16_t step[CHIP_NUMBERS];
    double climb[16 + 64 + 16]; /* T of the irreps of S_3, [row][column] */
} product_chip;

/* ---- all ------------------------------------------------------------------------------------------------- */

typedef struct fourier_tables {
    int letters, cosets, block; /* as in color_fourier */
    int stages;                 /* the last one are the forms; none: all is done on chip */
    int depth;                  /* most columns of a left factor in memory */
    product_stage stage[PRODUCT_STAGES];
    product_chip chip;
    size_t tasks, tiles, places, coefficients; /* lengths of what follows; it may be on a device */
    const chip_task *task;
    const product_tile *tile;
    const uint32_t *place; /* [even, odd][coset] where their runs start; then lists */
    const double *coefficient;
} fourier_tables;

/* Lengths of the tables, from above, before anything is built. */
void bg_fourier_sizes(int letters, fourier_tables *t);

/* Fills the arrays that the pointers of `t` say, of these lengths, on the host. 0, or -1 without memory. */
int bg_fourier_arrange(const color_fourier *f, fourier_tables *t);

/* Numbers of a column that the sum needs besides the amplitudes: a copy of them where results go apart, or the
 * squares of each tile of the forms. */
size_t bg_fourier_other(int letters);

/* Transform over S_3 or S_4 of a run, in place. Results of S_4 are where their arguments were: product_chip says
 * which they are. */
BG_FN void product_climb(const int size, const double *coefficient, real *f)
{
    BG_UNROLL
    for (int k = 0; k < size; k += 6) transform_s3(f + k);
    if (size == 6) return;
    BG_UNROLL
    for (int mu = 0; mu < 3; mu++) {
        const int d = mu == 1 ? 2 : 1, n = 4 * d, offset = mu == 0 ? 0 : mu == 1 ? 1 : 5;
        const double *T = coefficient + (mu == 0 ? 0 : mu == 1 ? 16 : 80);
        BG_UNROLL
        for (int b = 0; b < d; b++) {
            real in[8];
            BG_UNROLL
            for (int c = 0; c < n; c++) in[c] = f[c / d * 6 + offset + c % d * d + b];
            BG_UNROLL
            for (int r = 0; r < n; r++) {
                real z = bg_real(T[r * n]) * in[0];
                BG_UNROLL
                for (int c = 1; c < n; c++) z += bg_real(T[r * n + c]) * in[c];
                f[r / d * 6 + offset + r % d * d + b] = z;
            }
        }
    }
}

#ifdef __cplusplus
}
#endif

#endif
