#include "amplitude/words.h"

#include "amplitude/shared.h"

/* Words between two questions whether to go on: some milliseconds. */
#define ASK_EVERY 65536

/* The number, through all lengths, of the letters from `start` on of the first `length` letters of a word. */
static uint32_t numbered(const shared_layout *o, const shared_word *w, int length, int start)
{
    return (uint32_t)o->base[length - start] + word_number(w, length, start);
}

static void add_row(int N, const shared_layout *o, const shared_word *w, word_split *row)
{
    const int m = w->length;
    row[0].left = numbered(o, w, m, 0);
    row[0].right = (uint32_t)o->base[m] + word_reversed(N, w);
    row[0].left_set = w->set[m][0];
    row[0].right_set = 0;
    for (int l = 1; l < m; l++) {
        row[l].left = numbered(o, w, l, 0);
        row[l].right = numbered(o, w, m, l);
        row[l].left_set = w->set[l][0];
        row[l].right_set = w->set[m][l];
    }
}

static void list_rows(int N, const shared_layout *o, word_split *row, bg_interrupt *interrupt)
{
    unsigned rows = 0;
    for (int m = 2; m < N; m++) {
        shared_word w;
        word_start(&w);
        while (word_next(N, m, &w)) {
            if (w.length < m || w.letter[0] > w.letter[m - 1]) continue;
            if (rows++ % ASK_EVERY == 0 && bg_interrupted(interrupt)) return;
            add_row(N, o, &w, row);
            row += m;
        }
    }
}

/* The place of an ordering among the amplitudes. */
static uint32_t place_of(int N, int by_inverse, const shared_word *w)
{
    return by_inverse ? word_inverse_rank(N, w) : word_number(w, N, 0);
}

/* Numbers of a node of k letters. */
static uint32_t node_size(int N, int k) { return (uint32_t)(k < N ? k + 1 : N); }

/* What belongs to the first k letters of the word; returns the place behind. */
static uint32_t *add_node(int N, int by_inverse, const shared_layout *o, const shared_word *w, int k, uint32_t *node)
{
    const int skipped = k == N; /* the current of all letters is not one of the words */
    node[0] = k < N ? w->set[k][0] : place_of(N, by_inverse, w);
    for (int j = skipped; j < k; j++) node[1 + j - skipped] = numbered(o, w, k, j);
    return node + node_size(N, k);
}

static void list_records(int N, int depth, int by_inverse, const shared_layout *o, uint32_t *node,
                         bg_interrupt *interrupt)
{
    unsigned nodes = 0;
    shared_word w;
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (nodes++ % ASK_EVERY == 0 && bg_interrupted(interrupt)) return;
        if (w.length < depth) continue;
        if (w.length == depth)
            for (int k = 1; k < depth; k++) node = add_node(N, by_inverse, o, &w, k, node);
        node = add_node(N, by_inverse, o, &w, w.length, node);
    }
}

void bg_word_sizes(int letters, int depth, word_tables *t)
{
    const int N = letters;
    uint32_t words = 1, nodes = 1;
    t->letters = N;
    t->depth = depth;
    t->words = 0;
    t->first[0] = t->first[1] = t->first[2] = t->count[0] = t->count[1] = 0;
    for (int m = 1; m < N; m++) {
        words *= (uint32_t)(N - m + 1);
        t->words += words;
        if (m < 2) continue;
        t->count[m] = words / 2; /* the other half are their reversals */
        t->first[m + 1] = t->first[m] + t->count[m] * (uint32_t)m;
    }
    t->records = 1;
    t->record = 0;
    for (int k = 1; k <= N; k++) {
        if (k <= t->depth)
            t->records *= (uint32_t)(N - k + 1);
        else
            nodes *= (uint32_t)(N - k + 1);
        t->record += nodes * node_size(N, k);
    }
}

int bg_word_tables(int letters, int depth, int by_inverse, word_split *row, uint32_t *node, bg_interrupt *interrupt)
{
    shared_layout o;
    shared_lay_out(letters, 1, 1, &o);
    list_rows(letters, &o, row, interrupt);
    if (node) list_records(letters, depth, by_inverse, &o, node, interrupt);
    return bg_interrupt_reason_of(interrupt) ? -1 : 0;
}

/* ---- all helicities ---------------------------------------------------------------------------------------- */

/* Pairs of L of fewer than `length` letters; k letters have 2^(k+1) states. */
static size_t prefixes_below(int letters, int length)
{
    size_t words = 1, pairs = 0;
    for (int k = 1; k < length; k++) {
        words *= (size_t)(letters - k + 1);
        pairs += words << (k + 2);
    }
    return pairs;
}

void bg_word_records(int letters, int by_inverse, uint32_t *record)
{
    const int N = letters;
    shared_layout o;
    shared_word w;
    shared_lay_out(N, 2, 1, &o);
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (w.length < N) continue;
        record[0] = place_of(N, by_inverse, &w);
        record[1] = 0;
        for (int k = 0; k < N; k++) record[1] |= (uint32_t)packed_place(w.letter[k], k);
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j <= N; j++)
                record[RECYCLED_WORD(N, i, j)] =
                    j - i < N ? (uint32_t)(2 * (o.base[j - i] + ((size_t)word_number(&w, j, i) << (j - i)))) : 0;
        for (int k = 1; k < N - 1; k++)
            record[RECYCLED_PREFIX(N, k)] =
                (uint32_t)(prefixes_below(N, k) + ((size_t)word_number(&w, k, 0) << (k + 2)));
        record += RECYCLED_RECORD(N);
    }
}
