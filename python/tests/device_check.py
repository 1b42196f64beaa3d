#!/usr/bin/env python3
"""Arrays of a CUDA device, in and out: memory of the driver, and every library of torch, CuPy and JAX that is installed:

    python python/tests/device_check.py [EVENTS]

Run it by hand on a machine with a GPU, where the package was built with CUDA. Each line is a check; the exit status is 0 where
all of them hold, 1 where one does not, and 77 where there is no device.
"""
import ctypes
import sys
import time

import numpy as np

import blockgen

PROCESS = "g g > 4 g"
failed = []


def check(name, right, note=""):
    print(f"{'ok' if right else 'NOT OK'} - {name}{' (' + note + ')' if note else ''}", flush=True)
    if not right:
        failed.append(name)


def raises(name, kind, call):
    try:
        call()
    except kind as error:
        check(name, True, str(error))
    else:
        check(name, False, f"no {kind.__name__}")


def agree(a, b):
    return bool(np.allclose(a, b, rtol=1e-10, atol=0))


class Driver:
    """As much of CUDA's driver as the checks need; it is there wherever a device is."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: error {status}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def stream(self):
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)  # one that does not wait for the legacy stream
        return stream.value


class DriverArray:
    """Numbers of the device that show nothing but the CUDA array interface."""

    def __init__(self, driver, shape, numbers=None):
        self.driver, self.shape = driver, shape
        self.size = 8 * int(np.prod(shape))
        self.address = driver.allocate(self.size)
        self.put(np.zeros(shape) if numbers is None else numbers)

    def put(self, numbers, stream=0):
        self.host = np.ascontiguousarray(numbers)  # it must live until the copy is done
        self.driver.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.address), self.host.ctypes.data_as(ctypes.c_void_p),
                         ctypes.c_size_t(self.size), ctypes.c_void_p(stream))

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": "<f8", "data": (self.address, False), "version": 3, "strides": None}


def numbers_of(driver, array):
    """A copy on the host of what shows the CUDA array interface."""
    about = array.__cuda_array_interface__
    numbers = np.empty(about["shape"])
    driver.call("cuCtxSynchronize")
    driver.call("cuMemcpyDtoH_v2", numbers.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(about["data"][0]), ctypes.c_size_t(numbers.nbytes))
    return numbers


def check_driver(momenta, expected, evaluator):
    driver = Driver()
    points = DriverArray(driver, momenta.shape, momenta)
    values = evaluator(points)
    check("driver: values through the CUDA array interface", agree(numbers_of(driver, values), expected))
    check("driver: the result is of the device for DLPack", values.__dlpack_device__() == (2, 0))
    out = DriverArray(driver, expected.shape)
    evaluator(points, out=out)
    check("driver: out=", agree(numbers_of(driver, out), expected))
    # The momenta arrive on the stream that is given: without its order the values would be those of zeros.
    late, stream = DriverArray(driver, momenta.shape), driver.stream()
    late.put(momenta, stream)
    check("driver: on a stream that is given", agree(numbers_of(driver, evaluator(late, stream=stream)), expected))
    raises("driver: a wrong shape is refused", ValueError, lambda: evaluator(DriverArray(driver, (10, 5, 4))))
    raises("driver: an evaluator of the CPU refuses", ValueError, lambda: blockgen.Evaluator(PROCESS, backend="cpu")(points))
    repetitions = 10
    begun = time.perf_counter()
    for _ in range(repetitions):
        evaluator(points, out=out)
    queued = time.perf_counter() - begun
    driver.call("cuCtxSynchronize")
    on_device = time.perf_counter() - begun
    begun = time.perf_counter()
    evaluator(momenta, check=False)
    through_host = time.perf_counter() - begun
    print(f"# {len(momenta)} points: {1e3 * on_device / repetitions:.3g} ms on the device, {1e3 * queued / repetitions:.3g} ms to queue, "
          f"{1e3 * through_host:.3g} ms from and to the host")


def check_torch(torch, momenta, expected, evaluator):
    points = torch.as_tensor(momenta, device="cuda")
    values = evaluator(points)
    check("torch: the result is a tensor of the device", isinstance(values, torch.Tensor) and values.is_cuda)
    check("torch: values", agree(values.cpu(), expected))
    out = torch.zeros_like(values)
    check("torch: out=", evaluator(points, out=out) is out and torch.equal(out, values))
    check("torch: matrix_elements()", torch.equal(blockgen.matrix_elements(PROCESS, points), values))
    # Momenta that are made on a stream of their own, late: without the right order the values would be those of zeros.
    for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            late = torch.zeros_like(points)
            torch.cuda._sleep(int(2e8))
            late.copy_(points)
            queued = evaluator(late)
            doubled = 2 * queued
        stream.synchronize()
        check("torch: on the current stream", torch.equal(doubled, 2 * values))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    given = evaluator(points, stream=stream)
    stream.synchronize()
    check("torch: on a stream that is given", torch.equal(given, values))
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    begun = time.perf_counter()
    start.record()
    for _ in range(10):
        evaluator(points, out=out)
    end.record()
    queued_after = time.perf_counter() - begun
    torch.cuda.synchronize()
    on_device = start.elapsed_time(end) / 10
    begun = time.perf_counter()
    evaluator(momenta, check=False)
    through_host = 1e3 * (time.perf_counter() - begun)
    check("torch: calls return before the device is done", queued_after * 1e3 < 10 * on_device or on_device < 0.1,
          f"{on_device:.3g} ms a call on the device, {1e3 * queued_after / 10:.3g} ms to queue it, {through_host:.3g} ms through the host")
    raises("torch: single precision is refused", ValueError, lambda: evaluator(points.float()))
    raises("torch: other strides are refused", ValueError, lambda: evaluator(points.transpose(1, 2).contiguous().transpose(1, 2)))
    raises("torch: a wrong shape is refused", ValueError, lambda: evaluator(points[:, :5]))
    raises("torch: out of the host is refused", ValueError, lambda: evaluator(points, out=torch.zeros(len(points), dtype=torch.float64)))
    raises("torch: an evaluator of the CPU refuses", ValueError, lambda: blockgen.Evaluator(PROCESS, backend="cpu")(points))
    check("torch: no points", tuple(evaluator(points[:0]).shape) == (0,))
    if torch.cuda.device_count() > 1:
        other = points.to("cuda:1")
        raises("torch: another device is refused", ValueError, lambda: evaluator(other))
        check("torch: matrix_elements() on another device", agree(blockgen.matrix_elements(PROCESS, other).cpu(), expected))


def check_cupy(cupy, momenta, expected, evaluator):
    points = cupy.asarray(momenta)
    values = evaluator(points)
    check("cupy: the result is an array of CuPy", isinstance(values, cupy.ndarray))
    check("cupy: values", agree(cupy.asnumpy(values), expected))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        copied = cupy.array(points)
        queued = evaluator(copied) * 2
        stream.synchronize()
    check("cupy: on the current stream", agree(cupy.asnumpy(queued), 2 * expected))

    class Interface:
        """Nothing but the CUDA array interface."""

        def __init__(self, array):
            self.array = array
            self.device = array.device

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    result = evaluator(Interface(points))
    check("CUDA array interface, in and out", agree(cupy.asnumpy(cupy.asarray(result)), expected))
    check("DLPack of the result", agree(cupy.asnumpy(cupy.from_dlpack(result)), expected))


def check_jax(jax, momenta, expected, evaluator):
    jax.config.update("jax_enable_x64", True)
    points = jax.device_put(momenta, jax.devices("gpu")[0])
    values = evaluator(points)
    check("jax: the result is an array of JAX", isinstance(values, jax.Array))
    check("jax: values", agree(np.asarray(values), expected))
    check("jax: goes on", agree(np.asarray(jax.numpy.log(values)), np.log(expected)))


def main(events):
    backend = next((one for one in blockgen.devices() if one["name"] == "cuda"), None)
    if backend is None or not backend["usable"]:
        print(f"1..0 # SKIP {backend['description'] if backend else 'CUDA is not built in'}")
        return 77
    print("#", backend["description"])
    rows = blockgen.generate(PROCESS, events, weighted=True, points=20000, progress=False).array()
    momenta = np.ascontiguousarray(rows["momentum"])
    expected = blockgen.matrix_elements(PROCESS, momenta, backend="cpu")
    evaluator = blockgen.Evaluator(PROCESS, backend="cuda")
    check("host arrays through the device", agree(evaluator(momenta), expected))
    check_driver(momenta, expected, evaluator)
    for name, test in (("torch", check_torch), ("cupy", check_cupy), ("jax", check_jax)):
        try:
            library = __import__(name)
        except ImportError:
            print(f"# {name} is not installed")
            continue
        test(library, momenta, expected, evaluator)
    print(f"{len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100000))
