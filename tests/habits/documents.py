#!/usr/bin/env python3
"""The documents against the tree: documents.py. Links of every page lead to files that are there, files in `backquotes` that look like paths of the
project exist, CITATION.cff has the version of CMakeLists.txt, measured numbers are those of the files that hold them
(docs/numbers.py), pages with such numbers have no others, lines are not too long, and there is one spelling.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDERS = ("src", "include", "programs", "tests", "cmake", "bench", "docs", "examples", "python")


def pages():
    for pattern in ("*.md", "docs/*.md", "docs/developers/*.md", "docs/tutorials/*.md", "bench/results/*/*.md", "bench/peers/*.md"):
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


def numbers():
    """What docs/numbers.py would write differently."""
    run = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "docs", "numbers.py"), "--check"], capture_output=True, text=True)
    return run.stderr.splitlines() + ([f"numbers.py: exit status {run.returncode}"] if run.returncode and not run.stderr else [])


EXAMPLES = ("commands.md", "guide.md", "histograms.md")  # they show output of the program, which is no result


def measured_pages():
    return [os.path.join(ROOT, "README.md")] + [page for page in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))
                                                if os.path.basename(page) not in EXAMPLES]


# Numbers with a unit that are no measurements: the paper's set-up, sizes that follow from a count, what a command line says.
GIVEN = re.compile(r"14 TeV|1 TeV|20 GeV|60 GeV|1500 GeV|2000 GeV|(?<![\d.])[01](?:[.]1)? %|2[.]8 GHz|10 GB|8 bytes|16 bytes|100 %|70 %|"
                   r"about 0[.]1 s|1[.]3 to 2[.]0 us|a few per cent")


def unmarked(page):
    """Measured numbers, that is decimals and numbers with a unit of time or memory, outside the marks of numbers.py."""
    with open(page) as file:
        text = file.read()
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    for pattern in (r"<!--= .*? -->.*?<!--/-->", r"```.*?```", r"(?m)^    .*$", r"`[^`\n]*`", r"\[[^]]*\]\([^)]*\)", r"<!--.*?-->"):
        text = re.sub(pattern, blank, text, flags=re.S if "(?m)" not in pattern else 0)
    text = GIVEN.sub(blank, text)
    for number, line in enumerate(text.splitlines(), 1):
        for found in re.findall(r"(?<![\w.])[\d.]+(?:e\d+)? ?(?:ns|us|ms|s|min|h|kB|MB|GB|%|GFLOP/s|TFLOP/s|TB/s|GHz)(?![\w/])", line):
            yield f"{os.path.relpath(page, ROOT)}:{number}: {found} is not from a record"


def wrapped_pages():
    names = [f"docs/{name}.md" for name in ("accuracy", "api", "bench", "build", "glossary", "peers", "performance", "python", "releasing", "study", "tutorial",
                                            "validation")]
    return [os.path.join(ROOT, name) for name in ["README.md", "bench/peers/README.md"] + names]


def long_lines(page):
    """Prose is wrapped at about 120 letters; tables, links and marked places cannot be."""
    with open(page) as file:
        for number, line in enumerate(file, 1):
            free = re.sub(r"<!--.*?-->|\]\([^)]*\)", "", line.rstrip("\n"))
            if len(free) > 140 and not free.lstrip().startswith("|") and "://" not in free:
                yield f"{os.path.relpath(page, ROOT)}:{number}: {len(free)} letters"


def spelled():
    for pattern in ("*.md", "docs/*.md", "docs/developers/*.md", "docs/figures/*.txt", "docs/*.in", "src/**/*.[ch]", "src/**/*.cu*",
                    "include/**/*.h", "programs/**/*.[ch]", "examples/*", "tests/**/*.[ch]", "tests/**/*.py", "python/**/*.py",
                    "python/**/*.cpp", "python/**/*.ipynb"):
        for path in glob.glob(os.path.join(ROOT, pattern), recursive=True):
            if not path.endswith("documents.py"):
                yield path


BRITISH = re.compile(r"\b(?:colours?|polaris\w*|behaviour\w*|neighbour\w*|normalis\w*|initialis\w*|optimis\w*|parallelis(?:e|ed|ing|ation)|"
                     r"organis\w*|minimis\w*|grey\w*|recognis\w*|vectoris\w*)\b", re.I)
MEANT = ("tests/cli/test_options.py", "tests/unit/test_options.c", "python/tests/test_matrix_elements.py")  # misspelled on purpose, for the program to correct


def misspelled(page):
    """The code says color and polarization, and so does everything else."""
    where = os.path.relpath(page, ROOT)
    if where in MEANT:
        return
    with open(page, errors="replace") as file:
        for number, line in enumerate(file, 1):
            for word in BRITISH.finditer(line):
                yield f"{where}:{number}: {word[0]}"


def main():
    wrong = [f"{os.path.relpath(page, ROOT)}: {what}" for page in pages() for what in broken(page)]
    version = re.search(r"project\(BlockGen VERSION ([0-9.]+)", read("CMakeLists.txt")).group(1)
    cited = re.search(r"^version: *(\S+)", read("CITATION.cff"), re.M).group(1)
    cases = [("links and paths of the documents", wrong),
             ("numbers of the documents (make docs-numbers)", numbers()),
             ("numbers without a record", [line for page in measured_pages() for line in unmarked(page)]),
             ("lines of the documents", [line for page in wrapped_pages() for line in long_lines(page)]),
             ("one spelling", [line for page in spelled() for line in misspelled(page)]),
             ("version of CITATION.cff", [] if cited == version else [f"it is {cited}, and {version} in CMakeLists.txt"]),
             ("section of CHANGELOG.md", [] if f"## [{version}]" in read("CHANGELOG.md") else [f"there is none of {version}"])]
    for number, (name, faults) in enumerate(cases, 1):
        for line in faults:
            print("#", line)
        print(f"{'not ok' if faults else 'ok'} {number} - {name}")
    return 1 if any(faults for _, faults in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
