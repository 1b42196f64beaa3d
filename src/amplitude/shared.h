/* All N! amplitudes A(0, s, n-1) of the adjoint basis at once, from currents that they share.
 *
 * Two kinds of currents in light-cone gauge (lightcone.h) are enough:
 *   K(s1 .. sm)     an ordered subset of the outgoing gluons ("letters" 0 .. N-1), m < N,
 *   L(0, s1 .. sk)  gluon 0 and an ordered prefix, k < N,
 *   A(0, s, n-1) = e_{n-1} . sum_k n( L(0, s1 .. sk), K(s_{k+1} .. sN) ) .
 * K of the reversed word is (-1)^(m+1) K: half of them are computed and written twice. The L are visited
 * depth first, so only those of one path exist at a time.
 *
 * Helicities are shared as well: a current is kept for each assignment of states to its own gluons (2^m
 * real states where helicities are summed, `states` = 2), bit i of the index for the gluon at place i. A split
 * is then an outer product. The two states of the first and of the last gluon make a 2x2 tile of sums
 * that stays in registers while the splits go by: the first gluon is in every left half, the last one
 * in every right half. `states` = 1 is one configuration, real or complex (`parts`).
 *
 * Words of m letters are numbered in lexicographic order, which takes no table: a letter appended to
 * a word is a digit appended to its number.
 */
#ifndef BG_AMPLITUDE_SHARED_H
#define BG_AMPLITUDE_SHARED_H

#include "amplitude/lightcone.h"
#include "amplitude/vertex.h"
#include "base/limits.h"
#include "color/permutation.h"

/* A set of letters has its numbers at the index that is its bit mask. */
typedef struct shared_sets {
    real minus, inverse_minus; /* p- and its inverse */
    real p1, p2;
    real propagator;     /* of K */
    real end_propagator; /* of L: with gluon 0 */
} shared_sets;

/* External gluons of one register: transverse polarizations [(gluon * states + state) * parts + part]. */
typedef struct shared_polarization {
    real a1, a2;
} shared_polarization;

/* A word and the ranks of its parts, depth by depth, to step back. */
typedef struct shared_word {
    int length;
    int letter[BG_MAX_WORD_LETTERS];
    uint32_t rank[BG_MAX_WORD_LETTERS + 1][BG_MAX_WORD_LETTERS]; /* [length][start]: of letters start .. */
    uint32_t set[BG_MAX_WORD_LETTERS + 1][BG_MAX_WORD_LETTERS];  /* [length][start]: their bit mask */
} shared_word;

/* Currents kept for m letters. */
BG_FN size_t shared_kept(const int states, const int parts, int m)
{
    return states == 2 ? (size_t)1 << m : (size_t)parts;
}

/* Where things are, in currents. */
typedef struct shared_layout {
    size_t kept[BG_MAX_WORD_LETTERS + 1]; /* K kept for a word of m letters */
    size_t base[BG_MAX_WORD_LETTERS + 1]; /* K of words of m letters start here; m = N: how many there are */
    size_t path[BG_MAX_WORD_LETTERS + 1]; /* L(0, s1 .. sk) on the path; k = N: how many there are */
} shared_layout;

BG_FN void shared_lay_out(const int N, const int states, const int parts, shared_layout *o)
{
    size_t words = 1;
    o->kept[0] = o->base[0] = o->base[1] = o->path[0] = 0;
    for (int m = 1; m <= N; m++) {
        o->kept[m] = shared_kept(states, parts, m);
        o->path[m] = states == 2 ? ((size_t)1 << (m + 1)) - 2 : (size_t)(m * parts);
        words *= (size_t)(N - m + 1);
        if (m < N) o->base[m + 1] = o->base[m] + words * o->kept[m];
    }
}

BG_FN void word_start(shared_word *w) { w->length = 0; }

/* Number of the letters from `start` on of the first `length` letters, among the words of as many letters. */
BG_FN uint32_t word_number(const shared_word *w, int length, int start) { return w->rank[length][start]; }

BG_FN void word_push(const int N, shared_word *w, int letter)
{
    const int d = w->length;
    w->letter[d] = letter;
    for (int j = 0; j < d; j++) {
        w->rank[d + 1][j] = permutation_next_rank(w->rank[d][j], N - d + j, w->set[d][j], letter);
        w->set[d + 1][j] = w->set[d][j] | 1u << letter;
    }
    w->rank[d + 1][d] = (uint32_t)letter;
    w->set[d + 1][d] = 1u << letter;
    w->length = d + 1;
}

/* Steps to the next word, at most `most` letters long, depth first; 0 at the end. */
BG_FN int word_next(const int N, const int most, shared_word *w)
{
    int letter = 0;
    if (w->length == most) letter = w->letter[--w->length] + 1;
    for (;;) {
        const uint32_t used = w->length ? w->set[w->length][0] : 0u;
        while (letter < N && used >> letter & 1u) letter++;
        if (letter < N) {
            word_push(N, w, letter);
            return 1;
        }
        if (!w->length) return 0;
        letter = w->letter[--w->length] + 1;
    }
}

/* Number of the reversed word. */
BG_FN uint32_t word_reversed(const int N, const shared_word *w)
{
    permutation_rank r = permutation_rank_none();
    for (int k = 0; k < w->length; k++) r = permutation_rank_add(r, N - k, w->letter[w->length - 1 - k]);
    return (uint32_t)r.number;
}

/* Rank of the inverse of a full word, the order that the color sum wants. */
BG_FN uint32_t word_inverse_rank(const int N, const shared_word *w)
{
    permutation_rank r = permutation_rank_none();
    int place[BG_MAX_WORD_LETTERS];
    for (int k = 0; k < N; k++) place[w->letter[k]] = k;
    for (int k = 0; k < N; k++) r = permutation_rank_add(r, N - k, place[k]);
    return (uint32_t)r.number;
}

BG_FN unsigned reverse_bits(unsigned h, int bits)
{
    unsigned r = 0;
    for (int k = 0; k < bits; k++) r |= (h >> k & 1u) << (bits - 1 - k);
    return r;
}

/* The outgoing gluons in the light-cone frame. */
typedef struct shared_gluons {
    real p1[BG_MAX_LETTERS], p2[BG_MAX_LETTERS];
    real minus[BG_MAX_LETTERS], plus[BG_MAX_LETTERS]; /* light-cone components: 2 p+ p- = pT^2 */
    real inverse_minus[BG_MAX_LETTERS];
    real pair[BG_MAX_LETTERS * BG_MAX_LETTERS]; /* products with one another */
} shared_gluons;

/* Each gluon's smaller light-cone component comes from the larger one and the transverse ones, products of
 * momenta from light-cone components: so gluons are exactly massless here, and those that fly along a beam keep
 * their digits. */
BG_FN void shared_gluon_momenta(const int N, const light_frame *f, const vec4 *p, shared_gluons *g)
{
    const real half = bg_real(0.5);
    const vec4 first = p[0], last = f->minus;
    const real inverse = bg_inverse(dot(first, last));
    BG_UNROLL
    for (int k = 0; k < N; k++) {
        const vec4 q = p[k + 1];
        g->p1[k] = -dot(f->e1, q);
        g->p2[k] = -dot(f->e2, q);
        const real product = half * (g->p1[k] * g->p1[k] + g->p2[k] * g->p2[k]);
        const real a = dot(first, q) * inverse, b = dot(last, q);
        const mask along_last = b * first.t < dot(first, q) * last.t;
        const real smaller = product * bg_inverse(bg_select(along_last, a, b));
        g->minus[k] = bg_select(along_last, smaller, b);
        g->plus[k] = bg_select(along_last, a, smaller);
        g->inverse_minus[k] = bg_inverse(g->minus[k]);
        BG_UNROLL
        for (int j = 0; j < k; j++) {
            const real x = g->p1[k] * g->minus[j] - g->p1[j] * g->minus[k];
            const real y = g->p2[k] * g->minus[j] - g->p2[j] * g->minus[k];
            g->pair[k * N + j] = half * (x * x + y * y) * (g->inverse_minus[k] * g->inverse_minus[j]);
        }
    }
}

/* Transverse components of a polarization vector of gluon k: gluon 0, the N outgoing ones, the closing one. The vector
 * stays where it is: read as a value, it makes compilers round its products in another order. */
BG_FN shared_polarization shared_transverse(const int N, const light_frame *f, const shared_gluons *g, int k,
                                            const vec4 *e)
{
    shared_polarization t;
    if (k == 0 || k == N + 1)
        light_transverse(f, *e, &t.a1, &t.a2);
    else
        light_polarization(f, g->p1[k - 1], g->p2[k - 1], g->inverse_minus[k - 1], *e, &t.a1, &t.a2);
    return t;
}

/* Sums of terms of one sign only, so that no digits are lost: P^2 = 2 sum pi.pj, and with gluon 0, whose p- makes the
 * total that of the letters left out, (p0 + P)^2 = -(2 P+ R- + PT^2). */
BG_FN shared_sets shared_set_momenta(const int N, const shared_gluons *g, uint32_t set)
{
    const real zero = bg_real(0.);
    real p1 = zero, p2 = zero, minus = zero, plus = zero, rest = zero, square = zero;
    BG_UNROLL
    for (int k = 0; k < N; k++) {
        if (!(set >> k & 1u)) {
            rest = rest + g->minus[k];
            continue;
        }
        BG_UNROLL
        for (int j = 0; j < k; j++)
            if (set >> j & 1u) square = square + g->pair[k * N + j];
        p1 = p1 + g->p1[k];
        p2 = p2 + g->p2[k];
        minus = minus + g->minus[k];
        plus = plus + g->plus[k];
    }
    const real end_square = (plus + plus) * rest + p1 * p1 + p2 * p2;
    const shared_sets s = {minus, bg_inverse(minus), p1, p2, bg_inverse(square + square), -bg_inverse(end_square)};
    return s;
}

/* Momenta of the outgoing gluons and of all sets of letters. */
BG_FN void shared_momenta(const int N, const light_frame *f, const vec4 *p, shared_gluons *g, shared_sets *sets)
{
    shared_gluon_momenta(N, f, p, g);
    for (uint32_t set = 1; set < 1u << N; set++) sets[set] = shared_set_momenta(N, g, set);
}

/* Adds a split of one configuration. */
BG_FN void shared_add(const int parts, const light_split *split, light_sum *s)
{
    BG_UNROLL
    for (int a = 0; a < parts; a++) {
        BG_UNROLL
        for (int b = 0; b < parts; b++) {
            const light_current A = (a + b) & 2 ? light_negative(split->left[a]) : split->left[a];
            light_add(&s[phase_part(a + b)], A, split->right[b], split->left_factor, split->right_factor,
                      split->difference);
        }
    }
}

/* States of a split of a word of m letters, of which the left half has l:
 *
 *     letter     first | 2 .. l || l + 1 .. m - 1 | last
 *     state      i     | low    || high           | j           mid = low + (high << (l - 1))
 *
 * `mid` holds the states of the letters between the first and the last, and i and j are those of the tile. */
BG_FN unsigned shared_low(unsigned mid, int l) { return mid & ((1u << (l - 1)) - 1u); }
BG_FN unsigned shared_high(unsigned mid, int l) { return mid >> (l - 1); }

/* Sums over the splits for one tile: s[2 * state of the first gluon + state of the last one]. */
BG_FN void shared_tile(const int end, int gluons, const light_split *split, unsigned mid, light_sum *s)
{
    int l = 1;
    if (end) {
        const light_current *B = split[1].right + mid;
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                s[2 * i + j] =
                    light_first_end(i, B[(unsigned)j << (gluons - 2)], split[1].right_factor, split[1].difference);
        l = 2;
    } else {
        for (int k = 0; k < 4; k++) s[k] = light_zero();
    }
    for (; l < gluons; l++) {
        const light_current *A = split[l].left + (shared_low(mid, l) << 1), *B = split[l].right + shared_high(mid, l);
        light_add_tile(2, 2, A, B, (size_t)1 << (gluons - l - 1), &split[l], s);
    }
}

/* The current in all states of its gluons. */
BG_FN void shared_all_states(const int end, int gluons, const light_split *split, real p1, real p2, real propagator,
                             light_current *out, light_current *mirror)
{
    const int inner = gluons - 2; /* gluons between the first and the last */
    const unsigned top = 1u << (gluons - 1);
    for (unsigned mid = 0; mid < 1u << inner; mid++) {
        const unsigned back = reverse_bits(mid, inner);
        light_sum s[4];
        shared_tile(end, gluons, split, mid, s);
        for (unsigned k = 0; k < 4; k++) {
            const unsigned i = k >> 1, j = k & 1;
            const light_current c = light_propagate(s[k], p1, p2, propagator);
            out[i + (mid << 1) + j * top] = c;
            if (mirror) mirror[j + (back << 1) + i * top] = gluons & 1 ? c : light_negative(c);
        }
    }
}

/* Sums over the splits in one configuration, part by part. Every second split has sums of its own: a chain of
 * multiply-adds waits for each link. */
BG_FN void shared_one_sum(const int parts, const int end, int gluons, const light_split *split,
                          const shared_polarization *first, light_sum *s)
{
    light_sum t[2];
    int l = 1;
    BG_UNROLL
    for (int a = 0; a < parts; a++) s[a] = t[a] = light_zero();
    if (end) {
        BG_UNROLL
        for (int a = 0; a < parts; a++) {
            BG_UNROLL
            for (int b = 0; b < parts; b++) {
                const real sign = phase_sign(a + b);
                light_add_end(&s[phase_part(a + b)], sign * first[a].a1, sign * first[a].a2, split[1].right[b],
                              split[1].right_factor, split[1].difference);
            }
        }
        l = 2;
    }
    BG_UNROLL
    for (; l + 1 < gluons; l += 2) {
        shared_add(parts, &split[l], s);
        shared_add(parts, &split[l + 1], t);
    }
    if (l < gluons) shared_add(parts, &split[l], s);
    BG_UNROLL
    for (int a = 0; a < parts; a++) s[a] = light_total(s[a], t[a]);
}

/* The current with the given splits, for all states of its `gluons`; `mirror` (or NULL) gets that of the
 * reversed word. `end`: the first split has gluon 0 alone on the left, with the polarization `first` where there is one
 * configuration. */
BG_FN void shared_current(const int states, const int parts, const int end, int gluons, const light_split *split,
                          const shared_polarization *first, real p1, real p2, real propagator, light_current *out,
                          light_current *mirror)
{
    if (states == 2) {
        shared_all_states(end, gluons, split, p1, p2, propagator, out, mirror);
        return;
    }
    light_sum s[2];
    shared_one_sum(parts, end, gluons, split, first, s);
    BG_UNROLL
    for (int a = 0; a < parts; a++) {
        out[a] = light_propagate(s[a], p1, p2, propagator);
        if (mirror) mirror[a] = gluons & 1 ? out[a] : light_negative(out[a]);
    }
}

/* Factors of a split of P- = total into left and total - left, given the inverses of all three. */
BG_FN void shared_factors(light_split *s, real total, real inverse, real left, real inverse_left, real inverse_right)
{
    const real one = bg_real(1.), twice = total + total;
    s->left_factor = twice * inverse_left - one;
    s->right_factor = twice * inverse_right - one;
    s->difference = (total - (left + left)) * inverse;
}

/* K of every word of up to `longest` letters. */
BG_FN void shared_words_up_to(const int N, const int longest, const int states, const int parts, const shared_layout *o,
                              const shared_sets *sets, const shared_polarization *polarization, light_current *K)
{
    const int per = states * parts;
    for (int k = 0; k < N; k++)
        for (int s = 0; s < per; s++) {
            const shared_polarization *e = &polarization[(k + 1) * per + s];
            K[k * per + s] = light_gluon(sets[1u << k].p1, sets[1u << k].p2, e->a1, e->a2);
        }
    for (int m = 2; m <= longest; m++) {
        const size_t kept = o->kept[m];
        light_current *level = K + o->base[m];
        shared_word w;
        word_start(&w);
        while (word_next(N, m, &w)) {
            if (w.length < m || w.letter[0] > w.letter[m - 1]) continue;
            const shared_sets *whole = &sets[w.set[m][0]];
            light_split split[BG_MAX_WORD_LETTERS];
            for (int l = 1; l < m; l++) {
                const shared_sets *left = &sets[w.set[l][0]], *right = &sets[w.set[m][l]];
                split[l].left = K + o->base[l] + word_number(&w, l, 0) * o->kept[l];
                split[l].right = K + o->base[m - l] + word_number(&w, m, l) * o->kept[m - l];
                shared_factors(&split[l], whole->minus, whole->inverse_minus, left->minus, left->inverse_minus,
                               right->inverse_minus);
            }
            shared_current(states, parts, 0, m, split, NULL, whole->p1, whole->p2, whole->propagator,
                           level + word_number(&w, m, 0) * kept, level + word_reversed(N, &w) * kept);
        }
    }
}

/* ... of up to N - 1 letters. */
BG_FN void shared_words(const int N, const int states, const int parts, const shared_layout *o, const shared_sets *sets,
                        const shared_polarization *polarization, light_current *K)
{
    shared_words_up_to(N, N - 1, states, parts, o, sets, polarization, K);
}

/* L of the word, whose shorter prefixes are on the path already. */
BG_FN void shared_prefix(const int N, const int states, const int parts, const shared_layout *o,
                         const shared_sets *sets, const shared_polarization *polarization, const light_current *K,
                         const shared_word *w, light_current *path)
{
    const uint32_t all = (1u << N) - 1u;
    const int k = w->length;
    const shared_sets *whole = &sets[w->set[k][0]];
    /* p- of gluon 0 with a set is minus that of the letters left out */
    const shared_sets *rest = &sets[all ^ w->set[k][0]];
    light_split split[BG_MAX_WORD_LETTERS + 1];
    int l = 1;
    do { /* l - 1 letters on the left */
        const shared_sets *out = &sets[l == 1 ? all : all ^ w->set[l - 1][0]];
        const shared_sets *right = &sets[w->set[k][l - 1]];
        split[l].left = path + o->path[l - 1];
        split[l].right = K + o->base[k - l + 1] + word_number(w, k, l - 1) * o->kept[k - l + 1];
        shared_factors(&split[l], -rest->minus, -rest->inverse_minus, -out->minus, -out->inverse_minus,
                       right->inverse_minus);
    } while (++l <= k);
    shared_current(states, parts, 1, k + 1, split, polarization, whole->p1, whole->p2, whole->end_propagator,
                   path + o->path[k], NULL);
}

/* The factor of d where all letters split into `left` and the rest. */
BG_FN real shared_difference(const shared_sets *all, const shared_sets *left)
{
    return (all->minus - (left->minus + left->minus)) * all->inverse_minus;
}

/* The splits of a full word that close its amplitude: split[l], l = 2 .. N, of gluon 0 with l - 1 letters and
 * the rest, and whole[l], l = 1 .. N - 1, of the letters into the first l and the rest. */
BG_FN void shared_closing_splits(const int N, const shared_layout *o, const shared_sets *sets, const light_current *K,
                                 const light_current *path, const shared_word *w, light_split *split,
                                 light_split *whole)
{
    const shared_sets *all = &sets[(1u << N) - 1u];
    for (int l = 1; l < N; l++) {
        const light_current *right = K + o->base[N - l] + word_number(w, N, l) * o->kept[N - l];
        const shared_sets *left = &sets[w->set[l][0]];
        split[l + 1].left = path + o->path[l];
        split[l + 1].right = right;
        whole[l].left = K + o->base[l] + word_number(w, l, 0) * o->kept[l];
        whole[l].right = right;
        whole[l].difference = shared_difference(all, left);
    }
}

/* Configurations of the first `letters` letters of a word: where[states of the letters by place] is twice their states by
 * letter. */
BG_FN void shared_configurations(int letters, const int *letter, unsigned *where)
{
    where[0] = 0;
    for (unsigned states = 1; states < 1u << letters; states++)
        where[states] = where[states & (states - 1u)] | 2u << letter[bg_lowest(states)];
}

/* The amplitudes of one full word for all states: n[(2 h + c) * stride], h = state of gluon 0, then of the letters in
 * their own order (not the word's), c = state of the closing gluon, which projects on n1 or n2. The tile is that of
 * shared_tile() with gluon 0 as the first one. */
BG_FN void shared_close_states(const int N, const light_split *split, const light_split *whole, const int *letter,
                               real *n, size_t stride)
{
    unsigned configuration[1 << (BG_MAX_WORD_LETTERS - 3)];
    const unsigned last = 2u << letter[N - 1];
    shared_configurations(N - 1, letter, configuration);
    for (unsigned mid = 0; mid < 1u << (N - 1); mid++) {
        real n1[2][2], n2[2][2], d[2], w[2]; /* [state of the last letter][state of gluon 0] */
        for (int j = 0; j < 2; j++) {
            for (int i = 0; i < 2; i++) n1[j][i] = n2[j][i] = bg_real(0.);
            d[j] = w[j] = bg_real(0.);
        }
        for (int l = 2; l <= N; l++) {
            const light_current *A = split[l].left + (shared_low(mid, l) << 1);
            const light_current *B = split[l].right + shared_high(mid, l);
            for (int j = 0; j < 2; j++)
                for (int i = 0; i < 2; i++) light_close(&n1[j][i], &n2[j][i], A[i], B[(unsigned)j << (N - l)]);
        }
        for (int l = 1; l < N; l++) { /* here all letters of the left half are in `mid` */
            const light_current *A = whole[l].left + shared_low(mid, l + 1);
            const light_current *B = whole[l].right + shared_high(mid, l + 1);
            const real c1 = whole[l].difference * A->a1, c2 = whole[l].difference * A->a2;
            for (int j = 0; j < 2; j++) light_add_d(&d[j], &w[j], A->a1, A->a2, c1, c2, B[(unsigned)j << (N - l - 1)]);
        }
        for (int j = 0; j < 2; j++) {
            real *to = n + (configuration[mid] | (j ? last : 0u)) * 2 * stride, amplitude[4];
            light_close_end(n1[j], n2[j], d[j], w[j], amplitude);
            for (unsigned k = 0; k < 4; k++) to[k * stride] = amplitude[k];
        }
    }
}

/* The amplitude of one full word in one configuration, part by part. */
BG_FN void shared_close_one(const int N, const int parts, const light_split *split, const light_split *whole,
                            const shared_polarization *first, const shared_polarization *last, real *amplitude)
{
    real n1[2], n2[2], m1[2], m2[2], d[2], w[2]; /* two sums of n, as in shared_current() */
    BG_UNROLL
    for (int a = 0; a < parts; a++) n1[a] = n2[a] = m1[a] = m2[a] = d[a] = w[a] = amplitude[a] = bg_real(0.);
    BG_UNROLL
    for (int l = 2; l <= N; l++) {
        BG_UNROLL
        for (int a = 0; a < parts; a++) {
            BG_UNROLL
            for (int b = 0; b < parts; b++) {
                const light_current A = (a + b) & 2 ? light_negative(split[l].left[a]) : split[l].left[a];
                const int to = phase_part(a + b);
                if (l & 1)
                    light_close(&m1[to], &m2[to], A, split[l].right[b]);
                else
                    light_close(&n1[to], &n2[to], A, split[l].right[b]);
            }
        }
    }
    BG_UNROLL
    for (int a = 0; a < parts; a++) {
        n1[a] += m1[a];
        n2[a] += m2[a];
    }
    BG_UNROLL
    for (int l = 1; l < N; l++) {
        BG_UNROLL
        for (int a = 0; a < parts; a++) {
            BG_UNROLL
            for (int b = 0; b < parts; b++) {
                const light_current A = (a + b) & 2 ? light_negative(whole[l].left[a]) : whole[l].left[a];
                const int to = phase_part(a + b);
                light_add_one_d(&d[to], &w[to], A.a1, A.a2, whole[l].right[b], whole[l].difference);
            }
        }
    }
    BG_UNROLL
    for (int a = 0; a < parts; a++) {
        BG_UNROLL
        for (int b = 0; b < parts; b++) {
            const real sign = phase_sign(a + b);
            const int to = phase_part(a + b);
            n1[to] = n1[to] - sign * (first[a].a1 * d[b] + first[a].a2 * w[b]);
            n2[to] = n2[to] + sign * (first[a].a1 * w[b] - first[a].a2 * d[b]);
        }
    }
    BG_UNROLL
    for (int a = 0; a < parts; a++) {
        BG_UNROLL
        for (int b = 0; b < parts; b++)
            amplitude[phase_part(a + b)] += phase_sign(a + b) * (last[a].a1 * n1[b] + last[a].a2 * n2[b]);
    }
}

#endif
