"""Models made from the library's descriptions of its methods."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, ClassVar, TypeVar

from . import _palate
from ._errors import UsageError
from ._ratings import Ratings
from ._recommender import Recommender
from ._run import Run

Self = TypeVar("Self", bound="Described")


class Described(Recommender):
    """A model whose parameters are settings of a method, or asks of it."""

    #: The name of the method, as the tool knows it.
    _method: ClassVar[str]
    #: By method, for :func:`palate.load`.
    _classes: ClassVar[dict[str, type[Described]]] = {}

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        Described._classes[cls._method] = cls

    def _words(self, ratings: Ratings) -> list[tuple[str, str]]:
        """What is asked for, as the library takes it."""
        params = {name.rstrip("_"): value for name, value in self.get_params().items()}
        return [(name, word_of(self._method, name, value)) for name, value in params.items()]

    def _choosing(self) -> dict[str, Any]:
        """How settings are chosen, by the methods that choose some."""
        return {}

    def _settings(self, ratings: Ratings, run: Run) -> _palate.Settings:
        words = self._words(ratings)
        return _palate.resolve(self._method, words, ratings._core, self._choosing(), *run)[0]

    @classmethod
    def _of_settings(cls: type[Self], settings: dict[str, Any], ratings: Ratings) -> Self:
        """The model that would be fitted with these settings."""
        params = {}
        for name, default in cls._defaults().items():
            value = settings[name.rstrip("_")]
            params[name] = None if default is None and not value else value
        return cls(**params)


@cache
def kind_of(method: str, setting: str) -> str:
    """The kind of a setting, from the description of its method."""
    about = next(
        one
        for one in map(json.loads, _palate.methods())
        if method in (one["name"], *(alias["name"] for alias in one["aliases"]))
    )
    return str(next(one["kind"] for one in about["settings"] if one["name"] == setting))


def word_of(method: str, name: str, value: Any) -> str:
    """A setting as text. None is 0 or off, whichever the setting has."""
    if value is None:
        return "off" if kind_of(method, name) == "optional_number" else "0"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return repr(int(value))
    try:
        return repr(value.item()) if hasattr(value, "item") else repr(value)
    except ValueError:
        raise UsageError(f"{name}={value!r}", hint="one value is needed") from None
