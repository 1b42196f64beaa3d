"""Processes by their names, and the classes of channels that they stand for."""
from __future__ import annotations

import dataclasses
from typing import List, Optional, Tuple, Union

from blockgen import _core

FLAVORS = 5  # of p and j, and
QUARK_LINES = 3  # as many of them at most, where nothing else is asked for: as in the program


@dataclasses.dataclass(frozen=True)
class ProcessClass:
    """Channels that have the same matrix element: one is computed for all."""

    process: str  # the representative, such as "g u > u g"
    pdg: Tuple[int, ...]  # its partons, incoming first
    channels: int  # that it stands for
    gluons: int
    quark_lines: int


def make(process: str, flavors: Optional[int] = None, quark_lines: Union[int, str, None] = None) -> "_core.Process":
    """A process of the library. Raises ValueError where there is no such process."""
    if not isinstance(process, str):
        raise TypeError(f"process is {process!r}; it must be text, such as 'u g > u g g'")
    lines = QUARK_LINES if quark_lines is None else _core.all_lines if quark_lines == "all" else quark_lines
    if not isinstance(lines, int) or (lines < 0 and quark_lines != "all"):
        raise ValueError(f"quark_lines is {quark_lines!r}; it must be a whole number, or 'all'")
    made = _core.Process(process, FLAVORS if flavors is None else flavors, lines)
    if not made.is_open and (flavors is not None or quark_lines is not None):
        name = "flavors" if flavors is not None else "quark_lines"
        raise ValueError(f"{name} has no effect: '{process}' has neither p nor j")
    return made


def processes(process: str, *, flavors: Optional[int] = None, quark_lines: Union[int, str, None] = None) -> List[ProcessClass]:
    """The classes of subprocesses of a process such as "p p > 4j".

    flavors: light flavors in p and j, 3 to 5 (default 5).
    quark_lines: most quark lines that are taken along (default 3), or "all".
    """
    return [ProcessClass(**row) for row in make(process, flavors, quark_lines).classes()]
