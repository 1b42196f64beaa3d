/* Tables of the kernels of line.cu, and the places of a process's legs. */
#include "backend/cuda/line.h"

#include <string.h>

line_places bg_cuda_line_places(const bg_subprocess *s)
{
    line_places x = {.start = 0, .end = (uint8_t)(s->n - 1)};
    const int pair = s->lines == 2;
    for (int k = 0; k < s->gluons; k++) x.letter[k + pair] = (uint16_t)(1u << s->place[s->gluon[k]]);
    if (!pair) return x;
    /* The line that closes is the first one. What it starts with is taken as the quark whatever it is, and the ends of the other line
     * likewise: charge conjugation leaves |M|^2 alone. */
    x.end = (uint8_t)bg_program_closes(s);
    const int first = s->place[s->quark[0]] == x.end || s->place[s->antiquark[0]] == x.end ? 0 : 1;
    const int conjugated = s->place[s->quark[first]] == x.end;
    const uint8_t *quark = conjugated ? s->antiquark : s->quark, *antiquark = conjugated ? s->quark : s->antiquark;
    x.start = s->place[quark[first]];
    x.quark = s->place[quark[1 - first]];
    x.antiquark = s->place[antiquark[1 - first]];
    x.letter[0] = (uint16_t)(1u << x.quark | 1u << x.antiquark);
    return x;
}

size_t bg_cuda_line_table(int letters, int pair)
{
    return pair ? (size_t)LINE_PAIR_TABLE(letters) : bg_factorial(letters) * RECYCLED_RECORD((size_t)letters);
}

/* Where the amplitude of an ordering of the gluons is, of which the first string holds so many. `exchanged`: strings go from each line to the
 * other one. The first quark is the start of the first line. */
static uint32_t position(const color_strings *strings, int exchanged, int length, const permutation *word)
{
    color_structure x = {.connection = {{(uint8_t)exchanged, (uint8_t)!exchanged}}, .word = *word};
    x.length[0] = (uint8_t)length;
    x.length[1] = (uint8_t)(strings->gluons - length);
    return bg_program_position(strings, &x);
}

/* The gluons of an ordering, letter k being gluon k - 1. */
static permutation gluons_of(int letters, const uint32_t *record, int place)
{
    permutation word = {{0}};
    for (int k = 0; k < letters - 1; k++) word.at[k] = (uint8_t)(packed_letter(record[1], k + (k >= place)) - 1u);
    return word;
}

static void add_pair(int N, uint32_t *table)
{
    const color_strings strings = bg_color_strings(2, N - 1);
    const uint32_t orderings = (uint32_t)bg_factorial(N), words = (uint32_t)strings.words;
    uint32_t *by_place = table + LINE_BY_PLACE(N), *direct = table + LINE_DIRECT(N);
    uint32_t *ranks = table + LINE_GLUON_RANKS(N), *last = table + LINE_LAST(N);
    bg_word_records(N - 1, 1, table + LINE_GLUON_TABLE(N));
    for (int place = 0; place < N; place++)
        for (uint32_t rank = 0; rank < orderings; rank++) {
            uint32_t *record = table + rank * (size_t)RECYCLED_RECORD(N);
            if (line_place_of_pair(N, record, N) != place) continue;
            const permutation word = gluons_of(N, record, place);
            const uint32_t gluons = (uint32_t)bg_permutation_rank(N - 1, &word);
            record[0] = position(&strings, 1, place, &word);
            *by_place++ = rank;
            ranks[rank] = gluons;
            if (place == N - 1) last[gluons] = rank;
        }
    for (int length = 0; length < N; length++)
        for (uint32_t rank = 0; rank < words; rank++) {
            const permutation word = bg_permutation_unrank(N - 1, rank);
            *direct++ = position(&strings, 0, length, &word);
        }
}

void bg_cuda_line_fill(int letters, int pair, uint32_t *table)
{
    bg_word_records(letters, 1, table);
    if (pair) add_pair(letters, table);
}
