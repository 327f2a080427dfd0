"""Objects that own something of C, and free it when nothing refers to them."""

from __future__ import annotations

from ._library import lib


class Owner:
    """Owns what `_pointer` points to. It cannot be copied: two objects would free the same."""

    __slots__ = ("_pointer",)
    _free = ""
    """Name of the function of C that frees it."""

    _pointer: int | None

    def __del__(self):
        pointer = getattr(self, "_pointer", None)
        if pointer is not None and lib is not None:
            getattr(lib, self._free)(pointer)

    def __reduce_ex__(self, protocol):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")


class Shared(Owner):
    """The same for things that cannot be changed: a copy is the object itself."""

    __slots__ = ()

    def __init__(self, *arguments):
        raise TypeError(f"make a {type(self).__name__} with the functions of talus")

    @classmethod
    def _own(cls, pointer: int):
        """Returns an object that owns a pointer."""
        owner = cls.__new__(cls)
        owner._pointer = pointer
        return owner

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self
