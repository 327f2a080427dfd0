"""Lists that C writes, as arrays of numpy.

A structure of C becomes a dtype of numpy with the same layout, so that C writes straight into the array. Vectors become
rows: a list of contacts has contacts["normal"] of n x 3 floats. Single elements also have their fields as attributes:
contacts[0].normal.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache

import numpy as np

from . import _arguments as arg
from . import _c
from ._access import Access
from ._library import lib
from .body import body_argument, stale

_ROWS = {_c.TalusVec3: (np.float32, 3), _c.TalusDVec3: (np.float64, 3), _c.TalusQuat: (np.float32, 4)}


@lru_cache(maxsize=None)
def dtype_of(struct) -> np.dtype:
    """Returns the dtype of numpy with the layout of a structure of C."""
    fields = [(name, _type_of(kind), getattr(struct, name).offset) for name, kind in struct._fields_]
    names, formats, offsets = zip(*fields)
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ctypes.sizeof(struct)}
    return np.dtype((np.record, layout))


def _type_of(kind):
    if kind in _ROWS:
        return _ROWS[kind]
    if issubclass(kind, ctypes.Array):
        return _type_of(kind._type_), kind._length_
    return dtype_of(kind) if issubclass(kind, ctypes.Structure) else np.dtype(kind)


class Lists(Access):
    """How a world reads lists: a part of World."""

    __slots__ = ("_lengths",)

    def __init__(self, pointer: int):
        super().__init__(pointer)
        self._lengths: dict = {}

    def _list(self, function, dtype, *arguments) -> np.ndarray:
        """Returns what function(world, *arguments, out, capacity) writes, in an array that has room for the list of
        last time."""
        capacity = self._lengths.get(function.__name__, 16)
        while True:
            out = np.empty(capacity, dtype)
            place = arg.address(out)
            count = self._reads(function, *arguments, place, capacity)
            if count <= capacity:
                break
            capacity = count
        self._lengths[function.__name__] = max(16, count + count // 8)
        return out[:count]

    def _ids(self, function, *arguments) -> np.ndarray:
        return self._list(function, np.uint64, *arguments)

    def _ids_of(self, body: int, function) -> np.ndarray:
        """Returns what belongs to a body."""
        ids = self._ids(function, body)
        if not len(ids):
            self._check_body(body)
        return ids

    def _check_body(self, body: int) -> None:
        """Raises an error unless the body exists."""
        if not self._reads(lib.talus_world_is_valid_body, body):
            raise self._refusal() or stale(body)


def handles(bodies, name: str = "bodies") -> np.ndarray:
    """Returns handles of bodies as an array of C: from such an array, or from a list of bodies."""
    if isinstance(bodies, np.ndarray):
        return arg.array(bodies, np.uint64, (None,), name)
    if isinstance(bodies, (str, bytes)) or not hasattr(bodies, "__iter__"):
        raise arg.wrong_type(name, "a list of bodies", bodies)
    return np.fromiter((body_argument(body, name) for body in bodies), np.uint64)
