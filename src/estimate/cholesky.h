/* Linear equations with a symmetric positive matrix, by Cholesky's factor A = L L^T:
 *
 *     L_ij = ( A_ij - sum_{k<j} L_ik L_jk ) / L_jj   for j < i ,     L_ii^2 = A_ii - sum_{k<i} L_ik^2 .
 *
 * Matrices are stored by rows. Only the lower half is read, and L takes its place.
 */
#ifndef BG_ESTIMATE_CHOLESKY_H
#define BG_ESTIMATE_CHOLESKY_H

#include <stddef.h>

/* Returns n, or the first row that depends on those before it: less than 1e-14 of its diagonal element is left, and *left says
 * how much. */
size_t bg_cholesky(size_t n, double *matrix, double *left);

/* Solves A x = b with the factor; x takes the place of b. */
void bg_cholesky_solve(size_t n, const double *factor, double *b);

#endif
