/* Cheap estimates E of |M|^2 from invariants alone, up to a constant for each class of subprocesses.
 *
 * s_ij = |2 pi.pj| of all legs; no signs and no complex numbers anywhere. Gluons stand in orders between the ends of quark
 * lines as radiation does, 1 / (s_a1 s_12 .. s_mb), and a numerator stands for the helicities. The sum over the orders of a
 * set S of gluons follows from those of smaller sets,
 *
 *     F_ab(S)   = s_ab sum_orders 1 / (s_a1 s_12 .. s_mb) ,   F_ab() = 1
 *     H_a[S][l] = sum_k H_a[S - l][k] / s_kl ,   H_a[l][l] = 1 / s_al ,   F_ab(S) = s_ab sum_l H_a[S][l] / s_lb
 *
 * in 2^(N-2) N (N-1) multiply-adds for all sets of N gluons, and 2^(N-1) N more for each end b.
 *
 * No quarks, n gluons: the sum over cyclic orders of the color-ordered MHV amplitudes squared,
 *
 *     E = sum_{i<j} s_ij^4 sum_cyclic 1 / (s_12 s_23 .. s_n1)
 *
 * One line q .. a, N gluons. The gluons of S act as photons; the second part of num are the helicities in which two gluons
 * are the odd ones, and the line acts as a gluon:
 *
 *     E   = num / s_qa^2 sum_S (-1/9)^|S| (1 - |S|/N) F_qa(all - S) prod_{i in S} F_qa(i)
 *     num = sum_i s_qi s_ai (s_qi^2 + s_ai^2) + [N >= 4] sum_{i<j} s_ij^4 (g_i + g_j) / 2
 *     g   = (z (1-z))^0.7 (z^2 + (1-z)^2) ,   z = s_qi / (s_qi + s_ai)
 *
 * Two lines q1 .. a1, q2 .. a2 of different flavors. Three ways to connect the ends, the gluons shared out in all ways:
 *
 *     S1 = sum_S F_q1a2(S) F_q2a1(all - S) ,   S2 = sum_S F_q1a1(S) F_q2a2(all - S) ,   S3 = sum_S F_q1q2(S) F_a1a2(all - S)
 *     E  = (eq + op + ex) / X (7 S1 - S2 + 2 S3)
 *     eq = s_q1q2^2 + s_a1a2^2 ,   op = s_q1a2^2 + s_q2a1^2 ,   X = s_q1a1 s_q2a2
 *
 * 7, -1, 2 are the correlators of one gluon (N_c^2 - 2, -1, 2). ex, from two gluons on, is for the helicities in which
 * one line acts as a gluon of the other, or both do (estimate_extra()). Two lines of one flavor interfere:
 * estimate_identical().
 *
 * Three lines, good enough to train phase space: each line R in turn is a gluon with s_iR = s_iQ + s_iA,
 *
 *     E = sum_R (y^2 + (1-y)^2) / s_QA E_2(the other two lines; gluons and R) ,   y = s_Q / (s_Q + s_A)
 *
 * with s_Q the sum of s_Qi over all other legs, and summed over the pairings of identical flavors, which do not interfere.
 *
 * Up to five legs E is all there is, or nearly: |M|^2 / E is constant for all 2 -> 2, for gluons alone and for two lines
 * at 2 -> 3, and spreads by 1 to 4 percent for one line there.
 *
 * Operations at six legs: 195 for the table of invariants, which all classes share, then 223 for gluons, 318 for one line and 4
 * powers, 228 for two lines and 4 powers, 373 and 8 if they are of one flavor.
 */
#ifndef BG_ESTIMATE_ESTIMATE_H
#define BG_ESTIMATE_ESTIMATE_H

#include "base/power.h"
#include "kinematics/pairs.h"
#include "process/subprocess.h"

enum { ESTIMATE_MOST_LINES = 3 };

/* What of a subprocess its estimate has to know. Numbers are rows of the table of invariants. Plain data: copied to devices
 * as it is. */
typedef struct estimate_plan {
    int legs, gluons, lines;
    uint8_t gluon[BG_MAX_LEGS];
    uint8_t quark[ESTIMATE_MOST_LINES], antiquark[ESTIMATE_MOST_LINES]; /* [line], all legs taken as outgoing */
    uint8_t flavor[ESTIMATE_MOST_LINES];                                /* [line], equal ones are neighbors */

    /* for the learned factor (learned.h): the beams, then the outgoing partons, equal ones together */
    uint8_t ordered[BG_MAX_LEGS];
    uint8_t first[BG_MAX_LEGS]; /* [place in `ordered`] where the run of partons equal to this one begins */
    int masses;                 /* 1: the masses of three legs are among what it depends on */
} estimate_plan;

/* `row` says which row of the table each leg has: subprocess->place for tables of momenta by place, NULL for those by leg.
 * Refuses more than three quark lines. */
bg_status bg_estimate_plan(estimate_plan *plan, const bg_subprocess *subprocess, const uint8_t *row, bg_error *error);

/* How the two lines of estimate_two() are paired. */
enum {
    ESTIMATE_DISTINCT,  /* two flavors: (q1 a1)(q2 a2) */
    ESTIMATE_IDENTICAL, /* one flavor: both pairings and their interference */
    ESTIMATE_PAIRINGS   /* one flavor: the sum of both pairings */
};

/* Room for sums: the paths H, then sums over paths F, or products. */
typedef struct estimate_room {
    real *paths, *sums;
    size_t stride;
} estimate_room;

/* Gluons that stand in orders: two of them are the ends where there are no quarks, and a line that acts as a gluon is one more. */
BG_FN int estimate_letters(const estimate_plan *plan)
{
    return plan->lines == 0 ? plan->gluons - 2 : plan->lines < 3 ? plan->gluons : plan->gluons + 1;
}

/* Numbers of the room, besides those of the table of invariants. */
BG_FN size_t estimate_reals(const estimate_plan *plan)
{
    const int N = estimate_letters(plan);
    return ((size_t)1 << N) * (size_t)(N + (plan->lines < 2 ? 1 : 3));
}

BG_FN estimate_room estimate_room_in(const estimate_plan *plan, real *room, size_t stride)
{
    const int N = estimate_letters(plan);
    estimate_room r;
    r.paths = room;
    r.sums = room + ((size_t)1 << N) * (size_t)N * stride;
    r.stride = stride;
    return r;
}

BG_FN real estimate_square(real x) { return x * x; }
BG_FN real estimate_fourth(real x) { return estimate_square(x * x); }

/* ---- sums over orders ------------------------------------------------------------------------------------------------ */

/* H_a[set][l] of all l in the set; those of smaller sets are there. */
BG_FN void estimate_extend(const int N, const uint8_t *gluon, const pair_table *t, int a, uint32_t set,
                           const estimate_room *room)
{
    for (uint32_t left = set; left; left &= left - 1) {
        const int l = bg_lowest(left);
        const uint32_t rest = set ^ 1u << l;
        const real *from = room->paths + (size_t)rest * (size_t)N * room->stride;
        real sum;
        if (rest) {
            sum = bg_real(0.);
            for (uint32_t before = rest; before; before &= before - 1) {
                const int k = bg_lowest(before);
                sum = sum + from[(size_t)k * room->stride] * pairs_inverse(t, gluon[k], gluon[l]);
            }
        } else {
            sum = pairs_inverse(t, a, gluon[l]);
        }
        room->paths[((size_t)set * (size_t)N + (size_t)l) * room->stride] = sum;
    }
}

/* F_ab(set) / s_ab, after estimate_extend(). */
BG_FN real estimate_close(const int N, const uint8_t *gluon, const pair_table *t, int a, int b, uint32_t set,
                          const estimate_room *room)
{
    const real *from = room->paths + (size_t)set * (size_t)N * room->stride;
    real sum = bg_real(0.);
    if (!set) return pairs_inverse(t, a, b);
    for (uint32_t left = set; left; left &= left - 1) {
        const int l = bg_lowest(left);
        sum = sum + from[(size_t)l * room->stride] * pairs_inverse(t, gluon[l], b);
    }
    return sum;
}

/* Sum of s_ij^4 over pairs of some rows. */
BG_FN real estimate_fourths(const int N, const uint8_t *row, const pair_table *t)
{
    real sum = bg_real(0.);
    for (int i = 1; i < N; i++)
        for (int j = 0; j < i; j++) sum = sum + estimate_fourth(pairs_s(t, row[i], row[j]));
    return sum;
}

/* ---- gluons ---------------------------------------------------------------------------------------------------------- */

/* A cyclic order is a path from the first gluon to the last one over a set, and one back over the rest. Both ways round
 * are alike, so that the last letter is always in the path that is summed last: the sums of the others are there by then. */
BG_FN real estimate_gluons(const int n, const uint8_t *gluon, const pair_table *t, const estimate_room *room)
{
    const int N = n - 2, a = gluon[n - 2], b = gluon[n - 1];
    const uint32_t all = (1u << N) - 1u, half = 1u << (N - 1);
    real cycles = bg_real(0.);
    for (uint32_t set = 0; set <= all; set++) {
        estimate_extend(N, gluon, t, a, set, room);
        const real sum = estimate_close(N, gluon, t, a, b, set, room);
        if (set < half)
            room->sums[(size_t)set * room->stride] = sum;
        else
            cycles = cycles + sum * room->sums[(size_t)(all ^ set) * room->stride];
    }
    return estimate_fourths(n, gluon, t) * (cycles + cycles);
}

/* ---- one line -------------------------------------------------------------------------------------------------------- */

BG_FN real estimate_one_numerator(const int N, const uint8_t *gluon, const pair_table *t, int q, int a)
{
    real num = bg_real(0.), split[BG_MAX_LEGS];
    for (int i = 0; i < N; i++) {
        const real x = pairs_s(t, q, gluon[i]), y = pairs_s(t, a, gluon[i]);
        num = num + x * y * (x * x + y * y);
        if (N < 4) continue;
        const real inverse = bg_inverse(x + y), zz = (x * inverse) * (y * inverse);
        split[i] = bg_real(0.5) * bg_power(zz, 0.7) * (bg_real(1.) - (zz + zz));
        for (int j = 0; j < i; j++) num = num + estimate_fourth(pairs_s(t, gluon[i], gluon[j])) * (split[i] + split[j]);
    }
    return num;
}

BG_FN real estimate_one(const int N, const uint8_t *gluon, const pair_table *t, int q, int a, const estimate_room *room)
{
    const uint32_t all = (1u << N) - 1u;
    const real ends = pairs_s(t, q, a);
    double factor[BG_MAX_LEGS + 1] = {0.}, photons = 1.;
    real *product = room->sums, color = bg_real(0.);
    for (int m = 0; m <= N; m++) {
        factor[m] = photons * (1. - (double)m / N);
        photons /= -9.;
    }
    product[0] = bg_real(1.);
    for (uint32_t set = 1; set < all; set++) {
        const int i = bg_lowest(set);
        const uint32_t rest = set & (set - 1);
        product[(size_t)set * room->stride] =
            rest ? product[(size_t)rest * room->stride] * product[((size_t)1 << i) * room->stride]
                 : ends * pairs_inverse(t, q, gluon[i]) * pairs_inverse(t, a, gluon[i]);
    }
    for (uint32_t set = 1; set <= all; set++) { /* all gluons as photons have the factor zero */
        estimate_extend(N, gluon, t, q, set, room);
        color = color + factor[N - bg_members(set)] * product[(size_t)(all ^ set) * room->stride] *
                            estimate_close(N, gluon, t, q, a, set, room);
    }
    return estimate_one_numerator(N, gluon, t, q, a) * color * pairs_inverse(t, q, a);
}

/* ---- two lines ------------------------------------------------------------------------------------------------------- */

/* Their ends. */
typedef struct estimate_ends {
    int q1, a1, q2, a2;
} estimate_ends;

/* The three ways to connect them. */
typedef struct estimate_strings {
    real s1, s2, s3;
} estimate_strings;

/* Sums over paths from q1 are kept, those that go with them, from q2 and a1, are used as they come. */
BG_FN estimate_strings estimate_connect(const int N, const uint8_t *gluon, const pair_table *t, const estimate_ends *e,
                                        const estimate_room *room)
{
    const uint32_t all = (1u << N) - 1u;
    const size_t stride = room->stride, length = (size_t)1 << N;
    real *to_a1 = room->sums, *to_a2 = to_a1 + length * stride, *to_q2 = to_a2 + length * stride;
    estimate_strings s = {bg_real(0.), bg_real(0.), bg_real(0.)};
    for (uint32_t set = 0; set <= all; set++) {
        estimate_extend(N, gluon, t, e->q1, set, room);
        to_a1[(size_t)set * stride] = estimate_close(N, gluon, t, e->q1, e->a1, set, room);
        to_a2[(size_t)set * stride] = estimate_close(N, gluon, t, e->q1, e->a2, set, room);
        to_q2[(size_t)set * stride] = estimate_close(N, gluon, t, e->q1, e->q2, set, room);
    }
    for (uint32_t set = 0; set <= all; set++) {
        estimate_extend(N, gluon, t, e->q2, set, room);
        s.s1 = s.s1 + to_a2[(size_t)(all ^ set) * stride] * estimate_close(N, gluon, t, e->q2, e->a1, set, room);
        s.s2 = s.s2 + to_a1[(size_t)(all ^ set) * stride] * estimate_close(N, gluon, t, e->q2, e->a2, set, room);
    }
    for (uint32_t set = 0; set <= all; set++) {
        estimate_extend(N, gluon, t, e->a1, set, room);
        s.s3 = s.s3 + to_q2[(size_t)(all ^ set) * stride] * estimate_close(N, gluon, t, e->a1, e->a2, set, room);
    }
    s.s1 = s.s1 * (pairs_s(t, e->q1, e->a2) * pairs_s(t, e->q2, e->a1));
    s.s2 = s.s2 * (pairs_s(t, e->q1, e->a1) * pairs_s(t, e->q2, e->a2));
    s.s3 = s.s3 * (pairs_s(t, e->q1, e->q2) * pairs_s(t, e->a1, e->a2));
    return s;
}

/* A line acts as a gluon of the other one, y and 1 - y being the shares of its ends:
 *
 *     w = 1/2 [ y (1-y) / (s_q1a2 s_q2a1) + 1/c ] (y^2 + (1-y)^2) (4 y (1-y))^-0.3
 *
 * yy: y (1-y). Both terms have the right collinear limit, the first is better for wide pairs. */
BG_FN real estimate_as_gluon(real yy, real inverse_ends, real inverse_c)
{
    return bg_real(0.5) * (yy * inverse_ends + inverse_c) * (bg_real(1.) - (yy + yy)) *
           bg_power(bg_real(4.) * yy, -0.3);
}

/* What is added to eq + op (`both`) for the pairing P = (q1 a1), R = (q2 a2), i over gluons,
 *
 *     ex = sum_i s_q1i s_a1i (s_q1i^2 + s_a1i^2) w(y = s_q2i / s_Ri, c = s_q1R s_a1R) + (P <-> R)
 *        + 0.2 (eq + op) (sum_i (s_Pi^4 + s_Ri^4) + sum_{i<j} s_ij^4) / s_PR^4
 *
 * where s_iR = s_iq2 + s_ia2, and s_PR is the sum of all four. */
BG_FN real estimate_extra(const int N, const uint8_t *gluon, const pair_table *t, const estimate_ends *e, real both,
                          real fourths)
{
    const real qq = pairs_s(t, e->q1, e->q2), qa = pairs_s(t, e->q1, e->a2), aq = pairs_s(t, e->a1, e->q2),
               aa = pairs_s(t, e->a1, e->a2);
    const real ends = pairs_inverse(t, e->q1, e->a2) * pairs_inverse(t, e->q2, e->a1);
    const real c = bg_inverse((qq + qa) * (aq + aa)), d = bg_inverse((qq + aq) * (qa + aa));
    real sum = bg_real(0.);
    for (int i = 0; i < N; i++) {
        const real x = pairs_s(t, e->q1, gluon[i]), y = pairs_s(t, e->a1, gluon[i]), P = x + y;
        const real u = pairs_s(t, e->q2, gluon[i]), v = pairs_s(t, e->a2, gluon[i]), R = u + v;
        const real p = bg_inverse(P), r = bg_inverse(R);
        sum = sum + x * y * (x * x + y * y) * estimate_as_gluon((u * r) * (v * r), ends, c);
        sum = sum + u * v * (u * u + v * v) * estimate_as_gluon((x * p) * (y * p), ends, d);
        fourths = fourths + (estimate_fourth(P) + estimate_fourth(R));
    }
    return sum + bg_real(0.2) * both * fourths * estimate_fourth(bg_inverse((qq + qa) + (aq + aa)));
}

/* Two lines of one flavor. The pairing (q1 a2)(q2 a1) is the other one with X and Y, op and op', S1 and S2 exchanged. With
 *
 *     U = 1 + ex/(eq + op) ,   V = 1 + ey/(eq + op') ,   x = U/X ,   y = V/Y ,   R = (X + Y - s_q1q2 s_a1a2) sqrt(UV) / (2XY)
 *
 *     aa =   eq (x   + y/9 + 2R/3 ) + op x   + op' y/9
 *     bb =   eq (x/9 + y   + 2R/3 ) + op x/9 + op' y
 *     ab = -[eq (x/3 + y/3 + 10R/9) + op x/3 + op' y/3]
 *     E  = (9 aa + 6 ab) S1 + (9 bb + 6 ab) S2 - 6 ab S3
 *
 * A Schouten identity makes the interference R real and free of signs in every crossing. Here first = (eq + op) x,
 * second = (eq + op') y and cross = eq R. */
BG_FN real estimate_identical(real first, real second, real cross, const estimate_strings *s)
{
    const real both = first + second;
    const real a = bg_real(9.) * first + second + bg_real(6.) * cross; /* 9 aa, 9 bb, and 6 ab without its sign */
    const real b = first + bg_real(9.) * second + bg_real(6.) * cross;
    const real ab = (both + both) + bg_real(20. / 3.) * cross;
    return (a - ab) * s->s1 + (b - ab) * s->s2 + ab * s->s3;
}

/* `least`: from how many gluons on there is an ex. */
BG_FN real estimate_two(const int N, const int mode, const int least, const uint8_t *gluon, const pair_table *t,
                        const estimate_ends *e, const estimate_room *room)
{
    const estimate_strings s = estimate_connect(N, gluon, t, e, room);
    const estimate_ends other = {e->q1, e->a2, e->q2, e->a1};
    const real eq = estimate_square(pairs_s(t, e->q1, e->q2)) + estimate_square(pairs_s(t, e->a1, e->a2));
    const real op = eq + (estimate_square(pairs_s(t, e->q1, e->a2)) + estimate_square(pairs_s(t, e->q2, e->a1)));
    const real po = eq + (estimate_square(pairs_s(t, e->q1, e->a1)) + estimate_square(pairs_s(t, e->q2, e->a2)));
    const real fourths = N >= least ? estimate_fourths(N, gluon, t) : bg_real(0.);
    real first = op, second = po; /* numerators of the two pairings */
    if (N >= least) first = first + estimate_extra(N, gluon, t, e, op, fourths);
    if (N >= least && mode != ESTIMATE_DISTINCT) second = second + estimate_extra(N, gluon, t, &other, po, fourths);
    const real X = pairs_inverse(t, e->q1, e->a1) * pairs_inverse(t, e->q2, e->a2);
    const real Y = pairs_inverse(t, e->q1, e->a2) * pairs_inverse(t, e->q2, e->a1);
    const real seven = bg_real(7.), twice = s.s3 + s.s3;
    if (mode == ESTIMATE_DISTINCT) return first * X * (seven * s.s1 - s.s2 + twice);
    if (mode == ESTIMATE_PAIRINGS)
        return first * X * (seven * s.s1 - s.s2 + twice) + second * Y * (seven * s.s2 - s.s1 + twice);
    /* (X + Y - s s) / (2 X Y), in inverses */
    const real overlap = bg_real(0.5) * (X + Y - pairs_s(t, e->q1, e->q2) * pairs_s(t, e->a1, e->a2) * X * Y);
    const real larger = N >= least ? bg_sqrt(first * second * bg_inverse(op * po)) : bg_real(1.);
    return estimate_identical(first * X, second * Y, eq * overlap * larger, &s);
}

/* ---- three lines ----------------------------------------------------------------------------------------------------- */

/* The line of quark i and antiquark j becomes a gluon, in the spare row of the table; the others are what is left, in
 * their order, so that flavors still match. */
BG_FN real estimate_collapsed(const estimate_plan *plan, int i, int j, const pair_table *t, const estimate_room *room)
{
    const int N = plan->gluons + 1, Q = plan->quark[i], A = plan->antiquark[j], spare = plan->legs;
    const int i1 = i == 0, i2 = i == 2 ? 1 : 2, j1 = j == 0, j2 = j == 2 ? 1 : 2;
    const estimate_ends e = {plan->quark[i1], plan->antiquark[j1], plan->quark[i2], plan->antiquark[j2]};
    uint8_t gluon[BG_MAX_LEGS];
    real quark = bg_real(0.), antiquark = bg_real(0.);
    for (int leg = 0; leg < plan->legs; leg++) {
        if (leg == Q || leg == A) continue;
        const real x = pairs_s(t, Q, leg), y = pairs_s(t, A, leg);
        quark = quark + x;
        antiquark = antiquark + y;
        pairs_put(t, spare, leg, x + y);
    }
    for (int k = 0; k < N - 1; k++) gluon[k] = plan->gluon[k];
    gluon[N - 1] = (uint8_t)spare;
    const real splitting = (quark * quark + antiquark * antiquark) * estimate_square(bg_inverse(quark + antiquark)) *
                           pairs_inverse(t, Q, A);
    const int mode = plan->flavor[i1] == plan->flavor[i2] ? ESTIMATE_PAIRINGS : ESTIMATE_DISTINCT;
    return splitting * estimate_two(N, mode, 1, gluon, t, &e, room);
}

BG_FN real estimate_three(const estimate_plan *plan, const pair_table *t, const estimate_room *room)
{
    real sum = bg_real(0.);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (plan->flavor[i] == plan->flavor[j]) sum = sum + estimate_collapsed(plan, i, j, t, room);
    return sum;
}

/* ---- all ------------------------------------------------------------------------------------------------------------- */

/* E of a register of events from the table of their invariants. Three lines need its spare row. */
BG_FN real estimate_value(const estimate_plan *plan, const pair_table *t, const estimate_room *room)
{
    const estimate_ends e = {plan->quark[0], plan->antiquark[0], plan->quark[1], plan->antiquark[1]};
    if (plan->lines == 0) return estimate_gluons(plan->gluons, plan->gluon, t, room);
    if (plan->lines == 1) return estimate_one(plan->gluons, plan->gluon, t, e.q1, e.a1, room);
    if (plan->lines == 3) return estimate_three(plan, t, room);
    const int mode = plan->flavor[0] == plan->flavor[1] ? ESTIMATE_IDENTICAL : ESTIMATE_DISTINCT;
    return estimate_two(plan->gluons, mode, 2, plan->gluon, t, &e, room);
}

#endif
