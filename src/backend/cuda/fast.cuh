/* What the kernels of fast.cu and recycled.cu have in common: the momenta of sets of letters. */
#ifndef BG_BACKEND_CUDA_FAST_CUH
#define BG_BACKEND_CUDA_FAST_CUH

#include "backend/cuda/events.cuh"
#include "backend/cuda/fast.h"

#include "amplitude/shared.h"

/* Number k of a set, the members of shared_sets; `step` is from one number to the next. */
BG_FN real set_number(const double *sets, uint32_t step, uint32_t set, int k)
{
    return sets[(set * FAST_SET + (uint32_t)k) * step];
}

/* Before a loop that few gluons want laid out straight, since their tables are constants of the code. */
#if BG_LETTERS <= FAST_IN_REGISTERS
#define FEW_UNROLL BG_UNROLL
#else
#define FEW_UNROLL BG_LOOP
#endif

/* Sets that a thread works out, and the threads that share an event. */
enum { SET_SLICE = 32 };
#define SET_SLICES(N) (((1 << (N)) + SET_SLICE - 1) / SET_SLICE)

/* A slice of the sets of an event: [set][number][event]. */
BG_FN void store_sets(const int N, const shared_gluons *gluons, uint32_t slice, size_t pitch, double *sets)
{
    const uint32_t first = slice * SET_SLICE, most = 1u << N, end = first + SET_SLICE < most ? first + SET_SLICE : most;
    FEW_UNROLL
    for (uint32_t set = first ? first : 1; set < end; set++) {
        const shared_sets s = shared_set_momenta(N, gluons, set);
        double *to = sets + (size_t)set * FAST_SET * pitch;
        to[0] = s.minus;
        to[pitch] = s.inverse_minus;
        to[2 * pitch] = s.p1;
        to[3 * pitch] = s.p2;
        to[4 * pitch] = s.propagator;
        to[5 * pitch] = s.end_propagator;
    }
}

#endif
