#!/usr/bin/env python3
"""Cross sections and events of p p > n jets on one core, of two programs in turns: protons.py BEFORE AFTER > protons.json

Cross sections to 1 % are means over some seeds. LHAPDF_DATA_PATH has to name the folder of the parton densities. Rates and seconds are of a
machine that others may use as well; their ratio is what counts. How many trial points become events does not depend on it.
"""
import datetime
import json
import os
import subprocess
import sys
import tempfile

SETUP = ["--sqrts", "13600", "--pt-min", "30", "--eta-max", "5", "--pdf", "NNPDF31_nnlo_as_0118_mc", "--backend", "cpu", "--threads", "1",
         "--json", "--quiet"]
SEEDS = range(1, 6)
EVENTS = {2: 1000000, 3: 1000000, 4: 500000, 5: 100000, 6: 20000}
OF_SIGMA = ("sigma_pb", "error_pb", "seconds", "points", "chi2_per_dof")
OF_EVENTS = ("events", "trials", "efficiency", "exact_per_event", "overweight_share", "events_per_second", "seconds", "seconds_events")


def output(program, *line):
    return json.loads(subprocess.run([program, *line], check=True, capture_output=True, text=True).stdout)


def measure(program, jets, folder):
    process = ["--process", f"p p > {jets}j", *SETUP]
    sigma = [output(program, "integrate", *process, "--precision", "0.01", "--seed", str(seed)) for seed in SEEDS]
    events = output(program, "generate", *process, "--events", str(EVENTS[jets]), "--force", "-o", os.path.join(folder, "run.h5"))
    return {"jets": jets, "sigma": [{key: run[key] for key in OF_SIGMA} for run in sigma], "events": {key: events[key] for key in OF_EVENTS}}


if len(sys.argv) != 3:
    sys.exit(__doc__)
programs = dict(zip(("before", "after"), sys.argv[1:]))
runs = {name: [] for name in programs}
with tempfile.TemporaryDirectory() as place:
    for n in EVENTS:
        for name, path in programs.items():
            runs[name].append(measure(path, n, place))
info = output(programs["after"], "info", "--json")
print(json.dumps({"machine": [b["description"] for b in info["backends"] if b["name"] == "cpu"][0],
                  "date": datetime.date.today().isoformat(), "setup": " ".join(SETUP),
                  "versions": {name: subprocess.run([path, "--version"], check=True, capture_output=True, text=True).stdout.strip()
                               for name, path in programs.items()}, **runs}, indent=1))
