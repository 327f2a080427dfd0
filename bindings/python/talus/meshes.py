"""Triangle meshes and height fields, for fixed and kinematic bodies. docs/meshes.md says what they can do."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from . import _arguments as arg
from . import _c
from ._library import lib
from ._owner import Shared
from .errors import Error, made
from .mass import MassProperties, mass_from
from .vectors import Bounds, bounds_from


class MeshTriangle(NamedTuple):
    """A triangle of a mesh."""

    corners: np.ndarray
    """3 x 3: three points, m."""
    source: int
    """Its index in the data that the mesh was made from."""


class Mesh(Shared):
    """A triangle mesh or a height field. Bodies may share it. Made by mesh() and height_field()."""

    __slots__ = ()
    _free = "talus_mesh_release"

    @property
    def bounds(self) -> Bounds:
        """The box around all triangles, m."""
        return bounds_from(lib.talus_mesh_bounds(self._pointer))

    def __len__(self) -> int:
        """The number of triangles."""
        return lib.talus_mesh_size(self._pointer)

    def __bool__(self) -> bool:
        return True

    def triangle(self, index: int) -> MeshTriangle:
        """Returns a triangle by its number in the mesh, as hits and contacts give it."""
        index = arg.integer(index, "index", 0, len(self) - 1)
        corners = np.empty((3, 3), np.float32)
        source = lib.talus_mesh_triangle(self._pointer, index, arg.address(corners))
        return MeshTriangle(corners, source)

    def __repr__(self) -> str:
        return f"<talus.Mesh: {len(self)} triangles>"


class LentMesh(Mesh):
    """A mesh that another object of C owns."""

    __slots__ = ("_lender",)

    @classmethod
    def _lent(cls, pointer: int, lender) -> LentMesh:
        mesh = cls._own(pointer)
        mesh._lender = lender
        return mesh

    def __del__(self):
        pass


def mesh(vertices, indices, materials=None, two_sided: bool = False, solid: bool = False) -> Mesh:
    """Returns a triangle mesh.

    vertices:  n x 3, m
    indices:   m x 3, or 3 m: corners of the triangles, counter-clockwise seen from the front
    materials: m numbers 0 to 255: indices among a body's `mesh_materials`
    two_sided: stops bodies from both sides; else from the front only
    solid:     the boundary of a solid of any shape, which dynamic bodies can have: closed and one-sided
    """
    definition, keep = _definition(vertices, indices)
    if materials is not None:
        numbers = arg.array(materials, np.uint8, (definition.index_count // 3,), "materials")
        definition.materials = arg.address(numbers)
    definition.two_sided = arg.flag(two_sided, "two_sided")
    definition.solid = arg.flag(solid, "solid")
    return Mesh._own(made(lib.talus_mesh_create, ctypes.byref(definition)))


def height_field(
    heights, spacing: tuple[float, float] | float = 1.0, materials=None, two_sided: bool = False, holes=None
) -> Mesh:
    """Returns a height field, which begins at the origin of its body.

    heights:   rows along z, columns along x, m; 2 x 2 to 32,769 x 32,769
    spacing:   distance of samples along x and z, m; one number: of both
    materials: one less of each: numbers 0 to 255 of the cells, indices among a body's `mesh_materials`
    two_sided: stops bodies from both sides; else from above only
    holes:     one less of each: the cells that are holes
    """
    definition = lib.talus_height_field_def()
    samples = arg.array(heights, np.float32, (None, None), "heights")
    rows, columns = samples.shape
    if max(rows, columns) > 0xFFFFFFFF:
        raise Error("heights has too many rows or columns")
    definition.rows, definition.columns = rows, columns
    definition.heights = arg.address(samples)
    if isinstance(spacing, (tuple, list, np.ndarray)):
        x, z = arg.array(spacing, np.float32, (2,), "spacing")
    else:
        x = z = arg.number(spacing, "spacing")
    definition.spacing_x, definition.spacing_z = x, z
    cells = max(rows - 1, 0), max(columns - 1, 0)
    if materials is not None:
        numbers = arg.array(materials, np.uint8, cells, "materials")
        definition.materials = arg.address(numbers)
    if holes is not None:
        given = np.asarray(holes)
        missing = arg.array(given.astype(np.uint8) if given.dtype == bool else holes, np.uint8, cells, "holes")
        definition.holes = arg.address(missing)
    definition.two_sided = arg.flag(two_sided, "two_sided")
    return Mesh._own(made(lib.talus_height_field_create, ctypes.byref(definition)))


def mesh_mass_properties(vertices, indices, density: float) -> MassProperties:
    """Returns mass, centre of mass and inertia of the solid inside a closed mesh of a density (kg/m^3)."""
    definition, keep = _definition(vertices, indices)
    result = _c.TalusMassProperties()
    made(lib.talus_mesh_mass_properties, ctypes.byref(definition), arg.number(density, "density"), ctypes.byref(result))
    return mass_from(result)


def _definition(vertices, indices) -> tuple[_c.TalusMeshDef, list]:
    """Returns a definition, and the arrays that it points to."""
    definition = lib.talus_mesh_def()
    points = arg.array(vertices, np.float32, (None, 3), "vertices")
    if isinstance(indices, np.ndarray) and indices.ndim == 1:
        corners = arg.array(indices, np.uint32, (None,), "indices")
    else:
        corners = arg.array(indices, np.uint32, (None, 3), "indices")
    definition.vertices, definition.vertex_count = arg.address(points), len(points)
    definition.indices, definition.index_count = arg.address(corners), corners.size
    return definition, [points, corners]
