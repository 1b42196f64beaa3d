#include "color/open_strings.h"
#include "base/constants.h"
#include "helicity/chirality.h"

#include <string.h>

/* The fermion that closes: a quark of a beam where there is one, since its momentum is the gauge vector. */
static int closing_leg(const bg_subprocess *s)
{
    const int last = s->leg[s->n - 1];
    for (int i = 0; i < s->lines; i++)
        if (s->quark[i] == last || s->antiquark[i] == last) return last;
    return s->antiquark[0];
}

/* Numbers of the fermions in the order of the lines, the one that closes behind all others. */
static void number_fermions(open_process *o, const bg_subprocess *s)
{
    const int closing = closing_leg(s);
    int next = 0;
    for (int i = 0; i < s->lines; i++)
        for (int is_quark = 0; is_quark < 2; is_quark++) {
            const int leg = is_quark ? s->quark[i] : s->antiquark[i];
            const int number = leg == closing ? 2 * s->lines - 1 : next++;
            (is_quark ? o->quark : o->antiquark)[i] = (uint8_t)number;
            o->flavor[number] = s->flavor[i];
            o->is_quark[number] = (uint8_t)is_quark;
            o->line[number] = (uint8_t)i;
            o->of_flavor[s->flavor[i]] |= (uint8_t)(1u << number);
            o->place[s->gluons + number] = s->place[leg];
        }
    o->closes_on_gauge = s->place[closing] == s->gauge;
}

/* A set of fermions by its flavors: all in balance, or one quark or antiquark too many. Two lines close on a gluon: there no current
 * has three fermions, and no gluon's has the last one. */
static uint8_t content_of(const open_process *o, uint32_t set)
{
    int net[OPEN_MOST_LINES] = {0}, content = OPEN_GLUON;
    if (o->lines == 2 && (bg_members(set) > 2 || (set >> 3 && set & 7u))) return OPEN_NO_CURRENT;
    for (int f = 0; f < 2 * o->lines; f++)
        if (set >> f & 1u) net[o->flavor[f]] += o->is_quark[f] ? 1 : -1;
    for (int f = 0; f < OPEN_MOST_LINES; f++) {
        if (!net[f]) continue;
        if (content != OPEN_GLUON || net[f] > 1 || net[f] < -1) return OPEN_NO_CURRENT;
        content = net[f] > 0 ? OPEN_QUARK + f : OPEN_ANTIQUARK + f;
    }
    return (uint8_t)content;
}

/* What sets of fermions are, and which of them have a current. */
static void list_sets(open_process *o)
{
    const int fermions = o->lines == 2 ? 4 : 2 * o->lines - 1;
    for (uint32_t set = 0; set < 1u << fermions; set++) {
        o->content[set] = content_of(o, set);
        if (o->content[set] != OPEN_NO_CURRENT) o->filling[o->fillings++] = (uint8_t)set;
        if (o->lines == 2 && set && o->content[set] == OPEN_GLUON) o->half[o->halves++] = (uint8_t)set;
        for (int f = 0; f < fermions; f++)
            if (set >> f & 1u) o->behind[set] ^= (uint8_t)(~0u << (f + 1));
    }
}

/* Cycles of the strings and the lines together, where antiquark pairing[i] belongs to quark i. */
static int cycles_of(int lines, int connection, int pairing)
{
    int line_of[OPEN_MOST_LINES], seen = 0, cycles = 0;
    for (int i = 0; i < lines; i++) line_of[open_end(lines, pairing, i)] = i;
    for (int i = 0; i < lines; i++) {
        if (seen >> i & 1) continue;
        cycles++;
        for (int k = i; !(seen >> k & 1); k = line_of[open_end(lines, connection, k)]) seen |= 1 << k;
    }
    return cycles;
}

/* Groups of lines that a connection does not join are joined by U(1) gluons, with a factor -1/N_c each in the amplitude. Of identical
 * flavors, the pairing counts that needs fewest. */
static double connection_weight(const open_process *o, int connection)
{
    int fewest = o->lines;
    for (int pairing = 0; pairing < open_connections(o->lines); pairing++) {
        int fits = 1;
        for (int i = 0; i < o->lines; i++)
            fits &= o->flavor[o->quark[i]] == o->flavor[o->antiquark[open_end(o->lines, pairing, i)]];
        const int cycles = cycles_of(o->lines, connection, pairing);
        if (fits && cycles < fewest) fewest = cycles;
    }
    double weight = 1.;
    for (int k = 1; k < fewest; k++) weight /= BG_NC * BG_NC;
    return weight;
}

/* Fermions whose helicities are not the same in two patterns. */
static uint8_t turned_between(const open_process *o, uint32_t one, uint32_t other)
{
    uint32_t turned = 0;
    for (int f = 0; f < 2 * o->lines; f++) turned |= ((one ^ other) >> o->place[o->gluons + f] & 1u) << f;
    return (uint8_t)turned;
}

/* Sets of fermions that have a current, and one of these in it. */
static int sets_with(const open_process *o, uint8_t turned)
{
    int sets = 0;
    for (uint32_t set = 1; set < 1u << (2 * o->lines - 1); set++)
        sets += o->content[set] != OPEN_NO_CURRENT && (set & turned);
    return sets;
}

/* Half of the chiralities of all lines, as helicities: those of quarks are minus their chirality. Currents of fermions that keep their
 * helicity from one pattern to the next are computed once, so that each is followed by the one of those left, or by the opposite of
 * one, that turns the fewest of them. */
static void list_patterns(open_process *o, const bg_subprocess *s)
{
    uint32_t quarks = 0, fermions = 0;
    o->patterns = bg_chiralities(s, 1, o->pattern);
    for (int f = 0; f < 2 * o->lines; f++) {
        const uint32_t bit = 1u << o->place[o->gluons + f];
        fermions |= bit;
        quarks |= o->is_quark[f] ? bit : 0u;
    }
    for (int k = 0; k < o->patterns; k++) o->pattern[k] ^= quarks;
    o->turned[0] = (uint8_t)((1u << 2 * o->lines) - 1u);
    for (int k = 1; k < o->patterns; k++) {
        const uint32_t before = o->pattern[k - 1];
        int fewest = 1 << 2 * o->lines, from = k;
        uint32_t next = 0;
        for (int j = k; j < o->patterns; j++)
            for (int opposite = 0; opposite < 2; opposite++) {
                const uint32_t pattern = opposite ? o->pattern[j] ^ fermions : o->pattern[j];
                const int sets = sets_with(o, turned_between(o, before, pattern));
                if (sets >= fewest) continue;
                fewest = sets;
                from = j;
                next = pattern;
            }
        o->pattern[from] = o->pattern[k];
        o->pattern[k] = next;
        o->turned[k] = turned_between(o, before, next);
    }
}

open_process bg_open_process(const bg_subprocess *s)
{
    open_process o;
    memset(&o, 0, sizeof o);
    o.legs = s->n;
    o.gluons = s->gluons;
    o.lines = s->lines;
    o.identical = s->flavors < s->lines;
    for (int g = 0; g < s->gluons; g++) o.place[g] = s->place[s->gluon[g]];
    number_fermions(&o, s);
    list_sets(&o);
    list_patterns(&o, s);
    for (int k = 0; k < open_connections(o.lines); k++) o.weight[k] = connection_weight(&o, k);
    return o;
}

int bg_open_skeletons(const open_process *o)
{
    const int n = o->gluons;
    const int lengths = o->lines == 1 ? 1 : o->lines == 2 ? n + 1 : (n + 1) * (n + 2) / 2;
    return open_connections(o->lines) * lengths;
}
