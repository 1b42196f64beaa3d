/* Color-ordered gluon vertices (eq:cobg), without the coupling and one 1/sqrt(2) a cubic vertex.
 *
 * Every vertex is linear in each of its currents, so a complex current is kept as `parts` = 2 real
 * ones (real and imaginary part) and a vertex of complex currents is a sum of real vertices: the
 * product of parts a, b, ... carries i^(a+b+...).
 */
#ifndef BG_AMPLITUDE_VERTEX_H
#define BG_AMPLITUDE_VERTEX_H

#include "amplitude/vector.h"

/* [A,B] = 2 (pB.A) B - 2 (pA.B) A + (A.B) (pA - pB) */
BG_FN vec4 vertex3(vec4 A, vec4 pA, vec4 B, vec4 pB)
{
    real ab = dot(A, B);
    real pba = dot(pB, A);
    real pab = dot(pA, B);
    vec4 r = vec4_scale(ab, vec4_sub(pA, pB));
    r = vec4_axpy(r, pba + pba, B);
    return vec4_axpy(r, -(pab + pab), A);
}

/* {A,B,C} = 2 (A.C) B - (B.C) A - (A.B) C */
BG_FN vec4 vertex4(vec4 A, vec4 B, vec4 C)
{
    real ac = dot(A, C);
    vec4 r = vec4_scale(ac + ac, B);
    r = vec4_axpy(r, -dot(B, C), A);
    return vec4_axpy(r, -dot(A, B), C);
}

/* The same physics with a field strength F beside each current instead of a four-gluon vertex:
 * the contribution of one split to P^2 J is  B (pB.A) + F_A.B - A (pA.B) - F_B.A , and  -A ^ B
 * to the field strength  F_X = pX ^ X - sum_splits A ^ B. */
BG_FN vec4 vertex_tensor(vec4 A, tensor FA, vec4 pA, vec4 B, tensor FB, vec4 pB)
{
    vec4 r = vec4_sub(contract(FA, B), contract(FB, A));
    r = vec4_axpy(r, dot(pB, A), B);
    return vec4_axpy(r, -dot(pA, B), A);
}

/* part (0 real, 1 imaginary) and sign of i^k */
BG_FN int phase_part(int k) { return k & 1; }
BG_FN real phase_sign(int k) { return bg_real(k & 2 ? -1. : 1.); }

#endif
