#!/usr/bin/env python3
"""The documents against the tree: documents.py. Links of every page lead to files that are there, files in `backquotes` that look like paths of the
project exist, and CITATION.cff has the version of CMakeLists.txt.
"""
import glob
import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDERS = ("src", "include", "programs", "tests", "cmake", "bench", "docs", "examples")


def pages():
    for pattern in ("*.md", "docs/*.md", "docs/developers/*.md", "bench/results/*/*.md"):
        yield from sorted(glob.glob(os.path.join(ROOT, pattern)))


def there(path):
    return bool(glob.glob(path))


def broken(page):
    with open(page) as file:
        text = file.read()
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in link and not there(os.path.join(os.path.dirname(page), link)):
            yield f"link to {link}"
    for path in re.findall(r"`([A-Za-z0-9_./*-]+)`", text):
        parts = path.split("/")
        if parts[0] not in FOLDERS or len(parts) == 1 or any(re.match(r"(NAME|DATE|FOLDER)|[.]{3}", part) for part in parts):
            continue  # no path, or one with a place holder
        if not there(os.path.join(ROOT, path)):
            yield f"no file {path}"


def read(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def main():
    wrong = [f"{os.path.relpath(page, ROOT)}: {what}" for page in pages() for what in broken(page)]
    version = re.search(r"project\(BlockGen VERSION ([0-9.]+)", read("CMakeLists.txt")).group(1)
    cited = re.search(r"^version: *(\S+)", read("CITATION.cff"), re.M).group(1)
    cases = [("links and paths of the documents", wrong),
             ("version of CITATION.cff", [] if cited == version else [f"it is {cited}, and {version} in CMakeLists.txt"]),
             ("section of CHANGELOG.md", [] if f"## [{version}]" in read("CHANGELOG.md") else [f"there is none of {version}"])]
    for number, (name, faults) in enumerate(cases, 1):
        for line in faults:
            print("#", line)
        print(f"{'not ok' if faults else 'ok'} {number} - {name}")
    return 1 if any(faults for _, faults in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
