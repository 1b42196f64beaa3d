#!/usr/bin/env python3
"""How long a run takes to end after it was told to:

    stops.py BLOCKGEN [BACKEND] [TEXT]     all commands, or those that have the text

Runs that would never end are told to by a signal, at a moment before and a moment after they have adapted, or by `--time`. A signal
should end them within two seconds; what they print must be a result with its words, or a state that was saved. Writes one JSON
document with a row for each run; the exit status is 1 where one of them took longer, or did not end as it should.
"""
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 2.0
STRATEGIES = ["--color summed --helicity summed --estimate off", "--color summed --helicity sampled --estimate off",
              "--color sampled --helicity sampled --estimate off", ""]
PAPER = ["tess", "lc", "co-sum", "co-mc", "cd-mc"]


def cases():
    for n in (2, 5, 7, 8, 9, 10):
        for strategy in STRATEGIES:
            if n > 9 and "--helicity summed" in strategy:
                continue  # Tables of that size are refused.
            yield f"integrate -n {n} {strategy}"
    for n in (5, 7, 8):
        for algorithm in PAPER:
            yield f"integrate -n {n} --algorithm {algorithm}"
    for algorithm in PAPER:
        yield f"integrate -n 7 --algorithm {algorithm} --helicity summed"
    for process in ("u u~ > d d~ g g", "g g > u u~ g g g g", "u u~ > d d~ g g g g", "g g > u u~ g g g g g"):
        yield f"integrate --process '{process}'"
        yield f"integrate --process '{process}' --estimate off"
    for jets in (2, 4, 6, 7):
        yield f"integrate --process 'p p > {jets}j'"
    yield "integrate --process 'p p > 5j' --estimate off"
    for jets in (3, 6):
        yield f"generate --process 'p p > {jets}j' --events 1e9 -o events.npy"


def orders(command):
    for name in ("SIGINT", "SIGTERM"):
        yield name, 0.7 if name == "SIGINT" else 2.0
    if command.startswith("integrate"):
        yield "--time", 1.5


def ended_well(order, rc, out, err):
    """A result, or words that say why there is none; the exit status of the manual."""
    return rc in ((0, 1) if order == "--time" else (130,)) and bool(out.strip().endswith("}") or err.strip())


def one(program, backend, command, order, after):
    words = [program, *shlex.split(command), "--backend", backend, "--quiet"]
    if command.startswith("integrate"):
        words += ["--json", "--precision", "1e-9"]
    if order == "--time":
        words += ["--time", str(after)]
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        child = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = after
        if order != "--time":
            time.sleep(after)
            told = time.monotonic() - start
            child.send_signal(getattr(signal, order))
        try:
            out, err = child.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()  # It would go on for long.
            out, err = child.communicate()
        took = time.monotonic() - start - told
    good = ended_well(order, child.returncode, out, err)
    row = {"command": command, "order": order, "after": after, "seconds": round(took, 2), "exit": child.returncode, "good": good}
    if not good or took > LIMIT:
        row["words"] = (err.strip() or out.strip())[-300:]
    return row


def main():
    program = os.path.abspath(sys.argv[1])
    backend = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    text = sys.argv[3] if len(sys.argv) > 3 else ""
    rows = []
    for command in cases():
        for order, after in orders(command):
            if text in command:
                rows.append(one(program, backend, command, order, after))
                print(rows[-1], file=sys.stderr, flush=True)
    late = [row for row in rows if row["seconds"] > LIMIT or not row["good"]]
    json.dump({"backend": backend, "limit_seconds": LIMIT, "runs": len(rows), "late": len(late),
               "slowest_seconds": max(row["seconds"] for row in rows), "rows": rows}, sys.stdout, indent=1)
    print()
    sys.exit(1 if late else 0)


if __name__ == "__main__":
    main()
