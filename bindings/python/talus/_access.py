"""Who may use a world, and when.

A world of C must not be used while it steps, and must not be changed while another thread reads it. Calls that keep
Python's interpreter lock cannot meet. Calls that release it take turns here: while one runs, the pointers that the
others use are None, and they are refused.

                          _read       _write
    open                  pointer     pointer
    read by a thread      pointer     None
    steps                 None        None         in a contact modifier: pointer, pointer; C refuses changes
    closed                None        None

Python switches threads, and raises KeyboardInterrupt, only where a call begins or returns, or a loop goes back. So what
must happen at once below is a few lines without calls, and needs no lock.
"""

from __future__ import annotations

import time

from ._library import lib
from .errors import Error, from_c


class Access:
    """A world of C and the right to use it: the base of World."""

    __slots__ = ("_pointer", "_read", "_write", "_readers", "_steps", "__weakref__")

    def __init__(self, pointer: int):
        self._pointer: int | None = pointer
        self._read: int | None = pointer
        self._write: int | None = pointer
        self._readers = 0
        self._steps = False

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._pointer is None

    def close(self) -> None:
        """Frees the world's memory. All later calls raise talus.Error. Worlds are also closed when nothing refers to
        them, and at the end of a `with` block."""
        if self._steps or self._readers:
            raise Error("close: the world is in use; close it when its step or query has returned")
        pointer = self._pointer
        self._pointer = self._read = self._write = None
        lib.talus_world_destroy(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def __del__(self):
        pointer = getattr(self, "_pointer", None)
        if pointer is not None and lib is not None:
            lib.talus_world_destroy(pointer)

    # ---- Short calls, which keep the interpreter lock.

    def _reads(self, function, *arguments):
        """Calls a function of C that reads the world, and returns its result. It may have been refused: see
        _refusal()."""
        pointer = self._read
        if pointer is None:
            raise self._unavailable()
        return function(pointer, *arguments)

    def _changes(self, function, *arguments):
        """Calls a function of C that changes the world. Returns its result, or raises its error if that is False or
        0."""
        pointer = self._write
        if pointer is None:
            raise self._unavailable()
        result = function(pointer, *arguments)
        if not result:
            raise self._refusal() or Error("the call was refused")
        return result

    def _unavailable(self) -> Error:
        """Returns why the world cannot be used now."""
        if self._pointer is None:
            return Error("the world is closed")
        if self._read is not None and self._steps:
            return Error("this cannot be done from within step(); call it after that has returned")
        return Error("the world steps, or is read by another thread; wait until that call has returned")

    def _refusal(self) -> Error | None:
        """Returns the error of a call whose result may mean that it was refused; None if it was not."""
        while self._readers > 0 and self._read is not None:  # its error must not be read meanwhile
            time.sleep(0.0002)
        error = self._reads(lib.talus_world_last_error)
        if error.code == 0:
            return None
        self._reads(lib.talus_world_clear_error)
        return from_c(error, "")

    def _raise_refusal(self) -> None:
        """Raises the error of a call whose result may mean that it was refused."""
        refusal = self._refusal()
        if refusal:
            raise refusal

    # ---- Long calls, which release the interpreter lock: to functions of `free`.

    def _reads_long(self, function, *arguments):
        """Calls a function of C that reads the world. Meanwhile other threads may read it, too, but not change it."""
        pointer = self._read
        if pointer is None or self._steps:
            raise self._unavailable()
        self._readers += 1
        self._write = None
        try:
            return function(pointer, *arguments)
        finally:
            self._readers -= 1
            if self._readers == 0:
                self._write = pointer

    def _steps_long(self, function, *arguments):
        """Calls a function of C that changes the world. Meanwhile nobody else may use it, except a contact modifier."""
        pointer = self._write
        if pointer is None or self._steps:
            raise self._unavailable()
        self._steps = True
        self._read = self._write = None
        try:
            return function(pointer, *arguments)
        finally:
            self._steps = False
            self._read = self._write = pointer
