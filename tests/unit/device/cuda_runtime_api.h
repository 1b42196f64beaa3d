/* What a kernel needs to be compiled as a function of the host that one thread runs, barriers and all. */
#ifndef TEST_DEVICE_CUDA_RUNTIME_API_H
#define TEST_DEVICE_CUDA_RUNTIME_API_H

typedef int cudaError_t;
typedef struct test_stream *cudaStream_t;

#define __global__
#define __device__
#define __host__
#define __shared__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __syncthreads() (void)0
#define __stcs(to, value) (*(to) = (value))
#define __ldcg(from) (*(from))

#endif
