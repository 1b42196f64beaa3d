/* Tables of words (amplitude/words.h): the examples of the header, and every number of every table against the letters it
 * stands for.
 */
#include "amplitude/words.h"
#include "color/permutation.h"

#include "support.h"

enum { MOST = 7 };

/* The letters of a word, by its number through all lengths. */
typedef struct word {
    int length;
    permutation letter;
} word;

static word word_of(int N, uint32_t number)
{
    word w = {.length = 1};
    for (uint32_t words = (uint32_t)N; number >= words; w.length++) {
        number -= words;
        words *= (uint32_t)(N - w.length);
    }
    w.letter = permutation_word(N, w.length, number);
    return w;
}

static uint32_t set_of(const word *w)
{
    uint32_t set = 0;
    for (int k = 0; k < w->length; k++) set |= 1u << w->letter.at[k];
    return set;
}

/* The letters from .. to - 1 of a word are the word of this number. */
static void assert_part(int N, const word *w, int from, int to, uint32_t number)
{
    const word part = word_of(N, number);
    assert_int_equal(part.length, to - from);
    for (int k = from; k < to; k++) assert_int_equal(part.letter.at[k - from], w->letter.at[k]);
}

static void examples(void **state)
{
    (void)state;
    const word_split row[] = {{16, 30, 7, 0}, {0, 8, 1, 6}, {4, 2, 3, 4}};
    const uint32_t node[] = {1, 0, 3, 4, 1, 7, 16, 8, 2, 0, 25, 12, 3, 11, 17, 9, 3, 1, 27, 15, 2};
    const uint32_t record[] = {0, 0x3210, 0, 16, 112, 0, 4, 48, 256, 8, 80, 12, 0, 32};
    word_tables t;
    bg_word_sizes(4, 2, &t);
    assert_int_equal(t.record, sizeof node / sizeof *node);
    assert_int_equal(RECYCLED_RECORD(4), sizeof record / sizeof *record);
    word_split *rows = test_malloc(t.first[4] * sizeof *rows);
    uint32_t *nodes = test_malloc((size_t)t.records * t.record * sizeof *nodes);
    uint32_t *records = test_malloc(24 * sizeof record);
    bg_word_tables(4, 2, 0, rows, nodes, NULL);
    bg_word_records(4, 0, records);
    assert_memory_equal(rows + t.first[3], row, sizeof row);
    assert_memory_equal(nodes, node, sizeof node);
    assert_memory_equal(records, record, sizeof record);
    test_free(rows);
    test_free(nodes);
    test_free(records);
}

static void halves_of_words(void **state)
{
    (void)state;
    for (int N = 2; N <= MOST; N++) {
        word_tables t;
        bg_word_sizes(N, N - 1, &t);
        word_split *rows = test_malloc(t.first[N] * sizeof *rows + 1);
        bg_word_tables(N, N - 1, 0, rows, NULL, NULL);
        for (int m = 2; m < N; m++)
            for (uint32_t k = 0; k < t.count[m]; k++) {
                const word_split *row = rows + t.first[m] + k * (uint32_t)m;
                const word w = word_of(N, row->left), back = word_of(N, row->right);
                assert_int_equal(w.length, m);
                assert_int_equal(row->left_set, set_of(&w));
                for (int i = 0; i < m; i++) assert_int_equal(w.letter.at[i], back.letter.at[m - 1 - i]);
                for (int l = 1; l < m; l++) {
                    assert_part(N, &w, 0, l, row[l].left);
                    assert_part(N, &w, l, m, row[l].right);
                    assert_int_equal(row[l].left_set | row[l].right_set, row->left_set);
                    assert_int_equal(row[l].left_set & row[l].right_set, 0);
                }
            }
        test_free(rows);
    }
}

/* Walks through a record as a thread of a kernel does, and counts the orderings. */
static const uint32_t *walk(int N, int depth, int by_inverse, const word *w, const uint32_t *node, uint32_t *orderings)
{
    const int k = w->length;
    if (k == N) {
        const permutation inverse = bg_permutation_inverse(N, &w->letter);
        assert_int_equal(node[0], bg_permutation_rank(N, by_inverse ? &inverse : &w->letter));
        for (int j = 1; j < N; j++) assert_part(N, w, j, N, node[j]);
        ++*orderings;
        return node + N;
    }
    if (k) {
        assert_int_equal(node[0], set_of(w));
        for (int j = 0; j < k; j++) assert_part(N, w, j, k, node[1 + j]);
        node += k + 1;
    }
    for (int letter = 0; letter < N; letter++) {
        word next = *w;
        if (set_of(w) >> letter & 1u) continue;
        next.letter.at[next.length++] = (uint8_t)letter;
        /* up to the depth there is one way only, which the next set or word says */
        if (k < depth && (k + 1 < N ? node[0] != set_of(&next) : word_of(N, node[N - 1]).letter.at[0] != letter))
            continue;
        node = walk(N, depth, by_inverse, &next, node, orderings);
        if (k < depth) break;
    }
    return node;
}

static void paths_of_orderings(void **state)
{
    (void)state;
    for (int N = 2; N <= MOST; N++)
        for (int depth = 1; depth < N; depth++) {
            const int by_inverse = depth & 1;
            const word none = {0};
            uint32_t orderings = 0;
            word_tables t;
            bg_word_sizes(N, depth, &t);
            word_split *rows = test_malloc(t.first[N] * sizeof *rows + 1);
            uint32_t *nodes = test_malloc((size_t)t.records * t.record * sizeof *nodes);
            bg_word_tables(N, depth, by_inverse, rows, nodes, NULL);
            for (uint32_t r = 0; r < t.records; r++) {
                const uint32_t *record = nodes + (size_t)r * t.record;
                assert_true(walk(N, depth, by_inverse, &none, record, &orderings) == record + t.record);
            }
            assert_int_equal(orderings, bg_factorial(N));
            test_free(rows);
            test_free(nodes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples), cmocka_unit_test(halves_of_words),
                                       cmocka_unit_test(paths_of_orderings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
