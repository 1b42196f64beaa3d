"""Matrix elements at given points."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

import numpy as np

from blockgen import _arrays, _core, process as _process
from blockgen.options import documented, settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from blockgen._hints import AlgorithmOptions

TOLERANCE = 1e-6  # of the energy, for points that conserve momentum: as in the program


@documented("matrix_elements")
class Evaluator:
    """|M|^2 of one process, planned once and evaluated as often as you like.

    Creating it chooses kernels, builds tables and allocates; calling it evaluates a batch of points. `process` is one
    subprocess, such as "g g > 4 g" or "u g > u g g".

        evaluator = blockgen.Evaluator("g g > 3 g")
        values = evaluator(momenta)
    """

    def __init__(self, process: str, **options: "Unpack[AlgorithmOptions]"):
        self._core = _core.Evaluator(_process.make(process), settings(options, "matrix_elements"))
        self.process = process

    def __call__(self, momenta: Any, *, out: Any = None, first_event: int = 0, check: bool = True, stream: Any = None) -> Any:
        """|M|^2 at points: an array of one number for each.

        momenta: (events, legs, 4), that is E, px, py, pz of each parton in GeV, incoming ones first. Arrays of numpy and
            whatever else is on the host (torch, JAX) are read where they are if they are contiguous doubles. Arrays on a
            CUDA device (torch, CuPy, JAX, or anything with DLPack or the CUDA array interface) stay there.
        out: array for the results, otherwise a new one of the library that the momenta come from.
        first_event: number of the first point; draws of colors and helicities depend on seed and number alone.
        check: raise ValueError where a point is not physical. Points on a device are not checked.
        stream: handle of the CUDA stream (an int, or an object of torch or CuPy); otherwise the one that torch or CuPy
            work on at the moment, and the default stream for others. The work is queued there and not waited for.
        """
        device = _arrays.device_of(momenta)
        if device is not None:
            return self._on_device(momenta, out, first_event, stream, device)
        if stream is not None:
            raise ValueError("stream is for momenta on a device; these are on the host")
        return self._on_host(momenta, out, first_event, check)[0]

    def with_uncertainty(self, momenta: Any, *, first_event: int = 0, check: bool = True) -> Tuple[Any, Any]:
        """|M|^2 and its standard error, where colors or helicities are sampled: 0 where not, NaN for a single draw."""
        if _arrays.device_of(momenta) is not None:
            raise ValueError("uncertainties are for momenta on the host; these are on a device")
        return self._on_host(momenta, None, first_event, check, uncertain=True)

    def _on_host(self, momenta: Any, out: Any, first_event: int, check: bool, uncertain: bool = False) -> Tuple[Any, Any]:
        points = _arrays.to_host(momenta)
        self._check_shape(points.shape)
        count = points.shape[0]
        values = np.empty(count)
        errors = np.empty(count) if uncertain else None
        if isinstance(out, np.ndarray) and out.dtype == np.float64 and out.flags.c_contiguous and out.flags.writeable:
            values = out
        if out is not None and tuple(out.shape) != (count,):
            raise ValueError(f"out has the shape {tuple(out.shape)}; it must be ({count},)")
        self._core.evaluate(first_event, points, values, errors, TOLERANCE if check else 0.0)
        if out is not None:
            if values is not out:
                out[...] = _arrays.from_host(values, out)
            return out, None
        return _arrays.from_host(values, momenta), None if errors is None else _arrays.from_host(errors, momenta)

    def _on_device(self, momenta: Any, out: Any, first_event: int, stream: Any, device: int) -> Any:
        self._check_device(device)
        queue = _arrays.current_stream(momenta, device) if stream is None else _stream_handle(stream)
        points = _arrays.view(momenta, "momenta", queue)
        self._check_shape(points.shape)
        count = points.shape[0]
        result = _arrays.empty_like(momenta, count, device) if out is None else out
        place = _arrays.view(result, "out", queue) if _arrays.device_of(result) == device else None
        if place is None or place.shape != (count,):
            raise ValueError(f"out must have the shape ({count},) and be on CUDA device {device}")
        if count:
            self._core.evaluate_device(first_event, count, points.pointer, place.pointer, queue, device)
        return out if out is not None else _arrays.finish(result, momenta, queue, device)

    def _check_shape(self, shape: Tuple[int, ...]) -> None:
        if len(shape) != 3 or shape[1:] != (self._core.legs, 4):
            raise ValueError(f"momenta have the shape {tuple(shape)}; for {self.process} it must be (events, {self._core.legs}, 4)")

    def _check_device(self, device: int) -> None:
        if self.backend != "cuda":
            raise ValueError(f"momenta are on CUDA device {device}, but this evaluator runs on backend '{self.backend}'"
                             + (f": {self.note}" if self.note else ""))
        own = max(self._core.device, 0)
        if own != device and not os.environ.get("BLOCKGEN_CUDA_DEVICES"):  # which would give devices other numbers
            raise ValueError(f"momenta are on CUDA device {device}, this evaluator is on {own}: create it with device={device}")

    @property
    def backend(self) -> str:
        """ "cpu" or "cuda"."""
        return self._core.backend

    @property
    def hardware(self) -> str:
        """What it runs on, such as "AVX-512"."""
        return self._core.hardware

    @property
    def note(self) -> str:
        """Why a better backend was not used; usually empty."""
        return self._core.note

    @property
    def threads(self) -> int:
        return self._core.threads

    @property
    def options(self) -> Dict[str, str]:
        """The options as they are run, by the names of the command line."""
        return self._core.options

    @property
    def stability(self) -> Dict[str, int]:
        """Points that were looked at so far, those that double precision cannot be trusted with, and those of them that were
        evaluated again in 128-bit floats."""
        return self._core.stability

    @property
    def memory(self) -> Dict[str, int]:
        """Bytes of tables (shared) and of each event in flight (per_event), and how many of them there are (batch)."""
        return self._core.memory

    def __repr__(self) -> str:
        return f"blockgen.Evaluator({self.process!r}) on {self.backend}: {self.hardware}"


def _stream_handle(stream: Any) -> int:
    for name in ("cuda_stream", "ptr"):  # of torch, of CuPy
        if hasattr(stream, name):
            return int(getattr(stream, name))
    handle = int(stream)
    return 0 if handle == _arrays.LEGACY_STREAM else handle


@documented("matrix_elements")
def matrix_elements(process: str, momenta: Any, *, out: Any = None, first_event: int = 0, check: bool = True,
                    stream: Any = None, **options: "Unpack[AlgorithmOptions]") -> Any:
    """|M|^2 at given points: summed over helicities and colors, averaged over the incoming ones and divided by k! for k
    identical outgoing partons, in GeV^(4 - 2 n_out).

    process: one subprocess, such as "g g > 4 g" or "u g > u g g".
    momenta, out, first_event, check, stream: as Evaluator takes them when it is called. For many batches create an
        Evaluator once.
    """
    device: Optional[int] = _arrays.device_of(momenta)
    chosen: Dict[str, Any] = dict(options)
    if device is not None:
        chosen.setdefault("backend", "cuda")
        chosen.setdefault("device", device)
    return Evaluator(process, **chosen)(momenta, out=out, first_event=first_event, check=check, stream=stream)
