/* Where the momenta of many events are: a view of somebody's array, the same for a CPU and a GPU.
 *
 * A user's array is [event][leg][4]; the arrays of phase-space points are [place][4][event]. Both are read through the
 * same numbers, so nothing is copied or transposed on the way to a kernel. Kernels count legs by their places
 * (process/subprocess.h); `offset` says where each of them is, worked out once so that a kernel only adds.
 */
#ifndef BG_KINEMATICS_MOMENTA_H
#define BG_KINEMATICS_MOMENTA_H

#include "base/limits.h"
#include "kinematics/vector.h"

/* Component c of the momentum in place k of event e is at[e * event + offset[k] + c * component]. Plain data: copied to
 * devices as it is. */
typedef struct bg_momenta {
    const double *at;
    size_t event, component;
    uint32_t incoming; /* bit k: the momentum in place k comes in */
    size_t offset[BG_MAX_LEGS];
} bg_momenta;

/* An array whose rows of four components are those of the legs; leg[k] is the one in place k. NULL: the rows are places. */
BG_FN bg_momenta momenta_view(const double *at, size_t event, size_t component, uint32_t incoming, const uint8_t *leg)
{
    bg_momenta m;
    m.at = at;
    m.event = event;
    m.component = component;
    m.incoming = incoming;
    for (int k = 0; k < BG_MAX_LEGS; k++) m.offset[k] = 4 * (size_t)(leg ? leg[k] : k) * component;
    return m;
}

/* The same array from event number `first` on. */
BG_FN bg_momenta momenta_from(const bg_momenta *m, size_t first)
{
    bg_momenta from = *m;
    from.at += first * m->event;
    return from;
}

/* The momentum in place k of event e, as it is stored: with positive energy. */
BG_FN const double *momenta_at(const bg_momenta *m, size_t e, int k) { return m->at + e * m->event + m->offset[k]; }

#endif
