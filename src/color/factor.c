/* Exact color factors in integer arithmetic.
 *
 * An adjoint string is a trace with nested commutators,
 *     (F^{p1} .. F^{pN})_{1n} = Tr( T^1 [T^{p1}, [T^{p2}, .. [T^{pN}, T^n]]] ) ,
 * and a commutator with everything behind it is "the word minus the word with its tail rotated by
 * one". So the string is the word (p1 .. pN n) acted on by
 *     x = (1 - z_{N+1}) .. (1 - z_3)(1 - z_2) ,    z_m: move the first of the last m letters to the end,
 * an element of the group algebra of S_{N+1}. With t the contraction of two plain traces (a power of
 * N_c: count closed color lines), the adjoint factor is x^T t x. Each factor (1 - z_m) acts inside
 * blocks of m! consecutive ranks, the same way in each: one subtraction an element. The cost is
 * O(N (N+1)!) for all N! factors, where expanding the commutators pair by pair costs O(4^N N!).
 *
 * A string between a quark and an antiquark is contracted as if the gluons were those of U(N_c): the two ends together are
 * one more gluon of a trace. Then the gluons are made traceless one after the other. The U(1) part of gluon j is minus
 * 1/N_c times both strings without it, so with f_m the function on words of m letters,
 *     f_m(w) <- N_c f_m(w) - f_{m-1}(w without letter j)        for j = 0 .. N-1, m = N .. j+1 downwards,
 * where larger letters of the shorter word move down by one. In the end f_N = N_c^N c.
 */
#include "color/factor.h"
#include "color/permutation.h"

#include <stdlib.h>

/* Permutations are dealt to threads in runs of consecutive ranks. */
static int runs(int m) { return m < 3 ? 1 : m * (m - 1); }

/* Calls `visit` for every permutation of m letters, by rank, in runs that threads share. What is left of an interrupted one
 * has no meaning. */
typedef void visitor(int m, uint64_t rank, const permutation *w, void *context);

static void visit_all(int m, int threads, bg_interrupt *interrupt, visitor *visit, void *context)
{
    const uint64_t length = bg_factorial(m) / (uint64_t)runs(m);
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads)
#endif
    for (int run = 0; run < runs(m); run++) {
        if (bg_interrupted(interrupt)) continue;
        permutation w = bg_permutation_unrank(m, (uint64_t)run * length);
        for (uint64_t k = 0; k < length; k++, bg_permutation_next(m, &w))
            visit(m, (uint64_t)run * length + k, &w, context);
    }
}

static int64_t trace_product(int m, const permutation *w)
{
    /* Gluon g sits at place g of the first trace and at place where[g] of the second, which is
     * traversed backwards because it is conjugated. The double line between places g and g+1
     * of the first trace runs on into the second and comes back: count the loops. */
    const int n = m + 1;
    int word[BG_MAX_LETTERS + 1], where[BG_MAX_LETTERS + 1];
    word[0] = 0;
    for (int k = 0; k < m; k++) word[k + 1] = w->at[k] + 1;
    for (int k = 0; k < n; k++) where[word[k]] = k;
    unsigned seen = 0;
    int64_t value = 1;
    for (int start = 0; start < n; start++) {
        if (seen >> start & 1u) continue;
        value *= BG_NC;
        for (int g = start; !(seen >> g & 1u);) {
            seen |= 1u << g;
            const int next = g + 1 < n ? g + 1 : 0;          /* along the first trace */
            g = word[where[next] ? where[next] - 1 : n - 1]; /* back along the second */
        }
    }
    return value;
}

static void put_trace(int m, uint64_t rank, const permutation *w, void *t)
{
    ((int64_t *)t)[rank] = trace_product(m, w);
}

int bg_color_trace(int m, int64_t *t, int threads, bg_interrupt *interrupt)
{
    visit_all(m, threads, interrupt, put_trace, t);
    return bg_interrupted(interrupt) ? -1 : 0;
}

/* f(w) <- sum over the words that x makes of w. The innermost commutator makes its words first, so f
 * sees the outermost one first. Rotations of a word make a cycle, which is done in place: it starts where letter 0
 * comes first, in the first ranks of a block. */
static void apply_commutators(int m, int64_t *f, int threads, bg_interrupt *interrupt)
{
    const uint64_t size = bg_factorial(m);
    (void)threads;
    for (int tail = m; tail >= 2; tail--) {
        const uint64_t block = bg_factorial(tail), length = bg_factorial(tail - 1) / (uint64_t)runs(tail - 1);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads)
#endif
        for (int run = 0; run < runs(tail - 1); run++) {
            if (bg_interrupted(interrupt)) continue;
            permutation p = bg_permutation_unrank(tail, (uint64_t)run * length);
            for (uint64_t k = 0; k < length; k++, bg_permutation_next(tail, &p)) {
                uint64_t cycle[BG_MAX_LETTERS];
                for (int turn = 0; turn < tail; turn++) {
                    permutation_rank r = permutation_rank_none();
                    for (int j = 0; j < tail; j++)
                        r = permutation_rank_add(r, tail - j, p.at[turn + j < tail ? turn + j : turn + j - tail]);
                    cycle[turn] = r.number;
                }
                for (uint64_t base = 0; base < size; base += block) {
                    const int64_t first = f[base + cycle[0]];
                    for (int turn = 0; turn + 1 < tail; turn++) f[base + cycle[turn]] -= f[base + cycle[turn + 1]];
                    f[base + cycle[tail - 1]] -= first;
                }
            }
        }
    }
}

/* x acts from the right; inverting all permutations exchanges the two sides. */
typedef struct inversion {
    const int64_t *from;
    int64_t *to;
} inversion;

static void put_inverse(int m, uint64_t rank, const permutation *p, void *context)
{
    const inversion *i = context;
    const permutation q = bg_permutation_inverse(m, p);
    i->to[rank] = i->from[bg_permutation_rank(m, &q)];
}

int bg_color_adjoint(int N, int64_t *c, int threads, bg_interrupt *interrupt)
{
    const int m = N + 1;
    const uint64_t size = bg_factorial(m);
    int64_t *f = malloc(size * sizeof *f), *g = malloc(size * sizeof *g);
    int failed = !f || !g;
    if (!failed) {
        visit_all(m, threads, interrupt, put_trace, f);
        apply_commutators(m, f, threads, interrupt);
        visit_all(m, threads, interrupt, put_inverse, &(inversion){f, g});
        apply_commutators(m, g, threads, interrupt);
        /* the strings end with gluon n: keep the permutations that fix the last letter */
        permutation p = bg_permutation_unrank(m, 0);
        for (uint64_t k = 0; k < bg_factorial(N); k++, bg_permutation_next(N, &p)) c[k] = g[bg_permutation_rank(m, &p)];
        failed = bg_interrupted(interrupt);
    }
    free(f);
    free(g);
    return failed ? -1 : 0;
}

/* f_m <- N_c f_m - f_{m-1} without the letter. */
typedef struct subtraction {
    int letter;
    int64_t *f;
    const int64_t *shorter;
} subtraction;

static void make_traceless(int m, uint64_t rank, const permutation *w, void *context)
{
    const subtraction *s = context;
    permutation_rank r = permutation_rank_none();
    int left = m - 1;
    for (int place = 0; place < m; place++)
        if (w->at[place] != s->letter) r = permutation_rank_add(r, left--, w->at[place] - (w->at[place] > s->letter));
    s->f[rank] = BG_NC * s->f[rank] - s->shorter[r.number];
}

int bg_color_fundamental(int N, int64_t *c, int threads, bg_interrupt *interrupt)
{
    uint64_t shorter = 0, start[BG_MAX_LETTERS + 1];
    for (int m = 0; m < N; m++) {
        start[m] = shorter;
        shorter += bg_factorial(m);
    }
    int64_t *below = malloc((shorter + 1) * sizeof *below);
    if (!below) return -1;
    int failed = 0;
    for (int m = 0; m < N; m++) failed |= bg_color_trace(m, below + start[m], threads, interrupt);
    failed |= bg_color_trace(N, c, threads, interrupt);
    for (int letter = 0; letter < N; letter++)
        for (int m = N; m > letter; m--)
            visit_all(m, threads, interrupt, make_traceless,
                      &(subtraction){letter, m == N ? c : below + start[m], below + start[m - 1]});
    failed |= bg_interrupted(interrupt);
    free(below);
    return failed ? -1 : 0;
}

int bg_color_line(color_line line, int N, int64_t *c, int threads, bg_interrupt *interrupt)
{
    return line == COLOR_LINE_FUNDAMENTAL ? bg_color_fundamental(N, c, threads, interrupt)
                                          : bg_color_adjoint(N, c, threads, interrupt);
}

double bg_color_line_unit(color_line line, int N)
{
    double unit = 1.;
    for (int k = 0; k < N && line == COLOR_LINE_FUNDAMENTAL; k++) unit /= BG_NC;
    return unit;
}
