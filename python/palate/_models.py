"""One class per method of the engine."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

from . import _palate
from ._errors import CorruptFileError, UsageError
from ._filters import Choice, Filter, FilterLike, as_filter, by_criterion, choose_filters
from ._ids import kind_of_texts
from ._ratings import Ratings
from ._recommender import Recommender
from ._run import Run

Filters = Union[FilterLike, Mapping[str, FilterLike], None]


class CAGF(Recommender):
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
        "full", or "m", "s", "f", "p", "mc" for ablation.
    ``solver``
        "exact", "fast", or "auto": exact unless lists hardly change.
    ``neighbours``
        Links kept per item; None: all, or as many as memory allows.
    ``validation``, ``seed``, ``threshold``
        With "auto": the share held back, its seed, and from which overall rating on an item counts
        as liked.

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

    filters_: dict[str, Filter]
    preference_: float | None
    solver_: str
    storage_: str
    choice_: Choice | None

    def __init__(
        self,
        filters: Filters = "auto",
        preference: float | str | None = "auto",
        variant: str = "full",
        solver: str = "auto",
        neighbours: int | None = None,
        validation: float = 0.1,
        seed: int = 1,
        threshold: float = 3.0,
    ) -> None:
        self.filters = filters
        self.preference = preference
        self.variant = variant
        self.solver = solver
        self.neighbours = neighbours
        self.validation = validation
        self.seed = seed
        self.threshold = threshold

    def _settings(self, ratings: Ratings, run: Run) -> tuple[_palate.Settings, dict[str, Any]]:
        choice = self._choose(ratings, run)
        filters, other, preference = self._given_filters(ratings)
        if choice is not None:
            filters, preference = choice.filters, choice.preference
        if isinstance(self.preference, str):
            if self.preference != "auto":
                raise UsageError(f"preference={self.preference!r}", hint="a number, None or 'auto'")
        else:
            preference = None if self.preference is None else float(self.preference)
        settings = _palate.ca_gf(
            [(name, list(f.coefficients), f.power) for name, f in filters.items()],
            (list(other.coefficients), other.power),
            preference,
            self.variant,
            self.solver,
            _count("neighbours", self.neighbours),
        )
        return settings, {"choice_": choice}

    def _choose(self, ratings: Ratings, run: Run) -> Choice | None:
        if not (isinstance(self.filters, str) and self.filters == "auto"):
            return None
        return choose_filters(
            ratings,
            validation=self.validation,
            seed=self.seed,
            threshold=self.threshold,
            threads=run.threads or None,
            memory=run.memory or None,
            progress=run.progress or False,
        )

    def _given_filters(self, ratings: Ratings) -> tuple[dict[str, Filter], Filter, float | None]:
        """By criterion, for all others, and the preference that goes with them."""
        given = self.filters
        if given is None or (isinstance(given, str) and given == "auto"):
            return {}, Filter(), 2.0
        if isinstance(given, str) and given in _palate.preset_names():
            named, preference = _palate.preset(given, ratings._core)
            return {name: Filter(tuple(a), s) for name, a, s in named}, Filter(), preference
        if isinstance(given, Mapping):
            return by_criterion(given, ratings.criteria), Filter(), 2.0
        return {}, as_filter(given), 2.0

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
        self.choice_ = None

    def info(self) -> dict[str, Any]:
        out = super().info()
        out["filters"] = dict(self.filters_)
        return out

    def plot_filters(self, *, ax: Any = None) -> Any:
        """The frequency responses of the filters by matplotlib. Returns the axes."""
        from ._plots import plot_responses

        self._fitted
        return plot_responses(self.filters_, ax=ax)


class OverallOnly(Recommender):
    """CA-GF on the overall ratings alone: what the other criteria are worth shows beside it."""

    def __init__(self, neighbours: int | None = None) -> None:
        self.neighbours = neighbours

    def _settings(self, ratings: Ratings, run: Run) -> tuple[_palate.Settings, dict[str, Any]]:
        links = _count("neighbours", self.neighbours)
        return _palate.ca_gf([], ([1.0], 1.0), 2.0, "single", "auto", links), {}


class ItemKNN(Recommender):
    """Cosine between items' overall ratings, the ``neighbours`` best per item; ``shrink`` damps
    similarities of rare items.

    >>> import palate
    >>> ratings = palate.synthesize(users=200, items=60, seed=1)
    >>> palate.ItemKNN(neighbours=20).fit(ratings).recommend(ratings.user_ids[0], n=2).ids.shape
    (2,)
    """

    def __init__(self, neighbours: int = 100, shrink: float = 0.0) -> None:
        self.neighbours = neighbours
        self.shrink = shrink

    def _settings(self, ratings: Ratings, run: Run) -> tuple[_palate.Settings, dict[str, Any]]:
        return _palate.item_knn(_count("neighbours", self.neighbours), float(self.shrink)), {}


class Popularity(Recommender):
    """Items by how many people rated them overall: the least that a method has to beat."""

    def __init__(self) -> None:
        pass

    def _settings(self, ratings: Ratings, run: Run) -> tuple[_palate.Settings, dict[str, Any]]:
        return _palate.popularity(), {}


def _count(name: str, value: int | None) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or int(value) != value:
        raise TypeError(f"{name} is a whole number or None, not {value!r}")
    if value < 1:
        raise UsageError(f"{name}={value} is too few", hint="at least 1, or None for all")
    return int(value)


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
    ratings = core.ratings
    kinds = kind_of_texts(ratings.numbers(True), ids), kind_of_texts(ratings.numbers(False), ids)
    model = _of_settings(json.loads(core.info()["settings"]), name)
    model._take(core, Ratings(ratings, *kinds), {})
    return model


def _of_settings(settings: dict[str, Any], name: str) -> Recommender:
    method = settings["method"]
    if method == "popularity":
        return Popularity()
    if method == "item-knn":
        return ItemKNN(settings["neighbours"], settings["shrink"])
    if method != "ca-gf":
        raise CorruptFileError(f"the method {method!r} is not known", name)
    links = settings["neighbours"] or None
    if settings["variant"] == "single":
        return OverallOnly(links)
    filters = {
        one["criterion"]: str(Filter(tuple(one["coefficients"]), one["power"]))
        for one in settings["filters"]
    }
    other = Filter(tuple(settings["other"]["coefficients"]), settings["other"]["power"])
    return CAGF(
        filters or str(other),
        settings["preference"],
        settings["variant"],
        settings["solver"],
        links,
    )
