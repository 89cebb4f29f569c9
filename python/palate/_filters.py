"""Graph filters, and the choice of filters from data."""

from __future__ import annotations

import json
import keyword
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _palate
from ._errors import UsageError

if TYPE_CHECKING:
    from ._ratings import Ratings

FilterLike = Union[str, "Filter"]


@dataclass(frozen=True)
class Filter:
    """A polynomial graph filter: the sum of ``coefficients[k] * P ** (k + 1)``, where ``P`` is the
    item graph with every entry raised to ``power``.

    >>> import palate
    >>> palate.Filter((2.0, -1.0), power=0.85)
    Filter('outward:0.85')
    >>> palate.Filter.parse("0.7,0.2:0.9").coefficients
    (0.7, 0.2)
    """

    coefficients: tuple[float, ...] = (1.0,)
    power: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", tuple(float(a) for a in self.coefficients))
        object.__setattr__(self, "power", float(self.power))

    @staticmethod
    def parse(text: str) -> Filter:
        """From "linear", "inward", "outward", "L", "I", "O" or coefficients such as "0.7,0.2", with
        a power after a colon: "outward:0.85"."""
        coefficients, power = _palate.parse_filter(text)
        return Filter(tuple(coefficients), power)

    @property
    def name(self) -> str:
        """ "linear", "inward", "outward", or the coefficients."""
        return _palate.filter_name(list(self.coefficients), self.power)

    def response(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The frequency response h(x) at eigenvalues ``x`` of the graph's Laplacian.

        >>> import palate
        >>> palate.outward().response([0.0, 0.5, 1.0]).tolist()
        [1.0, 0.75, 0.0]
        """
        at = np.asarray(x, dtype=np.float64)
        flat = _palate.frequency_response(list(self.coefficients), self.power, at.ravel())
        return flat.reshape(at.shape)

    @property
    def text(self) -> str:
        """As the library reads it, to the last digit."""
        return ",".join(map(repr, self.coefficients)) + f":{self.power!r}"

    def __str__(self) -> str:
        return self.name if self.power == 1.0 else f"{self.name}:{self.power:g}"

    def __repr__(self) -> str:
        return f"Filter({str(self)!r})"


def linear(power: float = 1.0) -> Filter:
    """P: passes ratings on to direct neighbours."""
    return Filter((1.0,), power)


def inward(power: float = 1.0) -> Filter:
    """P²: two steps, so that only what is shared widely stays."""
    return Filter((0.0, 1.0), power)


def outward(power: float = 1.0) -> Filter:
    """2P - P²: direct neighbours, less what two steps explain."""
    return Filter((2.0, -1.0), power)


def as_filter(given: FilterLike) -> Filter:
    if isinstance(given, Filter):
        return given
    if isinstance(given, str):
        return Filter.parse(given)
    raise TypeError(
        f"a filter is a text such as 'outward:0.85' or a palate.Filter, not {type(given).__name__}"
    )


def by_criterion(filters: Mapping[str, FilterLike], criteria: Sequence[str]) -> dict[str, Filter]:
    unknown = [name for name in filters if name not in criteria]
    if unknown:
        raise UsageError(
            f"there is no criterion {unknown[0]!r} to filter",
            hint="the criteria are " + ", ".join(criteria),
        )
    return {name: as_filter(one) for name, one in filters.items()}


@dataclass(frozen=True)
class Step:
    """One trial of :func:`choose_filters` or :func:`tune`."""

    tried: str
    value: float
    gain: float
    error: float
    taken: bool


@dataclass(frozen=True)
class Choice:
    """What :func:`choose_filters` or :func:`tune` found. ``CAGF(filters=choice.filters,
    preference=choice.preference)`` uses the one, ``Adaptive(**choice.settings)`` the other."""

    settings: dict[str, Any]
    filters: dict[str, Filter]
    preference: float | None
    measure: str
    start: float
    end: float
    users: int
    steps: tuple[Step, ...]
    without: tuple[Step, ...]

    def to_frame(self) -> Any:
        """The trials as a pandas frame."""
        from ._frames import need_pandas

        columns = ("tried", "value", "gain", "error", "taken")
        return need_pandas().DataFrame(
            {name: [getattr(step, name) for step in self.steps] for name in columns}
        )


DEFAULT_POWERS = (0.1, 0.4, 0.6, 0.85, 1.0, 1.2, 1.6)


def choose_filters(
    ratings: Ratings,
    *,
    validation: float = 0.1,
    seed: int = 1,
    at: int = 10,
    powers: Sequence[float] = DEFAULT_POWERS,
    threshold: float = 3.0,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Any = False,
) -> Choice:
    """Picks a filter and a power for each criterion by NDCG on a part of the data held back.

    >>> import palate
    >>> ratings = palate.synthesize(users=300, items=60, criteria=["food", "service"], seed=3)
    >>> choice = palate.choose_filters(ratings)
    >>> sorted(choice.filters)
    ['food', 'overall', 'service']
    >>> choice.end >= choice.start
    True
    """
    from ._run import as_bytes, as_threads, telling

    with telling(progress) as tell:
        found = _palate.choose_filters(
            ratings._core,
            validation,
            seed,
            at,
            [float(power) for power in powers],
            threshold,
            as_threads(threads),
            as_bytes(memory),
            tell,
        )
    return choice_of(found)


def tune(
    ratings: Ratings,
    *,
    validation: float = 0.1,
    seed: int = 1,
    threshold: float | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Any = False,
) -> Choice:
    """Finds the settings of :class:`Adaptive` on a part of the data held back.

    >>> import palate
    >>> ratings = palate.synthesize(users=300, items=60, criteria=["food", "service"], seed=3)
    >>> choice = palate.tune(ratings)
    >>> choice.end >= choice.start
    True
    >>> model = palate.Adaptive(**choice.settings).fit(ratings)
    """
    from ._run import as_bytes, as_threads, telling

    with telling(progress) as tell:
        found = _palate.tune(
            ratings._core,
            validation,
            seed,
            threshold,
            as_threads(threads),
            as_bytes(memory),
            tell,
        )
    return choice_of(found)


def as_argument(name: str) -> str:
    """A setting's name as an argument: lambda is a word of Python's own."""
    return name + "_" if keyword.iskeyword(name) else name


def choice_of(found: Any) -> Choice:
    """What the library found, with names."""
    text, filters, preference, measure, start, end, users, steps, without = found
    settings = json.loads(text)
    settings.pop("method")
    settings = {as_argument(name): value for name, value in settings.items()}
    return Choice(
        settings,
        {name: Filter(tuple(coefficients), power) for name, coefficients, power in filters},
        preference,
        measure,
        start,
        end,
        users,
        tuple(Step(*step) for step in steps),
        tuple(Step(*step) for step in without),
    )
