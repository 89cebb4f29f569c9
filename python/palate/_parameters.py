"""Parameters of a model in the manner of scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from ._errors import UsageError

Self = TypeVar("Self", bound="Parameters")


class Parameters:
    """``get_params``, ``set_params`` and a ``repr`` from the signature of ``__init__``, which stores
    what it is given as it is; ``sklearn.base.clone`` relies on that."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        signature = inspect.signature(cls.__init__)
        return {name: p.default for name, p in signature.parameters.items() if name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self: Self, **params: Any) -> Self:
        """Changes parameters; they count from the next ``fit`` on."""
        known = self._defaults()
        for name in params:
            if name not in known:
                raise UsageError(
                    f"{type(self).__name__} has no parameter {name!r}",
                    hint="it has " + (", ".join(known) or "none"),
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in self._defaults().items()
            if not _same(getattr(self, name), default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except ValueError:
        return False
