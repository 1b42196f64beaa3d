/* Functions and matrix of strings.h, letter by letter as in factor.c: gluons are contracted as those of U(N_c) first, then
 * made traceless one after the other, which takes the functions of all smaller numbers of gluons along.
 */
#include "color/strings.h"
#include "base/constants.h"

#include <stdlib.h>

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Ways to put n gluons on k strings: C(n+k-1, k-1). */
static int compositions(int n, int k)
{
    int count = 1;
    for (int i = 1; i < k; i++) count = count * (n + i) / i;
    return count;
}

color_strings bg_color_strings(int lines, int gluons)
{
    color_strings s = {.lines = lines, .gluons = gluons};
    s.connections = (int)bg_factorial(lines);
    s.lengths = compositions(gluons, lines);
    s.skeletons = s.connections * s.lengths;
    s.words = bg_factorial(gluons);
    s.structures = (uint64_t)s.skeletons * s.words;
    return s;
}

/* Lengths by their number: the first string is as long as possible first. */
static void lengths_unrank(int n, int k, int number, uint8_t *length)
{
    for (int i = 0; i < k; i++) {
        int here = n;
        for (; i + 1 < k && number >= compositions(n - here, k - i - 1); here--)
            number -= compositions(n - here, k - i - 1);
        length[i] = (uint8_t)here;
        n -= here;
    }
}

static int lengths_rank(int n, int k, const uint8_t *length)
{
    int number = 0;
    for (int i = 0; i + 1 < k; i++) {
        for (int longer = n; longer > length[i]; longer--) number += compositions(n - longer, k - i - 1);
        n -= length[i];
    }
    return number;
}

static color_structure skeleton_unrank(const color_strings *s, int number)
{
    color_structure x = {.connection = bg_permutation_unrank(s->lines, (uint64_t)(number / s->lengths))};
    lengths_unrank(s->gluons, s->lines, number % s->lengths, x.length);
    return x;
}

static int skeleton_rank(const color_strings *s, const color_structure *x)
{
    return (int)bg_permutation_rank(s->lines, &x->connection) * s->lengths +
           lengths_rank(s->gluons, s->lines, x->length);
}

color_structure bg_color_structure_unrank(const color_strings *s, uint64_t number)
{
    color_structure x = skeleton_unrank(s, (int)(number / s->words));
    x.word = bg_permutation_unrank(s->gluons, number % s->words);
    return x;
}

uint64_t bg_color_structure_rank(const color_strings *s, const color_structure *x)
{
    return (uint64_t)skeleton_rank(s, x) * s->words + bg_permutation_rank(s->gluons, &x->word);
}

/* ---- closed lines ------------------------------------------------------------------------------------------------ */

enum { ENDS = BG_MAX_LINES + BG_MAX_LETTERS };

/* What follows each start: starts are quarks 0 .. k-1 and gluons k .., ends antiquarks 0 .. k-1 and gluons k .. */
static void successors(const color_strings *s, const color_structure *x, int *next)
{
    int place = 0;
    for (int string = 0; string < s->lines; string++) {
        int at = string;
        for (int g = 0; g < x->length[string]; g++) {
            next[at] = s->lines + x->word.at[place++];
            at = next[at];
        }
        next[at] = x->connection.at[string];
    }
}

/* N_c to the number of closed lines of a contracted with the conjugate of b: the cycles of b^-1 a. */
static int64_t contract(const color_strings *s, const color_structure *a, const color_structure *b)
{
    const int starts = s->lines + s->gluons;
    int forward[ENDS], next[ENDS], back[ENDS];
    int64_t value = 1;
    unsigned seen = 0;
    successors(s, a, forward);
    successors(s, b, next);
    for (int k = 0; k < starts; k++) back[next[k]] = k;
    for (int k = 0; k < starts; k++) {
        if (seen >> k & 1u) continue;
        value *= BG_NC;
        for (int at = k; !(seen >> at & 1u); at = back[forward[at]]) seen |= 1u << at;
    }
    return value;
}

/* ---- functions ----------------------------------------------------------------------------------------------------- */

static int64_t *contract_all(const color_strings *s)
{
    const size_t B = (size_t)s->skeletons;
    int64_t *f = malloc(B * B * s->words * sizeof *f), *to = f;
    if (!f) return NULL;
    for (size_t x = 0; x < B; x++) {
        color_structure a = skeleton_unrank(s, (int)x);
        a.word = bg_permutation_unrank(s->gluons, 0);
        for (size_t y = 0; y < B; y++) {
            color_structure b = skeleton_unrank(s, (int)y);
            b.word = a.word;
            do *to++ = contract(s, &a, &b);
            while (bg_permutation_next(s->gluons, &b.word));
        }
    }
    return f;
}

/* The skeleton without one gluon, drop[skeleton * gluons + place of the gluon in the word]. */
static int *drop_table(const color_strings *s, const color_strings *fewer)
{
    const int n = s->gluons;
    int *drop = malloc(((size_t)s->skeletons * (size_t)n + 1) * sizeof *drop);
    for (int x = 0; drop && x < s->skeletons; x++)
        for (int place = 0; place < n; place++) {
            color_structure a = skeleton_unrank(s, x);
            int string = 0;
            for (int end = a.length[0]; end <= place; end += a.length[string]) string++;
            a.length[string]--;
            drop[x * n + place] = skeleton_rank(fewer, &a);
        }
    return drop;
}

/* f <- N_c f - g without the letter, of all pairs and words. */
static void make_traceless(const color_strings *s, const color_strings *fewer, const int *drop, int letter, int64_t *f,
                           const int64_t *g)
{
    const int n = s->gluons;
    const size_t B = (size_t)s->skeletons, less = (size_t)fewer->skeletons;
    permutation w = bg_permutation_unrank(n, 0);
    for (uint64_t k = 0; k < s->words; k++, bg_permutation_next(n, &w)) {
        permutation_rank r = permutation_rank_none();
        int left = n - 1, place = 0;
        for (int i = 0; i < n; i++) {
            if (w.at[i] == letter)
                place = i;
            else
                r = permutation_rank_add(r, left--, w.at[i] - (w.at[i] > letter));
        }
        for (size_t x = 0; x < B; x++) {
            const size_t row = (size_t)drop[x * (size_t)n + (size_t)letter] * less;
            for (size_t y = 0; y < B; y++) {
                int64_t *to = &f[(x * B + y) * s->words + k];
                const size_t column = (size_t)drop[y * (size_t)n + (size_t)place];
                *to = BG_NC * *to - g[(row + column) * fewer->words + r.number];
            }
        }
    }
}

int64_t *bg_color_string_functions(const color_strings *s)
{
    const int n = s->gluons;
    color_strings of[BG_MAX_LETTERS + 1];
    int64_t *f[BG_MAX_LETTERS + 1] = {NULL};
    int *drop[BG_MAX_LETTERS + 1] = {NULL}, failed = 0;
    for (int m = 0; m <= n; m++) {
        of[m] = bg_color_strings(s->lines, m);
        f[m] = contract_all(&of[m]);
        drop[m] = m ? drop_table(&of[m], &of[m - 1]) : NULL;
        failed |= !f[m] || (m && !drop[m]);
    }
    for (int letter = 0; letter < n && !failed; letter++)
        for (int m = n; m > letter; m--) make_traceless(&of[m], &of[m - 1], drop[m], letter, f[m], f[m - 1]);
    for (int m = 0; m <= n; m++) {
        free(drop[m]);
        if (m < n || failed) free(f[m]);
    }
    return failed ? NULL : f[n];
}

/* ---- the matrix ----------------------------------------------------------------------------------------------------- */

double *bg_color_string_matrix(const color_strings *s)
{
    const size_t F = (size_t)s->structures, B = (size_t)s->skeletons, W = (size_t)s->words;
    int64_t *f = bg_color_string_functions(s);
    double *C = malloc(F * F * sizeof *C), unit = 1.;
    if (!f || !C) {
        free(f);
        free(C);
        return NULL;
    }
    for (int k = 0; k < s->gluons; k++) unit *= BG_NC;
    for (size_t a = 0; a < W; a++) {
        const permutation p = bg_permutation_unrank(s->gluons, a), inverse = bg_permutation_inverse(s->gluons, &p);
        for (size_t b = 0; b < W; b++) {
            const permutation q = bg_permutation_unrank(s->gluons, b);
            const permutation w = bg_permutation_compose(s->gluons, &inverse, &q);
            const size_t rank = (size_t)bg_permutation_rank(s->gluons, &w);
            for (size_t x = 0; x < B; x++)
                for (size_t y = 0; y < B; y++)
                    C[(x * W + a) * F + y * W + b] = (double)f[(x * B + y) * W + rank] / unit;
        }
    }
    free(f);
    return C;
}
