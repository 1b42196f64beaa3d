/* Tables of the fast kernels on the device: splits of words and paths of orderings (fast.h). */
#include "amplitude/shared.h"
#include "backend/cuda/fast.h"

/* Number of a part of a word, through all lengths. */
static uint32_t numbered(const shared_layout *o, uint32_t suffix, int length)
{
    return (uint32_t)o->base[length] + suffix;
}

static void add_row(int N, const shared_layout *o, const shared_word *w, fast_split *row)
{
    const int m = w->length;
    row[0].left = numbered(o, w->suffix[m][0], m);
    row[0].right = numbered(o, word_reversed(N, w), m);
    row[0].left_set = w->set[m][0];
    row[0].right_set = 0;
    for (int l = 1; l < m; l++) {
        row[l].left = numbered(o, w->suffix[l][0], l);
        row[l].right = numbered(o, w->suffix[m][l], m - l);
        row[l].left_set = w->set[l][0];
        row[l].right_set = w->set[m][l];
    }
}

static void list_rows(int N, const shared_layout *o, fast_words *t, fast_split *row)
{
    uint32_t used = 0;
    t->first[0] = t->count[0] = t->first[1] = t->count[1] = 0;
    for (int m = 2; m < N; m++) {
        shared_word w;
        t->first[m] = used;
        t->count[m] = 0;
        word_start(&w);
        while (word_next(N, m, &w)) {
            if (w.length < m || w.letter[0] > w.letter[m - 1]) continue;
            if (row) add_row(N, o, &w, row + used);
            used += (uint32_t)m;
            t->count[m]++;
        }
    }
    t->first[N] = used;
}

/* The place of an ordering: its rank for the dense sum, that of its inverse for the Fourier transform. */
static uint32_t place_of(int N, const shared_word *w)
{
    return N < FAST_FOURIER ? w->suffix[N][0] : word_inverse_rank(N, w);
}

/* Adds what belongs to the first k letters of the word. */
static uint32_t add_node(int N, const shared_layout *o, const shared_word *w, int k, uint32_t *node)
{
    if (node) {
        node[0] = k < N ? w->set[k][0] : place_of(N, w);
        for (int j = 0; j < k; j++)
            if (k < N)
                node[1 + j] = numbered(o, w->suffix[k][j], k - j);
            else if (j)
                node[j] = numbered(o, w->suffix[N][j], N - j);
    }
    return (uint32_t)(k < N ? k + 1 : N);
}

static void list_records(int N, const shared_layout *o, fast_words *t, uint32_t *node)
{
    shared_word w;
    uint32_t used = 0;
    t->records = 0;
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (w.length < t->depth) continue;
        if (w.length == t->depth) {
            t->records++;
            for (int k = 1; k < t->depth; k++) used += add_node(N, o, &w, k, node ? node + used : NULL);
        }
        used += add_node(N, o, &w, w.length, node ? node + used : NULL);
    }
    t->record = used / t->records;
}

void bg_fast_words(int letters, fast_words *t, fast_split *row, uint32_t *node)
{
    shared_layout o;
    shared_lay_out(letters, 1, 1, &o);
    t->letters = letters;
    t->words = (uint32_t)o.base[letters];
    /* the last three letters make 6 orderings; more of them where there are prefixes enough to fill a device */
    t->depth = letters <= 3 ? letters - 1 : letters < 7 ? letters - 3 : letters - 4;
    list_rows(letters, &o, t, row);
    list_records(letters, &o, t, node);
}
