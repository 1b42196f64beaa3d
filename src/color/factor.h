/* Exact color factors, as functions on a symmetric group. */
#ifndef BG_COLOR_FACTOR_H
#define BG_COLOR_FACTOR_H

#include "base/constants.h"

#include <stdint.h>

/* Trace basis: t(w) = sum over colors of Tr(T^0 T^1 .. T^m) Tr(T^0 T^w(1) .. T^w(m))* for U(N_c), for
 * every w in S_m, by rank (letters 0..m-1 stand for gluons 1..m). t must hold m! numbers. The U(1)
 * gluon decouples from the amplitudes, so these serve SU(N_c) as well. */
void bg_color_trace(int m, int64_t *t, int threads);

/* Adjoint basis (eq:color_coefficient_adjoint): C_ss' = c(s^-1 s'), for every element of S_N by
 * rank. c must hold N! numbers. Returns 0, or -1 where memory for (N+1)! numbers is not to be had.
 * No sum exceeds 4^N N_c^(N+2), which 64 bits hold up to N = 16. */
int bg_color_adjoint(int N, int64_t *c, int threads);

#endif
