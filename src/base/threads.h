/* Threads of OpenMP: whether what the environment says about them can be used. */
#ifndef BG_BASE_THREADS_H
#define BG_BASE_THREADS_H

#include "blockgen/blockgen.h"

/* For so many threads, or as many as OpenMP says where it is 0: their number, and the size of their stacks. */
bg_status bg_threads_check(int threads, bg_error *error);

#endif
