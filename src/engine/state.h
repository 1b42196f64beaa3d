/* An integration in progress: all that a checkpoint must hold to go on with the identical result. */
#ifndef BG_ENGINE_STATE_H
#define BG_ENGINE_STATE_H

#include "accumulate/histograms.h"
#include "accumulate/tally.h"
#include "base/parcel.h"
#include "backend/plan.h"
#include "helicity/selector.h"
#include "engine/iteration.h"
#include "engine/question.h"
#include "engine/sifting.h"
#include "phasespace/grid.h"

#define BG_MAX_ITERATIONS 4096

typedef struct bg_state {
    bg_question question;
    int32_t group;       /* points that share colors */
    int32_t warmup;      /* iterations that only adapt, still to come (this one included) */
    int32_t iterations;  /* finished, behind the result */
    int32_t borrowed;    /* 1: the grid began as that of another subprocess */
    uint64_t next_event; /* number of the first point of this iteration */
    uint64_t size, done; /* points of this iteration: planned, finished */
    bg_iteration warmed; /* those that only adapted, together */
    double scale;        /* typical weight^2 for importances; 0: not found yet */
    double max_weight;
    double seconds; /* spent so far */
    bg_sifting sifting;
    channel_grid grid;
    helicity_selector *selector; /* NULL: helicities are not selected */
    bg_tally *tally;             /* of this iteration, this rank's share */
    bg_iteration iteration[BG_MAX_ITERATIONS];
} bg_state;

/* Passes all of it to or from a parcel, with the sums of the histograms (may be NULL). `path` is for messages. Unpacking takes the
 * place of what has begun, and refuses another question and what no run can have left; the tables are as good as lost then. */
bg_status bg_state_pass(bg_state *state, struct bg_histograms *histograms, bg_parcel *parcel, const char *path,
                        bg_error *error);

/* ---- files ------------------------------------------------------------------------------------------------------------ */

/* Whether a checkpoint can be written there, before there is anything to write. A file that is no checkpoint is not
 * replaced, nor, without `force`, one of another run than that which goes on from the file `resume` (may be NULL). What
 * killed runs have left beside it is removed. */
bg_status bg_checkpoint_check(const char *path, const bg_question *question, const char *resume, int force,
                              bg_error *error);

/* Written next to `path` and renamed, so that there is a whole checkpoint at any time. */
bg_status bg_checkpoint_write(const char *path, const bg_question *question, const bg_parcel *parcel, bg_error *error);

/* Refuses a file that is damaged, of another version, or of another question. The parcel is to be freed, also after an error. */
bg_status bg_checkpoint_read(const char *path, const bg_question *question, bg_parcel *parcel, bg_error *error);

#endif
