/* A run of events, and what its files share. generate.c makes blocks of events and is what the others call, learn.c finds or reads all
 * that is known before the first one, settle.c the largest weights, complete.c makes whole events of points, and again.c makes an
 * event once more.
 */
#ifndef BG_EVENTS_RUN_H
#define BG_EVENTS_RUN_H

#include "engine/many.h"
#include "engine/ranks.h"
#include "events/flow.h"
#include "events/reweight.h"
#include "events/survey.h"
#include "process/process.h"

enum { BG_EVENT_BLOCK = 8192 }; /* events that are handed over together */

/* A point that was kept. */
typedef struct kept_point {
    uint64_t number; /* of the trial point, from 0 on */
    double weight;   /* pb */
    double momenta[4 * BG_MAX_LEGS];
} kept_point;

/* From 0 on, in its class. */
static inline uint64_t trial_number(const kept_point *point) { return point->number & ((UINT64_C(1) << 61) - 1u); }

/* What is known of a class while events are made. */
typedef struct event_class {
    double largest;   /* W */
    double rate;      /* points kept of a trial point */
    double kept_rate; /* |M|^2 of a trial point */
    double share;     /* of all events */
    double unit;      /* of the weight of an event: pb for w = W, or for w = 1 pb where events are weighted */
    uint64_t next;    /* trial point */
    uint64_t begin;   /* trial point that was the first after the survey */
    uint64_t tried;   /* trial points up to the last event */
    uint64_t used;    /* trial point: those before it were made by a run before, and are left out */
    kept_point *kept; /* those that wait, in the order of their numbers */
    size_t first, count, room;
    double inside, sum, above; /* of the survey: points, their weights, and the share of these above W */
    bg_survey survey;
    bg_survey_rule rule; /* by which W is chosen */
    bg_survey_result found;
    double slope;      /* the cost of an event falls with this power of the share of overweights */
    uint64_t surveyed; /* trial points of the survey */
} event_class;

typedef struct bg_event_run {
    const bg_process *process;
    const bg_generation *wish;
    bg_generation own_wish; /* of a run that is opened: with the question of its integration */
    bg_integration integration;
    bg_options options;
    bg_ranks ranks;
    bg_many *many;
    bg_reweight *reweight; /* for variations; NULL: none */
    event_class *class_of;
    int classes, now;
    int keeping; /* 0: a survey */
    double sqrts, alpha_s;
    double total;       /* sigma in pb */
    bg_flow **flow;     /* [thread][class], made when they are first needed */
    int threads, lanes; /* flows that a thread draws together */
    uint64_t seed;
    double overweight, all_weight; /* sums over events */
    double largest_weight;         /* of an event, in units of the plain one */
    double cut_off;                /* what weights had above the largest one where all events are to count alike, pb */
    int failed;                    /* no memory in a sink */
} bg_event_run;
typedef bg_event_run generation;

/* ---- points (generate.c) -------------------------------------------------------------------------------------------------- */

/* The next trial points of a class: in a survey they are noted, otherwise those that unweighting keeps wait to become events. */
bg_status bg_run_try_points(generation *g, int k, uint64_t count, int survey, bg_error *error);

/* Everything up to the first event. */
bg_status bg_run_begin(generation *g, const bg_process *process, const bg_options *options,
                       const bg_integration *integration, const bg_generation *wish, bg_result *sigma, bg_error *error);
void bg_run_release(generation *g);

/* ---- what is known before the first event (learn.c) ------------------------------------------------------------------------- */

/* Integrates and surveys, or reads what a run before has learned. */
bg_status bg_run_learn(generation *g, bg_result *sigma, bg_error *error);

/* ---- largest weights (settle.c) ----------------------------------------------------------------------------------------------- */

/* Those of all classes, and from then on points are kept. */
bg_status bg_run_settle(generation *g, bg_error *error);

/* ---- whole events (complete.c) -------------------------------------------------------------------------------------------------- */

/* The weight of an event in pb; the mean over all events is the cross section. */
double bg_run_weight(const generation *g, const event_class *c, const kept_point *point);

/* Points from `first` up to `end` become events. */
bg_status bg_run_complete_some(generation *g, int first, int end, const uint16_t *class_of,
                               const kept_point *const *point, bg_event *event, bg_error *error);

/* ... and a single one, of class k. */
bg_status bg_run_complete_one(generation *g, int k, const kept_point *point, bg_event *event, bg_error *error);

#endif
