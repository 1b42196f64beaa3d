"""Arrays of other libraries: of the host or of a CUDA device, through DLPack or the CUDA array interface."""
from __future__ import annotations

import contextlib
import dataclasses
import sys
from typing import Any, Optional, Tuple

import numpy as np

from blockgen import _core

CUDA, CUDA_MANAGED = 2, 13  # device types of DLPack
LEGACY_STREAM = 1  # how DLPack calls the default stream of CUDA, whose handle is 0


def library_of(array: Any) -> str:
    """The name of the package that an array comes from: "numpy", "torch", "cupy", "jax" or another."""
    name = type(array).__module__.partition(".")[0]
    return "jax" if name == "jaxlib" else name


def device_of(array: Any) -> Optional[int]:
    """The number of the CUDA device that an array is on; None on the host."""
    if isinstance(array, np.ndarray):
        return None
    if hasattr(array, "__dlpack_device__"):
        kind, number = array.__dlpack_device__()
        return int(number) if int(kind) in (CUDA, CUDA_MANAGED) else None
    if hasattr(array, "__cuda_array_interface__"):
        return int(_core.pointer_device(array.__cuda_array_interface__["data"][0])) if _core.cuda else 0
    return None


# ---- the host -----------------------------------------------------------------------------------------------------


def to_host(array: Any) -> np.ndarray:
    """The same numbers as an array of doubles in the order of C; without a copy where they are that already."""
    if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__"):
        with contextlib.suppress(BufferError, RuntimeError, TypeError):  # numpy reads no read-only ones of some versions
            array = np.from_dlpack(array)
    return np.ascontiguousarray(array, dtype=np.float64)


def from_host(numbers: np.ndarray, like: Any) -> Any:
    """Numbers as an array of the library that `like` comes from."""
    library = library_of(like)
    if library == "torch":
        return sys.modules["torch"].from_dlpack(numbers)
    if library == "jax":
        return sys.modules["jax"].numpy.asarray(numbers)
    return numbers


# ---- devices ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class DeviceView:
    """Where the numbers of an array are; `owner` keeps them there."""

    pointer: int
    shape: Tuple[int, ...]
    owner: Any


class DeviceArray:
    """Numbers on a CUDA device, for any library that reads DLPack or the CUDA array interface. They are complete."""

    def __init__(self, count: int, device: int):
        self._numbers = _core.device_numbers(count, device)
        self._view = _core.View(self._numbers).describe()
        self.shape = (count,)
        self.dtype = np.dtype(np.float64)
        self.device = device

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._numbers.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (CUDA, self.device)

    @property
    def __cuda_array_interface__(self) -> dict:
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": (self._view["pointer"], False),
                "strides": None, "stream": None}


def _is_dense(shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]], unit: int) -> bool:
    """Whether elements follow each other in the order of C; strides in units of `unit`."""
    expected = unit
    for length, stride in zip(reversed(shape), reversed(strides or ())):
        if length > 1 and stride != expected:
            return False
        expected *= max(length, 1)
    return True


def view(array: Any, name: str, stream: int) -> DeviceView:
    """An array of a device as the kernels read it, safe to use on `stream`. Nothing is copied: what would have to be is refused."""
    if hasattr(array, "__dlpack__"):
        made = _core.View(array if isinstance(array, DeviceArray) else array.__dlpack__(stream=stream or LEGACY_STREAM))
        about = made.describe()
        pointer, shape, strides, unit = about["pointer"], about["shape"], about["strides"], 1
        right, owner = about["double"], (made, array)
    else:
        about = array.__cuda_array_interface__
        pointer, shape, strides, unit = about["data"][0], tuple(about["shape"]), about.get("strides"), 8
        right, owner = about["typestr"] == np.dtype(np.float64).str, array
        written = about.get("stream")
        if written not in (None, stream, stream or LEGACY_STREAM):
            _core.synchronize(0 if written == LEGACY_STREAM else written, device_of(array))
    if not right:
        raise ValueError(f"{name} on a device must be of doubles (float64)")
    if not _is_dense(shape, strides, unit):
        raise ValueError(f"{name} on a device must be contiguous, in the order of C")
    return DeviceView(pointer, tuple(shape), owner)


def current_stream(array: Any, device: int) -> int:
    """The handle of the stream that the array's library works on at the moment; the default stream where it does not tell."""
    library = library_of(array)
    if library == "torch":
        return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)
    if library == "cupy":
        with sys.modules["cupy"].cuda.Device(device):
            return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return 0


def empty_like(array: Any, count: int, device: int) -> Any:
    """An array of doubles of the same library, or a DeviceArray where that cannot be written to."""
    library = library_of(array)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(count, dtype=torch.float64, device=array.device)
    if library == "cupy":
        with sys.modules["cupy"].cuda.Device(device):
            return sys.modules["cupy"].empty(count, dtype=np.float64)
    return DeviceArray(count, device)


def finish(numbers: Any, array: Any, stream: int, device: int) -> Any:
    """Numbers that were queued on `stream`, as the library of `array` has them."""
    if not isinstance(numbers, DeviceArray):
        return numbers  # of a library that orders its own work behind ours
    _core.synchronize(stream, device)
    return sys.modules["jax"].dlpack.from_dlpack(numbers) if library_of(array) == "jax" else numbers
