/* The CUDA backend on devices that go wrong. The linker puts the functions below in the place of the CUDA run time's
 * (tests/CMakeLists.txt), so that a machine without a device can have an old driver, little memory, or a device that is
 * lost. Nothing is computed: kernels that are launched do not run.
 */
#include "support.h"

#include <cuda_runtime.h>

/* ---- a run time to order ---------------------------------------------------------------------------------- */

static struct {
    int devices, driver; /* CUDA 12.3 is 12030 */
    cudaError_t counting, allocating, copying, launching;
    size_t free_bytes;
    size_t asked; /* bytes of the largest allocation */
    cudaError_t last;
} fake;

static void one_good_device(void)
{
    memset(&fake, 0, sizeof fake);
    fake.devices = 1;
    fake.driver = CUDART_VERSION;
    fake.free_bytes = (size_t)64 << 30;
}

static cudaError_t note(cudaError_t code)
{
    if (code != cudaSuccess) fake.last = code;
    return code;
}

#define FAKE(name) __wrap_##name
cudaError_t FAKE(cudaGetDeviceCount)(int *count);
cudaError_t FAKE(cudaGetDeviceCount)(int *count)
{
    *count = fake.devices;
    return note(fake.counting);
}

cudaError_t FAKE(cudaDriverGetVersion)(int *version);
cudaError_t FAKE(cudaDriverGetVersion)(int *version)
{
    *version = fake.driver;
    return cudaSuccess;
}

cudaError_t FAKE(cudaGetDevice)(int *device);
cudaError_t FAKE(cudaGetDevice)(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t FAKE(cudaSetDevice)(int device);
cudaError_t FAKE(cudaSetDevice)(int device)
{
    return device < fake.devices ? cudaSuccess : note(cudaErrorInvalidDevice);
}

cudaError_t FAKE(cudaGetDeviceProperties)(struct cudaDeviceProp *properties, int device);
cudaError_t FAKE(cudaGetDeviceProperties)(struct cudaDeviceProp *properties, int device)
{
    (void)device;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "a device of the imagination");
    return cudaSuccess;
}

/* An H200 as far as it is asked. */
cudaError_t FAKE(cudaDeviceGetAttribute)(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t FAKE(cudaDeviceGetAttribute)(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = attribute == cudaDevAttrMultiProcessorCount            ? 132
             : attribute == cudaDevAttrMaxThreadsPerMultiProcessor  ? 2048
             : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
             : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
                                                                    : 0;
    return cudaSuccess;
}

cudaError_t FAKE(cudaMemGetInfo)(size_t *free_bytes, size_t *total);
cudaError_t FAKE(cudaMemGetInfo)(size_t *free_bytes, size_t *total)
{
    *free_bytes = fake.free_bytes;
    *total = (size_t)140 << 30;
    return cudaSuccess;
}

cudaError_t FAKE(cudaFuncGetAttributes)(struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t FAKE(cudaFuncGetAttributes)(struct cudaFuncAttributes *attributes, const void *kernel)
{
    (void)kernel;
    memset(attributes, 0, sizeof *attributes);
    return cudaSuccess;
}

cudaError_t FAKE(cudaFuncSetAttribute)(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t FAKE(cudaFuncSetAttribute)(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    (void)kernel;
    (void)attribute;
    (void)value;
    return cudaSuccess;
}

/* Addresses that nobody may look at. */
cudaError_t FAKE(cudaMalloc)(void **memory, size_t bytes);
cudaError_t FAKE(cudaMalloc)(void **memory, size_t bytes)
{
    if (bytes > fake.asked) fake.asked = bytes;
    *memory = fake.allocating == cudaSuccess ? (void *)((uintptr_t)1 << 40) : NULL;
    return note(fake.allocating);
}

cudaError_t FAKE(cudaFree)(void *memory);
cudaError_t FAKE(cudaFree)(void *memory)
{
    (void)memory;
    return cudaSuccess;
}

cudaError_t FAKE(cudaStreamCreateWithFlags)(cudaStream_t *stream, unsigned flags);
cudaError_t FAKE(cudaStreamCreateWithFlags)(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t FAKE(cudaStreamDestroy)(cudaStream_t stream);
cudaError_t FAKE(cudaStreamDestroy)(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t FAKE(cudaStreamSynchronize)(cudaStream_t stream);
cudaError_t FAKE(cudaStreamSynchronize)(cudaStream_t stream)
{
    (void)stream;
    return note(fake.copying);
}

cudaError_t FAKE(cudaMemcpyAsync)(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                  cudaStream_t stream);
cudaError_t FAKE(cudaMemcpyAsync)(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                  cudaStream_t stream)
{
    (void)from;
    (void)stream;
    if (kind == cudaMemcpyDeviceToHost) memset(to, 0, bytes);
    return note(fake.copying);
}

cudaError_t FAKE(cudaMemsetAsync)(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t FAKE(cudaMemsetAsync)(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)to;
    (void)value;
    (void)bytes;
    (void)stream;
    return note(fake.copying);
}

cudaError_t FAKE(cudaGetLastError)(void);
cudaError_t FAKE(cudaGetLastError)(void)
{
    const cudaError_t last = fake.last;
    fake.last = cudaSuccess;
    return last;
}

cudaError_t FAKE(__cudaGetKernel)(cudaKernel_t *kernel, const void *entry);
cudaError_t FAKE(__cudaGetKernel)(cudaKernel_t *kernel, const void *entry)
{
    (void)entry;
    *kernel = NULL;
    return cudaSuccess;
}

cudaError_t FAKE(__cudaLaunchKernel)(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                     cudaStream_t stream);
cudaError_t FAKE(__cudaLaunchKernel)(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                     cudaStream_t stream)
{
    (void)kernel;
    (void)grid;
    (void)block;
    (void)arguments;
    (void)shared;
    (void)stream;
    return note(fake.launching);
}

/* ---- what the library makes of it ---------------------------------------------------------------------------- */

static bg_status create(bg_evaluator **e, int n_out, bg_kernel kernel, int device, const char *backend, bg_error *error)
{
    bg_process *process = NULL;
    bg_options o;
    bg_options_init(&o);
    o.helicity = BG_HELICITY_SAMPLED;
    o.kernel = kernel;
    o.device = device;
    strcpy(o.backend, backend);
    assert_int_equal(bg_process_create_gluons(&process, n_out, error), BG_OK);
    const bg_status status = bg_evaluator_create(e, process, &o, error);
    bg_process_destroy(process);
    return status;
}

static void expect_refusal(int n_out, bg_kernel kernel, int device, bg_status wanted, const char *words)
{
    bg_evaluator *e = NULL;
    bg_error error;
    const bg_status status = create(&e, n_out, kernel, device, "cuda", &error);
    bg_evaluator_destroy(e);
    assert_refused(status, &error, wanted, words);
}

static void no_device_is_said(void **state)
{
    (void)state;
    one_good_device();
    fake.counting = cudaErrorNoDevice;
    expect_refusal(4, BG_KERNEL_FAST, -1, BG_ERROR_DEVICE, "no CUDA device on this machine");
    fake.counting = cudaErrorInsufficientDriver;
    fake.driver = 0;
    expect_refusal(4, BG_KERNEL_FAST, -1, BG_ERROR_DEVICE, "no CUDA driver on this machine");
    fake.driver = 9020;
    expect_refusal(4, BG_KERNEL_FAST, -1, BG_ERROR_DEVICE, "the CUDA driver is for CUDA 9.2, too old for the runtime");
    fake.counting = cudaErrorSystemNotReady;
    expect_refusal(4, BG_KERNEL_FAST, -1, BG_ERROR_DEVICE, "CUDA: cudaGetDeviceCount: ");
    one_good_device();
    expect_refusal(4, BG_KERNEL_FAST, 3, BG_ERROR_ARGUMENT,
                   "device is 3; it must be 0 to 0, this machine has 1 CUDA device");
}

static void auto_falls_back(void **state)
{
    (void)state;
    bg_evaluator *e = NULL;
    bg_error error;
    one_good_device();
    fake.counting = cudaErrorNoDevice;
    assert_int_equal(create(&e, 4, BG_KERNEL_FAST, -1, "auto", &error), BG_OK);
    assert_string_equal(bg_evaluator_options(e)->backend, "cpu");
    assert_non_null(strstr(bg_evaluator_note(e), "no CUDA device on this machine"));
    bg_evaluator_destroy(e);
    one_good_device();
    assert_int_equal(create(&e, 4, BG_KERNEL_FAST, -1, "auto", &error), BG_OK);
    assert_string_equal(bg_evaluator_options(e)->backend, "cuda");
    bg_evaluator_destroy(e);
}

/* The dense color matrix of eight gluons has 6.5 GB. */
static void what_does_not_fit_says_its_size(void **state)
{
    (void)state;
    one_good_device();
    fake.free_bytes = (size_t)2000000000;
    expect_refusal(8, BG_KERNEL_PAPER, -1, BG_ERROR_MEMORY, "n_out = 8 on the device needs at least 6.");
    expect_refusal(8, BG_KERNEL_PAPER, -1, BG_ERROR_MEMORY, "2e+03 MB of 1.5e+05 MB are free");
    assert_true(fake.asked == 0); /* before anything is tried */
}

static void batches_follow_the_memory(void **state)
{
    (void)state;
    static const bg_kernel kernels[] = {BG_KERNEL_PAPER, BG_KERNEL_FAST};
    for (int k = 0; k < 2; k++) {
        size_t first = 0, last = 0;
        for (size_t megabytes = 64; megabytes <= 65536; megabytes *= 4) {
            bg_evaluator *e = NULL;
            bg_error error;
            one_good_device();
            fake.free_bytes = megabytes << 20;
            const bg_status status = create(&e, 6, kernels[k], -1, "cuda", &error);
            if (status != BG_OK) fail_msg("%zu MB: %s", megabytes, error.message);
            bg_memory memory;
            bg_memory_init(&memory);
            (void)bg_evaluator_memory(e, &memory, NULL);
            assert_true(memory.batch >= 1 && memory.batch >= last);
            if (fake.asked > fake.free_bytes) fail_msg("%zu bytes of %zu", fake.asked, fake.free_bytes);
            last = memory.batch;
            if (!first) first = last;
            bg_evaluator_destroy(e);
        }
        assert_true(last > first);
    }
}

static void taken_memory_is_said(void **state)
{
    (void)state;
    one_good_device();
    fake.allocating = cudaErrorMemoryAllocation; /* somebody was faster */
    expect_refusal(6, BG_KERNEL_FAST, -1, BG_ERROR_MEMORY, "for n_out = 6 were not to be had on device 0");
}

/* A launch that fails, then a device that is gone: the call is named; where it comes back, work goes on. */
static void lost_devices_are_said(void **state)
{
    (void)state;
    static const bg_kernel kernels[] = {BG_KERNEL_PAPER, BG_KERNEL_FAST};
    random_source source = fresh_source(1);
    double momenta[4 * 6], me2;
    random_point(&source, 4, 1000., momenta);
    for (int k = 0; k < 2; k++) {
        bg_evaluator *e = NULL;
        bg_error error = {BG_OK, ""};
        one_good_device();
        assert_int_equal(create(&e, 4, kernels[k], -1, "cuda", &error), BG_OK);
        assert_int_equal(bg_evaluator_evaluate(e, 0, 1, momenta, &me2, NULL, &error), BG_OK);
        fake.launching = cudaErrorLaunchFailure;
        assert_refused(bg_evaluator_evaluate(e, 0, 1, momenta, &me2, NULL, &error), &error, BG_ERROR_DEVICE, "_kernel");
        assert_non_null(strstr(error.message, "cudaErrorLaunchFailure"));
        fake.launching = cudaSuccess;
        fake.copying = cudaErrorDeviceUninitialized;
        assert_refused(bg_evaluator_evaluate(e, 0, 1, momenta, &me2, NULL, &error), &error, BG_ERROR_DEVICE,
                       "CUDA: cudaMemcpyAsync: ");
        fake.copying = cudaSuccess;
        assert_int_equal(bg_evaluator_evaluate(e, 0, 1, momenta, &me2, NULL, &error), BG_OK);
        bg_evaluator_destroy(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_device_is_said),
        cmocka_unit_test(auto_falls_back),
        cmocka_unit_test(what_does_not_fit_says_its_size),
        cmocka_unit_test(batches_follow_the_memory),
        cmocka_unit_test(taken_memory_is_said),
        cmocka_unit_test(lost_devices_are_said),
    };
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
