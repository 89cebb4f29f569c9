"""Graph filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _palate
from ._errors import UsageError
from ._show import known

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
            hint=known(unknown[0], criteria, "criteria"),
        )
    return {name: as_filter(one) for name, one in filters.items()}
