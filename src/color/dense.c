#include "color/dense.h"

#include <stdlib.h>
#include <string.h>

int bg_color_dense_create(color_dense *d, int m, double *function)
{
    d->m = m;
    d->size = bg_factorial(m);
    d->function = function;
    d->block = m < 4 ? m : 4;
    const uint64_t length = bg_factorial(d->block);
    d->prefix = malloc((size_t)(d->size / length) * sizeof *d->prefix);
    if (!d->prefix) return -1;
    for (uint64_t a = 0; a < length; a++)
        for (uint64_t b = 0; b < length; b++) {
            permutation p = bg_permutation_unrank(d->block, a), q = bg_permutation_unrank(d->block, b);
            permutation r = bg_permutation_compose(d->block, &p, &q);
            d->product[a][b] = (uint8_t)bg_permutation_rank(d->block, &r);
        }
    for (uint64_t k = 0; k < d->size / length; k++) {
        permutation p = bg_permutation_unrank(m, k * length);
        memcpy(d->prefix[k], p.at, sizeof d->prefix[k]);
    }
    return 0;
}

void bg_color_dense_destroy(color_dense *d)
{
    free(d->function);
    free(d->prefix);
    d->function = NULL;
    d->prefix = NULL;
}

uint64_t bg_color_dense_row(const color_dense *d, uint64_t s, double *row)
{
    const int m = d->m, head = m - d->block;
    const uint64_t length = bg_factorial(d->block);
    permutation p = bg_permutation_unrank(m, s);
    permutation inverse = bg_permutation_inverse(m, &p);
    const uint64_t start = s / length;
    for (uint64_t k = start; k < d->size / length; k++) {
        /* the image of the block: its head, its tail sorted, and how the tail was sorted */
        permutation g = {{0}}, order = {{0}};
        uint32_t tail = 0;
        for (int i = 0; i < m; i++) g.at[i] = inverse.at[d->prefix[k][i]];
        for (int i = head; i < m; i++) tail |= 1u << g.at[i];
        for (int i = head; i < m; i++) order.at[i - head] = (uint8_t)__builtin_popcount(tail & ((1u << g.at[i]) - 1u));
        for (int i = head; i < m; i++) {
            g.at[i] = (uint8_t)__builtin_ctz(tail);
            tail &= tail - 1u;
        }
        const double *from = d->function + bg_permutation_rank(m, &g);
        const uint8_t *product = d->product[bg_permutation_rank(d->block, &order)];
        for (uint64_t j = 0; j < length; j++) row[k * length + j] = from[product[j]];
    }
    return start * length;
}
