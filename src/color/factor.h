/* Exact color factors, as functions on a symmetric group. */
#ifndef BG_COLOR_FACTOR_H
#define BG_COLOR_FACTOR_H

#include "base/constants.h"
#include "base/interrupt.h"

#include <stdint.h>

/* Trace basis: t(w) = sum over colors of Tr(T^0 T^1 .. T^m) Tr(T^0 T^w(1) .. T^w(m))* for U(N_c), for
 * every w in S_m, by rank (letters 0..m-1 stand for gluons 1..m). t must hold m! numbers. The U(1)
 * gluon decouples from the amplitudes, so these serve SU(N_c) as well. Returns 0, or -1 after an interruption (NULL: none), as
 * all do below. */
int bg_color_trace(int m, int64_t *t, int threads, bg_interrupt *interrupt);

/* Adjoint basis (eq:color_coefficient_adjoint): C_ss' = c(s^-1 s'), for every element of S_N by
 * rank. c must hold N! numbers. Returns -1 as well where memory for (N+1)! numbers is not to be had.
 * No sum exceeds 4^N N_c^(N+2), which 64 bits hold up to N = 16. */
int bg_color_adjoint(int N, int64_t *c, int threads, bg_interrupt *interrupt);

/* One quark line: the string (T^{s1} .. T^{sN})_ij contracted with the conjugate of another is C_ss' = c(s^-1 s') again. The
 * numbers are N_c^N c(w), which are whole: 192 and -24 for N = 2. c must hold N! numbers. Returns -1 as well without memory
 * for somewhat more than N! numbers. No number exceeds N_c (N_c^2 - 1)^N, which 64 bits hold up to N = 20. */
int bg_color_fundamental(int N, int64_t *c, int threads, bg_interrupt *interrupt);

/* A line of either representation, with N letters between its ends. */
typedef enum color_line { COLOR_LINE_ADJOINT, COLOR_LINE_FUNDAMENTAL } color_line;
int bg_color_line(color_line line, int N, int64_t *c, int threads, bg_interrupt *interrupt);

/* What a sum with these numbers is to be multiplied with: 1, and N_c^-N for quarks. */
double bg_color_line_unit(color_line line, int N);

#endif
