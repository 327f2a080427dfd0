"""Threads for World.step()."""

from __future__ import annotations

import ctypes
import threading

from . import _arguments as arg
from ._library import lib
from ._owner import Owner
from .errors import Error, made


class ThreadPool(Owner):
    """Threads that wait for the work of steps: world.step(dt, pool). The result has the same bits for any number of
    threads.

    Several worlds may share a pool; their steps then wait for each other.
    """

    __slots__ = ("_lock", "_owner", "_jobs")
    _free = "talus_thread_pool_destroy"

    def __init__(self, threads: int):
        """`threads`: their number, the caller's included."""
        count = arg.i32(threads, "threads")
        if count < 1:
            raise Error(f"threads is {count}; it must be at least 1", "bad_size")
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._pointer = made(lib.talus_thread_pool_create, count)
        self._jobs = lib.talus_thread_pool_jobs(self._pointer)

    @property
    def threads(self) -> int:
        """Their number."""
        return self._jobs.threads

    @property
    def all_threads(self) -> bool:
        """Whether each step uses all threads, even while other programs need the processors."""
        return self._jobs.all_threads

    @all_threads.setter
    def all_threads(self, value: bool) -> None:
        self._jobs.all_threads = arg.flag(value, "all_threads")

    @property
    def simulate(self) -> bool:
        """For measurements: the calling thread does all the work, and the profile's `span` says how long it would have
        taken with a processor for each thread."""
        return self._jobs.simulate

    @simulate.setter
    def simulate(self, value: bool) -> None:
        self._jobs.simulate = arg.flag(value, "simulate")

    def close(self) -> None:
        """Ends the threads."""
        self._refuse_own_step()
        with self._lock:
            pointer, self._pointer = self._pointer, None
        lib.talus_thread_pool_destroy(pointer)

    def _lend(self, step):
        """Returns step(jobs), while nobody else uses the pool."""
        self._refuse_own_step()
        with self._lock:
            try:
                self._owner = threading.get_ident()
                if self._pointer is None:
                    raise Error("the pool is closed")
                return step(ctypes.byref(self._jobs))
            finally:
                self._owner = None

    def _refuse_own_step(self) -> None:
        if self._owner == threading.get_ident():
            raise Error("the pool is used by a step of this thread")
