#include "estimate/estimate.h"
#include "base/status.h"

#include <string.h>

static uint8_t row_of(const uint8_t *row, int leg) { return row ? row[leg] : (uint8_t)leg; }

/* The beams, then the outgoing partons, each kind where its first one stands. */
static void order_legs(estimate_plan *plan, const bg_subprocess *s, const uint8_t *row)
{
    int count = 0;
    for (; count < s->n_in; count++) {
        plan->ordered[count] = row_of(row, count);
        plan->first[count] = (uint8_t)count;
    }
    for (int leg = s->n_in; leg < s->n; leg++) {
        const int first = count;
        if (s->alike[leg] > 1) continue;
        for (int other = leg; other < s->n; other++)
            if (s->pdg[other] == s->pdg[leg]) {
                plan->first[count] = (uint8_t)first;
                plan->ordered[count++] = row_of(row, other);
            }
    }
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
