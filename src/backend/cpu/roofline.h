/* What the processor could do at best with one instruction set ("baseline", "avx2", "avx512"). */
#ifndef BG_BACKEND_CPU_ROOFLINE_H
#define BG_BACKEND_CPU_ROOFLINE_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "base/interrupt.h"
#include "blockgen/blockgen.h"

/* Takes about `seconds` in all. Bandwidth: a[i] = b[i] + s c[i] over arrays far larger than the caches, 24 bytes an i. What
 * is left of an interrupted one has no meaning. */
bg_status bg_cpu_measure_roofline(const char *isa, double seconds, bg_interrupt *interrupt, bg_roofline *roofline,
                                  bg_error *error);

#endif
