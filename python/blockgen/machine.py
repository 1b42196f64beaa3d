"""What the library can do on this machine."""
from __future__ import annotations

from typing import Any, Dict, List

from blockgen import _core


def devices() -> List[Dict[str, Any]]:
    """The backends that are built in, a dictionary each: name ("cpu", "cuda"), usable, threads, devices, description."""
    return [{key: value for key, value in row.items() if key != "has_devices"} for row in _core.backends()]


def info() -> Dict[str, Any]:
    """Version with its commit, backends, and what was built in."""
    parts = ("openmp", "cuda", "quad", "avx2", "avx512")
    return {"version": _core.version_string, "backends": devices(), "built_in": {part: _core.built_with(part) for part in parts},
            "pdf": _core.built_in_pdf}
