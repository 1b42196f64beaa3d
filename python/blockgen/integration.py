"""Cross sections."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from blockgen import _core, _mpi, _progress, process as _process
from blockgen.options import documented, goal, settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from blockgen._hints import IntegrationOptions


@dataclasses.dataclass(frozen=True)
class ClassResult:
    """What one class of subprocesses adds."""

    process: str
    channels: int
    quark_lines: int
    sigma: float  # pb
    error: float
    points: int


@dataclasses.dataclass(frozen=True, eq=False)
class Histogram:
    """A distribution: what every bin adds to the cross section."""

    name: str
    title: str  # of the axis
    edges: np.ndarray  # of the bins, one more than there are
    values: np.ndarray  # pb in each bin
    errors: np.ndarray
    entries: np.ndarray  # points of equal weight that would say as much
    below: Tuple[float, float]  # what lies below the first edge in no bin, and its error
    above: Tuple[float, float]
    logarithmic: bool
    band: Optional[Tuple[np.ndarray, np.ndarray]]  # least and most of every bin among the variations of scales

    @property
    def widths(self) -> np.ndarray:
        return np.diff(self.edges)

    @property
    def density(self) -> np.ndarray:
        """pb over the unit of the axis."""
        return self.values / self.widths

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draws the density with matplotlib, its error as a band and, where there are some, variations as a wider one; returns
        the axes."""
        from matplotlib import pyplot

        if ax is None:
            ax = pyplot.subplots()[1]
        error = self.errors / self.widths
        (line,) = ax.plot(self.edges, np.append(self.density, self.density[-1:]), drawstyle="steps-post", **style)
        ax.fill_between(self.edges, np.append(self.density - error, 0), np.append(self.density + error, 0), step="post",
                        color=line.get_color(), alpha=0.3, linewidth=0)
        if self.band is not None:
            least, most = (np.append(edge / self.widths, 0) for edge in self.band)
            ax.fill_between(self.edges, least, most, step="post", color=line.get_color(), alpha=0.15, linewidth=0)
        if self.logarithmic:
            ax.set_xscale("log")
        ax.set_xlabel(_mathematics(self.title))
        ax.set_ylabel("pb / unit" if "[" not in self.title else f"pb / {self.title.split('[')[1].rstrip(']')}")
        return ax


def _mathematics(title: str) -> str:
    """Letters with an index as matplotlib sets them."""
    return " ".join(f"${word}$" if "_" in word else word for word in title.split(" "))


@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """A cross section. Everything is in pb."""

    process: str
    sigma: float
    error: float
    chi2: float  # per degree of freedom, of the iterations among each other
    classes: List[ClassResult]
    histograms: Dict[str, Histogram]
    variations: Dict[str, Any]  # where variations= asked for them: "scale" (up, down, sigmas) and "pdf" (error, members)
    points: int  # behind sigma
    accepted: int  # of them inside the cuts
    warmup_points: int  # that only adapted the generator
    seconds: float
    interrupted: bool  # stopped by progress() before the goal
    options: Dict[str, str]  # of the algorithm, as it was run
    details: Dict[str, Any]  # what else the library tells

    def __str__(self) -> str:
        return f"{self.process}: sigma = {self.sigma:.6g} +- {self.error:.2g} pb, chi2/dof {self.chi2:.2f}, {self.points:.3g} points in {self.seconds:.2f} s"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{c.process}</td><td>{c.channels}</td><td>{c.sigma:.5g} &plusmn; {c.error:.2g}</td></tr>"
                       for c in self.classes)
        return (f"<p>{self.process}: &sigma; = {self.sigma:.6g} &plusmn; {self.error:.2g} pb, &chi;&sup2;/dof {self.chi2:.2f}</p>"
                f"<table><tr><th>class</th><th>channels</th><th>pb</th></tr>{rows}</table>")


def _share(now: Dict[str, Any], wanted: Dict[str, Any]) -> float:
    """How far an integration is."""
    if wanted.get("points"):
        return now["points"] / float(wanted["points"])
    shares = []
    if wanted.get("time"):
        shares.append(now["seconds"] / float(wanted["time"]))
    precision = float(wanted.get("precision", _standard_precision()) or 0)
    if precision and now["points"] and now["error"] > 0 and not now["warming_up"]:
        shares.append((precision * now["sigma"] / now["error"]) ** 2)
    return max(shares, default=0.0)


def _standard_precision() -> float:
    return float(next(row["standard"] for row in _core.options() if row["name"] == "precision"))


@documented("integrate")
def integrate(process: str, *, histograms: Union[bool, Sequence[str]] = True, flavors: Optional[int] = None,
              quark_lines: Union[int, str, None] = None, comm: Any = None,
              progress: Union[bool, Callable[[Dict[str, Any]], Any], None] = None,
              **options: "Unpack[IntegrationOptions]") -> Result:
    """The cross section within cuts: of two partons of a fixed energy ("g g > 4 g", "u g > u g g"), or of two protons
    ("p p > 3j").

    It stops at precision=, at points= or at time=, whichever is given, otherwise at the default precision. Seed and
    goal fix the result bit for bit. Ctrl-C raises KeyboardInterrupt within two seconds; with checkpoint= the state is saved, and
    resume= goes on from there.

    histograms: True for the standard ones; texts such as "mass(1,2):50:0:5000" add some of your own; False for none.
    flavors, quark_lines: of p and j, see processes().
    comm: communicator of mpi4py; every rank calls this and gets the result.
    progress: True or False for a bar, by default in terminals and notebooks; or a function that gets a dictionary a few
        times a second, and ends the integration where it returns something true.
    """
    made = _process.make(process, flavors, quark_lines)
    wanted = goal(options)
    given = settings(wanted, "integrate")
    booked = [] if isinstance(histograms, bool) else list(histograms)
    standard = bool(histograms) or bool(booked)
    ranks = None if comm is None else _mpi.Communicator(comm)
    show: Optional[Callable[[Dict[str, Any]], Any]] = progress if callable(progress) else None
    bar: Optional[_progress.Bar] = None
    try:
        if show is None and (ranks is None or ranks.rank == 0) and _progress.wanted(progress if not callable(progress) else None):
            bar = _progress.Bar(process)

            def show(now: Dict[str, Any]) -> bool:
                assert bar is not None
                bar.show(_share(now, wanted), "adapting" if now["warming_up"] else f"{now['sigma']:.5g} +- {now['error']:.2g} pb")
                return False

        found = _core.integrate(made, given, standard, booked, show, ranks)
    finally:
        if bar is not None:
            bar.close()
        if ranks is not None:
            ranks.free()
    classes = [ClassResult(**row) for row in found.pop("classes")]
    drawn = {row["name"]: Histogram(**row) for row in found.pop("histograms")}
    fields = {name: found.pop(name) for name in ("sigma", "error", "chi2", "points", "accepted", "warmup_points", "seconds",
                                                  "interrupted", "options", "variations")}
    return Result(process=process, classes=classes, histograms=drawn, details=found, **fields)
