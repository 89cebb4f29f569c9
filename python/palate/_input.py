"""From whatever people have to :class:`palate.Ratings`."""

from __future__ import annotations

import difflib
import inspect
import os
import warnings
from typing import Any, Sequence

import numpy as np

from . import _matrices, _palate
from ._errors import DataError, NotFoundError, UsageError
from ._frames import columns_of, named_rows, need, refuse_rows
from ._ids import MISSING, Kind, PlainIds, plain_ids
from ._ratings import Ratings, Split
from ._run import Progress, as_threads, telling
from ._show import known
from ._tables import Ids, Roles, Table, table_of

_ACCEPTED = (
    "a pandas or polars frame, a dict of columns, a list of matrices (users by items, one per "
    "criterion), or the path of a file"
)


def as_ratings(
    data: Any,
    *,
    user: str | None = None,
    item: str | None = None,
    overall: str | None = None,
    criteria: Sequence[str] | None = None,
    time: str | None = None,
    title: str | None = None,
    criterion: str | None = None,
    rating: str | None = None,
    user_ids: Any = None,
    item_ids: Any = None,
    columns: Sequence[str] | None = None,
    zero_is_missing: bool = True,
    duplicates: str = "last",
    strict: bool = False,
    like: Ratings | None = None,
    unknown: str = "error",
) -> Ratings:
    """Ratings from a frame, columns, matrices or a file.

    * **A frame** (pandas, polars, pyarrow), a dict of columns or a structured array. *Wide*: one row
      per (user, item) pair and one column per criterion; columns that are not named are guessed from
      their names as :func:`palate.read` guesses them. *Long*: one row per single rating;
      ``criterion`` names the column that says which criterion, ``rating`` the one with the value.
    * **Matrices**, users by items, one per criterion, overall first: a list, a dict by name, or an
      array of three dimensions. SciPy's sparse formats of any number type, or NumPy arrays. Ids are
      ``user_ids`` and ``item_ids``, by default row and column numbers.
    * **Rows in an array** of two dimensions, with ``columns`` that names what stands in each:
      ``columns=["user", "item", "overall", "taste"]``.
    * **A path**: as :func:`palate.read`.

    Ids are integers or text, and come back as they were given. NaN, None and null mean "not rated",
    and so does 0 unless ``zero_is_missing=False``; in a sparse matrix what is not stored was not
    rated, and a stored NaN is refused. ``duplicates`` says which of several rows of one pair counts:
    "last", "first", "mean" or "error".

    Rows of a table that cannot be used, because a cell is no rating or nothing is rated, are set
    aside with a warning; with ``strict=True``, and where they are more than one in ten, the first of
    them is an error.

    With ``like``, the result has the ids and criteria of those ratings: a test part for a model.
    Users, items and criteria that ``like`` does not know are a ``KeyError``, or left out with
    ``unknown="drop"``.

    >>> import palate, pandas
    >>> long = pandas.DataFrame({"user": ["ann", "ann", "bob"], "hotel": [7, 7, 7],
    ...     "criterion": ["overall", "rooms", "overall"], "rating": [4, 5, 3]})
    >>> palate.as_ratings(long)
    Ratings(users=2, items=1, interactions=2, criteria=['overall', 'rooms'])
    >>> import numpy
    >>> overall = numpy.array([[5, 0, 3], [0, 4, 1]])
    >>> palate.as_ratings([overall, overall], criteria=["service"], item_ids=["a", "b", "c"])
    Ratings(users=2, items=3, interactions=4, criteria=['overall', 'service'])
    """
    if unknown not in ("error", "drop"):
        raise UsageError(f"unknown={unknown!r}", hint="choose 'error' or 'drop'")
    roles = Roles(user, item, overall, criteria, time, title, criterion, rating)
    if columns is not None:
        data = named_rows(data, columns)
    if isinstance(data, Ratings):
        if any(one is not None for one in (*roles, user_ids, item_ids)):
            raise UsageError("these are ratings already", hint="leave out names of columns and ids")
        if like is not None and not _same_catalogue(data, like):
            raise UsageError(
                "these ratings have other users or items",
                hint="split one set of ratings, or give the frame itself with like=",
            )
        return data
    if (user_ids is not None or item_ids is not None) and not _matrices.listed(data):
        raise UsageError("user_ids and item_ids go with matrices", hint="a table has its own ids")
    if isinstance(data, (str, os.PathLike)):
        how: Any = dict(zero_is_missing=zero_is_missing, duplicates=duplicates, like=like)
        how["strict"] = strict
        return _read(data, roles, **how)[0]
    found = _matrices.listed(data)
    if found is not None:
        roles.refuse_columns()
        if isinstance(data, np.ndarray):
            refuse_rows(data)
        return _from_matrices(*found, roles, user_ids, item_ids, zero_is_missing, like, unknown)
    table = columns_of(data)
    if table is None:
        raise TypeError(_explain_type(data))
    rows = table_of(table, roles, zero_is_missing, duplicates, strict)
    return _make(rows, duplicates, like, unknown)


def _explain_type(data: Any) -> str:
    if isinstance(data, (list, tuple, dict)) and not data:
        return f"there are no ratings in an empty {type(data).__name__}; pass {_ACCEPTED}"
    if isinstance(data, (list, tuple)):
        kinds = ", ".join(sorted({type(one).__name__ for one in data}))
        if any(columns_of(one) for one in data[:1]):
            return (
                f"a list holds matrices, one per criterion, not {kinds}: pass one table, or a "
                "matrix of each, [one.to_numpy() for one in tables]"
            )
        return f"cannot take ratings from a {type(data).__name__} of {kinds}; pass {_ACCEPTED}"
    if isinstance(data, np.ndarray):
        return f"cannot take ratings from an array of {data.ndim} dimension(s); pass {_ACCEPTED}"
    return f"cannot take ratings from {type(data).__name__}; pass {_ACCEPTED}"


def _same_catalogue(one: Ratings, other: Ratings) -> bool:
    return one is other or (
        one.criteria == other.criteria
        and np.array_equal(one.user_ids, other.user_ids)
        and np.array_equal(one.item_ids, other.item_ids)
    )


# ---------------------------------------------------------------------------------- matrices


def _from_matrices(
    matrices: list[Any],
    names: list[str] | None,
    roles: Roles,
    user_ids: Any,
    item_ids: Any,
    zero_is_missing: bool,
    like: Ratings | None,
    unknown: str,
) -> Ratings:
    if names is None:
        if like is not None and roles.overall is None and roles.criteria is None:
            names = list(like.criteria)[: len(matrices)]
        names = _matrices.names_for(len(matrices), roles.overall, roles.criteria or names)
    rows = _matrices.to_rows(matrices, zero_is_missing)
    users = Ids(*_ids_of_matrix(user_ids, rows.shape[0], "user"), rows.user)
    items = Ids(*_ids_of_matrix(item_ids, rows.shape[1], "item"), rows.item)
    _matrices.check_ids(rows.shape, len(users.known), len(items.known))
    for ids, what in ((users.known, "user"), (items.known, "item")):
        if len(set(ids if isinstance(ids, list) else ids.tolist())) != len(ids):
            raise DataError(f"a {what} id is given twice", hint="each row or column needs its own")
    if like is not None:
        wanted = (like.n_users, like.n_items)
        if rows.shape != wanted and user_ids is None and item_ids is None:
            raise DataError(
                f"the matrices are {rows.shape[0]} x {rows.shape[1]}, the model knows "
                f"{wanted[0]} users and {wanted[1]} items",
                hint="rows are users, columns are items, in the order of the ids",
            )
        if user_ids is None:
            users = Ids(like._plain_ids(True), like._user_kind, rows.user)
        if item_ids is None:
            items = Ids(like._plain_ids(False), like._item_kind, rows.item)
    return _make(Table(names, users, items, rows.values, None, None), "error", like, unknown)


def _ids_of_matrix(given: Any, count: int, what: str) -> tuple[PlainIds, Kind]:
    if given is None:
        return np.arange(count, dtype=np.int64), "int"
    return plain_ids(given, what)


def _make(table: Table, duplicates: str, like: Ratings | None, unknown: str) -> Ratings:
    if like is not None:
        table = _laid_over(table, like, unknown)
    core = _palate.make_ratings(
        table.criteria,
        table.users.known,
        table.items.known,
        table.users.rows,
        table.items.rows,
        np.ascontiguousarray(table.values),
        table.times,
        table.titles,
        [] if like is None else list(like.scales.values()),
        duplicates,
    )
    return Ratings(core, table.users.kind, table.items.kind)


def _laid_over(table: Table, like: Ratings, unknown: str) -> Table:
    """The same rows over the ids and the criteria of other ratings."""
    strange = [name for name in table.criteria if name not in like.criteria]
    if strange and unknown == "error":
        raise NotFoundError(
            f"there is no criterion {strange[0]!r}",
            hint=known(strange[0], like.criteria, "criteria"),
        )
    user = like._find(True, table.users.known, unknown)[table.users.rows]
    item = like._find(False, table.items.known, unknown)[table.items.rows]
    keep = (user != MISSING) & (item != MISSING)
    values = np.full((int(keep.sum()), len(like.criteria)), np.nan, dtype=np.float32)
    for c, name in enumerate(table.criteria):
        if name in like.criteria:
            values[:, like.criteria.index(name)] = table.values[keep, c]
    # A row that only rates by criteria that were left out has nothing to say.
    said = ~np.isnan(values).all(axis=1)
    keep[keep], values = said, values[said]
    if not len(values):
        raise DataError(
            "no row is by a user and about an item that the model knows",
            hint="shuffle the rows before they are split, as KFold(5, shuffle=True) does",
        )
    times = None if table.times is None else table.times[keep]
    titles = None if like.item_titles is None else [str(one) for one in like.item_titles]
    users = Ids(like._plain_ids(True), like._user_kind, user[keep])
    items = Ids(like._plain_ids(False), like._item_kind, item[keep])
    return Table(list(like.criteria), users, items, values, times, titles)


# ------------------------------------------------------------------------------------- files


def read(
    path: str | os.PathLike[str],
    *,
    user: str | None = None,
    item: str | None = None,
    overall: str | None = None,
    criteria: Sequence[str] | None = None,
    time: str | None = None,
    title: str | None = None,
    zero_is_missing: bool = True,
    duplicates: str = "last",
    strict: bool = False,
    missing_words: Sequence[str] = (),
    highest: float | None = None,
    max_bad_rows: int = 1000,
    delimiter: str | None = None,
    ids: str = "auto",
    like: Ratings | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Ratings:
    """Ratings from a file: CSV, TSV, RecBole ``.inter``, JSON lines (all of them also gzipped), a
    folder of ``.npz`` matrices (its train part), or Parquet where pyarrow is installed.

    Columns that are not named are guessed; ``ratings.report["text"]`` says how. Rows that cannot be
    used are set aside with a warning, or are an error with ``strict=True`` and beyond
    ``max_bad_rows``; ``report["first_bad_rows"]`` has line, column and reason. ``missing_words`` are
    further words for "not rated"; a rating above ``highest`` is bad, by default one that lies far
    above all others of its column. What else may have gone wrong is a warning, too. Ids become integers if
    every one of them is written like one, unless ``ids="str"``. With ``like``, users and items that
    those ratings do not know are left out.

    >>> import palate, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "beers.csv"
    >>> _ = file.write_text("user,beer,overall,taste\\nann,Stout,4.5,5\\nbob,Stout,4,\\n")
    >>> palate.read(file)
    Ratings(users=2, items=1, interactions=2, criteria=['overall', 'taste'])
    """
    roles = Roles(user, item, overall, criteria, time, title, None, None)
    how: Any = dict(zero_is_missing=zero_is_missing, duplicates=duplicates, strict=strict)
    how.update(missing_words=missing_words, highest=highest, max_bad_rows=max_bad_rows)
    how.update(delimiter=delimiter, ids=ids, like=like, threads=threads, progress=progress)
    return _read(path, roles, **how)[0]


def read_split(path: str | os.PathLike[str], *, ids: str = "auto", **how: Any) -> Split:
    """Both parts of a folder of matrices ``NAME_tr_C.npz`` and ``NAME_ts_C.npz``.

    ``how`` is as in :func:`palate.read`.
    """
    unknown = set(how) - {"overall", "criteria", "zero_is_missing", "threads", "progress"}
    if unknown:
        raise TypeError(f"read_split() got an unexpected keyword argument {min(unknown)!r}")
    named = (how.pop("overall", None), how.pop("criteria", None))
    train, test = _read(path, Roles(None, None, *named, None, None, None, None), ids=ids, **how)
    if test is None:
        raise DataError(
            "there is no test part", os.fspath(path), "use palate.read, then palate.split"
        )
    return Split(train, test)


def _read(
    path: str | os.PathLike[str], roles: Roles, **given: Any
) -> tuple[Ratings, Ratings | None]:
    """``given``: as in :func:`read`, whose defaults hold."""
    usual = inspect.signature(read).parameters
    how = {name: given.get(name, usual[name].default) for name in usual if name != "path"}
    like, progress = how["like"], how["progress"]
    name = os.fspath(path)
    if name != "-" and not os.path.exists(name):
        raise FileNotFoundError(2, f"there is no such file or folder{_near(name)}", name)
    if name.lower().endswith((".parquet", ".pq")):
        columns = columns_of(need("pyarrow.parquet", "reading Parquet").read_table(name))
        assert columns is not None
        table = table_of(columns, roles, how["zero_is_missing"], how["duplicates"], how["strict"])
        return _make(table, how["duplicates"], like, "drop"), None
    roles.refuse_long()
    named = {role: name for role, name in roles.columns().items() if name is not None}
    with telling(progress) as tell:
        core, test, report = _palate.read(
            None if like is None else like._core,
            name,
            named,
            [str(one) for one in roles.criteria or ()],
            dict(
                duplicates=how["duplicates"],
                zero_is_missing=how["zero_is_missing"],
                strict=how["strict"],
                missing_words=[str(one) for one in how["missing_words"]],
                highest=float(how["highest"] or 0),
                max_bad_rows=how["max_bad_rows"],
                delimiter=how["delimiter"] or "",
            ),
            as_threads(how["threads"]),
            tell,
        )
    if report["bad_rows"]:
        first = report["first_bad_rows"][0]
        warnings.warn(
            f"{report['bad_rows']} of {report['rows']} rows of {name} were set aside; "
            f"the first is line {first[1]}: {first[4]}",
            stacklevel=3,
        )
    for sentence in report["advice"]:
        warnings.warn(f"{name}: {sentence}", stacklevel=3)
    if like is not None:
        return Ratings(core, like._user_kind, like._item_kind, report), None
    train = Ratings._of_texts(core, how["ids"], report)
    if test is None:
        return train, None
    return train, Ratings(test, train._user_kind, train._item_kind, report)


def _near(name: str) -> str:
    folder, wrong = os.path.split(name)
    try:
        near = difflib.get_close_matches(wrong, os.listdir(folder or "."), n=3)
    except OSError:
        return ""
    return f"; did you mean {' or '.join(repr(one) for one in near)}?" if near else ""


def synthesize(
    users: int = 2000,
    items: int = 600,
    *,
    ratings_per_user: float = 25,
    criteria: Sequence[str] = ("food", "service", "ambience", "value"),
    missing: float = 0.15,
    popularity_skew: float = 0.8,
    taste_groups: int = 12,
    noise: float = 0.6,
    titles: bool = True,
    times: bool = True,
    seed: int = 1,
) -> Ratings:
    """Realistic made-up ratings, for trying things out.

    >>> import palate
    >>> palate.synthesize(users=100, items=50, criteria=["taste"], seed=1).criteria
    ('overall', 'taste')
    """
    core = _palate.synthesize(
        users,
        items,
        ratings_per_user,
        [str(name) for name in criteria],
        missing,
        popularity_skew,
        taste_groups,
        noise,
        titles,
        times,
        seed,
    )
    return Ratings._of_texts(core, "auto")
