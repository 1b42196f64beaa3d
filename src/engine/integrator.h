/* Cross sections: iterations of trial points, adaptation between them, and when to stop. */
#ifndef BG_ENGINE_INTEGRATOR_H
#define BG_ENGINE_INTEGRATOR_H

#include "backend/batch.h"
#include "base/parcel.h"
#include "beams/protons.h"
#include "process/subprocess.h"

/* As bg_integrate(), for structs of ours that were checked and a process of one subprocess. result->size is that of the
 * caller's. */
bg_status bg_integrator_run(const bg_subprocess *process, const bg_options *options, const bg_integration *integration,
                            bg_result *result, bg_error *error);

/* ---- one of several subprocesses (many.c) ----------------------------------------------------------------------------- */

typedef struct bg_integrator bg_integrator;

/* Makes the evaluator and the tables. `for_events`: the grid is to keep the largest weights small, so that many points become
 * events; otherwise the error. sigma is multiplied with the number of `channels` that the subprocess stands for, where
 * luminosities do not know of it. The wish and the protons (NULL: none) must live as long; the goal of the wish may change
 * from one call to the next. The clock of wish->seconds runs since `started`. `shares`: it takes turns with others, which
 * need the same memory of a device. */
bg_status bg_integrator_open(bg_integrator **integrator, const bg_subprocess *process, const bg_protons *protons,
                             double channels, int for_events, int shares, const bg_options *options,
                             const bg_integration *wish, double started, size_t result_size, bg_error *error);
void bg_integrator_close(bg_integrator *integrator);

/* A few points that count for nothing; *sigma gets what they say about the cross section. *stopped: it was stopped before. */
bg_status bg_integrator_probe(bg_integrator *integrator, double *sigma, int *stopped, bg_error *error);

/* What a trial point costs, about (engine/cost.h). */
double bg_integrator_cost(const bg_integrator *integrator);

/* Begins with the grid that another subprocess of as many partons has learned, but for which parton is where. */
void bg_integrator_borrow(bg_integrator *integrator, const bg_integrator *other);

/* On to the goal of the wish. `effort`: the share of the usual points that adaptation takes. *stopped: it was stopped before. */
bg_status bg_integrator_advance(bg_integrator *integrator, double effort, bg_result *result, int *stopped,
                                bg_error *error);

/* What it has found so far, of all ranks. */
bg_status bg_integrator_report(bg_integrator *integrator, bg_result *result, bg_error *error);

/* Who writes a checkpoint of all subprocesses, when one of them finds that it is time to; on all ranks. */
typedef struct bg_saver {
    bg_status (*save)(void *user, bg_error *error);
    void *user;
} bg_saver;

void bg_integrator_save_by(bg_integrator *integrator, bg_saver saver);

/* Its state to or from a parcel. All ranks pack, and each gets the sums of all; unpacked they stay with rank 0. */
bg_status bg_integrator_pass(bg_integrator *integrator, bg_parcel *parcel, const char *path, bg_error *error);

/* Trial points that nothing else has used, numbers first .. first + count - 1 counted from 0, with what was learned so far: those
 * inside the cuts go to the sink with their weights. Where there is a sieve (estimate/sieve.h), those that it keeps do, with
 * w/p; in a survey all of them, with their e. */
bg_status bg_integrator_trials(bg_integrator *integrator, uint64_t first, uint64_t count, int survey,
                               const bg_sink *sink, bg_error *error);

/* Where so many events are to be made that it pays, a better estimate for them (engine/lesson.h). On all ranks. */
bg_status bg_integrator_learn(bg_integrator *integrator, double events, bg_error *error);

/* The helicities of a point [leg][4] that bg_integrator_trials() has delivered, as a configuration (helicity/selector.h). Returns
 * 0 where they were summed over, or where what was drawn are no helicities. */
int bg_integrator_helicities(const bg_integrator *integrator, uint64_t event, const double *momenta,
                             uint32_t *configuration);

/* The sieve: whether there is one, what a trial point and an exact |M|^2 cost, and its threshold. */
int bg_integrator_is_sieved(const bg_integrator *integrator);
void bg_integrator_costs(const bg_integrator *integrator, double *trial, double *exact);
void bg_integrator_set_threshold(bg_integrator *integrator, double threshold);

/* What it has learned so far (engine/state.h). */
struct bg_state *bg_integrator_state(bg_integrator *integrator);

/* At the end: sums of all ranks, and what the caller's objects get. */
bg_status bg_integrator_finish(bg_integrator *integrator, const bg_result *result, bg_error *error);

#endif
