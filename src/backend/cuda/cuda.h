/* What the files of the CUDA backend share. probe.c says what there is, plan.c finds out what a plan needs, builds tables
 * and allocates, evaluate.c queues matrix elements, integrate.c whole events, instrument.c measures; devices.c knows the
 * devices.
 *
 * The device memory of an evaluator is two allocations, tables and what a batch needs, cut into the arrays of cuda_task. The kernels are in instance.cu
 * (the paper's ordered recursion, one object a number of letters), fast.cu and recycled.cu (color sums of shared
 * currents), dressed.cu, coherent.cu and few.cu (dressed currents of colors that events share), quarks.cu, fourier.cu and dense.cu (color sum,
 * draws) and integrate.cu (points, sums).
 */
#ifndef BG_BACKEND_CUDA_CUDA_H
#define BG_BACKEND_CUDA_CUDA_H

#include "backend/backend.h"
#include "backend/cuda/fast.h"
#include "backend/cuda/integrate.h"
#include "backend/cuda/quarks.h"

extern const bg_backend bg_backend_cuda;
extern const bg_instrument bg_cuda_instrument;

typedef struct cuda_state {
    const bg_plan *plan;
    cuda_algorithm algorithm;
    int device, own; /* its number here, and that of the run time */
    size_t batch;    /* events in flight */
    cudaStream_t stream;
    void *memory;    /* tables */
    void *workspace; /* of a batch; borrowed for a call where the plan shares it (loan.h) */
    cuda_task task;
    const fast_instance *fast; /* or NULL: the paper's kernels */
    fast_space space;          /* of the fast one */
    coherent_space coherent;   /* of coherent color sampling */
    quark_space quarks;        /* of processes with quark lines */
    double *mean, *spread;
    double *momenta, *me2, *uncertainty; /* of a batch that comes from the host */
    cuda_integrator *integrator;         /* made by the first integration */
    int all_devices;                     /* no device was named: an integration may use all of them */
    struct cuda_peer *peers;             /* the others, made by the first integration */
    int peer_count;
} cuda_state;

/* ---- plan.c ------------------------------------------------------------------------------------------------ */

bg_status bg_cuda_memory(const bg_plan *plan, bg_memory *memory, bg_error *error);
bg_status bg_cuda_create(bg_plan *plan, void **state, bg_error *error);
void bg_cuda_destroy(void *state);

/* The paper's kernels for a plan; NULL where there are none. */
const cuda_instance *bg_cuda_paper(const bg_plan *plan);

/* Orderings of the color or the leading-color sum; 0 where there is no such sum. */
uint64_t bg_cuda_orderings(const bg_plan *plan);

/* What a batch needs, before and after every call that queues one, which has to wait for its end where plan->shares.
 * Plans that are measured do not. */
bg_status bg_cuda_borrow(cuda_state *state, bg_error *error);
void bg_cuda_return(cuda_state *state);

/* ---- evaluate.c ----------------------------------------------------------------------------------------------- */

bg_status bg_cuda_evaluate(void *state, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                           double *uncertainty, bg_error *error);
bg_status bg_cuda_evaluate_device(void *state, uint64_t first_event, size_t count, const bg_momenta *momenta,
                                  double *me2, void *stream, bg_error *error);

/* Queues all draws of up to state->batch events. Everything is on the device; uncertainty may be NULL. */
bg_status bg_cuda_queue_batch(cuda_state *state, cudaStream_t stream, uint64_t first_event, size_t count,
                              const bg_momenta *momenta, const cuda_deals *deals, double *me2, double *uncertainty,
                              bg_error *error);

/* Queues the copy of `count` events from the host to the batch's own array; *view is what kernels read. */
bg_status bg_cuda_send(cuda_state *state, const bg_momenta *momenta, size_t count, bg_momenta *view, bg_error *error);

/* ---- peers.c -------------------------------------------------------------------------------------------- */

bg_status bg_cuda_integrate(void *state, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                            bg_timing *timing, bg_error *error);

/* Releases the states on other devices. */
void bg_cuda_peers_destroy(cuda_state *state);

/* The part of a state that integrates, made when it is first needed, on the current device. */
bg_status bg_cuda_prepare_integrator(cuda_state *state, const bg_batch *batch, bg_error *error);

#endif
