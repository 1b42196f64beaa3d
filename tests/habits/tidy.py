#!/usr/bin/env python3
"""clang-tidy over the sources of a build: tidy.py BUILD [PATTERN]; .clang-tidy says what it looks for.

Every file of src/ and programs/ is read once, with the command it was compiled with (a kernel: that of 4 letters, baseline). PATTERN
chooses files by a part of their names. Version 14 only, since others find other things; exit status 77 without it.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def find_tool():
    for name in ("clang-tidy-14", "clang-tidy"):
        path = shutil.which(name)
        if path and "version 14." in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    return None


def commands(build, pattern):
    """One entry of compile_commands.json for each file: of a kernel's instances the typical one."""
    chosen = {}
    with open(os.path.join(build, "compile_commands.json")) as file:
        for entry in json.load(file):
            name = os.path.relpath(os.path.realpath(entry["file"]), ROOT)
            if not re.match(r"(src|programs)/.*[.]c$", name) or pattern not in name:
                continue
            command = entry["command"]
            typical = ("BG_LETTERS=4 " in command) + ("BG_ISA=baseline " in command)
            if name not in chosen or typical > chosen[name][0]:
                chosen[name] = typical, entry
    return {name: entry for name, (_, entry) in sorted(chosen.items())}


def main():
    build, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    tool = find_tool()
    if not tool or not os.path.exists(os.path.join(build, "compile_commands.json")):
        print("# needs clang-tidy 14 and compile_commands.json")
        return 77
    chosen = commands(build, pattern)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "compile_commands.json"), "w") as file:
            json.dump(list(chosen.values()), file)

        def look(names):
            files = [chosen[name]["file"] for name in names]
            found = subprocess.run([tool, "-p", folder, "--quiet", *files], capture_output=True, text=True)
            if not found.returncode:
                return {}
            return {names[0]: found.stdout} if len(names) == 1 else look_at_each(names)

        def look_at_each(names):
            return {name: text for one in names for name, text in look([one]).items()}

        # Some files at a time: a start of the tool takes as long as a small file. Every group has large ones and small ones, and there
        # are several for each core, so that none waits at the end.
        names = sorted(chosen, key=lambda name: -os.path.getsize(os.path.join(ROOT, name)))
        groups = min(len(names), 8 * os.cpu_count())
        results = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for found in pool.map(look, [names[k::groups] for k in range(groups)]):
                results.update(found)
    wrong = [name for name in chosen if name in results]
    for name in wrong:
        print("".join(f"# {line}\n" for line in results[name].splitlines()), end="")
    print(f"{'not ok' if wrong or not chosen else 'ok'} 1 - clang-tidy: {len(chosen)} files, {len(wrong)} with findings")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
