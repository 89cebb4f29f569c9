"""CA-GF, and models from files."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

from . import _palate
from ._described import Described, word_of
from ._errors import CorruptFileError, UsageError
from ._filters import Filter, FilterLike, as_filter, by_criterion
from ._ratings import Ratings
from ._recommender import Recommender

Filters = Union[FilterLike, Mapping[str, FilterLike], None]


class CAGF(Described):
    """Criteria-aware graph filtering: a filter of the item graph per criterion.

    ``filters``
        "auto": chosen on a part of the data held back (:func:`palate.choose_filters`).
        "ym", "ta", "ba": published settings, laid over the criteria by index.
        "linear", "outward:0.85", a :class:`palate.Filter`: that one for every criterion.
        {"taste": "outward:0.85"}: by criterion; those not named get "linear".
    ``preference``
        The power of the criteria preference; None switches it off. "auto": what goes with the
        chosen filters, else 2.
    ``variant``
        "full", or for ablation "overall-graph", "unit-powers", "linear-filters", "no-preference",
        "graph-per-criterion"; the paper's letters m, s, f, p and mc are accepted too.
    ``solver``
        "exact", "fast", or "auto": exact unless lists hardly change.
    ``neighbours``
        Links kept per item; None: all, or as many as memory allows.
    ``validation``, ``seed``, ``threshold``
        With "auto": the share held back, its seed, and from which overall rating on an item counts
        as liked (None: the middle of the scale).

    After ``fit``: ``ratings_``, ``criteria_``, ``filters_``, ``preference_``, ``solver_``,
    ``storage_``, ``stages_`` and, with "auto", ``choice_``.

    >>> import palate
    >>> ratings = palate.synthesize(users=300, items=60, criteria=["food", "service"], seed=3)
    >>> model = palate.CAGF(filters={"food": "outward:0.85"}).fit(ratings)
    >>> model
    CAGF(filters={'food': 'outward:0.85'})
    >>> model.filters_
    {'overall': Filter('linear'), 'food': Filter('outward:0.85'), 'service': Filter('linear')}
    """

    _method = "ca-gf"
    filters_: dict[str, Filter]
    preference_: float | None
    solver_: str
    storage_: str

    def __init__(
        self,
        filters: Filters = "auto",
        preference: float | str | None = "auto",
        variant: str = "full",
        solver: str = "auto",
        neighbours: int | None = None,
        validation: float = 0.1,
        seed: int = 1,
        threshold: float | None = None,
    ) -> None:
        self.filters = filters
        self.preference = preference
        self.variant = variant
        self.solver = solver
        self.neighbours = neighbours
        self.validation = validation
        self.seed = seed
        self.threshold = threshold

    def _words(self, ratings: Ratings) -> list[tuple[str, str]]:
        words = self._filter_words(ratings)
        if isinstance(self.preference, str) and self.preference != "auto":
            raise UsageError(f"preference={self.preference!r}", hint="a number, None or 'auto'")
        if not isinstance(self.preference, str):
            words.append(("preference", word_of(self._method, "preference", self.preference)))
        words += [("variant", self.variant), ("solver", self.solver)]
        return words + [("neighbours", count_word("neighbours", self.neighbours))]

    def _filter_words(self, ratings: Ratings) -> list[tuple[str, str]]:
        given = self.filters
        if given is None:
            return [("filters", "linear")]
        if isinstance(given, str) and given in _palate.preset_names():
            return [("preset", given)]
        if isinstance(given, str) and given == "auto":
            return [("filters", "auto")]
        if isinstance(given, Mapping):
            named = by_criterion(given, ratings.criteria)
            each = [("filter", f"{name}={one.text}") for name, one in named.items()]
            return [("filters", "linear"), *each]
        return [("filters", as_filter(given).text)]

    def _choosing(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("validation", "seed", "threshold")}

    @classmethod
    def _of_settings(cls, settings: dict[str, Any], ratings: Ratings) -> CAGF:
        named = {one["criterion"]: str(_filter(one)) for one in settings["filters"]}
        other = str(_filter(settings["other"]))
        # By criterion there is no word for "all others" but linear.
        if named and other != "linear":
            named = {name: named.get(name, other) for name in ratings.criteria}
        links = settings["neighbours"] or None
        rest = settings["preference"], settings["variant"], settings["solver"], links
        return cls(named or other, *rest)

    def _take(self, model: _palate.Model, ratings: Ratings, stages: dict[str, float]) -> None:
        super()._take(model, ratings, stages)
        info = model.info()
        self.filters_ = {
            name: Filter(tuple(a), power)
            for name, (a, power) in zip(self.criteria_, info["filters"])
        }
        self.preference_ = info["preference"]
        self.solver_ = info["solver"]
        self.storage_ = info["storage"]

    def info(self) -> dict[str, Any]:
        out = super().info()
        out["filters"] = dict(self.filters_)
        return out

    def plot_filters(self, *, ax: Any = None) -> Any:
        """The frequency responses of the filters by matplotlib. Returns the axes."""
        from ._plots import plot_responses

        self._fitted
        return plot_responses(self.filters_, ax=ax)


def count_word(name: str, value: int | None) -> str:
    if value is None:
        return "0"
    if isinstance(value, bool) or int(value) != value:
        raise TypeError(f"{name} is a whole number or None, not {value!r}")
    if value < 1:
        raise UsageError(f"{name}={value} is too few", hint="at least 1, or None for all")
    return str(int(value))


def load(path: str | os.PathLike[str], *, ids: str = "auto") -> Recommender:
    """Reads a model file, whether this package or the tool ``palate`` wrote it.

    The file holds ids as text. They become integers if every one of them is written like one, unless
    ``ids="str"``.

    >>> import palate, tempfile, pathlib
    >>> ratings = palate.synthesize(users=100, items=40, seed=1)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.palate"
    >>> palate.ItemKNN(neighbours=30).fit(ratings).save(file)
    >>> palate.load(file)
    ItemKNN(neighbours=30)
    """
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(2, "there is no such model file", name)
    core = _palate.Model.load(name)
    taken = Ratings._of_texts(core.ratings, ids)
    info = core.info()
    settings = json.loads(info["settings"])
    kind = Described._classes.get(info["method"]) or Described._classes.get(settings["method"])
    if kind is None:
        raise CorruptFileError(f"the method {settings['method']!r} is not known", name)
    model = kind._of_settings(settings, taken)
    model._take(core, taken, {})
    return model


def _filter(settings: dict[str, Any]) -> Filter:
    return Filter(tuple(settings["coefficients"]), settings["power"])
