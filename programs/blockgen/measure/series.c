/* What repetitions say: the median, and how long to go on. */
#include "console.h"
#include "measure/parts.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

void measure_conclude(measure_series *s, uint64_t events, size_t batch, int idle, measurement *m)
{
    if (!s->count) return;
    m->ns = median(s->ns, s->count);
    if (!(m->ns > 0.)) return;
    for (int k = 0; k < s->count; k++) s->ns[k] = fabs(s->ns[k] - m->ns);
    m->spread = median(s->ns, s->count) / m->ns;
    m->repetitions = s->count;
    m->events = events;
    m->batch = batch;
    m->idle = idle;
}

int measure_goes_on(int done, double spent, double seconds, double limit)
{
    if (!done) return 1;
    if (cli_interrupted() || done >= MOST_REPETITIONS) return 0;
    if (done < LEAST_REPETITIONS && spent * (1. + 1. / done) < limit) return 1;
    return spent < seconds;
}

int measure_has_idle_threads(double each, double before) { return !(each > 0.8 * before); }

size_t measure_in_flight(const bg_evaluator *e, size_t count)
{
    bg_memory memory;
    bg_memory_init(&memory);
    return bg_evaluator_memory(e, &memory, NULL) == BG_OK && count > memory.batch ? memory.batch : count;
}
