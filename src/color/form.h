/* The symmetric quadratic form  sum over s, t of A_s C_st A_t  with the half of the matrix on and above the diagonal:
 *
 *     sum over s of  A_s 2 h_s ,     h_s = 1/2 C_ss A_s + sum over t > s of C_st A_t .
 *
 * Both are written so that there is one way only to contract them into multiply-adds: a result must not depend on how
 * many registers of amplitudes are worked on together.
 */
#ifndef BG_COLOR_FORM_H
#define BG_COLOR_FORM_H

#include "base/scalar.h"

/* h_s of `width` registers of amplitudes A[t * width + k]; `row` is row s of the matrix. */
BG_FN void color_form_half(const int width, uint64_t size, uint64_t s, const double *row, const real *A, real *half)
{
    const real diagonal = bg_real(0.5 * row[s]);
    BG_UNROLL
    for (int k = 0; k < width; k++) half[k] = diagonal * A[s * (uint64_t)width + (uint64_t)k];
    BG_UNROLL
    for (uint64_t t = s + 1; t < size; t++) {
        const real c = bg_real(row[t]);
        BG_UNROLL
        for (int k = 0; k < width; k++) half[k] += c * A[t * (uint64_t)width + (uint64_t)k];
    }
}

/* Adds the term of A_s. */
BG_FN void color_form_add(real a, real half, real *sum) { *sum += a * (half + half); }

#endif
