#include "backend/spread.h"

#include "base/status.h"

#include <stdlib.h>

typedef struct part {
    bg_batch batch;
    bg_tally *tally;
    struct bg_histograms *histograms; /* NULL: not wanted */
    bg_timing timing;
    bg_status status;
    bg_error error;
} part;

/* All but the first have sums of their own, empty at first. */
static bg_status prepare(part *p, const bg_tally *tally, const struct bg_histograms *histograms, bg_error *error)
{
    p->tally = bg_tally_create(tally->dimensions, tally->entries, tally->cells);
    if (histograms) p->histograms = bg_histograms_clone(histograms);
    if (!p->tally || (histograms && !p->histograms))
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for the sums of another device");
    return BG_OK;
}

static bg_status run(int parts, part *p, void *const *worker, bg_work *work, bg_error *error)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(parts) if (parts > 1)
#endif
    for (int k = 0; k < parts; k++)
        if (p[k].batch.count)
            p[k].status = work(worker[k], &p[k].batch, p[k].tally, p[k].histograms, &p[k].timing, &p[k].error);
    for (int k = 0; k < parts; k++)
        if (p[k].status != BG_OK) return bg_fail(error, p[k].status, "%s", p[k].error.message);
    return BG_OK;
}

static void add(const part *p, bg_tally *tally, struct bg_histograms *histograms)
{
    bg_tally_merge(tally, p->tally);
    if (histograms) bg_histograms_merge(histograms, p->histograms);
}

bg_status bg_batch_spread(int workers, void *const *worker, bg_work *work, uint64_t unit, const bg_batch *batch,
                          bg_tally *tally, struct bg_histograms *histograms, bg_timing *timing, bg_error *error)
{
    bg_status status = BG_OK;
    part *p = calloc((size_t)workers, sizeof *p);
    if (!p) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the shares of %d devices", workers);
    for (int k = 0; k < workers; k++) {
        uint64_t from;
        p[k].batch = *batch;
        bg_batch_part(batch->count, unit, (uint64_t)workers, (uint64_t)k, &from, &p[k].batch.count);
        p[k].batch.first_event += from;
        if (k && status == BG_OK) status = prepare(&p[k], tally, histograms, error);
    }
    p[0].tally = tally;
    p[0].histograms = histograms;
    if (status == BG_OK) status = run(workers, p, worker, work, error);
    for (int k = 0; k < workers; k++) {
        bg_timing_add(timing, &p[k].timing);
        if (!k) continue;
        if (status == BG_OK) add(&p[k], tally, histograms);
        bg_histograms_free(p[k].histograms);
        bg_tally_destroy(p[k].tally);
    }
    free(p);
    return status;
}
