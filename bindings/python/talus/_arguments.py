"""Arguments of the user, as what C takes.

A value of the wrong type raises a TypeError that names the argument. A number that C could not hold raises talus.Error.
All else is for the engine to refuse.
"""

from __future__ import annotations

import operator
from typing import Sequence

import numpy as np

from . import _c
from .errors import Error

_NO_NUMBERS = (str, bytes, bytearray, np.complexfloating)  # though float() or a loop would take them


def wrong_type(name: str, wanted: str, value) -> TypeError:
    """Returns the error for an argument of the wrong type."""
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def number(value, name: str) -> float:
    if type(value) is float:
        return value
    try:
        if isinstance(value, _NO_NUMBERS):
            raise TypeError
        return float(value)
    except OverflowError:
        raise Error(f"{name} is too large for a float", "not_finite") from None
    except (TypeError, ValueError):
        raise wrong_type(name, "a number", value) from None


def integer(value, name: str, lower: int, upper: int) -> int:
    try:
        value = operator.index(value)
    except TypeError:
        raise wrong_type(name, "an integer", value) from None
    if not lower <= value <= upper:
        shown = value if abs(value) < 1 << 128 else "too large"
        raise Error(f"{name} is {shown}; it must be {lower} to {upper}")
    return value


def _integers(lower, upper):
    return lambda value, name: integer(value, name, lower, upper)


u8 = _integers(0, 2**8 - 1)
u32 = _integers(0, 2**32 - 1)
u64 = _integers(0, 2**64 - 1)
i32 = _integers(-(2**31), 2**31 - 1)


def flag(value, name: str) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise wrong_type(name, "True or False", value)


def _vectors(struct, wanted):
    """Returns a function that makes such a structure from as many numbers."""

    def make(value, name: str):
        try:
            if isinstance(value, _NO_NUMBERS) or (isinstance(value, np.ndarray) and value.dtype.kind == "c"):
                raise TypeError
            numbers = tuple(value)
            if len(numbers) != len(struct._fields_):
                raise TypeError
            return struct(*numbers)
        except OverflowError:
            raise Error(f"{name} is too large for a float", "not_finite") from None
        except (TypeError, ValueError):
            raise wrong_type(name, wanted, value) from None

    return make


vec3 = _vectors(_c.TalusVec3, "three numbers")
dvec3 = _vectors(_c.TalusDVec3, "three numbers")
quat = _vectors(_c.TalusQuat, "four numbers (x, y, z, w)")


def transform(position, rotation, name: str) -> _c.TalusTransform:
    return _c.TalusTransform(vec3(position, f"{name}position"), quat(rotation, f"{name}rotation"))


def names_of(enum: str, ending: str = "") -> dict[str, int]:
    """Returns the values of an enum of C by the names that Python has for them: without what all of them begin with,
    and without an ending that some have."""
    words = [name.split("_") for name in _c.ENUMS[enum]]
    common = 0
    while all(len(w) > common + 1 and w[common] == words[0][common] for w in words):
        common += 1
    return {
        "_".join(w[common:]).lower().removesuffix(ending): value for w, value in zip(words, _c.ENUMS[enum].values())
    }


def choices(names: dict[str, int]):
    """Returns a function that takes one of these names."""
    quoted = [f'"{name}"' for name in names]
    allowed = ", ".join(quoted[:-1]) + f" or {quoted[-1]}"

    def choose(value, name: str) -> int:
        if not isinstance(value, str):
            raise wrong_type(name, allowed, value)
        if value not in names:
            raise Error(f'{name} is "{value[:40]}"; it must be {allowed}')
        return names[value]

    return choose


def array(value, dtype, shape: tuple, name: str) -> np.ndarray:
    """Returns a contiguous array of these dimensions; None is any length. Integers are checked against the type's
    range."""
    wanted = "an array of " + ("integers" if np.dtype(dtype).kind == "u" else "numbers")
    lengths = " x ".join("n" if length is None else str(length) for length in shape)
    if len(shape) > 1:
        wanted += f" ({lengths})"
    try:
        given = value if isinstance(value, np.ndarray) else np.array(value)
        if given.size == 0 and given.ndim < len(shape):
            given = np.zeros([length or 0 for length in shape])
        if given.dtype != dtype:
            given = _cast(given, np.dtype(dtype), name)
    except OverflowError:
        raise Error(f"{name} has a number that is too large") from None
    except (TypeError, ValueError) as error:
        if isinstance(error, Error):
            raise
        raise wrong_type(name, wanted, value) from None
    if given.ndim != len(shape) or any(length not in (None, n) for length, n in zip(shape, given.shape)):
        raise wrong_type(name, wanted, value)
    return np.ascontiguousarray(given)


def _cast(given: np.ndarray, dtype: np.dtype, name: str) -> np.ndarray:
    if given.dtype.kind not in "iufO" and given.size > 0:
        raise TypeError
    if dtype.kind == "u":
        if given.dtype.kind == "f" and given.size > 0:
            raise TypeError
        most = np.iinfo(dtype).max
        if given.size > 0 and not (0 <= given.min() and given.max() <= most):
            raise Error(f"{name} has a number that is not 0 to {most}")
        return given.astype(dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        return given.astype(dtype)


def address(values: np.ndarray) -> int:
    """Returns where an array's numbers lie."""
    return values.__array_interface__["data"][0]


_BY_TYPE = {
    _c.c_float: number,
    _c.c_bool: flag,
    _c.c_uint8: u8,
    _c.c_uint32: u32,
    _c.c_uint64: u64,
    _c.c_int32: i32,
    _c.TalusVec3: vec3,
    _c.TalusDVec3: dvec3,
    _c.TalusQuat: quat,
}


def fields_of(struct, but: Sequence[str] = ()) -> dict:
    """Returns, for the fields of a structure of C that a user can give as they are, the functions that convert them."""
    left_out = ("size", *but)
    return {name: _BY_TYPE[kind] for name, kind in struct._fields_ if kind in _BY_TYPE and name not in left_out}


def fill(struct, values: dict, converters: dict, call: str) -> None:
    """Sets fields of a structure of C. A name that is not in `converters` raises a TypeError."""
    for name, value in values.items():
        convert = converters.get(name)
        if convert is None:
            raise TypeError(f"{call}() has no argument '{name}'")
        setattr(struct, name, convert(value, name))
