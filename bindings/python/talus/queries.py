"""Queries of a world: rays, moving shapes, overlaps, the nearest bodies. A part of World.

They see every body at its present pose. They skip sensors, and shapes that do not collide with `filter`. Methods with a
plural name cast many at once, from arrays to an array, and let other threads run meanwhile.
"""

from __future__ import annotations

import ctypes
import math
from typing import NamedTuple, Sequence, Union

import numpy as np

from . import _arguments as arg
from . import _c
from ._library import free, lib
from ._lists import Lists, dtype_of
from .body import Body
from .definitions import Filter, filter_pointer
from .errors import Error
from .shapes import Shape, shape_argument
from .vectors import Quat, Rotation, Vec3, Vector, vec3_from

HIT = dtype_of(_c.TalusCastHit)
_NEAR = dtype_of(_c.TalusNearHit)
_RAY = dtype_of(_c.TalusRay)
_CAST = np.dtype((np.void, ctypes.sizeof(_c.TalusShapeCast)))


class Hit(NamedTuple):
    """Where a ray or a moving shape hits a body."""

    body: Body
    shape: int
    """Index of the shape in its body."""
    triangle: int | None
    """Number of the triangle if the shape is a mesh."""
    position: Vec3
    """World, m."""
    normal: Vec3
    """Outward, unit. If the cast starts in overlap: the direction that separates the two; zero for a ray that starts
    inside."""
    fraction: float
    """Part of the translation, 0 to 1; 0 if the cast starts in overlap."""


class Near(NamedTuple):
    """A body near a point."""

    body: Body
    shape: int
    """Index of the shape that is nearest."""
    position: Vec3
    """The nearest point of that shape, world, m."""
    distance: float
    """m; 0 if the point is inside."""


class Queries(Lists):
    """The methods of World that look for bodies."""

    __slots__ = ()

    def _hit(self, hit: _c.TalusCastHit) -> Hit | None:
        if not hit.body:
            self._raise_refusal()
            return None
        triangle = None if hit.triangle == _c.TALUS_NO_TRIANGLE else hit.triangle
        return Hit(
            Body(self, hit.body), hit.shape, triangle, vec3_from(hit.position), vec3_from(hit.normal), hit.fraction
        )

    def _hits(self, function, *arguments) -> list[Hit]:
        """Returns a list of hits that C writes."""
        hits = self._list(function, HIT, *arguments)
        if not len(hits):
            self._raise_refusal()
            return []
        return [self._hit(hit) for hit in (_c.TalusCastHit * len(hits)).from_buffer(hits)]

    def _found(self, found) -> bool:
        """Returns the answer of a question, after a look at a refusal."""
        if not found:
            self._raise_refusal()
        return found

    def _overlapping(self, function, *arguments) -> list[Body]:
        ids = self._ids(function, *arguments)
        if not len(ids):
            self._raise_refusal()
        return [Body(self, id) for id in ids.tolist()]

    # ---- Rays.

    def ray_cast(self, origin: Vector, translation: Vector, filter: Filter | None = None) -> Hit | None:
        """Returns the first hit of the segment from `origin` to origin + translation (m), or None."""
        ray, only = _ray(origin, translation), filter_pointer(filter)
        return self._hit(self._reads(lib.talus_world_ray_cast, ray, only))

    def ray_cast_any(self, origin: Vector, translation: Vector, filter: Filter | None = None) -> bool:
        """Returns whether the segment hits anything."""
        ray, only = _ray(origin, translation), filter_pointer(filter)
        return self._found(self._reads(lib.talus_world_ray_cast_any, ray, only))

    def ray_cast_all(self, origin: Vector, translation: Vector, filter: Filter | None = None) -> list[Hit]:
        """Returns one hit for each shape that the segment hits, by ascending fraction."""
        return self._hits(lib.talus_world_ray_cast_all, _ray(origin, translation), filter_pointer(filter))

    def ray_casts(self, origins, translations, filter: Filter | None = None) -> np.ndarray:
        """Casts many rays. Returns an array with the first hit of each: fields body (0: no hit), shape, triangle,
        position, normal, fraction.

        `origins`: n x 3, world, m; `translations`: n x 3, or one for all, m.
        """
        starts = arg.array(origins, np.float64, (None, 3), "origins")
        rays = np.empty(len(starts), _RAY)
        rays["origin"] = starts
        rays["translation"] = _rows(translations, len(starts), 3, "translations")
        return self._casts("talus_world_ray_casts", rays, filter)

    # ---- Moving shapes.

    def shape_cast(
        self,
        shape: Shape,
        position: Vector,
        translation: Vector,
        rotation: Rotation = Quat(),
        filter: Filter | None = None,
    ) -> Hit | None:
        """Returns the first hit of a shape that moves from `position` (m) and `rotation` by `translation` (m) without
        rotating, or None. Touching counts."""
        cast, only = _cast(shape, position, translation, rotation), filter_pointer(filter)
        return self._hit(self._reads(lib.talus_world_shape_cast, cast, only))

    def shape_cast_any(
        self,
        shape: Shape,
        position: Vector,
        translation: Vector,
        rotation: Rotation = Quat(),
        filter: Filter | None = None,
    ) -> bool:
        """Returns whether the moving shape touches anything."""
        cast, only = _cast(shape, position, translation, rotation), filter_pointer(filter)
        return self._found(self._reads(lib.talus_world_shape_cast_any, cast, only))

    def shape_cast_all(
        self,
        shape: Shape,
        position: Vector,
        translation: Vector,
        rotation: Rotation = Quat(),
        filter: Filter | None = None,
    ) -> list[Hit]:
        """Returns one hit for each shape that the moving shape touches, by ascending fraction."""
        cast = _cast(shape, position, translation, rotation)
        return self._hits(lib.talus_world_shape_cast_all, cast, filter_pointer(filter))

    def shape_casts(
        self, shape: Shape, positions, translations, rotations=None, filter: Filter | None = None
    ) -> np.ndarray:
        """Casts a shape from many places, as ray_casts() does with rays.

        `positions`: n x 3, m; `translations`: n x 3, or one for all, m; `rotations`: n x 4, or one for all.
        """
        starts = arg.array(positions, np.float64, (None, 3), "positions")
        count = len(starts)
        cast = _c.TalusShapeCast(shape_argument(shape, "shape"))
        turned = _rows((0, 0, 0, 1) if rotations is None else rotations, count, 4, "rotations")
        moves = _rows(translations, count, 3, "translations")
        if count == 0:
            return np.empty(0, HIT)
        casts = np.repeat(np.frombuffer(cast, _CAST), count)

        def rows(field: str, part: str, dtype, width: int) -> np.ndarray:
            """Returns a field of a structure of all casts as rows."""
            outer = getattr(_c.TalusShapeCast, field)
            inner = getattr(_c.TalusWorldTransform, part).offset if part else 0
            strides = (casts.itemsize, np.dtype(dtype).itemsize)
            return np.ndarray((count, width), dtype, casts, outer.offset + inner, strides)

        rows("pose", "position", np.float64, 3)[:] = starts
        rows("pose", "rotation", np.float32, 4)[:] = turned
        rows("translation", "", np.float32, 3)[:] = moves
        return self._casts("talus_world_shape_casts", casts, filter)

    def _casts(self, name: str, casts: np.ndarray, filter: Filter | None) -> np.ndarray:
        hits = np.empty(len(casts), HIT)
        given, count, only, out = arg.address(casts), len(casts), filter_pointer(filter), arg.address(hits)
        if self._steps:  # in a contact modifier, after which the step goes on
            cast = self._reads(getattr(lib, name), given, count, only, out)
        else:
            cast = self._reads_long(getattr(free, name), given, count, only, out)
        if not cast:
            raise self._refusal() or Error("the casts were refused")
        return hits

    # ---- Overlaps. Touching counts.

    def overlap(
        self, shape: Shape, position: Vector, rotation: Rotation = Quat(), filter: Filter | None = None
    ) -> list[Body]:
        """Returns the bodies that overlap a shape at `position` (m) and `rotation`."""
        pointer, pose = ctypes.byref(shape_argument(shape, "shape")), _pose(position, rotation)
        return self._overlapping(lib.talus_world_overlap_shape, pointer, pose, filter_pointer(filter))

    def overlap_box(self, lower: Vector, upper: Vector, filter: Filter | None = None) -> list[Body]:
        """Returns the bodies that overlap a box along the world's axes (m)."""
        return self._overlapping(lib.talus_world_overlap_box, _box(lower, upper), filter_pointer(filter))

    def overlap_point(self, point: Vector, filter: Filter | None = None) -> list[Body]:
        """Returns the bodies that contain a point (m)."""
        return self._overlapping(lib.talus_world_overlap_point, arg.dvec3(point, "point"), filter_pointer(filter))

    def overlap_any(
        self, shape: Shape, position: Vector, rotation: Rotation = Quat(), filter: Filter | None = None
    ) -> bool:
        """Returns whether any body overlaps the shape, at about half the cost of overlap()."""
        pointer, pose = ctypes.byref(shape_argument(shape, "shape")), _pose(position, rotation)
        only = filter_pointer(filter)
        return self._found(self._reads(lib.talus_world_overlap_any_shape, pointer, pose, only))

    def overlap_any_box(self, lower: Vector, upper: Vector, filter: Filter | None = None) -> bool:
        """Returns whether any body overlaps a box."""
        box, only = _box(lower, upper), filter_pointer(filter)
        return self._found(self._reads(lib.talus_world_overlap_any_box, box, only))

    def overlap_any_point(self, point: Vector, filter: Filter | None = None) -> bool:
        """Returns whether any body contains a point."""
        place, only = arg.dvec3(point, "point"), filter_pointer(filter)
        return self._found(self._reads(lib.talus_world_overlap_any_point, place, only))

    # ---- Nearest.

    def nearest(
        self, point: Vector, count: int = 1, max_distance: float = math.inf, filter: Filter | None = None
    ) -> list[Near]:
        """Returns up to `count` bodies nearest to a point (m), by ascending distance, none farther than `max_distance`
        (m)."""
        place, only = arg.dvec3(point, "point"), filter_pointer(filter)
        distance = arg.number(max_distance, "max_distance")
        most = min(arg.integer(count, "count", 1, 2**63 - 1), max(1, self._reads(lib.talus_world_body_count)))
        near = np.empty(most, _NEAR)
        out = arg.address(near)
        found = self._reads(lib.talus_world_nearest, place, distance, only, out, most)
        if not found:
            self._raise_refusal()
            return []
        hits = (_c.TalusNearHit * most).from_buffer(near)[:found]
        return [Near(Body(self, h.body), h.shape, vec3_from(h.position), h.distance) for h in hits]


def _ray(origin, translation) -> _c.TalusRay:
    return _c.TalusRay(arg.dvec3(origin, "origin"), arg.vec3(translation, "translation"))


def _pose(position, rotation) -> _c.TalusWorldTransform:
    return _c.TalusWorldTransform(arg.dvec3(position, "position"), arg.quat(rotation, "rotation"))


def _box(lower, upper) -> _c.TalusWorldAabb:
    return _c.TalusWorldAabb(arg.dvec3(lower, "lower"), arg.dvec3(upper, "upper"))


def _cast(shape, position, translation, rotation):
    """Returns a pointer to a cast."""
    motion = arg.vec3(translation, "translation")
    return ctypes.byref(_c.TalusShapeCast(shape_argument(shape, "shape"), _pose(position, rotation), motion))


def _rows(values: Union[np.ndarray, Sequence], count: int, width: int, name: str) -> np.ndarray:
    """Returns rows of floats: `count` of them, or one for all."""
    if np.ndim(values) == 1:
        return arg.array(values, np.float32, (width,), name)
    return arg.array(values, np.float32, (count, width), name)
