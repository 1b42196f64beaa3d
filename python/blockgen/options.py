"""Options by name: keyword arguments become options of the library, whose table makes the docstrings, too.

The types in _hints.py come from the same table, see python/tests/make_hints.py.
"""
from __future__ import annotations

import difflib
import os
import textwrap
from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple, TypeVar

from blockgen import _core

Function = TypeVar("Function", bound=Callable[..., Any])
TABLE: Dict[str, Dict[str, Any]] = {row["name"].replace("-", "_"): row for row in _core.options()}
AXES = ("color", "recursion", "helicity")  # chosen by integrate() and generate() unless they are given
NOT_FOR_EVENTS = ("checkpoint", "checkpoint_interval", "resume", "force", "hybrid", "time")


def text(name: str, value: Any) -> str:
    """A value as the library reads it."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # a scalar of numpy
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{name} is {value!r}; it must be a number or text")


def settings(given: Mapping[str, Any], of: str) -> List[Tuple[str, str]]:
    """Keyword arguments as pairs of name and text. Those that are None keep their defaults. `of` names who asks."""
    pairs = []
    for keyword, value in given.items():
        row = TABLE.get(keyword)
        if row is None:
            near = difflib.get_close_matches(keyword, [name for name, _ in rows(of)], 1)
            raise TypeError(f"there is no option '{keyword}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        if row["integration"] and of == "matrix_elements":
            raise TypeError(f"{keyword} is an option of integrate() and generate(), not of matrix elements")
        if of == "generate" and keyword in NOT_FOR_EVENTS:
            raise TypeError(f"{keyword} is an option of integrate(), not of generate()")
        if value is not None:
            pairs.append((keyword.replace("_", "-"), text(keyword, value)))
    return sorted(pairs, key=lambda pair: pair[0] != "algorithm")  # a preset comes before what changes it


def goal(given: Mapping[str, Any]) -> Dict[str, Any]:
    """The goals as they were given: the precision is one where there is no other."""
    wanted = dict(given)
    if wanted.get("precision") and wanted.get("points"):
        raise ValueError("precision and points exclude each other; give one of them")
    if not wanted.get("precision") and (wanted.get("points") or wanted.get("time")):
        wanted["precision"] = 0
    return wanted


# ---- docstrings ------------------------------------------------------------------------------------


def rows(of: str) -> Iterable[Tuple[str, Dict[str, Any]]]:
    """The options of "matrix_elements", "integrate" or "generate"."""
    for keyword, row in TABLE.items():
        if (of != "matrix_elements" or not row["integration"]) and (of != "generate" or keyword not in NOT_FOR_EVENTS):
            yield keyword, row


def standard(keyword: str, row: Mapping[str, Any], of: str) -> str:
    return "auto" if of != "matrix_elements" and keyword in AXES else row["standard"]


def describe(of: str) -> str:
    """The options as a part of a docstring."""
    lines: List[str] = []
    group = None
    for keyword, row in sorted(rows(of), key=lambda entry: [entry[1]["integration"], entry[1]["group"]]):
        if row["group"] != group:
            group = row["group"]
            lines.append(f"\nOptions: {group}\n")
        values = " | ".join(row["values"] + ([row["argument"]] if row["argument"] else [])) or "bool"
        default = standard(keyword, row, of)
        entry = f"{keyword}: {values}. {row['help']}" + (f" (default {default})" if default else "")
        lines.append(textwrap.fill(entry, 100, initial_indent="    ", subsequent_indent="        ",
                                   break_long_words=False, break_on_hyphens=False))
    return "\n".join(lines)


def documented(of: str) -> Callable[[Function], Function]:
    """Appends the options to the docstring of a function or class."""

    def add(function: Function) -> Function:
        function.__doc__ = textwrap.dedent("    " + (function.__doc__ or "")) + describe(of) + "\n"
        return function

    return add
