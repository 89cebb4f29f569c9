"""Ids of users and items: integers stay integers, text stays text.

The engine knows ids as text. Here they get the type back that the caller gave them.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import DataError, NotFoundError

Id = Union[int, str]
Kind = Literal["int", "str"]
Codes = npt.NDArray[np.uint32]
#: Ids as the engine takes them: text, or an array of int64.
PlainIds = Union["list[str]", npt.NDArray[np.int64]]

MISSING = np.uint32(0xFFFFFFFF)


def is_scalar(value: object) -> bool:
    return isinstance(value, (str, int, np.integer)) and not isinstance(value, bool)


def _refuse(what: str, given: object) -> TypeError:
    kind = given.dtype if isinstance(given, np.ndarray) else type(given).__name__
    hint = ""
    if isinstance(given, np.ndarray) and given.dtype.kind == "f":
        hint = "; convert them first, for example with .astype(int)"
    return TypeError(f"{what} ids must be integers or text, not {kind}{hint}")


def _missing(row: int, what: str) -> DataError:
    return DataError(f"row {row}: the {what} id is missing", hint="drop such rows first")


def _all_of(values: Sequence[Any], what: str) -> Kind:
    """Whether Python objects are all integers or all text."""
    kinds = set(map(type, values))
    if all(issubclass(kind, str) for kind in kinds):
        return "str"
    if all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        return "int"
    for row, value in enumerate(values):
        if value is None or value != value:
            raise _missing(row, what)
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    if any(hasattr(value, "__len__") and not isinstance(value, str) for value in values):
        raise TypeError(f"{what}s are one id or a list of ids, not a list of {names}")
    raise TypeError(f"{what} ids must be all integers or all text, not {names}")


def _as_int64(values: Any, what: str) -> npt.NDArray[np.int64]:
    try:
        array = np.asarray(values)
        if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
            raise OverflowError
        return array.astype(np.int64)
    except OverflowError:
        raise DataError(
            f"a {what} id does not fit into 64 bits", hint="give such ids as text"
        ) from None


def plain_ids(given: Any, what: str) -> tuple[PlainIds, Kind]:
    """Distinct ids, as the engine takes them, and their kind."""
    array = given if isinstance(given, np.ndarray) else np.asarray(given)
    if array.ndim != 1:
        raise DataError(f"{what} ids must be one-dimensional, not {array.ndim}-dimensional")
    if array.dtype.kind in "iu":
        return _as_int64(array, what), "int"
    if array.dtype.kind == "U":
        return [str(one) for one in array.tolist()], "str"
    if array.dtype.kind not in "OT":
        raise _refuse(what, array)
    values = array.tolist()
    if _all_of(values, what) == "int":
        return _as_int64(values, what), "int"
    return values, "str"


def _codes_of_objects(values: npt.NDArray[Any]) -> tuple[list[Any], npt.NDArray[Any]]:
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        codes, uniques = pandas.factorize(values)
        return list(uniques), codes
    numbers: dict[Any, int] = {}
    codes = np.fromiter(
        (-1 if v is None or v != v else numbers.setdefault(v, len(numbers)) for v in values),
        dtype=np.int64,
        count=len(values),
    )
    return list(numbers), codes


def number(column: Any, what: str) -> tuple[PlainIds, Kind, Codes]:
    """The distinct ids of a column, their kind, and the place of each row's id among them."""
    if hasattr(column, "categories") and hasattr(column, "codes"):  # pandas.Categorical
        codes = np.asarray(column.codes)
        _refuse_missing(codes, what)
        used, places = np.unique(codes, return_inverse=True)
        distinct, kind = plain_ids(np.asarray(column.categories)[used], what)
        return distinct, kind, places.astype(np.uint32)
    array = np.asarray(column)
    if array.ndim != 1:
        raise DataError(f"the {what} column must be one-dimensional")
    if array.dtype.kind in "iu":
        numbers = _as_int64(array, what)
        uniques, codes = _codes_of_integers(numbers)
        return uniques, "int", codes.astype(np.uint32, copy=False)
    if array.dtype.kind in "UT":
        array = array.astype(object)
    if array.dtype.kind != "O":
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise _missing(int(np.flatnonzero(np.isnan(array))[0]), what)
        raise _refuse(what, array)
    values, codes = _codes_of_objects(array)
    _refuse_missing(codes, what)
    kind = _all_of(values, what)
    ids: PlainIds = _as_int64(values, what) if kind == "int" else [str(v) for v in values]
    return ids, kind, codes.astype(np.uint32)


def _codes_of_integers(
    numbers: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    if len(numbers) == 0:
        return numbers, np.empty(0, np.uint32)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low <= 4 * len(numbers) + 1000:  # dense enough for a table, which is quick
        seen = np.zeros(high - low + 1, dtype=bool)
        seen[numbers - low] = True
        place = np.cumsum(seen, dtype=np.uint32) - np.uint32(1)
        return np.flatnonzero(seen).astype(np.int64) + low, place[numbers - low]
    return np.unique(numbers, return_inverse=True)


def _refuse_missing(codes: npt.NDArray[Any], what: str) -> None:
    gone = np.flatnonzero(codes < 0)
    if gone.size:
        raise _missing(int(gone[0]), what)


def _listed(given: Any, what: str) -> list[Any]:
    for way in ("tolist", "to_list", "to_pylist"):  # NumPy and pandas, polars, Arrow
        if hasattr(given, way):
            return list(getattr(given, way)())
    if isinstance(given, (bytes, float, bool)) or not hasattr(given, "__iter__"):
        raise TypeError(
            f"{what} ids are integers or text, not {type(given).__name__}: {given!r:.40}"
        )
    return list(given)


def for_lookup(given: Any, kind: Kind, what: str) -> PlainIds:
    """Ids to look up, refused if they are of the other kind than those known."""
    if getattr(given, "ndim", 1) != 1 or hasattr(given, "columns"):
        shape = "a table" if hasattr(given, "columns") else f"an array of {given.ndim} dimensions"
        raise DataError(
            f"{what}s are one id or a list of ids, not {shape}",
            hint="pass one column of it, or .ravel() it first",
        )
    if isinstance(given, np.ndarray) and given.dtype.kind in "iu" and kind == "int":
        return _as_int64(given, what)
    values = _listed(given, what)
    if not values:
        return np.empty(0, np.int64)
    asked = _all_of(values, what)
    if asked != kind:
        known = "integers" if kind == "int" else "text"
        raise NotFoundError(
            f"the {what} {values[0]!r} is not known", hint=f"the {what} ids here are {known}"
        )
    return _as_int64(values, what) if kind == "int" else values


def kind_of_texts(numbers: npt.NDArray[np.int64] | None, wanted: str) -> Kind:
    """The kind of ids that came as text, from a file."""
    if wanted == "str" or (wanted == "auto" and numbers is None):
        return "str"
    if wanted not in ("auto", "int"):
        raise ValueError(f"ids={wanted!r}: choose 'auto', 'int' or 'str'")
    if numbers is None:
        raise DataError("not all ids are integers", hint="leave out ids='int'")
    return "int"
