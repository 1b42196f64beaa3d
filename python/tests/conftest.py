"""What the tests share: reference values of the repository, and the program that came with the package."""
import json
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"


def gluons(n_out):
    """Points and values of g g > n_out g."""
    points = np.loadtxt(DATA / f"gg_{n_out}g.points", ndmin=2).reshape(-1, 2 + n_out, 4)
    values = np.array([float(line) for line in open(DATA / f"gg_{n_out}g.values") if not line.startswith("#")])
    return points, values


def quarks():
    """Of every process of the table: its name, points, values, and the values of single helicities at the first point."""
    tables, name = {}, None
    for line in open(DATA / "quarks" / "reference.txt"):
        word, _, rest = line.strip().partition(" ")
        if word == "process":
            name = rest
            tables[name] = ([], [], {})
        elif word == "point":
            value, *numbers = map(float, rest.split())
            tables[name][0].append(np.reshape(numbers, (-1, 4)))
            tables[name][1].append(value)
        elif word == "helicity":
            helicities, value = rest.split()
            tables[name][2][helicities] = float(value)
    return tables


def run_program(*arguments):
    """What the program reports as JSON."""
    from blockgen.__main__ import PROGRAM

    run = subprocess.run([PROGRAM, *arguments, "--json", "--quiet"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.fixture
def points():
    return gluons(3)[0]
