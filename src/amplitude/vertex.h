/* Color-ordered gluon vertices (eq:cobg), without the coupling and one 1/sqrt(2) a cubic vertex.
 *
 * Every vertex is linear in each of its currents, so a complex current is kept as `parts` = 2 real
 * ones (real and imaginary part) and a vertex of complex currents is a sum of real vertices: the
 * product of parts a, b, ... carries i^(a+b+...).
 */
#ifndef BG_AMPLITUDE_VERTEX_H
#define BG_AMPLITUDE_VERTEX_H

#include "kinematics/vector.h"

/* Polarization vectors have no time component (polarization.h). A kernel whose loops are laid out straight knows which
 * currents those are, and leaves out what it would multiply. */
#if defined(__CUDA_ARCH__) && defined(BG_STRAIGHT)
#define BG_IS_SPATIAL(length) ((length) == 1)
#else
#define BG_IS_SPATIAL(length) 0
#endif

/* a.b and a + s b where one of them, or b, is spatial. */
BG_FN real current_dot(const int spatial, vec4 a, vec4 b)
{
    return spatial ? -a.x * b.x - a.y * b.y - a.z * b.z : dot(a, b);
}

BG_FN vec4 current_axpy(const int spatial, vec4 a, real s, vec4 b)
{
    vec4 r = {spatial ? a.t : a.t + s * b.t, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return r;
}

/* [A,B] = 2 (pB.A) B - 2 (pA.B) A + (A.B) (pA - pB); `a`, `b`: A, B are spatial. */
BG_FN vec4 vertex3(const int a, vec4 A, vec4 pA, const int b, vec4 B, vec4 pB)
{
    real ab = current_dot(a || b, A, B);
    real pba = current_dot(a, pB, A);
    real pab = current_dot(b, pA, B);
    vec4 r = vec4_scale(ab, vec4_sub(pA, pB));
    r = current_axpy(b, r, pba + pba, B);
    return current_axpy(a, r, -(pab + pab), A);
}

/* {A,B,C} = 2 (A.C) B - (B.C) A - (A.B) C */
BG_FN vec4 vertex4(const int a, vec4 A, const int b, vec4 B, const int c, vec4 C)
{
    real ac = current_dot(a || c, A, C);
    vec4 r = vec4_scale(ac + ac, B);
    r = current_axpy(a, r, -current_dot(b || c, B, C), A);
    return current_axpy(c, r, -current_dot(a || b, A, B), C);
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
