/* Color-dressed Berends-Giele recursion in the color-flow basis (eq:color_dressed_currents), with
 * a field strength in place of the four-gluon vertex.
 *
 * A current of a set of gluons is a 3x3 matrix of vectors and tensors. The kinematic vertex is
 * antisymmetric, so an unordered split {A, B} contributes the commutator-like sum
 *     J_ij  +=  sum_k [A_ik, B_kj]  +  sum_k [B_ik, A_kj] .
 * Sets of the first n-1 gluons are bit masks; the last gluon closes the amplitude with a trace.
 *
 * Each set owns a record in `store`: its momentum (4 numbers), then for each color i j and part 4 of
 * J and 6 of F. The numbers of one event are `stride` apart (1 on the CPU, the number of events in
 * flight on a GPU).
 */
#ifndef BG_AMPLITUDE_DRESSED_H
#define BG_AMPLITUDE_DRESSED_H

#include "amplitude/invariants.h"
#include "amplitude/vertex.h"

BG_FN size_t dressed_record_reals(const int parts) { return 4 + 9 * (size_t)parts * 10; }

BG_FN size_t dressed_store_reals(int n, int parts) { return ((size_t)1 << (n - 1)) * dressed_record_reals(parts); }

BG_FN size_t dressed_offset(const int parts, unsigned set, int color, int part)
{
    return set * dressed_record_reals(parts) + 4 + (size_t)(color * parts + part) * 10;
}

BG_FN vec4 dressed_load_vector(const real *store, size_t stride, size_t at)
{
    const real *s = store + at * stride;
    vec4 v = {s[0], s[stride], s[2 * stride], s[3 * stride]};
    return v;
}

BG_FN tensor dressed_load_tensor(const real *store, size_t stride, size_t at)
{
    const real *s = store + at * stride;
    tensor f = {s[0], s[stride], s[2 * stride], s[3 * stride], s[4 * stride], s[5 * stride]};
    return f;
}

BG_FN void dressed_save_vector(real *store, size_t stride, size_t at, vec4 v)
{
    real *s = store + at * stride;
    s[0] = v.t;
    s[stride] = v.x;
    s[2 * stride] = v.y;
    s[3 * stride] = v.z;
}

BG_FN void dressed_save_tensor(real *store, size_t stride, size_t at, tensor f)
{
    real *s = store + at * stride;
    s[0] = f.tx;
    s[stride] = f.ty;
    s[2 * stride] = f.tz;
    s[3 * stride] = f.xy;
    s[4 * stride] = f.xz;
    s[5 * stride] = f.yz;
}

BG_FN vec4 dressed_momentum(const int parts, const real *store, size_t stride, unsigned set)
{
    return dressed_load_vector(store, stride, set * dressed_record_reals(parts));
}

/* P^2 J_ij and the wedges of F_ij from all splits of `set`, for one color entry ij. Both orders of an
 * unordered split come up, as a subset and as its complement. */
BG_FN void dressed_numerator(const int parts, unsigned set, int i, int j, const real *store, size_t stride,
                             vec4 *numerator, tensor *wedges)
{
    for (int a = 0; a < parts; a++) {
        numerator[a] = vec4_zero();
        wedges[a] = tensor_zero();
    }
    for (unsigned A = (set - 1) & set; A; A = (A - 1) & set) {
        const unsigned B = set ^ A;
        vec4 pA = dressed_momentum(parts, store, stride, A);
        vec4 pB = dressed_momentum(parts, store, stride, B);
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < parts; a++)
                for (int b = 0; b < parts; b++) {
                    const size_t left = dressed_offset(parts, A, 3 * i + k, a);
                    const size_t right = dressed_offset(parts, B, 3 * k + j, b);
                    vec4 JA = dressed_load_vector(store, stride, left);
                    vec4 JB = dressed_load_vector(store, stride, right);
                    tensor FA = dressed_load_tensor(store, stride, left + 4);
                    tensor FB = dressed_load_tensor(store, stride, right + 4);
                    vec4 v = vertex_tensor(JA, FA, pA, JB, FB, pB);
                    tensor w = wedge(JA, JB);
                    const int to = phase_part(a + b);
                    numerator[to] = vec4_axpy(numerator[to], phase_sign(a + b), v);
                    wedges[to] = (a + b) & 2 ? tensor_sub(wedges[to], w) : tensor_add(wedges[to], w);
                }
    }
}

/* Amplitude of n gluons with momenta p, their invariants (invariants.h), external currents e[gluon * parts + part] and real color
 * matrices color[gluon * 9 + 3 i + j]:
 * the sum over (n-1)! orderings of Tr(M_1 M_2 .. M_n) A(1, 2, .. n). */
BG_FN void dressed_amplitude(const int n, const int parts, const vec4 *p, const invariants *values, const vec4 *e,
                             const real *color, real *store, size_t stride, real *amplitude)
{
    const int m = n - 1;
    const unsigned all = (1u << m) - 1u;
    vec4 numerator[2];
    tensor wedges[2];
    for (int k = 0; k < m; k++) {
        const unsigned set = 1u << k;
        dressed_save_vector(store, stride, set * dressed_record_reals(parts), p[k]);
        for (int ij = 0; ij < 9; ij++)
            for (int a = 0; a < parts; a++) {
                vec4 J = vec4_scale(color[k * 9 + ij], e[k * parts + a]);
                dressed_save_vector(store, stride, dressed_offset(parts, set, ij, a), J);
                dressed_save_tensor(store, stride, dressed_offset(parts, set, ij, a) + 4, wedge(p[k], J));
            }
    }
    for (unsigned set = 3; set < all; set++) {
        const unsigned rest = set & (set - 1);
        if (!rest) continue;
        vec4 P =
            vec4_add(dressed_momentum(parts, store, stride, set ^ rest), dressed_momentum(parts, store, stride, rest));
        real propagator = bg_real(1.) / invariants_square(n - 2, values, invariants_set(n - 2, set));
        dressed_save_vector(store, stride, set * dressed_record_reals(parts), P);
        for (int ij = 0; ij < 9; ij++) {
            dressed_numerator(parts, set, ij / 3, ij % 3, store, stride, numerator, wedges);
            for (int a = 0; a < parts; a++) {
                const size_t at = dressed_offset(parts, set, ij, a);
                vec4 J = vec4_scale(propagator, numerator[a]);
                dressed_save_vector(store, stride, at, J);
                dressed_save_tensor(store, stride, at + 4, tensor_sub(wedge(P, J), wedges[a]));
            }
        }
    }
    for (int a = 0; a < parts; a++) amplitude[a] = bg_real(0.);
    for (int ij = 0; ij < 9; ij++) {
        const int ji = 3 * (ij % 3) + ij / 3;
        dressed_numerator(parts, all, ij / 3, ij % 3, store, stride, numerator, wedges);
        for (int a = 0; a < parts; a++)
            for (int b = 0; b < parts; b++)
                amplitude[phase_part(a + b)] +=
                    phase_sign(a + b) * color[m * 9 + ji] * dot(e[m * parts + a], numerator[b]);
    }
}

#endif
