"""Settings found on the data, and the way there."""

from __future__ import annotations

import json
import keyword
from dataclasses import dataclass
from typing import Any, Sequence

from . import _palate
from ._filters import Filter
from ._input import as_ratings
from ._ratings import Ratings
from ._run import Progress, as_bytes, as_threads, telling
from ._show import Table, as_html, count, more

_TOO_FEW = "too few people could be judged, so these are the settings that it begins with"


@dataclass(frozen=True)
class Step:
    """One trial: what it is worth, what it gains, and the standard error of that (0: not known)."""

    tried: str
    value: float
    gain: float
    error: float
    taken: bool

    def _line(self, of_itself: bool) -> str:
        tried, value, gain, error = self._cells(of_itself)
        return f"  {tried:<28}{value:>8}  {gain} %" + (f" ± {error}" if error else "")

    def _cells(self, of_itself: bool) -> list[str]:
        before = self.value if of_itself else self.value - self.gain
        share = 100 / before if before > 0 else 0.0
        sure = f"{share * self.error:.1f}" if self.error else ""
        return [self.tried, f"{self.value:.4f}", f"{share * self.gain:+.1f}", sure]


@dataclass(frozen=True, repr=False)
class Choice:
    """What :func:`choose_filters` or :func:`tune` found. ``CAGF(filters=choice.filters,
    preference=choice.preference)`` uses the one, ``Adaptive(**choice.settings)`` the other.

    ``against`` has simple ways on the same people, with what was found gains over them;
    ``without`` what is left of it when one part is taken away. ``print(choice)`` tells all of it.
    """

    method: str
    settings: dict[str, Any]
    filters: dict[str, Filter]
    preference: float | None
    measure: str
    start: float
    end: float
    users: int
    validation: float
    seed: int
    steps: tuple[Step, ...]
    without: tuple[Step, ...]
    against: tuple[Step, ...]
    #: What counted as liked, in words.
    relevance: str = ""
    #: Whether nothing was tried, as too few people could be judged.
    too_few: bool = False

    def to_frame(self) -> Any:
        """The trials as a pandas frame."""
        from ._frames import need_pandas

        return need_pandas().DataFrame([vars(step) for step in self.steps])

    def plot(self, *, ax: Any = None) -> Any:
        """What each part gives, in percent with one standard error, by matplotlib. Returns the axes."""
        from ._plots import plot_gains

        rows = {f"without: {s.tried}": (-s.gain, s.error, s.value - s.gain) for s in self.without}
        rows |= {f"over {s.tried}": (s.gain, s.error, s.value) for s in self.against}
        return plot_gains(rows, ax=ax)

    def _repr_html_(self) -> str:
        found = [[name, str(value)] for name, value in list(self.settings.items())[:32]]
        if self.filters:
            found = [[name, str(one)] for name, one in self.filters.items()]
        title = f"Choice of {self.method}, worth {self.end:.4f} ({self.measure})"
        if self.too_few:
            return as_html(
                Table(f"Choice of {self.method}", ["setting", "set"], found, note=_TOO_FEW)
            )
        liked = f"; relevant: {self.relevance}" if self.relevance else ""
        note = f"{count(self.users, 'list')} judged on ratings held back{liked}"
        tables = [Table(title, ["setting", "found"], found, note=note)]
        taken = tuple(step for step in self.steps if step.taken)
        for said, steps in (("than", self.against), ("by", taken), ("but with", self.without)):
            head = [said, "worth", "gain in %", "standard error"]
            rows = [step._cells(said == "than") for step in steps[:20]]
            tables += [Table("", head, rows, note=more(len(steps) - 20, "step"))] if rows else []
        return as_html(*tables)

    def __repr__(self) -> str:
        if self.too_few:
            return f"Choice of {self.method}: {_TOO_FEW}"
        liked = f", relevant: {self.relevance}" if self.relevance else ""
        lines = [
            f"Choice of {self.method} on ratings held back, {count(self.users, 'list')} judged{liked}: "
            f"worth {self.end:.4f} ({self.measure})"
        ]
        taken = [step for step in self.steps if step.taken]
        for title, steps in (("than", self.against), ("by", taken), ("but with", self.without)):
            lines += [title] if steps else []
            for step in steps:
                lines.append(step._line(title == "than"))
        return "\n".join(lines)


def choose_filters(
    ratings: Ratings,
    *,
    validation: float = 0.1,
    seed: int = 1,
    at: int = 10,
    powers: Sequence[float] | None = None,
    threshold: float | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress = False,
) -> Choice:
    """Picks a filter and a power for each criterion of :class:`CAGF` by NDCG on a part of the data
    held back. Items count as liked from ``threshold`` on, by default the middle of the scale.

    >>> import palate
    >>> ratings = palate.synthesize(users=300, items=60, criteria=["food", "service"], seed=3)
    >>> choice = palate.choose_filters(ratings)
    >>> sorted(choice.filters)
    ['food', 'overall', 'service']
    >>> choice.end >= choice.start
    True
    """
    options: dict[str, Any] = {"validation": validation, "seed": seed, "at": at}
    options["threshold"] = threshold
    if powers is not None:
        options["powers"] = [float(power) for power in powers]
    return _choose("ca-gf", "filters", ratings, options, threads, memory, progress)


def tune(
    ratings: Ratings,
    *,
    validation: float = 0.1,
    seed: int = 1,
    threshold: float | None = None,
    seconds: float = 0.0,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress = False,
) -> Choice:
    """Finds the settings of :class:`Adaptive` on a part of the data held back. After ``seconds``
    (0: no limit) it takes the best so far.

    >>> import palate
    >>> ratings = palate.synthesize(users=300, items=60, criteria=["food", "service"], seed=3)
    >>> choice = palate.tune(ratings)
    >>> choice.end >= choice.start
    True
    >>> model = palate.Adaptive(**choice.settings).fit(ratings)
    """
    options = {"validation": validation, "seed": seed, "threshold": threshold, "seconds": seconds}
    return _choose("adaptive", "settings", ratings, options, threads, memory, progress)


def _choose(
    method: str,
    ask: str,
    ratings: Ratings,
    options: dict[str, Any],
    threads: int | None,
    memory: int | str | None,
    progress: Progress,
) -> Choice:
    with telling(progress) as tell:
        run = as_threads(threads), as_bytes(memory), tell
        _, found = _palate.resolve(
            method, [(ask, "auto")], as_ratings(ratings)._core, options, *run
        )
    assert found is not None
    return choice_of(found)


def as_argument(name: str) -> str:
    """A setting's name as an argument: lambda is a word of Python's own."""
    return name + "_" if keyword.iskeyword(name) else name


def choice_of(text: str) -> Choice:
    """What the library found, from its JSON."""
    found = json.loads(text)
    settings = found.pop("settings")
    filters = {
        one["criterion"]: Filter(tuple(one["coefficients"]), one["power"])
        for one in settings.get("filters", ())
    }
    for name in ("steps", "without", "against"):
        found[name] = tuple(Step(**step) for step in found[name])
    return Choice(
        method=settings.pop("method"),
        settings={as_argument(name): value for name, value in settings.items()},
        filters=filters,
        preference=settings.get("preference"),
        **found,
    )
