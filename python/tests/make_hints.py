#!/usr/bin/env python3
"""Writes python/blockgen/_hints.py, the types of the options for editors and type checkers, from the library's table:

    python python/tests/make_hints.py            (where the package is installed)

A test compares what is there with what this would write.
"""
import os

from blockgen.options import rows

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "blockgen", "_hints.py")
KINDS = {"flag": "bool", "integer": "int", "count": "Union[int, float, str]", "real": "float"}
CLASSES = (("AlgorithmOptions", "matrix_elements", "Options of matrix elements."),
           ("EventOptions", "generate", "Options of events."),
           ("IntegrationOptions", "integrate", "Options of cross sections."))


def hint(row):
    if row["kind"] == "choice":
        words = "Literal[" + ", ".join(f'"{word}"' for word in row["values"]) + "]"
        return f"Union[{words}, str]" if row["argument"] else words
    if row["kind"] == "text":
        return 'Union[str, "os.PathLike[str]"]' if row["argument"] == "FILE" else "str"
    return KINDS[row["kind"]]


def hints():
    lines = ['"""Types of the options, for editors and type checkers. Written by python/tests/make_hints.py from the library\'s table."""',
             "import os", "from typing import Literal, Optional, TypedDict, Union"]
    for name, of, about in CLASSES:
        lines += ["", "", f"class {name}(TypedDict, total=False):", f'    """{about}"""', ""]
        lines += [f"    {keyword}: Optional[{hint(row)}]" for keyword, row in rows(of)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(hints())
