/* What the files of the integrator share. integrator.c runs rounds and iterations and is what the others call, begin.c makes a run
 * of a question, pilot.c finds the scale of the weights, goal.c says how many points come next, summary.c what is known so far, and
 * trials.c makes points for lessons and events.
 */
#ifndef BG_ENGINE_INTEGRATOR_OWN_H
#define BG_ENGINE_INTEGRATOR_OWN_H

#include "engine/evaluator.h"
#include "engine/integrator.h"
#include "engine/ranks.h"
#include "engine/state.h"

enum { BG_WARMUP = 6 };       /* iterations that only adapt */
#define BG_FIRST_ROUND 16     /* points: they may be slow */
#define BG_ROUND_SECONDS 0.25 /* that a round takes, about */

/* Numbers of points that are no part of a result: far above those that are. */
#define BG_TRIAL_EVENT (1ull << 61)  /* points for events */
#define BG_PILOT_EVENT (1ull << 62)  /* of the pilot */
#define BG_LESSON_EVENT (3ull << 60) /* points that a factor of the estimate is learned from */

typedef struct bg_integrator {
    const bg_integration *wish;
    size_t result_size; /* of the caller's struct: what callbacks see says the same */
    bg_ranks ranks;
    int refused;                                  /* the caller wants no more points */
    const bg_protons *protons;                    /* NULL: two partons of a fixed energy */
    double effort;                                /* share of the usual points that adaptation takes */
    int threads;                                  /* of this process */
    int shares;                                   /* it takes turns with other integrations */
    int for_events;                               /* the grid is to keep the largest weights small */
    estimate_plan estimate;                       /* of |M|^2, where there is one */
    double trial_cost, estimate_cost, exact_cost; /* of a trial point alone, of an estimate and of a |M|^2 */
    bg_evaluator *evaluator;
    const bg_plan *plan;
    channel channel;
    bg_state *state;
    struct bg_histograms *histograms; /* this rank's share; NULL without */
    bg_tally *fresh;                  /* of the round under way, which may be thrown away */
    bg_iteration pilot;               /* points that found the scale: the result where nothing else was done */
    bg_timing timing;
    double started, shown, saved;
    uint64_t round;   /* points of the next round, all ranks together */
    int stop;         /* who stopped it */
    bg_error trouble; /* of the last checkpoint that could not be written */
    bg_saver saver;   /* who writes checkpoints, where it is not this one */
    int hybrid;       /* CPU threads that generate points for a device, or 0 */
} integrator;

/* Whole deals of points that share colors. */
static inline uint64_t integrator_unit(const integrator *g) { return bg_deal_unit(g->plan->group); }
static inline uint64_t integrator_whole(const integrator *g, uint64_t points)
{
    return bg_deal_whole(g->plan->group, points);
}

/* ---- a question becomes a run (begin.c) --------------------------------------------------------------------------------- */

/* The ranks and the evaluator, on all ranks or on none. */
bg_status bg_integrator_begin(integrator *g, const bg_subprocess *process, const bg_options *options, bg_error *error);

/* What follows first once there is an evaluator: the channel, the tables, and the question. */
bg_status bg_integrator_set_up(integrator *g, const bg_options *options, bg_error *error);

/* All that the two have made. */
void bg_integrator_release(integrator *g);

/* ---- what is known so far (summary.c) ----------------------------------------------------------------------------------- */

/* An iteration from the sums of all ranks. */
bg_iteration bg_integrator_iteration(const integrator *g, const bg_tally *tally);

/* `tally` is that of the current iteration, of all ranks; NULL: the finished ones alone. */
void bg_integrator_summarise(const integrator *g, const bg_tally *tally, bg_result *result);

/* The finished iterations alone: what decides how it goes on. */
bg_result bg_integrator_so_far(const integrator *g);

/* ---- how many points next (goal.c) -------------------------------------------------------------------------------------- */

/* Points of the next iteration. */
uint64_t bg_integrator_next_size(const integrator *g);

/* Points of the next round, after one of `points` that took `seconds`. */
uint64_t bg_integrator_next_round(const integrator *g, const bg_result *result, uint64_t points, double seconds);

/* Whether no more are needed. */
int bg_integrator_reached(const integrator *g);

/* Trial points up to the goal, as far as it can be seen. */
double bg_integrator_points_to_come(const integrator *g);

/* Whether it is no use to go on. */
bg_status bg_integrator_check_hope(const integrator *g, bg_error *error);

/* The share of the trial points that best get an exact |M|^2. */
double bg_integrator_best_share(const integrator *g);

/* How many points of the iteration that begins get one. */
void bg_integrator_aim(integrator *g);

/* ---- rounds (integrator.c) ---------------------------------------------------------------------------------------------- */

/* This rank's share of a round of points, to the tally. On all ranks; where one was interrupted, the round did not happen. */
bg_status bg_integrator_round(integrator *g, uint64_t first, uint64_t count, int adapting, int histograms,
                              bg_tally *tally, bg_error *error);

/* Between two rounds: show, save, and agree on stopping and on the size of the next round, from the points and seconds of the one
 * before. */
bg_status bg_integrator_between_rounds(integrator *g, uint64_t points, double seconds, bg_error *error);

/* ---- the scale of the weights (pilot.c) --------------------------------------------------------------------------------- */

/* The scale of the importances, from a few points that count for nothing else. Every rank finds the same. */
bg_status bg_integrator_pilot(integrator *g, bg_error *error);

/* ---- lessons (trials.c) ------------------------------------------------------------------------------------------------- */

/* Before an iteration: a lesson, where it pays. */
bg_status bg_integrator_lesson_before_iteration(integrator *g, bg_error *error);

#endif
