"""Cross sections: the program's numbers, histograms, and what runs beside."""
import threading

import numpy as np
import pytest
from conftest import run_program

import blockgen
from blockgen import _core


def test_a_cross_section_is_that_of_the_program():
    line = ["integrate", "--process", "g g > 3 g", "--points", "20000", "--seed", "5", "--pt-min", "40"]
    result = blockgen.integrate("g g > 3 g", points=20000, seed=5, pt_min=40)
    program = run_program(*line)
    assert (result.sigma, result.error) == (program["sigma_pb"], program["error_pb"])
    assert (result.points, result.accepted, result.chi2) == (program["points"], program["accepted"], program["chi2_per_dof"])
    assert result.options["color"] == program["color"]
    assert "sigma" in str(result) and "pb" in result._repr_html_()


def test_protons_have_classes_and_built_in_densities():
    result = blockgen.integrate("p p > 2j", points=4e4, quark_lines=1, flavors=4, sqrts=13600)
    program = run_program("integrate", "--process", "p p > 2j", "--points", "40000", "--quark-lines", "1", "--flavors", "4", "--sqrts", "13600")
    assert [(c.process, c.channels, c.sigma, c.error) for c in result.classes] == [
        (c["process"], c["channels"], c["sigma_pb"], c["error_pb"]) for c in program["classes"]]
    assert len(result.classes) == len(blockgen.processes("p p > 2j", flavors=4, quark_lines=1)) > 2
    assert result.sigma == program["sigma_pb"] == pytest.approx(sum(c.sigma for c in result.classes))


def test_histograms_add_up_to_sigma():
    result = blockgen.integrate("g g > 3 g", points=20000, histograms=["mass(1,2):25:0:2000", "pt(1):10:20:7000:log"])
    assert {"pt_1", "eta_2", "ht", "mass_1_2"} <= set(result.histograms)
    for histogram in result.histograms.values():
        bins = len(histogram.values)
        assert histogram.edges.shape == (bins + 1,) and np.all(np.diff(histogram.edges) > 0)
        assert histogram.errors.shape == histogram.entries.shape == (bins,) and np.all(histogram.errors >= 0)
        beyond = histogram.below[0] + histogram.above[0]
        assert np.sum(histogram.values) + beyond == pytest.approx(result.sigma)
        np.testing.assert_allclose(np.sum(histogram.density * histogram.widths), np.sum(histogram.values))
    own = result.histograms["mass_1_2"]
    np.testing.assert_allclose(own.edges, np.linspace(0, 2000, 26))
    assert own.above[0] > 0
    assert result.histograms["pt_1"].logarithmic
    assert blockgen.integrate("g g > 2 g", points=2000, histograms=False).histograms == {}


def test_variations():
    line = ["integrate", "--process", "p p > 2j", "--points", "20000", "--quark-lines", "0", "--variations", "scale"]
    scale = run_program(*line)["variations"]["scale"]
    result = blockgen.integrate("p p > 2j", points=20000, quark_lines=0, variations="scale")
    found = result.variations["scale"]
    assert (found["up"], found["down"]) == (scale["up_pb"], scale["down_pb"]) and found["down"] < result.sigma < found["up"]
    assert found["sigmas"] == [(one["mur"], one["muf"], one["sigma_pb"]) for one in scale["sigmas"]]
    least, most = result.histograms["pt_1"].band
    assert np.all(least <= most) and most.sum() > result.sigma
    plain = blockgen.integrate("p p > 2j", points=20000, quark_lines=0)
    assert plain.variations == {} and plain.histograms["pt_1"].band is None


def test_histograms_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    histogram = blockgen.integrate("g g > 2 g", points=2000).histograms["pt_1"]
    ax = histogram.plot(color="k")
    assert ax.get_xlabel() and "pb" in ax.get_ylabel()
    assert histogram.plot(ax) is ax and len(ax.lines) == 2
    ax.figure.canvas.draw()


# ---- goals -----------------------------------------------------------------------------------------------------------------


def test_goals():
    assert blockgen.integrate("g g > 2 g").error < 0.011 * blockgen.integrate("g g > 2 g").sigma
    result = blockgen.integrate("g g > 2 g", precision=0.002, histograms=False)
    assert result.error < 0.0021 * result.sigma
    with pytest.raises(ValueError, match="exclude each other"):
        blockgen.integrate("g g > 2 g", precision=0.1, points=1000)
    assert blockgen.integrate("g g > 4 g", time=0.2, histograms=False).seconds >= 0.2


def test_checkpoints(tmp_path):
    path = tmp_path / "state"
    first = blockgen.integrate("g g > 3 g", points=300000, checkpoint=path, progress=lambda now: now["points"] > 0)
    assert path.exists() and first.interrupted
    with pytest.raises((ValueError, OSError), match="state"):
        blockgen.integrate("g g > 3 g", points=300000, checkpoint=path, seed=2)
    more = blockgen.integrate("g g > 3 g", points=300000, resume=path)
    assert more.points > first.points
    assert more.sigma == blockgen.integrate("g g > 3 g", points=300000).sigma


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises((OSError, ValueError), match="nowhere"):
        blockgen.integrate("g g > 3 g", points=1000, resume=tmp_path / "nowhere")
    with pytest.raises((OSError, ValueError), match="nowhere"):
        blockgen.integrate("p p > 2j", points=1000, pdf="nowhere")
    with pytest.raises(ValueError, match="nothing"):
        blockgen.integrate("g g > 3 g", histograms=["nothing(1)"])


# ---- progress -----------------------------------------------------------------------------------------------------------------


def test_progress_is_told_and_can_stop():
    seen = []

    def enough(now):
        seen.append((now, threading.current_thread()))
        return len(seen) >= 3 and not now["warming_up"]  # before, there may be nothing to return

    result = blockgen.integrate("g g > 4 g", precision=1e-7, progress=enough)
    assert result.interrupted and len(seen) >= 3
    assert all(thread is threading.main_thread() for _, thread in seen)
    assert seen[-1][0]["warmup_points"] + seen[-1][0]["points"] > 0


def test_what_progress_raises_is_raised():
    class Enough(Exception):
        pass

    def refuse(now):
        raise Enough("as you like")

    with pytest.raises(Enough, match="as you like"):
        blockgen.integrate("g g > 4 g", precision=1e-7, progress=refuse)


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_a_bar_is_shown_where_it_is_asked_for(with_tqdm, capsys, monkeypatch):
    if with_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    blockgen.integrate("g g > 3 g", points=50000, progress=True)
    assert "g g > 3 g" in capsys.readouterr().err
    blockgen.integrate("g g > 3 g", points=50000)
    assert capsys.readouterr().err == ""


# ---- ranks ------------------------------------------------------------------------------------------------------------------


class Ranks:
    """A communicator of threads: what the library asks of one, without MPI."""

    def __init__(self, rank, shared):
        self.rank, self.ranks = rank, shared["ranks"]
        self.local_rank, self.local_ranks = rank, shared["ranks"]
        self.shared = shared
        self.calls = 0

    def _join(self, values, operation):
        self.calls += 1
        self.shared["values"][self.rank] = values.copy()
        self.shared["barrier"].wait(60)
        joined = operation(self.shared["values"])
        self.shared["barrier"].wait(60)
        values[...] = joined

    def sum(self, values):
        self._join(values, lambda all_: np.sum(all_, axis=0))

    def max(self, values):
        self._join(values, lambda all_: np.max(all_, axis=0))

    def broadcast(self, data):
        self._join(data, lambda all_: all_[0])


def test_ranks_join_their_numbers():
    expected = blockgen.integrate("g g > 3 g", points=30000).sigma
    shared = {"ranks": 2, "values": [None, None], "barrier": threading.Barrier(2)}
    ranks = [Ranks(k, shared) for k in range(2)]
    found = [None, None]

    def work(k):
        process = _core.Process("g g > 3 g", 5, 3)
        found[k] = _core.integrate(process, [("points", "30000"), ("precision", "0"), ("threads", "1")], False, [], None, ranks[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one["sigma"] for one in found] == [expected, expected]
    assert found[0]["ranks"] == 2 and ranks[0].calls == ranks[1].calls > 0


def test_a_communicator_that_fails_is_heard():
    class Broken(Ranks):
        def sum(self, values):
            raise ConnectionError("the line is dead")

        max = broadcast = sum

    with pytest.raises(ConnectionError, match="the line is dead"):
        _core.integrate(_core.Process("g g > 3 g", 5, 3), [("points", "1000")], False, [], None, Broken(0, {"ranks": 2}))


def test_only_communicators_are_taken():
    pytest.importorskip("mpi4py")
    with pytest.raises((TypeError, RuntimeError, ImportError), match="comm|MPI|mpi"):
        blockgen.integrate("g g > 3 g", comm=3)
