/* The numbers on the way from a random point to the weight of an event: densities, |M|^2 and its estimate. */
#ifndef BG_EVENTS_ORIGIN_H
#define BG_EVENTS_ORIGIN_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "base/interrupt.h"
#include "beams/protons.h"
#include "blockgen/blockgen.h"
#include "process/subprocess.h"

/* Fills in what follows from the event and the weight of its point, which is there. `protons` may be NULL. `interrupt` is
 * asked while |M|^2 is computed. */
bg_status bg_origin_fill(bg_event_origin *origin, const bg_event *event, const bg_subprocess *process,
                         const bg_protons *protons, const bg_options *options, bg_interrupt interrupt, bg_error *error);

#endif
