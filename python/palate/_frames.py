"""Tables of any library as named columns of NumPy arrays."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, Callable, Mapping

import numpy as np

from ._errors import NotFoundError

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


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def take(columns: Columns, name: str, role: str) -> Column:
    if name not in columns:
        raise NotFoundError(
            f"there is no column {name!r} for the {role}", hint="the columns are " + listed(columns)
        )
    return columns[name]()


def listed(columns: Columns) -> str:
    return ", ".join(columns)
