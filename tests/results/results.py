#!/usr/bin/env python3
"""A list of results that a change of the code's shape must not change, bit for bit.

    results.py record FILE [--backend cuda] [--only REGEX] [--set avx2]   runs the list and writes FILE
    results.py compare FILE [--only REGEX] [--quick]                      runs it again and compares

The program is $BLOCKGEN, or build/blockgen. Matrix elements and cross sections at fixed seeds: n_out = 2 to 10 (12 for
dressed colors), all five algorithms of the paper with both kernels, every instruction set that is there, checkpoints
that are resumed, histograms. Bits depend on the compiler and on the instruction set (multiply-adds are fused where the
hardware has them), so a record names both: with another compiler numbers may differ in their last digits, and are
compared to 1e-9 instead.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("BLOCKGEN", os.path.join(HERE, "..", "..", "build", "blockgen"))
DATA = os.path.join(HERE, "..", "data")
LOOSE = 1e-9  # relative, where the compiler is another one

KEYS = ("sigma_pb", "error_pb", "points", "accepted", "warmup_points", "nonfinite", "unstable", "rescued", "iterations",
        "chi2_per_dof", "max_weight_pb", "color", "recursion", "helicity", "kernel")


def points(n):
    for folder in (DATA, os.path.join(HERE, "points")):
        path = os.path.join(folder, f"gg_{n}g.points")
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"points of n_out = {n}")


def some_points(n, count):
    with open(points(n)) as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return "".join(lines[:count])


def helicities(n):
    return "".join("+-"[k % 2] for k in range(n + 2))


def run(arguments, stdin="", environment=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, text=True, capture_output=True,
                          env={**os.environ, **(environment or {})})
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def matrix_elements(n, count, *options):
    def job(common, environment):
        return run(["me", *common, *options], some_points(n, count), environment).split()
    return job


def spelled(options):
    """The axes by name where neither an algorithm nor the options themselves say them: `integrate` would choose."""
    axes = {"--color": "summed", "--recursion": "ordered", "--helicity": "summed"}
    missing = {} if "--algorithm" in options else {axis: word for axis, word in axes.items() if axis not in options}
    return [*(word for pair in missing.items() for word in pair), *options]


def cross_section(n, *options):
    def job(common, environment):
        text = run(["integrate", "-n", n, "--json", "--quiet", *common, *spelled(options)], "", environment)
        result = json.loads(text, parse_float=str, parse_int=str)
        return [str(result[key]) for key in KEYS]
    return job


def resumed(n, first, last, *options):
    """The result of `last` points, interrupted on the way by a goal in points; the same as in one go."""
    def job(common, environment):
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "state")
            cross_section(n, "--points", first, "--checkpoint", state, *options)(common, environment)
            return cross_section(n, "--points", last, "--resume", state, *options)(common, environment)
    return job


def histograms(n, *options):
    """Of fixed bins: those that are standard follow from kinematics."""
    bins = ("--histogram", "pt(1):50:20:7000:log", "--histogram", f"ht:50:{20 * n}:14000:log")

    def job(common, environment):
        with tempfile.TemporaryDirectory() as folder:
            run(["integrate", "-n", n, "--quiet", "--histograms", folder, *bins, *common, *spelled(options)], "", environment)
            rows = []
            for name in sorted(os.listdir(folder)):
                if name.endswith(".csv") and (name.startswith("pt_1") or name.startswith("ht")):
                    with open(os.path.join(folder, name)) as file:
                        rows += [",".join(line.split(",")[:4]).strip() for line in file if line[:1] in "-0123456789"]
            return rows
    return job


def kernels(algorithm):
    return ("fast", "paper") if algorithm in ("co-sum", "cd-mc") else ("paper",)


def entries():
    """name -> (job, quick). Quick ones together take some seconds."""
    all_of = {}

    def add(name, job, quick=True):
        all_of[name] = (job, quick)

    for algorithm in ("tess", "lc", "co-sum", "co-mc", "cd-mc"):
        for kernel in kernels(algorithm):
            choose = ("--algorithm", algorithm, "--kernel", kernel, "--seed", 11)
            for n in range(2, 9):
                slow = {"tess": 7, "lc": 6, "co-sum": 6, "co-mc": 7, "cd-mc": 9}[algorithm]
                fixed = ("--helicity", helicities(n)) if n >= 6 else ()
                if algorithm == "co-sum" and kernel == "paper" and n == 8:
                    continue  # gigabytes of amplitudes
                add(f"me {algorithm} {kernel} {n}", matrix_elements(n, 2 if n >= 6 else 5, *choose, *fixed), n < slow)
    for n in range(2, 9):
        add(f"me fixed {n}", matrix_elements(n, 3, "--helicity", helicities(n)), n < 8)
        add(f"me circular {n}", matrix_elements(n, 3, "--helicity", "sampled", "--helicity-sampling", "circular", "--samples", 3), n < 7)
    for n in (9, 10):
        add(f"me fixed {n}", matrix_elements(n, 1, "--helicity", helicities(n)), False)
    for n in (4, 9, 10, 11, 12):
        for how in ("continuous", "discrete", "coherent"):
            add(f"me dressed {how} {n}", matrix_elements(n, 2, "--color", "sampled", "--recursion", "dressed", "--helicity", "sampled",
                                                         "--color-sampling", how, "--samples", 2), n < 10)
    add("me trace 4", matrix_elements(4, 3, "--kernel", "paper", "--decomposition", "trace"))
    add("me tensor 5", matrix_elements(5, 2, "--vertex", "tensor"))
    add("me one ordering 6", matrix_elements(6, 2, "--color", "leading", "--orderings", "one", "--samples", 5))
    add("me phase 5", matrix_elements(5, 3, "--helicity", "sampled", "--helicity-sampling", "phase", "--samples", 4))
    add("me linear 5", matrix_elements(5, 3, "--helicity", "sampled", "--helicity-sampling", "linear", "--samples", 4))

    for n, count in ((2, 20000), (3, 20000), (4, 20000), (5, 10000), (6, 8192), (7, 8192), (8, 4096), (9, 4096), (10, 2048)):
        add(f"integrate auto {n}", cross_section(n, "--color", "auto", "--recursion", "auto", "--helicity", "auto", "--estimate", "off", "--points", count,
                                                 "--seed", 7), n < 7)
    for algorithm in ("tess", "lc", "co-sum", "co-mc", "cd-mc"):
        for kernel in kernels(algorithm):
            for n in (2, 3, 4):
                add(f"integrate {algorithm} {kernel} {n}",
                    cross_section(n, "--algorithm", algorithm, "--kernel", kernel, "--points", 3000, "--seed", 5), n < 4)
    for how in ("adaptive", "invariants", "circular"):
        add(f"integrate {how} 4", cross_section(4, "--helicity", "sampled", "--helicity-sampling", how, "--points", 8000))
    add("integrate adaptive coherent 5", cross_section(5, "--color", "sampled", "--recursion", "dressed", "--helicity", "sampled",
                                                       "--helicity-sampling", "adaptive", "--points", 20000))
    add("integrate rambo 3", cross_section(3, "--phase-space", "rambo", "--points", 30000))
    add("integrate cuts 4", cross_section(4, "--points", 10000, "--mass-min", 50, "--ht-min", 300, "--sqrts", 2000))
    add("integrate loose 3", cross_section(3, "--points", 20000, "--pt-min", 1, "--dr-min", "1e-6", "--eta-max", 6))
    add("integrate loose coherent 4", cross_section(4, "--points", 20000, "--pt-min", 1, "--dr-min", "1e-6", "--eta-max", 6, "--color",
                                                    "sampled", "--recursion", "dressed", "--helicity", "sampled"))
    add("integrate precision 3", cross_section(3, "--precision", 0.01, "--seed", 3))
    add("integrate one thread 4", cross_section(4, "--points", 5000, "--threads", 1))
    add("resume 3", resumed(3, 20000, 50000))
    add("resume coherent 5", resumed(5, 20000, 60000, "--color", "auto", "--recursion", "auto", "--helicity", "auto", "--estimate", "off"))
    add("resume adaptive 4", resumed(4, 9000, 20000, "--helicity", "sampled", "--helicity-sampling", "adaptive"))
    add("integrate estimate 4", cross_section(4, "--color", "auto", "--points", 20000))
    add("integrate estimate 5", cross_section(5, "--color", "auto", "--points", 20000, "--seed", 3))
    add("integrate estimate coherent 5", cross_section(5, "--color", "sampled", "--recursion", "dressed", "--helicity", "sampled",
                                                       "--helicity-sampling", "adaptive", "--estimate", "on", "--points", 20000))
    add("resume estimate 4", resumed(4, 20000, 60000, "--color", "auto"))
    add("histograms estimate 4", histograms(4, "--points", 20000, "--color", "auto"))
    add("histograms 3", histograms(3, "--points", 20000))
    add("histograms coherent 4", histograms(4, "--points", 20000, "--color", "sampled", "--recursion", "dressed", "--helicity", "sampled"))
    return all_of


def compiler():
    for line in run(["info"]).splitlines():
        if line.startswith("compiler"):
            return line.split(None, 1)[1]
    return "unknown"


def sets_here():
    found = []
    for name in ("avx512", "avx2", "baseline"):
        try:
            run(["me", "--backend", "cpu"], some_points(2, 1), {"BLOCKGEN_SIMD": name})
            found.append(name)
        except RuntimeError:
            pass
    return found


def same(one, other, exact):
    if one == other:
        return True
    if exact or len(one) != len(other):
        return False
    for a, b in zip(one, other):
        for x, y in zip(a.split(","), b.split(",")):
            try:
                x, y = float(x), float(y)
            except ValueError:
                if x != y:
                    return False
                continue
            if abs(x - y) > LOOSE * max(abs(x), abs(y)):
                return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("record", "compare", "list"))
    parser.add_argument("file", nargs="?")
    parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--set", action="append", help="instruction sets to record (all that are there)")
    options = parser.parse_args()
    chosen = {name: job for name, (job, quick) in entries().items()
              if re.search(options.only, name) and (quick or not options.quick)}
    if options.what == "list":
        print("\n".join(chosen))
        return 0

    def result(name, backend, isa):
        environment = {"BLOCKGEN_SIMD": isa} if backend == "cpu" else {}
        try:
            return chosen[name](["--backend", backend], environment)
        except RuntimeError as trouble:
            return [f"error: {trouble}"]

    if options.what == "record":
        names = ["cuda"] if options.backend == "cuda" else options.set or sets_here()
        record = {"compiler": compiler(), "backend": options.backend,
                  "results": {isa: {name: result(name, options.backend, isa) for name in chosen} for isa in names}}
        with open(options.file, "w") as file:
            json.dump(record, file, indent=0)
            file.write("\n")
        failed = [name for part in record["results"].values() for name, value in part.items() if value[:1] and value[0].startswith("error")]
        print(f"{sum(map(len, record['results'].values()))} results in {options.file}; errors: {failed or 'none'}")
        return 1 if failed else 0

    with open(options.file) as file:
        record = json.load(file)
    exact = record["compiler"] == compiler()
    passed = failed = 0
    for isa, results in record["results"].items():
        if record["backend"] == "cpu" and isa not in sets_here():
            print(f"# {isa} is not there")
            continue
        for name, expected in results.items():
            if name not in chosen:
                continue
            got = result(name, record["backend"], isa)
            good = same(got, expected, exact)
            passed, failed = passed + good, failed + (not good)
            if not good:
                where = next((k for k, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]), -1)
                print(f"# {isa}: {name}: number {where}: {got[where:where + 1]} was {expected[where:where + 1]}")
    print(f"# {passed + failed} results of {record['compiler']}, "
          + ("bit for bit" if exact else f"to {LOOSE:g}: this compiler is {compiler()}"))
    print(f"{'ok' if passed and not failed else 'not ok'} 1 - results: {passed} the same, {failed} changed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
