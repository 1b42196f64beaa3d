/* Products of massless momenta, pair by pair, without loss of digits.
 *
 *     2 pi.pj = Ei Ej (ni - nj)^2        n: unit vectors along the flight
 *
 * Nothing is subtracted but directions of flight, so two partons at an angle x lose eps / x, as much as the rounding of
 * their momenta does, where E^2 - p^2 would lose eps / x^2. Soft partons, and those along a beam, lose nothing.
 */
#ifndef BG_KINEMATICS_PAIRS_H
#define BG_KINEMATICS_PAIRS_H

#include "base/limits.h"
#include "kinematics/vector.h"

/* 2 p.q of momenta with the directions np and nq. */
BG_FN real invariant_of_pair(vec4 p, vec4 np, vec4 q, vec4 nq)
{
    const real x = np.x - nq.x, y = np.y - nq.y, z = np.z - nq.z;
    return (p.t * q.t) * (x * x + y * y + z * z);
}

/* The table s_ij = |2 pi.pj| of an event and 1 / s_ij, `stride` numbers from one to the next: 1 on the CPU, the number of
 * threads on a GPU. A row more than there are momenta is room for one that is made from others. */
typedef struct pair_table {
    real *s, *inverse;
    size_t stride;
    int rows;
} pair_table;

/* Numbers of s and of its inverse together, for n momenta. */
BG_FN size_t pairs_reals(int n) { return 2 * (size_t)(n + 1) * (size_t)(n + 1); }

BG_FN size_t pairs_at(const pair_table *t, int i, int j) { return (size_t)(i * t->rows + j) * t->stride; }
BG_FN real pairs_s(const pair_table *t, int i, int j) { return t->s[pairs_at(t, i, j)]; }
BG_FN real pairs_inverse(const pair_table *t, int i, int j) { return t->inverse[pairs_at(t, i, j)]; }

BG_FN pair_table pairs_in(int n, real *room, size_t stride)
{
    pair_table t;
    t.s = room;
    t.inverse = room + (size_t)(n + 1) * (size_t)(n + 1) * stride;
    t.stride = stride;
    t.rows = n + 1;
    return t;
}

BG_FN void pairs_put(const pair_table *t, int i, int j, real s)
{
    const real inverse = bg_inverse(s);
    t->s[pairs_at(t, i, j)] = t->s[pairs_at(t, j, i)] = s;
    t->inverse[pairs_at(t, i, j)] = t->inverse[pairs_at(t, j, i)] = inverse;
}

/* From n momenta, those of incoming partons with either sign. What stands on the diagonal and in the row that is left is
 * not touched. Directions are p / E: what rounding leaves of a mass changes their length, and (ni - nj)^2 in second order. */
BG_FN void pairs_fill(const int n, const vec4 *p, const pair_table *t)
{
    vec4 flight[BG_MAX_LEGS];
    BG_UNROLL
    for (int i = 0; i < n; i++) {
        flight[i] = vec4_scale(bg_inverse(p[i].t), p[i]);
        BG_UNROLL
        for (int j = 0; j < i; j++) pairs_put(t, i, j, bg_abs(invariant_of_pair(p[i], flight[i], p[j], flight[j])));
    }
}

#endif
