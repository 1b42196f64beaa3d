"""Events: batches of structured arrays, or files that parton showers read."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Union, overload

import numpy as np

from blockgen import _core, _progress, process as _process
from blockgen.__main__ import PROGRAM
from blockgen.options import documented, goal, settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from blockgen._hints import EventOptions


def event_dtype(n_out: int, variations: Sequence[str] = ()) -> np.dtype:
    """The type of an event's row: as in the program's .npy files. Variations have names such as those in Events.variations."""
    legs = 2 + n_out
    return np.dtype([("number", "u8"), ("process", "i4"), ("legs", "i4"), ("weight", "f8"), ("trials", "f8"), ("scale", "f8"), ("muf", "f8"),
                     ("mur", "f8"), ("alpha_s", "f8"), ("x", "f8", (2,)), ("pdg", "i4", (legs,)), ("color", "i4", (legs, 2)),
                     ("helicity", "i4", (legs,)), ("momentum", "f8", (legs, 4))] + [(f"variation {name}", "f8") for name in variations])


class Events(Iterator[np.ndarray]):
    """Events on their way: an iterator of structured arrays.

    Batches come as they are made, by threads that stop where enough of them wait. Before the first one the cross section is
    integrated: `sigma` and `error`, in pb, are its result from then on. close() stops early; so does leaving a `with`
    block.
    """

    def __init__(self, process: "_core.Process", given: Any, events: int, overweight: float, weighted: bool, softest: bool,
                 progress: Optional[bool]):
        self.process = process.text
        self.events = events
        self.n_out = process.n_out
        self.made = 0
        self._stream = _core.Stream(process, given, events, overweight, weighted, softest)
        self._finish = weakref.finalize(self, self._stream.close)  # at the end of the program as well
        self._bar = _progress.Bar(process.text) if _progress.wanted(progress) else None

    def __next__(self) -> np.ndarray:
        if not self._finish.alive:  # closed
            raise StopIteration
        try:
            batch = self._stream.next()
        except BaseException:
            self.close()
            raise
        if batch is None:
            self.close()
            raise StopIteration
        rows = batch.view(event_dtype(self.n_out, self.variations))
        self.made += len(rows)
        if self._bar is not None:
            self._bar.show(self.made / self.events, f"{self.made} events")
        return rows

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._finish()

    def __enter__(self) -> "Events":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def array(self) -> np.ndarray:
        """All that are left, as one array."""
        batches = list(self)
        return np.concatenate(batches) if batches else np.empty(0, event_dtype(self.n_out))

    @property
    def variations(self) -> List[str]:
        """Names of the weights that rows have besides their own, where variations= asked for them; from the first batch on."""
        return self._stream.state()["variations"]

    @property
    def sigma(self) -> float:
        """pb; NaN before the first batch."""
        return self._of_begun("sigma")

    @property
    def error(self) -> float:
        return self._of_begun("error")

    def _of_begun(self, name: str) -> float:
        state = self._stream.state()
        return float(state[name]) if state["begun"] else float("nan")

    @property
    def summary(self) -> Dict[str, Any]:
        """sigma and error; after the last batch also trials, efficiency, overweight_share, largest_weight, seconds,
        estimated (whether |M|^2 was estimated first) and evaluated (how many exact ones the events took, about)."""
        state = self._stream.state()
        return {key: value for key, value in state.items() if key not in ("begun", "done", "points", "variations")}


def _write(path: Union[str, "os.PathLike[str]"], line: List[str], progress: Optional[bool]) -> Dict[str, Any]:
    """Has the program write a file; returns what it reports. Its progress is its own."""
    shown = _progress.wanted(progress) and not _progress.in_notebook()
    command = [PROGRAM, "generate", "--json", "--output", os.fspath(path)] + ([] if shown else ["--quiet"]) + line
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=None if shown else subprocess.PIPE, text=True,
                          start_new_session=True) as run:  # Ctrl-C of a terminal comes through us, once
        try:
            out, error = run.communicate()
        except BaseException:  # Ctrl-C: it leaves FILE.part, which it can go on with
            run.send_signal(signal.SIGINT)
            run.wait()
            raise
    message = (error or "").strip() or f"blockgen generate ended with status {run.returncode}"
    if run.returncode == 130:
        raise KeyboardInterrupt(message)
    if run.returncode == 2:
        raise ValueError(message)
    if run.returncode:
        raise RuntimeError(message)
    return json.loads(out)


@overload
def generate(process: str, events: int = ..., *, output: None = ..., weighted: bool = ..., overweight: float = ...,
             shower_scale: str = ..., flavors: Optional[int] = ..., quark_lines: Union[int, str, None] = ...,
             resume_file: bool = ..., replace: bool = ..., progress: Optional[bool] = ...,
             **options: "Unpack[EventOptions]") -> Events: ...


@overload
def generate(process: str, events: int = ..., *, output: Union[str, "os.PathLike[str]"], weighted: bool = ...,
             overweight: float = ..., shower_scale: str = ..., flavors: Optional[int] = ...,
             quark_lines: Union[int, str, None] = ..., resume_file: bool = ..., replace: bool = ...,
             progress: Optional[bool] = ..., **options: "Unpack[EventOptions]") -> Dict[str, Any]: ...


@documented("generate")
def generate(process: str, events: int = 1000, *, output: Union[str, "os.PathLike[str]", None] = None, weighted: bool = False,
             overweight: float = 1e-3, shower_scale: str = "event", flavors: Optional[int] = None,
             quark_lines: Union[int, str, None] = None, resume_file: bool = False, replace: bool = False,
             progress: Optional[bool] = None, **options: "Unpack[EventOptions]") -> Union[Events, Dict[str, Any]]:
    """Exactly so many events, unweighted unless asked for otherwise. Weights are in pb, and their mean is sigma.

    Without output= this is an iterator of structured arrays (see event_dtype()), a batch each; array() of it has all at
    once. With output= the program that comes with the package writes a file, and its report comes back as a dictionary
    (sigma_pb, error_pb, efficiency, file, ...). Seed and goal fix the events, in either way the same ones.

    output: name of a file that ends in .lhe, .lhe.gz, .h5, .npy or .csv.
    weighted: points inside the cuts are events, with their weights.
    overweight: share of the cross section that events above the largest usual weight may carry, 0 to 0.5.
    shower_scale: "event", or "softest" for the smallest pT.
    flavors, quark_lines: of p and j, see processes().
    resume_file: go on with the file of a run that was stopped; replace: write over one that is there.
    progress: True or False for a bar, by default in terminals and notebooks.

    Before the first event the cross section is integrated, to a precision of 0.01, or 0.003 up to four outgoing partons,
    unless precision= or points= is given.
    """
    made = _process.make(process, flavors, quark_lines)
    wanted = goal(options)
    if wanted.get("precision") is None and not wanted.get("points") and made.n_out <= 4:
        wanted["precision"] = 0.003  # more points adapt the generator better, which pays where they are cheap
    if shower_scale not in ("event", "softest"):
        raise ValueError(f"shower_scale is {shower_scale!r}; it must be 'event' or 'softest'")
    given = settings(wanted, "generate")
    count = int(events)
    if count != events:
        raise ValueError(f"events is {events!r}; it must be a whole number")
    if output is None:
        if resume_file or replace:
            raise ValueError("resume_file and replace are for files; give output=")
        return Events(made, given, count, overweight, weighted, shower_scale == "softest", progress)
    if wanted.get("points"):
        given = [pair for pair in given if pair[0] != "precision"]
    line = ["--process", process, "--events", str(count), "--overweight", repr(float(overweight)), "--shower-scale", shower_scale]
    line += ["--flavors", str(flavors)] if flavors is not None else []
    line += ["--quark-lines", str(quark_lines)] if quark_lines is not None else []
    line += [flag for flag, is_set in (("--weighted", weighted), ("--resume", resume_file), ("--force", replace)) if is_set]
    for name, value in given:
        flag = value in ("yes", "no") and _is_flag(name)
        line += [f"--{name}" if value == "yes" else f"--no-{name}"] if flag else [f"--{name}", value]
    return _write(output, line, progress)


def _is_flag(name: str) -> bool:
    return any(row["name"] == name and row["kind"] == "flag" for row in _core.options())
