/* Full sums over helicities, n_out = RECYCLED_LEAST to RECYCLED_MOST: what recycled.cu (one object an n_out) and fast.c
 * share. Above this range the currents of an event in all states are too many to keep; below it one thread does all of an
 * event (fast.cu). The tables are those of amplitude/words.h.
 */
#ifndef BG_BACKEND_CUDA_RECYCLED_H
#define BG_BACKEND_CUDA_RECYCLED_H

#include "amplitude/words.h"

#define RECYCLED_LEAST 4
#define RECYCLED_MOST 7

#endif
