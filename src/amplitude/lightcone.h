/* Color-ordered currents in light-cone gauge: four numbers a current, twelve multiply-adds a split.
 *
 * Take the field-strength form of vertex.h, whose equation of motion
 *     F_X = pX ^ X - sum_splits A ^ B ,      F_X.pX = - sum_splits ( F_A.B - F_B.A )
 * holds in any gauge, and choose Q.X = 0 with Q the momentum of the gluon that closes the amplitude. In
 * components  V- = Q.V ,  V1, V2 transverse to Q and to the momentum of gluon 0,  V.V = 2 V+ V- - V1^2 - V2^2:
 *   - X- = 0, and F^{-i} = p- X^i, F^{-+} = p- X+ are linear,
 *   - the minus component of the equation of motion fixes X+ without a propagator,
 * so a current carries its transverse part a = X1 + i X2 and z = psi + i phi, psi = p- X+, phi = F^{12}:
 *
 *     P^2 a = n - P d ,    z = conj(P) a - d                        P = P1 + i P2
 *     n = sum  [(2 P-/pA- - 1) psi_A + i phi_A] b - [(2 P-/pB- - 1) psi_B + i phi_B] a
 *     d = sum  (pB- - pA-)/P- Re(conj(a) b) + i Im(conj(a) b)
 *
 * The complex numbers are shorthand for pairs of real ones; a complex polarization makes two parts of
 * each (vertex.h). Gauge invariance makes the amplitudes those of ordered.h. There are no spurious
 * singularities: p- has the same sign for all outgoing gluons, and for all sets of gluons that contain
 * gluon 0 and not the closing one. In this gauge the two ends are as simple as can be:
 *   - gluon 0 has z = 0, the closing gluon projects on the components of n: e.n is the amplitude,
 *   - the current of all outgoing gluons has P = 0, so only its d is needed.
 */
#ifndef BG_AMPLITUDE_LIGHTCONE_H
#define BG_AMPLITUDE_LIGHTCONE_H

#include "amplitude/polarization.h"

typedef struct light_current {
    real a1, a2, psi, phi;
} light_current;

/* What the splits of a current add up to. */
typedef struct light_sum {
    real n1, n2, d, w; /* n = n1 + i n2; d + i w */
} light_sum;

/* One split: where the states of its halves are, and the factors above. */
typedef struct light_split {
    const light_current *left, *right;
    real left_factor, right_factor, difference; /* 2 P-/pA- - 1, 2 P-/pB- - 1, (pB- - pA-)/P- */
} light_split;

/* The frame: V- = minus.V, V1 = -e1.V, V2 = -e2.V. */
typedef struct light_frame {
    vec4 minus, e1, e2;
} light_frame;

/* From the momenta of gluon 0 and of the closing gluon. */
BG_FN light_frame light_frame_of(vec4 first, vec4 last)
{
    light_frame f;
    real inverse = bg_inverse(dot(first, last));
    f.minus = last;
    polarization_basis(first, &f.e1, &f.e2);
    /* still transverse to the first, and now to the last as well */
    f.e1 = vec4_axpy(f.e1, -(dot(f.e1, last) * inverse), first);
    f.e2 = vec4_axpy(f.e2, -(dot(f.e2, last) * inverse), first);
    return f;
}

/* Transverse components of a polarization vector of gluon 0 or of the closing gluon. */
BG_FN void light_transverse(const light_frame *f, vec4 e, real *a1, real *a2)
{
    *a1 = -dot(f->e1, e);
    *a2 = -dot(f->e2, e);
}

/* ... and of an outgoing gluon with transverse momentum (p1, p2) and the inverse of p-, after the gauge transformation
 * e -> e - p (Q.e)/p- . */
BG_FN void light_polarization(const light_frame *f, real p1, real p2, real inverse_minus, vec4 e, real *a1, real *a2)
{
    const real shift = dot(f->minus, e) * inverse_minus;
    *a1 = -(p1 * shift + dot(f->e1, e));
    *a2 = -(p2 * shift + dot(f->e2, e));
}

/* The current of one outgoing gluon. */
BG_FN light_current light_gluon(real p1, real p2, real a1, real a2)
{
    light_current c = {a1, a2, p1 * a1 + p2 * a2, p1 * a2 - p2 * a1};
    return c;
}

BG_FN light_sum light_zero(void)
{
    real o = bg_real(0.);
    light_sum s = {o, o, o, o};
    return s;
}

BG_FN light_sum light_total(light_sum s, light_sum t)
{
    light_sum r = {s.n1 + t.n1, s.n2 + t.n2, s.d + t.d, s.w + t.w};
    return r;
}

BG_FN light_current light_negative(light_current c)
{
    light_current r = {-c.a1, -c.a2, -c.psi, -c.phi};
    return r;
}

BG_FN light_current light_less(light_current c, light_current d)
{
    light_current r = {c.a1 - d.a1, c.a2 - d.a2, c.psi - d.psi, c.phi - d.phi};
    return r;
}

/* Adds a split to n, given what the formula multiplies b and a with: alpha and beta are the brackets' real parts. */
BG_FN void light_add_n(real *n1, real *n2, light_current A, light_current B, real alpha, real beta)
{
    *n1 = *n1 + alpha * B.a1 - beta * A.a1 - A.phi * B.a2 + B.phi * A.a2;
    *n2 = *n2 + alpha * B.a2 - beta * A.a2 + A.phi * B.a1 - B.phi * A.a1;
}

/* Adds a split to w, the imaginary part of conj(a) b. */
BG_FN void light_add_w(real *w, real a1, real a2, light_current B) { *w = *w + a1 * B.a2 - a2 * B.a1; }

/* ... and to d and w where (a1, a2) meets several B: c1 and c2, the two times the difference, are the same for all. */
BG_FN void light_add_d(real *d, real *w, real a1, real a2, real c1, real c2, light_current B)
{
    *d = *d + c1 * B.a1 + c2 * B.a2;
    light_add_w(w, a1, a2, B);
}

/* ... and where it meets a single one: one multiplication less. */
BG_FN void light_add_one_d(real *d, real *w, real a1, real a2, light_current B, real difference)
{
    *d = *d + difference * (a1 * B.a1 + a2 * B.a2);
    light_add_w(w, a1, a2, B);
}

/* Adds a split. */
BG_FN void light_add(light_sum *s, light_current A, light_current B, real left, real right, real difference)
{
    real alpha = left * A.psi, beta = right * B.psi;
    real c1 = difference * A.a1, c2 = difference * A.a2;
    light_add_n(&s->n1, &s->n2, A, B, alpha, beta);
    light_add_d(&s->d, &s->w, A.a1, A.a2, c1, c2, B);
}

/* Adds a split for a tile of states: s[left * rights + right] for each of `lefts` states of its left half, A[left], and
 * `rights` of its right one, B[right * step]. */
BG_FN void light_add_tile(const int lefts, const int rights, const light_current *A, const light_current *B,
                          size_t step, const light_split *f, light_sum *s)
{
    BG_UNROLL
    for (int right = 0; right < rights; right++) {
        BG_UNROLL
        for (int left = 0; left < lefts; left++)
            light_add(&s[left * rights + right], A[left], B[(size_t)right * step], f->left_factor, f->right_factor,
                      f->difference);
    }
}

/* Adds a split whose left half is gluon 0 with the transverse polarization (a1, a2): its psi and phi vanish. */
BG_FN void light_add_end(light_sum *s, real a1, real a2, light_current B, real right, real difference)
{
    real beta = right * B.psi;
    s->n1 = s->n1 - beta * a1 + B.phi * a2;
    s->n2 = s->n2 - beta * a2 - B.phi * a1;
    light_add_one_d(&s->d, &s->w, a1, a2, B, difference);
}

/* The first split of a sum where gluon 0 has the polarization (1, 0), or (0, 1) in its second state. */
BG_FN light_sum light_first_end(const int state, light_current B, real right, real difference)
{
    real beta = right * B.psi;
    light_sum first = {-beta, -B.phi, difference * B.a1, B.a2};
    light_sum second = {B.phi, -beta, difference * B.a2, -B.a1};
    return state ? second : first;
}

/* Adds a split that closes the amplitude, which takes n alone: P- = 0, so both factors are -1. This is light_add_n() with
 * alpha = -psi_A and beta = -psi_B; the signs stand in the formula, since compilers choose other multiply-adds, and so
 * other roundings, where they are told to negate first. */
BG_FN void light_close(real *n1, real *n2, light_current A, light_current B)
{
    *n1 = *n1 - A.psi * B.a1 + B.psi * A.a1 - A.phi * B.a2 + B.phi * A.a2;
    *n2 = *n2 - A.psi * B.a2 + B.psi * A.a2 + A.phi * B.a1 - B.phi * A.a1;
}

/* What closes the amplitude besides: gluon 0 alone on the left of the current of all outgoing gluons, of which only d
 * and w are needed. amplitude[2 * state of gluon 0 + component of n] */
BG_FN void light_close_end(const real *n1, const real *n2, real d, real w, real *amplitude)
{
    amplitude[0] = n1[0] - d;
    amplitude[1] = n2[0] + w;
    amplitude[2] = n1[1] - w;
    amplitude[3] = n2[1] - d;
}

/* The current from its splits. */
BG_FN light_current light_propagate(light_sum s, real p1, real p2, real propagator)
{
    light_current c;
    c.a1 = (s.n1 - p1 * s.d + p2 * s.w) * propagator;
    c.a2 = (s.n2 - p1 * s.w - p2 * s.d) * propagator;
    c.psi = p1 * c.a1 + p2 * c.a2 - s.d;
    c.phi = p1 * c.a2 - p2 * c.a1 - s.w;
    return c;
}

#endif
