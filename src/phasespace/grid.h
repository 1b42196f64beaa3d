/* Adaptation of the VEGAS grid between iterations; its use is in channel.h. */
#ifndef BG_PHASESPACE_GRID_H
#define BG_PHASESPACE_GRID_H

#include "phasespace/channel.h"
#include "phasespace/learning.h"

/* Bins of equal size, and the regions of the process; `cast`: partons are cast by their momenta, where that is possible. */
void bg_grid_uniform(channel_grid *grid, const bg_subprocess *process, int cast);

/* Moves the edges so that every bin of an axis gets an equal share of the cross section, as far as importance[axis][BG_GRID_BINS]
 * tells. Power 0: of the importance itself, damped as Lepage does. Where there are more `axes` than `dimensions`, the last one is
 * the regions. */
void bg_grid_adapt(channel_grid *grid, int dimensions, int axes, const int64_t *importance, bg_learning how);

#endif
