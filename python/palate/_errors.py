"""What goes wrong, as exceptions.

Every one of them is a :class:`palate.Error` and, besides, the built-in exception that a Python
programmer would expect: an unknown id is a ``KeyError``, bad data are a ``ValueError``.
"""

from __future__ import annotations

from typing import Any

_KINDS: dict[str, type[Error]] = {}  # by the code that the engine gives


class Error(Exception):
    """Anything that Palate refuses.

    ``code`` is a stable word for programs, ``message`` says what is wrong, ``where`` the place in
    the input (or ""), ``hint`` what to do about it (or "").
    """

    code = "internal"

    def __init_subclass__(cls, *, code: str | None = None) -> None:
        super().__init_subclass__()
        if code is not None:
            cls.code = code
            _KINDS[code] = cls

    def __init__(self, message: str, where: str = "", hint: str = "") -> None:
        super().__init__(message, where, hint)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text

    def __reduce__(self) -> Any:
        return (type(self), (self.message, self.where, self.hint))


class UsageError(Error, ValueError, code="usage"):
    """The call itself is wrong: an unknown option, a value out of range."""


class DataError(Error, ValueError, code="bad_input"):
    """The data cannot be used: malformed, empty, inconsistent."""


class NotFoundError(Error, KeyError, code="not_found"):
    """No such user, item, criterion or column."""


class FileError(Error, OSError, code="io"):
    """A file cannot be opened, read or written."""


class CorruptFileError(Error, ValueError, code="corrupt"):
    """A model file is cut, altered, foreign or of another version."""


class UnsupportedError(Error, NotImplementedError, code="unsupported"):
    """A valid request that this method cannot serve."""


class TooLargeError(Error, MemoryError, code="too_large"):
    """It does not fit into memory or into a format's limits."""


class InternalError(Error, RuntimeError, code="internal"):
    """A defect of Palate."""


class NotFittedError(UsageError, AttributeError):
    """The model was asked before it was fitted."""


def from_engine(code: str, message: str, where: str, hint: str) -> BaseException:
    """The exception for an error of the engine. Called by the extension."""
    if code == "cancelled":
        return KeyboardInterrupt(message)
    return _KINDS.get(code, InternalError)(message, where, hint)
