#include "events/origin.h"
#include "base/status.h"
#include "engine/evaluator.h"
#include "estimate/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The luminosity of the class. Leg 0 of the representative comes first in its tables. */
static void fill_luminosity(bg_event_origin *o, const bg_event *e, const bg_protons *b)
{
    bg_densities f;
    const double muf2 = e->muf * e->muf;
    densities_of(&b->grid, e->x[o->exchanged], e->x[!o->exchanged], muf2, &f);
    const bg_luminosity l = luminosity_of(&b->pairs, &f);
    o->luminosity = l.direct + l.exchanged;
}

/* |M|^2 with exact sums, unless helicities are given; NaN where there are none for so many partons. */
static bg_status fill_me2(bg_event_origin *o, const bg_event *e, const bg_subprocess *s, const bg_options *options,
                          bg_interrupt interrupt, bg_error *error)
{
    bg_options exact;
    bg_options_init(&exact);
    bg_evaluator *evaluator;
    const bg_request request = {
        .process = s, .options = &exact, .purpose = BG_FOR_MATRIX_ELEMENTS, .interrupt = interrupt, .local_rank = -1};
    strcpy(exact.backend, "cpu");
    exact.threads = 1;
    exact.alpha_s = e->alpha_s;
    if (options->helicity == BG_HELICITY_FIXED) {
        exact.helicity = BG_HELICITY_FIXED;
        memcpy(exact.helicities, options->helicities, sizeof exact.helicities);
    }
    o->me2 = (double)NAN;
    if (bg_request_check(&request, NULL) != BG_OK) return BG_OK;
    bg_status status = bg_evaluator_make(&evaluator, &request, error);
    if (status != BG_OK) return status;
    status = bg_evaluator_run(evaluator, 0, 1, e->momentum[0], &o->me2, NULL, error);
    bg_evaluator_release(evaluator);
    return status;
}

static bg_status fill_estimate(bg_event_origin *o, const bg_event *e, const bg_subprocess *s, bg_error *error)
{
    estimate_plan plan;
    o->estimate = (double)NAN;
    if (bg_estimate_plan(&plan, s, NULL, NULL) != BG_OK) return BG_OK;
    const size_t pairs = pairs_reals(s->n);
    real *room = malloc((pairs + estimate_reals(&plan)) * sizeof *room);
    if (!room) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the estimate of an event");
    vec4 p[BG_MAX_LEGS];
    for (int leg = 0; leg < s->n; leg++) {
        const double *q = e->momentum[leg];
        const vec4 v = {bg_real(q[0]), bg_real(q[1]), bg_real(q[2]), bg_real(q[3])};
        p[leg] = v;
    }
    const pair_table table = pairs_in(s->n, room, 1);
    const estimate_room sums = estimate_room_in(&plan, room + pairs, 1);
    pairs_fill(s->n, p, &table);
    o->estimate = bg_lane(estimate_value(&plan, &table, &sums), 0);
    free(room);
    return BG_OK;
}

bg_status bg_origin_fill(bg_event_origin *o, const bg_event *e, const bg_subprocess *s, const bg_protons *protons,
                         const bg_options *options, bg_interrupt interrupt, bg_error *error)
{
    o->luminosity = 0.;
    if (protons) fill_luminosity(o, e, protons);
    bg_status status = fill_me2(o, e, s, options, interrupt, error);
    if (status == BG_OK) status = fill_estimate(o, e, s, error);
    o->phase_space = o->weight_pb / (o->me2 * (protons ? o->luminosity : 1.));
    return status == BG_OK ? bg_succeed(error) : status;
}
