"""Tables of any library as named columns of NumPy arrays."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._errors import DataError, NotFoundError
from ._show import known, shortened

Column = Any  # a NumPy array, or a pandas.Categorical
Columns = Mapping[str, Callable[[], Column]]


def need(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.split(".")[0]
        raise ImportError(
            f"{what} needs {name}, which is not installed: pip install {name}"
        ) from None


def need_pandas() -> Any:
    return need("pandas", "a frame")


def _library(table: object) -> str:
    return type(table).__module__.split(".")[0]


def _pandas_column(series: Any) -> Column:
    if str(series.dtype) == "category":
        return series.array
    if getattr(series.dtype, "na_value", None) is not None and series.dtype.kind in "iufb":
        if series.isna().any():  # pandas' own integers and floats with missing values
            return series.to_numpy(dtype=np.float64, na_value=np.nan)
        return series.to_numpy(dtype=series.dtype.numpy_dtype)
    if getattr(series.dtype, "tz", None) is not None:
        return series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    return series.to_numpy()


def _polars_column(series: Any) -> Column:
    kind = str(series.dtype)
    if kind.startswith(("Categorical", "Enum")):
        series = series.cast(str)
    if kind.startswith("Decimal"):
        series = series.cast(float)
    return series.to_numpy()


def _arrow_column(column: Any) -> Column:
    pyarrow = need("pyarrow", "an Arrow table")
    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pyarrow.types.is_decimal(column.type):
        column = column.cast(pyarrow.float64())
    return column.to_numpy()


def columns_of(data: Any) -> Columns | None:
    """The columns of a table by name, made when asked for; None if ``data`` is no table."""
    library = _library(data)
    if library == "pandas" and hasattr(data, "columns"):
        names = enumerate(data.columns)
        return {str(n): partial(lambda k: _pandas_column(data.iloc[:, k]), k) for k, n in names}
    if library == "polars" and hasattr(data, "select"):
        frame = data.collect() if hasattr(data, "collect") else data
        return {n: partial(lambda n: _polars_column(frame.get_column(n)), n) for n in frame.columns}
    if library == "pyarrow" and hasattr(data, "column_names"):
        return {n: partial(lambda n: _arrow_column(data.column(n)), n) for n in data.column_names}
    if isinstance(data, np.ndarray) and data.dtype.names:
        return {name: partial(data.__getitem__, name) for name in data.dtype.names}
    if isinstance(data, Mapping) and data and all(map(_is_column, data.values())):
        return {str(name): partial(_plain_column, column) for name, column in data.items()}
    return None


def _is_column(value: Any) -> bool:
    if hasattr(value, "ndim"):
        return bool(value.ndim == 1)
    return isinstance(value, (list, tuple)) and not any(
        hasattr(one, "ndim") or isinstance(one, (list, tuple)) for one in value[:1]
    )


def _plain_column(values: Any) -> Column:
    if _library(values) == "pandas" and hasattr(values, "iloc"):
        return _pandas_column(values)
    if _library(values) == "polars":
        return _polars_column(values)
    array = np.asarray(values)
    # NumPy makes text of [1, "a"]; as objects the mixture shows.
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)
    if array.dtype.kind == "O" and all(v is None or _is_number(v) for v in array.tolist()):
        if any(v is None for v in array.tolist()):
            array = array.astype(np.float64)
    return array


def named_rows(data: Any, columns: Sequence[str]) -> dict[str, Column]:
    """An array with a row per user and item as columns by name."""
    array = np.asarray(data)
    if array.ndim != 2 or array.shape[1] != len(columns):
        shape = " x ".join(map(str, array.shape))
        raise DataError(
            f"columns names {len(columns)} columns, but the data are {shape}",
            hint="columns goes with an array that has a row per user and item",
        )
    out = {}
    for place, name in enumerate(columns):
        column = _plain_column(array[:, place].tolist())
        # An array has one type for all, so that ids beside ratings are floats.
        if column.dtype.kind == "f" and np.all(column == np.floor(column)):
            column = column.astype(np.int64)
        out[str(name)] = column
    return out


def refuse_rows(array: npt.NDArray[Any]) -> None:
    """Rows of user, item and ratings are no matrix of users by items, though they look like one."""
    if array.ndim != 2 or array.shape[1] < 3:
        return
    hint = 'columns=["user", "item", "overall"] says what stands in each column'
    if array.dtype.kind in "OUS":
        raise TypeError(f"a matrix holds numbers, not {array.dtype}; for rows of ratings, {hint}")
    if array.shape[1] > 34 or array.dtype.kind not in "iuf" or len(array) < 2:
        return
    ids, rest = array[:, :2], array[:, 2:]
    whole = np.all(ids == np.floor(ids)) and np.all(ids >= 0)
    pairs = 2 * len(np.unique(ids, axis=0)) > len(ids)  # some may come again
    # Ids grow with the data, ratings stay on their scale.
    if whole and pairs:
        if np.nanmin(ids.max(axis=0)) > 2 * np.nanmax(rest, initial=0) > 0:
            raise DataError(
                "this array looks like rows of user, item and ratings, not like a matrix of users "
                "by items",
                hint=hint + "; a matrix goes in a list, [array]",
            )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def take(columns: Columns, name: str, role: str) -> Column:
    if name not in columns:
        raise NotFoundError(
            f"there is no column {name!r} for the {role}",
            hint=known(name, list(columns), "columns"),
        )
    return columns[name]()


def listed(columns: Columns) -> str:
    names = [shortened(name) for name in columns]
    return ", ".join(names[:32]) + (", …" if len(names) > 32 else "")
