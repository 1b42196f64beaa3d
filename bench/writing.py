#!/usr/bin/env python3
"""How fast events get into files: writing.py PROGRAM [--events K] [--times R] > writing.json

`blockgen generate` with one thread makes the same events of p p > 2j in every format, formats in turns, and of R runs each the
one with most events a second is kept. Making them is cheap, so that the file is the limit where it can be one: `seconds_writing`
is the time that events have waited for it.
"""
import argparse
import json
import os
import subprocess
import tempfile

FORMATS = (("LHEH5", "run.h5", 0), ("LHEH5, compression 1", "run.h5", 1), ("LHEF", "run.lhe", 0), ("LHEF, compressed", "run.lhe.gz", 0),
           ("npy", "run.npy", 0))
KEPT = ("events", "events_per_second", "megabytes", "megabytes_per_second", "seconds_events", "seconds_writing")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--events", default="200000")
parser.add_argument("--times", type=int, default=5)
wish = parser.parse_args()


def output(*line):
    return json.loads(subprocess.run([wish.program, *line, "--json"], check=True, capture_output=True, text=True).stdout)


best = {}
with tempfile.TemporaryDirectory() as folder:
    for turn in range(wish.times):
        for name, file, compression in FORMATS:
            run = output("generate", "--process", "p p > 2j", "--backend", "cpu", "--threads", "1", "--quiet", "--events", wish.events,
                         "--compression", str(compression), "-o", os.path.join(folder, file), "--force")
            if name not in best or run["events_per_second"] > best[name]["events_per_second"]:
                best[name] = run
info = output("info")
print(json.dumps({"version": info["version"], "machine": [b["description"] for b in info["backends"] if b["name"] == "cpu"][0],
                  "process": "p p > 2j", "threads": 1, "times": wish.times,
                  "results": [{"format": name, **{key: best[name][key] for key in KEPT}} for name, *_ in FORMATS]}, indent=2))
