"""A bar while something long is computed: of tqdm where it is installed, in terminals and notebooks; a line of text otherwise."""
from __future__ import annotations

import sys
import warnings
from typing import Any, Optional


def in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def wanted(progress: Optional[bool]) -> bool:
    """Whether to show a bar: as asked for, or where somebody looks."""
    return (sys.stderr.isatty() or in_notebook()) if progress is None else bool(progress)


class Bar:
    """A share from 0 to 1 and a text."""

    def __init__(self, title: str):
        self._share = 0.0
        self._title = title
        self._bar: Any = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that ipywidgets are missing: a bar of text will do
                from tqdm.auto import tqdm  # type: ignore[import-untyped]
        except ImportError:
            return
        self._bar = tqdm(total=1.0, desc=title, leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}{postfix}")

    def show(self, share: float, text: str) -> None:
        share = min(max(share, self._share), 1.0) if share == share else self._share  # never back, and no NaN
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update(share - self._share)
            self._bar.refresh()
        else:
            print(f"\r{self._title} {100 * share:3.0f} %  {text:40.40}", end="", file=sys.stderr, flush=True)
        self._share = share

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        else:
            print("\r" + 79 * " " + "\r", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
