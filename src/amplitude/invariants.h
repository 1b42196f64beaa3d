/* Squares of sums of momenta, for the propagators of the paper's recursions, without loss of digits.
 *
 * E^2 - p^2 of a sum of momenta is what is left of numbers of the size of E^2: two gluons at an angle x lose eps / x^2. So
 * nothing is subtracted here but directions of flight, which costs eps / x, as much as the rounding of the momenta does:
 *     2 pi.pj = Ei Ej (ni - nj)^2        n: unit vectors,
 *     P^2     = sum of 2 pi.pj           outgoing gluons,
 *     P^2     = -(2 q.S 2 p.R / 2 p.q + S_T^2)   outgoing gluons S and the closing one, q; R: the other outgoing ones, p: gluon 0.
 * All terms of a sum have the same sign. Momentum conservation turns every set of gluons into one of these two kinds. The
 * fast kernels know their invariants from light-cone components (shared.h), which they have anyway. Those would cost a
 * frame; unit vectors are there for the polarizations, and up to three outgoing gluons need nothing else.
 */
#ifndef BG_AMPLITUDE_INVARIANTS_H
#define BG_AMPLITUDE_INVARIANTS_H

#include "amplitude/lightcone.h"
#include "kinematics/pairs.h"

/* The numbers of an event of N outgoing gluons, `stride` apart (1 on the CPU, the number of events on a GPU): 2 p.q and
 * its inverse, for each outgoing gluon 2 p.pi, 2 q.pi and the transverse momentum, and 2 pi.pj of all pairs i > j. */
typedef struct invariants {
    const real *at;
    size_t stride;
} invariants;

enum { INVARIANTS_FIRST, INVARIANTS_LAST, INVARIANTS_T1, INVARIANTS_T2 };

BG_FN int invariants_place(int what, int k) { return 2 + 4 * k + what; }
BG_FN int invariants_pair_place(const int N, int i, int j) { return 2 + 4 * N + i * (i - 1) / 2 + j; }

#define BG_INVARIANTS(N) (2 + 4 * (N) + (N) * ((N)-1) / 2)

BG_FN real invariants_at(const invariants *v, int place) { return v->at[(size_t)place * v->stride]; }

/* From the momenta of all N + 2 gluons and their directions n, to number[BG_INVARIANTS(N)]. Up to N = 3 there is no set
 * whose transverse momentum counts. */
BG_FN void invariants_of(const int N, const vec4 *p, const vec4 *n, real *number)
{
    const vec4 first = p[0], last = p[N + 1];
    light_frame f;
    if (N > 3) f = light_frame_of(first, last);
    number[0] = invariant_of_pair(first, n[0], last, n[N + 1]);
    number[1] = bg_inverse(number[0]);
    BG_UNROLL
    for (int k = 0; k < N; k++) {
        const vec4 q = p[k + 1];
        number[invariants_place(INVARIANTS_FIRST, k)] = invariant_of_pair(first, n[0], q, n[k + 1]);
        number[invariants_place(INVARIANTS_LAST, k)] = invariant_of_pair(last, n[N + 1], q, n[k + 1]);
        number[invariants_place(INVARIANTS_T1, k)] = N > 3 ? dot(f.e1, q) : bg_real(0.);
        number[invariants_place(INVARIANTS_T2, k)] = N > 3 ? dot(f.e2, q) : bg_real(0.);
        BG_UNROLL
        for (int j = 0; j < k; j++)
            number[invariants_pair_place(N, k, j)] = invariant_of_pair(q, n[k + 1], p[j + 1], n[j + 1]);
    }
}

/* Sets of gluons by their bit masks, with momentum conservation: the same momentum squared without gluon 0. Bit k is then
 * outgoing gluon k, bit N the closing one. */
BG_FN uint32_t invariants_set(const int N, uint32_t members)
{
    return (members & 1u ? ~members : members) >> 1 & ((2u << N) - 1u);
}

/* -(2 q.S 2 p.R / 2 p.q + S_T^2) */
BG_FN real invariants_end(real inverse, real last, real first, real t1, real t2)
{
    return -(last * first * inverse + t1 * t1 + t2 * t2);
}

/* The first term of a sum, or one more. */
BG_FN real invariants_add(int terms, real sum, real term) { return terms ? sum + term : term; }

/* P^2 of one set without gluon 0. */
BG_FN real invariants_square(const int N, const invariants *v, uint32_t set)
{
    const uint32_t all = (1u << N) - 1u;
    real sum = bg_real(0.), first = sum, last = sum, t1 = sum, t2 = sum;
    int pairs = 0, inside = 0, outside = 0;
    if (set == all) return invariants_at(v, 0);
    if (set < all) {
        BG_UNROLL
        for (int k = 1; k < N; k++) {
            BG_UNROLL
            for (int j = 0; j < k; j++)
                if (set >> k & set >> j & 1u)
                    sum = invariants_add(pairs++, sum, invariants_at(v, invariants_pair_place(N, k, j)));
        }
        return sum;
    }
    BG_UNROLL
    for (int k = 0; k < N; k++) {
        if (!(set >> k & 1u)) {
            first = invariants_add(outside++, first, invariants_at(v, invariants_place(INVARIANTS_FIRST, k)));
            continue;
        }
        last = invariants_add(inside, last, invariants_at(v, invariants_place(INVARIANTS_LAST, k)));
        t1 = invariants_add(inside, t1, invariants_at(v, invariants_place(INVARIANTS_T1, k)));
        t2 = invariants_add(inside++, t2, invariants_at(v, invariants_place(INVARIANTS_T2, k)));
    }
    return inside == 1 ? last : outside == 1 ? first : invariants_end(invariants_at(v, 1), last, first, t1, t2);
}

/* P^2 of all sets without gluon 0, table[set]; what is no propagator gets 0. `sum` is room for 4 << N numbers. */
BG_FN void invariants_table(const int N, const invariants *v, real *sum, real *table)
{
    const uint32_t all = (1u << N) - 1u;
    for (int c = 0; c < 4; c++) sum[c] = bg_real(0.);
    table[0] = table[all + 1] = table[all + 1 + all] = bg_real(0.);
    for (uint32_t set = 1; set <= all; set++) {
        const uint32_t rest = set & (set - 1);
        const int k = bg_lowest(set);
        real square = table[rest];
        for (uint32_t left = rest; left; left &= left - 1)
            square = square + invariants_at(v, invariants_pair_place(N, bg_lowest(left), k));
        table[set] = square;
        for (int c = 0; c < 4; c++)
            sum[4 * (int)set + c] = sum[4 * (int)rest + c] + invariants_at(v, invariants_place(c, k));
    }
    table[all] = invariants_at(v, 0);
    for (uint32_t set = 1; set < all; set++) {
        const real *own = sum + 4 * set, *others = sum + 4 * (all ^ set);
        real *to = &table[all + 1 + set];
        if (bg_members(set) == 1)
            *to = own[INVARIANTS_LAST];
        else if (bg_members(set) == N - 1)
            *to = others[INVARIANTS_FIRST];
        else
            *to = invariants_end(invariants_at(v, 1), own[INVARIANTS_LAST], others[INVARIANTS_FIRST],
                                 own[INVARIANTS_T1], own[INVARIANTS_T2]);
    }
}

#endif
