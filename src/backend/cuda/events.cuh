/* Small pieces that the kernels share: strided loads, external gluons of an event. */
#ifndef BG_BACKEND_CUDA_EVENTS_CUH
#define BG_BACKEND_CUDA_EVENTS_CUH

#include "amplitude/external.h"
#include "backend/cuda/instance.h"
#include "color/permutation.h"

BG_FN vec4 strided_load(const double *at, size_t stride)
{
    vec4 v = {at[0], at[stride], at[2 * stride], at[3 * stride]};
    return v;
}

BG_FN void strided_store(double *at, size_t stride, vec4 v)
{
    at[0] = v.t;
    at[stride] = v.x;
    at[2 * stride] = v.y;
    at[3 * stride] = v.z;
}

/* x with the sign bit flipped where that of `flip` is set: one integer operation on half of it. */
BG_FN double flipped(double x, int flip)
{
#if defined(__CUDA_ARCH__)
    return __hiloint2double(__double2hiint(x) ^ flip, __double2loint(x));
#else
    return flip ? -x : x;
#endif
}

/* The momentum in place k as an outgoing one. The user's arrays have the four components side by side and events far apart: every
 * load of a warp touches 32 lines, so there had better be few. */
BG_FN vec4 event_momentum(const bg_momenta *m, size_t event, int k)
{
    const double *first = m->at + event * m->event, *at = first + m->offset[k];
    const int flip = (int)(m->incoming >> k << 31); /* the sign of an incoming one */
    vec4 p;
    if (m->component == 1 && !((size_t)first & (sizeof(double2) - 1))) { /* the same for all places */
        const double2 tx = *(const double2 *)at, yz = *(const double2 *)(at + 2);
        p.t = tx.x;
        p.x = tx.y;
        p.y = yz.x;
        p.z = yz.y;
    } else {
        p = strided_load(at, m->component);
    }
    p.t = flipped(p.t, flip);
    p.x = flipped(p.x, flip);
    p.y = flipped(p.y, flip);
    p.z = flipped(p.z, flip);
    return p;
}

/* The number that event `event` of the batch has everywhere. */
BG_FN uint64_t event_number(const cuda_question *q, size_t event)
{
    return q->events ? q->events[event] : q->first_event + event;
}

/* Its helicities, where they are definite. */
BG_FN uint32_t event_configuration(const int n, const cuda_question *q, size_t event)
{
    if (q->circular) return helicity_draw_configuration(n, q->seed, event_number(q, event), q->draw);
    return q->configurations ? q->configurations[event] : q->configuration;
}

/* Polarizations of an event whose gluons fly along flight[]. */
BG_FN void event_states_along(const int n, const int mode, const cuda_question *q, size_t event, const vec4 *flight,
                              vec4 *state)
{
    const uint64_t number = event_number(q, event);
    const uint32_t configuration = event_configuration(n, q, event);
    external_states_along(n, mode, &configuration, q->seed, &number, q->draw, flight, state);
}

BG_FN void event_polarizations(const int n, const int mode, const cuda_question *q, size_t event, const vec4 *p,
                               vec4 *state)
{
    vec4 flight[BG_MAX_LEGS];
    external_directions(n, p, flight);
    event_states_along(n, mode, q, event, flight, state);
}

#endif
