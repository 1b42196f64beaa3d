/* The exact color sum without the color matrix: tables of a Fourier transform on a symmetric group.
 *
 * The amplitudes A_s are a function on S_N and the color matrix C_ss' = c(s^-1 s') does not change when
 * all letters are renamed, s -> g s. Written in u = s^-1, that is a symmetry under multiplication
 * from the right, and Fourier transform over a subgroup H of it makes C block diagonal:
 *
 *     u = u_x h,   F_x(rho) = sum_h A(u_x h) rho(h)                                x: the cosets of H
 *     sum A C A = sum_rho sum_columns  F^T M_rho F ,   M_rho[xa,yb] = d_rho/|H| sum_h c(u_x h u_y^-1) rho(h)_ab
 *
 * With H = S_N this is the transform of physics textbooks; with H trivial it is the dense sum. The
 * cheapest is between the two: H = S_{N-2} x S_2, the first factor permuting the last N-2 places of
 * u, the second the first two (see docs/performance.md for the counts). M_rho is positive, so with
 * its Cholesky factor, M = G G^T, the sum is |G^T F|^2 at half the cost; rows of G^T that clearly vanish
 * (N_c = 3 makes M singular from N = 7 on) are left out.
 *
 * The transform over S_m, m = N-2, climbs S_3 < S_4 < ... < S_m in Young's orthogonal form,
 *     F(lambda) = sum_i rho_lambda(c_i) (+)_{mu = lambda minus a box} F_i(mu) ,   h = c_i h', h(0) = i ,
 * where c_i = s_{i-1} .. s_0 puts i first and keeps the order of the rest: in lexicographic order,
 * F_i is the transform of a run of (k-1)! neighbors. Each step is a product of a small constant matrix
 * with the data. Everything here depends on N alone; transform.h executes it.
 */
#ifndef BG_COLOR_FOURIER_H
#define BG_COLOR_FOURIER_H

#include "base/interrupt.h"
#include "color/factor.h"
#include "color/strings.h"

#include <stddef.h>
#include <stdint.h>

/* Rows of a constant matrix that are applied together. */
#define BG_PANEL_ROWS 4

/* Climbing to S_k: the part of F(lambda) in the columns that belong to mu. Coefficients lie in panels of
 * BG_PANEL_ROWS rows (the last one may be shorter), [panel][i][a][row]. */
typedef struct transform_block {
    int rows;           /* d_lambda */
    int inner;          /* d_mu */
    int in;             /* where F_i(mu) starts in the transform over S_{k-1} */
    int out;            /* where its columns of F(lambda) start in the transform over S_k */
    size_t coefficient; /* where the matrix starts */
} transform_block;

typedef struct transform_stage {
    int k;
    int first, blocks; /* of transform_block */
} transform_stage;

/* Some rows of G^T: z_i = sum_{j >= first} G_ji F_j. Coefficients lie as [j][row]. */
typedef struct form_panel {
    int first, rows;
    size_t coefficient;
} form_panel;

/* G^T of one irrep of H. */
typedef struct color_form {
    int sign;      /* 1: even under S_2, -1: odd */
    int dimension; /* d of the irrep of S_m */
    int offset;    /* where it starts in the transform over S_m */
    int first, panels;
} color_form;

typedef struct color_fourier {
    int letters, m; /* N, N - 2; both n for strings */
    int block;      /* m! */
    int cosets;     /* N (N - 1) / 2, pairs x < y of letters; for strings the skeletons */
    int stages;     /* k = 4 .. m */
    int forms;      /* irreps of H */
    int largest;    /* dimension */
    transform_stage stage[8];
    transform_block *blocks;
    color_form *form;
    form_panel *panels;
    double *coefficient;
    size_t coefficients;     /* how many */
    size_t bytes;            /* of all tables */
    bg_interrupt *interrupt; /* asked while tables are built; NULL: none */
} color_fourier;

/* Builds the tables from the exact color factors, with a number of threads that does not matter to the result. 0, or -1
 * without memory or after an interruption (ten letters take many seconds). */
int bg_color_fourier_create(color_fourier *f, int letters, int threads, bg_interrupt *interrupt);

/* The same for a line of either representation. The sum is in units of bg_color_line_unit(). */
int bg_color_fourier_create_line(color_fourier *f, color_line line, int letters, int threads, bg_interrupt *interrupt);
void bg_color_fourier_destroy(color_fourier *f);

/* Several quark lines. The function of a pair of skeletons takes the place of that of a pair of cosets, and the group is
 * S_n itself, as n is small where there are many lines:
 *     sum A C A = sum_lambda sum_columns  F^T M F ,   M_lambda[xa,yb] = d_lambda/n! sum_w c_xy(w) rho_lambda(w)_ab ,
 * x and y skeletons (color/strings.h). transform_string_sums() executes it. The sum is in units of
 * bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, n). 0, or -1 without memory or after an interruption. */
int bg_color_fourier_create_strings(color_fourier *f, const color_strings *s, int threads, bg_interrupt *interrupt);
size_t bg_color_string_fourier_bytes(const color_strings *s);

/* What suits a process with quark lines: that of a line for one line with letters enough to permute, otherwise that of strings.
 * transform_any_sums() executes either. 0, or -1 without memory or after an interruption. */
int bg_color_fourier_create_quarks(color_fourier *f, const color_strings *s, int threads, bg_interrupt *interrupt);
size_t bg_color_fourier_quark_bytes(const color_strings *s);

/* Numbers that the sum needs besides the amplitudes, known before anything is built. */
size_t bg_color_fourier_quark_scratch(const color_strings *s);

/* An estimate of color_fourier.bytes, from above, before anything is built. */
size_t bg_color_fourier_bytes(int letters);

#endif
