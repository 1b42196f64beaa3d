#include "base/threads.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef _OPENMP

/* What a kernel needs at most is a fifth of it; with sanitizers it is more. */
#define LEAST_STACK 1048576.

/* A size as OpenMP reads it, "512", "64k", " 2 M ": bytes, or 0 where it is none. */
static double read_size(const char *word)
{
    static const char units[] = "bkmgBKMG";
    static const double bytes[] = {1., 1024., 1048576., 1073741824.};
    char *end;
    const double number = strtod(word, &end);
    end += strspn(end, " \t");
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (*end && !unit) return 0.;
    if (unit) end++;
    end += strspn(end, " \t");
    if (*end || !(number > 0.)) return 0.;
    return number * bytes[unit ? (unit - units) % 4 : 1];
}

/* Stacks are as large as a variable says that the run time reads, or as those of the process. */
static bg_status check_stack(bg_error *error)
{
    static const char *const names[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"};
    struct rlimit limit;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *word = getenv(names[k]);
        const double size = word ? read_size(word) : 0.;
        if (!(size > 0.)) continue;
        if (size >= LEAST_STACK) return BG_OK;
        return bg_fail(error, BG_ERROR_ARGUMENT, "%s is '%.40s'; the stack of a thread must be %.0fk at least",
                       names[k], word, LEAST_STACK / 1024.);
    }
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY || (double)limit.rlim_cur >= LEAST_STACK)
        return BG_OK;
    return bg_fail(error, BG_ERROR_ARGUMENT,
                   "the stack of a thread may have %.0fk (ulimit -s); it must be %.0fk at least",
                   (double)limit.rlim_cur / 1024., LEAST_STACK / 1024.);
}

bg_status bg_threads_check(int threads, bg_error *error)
{
    const int open = !threads, asked = open ? omp_get_max_threads() : threads;
    if (open && (asked < 1 || asked > BG_MOST_THREADS)) {
        const char *word = getenv("OMP_NUM_THREADS");
        return bg_fail(error, BG_ERROR_ARGUMENT, "OMP_NUM_THREADS is '%.40s'; it must be 1 to %d", word ? word : "",
                       BG_MOST_THREADS);
    }
    return asked > 1 ? check_stack(error) : BG_OK;
}

#else /* one thread, which is there */

bg_status bg_threads_check(int threads, bg_error *error)
{
    (void)threads;
    (void)error;
    return BG_OK;
}

#endif
