/* What a benchmark asks of a backend besides the work itself: the times of its parts, the operations it takes, and
 * what the hardware could do at best.
 */
#ifndef BG_BACKEND_INSTRUMENT_H
#define BG_BACKEND_INSTRUMENT_H

/* Its types are those of the experimental part of the public header. */
#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"

#endif
