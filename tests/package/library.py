#!/usr/bin/env python3
"""What the shared library needs and shows:

    library.py LIBRARY INCLUDE

It stays in memory after dlclose(). It needs the C library, libm and (for threads) an OpenMP run time, nothing else: neither MPI nor libstdc++. It shows the
functions that the public headers in INCLUDE declare with BG_API, the experimental ones included, and no other symbol.
"""
import os
import re
import subprocess
import sys

ALLOWED = re.compile(r"^(libc\.so|libm\.so|libgomp\.so|libomp\.so|libiomp5\.so|libdl\.so|libpthread\.so|librt\.so|ld-linux|libgcc_s\.so)")


def needed(library):
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def shown(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[2] for line in text.splitlines() if len(line.split()) == 3}


def stays(library):
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.search(r"\(FLAGS_1\).*\bNODELETE\b", text)


def declared(include):
    names = set()
    for file in sorted(os.listdir(os.path.join(include, "blockgen"))):
        with open(os.path.join(include, "blockgen", file)) as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        names |= set(re.findall(r"\bBG_API\b[^;{]*?\b(bg_\w+)\s*\(", text))
    return names


def main(library, include):
    number, wrong = 0, 0

    def case(name, problems):
        nonlocal number, wrong
        number += 1
        wrong += bool(problems)
        for line in sorted(problems):
            print("#", line)
        print(f"{'not ok' if problems else 'ok'} {number} - {name}")

    try:
        libraries, symbols = needed(library), shown(library)
    except FileNotFoundError as error:
        print(f"1..0 # SKIP {error.filename} is not installed")
        return 77
    functions = declared(include)
    case("the header declares functions", [] if len(functions) > 50 else [f"{len(functions)} found"])
    case("needs nothing but C, mathematics and threads", [name for name in libraries if not ALLOWED.match(name)])
    case("stays where it is after dlclose(), for the threads of OpenMP", [] if stays(library) else ["it is not linked with -z nodelete"])
    case("shows every function of the headers", [f"{name} is declared and not there" for name in functions - symbols])
    tested = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "test_null.c")
    with open(tested) as file:
        text = file.read()
    case("every function is called with NULL by a test", [f"{name} is not in tests/unit/test_null.c" for name in functions
                                                          if not re.search(rf"\b{name}\b", text)])
    case("shows nothing else", [f"{name} is not in the headers" for name in symbols - functions])
    print(f"1..{number}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
