/* The recursion that is left of the dressed one with quark lines for discrete colors that a group of events shares.
 *
 * Colors are those of open_strings.h: a gluon has a matrix with a 1 at (row, column), less a third of the unit matrix where that is on
 * the diagonal; a quark is a row vector c with one entry, an antiquark a column d. Currents of gluons are matrices without trace,
 *
 *     gluons A, B          V(A, B) [A, B]                                     as in coherent.h
 *     quark, antiquark     s ( d c - (c d) / 3 )                              s: the source that the pair is
 *     quark, gluon         c A            antiquark, gluon        A d         with the vertex of a quark
 *
 * and color charge leaves a set of legs one entry, one diagonal, or one color of a quark. What it is, a set tells by the fermions in
 * it. Diagonals are kept as differences D_a = J_aa - J_bb, b = a + 1 (mod 3), for gluons, and as J_aa = (D_a - D_{a-1}) / 3 for
 * quarks. With X_a what splits into two gluons add to D_a in coherent.h, and E_a the sources of pairs of color a,
 *
 *     D_a = 3 X_a - (X_0 + X_1 + X_2) + E_a - E_{a+1} .
 *
 * Joining two sets has a Fermi sign: -1 for each pair of a fermion in the first and one with a smaller number in the second, the
 * quark's set being the first where a pair is made. The list of what is left, the schedule, depends on the colors alone.
 *
 * One line and three close on the last fermion. Two lines exchange a gluon, and the amplitude closes on it, with
 *
 *     sum over sets S of gluons   (current of one line and the other gluons) . (source that the other line and S are) ,
 *
 * so that neither line takes up currents of the other one. Of identical flavors, either antiquark may be the other line's.
 *
 * Sets are bit masks: places of gluons, then fermions, of which the last one is left out where it closes. So those without
 * fermions, whose currents are real where polarizations are, come first.
 */
#ifndef BG_COLOR_OPEN_SCHEDULE_H
#define BG_COLOR_OPEN_SCHEDULE_H

#include "color/coherent.h"
#include "color/open_strings.h"

/* ---- kinds and rules --------------------------------------------------------------------------------------------------- */

/* The kind of a set: those of coherent.h, then quarks and antiquarks by flavor and color. */
enum {
    OPEN_QUARKS = COHERENT_KINDS,
    OPEN_ANTIQUARKS = OPEN_QUARKS + 3 * OPEN_MOST_LINES,
    OPEN_KINDS = OPEN_ANTIQUARKS + 3 * OPEN_MOST_LINES
};

/* Slots of a diagonal: differences and entries; of a single gluon on the diagonal: itself, its entry there, its entry elsewhere. */
enum { OPEN_DIAGONAL_SLOTS = 6, OPEN_SINGLE_SLOTS = 3 };

typedef enum open_operation { OPEN_NONE, OPEN_GLUONS, OPEN_EMIT, OPEN_PAIR } open_operation;

/* Numbers of a slot: of each part of a gluon, and of a fermion, which has pairs of them on a GPU (amplitude/open.h). */
enum { OPEN_GLUON_NUMBERS = 6, OPEN_FERMION_NUMBERS = OPEN_STRIDE > 1 ? 6 : 5 };

/* What a split into two kinds leaves, in sixteen bits: the operation, the list that it belongs to, whether the halves are exchanged, and
 * where the slots of both halves are, for real gluons. */
BG_FN uint16_t open_rule(int operation, int list, int swapped, int of_a, int of_b)
{
    return (uint16_t)(operation | list << 2 | swapped << 4 | of_a * OPEN_GLUON_NUMBERS << 5 |
                      of_b * OPEN_GLUON_NUMBERS << 10);
}
BG_FN int open_rule_operation(uint32_t rule) { return (int)(rule & 3u); }
BG_FN uint32_t open_rule_list(uint32_t rule) { return rule >> 2 & 3u; }
BG_FN uint32_t open_rule_swapped(uint32_t rule) { return rule >> 4 & 1u; }
BG_FN uint32_t open_rule_of_a(uint32_t rule) { return rule >> 5 & 31u; }
BG_FN uint32_t open_rule_of_b(uint32_t rule) { return rule >> 10; }

BG_FN int open_is_gluon(int kind) { return kind < OPEN_QUARKS; }
BG_FN int open_is_quark(int kind) { return kind >= OPEN_QUARKS && kind < OPEN_ANTIQUARKS; }
BG_FN int open_flavor(int kind) { return (kind - (open_is_quark(kind) ? OPEN_QUARKS : OPEN_ANTIQUARKS)) / 3; }
BG_FN int open_color(int kind) { return (kind - (open_is_quark(kind) ? OPEN_QUARKS : OPEN_ANTIQUARKS)) % 3; }

/* The slot of a gluon that a fermion takes; -1: none, its colors do not match. */
BG_FN int open_emitted(int fermion, int gluon)
{
    const int color = open_color(fermion);
    if (gluon == COHERENT_DIAGONAL) return 3 + color;
    if (coherent_on_diagonal(gluon)) return coherent_row(gluon) == color ? 1 : 2;
    return color == (open_is_quark(fermion) ? coherent_row(gluon) : coherent_col(gluon)) ? 0 : -1;
}

BG_FN uint16_t open_rule_of(int a, int b)
{
    if (a == COHERENT_NOTHING || b == COHERENT_NOTHING) return 0;
    if (open_is_gluon(a) && open_is_gluon(b)) {
        const coherent_vertex v = coherent_vertex_of(a, b);
        return v.exists ? open_rule(OPEN_GLUONS, v.difference, v.swapped, v.of_a, v.of_b) : (uint16_t)0;
    }
    if (open_is_gluon(a) || open_is_gluon(b)) {
        const int first = !open_is_gluon(a), slot = first ? open_emitted(a, b) : open_emitted(b, a);
        return slot < 0 ? (uint16_t)0 : open_rule(OPEN_EMIT, 0, !first, first ? 0 : slot, first ? slot : 0);
    }
    if (open_is_quark(a) == open_is_quark(b) || open_flavor(a) != open_flavor(b)) return 0;
    return open_rule(OPEN_PAIR, open_color(a) == open_color(b) ? open_color(a) : 0, !open_is_quark(a), 0, 0);
}

/* Every `step`-th of them, from `first` on. */
BG_FN void open_put_rules(uint16_t *rule, int first, int step)
{
    for (int k = first; k < OPEN_KINDS * OPEN_KINDS; k += step) rule[k] = open_rule_of(k / OPEN_KINDS, k % OPEN_KINDS);
}

BG_FN void open_rule_table(uint16_t *rule) { open_put_rules(rule, 0, 1); }

/* ---- the lists --------------------------------------------------------------------------------------------------------- */

/* A term has the places of two currents. */
typedef struct open_term {
    uint32_t left, right;
} open_term;

/* Terms of a list stand in an order that takes no decisions on the way: of gluons, by real and complex halves, then pairs with a
 * minus sign and with a plus; of fermions, emission of real and complex gluons with a minus sign and with a plus. */
enum { OPEN_RR, OPEN_RC, OPEN_CR, OPEN_CC, OPEN_PAIR_MINUS, OPEN_PAIR_PLUS, OPEN_ORDERS };
enum { OPEN_R_MINUS, OPEN_C_MINUS, OPEN_R_PLUS, OPEN_C_PLUS };

typedef struct open_current {
    uint32_t first; /* term */
    uint32_t at;    /* where its numbers go */
    uint16_t set;
    uint8_t kind;
    uint8_t complex;
    uint16_t terms[3][OPEN_ORDERS]; /* of each difference of a diagonal; otherwise of one list */
} open_current;

typedef struct open_schedule {
    uint16_t *rule;  /* [kind][kind] */
    uint32_t *entry; /* [set]: see open_entry() */
    uint32_t *reach; /* [quark][set of places]: see open_reach() */
    uint8_t *key;    /* list and order of the splits of a set */
    open_current *current;
    open_term *term;
    uint32_t currents, gluons; /* all, and those without fermions, which come first; behind them open_closing() */
    uint32_t terms, numbers;   /* of the lists and of the workspace */
    int parts;                 /* of polarizations: 2 where they are complex */
} open_schedule;

/* The kind of a set, whether its gluon current is complex, and where its first slot is. */
BG_FN uint32_t open_entry(int kind, int complex, uint32_t at)
{
    return (uint32_t)kind | (complex ? 64u : 0u) | at << 8;
}
BG_FN int open_entry_kind(uint32_t entry) { return (int)(entry & 63u); }
BG_FN uint32_t open_entry_complex(uint32_t entry) { return entry >> 6 & 1u; }
BG_FN uint32_t open_entry_at(uint32_t entry) { return entry >> 8; }

/* Legs in sets of the schedule, and in sets of outgoing legs. */
BG_FN int open_bits(const open_process *o) { return o->halves ? o->legs : o->legs - 1; }
BG_FN int open_outgoing_bits(const open_process *o) { return o->legs - 1; }
BG_FN uint32_t open_slot(int complex) { return (uint32_t)(OPEN_GLUON_NUMBERS * (complex ? 2 : 1)); }

/* Where the slots of the legs are. */
BG_FN uint32_t open_gluon_at(int parts, int place)
{
    return (uint32_t)place * OPEN_SINGLE_SLOTS * open_slot(parts == 2);
}
BG_FN uint32_t open_fermion_at(const open_process *o, int parts, int fermion)
{
    return open_gluon_at(parts, o->gluons) + (uint32_t)fermion * OPEN_FERMION_NUMBERS;
}

/* Most of each that any colors lead to. Adding a gluon off the diagonal changes a set's charge: of the sets without fermions at
 * most half are diagonal. */
BG_FN size_t open_most_sets(const open_process *o) { return (size_t)1 << open_bits(o); }
BG_FN size_t open_most_currents(const open_process *o) { return (size_t)o->fillings << o->gluons; }
BG_FN size_t open_most_items(const open_process *o) /* and what closes */
{
    return ((size_t)(o->fillings + o->halves) << o->gluons) + 1;
}
BG_FN size_t open_most_terms(const open_process *o) /* and room to sort */
{
    const size_t sets = (size_t)1 << open_outgoing_bits(o);
    size_t threes = 1;
    for (int k = 0; k < open_outgoing_bits(o); k++) threes *= 3;
    return (threes - 2 * sets + 1) / 2 + 2 * sets;
}
BG_FN size_t open_most_numbers(const open_process *o, int parts)
{
    const size_t words = (size_t)1 << o->gluons;
    size_t numbers = open_fermion_at(o, parts, 2 * o->lines);
    numbers += words * open_slot(parts == 2) * (OPEN_DIAGONAL_SLOTS + 1) / 2;
    for (int k = 1; k < o->fillings; k++)
        numbers += words * (o->content[o->filling[k]] == OPEN_GLUON ? OPEN_DIAGONAL_SLOTS * open_slot(1)
                                                                    : (size_t)OPEN_FERMION_NUMBERS);
    return numbers;
}

BG_FN size_t open_schedule_bytes(const open_process *o)
{
    return open_most_items(o) * sizeof(open_current) + open_most_sets(o) * sizeof(uint32_t) +
           open_most_terms(o) * sizeof(open_term) + open_reach_words(o) * sizeof(uint32_t) +
           OPEN_KINDS * OPEN_KINDS * sizeof(uint16_t) + open_most_sets(o);
}

/* Cuts memory (aligned to 8 bytes) up. */
BG_FN void open_schedule_place(const open_process *o, int parts, void *memory, open_schedule *s)
{
    s->parts = parts;
    s->term = (open_term *)memory;
    s->current = (open_current *)(s->term + open_most_terms(o));
    s->entry = (uint32_t *)(s->current + open_most_items(o));
    s->reach = s->entry + open_most_sets(o);
    s->rule = (uint16_t *)(s->reach + open_reach_words(o));
    s->key = (uint8_t *)(s->rule + OPEN_KINDS * OPEN_KINDS);
}

/* Sets that have no current, whatever the colors are. Some of them, from `first` on. */
BG_FN void open_forbid(const open_process *o, const open_schedule *s, uint32_t first, uint32_t step)
{
    for (uint32_t set = first; set < 1u << open_bits(o); set += step)
        if (o->content[set >> o->gluons] == OPEN_NO_CURRENT) s->entry[set] = COHERENT_NOTHING;
}

/* ---- making it ------------------------------------------------------------------------------------------------------------ */

/* The color charge of a leg, packed as in coherent.h. */
BG_FN uint32_t open_leg_charge(const open_process *o, const open_colors *c, int leg)
{
    const int f = leg - o->gluons;
    if (f < 0) return coherent_charge(c->row[leg], c->col[leg]);
    return o->is_quark[f] ? 0u - (1u << 8 * c->fermion[f]) : 1u << 8 * c->fermion[f];
}

/* What charge and flavor leave of a set. */
BG_FN int open_room(const open_process *o, const open_colors *c, uint32_t set)
{
    const int content = o->content[set >> o->gluons];
    uint32_t charge = COHERENT_NO_CHARGE;
    int row, col;
    for (uint32_t left = set; left; left &= left - 1) charge += open_leg_charge(o, c, bg_lowest(left));
    if (!coherent_room_for(charge, &row, &col)) return COHERENT_NOTHING;
    if (content == OPEN_GLUON) return row < 0 ? COHERENT_DIAGONAL : coherent_kind(row, col);
    if (content < OPEN_ANTIQUARK) return row >= 0 ? COHERENT_NOTHING : OPEN_QUARKS + 3 * (content - OPEN_QUARK) + col;
    return col >= 0 ? COHERENT_NOTHING : OPEN_ANTIQUARKS + 3 * (content - OPEN_ANTIQUARK) + row;
}

/* The Fermi sign of two sets: 1 for a minus. */
BG_FN uint32_t open_negative(const open_process *o, uint32_t first, uint32_t second)
{
    return (uint32_t)bg_members(first >> o->gluons & o->behind[second >> o->gluons]) & 1u;
}

/* The split {A, B}: whether something is left of it, its term, and the number of its list and order. Whether it is is as good as random,
 * so that nothing branches on it. Sets with less than two fermions have no signs. */
BG_FN int open_split(const int signs, const open_process *o, const open_schedule *s, uint32_t A, uint32_t B,
                     open_term *t, uint32_t *at)
{
    const uint32_t a = s->entry[A], b = s->entry[B];
    const uint32_t rule = s->rule[open_entry_kind(a) * OPEN_KINDS + open_entry_kind(b)];
    const int operation = open_rule_operation(rule);
    const uint32_t left = open_entry_at(a) + (open_rule_of_a(rule) << open_entry_complex(a));
    const uint32_t right = open_entry_at(b) + (open_rule_of_b(rule) << open_entry_complex(b));
    const uint32_t turned = open_rule_swapped(rule);
    const uint32_t negative = signs ? open_negative(o, turned ? B : A, turned ? A : B) : 0u;
    /* exchanging two gluons changes the sign */
    const uint32_t swapped = turned ^ (operation == OPEN_GLUONS ? negative : 0u);
    const uint32_t first = open_entry_complex(swapped ? b : a), second = open_entry_complex(swapped ? a : b);
    const uint32_t order = operation == OPEN_GLUONS ? 2u * first + second
                           : operation == OPEN_EMIT ? second + 2u * (1u - negative)
                                                    : (uint32_t)OPEN_PAIR_PLUS - negative;
    t->left = swapped ? right : left;
    t->right = swapped ? left : right;
    *at = open_rule_list(rule) * OPEN_ORDERS + order;
    return operation != OPEN_NONE;
}

BG_FN int open_has_signs(const open_process *o, uint32_t set)
{
    const uint32_t fermions = set >> o->gluons;
    return (fermions & (fermions - 1u)) != 0;
}

/* The splits of a set into A and B: B has `fixed` and any of `free`, A the rest. The lowest leg is in A; where the amplitude closes on a
 * gluon, each half has one fermion. */
typedef struct open_splits {
    uint32_t fixed, free;
} open_splits;

BG_FN open_splits open_splits_of(const open_process *o, uint32_t set)
{
    const uint32_t fermions = set >> o->gluons, source = o->halves && fermions >> 3 && fermions & 7u;
    const open_splits pairs = {8u << o->gluons, set & ((1u << o->gluons) - 1u)}, any = {0u, set & (set - 1)};
    return source ? pairs : any;
}

BG_FN uint32_t open_splits_number(const open_splits *s) /* where B is not empty */
{
    return (1u << bg_members(s->free)) - (s->fixed ? 0u : 1u);
}

/* Lists of terms that a set has: one for each difference of a diagonal. */
BG_FN int open_lists(const open_current *x) { return x->kind == COHERENT_DIAGONAL ? 3 : 1; }

/* The terms of a set as its splits come, and how many of each list and order there are. */
BG_FN uint32_t open_collect(const int signs, const open_process *o, const open_schedule *s, uint32_t set,
                            open_current *x)
{
    const open_splits splits = open_splits_of(o, set);
    uint32_t count = 0, more = splits.free, where;
    open_term *to = s->term + x->first;
    uint16_t *found = &x->terms[0][0];
    uint8_t *key = s->key;
    for (int k = 0; k < open_lists(x) * OPEN_ORDERS; k++) found[k] = 0;
    for (uint32_t left = open_splits_number(&splits); left; left--) {
        const uint32_t B = splits.fixed | more;
        const int exists = open_split(signs, o, s, set ^ B, B, &to[count], &where);
        key[count] = (uint8_t)where;
        found[where] = (uint16_t)(found[where] + exists);
        count += (uint32_t)exists;
        more = (more - 1) & splits.free;
    }
    return count;
}

/* Terms of a set from x->first on, list by list and order by order. Returns how many there are. Behind them is room for as many again
 * as the set has splits. */
BG_FN uint32_t open_terms(const open_process *o, const open_schedule *s, uint32_t set, open_current *x)
{
    const uint32_t count = open_has_signs(o, set) ? open_collect(1, o, s, set, x) : open_collect(0, o, s, set, x);
    const uint16_t *found = &x->terms[0][0];
    open_term *term = s->term + x->first, *sorted = term + count;
    uint32_t next[3 * OPEN_ORDERS], at = 0;
    if (!count || found[s->key[0]] == count) return count; /* they are in order: most sets have one list */
    for (int k = 0; k < open_lists(x) * OPEN_ORDERS; k++) {
        next[k] = at;
        at += found[k];
    }
    for (uint32_t k = 0; k < count; k++) sorted[next[s->key[k]]++] = term[k];
    for (uint32_t k = 0; k < count; k++) term[k] = sorted[k];
    return count;
}

/* Numbers that a current takes. */
BG_FN uint32_t open_numbers(const open_current *x)
{
    if (!open_is_gluon(x->kind)) return OPEN_FERMION_NUMBERS;
    return open_slot(x->complex) * (x->kind == COHERENT_DIAGONAL ? (uint32_t)OPEN_DIAGONAL_SLOTS : 1u);
}

/* A current without terms so far; returns what the set has room for. */
BG_FN int open_begin(const open_process *o, const open_schedule *s, const open_colors *c, uint32_t set, open_current *x)
{
    const int kind = open_room(o, c, set);
    x->set = (uint16_t)set;
    x->kind = (uint8_t)kind;
    x->complex = (uint8_t)(s->parts == 2 || set >> o->gluons);
    return kind;
}

/* The legs, and how far the lists are. */
BG_FN void open_externals(const open_process *o, const open_colors *c, open_schedule *s)
{
    for (int k = 0; k < o->gluons; k++)
        s->entry[1u << k] = open_entry(coherent_kind(c->row[k], c->col[k]), s->parts == 2, open_gluon_at(s->parts, k));
    for (int f = 0; f < open_bits(o) - o->gluons; f++)
        s->entry[1u << (o->gluons + f)] =
            open_entry((o->is_quark[f] ? (int)OPEN_QUARKS : (int)OPEN_ANTIQUARKS) + 3 * o->flavor[f] + c->fermion[f], 1,
                       open_fermion_at(o, s->parts, f));
    s->currents = s->gluons = s->terms = 0;
    s->numbers = open_fermion_at(o, s->parts, 2 * o->lines);
}

/* The source of a way to close on a gluon that has some of the gluons; or what closes the amplitude on a fermion. */
BG_FN open_current *open_closing(const open_process *o, const open_schedule *s, int way, uint32_t gluons)
{
    return s->current + s->currents + ((size_t)way << o->gluons) + gluons;
}

/* It has the lists of its current, and is where that is. Returns 0 where there is no such current. */
BG_FN int open_begin_closing(const open_process *o, const open_schedule *s, int way, uint32_t gluons, open_current *x)
{
    const uint32_t all = (1u << open_bits(o)) - 1u, half = (uint32_t)o->half[way] << o->gluons;
    const uint32_t current = half | (((1u << o->gluons) - 1u) ^ gluons), entry = s->entry[current];
    x->set = (uint16_t)(all ^ current);
    x->kind = (uint8_t)open_entry_kind(entry);
    x->complex = 1;
    x->at = open_entry_at(entry);
    return x->kind != COHERENT_NOTHING;
}

/* The whole schedule, one set after the other, where open_forbid() has been. The colors of all legs are in balance. */
BG_FN void open_build(const open_process *o, const open_colors *c, open_schedule *s)
{
    const uint32_t words = 1u << o->gluons, all = (1u << open_bits(o)) - 1u;
    open_reach_table(o, c, s->reach);
    open_externals(o, c, s);
    for (int k = 0; k < o->fillings; k++)
        for (uint32_t gluons = 0; gluons < words; gluons++) {
            const uint32_t set = (uint32_t)o->filling[k] << o->gluons | gluons;
            open_current *x = &s->current[s->currents];
            if (!(set & (set - 1)) || set == all) continue; /* none, a leg, or what closes on the last fermion */
            s->entry[set] = COHERENT_NOTHING;
            if (open_begin(o, s, c, set, x) == COHERENT_NOTHING) continue;
            x->first = s->terms;
            x->at = s->numbers;
            const uint32_t count = open_terms(o, s, set, x);
            if (!count) continue;
            s->entry[set] = open_entry(x->kind, x->complex, x->at);
            s->terms += count;
            s->numbers += open_numbers(x);
            s->currents++;
            if (!k) s->gluons = s->currents;
        }
    for (int way = 0; way < o->halves; way++)
        for (uint32_t gluons = 0; gluons < words; gluons++) {
            open_current *x = open_closing(o, s, way, gluons);
            x->first = s->terms;
            if (open_begin_closing(o, s, way, gluons, x)) s->terms += open_terms(o, s, x->set, x);
        }
    if (o->halves) return;
    open_current *x = open_closing(o, s, 0, 0);
    (void)open_begin(o, s, c, all, x);
    x->first = s->terms;
    s->terms += open_terms(o, s, all, x);
}

#endif
