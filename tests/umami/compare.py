#!/usr/bin/env python3
"""The library that MadSpace loads against `blockgen me`: compare.py LOADER LIBRARY BLOCKGEN cpu|cuda

LOADER (load.c) knows the interface alone. Values of the CPU must be those of the program bit for bit, those of a device up to rounding.
"""
import os
import subprocess
import sys
import tempfile

POINTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def numbers(text):
    return [float(line) for line in text.split()]


def main(loader, library, blockgen, where):
    failed = number = 0

    def me(points, process, *options):
        run = subprocess.run([blockgen, "me", "--quiet", "--process", process, "--threads", "1", "--backend", "cpu", *options, points],
                             check=True, capture_output=True, text=True)
        return numbers(run.stdout)

    def case(name, good, detail=""):
        nonlocal failed, number
        number += 1
        failed += not good
        if not good and detail:
            print("#", detail.strip().replace("\n", "\n# "))
        print(f"{'ok' if good else 'not ok'} {number} - {name}")

    def same(a, b):
        limit = 0. if where == "cpu" else 1e-9
        return len(a) == len(b) > 1 and all(abs(x - y) <= limit * abs(y) for x, y in zip(a, b))

    with tempfile.TemporaryDirectory() as folder:
        def load(lines, points, *arguments, environment=None, path=None):
            file = os.path.join(folder, "process.txt")
            with open(file, "w") as out:
                out.write("\n".join(lines + [f"backend = {where}"]) + "\n")
            clean = {key: value for key, value in os.environ.items() if key != "BLOCKGEN_UMAMI"}
            if environment:
                clean["BLOCKGEN_UMAMI"] = file
            words = [loader, library, path or file, points, *arguments] + (["stream"] if where == "cuda" else [])
            return subprocess.run(words, capture_output=True, text=True, env=clean)

        four = os.path.join(POINTS, "gg_4g.points")
        run = load(["# gluons", "process = g g > 4g"], four)
        if run.returncode == 77:
            print("1..0 # SKIP no device")
            return 77
        right = me(four, "g g > 4g")
        case("gluons", same(numbers(run.stdout), right), run.stderr)
        run = load(["process = g g > 4g"], four, environment=True, path="/nowhere")
        case("BLOCKGEN_UMAMI names the file", same(numbers(run.stdout), right), run.stderr)
        three = os.path.join(folder, "three.txt")
        with open(three, "w") as out:
            out.write(f"process = g g > 3g\nbackend = {where}\n")
        run = load(["process = g g > 4g"], four, "other=" + three)
        case("several handles, and other legs", same(numbers(run.stdout), right) and "has other legs" in run.stderr, run.stderr)
        run = load(["process = g g > 4g", "alpha-s = 0.2"], four)
        case("options of the file", same(numbers(run.stdout), me(four, "g g > 4g", "--alpha-s", "0.2")), run.stderr)
        for words in (["alpha_s=0.236"], ["parameter=0.236"]):
            run = load(["process = g g > 4g"], four, *words)
            case(f"the coupling of events: {words[0]}", same(numbers(run.stdout), [16. * value for value in right]), run.stderr)
        run = load(["process = u g > u 3g", "process = d u > d u 2g"], four, "flavors")
        first, second = me(four, "u g > u 3g"), me(four, "d u > d u 2g")
        mixed = [(first, second)[k % 2][k] for k in range(len(first))]
        case("two processes by their flavor index", same(numbers(run.stdout), mixed), run.stderr)

        for name, lines, words in (("no process", ["threads = 2"], "names no process"),
                                   ("an unknown option", ["process = g g > 4g", "color_sum = summed"], ":2: "),
                                   ("different numbers of legs", ["process = g g > 4g", "process = g g > 3g"], "has 5 legs"),
                                   ("protons", ["process = p p > 4j"], "several processes"),
                                   ("something else", ["Block MASS"], "name = value")):
            run = load(lines, four)
            case(f"refused: {name}", run.returncode == 1 and words in run.stderr, run.stderr)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
