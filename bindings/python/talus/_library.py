"""Loads the library, and gives its functions the types of talus.h.

A function can be called in two ways. `lib.talus_x(...)` keeps Python's interpreter lock during the call, so calls from
several threads cannot meet in one world, and costs 60 ns less. `free.talus_x(...)` releases the lock, so that other
threads run meanwhile. Only calls that take long use `free`; _access.py then guards the world.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from . import _c

_FILES = {"win32": "talus.dll", "darwin": "libtalus.dylib"}
VERSION = f"{_c.TALUS_VERSION_MAJOR}.{_c.TALUS_VERSION_MINOR}.{_c.TALUS_VERSION_PATCH}"


def _load(loader):
    """Loads the library that is in the package."""
    library = loader(str(Path(__file__).with_name(_FILES.get(sys.platform, "libtalus.so"))))
    for name, (result, parameters) in _c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = parameters
    return library


lib = _load(ctypes.PyDLL)
free = _load(ctypes.CDLL)

if lib.talus_version().decode() != VERSION:
    raise ImportError(f"the package talus is {VERSION}, but its library is {lib.talus_version().decode()}")
