/* Color-ordered amplitude with several lanes on one event, the layout of Tess: lane i works on the
 * currents of the runs that start at gluon i, one length after the other.
 *
 * Currents are stored by length with their starts side by side, as plain numbers
 *     store[((length - 1) * (1 + parts) + which) * 4 + component][start]   (which 0: momentum, 1..: parts of J),
 * after them the propagators, [length - 1][start], which are given (invariants.h),
 * so lane i reads the left factor of a split at its own place and the right factor l places on: a
 * shifted vector load on a CPU, a neighbor's shared memory on a GPU. The vertices are those of
 * vertex.h.
 */
#ifndef BG_AMPLITUDE_COOPERATIVE_H
#define BG_AMPLITUDE_COOPERATIVE_H

#include "amplitude/vertex.h"

#include <string.h>

/* Starts of one length, rounded up so that a whole register may be read from the last one on. */
BG_FN int cooperative_pitch(int n) { return n - 1 + BG_LANES; }

BG_FN size_t cooperative_store_elements(int n, int parts)
{
    return (size_t)(n - 1) * ((size_t)(1 + parts) * 4 + 1) * (size_t)cooperative_pitch(n);
}

BG_FN element *cooperative_row(const int n, const int parts, element *store, int length, int which)
{
    return store + ((size_t)(length - 1) * (size_t)(1 + parts) + (size_t)which) * 4 * (size_t)cooperative_pitch(n);
}

BG_FN element *cooperative_propagators(const int n, const int parts, element *store, int length)
{
    return store + ((size_t)(n - 1) * (size_t)(1 + parts) * 4 + (size_t)(length - 1)) * (size_t)cooperative_pitch(n);
}

BG_FN real cooperative_read(const element *at)
{
#if BG_LANES == 1
    return *at;
#else
    real r;
    memcpy(&r, at, sizeof r);
    return r;
#endif
}

BG_FN void cooperative_write(element *at, real value)
{
#if BG_LANES == 1
    *at = value;
#else
    memcpy(at, &value, sizeof value);
#endif
}

/* The vector of the runs of `length` that start at `start` and in the lanes after it. */
BG_FN vec4 cooperative_load(const int n, const int parts, element *store, int length, int which, int start)
{
    const int pitch = cooperative_pitch(n);
    const element *row = cooperative_row(n, parts, store, length, which) + start;
    vec4 r = {cooperative_read(row), cooperative_read(row + pitch), cooperative_read(row + 2 * pitch),
              cooperative_read(row + 3 * pitch)};
    return r;
}

BG_FN void cooperative_save(const int n, const int parts, element *store, int length, int which, int start, vec4 v)
{
    const int pitch = cooperative_pitch(n);
    element *row = cooperative_row(n, parts, store, length, which) + start;
    cooperative_write(row, v.t);
    cooperative_write(row + pitch, v.x);
    cooperative_write(row + 2 * pitch, v.y);
    cooperative_write(row + 3 * pitch, v.z);
}

/* P^2 J of the runs of `length` from `start` on, one a lane. Lanes whose run would pass the last
 * gluon compute numbers that nobody reads. */
BG_FN void cooperative_numerator(const int n, const int parts, element *store, int length, int start, vec4 *numerator)
{
    for (int a = 0; a < parts; a++) numerator[a] = vec4_zero();
    for (int l = 1; l < length; l++) {
        vec4 PL = cooperative_load(n, parts, store, l, 0, start);
        vec4 PR = cooperative_load(n, parts, store, length - l, 0, start + l);
        for (int a = 0; a < parts; a++)
            for (int b = 0; b < parts; b++) {
                vec4 v = vertex3(0, cooperative_load(n, parts, store, l, 1 + a, start), PL, 0,
                                 cooperative_load(n, parts, store, length - l, 1 + b, start + l), PR);
                vec4 *to = &numerator[phase_part(a + b)];
                *to = vec4_axpy(*to, phase_sign(a + b), v);
            }
        for (int k = 1; k < length - l; k++)
            for (int a = 0; a < parts; a++)
                for (int b = 0; b < parts; b++)
                    for (int c = 0; c < parts; c++) {
                        vec4 v = vertex4(0, cooperative_load(n, parts, store, l, 1 + a, start), 0,
                                         cooperative_load(n, parts, store, k, 1 + b, start + l), 0,
                                         cooperative_load(n, parts, store, length - l - k, 1 + c, start + l + k));
                        vec4 *to = &numerator[phase_part(a + b + c)];
                        *to = vec4_axpy(*to, phase_sign(a + b + c), v);
                    }
    }
}

/* One step of the recursion: the currents of `length` (2 .. n-2) from `start` on. */
BG_FN void cooperative_step(const int n, const int parts, element *store, int length, int start)
{
    vec4 numerator[2];
    vec4 P = vec4_add(cooperative_load(n, parts, store, length - 1, 0, start),
                      cooperative_load(n, parts, store, 1, 0, start + length - 1));
    real propagator = cooperative_read(cooperative_propagators(n, parts, store, length) + start);
    cooperative_numerator(n, parts, store, length, start, numerator);
    cooperative_save(n, parts, store, length, 0, start, P);
    for (int a = 0; a < parts; a++)
        cooperative_save(n, parts, store, length, 1 + a, start, vec4_scale(propagator, numerator[a]));
}

#endif
