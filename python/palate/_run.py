"""How a long call runs: threads, memory, progress."""

from __future__ import annotations

import importlib
import re
import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, NamedTuple, Union

from ._errors import UsageError

#: True shows a bar; a function is called with stage, done and total (0: not known), and stops the
#: work by returning False.
Progress = Union[bool, Callable[[str, int, int], Any]]


class Run(NamedTuple):
    """As the engine takes it: 0 is all cores, all memory."""

    threads: int
    memory: int
    progress: Callable[[str, int, int], Any] | None


_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}


def as_threads(threads: int | None) -> int:
    if threads is None:
        return 0
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads is a whole number or None, not {type(threads).__name__}")
    if threads < 1:
        raise UsageError(f"threads={threads} is too few", hint="at least 1, or None for all cores")
    return threads


def as_bytes(memory: int | str | None) -> int:
    if memory is None:
        return 0
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", memory, re.IGNORECASE)
        if not found:
            raise UsageError(f"memory={memory!r} is not an amount", hint="write it like '8GB'")
        unit = _UNITS[found[2].lower()]
        if found[3]:
            unit = 1 << (10 * "kmgt".index(found[2].lower()) + 10) if found[2] else 1
        memory = int(float(found[1]) * unit)
    if isinstance(memory, bool) or not isinstance(memory, int):
        raise TypeError("memory is a number of bytes, a text such as '8GB', or None")
    if memory < 1:
        raise UsageError(f"memory={memory} is too little", hint="leave it out for all there is")
    return memory


class _Bar:
    """A tqdm bar per stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage or self._bar is None:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total or None, desc=stage, leave=False)
        if total:
            self._bar.total = total
        # update() draws a few times a second, however often it is called.
        self._bar.update(max(0, done - self._bar.n))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """One line on stderr that is written anew, where tqdm is not installed."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        text = f"{stage} {100 * done // total:3d} %" if total else stage
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


@contextmanager
def telling(progress: Progress | None) -> Iterator[Callable[[str, int, int], Any] | None]:
    """What the engine is given to report to."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        shown: _Bar | _Line
        try:
            shown = _Bar(importlib.import_module("tqdm.auto").tqdm)
        except ImportError:
            shown = _Line()
        try:
            yield shown
        finally:
            shown.close()
    elif callable(progress):
        yield progress
    else:
        raise TypeError("progress is True, False or a function of (stage, done, total)")
