#include "color/permutation.h"

uint64_t bg_factorial(int n)
{
    uint64_t f = 1;
    for (int k = 2; k <= n; k++) f *= (uint64_t)k;
    return f;
}

permutation bg_permutation_unrank(int n, uint64_t rank) { return permutation_word(n, n, rank); }

uint64_t bg_permutation_rank(int n, const permutation *p)
{
    permutation_rank r = permutation_rank_none();
    for (int k = 0; k < n; k++) r = permutation_rank_add(r, n - k, p->at[k]);
    return r.number;
}

permutation bg_permutation_inverse(int n, const permutation *p)
{
    permutation q = {{0}};
    for (int k = 0; k < n; k++) q.at[p->at[k]] = (uint8_t)k;
    return q;
}

permutation bg_permutation_compose(int n, const permutation *a, const permutation *b)
{
    permutation c = {{0}};
    for (int k = 0; k < n; k++) c.at[k] = a->at[b->at[k]];
    return c;
}

int bg_permutation_next(int n, permutation *p)
{
    int i = n - 2;
    while (i >= 0 && p->at[i] > p->at[i + 1]) i--;
    if (i < 0) return 0;
    int j = n - 1;
    while (p->at[j] < p->at[i]) j--;
    uint8_t t = p->at[i];
    p->at[i] = p->at[j];
    p->at[j] = t;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        t = p->at[a];
        p->at[a] = p->at[b];
        p->at[b] = t;
    }
    return 1;
}
