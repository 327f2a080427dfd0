"""Worlds as bytes. A part of World. docs/saving.md says what is in the bytes."""

from __future__ import annotations

import ctypes

from . import _arguments as arg
from . import _c
from ._access import Access, Reading
from ._library import free, lib
from ._owner import Owner
from .errors import Error, made
from .meshes import Mesh
from .shapes import Shape


class Assets(Owner):
    """Names of hulls and meshes that your program has anyway. Saved worlds then have the name, not the content."""

    __slots__ = ()
    _free = "talus_assets_destroy"

    def __init__(self):
        self._pointer = lib.talus_assets_create()
        if not self._pointer:
            raise Error("the system has no more memory", "out_of_memory")

    def add(self, name: str, asset: Shape | Mesh) -> None:
        """Adds a hull or a mesh. The name must be new, and not empty."""
        if not isinstance(name, str):
            raise arg.wrong_type("name", "a string", name)
        if "\0" in name:
            raise Error("name has a zero character")
        try:
            encoded = name.encode()
        except UnicodeEncodeError:
            raise Error("name has a character that is not in Unicode") from None
        if isinstance(asset, Mesh):
            added = lib.talus_assets_add_mesh(self._pointer, encoded, asset._pointer)
        elif isinstance(asset, Shape) and asset.type == "hull":
            added = lib.talus_assets_add_hull(self._pointer, encoded, asset._c.hull)
        else:
            raise arg.wrong_type("asset", "a hull or a mesh", asset)
        if not added:
            raise Error(f'name is "{name[:80]}"; it must not be empty, and not be used already')


def _pointer(assets: Assets | None) -> int | None:
    if assets is None:
        return None
    if not isinstance(assets, Assets):
        raise arg.wrong_type("assets", "a talus.Assets", assets)
    return assets._pointer


def _bytes(value, name: str) -> bytes:
    """Returns bytes of the user's; other buffers are copied."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise arg.wrong_type(name, "bytes", value)
    return bytes(value)


def _take(result: _c.TalusBytes) -> bytes:
    """Returns what the library has allocated, as bytes of Python."""
    try:
        return ctypes.string_at(result.data, result.size)
    finally:
        lib.talus_bytes_free(result)


def load(data: bytes, assets: Assets | None) -> int:
    """Returns the world of C that was saved."""
    given = _bytes(data, "data")
    return made(free.talus_world_load, ctypes.cast(given, ctypes.c_void_p), len(given), _pointer(assets))


class Saving(Access):
    """The methods of World that save it."""

    __slots__ = ()

    def save(self, assets: Assets | None = None) -> bytes:
        """Returns the whole world as bytes. World.load() goes on with the same bits, and its handles stay valid. The contact
        modifier is not saved."""
        table = _pointer(assets)
        with Reading(self) as pointer:
            return _take(made(free.talus_world_save, pointer, table))

    def save_changes(self, since: bytes, assets: Assets | None = None) -> bytes:
        """Returns the difference between what save() returned earlier and what it returns now. Its size follows what has
        changed: a body that sleeps takes no bytes."""
        before, table = _bytes(since, "since"), _pointer(assets)
        place, size = ctypes.cast(before, ctypes.c_void_p), len(before)
        with Reading(self) as pointer:
            return _take(made(free.talus_world_save_changes, pointer, place, size, table))

    @staticmethod
    def apply_changes(since: bytes, changes: bytes) -> bytes:
        """Returns the bytes of the later save(), from the earlier ones and save_changes()."""
        before, difference = _bytes(since, "since"), _bytes(changes, "changes")
        place, other = ctypes.cast(before, ctypes.c_void_p), ctypes.cast(difference, ctypes.c_void_p)
        return _take(made(free.talus_world_apply_changes, place, len(before), other, len(difference)))
