/* Ranks that write a file together.
 *
 * Rank 0 begins the file and ends it as a process that is alone does; in between, all ranks have it open and append their parts
 * of every batch at once. Each call below is made by all of them, in the same order: by the thread that opens and closes the
 * file, or, while that one hands over events, by the one that appends. So no rank may give up by itself. One that cannot go
 * on says so in the exchange before the next block, and all of them stop there.
 */
#include "events/format.h"

int events_is_first(const events_sink *s) { return !s->options.ranks || s->options.ranks->rank == 0; }

bg_status events_agree(const events_sink *s, bg_status mine, bg_error *error)
{
    const bg_communicator *c = s->options.ranks;
    double worst = (double)mine;
    if (!c) return mine;
    if (c->max(&worst, 1, c->user))
        return events_fail(error, BG_ERROR_COMMUNICATOR, "ranks that write '%.300s' cannot agree", s->final);
    if (mine == BG_OK && worst > 0.)
        return events_fail(error, (bg_status)worst, "another rank failed to write '%.300s'", s->final);
    return (bg_status)worst;
}

void events_tell(const events_sink *s, void *data, size_t bytes)
{
    const bg_communicator *c = s->options.ranks;
    if (c) (void)c->broadcast(data, bytes, c->user); /* the next that they agree on would fail as well */
}

int events_exchange(events_sink *s, size_t count, int stops)
{
    const bg_communicator *c = s->options.ranks;
    for (int k = 0; k <= c->ranks; k++) s->counts[k] = 0;
    s->counts[c->rank] = (int64_t)count;
    s->counts[c->ranks] = stops;
    return c->sum(s->counts, (size_t)c->ranks + 1, c->user) ? c->ranks : (int)s->counts[c->ranks];
}

events_slab events_own_slab(const events_sink *s, const events_block *b)
{
    const bg_communicator *c = s->options.ranks;
    events_slab own = {.count = b->count, .total = b->count};
    if (!c) return own;
    own.total = 0;
    for (int k = 0; k < c->ranks; k++) {
        if (k < c->rank) own.before += (uint64_t)s->counts[k];
        own.total += (uint64_t)s->counts[k];
    }
    return own;
}
