/* Builds a program (program.h). For every pairing of quarks with antiquarks of their flavors there is a list of vertices (tape.h). Its currents
 * get places, one for each state of what their legs leave open, and each of these states a step with its terms; then the amplitudes are
 * closed. Sets, splits and external states are those of all pairings, and so are currents of gluons only, which are found again by their
 * words.
 */
#include "amplitude/levels.h"
#include "amplitude/number_map.h"
#include "base/bits.h"
#include "base/room.h"
#include "helicity/chirality.h"

#include <stdlib.h>
#include <string.h>

/* ---- while it is built ------------------------------------------------------------------------------------------- */

/* A current of the list of vertices that is worked on. */
typedef struct place {
    uint32_t at;      /* where its first state is; the others follow */
    uint32_t open;    /* bits of the states that it depends on */
    uint32_t set;     /* place of the momentum */
    uint8_t negative; /* what is kept is minus the current */
    uint8_t done;     /* it was there before */
    uint8_t kind;     /* program_kind */
} place;

typedef struct builder {
    quark_program *p;
    const bg_subprocess *process;
    tape list;
    place *current; /* of `list` */
    uint64_t *word; /* of each gluon current of gluons only */
    uint32_t leg_at[BG_MAX_LEGS];
    number_map
        words; /* places of currents by their words, the leg of letter k in bits 4 k and above, 15 behind the last */
    number_map splits; /* numbers of splits by the places of their two sets */
    number_map
        pairs; /* by parts: numbers of gluon currents of the list by the quark and the antiquark of a pair in them */
    uint16_t *row_of; /* [set] 1 + its row */
    uint32_t set_room, split_room, step_room, term_room, leg_room;
    uint32_t numbers;
    uint32_t pattern[BG_MOST_CHIRALITIES];
    int patterns, closes;
    int fixed;                    /* the line whose chirality is +1 in the pairing that is worked on */
    uint8_t line_of[BG_MAX_LEGS]; /* [place] of a quark or antiquark in that pairing */
    bg_interrupt *interrupt;
    int failed;
} builder;

static int is_complex(int kind) { return kind == PROGRAM_COMPLEX_GLUON || kind == PROGRAM_U1; }

static uint32_t numbers_of(int kind) { return is_complex(kind) ? 8 : 4; }

/* ---- sets and splits ------------------------------------------------------------------------------------------------ */

static uint32_t place_of_set(builder *b, uint32_t set)
{
    quark_program *p = b->p;
    if (!b->row_of[set]) {
        p->set = bg_more_room(p->set, p->sets, &b->set_room, sizeof *p->set, &b->failed);
        if (b->failed) return 0;
        p->set[p->sets++] = set;
        b->row_of[set] = (uint16_t)p->sets;
    }
    return (b->row_of[set] - 1u) * PROGRAM_SET_NUMBERS;
}

static uint32_t number_of_split(builder *b, uint32_t left, uint32_t right, uint32_t whole)
{
    quark_program *p = b->p;
    uint32_t *number = number_map_entry(&b->splits, (uint64_t)left << 32 | right, &b->failed);
    if (b->failed) return 0;
    if (!*number) {
        p->split = bg_more_room(p->split, p->splits, &b->split_room, sizeof *p->split, &b->failed);
        if (b->failed) return 0;
        p->split[p->splits++] = (program_split){left, right, whole};
        *number = p->splits;
    }
    return *number - 1;
}

/* ---- states --------------------------------------------------------------------------------------------------------- */

/* The place of the bit of a line in a state, behind those of gluons: all lines but the fixed one have one. */
static int place_of_bit(const builder *b, int line) { return b->p->inner + line - (line > b->fixed); }

/* Bits of the states that the currents of a set depend on. By parts, a line has a state where both of its ends are in the set. */
static uint32_t open_bits(const builder *b, uint32_t set)
{
    const quark_program *p = b->p;
    const tape_legs *legs = &b->list.legs;
    const program_pairing *ends = &p->pairing[p->pairings];
    uint32_t open = 0;
    for (uint32_t rest = set; rest; rest &= rest - 1) {
        const int leg = __builtin_ctz(rest), line = b->line_of[leg];
        if (legs->kind[leg] == TAPE_GLUON) {
            if (legs->number[leg] < p->inner) open |= 1u << legs->number[leg];
        } else if (!p->given && line != b->fixed &&
                   (!p->parts || (set >> ends->quark[line] & set >> ends->antiquark[line] & 1u))) {
            open |= 1u << place_of_bit(b, line);
        }
    }
    return open;
}

/* The bit of a line in a state: of its chirality, or of the part. */
static uint32_t line_bit(const builder *b, int line, uint32_t state)
{
    return line == b->fixed ? 0u : state >> place_of_bit(b, line) & 1u;
}

/* Which chirality a quark of a line has: +1 and -1 are 0 and 1 where they are summed over, otherwise it is that of a leg. */
static uint32_t sign_of(const builder *b, int line, uint32_t state, int leg)
{
    return b->p->given ? (uint32_t)leg : b->p->parts ? 0u : line_bit(b, line, state);
}

static int kind_of(const builder *b, const tape_current *c)
{
    switch (c->kind) {
    case TAPE_QUARK: return PROGRAM_QUARK;
    case TAPE_ANTIQUARK: return PROGRAM_ANTIQUARK;
    case TAPE_U1: return b->p->parts ? PROGRAM_PART_U1 : PROGRAM_U1;
    default:
        if (c->fermions && b->p->parts) return PROGRAM_PART;
        return c->fermions || b->p->complex ? PROGRAM_COMPLEX_GLUON : PROGRAM_REAL_GLUON;
    }
}

/* Where state `state` of a current is. */
static uint32_t at_state(const place *c, uint32_t state)
{
    return c->at + bg_extract_bits(state, c->open) * numbers_of(c->kind);
}

/* ---- legs ----------------------------------------------------------------------------------------------------------- */

static void add_leg(builder *b, const program_leg *leg)
{
    quark_program *p = b->p;
    p->leg = bg_more_room(p->leg, p->legs, &b->leg_room, sizeof *p->leg, &b->failed);
    if (!b->failed) p->leg[p->legs++] = *leg;
}

/* The external states of all legs, once for all pairings. */
static void add_legs(builder *b)
{
    const tape_legs *legs = &b->list.legs;
    const quark_program *p = b->p;
    const uint32_t parts = p->complex ? 2 : 1;
    for (int k = 0; k < legs->n; k++) {
        program_leg leg = {.set = place_of_set(b, 1u << k), .place = (uint8_t)k, .gauge = k == b->process->gauge};
        const int gluon = legs->kind[k] == TAPE_GLUON, inner = gluon && legs->number[k] < p->inner;
        const int states = gluon ? inner ? 2 : 1 : p->given || p->parts ? 1 : 2;
        if (gluon) {
            leg.kind = p->complex ? PROGRAM_COMPLEX_GLUON : PROGRAM_REAL_GLUON;
            leg.state = inner ? 0 : PROGRAM_GIVEN;
            leg.from = inner ? 0 : 2 * parts * legs->number[k];
        } else {
            leg.kind = legs->kind[k] == TAPE_QUARK ? PROGRAM_QUARK : PROGRAM_ANTIQUARK;
            leg.from = p->given ? (uint32_t)k : 0;
        }
        b->leg_at[k] = b->numbers;
        for (int s = 0; s < states; s++) {
            leg.at = b->numbers;
            add_leg(b, &leg);
            b->numbers += numbers_of(leg.kind);
            if (gluon)
                leg.state++;
            else
                leg.from++;
        }
    }
}

/* ---- words of gluons -------------------------------------------------------------------------------------------------- */

static int word_length(uint64_t word)
{
    int n = 0;
    while ((word >> 4 * n & 15u) != 15u) n++;
    return n;
}

static uint64_t word_join(uint64_t left, uint64_t right)
{
    const int n = word_length(left);
    const uint64_t low = ((uint64_t)1 << 4 * n) - 1u;
    return (left & low) | right << 4 * n;
}

static uint64_t word_reverse(uint64_t word)
{
    const int n = word_length(word);
    uint64_t r = ~(uint64_t)0 << 4 * n;
    for (int k = 0; k < n; k++) r |= (word >> 4 * (n - 1 - k) & 15u) << 4 * k;
    return r;
}

/* A current of gluons only has a place already where it was met before, in another pairing or reversed. */
static void place_word(builder *b, uint32_t number)
{
    const tape_current *c = &b->list.current[number];
    place *own = &b->current[number];
    const tape_term *term = &b->list.term[c->first];
    b->word[number] = word_join(b->word[term->left], b->word[term->right]);
    const uint64_t word = b->word[number], reversed = word_reverse(word);
    const uint32_t rising = word < reversed;
    uint32_t *there = number_map_entry(&b->words, rising ? word : reversed, &b->failed);
    if (b->failed) return;
    own->done = *there > 0;
    if (!own->done) *there = 1u + (b->numbers << 1 | rising);
    own->negative = own->done && ((*there - 1u) & 1u) != rising && !(word_length(word) & 1);
    own->at = (*there - 1u) >> 1;
}

/* ---- currents ----------------------------------------------------------------------------------------------------------- */

/* Places for the currents of a list of vertices. */
static void place_currents(builder *b)
{
    for (uint32_t k = 0; k < b->list.currents && !b->failed; k++) {
        const tape_current *c = &b->list.current[k];
        place *own = &b->current[k];
        *own = (place){.at = b->numbers,
                       .open = open_bits(b, c->set),
                       .set = place_of_set(b, c->set),
                       .kind = (uint8_t)kind_of(b, c)};
        if (!c->terms) {
            own->at = b->leg_at[c->leg];
            own->done = 1;
            b->word[k] = ~(uint64_t)15u | c->leg;
            continue;
        }
        if (c->kind == TAPE_GLUON && !c->fermions) place_word(b, k);
        if (!own->done) b->numbers += numbers_of(own->kind) << __builtin_popcount(own->open);
    }
}

/* One term of a step: which order it has, and where its numbers are. */
static program_term make_term(builder *b, const tape_term *t, uint32_t whole, uint32_t state, int *order)
{
    const place *left = &b->current[t->left], *right = &b->current[t->right];
    const int negative = (int)t->negative ^ left->negative ^ right->negative;
    program_term r = {.left = at_state(left, state), .right = at_state(right, state)};
    const int left_complex = is_complex(left->kind), right_complex = is_complex(right->kind);
    if (t->operation == TAPE_GLUONS) {
        const program_term exchanged = {.left = r.right, .right = r.left};
        *order = negative ? 2 * right_complex + left_complex : 2 * left_complex + right_complex;
        if (negative) r = exchanged;
        r.with = negative ? number_of_split(b, right->set, left->set, whole)
                          : number_of_split(b, left->set, right->set, whole);
    } else if (t->operation == TAPE_PAIR) {
        const int label = b->list.current[t->left].label;
        *order = negative ? TERMS_PAIR_MINUS : TERMS_PAIR_PLUS;
        if (b->p->parts) {
            *order = (negative ? TERMS_REAL_MINUS : TERMS_REAL_PLUS) + (int)line_bit(b, label, state);
            r.with = (uint32_t)(place_of_bit(b, label) - b->p->inner);
        } else
            r.with = sign_of(b, label, state, b->p->pairing[b->p->pairings].quark[label]);
    } else {
        *order = (negative ? TERMS_EMIT_R_MINUS : TERMS_EMIT_R_PLUS) + right_complex;
        r.with = right->set;
    }
    return r;
}

/* The terms of a step in their order. */
static void add_terms(builder *b, program_step *step, uint32_t first, uint32_t count, uint32_t whole, uint32_t state)
{
    quark_program *p = b->p;
    step->first = p->terms;
    for (int order = 0; order < TERMS_ORDERS; order++)
        for (uint32_t k = first; k < first + count && !b->failed; k++) {
            int own;
            const program_term term = make_term(b, &b->list.term[k], whole, state, &own);
            if (own != order) continue;
            p->term = bg_more_room(p->term, p->terms, &b->term_room, sizeof *p->term, &b->failed);
            if (b->failed) return;
            p->term[p->terms++] = term;
            step->terms[order]++;
        }
}

/* By parts, a U(1) gluon is the sum of the gluons that have its pairs: in what gluons alone add to these, every vertex comes with the one
 * in which its halves are exchanged, and that is the opposite. */
static void add_sum(builder *b, program_step *step, const tape_current *c, uint32_t state)
{
    quark_program *p = b->p;
    step->first = p->terms;
    for (uint32_t k = c->first; k < c->first + c->terms && !b->failed; k++) {
        const tape_term *t = &b->list.term[k];
        const uint32_t *gluon = number_map_entry(&b->pairs, (uint64_t)t->left << 32 | t->right, &b->failed);
        b->failed |= !gluon || !*gluon; /* never the latter: every line that takes the one takes the other */
        if (b->failed) return;
        const uint32_t at = at_state(&b->current[*gluon - 1], state);
        int there = 0; /* another pair of the same gluon was */
        for (uint32_t i = step->first; i < p->terms; i++) there |= p->term[i].left == at;
        if (there) continue;
        p->term = bg_more_room(p->term, p->terms, &b->term_room, sizeof *p->term, &b->failed);
        if (b->failed) return;
        p->term[p->terms++] = (program_term){.left = at, .right = at};
        step->terms[TERMS_RR]++;
    }
}

/* The pairs of all gluons. */
static void find_pairs(builder *b)
{
    number_map_destroy(&b->pairs);
    b->pairs = (number_map){.size = 0};
    for (uint32_t k = 0; k < b->list.currents; k++) {
        const tape_current *c = &b->list.current[k];
        for (uint32_t i = c->first; c->kind == TAPE_GLUON && i < c->first + c->terms && !b->failed; i++) {
            const tape_term *t = &b->list.term[i];
            if (t->operation != TAPE_PAIR) continue;
            uint32_t *gluon = number_map_entry(&b->pairs, (uint64_t)t->left << 32 | t->right, &b->failed);
            if (!b->failed) *gluon = k + 1;
        }
    }
}

static void add_step(builder *b, const program_step *step)
{
    quark_program *p = b->p;
    p->step = bg_more_room(p->step, p->steps, &b->step_room, sizeof *p->step, &b->failed);
    if (!b->failed) p->step[p->steps++] = *step;
}

/* A sum of gluons comes behind them. */
static uint8_t level_of(const tape_current *c, const place *own)
{
    return (uint8_t)(2 * __builtin_popcount(c->set) + (own->kind == PROGRAM_PART_U1));
}

static void add_currents(builder *b)
{
    if (b->p->parts) find_pairs(b);
    for (uint32_t k = 0; k < b->list.currents && !b->failed; k++) {
        const tape_current *c = &b->list.current[k];
        const place *own = &b->current[k];
        if (own->done) continue;
        for (uint32_t local = 0; local < 1u << __builtin_popcount(own->open) && !b->failed; local++) {
            const uint32_t state = bg_deposit_bits(local, own->open);
            program_step step = {
                .at = at_state(own, state), .set = own->set, .kind = own->kind, .level = level_of(c, own)};
            if (program_is_quark(own->kind))
                step.sign = sign_of(b, c->label, state, b->p->pairing[b->p->pairings].quark[c->label]);
            if (own->kind == PROGRAM_PART_U1 && !b->p->alone)
                add_sum(b, &step, c, state);
            else
                add_terms(b, &step, c->first, c->terms, own->set, state);
            add_step(b, &step);
        }
    }
}

/* ---- amplitudes ----------------------------------------------------------------------------------------------------------- */

/* Which of the patterns has the chiralities of a state, or all the opposite ones: these conjugate the amplitudes. */
static uint32_t pattern_of(const builder *b, uint32_t state)
{
    const quark_program *p = b->p;
    const program_pairing *ends = &p->pairing[p->pairings];
    uint32_t pattern = 0, quarks = 0;
    for (int line = 0; line < p->lines; line++) {
        const uint32_t both = 1u << ends->quark[line] | 1u << ends->antiquark[line];
        quarks |= both;
        if (!line_bit(b, line, state)) pattern |= both;
    }
    for (int k = 0; k < b->patterns; k++)
        if (b->pattern[k] == pattern || b->pattern[k] == (quarks ^ pattern)) return (uint32_t)k;
    return 0; /* never: every pairing of equal flavors makes an allowed pattern */
}

/* Which configuration a state of a pairing adds to. By parts, it has one of its own. */
static uint32_t configuration_of(const builder *b, uint32_t state)
{
    const quark_program *p = b->p;
    const uint32_t gluons = state & ((1u << p->inner) - 1u);
    if (p->parts) return state;
    return p->given ? gluons : pattern_of(b, state) << p->inner | gluons;
}

/* The patterns of the chiralities that parts make. */
static void add_patterns(builder *b)
{
    quark_program *p = b->p;
    const uint32_t states = 1u << (p->lines - 1);
    for (uint32_t k = 0; k < states; k++)
        p->pattern[(uint32_t)p->pairings * states + k] = (uint16_t)pattern_of(b, k << p->inner);
}

uint32_t bg_program_position(const color_strings *s, const color_structure *structure)
{
    const permutation inverse = bg_permutation_inverse(s->gluons, &structure->word);
    const uint64_t skeleton = bg_color_structure_rank(s, structure) / s->words;
    return (uint32_t)(skeleton * s->words + bg_permutation_rank(s->gluons, &inverse));
}

static void add_amplitudes(builder *b)
{
    quark_program *p = b->p;
    const tape_legs *legs = &b->list.legs;
    const int closes = legs->closes, line = b->line_of[closes], quark = legs->kind[closes] == TAPE_QUARK;
    const uint32_t states = 1u << (p->inner + (p->given ? 0 : p->lines - 1));
    for (uint32_t state = 0; state < states; state++)
        for (uint64_t k = 0; k < b->list.strings.structures && !b->failed; k++) {
            const tape_closing *c = &b->list.closing[k];
            const uint32_t configuration = configuration_of(b, state);
            const color_structure structure = bg_color_structure_unrank(&b->list.strings, k);
            program_step step = {.at = bg_program_position(&b->list.strings, &structure),
                                 .configuration = configuration,
                                 .level = (uint8_t)(2 * p->n + p->pairings),
                                 .set = b->leg_at[closes] + 4 * (p->given ? 0 : sign_of(b, line, state, closes)),
                                 .kind = quark ? PROGRAM_ANTIQUARK : PROGRAM_QUARK,
                                 .closes = 1,
                                 .sign = sign_of(b, line, state, p->pairing[p->pairings].quark[line]),
                                 .pairing = (uint8_t)p->pairings};
            add_terms(b, &step, c->first, c->terms, 0, state);
            add_step(b, &step);
        }
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

/* A beam where there is one: it is in the last place. */
int bg_program_closes(const bg_subprocess *s)
{
    const int last = s->n - 1;
    return s->crossed[s->leg[last]] == BG_PDG_GLUON ? s->place[s->antiquark[0]] : last;
}

/* The legs of a pairing in which antiquark other[i] belongs to quark i. */
static tape_legs legs_of(const bg_subprocess *s, const permutation *other, int closes)
{
    uint8_t label[BG_MAX_LEGS] = {0};
    for (int k = 0; k < s->lines; k++) {
        label[s->place[s->quark[k]]] = (uint8_t)k;
        label[s->place[s->antiquark[other->at[k]]]] = (uint8_t)k;
    }
    tape_legs legs = bg_tape_legs(s, label);
    legs.closes = closes ? closes - 1 : bg_program_closes(s);
    return legs;
}

static int same_flavors(const bg_subprocess *s, const permutation *other)
{
    for (int k = 0; k < s->lines; k++)
        if (s->flavor[other->at[k]] != s->flavor[k]) return 0;
    return 1;
}

/* The list of vertices of a pairing, with room for what is known of its currents. */
static void begin_pairing(builder *b, const permutation *other)
{
    const bg_subprocess *s = b->process;
    tape_legs legs = legs_of(s, other, b->closes);
    program_pairing *ends = &b->p->pairing[b->p->pairings];
    for (int k = 0; k < s->lines; k++) {
        ends->quark[k] = s->place[s->quark[k]];
        ends->antiquark[k] = s->place[s->antiquark[other->at[k]]];
        b->line_of[ends->quark[k]] = b->line_of[ends->antiquark[k]] = (uint8_t)k;
    }
    b->p->on_gauge = legs.closes == s->gauge;
    b->fixed = b->p->parts ? b->line_of[legs.closes] : 0;
    legs.interrupt = b->interrupt;
    b->failed |= bg_tape_create(&b->list, &legs) != 0;
    if (b->failed) return;
    b->current = malloc(b->list.currents * sizeof *b->current);
    b->word = malloc(b->list.currents * sizeof *b->word);
    b->failed |= !b->current || !b->word;
}

static void end_pairing(builder *b)
{
    bg_tape_destroy(&b->list);
    free(b->current);
    free(b->word);
    b->current = NULL;
    b->word = NULL;
}

/* Calls a function for every pairing. The first one is that of distinct flavors. */
static void visit_pairings(builder *b, void (*visit)(builder *b))
{
    const int lines = b->process->lines;
    permutation other = bg_permutation_unrank(lines, 0);
    b->p->pairings = 0;
    do {
        if (!same_flavors(b->process, &other)) continue;
        begin_pairing(b, &other);
        if (!b->failed) visit(b);
        end_pairing(b);
        b->failed |= bg_interrupted(b->interrupt);
        b->p->pairings++;
    } while (!b->failed && bg_permutation_next(lines, &other));
}

int bg_program_pairings(const bg_subprocess *process)
{
    permutation other = bg_permutation_unrank(process->lines, 0);
    int pairings = 0;
    do pairings += same_flavors(process, &other);
    while (bg_permutation_next(process->lines, &other));
    return pairings;
}

/* Numbers of all currents, for those who only want to know. */
static void count_pairing(builder *b)
{
    if (!b->p->pairings) add_legs(b);
    place_currents(b);
}

static void build_pairing(builder *b)
{
    count_pairing(b);
    add_currents(b);
    add_amplitudes(b);
    if (b->p->parts) add_patterns(b);
}

static int start(builder *b, quark_program *p, const bg_subprocess *process, const program_layout *layout)
{
    const color_strings strings = bg_color_strings(process->lines, process->gluons);
    memset(p, 0, sizeof *p);
    *b = (builder){.p = p, .process = process, .closes = layout->closes, .interrupt = layout->interrupt};
    p->n = process->n;
    p->gluons = process->gluons;
    p->lines = process->lines;
    p->inner = layout->inner;
    p->complex = layout->complex;
    p->given = layout->given;
    p->parts = layout->parts;
    p->alone = layout->alone;
    p->structures = (uint32_t)strings.structures;
    for (int k = 0; k < process->n; k++)
        if (k != process->gauge && k != process->opposite) p->outgoing[p->n_out++] = (uint8_t)k;
    p->pairing = calloc((size_t)bg_factorial(process->lines), sizeof *p->pairing);
    p->pattern = calloc((size_t)bg_factorial(process->lines) << (process->lines - 1), sizeof *p->pattern);
    b->row_of = calloc((size_t)1 << process->n, sizeof *b->row_of);
    b->patterns = bg_chiralities(process, 1, b->pattern);
    p->configurations = (uint32_t)(p->given ? 1 : b->patterns) << p->inner;
    b->failed = !p->pairing || !p->pattern || !b->row_of;
    return b->failed;
}

static void finish(builder *b)
{
    number_map_destroy(&b->words);
    number_map_destroy(&b->splits);
    number_map_destroy(&b->pairs);
    free(b->row_of);
}

int bg_program_create(quark_program *p, const bg_subprocess *process, const program_layout *layout)
{
    builder b;
    if (!start(&b, p, process, layout)) visit_pairings(&b, build_pairing);
    if (!b.failed) {
        bg_program_lay_out(p, b.numbers);
        bg_program_move_to_places(p);
        b.failed |= bg_program_sort(p) != 0;
        p->adds = p->pairings > 1;
        p->bytes = p->sets * sizeof *p->set + p->splits * sizeof *p->split + p->legs * sizeof *p->leg +
                   p->steps * sizeof *p->step + p->terms * sizeof *p->term;
    }
    finish(&b);
    if (b.failed) bg_program_destroy(p);
    return b.failed ? -1 : 0;
}

int bg_program_inner(const bg_subprocess *process, int parts, size_t numbers, bg_interrupt *interrupt)
{
    for (int inner = process->gluons;; inner--) {
        const program_layout layout = {.inner = inner, .parts = parts, .interrupt = interrupt};
        quark_program p;
        builder b;
        if (!start(&b, &p, process, &layout)) visit_pairings(&b, count_pairing);
        bg_program_lay_out(&p, b.numbers);
        const int fits = p.numbers + program_amplitudes(&p) <= numbers, failed = b.failed;
        finish(&b);
        bg_program_destroy(&p);
        if (failed) return -1;
        if (fits || !inner) return inner;
    }
}

void bg_program_destroy(quark_program *p)
{
    free(p->set);
    free(p->split);
    free(p->leg);
    free(p->step);
    free(p->term);
    free(p->pairing);
    free(p->level);
    free(p->pattern);
    memset(p, 0, sizeof *p);
}
