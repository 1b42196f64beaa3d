#!/usr/bin/env python3
"""The include graph of src/: every folder may include from those above it in LAYERS and from itself, no other.

    layers.py          checks the graph and prints it; exit status 1 where an edge goes the wrong way

The program (programs/) is a client: it includes the public headers and its own.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LAYERS = ["base", "random", "kinematics", "process", "beams", "phasespace", "estimate", "helicity", "color", "amplitude", "accumulate",
          "backend", "backend/cpu", "backend/cuda", "engine", "events", "api"]
EITHER = {("backend/cuda", "backend/cpu")}  # the two know nothing of each other
LISTS = {("backend/list.c", "backend/cpu"), ("backend/list.c", "backend/cuda")}  # the one place that names the backends
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def sources(folder):
    for path, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cu", ".cuh")):
                file = os.path.join(path, name)
                with open(file) as text:
                    yield os.path.relpath(file, os.path.join(ROOT, folder)), INCLUDE.findall(text.read())


def main():
    graph, wrong = {}, []
    for file, includes in sources("src"):
        folder = os.path.dirname(file)
        if folder not in LAYERS:
            wrong.append(f"src/{file}: folder {folder} is not one of the layers")
            continue
        for name in includes:
            other = os.path.dirname(name)
            if other in ("blockgen", ""):
                continue  # the public header is above everything
            if not os.path.exists(os.path.join(ROOT, "src", name)):
                wrong.append(f"src/{file} includes {name}, which is not there")
                continue
            graph.setdefault(folder, {}).setdefault(other, []).append(file)
            if (file, other) in LISTS:
                continue
            if LAYERS.index(other) > LAYERS.index(folder) or (folder, other) in EITHER:
                wrong.append(f"src/{file} includes {name}: {other} stands below {folder}")
    for file, includes in sources("programs"):
        for name in includes:
            own = os.path.join(ROOT, "programs", file.split(os.sep)[0], name)
            if not name.startswith("blockgen/") and not os.path.exists(own):
                wrong.append(f"programs/{file} includes {name}: the program is a client of blockgen/ headers")
    for folder in LAYERS:
        if folder in graph:
            print(f"# {folder:13}<- {', '.join(sorted(set(graph[folder]) - {folder}, key=LAYERS.index)) or '-'}")
    for line in wrong:
        print("#", line)
    print(f"{'not ok' if wrong else 'ok'} 1 - the include graph is a chain")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
