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
 */
#include "color/factor.h"
#include "color/permutation.h"

#include <stdlib.h>
#include <string.h>

void bg_color_trace(int m, int64_t *t)
{
    const int n = m + 1;
    permutation w = {{0}};
    for (int k = 0; k < m; k++) w.at[k] = (uint8_t)k;
    uint64_t rank = 0;
    do {
        /* Gluon g sits at place g of the first trace and at place where[g] of the second, which is
         * traversed backwards because it is conjugated. The double line between places g and g+1
         * of the first trace runs on into the second and comes back: count the loops. */
        int word[BG_MAX_PERMUTED + 1], where[BG_MAX_PERMUTED + 1];
        word[0] = 0;
        for (int k = 0; k < m; k++) word[k + 1] = w.at[k] + 1;
        for (int k = 0; k < n; k++) where[word[k]] = k;
        unsigned seen = 0;
        int64_t value = 1;
        for (int start = 0; start < n; start++) {
            if (seen >> start & 1u) continue;
            value *= BG_NC;
            for (int g = start; !(seen >> g & 1u);) {
                seen |= 1u << g;
                int next = (g + 1) % n;              /* along the first trace */
                g = word[(where[next] + n - 1) % n]; /* back along the second */
            }
        }
        t[rank++] = value;
    } while (bg_permutation_next(m, &w));
}

/* f(w) <- sum over the words that x makes of w. The innermost commutator makes its words first, so f
 * sees the outermost one first. */
static int apply_commutators(int m, int64_t *f)
{
    const uint64_t size = bg_factorial(m);
    int64_t *block = malloc(size * sizeof *block);
    uint32_t *rotated = malloc(size * sizeof *rotated);
    if (!block || !rotated) {
        free(block);
        free(rotated);
        return -1;
    }
    for (int tail = m; tail >= 2; tail--) {
        const uint64_t length = bg_factorial(tail);
        permutation p = {{0}};
        for (int k = 0; k < tail; k++) p.at[k] = (uint8_t)k;
        uint64_t rank = 0;
        do {
            permutation q = {{0}};
            for (int k = 0; k < tail; k++) q.at[k] = p.at[(k + 1) % tail];
            rotated[rank++] = (uint32_t)bg_permutation_rank(tail, &q);
        } while (bg_permutation_next(tail, &p));
        for (uint64_t base = 0; base < size; base += length) {
            memcpy(block, f + base, length * sizeof *block);
            for (uint64_t k = 0; k < length; k++) f[base + k] = block[k] - block[rotated[k]];
        }
    }
    free(block);
    free(rotated);
    return 0;
}

int bg_color_adjoint(int N, int64_t *c)
{
    const int m = N + 1;
    const uint64_t size = bg_factorial(m);
    int64_t *f = malloc(size * sizeof *f), *g = malloc(size * sizeof *g);
    int status = f && g ? 0 : -1;
    if (!status) {
        bg_color_trace(m, f);
        status = apply_commutators(m, f);
    }
    if (!status) {
        /* x acts from the right; inverting all permutations exchanges the two sides */
        permutation p = {{0}};
        for (int k = 0; k < m; k++) p.at[k] = (uint8_t)k;
        uint64_t rank = 0;
        do {
            permutation q = bg_permutation_inverse(m, &p);
            g[bg_permutation_rank(m, &q)] = f[rank++];
        } while (bg_permutation_next(m, &p));
        status = apply_commutators(m, g);
    }
    if (!status) {
        /* the strings end with gluon n: keep the permutations that fix the last letter */
        permutation p = {{0}};
        for (int k = 0; k < m; k++) p.at[k] = (uint8_t)k;
        uint64_t rank = 0;
        do {
            permutation q = p;
            q.at[N] = (uint8_t)N;
            c[rank++] = g[bg_permutation_rank(m, &q)];
        } while (bg_permutation_next(N, &p));
    }
    free(f);
    free(g);
    return status;
}
