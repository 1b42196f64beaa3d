/* Peak rates of a device by measurement: FP64 multiply-adds in registers, the same on tensor cores with the instruction
 * that the color sum uses, and the bandwidth of a[i] = b[i] + s c[i] over arrays far larger than the caches.
 */
#include "backend/cuda/roofline.h"
#include "backend/cuda/tensor.cuh"

#include <cstring>

enum {
    THREADS = 256,
    CHAINS = 8, /* independent multiply-adds of a thread, or tiles of a warp, that hide the latency */
    TILE_FLOPS = 2 * 16 * 8 * 4,
    BEST_OF = 5
};

/* ---- kernels ------------------------------------------------------------------------------------------------- */

/* The results only keep the compiler from leaving the work out: no sum is ever negative. */
static __global__ __launch_bounds__(THREADS) void multiply_add_kernel(int rounds, double x, double *result)
{
    double a[CHAINS], sum = 0.;
    const double y = 1. - x;
#pragma unroll
    for (int k = 0; k < CHAINS; k++) a[k] = (double)(threadIdx.x + k);
#pragma unroll 8
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < CHAINS; k++) a[k] = fma(a[k], x, y);
    }
#pragma unroll
    for (int k = 0; k < CHAINS; k++) sum += a[k];
    if (sum < 0.) *result = sum;
}

static __global__ __launch_bounds__(THREADS) void tensor_kernel(int rounds, double x, double *result)
{
    double a[CHAINS][4], sum = 0.;
    const double left = x, right = 1. / (double)(threadIdx.x + 1);
#pragma unroll
    for (int k = 0; k < CHAINS; k++) a[k][0] = a[k][1] = a[k][2] = a[k][3] = (double)k;
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < CHAINS; k++) multiply_add_tile(a[k], left, right, right);
    }
#pragma unroll
    for (int k = 0; k < CHAINS; k++) sum += (a[k][0] + a[k][1]) + (a[k][2] + a[k][3]);
    if (sum < 0.) *result = sum;
}

static __global__ __launch_bounds__(THREADS) void triad_kernel(size_t length, double2 *a, const double2 *b,
                                                               const double2 *c)
{
    const size_t step = (size_t)gridDim.x * THREADS;
    for (size_t k = (size_t)blockIdx.x * THREADS + threadIdx.x; k < length; k += step) {
        const double2 x = b[k], y = c[k];
        a[k] = make_double2(x.x + 3. * y.x, x.y + 3. * y.y);
    }
}

/* ---- times ----------------------------------------------------------------------------------------------------- */

typedef struct stopwatch {
    cudaEvent_t start, end;
} stopwatch;

/* Seconds of what `launch` queues on the default stream. */
template <class LAUNCH>
static bg_status time_launch(const stopwatch *w, LAUNCH launch, double *seconds, bg_error *error)
{
    float milliseconds = 0.f;
    CUDA_TRY(error, cudaEventRecord(w->start));
    launch();
    CUDA_LAUNCHED(error, "a kernel of the roofline");
    CUDA_TRY(error, cudaEventRecord(w->end));
    CUDA_TRY(error, cudaEventSynchronize(w->end));
    CUDA_TRY(error, cudaEventElapsedTime(&milliseconds, w->start, w->end));
    *seconds = 1e-3 * (double)milliseconds;
    return BG_OK;
}

/* Operations a second of a kernel with `flops` a round, rounds enough to take `seconds`; the best of several runs. */
template <class KERNEL>
static bg_status measure_rate(const stopwatch *w, KERNEL kernel, unsigned blocks, double flops, double *result,
                              double seconds, double *gflops, bg_error *error)
{
    int rounds = 1024;
    double one = 0., best = 1e300;
    const auto launch = [&] { kernel<<<blocks, THREADS>>>(rounds, 0.999, result); };
    bg_status status = time_launch(w, launch, &one, error); /* loads the kernel */
    while (status == BG_OK) {
        status = time_launch(w, launch, &one, error);
        if (one >= seconds || rounds >= 1 << 28) break;
        rounds *= 2;
    }
    for (int k = 0; k < BEST_OF && status == BG_OK; k++) {
        status = time_launch(w, launch, &one, error);
        if (one < best) best = one;
    }
    if (status == BG_OK) *gflops = 1e-9 * flops * rounds / best;
    return status;
}

static bg_status measure_bandwidth(const stopwatch *w, unsigned blocks, double *memory, size_t bytes, double seconds,
                                   double *gigabytes, bg_error *error)
{
    const size_t length = bytes / (3 * sizeof(double2));
    double2 *a = (double2 *)memory;
    double one = 0., best = 1e300, spent = 0.;
    const auto launch = [&] { triad_kernel<<<blocks, THREADS>>>(length, a, a + length, a + 2 * length); };
    bg_status status = BG_OK;
    for (int k = 0; status == BG_OK && (k < 3 || (spent < seconds && k < 1000)); k++) {
        status = time_launch(w, launch, &one, error);
        if (one < best) best = one;
        spent += one;
    }
    if (status == BG_OK) *gigabytes = 1e-9 * 3. * sizeof(double2) * (double)length / best;
    return status;
}

static bg_status measure_all(const stopwatch *w, double *memory, size_t bytes, double seconds, bg_roofline *r,
                             bg_error *error)
{
    int device = 0, processors = 0, resident = 0, capability = 0;
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_TRY(error, cudaMemset(memory, 0, bytes));
    const unsigned blocks = (unsigned)(processors * (resident / THREADS));
    const double threads = (double)blocks * THREADS;
    bg_status status = measure_rate(w, multiply_add_kernel, blocks, 2. * CHAINS * threads, memory, seconds / 24.,
                                    &r->gflops[1], error);
    if (status == BG_OK && capability >= 8)
        status = measure_rate(w, tensor_kernel, blocks, CHAINS * (double)TILE_FLOPS * threads / 32., memory,
                              seconds / 24., &r->tensor_gflops, error);
    if (status == BG_OK) status = measure_bandwidth(w, blocks, memory, bytes, seconds / 4., &r->gigabytes[1], error);
    r->threads = 1;
    r->gflops[0] = r->gflops[1];
    r->gigabytes[0] = r->gigabytes[1];
    return status;
}

extern "C" bg_status bg_cuda_measure_roofline(double seconds, bg_roofline *r, bg_error *error)
{
    stopwatch w = {NULL, NULL};
    size_t free_bytes = 0, total_bytes = 0, bytes = (size_t)3 << 30;
    double *memory = NULL;
    memset(r, 0, sizeof *r);
    CUDA_TRY(error, cudaMemGetInfo(&free_bytes, &total_bytes));
    if (bytes > free_bytes / 4) bytes = free_bytes / 4;
    CUDA_TRY(error, cudaMalloc((void **)&memory, bytes));
    cudaError_t code = cudaEventCreate(&w.start);
    if (code == cudaSuccess) code = cudaEventCreate(&w.end);
    const bg_status status = code == cudaSuccess ? measure_all(&w, memory, bytes, seconds, r, error)
                                                 : bg_cuda_fail(error, code, "cudaEventCreate");
    if (w.start) (void)cudaEventDestroy(w.start);
    if (w.end) (void)cudaEventDestroy(w.end);
    (void)cudaFree(memory);
    return status;
}
