/* The ranks of an integration: a thin layer over the caller's communicator. Without one there is one rank. */
#ifndef BG_ENGINE_RANKS_H
#define BG_ENGINE_RANKS_H

#include "base/parcel.h"
#include "blockgen/blockgen.h"

typedef struct bg_ranks {
    bg_communicator communicator;
    int mine, count;
    int failed; /* a callback did: from then on nothing is sent, and the next bg_ranks_agree() says so */
} bg_ranks;

/* Refuses a communicator that cannot be one. NULL: one rank. */
bg_status bg_ranks_open(bg_ranks *ranks, const bg_communicator *communicator, bg_error *error);

/* Collective, in place, the result on every rank. */
void bg_ranks_sum(bg_ranks *ranks, int64_t *values, size_t count);
void bg_ranks_max(bg_ranks *ranks, double *values, size_t count);

/* From rank 0 to all. */
void bg_ranks_broadcast(bg_ranks *ranks, void *data, size_t bytes);

/* A parcel that rank 0 has read, to all, to be unpacked and freed. */
bg_status bg_ranks_send_parcel(bg_ranks *ranks, bg_parcel *parcel, bg_error *error);

/* What all ranks have, in the order of the ranks, on every rank: `count` entries of `size` bytes, a multiple of 8, of this one.
 * *all has *total of them and is to be freed; on an error it is NULL, on every rank. */
bg_status bg_ranks_gather(bg_ranks *ranks, const void *mine, size_t count, size_t size, void **all, size_t *total,
                          bg_error *error);

/* Where one rank fails, all do. */
bg_status bg_ranks_agree(bg_ranks *ranks, bg_status mine, bg_error *error);

#endif
