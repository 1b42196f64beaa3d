/* What a run learns before its first event: it integrates and surveys, or reads from a file what a run before it has found, and goes on
 * from there to the same events.
 */
#include "events/run.h"
#include "base/status.h"
#include "engine/keep.h"

#include <inttypes.h>

/* What the survey of a class has found, to or from a parcel: all that events depend on besides grids. */
static void pass_class(event_class *c, bg_parcel *p)
{
    bg_parcel_pass(p, &c->largest, sizeof c->largest);
    bg_parcel_pass(p, &c->rate, sizeof c->rate);
    bg_parcel_pass(p, &c->kept_rate, sizeof c->kept_rate);
    bg_parcel_pass(p, &c->share, sizeof c->share);
    bg_parcel_pass(p, &c->unit, sizeof c->unit);
    bg_parcel_pass(p, &c->begin, sizeof c->begin);
    if (p->unpacking) c->next = c->begin;
}

/* Everything that was learned before the first event, to or from a parcel. */
static bg_status pass_learned(generation *g, bg_parcel *p, bg_result *sigma, bg_error *error)
{
    const char *path = g->wish->state;
    double wish[3] = {g->wish->overweight, g->wish->weighted, (double)g->wish->events};
    bg_status status = bg_many_pass(g->many, p, path, error);
    if (status == BG_OK && p->unpacking) status = bg_many_adopt(g->many, path, sigma, error);
    bg_parcel_pass(p, wish, sizeof wish);
    for (int k = 0; k < g->classes && status == BG_OK; k++) pass_class(&g->class_of[k], p);
    if (status != BG_OK) return status;
    if (p->failed || (p->unpacking && !bg_parcel_is_empty(p)))
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is damaged: it has the wrong length", path);
    if (wish[0] != g->wish->overweight || wish[1] != g->wish->weighted)
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is of another run: weighted or overweight events differ", path);
    if (wish[2] != (double)g->wish->events)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "'%s' is of a run of %.0f events, and what it has learned depends on that; %" PRIu64
                       " were asked for",
                       path, wish[2], g->wish->events);
    g->keeping = 1;
    return BG_OK;
}

/* All ranks pack what they have added up, rank 0 writes it. */
static bg_status save_learned(generation *g, bg_result *sigma, bg_error *error)
{
    bg_parcel p = {.bytes = NULL};
    bg_status status = pass_learned(g, &p, sigma, error);
    if (status == BG_OK && g->ranks.mine == 0) status = bg_keep_write(g->wish->state, &p, error);
    bg_parcel_free(&p);
    return bg_ranks_agree(&g->ranks, status, error);
}

/* Rank 0 reads, all unpack. *found: there was something to read. */
static bg_status read_learned(generation *g, bg_result *sigma, int *found, bg_error *error)
{
    bg_parcel p = {.bytes = NULL};
    bg_status status = g->ranks.mine == 0 ? bg_keep_read(g->wish->state, &p, error) : BG_OK;
    uint64_t there = status != BG_ERROR_IO;
    if (!there) status = BG_OK;
    bg_ranks_broadcast(&g->ranks, &there, sizeof there);
    *found = there != 0;
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK && *found) status = bg_ranks_send_parcel(&g->ranks, &p, error);
    if (status == BG_OK && *found) status = bg_ranks_agree(&g->ranks, pass_learned(g, &p, sigma, error), error);
    bg_parcel_free(&p);
    return status;
}

/* Devices may round differently: what the survey of rank 0 has found goes for all. */
static void agree_on_class(generation *g, int k)
{
    event_class *c = &g->class_of[k];
    double *const number[] = {&c->largest, &c->rate, &c->kept_rate, &c->share, &c->unit, &c->found.threshold};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        bg_ranks_broadcast(&g->ranks, number[i], sizeof *number[i]);
    bg_ranks_broadcast(&g->ranks, &c->begin, sizeof c->begin);
    c->next = c->begin;
    if (bg_many_is_sieved(g->many, k)) bg_many_set_threshold(g->many, k, c->found.threshold);
}

bg_status bg_run_learn(generation *g, bg_result *sigma, bg_error *error)
{
    int found = 0;
    bg_status status = BG_OK;
    if (g->wish->state && g->wish->go_on) status = read_learned(g, sigma, &found, error);
    if (status == BG_OK && !found) {
        status = bg_many_integrate(g->many, sigma, error);
        if (status == BG_OK && sigma->interrupted)
            status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped while sigma was integrated");
        g->total = sigma->sigma_pb;
        if (status == BG_OK) status = bg_ranks_agree(&g->ranks, bg_run_settle(g, error), error);
        for (int k = 0; k < g->classes && status == BG_OK; k++) agree_on_class(g, k);
        if (status == BG_OK && g->wish->state) status = save_learned(g, sigma, error);
    }
    g->total = sigma->sigma_pb;
    return status;
}
