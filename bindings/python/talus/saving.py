"""Worlds as bytes. A part of World. docs/saving.md says what is in the bytes."""

from __future__ import annotations

import ctypes
import threading

from . import _arguments as arg
from . import _c
from ._access import Access
from ._library import free, lib
from ._owner import Owner
from .errors import Error, made
from .meshes import Mesh
from .shapes import Shape


class Assets(Owner):
    """Names of hulls and meshes that your program has anyway. Saved worlds then have the name, not the content."""

    __slots__ = ("_lock",)
    _free = "talus_assets_destroy"

    def __init__(self):
        self._lock = threading.Lock()  # a world may be saved with them in another thread
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
            add, content = lib.talus_assets_add_mesh, asset._pointer
        elif isinstance(asset, Shape) and asset.type == "hull":
            add, content = lib.talus_assets_add_hull, asset._c.hull
        else:
            raise arg.wrong_type("asset", "a hull or a mesh", asset)
        with self._lock:
            added = add(self._pointer, encoded, content)
        if not added:
            raise Error(f'name is "{name[:80]}"; it must not be empty, and not be used already')


def _with(assets: Assets | None, call):
    """Returns call(pointer to the assets), which must not change meanwhile."""
    if assets is None:
        return call(None)
    if not isinstance(assets, Assets):
        raise arg.wrong_type("assets", "a talus.Assets", assets)
    with assets._lock:
        return call(assets._pointer)


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
    place, size = ctypes.cast(given, ctypes.c_void_p), len(given)
    return _with(assets, lambda table: made(free.talus_world_load, place, size, table))


class Saving(Access):
    """The methods of World that save it."""

    __slots__ = ()

    def save(self, assets: Assets | None = None) -> bytes:
        """Returns the whole world as bytes. World.load() goes on with the same bits, and its handles stay valid. The
        contact modifier is not saved."""
        return _with(assets, lambda table: _take(made(self._reads_long, free.talus_world_save, table)))

    def save_changes(self, since: bytes, assets: Assets | None = None) -> bytes:
        """Returns the difference between what save() returned earlier and what it returns now. Its size follows what
        has changed: a body that sleeps takes no bytes."""
        before = _bytes(since, "since")
        place, size, save = ctypes.cast(before, ctypes.c_void_p), len(before), free.talus_world_save_changes
        return _with(assets, lambda table: _take(made(self._reads_long, save, place, size, table)))

    @staticmethod
    def apply_changes(since: bytes, changes: bytes) -> bytes:
        """Returns the bytes of the later save(), from the earlier ones and save_changes()."""
        before, difference = _bytes(since, "since"), _bytes(changes, "changes")
        place, other = ctypes.cast(before, ctypes.c_void_p), ctypes.cast(difference, ctypes.c_void_p)
        return _take(made(free.talus_world_apply_changes, place, len(before), other, len(difference)))
