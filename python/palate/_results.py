"""What a model answers: lists and explanations."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from ._frames import need_pandas
from ._ratings import Ratings
from ._show import ROWS, Table, as_html, as_text, count, even, more


class _Pair(NamedTuple):
    ids: npt.NDArray[Any]
    scores: npt.NDArray[np.float32]


class Recommendations(_Pair):
    """Ids and scores, best first: ``ids, scores = model.recommend(...)``.

    For one user both have one dimension and as many places as there are items to recommend, which
    may be fewer than were asked for. For many users they have one row each. **Nothing is padded
    silently**: the rows are as wide as the longest list, and if some list is shorter both are NumPy
    *masked arrays*, in which the places behind its end are masked (what lies under the mask means
    nothing). ``lists()`` and ``to_frame()`` have the real places only.
    """

    #: Whose lists these are: the ids of the users (or of the items asked about), one per row.
    asked: Any
    #: Per list: it rests on what is popular, because the user has no ratings that count.
    popular: Any
    #: In the places of the scores: how many of all other items that the user has not rated score
    #: lower, in per cent. None for similar items.
    match: Any
    #: In the places of the scores: what the user would rate the items, by criterion, where that can
    #: be told better than by a plain guess (``prediction_errors()`` of the model).
    predicted: dict[str, Any]
    _titles: npt.NDArray[Any] | None
    _heading: str

    def __new__(
        cls,
        ids: npt.NDArray[Any],
        scores: npt.NDArray[np.float32],
        asked: Any = None,
        popular: Any = None,
        titles: npt.NDArray[Any] | None = None,
        heading: str = "user",
        match: Any = None,
        predicted: dict[str, Any] | None = None,
    ) -> Recommendations:
        self = super().__new__(cls, ids, scores)
        self.match = match
        self.predicted = predicted or {}
        self.asked = asked
        self.popular = popular
        self._titles = titles
        self._heading = heading
        return self

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many places each list has."""
        if self.ids.ndim == 1:
            return np.array([len(self.ids)], dtype=np.int64)
        if isinstance(self.ids, np.ma.MaskedArray):
            counts: npt.NDArray[np.int64] = np.asarray(self.ids.count(axis=1), dtype=np.int64)
            return counts
        return np.full(len(self.ids), self.ids.shape[1], dtype=np.int64)

    @property
    def titles(self) -> npt.NDArray[Any]:
        """Titles in the places of the ids; the ids themselves where there are none."""
        return self.ids if self._titles is None else self._titles

    def lists(self) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.float32]]]:
        """Each list by itself, without masks."""
        if self.ids.ndim == 1:
            yield self.ids, self.scores
            return
        ids, scores = np.ma.getdata(self.ids), np.ma.getdata(self.scores)
        for row, length in enumerate(self.lengths.tolist()):
            yield ids[row, :length], scores[row, :length]

    def to_frame(self) -> Any:
        """A pandas frame with the columns user (similar_to for similar items), rank, item, title (if
        there are any), score, match, and predicted_CRITERION for each criterion predicted."""
        single = self.ids.ndim == 1
        asked = [self.asked] if single else list(self.asked)
        lengths = self.lengths
        columns: dict[str, Any] = {
            self._heading: np.repeat(np.array(asked, dtype=object), lengths),
            "rank": np.concatenate([np.arange(1, n + 1) for n in [0, *lengths.tolist()]]),
            "item": _flat(self.ids, lengths),
        }
        if self._titles is not None:
            columns["title"] = _flat(self._titles, lengths)
        columns["score"] = _flat(self.scores, lengths)
        if self.match is not None:
            columns["match"] = _flat(self.match, lengths)
        for name, values in self.predicted.items():
            columns[f"predicted_{name}"] = _flat(values, lengths)
        frame = need_pandas().DataFrame(columns)
        frame[self._heading] = frame[self._heading].infer_objects()
        frame["rank"] = frame["rank"].astype("int64")
        return frame.drop(columns=self._heading) if single and self.asked is None else frame

    def _shown_numbers(self) -> dict[str, list[str]]:
        """Of one list: match and predicted overall rating, or the score where there is no match."""
        if self.match is None:
            return {"score": even(self.scores[:50].tolist())}
        out = {"match": [_match(one) for one in self.match[:50].tolist()]}
        name, values = next(iter(self.predicted.items()), ("", None))
        if values is not None:
            out[f"predicted {name}"] = even(values[:50].tolist(), digits=3)
        return out

    def _table(self) -> Table:
        """One list place by place, or the first places of the first lists."""
        what = "Recommended to" if self._heading == "user" else "Similar to"
        if self.ids.ndim == 1:
            who = "someone new" if self.asked is None else self.asked
            numbers = self._shown_numbers()
            places = zip(self.ids.tolist()[:50], self.titles.tolist(), *numbers.values())
            rows = [[str(k + 1), str(item), str(title), *rest]
                    for k, (item, title, *rest) in enumerate(places)]  # fmt: skip
            head = ["rank", "item", "title", *numbers]
            if self._titles is None:
                rows, head = [[*row[:2], *row[3:]] for row in rows], [*head[:2], *head[3:]]
            words = len(head) - len(numbers)
            note = "by popularity: there are no ratings that count" if self.popular else ""
            note = "; ".join(filter(None, (more(len(self.ids) - 50, "item"), note)))
            return Table(f"{what} {who}", head, rows, words=words, note=note)
        best = min(5, self.ids.shape[1])
        shown = zip(list(self.asked)[:ROWS], np.ma.getdata(self.titles), self.lengths.tolist())
        rows = [
            [str(who), *map(str, row[: min(best, n)]), *[""] * (best - n)] for who, row, n in shown
        ]
        head = [self._heading.replace("_", " "), *map(str, range(1, best + 1))]
        left = more(len(self.ids) - ROWS, "list")
        note = f"{left}; the longest has {count(self.ids.shape[1], 'place')}".lstrip("; ")
        return Table(f"{what} {count(len(self.ids), self._heading.split('_')[0])}", head, rows, len(head), note)  # fmt: skip

    def __repr__(self) -> str:
        return as_text(self._table())

    def __str__(self) -> str:
        return as_text(self._table())

    def _repr_html_(self) -> str:
        return as_html(self._table())


def _match(match: float) -> str:
    """Rounded down, so that 100 stands above everything."""
    return f"{math.floor(10 * match) / 10:.1f}" if match < 100 else "100"


def _share(value: float, score: float) -> str:
    """What part of a score this is, in per cent."""
    share = 100 * float(value) / abs(score) if score else 0.0
    size = abs(share)
    return f"{share:+.{0 if size >= 10 else 1 if size >= 1 else 2}f} %" if share else "0 %"


def _flat(array: npt.NDArray[Any], lengths: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    if array.ndim == 1:
        return array
    data = np.ma.getdata(array)
    there: npt.NDArray[Any] = data[np.arange(data.shape[1]) < lengths[:, None]]
    return there


def laid_out(
    ratings: Ratings,
    flat: tuple[Any, Any, Any, Any, Any, Any],
    asked: Any,
    single: bool,
    heading: str = "user",
) -> Recommendations:
    """The engine's lists, one after the other, as arrays with a row each."""
    items, scores, lengths, popular, match, predicted = flat
    width = int(lengths.max()) if len(lengths) else 0
    there = np.arange(width) < lengths[:, None]

    def arranged(values: npt.NDArray[Any], nothing: Any) -> Any:
        if single:
            return values
        if len(items) == there.size:
            return values.reshape(there.shape)
        full = np.full(there.shape, nothing, dtype=values.dtype)
        full[there] = values
        return np.ma.MaskedArray(full, mask=~there)

    ids, titles = ratings.item_ids[items], ratings.item_titles
    # An index that nobody can use by mistake.
    nothing = np.iinfo(np.int64).min if ids.dtype.kind == "i" else None
    similar = heading != "user"
    by_criterion = predicted.reshape(len(match), len(ratings.criteria)).T
    return Recommendations(
        arranged(ids, nothing),
        arranged(scores, -np.inf),
        asked,
        bool(popular[0]) if single else popular.astype(bool),
        None if titles is None else arranged(titles[items], None),
        heading,
        None if similar else arranged(match, np.nan),
        {
            name: arranged(np.ascontiguousarray(values), np.nan)
            for name, values in zip(ratings.criteria, by_criterion)
            if len(values) and not np.isnan(values).any()
        },
    )


class Dial(NamedTuple):
    """A criterion that is turned up or down, and what that does to the score of one item."""

    criterion: str
    weight: float
    #: What it adds to the score.
    value: float
    #: How much higher the item is rated on the criterion than its overall says.
    above: float
    raters: int
    #: The same in words.
    why: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """What one score is made of: ``score == baseline + sum(by_criterion.values())
    == baseline + sum(by_item.values())``, to rounding, and the values of ``dials`` where criteria are
    turned up or down.

    >>> import palate
    >>> ratings = palate.synthesize(users=200, items=60, criteria=["food", "service"], seed=1)
    >>> model = palate.CAGF(filters="linear").fit(ratings)
    >>> user = ratings.user_ids[0]
    >>> item = model.recommend(user, n=1).ids[0]
    >>> why = model.explain(user, item)
    >>> list(why.by_criterion)
    ['overall', 'food', 'service']
    >>> abs(sum(why.by_item.values()) + why.baseline - why.score) < 1e-9
    True
    """

    #: None for a profile.
    user: Any
    item: Any
    title: str
    score: float
    #: What no rating of the user explains (popularity); 0 for CA-GF.
    baseline: float
    #: Whether the score rests on popularity, because the user has no ratings that count.
    popular: bool
    #: What each criterion adds to the score.
    by_criterion: dict[str, float]
    #: What each rated item adds, largest absolute value first.
    by_item: dict[Any, float]
    #: How much the user weighs each criterion.
    preference: dict[str, float]
    #: Criteria that are turned up or down, and what that does to this item.
    dials: list[Dial]
    #: How many of all other items that the user has not rated score lower, in per cent.
    match: float
    #: What the user would rate the item, by criterion, where that can be told.
    predicted: dict[str, float]
    #: Of criteria that the user weighs and that hardly count here, a sentence each.
    notes: list[str]
    #: Every single part, largest absolute value first: item, title, criterion, rating, value.
    parts: dict[str, npt.NDArray[Any]] = field(repr=False)

    def to_frame(self) -> Any:
        """The parts as a pandas frame: item, title, criterion, rating, value."""
        return need_pandas().DataFrame(self.parts)

    def matrix(self, top: int | None = None) -> tuple[list[Any], npt.NDArray[np.float64]]:
        """Rated items and a matrix of what they add, items by criteria; the ``top`` largest."""
        items = list(self.by_item)[:top]
        row = {item: k for k, item in enumerate(items)}
        column = {name: c for c, name in enumerate(self.by_criterion)}
        out = np.zeros((len(items), len(column)))
        for item, criterion, value in zip(
            self.parts["item"].tolist(), self.parts["criterion"].tolist(), self.parts["value"]
        ):
            if item in row:
                out[row[item], column[criterion]] += value
        return items, out

    def plot(self, *, top: int = 12, ax: Any = None) -> Any:
        """An attribution map by matplotlib: rated items by criteria. Returns the axes."""
        from ._plots import plot_explanation

        return plot_explanation(self, top=top, ax=ax)

    def __str__(self) -> str:
        named = {**self.by_criterion, **({"popularity": self.baseline} if self.baseline else {})}
        named |= {f"{dial.criterion} dial": dial.value for dial in self.dials}
        rows = [[name, _share(value, self.score)] for name, value in named.items()]
        title = f"{self.title or self.item}: {self._read()}"
        note = "; ".join([*(dial.why for dial in self.dials), *self.notes])
        return as_text(Table(title, ["", ""], rows, note=note), self._table())

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value:.4g}" for name, value in self.by_criterion.items())
        who = f"user={self.user!r}, item={self.item!r}"
        return f"Explanation({who}, score={self.score:.4g}, {parts})"

    def _read(self) -> str:
        """Match and predicted ratings as a person reads them."""
        said = ", ".join(f"{name} {value:.1f}" for name, value in self.predicted.items())
        return f"match {_match(self.match)}" + (f", predicted {said}" if said else "")

    def _table(self) -> Table:
        """What the rated items that count most add, by criterion, above the sum of all."""
        items, values = self.matrix(ROWS)
        titles = dict(zip(self.parts["item"].tolist(), self.parts["title"].tolist()))
        rest = np.array(list(self.by_criterion.values())) - values.sum(axis=0)
        lines = [(str(titles.get(item, item)), row) for item, row in zip(items, values)]
        left = len(self.by_item) - len(items)
        if left > 0:
            lines.append((f"{count(left, 'other item')}", rest))
        lines.append(("together", np.array(list(self.by_criterion.values()))))
        width = len(self.by_criterion) + 1
        flat = [_share(one, self.score) for _, row in lines for one in [*row, row.sum()]]
        rows = [[name, *flat[width * k : width * k + width]] for k, (name, _) in enumerate(lines)]
        notes = ["shares of the score"]
        notes += [f"{_share(self.baseline, self.score)} for popularity"] if self.baseline else []
        notes += [*(dial.why for dial in self.dials), *self.notes]
        head = ["rated by the user", *self.by_criterion, "sum"]
        who = "someone new" if self.user is None else self.user
        title = f"Why {self.title or self.item} for {who}: {self._read()}"
        return Table(title, head, rows, note="; ".join(notes))

    def _repr_html_(self) -> str:
        return as_html(self._table())


def explained(ratings: Ratings, user: Any, item: int, raw: dict[str, Any]) -> Explanation:
    names = ratings.criteria
    titles = ratings.item_titles
    ids = ratings.item_ids[raw["item"]]
    total = np.bincount(raw["item"], weights=raw["value"]) if len(ids) else np.zeros(0)
    distinct = np.unique(raw["item"])
    order = distinct[np.argsort(-np.abs(total[distinct]), kind="stable")] if len(ids) else distinct
    parts = {
        "item": ids,
        "title": ids.astype(object) if titles is None else titles[raw["item"]],
        "criterion": np.array([names[c] for c in raw["criterion"]], dtype=object),
        "rating": raw["rating"],
        "value": raw["value"],
    }
    return Explanation(
        user=user,
        item=ratings.item_ids[item : item + 1].tolist()[0],
        title=str(ratings.item_ids[item] if titles is None else titles[item]),
        score=raw["score"],
        baseline=raw["baseline"],
        popular=raw["popular"],
        by_criterion=dict(zip(names, raw["by_criterion"])),
        by_item=dict(zip(ratings.item_ids[order].tolist(), total[order].tolist())),
        preference=dict(zip(names, raw["preference"])),
        match=raw["match"],
        predicted={
            name: value for name, value in zip(names, raw["predicted"]) if not np.isnan(value)
        },
        notes=raw["notes"],
        dials=[Dial(names[dial[0]], *dial[1:]) for dial in raw["dials"]],
        parts=parts,
    )
