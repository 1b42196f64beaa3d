#!/usr/bin/env python3
"""Cross sections and pulls of docs/validation.md, measured again:

    measure.py BLOCKGEN            cross-sections.csv and pulls.csv, of gluons at the paper's set-up
    measure.py BLOCKGEN honest     pulls.json: runs of 1 % with 40 seeds, of protons, gluons and quarks, against long runs
    measure.py BLOCKGEN honest W   ... those whose command has the text W, again; the others stay
    measure.py BLOCKGEN literature literature.csv: eight and nine gluons near the threshold
    measure.py BLOCKGEN protons S  protons.json: two protons against the values of madevent.csv, S being the folder of the densities
                                   NNPDF31_nnlo_as_0118_mc

The files are written beside this one. Each takes some minutes of two cores; the numbers do not depend on how busy the machine is,
because every run is given by its seed and its points or precision.
"""
import concurrent.futures
import datetime
import json
import math
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# How far each goes: what two cores reach in about a minute. |M|^2 is computed at every point, so that it is what is tried.
CROSS_SECTIONS = [
    "integrate -n 2 --color summed --helicity summed --precision 0.00005",
    "integrate -n 3 --color summed --helicity summed --precision 0.0003",
    "integrate -n 4 --color auto --estimate off --precision 0.001",
    "integrate -n 5 --color auto --estimate off --precision 0.002",
    "integrate -n 6 --color auto --estimate off --precision 0.004",
    "integrate -n 7 --color auto --estimate off --precision 0.01",
    "integrate -n 8 --color auto --estimate off --precision 0.02",
]
# Runs of about 1 % with many seeds, against the cross section above.
PULLS = [
    ("integrate -n 3 --color summed --helicity summed --points 40000", 40),
    ("integrate -n 4 --color summed --helicity summed --points 40000", 24),
    ("integrate -n 4 --color auto --estimate off --points 80000", 24),
    ("integrate -n 5 --color auto --estimate off --points 400000", 16),
]
# Questions whose errors are put to the test, and the precision of the long run; protons have the built-in densities, so that nobody
# needs a file. From eight gluons on exact values are draws with a long tail; the last one is close to the threshold as well.
QUESTIONS = [
    ("--process 'p p > 2j'", 0.001),
    ("--process 'p p > 3j'", 0.001),
    ("--process 'p p > 4j'", 0.001),
    ("--process 'u d > u d g g'", 0.001),
    ("--process 'g g > u u~ g g'", 0.001),
    ("-n 3", 0.001),
    ("-n 4", 0.001),
    ("-n 8", 0.003),
    ("-n 9", 0.003),
    ("-n 8 --sqrts 1500 --pt-min 60", 0.003),
]
# Cross sections that were published (docs/validation.md).
LITERATURE = ["integrate -n 8 --sqrts 1500 --pt-min 60 --eta-max 2 --dr-min 0.7 --alpha-s 0.12 --precision 0.004",
              "integrate -n 9 --sqrts 2000 --pt-min 60 --eta-max 2 --dr-min 0.7 --alpha-s 0.12 --precision 0.006"]
# Two protons with the cuts of madevent.csv: process, set-up, its scale, and the precision.
PROTONS = [
    ("p p > 2j", "A", "fixed:91.188", 0.0001),
    ("p p > 2j", "B", "ht/2", 0.0001),
    ("p p > 3j", "A", "fixed:91.188", 0.0002),
    ("p p > 4j", "A", "fixed:91.188", 0.001),
]
SEEDS = 40
PRECISION = 0.01


def run(program, command, *more):
    words = [program, *shlex.split(command), "--backend", "cpu", "--json", "--quiet", *more]
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


def cross_sections(program, commands, name):
    sigma, lines = {}, ["n_out,sigma_pb,error_pb,chi2_per_dof,points,command"]
    for command in commands:
        d, n_out = run(program, command), int(command.split()[2])
        sigma[n_out] = (member(d, "sigma_pb"), member(d, "error_pb"))
        lines.append(f"{n_out},{sigma[n_out][0]:.8g},{sigma[n_out][1]:.3g},{member(d, 'chi2_per_dof'):.3g},{member(d, 'points')},{command}")
        print(lines[-1], flush=True)
    write(name, lines, program)
    return sigma


def main(program):
    sigma = cross_sections(program, CROSS_SECTIONS, "cross-sections.csv")
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


def hardware():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores"


def known_pulls(path):
    """{command: run} of an earlier record."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        record = json.load(file)
    return {r["command"]: {"version": record["version"], **r} for r in record["runs"]}


def honest(program, text):
    """Whether errors are what they say: pulls of short runs against a long one, and how many of them it says not to trust."""
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    path, found = os.path.join(HERE, "pulls.json"), []
    known = known_pulls(path) if text else {}
    for question, precision in QUESTIONS:
        command = f"integrate {question} --precision {PRECISION}"
        if text not in command and command in known:
            found.append(known[command])
            continue
        long = run(program, f"integrate {question} --precision {precision}", "--threads", "1", "--seed", "9999")
        pulls, errors, widened = [], [], 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            short = list(pool.map(lambda seed: run(program, command, "--threads", "1", "--seed", str(seed)), range(1, SEEDS + 1)))
        for d in short:
            sigma, error = member(d, "sigma_pb"), member(d, "error_pb")
            pulls.append((sigma - member(long, "sigma_pb")) / math.hypot(error, member(long, "error_pb")))
            errors.append(error / sigma)
            widened += member(d, "error_scale") > 1
        found.append({"version": version, "command": command, "long_precision": precision, "long": {k: member(long, k) for k in ("sigma_pb", "error_pb", "chi2_per_dof", "points")},
                      "mean": sum(pulls) / SEEDS, "rms": math.sqrt(sum(p * p for p in pulls) / SEEDS),
                      "largest": max(abs(p) for p in pulls), "error": sum(errors) / SEEDS, "widened": widened, "pulls": pulls})
        print(f"{command}: mean {found[-1]['mean']:+.2f}, rms {found[-1]['rms']:.2f}, largest {found[-1]['largest']:.1f}, "
              f"error {100 * found[-1]['error']:.2f} %, widened {widened}", flush=True)
    with open(path, "w") as file:
        json.dump({"version": version, "hardware": hardware(), "date": datetime.date.today().isoformat(), "seeds": SEEDS,
                   "precision": PRECISION, "runs": found}, file, indent=1)
        file.write("\n")


def group(process):
    """The group of a subprocess as madevent.csv names it: "u g > u g g" is gq_ggq."""
    return "_".join("".join(sorted("g" if parton == "g" else "q" for parton in side.split())) for side in process.split(" > "))


def protons(program, densities):
    """Cross sections of two protons, and of the groups of their subprocesses."""
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    runs = []
    for process, set_up, scale, precision in PROTONS:
        command = f"integrate --process '{process}' --sqrts 13600 --pt-min 30 --eta-max 5 --scale {scale} --precision {precision}"
        d = run(program, command, "--pdf", densities)
        groups = {"all": [d["sigma_pb"], d["error_pb"]**2]}
        for c in d["classes"]:
            of = groups.setdefault(group(c["process"]), [0., 0.])
            of[0] += c["sigma_pb"]
            of[1] += c["error_pb"]**2
        runs.append({"process": process, "set_up": set_up, "command": f"{command} --pdf NNPDF31_nnlo_as_0118_mc", "seconds": d["seconds"],
                     "chi2_per_dof": d["chi2_per_dof"], "points": d["points"],
                     "groups": {name: {"sigma_pb": sigma, "error_pb": math.sqrt(variance)} for name, (sigma, variance) in sorted(groups.items())}})
        print(f"{process} {set_up}: {d['sigma_pb']:.7g} +- {d['error_pb']:.2g} pb, {d['seconds']:.1f} s", flush=True)
    with open(os.path.join(HERE, "protons.json"), "w") as file:
        json.dump({"version": version, "hardware": hardware(), "date": datetime.date.today().isoformat(),
                   "densities": "NNPDF31_nnlo_as_0118_mc", "runs": runs}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        main(sys.argv[1])
    elif sys.argv[2:] == ["literature"]:
        cross_sections(sys.argv[1], LITERATURE, "literature.csv")
    elif sys.argv[2:3] == ["protons"] and len(sys.argv) == 4:
        protons(sys.argv[1], sys.argv[3])
    elif sys.argv[2:3] == ["honest"] and len(sys.argv) < 5:
        honest(sys.argv[1], sys.argv[3] if len(sys.argv) == 4 else "")
    else:
        sys.exit(__doc__)
