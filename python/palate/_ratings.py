"""Ratings in memory: the engine's own, seen from Python."""

from __future__ import annotations

import difflib
import os
from functools import cached_property
from typing import Any, Mapping, NamedTuple, NoReturn, overload

import numpy as np
import numpy.typing as npt

from . import _palate
from ._errors import NotFoundError, UsageError
from ._frames import need, need_pandas
from ._ids import MISSING, Codes, Id, Kind, PlainIds, for_lookup, kind_of_texts
from ._show import Table, as_html, as_text, count, even

Path = "str | os.PathLike[str]"


class Ratings:
    """Who rated what, and how, by which criteria. Never changes; parts of a split share the ids.

    Made by :func:`palate.as_ratings`, :func:`palate.read`, :func:`palate.synthesize` and
    :func:`palate.split`. The first criterion is the overall rating.

    >>> import palate
    >>> ratings = palate.as_ratings({
    ...     "user": [1, 1, 2], "item": ["stout", "pils", "stout"],
    ...     "overall": [4.5, 3.0, 4.0], "taste": [5.0, None, 4.5]})
    >>> ratings
    Ratings(users=2, items=2, interactions=3, criteria=['overall', 'taste'])
    >>> ratings.user_ids.tolist(), ratings.item_ids.tolist()
    ([1, 2], ['pils', 'stout'])
    >>> ratings.of(1)
    {'pils': {'overall': 3.0}, 'stout': {'overall': 4.5, 'taste': 5.0}}
    """

    def __init__(
        self,
        core: _palate.Ratings,
        user_kind: Kind,
        item_kind: Kind,
        report: Mapping[str, Any] | None = None,
    ) -> None:
        self._core = core
        self._user_kind: Kind = user_kind
        self._item_kind: Kind = item_kind
        #: What the reader did, for ratings that came from a file; else empty.
        self.report: dict[str, Any] = dict(report or {})

    @staticmethod
    def _of_texts(
        core: _palate.Ratings, ids: str, report: Mapping[str, Any] | None = None
    ) -> Ratings:
        """Of ids that came as text, from a file: ``ids`` says what to make of them."""
        users, items = (kind_of_texts(core.numbers(of_users), ids) for of_users in (True, False))
        return Ratings(core, users, items, report)

    # ------------------------------------------------------------------------------- size

    @property
    def n_users(self) -> int:
        return self._core.users

    @property
    def n_items(self) -> int:
        return self._core.items

    @property
    def n_interactions(self) -> int:
        """How many (user, item) pairs there are."""
        return self._core.interactions

    def __len__(self) -> int:
        return self._core.interactions

    @property
    def shape(self) -> tuple[int, int, int]:
        """Users, items, criteria."""
        return self.n_users, self.n_items, len(self.criteria)

    @cached_property
    def criteria(self) -> tuple[str, ...]:
        """Their names, the overall rating first."""
        return tuple(name for name, _, _, _ in self._core.criteria)

    @property
    def scales(self) -> dict[str, tuple[float, float]]:
        """The smallest and the largest value of each criterion."""
        return {name: (low, high) for name, low, high, _ in self._core.criteria}

    @property
    def counts(self) -> dict[str, int]:
        """How many ratings each criterion has."""
        return {name: count for name, _, _, count in self._core.criteria}

    def __repr__(self) -> str:
        return (
            f"Ratings(users={self.n_users}, items={self.n_items}, "
            f"interactions={self.n_interactions}, criteria={list(self.criteria)})"
        )

    def _table(self) -> Table:
        ends = even((end for scale in self.scales.values() for end in scale), 3)
        rows = [
            [name, f"{self.counts[name]:,}", f"{ends[2 * c]} to {ends[2 * c + 1]}"]
            for c, name in enumerate(self.criteria)
        ]
        title = f"Ratings: {count(self.n_users, 'user')}, {count(self.n_items, 'item')}, "
        title += count(self.n_interactions, "interaction")
        return Table(title, ["criterion", "ratings", "from to"], rows)

    def __str__(self) -> str:
        return as_text(self._table())

    def _repr_html_(self) -> str:
        return as_html(self._table())

    def __getitem__(self, key: Any) -> NoReturn:
        raise TypeError(
            "ratings have no rows to pick by []: use subset(mask) or of(user), and to_frame() for "
            "the splitters of scikit-learn"
        )

    # -------------------------------------------------------------------------------- ids

    @cached_property
    def user_ids(self) -> npt.NDArray[Any]:
        """Ids by index: int64 if they are integers, else objects of type str."""
        return self._ids(True)

    @cached_property
    def item_ids(self) -> npt.NDArray[Any]:
        return self._ids(False)

    @cached_property
    def item_titles(self) -> npt.NDArray[Any] | None:
        """Titles by index, or None if there are none."""
        if not self._core.has_titles:
            return None
        return _frozen(np.array(self._core.titles(), dtype=object))

    def _ids(self, of_users: bool) -> npt.NDArray[Any]:
        plain = self._plain_ids(of_users)
        return _frozen(np.array(plain, dtype=object) if isinstance(plain, list) else plain)

    def _plain_ids(self, of_users: bool) -> PlainIds:
        if (self._user_kind if of_users else self._item_kind) == "int":
            return self._core.numbers(of_users)  # type: ignore[return-value]
        return self._core.texts(of_users)

    def _find(self, of_users: bool, ids: Any, unknown: str = "error") -> Codes:
        """Indices of ids; those that are not known are an error, or MISSING."""
        what, kind = ("user", self._user_kind) if of_users else ("item", self._item_kind)
        plain = for_lookup(ids, kind, what)
        found = self._core.find(of_users, plain)
        gone = np.flatnonzero(found == MISSING)
        if gone.size and unknown == "error":
            one = plain[int(gone[0])]
            hints = [f"and {gone.size - 1} more are not known"] if gone.size > 1 else []
            hints += self._nearest(of_users, one)
            if of_users and not hints:
                hints = ["someone new is served by recommend_for, from a profile of ratings"]
            hint = "; ".join(hints)
            raise NotFoundError(f"the {what} {_shown(one)} is not known", hint=hint)
        return found

    def _nearest(self, of_users: bool, wrong: Any) -> list[str]:
        if not isinstance(wrong, str):
            return []
        near = difflib.get_close_matches(wrong, self._core.texts(of_users)[:20_000], n=3)
        return [f"did you mean {' or '.join(map(repr, near))}?"] if near else []

    def _find_one(self, of_users: bool, one: Id) -> int:
        return int(self._find(of_users, [one])[0])

    def __contains__(self, user: Id) -> bool:
        """Whether the user is known."""
        try:
            return bool(self._find(True, [user], "missing")[0] != MISSING)
        except (NotFoundError, TypeError):
            return False

    # ------------------------------------------------------------------------------- data

    def of(self, user: Id) -> dict[Any, dict[str, float]]:
        """What one user gave: by item, by criterion."""
        index = self._find_one(True, user)
        begin, end = self._offsets[index], self._offsets[index + 1]
        items = self.item_ids[self._core.item_index()[begin:end]].tolist()
        values, present = self._core.values()[begin:end], self._core.present()[begin:end]
        return {
            item: {
                name: float(values[k, c])
                for c, name in enumerate(self.criteria)
                if present[k] >> c & 1
            }
            for k, item in enumerate(items)
        }

    @cached_property
    def _offsets(self) -> npt.NDArray[np.int64]:
        return self._core.offsets()

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """One row per interaction, one column per criterion, 0 where absent; a view, not a copy."""
        return self._core.values()

    @property
    def rated(self) -> npt.NDArray[np.bool_]:
        """Which of ``values`` were given."""
        bits = np.arange(len(self.criteria), dtype=np.uint32)
        return (self._core.present()[:, None] >> bits & 1).astype(bool)

    @property
    def user_index(self) -> npt.NDArray[np.uint32]:
        """The place in ``user_ids`` of the user of each interaction."""
        return np.repeat(np.arange(self.n_users, dtype=np.uint32), np.diff(self._offsets))

    @property
    def item_index(self) -> npt.NDArray[np.uint32]:
        """The place in ``item_ids`` of the item of each interaction; a view, not a copy."""
        return self._core.item_index()

    @property
    def times(self) -> npt.NDArray[np.int64] | None:
        """Unix seconds of each interaction, the smallest integer where unknown; None if none is."""
        return self._core.times() if self._core.has_times else None

    def to_columns(self) -> dict[str, npt.NDArray[Any]]:
        """NumPy columns: user, item, one per criterion (NaN where absent), and title and time if there
        are any."""
        values = np.where(self.rated, self.values, np.float32(np.nan))
        out: dict[str, npt.NDArray[Any]] = {
            "user": self.user_ids[self.user_index],
            "item": self.item_ids[self.item_index],
        }
        if self.item_titles is not None and "title" not in self.criteria:
            out["title"] = self.item_titles[self.item_index]
        out.update((name, values[:, c]) for c, name in enumerate(self.criteria))
        if self.times is not None:
            out["time"] = self.times
        return out

    def to_frame(self) -> Any:
        """A pandas frame with one row per interaction."""
        return need_pandas().DataFrame(self.to_columns())

    def to_matrices(self) -> list[Any]:
        """One ``scipy.sparse.csr_matrix`` of users by items per criterion, float32."""
        sparse = need("scipy.sparse", "a sparse matrix")
        rated, out = self.rated, []
        for c in range(len(self.criteria)):
            there = np.flatnonzero(rated[:, c])
            indptr = np.searchsorted(there, self._offsets)
            parts = (self.values[there, c], self.item_index[there].astype(np.int32), indptr)
            out.append(sparse.csr_matrix(parts, shape=(self.n_users, self.n_items)))
        return out

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that :func:`palate.read` and the tool read; ".gz" compresses."""
        _palate.write_csv(self._core, os.fspath(path))

    def to_inter(self, path: str | os.PathLike[str]) -> None:
        """Writes a RecBole ``.inter`` file."""
        _palate.write_inter(self._core, os.fspath(path))

    def subset(self, keep: npt.ArrayLike) -> Ratings:
        """The interactions for which ``keep`` is true (one flag each), over the same ids."""
        flags = np.asarray(keep)
        if flags.shape != (len(self),) or flags.dtype.kind != "b":
            raise UsageError(
                f"one true or false per interaction is needed, {len(self)} of them",
                hint=f"got an array of shape {flags.shape} and type {flags.dtype}",
            )
        return self._like(_palate.subset(self._core, flags.astype(np.uint8)))

    def _like(self, core: _palate.Ratings) -> Ratings:
        return Ratings(core, self._user_kind, self._item_kind)

    # ----------------------------------------------------------------------------- pickle

    def __getstate__(self) -> dict[str, Any]:
        return {
            "criteria": list(self.criteria),
            "users": self._plain_ids(True),
            "items": self._plain_ids(False),
            "user": self.user_index,
            "item": np.array(self.item_index),
            "values": np.where(self.rated, self.values, np.float32(np.nan)),
            "times": None if self.times is None else np.array(self.times),
            "titles": list(self._core.titles()) if self._core.has_titles else None,
            "scales": list(self.scales.values()),
            "kinds": (self._user_kind, self._item_kind),
            "report": self.report,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        kinds, report = state.pop("kinds"), state.pop("report")
        core = _palate.make_ratings(**state, duplicates="error")
        self.__init__(core, *kinds, report)  # type: ignore[misc]

    def __copy__(self) -> Ratings:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Ratings:
        return self  # never changes


def _frozen(array: Any) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array  # type: ignore[no-any-return]


def _shown(one: Any) -> str:
    return repr(one.item() if isinstance(one, np.generic) else one)


class Split(NamedTuple):
    """Two parts of one set of ratings, over the same ids."""

    train: Ratings
    test: Ratings


class SplitInThree(NamedTuple):
    train: Ratings
    validation: Ratings
    test: Ratings


@overload
def split(ratings: Ratings, test: float = ..., *, rule: str = ..., seed: int = ...) -> Split: ...


@overload
def split(
    ratings: Ratings, test: float = ..., *, validation: float, rule: str = ..., seed: int = ...
) -> SplitInThree: ...


def split(
    ratings: Ratings,
    test: float = 0.2,
    *,
    validation: float | None = None,
    rule: str = "random",
    seed: int = 1,
) -> Split | SplitInThree:
    """Train and test part, or train, validation and test part.

    ``rule`` is "random" (a share of every user's interactions), "leave-last-out" (every user's
    newest; ``test`` is then how many) or "time" (the newest share of all). The same seed gives the
    same parts on every machine.

    >>> import palate
    >>> ratings = palate.synthesize(users=100, items=50, seed=1)
    >>> train, test = palate.split(ratings, 0.2, seed=7)
    >>> len(train) + len(test) == len(ratings)
    True
    >>> train, validation, test = palate.split(ratings, 0.2, validation=0.1)
    """
    core = need_ratings(ratings)._core
    first, second, third = _palate.split(core, rule, test, validation or 0.0, seed)
    if validation is None:
        return Split(ratings._like(first), ratings._like(second))
    if third is None:
        raise UsageError(f"validation={validation} sets nothing aside", hint="give a share above 0")
    return SplitInThree(ratings._like(first), ratings._like(third), ratings._like(second))


def folds(ratings: Ratings, k: int = 5, *, seed: int = 1) -> list[Split]:
    """``k`` splits whose test parts together are all interactions, for cross-validation.

    >>> import palate
    >>> ratings = palate.synthesize(users=100, items=50, seed=1)
    >>> sum(len(fold.test) for fold in palate.folds(ratings, 4)) == len(ratings)
    True
    """
    parts = _palate.folds(need_ratings(ratings)._core, k, seed)
    return [Split(ratings._like(train), ratings._like(test)) for train, test in parts]


def need_ratings(given: Any) -> Ratings:
    if isinstance(given, Ratings):
        return given
    raise TypeError(
        f"this needs palate.Ratings, not {type(given).__name__}: make them with palate.as_ratings"
    )
