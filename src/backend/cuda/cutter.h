/* Many arrays in one allocation: counts bytes, or cuts the block up where there is one. */
#ifndef BG_BACKEND_CUDA_CUTTER_H
#define BG_BACKEND_CUDA_CUTTER_H

#include <stddef.h>

typedef struct cutter {
    char *base; /* NULL: only count */
    size_t used;
} cutter;

/* The next `bytes`; NULL where there are none of them, or no block. */
static inline void *cut(cutter *c, size_t bytes)
{
    char *at = c->base ? c->base + c->used : NULL;
    c->used += (bytes + 255) / 256 * 256;
    return bytes ? at : NULL;
}

/* What kernels only read, for who fills it. */
static inline void *writable(const void *table)
{
    const union {
        const void *read;
        void *write;
    } both = {table};
    return both.write;
}

#endif
