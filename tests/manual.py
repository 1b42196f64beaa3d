#!/usr/bin/env python3
"""The options in the manual are those of the library's table.

    manual.py PROGRAM docs/blockgen.1.in            compares; exit status 1 where they differ
    manual.py PROGRAM docs/blockgen.1.in --write    puts them there

PROGRAM is the build's manual_options. The part stands between two comments of the manual.
"""
import difflib
import subprocess
import sys

BEGIN = '.\\" ---- options: written by tests/manual.py --write from the library\'s table ----\n'
END = '.\\" ---- end of the options ----\n'


def main(program, file, mode=""):
    with open(file, encoding="utf-8") as f:
        text = f.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        print(f"# {file} does not have the two comments around its options\nnot ok 1 - the manual has the options")
        return 1
    before, rest = text.split(BEGIN)
    there, after = rest.split(END)
    made = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    if mode == "--write":
        with open(file, "w", encoding="utf-8") as f:
            f.write(before + BEGIN + made + END + after)
        return 0
    for line in difflib.unified_diff(there.splitlines(), made.splitlines(), file, "the library's table", lineterm=""):
        print("#", line)
    print(f"{'ok' if there == made else 'not ok'} 1 - the manual has the options of the library's table")
    if there != made:
        print("# cmake --build BUILD --target manual puts them there")
    return 0 if there == made else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
