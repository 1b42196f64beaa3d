#!/usr/bin/env python3
"""Which lines the tests have run: coverage.py BUILD, after a build with BG_COVERAGE=ON and its tests (make coverage).

gcov tells of each object which lines ran; a header is in many objects, and a line counts as run if it ran in one of them. Printed are the shares by folder,
then the ten files with the most lines that never ran. BUILD/coverage.txt lists those lines.
"""
import concurrent.futures
import json
import os
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDERS = ("src" + os.sep, "programs" + os.sep, "include" + os.sep)


def objects(build):
    for path, _, names in os.walk(build):
        for name in names:
            if name.endswith(".gcda"):
                yield os.path.join(path, name)


def lines_of(data):
    """{file: {line: whether it ran}} of one object, files of this project only."""
    out = subprocess.run(["gcov", "--json-format", "--stdout", data], capture_output=True, check=True, cwd=ROOT).stdout
    found = {}
    for text in out.splitlines():
        document = json.loads(text)
        for file in document["files"]:
            name = os.path.relpath(os.path.join(document["current_working_directory"], file["file"]), ROOT)
            if name.startswith(FOLDERS):
                lines = found.setdefault(name, {})
                for line in file["lines"]:
                    lines[line["line_number"]] = lines.get(line["line_number"], False) or line["count"] > 0
    return found


def ranges(numbers):
    text, numbers = [], sorted(numbers)
    while numbers:
        length = 1
        while length < len(numbers) and numbers[length] == numbers[0] + length:
            length += 1
        text.append(str(numbers[0]) if length == 1 else f"{numbers[0]}-{numbers[length - 1]}")
        numbers = numbers[length:]
    return " ".join(text)


def main():
    build = os.path.realpath(sys.argv[1])
    total = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lines_of, objects(build)):
            for name, lines in found.items():
                whole = total.setdefault(name, {})
                for number, ran in lines.items():
                    whole[number] = whole.get(number, False) or ran
    if not total:
        print(f"no counts in {build}: build with BG_COVERAGE=ON and run the tests first", file=sys.stderr)
        return 1
    folders = {}
    for name, lines in total.items():
        for key in (os.path.dirname(name), "all"):
            ran, count = folders.get(key, (0, 0))
            folders[key] = ran + sum(lines.values()), count + len(lines)
    for key in sorted(folders, key=lambda key: (key == "all", key)):
        ran, count = folders[key]
        print(f"{key:28}{ran:7} of {count:6} lines {100 * ran / count:6.1f} %")
    missed = {name: [number for number, ran in lines.items() if not ran] for name, lines in total.items()}
    print("\nmost lines that never ran:")
    for name in sorted(missed, key=lambda name: -len(missed[name]))[:10]:
        print(f"  {name:46}{len(missed[name]):5} of {len(total[name])}")
    with open(os.path.join(build, "coverage.txt"), "w") as file:
        for name in sorted(missed):
            file.write(f"{name}: {ranges(missed[name])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
