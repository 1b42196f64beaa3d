/* Adaptation of the VEGAS grid between iterations; its use is in channel.h. */
#ifndef BG_PHASESPACE_GRID_H
#define BG_PHASESPACE_GRID_H

#include "phasespace/channel.h"

void bg_grid_uniform(channel_grid *grid);

/* Moves the edges so that every bin of an axis gets an equal share of the (damped) importance[dimension][BG_GRID_BINS]. */
void bg_grid_adapt(channel_grid *grid, int dimensions, const int64_t *importance);

#endif
