/* The generator of trial points, by event number: a channel, its grid, and the instructions of the CPU that make them. */
#ifndef BG_ENGINE_GENERATOR_H
#define BG_ENGINE_GENERATOR_H

#include "backend/batch.h"
#include "process/process.h"

struct bg_generator {
    channel channel;
    channel_grid grid;
    double scale; /* of the weights^2, for importances; 0: not known yet */
    bg_generate *generate;
};

bg_status bg_generator_make(bg_generator **generator, const bg_process *process, const bg_options *options,
                            const bg_integration *integration, bg_error *error);

/* Whether it makes points of the same process within the same cuts. */
int bg_generator_fits(const bg_generator *generator, const channel *channel);

/* As bg_generator_points(), for arguments that are known to be good. */
bg_status bg_generator_run(const bg_generator *generator, size_t count, const uint64_t *event, double *momenta,
                           double *weight, bg_error *error);

#endif
