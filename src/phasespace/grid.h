/* Adaptation of the VEGAS grid and of the helicity probabilities between iterations. */
#ifndef BG_PHASESPACE_GRID_H
#define BG_PHASESPACE_GRID_H

#include "accumulate/tally.h"

void bg_grid_uniform(channel_grid *grid);

/* Moves the edges so that every bin of an axis gets an equal share of the (damped) importance. */
void bg_grid_adapt(channel_grid *grid, int dimensions, const bg_tally *tally);

/* All allowed entries alike. */
void bg_selector_uniform(helicity_selector *selector, int n, int by_invariants);

/* Probabilities toward those of least variance, the square root of each entry's second moment. */
void bg_selector_adapt(helicity_selector *selector, const bg_tally *tally);

#endif
