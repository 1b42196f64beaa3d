/* Sampled colors with dressed amplitudes (CD_MC) on a GPU: one event a thread, all currents in global memory with
 * the events side by side. The number of gluons is a parameter: the loops run over sets of gluons.
 */
#include "backend/cuda/events.cuh"

#include "amplitude/dressed.h"
#include "color/sampling.h"

template <int PARTS>
static __global__ __launch_bounds__(CUDA_BLOCK) void dressed_kernel(cuda_question q, bg_momenta momenta, int count,
                                                                    size_t pitch, double *store, double *partial)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    if (event >= (size_t)count) return;
    const int n = q.n, states = helicity_states(q.mode), configurations = helicity_configurations(n, q.mode);
    const uint64_t number = event_number(&q, event);
    vec4 p[BG_MAX_LEGS], flight[BG_MAX_LEGS], state[2 * BG_MAX_LEGS], e[PARTS * BG_MAX_LEGS];
    double color[9 * BG_MAX_LEGS], value[BG_INVARIANTS(BG_MAX_LEGS - 2)], weight = 1., sum = 0.;
    const invariants values = {value, 1};
    int order[BG_MAX_LEGS];
    for (int k = 0; k < n; k++) {
        p[k] = event_momentum(&momenta, event, k);
        order[k] = k;
    }
    external_directions(n, p, flight);
    invariants_of(n - 2, p, flight, value);
    event_states_along(n, q.mode, &q, event, flight, state);
    if (q.discrete) {
        color_discrete(n, q.seed, &number, q.draw, color, &weight);
    } else {
        color_continuous(n, q.seed, &number, q.draw, color);
        for (int k = 0; k < n; k++) weight *= 9.;
    }
#pragma unroll 1
    for (int h = 0; h < configurations; h++) {
        double a[2];
        external_configure(n, states, PARTS, (unsigned)h, order, state, e);
        dressed_amplitude(n, PARTS, p, &values, e, color, store + event, pitch, a);
        sum += PARTS == 2 ? a[0] * a[0] + a[1] * a[1] : a[0] * a[0];
    }
    partial[event] = weight * sum;
}

extern "C" bg_status bg_cuda_dressed(int parts, cuda_task *t, bg_error *error)
{
    const unsigned blocks = (unsigned)(t->pitch / CUDA_BLOCK);
    (parts == 2 ? dressed_kernel<2> : dressed_kernel<1>)<<<blocks, CUDA_BLOCK, 0, t->stream>>>(
        t->question, t->momenta, t->count, t->pitch, t->store, t->partial);
    CUDA_LAUNCHED(error, "dressed_kernel");
    t->slices = 1;
    return BG_OK;
}

extern "C" bg_status bg_cuda_dressed_resources(int parts, size_t *stack, bg_error *error)
{
    cudaFuncAttributes attributes;
    CUDA_TRY(error,
             cudaFuncGetAttributes(&attributes, (const void *)(parts == 2 ? dressed_kernel<2> : dressed_kernel<1>)));
    *stack = attributes.localSizeBytes;
    return BG_OK;
}

extern "C" size_t bg_cuda_dressed_numbers(int n, int parts) { return dressed_store_reals(n, parts); }
