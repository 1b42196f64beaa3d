/* Color-ordered amplitude of one ordering of n gluons: Berends-Giele recursion, eq:cobg with the
 * four-gluon vertex (O(n^4)) and eq:cobg_tensor with a field strength (O(n^3)).
 *
 * Gluons 0..n-1 stand in the order of the amplitude, all outgoing. Currents exist for every run of
 * consecutive gluons among the first n-1; the last gluon closes the amplitude (eq:cobg_full_amplitude),
 * A = e_{n-1} . (P^2 J(0..n-2)). External currents come as e[gluon * parts + part], see vertex.h, and
 * propagators are given (invariants.h).
 */
#ifndef BG_AMPLITUDE_ORDERED_H
#define BG_AMPLITUDE_ORDERED_H

#include "amplitude/invariants.h"
#include "amplitude/vertex.h"
#include "base/limits.h"
#include "color/permutation.h"

/* Room for currents; an instance that cares for its stack says how many it needs. */
#ifndef BG_ORDERED_LEGS
#define BG_ORDERED_LEGS (BG_MAX_OUT_ORDERED + 2)
#define BG_MAX_PARTS 2
#endif
#define BG_ORDERED_RUNS (BG_ORDERED_LEGS * (BG_ORDERED_LEGS - 1) / 2)

/* Position of the run of `length` gluons from gluon `first` among m: runs of one length lie side
 * by side, shorter ones first. */
BG_FN int run_index(const int m, int first, int length)
{
    return (length - 1) * m - (length - 1) * (length - 2) / 2 + first;
}

/* Number of runs among m gluons, the full one left out. */
BG_FN int run_count(const int m) { return m * (m + 1) / 2 - 1; }

/* Where the propagators of the runs are: by run, or by set (invariants.h) for an ordering packed into four bits a place. */
typedef struct run_propagators {
    const real *at;
    size_t stride;
    int by_set;
    uint64_t ordering;
} run_propagators;

BG_FN real run_propagator(const int m, const run_propagators *of, int first, int length)
{
    uint32_t row = (uint32_t)run_index(m, first, length), set = 0;
    if (of->by_set) {
        BG_UNROLL
        for (int k = first; k < first + length; k++) set |= 1u << packed_gluon(of->ordering, k);
        row = invariants_set(m - 1, set);
    }
    return of->at[row * of->stride];
}

/* Momenta of all runs. Both recursions start here. */
BG_FN void ordered_momenta(const int m, const vec4 *p, vec4 *P)
{
    BG_UNROLL
    for (int i = 0; i < m; i++) P[i] = p[i];
    BG_UNROLL
    for (int length = 2; length < m; length++) {
        BG_UNROLL
        for (int i = 0; i + length <= m; i++)
            P[run_index(m, i, length)] = vec4_add(P[run_index(m, i, length - 1)], P[i + length - 1]);
    }
}

/* Sets of the runs of two gluons and more, by run. */
BG_FN void ordered_sets(const int n, const int *order, uint32_t *set)
{
    const int m = n - 1;
    BG_UNROLL
    for (int i = 0; i < m; i++) {
        uint32_t members = 1u << order[i];
        BG_UNROLL
        for (int length = 2; length < m && i + length <= m; length++) {
            members |= 1u << order[i + length - 1];
            set[run_index(m, i, length)] = invariants_set(n - 2, members);
        }
    }
}

/* Their propagators of[set], by run. */
BG_FN void ordered_propagators(const int n, const uint32_t *set, const real *of, real *propagator)
{
    BG_UNROLL
    for (int run = n - 1; run < run_count(n - 1); run++) propagator[run] = of[set[run]];
}

/* Those of one ordering, without a table of all sets: momenta p in its order, gluon 0 first, `frame` that of the two
 * incoming gluons, and 0 in place[k] where the second one stands, whose momentum is `last`, else 1. Runs that start after
 * gluon 0 are looked at, up to the last gluon: those with gluon 0 are what they leave. */
BG_FN void ordered_run_propagators(const int n, const light_frame *frame, vec4 last, const vec4 *p, const real *place,
                                   real *propagator)
{
    const int m = n - 1;
    const real zero = bg_real(0.);
    const vec4 n_first = direction(p[0]), n_last = direction(last);
    const real inverse = bg_inverse(invariant_of_pair(p[0], n_first, last, n_last));
    vec4 v[BG_ORDERED_LEGS];
    real first[BG_ORDERED_LEGS], with_last[BG_ORDERED_LEGS], t1[BG_ORDERED_LEGS], t2[BG_ORDERED_LEGS],
        column[BG_ORDERED_LEGS], square[BG_ORDERED_LEGS];
    real before[BG_ORDERED_LEGS + 1], after[BG_ORDERED_LEGS + 1]; /* 2 p.pk of the outgoing gluons there */
    before[1] = after[n] = zero;
    BG_UNROLL
    for (int k = 1; k < n; k++) {
        v[k] = direction(p[k]);
        first[k] = invariant_of_pair(p[0], n_first, p[k], v[k]);
        with_last[k] = invariant_of_pair(last, n_last, p[k], v[k]); /* 0 with itself */
        t1[k] = n > 5 ? place[k] * dot(frame->e1, p[k]) : zero;
        t2[k] = n > 5 ? place[k] * dot(frame->e2, p[k]) : zero;
        column[k] = zero;
        before[k + 1] = before[k] + place[k] * first[k];
    }
    BG_UNROLL
    for (int k = n - 1; k > 0; k--) after[k] = after[k + 1] + place[k] * first[k];
    /* Starts from the last one on: column[j] is the sum of 2 pk.pj over the places k of the run before j, square[j] the
     * sum of all pairs up to j. */
    BG_UNROLL
    for (int i = n - 2; i > 0; i--) {
        real end = with_last[i], q1 = t1[i], q2 = t2[i], out = place[i];
        square[i] = zero;
        BG_UNROLL
        for (int j = i + 1; j < n; j++) {
            const int length = j - i + 1;
            column[j] = column[j] + invariant_of_pair(p[i], v[i], p[j], v[j]);
            square[j] = square[j - 1] + column[j];
            end = end + with_last[j];
            q1 = q1 + t1[j];
            q2 = q2 + t2[j];
            out = out * place[j];
            if (length > n - 2) continue;
            real P2;
            if (length == 2)
                P2 = column[j];
            else if (length == n - 2) /* gluon 0 and one more are left */
                P2 = first[i == 1 ? n - 1 : 1];
            else
                P2 = bg_select(out > zero, square[j], invariants_end(inverse, end, before[i] + after[j + 1], q1, q2));
            propagator[j < m ? run_index(m, i, length) : run_index(m, 0, n - length)] = bg_inverse(P2);
        }
    }
}

/* e_last . (numerator of the full current), part by part. */
BG_FN void ordered_close(const int parts, const vec4 *last, const vec4 *numerator, real *amplitude)
{
    for (int a = 0; a < parts; a++) amplitude[a] = bg_real(0.);
    for (int a = 0; a < parts; a++)
        for (int b = 0; b < parts; b++)
            amplitude[phase_part(a + b)] += phase_sign(a + b) * current_dot(BG_IS_SPATIAL(1), last[a], numerator[b]);
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
                vec4 v = vertex3(BG_IS_SPATIAL(l), J[left * parts + a], P[left], BG_IS_SPATIAL(length - l),
                                 J[right * parts + b], P[right]);
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
                        vec4 v = vertex4(BG_IS_SPATIAL(l), J[left * parts + a], BG_IS_SPATIAL(k), J[middle * parts + b],
                                         BG_IS_SPATIAL(length - l - k), J[far * parts + c]);
                        vec4 *to = &numerator[phase_part(a + b + c)];
                        *to = vec4_axpy(*to, phase_sign(a + b + c), v);
                    }
        }
    }
}

BG_FN void ordered_amplitude_quartic(const int n, const int parts, const vec4 *p, const vec4 *e,
                                     const run_propagators *of, real *amplitude)
{
    const int m = n - 1;
    vec4 P[BG_ORDERED_RUNS], J[BG_MAX_PARTS * BG_ORDERED_RUNS], numerator[2];
    ordered_momenta(m, p, P);
    BG_UNROLL
    for (int i = 0; i < m * parts; i++) J[i] = e[i];
    BG_UNROLL
    for (int length = 2; length < m; length++) {
        BG_UNROLL
        for (int i = 0; i + length <= m; i++) {
            const int run = run_index(m, i, length);
            const real propagator = run_propagator(m, of, i, length);
            ordered_quartic_numerator(m, parts, i, length, P, J, numerator);
            for (int a = 0; a < parts; a++) J[run * parts + a] = vec4_scale(propagator, numerator[a]);
        }
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

BG_FN void ordered_amplitude_tensor(const int n, const int parts, const vec4 *p, const vec4 *e,
                                    const run_propagators *of, real *amplitude)
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
    for (int length = 2; length < m; length++) {
        BG_UNROLL
        for (int i = 0; i + length <= m; i++) {
            const int run = run_index(m, i, length);
            const real propagator = run_propagator(m, of, i, length);
            ordered_tensor_numerator(m, parts, i, length, P, J, F, numerator, wedges);
            for (int a = 0; a < parts; a++) {
                J[run * parts + a] = vec4_scale(propagator, numerator[a]);
                F[run * parts + a] = tensor_sub(wedge(P[run], J[run * parts + a]), wedges[a]);
            }
        }
    }
    ordered_tensor_numerator(m, parts, 0, m, P, J, F, numerator, wedges);
    ordered_close(parts, e + m * parts, numerator, amplitude);
}

#endif
