/* Weights of events with other scales and with the other members of the parton densities (engine/variations.h): the weight of
 * an event times the ratio
 *
 *     f_a(x1, muF_v) f_b(x2, muF_v) / (f_a(x1, muF) f_b(x2, muF))  (alpha_s_v(muR_v) / alpha_s(muR))^k
 *
 * of its own partons a and b, so that distributions of every flavor vary as they should. Only events that were kept are
 * looked at.
 */
#ifndef BG_EVENTS_REWEIGHT_H
#define BG_EVENTS_REWEIGHT_H

#include "engine/many.h"

typedef struct bg_reweight bg_reweight;

/* For the variations that the wish asks for, of events of the classes of `many`, at most `room` of them at a time. *made is NULL
 * where it asks for none. What is handed over must live as long. */
bg_status bg_reweight_create(bg_reweight **made, const bg_many *many, const bg_process *process,
                             const bg_integration *wish, size_t room, bg_error *error);
void bg_reweight_destroy(bg_reweight *reweight);

/* Tells the result how many there are, and their names; these live as long as `reweight`. */
void bg_reweight_describe(const bg_reweight *reweight, bg_generation_result *result);

/* Fills in event[].variation, by so many threads. The numbers are those of the latest call. NULL has nothing to do. */
bg_status bg_reweight_events(bg_reweight *reweight, bg_event *event, size_t count, int threads, bg_error *error);

#endif
