/* Events: points that are kept as often as their weights say, each a whole event with partons, colors and scales.
 *
 * Every class of subprocesses has its own largest weight W: the one above which points carry at most a given share of the cross
 * section. A trial point of weight w is kept with probability min(1, w/W), by a random number that belongs to its number; one
 * above W is kept with the weight w/W. With the excess x = sum (w - W)+ / sum w of a class, its events come with the
 * probability sigma (1 - x) over that of all classes, and the weight of an event is
 *
 *     max(1, w/W)  sum_classes sigma (1 - x) ,
 *
 * so that the mean over events is the cross section. Which class comes next is drawn event by event; each class goes through
 * its trial points in the order of their numbers. So the same seed gives the same events, whatever threads and batches are.
 *
 * Weighted events are all points inside the cuts, with w over its mean in the class times the cross section of all.
 */
#ifndef BG_EVENTS_GENERATE_H
#define BG_EVENTS_GENERATE_H

#include "events/flow.h"
#include "process/process.h"

/* As bg_events_generate(), for structs of ours that were checked. */
bg_status bg_generation_run(const bg_process *process, const bg_options *options, const bg_integration *integration,
                            const bg_generation *generation, bg_generation_result *result, bg_error *error);

/* A run without its events (again.c): it knows what they follow from, and makes any of them again. The process must live as long. */
bg_status bg_event_run_open(bg_event_run **run, const bg_process *process, const bg_options *options,
                            const bg_integration *integration, const bg_generation *generation, bg_error *error);
bg_status bg_event_run_again(bg_event_run *run, int k, uint64_t number, bg_event *event, bg_event_origin *origin,
                             bg_error *error);
void bg_event_run_close(bg_event_run *run);

#endif
