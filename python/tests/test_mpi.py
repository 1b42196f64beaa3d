"""Ranks of mpi4py under mpirun: the same sigma as one rank."""
import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

import blockgen

SCRIPT = """
from mpi4py import MPI
import blockgen
result = blockgen.integrate("g g > 3 g", points=30000, threads=1, comm=MPI.COMM_WORLD, histograms=["ht:4:0:14000"])
found = (result.sigma, result.details["ranks"], float(result.histograms["ht"].values.sum()))
every = MPI.COMM_WORLD.gather(found)
for one in every or ():  # of the first rank alone: lines of two might come in pieces
    print(*map(repr, one))
"""


def test_two_ranks_of_mpi4py():
    if importlib.util.find_spec("mpi4py") is None or not shutil.which("mpirun"):
        pytest.skip("needs mpi4py and mpirun")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    probe = [sys.executable, "-c", "from mpi4py import MPI; MPI.Get_library_version()"]
    if subprocess.run(["mpirun", "-n", "1", *probe], env=environment, capture_output=True, timeout=120).returncode:
        pytest.skip("mpi4py does not work with this MPI")
    run = subprocess.run(["mpirun", "-n", "2", sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    expected = blockgen.integrate("g g > 3 g", points=30000, histograms=["ht:4:0:14000"])
    lines = [line.split() for line in run.stdout.splitlines() if line]
    assert len(lines) == 2
    for sigma, ranks, total in lines:
        assert float(sigma) == expected.sigma and ranks == "2"
        assert float(total) == pytest.approx(expected.histograms["ht"].values.sum())
