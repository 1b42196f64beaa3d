#!/usr/bin/env python3
"""What drawn helicities cost: cross sections of gluons to 1 %, on one thread, written as CSV to standard output.

    bench/draws.py [--program build/blockgen] [--seeds 2] > bench/results/.../draws.csv

Each way is run with each seed. `seconds` is the time of the CPU, which does not depend on who else is busy.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

COHERENT = ["--color", "sampled", "--recursion", "dressed", "--helicity", "sampled", "--estimate", "on"]
SUMMED = ["--color", "summed", "--recursion", "ordered", "--estimate", "on"]
THRESHOLD = ["--sqrts", "1500", "--pt-min", "60"]
RUNS = [  # set-up, n_out, way, options
    ("paper", 6, "summed", [*SUMMED, "--helicity", "summed"]),
    ("paper", 6, "invariants", [*COHERENT, "--helicity-sampling", "invariants"]),
    ("paper", 7, "invariants", [*COHERENT, "--helicity-sampling", "invariants"]),
    ("paper", 8, "invariants", [*COHERENT, "--helicity-sampling", "invariants"]),
    ("paper", 6, "auto", []), ("paper", 7, "auto", []), ("paper", 8, "auto", []), ("paper", 9, "auto", []), ("paper", 10, "auto", []),
    ("threshold", 8, "invariants", [*THRESHOLD, *COHERENT, "--helicity-sampling", "invariants"]),
    ("threshold", 8, "auto", THRESHOLD),
]


def run(program, n_out, seed, options):
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([program, "integrate", "-n", str(n_out), "--backend", "cpu", "--threads", "1", "--seed", str(seed), "--json",
                                    "--quiet", *options], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"n_out = {n_out}, {options}: status {status}")
        out.seek(0)
        return json.load(out), usage.ru_utime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/blockgen")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="", help="set-up to run, paper or threshold")
    parser.add_argument("--precision", default="0.01")
    options = parser.parse_args()
    print("setup,n_out,way,seed,precision,seconds,sigma_pb,error_pb,chi2_per_dof,error_scale,points,evaluated", flush=True)
    for setup, n_out, way, more in RUNS:
        for seed in range(1, options.seeds + 1):
            if options.only in ("", setup):
                d, seconds = run(options.program, n_out, seed, [*more, "--precision", options.precision])
                print(f"{setup},{n_out},{way},{seed},{options.precision},{seconds:.2f},{d['sigma_pb']:.6g},{d['error_pb']:.3g},"
                      f"{d['chi2_per_dof']:.3g},{d.get('error_scale', 1):.3g},{d['points']},{d['evaluated']}", flush=True)


if __name__ == "__main__":
    main()
