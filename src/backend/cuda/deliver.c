/* Points of an integration on a device for a sink on the host: their momenta, weights and |M|^2 are fetched, and handed over as
 * w |M|^2 / (p p'), where p is the probability of their helicities and p' that with which a sieve kept them. Of a survey it is estimates.
 */
#include "backend/cuda/integrator.h"
#include "base/status.h"

#include <stdlib.h>

/* The points of a chunk on the host, with all that their weights are made of. */
typedef struct delivery {
    bg_point_arrays points;
    double *momenta, *me2, *probability;
    double *kept; /* p of the sieve */
    void *memory;
} delivery;

static int delivery_create(delivery *d, size_t n, size_t count)
{
    const size_t numbers = 4 * n * count;
    double *at = d->memory = malloc((2 * numbers + 5 * count) * sizeof(double));
    if (!at) return -1;
    d->points = (bg_point_arrays){.pitch = count, .momenta = at, .weight = at + numbers};
    d->points.event = (uint64_t *)(d->points.weight + count);
    d->me2 = d->points.weight + 2 * count;
    d->probability = d->me2 + count;
    d->kept = d->probability + count;
    d->momenta = d->kept + count;
    return 0;
}

static bg_status fetch(const cuda_call *c, const cuda_summands *s, delivery *d, bg_error *error)
{
    const size_t row = s->count * sizeof(double), rows = 4 * (size_t)c->g->plan->process.n;
    CUDA_TRY(error, cudaMemcpy2DAsync(d->points.momenta, row, s->points.momenta, s->points.pitch * sizeof(double), row,
                                      rows, cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(error, cudaMemcpyAsync(d->points.weight, s->points.weight, row, cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(error, cudaMemcpyAsync(d->points.event, s->points.event, row, cudaMemcpyDeviceToHost, c->stream));
    /* a survey is about estimates */
    const double *values = c->batch->survey ? s->estimate : s->me2;
    CUDA_TRY(error, cudaMemcpyAsync(d->me2, values, row, cudaMemcpyDeviceToHost, c->stream));
    if (s->kept) CUDA_TRY(error, cudaMemcpyAsync(d->kept, s->probability, row, cudaMemcpyDeviceToHost, c->stream));
    if (s->choices.probability)
        CUDA_TRY(error,
                 cudaMemcpyAsync(d->probability, s->choices.probability, row, cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(error, cudaStreamSynchronize(c->stream));
    return BG_OK;
}

bg_status bg_cuda_deliver(const cuda_call *c, const cuda_summands *s, bg_error *error)
{
    const bg_subprocess *process = &c->g->plan->process;
    const bg_sink *sink = c->batch->sink;
    delivery d;
    if (delivery_create(&d, (size_t)process->n, s->count))
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for %u points", s->count);
    const bg_status status = fetch(c, s, &d, error);
    if (status == BG_OK) {
        points_copy_out(&d.points, process, s->count, d.momenta);
        for (size_t k = 0; k < s->count && !c->batch->survey; k++)
            d.me2[k] = bg_point_weight(d.me2[k], s->choices.probability ? d.probability[k] : 1., d.points.weight[k]) /
                       (s->kept ? d.kept[k] : 1.);
#ifdef _OPENMP
#pragma omp critical(blockgen_sink)
#endif
        sink->take(sink->user, s->count, d.momenta, d.me2, d.points.event);
    }
    free(d.memory);
    return status;
}
