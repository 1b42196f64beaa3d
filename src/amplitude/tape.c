#include "amplitude/tape.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 15 }; /* no leg */

/* ---- while it is built ------------------------------------------------------------------------------------------- */

typedef struct flow {
    uint64_t next; /* four bits a leg: the leg that follows it */
    uint8_t head, tail;
} flow;

/* What makes a current of a set different from the others. */
typedef struct identity {
    uint8_t kind, label;
    flow colors;
} identity;

/* A term, and what it is a term of: first the identity, then the number of the current or amplitude. */
typedef struct candidate {
    identity of;
    uint32_t owner;
    tape_term term;
} candidate;

typedef struct builder {
    const tape_legs *legs;
    uint32_t fermions; /* legs */
    identity *known;   /* of each current */
    tape_current *current;
    tape_term *term;
    tape_closing *closing;
    candidate *found; /* of the set that is worked on */
    uint32_t *first;  /* [set] its currents, up to first + count */
    uint32_t *count;
    uint32_t currents, current_room, terms, term_room, candidates, candidate_room;
    int failed;
} builder;

static void add_current(builder *b, const tape_current *c, const identity *known)
{
    uint32_t room = b->current_room;
    b->known = bg_more_room(b->known, b->currents, &room, sizeof *b->known, &b->failed);
    b->current = bg_more_room(b->current, b->currents, &b->current_room, sizeof *b->current, &b->failed);
    if (b->failed) return;
    b->known[b->currents] = *known;
    b->current[b->currents++] = *c;
}

/* ---- vertices ----------------------------------------------------------------------------------------------------- */

/* (-1)^(pairs of fermions i in the first set, j in the second with i > j) */
static int is_negative(const builder *b, uint32_t first, uint32_t second)
{
    int pairs = 0;
    for (uint32_t left = second & b->fermions; left; left &= left - 1)
        pairs += __builtin_popcount((first & b->fermions) >> __builtin_ctz(left));
    return pairs & 1;
}

static uint64_t followed_by(uint64_t next, int leg, int follower)
{
    return (next & ~((uint64_t)NONE << 4 * leg)) | (uint64_t)follower << 4 * leg;
}

/* Both flows side by side: a set has NONE, all bits, for legs of the other. */
static flow beside(flow a, flow c, int head, int tail)
{
    return (flow){.next = a.next & c.next, .head = (uint8_t)head, .tail = (uint8_t)tail};
}

/* The tail of a joined to the head of c. */
static flow joined(flow a, flow c)
{
    flow f = beside(a, c, a.head, c.tail);
    f.next = followed_by(f.next, a.tail, c.head);
    return f;
}

static void add_term(builder *b, identity of, tape_operation operation, uint32_t left, uint32_t right, int negative)
{
    b->found = bg_more_room(b->found, b->candidates, &b->candidate_room, sizeof *b->found, &b->failed);
    if (b->failed) return;
    b->found[b->candidates++] = (candidate){.of = of,
                                            .term = {.left = left & 0x3fffffffu,
                                                     .operation = (unsigned)operation & 3u,
                                                     .right = right & 0x7fffffffu,
                                                     .negative = (unsigned)negative & 1u}};
}

/* A quark or antiquark, and a gluon or U(1) gluon. */
static void emit(builder *b, uint32_t quark, uint32_t gluon, int negative)
{
    const identity *q = &b->known[quark], *g = &b->known[gluon];
    identity of = {.kind = q->kind, .label = q->label};
    if (g->kind == TAPE_U1)
        of.colors = beside(q->colors, g->colors, q->colors.head, q->colors.tail);
    else
        of.colors = q->kind == TAPE_QUARK ? joined(q->colors, g->colors) : joined(g->colors, q->colors);
    add_term(b, of, TAPE_EMIT, quark, gluon, negative);
}

static void make_pair(builder *b, uint32_t quark, uint32_t antiquark, int negative)
{
    const identity *q = &b->known[quark], *a = &b->known[antiquark];
    const identity gluon = {.kind = TAPE_GLUON, .colors = beside(q->colors, a->colors, a->colors.head, q->colors.tail)};
    const identity u1 = {.kind = TAPE_U1, .colors = joined(q->colors, a->colors)};
    add_term(b, gluon, TAPE_PAIR, quark, antiquark, negative);
    add_term(b, u1, TAPE_PAIR, quark, antiquark, negative);
}

/* What currents i and j of two sets make, in this order of the sets. */
static void add_vertex(builder *b, uint32_t i, uint32_t j)
{
    const uint32_t S = b->current[i].set, T = b->current[j].set;
    const int left = b->known[i].kind, right = b->known[j].kind;
    const int boson_left = left == TAPE_GLUON || left == TAPE_U1, boson_right = right == TAPE_GLUON || right == TAPE_U1;
    if (left == TAPE_GLUON && right == TAPE_GLUON) {
        const int negative = is_negative(b, S, T);
        const identity ij = {.kind = TAPE_GLUON, .colors = joined(b->known[i].colors, b->known[j].colors)};
        const identity ji = {.kind = TAPE_GLUON, .colors = joined(b->known[j].colors, b->known[i].colors)};
        add_term(b, ij, TAPE_GLUONS, i, j, negative);
        add_term(b, ji, TAPE_GLUONS, j, i, negative);
    } else if (!boson_left && boson_right) {
        emit(b, i, j, is_negative(b, S, T));
    } else if (boson_left && !boson_right) {
        emit(b, j, i, is_negative(b, T, S));
    } else if (!boson_left && b->known[i].label == b->known[j].label) {
        if (left == TAPE_QUARK && right == TAPE_ANTIQUARK) make_pair(b, i, j, is_negative(b, S, T));
        if (left == TAPE_ANTIQUARK && right == TAPE_QUARK) make_pair(b, j, i, is_negative(b, T, S));
    }
}

/* All terms of a set: every way to cut it in two, with the lowest leg on the left. */
static void find_terms(builder *b, uint32_t set)
{
    const uint32_t rest = set & (set - 1);
    b->candidates = 0;
    for (uint32_t right = rest; right && !b->failed; right = (right - 1) & rest) {
        const uint32_t left = set ^ right;
        for (uint32_t i = 0; i < b->count[left]; i++)
            for (uint32_t j = 0; j < b->count[right]; j++) add_vertex(b, b->first[left] + i, b->first[right] + j);
    }
}

/* ---- currents ------------------------------------------------------------------------------------------------------ */

static int same(const identity *x, const identity *y)
{
    return x->kind == y->kind && x->label == y->label && x->colors.next == y->colors.next;
}

static uint64_t hash_of(const identity *x)
{
    uint64_t h = x->colors.next + 0x9e3779b97f4a7c15u * (uint64_t)(16 * x->label + x->kind + 1);
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 31;
}

/* Terms in the order of their owners, who are numbered from `base` on, behind those that are there. */
static void sort_terms(builder *b, uint32_t owners, uint32_t *first, uint32_t *number)
{
    for (uint32_t k = 0; k < owners; k++) number[k] = 0;
    for (uint32_t c = 0; c < b->candidates; c++) number[b->found[c].owner]++;
    uint32_t at = b->terms;
    for (uint32_t k = 0; k < owners; k++) {
        first[k] = at;
        at += number[k];
    }
    if (at > b->term_room) {
        tape_term *more = realloc(b->term, (size_t)(at + at / 2) * sizeof *more);
        if (!more) {
            b->failed = 1;
            return;
        }
        b->term = more;
        b->term_room = at + at / 2;
    }
    for (uint32_t c = 0; c < b->candidates; c++) b->term[first[b->found[c].owner]++] = b->found[c].term;
    for (uint32_t k = 0; k < owners; k++) first[k] -= number[k];
    b->terms = at;
}

/* The currents of a set from its terms, numbered in the order in which they come up. */
static void add_set(builder *b, uint32_t set)
{
    uint32_t size = 16, owners = 0;
    find_terms(b, set);
    b->first[set] = b->currents;
    if (b->failed || !b->candidates) return;
    while (size < 2 * b->candidates) size *= 2;
    uint32_t *table = calloc(size, sizeof *table), *first = malloc(b->candidates * sizeof *first);
    uint32_t *number = malloc(b->candidates * sizeof *number);
    b->failed |= !table || !first || !number;
    for (uint32_t c = 0; c < b->candidates && !b->failed; c++) {
        candidate *now = &b->found[c];
        uint64_t at = hash_of(&now->of) & (size - 1);
        while (table[at] && !same(&b->known[b->first[set] + table[at] - 1], &now->of)) at = (at + 1) & (size - 1);
        if (!table[at]) {
            const tape_current added = {.set = set,
                                        .kind = now->of.kind,
                                        .label = now->of.label,
                                        .fermions = (uint8_t)__builtin_popcount(set & b->fermions)};
            add_current(b, &added, &now->of);
            table[at] = ++owners;
        }
        now->owner = table[at] - 1;
    }
    if (!b->failed) sort_terms(b, owners, first, number);
    for (uint32_t k = 0; k < owners && !b->failed; k++) {
        b->current[b->first[set] + k].first = first[k];
        b->current[b->first[set] + k].terms = number[k];
    }
    b->count[set] = owners;
    free(table);
    free(first);
    free(number);
}

static void add_legs(builder *b)
{
    for (int leg = 0; leg < b->legs->n; leg++) {
        const int kind = b->legs->kind[leg];
        identity known = {.kind = (uint8_t)kind,
                          .label = kind == TAPE_GLUON ? 0 : b->legs->label[leg],
                          .colors = {.next = ~(uint64_t)0,
                                     .head = (uint8_t)(kind == TAPE_QUARK ? NONE : leg),
                                     .tail = (uint8_t)(kind == TAPE_ANTIQUARK ? NONE : leg)}};
        const tape_current current = {.set = 1u << leg,
                                      .kind = (uint8_t)kind,
                                      .leg = (uint8_t)leg,
                                      .label = known.label,
                                      .fermions = kind != TAPE_GLUON};
        if (leg == b->legs->closes) continue;
        b->first[1u << leg] = b->currents;
        b->count[1u << leg] = 1;
        add_current(b, &current, &known);
    }
}

/* ---- closing ---------------------------------------------------------------------------------------------------------- */

/* The number of the color structure of a flow in which every leg but the antiquarks has one that follows. */
static uint32_t structure_of(const tape_legs *legs, const color_strings *strings, uint64_t next)
{
    color_structure x = {.word = {{0}}};
    int start[BG_MAX_LINES] = {0}, place = 0;
    for (int leg = 0; leg < legs->n; leg++)
        if (legs->kind[leg] == TAPE_QUARK) start[legs->number[leg]] = leg;
    for (int string = 0; string < legs->lines; string++) {
        int leg = (int)(next >> 4 * start[string] & NONE);
        for (; legs->kind[leg] == TAPE_GLUON; leg = (int)(next >> 4 * leg & NONE)) {
            x.word.at[place++] = legs->number[leg];
            x.length[string]++;
        }
        x.connection.at[string] = legs->number[leg];
    }
    return (uint32_t)bg_color_structure_rank(strings, &x);
}

/* Terms of all legs but the closing one, as terms of amplitudes; those that do not fit it are dropped. */
static void close_terms(builder *b, const color_strings *strings, uint32_t all)
{
    const tape_legs *legs = b->legs;
    const int c = legs->closes, kind = legs->kind[c];
    const int wanted = kind == TAPE_QUARK ? TAPE_ANTIQUARK : kind == TAPE_ANTIQUARK ? TAPE_QUARK : TAPE_GLUON;
    const uint32_t own = 1u << c;
    const int negative = kind == TAPE_QUARK       ? is_negative(b, own, all)
                         : kind == TAPE_ANTIQUARK ? is_negative(b, all, own)
                                                  : 0;
    uint32_t kept = 0;
    find_terms(b, all);
    for (uint32_t k = 0; k < b->candidates; k++) {
        candidate now = b->found[k];
        uint64_t next = now.of.colors.next;
        if (now.of.kind != wanted || (kind != TAPE_GLUON && now.of.label != legs->label[c])) continue;
        if (kind != TAPE_QUARK) next = followed_by(next, now.of.colors.tail, c);
        if (kind != TAPE_ANTIQUARK) next = followed_by(next, c, now.of.colors.head);
        now.owner = structure_of(legs, strings, next);
        now.term.negative = (now.term.negative ^ (unsigned)negative) & 1u;
        b->found[kept++] = now;
    }
    b->candidates = kept;
}

static void add_closing(builder *b, const color_strings *strings, uint32_t all)
{
    const uint32_t F = (uint32_t)strings->structures;
    uint32_t *first = malloc(F * sizeof *first), *number = malloc(F * sizeof *number);
    b->closing = malloc(F * sizeof *b->closing);
    b->failed |= !first || !number || !b->closing;
    if (!b->failed) close_terms(b, strings, all);
    if (!b->failed) sort_terms(b, F, first, number);
    for (uint32_t k = 0; k < F && !b->failed; k++) b->closing[k] = (tape_closing){first[k], number[k]};
    free(first);
    free(number);
}

/* ---- what is needed ----------------------------------------------------------------------------------------------------- */

static void mark(const builder *b, uint32_t first, uint32_t terms, unsigned char *needed)
{
    for (uint32_t k = first; k < first + terms; k++) needed[b->term[k].left] = needed[b->term[k].right] = 1;
}

/* Moves terms down to `at`, with new numbers of currents; returns the place behind. */
static uint32_t move_terms(builder *b, uint32_t *first, uint32_t terms, const uint32_t *number, uint32_t at)
{
    const uint32_t from = *first;
    *first = at;
    for (uint32_t k = 0; k < terms; k++) {
        tape_term term = b->term[from + k];
        term.left = number[term.left] & 0x3fffffffu;
        term.right = number[term.right] & 0x7fffffffu;
        b->term[at++] = term;
    }
    return at;
}

/* Drops the currents that no amplitude needs; legs stay. */
static void prune(builder *b, const color_strings *strings)
{
    unsigned char *needed = calloc(b->currents, 1);
    uint32_t *number = malloc(b->currents * sizeof *number), kept = 0, at = 0;
    b->failed |= !needed || !number;
    if (!b->failed) {
        for (uint64_t k = 0; k < strings->structures; k++) mark(b, b->closing[k].first, b->closing[k].terms, needed);
        for (uint32_t k = b->currents; k-- > 0;)
            if (needed[k]) mark(b, b->current[k].first, b->current[k].terms, needed);
        for (uint32_t k = 0; k < b->currents; k++) {
            tape_current c = b->current[k];
            if (!needed[k] && c.terms) continue;
            at = move_terms(b, &c.first, c.terms, number, at);
            number[k] = kept;
            b->current[kept++] = c;
        }
        for (uint64_t k = 0; k < strings->structures; k++)
            at = move_terms(b, &b->closing[k].first, b->closing[k].terms, number, at);
        b->currents = kept;
        b->terms = at;
    }
    free(needed);
    free(number);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------ */

static void build(builder *b, const color_strings *strings)
{
    const int n = b->legs->n;
    const uint32_t all = ((1u << n) - 1u) ^ 1u << b->legs->closes;
    for (int leg = 0; leg < n; leg++)
        if (b->legs->kind[leg] != TAPE_GLUON) b->fermions |= 1u << leg;
    add_legs(b);
    for (int size = 2; size < n - 1; size++)
        for (uint32_t set = 1; set < all && !b->failed; set++)
            if (__builtin_popcount(set) == size && !(set & ~all)) {
                add_set(b, set);
                b->failed |= bg_interrupted(b->legs->interrupt);
            }
    if (!b->failed) add_closing(b, strings, all);
    if (!b->failed) prune(b, strings);
}

int bg_tape_create(tape *t, const tape_legs *legs)
{
    const size_t sets = (size_t)1 << legs->n;
    builder b = {.legs = legs};
    memset(t, 0, sizeof *t);
    t->legs = *legs;
    t->strings = bg_color_strings(legs->lines, legs->gluons);
    b.first = calloc(sets, sizeof *b.first);
    b.count = calloc(sets, sizeof *b.count);
    b.failed = !b.first || !b.count;
    if (!b.failed) build(&b, &t->strings);
    free(b.first);
    free(b.count);
    free(b.known);
    free(b.found);
    t->current = b.current;
    t->term = b.term;
    t->closing = b.closing;
    t->currents = b.currents;
    t->terms = b.terms;
    t->bytes = b.currents * sizeof *t->current + b.terms * sizeof *t->term + t->strings.structures * sizeof *t->closing;
    if (b.failed) bg_tape_destroy(t);
    return b.failed ? -1 : 0;
}

void bg_tape_destroy(tape *t)
{
    free(t->current);
    free(t->term);
    free(t->closing);
    memset(t, 0, sizeof *t);
}

tape_legs bg_tape_legs(const bg_subprocess *s, const uint8_t *label)
{
    tape_legs legs = {.n = s->n, .lines = s->lines, .gluons = s->gluons, .closes = s->n - 1};
    for (int k = 0; k < s->gluons; k++) {
        const int place = s->place[s->gluon[k]];
        legs.kind[place] = TAPE_GLUON;
        legs.number[place] = (uint8_t)k;
    }
    for (int k = 0; k < s->lines; k++) {
        const int quark = s->place[s->quark[k]], antiquark = s->place[s->antiquark[k]];
        legs.kind[quark] = TAPE_QUARK;
        legs.kind[antiquark] = TAPE_ANTIQUARK;
        legs.number[quark] = legs.number[antiquark] = (uint8_t)k;
        legs.label[quark] = label ? label[quark] : (uint8_t)k;
        legs.label[antiquark] = label ? label[antiquark] : (uint8_t)k;
    }
    return legs;
}

tape_counts bg_tape_count(const tape *t)
{
    tape_counts n = {0};
    for (uint32_t k = 0; k < t->currents; k++) {
        const tape_current *c = &t->current[k];
        n.quarks += c->kind == TAPE_QUARK || c->kind == TAPE_ANTIQUARK;
        n.u1 += c->kind == TAPE_U1;
        n.real_gluons += c->kind == TAPE_GLUON && !c->fermions;
        n.complex_gluons += c->kind == TAPE_GLUON && c->fermions;
        for (uint32_t i = c->first; i < c->first + c->terms; i++) {
            const tape_term *term = &t->term[i];
            const int left = t->current[term->left].fermions > 0, right = t->current[term->right].fermions > 0;
            n.gluons_real += term->operation == TAPE_GLUONS && left + right == 0;
            n.gluons_mixed += term->operation == TAPE_GLUONS && left + right == 1;
            n.gluons_complex += term->operation == TAPE_GLUONS && left + right == 2;
            n.emit_real += term->operation == TAPE_EMIT && !right;
            n.emit_complex += term->operation == TAPE_EMIT && right;
            n.pairs += term->operation == TAPE_PAIR;
        }
    }
    for (uint64_t k = 0; k < t->strings.structures; k++) n.closing += (int)t->closing[k].terms;
    return n;
}
