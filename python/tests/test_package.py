"""The package as a whole: options and their texts, processes, the machine, the program."""
import pathlib
import subprocess
import sys

import make_hints
import numpy as np
import pytest
from conftest import ROOT, run_program

import blockgen
from blockgen import _core, options


def test_versions():
    assert blockgen.version == blockgen.__version__ == _core.version
    assert blockgen.version in blockgen.info()["version"]
    for command in (["-m", "blockgen", "--version"],):
        run = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
        assert f"blockgen {blockgen.version}" in run.stdout


def test_the_machine():
    backends = {backend["name"]: backend for backend in blockgen.devices()}
    assert backends["cpu"]["usable"] and backends["cpu"]["threads"] >= 1
    assert blockgen.info()["built_in"]["openmp"] in (True, False)


def test_processes_are_those_of_the_program():
    program = run_program("processes", "p p > 4j")["classes"]
    found = blockgen.processes("p p > 4j")
    assert [(c.process, c.channels, c.quark_lines) for c in found] == [(c["process"], c["channels"], c["quark_lines"]) for c in program]
    assert found[0].pdg == (21,) * 6
    assert len(blockgen.processes("p p > 4j", quark_lines=0)) == 1
    assert len(blockgen.processes("p p > 6j", quark_lines="all")) > len(blockgen.processes("p p > 6j", quark_lines=3))
    with pytest.raises(ValueError, match="flavors has no effect"):
        blockgen.processes("g g > 2 g", flavors=4)
    with pytest.raises(ValueError, match="6"):
        blockgen.processes("p p > 2j", flavors=6)


# ---- options ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function, of", [(blockgen.Evaluator, "matrix_elements"), (blockgen.matrix_elements, "matrix_elements"),
                                          (blockgen.integrate, "integrate"), (blockgen.generate, "generate")])
def test_docstrings_have_all_options(function, of):
    text = " ".join(function.__doc__.split())
    listed = [row for row in _core.options() if of != "matrix_elements" or not row["integration"]]
    assert len(listed) > 15
    for row in listed:
        keyword = row["name"].replace("-", "_")
        if of == "generate" and keyword in options.NOT_FOR_EVENTS:
            assert f" {keyword}: " not in text
        else:
            assert f" {keyword}: " in text and " ".join(row["help"].split()) in text


def test_types_are_those_of_the_table():
    """python/tests/make_hints.py would write what is there."""
    written = (ROOT / "python" / "blockgen" / "_hints.py").read_text()
    assert make_hints.hints() == written, "run python/tests/make_hints.py"
    from blockgen import _hints

    assert "pt_min" in _hints.IntegrationOptions.__annotations__ and "pt_min" not in _hints.AlgorithmOptions.__annotations__


def test_every_option_takes_its_default():
    for keyword, row in options.TABLE.items():
        value = row["standard"]
        if value and keyword != "resume":
            of = "integrate" if row["integration"] else "matrix_elements"
            assert options.settings({keyword: value}, of) == [(row["name"], value)]


def test_values_become_text():
    given = {"pt_min": np.float64(30), "points": np.int64(10**7), "rescue": True, "hybrid": False, "seed": 2**63, "mur": 0.1, "scale": None,
             "checkpoint": ROOT / "x", "algorithm": "lc", "color": "leading"}
    assert dict(options.settings(given, "integrate")) == {
        "pt-min": "30.0", "points": "10000000", "rescue": "yes", "hybrid": "no", "seed": str(2**63), "mur": "0.1",
        "checkpoint": str(ROOT / "x"), "algorithm": "lc", "color": "leading"}
    assert options.settings({"color": "summed", "algorithm": "lc"}, "integrate")[0][0] == "algorithm"
    assert blockgen.integrate("g g > 2 g", points=1e4, seed=np.uint64(2**64 - 1)).points > 9999


USE = """
import blockgen
import numpy as np
from typing import Iterator

def use(points: np.ndarray) -> Iterator[np.ndarray]:
    blockgen.matrix_elements("g g > 3 g", points, color="summed", threads=2)
    sigma: float = blockgen.integrate("p p > 2j", pt_min=30, points=1e6, scale="ht", checkpoint="x").sigma
    report: dict = blockgen.generate("p p > 2j", 100, output="x.lhe", sqrts=13600 + 0 * sigma)
    print(report)
    return blockgen.generate("p p > 2j", 100, quark_lines="all")
"""


def test_types_are_told(tmp_path):
    assert (pathlib.Path(blockgen.__file__).parent / "py.typed").exists()
    pytest.importorskip("mypy")

    def errors(text):
        (tmp_path / "use.py").write_text(text)
        run = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent", "use.py"],
                             cwd=tmp_path, capture_output=True, text=True)
        return [line for line in run.stdout.splitlines() if ": error: " in line]

    assert errors(USE) == []
    for right, wrong in (("pt_min=30", "pt_mini=30"), ('color="summed"', 'color="red"'), ("threads=2", 'threads="two"')):
        assert len(errors(USE.replace(right, wrong))) == 1
