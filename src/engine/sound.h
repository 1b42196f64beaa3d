/* Whether what a checkpoint holds can be the state of a run: a checksum is no seal. */
#ifndef BG_ENGINE_SOUND_H
#define BG_ENGINE_SOUND_H

#include "engine/state.h"

/* Whether a run that starts as `begun`, with the selector `fresh` (or NULL), can have been in state `s`. */
int bg_state_is_sound(const bg_state *s, const bg_state *begun, const helicity_selector *fresh);

/* Whether that is true of the grid and the selector alone. */
int bg_learned_is_sound(const channel_grid *grid, const channel_grid *begun, const helicity_selector *selector,
                        const helicity_selector *fresh);

/* Whether these can be digits of exact sums, of weights or of what may be negative: with them nothing overflows. */
int bg_sums_are_sound(const int64_t *digits, size_t sums, int may_be_negative);

/* Whether histograms of such digits can belong to a sound state. */
int bg_histograms_are_sound(const struct bg_histograms *h, const bg_state *s);

#endif
