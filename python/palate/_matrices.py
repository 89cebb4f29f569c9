"""One matrix per criterion, users by items, as rows of ratings."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from ._errors import DataError, UsageError
from ._frames import need


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


def _numeric(matrix: Any, place: int) -> None:
    if np.dtype(matrix.dtype).kind not in "iufb":
        raise TypeError(f"matrix {place} holds {matrix.dtype}, not numbers")


def _refuse_nan(values: npt.NDArray[Any], place: int) -> None:
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise DataError(
            f"matrix {place} stores NaN", hint="what was not rated is simply not stored"
        )


def _canonical(matrix: Any, place: int, zero_is_missing: bool) -> Any:
    """As CSR with sorted, distinct columns in each row; copied only if it is not so already."""
    _numeric(matrix, place)
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
    _refuse_nan(matrix.data, place)
    if zero_is_missing and not matrix.data.all():
        if matrix is given:
            matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix


def _same_pattern(one: Any, other: Any) -> bool:
    return bool(
        one.nnz == other.nnz
        and (one.indptr is other.indptr or np.array_equal(one.indptr, other.indptr))
        and (one.indices is other.indices or np.array_equal(one.indices, other.indices))
    )


def _keys(matrix: Any) -> npt.NDArray[np.int64]:
    """The places of stored ratings as ascending numbers: row by row, column by column."""
    rows = np.repeat(
        np.arange(matrix.shape[0], dtype=np.int64) * matrix.shape[1], np.diff(matrix.indptr)
    )
    keys: npt.NDArray[np.int64] = rows + matrix.indices
    return keys


def _within(
    keys: npt.NDArray[np.int64], union: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    """Where ``keys`` stand in ``union``; None if one of them does not."""
    places = np.searchsorted(union, keys)
    inside = bool(len(union)) and bool(np.all(union[np.minimum(places, len(union) - 1)] == keys))
    return places if inside or not len(keys) else None


def _user_of_each(indptr: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.uint32), np.diff(indptr))


def from_sparse(matrices: Sequence[Any], zero_is_missing: bool) -> Rows:
    shape = _check_shapes(matrices)
    canonical = [_canonical(m, place, zero_is_missing) for place, m in enumerate(matrices)]
    first = max(canonical, key=lambda m: m.nnz)
    union: npt.NDArray[np.int64] | None = None  # of all patterns, where they differ
    others = [m for m in canonical if not _same_pattern(m, first)]
    if others:
        union = _keys(first)
        for matrix in others:
            if _within(_keys(matrix), union) is None:
                union = np.union1d(union, _keys(matrix))
    count = first.nnz if union is None else len(union)
    values = np.full((count, len(canonical)), np.nan, dtype=np.float32)
    for c, matrix in enumerate(canonical):
        if matrix.nnz == count:
            values[:, c] = matrix.data
        elif union is not None:
            values[_within(_keys(matrix), union), c] = matrix.data
    if union is None or len(union) == first.nnz:
        user, item = _user_of_each(first.indptr), first.indices
    else:
        user, item = np.divmod(union, shape[1])
    return Rows(_unsigned(user), _unsigned(item), values, shape)


def _unsigned(index: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    if index.dtype == np.int32:
        return index.view(np.uint32)  # SciPy's, never negative
    return index.astype(np.uint32, copy=False)


def from_dense(matrices: Sequence[Any], zero_is_missing: bool) -> Rows:
    shape = _check_shapes(matrices)
    present = np.zeros(shape, dtype=bool)
    for place, matrix in enumerate(matrices):
        _numeric(matrix, place)
        present |= _rated(matrix, zero_is_missing)
    user, item = np.nonzero(present)
    values = np.full((len(user), len(matrices)), np.nan, dtype=np.float32)
    for c, matrix in enumerate(matrices):
        column = matrix[user, item].astype(np.float32)
        values[:, c] = np.where(_rated(column, zero_is_missing), column, np.nan)
    return Rows(user.astype(np.uint32), item.astype(np.uint32), values, shape)


def _rated(matrix: npt.NDArray[Any], zero_is_missing: bool) -> npt.NDArray[np.bool_]:
    rated = ~np.isnan(matrix) if matrix.dtype.kind == "f" else np.ones(matrix.shape, dtype=bool)
    if zero_is_missing:
        rated &= matrix != 0
    return rated


def to_rows(matrices: Sequence[Any], zero_is_missing: bool) -> Rows:
    if any(map(is_sparse, matrices)):
        sparse = need("scipy.sparse", "a sparse matrix")
        matrices = [m if is_sparse(m) else sparse.csr_matrix(m) for m in matrices]
        return from_sparse(matrices, zero_is_missing)
    return from_dense(matrices, zero_is_missing)
