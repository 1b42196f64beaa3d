#!/usr/bin/env python3
"""The tutorial, as a reader would work through it: tutorial.py PAGE PREFIX LIBDIR

Blocks of code with file=NAME are written to that file, blocks of sh are run, in the order of the page, in one folder, with the installed
program in PATH and its library where pkg-config finds it. A block that says needs=TOOL is left out where there is no such tool.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def blocks(page):
    with open(page, encoding="utf-8") as file:
        return [(m[1].split(), m[2]) for m in re.finditer(r"^```([^\n]*)\n(.*?)^```$", file.read(), re.M | re.S)]


def main(page, prefix, libdir):
    environment = dict(os.environ, PATH=os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"], PREFIX=prefix,
                       PKG_CONFIG_PATH=os.path.join(libdir, "pkgconfig"), LIBDIR=libdir, OMP_NUM_THREADS="1")
    run = 0
    with tempfile.TemporaryDirectory() as folder:
        for words, text in blocks(page):
            settings = dict(word.split("=", 1) for word in words if "=" in word)
            if "file" in settings:
                with open(os.path.join(folder, settings["file"]), "w") as file:
                    file.write(text)
            if words[:1] != ["sh"] or ("needs" in settings and not shutil.which(settings["needs"])):
                continue
            done = subprocess.run(["sh", "-e", "-c", text], cwd=folder, env=environment, capture_output=True, text=True)
            run += 1
            if done.returncode:
                print(f"{text}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
                return 1
    print(f"{run} blocks")
    return 0 if run >= 5 else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
