/* Random orderings of gluons, drawn as often as they matter.
 *
 * The square of an ordered amplitude has the poles of the antenna  1 / (s_12 s_23 .. s_n1),  and for the helicities of
 * Parke and Taylor it is the antenna times something that all orderings share. So orderings are drawn with the antenna
 * as their probability. With the two incoming gluons as ends, an ordering is a path of some letters (outgoing gluons)
 * from the first end to the last, and a path of the other letters back. Sums over paths follow from shorter ones,
 *
 *     H(S, l) = sum_k H(S - l, k) a_kl ,   H({l}, l) = a_0l ,   F(S) = sum_l H(S, l) a_l,last ,      a_kl = 1 / p_k.p_l
 *
 * S a set of letters, l the last of them: 2^N N(N-1)/4 multiply-adds for all of the N! paths. The sum over all orderings
 * with b letters on the way there is  Z_b = sum_{|S|=b} F(S) F(all - S).
 *
 * A path of colored gluons has steps only where the colors match (`allowed`), which is the same for all lanes.
 */
#ifndef BG_COLOR_ANTENNA_H
#define BG_COLOR_ANTENNA_H

#include "base/limits.h"
#include "base/scalar.h"

/* a_kl of the letters, with the ends, and of the ends. */
typedef struct antenna {
    real step[BG_MAX_LETTERS * BG_MAX_LETTERS];
    real first[BG_MAX_LETTERS], last[BG_MAX_LETTERS];
    real ends;
} antenna;

/* Where a path may go: letters that may follow `from`, bit by bit. */
typedef struct antenna_rules {
    uint32_t before[BG_MAX_LETTERS]; /* letters that may stand before letter l */
    uint32_t start, stop;            /* letters that may begin, and end, a path */
    int direct;                      /* the path without letters is allowed */
} antenna_rules;

BG_FN void antenna_no_rules(const int N, antenna_rules *r)
{
    const uint32_t all = (1u << N) - 1u;
    for (int l = 0; l < N; l++) r->before[l] = all;
    r->start = r->stop = all;
    r->direct = 1;
}

/* Numbers of H and of F. */
BG_FN size_t antenna_path_reals(int N) { return ((size_t)1 << N) * (size_t)N; }
BG_FN size_t antenna_sum_reals(int N) { return (size_t)1 << N; }

/* Terms of a sum that are fetched before the first of them is added: a thread of a GPU has nothing else to do meanwhile. There are more of
 * them where threads share the sets, which have many letters then. */
#if defined(__CUDA_ARCH__)
enum { ANTENNA_AT_ONCE = 2, ANTENNA_AT_ONCE_SHARED = 4 };
#else
enum { ANTENNA_AT_ONCE = 1, ANTENNA_AT_ONCE_SHARED = 1 };
#endif

/* H and F of one set for paths from `start` to `stop`, given H of its subsets, `at_once` terms at a time; `stride` numbers from one to the
 * next. */
BG_FN void antenna_paths_by(const int at_once, int N, const antenna *a, const real *start, const real *stop,
                            const antenna_rules *rules, uint32_t set, real *H, real *F, size_t stride)
{
    real total = bg_real(0.);
    for (uint32_t left = set; left; left &= left - 1) {
        const int l = bg_lowest(left);
        const uint32_t rest = set ^ 1u << l;
        real sum = bg_real(0.);
        if (rest)
            for (uint32_t from = rest & rules->before[l]; from;) {
                real path[ANTENNA_AT_ONCE_SHARED], step[ANTENNA_AT_ONCE_SHARED];
                BG_UNROLL
                for (int i = 0; i < at_once; i++) {
                    const int some = i == 0 || from, k = some ? bg_lowest(from) : 0;
                    path[i] = some ? H[((size_t)rest * (size_t)N + (size_t)k) * stride] : bg_real(0.);
                    step[i] = some ? a->step[k * N + l] : bg_real(0.);
                    from &= from - 1;
                }
                BG_UNROLL
                for (int i = 0; i < at_once; i++) sum = sum + path[i] * step[i];
            }
        else if (rules->start >> l & 1u)
            sum = start[l];
        H[((size_t)set * (size_t)N + (size_t)l) * stride] = sum;
        if (rules->stop >> l & 1u) total = total + sum * stop[l];
    }
    F[(size_t)set * stride] = total;
}

BG_FN void antenna_paths_of(int N, const antenna *a, const real *start, const real *stop, const antenna_rules *rules,
                            uint32_t set, real *H, real *F, size_t stride)
{
    antenna_paths_by(ANTENNA_AT_ONCE_SHARED, N, a, start, stop, rules, set, H, F, stride);
}

/* F of the path without letters. */
BG_FN real antenna_direct(const antenna *a, const antenna_rules *rules)
{
    return rules->direct ? a->ends : bg_real(0.);
}

/* ... of all sets. */
BG_FN void antenna_paths(int N, const antenna *a, const real *start, const real *stop, const antenna_rules *rules,
                         real *H, real *F, size_t stride)
{
    F[0] = antenna_direct(a, rules);
    for (uint32_t set = 1; set < 1u << N; set++)
        antenna_paths_by(ANTENNA_AT_ONCE, N, a, start, stop, rules, set, H, F, stride);
}

/* The next larger set of as many members. */
BG_FN uint32_t antenna_next_set(uint32_t set)
{
    const uint32_t lowest = set & (0u - set), carried = set + lowest;
    return carried | (set ^ carried) >> (2 + bg_lowest(set));
}

/* Z_b; both paths may take either direction, so one table of sums does for both. */
BG_FN real antenna_total(int N, int b, const real *F, size_t stride)
{
    const uint32_t all = (1u << N) - 1u;
    real total = bg_real(0.);
    for (uint32_t set = (1u << b) - 1u; set <= all; set = antenna_next_set(set)) {
        total = total + F[(size_t)set * stride] * F[(size_t)(all ^ set) * stride];
        if (!set) break; /* there is only one without members */
    }
    return total;
}

BG_FN void antenna_totals(int N, const real *F, size_t stride, real *Z)
{
    for (int b = 0; b <= N; b++) Z[b] = antenna_total(N, b, F, stride);
}

/* Draws a path of all letters of `set` from the first end to the last, of one lane; u has a number for each letter. */
BG_FN void antenna_draw_path(int N, const antenna *a, const real *H, size_t stride, int lane, uint32_t set,
                             const double *u, int *path)
{
    const int length = bg_members(set);
    int next = -1; /* the last end */
    for (int place = length - 1; place >= 0; place--) {
        element total = 0.;
        for (uint32_t left = set; left; left &= left - 1) {
            const int l = bg_lowest(left);
            const real step = next < 0 ? a->last[l] : a->step[l * N + next];
            total += bg_lane(H[((size_t)set * (size_t)N + (size_t)l) * stride], lane) * bg_lane(step, lane);
        }
        element target = total * (element)u[place];
        int chosen = bg_lowest(set);
        for (uint32_t left = set; left; left &= left - 1) {
            const int l = bg_lowest(left);
            const real step = next < 0 ? a->last[l] : a->step[l * N + next];
            chosen = l;
            target -= bg_lane(H[((size_t)set * (size_t)N + (size_t)l) * stride], lane) * bg_lane(step, lane);
            if (target < 0.) break;
        }
        path[place] = chosen;
        set ^= 1u << chosen;
        next = chosen;
    }
}

/* Draws an ordering with b letters on the way from the first end to the last: letters in the order in which they follow
 * gluon 0, those after the last end included. u has N + 1 numbers. */
BG_FN void antenna_draw(int N, int b, const antenna *a, const real *H, const real *F, const real *Z, size_t stride,
                        int lane, const double *u, int *order)
{
    const uint32_t all = (1u << N) - 1u;
    element target = bg_lane(Z[b], lane) * (element)u[0];
    uint32_t chosen = (1u << b) - 1u;
    for (uint32_t set = chosen; set <= all; set = antenna_next_set(set)) {
        chosen = set;
        target -= bg_lane(F[(size_t)set * stride], lane) * bg_lane(F[(size_t)(all ^ set) * stride], lane);
        if (target < 0. || !set) break;
    }
    antenna_draw_path(N, a, H, stride, lane, chosen, u + 1, order);
    /* the way back, drawn as a way there and turned round */
    antenna_draw_path(N, a, H, stride, lane, all ^ chosen, u + 1 + b, order + b);
    for (int k = b, l = N - 1; k < l; k++, l--) {
        const int letter = order[k];
        order[k] = order[l];
        order[l] = letter;
    }
}

#endif
