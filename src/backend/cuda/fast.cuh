/* The kernels of fast.cu and recycled.cu have the momenta of sets of letters in common. */
#ifndef BG_BACKEND_CUDA_FAST_CUH
#define BG_BACKEND_CUDA_FAST_CUH

#include "backend/cuda/events.cuh"
#include "backend/cuda/fast.h"

#include "amplitude/shared.h"

/* The numbers of a set are the members of shared_sets, in their order. */
enum { SET_MINUS, SET_INVERSE, SET_P1, SET_P2, SET_PROPAGATOR, SET_END_PROPAGATOR };
static_assert(SET_END_PROPAGATOR + 1 == FAST_SET, "all of them");

/* Number k of a set; `step` is from one number to the next. */
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

/* A thread works out a slice of the sets, and SET_SLICES(N) threads share an event. */
enum { SET_SLICE = 32 };
#define SET_SLICES(N) (((1 << (N)) + SET_SLICE - 1) / SET_SLICE)

/* A slice of the sets of an event: [set][number][event]. */
BG_FN void store_sets(const int N, const shared_gluons *gluons, uint32_t slice, size_t pitch, real *sets)
{
    const uint32_t first = slice * SET_SLICE, most = 1u << N, end = first + SET_SLICE < most ? first + SET_SLICE : most;
    FEW_UNROLL
    for (uint32_t set = first ? first : 1; set < end; set++) {
        const shared_sets s = shared_set_momenta(N, gluons, set);
        real *to = sets + (size_t)set * FAST_SET * pitch;
        to[SET_MINUS * pitch] = s.minus;
        to[SET_INVERSE * pitch] = s.inverse_minus;
        to[SET_P1 * pitch] = s.p1;
        to[SET_P2 * pitch] = s.p2;
        to[SET_PROPAGATOR * pitch] = s.propagator;
        to[SET_END_PROPAGATOR * pitch] = s.end_propagator;
    }
}

#endif
