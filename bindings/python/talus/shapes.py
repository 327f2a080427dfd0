"""Convex shapes, and what two of them do without a world.

A shape is made by a function of its name: sphere(), capsule(), box(), cylinder(), cone(), ellipsoid(), superellipsoid(),
convex_sum(), hull(), segment(), triangle(). It cannot be changed, and bodies may share it. Numbers that are not allowed
raise talus.Error.
"""

from __future__ import annotations

import ctypes
import math
from typing import NamedTuple

import numpy as np

from . import _arguments as arg
from . import _c
from ._library import lib
from ._owner import Shared
from .errors import Error, from_c, made
from .mass import MassProperties, mass_from
from .vectors import Bounds, Quat, Rotation, Vec3, Vector, bounds_from, vec3_from

_TYPES = {value: name for name, value in arg.names_of("TalusShapeType").items()}


class _Hull(Shared):
    """Owns a reference to a hull of C."""

    __slots__ = ()
    _free = "talus_hull_release"


class _Mapping(Shared):
    """Owns a reference to a superellipsoid or a convex sum of C."""

    __slots__ = ()
    _free = "talus_mapping_release"


class Shape:
    """A convex shape in its own frame, without place or material. Made by talus.box() and its like."""

    __slots__ = ("_c", "_keep")
    _c: _c.TalusShape
    _keep: object  # owns the hull or the mapping

    def __init__(self, *arguments):
        raise TypeError("make a Shape with talus.box(), talus.sphere() and their like")

    @classmethod
    def _of(cls, shape: _c.TalusShape, keep=None) -> Shape:
        self = cls.__new__(cls)
        self._c, self._keep = shape, keep
        return self

    def __copy__(self) -> Shape:
        return self

    def __deepcopy__(self, memo) -> Shape:
        return self

    @property
    def type(self) -> str:
        """"sphere", "capsule", "segment", "triangle", "box", "cylinder", "cone", "hull", "ellipsoid", "superellipsoid" or
        "convex_sum"."""
        return _TYPES[self._c.type]

    @property
    def radius(self) -> float:
        """Radius of a sphere or capsule, or of what is rounded, m; else 0. (Of a cylinder and a cone: half_extents.x.)"""
        return self._c.radius

    @property
    def half_extents(self) -> Vec3:
        """Of a box, m. Cylinder, cone: (r, half height, r); capsule: (0, half height, 0); (super)ellipsoid: its radii."""
        return vec3_from(self._c.half_extents)

    @property
    def points(self) -> np.ndarray:
        """Corners of a segment or triangle, vertices of a hull: n x 3, m. Other shapes have none."""
        if self.type == "hull":
            count = lib.talus_hull_vertices(self._c.hull, None, 0)
            points = np.empty((count, 3), np.float32)
            lib.talus_hull_vertices(self._c.hull, arg.address(points), count)
            return points
        count = {"segment": 2, "triangle": 3}.get(self.type, 0)
        return np.frombuffer(self._c.points, np.float32).reshape(3, 3)[:count].copy()

    @property
    def faces(self) -> list[np.ndarray]:
        """Faces of a hull: indices among its points, counter-clockwise seen from outside. Other shapes have none."""
        count = lib.talus_hull_faces(self._c.hull, None, 0)
        numbers = np.empty(count, np.uint32)
        lib.talus_hull_faces(self._c.hull, arg.address(numbers), count)
        faces, at = [], 0
        while at < count:
            corners = int(numbers[at])
            faces.append(numbers[at + 1 : at + 1 + corners])
            at += 1 + corners
        return faces

    @property
    def volume(self) -> float:
        """m^3; of segments and triangles without a radius 0."""
        if self.type == "hull" and self._c.radius == 0:
            return lib.talus_hull_volume(self._c.hull)
        return lib.talus_shape_mass_properties(ctypes.byref(self._c), 1.0).mass

    @property
    def bounds(self) -> Bounds:
        """The box around it, in its frame, m."""
        return bounds_from(lib.talus_shape_bounds(ctypes.byref(self._c)))

    @property
    def bounding_radius(self) -> float:
        """Radius of the sphere around it, centred at its frame's origin, m."""
        return lib.talus_shape_bounding_radius(ctypes.byref(self._c))

    @property
    def thickness(self) -> float:
        """Six volumes over the surface area, m."""
        return lib.talus_shape_thickness(ctypes.byref(self._c))

    @property
    def is_solid(self) -> bool:
        """Whether it encloses volume."""
        return lib.talus_shape_is_solid(ctypes.byref(self._c))

    def mass_properties(self, density: float) -> MassProperties:
        """Returns mass, centre of mass and inertia at a density (kg/m^3)."""
        density = _finite(arg.number(density, "density"), "density")
        return mass_from(lib.talus_shape_mass_properties(ctypes.byref(self._c), density))

    def __repr__(self) -> str:
        return f"<talus.Shape: {self.type}>"


def _checked(shape: _c.TalusShape, keep=None) -> Shape:
    """Returns the shape, or raises the error that says what is wrong with its numbers."""
    error = _c.TalusError()
    if not lib.talus_check_shape(ctypes.byref(shape), ctypes.byref(error)):
        raise from_c(error, "the shape was refused")
    return Shape._of(shape, keep)


def sphere(radius: float) -> Shape:
    """A sphere centred at the origin. `radius`: m."""
    return _checked(lib.talus_sphere(arg.number(radius, "radius")))


def capsule(half_height: float, radius: float) -> Shape:
    """A capsule about the y axis. `half_height`: without the caps, m; `radius`: m."""
    return _checked(lib.talus_capsule(arg.number(half_height, "half_height"), arg.number(radius, "radius")))


def box(half_extents: Vector) -> Shape:
    """A box centred at the origin. `half_extents`: half its edges, m."""
    return _checked(lib.talus_box(arg.vec3(half_extents, "half_extents")))


def cylinder(half_height: float, radius: float) -> Shape:
    """A cylinder about the y axis, m."""
    return _checked(lib.talus_cylinder(arg.number(half_height, "half_height"), arg.number(radius, "radius")))


def cone(half_height: float, radius: float) -> Shape:
    """A cone about the y axis, its apex at y = +half_height, m."""
    return _checked(lib.talus_cone(arg.number(half_height, "half_height"), arg.number(radius, "radius")))


def hull(points) -> Shape:
    """The convex hull of points (n x 3, m)."""
    points = arg.array(points, np.float32, (None, 3), "points")
    owner = _Hull._own(made(lib.talus_hull_create, arg.address(points), len(points)))
    return _checked(lib.talus_hull(owner._pointer), owner)


def ellipsoid(radii: Vector) -> Shape:
    """An ellipsoid centred at the origin. `radii`: its half axes, m; the smallest at least 1e-3 of the largest."""
    return _checked(lib.talus_ellipsoid(arg.vec3(radii, "radii")))


def superellipsoid(radii: Vector, around: float, along: float) -> Shape:
    """The superellipsoid ((|x/a|^r + |z/c|^r)^(t/r) + |y/b|^t) <= 1. `radii`: (a, b, c), m; `around`: r; `along`: t; both 1
    to 16. 2 and 2 is an ellipsoid; large exponents come near to a box. Its mass is integrated, which takes milliseconds."""
    numbers = arg.vec3(radii, "radii"), arg.number(around, "around"), arg.number(along, "along")
    owner = _Mapping._own(made(lib.talus_superellipsoid_create, *numbers))
    return _checked(lib.talus_mapping(owner._pointer), owner)


def convex_sum(a: Shape, b: Shape) -> Shape:
    """The Minkowski sum of two shapes: all sums of a point of `a` and a point of `b`. They may be flat (a segment, a
    triangle), but the sum must enclose volume. Sums may be nested up to 4 deep. Takes milliseconds."""
    first, second = shape_argument(a, "a"), shape_argument(b, "b")
    owner = _Mapping._own(made(lib.talus_convex_sum_create, ctypes.byref(first), ctypes.byref(second)))
    return _checked(lib.talus_mapping(owner._pointer), owner)


def rounded(shape: Shape, radius: float) -> Shape:
    """A box, hull, segment or triangle with so much more radius (m): its edges and corners are rounded by it, its faces
    move outward by it. Other shapes come back as they are."""
    return _checked(lib.talus_rounded(shape_argument(shape, "shape"), arg.number(radius, "radius")), shape._keep)


def segment(start: Vector, end: Vector, radius: float = 0.0) -> Shape:
    """All points within `radius` (>= 0, m) of the segment between two points (m)."""
    return _checked(lib.talus_segment(arg.vec3(start, "start"), arg.vec3(end, "end"), arg.number(radius, "radius")))


def triangle(p: Vector, q: Vector, r: Vector, radius: float = 0.0) -> Shape:
    """All points within `radius` (>= 0, m) of a triangle with these corners (m). It has two sides."""
    corners = arg.vec3(p, "p"), arg.vec3(q, "q"), arg.vec3(r, "r")
    return _checked(lib.talus_triangle(*corners, arg.number(radius, "radius")))


def shape_argument(value, name: str) -> _c.TalusShape:
    if not isinstance(value, Shape):
        raise arg.wrong_type(name, "a shape, such as talus.box((1, 1, 1))", value)
    return value._c


def shape_from(shape: _c.TalusShape, owner) -> Shape:
    """Returns a copy of a shape of C, whose hull or mapping `owner` keeps."""
    return Shape._of(_c.TalusShape.from_buffer_copy(shape), owner if shape.hull or shape.mapping else None)


# ---- Two shapes.


class Separation(NamedTuple):
    """How near two shapes are, in the frame of A."""

    separation: float
    """m; negative: how deep they overlap"""
    normal: Vec3
    """Unit, from A to B."""
    point_a: Vec3
    """On A's surface, m."""
    point_b: Vec3
    """On B's surface, m."""


class ShapeHit(NamedTuple):
    """Where a ray or a moving shape meets a shape."""

    fraction: float
    """Part of the translation, 0 to 1."""
    point: Vec3
    """On the shape that is hit, m."""
    normal: Vec3
    """Outward unit normal there."""


def separation(a: Shape, b: Shape, position: Vector, rotation: Rotation = Quat()) -> Separation:
    """Returns the signed distance of two shapes. `position` (m) and `rotation` are B's, in the frame of A."""
    first, second = shape_argument(a, "a"), shape_argument(b, "b")
    s = lib.talus_separation(ctypes.byref(first), ctypes.byref(second), _pose(position, rotation))
    if not s.valid:
        raise Error("separation: the shapes are too far from each other, or too large")
    return Separation(s.separation, vec3_from(s.normal), vec3_from(s.point_a), vec3_from(s.point_b))


def ray_cast(shape: Shape, origin: Vector, translation: Vector) -> ShapeHit | None:
    """Returns where the segment from `origin` to origin + translation (shape's frame, m) enters the shape, if it
    does."""
    c = shape_argument(shape, "shape")
    start, motion = _finite_vec3(origin, "origin"), _finite_vec3(translation, "translation")
    return _hit(lib.talus_shape_ray_cast(ctypes.byref(c), start, motion))


def shape_cast(
    a: Shape, b: Shape, position: Vector, translation: Vector, rotation: Rotation = Quat()
) -> ShapeHit | None:
    """Returns where shape B first touches A, if it does: B begins at `position` and `rotation` in A's frame and moves
    by `translation` (m) without rotating. The result is in A's frame."""
    first, second = shape_argument(a, "a"), shape_argument(b, "b")
    pose, motion = _pose(position, rotation), _finite_vec3(translation, "translation")
    return _hit(lib.talus_shape_shape_cast(ctypes.byref(first), ctypes.byref(second), pose, motion))


def _hit(hit: _c.TalusShapeHit) -> ShapeHit | None:
    return ShapeHit(hit.fraction, vec3_from(hit.point), vec3_from(hit.normal)) if hit.hit else None


def _finite(value: float, name: str) -> float:
    if not math.isfinite(value):
        raise Error(f"{name} is {value}; it must be finite", "not_finite")
    return value


def _finite_vec3(value, name: str) -> _c.TalusVec3:
    v = arg.vec3(value, name)
    if not (math.isfinite(v.x) and math.isfinite(v.y) and math.isfinite(v.z)):
        raise Error(f"{name} is ({v.x}, {v.y}, {v.z}); it must be finite", "not_finite")
    return v


def _pose(position, rotation) -> _c.TalusTransform:
    pose = _c.TalusTransform(_finite_vec3(position, "position"), arg.quat(rotation, "rotation"))
    q = pose.rotation
    length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w
    if not 0 < length < math.inf:
        raise Error(f"rotation is ({q.x}, {q.y}, {q.z}, {q.w}); it must be finite and not zero")
    return pose
