/* The kernels of device.h. */
#include "device.h"

#include <cuda_runtime.h>

enum { THREADS = 128 };

static unsigned blocks(size_t count) { return (unsigned)((count + THREADS - 1) / THREADS); }

static const char *problem(cudaError_t code) { return code == cudaSuccess ? nullptr : cudaGetErrorString(code); }

/* Leg by leg, so that neighboring threads read neighboring numbers. */
static __global__ void gather(int legs, const double *momenta, size_t stride, size_t count, double *ordered)
{
    const size_t event = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (event >= count) return;
    for (int leg = 0; leg < legs; leg++)
        for (int component = 0; component < 4; component++)
            ordered[(event * legs + leg) * 4 + component] = momenta[stride * ((size_t)legs * component + leg) + event];
}

static __global__ void deliver(umami_delivery how, const double *me2, size_t first, size_t count)
{
    const size_t event = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (event >= count) return;
    const int flavor = how.flavor ? how.flavor[first + event] : 0;
    if (flavor < 0 || flavor >= how.flavors) how.out[first + event] = nan("");
    if (flavor != how.which) return;
    double factor = how.scale;
    if (how.alpha_s) {
        factor = 1.;
        for (int k = 0; k < how.power; k++) factor *= how.alpha_s[first + event] / how.standard;
    }
    how.out[first + event] = me2[event] * factor;
}

int umami_device_current(void)
{
    int number;
    return cudaGetDevice(&number) == cudaSuccess ? number : -1;
}

const char *umami_device_create(umami_device *d, int number, int legs)
{
    const size_t momenta = (size_t)UMAMI_DEVICE_ROOM * 4 * legs * sizeof(double);
    int before = 0;
    cudaEvent_t passed = nullptr;
    d->number = number;
    d->legs = legs;
    cudaError_t code = cudaGetDevice(&before);
    if (code == cudaSuccess) code = cudaSetDevice(number);
    if (code == cudaSuccess) code = cudaMalloc(&d->momenta, momenta);
    if (code == cudaSuccess) code = cudaMalloc(&d->me2, UMAMI_DEVICE_ROOM * sizeof(double));
    if (code == cudaSuccess) code = cudaEventCreateWithFlags(&passed, cudaEventDisableTiming);
    d->passed = passed;
    (void)cudaSetDevice(before);
    return problem(code);
}

void umami_device_destroy(umami_device *d)
{
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(d->number) != cudaSuccess) return;
    if (d->passed) {
        (void)cudaEventSynchronize((cudaEvent_t)d->passed);
        (void)cudaEventDestroy((cudaEvent_t)d->passed);
    }
    (void)cudaFree(d->momenta);
    (void)cudaFree(d->me2);
    (void)cudaSetDevice(before);
}

const char *umami_device_begin(umami_device *d, void *stream, int *before)
{
    cudaError_t code = cudaGetDevice(before);
    if (code == cudaSuccess) code = cudaSetDevice(d->number);
    if (code == cudaSuccess) code = cudaStreamWaitEvent((cudaStream_t)stream, (cudaEvent_t)d->passed, 0);
    return problem(code);
}

const char *umami_device_gather(umami_device *d, void *stream, const double *momenta, size_t stride, size_t first,
                                size_t count)
{
    gather<<<blocks(count), THREADS, 0, (cudaStream_t)stream>>>(d->legs, momenta + first, stride, count, d->momenta);
    return problem(cudaGetLastError());
}

const char *umami_device_deliver(umami_device *d, void *stream, const umami_delivery *how, size_t first, size_t count)
{
    deliver<<<blocks(count), THREADS, 0, (cudaStream_t)stream>>>(*how, d->me2, first, count);
    return problem(cudaGetLastError());
}

const char *umami_device_end(umami_device *d, void *stream, int wait, int before)
{
    cudaError_t code = cudaEventRecord((cudaEvent_t)d->passed, (cudaStream_t)stream);
    if (code == cudaSuccess && wait) code = cudaStreamSynchronize((cudaStream_t)stream);
    const cudaError_t restored = cudaSetDevice(before);
    return problem(code == cudaSuccess ? restored : code);
}
