"""The blocks of code of docs/python.md, in the order of the page, in one folder, as a reader would run them.

A word behind "python" says what a block needs: a package, or a GPU ("gpu").
"""
import importlib.util
import re

import pytest
from conftest import ROOT

import blockgen

NEEDS = {"torch": "torch", "matplotlib": "matplotlib", "mpi": "mpi4py"}
BLOCKS = re.findall(r"^```python ?(\w*)\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(), re.M | re.S)


def is_there(need):
    if need == "gpu":
        return any(backend["name"] == "cuda" and backend["usable"] for backend in blockgen.devices()) and is_there("torch")
    return not need or importlib.util.find_spec(NEEDS[need]) is not None


def can_start_mpi():
    """An MPI that mpi4py finds and that starts without a launcher."""
    try:
        from mpi4py import MPI
    except Exception:  # whatever it is, it is not there
        return False
    return MPI.Is_initialized()


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert len(BLOCKS) > 10
    names = {}
    skipped = []
    for need, text in BLOCKS:
        if not is_there(need) or (need == "mpi" and not can_start_mpi()):
            skipped.append(need)
            continue
        exec(compile(text, "docs/python.md", "exec"), names)  # a failure shows its line
    assert (tmp_path / "run.lhe").exists() and (tmp_path / "state").exists()
    assert "eta-max is '-1'" in capsys.readouterr().out
    if set(skipped) - {"gpu"}:
        pytest.skip("blocks that need " + ", ".join(sorted(set(skipped))))
