/* Sampled colors with the dressed recursion, for a number of legs that is a constant (instance.c) or not (dressed.c). */
#ifndef BG_BACKEND_CPU_DRESSED_H
#define BG_BACKEND_CPU_DRESSED_H

#include "amplitude/dressed.h"
#include "amplitude/external.h"
#include "amplitude/invariants.h"
#include "backend/cpu/instance.h"
#include "color/sampling.h"

/* The order of legs that changes nothing. */
static const int identity_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
_Static_assert(sizeof identity_order / sizeof *identity_order == BG_MAX_LEGS, "one entry a leg");

BG_FN real amplitude_square(const int parts, const real *amplitude)
{
    real s = amplitude[0] * amplitude[0];
    return parts == 2 ? s + amplitude[1] * amplitude[1] : s;
}

BG_FN void store_values(const cpu_task *t, const real *sum, double weight)
{
    for (int e = 0; e < t->count; e++) t->value[e] = weight * (double)bg_lane(sum[e / BG_LANES], e % BG_LANES);
}

BG_FN size_t dressed_workspace(const int n, const bg_plan *plan)
{
    return dressed_store_reals(n, helicity_parts(plan->mode)) * sizeof(real);
}

/* Colors of each lane's event, and what the draw weighs. */
BG_FN real dressed_colors(const int n, const cpu_task *t, const uint64_t *event, real *color)
{
    const bg_options *o = &t->plan->options;
    real weight = bg_real(1.);
    if (o->color_sampling == BG_COLORS_DISCRETE) {
        color_discrete(n, o->seed, event, t->draw, color, &weight);
    } else {
        color_continuous(n, o->seed, event, t->draw, color);
        for (int k = 0; k < n; k++) weight *= bg_real(9.);
    }
    return weight;
}

/* The amplitude of one configuration, in a function of its own: the compiler then rounds it alike whatever stands around it. */
typedef void dressed_function(const vec4 *p, const invariants *values, const vec4 *e, const real *color, real *store,
                              real *a);

/* `amplitude` has the functions for real and for complex states. */
BG_FN void dressed_evaluate(const int n, const cpu_task *t, dressed_function *const amplitude[2])
{
    const int mode = t->plan->mode, states = helicity_states(mode), parts = helicity_parts(mode);
    const unsigned configurations = (unsigned)helicity_configurations(n, mode);
    real sum[BG_VECTORS];
    for (int v = 0; v * BG_LANES < t->count; v++) {
        vec4 p[BG_MAX_LEGS], flight[BG_MAX_LEGS], state[2 * BG_MAX_LEGS];
        real color[9 * BG_MAX_LEGS], number[BG_INVARIANTS(BG_MAX_LETTERS)], a[2];
        const int done = v * BG_LANES;
        const uint64_t *event = t->event + done;
        const invariants values = {number, 1};
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(n, &momenta, t->count - done, p);
        external_directions(n, p, flight);
        external_states_along(n, mode, t->configuration + done, t->plan->options.seed, event, t->draw, flight, state);
        const real weight = dressed_colors(n, t, event, color);
        invariants_of(n - 2, p, flight, number);
        sum[v] = bg_real(0.);
        for (unsigned h = 0; h < configurations; h++) {
            if (n - 2 >= BG_PATIENT_LETTERS && bg_interrupted(t->plan->interrupt)) return;
            vec4 e[2 * BG_MAX_LEGS];
            external_configure(n, states, parts, h, identity_order, state, e);
            amplitude[parts - 1](p, &values, e, color, t->workspace, a);
            sum[v] += amplitude_square(parts, a);
        }
        sum[v] *= weight;
    }
    store_values(t, sum, helicity_draw_weight(n, mode));
}

#endif
