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

/* From helicities by place, all legs taken as outgoing. */
static uint32_t pattern_of(const bg_subprocess *s, uint32_t configuration)
{
    uint32_t pattern = 0;
    for (int k = 0; k < s->lines; k++)
        pattern |= (~configuration & place_bit(s, s->quark[k])) | (configuration & place_bit(s, s->antiquark[k]));
    return pattern;
}

uint32_t bg_chirality_of_helicities(const bg_subprocess *s, uint32_t helicities)
{
    const uint32_t outgoing = helicities ^ ((1u << s->n_in) - 1u);
    uint32_t configuration = 0;
    for (int leg = 0; leg < s->n; leg++)
        if (outgoing >> leg & 1u) configuration |= place_bit(s, leg);
    return pattern_of(s, configuration);
}

int bg_helicities_allowed(const bg_subprocess *s, uint32_t configuration)
{
    const int needed = s->lines == 0 ? 2 : s->lines == 1 ? 1 : 0;
    int plus = 0;
    for (int g = 0; g < s->gluons; g++) plus += (configuration & place_bit(s, s->gluon[g])) != 0;
    return bg_chirality_allowed(s, pattern_of(s, configuration)) && plus >= needed && s->gluons - plus >= needed;
}
