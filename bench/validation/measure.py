#!/usr/bin/env python3
"""Cross sections and pulls of docs/validation.md, measured again: measure.py BLOCKGEN

Writes cross-sections.csv and pulls.csv beside this file. It takes some minutes of two cores; the numbers do not depend on how busy
the machine is, because every run is given by its seed and its points or precision.
"""
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# How far each goes: what two cores reach in about a minute.
CROSS_SECTIONS = [
    "integrate -n 2 --color summed --helicity summed --precision 0.00005",
    "integrate -n 3 --color summed --helicity summed --precision 0.0003",
    "integrate -n 4 --color auto --precision 0.001",
    "integrate -n 5 --color auto --precision 0.002",
    "integrate -n 6 --color auto --precision 0.004",
    "integrate -n 7 --color auto --precision 0.01",
    "integrate -n 8 --color auto --precision 0.02",
]
# Runs of about 1 % with many seeds, against the cross section above.
PULLS = [
    ("integrate -n 3 --color summed --helicity summed --points 40000", 40),
    ("integrate -n 4 --color summed --helicity summed --points 40000", 24),
    ("integrate -n 4 --color auto --points 80000", 24),
    ("integrate -n 5 --color auto --points 400000", 16),
]


def run(program, command, *more):
    words = [program, *command.split(), "--backend", "cpu", "--json", "--quiet", *more]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def member(document, key):
    """A number of the result, wherever the document has it."""
    if key in document:
        return document[key]
    return next(d[key] for d in document.values() if isinstance(d, dict) and key in d)


def write(name, lines, program):
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    with open(os.path.join(HERE, name), "w") as file:
        file.write(f"# Made by bench/validation/measure.py with {version}\n" + "\n".join(lines) + "\n")


def main(program):
    sigma, lines = {}, ["n_out,sigma_pb,error_pb,chi2_per_dof,points,command"]
    for command in CROSS_SECTIONS:
        d, n_out = run(program, command), int(command.split()[2])
        sigma[n_out] = (member(d, "sigma_pb"), member(d, "error_pb"))
        lines.append(f"{n_out},{sigma[n_out][0]:.8g},{sigma[n_out][1]:.3g},{member(d, 'chi2_per_dof'):.3g},{member(d, 'points')},{command}")
        print(lines[-1], flush=True)
    write("cross-sections.csv", lines, program)
    lines = ["command,seeds,mean,rms"]
    for command, seeds in PULLS:
        value, error = sigma[int(command.split()[2])]
        pulls = []
        for seed in range(1001, 1001 + seeds):
            d = run(program, command, "--seed", str(seed))
            pulls.append((member(d, "sigma_pb") - value) / math.hypot(member(d, "error_pb"), error))
        lines.append(f"{command},{seeds},{sum(pulls) / seeds:.3g},{math.sqrt(sum(p * p for p in pulls) / seeds):.3g}")
        print(lines[-1], flush=True)
    write("pulls.csv", lines, program)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
