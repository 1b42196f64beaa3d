/* Random color flows of a process with quark lines, and the probability of colors that are drawn along them.
 *
 * A flow is a set of open strings (strings.h): each starts at a quark, runs over some gluons and ends in an antiquark. Flows are
 * drawn as often as they matter, with the antennas of their strings,
 *
 *     prod over strings  s_{q qbar} / ( s_{q 1} s_{12} .. s_{m qbar} )  times  N_c^-2 for each U(1) gluon between groups of lines ,
 *
 * and colors are drawn along the strings: a quark has any color; a gluon moves on to another one (weight 1 each), or stays (weight
 * 2/3) and then sits on the diagonal, at the color itself with probability 2/3 and at each of the two others with 1/6. The
 * latter have amplitudes too, since the trace of a gluon's matrix is taken away. So, given the flow,
 *
 *     P(colors | flow) = prod over diagonal gluons (4/9 or 1/9)  /  ( 3^k (8/3)^n ) .
 *
 * Many flows lead to the same colors, and what a draw is weighted with is the sum over all of them, by sums over paths as in
 * antenna.h: from each quark i
 *
 *     H_i(S, l) = w_l sum_m H_i(S - l, m) / s_ml ,     F_ij(S) = s_ij sum_l H_i(S, l) / s_lj ,     F_ij({}) = 1 ,
 *
 * S a set of gluons, l the last of them, and  sum over connections pi of  w_pi sum over partitions S_1 + S_2 + .. of
 * F_1pi(1)(S_1) F_2pi(2)(S_2) ..  Without colors, w_l = 1, that is the normalization Z of the flows. With colors, the
 * color at the end of a path of S follows from S alone, and w_l is 0, 1, 4/9 or 1/9.
 *
 * The skeleton of a flow, its connection and the lengths of its strings, determines how colors are drawn, and momenta do not:
 * so events whose flows have the same skeleton may share colors. Places are the positions of gluons on the strings, one
 * string after the other; which gluon stands at which place is an event's own choice.
 */
#ifndef BG_COLOR_OPEN_STRINGS_H
#define BG_COLOR_OPEN_STRINGS_H

#include "base/limits.h"
#include "base/scalar.h"
#include "process/subprocess.h"
#include "random/philox.h"

enum {
    OPEN_MOST_LINES = 3,
    OPEN_MOST_CONNECTIONS = 6,
    OPEN_MOST_FERMIONS = 2 * OPEN_MOST_LINES,
    OPEN_MOST_PATTERNS = 10
};

/* The legs in the order of this recursion: gluons, fermions, and of these the one that may close the amplitude last. Plain data. */
typedef struct open_process {
    int legs, gluons, lines;
    int identical;       /* some flavor has several lines */
    int closes_on_gauge; /* the last fermion is the gauge vector */
    int halves;          /* ways to close on a gluon, with two lines; 0: the last fermion closes */
    uint8_t half[2];     /* [way] the fermions whose current it is; the others are its source */
    int fillings;        /* sets of fermions that have a current, the empty one first */
    uint8_t filling[1 << (OPEN_MOST_FERMIONS - 1)];
    uint8_t place[BG_MAX_LEGS];                     /* of the subprocess: gluons by number, then fermions */
    uint8_t quark[OPEN_MOST_LINES];                 /* [line] fermion that starts a string */
    uint8_t antiquark[OPEN_MOST_LINES];             /* [line] fermion that ends one */
    uint8_t flavor[OPEN_MOST_FERMIONS];             /* [fermion] */
    uint8_t is_quark[OPEN_MOST_FERMIONS];           /* [fermion] */
    uint8_t line[OPEN_MOST_FERMIONS];               /* [fermion] */
    uint8_t of_flavor[OPEN_MOST_LINES];             /* [flavor] set of fermions */
    uint8_t content[1 << (OPEN_MOST_FERMIONS - 1)]; /* [set of fermions]: see open_content */
    uint8_t behind[1 << (OPEN_MOST_FERMIONS - 1)];  /* [set of fermions]: those behind an odd number of them */
    double weight[OPEN_MOST_CONNECTIONS];           /* [connection] of flows */
    int patterns;                                   /* of chiralities that are summed over: half of all */
    uint32_t pattern[OPEN_MOST_PATTERNS];           /* as helicities of the fermions, by place of the subprocess */
    uint8_t turned[OPEN_MOST_PATTERNS];             /* fermions that have another helicity than in the pattern before */
} open_process;

/* What fermions leave open together: nothing that has a current, a gluon, or a quark or antiquark of a flavor. */
enum { OPEN_NO_CURRENT = 0, OPEN_GLUON = 1, OPEN_QUARK = 2, OPEN_ANTIQUARK = 2 + OPEN_MOST_LINES };

#ifdef __cplusplus
extern "C" {
#endif

/* At least one line, at most OPEN_MOST_LINES. */
open_process bg_open_process(const bg_subprocess *process);

/* How many skeletons there are. */
int bg_open_skeletons(const open_process *o);

#ifdef __cplusplus
}
#endif

/* ---- skeletons ------------------------------------------------------------------------------------------------------ */

BG_FN int open_connections(int lines) { return lines == 1 ? 1 : lines == 2 ? 2 : 6; }

/* The antiquark that string i ends in. */
BG_FN int open_end(int lines, int connection, int i)
{
    /* permutations in lexicographic order; two bits each */
    const uint32_t two = connection ? 1u : 4u, three = connection == 0   ? 0x24u
                                                       : connection == 1 ? 0x18u
                                                       : connection == 2 ? 0x21u
                                                       : connection == 3 ? 0x09u
                                                       : connection == 4 ? 0x12u
                                                                         : 0x06u;
    return lines == 1 ? 0 : (int)((lines == 2 ? two : three) >> 2 * i & 3u);
}

/* Connection and lengths of all strings but the last one. */
BG_FN uint32_t open_skeleton(int lines, int connection, const int *length)
{
    return (uint32_t)connection | (lines > 1 ? (uint32_t)length[0] << 3 : 0u) |
           (lines > 2 ? (uint32_t)length[1] << 7 : 0u);
}
BG_FN int open_skeleton_connection(uint32_t skeleton) { return (int)(skeleton & 7u); }
BG_FN int open_skeleton_length(int lines, int gluons, uint32_t skeleton, int i)
{
    const int first = lines > 1 ? (int)(skeleton >> 3 & 15u) : 0, second = lines > 2 ? (int)(skeleton >> 7 & 15u) : 0;
    return i == lines - 1 ? gluons - first - second : i == 0 ? first : second;
}
enum { OPEN_SKELETONS = 1 << 11 }; /* numbers below this */

/* ---- colors ----------------------------------------------------------------------------------------------------------- */

typedef struct open_colors {
    signed char row[BG_MAX_LEGS], col[BG_MAX_LEGS]; /* [place] of gluons */
    signed char fermion[OPEN_MOST_FERMIONS];
} open_colors;

#define OPEN_MOVES (8. / 3.) /* weights of a gluon that moves on or stays, together */
#define OPEN_SAME (4. / 9.)  /* weight of a diagonal gluon at the color of its string */
#define OPEN_OTHER (1. / 9.) /* ... and at another one */

/* Random numbers of colors along the strings of a skeleton, by pairs: those of different skeletons are different ones. */
BG_FN int open_color_pairs(const open_process *o) { return (o->lines + o->gluons + 1) / 2; }
BG_FN void open_color_pair(uint32_t skeleton, uint64_t seed, uint64_t group, uint32_t draw, int k, double *u)
{
    const bg_random r = bg_random_at(seed, group, draw, BG_STREAM_COLOR);
    bg_random_pair(&r, skeleton * 16u + (uint32_t)k, u);
}

/* The colors. */
BG_FN open_colors open_colors_from(const open_process *o, uint32_t skeleton, const double *u)
{
    const int connection = open_skeleton_connection(skeleton);
    open_colors c = {{0}, {0}, {0}};
    int place = 0;
    for (int i = 0; i < o->lines; i++) {
        int color = (int)(3. * *u++);
        c.fermion[o->quark[i]] = (signed char)color;
        for (int k = open_skeleton_length(o->lines, o->gluons, skeleton, i); k > 0; k--, place++) {
            const double z = *u++ * OPEN_MOVES, stays = (z - 2.) * 1.5; /* uniform again, if it does */
            const int next = z < 2. ? (color + 1 + (int)z) % 3 : color;
            const int label = z < 2. || stays < 2. / 3. ? color : (color + (stays < 5. / 6. ? 1 : 2)) % 3;
            c.row[place] = (signed char)label;
            c.col[place] = (signed char)(z < 2. ? next : label);
            color = next;
        }
        c.fermion[o->antiquark[open_end(o->lines, connection, i)]] = (signed char)color;
    }
    return c;
}

enum { OPEN_MOST_COLOR_RANDOMS = BG_MAX_LETTERS + OPEN_MOST_LINES + 1 };
BG_FN open_colors open_draw_colors(const open_process *o, uint32_t skeleton, uint64_t seed, uint64_t group,
                                   uint32_t draw)
{
    double u[OPEN_MOST_COLOR_RANDOMS];
    for (int k = 0; k < open_color_pairs(o); k++) open_color_pair(skeleton, seed, group, draw, k, u + 2 * k);
    return open_colors_from(o, skeleton, u);
}

/* What paths of colored gluons there are, for each quark and set of places: the gluons that may come last, bit by bit, and the color at
 * the end in the bits above. The empty path has a bit that no gluon has. */
enum { OPEN_COLOR_SHIFT = 16 };
#define OPEN_EMPTY (1u << 15)

BG_FN int open_reached(uint32_t reach) { return (reach & 0xffffu) != 0; }
BG_FN int open_color_of(uint32_t reach) { return (int)(reach >> OPEN_COLOR_SHIFT); }

BG_FN size_t open_reach_words(const open_process *o) { return (size_t)o->lines << o->gluons; }

/* One set of one quark, from the smaller ones. */
BG_FN uint32_t open_reach(const open_colors *c, const uint32_t *reach, uint32_t set)
{
    uint32_t last = 0, color = 0;
    for (uint32_t left = set; left; left &= left - 1) {
        const int l = bg_lowest(left);
        const uint32_t before = reach[set ^ 1u << l];
        if (!open_reached(before) || (c->row[l] != c->col[l] && c->row[l] != open_color_of(before))) continue;
        last |= 1u << l;
        color = c->row[l] == c->col[l] ? (uint32_t)open_color_of(before) : (uint32_t)c->col[l];
    }
    return last | color << OPEN_COLOR_SHIFT;
}

BG_FN void open_reach_table(const open_process *o, const open_colors *c, uint32_t *reach)
{
    const uint32_t sets = 1u << o->gluons;
    for (int i = 0; i < o->lines; i++, reach += sets) {
        reach[0] = OPEN_EMPTY | (uint32_t)c->fermion[o->quark[i]] << OPEN_COLOR_SHIFT;
        for (uint32_t set = 1; set < sets; set++) reach[set] = open_reach(c, reach, set);
    }
}

/* ---- paths -------------------------------------------------------------------------------------------------------------- */

/* Numbers of an event are so far apart: 1 on the CPU, the events that a block of threads works on at a time on a GPU. */
#ifndef OPEN_STRIDE
#define OPEN_STRIDE 1
#endif

/* Where antennas are: one over products of momenta, in units of that of the beams, of two gluons, of the quark that string i starts with
 * and a gluon, of a gluon and the antiquark that it stops at; and the products themselves of a quark and an antiquark. */
BG_FN uint32_t open_step_at(const open_process *o, int k, int j) { return (uint32_t)(k * o->gluons + j) * OPEN_STRIDE; }
BG_FN uint32_t open_start_at(const open_process *o, int i, int k)
{
    return (uint32_t)((o->gluons + i) * o->gluons + k) * OPEN_STRIDE;
}
BG_FN uint32_t open_stop_at(const open_process *o, int j, int k) { return open_start_at(o, o->lines + j, k); }
BG_FN uint32_t open_ends_at(const open_process *o, int i, int j)
{
    return open_start_at(o, 2 * o->lines, i * o->lines + j);
}
BG_FN size_t open_antenna_reals(const open_process *o)
{
    const size_t gluons = (size_t)o->gluons, lines = (size_t)o->lines;
    return (gluons + 2 * lines) * gluons + lines * lines;
}
enum {
    OPEN_MOST_ANTENNAS = (BG_MAX_LETTERS + 2 * OPEN_MOST_LINES) * BG_MAX_LETTERS + OPEN_MOST_LINES * OPEN_MOST_LINES
};

/* Numbers of all H, of all F, and of products of two F, which only three lines need. */
BG_FN size_t open_path_reals(const open_process *o) { return ((size_t)o->lines << o->gluons) * (size_t)o->gluons; }
BG_FN size_t open_sum_reals(const open_process *o) { return (size_t)(o->lines * o->lines) << o->gluons; }
BG_FN size_t open_pair_reals(const open_process *o) { return o->lines > 2 ? (size_t)6 << o->gluons : 0; }
BG_FN size_t open_flow_reals(const open_process *o)
{
    return open_path_reals(o) + open_sum_reals(o) + open_pair_reals(o);
}

/* Where they are. */
typedef struct open_sums {
    real *H, *F, *pair;
} open_sums;

BG_FN open_sums open_sums_in(const open_process *o, real *work)
{
    const open_sums s = {work, work + open_path_reals(o) * OPEN_STRIDE,
                         work + (open_path_reals(o) + open_sum_reals(o)) * OPEN_STRIDE};
    return s;
}

BG_FN uint32_t open_H_at(const open_process *o, int i, uint32_t set, int l)
{
    const uint32_t n = (uint32_t)o->gluons;
    return ((((uint32_t)i << n) + set) * n + (uint32_t)l) * OPEN_STRIDE;
}
BG_FN uint32_t open_F_at(const open_process *o, int i, int j, uint32_t set)
{
    return (((uint32_t)(i * o->lines + j) << o->gluons) + set) * OPEN_STRIDE;
}
BG_FN uint32_t open_pair_at(const open_process *o, int connection, uint32_t set)
{
    return (((uint32_t)connection << o->gluons) + set) * OPEN_STRIDE;
}

/* Gluons that may come last in a set, and whether its path may end in antiquark j. Without colors (reach NULL) all may. */
BG_FN uint32_t open_last(const uint32_t *reach, uint32_t set) { return reach ? reach[set] & set : set; }
BG_FN int open_ends(const open_process *o, const open_colors *c, const uint32_t *reach, int j, uint32_t set)
{
    return !reach || (open_reached(reach[set]) && open_color_of(reach[set]) == c->fermion[o->antiquark[j]]);
}

/* The weight of gluon l behind a path. */
BG_FN double open_step_weight(const open_colors *c, uint32_t before, int l)
{
    return c->row[l] != c->col[l] ? 1. : c->row[l] == open_color_of(before) ? OPEN_SAME : OPEN_OTHER;
}

/* H and F of the paths from quark i over a set, where those over smaller sets are there. What is not allowed stays unset, but for F, which
 * is 0. */
BG_FN void open_paths_of(const open_process *o, int i, uint32_t set, const real *a, const open_colors *c,
                         const uint32_t *reach, const open_sums *s)
{
    const int n = o->gluons, lines = o->lines;
    const uint32_t sets = 1u << n, row = (uint32_t)n * OPEN_STRIDE;
    real *const H = s->H + open_H_at(o, i, 0, 0), *const F = s->F + open_F_at(o, i, 0, 0);
    real total[OPEN_MOST_LINES];
    BG_LAID_OUT
    for (int j = 0; j < OPEN_MOST_LINES; j++) total[j] = bg_real(0.);
    for (uint32_t left = open_last(reach, set); left; left &= left - 1) {
        const int l = bg_lowest(left);
        const uint32_t rest = set ^ 1u << l;
        const real *const before = H + rest * row, *const step = a + open_step_at(o, l, 0);
        real sum = rest ? bg_real(0.) : a[open_start_at(o, i, l)];
        BG_LOOP
        for (uint32_t from = rest ? open_last(reach, rest) : 0u; from; from &= from - 1) {
            const uint32_t k = (uint32_t)bg_lowest(from) * OPEN_STRIDE;
            sum = sum + before[k] * step[k];
        }
        if (reach) sum = bg_real(open_step_weight(c, reach[rest], l)) * sum;
        H[set * row + (uint32_t)l * OPEN_STRIDE] = sum;
        BG_LAID_OUT
        for (int j = 0; j < OPEN_MOST_LINES; j++)
            if (j < lines) total[j] = total[j] + sum * a[open_stop_at(o, j, l)];
    }
    BG_LAID_OUT
    for (int j = 0; j < OPEN_MOST_LINES; j++) {
        if (j >= lines) continue;
        real value = set ? total[j] * a[open_ends_at(o, i, j)] : bg_real(1.);
        if (!open_ends(o, c, reach, j, set)) value = bg_real(0.);
        F[((uint32_t)j * sets + set) * OPEN_STRIDE] = value;
    }
}

/* The product of the first two strings of a connection of three lines: the sum over ways to share a set between them. */
BG_FN void open_pair_of(const open_process *o, int connection, uint32_t set, const open_sums *s)
{
    const int j = open_end(3, connection, 0), k = open_end(3, connection, 1);
    real sum = bg_real(0.);
    for (uint32_t first = set;; first = (first - 1) & set) {
        sum = sum + s->F[open_F_at(o, 0, j, first)] * s->F[open_F_at(o, 1, k, set ^ first)];
        if (!first) break;
    }
    s->pair[open_pair_at(o, connection, set)] = sum;
}

/* What stands before the last string of a connection, where the strings before it hold `set`. */
BG_FN const real *open_before(const open_process *o, const open_sums *s, int connection, uint32_t set)
{
    return o->lines == 2 ? &s->F[open_F_at(o, 0, open_end(2, connection, 0), set)]
                         : &s->pair[open_pair_at(o, connection, set)];
}
BG_FN const real *open_final(const open_process *o, const open_sums *s, int connection, uint32_t set)
{
    const int i = o->lines - 1;
    return &s->F[open_F_at(o, i, open_end(o->lines, connection, i), set)];
}

/* The sum over all flows: Z, or with colors those that have them. */
BG_FN real open_flows(const open_process *o, const real *a, const open_colors *c, const uint32_t *reach,
                      const open_sums *s)
{
    const uint32_t all = (1u << o->gluons) - 1u;
    for (int i = 0; i < o->lines; i++)
        for (uint32_t set = 0; set <= all; set++)
            open_paths_of(o, i, set, a, c, reach ? reach + ((size_t)i << o->gluons) : reach, s);
    if (o->lines == 1) return s->F[open_F_at(o, 0, 0, all)];
    for (int connection = 0; connection < open_connections(o->lines) && o->lines > 2; connection++)
        for (uint32_t set = 0; set <= all; set++) open_pair_of(o, connection, set, s);
    real total = bg_real(0.);
    for (int connection = 0; connection < open_connections(o->lines); connection++) {
        real sum = bg_real(0.);
        for (uint32_t set = 0; set <= all; set++)
            sum = sum + *open_before(o, s, connection, set) * *open_final(o, s, connection, all ^ set);
        total = total + bg_real(o->weight[connection]) * sum;
    }
    return total;
}

/* ---- draws ---------------------------------------------------------------------------------------------------------------- */

/* A flow of one event: its skeleton, and the gluon at each place. */
typedef struct open_flow {
    uint32_t skeleton;
    uint8_t gluon[BG_MAX_LETTERS];
} open_flow;

/* The path of quark i to antiquark j over the gluons of a set, last one first. Random numbers are OPEN_STRIDE apart as well. */
BG_FN void open_draw_path(const open_process *o, int i, int j, uint32_t set, const real *a, const open_sums *s,
                          int lane, const double *u, uint8_t *path)
{
    int next = -1; /* the antiquark */
    BG_LOOP
    for (int place = bg_members(set) - 1; place >= 0; place--) {
        element share[BG_MAX_LETTERS], total = 0.;
        if (!place) { /* the only one left */
            path[0] = (uint8_t)bg_lowest(set);
            return;
        }
        BG_LOOP
        for (uint32_t left = set; left; left &= left - 1) {
            const int l = bg_lowest(left);
            share[l] = bg_lane(s->H[open_H_at(o, i, set, l)], lane) *
                       bg_lane(a[next < 0 ? open_stop_at(o, j, l) : open_step_at(o, l, next)], lane);
            total += share[l];
        }
        element target = total * (element)u[place * OPEN_STRIDE];
        int chosen = 0;
        BG_LOOP
        for (uint32_t left = set; left; left &= left - 1) {
            chosen = bg_lowest(left);
            target -= share[chosen];
            if (target < 0.) break;
        }
        path[place] = (uint8_t)chosen;
        set ^= 1u << chosen;
        next = chosen;
    }
}

/* Which gluons are on which string. Returns the connection. */
BG_FN int open_draw_sets(const open_process *o, const open_sums *s, int lane, element Z, const double *u, uint32_t *on)
{
    const uint32_t all = (1u << o->gluons) - 1u;
    const int last = o->lines - 1;
    int connection = 0;
    on[0] = all;
    if (o->lines == 1) return 0;
    element target = Z * (element)u[0];
    uint32_t before = 0;
    for (int k = 0; k < open_connections(o->lines); k++) {
        for (uint32_t set = 0; set <= all; set++) {
            const element share = (element)o->weight[k] * bg_lane(*open_before(o, s, k, set), lane) *
                                  bg_lane(*open_final(o, s, k, all ^ set), lane);
            if (!(share > 0.)) continue;
            connection = k;
            before = set;
            target -= share;
            if (target < 0.) break;
        }
        if (target < 0.) break;
    }
    on[last] = all ^ before;
    on[0] = before;
    if (o->lines == 2) return connection;
    const int j = open_end(3, connection, 0), k = open_end(3, connection, 1);
    target = bg_lane(s->pair[open_pair_at(o, connection, before)], lane) * (element)u[OPEN_STRIDE];
    for (uint32_t first = before;; first = (first - 1) & before) {
        on[0] = first;
        target -=
            bg_lane(s->F[open_F_at(o, 0, j, first)], lane) * bg_lane(s->F[open_F_at(o, 1, k, before ^ first)], lane);
        if (target < 0. || !first) break;
    }
    on[1] = before ^ on[0];
    return connection;
}

/* Random numbers of a flow: two for the sets, one for each place. */
BG_FN int open_flow_randoms(const open_process *o) { return o->gluons + 2; }

/* The flow of one lane's event. */
BG_FN void open_draw_flow(const open_process *o, const open_sums *s, const real *a, int lane, element Z,
                          const double *u, open_flow *flow)
{
    uint32_t on[OPEN_MOST_LINES];
    int length[OPEN_MOST_LINES], place = 0;
    const int connection = open_draw_sets(o, s, lane, Z, u, on);
    BG_LOOP
    for (int i = 0; i < o->lines; i++) {
        length[i] = bg_members(on[i]);
        open_draw_path(o, i, open_end(o->lines, connection, i), on[i], a, s, lane, u + (2 + place) * OPEN_STRIDE,
                       flow->gluon + place);
        place += length[i];
    }
    flow->skeleton = open_skeleton(o->lines, connection, length);
}

/* Flows of the lanes' events. Returns Z. */
BG_FN real open_draw_flows(const open_process *o, const real *a, uint64_t seed, const uint64_t *event, uint32_t draw,
                           real *work, open_flow *flow)
{
    const open_sums s = open_sums_in(o, work);
    const real Z = open_flows(o, a, NULL, NULL, &s);
    for (int l = 0; l < BG_LANES; l++) {
        const bg_random r = bg_random_at(seed, event[l], draw, BG_STREAM_ORDERING);
        double u[BG_MAX_LETTERS + 2];
        bg_random_fill(&r, open_flow_randoms(o), u);
        open_draw_flow(o, &s, a, l, bg_lane(Z, l), u, &flow[l]);
    }
    return Z;
}

/* The antennas of the gluons at their places. */
BG_FN void open_antenna_at_places(const open_process *o, const real *from, const open_flow *flow, real *to)
{
    const int n = o->gluons;
    for (int i = 0; i < o->lines; i++)
        for (int j = 0; j < o->lines; j++) to[open_ends_at(o, i, j)] = from[open_ends_at(o, i, j)];
    for (int l = 0; l < BG_LANES; l++)
        for (int k = 0; k < n; k++) {
            const int g = flow[l].gluon[k];
            for (int i = 0; i < 2 * o->lines; i++) /* where strings start, and where they stop */
                bg_set_lane(&to[open_start_at(o, i, k)], l, bg_lane(from[open_start_at(o, i, g)], l));
            for (int j = 0; j < k; j++) {
                const element step = bg_lane(from[open_step_at(o, g, flow[l].gluon[j])], l);
                bg_set_lane(&to[open_step_at(o, k, j)], l, step);
                bg_set_lane(&to[open_step_at(o, j, k)], l, step);
            }
        }
}

/* One over the probability of the colors, given Z, from the sum over flows that have them. */
BG_FN real open_weight(const open_process *o, real Z, real flows)
{
    double states = 1.;
    for (int i = 0; i < o->lines; i++) states *= 3.;
    for (int k = 0; k < o->gluons; k++) states *= OPEN_MOVES;
    return bg_real(states) * Z / flows;
}

#endif
