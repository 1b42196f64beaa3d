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
            o->place[s->gluons + number] = s->place[leg];
        }
    o->closes_on_gauge = s->place[closing] == s->gauge;
}

/* A set of fermions by its flavors: all in balance, or one quark or antiquark too many. */
static uint8_t content_of(const open_process *o, uint32_t set)
{
    int net[OPEN_MOST_LINES] = {0}, content = OPEN_GLUON;
    for (int f = 0; f < 2 * o->lines - 1; f++)
        if (set >> f & 1u) net[o->flavor[f]] += o->is_quark[f] ? 1 : -1;
    for (int f = 0; f < OPEN_MOST_LINES; f++) {
        if (!net[f]) continue;
        if (content != OPEN_GLUON || net[f] > 1 || net[f] < -1) return OPEN_NO_CURRENT;
        content = net[f] > 0 ? OPEN_QUARK + f : OPEN_ANTIQUARK + f;
    }
    return (uint8_t)content;
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

/* Half of the chiralities of all lines, as helicities: those of quarks are minus their chirality. */
static void list_patterns(open_process *o, const bg_subprocess *s)
{
    uint32_t chiralities[BG_MOST_CHIRALITIES], quarks = 0;
    for (int i = 0; i < s->lines; i++) quarks |= 1u << s->place[s->quark[i]];
    o->patterns = bg_chiralities(s, 1, chiralities);
    for (int k = 0; k < o->patterns; k++) o->pattern[k] = chiralities[k] ^ quarks;
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
    for (uint32_t set = 0; set < 1u << (2 * o.lines - 1); set++) {
        o.content[set] = content_of(&o, set);
        for (int f = 0; f < 2 * o.lines - 1; f++)
            if (set >> f & 1u) o.behind[set] ^= (uint8_t)(~0u << (f + 1));
    }
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
