"""How good lists are, and whether one model is better than another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from . import _palate
from ._errors import DataError, NotFoundError, UsageError
from ._frames import need_pandas
from ._input import as_ratings
from ._matrices import listed
from ._ratings import Ratings, need_ratings
from ._recommender import Recommender, Weights
from ._run import Progress, as_threads, telling
from ._show import Table, as_html, as_text, count, known


class Evaluation(Mapping[str, float]):
    """Metrics by name, as a mapping: ``evaluation["ndcg@10"]``. ``print`` shows all of them.

    ``per_user`` has the values of single users, in the order of ``users``; coverage, novelty and Gini
    are of all lists together and have none.
    """

    def __init__(self, core: _palate.Evaluation, ratings: Ratings | None = None) -> None:
        self.name: str = core.name
        self.relevance: str = core.relevance
        self.seconds: dict[str, float] = dict(core.seconds)
        #: Whether the values say nothing, for want of users.
        self.too_few: bool = core.too_few
        self.user_index: npt.NDArray[np.uint32] = np.asarray(core.users, dtype=np.uint32)
        #: Ids of the judged users: those with at least one relevant item in test.
        self.users: npt.NDArray[Any] = (
            self.user_index if ratings is None else ratings.user_ids[self.user_index]
        )
        self._mean = {metric: core.mean[metric] for metric in core.metrics}
        self.per_user: dict[str, npt.NDArray[np.float32]] = {
            metric: np.asarray(values, dtype=np.float32)
            for metric, values in zip(core.metrics, core.per_user)
            if len(values)
        }

    def __getitem__(self, metric: str) -> float:
        if metric not in self._mean:
            raise NotFoundError(
                f"there is no metric {metric!r}", hint=known(metric, list(self._mean), "metrics")
            )
        return self._mean[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._mean)

    def __len__(self) -> int:
        return len(self._mean)

    def _core(self) -> _palate.Evaluation:
        out = _palate.Evaluation()
        out.name, out.relevance = self.name, self.relevance
        out.metrics, out.mean = list(self._mean), self._mean
        out.users = self.user_index.tolist()
        out.per_user = [self.per_user.get(metric, np.empty(0)).tolist() for metric in self._mean]
        return out

    def interval(
        self, metric: str, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 1
    ) -> tuple[float, float]:
        """A bootstrap interval of the mean over users."""
        self[metric]
        return _palate.mean_interval(self._core(), metric, resamples, confidence, seed)

    def to_frame(self) -> Any:
        """A pandas frame with one row: the means, by metric."""
        return need_pandas().DataFrame([self._mean], index=[self.name])

    def users_frame(self) -> Any:
        """A pandas frame with one row per judged user."""
        return need_pandas().DataFrame({"user": self.users, **self.per_user})

    def __repr__(self) -> str:
        if self.too_few:
            return f"Evaluation({self.name!r}, users={len(self.user_index)}, too few to measure)"
        shown = ", ".join(f"{k}={v:.4f}" for k, v in self._mean.items() if k.startswith("ndcg@"))
        return f"Evaluation({self.name!r}, users={len(self.user_index)}, {shown})"

    @cached_property
    def _table(self) -> Table:
        judged = f"{count(len(self.user_index), 'user')} judged"
        if self.too_few:
            needed = f"{judged}, and at least {_palate.enough_users} are needed"
            return Table(f"{self.name}: too few to measure: {needed}", [], [])
        rows = []
        for metric, value in self._mean.items():
            ends = (
                [f"{one:.4f}" for one in self.interval(metric)] if metric in self.per_user else []
            )
            rows.append([metric, f"{value:.4f}", " to ".join(ends)])
        title = f"{self.name}: {judged}"
        note = f"relevant: {self.relevance}. Intervals by bootstrap over users."
        return Table(title, ["metric", "mean", "95 % interval"], rows, note=note)

    def __str__(self) -> str:
        return as_text(self._table)

    def _repr_html_(self) -> str:
        return as_html(self._table)


def evaluate(
    model: Recommender,
    test: Any,
    *,
    at: Sequence[int] = (5, 10),
    threshold: float | None = None,
    relevance: str = "at_least",
    weights: Weights = None,
    name: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Evaluation:
    """Measures a model on ratings it has not seen.

    ``test`` is the other part of a split, or anything that :func:`palate.as_ratings` takes; users and
    items that the model does not know are then left out. A test item is relevant if its overall
    rating is ``relevance`` ("at_least", "above") the ``threshold``, or "above_median",
    "above_user_mean" of train. The threshold is by default 3 on a scale of five stars, else the
    middle of the scale.

    >>> import palate
    >>> train, test = palate.split(palate.synthesize(users=300, items=80, seed=1))
    >>> marks = palate.evaluate(palate.Popularity().fit(train), test)
    >>> 0 <= marks["recall@10"] <= 1
    True
    """
    ratings = _test_part(test, model)
    with telling(progress) as tell:
        core = _palate.evaluate(
            model._fitted,
            ratings._core,
            [int(k) for k in at],
            threshold,
            relevance,
            model._weights(weights),
            as_threads(threads),
            tell,
        )
    core.name = name or type(model).__name__
    return Evaluation(core, model.ratings_)


def _test_part(test: Any, model: Recommender) -> Ratings:
    if not isinstance(model, Recommender):
        raise TypeError(f"this needs a model of palate, not {type(model).__name__}")
    model._fitted
    named = model._columns
    if isinstance(test, Ratings) or (listed(test) and "columns" not in named):
        named = {}
    return as_ratings(test, like=model.ratings_, unknown="drop", **named)


def evaluate_lists(
    lists: Any,
    train: Ratings,
    test: Ratings,
    *,
    at: Sequence[int] = (5, 10),
    threshold: float | None = None,
    relevance: str = "at_least",
    name: str = "lists",
    threads: int | None = None,
    progress: Progress = False,
) -> Evaluation:
    """Measures lists of any other recommender in the same way.

    ``lists`` is an array of item ids with one row per user, in the order of ``train.user_ids``, or
    a mapping from user to ids; best first. A list that holds what the user rated in train, or an item
    twice, is an error.

    >>> import palate
    >>> train, test = palate.split(palate.synthesize(users=300, items=80, seed=1))
    >>> model = palate.ItemKNN().fit(train)
    >>> theirs = palate.evaluate_lists(model.recommend().ids, train, test)
    >>> theirs["ndcg@10"] == palate.evaluate(model, test)["ndcg@10"]
    True
    """
    per_user = _per_user(lists, need_ratings(train))
    lengths = [len(one) for one in per_user]
    flat = np.concatenate([np.asarray(one) for one in per_user if len(one)] or [np.empty(0, int)])
    items = train._find(False, flat)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    with telling(progress) as tell:
        core = _palate.evaluate_lists(
            train._core,
            as_ratings(test, like=train, unknown="drop")._core,
            offsets,
            items,
            [int(k) for k in at],
            threshold,
            relevance,
            as_threads(threads),
            tell,
        )
    core.name = name
    return Evaluation(core, train)


def _per_user(lists: Any, train: Ratings) -> list[Any]:
    if isinstance(lists, Mapping):
        out: list[Any] = [()] * train.n_users
        users = train._find(True, list(lists))
        for user, one in zip(users.tolist(), lists.values()):
            out[user] = one
        return out
    if isinstance(lists, np.ma.MaskedArray):
        out = [row.compressed() for row in lists]
    else:
        out = list(lists)
    if len(out) != train.n_users:
        raise DataError(
            f"{len(out)} lists for {train.n_users} users",
            hint="one row per user, in the order of train.user_ids, or a mapping by user",
        )
    return out


@dataclass(frozen=True)
class Difference:
    """One metric of one model beside the first: paired over users."""

    metric: str
    baseline: str
    method: str
    baseline_mean: float
    method_mean: float
    #: method - baseline, and its bootstrap interval.
    difference: float
    low: float
    high: float
    #: Wilcoxon signed-rank, two-sided.
    p_value: float
    users: int


class Comparison(Sequence[Difference]):
    """Differences to the first evaluation. ``print`` shows all of them."""

    def __init__(self, differences: Sequence[Difference], note: str = "") -> None:
        self._all = tuple(differences)
        self._note = note

    def __getitem__(self, place: Any) -> Any:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)

    def to_frame(self) -> Any:
        """A pandas frame with one row per method and metric."""
        return need_pandas().DataFrame([vars(one) for one in self._all])

    def __repr__(self) -> str:
        lines = [
            f"{d.method} vs {d.baseline}, {d.metric}: {d.difference:+.4f} "
            f"[{d.low:+.4f}, {d.high:+.4f}], p = {d.p_value:.2g}"
            for d in self._all
        ]
        return "\n".join(lines)

    def _table(self, most: int) -> Table:
        rows = []
        for d in self._all[:most]:
            means = [f"{one:.4f}" for one in (d.baseline_mean, d.method_mean)]
            signed = [f"{one:+.4f}" for one in (d.difference, d.low, d.high)]
            p = f"{d.p_value:.4f}" if d.p_value >= 0.0001 else "< 0.0001"
            rows.append([d.method, d.metric, *means, signed[0], " to ".join(signed[1:]), p])
        first = self._all[0] if self._all else None
        title = f"beside {first.baseline}, {count(first.users, 'user')} each" if first else ""
        head = ["method", "metric", "baseline", "method", "difference", "interval", "p"]
        left = len(self._all) - len(rows)
        note = f"and {count(left, 'more row')}. {self._note}" if left else self._note
        return Table(title, head, rows, words=2, note=note)

    def __str__(self) -> str:
        return as_text(self._table(len(self._all)))

    def _repr_html_(self) -> str:
        return as_html(self._table(40))


def compare(
    evaluations: Sequence[Evaluation],
    *,
    metrics: Sequence[str] | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 1,
) -> Comparison:
    """Compares each further evaluation with the first, user by user.

    >>> import palate
    >>> train, test = palate.split(palate.synthesize(users=400, items=80, seed=1))
    >>> marks = [palate.evaluate(m.fit(train), test) for m in (palate.Popularity(), palate.ItemKNN())]
    >>> found = palate.compare(marks, metrics=["ndcg@10"])
    >>> found[0].method, found[0].users == len(marks[0].users)
    ('ItemKNN', True)
    """
    if len(evaluations) < 2:
        raise UsageError("comparing needs at least two evaluations")
    for one in evaluations:
        if not isinstance(one, Evaluation):
            raise TypeError(
                f"compare takes a list of what palate.evaluate returns, not {type(one).__name__}"
            )
    rows = _palate.compare(
        [one._core() for one in evaluations], list(metrics or ()), resamples, confidence, seed
    )
    note = (
        f"relevant: {evaluations[0].relevance}. {100 * confidence:g} % intervals of the difference "
        "by bootstrap over users; p: Wilcoxon signed-rank, two-sided."
    )
    return Comparison([Difference(*row) for row in rows], note)
