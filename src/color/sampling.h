/* Random colors in the color-flow basis, with strictly positive weights that average to the exact
 * color sum.
 */
#ifndef BG_COLOR_SAMPLING_H
#define BG_COLOR_SAMPLING_H

#include "base/limits.h"
#include "random/philox.h"

/* Color i and anticolor j of every gluon, and the weight of the draw. */
typedef struct color_flow {
    signed char i[BG_MAX_LEGS], j[BG_MAX_LEGS];
    double weight;
} color_flow;

/* Draws i uniformly and j as a random permutation of i: any other j has a vanishing amplitude. The
 * probability of (i, j) is 3^-n n1! n2! n3! / n!, the weight its inverse. */
BG_FN color_flow color_flow_draw(const int n, uint64_t seed, uint64_t event, uint32_t draw)
{
    bg_random r = bg_random_at(seed, event, draw, BG_STREAM_COLOR);
    color_flow f;
    int used[3] = {0, 0, 0};
    double pair[2];
    f.weight = 1.;
    for (int k = 0; k < n; k++) {
        bg_random_pair(&r, (uint32_t)k, pair);
        int color = (int)(3. * pair[0]);
        f.i[k] = (signed char)color;
        /* inside-out shuffle: j is a uniformly random arrangement of i[0..k] */
        int place = (int)((k + 1) * pair[1]);
        f.j[k] = place < k ? f.j[place] : (signed char)color;
        f.j[place] = (signed char)color;
        used[color]++;
        f.weight *= 3. * (k + 1) / used[color]; /* builds 3^n n! / (n1! n2! n3!) */
    }
    return f;
}

/* Walks through the orderings (0, s2 .. sn) whose Kronecker deltas
 *     i_0 = j_s2, i_s2 = j_s3, ..., i_sn = j_0
 * all hold (eq:color_decomposition_colorflow), depth first. order[0] is 0. Start with walk->depth = 0. */
typedef struct color_walk {
    int order[BG_MAX_LEGS];
    unsigned used;
    int depth;
} color_walk;

BG_FN void color_walk_start(color_walk *w)
{
    w->order[0] = 0;
    w->used = 1u;
    w->depth = 0;
}

/* The next ordering, in lexicographic order; 0 when there is none left. */
BG_FN int color_walk_next(const int n, const color_flow *f, color_walk *w)
{
    int next; /* candidate for position depth + 1 */
    if (w->depth == n - 1) {
        next = w->order[w->depth] + 1;
        w->used &= ~(1u << w->order[w->depth]);
        w->depth--;
    } else {
        next = 1;
    }
    for (;;) {
        while (next < n && (w->used >> next & 1u || f->i[w->order[w->depth]] != f->j[next])) next++;
        if (next < n) {
            w->depth++;
            w->order[w->depth] = next;
            w->used |= 1u << next;
            if (w->depth == n - 1) {
                if (f->i[next] == f->j[0]) return 1;
                w->used &= ~(1u << next);
                w->depth--;
                next++;
            } else {
                next = 1;
            }
        } else {
            if (w->depth == 0) return 0;
            next = w->order[w->depth] + 1;
            w->used &= ~(1u << w->order[w->depth]);
            w->depth--;
        }
    }
}

/* A uniformly random ordering of n gluons, gluon 0 first. */
BG_FN void ordering_draw(const int n, uint64_t seed, uint64_t event, uint32_t draw, int *order)
{
    bg_random r = bg_random_at(seed, event, draw, BG_STREAM_ORDERING);
    double pair[2] = {0., 0.};
    order[0] = 0;
    for (int k = 1; k < n; k++) {
        if (k % 2) bg_random_pair(&r, (uint32_t)(k / 2), pair);
        const int place = 1 + (int)(k * pair[(k + 1) % 2]);
        order[k] = place < k ? order[place] : k;
        order[place] = k;
    }
}

/* Color matrices M_k = eta(z) eta(zbar)^T of two random unit vectors a gluon (eq:color_angles), one
 * event a lane, to color[gluon * 9 + 3 i + j]. The average of |A|^2 times 9^n is the color sum. */
BG_FN void color_continuous(const int n, uint64_t seed, const uint64_t *event, uint32_t draw, real *color)
{
    for (int k = 0; k < n; k++) {
        real u[4], eta[2][3];
        for (int l = 0; l < BG_LANES; l++) {
            bg_random r = bg_random_at(seed, event[l], draw, BG_STREAM_COLOR);
            for (int a = 0; a < 2; a++) {
                double pair[2];
                bg_random_pair(&r, (uint32_t)(2 * k + a), pair);
                bg_set_lane(&u[2 * a], l, pair[0]);
                bg_set_lane(&u[2 * a + 1], l, pair[1]);
            }
        }
        for (int a = 0; a < 2; a++) {
            real cosine = u[2 * a] + u[2 * a] - bg_real(1.);
            real sine = bg_sqrt(bg_real(1.) - cosine * cosine);
            real s, c;
            bg_turn(u[2 * a + 1], &s, &c);
            eta[a][0] = cosine;
            eta[a][1] = sine * c;
            eta[a][2] = sine * s;
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) color[k * 9 + 3 * i + j] = eta[0][i] * eta[1][j];
    }
}

/* Discrete colors as matrices with a single 1, one event a lane; `weight` gets each lane's weight.
 * The trace of the dressed amplitude runs Tr(M_1 M_2 ..), and M_k has its 1 at row j_k, column i_k:
 * the product of two neighbors a b survives where i_a = j_b, as in the color-flow decomposition. */
BG_FN void color_discrete(const int n, uint64_t seed, const uint64_t *event, uint32_t draw, real *color, real *weight)
{
    for (int k = 0; k < 9 * n; k++) color[k] = bg_real(0.);
    for (int l = 0; l < BG_LANES; l++) {
        color_flow f = color_flow_draw(n, seed, event[l], draw);
        bg_set_lane(weight, l, f.weight);
        for (int k = 0; k < n; k++) bg_set_lane(&color[k * 9 + 3 * f.j[k] + f.i[k]], l, 1.);
    }
}

#endif
