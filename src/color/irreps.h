/* Irreducible representations of the symmetric groups: shapes, their dimensions, and their standard tableaux.
 *
 * A shape is a partition of k into rows of falling length. The irreps of S_k are listed in descending lexicographic order
 * of their shapes. A tableau is the list of the rows that receive the numbers 1, 2, ..; the tableaux of a shape are
 * ordered by the row of the last number, then as tableaux of the shape without it. So the tableaux that belong to one
 * smaller shape mu are neighbors. For S_3:
 *
 *     shape       dimension   offset   tableaux
 *     3           1           0        0 0 0
 *     2 + 1       2           1        0 1 0 and 0 0 1
 *     1 + 1 + 1   1           5        0 1 2
 */
#ifndef BG_COLOR_IRREPS_H
#define BG_COLOR_IRREPS_H

#define BG_IRREPS_LARGEST 10 /* group here, S_10 */
#define BG_IRREPS_SHAPES 42  /* partitions of 10 */

typedef struct shape {
    int rows;
    int length[BG_IRREPS_LARGEST];
} shape;

typedef struct irreps {
    int k, count;
    shape lambda[BG_IRREPS_SHAPES];
    int dimension[BG_IRREPS_SHAPES];
    int offset[BG_IRREPS_SHAPES]; /* of the d x d block in the transform over S_k */
    int largest;                  /* dimension */
} irreps;

/* The irreps of S_k; S_0 has one, as S_1. */
void bg_irreps_list(irreps *s, int k);

/* Whether a box can be taken from row r, and the shape without it. */
int bg_irreps_remove_box(const shape *lambda, int r, shape *mu);

/* The number of a shape in the list, or -1. */
int bg_irreps_find(const irreps *s, const shape *lambda);

/* All tableaux of a shape of k boxes, rows[t * k + number - 1]; returns how many. */
int bg_irreps_tableaux(const shape *lambda, int k, signed char *rows);

#endif
