#include "color/tags.h"

/* One tag from leg a, as outgoing, to leg b. */
static void connect(const bg_subprocess *s, int a, int b, int number, color_tag *tag)
{
    *(a < s->n_in ? &tag[a].anticolor : &tag[a].color) = number;
    *(b < s->n_in ? &tag[b].color : &tag[b].anticolor) = number;
}

static void clear(const bg_subprocess *s, color_tag *tag)
{
    for (int leg = 0; leg < s->n; leg++) tag[leg] = (color_tag){0, 0};
}

void bg_color_tags(const bg_subprocess *s, const color_structure *x, color_tag *tag)
{
    int number = BG_FIRST_TAG, place = 0;
    clear(s, tag);
    for (int string = 0; string < s->lines; string++) {
        int leg = s->quark[string];
        for (int k = 0; k < x->length[string]; k++) {
            const int gluon = s->gluon[x->word.at[place++]];
            connect(s, leg, gluon, number++, tag);
            leg = gluon;
        }
        connect(s, leg, s->antiquark[x->connection.at[string]], number++, tag);
    }
}

color_structure bg_color_structure_of_line(const bg_subprocess *s, const permutation *word)
{
    color_structure x = {.length = {(uint8_t)s->gluons}};
    for (int k = 0; k < s->gluons; k++) x.word.at[k] = word->at[s->reversed ? s->gluons - 1 - k : k];
    return x;
}

void bg_color_tags_of_trace(const bg_subprocess *s, const uint8_t *leg, color_tag *tag)
{
    clear(s, tag);
    for (int k = 0; k < s->n; k++) connect(s, leg[k], leg[k + 1 < s->n ? k + 1 : 0], BG_FIRST_TAG + k, tag);
}

uint64_t bg_color_choose(uint64_t count, const double *weight, double u)
{
    double total = 0.;
    uint64_t chosen = 0;
    for (uint64_t k = 0; k < count; k++) total += weight[k];
    double left = u * total;
    for (uint64_t k = 0; k < count; k++) {
        if (!(weight[k] > 0.)) continue;
        chosen = k; /* rounding may leave a little at the end: the last one with weight takes it */
        if (left < weight[k]) break;
        left -= weight[k];
    }
    return chosen;
}
