"""What debug drawing shows, as arrays for any renderer. A part of World."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import numpy as np

from . import _arguments as arg
from . import _c
from ._access import Access
from ._library import free, lib
from .errors import Error
from .vectors import Bounds

if TYPE_CHECKING:
    from typing_extensions import Unpack


class DrawOptions(TypedDict, total=False):
    """What World.draw() draws; nothing by default. docs/debug_draw.md shows each."""

    outlines: bool  # of all shapes
    outline_color: Literal["type", "sleep", "island"]  # what their colours show
    boxes: bool
    fat_boxes: bool
    columns: bool
    contact_points: bool
    contact_normals: bool
    contact_impulses: bool
    feature_ids: bool
    manifold_areas: bool
    centers_of_mass: bool
    inertia_axes: bool
    joints: bool
    velocities: bool
    pair_rungs: bool
    normal_length: float  # m
    impulse_scale: float  # m per N s
    velocity_scale: float  # m per m/s
    region: Bounds  # what is outside is left out: (lower, upper), m


class Drawing(NamedTuple):
    """Figures in world coordinates (m), each with its colour: sRGB and alpha, 0 to 255."""

    lines: np.ndarray
    """n x 2 x 3: from and to."""
    line_colors: np.ndarray
    """n x 4"""
    points: np.ndarray
    """n x 3"""
    point_colors: np.ndarray
    """n x 4"""
    point_sizes: np.ndarray
    """n, pixels"""
    triangles: np.ndarray
    """n x 3 x 3"""
    triangle_colors: np.ndarray
    """n x 4"""
    texts: list[tuple[str, tuple[float, float, float]]]
    """Texts and where they are."""


def _region(value, name: str) -> _c.TalusWorldAabb:
    try:
        lower, upper = value
    except (TypeError, ValueError):
        raise arg.wrong_type(name, "two points (lower, upper)", value) from None
    return _c.TalusWorldAabb(arg.dvec3(lower, f"{name}: lower"), arg.dvec3(upper, f"{name}: upper"))


_OPTIONS = {
    **arg.fields_of(_c.TalusDebugDrawOptions),
    "outline_color": arg.choices(arg.names_of("TalusOutlineColor")),
    "region": _region,
}
_CALLS = {name: kind for name, kind in _c.TalusDebugDraw._fields_ if name != "user"}


class DebugDrawing(Access):
    """The method of World that draws it."""

    __slots__ = ()

    def draw(self, **options: Unpack[DrawOptions]) -> Drawing:
        """Returns lines, points, triangles and texts that show what `options` ask for. For inspection: it takes some us
        per figure."""
        wanted = lib.talus_debug_draw_options()
        arg.fill(wanted, options, _OPTIONS, "draw")
        lines, line_colors, points, point_colors, sizes, triangles, triangle_colors, texts = ([] for _ in range(8))

        def line(_, a, b, color):
            lines.append(((a.x, a.y, a.z), (b.x, b.y, b.z)))
            line_colors.append((color.r, color.g, color.b, color.a))

        def point(_, at, pixels, color):
            points.append((at.x, at.y, at.z))
            sizes.append(pixels)
            point_colors.append((color.r, color.g, color.b, color.a))

        def triangle(_, a, b, c, color):
            triangles.append(((a.x, a.y, a.z), (b.x, b.y, b.z), (c.x, c.y, c.z)))
            triangle_colors.append((color.r, color.g, color.b, color.a))

        def text(_, at, words, color):
            texts.append((words.decode("utf-8", "replace"), (at.x, at.y, at.z)))

        functions = {"line": line, "point": point, "triangle": triangle, "text": text}
        calls = {name: kind(functions[name]) for name, kind in _CALLS.items()}
        draw = _c.TalusDebugDraw(**calls)
        if not self._reads_long(free.talus_world_draw, ctypes.byref(draw), ctypes.byref(wanted)):
            raise self._refusal() or Error("draw was refused")
        return Drawing(
            np.array(lines, np.float64).reshape(-1, 2, 3),
            np.array(line_colors, np.uint8).reshape(-1, 4),
            np.array(points, np.float64).reshape(-1, 3),
            np.array(point_colors, np.uint8).reshape(-1, 4),
            np.array(sizes, np.float32),
            np.array(triangles, np.float64).reshape(-1, 3, 3),
            np.array(triangle_colors, np.uint8).reshape(-1, 4),
            texts,
        )
