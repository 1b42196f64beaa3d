/* External gluons of one register of events: momenta in the order of places (process/subprocess.h), all of them taken as
 * outgoing, and the polarization states that the helicity axis asks for.
 */
#ifndef BG_AMPLITUDE_EXTERNAL_H
#define BG_AMPLITUDE_EXTERNAL_H

#include "amplitude/polarization.h"
#include "helicity/mode.h"
#include "kinematics/momenta.h"
#include "random/philox.h"

/* The point that was meant: outgoing gluons with the three-momenta as they are and no mass, the first incoming one with
 * its direction, the second one taking what is left. Without it, momenta that add up to sixteen digits only would leave
 * their mark on the results of quadruple precision, a different one for each algorithm. */
BG_FN void external_sharpen(const int n, uint32_t incoming, vec4 *p)
{
    vec4 total = vec4_zero();
    const int first = bg_lowest(incoming), second = bg_lowest(incoming & (incoming - 1u));
    for (int k = 0; k < n; k++) {
        if (k == second) continue;
        const real energy = bg_sqrt(p[k].x * p[k].x + p[k].y * p[k].y + p[k].z * p[k].z);
        p[k].t = k == first ? -energy : energy;
        if (k != first) total = vec4_add(total, p[k]);
    }
    p[first] = vec4_scale(-(dot(total, total) / (bg_real(2.) * dot(total, p[first]))), p[first]);
    p[second] = vec4_sub(vec4_scale(bg_real(-1.), total), p[first]);
}

/* One momentum of consecutive events, `event` numbers apart, the last of `count` repeated in the lanes beyond. */
BG_FN vec4 external_gather(const double *at, const size_t event, const size_t component, const int count)
{
    vec4 v = vec4_zero();
    for (int l = 0; l < BG_LANES; l++) {
        const double *q = at + (size_t)(l < count ? l : count - 1) * event;
        bg_set_lane(&v.t, l, q[0]);
        bg_set_lane(&v.x, l, q[component]);
        bg_set_lane(&v.y, l, q[2 * component]);
        bg_set_lane(&v.z, l, q[3 * component]);
    }
    return v;
}

/* Momenta of `count` events. Whole registers of a user's array [event][leg][4] are worth a path of its own, with constant
 * strides. */
BG_FN void external_load(const int n, const bg_momenta *momenta, int count, vec4 *p)
{
    const size_t numbers = 4 * (size_t)n, event = momenta->event, component = momenta->component;
    if (component == 1 && event == numbers && count >= BG_LANES)
        for (int k = 0; k < n; k++) p[k] = external_gather(momenta->at + momenta->offset[k], numbers, 1, BG_LANES);
    else
        for (int k = 0; k < n; k++) p[k] = external_gather(momenta->at + momenta->offset[k], event, component, count);
    for (int k = 0; k < n; k++)
        if (momenta->incoming >> k & 1u) p[k] = vec4_scale(bg_real(-1.), p[k]);
#if defined(BG_QUAD)
    external_sharpen(n, momenta->incoming, p);
#endif
}

/* States of the gluon in place k, which flies along `flight`, with its random number where they take one. */
BG_FN void external_state_along(const int mode, const uint32_t *configuration, int k, const real *u, vec4 flight,
                                vec4 *state)
{
    vec4 e1, e2;
    polarization_along(flight, &e1, &e2);
    if (mode == HELICITY_BASIS) {
        state[0] = e1;
        state[1] = e2;
    } else if (mode == HELICITY_ANGLE) {
        state[0] = polarization_angle(e1, e2, *u);
    } else if (mode == HELICITY_PHASE) {
        state[0] = polarization_phase(e1, e2, *u);
    } else if (mode == HELICITY_LINEAR) {
        mask first = *u < bg_real(0.5);
        vec4 e = {bg_select(first, e1.t, e2.t), bg_select(first, e1.x, e2.x), bg_select(first, e1.y, e2.y),
                  bg_select(first, e1.z, e2.z)};
        state[0] = e;
    } else {
        real sign;
        for (int l = 0; l < BG_LANES; l++) bg_set_lane(&sign, l, configuration[l] >> k & 1u ? 1. : -1.);
        polarization_helicity(e1, e2, sign, state);
    }
}

/* State s, part a of gluon k, which flies along flight[k], goes to state[(k * states + s) * parts + a]. `event` and, for
 * HELICITY_CIRCULAR, `configuration` have one entry a lane. */
BG_FN void external_states_along(const int n, const int mode, const uint32_t *configuration, uint64_t seed,
                                 const uint64_t *event, uint32_t draw, const vec4 *flight, vec4 *state)
{
    real u[BG_MAX_LEGS];
    if (mode != HELICITY_BASIS && mode != HELICITY_CIRCULAR)
        bg_random_lanes(seed, event, draw, BG_STREAM_HELICITY, n, u);
    const int per = helicity_states(mode) * helicity_parts(mode);
    for (int k = 0; k < n; k++) external_state_along(mode, configuration, k, &u[k], flight[k], state + per * k);
}

BG_FN void external_directions(const int n, const vec4 *p, vec4 *flight)
{
    for (int k = 0; k < n; k++) flight[k] = direction(p[k]);
}

/* The same from the momenta. */
BG_FN void external_polarizations(const int n, const int mode, const uint32_t *configuration, uint64_t seed,
                                  const uint64_t *event, uint32_t draw, const vec4 *p, vec4 *state)
{
    vec4 flight[BG_MAX_LEGS];
    external_directions(n, p, flight);
    external_states_along(n, mode, configuration, seed, event, draw, flight, state);
}

/* External currents of configuration h in the given order of gluons. */
BG_FN void external_configure(const int n, const int states, const int parts, unsigned h, const int *order,
                              const vec4 *state, vec4 *e)
{
    for (int k = 0; k < n; k++) {
        const int s = states == 2 ? (int)(h >> order[k] & 1u) : 0;
        for (int a = 0; a < parts; a++) e[k * parts + a] = state[(order[k] * states + s) * parts + a];
    }
}

#endif
