/* Discrete colors that a group of events shares, and the recursion that is left of the dressed one for them.
 *
 * In the color-flow basis a gluon's color matrix has a single 1, at (row, column). The current of a set of gluons then
 * has few entries: its charge, rows less columns color by color, leaves room for one entry (r, c) off the
 * diagonal, or for the diagonal, or for none. A split {A, B} of a dressed current contributes the commutator of the two
 * matrices with the antisymmetric vertex V, and of that a single vertex remains:
 *
 *     (a,b) with (b,c)        V(A, B)              at (a,c)
 *     (a,b) with (b,a)        V(A, B)              at (a,a), and minus it at (b,b)
 *     diagonal with (a,b)     V(A_aa - A_bb, B)    at (a,b)
 *     diagonal with diagonal  nothing
 *
 * So a diagonal current is kept as its differences D_a = J_aa - J_bb, b = a + 1 (mod 3), and signs are a matter of which
 * half of the split comes first. The list of what is left, the schedule, depends on the colors alone: it is made once
 * for a group of events, and all lanes work through it together, each with its own momenta.
 *
 * Places are the positions of gluons in this recursion: place 0 is the first incoming gluon, places 1 .. N follow it in
 * the ordering that the colors were drawn along, place N + 1 is the second incoming gluon, which closes the amplitude.
 * Which outgoing gluon stands at which place is drawn event by event (antenna.h).
 */
#ifndef BG_COLOR_COHERENT_H
#define BG_COLOR_COHERENT_H

#include "color/antenna.h"
#include "random/philox.h"


typedef struct coherent_colors {
    int between; /* outgoing gluons between the two incoming ones in the ordering */
    signed char row[BG_MAX_LEGS], col[BG_MAX_LEGS]; /* [place] */
    double weight; /* one over the probability of these colors, given the ordering */
} coherent_colors;

/* Probability that b of N outgoing gluons stand between the incoming ones: as if each chose its side. */
BG_FN double coherent_between(int N, int b)
{
    double p = 1.;
    for (int k = 0; k < N; k++) p *= 0.5;
    for (int k = 0; k < b; k++) p *= (double)(N - k) / (k + 1);
    return p;
}

/* Colors along an ordering are a closed line; a gluon whose color stays the same is one on the diagonal. Of such a gluon
 * the trace decouples, which leaves 2/3 of its square, so it is drawn that much less often than others. */
#define BG_COHERENT_STAYS (2. / 3.)

/* Sum over lines of k gluons from a color to itself, or to another one: powers of the matrix of single steps, whose
 * eigenvalues are BG_COHERENT_STAYS + 2 and, twice, BG_COHERENT_STAYS - 1. */
BG_FN double coherent_lines(int k, int back)
{
    double large = 1., small = 1.;
    for (int i = 0; i < k; i++) {
        large *= BG_COHERENT_STAYS + 2.;
        small *= BG_COHERENT_STAYS - 1.;
    }
    return (back ? large + 2. * small : large - small) / 3.;
}

/* Colors of a group. */
BG_FN coherent_colors coherent_draw(int n, uint64_t seed, uint64_t group, uint32_t draw)
{
    const bg_random r = bg_random_at(seed, group, draw, BG_STREAM_COLOR);
    const int N = n - 2;
    coherent_colors c;
    double u[2], below = 0.;
    bg_random_pair(&r, 0, u);
    c.between = 0;
    for (int b = 0; b <= N; b++) {
        below += coherent_between(N, b);
        c.between = b;
        if (u[0] < below) break;
    }
    const int first = (int)(3. * u[1]);
    int color = first;
    c.weight = 3. * coherent_lines(n, 1);
    for (int k = 0; k < n; k++) { /* positions in the ordering */
        const int place = k <= c.between ? k : k == c.between + 1 ? n - 1 : k - 1;
        int next = first;
        if (k % 2 == 0) bg_random_pair(&r, 1u + (uint32_t)(k / 2), u);
        if (k < n - 1) {
            /* as many lines as lead home from there */
            double total = 0., lines[3];
            for (int d = 0; d < 3; d++) {
                lines[d] = (d == color ? BG_COHERENT_STAYS : 1.) * coherent_lines(n - 1 - k, d == first);
                total += lines[d];
            }
            double target = u[k % 2] * total;
            for (next = 0; next < 2 && target >= lines[next]; next++) target -= lines[next];
        }
        if (next == color) c.weight /= BG_COHERENT_STAYS;
        c.row[place] = (signed char)color;
        c.col[place] = (signed char)next;
        color = next;
    }
    return c;
}

/* Which paths have matching colors: on the way there, and (back) from the closing gluon to gluon 0. */
BG_FN void coherent_rules(int n, const coherent_colors *c, int back, antenna_rules *r)
{
    const int from = back ? n - 1 : 0, to = back ? 0 : n - 1;
    r->start = r->stop = 0;
    r->direct = c->col[from] == c->row[to];
    for (int l = 0; l < n - 2; l++) {
        r->before[l] = 0;
        for (int k = 0; k < n - 2; k++)
            if (c->col[k + 1] == c->row[l + 1]) r->before[l] |= 1u << k;
        if (c->col[from] == c->row[l + 1]) r->start |= 1u << l;
        if (c->col[l + 1] == c->row[to]) r->stop |= 1u << l;
    }
}

/* ---- the schedule --------------------------------------------------------------------------------------------- */

/* What a set of the first n - 1 places has: nothing, an entry (r, c) as 1 + 3 r + c (a single gluon if on the diagonal),
 * or the three differences of a diagonal. */
enum { COHERENT_NOTHING = 0, COHERENT_DIAGONAL = 10, COHERENT_KINDS = 11 };

/* A current to compute: `splits` of each difference in turn (off the diagonal: of the one entry), which follow
 * one another in the list. */
typedef struct coherent_current {
    uint32_t first; /* split */
    uint32_t splits[3];
    uint16_t set, slot;
    uint32_t diagonal;
} coherent_current;

/* A split is two slots, that of the first half in the low 16 bits. A slot holds one entry or one difference. */
typedef struct coherent_schedule {
    uint8_t *rule;   /* [kind][kind]: see coherent_rule() */
    uint32_t *entry; /* [set]: kind, and in the high 16 bits the slot of its entry or of the first of its differences */
    coherent_current *current;
    uint32_t *split;
    uint32_t currents, splits, slots;
    uint32_t closing, closing_splits; /* first split that closes the amplitude, and how many */
} coherent_schedule;

/* Most of each that any colors lead to; by charge, most sets have nothing or a single entry (tests/unit/test_coherent.c looks
 * for exceptions). */
BG_FN size_t coherent_most_sets(int n) { return (size_t)1 << (n - 1); }
BG_FN size_t coherent_most_slots(int n) { return ((size_t)3 << (n - 1)) / 2; }

/* Unordered splits of all sets: (3^m - 2^(m+1) + 1) / 2. */
BG_FN size_t coherent_most_splits(int n)
{
    size_t threes = 1;
    for (int k = 0; k < n - 1; k++) threes *= 3;
    return (threes - ((size_t)2 << (n - 1)) + 1) / 2;
}

BG_FN size_t coherent_schedule_bytes(int n)
{
    const size_t sets = coherent_most_sets(n);
    return sets * (sizeof(coherent_current) + sizeof(uint32_t)) + (coherent_most_splits(n) + 1) * sizeof(uint32_t) +
           COHERENT_KINDS * COHERENT_KINDS;
}

/* The vertex that a split {A, B} of two kinds leaves: 1, plus 2 times the difference it belongs to (0 off the diagonal),
 * 8 if B comes first, 16 and 64 times the difference that is taken of A and of B; or 0 where none is left. */
BG_FN int coherent_rule(int a, int b)
{
    const int a_diagonal = a == COHERENT_DIAGONAL || (a - 1) % 4 == 0;
    const int b_diagonal = b == COHERENT_DIAGONAL || (b - 1) % 4 == 0;
    if (!a || !b || (a_diagonal && b_diagonal)) return 0;
    if (a_diagonal || b_diagonal) {
        const int off = a_diagonal ? b : a, diagonal = a_diagonal ? a : b;
        const int row = (off - 1) / 3, col = (off - 1) % 3;
        int swap = col != (row + 1) % 3; /* then J_aa - J_bb is minus the difference that is kept */
        const int kept = swap ? col : row;
        if (diagonal != COHERENT_DIAGONAL) { /* one gluon, at (g, g): D_g is its current, D_{g-1} minus that */
            const int g = (diagonal - 1) / 4;
            if (kept == (g + 1) % 3) return 0;
            swap ^= kept != g;
        }
        const int taken = diagonal == COHERENT_DIAGONAL ? kept : 0;
        return 1 | (a_diagonal ? swap : !swap) << 3 | taken << (a_diagonal ? 4 : 6); /* the diagonal one first, or swapped */
    }
    const int ar = (a - 1) / 3, ac = (a - 1) % 3, br = (b - 1) / 3, bc = (b - 1) % 3;
    if (ac == br && ar == bc) {
        const int swap = ac != (ar + 1) % 3;
        return 1 | (swap ? ac : ar) << 1 | swap << 3;
    }
    return ac == br ? 1 : bc == ar ? 1 | 1 << 3 : 0;
}

/* Cuts memory (aligned to 8 bytes) up. */
BG_FN void coherent_schedule_place(int n, void *memory, coherent_schedule *s)
{
    const size_t sets = coherent_most_sets(n);
    s->current = (coherent_current *)memory;
    s->split = (uint32_t *)(s->current + sets);
    s->entry = s->split + coherent_most_splits(n) + 1;
    s->rule = (uint8_t *)(s->entry + sets);
}

BG_FN void coherent_rule_table(uint8_t *rule)
{
    for (int k = 0; k < COHERENT_KINDS * COHERENT_KINDS; k++)
        rule[k] = (uint8_t)coherent_rule(k / COHERENT_KINDS, k % COHERENT_KINDS);
}

/* What the charges of a set leave room for. */
BG_FN int coherent_room(const coherent_colors *c, uint32_t set)
{
    int charge[3] = {0, 0, 0};
    for (uint32_t left = set; left; left &= left - 1) {
        const int k = bg_lowest(left);
        charge[c->row[k]]++;
        charge[c->col[k]]--;
    }
    int row = -1, col = -1;
    for (int k = 0; k < 3; k++) {
        if (charge[k] < -1 || charge[k] > 1) return COHERENT_NOTHING;
        if (charge[k] == 1) row = k;
        if (charge[k] == -1) col = k;
    }
    return row < 0 ? COHERENT_DIAGONAL : 1 + 3 * row + col;
}

/* The split of a set into B and the rest: whether it is left and belongs to the difference, and its slots in order. */
BG_FN int coherent_split(const coherent_schedule *s, uint32_t set, uint32_t B, int difference, uint32_t *split)
{
    const uint32_t a = s->entry[set ^ B], b = s->entry[B];
    const uint32_t rule = s->rule[(a & 15u) * COHERENT_KINDS + (b & 15u)];
    const uint32_t first = (a >> 16) + (rule >> 4 & 3u), second = (b >> 16) + (rule >> 6);
    *split = rule & 8u ? second | first << 16 : first | second << 16;
    return (rule & 7u) == (1u | (uint32_t)difference << 1);
}

/* All splits of a set, those of one difference, to `to` (with room for one more), or only counted where that is NULL.
 * Whether a split is left is as good as random: nothing branches on it. */
BG_FN uint32_t coherent_splits(const coherent_schedule *s, uint32_t set, int difference, uint32_t *to)
{
    const uint32_t rest = set & (set - 1);
    uint32_t count = 0, split;
    for (uint32_t B = rest; B; B = (B - 1) & rest) { /* the half without the lowest gluon */
        const int left = coherent_split(s, set, B, difference, &split);
        if (to) to[count] = split;
        count += (uint32_t)left;
    }
    return count;
}

BG_FN uint32_t coherent_entry(int kind, uint32_t slot) { return (uint32_t)kind | slot << 16; }

/* The single gluons; slot k is that of place k. */
BG_FN void coherent_externals(int n, const coherent_colors *c, const coherent_schedule *s)
{
    for (int k = 0; k < n - 1; k++) s->entry[1u << k] = coherent_entry(1 + 3 * c->row[k] + c->col[k], (uint32_t)k);
}

/* Splits that close the amplitude: of the whole set, for the entry that the trace with the closing gluon picks. A diagonal
 * one, J_gg, is the sum of the splits of D_g less those of D_{g-1}. Returns how many; writes them to `to`. */
BG_FN uint32_t coherent_close(int n, const coherent_colors *c, const coherent_schedule *s, uint32_t *to)
{
    const uint32_t all = (1u << (n - 1)) - 1u;
    const int g = c->col[n - 1];
    if (g != c->row[n - 1]) return coherent_splits(s, all, 0, to);
    const uint32_t plus = coherent_splits(s, all, g, to), minus = coherent_splits(s, all, (g + 2) % 3, to + plus);
    for (uint32_t k = plus; k < plus + minus; k++) to[k] = to[k] >> 16 | to[k] << 16;
    return plus + minus;
}

/* The whole schedule, one set after the other. */
BG_FN void coherent_build(int n, const coherent_colors *c, coherent_schedule *s)
{
    const uint32_t all = (1u << (n - 1)) - 1u;
    s->currents = s->splits = 0;
    s->slots = (uint32_t)(n - 1);
    coherent_externals(n, c, s);
    for (uint32_t set = 3; set < all; set++) {
        if (!(set & (set - 1))) continue;
        coherent_current *x = &s->current[s->currents];
        const int room = coherent_room(c, set);
        s->entry[set] = COHERENT_NOTHING;
        if (!room) continue;
        x->first = s->splits;
        x->set = (uint16_t)set;
        x->slot = (uint16_t)s->slots;
        x->diagonal = room == COHERENT_DIAGONAL;
        for (int d = 0; d < 3; d++) {
            x->splits[d] = d == 0 || x->diagonal ? coherent_splits(s, set, d, s->split + s->splits) : 0;
            s->splits += x->splits[d];
        }
        if (s->splits == x->first) continue;
        s->entry[set] = coherent_entry(room, s->slots);
        s->currents++;
        s->slots += x->diagonal ? 3 : 1;
    }
    s->closing = s->splits;
    s->closing_splits = coherent_close(n, c, s, s->split + s->splits);
}

#endif
