"""What all models can be asked."""

from __future__ import annotations

import math
import os
import re
import tempfile
from typing import Any, Mapping, Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _palate
from ._choice import Choice, choice_of
from ._errors import DataError, NotFittedError, NotFoundError, UsageError
from ._frames import columns_of, need
from ._ids import Codes, Id, is_scalar
from ._input import as_ratings
from ._matrices import listed
from ._parameters import Parameters
from ._ratings import Ratings
from ._results import Explanation, Recommendations, explained, laid_out
from ._run import Progress, Run, as_bytes, as_threads, telling
from ._show import Table, as_html, count, known
from ._tables import Roles

Self = TypeVar("Self", bound="Recommender")
Weights = Union[Mapping[str, float], Sequence[float], None]
#: {item: overall rating} or {item: {criterion: rating}}; a frame will do, too.
Profile = Union[Mapping[Any, Any], Any]
#: What names the columns of a table: kept from fit, for tables that are judged later.
_COLUMNS = {*Roles._fields, "columns", "zero_is_missing", "duplicates"}
PlainProfile = "list[tuple[int, list[tuple[str, float]]]]"


class Recommender(Parameters):
    """Base of all models. Immutable once fitted: any number of threads may ask one at once."""

    _model: _palate.Model | None = None
    _columns: dict[str, Any] = {}
    #: What the model was fitted on.
    ratings_: Ratings
    #: Seconds by stage of the fit; empty for a model that was loaded.
    stages_: dict[str, float]
    #: How the settings were chosen, also for a model that was loaded; None if they were given.
    choice_: Choice | None

    # -------------------------------------------------------------------------------- fit

    def _settings(self, ratings: Ratings, run: Run) -> _palate.Settings:
        """The engine's settings."""
        raise NotImplementedError

    def fit(
        self: Self,
        ratings: Any,
        y: None = None,
        *,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress = False,
        **how: Any,
    ) -> Self:
        """Fits the model, and returns it.

        ``ratings`` is anything that :func:`palate.as_ratings` takes, and ``how`` goes there:
        ``model.fit(frame, user="guest", item="hotel")``. ``y`` is not used. ``threads`` is by default
        all cores, ``memory`` ("8GB") what the machine has to spare. ``progress=True`` shows a bar, by
        tqdm where it is installed; a function is called with stage, done and total. Ctrl-C stops the
        fit and leaves the model as it was.
        """
        train = as_ratings(ratings, **how)
        columns = {name: value for name, value in how.items() if name in _COLUMNS}
        with telling(progress) as tell:
            run = Run(as_threads(threads), as_bytes(memory), tell)
            model, stages = _palate.fit(train._core, self._settings(train, run), *run)
        self._take(model, train, dict(stages))
        self._columns = columns
        return self

    def score(self, X: Any, y: None = None, *, metric: str = "ndcg@10") -> float:
        """How good the lists are on rows that were held out: the mean of ``metric`` over their users.

        This is what scikit-learn's ``cross_val_score`` and ``GridSearchCV`` call. ``X`` is ratings or a
        table of them, a row per user and item, read with the columns that were named to ``fit``; users
        and items that the model does not know are left out, and what is relevant follows from the scale
        of the ratings. ``y`` is not used. :func:`palate.evaluate` says more.

        >>> import palate
        >>> train, test = palate.split(palate.synthesize(users=300, items=80, seed=1))
        >>> model = palate.ItemKNN().fit(train)
        >>> model.score(test) == palate.evaluate(model, test)["ndcg@10"]
        True
        """
        from ._evaluation import evaluate

        self._fitted
        if listed(X) is not None and "columns" not in self._columns:
            raise TypeError(
                "score takes a row per rating, which can be held out; pass a frame of ratings, name the "
                "columns of an array to fit, columns=[...], or use palate.evaluate for matrices"
            )
        places = re.fullmatch(r".*@([1-9]\d*)", metric)
        return evaluate(self, X, at=[int(places[1]) if places else 10])[metric]

    def __sklearn_tags__(self) -> Any:
        # Asked for by scikit-learn alone, so that it is there.
        utils = need("sklearn.utils", "a tag")
        return utils.Tags(estimator_type=None, target_tags=utils.TargetTags(required=False))

    def _take(self, model: _palate.Model, ratings: Ratings, stages: dict[str, float]) -> None:
        self._model = model
        self.ratings_ = ratings
        self.stages_ = stages
        choice = model.choice()
        self.choice_ = None if choice is None else choice_of(choice)

    @property
    def _fitted(self) -> _palate.Model:
        if self._model is None:
            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet", hint="call fit first"
            )
        return self._model

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    @property
    def user_ids(self) -> npt.NDArray[Any]:
        """The users that the model knows, in the order of ``recommend()``."""
        self._fitted
        return self.ratings_.user_ids

    @property
    def item_ids(self) -> npt.NDArray[Any]:
        """The items that the model knows."""
        self._fitted
        return self.ratings_.item_ids

    @property
    def criteria(self) -> tuple[str, ...]:
        """Names of the criteria, the overall rating first."""
        return self.criteria_

    def __str__(self) -> str:
        if self._model is None:
            return f"{self!r}, not fitted yet"
        return f"{self!r} {self._size()}"

    def _size(self) -> str:
        r = self.ratings_
        size = f"{count(r.n_users, 'user')}, {count(r.n_items, 'item')}, "
        return f"fitted on {size}{count(r.n_interactions, 'interaction')}"

    def _repr_html_(self) -> str:
        rows = [[name, str(value)] for name, value in list(self.get_params().items())[:32]]
        note = "not fitted yet"
        if self._model is not None:
            chosen = "; choice_ has the settings found" if self.choice_ is not None else ""
            note = f"{self._size()}, rated by {', '.join(self.criteria_)}{chosen}"
        return as_html(Table(type(self).__name__, ["parameter", "given"], rows, note=note))

    @property
    def criteria_(self) -> tuple[str, ...]:
        """Names of the criteria, the overall rating first."""
        self._fitted
        return self.ratings_.criteria

    def info(self) -> dict[str, Any]:
        """What the model holds: method, size, filters, solver and storage, and why those."""
        info = self._fitted.info()
        info["filters"] = dict(zip(self.criteria_, info["filters"]))
        return info

    def prediction_errors(self) -> dict[str, dict[str, float]]:
        """How far predicted ratings are off on ratings held back, by criterion: ``mae``, that of the
        best plain guess (``trivial_mae``), and the ``ratings`` it was measured on. Only criteria
        that are predicted better than by a plain guess."""
        return self._fitted.prediction()

    # ------------------------------------------------------------------------------ lists

    def recommend(
        self,
        users: Id | Sequence[Id] | npt.NDArray[Any] | None = None,
        n: int = 10,
        *,
        weights: Weights = None,
        filter_seen: bool = True,
        items: Any = None,
        exclude: Any = None,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Recommendations:
        """The ``n`` best items of one user (arrays of one dimension), of many (two dimensions), or
        of all, in the order of ``ratings_.user_ids`` (None).

        ``weights`` multiplies what criteria count, {"service": 2.0}; those not named count 1.
        ``filter_seen`` leaves out what the user rated overall, ``items`` allows only some items,
        ``exclude`` forbids some. A list is shorter than ``n`` if there is no more to recommend;
        :class:`palate.Recommendations` says how that shows. Unknown ids are a ``KeyError``.

        >>> import palate
        >>> ratings = palate.synthesize(users=200, items=60, criteria=["food"], seed=1)
        >>> model = palate.CAGF(filters="linear").fit(ratings)
        >>> one, two = ratings.user_ids[:2].tolist()
        >>> ids, scores = model.recommend(one, n=3)
        >>> ids.shape, scores.dtype
        ((3,), dtype('float32'))
        >>> ids, scores = model.recommend([one, two], n=3, weights={"food": 2.0})
        >>> ids.shape
        (2, 3)
        """
        model = self._fitted
        single = is_scalar(users)
        codes: Codes | None = None
        asked: Any = self.ratings_.user_ids
        if users is not None:
            asked = users if single else np.asarray(users)
            codes = self.ratings_._find(True, [users] if single else users)
        with telling(progress) as tell:
            flat = model.recommend(
                codes,
                _places(n),
                bool(filter_seen),
                self._weights(weights),
                *self._chosen(items, exclude),
                1 if single else as_threads(threads),
                tell,
            )
        return laid_out(self.ratings_, flat, asked, single)

    def recommend_for(
        self,
        profile: Profile,
        n: int = 10,
        *,
        weights: Weights = None,
        filter_seen: bool = True,
        items: Any = None,
        exclude: Any = None,
    ) -> Recommendations:
        """The ``n`` best items for someone new, from ratings of a few items:
        ``{item: 4.5}`` for overall ratings, ``{item: {"overall": 4.5, "taste": 5}}``, or a frame
        with an item column and one per criterion. An empty profile gets what is popular.

        >>> import palate
        >>> ratings = palate.synthesize(users=200, items=60, criteria=["food"], seed=1)
        >>> model = palate.CAGF(filters="linear").fit(ratings)
        >>> a, b = ratings.item_ids[:2].tolist()
        >>> ids, scores = model.recommend_for({a: {"overall": 5, "food": 4}, b: 2.5}, n=3)
        >>> a in ids, len(ids)
        (False, 3)
        """
        flat = self._fitted.recommend_for(
            self._profile(profile),
            _places(n),
            bool(filter_seen),
            self._weights(weights),
            *self._chosen(items, exclude),
        )
        return laid_out(self.ratings_, flat, None, True)

    def similar_items(
        self, items: Id | Sequence[Id] | npt.NDArray[Any], n: int = 10
    ) -> Recommendations:
        """The ``n`` items most alike, without the item itself and without those of similarity 0."""
        model = self._fitted
        single = is_scalar(items)
        codes = self.ratings_._find(False, [items] if single else items)
        flat = model.similar(codes, _places(n))
        asked = items if single else np.asarray(items)
        return laid_out(self.ratings_, flat, asked, single, "similar_to")

    # ------------------------------------------------------------------------ explanations

    def explain(self, user: Id, item: Id, *, weights: Weights = None) -> Explanation:
        """What the score of ``item`` for ``user`` is made of, by criterion and by rated item."""
        model = self._fitted
        who, what = self.ratings_._find_one(True, user), self.ratings_._find_one(False, item)
        raw = model.explain(who, what, self._weights(weights))
        return explained(self.ratings_, user, what, raw)

    def explain_for(self, profile: Profile, item: Id, *, weights: Weights = None) -> Explanation:
        """As :meth:`explain`, for someone new."""
        model = self._fitted
        what = self.ratings_._find_one(False, item)
        raw = model.explain_for(self._profile(profile), what, self._weights(weights))
        return explained(self.ratings_, None, what, raw)

    def attributions(
        self, user: Id, items: Any, *, weights: Weights = None
    ) -> npt.NDArray[np.float64]:
        """What each criterion adds to the score of each item: items by criteria."""
        model = self._fitted
        who = self.ratings_._find_one(True, user)
        what = self.ratings_._find(False, [items] if is_scalar(items) else items)
        flat = model.attributions(who, what, self._weights(weights))
        return flat.reshape(len(what), len(self.criteria_))

    # ------------------------------------------------------------------- what callers give

    def _weights(self, weights: Weights) -> list[tuple[str, float]]:
        if weights is None:
            return []
        if isinstance(weights, Mapping):
            pairs = list(weights.items())
        else:
            pairs = list(zip(self.criteria_, weights))
            if len(weights) != len(self.criteria_):
                raise UsageError(
                    f"{len(weights)} weights for {len(self.criteria_)} criteria",
                    hint="the criteria are " + ", ".join(self.criteria_),
                )
        out = [(str(name), float(weight)) for name, weight in pairs]
        for name, weight in out:
            if name not in self.criteria_:
                hint = known(name, self.criteria_, "criteria")
                raise UsageError(f"there is no criterion {name!r}", hint=hint)
            if math.isnan(weight):
                raise UsageError(f"the weight of {name!r} is NaN")
        return out

    def _chosen(self, items: Any, exclude: Any) -> tuple[Codes | None, Codes | None]:
        allow, deny = (
            None if ids is None else self.ratings_._find(False, [ids] if is_scalar(ids) else ids)
            for ids in (items, exclude)
        )
        if allow is not None and not len(allow):
            raise UsageError("items is empty, so nothing could be recommended")
        return allow, deny

    def _profile(self, profile: Profile) -> list[tuple[int, list[tuple[str, float]]]]:
        if isinstance(profile, Mapping):
            rated = dict(profile)
        else:
            rated = _profile_of_table(profile, self.criteria_)
        codes = self.ratings_._find(False, list(rated))
        out = []
        for code, (item, given) in zip(codes.tolist(), rated.items()):
            values = given if isinstance(given, Mapping) else {self.criteria_[0]: given}
            for name, value in values.items():
                if name not in self.criteria_:
                    raise NotFoundError(
                        f"there is no criterion {name!r}",
                        "profile",
                        known(name, self.criteria_, "criteria"),
                    )
                if value is None or math.isnan(value):
                    raise DataError(
                        f"the rating of {item!r} on {name} is NaN",
                        "profile",
                        "leave out what was not rated",
                    )
            out.append((code, [(str(name), float(value)) for name, value in values.items()]))
        return out

    # ------------------------------------------------------------------------------- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the tool ``palate`` and :func:`palate.load` read."""
        self._fitted.save(os.fspath(path))

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str], *, ids: str = "auto") -> Self:
        """Reads a model file, as :func:`palate.load`; it must be of this method."""
        from ._models import load

        model = load(path, ids=ids)
        if not isinstance(model, cls):
            raise UsageError(
                f"the file holds a {type(model).__name__}, not a {cls.__name__}",
                hint="palate.load takes any",
            )
        return model

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        model = state.pop("_model", None)
        if model is not None:
            state["_file"] = _to_bytes(model)
            state["ratings_"] = (self.ratings_._user_kind, self.ratings_._item_kind)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        file = state.pop("_file", None)
        if file is not None:
            model = _from_bytes(file)
            state["_model"] = model
            state["ratings_"] = Ratings(model.ratings, *state["ratings_"])
        self.__dict__.update(state)

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        import copy

        out = type(self).__new__(type(self))
        for name, value in self.__dict__.items():
            # The engine's model never changes, so that it may be shared.
            out.__dict__[name] = value if name == "_model" else copy.deepcopy(value, memo)
        return out


def _places(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"n is a whole number, not {type(n).__name__}")
    if n < 1:
        raise UsageError(f"n={n} asks for nothing", hint="at least 1")
    return int(n)


def _profile_of_table(profile: Any, criteria: Sequence[str]) -> dict[Any, dict[str, float]]:
    columns = columns_of(profile)
    if columns is None:
        raise TypeError(
            "a profile is {item: rating}, {item: {criterion: rating}} or a frame with an item "
            f"column, not {type(profile).__name__}"
        )
    item = max(columns, key=_palate.item_fit, default=None)
    if item is None or _palate.item_fit(item) == 0:
        raise NotFoundError("no column of the profile looks like the item", hint="call it 'item'")
    rated = {name: columns[name]() for name in columns if name in criteria}
    ids = np.asarray(columns[item]()).tolist()
    if len(set(ids)) != len(ids):
        raise DataError("an item is rated twice", "profile")
    out = {}
    for k, one in enumerate(ids):
        values = {name: float(column[k]) for name, column in rated.items()}
        out[one] = {name: value for name, value in values.items() if not math.isnan(value)}
    return out


def _to_bytes(model: _palate.Model) -> bytes:
    with tempfile.TemporaryDirectory(prefix="palate") as folder:
        path = os.path.join(folder, "model.palate")
        model.save(path)
        with open(path, "rb") as file:
            return file.read()


def _from_bytes(content: bytes) -> _palate.Model:
    # The engine maps the file, and what is mapped stays when the name is gone.
    with tempfile.TemporaryDirectory(prefix="palate") as folder:
        path = os.path.join(folder, "model.palate")
        with open(path, "wb") as file:
            file.write(content)
        return _palate.Model.load(path)
