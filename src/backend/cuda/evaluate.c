/* Matrix elements on a device: batches queued on a stream, from the host's arrays or the device's own. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/devices.h"
#include "backend/cuda/open.h"
#include "base/status.h"
#include "color/permutation.h"
#include "helicity/mode.h"

bg_status bg_cuda_queue_batch(cuda_state *s, cudaStream_t stream, uint64_t first_event, size_t count,
                              const bg_momenta *momenta, const cuda_deals *deals, double *me2, double *uncertainty,
                              bg_error *error)
{
    const bg_plan *plan = s->plan;
    const cuda_instance *instance = bg_cuda_paper(plan);
    cuda_task *t = &s->task;
    t->stream = stream;
    t->interrupt = plan->interrupt;
    t->count = (int)count;
    t->pitch = (count + CUDA_BLOCK - 1) / CUDA_BLOCK * CUDA_BLOCK;
    t->slice_step = t->pitch;
    t->event_step = 1;
    t->momenta = *momenta;
    t->question.first_event = first_event;
    const double helicities = t->question.circular ? (double)(1u << plan->process.n) : 1.;
    const double orderings = t->question.one ? (double)bg_factorial(plan->process.n - 1) : 1.;
    cuda_collection c = {.partial = t->partial,
                         .count = t->count,
                         .samples = plan->options.samples,
                         .sampled = plan->sampled,
                         .mean = s->mean,
                         .spread = s->spread,
                         .me2 = me2,
                         .uncertainty = uncertainty};
    c.weight = helicity_draw_weight(plan->process.gluons, plan->mode) * orderings;
    if (s->algorithm == CUDA_QUARKS)
        c.weight *= s->quarks.straight.runs ? bg_cuda_straight_instance(s->quarks.straight.run)->chiralities
                                            : program_chiralities(&s->quarks.host, 0);
    else if (plan->process.lines && plan->mode != HELICITY_CIRCULAR)
        c.weight *= 2.; /* one half of the chiralities is computed */
    c.normalization = plan->normalization * helicities;
    for (int k = 0; k < plan->options.samples && !bg_interrupted(plan->interrupt); k++) {
        t->question.draw = (uint32_t)k;
        bg_status status = s->algorithm == CUDA_COHERENT && plan->process.lines
                               ? bg_cuda_open(plan, t, &s->coherent, deals, error)
                           : s->algorithm == CUDA_COHERENT
                               ? bg_cuda_coherent(helicity_parts(plan->mode), t, &s->coherent, deals, error)
                           : s->algorithm == CUDA_QUARKS ? bg_cuda_quarks(t, &s->quarks, error)
                           : s->fast                     ? s->fast->evaluate(t, &s->space, error)
                           : instance                    ? instance->evaluate(s->algorithm, t, error)
                                                         : bg_cuda_dressed(helicity_parts(plan->mode), t, error);
        c.draw = k;
        c.slices = t->slices;
        c.slice_step = t->slice_step;
        c.event_step = t->event_step;
        if (status == BG_OK) status = bg_cuda_collect(stream, &c, error);
        if (status != BG_OK) return status;
    }
    return BG_OK;
}

/* Batch after batch of device arrays. */
static bg_status queue_all(cuda_state *s, cudaStream_t stream, uint64_t first_event, size_t count,
                           const bg_momenta *momenta, double *me2, bg_error *error)
{
    for (size_t done = 0; done < count; done += s->batch) {
        const size_t now = count - done < s->batch ? count - done : s->batch;
        const bg_momenta m = momenta_from(momenta, done);
        const bg_status status =
            bg_cuda_queue_batch(s, stream, first_event + done, now, &m, NULL, me2 + done, NULL, error);
        if (status != BG_OK) return status;
    }
    return BG_OK;
}

bg_status bg_cuda_evaluate_device(void *opaque, uint64_t first_event, size_t count, const bg_momenta *momenta,
                                  double *me2, void *stream, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = bg_cuda_borrow(s, error);
    if (status == BG_OK) status = queue_all(s, (cudaStream_t)stream, first_event, count, momenta, me2, error);
    if (s->plan->shares) {
        (void)cudaStreamSynchronize((cudaStream_t)stream);
        bg_cuda_return(s);
    }
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

bg_status bg_cuda_send(cuda_state *s, const bg_momenta *momenta, size_t count, bg_momenta *view, bg_error *error)
{
    *view = *momenta;
    view->at = s->momenta;
    CUDA_TRY(error, cudaMemcpyAsync(s->momenta, momenta->at, count * momenta->event * sizeof(double),
                                    cudaMemcpyHostToDevice, s->stream));
    return BG_OK;
}

/* One batch from the host and back, queued. */
static bg_status queue_host_batch(cuda_state *s, uint64_t first_event, size_t count, const bg_momenta *momenta,
                                  double *me2, double *uncertainty, bg_error *error)
{
    const size_t row = count * sizeof(double);
    bg_momenta view;
    bg_status status = bg_cuda_send(s, momenta, count, &view, error);
    if (status == BG_OK)
        status = bg_cuda_queue_batch(s, s->stream, first_event, count, &view, NULL, s->me2,
                                     uncertainty ? s->uncertainty : NULL, error);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaMemcpyAsync(me2, s->me2, row, cudaMemcpyDeviceToHost, s->stream));
    if (uncertainty)
        CUDA_TRY(error, cudaMemcpyAsync(uncertainty, s->uncertainty, row, cudaMemcpyDeviceToHost, s->stream));
    return BG_OK;
}

bg_status bg_cuda_evaluate(void *opaque, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                           double *uncertainty, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = bg_cuda_borrow(s, error);
    for (size_t done = 0; done < count && status == BG_OK && !bg_interrupted(s->plan->interrupt); done += s->batch) {
        const size_t now = count - done < s->batch ? count - done : s->batch;
        const bg_momenta m = momenta_from(momenta, done);
        status = queue_host_batch(s, first_event + done, now, &m, me2 + done, uncertainty ? uncertainty + done : NULL,
                                  error);
        /* after a failure as well: what was queued uses the caller's arrays */
        const cudaError_t code = cudaStreamSynchronize(s->stream);
        if (status == BG_OK && code != cudaSuccess) status = bg_cuda_fail(error, code, "cudaStreamSynchronize");
    }
    bg_cuda_return(s);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

bg_status bg_cuda_queue_events(void *opaque, cudaStream_t stream, size_t count, const bg_momenta *momenta,
                               const uint64_t *events, const uint32_t *configurations, const cuda_deals *deals,
                               double *me2, bg_error *error)
{
    cuda_state *s = opaque;
    cuda_question *q = &s->task.question;
    const int circular = q->circular;
    /* batches of the same size, whole blocks each */
    const size_t batches = (count + s->batch - 1) / s->batch;
    const size_t even = ((count + batches - 1) / batches + CUDA_BLOCK - 1) / CUDA_BLOCK * CUDA_BLOCK;
    const size_t size = even < s->batch ? even : s->batch;
    bg_status status = BG_OK;
    if (deals && s->plan->process.lines > 1) /* one line has one skeleton */
        status =
            bg_cuda_open_sort(s->plan, &s->task, stream, momenta, events, (uint32_t)count, &s->coherent, deals, error);
    if (configurations) q->circular = 0; /* drawn already, and the probability taken into account by the caller */
    for (size_t done = 0; done < count && status == BG_OK && !bg_interrupted(s->plan->interrupt); done += size) {
        const bg_momenta m = momenta_from(momenta, done);
        q->events = events + done;
        q->configurations = configurations ? configurations + done : NULL;
        status = bg_cuda_queue_batch(s, stream, 0, count - done < size ? count - done : size, &m, deals, me2 + done,
                                     NULL, error);
    }
    q->events = NULL;
    q->configurations = NULL;
    q->circular = circular;
    return status;
}
