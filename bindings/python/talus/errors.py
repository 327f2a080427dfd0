"""The exception of calls that Talus refuses."""

from __future__ import annotations

import ctypes

from . import _c

_CODES = {value: name.removeprefix("TALUS_").lower() for name, value in _c.ENUMS["TalusErrorCode"].items()}


class Error(ValueError):
    """A call that Talus refused. It changed nothing. The text says what was wrong, and what is allowed.

    `code` is its kind: "not_finite", "bad_size", "degenerate_shape", "too_complex", "stale_handle", "bad_argument",
    "bad_data" or "out_of_memory".
    """

    code: str

    def __init__(self, message: str, code: str = "bad_argument"):
        super().__init__(message)
        self.code = code


def from_c(error: _c.TalusError, otherwise: str) -> Error:
    """Returns an exception that says what a TalusError says, or `otherwise` if it is empty."""
    if error.code == _c.ENUMS["TalusErrorCode"]["TALUS_NO_ERROR"]:
        return Error(otherwise)
    return Error(error.message.decode("utf-8", "replace"), _CODES.get(error.code, "bad_argument"))


def made(function, *arguments):
    """Calls a function that makes something and fills a TalusError. Returns what it made; raises its error."""
    error = _c.TalusError()
    result = function(*arguments, ctypes.byref(error))
    if error.code != 0 or result is None:
        raise from_c(error, "the system has no more memory")
    return result
