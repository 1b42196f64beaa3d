#include "color/permutation.h"

uint64_t bg_factorial(int n)
{
    uint64_t f = 1;
    for (int k = 2; k <= n; k++) f *= (uint64_t)k;
    return f;
}

permutation bg_permutation_unrank(int n, uint64_t rank)
{
    permutation p = {{0}};
    uint8_t left[BG_MAX_LETTERS];
    for (int k = 0; k < n; k++) left[k] = (uint8_t)k;
    uint64_t block = bg_factorial(n);
    for (int k = 0; k < n; k++) {
        block /= (uint64_t)(n - k);
        int digit = (int)(rank / block);
        rank %= block;
        p.at[k] = left[digit];
        for (int j = digit; j + 1 < n - k; j++) left[j] = left[j + 1];
    }
    return p;
}

uint64_t bg_permutation_rank(int n, const permutation *p)
{
    permutation_rank r = bg_permutation_rank_none();
    for (int k = 0; k < n; k++) bg_permutation_rank_add(n - k, p->at[k], &r);
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
