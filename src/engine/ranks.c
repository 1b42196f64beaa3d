#include "engine/ranks.h"
#include "base/sized.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

bg_status bg_ranks_open(bg_ranks *r, const bg_communicator *communicator, bg_error *error)
{
    static const bg_ranks one = {.count = 1};
    *r = one;
    bg_communicator *c = &r->communicator;
    bg_communicator_init(c);
    if (!communicator) return BG_OK;
    const bg_status status = bg_sized_read(c, sizeof *c, communicator, "communicator", error);
    if (status != BG_OK) return status;
    if (c->ranks < 1)
        return bg_fail(error, BG_ERROR_ARGUMENT, "the communicator has %d ranks; it must be 1 or more", c->ranks);
    if (c->rank < 0 || c->rank >= c->ranks)
        return bg_fail(error, BG_ERROR_ARGUMENT, "rank is %d; it must be 0 to %d", c->rank, c->ranks - 1);
    if (c->local_ranks < 1 || c->local_ranks > c->ranks || c->local_rank < 0 || c->local_rank >= c->local_ranks)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "local_rank is %d of %d; it must be 0 or more and below local_ranks, those 1 to %d",
                       c->local_rank, c->local_ranks, c->ranks);
    if (c->ranks > 1 && (!c->sum || !c->max || !c->broadcast))
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "a communicator of %d ranks needs sum, max and broadcast; one of them is NULL", c->ranks);
    r->mine = c->rank;
    r->count = c->ranks;
    return BG_OK;
}

static int alone(const bg_ranks *r) { return r->count == 1 || r->failed; }

void bg_ranks_sum(bg_ranks *r, int64_t *values, size_t count)
{
    if (!alone(r)) r->failed = r->communicator.sum(values, count, r->communicator.user) != 0;
}

void bg_ranks_max(bg_ranks *r, double *values, size_t count)
{
    if (!alone(r)) r->failed = r->communicator.max(values, count, r->communicator.user) != 0;
}

void bg_ranks_broadcast(bg_ranks *r, void *data, size_t bytes)
{
    if (!alone(r)) r->failed = r->communicator.broadcast(data, bytes, r->communicator.user) != 0;
}

bg_status bg_ranks_agree(bg_ranks *r, bg_status mine, bg_error *error)
{
    double worst = (double)mine;
    bg_ranks_max(r, &worst, 1);
    if (mine != BG_OK) return mine;
    if (r->failed)
        return bg_fail(error, BG_ERROR_COMMUNICATOR,
                       "the communicator failed on rank %d of %d: the ranks cannot go on together", r->mine, r->count);
    if (worst > 0.)
        return bg_fail(error, (bg_status)worst, "another rank failed: %s", bg_status_string((bg_status)worst));
    return BG_OK;
}

bg_status bg_ranks_send_parcel(bg_ranks *r, bg_parcel *p, bg_error *error)
{
    uint64_t length = p->length;
    bg_ranks_broadcast(r, &length, sizeof length);
    if (r->mine > 0) *p = (bg_parcel){.bytes = malloc(length ? length : 1), .length = length, .unpacking = 1};
    const bg_status status = bg_ranks_agree(
        r, p->bytes ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for what rank 0 has read"), error);
    if (status != BG_OK) return status;
    bg_ranks_broadcast(r, p->bytes, p->length);
    return bg_ranks_agree(r, BG_OK, error);
}

/* Every entry is added to zeros of all other ranks, word by word: a sum that copies. */
bg_status bg_ranks_gather(bg_ranks *r, const void *mine, size_t count, size_t size, void **all, size_t *total,
                          bg_error *error)
{
    const size_t ranks = (size_t)r->count;
    int64_t *counts = calloc(ranks, sizeof *counts);
    size_t before = 0, sum = 0;
    *all = NULL;
    *total = 0;
    bg_status status =
        bg_ranks_agree(r, counts ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d ranks", r->count), error);
    if (status == BG_OK) {
        counts[r->mine] = (int64_t)count;
        bg_ranks_sum(r, counts, ranks);
        for (int k = 0; k < r->count; k++) {
            if (k < r->mine) before += (size_t)counts[k];
            sum += (size_t)counts[k];
        }
    }
    free(counts);
    int64_t *words = status == BG_OK ? calloc(sum ? sum : 1, size) : NULL;
    if (status == BG_OK)
        status = bg_ranks_agree(
            r, words ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for what %d ranks have", r->count), error);
    if (status == BG_OK) {
        if (count) memcpy((char *)words + before * size, mine, count * size);
        bg_ranks_sum(r, words, sum * (size / sizeof *words));
        status = bg_ranks_agree(r, BG_OK, error);
    }
    if (status != BG_OK) {
        free(words);
        return status;
    }
    *all = words;
    *total = sum;
    return BG_OK;
}
