#!/usr/bin/env python3
"""Every command of the documents: commands.py CMAKE BUILD [--write] [PAGE...]

BUILD is installed into a folder of its own, and the pages are worked through as a reader would, each in a folder of its own:

    ```sh ...            a block is run as a script; `needs=TOOL` leaves it out where there is no such tool
    ```c file=NAME       a block is written to that file
    ```text              behind a block of sh is what it printed, and its words must still be right: numbers are not compared. `varies` behind sh
                         says that words differ from machine to machine as well. --write puts there what is printed now (make docs-outputs).
    indented blocks      lines that begin with blockgen or mpirun are run one by one; what stands three blanks behind is an explanation

Comments in the source of a page, which readers do not see, say what is different:

    <!-- not run: reason -->           before a block: it takes a GPU, an hour, or files that are not here
    <!-- not run (2, 3): reason -->    only those lines of an indented block
    <!-- file NAME: PATH -->           a file of the sources that the page takes for granted

What is not run still has options that exist: --help behind it would say if not. `make TARGET` anywhere in a block is a target that there is.
"""
import concurrent.futures
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md", "docs/developers/*.md", "docs/tutorials/*.md", "bench/peers/README.md"]
MARK = re.compile(r"<!-- not run(?: \(([\d, ]+)\))?: .*? -->\s*$")
START = re.compile(r"(?:build/)?blockgen\s|mpirun\s")


class Block:
    """Kind and words of the fence (or "indented"), lines, where it stands, and the mark before it."""
    def __init__(self, kind, words, text, start, end, mark):
        self.kind, self.words, self.text, self.start, self.end, self.mark = kind, words, text, start, end, mark


def blocks(text):
    found = []
    for m in re.finditer(r"^```(\S*)([^\n]*)\n(.*?)^```$|(?:^    [^\n]+\n(?:\s*\n(?=    ))?)+", text, re.M | re.S):
        mark = MARK.search(text[:m.start()])
        if m[0].startswith("```"):
            found.append(Block(m[1], m[2].split(), m[3], m.start(3), m.end(3), mark))
        elif not found or m.start() > found[-1].end:
            found.append(Block("indented", [], m[0], m.start(), m.end(), mark))
    return found


def commands(block):
    """The commands of an indented block; a backslash at the end joins lines."""
    lines = [line[4:] for line in block.text.replace("\\\n", " ").splitlines()]
    out = []
    for line in lines:
        if not START.match(line):
            continue
        quoted = re.split(r"""("[^"]*"|'[^']*')""", line)
        for k in range(0, len(quoted), 2):
            cut = re.search(r" {3,}(?=\S)(?!-)", quoted[k])
            if cut:
                quoted[k:] = [quoted[k][:cut.start()]]
                break
        out.append("".join(quoted).replace("build/blockgen", "blockgen").strip())
    return out


class Reader:
    """Works through a page."""
    def __init__(self, page, environment, write):
        self.page, self.environment, self.write = page, environment, write
        self.wrong, self.run, self.checked = [], 0, 0
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            self.text = file.read()

    def sh(self, script, folder):
        done = subprocess.run(["sh", "-e", "-c", script], cwd=folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=600)
        self.run += 1
        if done.returncode:
            self.wrong.append(f"{self.page}: exit status {done.returncode} of\n{script.strip()}\n{done.stdout[-1500:]}")
        return done.stdout

    def check_options(self, command):
        """The command is not run, but its options are there."""
        lexer = shlex.shlex(command.replace("...", ""), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
        words = words[words.index("blockgen"):] if "blockgen" in words else []
        words = words[:next((k for k, word in enumerate(words) if re.fullmatch(r"[<>&|;()]+", word)), None)]
        if len(words) > 1 and not words[1].isupper():
            done = subprocess.run(words + ["--help"], env=self.environment, capture_output=True, text=True)
            self.checked += 1
            if done.returncode:
                self.wrong.append(f"{self.page}: {command}\n{done.stderr}")

    def check_targets(self, block):
        with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
            targets = set(re.findall(r"^([a-z-]+):", file.read(), re.M))
        for name in re.findall(r"^(?: {4})?\s*make ([a-z-]+)(?=\s|$)", block.text, re.M):
            if name not in targets:
                self.wrong.append(f"{self.page}: there is no target {name} in the Makefile")

    def indented(self, block, folder):
        left_out = [int(k) for k in (block.mark[1] or "").replace(",", " ").split()] if block.mark else []
        for number, command in enumerate(commands(block), 1):
            if (block.mark and not left_out) or number in left_out or "..." in command:
                self.check_options(command)
            else:
                self.sh(command, folder)

    def fence(self, block, folder):
        settings = dict(word.split("=", 1) for word in block.words if "=" in word)
        if "file" in settings:
            with open(os.path.join(folder, settings["file"]), "w", encoding="utf-8") as file:
                file.write(block.text)
        if block.kind != "sh":
            return None
        if block.mark or ("needs" in settings and not shutil.which(settings["needs"])):
            for line in block.text.splitlines():
                if START.match(line.strip()):
                    self.check_options(line.strip())
            return None
        return self.sh(block.text, folder)

    def compare(self, shown, printed, varies):
        def words(text):
            text = re.sub(r"^blockgen .*: no GPU found; using the CPU.*\n", "", text, flags=re.M)
            text = re.sub(r"[(](?:AVX-512|AVX2|baseline)[^)]*[)]", "(machine)", text)
            # rows of a table that is sorted by numbers may stand in another order
            return sorted(re.sub(r"[\d.]+(?:e[+-]?\d+)?", "#", line).split() for line in text.splitlines())
        if not varies and words(shown) != words(printed):
            differ = [(a, b) for a, b in zip(words(shown) + [None], words(printed) + [None]) if a != b]
            self.wrong.append(f"{self.page}: other words than shown (make docs-outputs): {differ[:3]}")

    def work(self):
        changes, last = [], None
        with tempfile.TemporaryDirectory() as folder:
            self.environment = dict(self.environment, HOME=folder)
            for name in ("tests", "data", "examples"):
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
            for name, path in re.findall(r"<!-- file (\S+): (\S+) -->", self.text):
                shutil.copy(os.path.join(ROOT, path), os.path.join(folder, name))
            for block in blocks(self.text):
                self.check_targets(block)
                if block.kind == "indented":
                    self.indented(block, folder)
                elif block.kind == "text" and last:
                    self.compare(block.text, last[1], "varies" in last[0].words) if not self.write else changes.append((block, last[1]))
                printed = self.fence(block, folder) if block.kind != "indented" else None
                last = (block, printed) if printed is not None else None
        for block, printed in reversed(changes):
            self.text = self.text[:block.start] + printed + self.text[block.end:]
        if changes and not self.wrong:
            with open(os.path.join(ROOT, self.page), "w", encoding="utf-8") as file:
                file.write(self.text)
        return self


def install(cmake, build, prefix):
    subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, capture_output=True, env=dict(os.environ, DESTDIR=""))
    libraries = [os.path.dirname(path) for path in glob.glob(os.path.join(prefix, "**", "libblockgen.a"), recursive=True)]
    path = os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"]
    return dict(os.environ, PATH=path, PREFIX=prefix, LIBDIR=libraries[0], PKG_CONFIG_PATH=os.path.join(libraries[0], "pkgconfig"), SOURCE=ROOT,
                OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")


def main(words):
    write = "--write" in words
    words = [word for word in words if word != "--write"]
    cmake, build = words[:2]
    pages = words[2:] or sorted({os.path.relpath(p, ROOT) for pattern in PAGES for p in glob.glob(os.path.join(ROOT, pattern))})
    with tempfile.TemporaryDirectory() as prefix:
        environment = install(cmake, build, prefix)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            readers = list(pool.map(lambda page: Reader(page, environment, write).work(), pages))
    for number, reader in enumerate(readers, 1):
        for line in "\n".join(reader.wrong).splitlines():
            print("#", line)
        print(f"{'not ok' if reader.wrong else 'ok'} {number} - {reader.page}: {reader.run} run, {reader.checked} looked at")
    if not words[2:] and sum(reader.run for reader in readers) < 40:
        print(f"not ok {len(readers) + 1} - there are commands in the documents")
        return 1
    return 1 if any(reader.wrong for reader in readers) else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
