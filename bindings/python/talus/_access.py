"""Who may use a world, and when.

A world of C must not be used while it steps, and must not be changed while another thread reads it. Calls that keep Python's
interpreter lock cannot meet. Calls that release it take turns here: while one runs, the pointers that the others use are
None. C refuses a NULL world, so no call checks anything before it calls; only a result that may mean a refusal (False, 0, zeros)
is looked into, by _refused().

                          _read       _write
    open                  pointer     pointer
    read by a thread      pointer     None
    steps                 None        None         in a contact modifier: pointer, pointer; C refuses changes
    closed                None        None

Python may switch threads between any two of its calls. So a call computes all arguments first, and then takes the pointer in the
call itself: lib.talus_x(self._read, argument).
"""

from __future__ import annotations

import threading
import time

from ._library import free, lib
from .errors import Error, from_c


class Access:
    """A world of C and the right to use it: the base of World."""

    __slots__ = ("_pointer", "_read", "_write", "_readers", "_steps", "_lock", "__weakref__")

    def __init__(self, pointer: int):
        self._pointer: int | None = pointer
        self._read: int | None = pointer
        self._write: int | None = pointer
        self._readers = 0
        self._steps = False
        self._lock = threading.Lock()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._pointer is None

    def close(self) -> None:
        """Frees the world's memory. All later calls raise talus.Error. Worlds are also closed when nothing refers to them,
        and at the end of a `with` block."""
        with self._lock:
            if self._steps or self._readers:
                raise Error("close: the world is in use; close it when its step or query has returned")
            pointer, self._pointer, self._read, self._write = self._pointer, None, None, None
        lib.talus_world_destroy(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def __del__(self):
        pointer = getattr(self, "_pointer", None)
        if pointer is not None and lib is not None:
            lib.talus_world_destroy(pointer)

    # ---- Refusals.

    def _refused(self, otherwise: str = "the call was refused") -> Error:
        """Returns the error of a call that was refused."""
        if self._read is not None and self._write is None:
            return Error("the world cannot be changed while it is drawn, or while another thread reads it")
        return self._refusal() or Error(otherwise)

    def _refusal(self) -> Error | None:
        """Returns the error of a call that reads and whose result may mean that it was refused; None if it was not."""
        while self._readers > 0 and self._read is not None:  # its error must not be read meanwhile
            time.sleep(0.0002)
        error = lib.talus_world_last_error(self._read)
        if self._pointer is None:
            return Error("the world is closed")
        if self._read is None:
            return Error("the world steps in another thread; wait until it has returned")
        if error.code == 0:
            return None
        lib.talus_world_clear_error(self._read)
        return from_c(error, "")

    def _need_open(self) -> None:
        """Raises an error if the world cannot be read now."""
        if self._read is None:
            raise self._refused()

    # ---- Long calls, which release the interpreter lock.

    def _begin_step(self) -> int:
        """Begins a call that nothing else may meet. Returns the world's pointer."""
        with self._lock:
            if self._steps:
                raise Error("the world cannot be changed from within step(); call it after that has returned")
            if self._write is not None:
                self._steps = True
                self._read = self._write = None
                return self._pointer
        raise self._refused()

    def _end_step(self) -> None:
        with self._lock:
            self._steps = False
            self._read = self._write = self._pointer

    def _begin_callback(self) -> None:
        """Opens the world for a contact modifier, which C calls within a step. C refuses changes meanwhile."""
        with self._lock:
            self._read = self._write = self._pointer

    def _end_callback(self) -> None:
        with self._lock:
            self._read = self._write = None

    def _begin_reading(self):
        """Begins a long call that reads the world. Returns the functions to use: `free`, or `lib` in a contact modifier,
        because the step goes on when that returns."""
        with self._lock:
            if self._read is not None:
                self._readers += 1
                if not self._steps:
                    self._write = None
                return lib if self._steps else free
        raise self._refused()

    def _end_reading(self) -> None:
        with self._lock:
            self._readers -= 1
            if self._readers == 0:
                self._write = self._read


class Reading:
    """The time of a long call that reads a world: `with Reading(world) as functions: ...`"""

    __slots__ = ("_world",)

    def __init__(self, world: Access):
        self._world = world

    def __enter__(self):
        return self._world._begin_reading()

    def __exit__(self, *exception) -> None:
        self._world._end_reading()

