/* Numbers by a key of 64 bits, which are looked up while a program is built: open addressing, never more than half full. A map that is all 0
 * is empty.
 */
#ifndef BG_AMPLITUDE_NUMBER_MAP_H
#define BG_AMPLITUDE_NUMBER_MAP_H

#include <stdint.h>
#include <stdlib.h>

typedef struct number_map {
    uint64_t *key;
    uint32_t *value; /* 1 + the number; 0: free */
    uint32_t size, used;
} number_map;

static inline uint32_t number_map_slot(const number_map *m, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(h >> 32) & (m->size - 1);
    while (m->value[at] && m->key[at] != key) at = (at + 1) & (m->size - 1);
    return at;
}

static inline void number_map_destroy(number_map *m)
{
    free(m->key);
    free(m->value);
}

static inline void number_map_grow(number_map *m, int *failed)
{
    number_map larger = {.size = m->size ? 2 * m->size : 1024, .used = m->used};
    larger.key = malloc(larger.size * sizeof *larger.key);
    larger.value = calloc(larger.size, sizeof *larger.value);
    *failed |= !larger.key || !larger.value;
    for (uint32_t k = 0; k < m->size && !*failed; k++) {
        if (!m->value[k]) continue;
        const uint32_t at = number_map_slot(&larger, m->key[k]);
        larger.key[at] = m->key[k];
        larger.value[at] = m->value[k];
    }
    number_map_destroy(m);
    *m = larger;
}

/* The entry of a key, 0 where it is new. NULL without memory, and *failed is set. */
static inline uint32_t *number_map_entry(number_map *m, uint64_t key, int *failed)
{
    if (2 * m->used >= m->size) number_map_grow(m, failed);
    if (*failed) return NULL;
    const uint32_t at = number_map_slot(m, key);
    if (!m->value[at]) {
        m->key[at] = key;
        m->used++;
    }
    return &m->value[at];
}

#endif
