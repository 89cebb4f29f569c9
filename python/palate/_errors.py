"""What goes wrong, as exceptions.

Every one of them is a :class:`palate.Error` and, besides, the built-in exception that a Python
programmer would expect: an unknown id is a ``KeyError``, bad data are a ``ValueError``.
"""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Anything that Palate refuses.

    ``code`` is a stable word for programs, ``message`` says what is wrong, ``where`` the place in
    the input (or ""), ``hint`` what to do about it (or "").
    """

    code = "internal"

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


class UsageError(Error, ValueError):
    """The call itself is wrong: an unknown option, a value out of range."""

    code = "usage"


class DataError(Error, ValueError):
    """The data cannot be used: malformed, empty, inconsistent."""

    code = "bad_input"


class NotFoundError(Error, KeyError):
    """No such user, item, criterion or column."""

    code = "not_found"


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""

    code = "io"


class CorruptFileError(Error, ValueError):
    """A model file is cut, altered, foreign or of another version."""

    code = "corrupt"


class UnsupportedError(Error, NotImplementedError):
    """A valid request that this method cannot serve."""

    code = "unsupported"


class TooLargeError(Error, MemoryError):
    """It does not fit into memory or into a format's limits."""

    code = "too_large"


class InternalError(Error, RuntimeError):
    """A defect of Palate."""

    code = "internal"


class NotFittedError(UsageError, AttributeError):
    """The model was asked before it was fitted."""


_KINDS = (
    UsageError,
    DataError,
    NotFoundError,
    FileError,
    CorruptFileError,
    UnsupportedError,
    TooLargeError,
    InternalError,
)


def from_engine(code: str, message: str, where: str, hint: str) -> BaseException:
    """The exception for an error of the engine. Called by the extension."""
    if code == "cancelled":
        return KeyboardInterrupt(message)
    for kind in _KINDS:
        if kind.code == code:
            return kind(message, where, hint)
    return InternalError(message, where, hint)
