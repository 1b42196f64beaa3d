#include "helicity/chirality.h"

static uint32_t place_bit(const bg_subprocess *s, int leg) { return 1u << s->place[leg]; }

int bg_chirality_allowed(const bg_subprocess *s, uint32_t pattern)
{
    int net[BG_MAX_LINES] = {0};
    for (int k = 0; k < s->lines; k++) {
        net[s->flavor[k]] += (pattern & place_bit(s, s->quark[k])) != 0;
        net[s->flavor[k]] -= (pattern & place_bit(s, s->antiquark[k])) != 0;
    }
    for (int f = 0; f < s->flavors; f++)
        if (net[f]) return 0;
    return 1;
}

int bg_chiralities(const bg_subprocess *s, int half, uint32_t *pattern)
{
    uint32_t quarks = 0, first = 0;
    int count = 0;
    for (int k = 0; k < s->lines; k++) quarks |= place_bit(s, s->quark[k]) | place_bit(s, s->antiquark[k]);
    if (half && s->lines) first = place_bit(s, s->quark[0]);
    /* all subsets of `quarks`, in rising order */
    for (uint32_t bits = 0;; bits = (bits - quarks) & quarks) {
        if ((bits & first) == first && bg_chirality_allowed(s, bits)) pattern[count++] = bits;
        if (bits == quarks) break;
    }
    return count;
}

void bg_chirality_labels(const bg_subprocess *s, uint32_t pattern, uint8_t *label)
{
    for (int place = 0; place < s->n; place++) label[place] = 0;
    for (int k = 0; k < s->lines; k++) {
        const int legs[2] = {s->quark[k], s->antiquark[k]};
        for (int i = 0; i < 2; i++)
            label[s->place[legs[i]]] = (uint8_t)(2 * s->flavor[k] + ((pattern & place_bit(s, legs[i])) != 0));
    }
}

uint32_t bg_chirality_of_helicities(const bg_subprocess *s, uint32_t helicities)
{
    const uint32_t outgoing = helicities ^ ((1u << s->n_in) - 1u); /* as if all legs were outgoing */
    uint32_t pattern = 0;
    for (int k = 0; k < s->lines; k++) {
        if (!(outgoing >> s->quark[k] & 1u)) pattern |= place_bit(s, s->quark[k]);
        if (outgoing >> s->antiquark[k] & 1u) pattern |= place_bit(s, s->antiquark[k]);
    }
    return pattern;
}
