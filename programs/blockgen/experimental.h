/* The library with its instruments and its table of strategies, which may change with every release: for bench, study and
 * selftest, which are as new as the library. */
#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"
