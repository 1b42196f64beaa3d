/* Measurements of the CUDA backend: times of its parts by the device's clock, operations, and what the device could do
 * at best.
 */
#include "backend/cuda/cuda.h"
#include "backend/cuda/devices.h"
#include "backend/cuda/integrator.h"
#include "backend/cuda/loan.h"
#include "backend/cuda/roofline.h"
#include "backend/cuda/stages.h"
#include "backend/operations.h"
#include "base/status.h"
#include "color/permutation.h"
#include "helicity/mode.h"

#include <string.h>

static bg_status time_repetitions(cuda_state *s, const bg_momenta *momenta, size_t count, int repetitions,
                                  double *seconds, const cudaEvent_t mark[2], bg_error *error)
{
    bg_momenta m;
    const bg_status sent = bg_cuda_send(s, momenta, count, &m, error);
    if (sent != BG_OK) return sent;
    for (int r = -1; r < repetitions; r++) { /* the first is not timed */
        float milliseconds = 0.f;
        CUDA_TRY(error, cudaEventRecord(mark[0], s->stream));
        const bg_status status = bg_cuda_queue_batch(s, s->stream, 0, count, &m, NULL, s->me2, NULL, error);
        if (status != BG_OK) return status;
        CUDA_TRY(error, cudaEventRecord(mark[1], s->stream));
        CUDA_TRY(error, cudaEventSynchronize(mark[1]));
        CUDA_TRY(error, cudaEventElapsedTime(&milliseconds, mark[0], mark[1]));
        if (r >= 0) seconds[r] = 1e-3 * (double)milliseconds;
    }
    return BG_OK;
}

static bg_status time_with_marks(cuda_state *s, const bg_momenta *momenta, size_t count, int repetitions,
                                 double *seconds, bg_error *error)
{
    cudaEvent_t mark[2] = {NULL, NULL};
    bg_status status = BG_OK;
    for (int k = 0; k < 2 && status == BG_OK; k++) {
        const cudaError_t code = cudaEventCreate(&mark[k]);
        if (code != cudaSuccess) status = bg_cuda_fail(error, code, "cudaEventCreate");
    }
    if (status == BG_OK) status = time_repetitions(s, momenta, count, repetitions, seconds, mark, error);
    if (status != BG_OK) (void)cudaStreamSynchronize(s->stream);
    for (int k = 0; k < 2; k++)
        if (mark[k]) (void)cudaEventDestroy(mark[k]);
    return status;
}

static bg_status time_device(void *opaque, const bg_momenta *momenta, size_t count, int repetitions, double *seconds,
                             bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    if (!count || count > s->batch)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%zu events to time; it must be 1 to %zu", count, s->batch);
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = time_with_marks(s, momenta, count, repetitions, seconds, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* Amplitudes and color sum of each repetition. */
static bg_status time_marked(cuda_state *s, const bg_momenta *momenta, size_t count, int repetitions, bg_stages *each,
                             bg_error *error)
{
    bg_momenta m;
    const bg_status sent = bg_cuda_send(s, momenta, count, &m, error);
    if (sent != BG_OK) return sent;
    for (int r = 0; r < repetitions; r++) {
        bg_status status = bg_cuda_queue_batch(s, s->stream, 0, count, &m, NULL, s->me2, NULL, error);
        if (status == BG_OK) status = bg_cuda_marks_read(s->task.marks, &each[r], error);
        if (status != BG_OK) return status;
    }
    return BG_OK;
}

static bg_status time_stages(void *opaque, const bg_momenta *momenta, size_t count, int repetitions, bg_stages *each,
                             bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    if (s->algorithm != CUDA_SUMMED && s->algorithm != CUDA_QUARKS)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "only summed colors have a color sum beside the amplitudes");
    if (s->fast && s->plan->process.letters <= FAST_IN_REGISTERS)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "one kernel does amplitudes and color sum up to n_out = %d",
                       FAST_IN_REGISTERS);
    if (s->algorithm == CUDA_QUARKS && s->quarks.straight.whole)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "one kernel does amplitudes and color sum of this process");
    if (!count || count > s->batch)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%zu events to time; it must be 1 to %zu", count, s->batch);
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = bg_cuda_marks_create(&s->task.marks, error);
    if (status == BG_OK) status = time_marked(s, momenta, count, repetitions, each, error);
    (void)cudaStreamSynchronize(s->stream);
    bg_cuda_marks_destroy(s->task.marks);
    s->task.marks = NULL;
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

static bg_status roofline(int device, double seconds, bg_interrupt *interrupt, bg_roofline *result, bg_error *error)
{
    int selected, own, previous;
    bg_status status = bg_device_find(device, &selected, &own, error);
    if (status == BG_OK) status = bg_device_enter(own, &previous, error);
    if (status != BG_OK) return status;
    if (!bg_interrupted(interrupt)) status = bg_cuda_measure_roofline(seconds, result, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

static void operations(void *opaque, bg_operations *o)
{
    const cuda_state *s = opaque;
    const bg_plan *plan = s->plan;
    const int N = plan->process.letters, parts = helicity_parts(plan->mode), basis = plan->mode == HELICITY_BASIS;
    const double samples = plan->options.samples;
    int capability = 0;
    (void)cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, s->own);
    if (s->algorithm == CUDA_QUARKS) {
        if (s->quarks.straight.runs)
            bg_straight_totals(plan, s->quarks.straight.configurations * s->quarks.straight.operations,
                               2. * s->quarks.straight.configurations * s->quarks.operations, o);
        else if (s->quarks.line)
            bg_line_totals(plan, s->quarks.operations, o);
        else
            bg_quark_totals(plan, &s->quarks.host, s->quarks.operations, o);
        o->tensor = s->quarks.host.structures > (s->quarks.paired ? 2 : 1) * CUDA_FORM_COLUMN && capability >= 8;
        return;
    }
    bg_paper_operations(plan, o);
    /* the dense sum of few orderings is done a column a thread */
    o->tensor = plan->options.color == BG_COLOR_SUMMED && bg_cuda_orderings(plan) > CUDA_FORM_COLUMN && capability >= 8;
    if (s->algorithm == CUDA_COHERENT && plan->process.lines)
        o->amplitudes = samples * (basis ? (double)(1u << plan->process.gluons) : 1.) * bg_open_operations(plan);
    else if (s->algorithm == CUDA_COHERENT)
        o->amplitudes = samples * helicity_configurations(plan->process.n, plan->mode) *
                        bg_coherent_operations(plan->process.n, parts, plan->options.seed);
    if (!s->fast) return;
    /* summed helicities: recycled, or the configurations of the outgoing gluons, each with all states of the incoming ones */
    o->amplitudes = samples * (bg_fast_recycles(plan) ? bg_shared_operations(N, 2, 1, 1)
                               : basis                ? (double)(1u << N) * bg_shared_operations(N, 1, 1, 2)
                                                      : bg_shared_operations(N, 1, parts, 1));
    o->color_sum = samples * (basis ? (double)(1u << plan->process.n) : parts) *
                   (N >= FAST_FOURIER ? s->space.operations : bg_dense_operations(bg_factorial(N)));
}

static bg_status time_chunks(cuda_integrator *g, cudaStream_t stream, const bg_batch *batch, int repetitions,
                             double *seconds_each, uint64_t *accepted, bg_error *error)
{
    cuda_call c;
    bg_status status = BG_OK;
    memset(&c, 0, sizeof c);
    c.g = g;
    c.stream = stream;
    c.batch = batch;
    c.count = batch->count;
    c.chunks = (c.count + g->capacity - 1) / g->capacity;
    c.size = (c.count + c.chunks - 1) / c.chunks;
    *accepted = 0;
    status = bg_cuda_prepare_channel(&c, error);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaMemcpyAsync(g->grid, batch->grid, sizeof *g->grid, cudaMemcpyHostToDevice, stream));
    for (int r = 0; r < repetitions && status == BG_OK; r++) {
        c.first = batch->first_event + (uint64_t)r * batch->count;
        c.timing.phase_space = 0.;
        for (uint64_t k = 0; k < c.chunks && status == BG_OK; k++) {
            status = bg_cuda_queue_points(&c, k, error);
            if (status == BG_OK) status = bg_cuda_count_points(&c, k, error);
            if (status == BG_OK) *accepted += g->mail->count[k % 2];
        }
        seconds_each[r] = c.timing.phase_space;
    }
    if (status != BG_OK) (void)cudaStreamSynchronize(stream);
    return status;
}

/* The points of a batch alone, in memory that is borrowed. */
static bg_status time_borrowed(cuda_integrator *g, cudaStream_t stream, const bg_batch *batch, int repetitions,
                               double *seconds_each, uint64_t *accepted, bg_error *error)
{
    void *memory = NULL;
    bg_status status = bg_cuda_borrow_points(g, &memory, error);
    if (status != BG_OK) return status;
    status = time_chunks(g, stream, batch, repetitions, seconds_each, accepted, error);
    bg_loan_return(BG_LOAN_POINTS, g->device, memory);
    return status;
}

static bg_status time_points(void *opaque, const bg_batch *batch, int repetitions, double *seconds_each,
                             uint64_t *accepted, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = bg_cuda_prepare_integrator(s, batch, error);
    if (status == BG_OK)
        status = time_borrowed(s->integrator, s->stream, batch, repetitions, seconds_each, accepted, error);
    bg_device_leave(previous);
    return status == BG_OK ? bg_succeed(error) : status;
}

const bg_instrument bg_cuda_instrument = {.time_device = time_device,
                                          .time_stages = time_stages,
                                          .time_points = time_points,
                                          .operations = operations,
                                          .roofline = roofline};
