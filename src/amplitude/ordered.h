/* Color-ordered amplitude of one ordering of n gluons: Berends-Giele recursion, eq:cobg with the
 * four-gluon vertex (O(n^4)) and eq:cobg_tensor with a field strength (O(n^3)).
 *
 * Gluons 0..n-1 stand in the order of the amplitude, all outgoing. Currents exist for every run of
 * consecutive gluons among the first n-1; the last gluon closes the amplitude (eq:cobg_full_amplitude),
 * A = e_{n-1} . (P^2 J(0..n-2)). External currents come as e[gluon * parts + part], see vertex.h.
 */
#ifndef BG_AMPLITUDE_ORDERED_H
#define BG_AMPLITUDE_ORDERED_H

#include "amplitude/vertex.h"

/* Room for currents; an instance that cares for its stack says how many it needs. */
#ifndef BG_MAX_GLUONS_ORDERED
#define BG_MAX_GLUONS_ORDERED 10 /* BG_MAX_OUT_ORDERED + 2 */
#define BG_MAX_PARTS 2
#endif
#define BG_ORDERED_RUNS (BG_MAX_GLUONS_ORDERED * (BG_MAX_GLUONS_ORDERED - 1) / 2)

/* Position of the run of `length` gluons from gluon `first` among m: runs of one length lie side
 * by side, shorter ones first. */
BG_FN int run_index(const int m, int first, int length)
{
    return (length - 1) * m - (length - 1) * (length - 2) / 2 + first;
}

/* Number of runs among m gluons, the full one left out. */
BG_FN int run_count(const int m) { return m * (m + 1) / 2 - 1; }

/* Momenta of all runs, and their squares' inverses where there is a propagator. Both recursions
 * start here. */
BG_FN void ordered_momenta(const int m, const vec4 *p, vec4 *P)
{
    BG_UNROLL
    for (int i = 0; i < m; i++) P[i] = p[i];
    BG_UNROLL
    for (int length = 2; length < m; length++)
        BG_UNROLL
        for (int i = 0; i + length <= m; i++)
            P[run_index(m, i, length)] = vec4_add(P[run_index(m, i, length - 1)], P[i + length - 1]);
}

/* e_last . (numerator of the full current), part by part. */
BG_FN void ordered_close(const int parts, const vec4 *last, const vec4 *numerator, real *amplitude)
{
    for (int a = 0; a < parts; a++) amplitude[a] = bg_real(0.);
    for (int a = 0; a < parts; a++)
        for (int b = 0; b < parts; b++) amplitude[phase_part(a + b)] += phase_sign(a + b) * dot(last[a], numerator[b]);
}

/* P^2 J of the run (i, length) from all its splits into two and into three shorter runs. */
BG_FN void ordered_quartic_numerator(const int m, const int parts, int i, int length, const vec4 *P, const vec4 *J,
                                     vec4 *numerator)
{
    for (int a = 0; a < parts; a++) numerator[a] = vec4_zero();
    BG_UNROLL
    for (int l = 1; l < length; l++) {
        const int left = run_index(m, i, l), right = run_index(m, i + l, length - l);
        for (int a = 0; a < parts; a++)
            for (int b = 0; b < parts; b++) {
                vec4 v = vertex3(J[left * parts + a], P[left], J[right * parts + b], P[right]);
                vec4 *to = &numerator[phase_part(a + b)];
                *to = vec4_axpy(*to, phase_sign(a + b), v);
            }
        BG_UNROLL
        for (int k = 1; k < length - l; k++) {
            const int middle = run_index(m, i + l, k);
            const int far = run_index(m, i + l + k, length - l - k);
            for (int a = 0; a < parts; a++)
                for (int b = 0; b < parts; b++)
                    for (int c = 0; c < parts; c++) {
                        vec4 v = vertex4(J[left * parts + a], J[middle * parts + b], J[far * parts + c]);
                        vec4 *to = &numerator[phase_part(a + b + c)];
                        *to = vec4_axpy(*to, phase_sign(a + b + c), v);
                    }
        }
    }
}

BG_FN void ordered_amplitude_quartic(const int n, const int parts, const vec4 *p, const vec4 *e, real *amplitude)
{
    const int m = n - 1;
    vec4 P[BG_ORDERED_RUNS], J[BG_MAX_PARTS * BG_ORDERED_RUNS], numerator[2];
    ordered_momenta(m, p, P);
    BG_UNROLL
    for (int i = 0; i < m * parts; i++) J[i] = e[i];
    BG_UNROLL
    for (int length = 2; length < m; length++)
        BG_UNROLL
        for (int i = 0; i + length <= m; i++) {
            const int run = run_index(m, i, length);
            real propagator = bg_real(1.) / dot(P[run], P[run]);
            ordered_quartic_numerator(m, parts, i, length, P, J, numerator);
            for (int a = 0; a < parts; a++) J[run * parts + a] = vec4_scale(propagator, numerator[a]);
        }
    ordered_quartic_numerator(m, parts, 0, m, P, J, numerator);
    ordered_close(parts, e + m * parts, numerator, amplitude);
}

/* As above in the field-strength form: also the sum of wedges that builds F. */
BG_FN void ordered_tensor_numerator(const int m, const int parts, int i, int length, const vec4 *P, const vec4 *J,
                                    const tensor *F, vec4 *numerator, tensor *wedges)
{
    for (int a = 0; a < parts; a++) {
        numerator[a] = vec4_zero();
        wedges[a] = tensor_zero();
    }
    BG_UNROLL
    for (int l = 1; l < length; l++) {
        const int left = run_index(m, i, l), right = run_index(m, i + l, length - l);
        for (int a = 0; a < parts; a++)
            for (int b = 0; b < parts; b++) {
                const int A = left * parts + a, B = right * parts + b;
                vec4 v = vertex_tensor(J[A], F[A], P[left], J[B], F[B], P[right]);
                tensor w = wedge(J[A], J[B]);
                const int to = phase_part(a + b);
                numerator[to] = vec4_axpy(numerator[to], phase_sign(a + b), v);
                wedges[to] = (a + b) & 2 ? tensor_sub(wedges[to], w) : tensor_add(wedges[to], w);
            }
    }
}

BG_FN void ordered_amplitude_tensor(const int n, const int parts, const vec4 *p, const vec4 *e, real *amplitude)
{
    const int m = n - 1;
    vec4 P[BG_ORDERED_RUNS], J[BG_MAX_PARTS * BG_ORDERED_RUNS], numerator[2];
    tensor F[BG_MAX_PARTS * BG_ORDERED_RUNS], wedges[2];
    ordered_momenta(m, p, P);
    BG_UNROLL
    for (int i = 0; i < m; i++)
        for (int a = 0; a < parts; a++) {
            J[i * parts + a] = e[i * parts + a];
            F[i * parts + a] = wedge(p[i], e[i * parts + a]);
        }
    BG_UNROLL
    for (int length = 2; length < m; length++)
        BG_UNROLL
        for (int i = 0; i + length <= m; i++) {
            const int run = run_index(m, i, length);
            real propagator = bg_real(1.) / dot(P[run], P[run]);
            ordered_tensor_numerator(m, parts, i, length, P, J, F, numerator, wedges);
            for (int a = 0; a < parts; a++) {
                J[run * parts + a] = vec4_scale(propagator, numerator[a]);
                F[run * parts + a] = tensor_sub(wedge(P[run], J[run * parts + a]), wedges[a]);
            }
        }
    ordered_tensor_numerator(m, parts, 0, m, P, J, F, numerator, wedges);
    ordered_close(parts, e + m * parts, numerator, amplitude);
}

#endif
