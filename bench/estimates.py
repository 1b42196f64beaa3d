#!/usr/bin/env python3
"""Times to 1 % and rates of events where |M|^2 is estimated first, on a GPU, where there is one, and on one core beside it:
estimates.py PROGRAM COMMIT > estimates.json

The commands run from shell to shell, one after the other on the GPU, which the machine's other cores help with color flows and files;
then those of one core, each on a core of its own. LHAPDF_DATA_PATH has to name the folder of the parton densities.
"""
import concurrent.futures
import datetime
import json
import os
import queue
import subprocess
import sys
import tempfile
import time

SETUP = "--sqrts 13600 --pt-min 30 --eta-max 5 --pdf NNPDF31_nnlo_as_0118_mc --json --quiet"
COMMANDS = {"pp N": f"integrate --process 'p p > Nj' {SETUP}", "gluons N": "integrate -n N --json --quiet",
            "events N": f"generate --process 'p p > Nj' {SETUP} --events K -o t.h5"}
WHERE = {"cuda": "--backend cuda", "one core": "--backend cpu --threads 1"}
LEGS = {"cuda": {"gluons": range(4, 13), "pp": range(2, 8), "events": range(2, 7)},
        "one core": {"gluons": range(4, 11), "pp": range(2, 7), "events": range(2, 7)}}
MORE_SEEDS = {"cuda": {("gluons", 12): (2, 3, 4, 5)},  # draws with long tails: the time depends on the seed
              "one core": {("gluons", n): (2, 3, 4, 5) for n in (6, 7, 8)}}
EVENTS = {"cuda": {2: 4000000, 3: 4000000, 4: 4000000, 5: 1000000, 6: 100000}, "one core": {2: 1000000, 3: 1000000, 4: 500000, 5: 100000, 6: 100000}}
OF_SIGMA = ("sigma_pb", "error_pb", "evaluated", "chi2_per_dof", "seconds")
OF_EVENTS = ("sigma_pb", "error_pb", "seconds", "efficiency", "exact_per_event", "overweight_share", "events_per_second")


def line_of(kind, n, where, seed, folder):
    jets = ["integrate", "-n", str(n)] if kind == "gluons" else ["generate" if kind == "events" else "integrate", "--process", f"p p > {n}j"]
    line = jets + (["--json", "--quiet"] if kind == "gluons" else SETUP.split()) + WHERE[where].split()
    if kind == "events":
        line += ["--events", str(EVENTS[where][n]), "--force", "-o", os.path.join(folder, f"{n}.h5")]
    return line + (["--seed", str(seed)] if seed > 1 else [])


def run(program, kind, n, where, seed, folder, core=None):
    start = time.monotonic()
    pin = (lambda: os.sched_setaffinity(0, {core})) if core is not None else None
    done = subprocess.run([program, *line_of(kind, n, where, seed, folder)], capture_output=True, text=True, preexec_fn=pin)
    wall = time.monotonic() - start
    name = f"{kind} {n} {where}" + (f" seed {seed}" if seed > 1 else "")
    if done.returncode:
        print(f"{name}: {done.stderr}", file=sys.stderr)
        return None
    result = json.loads(done.stdout)
    print(f"{name}: {wall:.2f} s", file=sys.stderr)
    kept = OF_EVENTS if kind == "events" else OF_SIGMA
    return {"name": name, "wall_seconds": float(f"{wall:.4g}"), "result": {key: float(f"{result[key]:.4g}") for key in kept}}


def questions(where):
    for kind, legs in LEGS[where].items():
        for n in legs:
            for seed in (1, *MORE_SEEDS[where].get((kind, n), ())):
                yield kind, n, where, seed


if len(sys.argv) != 3:
    sys.exit(__doc__)
program, commit = sys.argv[1:]
cores = sorted(os.sched_getaffinity(0))
free = queue.SimpleQueue()
for core in cores[1:]:
    free.put(core)


def run_alone(question, folder):
    core = free.get()
    try:
        return run(program, *question, folder, core)
    finally:
        free.put(core)


info = json.loads(subprocess.run([program, "info", "--json"], check=True, capture_output=True, text=True).stdout)
on_device = questions("cuda") if any(b["name"] == "cuda" and b["usable"] for b in info["backends"]) else ()
with tempfile.TemporaryDirectory() as place:
    runs = [run(program, *question, place) for question in on_device]
with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(len(cores) - 1) as pool:
    runs += pool.map(lambda question: run_alone(question, place), sorted(questions("one core"), key=lambda q: -q[1]))
print(json.dumps({"machine": ", ".join(b["description"] for b in info["backends"] if b["usable"]), "commit": commit, "date": datetime.date.today().isoformat(),
                  "commands": {name: "blockgen " + command for name, command in COMMANDS.items()}, "where": WHERE, "events": EVENTS,
                  "digits": "four", "runs": [r for r in runs if r]}, indent=1))
