"""Mass, centre of mass and inertia."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _arguments as arg
from . import _c
from .vectors import Vector, vec3_from


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, centre of mass, and inertia about that centre."""

    mass: float = 0.0
    """kg"""
    center: Vector = (0.0, 0.0, 0.0)
    """In the shape's or body's frame, m."""
    inertia: Any = field(default_factory=lambda: np.zeros((3, 3)))
    """3 x 3, kg m^2."""


def matrix_from(m: _c.TalusMat3) -> np.ndarray:
    return np.frombuffer(m, np.float32).reshape(3, 3).T.copy()


def mass_to_c(value, name: str) -> _c.TalusMassProperties:
    if not isinstance(value, MassProperties):
        raise arg.wrong_type(name, "a talus.MassProperties", value)
    columns = arg.array(value.inertia, np.float32, (3, 3), f"{name}: inertia").T
    result = _c.TalusMassProperties(arg.number(value.mass, f"{name}: mass"), arg.vec3(value.center, f"{name}: center"))
    result.inertia = _c.TalusMat3.from_buffer_copy(np.ascontiguousarray(columns))
    return result


def mass_from(m: _c.TalusMassProperties) -> MassProperties:
    return MassProperties(m.mass, vec3_from(m.center), matrix_from(m.inertia))
