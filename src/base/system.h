/* What the operating system says: the time and the cores. */
#ifndef BG_BASE_SYSTEM_H
#define BG_BASE_SYSTEM_H

#include "base/limits.h"

#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Seconds of a monotonic clock. */
static inline double bg_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Threads where nobody says how many: OMP_NUM_THREADS, or as many as can run at once. One where that makes no sense
 * (base/threads.h says so). */
static inline int bg_default_threads(void)
{
#ifdef _OPENMP
    const int threads = omp_get_max_threads();
    return threads >= 1 && threads <= BG_MOST_THREADS ? threads : 1;
#else
    return 1;
#endif
}

/* Threads that can run at once. */
static inline int bg_cores(void)
{
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}

#endif
