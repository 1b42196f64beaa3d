#include "estimate/estimate.h"
#include "base/status.h"

#include <string.h>

static uint8_t row_of(const uint8_t *row, int leg) { return row ? row[leg] : (uint8_t)leg; }

/* Legs from `leg` up to `end` that are the same parton come next. */
static void add_alike(estimate_plan *plan, int *count, const bg_subprocess *s, const uint8_t *row, int leg, int end)
{
    const int first = *count;
    for (int other = leg; other < end; other++)
        if (s->pdg[other] == s->pdg[leg]) {
            plan->first[*count] = (uint8_t)first;
            plan->ordered[(*count)++] = row_of(row, other);
        }
}

/* The beams one by one, then the outgoing partons, each kind where its first one stands. */
static void order_legs(estimate_plan *plan, const bg_subprocess *s, const uint8_t *row)
{
    int count = 0;
    for (int leg = 0; leg < 2; leg++) add_alike(plan, &count, s, row, leg, leg + 1);
    for (int leg = 2; leg < s->n; leg++)
        if (s->alike[leg] == 1) add_alike(plan, &count, s, row, leg, s->n);
}

bg_status bg_estimate_plan(estimate_plan *plan, const bg_subprocess *s, const uint8_t *row, bg_error *error)
{
    if (s->lines > ESTIMATE_MOST_LINES)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "a subprocess with %d quark lines has no cheap estimate; there may be 0 to %d", s->lines,
                       ESTIMATE_MOST_LINES);
    memset(plan, 0, sizeof *plan);
    plan->legs = s->n;
    plan->gluons = s->gluons;
    plan->lines = s->lines;
    for (int k = 0; k < s->gluons; k++) plan->gluon[k] = row_of(row, s->gluon[k]);
    for (int k = 0; k < s->lines; k++) {
        plan->quark[k] = row_of(row, s->quark[k]);
        plan->antiquark[k] = row_of(row, s->antiquark[k]);
        plan->flavor[k] = s->flavor[k];
    }
    order_legs(plan, s, row);
    return bg_succeed(error);
}
