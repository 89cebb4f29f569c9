"""Which column of a table is what, and the ratings in it."""

from __future__ import annotations

import warnings
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from . import _palate
from ._errors import DataError, UsageError
from ._frames import Columns, listed, take
from ._ids import Codes, Kind, PlainIds, number

_LONG_NAMES = ("criterion", "criteria", "aspect", "attribute", "dimension")
_VALUE_NAMES = ("rating", "value", "score", "stars")


class Ids(NamedTuple):
    """Users or items, as the engine takes them."""

    known: PlainIds
    kind: Kind
    #: The place among those known, row by row.
    rows: Codes


class Table(NamedTuple):
    """Rows of ratings; NaN where a criterion was not rated."""

    criteria: list[str]
    users: Ids
    items: Ids
    values: npt.NDArray[np.float32]
    times: npt.NDArray[np.int64] | None
    titles: list[str] | None


class Roles(NamedTuple):
    """The columns that a caller named."""

    user: str | None
    item: str | None
    overall: str | None
    criteria: Sequence[str] | None
    time: str | None
    title: str | None
    criterion: str | None
    rating: str | None

    def columns(self) -> dict[str, str | None]:
        """Those that a file of ratings has, too."""
        return {name: getattr(self, name) for name in ("user", "item", "overall", "time", "title")}

    def refuse_columns(self) -> None:
        for role in ("user", "item", "time", "title", "criterion", "rating"):
            if getattr(self, role) is not None:
                raise UsageError(
                    f"{role}={getattr(self, role)!r} names a column, but matrices have none",
                    hint="ids go into user_ids and item_ids, names into criteria",
                )

    def refuse_long(self) -> None:
        if self.criterion is not None or self.rating is not None:
            raise UsageError(
                "files are read wide, one row per user and item",
                hint="read a long file into a frame, and pass that",
            )


class OddRows:
    """Rows of a table that cannot be used. A few are set aside with a warning, as those of a file;
    where they are many, or nothing may be odd, the first of them is an error."""

    #: One in so many, and no more than that in all: beyond it the table is not what it seems.
    _one_in, _most = 10, 1000

    def __init__(self, rows: int, zero_is_missing: bool, strict: bool) -> None:
        self.zero_is_missing = zero_is_missing
        #: Where a 0 was taken for "not rated".
        self.zeros = np.zeros(rows, dtype=bool)
        self._odd = np.zeros(rows, dtype=bool)
        self._most_here = 0 if strict else min(self._most, rows // self._one_in)
        self._first: tuple[int, str, str] | None = None

    def note(self, rows: npt.NDArray[Any], name: str, why: Callable[[int], str]) -> None:
        """These rows are odd, by what stands in the column."""
        if not len(rows):
            return
        self._odd[rows] = True
        row = int(rows[0])
        if self._first is None or row < self._first[0]:
            self._first = (row, name, why(row))

    def note_unrated(self, values: npt.NDArray[np.float32]) -> None:
        """Rows without any rating."""
        empty = np.isnan(values).all(axis=1) & ~self._odd
        zero = ': a 0 counts as "not rated" unless you pass zero_is_missing=False'
        self.note(
            np.flatnonzero(empty),
            "",
            lambda row: "there is no rating in the row" + (zero if self.zeros[row] else ""),
        )

    def kept(self) -> npt.NDArray[np.bool_] | None:
        """What is left, or None if that is all."""
        if self._first is None:
            return None
        row, name, why = self._first
        count = int(self._odd.sum())
        if count > self._most_here:
            raise DataError(f"row {row}: {why}", name)
        place = f" ({name})" if name else ""
        warnings.warn(
            f"{count:,} of {len(self._odd):,} rows were set aside; the first is row "
            f"{row}{place}: {why}",
            stacklevel=5,
        )
        return ~self._odd


def table_of(
    columns: Columns, roles: Roles, zero_is_missing: bool, duplicates: str, strict: bool = False
) -> Table:
    taken = {name for name in roles.columns().values() if name is not None}
    taken.update(str(name) for name in roles.criteria or ())
    user = _need(roles.user or _best(columns, taken, _palate.user_fit), columns, "user", "user")
    taken.add(user)
    item = _need(roles.item or _best(columns, taken, _palate.item_fit), columns, "item", "item")
    taken.add(item)
    time = roles.time or _best(columns, taken, _palate.time_fit)
    title = roles.title or _best(columns, taken, _palate.title_fit)
    taken.update(name for name in (time, title) if name is not None)
    times = _times(columns, time, roles.time is not None)
    criterion = roles.criterion or _long_column(columns, taken)
    which = np.empty(0, dtype=np.int64)
    if criterion is not None:
        rating = _value_column(columns, roles, taken, criterion)
        rows = _check_lengths(columns, user, [item, time, title, criterion, rating])
        odd = OddRows(rows, zero_is_missing, strict)
        words = np.asarray(take(columns, criterion, "criterion"), dtype=object)
        names, which = _criteria_in(words, roles)
        values = _ratings(take(columns, rating, "rating"), rating, odd)
    else:
        found, title, highest = _criteria(columns, roles, user, item, time, title, zero_is_missing)
        rows = _check_lengths(columns, user, [item, time, title, *found])
        odd = OddRows(rows, zero_is_missing, strict)
        values = np.empty((rows, len(found)), dtype=np.float32)
        for c, name in enumerate(found):
            column = take(columns, name, "criterion")
            values[:, c] = _ratings(column, name, odd, highest[c])
        odd.note_unrated(values)
        names = ["overall", *found[1:]]
    who, what = take(columns, user, "user"), take(columns, item, "item")
    users, items = Ids(*number(who, "user")), Ids(*number(what, "item"))
    kept = odd.kept()
    if kept is not None:  # who is only in rows that are left out is not known
        users, items = Ids(*number(who[kept], "user")), Ids(*number(what[kept], "item"))
        values, times = values[kept], None if times is None else times[kept]
        which = which[kept] if criterion is not None else which
    titles = None
    if title is not None:
        column = take(columns, title, "title")
        titles = _titles(column if kept is None else column[kept], items)
    table = Table(names, users, items, values, times, titles)
    return table if criterion is None else _widened(table, which, duplicates)


def _titles(column: Any, items: Ids) -> list[str]:
    titles = [""] * len(items.known)
    values = np.asarray(column, dtype=object)
    for code, row in zip(*(part.tolist() for part in np.unique(items.rows, return_index=True))):
        titles[code] = "" if values[row] is None else str(values[row])
    return titles


def _check_lengths(columns: Columns, user: str, others: Sequence[str | None]) -> int:
    rows = len(take(columns, user, "user"))
    if not rows:
        raise DataError("there are no rows", hint="a table needs at least one rating")
    for name in others:
        if name is not None and len(take(columns, name, "criterion")) != rows:
            count = len(columns[name]())
            raise DataError(f"the column {name!r} has {count} rows, the user column {rows}")
    return rows


def _best(columns: Columns, taken: set[str], fit: Callable[[str], int]) -> str | None:
    free = [name for name in columns if name not in taken and fit(name) > 0]
    return max(free, key=fit) if free else None


def _need(found: str | None, columns: Columns, role: str, what: str) -> str:
    if found is None:
        raise UsageError(
            f"no column looks like the {what}",
            hint=f"name it, {role}=...; the columns are {listed(columns)}; a matrix of users by items "
            "is no table: pass frame.to_numpy()"
            if role == "user"
            else f"name it, {role}=...; the columns are {listed(columns)}",
        )
    return found


def _is_numeric(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in "iuf"


def _criteria(
    columns: Columns,
    roles: Roles,
    user: str,
    item: str,
    time: str | None,
    title: str | None,
    zero_is_missing: bool,
) -> tuple[list[str], str | None, list[float]]:
    """The overall column first, then the others that hold ratings; the column of titles: one that
    nobody named has to be one by what it holds, too; and from where on a value lies far above all
    others of its column."""
    taken = {name for name in (user, item, time, title) if name is not None}
    likely = roles.overall or _best(columns, taken, _palate.overall_fit)
    overall = _need(likely, columns, "overall", "overall rating")
    named = None if roles.criteria is None else [str(name) for name in roles.criteria]
    guessed = title is not None and roles.title is None
    free = [name for name in columns if name not in taken and name != overall]
    chosen = free if named is None else named
    names = [user, item, overall, *chosen, *([title] if title is not None and guessed else [])]
    for name in names:
        take(columns, name, "criterion")
    cells = [_texts(columns[name]()) for name in names]
    if len({len(one) for one in cells}) > 1:
        none = [np.inf] * (1 + len(chosen))
        return [overall, *chosen], title, none  # whoever compares lengths says what is wrong
    known = {"user": user, "item": item, "overall": overall}
    criteria, highest, advice, found = _palate.guess_criteria(
        names, cells, known, named or [], zero_is_missing, 0.0
    )
    for sentence in advice if named is None else ():
        warnings.warn(sentence, stacklevel=5)
    return [overall, *criteria], (found or None) if guessed else title, list(highest)


_SAMPLE = 10_000


def _texts(column: Any) -> list[str]:
    """Some cells of a column, spread over all of it, as a file would have them."""
    rows = len(column)
    if rows > _SAMPLE:
        places = np.unique(np.linspace(0, rows - 1, _SAMPLE).astype(np.int64))
        column = column[places]
    values = np.asarray(column).tolist()
    # Ids may hold text that is no UTF-8.
    return [
        "" if _is_missing(one) else str(one).encode("utf-8", "replace").decode() for one in values
    ]


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ == "NAType"


def _ratings(
    column: Any, name: str, odd: OddRows, highest: float = np.inf
) -> npt.NDArray[np.float32]:
    array = np.asarray(column)
    if array.ndim != 1:
        raise DataError(f"the column {name!r} must be one-dimensional")
    if array.dtype.kind in "OUST":
        array = _numbers(array, name, odd)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"the column {name!r} holds {array.dtype}, not ratings")
    with np.errstate(over="ignore"):
        out = array.astype(np.float32)
    refused = np.flatnonzero((out < 0) | np.isinf(out))
    odd.note(refused, name, lambda _: "a rating must be a finite number that is not negative")
    above = np.flatnonzero((out > highest) & np.isfinite(out))
    odd.note(above, name, lambda row: f"{array[row]:g} is far above the others of this column")
    if odd.zero_is_missing:
        odd.zeros |= out == 0
        out[out == 0] = np.nan
    return out


def _numbers(array: npt.NDArray[Any], name: str, odd: OddRows) -> npt.NDArray[np.float64]:
    out = np.full(len(array), np.nan, dtype=np.float64)
    words = frozenset(["", *_palate.missing_words()])
    wrong = []
    for row, value in enumerate(array.tolist()):
        try:
            missing = value is None or type(value).__name__ == "NAType"
            missing = missing or (isinstance(value, str) and value.strip().lower() in words)
            out[row] = np.nan if missing else float(value)
        except (TypeError, ValueError):
            wrong.append(row)
    odd.note(np.asarray(wrong, dtype=np.int64), name, lambda row: f"{array[row]!r} is not a rating")
    return out


def _times(columns: Columns, name: str | None, named: bool) -> npt.NDArray[np.int64] | None:
    """Unix seconds. A column that was only guessed is passed over if it holds no times."""
    if name is None:
        return None
    array = np.asarray(take(columns, name, "time"))
    if array.dtype.kind == "M":
        gone = np.isnat(array)
        seconds = array.astype("datetime64[s]").astype(np.int64)
        return np.where(gone, _palate.no_time, seconds)
    if array.dtype.kind in "iuf":
        size = np.abs(array.astype(np.float64))
        unit = np.select([size > 1e17, size > 1e14, size > 1e11], [1e9, 1e6, 1e3], 1.0)
        gone = ~(size < 1e20)
        seconds = np.floor(np.where(gone, 0, array) / unit).astype(np.int64)
        return np.where(gone, _palate.no_time, seconds)
    if named:
        raise TypeError(
            f"the column {name!r} holds {array.dtype}, not times: convert it to datetime64 or to "
            "unix seconds first"
        )
    return None


# -------------------------------------------------------------------------------- long tables


def _long_column(columns: Columns, taken: set[str]) -> str | None:
    """A column of words that says which criterion a row is about."""
    for name in columns:
        if name.lower() in _LONG_NAMES and name not in taken and not _is_numeric(columns[name]()):
            return name
    return None


def _value_column(columns: Columns, roles: Roles, taken: set[str], criterion: str) -> str:
    free = [name for name in columns if name not in taken and name != criterion]
    likely = roles.rating or next((n for n in free if n.lower() in _VALUE_NAMES), None)
    return _need(likely, columns, "rating", "value of a rating")


def _widened(table: Table, which: npt.NDArray[np.int64], duplicates: str) -> Table:
    """One row per user and item, from one per rating; ``which`` is its criterion, or -1."""
    width, count = max(len(table.items.known), 1), len(table.criteria)
    kept = np.flatnonzero((which >= 0) & ~np.isnan(table.values))
    times = None if table.times is None else table.times[kept]
    pair = table.users.rows[kept].astype(np.int64) * width + table.items.rows[kept]
    pairs, row = np.unique(pair, return_inverse=True)
    out = np.full(len(pairs) * count, np.nan, dtype=np.float32)
    _settle(out, row * count + which[kept], table.values[kept], times, duplicates)
    newest = None
    if times is not None:
        newest = np.full(len(pairs), _palate.no_time, dtype=np.int64)
        np.maximum.at(newest, row, times)
    user, item = np.divmod(pairs, width)
    return table._replace(
        users=table.users._replace(rows=user.astype(np.uint32)),
        items=table.items._replace(rows=item.astype(np.uint32)),
        values=out.reshape(len(pairs), count),
        times=newest,
    )


def _criteria_in(words: npt.NDArray[Any], roles: Roles) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The criteria, overall first, and which of them each row is about (-1: none)."""
    seen = list(dict.fromkeys(str(word) for word in words.tolist()))
    overall = roles.overall or next((word for word in seen if word.lower() == "overall"), None)
    if overall is None or overall not in seen:
        raise UsageError(
            "none of the criteria is the overall rating",
            hint=f"name it, overall=...; the criteria are {', '.join(seen)}",
        )
    wanted = [str(name) for name in roles.criteria] if roles.criteria is not None else seen
    names = [overall, *(name for name in wanted if name != overall)]
    place = {name: c for c, name in enumerate(names)}
    which = np.fromiter(
        (place.get(str(word), -1) for word in words.tolist()), dtype=np.int64, count=len(words)
    )
    return ["overall", *names[1:]], which


def _settle(
    out: npt.NDArray[np.float32],
    cell: npt.NDArray[np.int64],
    value: npt.NDArray[np.float32],
    times: npt.NDArray[np.int64] | None,
    duplicates: str,
) -> None:
    """One value per cell out of those given for it."""
    if duplicates == "mean":
        count = np.bincount(cell, minlength=len(out))
        total = np.bincount(cell, weights=value, minlength=len(out))
        np.divide(total, count, out=out, where=count > 0, casting="unsafe")
        return
    if duplicates == "error" and np.unique(cell).size != cell.size:
        raise DataError(
            "a user rated an item on one criterion more than once",
            hint="choose what to keep: last, first or mean",
        )
    if duplicates not in ("last", "first", "error"):
        raise UsageError(
            f"there is no rule {duplicates!r} for repeated pairs",
            hint="choose one of last, first, mean, error",
        )
    order = np.arange(len(cell)) if times is None else np.argsort(times, kind="stable")
    if duplicates == "first":
        order = order[::-1]
    out[cell[order]] = value[order]
