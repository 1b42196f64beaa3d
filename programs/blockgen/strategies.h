/* The library's strategies by name, as bench, study and selftest use them. */
#ifndef BG_PROGRAM_STRATEGIES_H
#define BG_PROGRAM_STRATEGIES_H

#include "experimental.h"

/* The names are those of the library's table: a program that asks for one that is not there is broken and ends. */
const bg_strategy *strategy_named(const char *name);

/* The library's defaults with the axes of a strategy. */
bg_options strategy_options(const char *name);

#endif
