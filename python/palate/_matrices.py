"""One matrix per criterion, users by items, as rows of ratings."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from ._errors import DataError, UsageError

Keys = npt.NDArray[np.int64]


class Rows(NamedTuple):
    """Interactions by user, then item; NaN where a criterion was not rated."""

    user: npt.NDArray[np.uint32]
    item: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]
    shape: tuple[int, int]


def is_sparse(value: object) -> bool:
    return hasattr(value, "tocsr") and hasattr(value, "nnz")


def is_matrix(value: object) -> bool:
    return is_sparse(value) or (isinstance(value, np.ndarray) and value.ndim == 2)


def listed(data: Any) -> tuple[list[Any], list[str] | None] | None:
    """The matrices that ``data`` holds and their names; None if it holds none."""
    if is_matrix(data) and not getattr(data, "dtype", np.dtype(float)).names:
        return [data], None
    if isinstance(data, np.ndarray) and data.ndim == 3:
        return list(data), None
    if isinstance(data, Mapping) and data and all(map(is_matrix, data.values())):
        return list(data.values()), [str(name) for name in data]
    if isinstance(data, (list, tuple)) and data and all(map(is_matrix, data)):
        return list(data), None
    return None


def names_for(count: int, overall: str | None, criteria: Sequence[str] | None) -> list[str]:
    """Names as those of a folder of matrices, unless the caller has others."""
    names = [overall or "overall"] + [f"criterion{c}" for c in range(1, count)]
    if criteria is None:
        return names
    given = [str(name) for name in criteria]
    if len(given) == count and overall is None:
        return given
    if len(given) != count - 1:
        raise UsageError(
            f"{len(given)} criteria are named, but there are {count} matrices",
            hint="name each one, overall first, or all but overall",
        )
    return names[:1] + given


def _check_shapes(matrices: Sequence[Any]) -> tuple[int, int]:
    first = tuple(matrices[0].shape)
    for place, matrix in enumerate(matrices):
        shape = tuple(matrix.shape)
        if shape == first:
            continue
        hint = "all need the same users (rows) and items (columns)"
        if shape == first[::-1]:
            hint = "it looks transposed: rows are users, columns are items"
        raise DataError(
            f"matrix {place} has the shape {_by(shape)}, matrix 0 has {_by(first)}", hint=hint
        )
    return first[0], first[1]


def _by(shape: Sequence[int]) -> str:
    return " x ".join(str(n) for n in shape)


def check_ids(shape: tuple[int, int], users: int | None, items: int | None) -> None:
    """Whether the ids that came with matrices are as many as rows and columns."""
    if users is not None and items is not None and (users, items) == shape[::-1] != shape:
        raise DataError(
            f"the matrices are {_by(shape)}, but there are {users} user ids and {items} item ids",
            hint="they look transposed: rows are users, columns are items; pass m.T",
        )
    for what, count, have in (("user", users, shape[0]), ("item", items, shape[1])):
        if count is not None and count != have:
            line = "rows" if what == "user" else "columns"
            raise DataError(f"there are {count} {what} ids for {have} {line}")


def _canonical(matrix: Any, place: int, zero_is_missing: bool) -> Any:
    """As CSR with sorted, distinct columns in each row; copied only if it is not so already."""
    given = matrix
    matrix = matrix.tocsr()
    if not matrix.has_canonical_format:
        if matrix is given:
            matrix = matrix.copy()
        before = matrix.nnz
        matrix.sum_duplicates()
        if matrix.nnz != before:
            raise DataError(
                f"matrix {place} stores a rating twice",
                hint="decide between them, or call sum_duplicates() if they are to be added",
            )
    if matrix.data.dtype.kind == "f" and np.isnan(matrix.data).any():
        raise DataError(
            f"matrix {place} stores NaN", hint="what was not rated is simply not stored"
        )
    if zero_is_missing and not matrix.data.all():
        if matrix is given:
            matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix


def _rated(matrix: Any, place: int, zero_is_missing: bool) -> tuple[Keys, npt.NDArray[Any]]:
    """Where ratings stand, as ascending numbers (row by row, column by column), and the ratings."""
    if np.dtype(matrix.dtype).kind not in "iufb":
        raise TypeError(
            f"matrix {place} holds {matrix.dtype}, not numbers; a table of users, items and ratings is "
            "passed as a frame"
        )
    if is_sparse(matrix):
        matrix = _canonical(matrix, place, zero_is_missing)
        begins = np.arange(matrix.shape[0], dtype=np.int64) * matrix.shape[1]
        return np.repeat(begins, np.diff(matrix.indptr)) + matrix.indices, matrix.data
    values = matrix.ravel()
    there = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(values.shape, dtype=bool)
    if zero_is_missing:
        there &= values != 0
    keys = np.flatnonzero(there)
    return keys, values[keys]


def to_rows(matrices: Sequence[Any], zero_is_missing: bool) -> Rows:
    shape = _check_shapes(matrices)
    rated = [_rated(matrix, place, zero_is_missing) for place, matrix in enumerate(matrices)]
    union = rated[0][0]
    if not all(np.array_equal(keys, union) for keys, _ in rated):
        # A stable sort only merges what is sorted already; np.union1d took 20 times as long.
        merged = np.sort(np.concatenate([keys for keys, _ in rated]), kind="stable")
        union = merged[np.diff(merged, prepend=-1) != 0]
    values = np.full((len(union), len(rated)), np.nan, dtype=np.float32)
    for c, (keys, given) in enumerate(rated):
        same = len(keys) == len(union)
        values[slice(None) if same else np.searchsorted(union, keys), c] = given
    user, item = np.divmod(union, max(shape[1], 1))
    return Rows(user.astype(np.uint32), item.astype(np.uint32), values, shape)
