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
    int between;                                    /* outgoing gluons between the two incoming ones in the ordering */
    signed char row[BG_MAX_LEGS], col[BG_MAX_LEGS]; /* [place] */
    double weight;                                  /* one over the probability of these colors, given the ordering */
    int flat;                                       /* the ordering is drawn from flattened antennas */
} coherent_colors;

/* Flattened antennas: probabilities of orderings that are less uneven than the squares of their amplitudes, which interfere. Colors that
 * many orderings share then come more often, and the largest weights are smaller. */
#define BG_COHERENT_POWER 0.8 /* of an antenna */
#define BG_COHERENT_SIDES 4.  /* see coherent_between() */

/* Probability that b of N outgoing gluons stand between the incoming ones: as if each chose its side. Flattened: as if
 * each chose with a probability that is common to all and itself random, a beta distribution around 1/2. */
BG_FN double coherent_between(int N, int b, int flat)
{
    double p = 1.;
    for (int k = 0; k < N; k++)
        p *= flat ? (BG_COHERENT_SIDES + (k < b ? k : k - b)) / (2. * BG_COHERENT_SIDES + k) : 0.5;
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

/* Colors of a group, along an ordering from antennas as they are or flattened. */
BG_FN coherent_colors coherent_draw_from(int n, int flat, uint64_t seed, uint64_t group, uint32_t draw)
{
    const bg_random r = bg_random_at(seed, group, draw, BG_STREAM_COLOR);
    const int N = n - 2;
    coherent_colors c;
    double u[2], below = 0.;
    bg_random_pair(&r, 0, u);
    c.between = 0;
    c.flat = flat;
    for (int b = 0; b <= N; b++) {
        below += coherent_between(N, b, flat);
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

BG_FN coherent_colors coherent_draw(int n, uint64_t seed, uint64_t group, uint32_t draw)
{
    return coherent_draw_from(n, 0, seed, group, draw);
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

/* The schedule is a list of currents, each with its splits. Take n = 4 gluons with the entries (0,1), (1,2), (2,1) at
 * places 0, 1, 2 and (1,0) at the closing place. Sets are bit masks of the places 0 .. n - 2, and slots 0 .. n - 2 are
 * those of the single gluons:
 *
 *     set        kind        slots      splits, as pairs of slots
 *     {0, 1}     (0,2)       3          (0, 1)
 *     {0, 2}     nothing                                       rows 0 and 2, columns 1 and 1: no entry has these charges
 *     {1, 2}     diagonal    4, 5, 6    (1, 2) of the difference D_1
 *     {0, 1, 2}  closes                 (4, 0), (3, 2)         D_0 of {1, 2} with place 0, and {0, 1} with place 2
 */

/* What a set has, its kind: nothing, an entry (row, column) as 1 + 3 row + column (a single gluon if on the diagonal), or
 * the three differences of a diagonal. */
enum { COHERENT_NOTHING = 0, COHERENT_DIAGONAL = 10, COHERENT_KINDS = 11 };

BG_FN int coherent_kind(int row, int col) { return 1 + 3 * row + col; }
BG_FN int coherent_row(int kind) { return (kind - 1) / 3; }
BG_FN int coherent_col(int kind) { return (kind - 1) % 3; }
BG_FN int coherent_on_diagonal(int kind) { return kind == COHERENT_DIAGONAL || (kind - 1) % 4 == 0; }
BG_FN int coherent_next_color(int color) { return (color + 1) % 3; }

/* The list of sets holds the kind of each in the low 16 bits, and in the high ones the slot of its entry or of the first
 * of its differences. */
BG_FN uint32_t coherent_entry(int kind, uint32_t slot) { return (uint32_t)kind | slot << 16; }
BG_FN uint32_t coherent_entry_kind(uint32_t entry) { return entry & 15u; }
BG_FN uint32_t coherent_entry_slot(uint32_t entry) { return entry >> 16; }

/* A split is a pair of slots, that of the first half in the low 16 bits. A slot holds one entry or one difference. */
BG_FN uint32_t coherent_pair(uint32_t first, uint32_t second) { return first | second << 16; }
BG_FN uint32_t coherent_first(uint32_t pair) { return pair & 0xffffu; }
BG_FN uint32_t coherent_second(uint32_t pair) { return pair >> 16; }
BG_FN uint32_t coherent_turned(uint32_t pair) { return pair >> 16 | pair << 16; }

/* A current to compute: `splits` of each difference in turn (off the diagonal: of the one entry), which follow
 * one another in the list. */
typedef struct coherent_current {
    uint32_t first; /* split */
    uint32_t splits[3];
    uint16_t set, slot;
    uint32_t diagonal;
} coherent_current;

/* Lists of splits that a current has, and slots: one for each difference, or one for its entry. */
BG_FN int coherent_differences(const coherent_current *x) { return x->diagonal ? 3 : 1; }

typedef struct coherent_schedule {
    uint8_t *rule;   /* [kind][kind]: see coherent_rule() */
    uint32_t *entry; /* [set]: see coherent_entry() */
    coherent_current *current;
    uint32_t *split; /* see coherent_pair() */
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

/* The vertex that a split {A, B} of two kinds leaves. */
typedef struct coherent_vertex {
    int exists;     /* 0: none is left */
    int difference; /* the difference of a diagonal current that it belongs to; 0 off the diagonal */
    int swapped;    /* it is V(B, A), minus V(A, B) */
    int of_a, of_b; /* the difference that it takes of A, or of B, where that is a diagonal current; 0 elsewhere */
} coherent_vertex;

/* Two entries off the diagonal: (a,b) with (b,c), or with (b,a), whose result D_a or -D_b is the difference that is
 * kept. */
BG_FN coherent_vertex coherent_vertex_off(int a, int b)
{
    const int joined = coherent_col(a) == coherent_row(b), joined_back = coherent_col(b) == coherent_row(a);
    coherent_vertex v = {joined || joined_back, 0, !joined, 0, 0};
    if (joined && joined_back) {
        v.swapped = coherent_col(a) != coherent_next_color(coherent_row(a));
        v.difference = v.swapped ? coherent_col(a) : coherent_row(a);
    }
    return v;
}

/* Something on the diagonal, which comes first, with an entry (a,b) off it: V(A_aa - A_bb, B). That is the difference
 * D_a, or minus D_b. A single gluon at (g,g) has a current that is its D_g, and minus its D_{g-1}. */
BG_FN coherent_vertex coherent_vertex_on(int diagonal, int off)
{
    const int row = coherent_row(off), col = coherent_col(off), minus = col != coherent_next_color(row);
    const int kept = minus ? col : row;
    coherent_vertex v = {1, 0, minus, 0, 0};
    if (diagonal == COHERENT_DIAGONAL) {
        v.of_a = kept;
    } else {
        const int g = coherent_row(diagonal);
        v.exists = kept != coherent_next_color(g);
        v.swapped = minus ^ (kept != g);
    }
    return v;
}

BG_FN coherent_vertex coherent_vertex_of(int a, int b)
{
    const coherent_vertex none = {0, 0, 0, 0, 0};
    if (a == COHERENT_NOTHING || b == COHERENT_NOTHING) return none;
    if (coherent_on_diagonal(a) && coherent_on_diagonal(b)) return none;
    if (coherent_on_diagonal(a)) return coherent_vertex_on(a, b);
    if (!coherent_on_diagonal(b)) return coherent_vertex_off(a, b);
    const coherent_vertex turned = coherent_vertex_on(b, a);
    const coherent_vertex v = {turned.exists, turned.difference, !turned.swapped, turned.of_b, turned.of_a};
    return v;
}

/* A rule is such a vertex in eight bits, 0 where none is left:
 *
 *     bits     7 6     5 4     3          2 1           0
 *              of_b    of_a    swapped    difference    exists
 */
enum { COHERENT_EXISTS = 1, COHERENT_BELONGS = 7, COHERENT_SWAPPED = 8 };

BG_FN uint32_t coherent_rule_belongs(int difference) { return COHERENT_EXISTS | (uint32_t)difference << 1; }
BG_FN uint32_t coherent_rule_of_a(uint32_t rule) { return rule >> 4 & 3u; }
BG_FN uint32_t coherent_rule_of_b(uint32_t rule) { return rule >> 6; }

BG_FN uint32_t coherent_rule(coherent_vertex v)
{
    if (!v.exists) return 0;
    return coherent_rule_belongs(v.difference) | (v.swapped ? (uint32_t)COHERENT_SWAPPED : 0u) | (uint32_t)v.of_a << 4 |
           (uint32_t)v.of_b << 6;
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
        rule[k] = (uint8_t)coherent_rule(coherent_vertex_of(k / COHERENT_KINDS, k % COHERENT_KINDS));
}

/* Color charges, rows less columns, packed: eight bits each, and 16 for none. */
#define COHERENT_NO_CHARGE 0x101010u

BG_FN uint32_t coherent_charge(int row, int col) { return (1u << 8 * row) - (1u << 8 * col); }

/* The entry that such a sum leaves room for: a row and a column, -1 for both on the diagonal. Returns 0 where it leaves none, or no such entry. */
BG_FN int coherent_room_for(uint32_t charge, int *row, int *col)
{
    int some = 1;
    *row = *col = -1;
    for (int k = 0; k < 3; k++) {
        const int own = (int)(charge >> 8 * k & 255u) - 16;
        some = some && own >= -1 && own <= 1;
        *row = own > 0 ? k : *row;
        *col = own < 0 ? k : *col;
    }
    return some;
}

BG_FN int coherent_room_of(uint32_t charge)
{
    int row, col;
    if (!coherent_room_for(charge, &row, &col)) return COHERENT_NOTHING;
    return row < 0 ? COHERENT_DIAGONAL : coherent_kind(row, col);
}

/* What the charges of a set leave room for. */
BG_FN int coherent_room(const coherent_colors *c, uint32_t set)
{
    uint32_t charge = COHERENT_NO_CHARGE;
    for (uint32_t left = set; left; left &= left - 1)
        charge += coherent_charge(c->row[bg_lowest(left)], c->col[bg_lowest(left)]);
    return coherent_room_of(charge);
}

/* The split of a set into B and the rest: its rule, and its slots in order. */
BG_FN uint32_t coherent_split_rule(const coherent_schedule *s, uint32_t set, uint32_t B, uint32_t *split)
{
    const uint32_t a = s->entry[set ^ B], b = s->entry[B];
    const uint32_t rule = s->rule[coherent_entry_kind(a) * COHERENT_KINDS + coherent_entry_kind(b)];
    const uint32_t of_a = coherent_entry_slot(a) + coherent_rule_of_a(rule);
    const uint32_t of_b = coherent_entry_slot(b) + coherent_rule_of_b(rule);
    *split = rule & COHERENT_SWAPPED ? coherent_pair(of_b, of_a) : coherent_pair(of_a, of_b);
    return rule;
}

/* ... whether it is left and belongs to the difference. */
BG_FN int coherent_split(const coherent_schedule *s, uint32_t set, uint32_t B, int difference, uint32_t *split)
{
    return (coherent_split_rule(s, set, B, split) & COHERENT_BELONGS) == coherent_rule_belongs(difference);
}

/* All splits of a set, those of one difference, to `to`, or only counted where that is NULL. Whether a split is left is as
 * good as random, so that nothing branches on it, and `to` has room for one more; except where the list has to have its
 * `exact` length, since somebody else writes behind it. */
BG_FN uint32_t coherent_splits(const coherent_schedule *s, uint32_t set, int difference, const int exact, uint32_t *to)
{
    const uint32_t rest = set & (set - 1);
    uint32_t count = 0, split;
    for (uint32_t B = rest; B; B = (B - 1) & rest) { /* the half without the lowest gluon */
        const int left = coherent_split(s, set, B, difference, &split);
        if (to && (left || !exact)) to[count] = split;
        count += (uint32_t)left;
    }
    return count;
}

/* The single gluons; slot k is that of place k. */
BG_FN void coherent_externals(int n, const coherent_colors *c, const coherent_schedule *s)
{
    for (int k = 0; k < n - 1; k++)
        s->entry[1u << k] = coherent_entry(coherent_kind(c->row[k], c->col[k]), (uint32_t)k);
}

/* A current of a kind without splits so far. */
BG_FN void coherent_begin_of(int kind, uint32_t set, coherent_current *x)
{
    x->set = (uint16_t)set;
    x->diagonal = kind == COHERENT_DIAGONAL;
    for (int d = 0; d < 3; d++) x->splits[d] = 0;
}

/* ... of the kind that the set has room for, which is returned. */
BG_FN int coherent_begin(const coherent_colors *c, uint32_t set, coherent_current *x)
{
    const int kind = coherent_room(c, set);
    coherent_begin_of(kind, set, x);
    return kind;
}

/* Whose splits of the whole set close the amplitude: the entry that the trace with the closing gluon picks. A diagonal one,
 * J_gg, is the sum of the splits of D_g less those of D_{g-1}, whose pairs are turned. Returns how many there are. */
BG_FN int coherent_ends(int n, const coherent_colors *c, int *difference)
{
    const int g = c->col[n - 1], diagonal = g == c->row[n - 1];
    difference[0] = diagonal ? g : 0;
    difference[1] = (g + 2) % 3;
    return diagonal ? 2 : 1;
}

/* Splits that close the amplitude. Returns how many; writes them to `to`. */
BG_FN uint32_t coherent_close(int n, const coherent_colors *c, const coherent_schedule *s, uint32_t *to)
{
    int difference[2];
    const int ends = coherent_ends(n, c, difference);
    const uint32_t all = (1u << (n - 1)) - 1u, plus = coherent_splits(s, all, difference[0], 0, to);
    if (ends == 1) return plus;
    const uint32_t minus = coherent_splits(s, all, difference[1], 0, to + plus);
    for (uint32_t k = plus; k < plus + minus; k++) to[k] = coherent_turned(to[k]);
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
        const int kind = coherent_begin(c, set, x);
        s->entry[set] = COHERENT_NOTHING;
        if (kind == COHERENT_NOTHING) continue;
        x->first = s->splits;
        x->slot = (uint16_t)s->slots;
        for (int d = 0; d < coherent_differences(x); d++) {
            x->splits[d] = coherent_splits(s, set, d, 0, s->split + s->splits);
            s->splits += x->splits[d];
        }
        if (s->splits == x->first) continue;
        s->entry[set] = coherent_entry(kind, s->slots);
        s->currents++;
        s->slots += (uint32_t)coherent_differences(x);
    }
    s->closing = s->splits;
    s->closing_splits = coherent_close(n, c, s, s->split + s->splits);
}

#endif
