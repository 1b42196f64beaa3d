/* Which devices there are, and which one a process uses.
 *
 * Numbers are those of the CUDA run time, unless BLOCKGEN_CUDA_DEVICES lists others: then device k is the k-th of the list.
 * A device may be listed more than once. It then stands for several, so that a machine with one can run what is
 * written for many.
 */
#include "backend/cuda/devices.h"
#include "base/status.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LIST[] = "BLOCKGEN_CUDA_DEVICES";

bg_status bg_cuda_fail(bg_error *error, cudaError_t code, const char *call)
{
    (void)cudaGetLastError(); /* reported: the next launch must not find it again; a lost device comes back by itself */
    const int length = (int)strcspn(call, "(");
    return bg_fail(error, code == cudaErrorMemoryAllocation ? BG_ERROR_MEMORY : BG_ERROR_DEVICE, "CUDA: %.*s: %s (%s)",
                   length, call, cudaGetErrorString(code), cudaGetErrorName(code));
}

static bg_status count_of_machine(int *count, bg_error *error)
{
    const cudaError_t code = cudaGetDeviceCount(count);
    if (code == cudaErrorInsufficientDriver) {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        if (!driver)
            return bg_fail(error, BG_ERROR_DEVICE, "backend 'cuda' cannot run: no CUDA driver on this machine");
        return bg_fail(error, BG_ERROR_DEVICE,
                       "backend 'cuda' cannot run: the CUDA driver is for CUDA %d.%d, too old for the runtime %d.%d "
                       "that this library was built with",
                       driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    }
    if (code == cudaErrorNoDevice || (code == cudaSuccess && !*count))
        return bg_fail(error, BG_ERROR_DEVICE, "backend 'cuda' cannot run: no CUDA device on this machine");
    if (code != cudaSuccess) return bg_cuda_fail(error, code, "cudaGetDeviceCount");
    return BG_OK;
}

/* The numbers in the list; *length stays 0 where there is none. */
static bg_status read_list(int present, int *list, int *length, bg_error *error)
{
    const char *text = getenv(LIST);
    *length = 0;
    for (const char *at = text; at && *at;) {
        char *end;
        const long number = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || number < 0 || number >= present || *length == MOST_DEVICES)
            return bg_fail(error, BG_ERROR_ARGUMENT,
                           "%s is '%s'; it must be up to %d numbers from 0 to %d with commas between", LIST, text,
                           MOST_DEVICES, present - 1);
        list[(*length)++] = (int)number;
        at = *end ? end + 1 : end;
    }
    return BG_OK;
}

bg_status bg_devices_count(int *count, bg_error *error)
{
    int present = 0, list[MOST_DEVICES], length = 0;
    bg_status status = count_of_machine(&present, error);
    if (status == BG_OK) status = read_list(present, list, &length, error);
    *count = length ? length : present;
    return status;
}

bg_status bg_device_describe(int own, char *description, size_t size, bg_error *error)
{
    struct cudaDeviceProp properties;
    CUDA_TRY(error, cudaGetDeviceProperties(&properties, own));
    snprintf(description, size, "%s, %d SMs, %.0f GB, compute capability %d.%d", properties.name,
             properties.multiProcessorCount, 1e-9 * (double)properties.totalGlobalMem, properties.major,
             properties.minor);
    return BG_OK;
}

bg_status bg_device_find(int wanted, int *device, int *own, bg_error *error)
{
    int present = 0, list[MOST_DEVICES], length = 0;
    bg_status status = count_of_machine(&present, error);
    if (status == BG_OK) status = read_list(present, list, &length, error);
    if (status != BG_OK) return status;
    const int count = length ? length : present;
    *device = wanted < 0 ? 0 : wanted;
    if (*device >= count)
        return bg_fail(error, BG_ERROR_ARGUMENT, "device is %d; it must be 0 to %d, this machine has %d CUDA device%s",
                       *device, count - 1, count, count == 1 ? "" : "s");
    *own = length ? list[*device] : *device;
    return BG_OK;
}

bg_status bg_device_enter(int own, int *previous, bg_error *error)
{
    (void)cudaGetLastError();
    *previous = -1;
    CUDA_TRY(error, cudaGetDevice(previous));
    if (*previous != own) CUDA_TRY(error, cudaSetDevice(own));
    return BG_OK;
}

/* Whether this process has used a device. Since CUDA 12 making a device current takes memory on it, and fails where it
 * belongs to another process: a rank that works on device 3 must leave device 0 alone. */
static int in_use(int own)
{
#if CUDART_VERSION >= 12050
    CUresult (*state)(CUdevice, unsigned *, int *) = NULL;
    enum cudaDriverEntryPointQueryResult found;
    unsigned flags;
    int active = 0;
    if (cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", (void **)&state, 7000, cudaEnableDefault,
                                         &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess)
        return 1;
    return state(own, &flags, &active) != CUDA_SUCCESS || active;
#else
    (void)own;
    return 1;
#endif
}

void bg_device_leave(int previous)
{
    int own = -1;
    if (previous < 0 || (cudaGetDevice(&own) == cudaSuccess && own == previous) || !in_use(previous)) return;
    if (cudaSetDevice(previous) != cudaSuccess) (void)cudaGetLastError();
}
