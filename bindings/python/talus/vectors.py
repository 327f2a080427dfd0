"""Vectors and rotations, as the getters return them.

Where a function takes a vector, any three numbers will do: a tuple, a list, an array of numpy.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence, Union

Vector = Union["Vec3", Sequence[float], "numpy.ndarray"]  # noqa: F821  three numbers
Rotation = Union["Quat", Sequence[float], "numpy.ndarray"]  # noqa: F821  four numbers: x, y, z, w


class Vec3(NamedTuple):
    """Three numbers: x, y, z. Unlike tuples, vectors are added and multiplied by numbers."""

    x: float
    y: float
    z: float

    def __add__(self, other: Vector) -> Vec3:  # type: ignore[override]
        x, y, z = other
        return Vec3(self.x + x, self.y + y, self.z + z)

    def __sub__(self, other: Vector) -> Vec3:
        x, y, z = other
        return Vec3(self.x - x, self.y - y, self.z - z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, factor: float) -> Vec3:  # type: ignore[override]
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__  # type: ignore[assignment]

    def dot(self, other: Vector) -> float:
        """Returns the scalar product."""
        x, y, z = other
        return self.x * x + self.y * y + self.z * z

    def cross(self, other: Vector) -> Vec3:
        """Returns the vector product."""
        x, y, z = other
        return Vec3(self.y * z - self.z * y, self.z * x - self.x * z, self.x * y - self.y * x)

    @property
    def length(self) -> float:
        """The Euclidean length."""
        return math.hypot(self.x, self.y, self.z)


class Quat(NamedTuple):
    """A rotation: a unit quaternion, x first. Quat() is no rotation."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    w: float = 1.0

    @classmethod
    def about(cls, axis: Vector, angle: float) -> Quat:
        """Returns the rotation about an axis (of any length but 0) by an angle, rad, right-handed."""
        x, y, z = axis
        length = math.hypot(x, y, z)
        s = math.sin(angle / 2) / length if length > 0 else math.nan
        return cls(x * s, y * s, z * s, math.cos(angle / 2))

    def __mul__(self, other: Rotation) -> Quat:  # type: ignore[override]
        """Returns the rotation `other`, followed by this one."""
        x, y, z, w = other
        return Quat(
            self.w * x + self.x * w + self.y * z - self.z * y,
            self.w * y + self.y * w + self.z * x - self.x * z,
            self.w * z + self.z * w + self.x * y - self.y * x,
            self.w * w - self.x * x - self.y * y - self.z * z,
        )

    @property
    def inverse(self) -> Quat:
        """The opposite rotation."""
        return Quat(-self.x, -self.y, -self.z, self.w)

    def rotate(self, vector: Vector) -> Vec3:
        """Returns the vector, rotated."""
        axis = Vec3(self.x, self.y, self.z)
        t = axis.cross(vector) * 2.0
        return t * self.w + axis.cross(t) + vector


class Bounds(NamedTuple):
    """A box along the axes."""

    lower: Vec3
    upper: Vec3


def vec3_from(v) -> Vec3:
    """Returns a vector from a structure of C."""
    return Vec3(v.x, v.y, v.z)


def quat_from(q) -> Quat:
    """Returns a rotation from a structure of C."""
    return Quat(q.x, q.y, q.z, q.w)


def bounds_from(box) -> Bounds:
    """Returns a box from a structure of C."""
    return Bounds(vec3_from(box.lower), vec3_from(box.upper))
