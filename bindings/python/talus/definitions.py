"""What bodies are made of: materials, filters, parts, mass; the keywords of World.add_body()."""

from __future__ import annotations

import ctypes
import enum
from dataclasses import dataclass
from typing import Iterable, Literal, TypedDict, Union

from . import _arguments as arg
from . import _c
from ._library import lib
from ._owner import Shared
from .mass import MassProperties, mass_from, mass_to_c
from .meshes import LentMesh, Mesh
from .shapes import Shape, shape_argument, shape_from
from .vectors import Quat, Rotation, Vec3, Vector, quat_from, vec3_from

BodyType = Literal["fixed", "kinematic", "dynamic"]
Continuous = Literal["off", "fixed", "all"]

_TYPES = arg.names_of("TalusBodyType")
_CONTINUOUS = arg.names_of("TalusContinuous")
TYPE_NAMES = {value: name for name, value in _TYPES.items()}
_CONTINUOUS_NAMES = {value: name for name, value in _CONTINUOUS.items()}
body_type = arg.choices(_TYPES)
continuous = arg.choices(_CONTINUOUS)


class Lock(enum.IntFlag):
    """Axes of the world along which a body does not move, and about which it does not rotate; combine them with |."""

    NONE = 0
    X = _c.TALUS_LOCK_X
    Y = _c.TALUS_LOCK_Y
    Z = _c.TALUS_LOCK_Z
    TURN_X = _c.TALUS_LOCK_TURN_X
    TURN_Y = _c.TALUS_LOCK_TURN_Y
    TURN_Z = _c.TALUS_LOCK_TURN_Z
    TURNING = _c.TALUS_LOCK_TURNING
    TO_PLANE_XY = _c.TALUS_LOCK_TO_PLANE_XY


@dataclass(frozen=True)
class Material:
    """Surface properties of a shape."""

    friction: float = 0.6
    """Coulomb coefficient, >= 0. A contact uses the geometric mean of the two."""
    restitution: float = 0.0
    """0 (no bounce) to 1. A contact uses the greater of the two."""
    rolling_resistance: float = 0.0
    """>= 0. About 0.01 for a car tyre on asphalt."""
    grip_axis: Vector = (0.0, 0.0, 0.0)
    """Direction of full friction in the shape's frame; zero: the same in all directions."""
    grip_across: float = 1.0
    """Friction across `grip_axis` over friction along it, 0 to 1."""
    surface_velocity: Vector = (0.0, 0.0, 0.0)
    """Of a conveyor belt, in the shape's frame, m/s."""


@dataclass(frozen=True)
class Filter:
    """Layers that a shape belongs to, and layers that it collides with."""

    category: int = 1
    """The layers it belongs to, as bits."""
    mask: int = 0xFFFFFFFF
    """The layers it collides with, as bits."""
    group: int = 0
    """0: none. Shapes of equal positive groups collide, of equal negative ones do not."""


# ---- To C and back.

_MATERIAL_FIELDS = arg.fields_of(_c.TalusMaterial)
_FILTER_FIELDS = arg.fields_of(_c.TalusFilter)


def material_to_c(value, name: str) -> _c.TalusMaterial:
    if not isinstance(value, Material):
        raise arg.wrong_type(name, "a talus.Material", value)
    material = _c.TalusMaterial()
    arg.fill(material, vars(value), _MATERIAL_FIELDS, name)
    return material


def material_from(m: _c.TalusMaterial) -> Material:
    axis, belt = vec3_from(m.grip_axis), vec3_from(m.surface_velocity)
    return Material(m.friction, m.restitution, m.rolling_resistance, axis, m.grip_across, belt)


def filter_to_c(value, name: str) -> _c.TalusFilter:
    if not isinstance(value, Filter):
        raise arg.wrong_type(name, "a talus.Filter", value)
    result = _c.TalusFilter()
    arg.fill(result, vars(value), _FILTER_FIELDS, name)
    return result


def filter_pointer(value):
    """Returns what a query takes as its filter: NULL for None."""
    return None if value is None else ctypes.byref(filter_to_c(value, "filter"))


def _materials(values, name: str) -> ctypes.Array:
    """Returns the materials of a mesh as a list of C."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise arg.wrong_type(name, "a list of materials", values)
    materials = [material_to_c(value, name) for value in values]
    return (_c.TalusMaterial * len(materials))(*materials)


def _mesh(value, name: str):
    if not isinstance(value, Mesh):
        raise arg.wrong_type(name, "a talus.Mesh", value)
    return value._pointer


_OBJECTS = {"material": material_to_c, "filter": filter_to_c, "mesh": _mesh, "shape": shape_argument}
_PART_FIELDS = {**arg.fields_of(_c.TalusShapeDef, but=["mesh_material_count"]), **_OBJECTS}
_BODY_FIELDS = {
    **arg.fields_of(_c.TalusBodyDef, but=["mesh_material_count", "shape_count"]),
    **_OBJECTS,
    "type": body_type,
    "continuous": continuous,
}


def _fill(struct, given: dict, fields: dict, keep: list, call: str) -> None:
    """Fills a definition. `keep` gets what it points to."""
    plain, surface = {}, {}
    for name, value in given.items():
        (surface if name in _MATERIAL_FIELDS else plain)[name] = value
    materials = plain.pop("mesh_materials", None)
    arg.fill(struct, plain, fields, call)
    arg.fill(struct.material, surface, _MATERIAL_FIELDS, call)
    keep += [plain.get("shape"), plain.get("mesh")]
    if materials is not None:
        listed = _materials(materials, "mesh_materials")
        struct.mesh_materials, struct.mesh_material_count = ctypes.addressof(listed), len(listed)
        keep.append(listed)


# ---- Parts.


class SurfaceFields(TypedDict, total=False):
    """Keywords that parts and bodies have."""

    shape: Shape  # the geometry
    mesh: Mesh  # in place of `shape`, for fixed and kinematic bodies
    mesh_materials: Iterable[Material]  # by the material numbers of triangles
    density: float  # kg/m^3, >= 0; default 1000
    material: Material  # all surface properties at once; the next six change one of them
    friction: float  # Coulomb coefficient, >= 0; default 0.6
    restitution: float  # 0 (no bounce) to 1; default 0
    rolling_resistance: float  # >= 0; default 0
    grip_axis: Vector  # direction of full friction, shape's frame
    grip_across: float  # friction across that axis over friction along it, 0 to 1
    surface_velocity: Vector  # of a conveyor belt, shape's frame, m/s
    filter: Filter  # what it collides with
    sensor: bool  # reports overlaps, pushes nothing
    hit_events: bool  # lists impacts in World.contacts_hit()
    modify_contacts: bool  # passes contacts to the contact modifier


class PartFields(SurfaceFields, total=False):
    """Keywords of talus.part()."""

    position: Vector  # of the shape's frame in the body's frame, m
    rotation: Rotation  # of the shape's frame in the body's frame


class BodyFields(SurfaceFields, total=False):
    """Keywords of World.add_body()."""

    type: BodyType  # how it moves; default "dynamic"
    position: Vector  # origin of the body's frame in the world, m
    rotation: Rotation  # of the body's frame
    linear_velocity: Vector  # of the centre of mass, m/s
    angular_velocity: Vector  # rad/s
    shapes: Iterable[Union["Part", Shape]]  # several shapes, in place of `shape` and what belongs to it
    mass_properties: Union[MassProperties, None]  # in place of those that follow from the densities
    linear_damping: float  # 1/s
    angular_damping: float  # 1/s
    max_speed: float  # m/s; default inf: no limit of its own
    max_spin: float  # rad/s; default inf: no limit
    gravity_scale: float  # factor of gravity
    locks: int  # flags of talus.Lock
    allow_sleep: bool  # False keeps the body awake
    continuous: Continuous  # what it must not pass through when it is fast; default "fixed"
    user_data: int  # yours, 0 to 2**64 - 1


class Part:
    """One shape of a body, with its pose and material. Made by talus.part()."""

    __slots__ = ("_c", "_keep", "_shape", "_mesh")

    def __init__(self, *arguments):
        raise TypeError("make a Part with talus.part()")

    @classmethod
    def _of(cls, definition: _c.TalusShapeDef, keep: list, shape: Shape | None, mesh: Mesh | None) -> Part:
        self = cls.__new__(cls)
        self._c, self._keep, self._shape, self._mesh = definition, keep, shape, mesh
        return self

    def __copy__(self) -> Part:
        return self

    def __deepcopy__(self, memo) -> Part:
        return self

    @property
    def shape(self) -> Shape | None:
        """The geometry; None if it is a mesh."""
        return self._shape

    @property
    def mesh(self) -> Mesh | None:
        """The mesh; None if it is a shape."""
        return self._mesh

    @property
    def position(self) -> Vec3:
        """Of the shape's frame in the body's frame, m."""
        return vec3_from(self._c.pose.position)

    @property
    def rotation(self) -> Quat:
        """Of the shape's frame in the body's frame."""
        return quat_from(self._c.pose.rotation)

    @property
    def material(self) -> Material:
        """Surface properties."""
        return material_from(self._c.material)

    @property
    def mesh_materials(self) -> list[Material]:
        """Materials by the material numbers of triangles."""
        if not self._c.mesh_materials:
            return []
        materials = _c.TalusMaterial * self._c.mesh_material_count
        return [material_from(m) for m in materials.from_address(self._c.mesh_materials)]

    @property
    def density(self) -> float:
        """kg/m^3"""
        return self._c.density

    @property
    def filter(self) -> Filter:
        """What it collides with."""
        f = self._c.filter
        return Filter(f.category, f.mask, f.group)

    @property
    def sensor(self) -> bool:
        """Whether it only reports overlaps."""
        return self._c.sensor

    @property
    def hit_events(self) -> bool:
        """Whether its impacts are listed in World.contacts_hit()."""
        return self._c.hit_events

    @property
    def modify_contacts(self) -> bool:
        """Whether its contacts go to the contact modifier."""
        return self._c.modify_contacts

    def __repr__(self) -> str:
        return f"part({self._shape or self._mesh!r}, position={tuple(self.position)})"


def part(
    shape: Shape | Mesh,
    position: Vector = (0.0, 0.0, 0.0),
    rotation: Rotation = Quat(),
    **fields,
) -> Part:
    """Returns one shape of a body that has several.

    `position` (m) and `rotation` place the shape's frame in the body's frame. `fields` are the keywords that a body's
    only shape has: density, material, friction, restitution, filter, sensor and so on (SurfaceFields).
    """
    definition = lib.talus_shape_def()
    keep: list = []
    fields["mesh" if isinstance(shape, Mesh) else "shape"] = shape
    _fill(definition, fields, _PART_FIELDS, keep, "part")
    definition.pose = arg.transform(position, rotation, "")
    return Part._of(definition, keep, fields.get("shape"), fields.get("mesh"))


def parts_to_c(values, name: str, keep: list) -> ctypes.Array:
    """Returns parts, or bare shapes, as a list of C."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise arg.wrong_type(name, "a list of parts", values)
    parts = []
    for value in values:
        if isinstance(value, (Shape, Mesh)):
            value = part(value)
        if not isinstance(value, Part):
            raise arg.wrong_type(name, "a list of parts", value)
        parts.append(value)
    listed = (_c.TalusShapeDef * len(parts))(*(p._c for p in parts))
    keep += [parts, listed]
    return listed


# ---- Bodies.


def body_to_c(given: dict, keep: list, call: str = "add_body") -> _c.TalusBodyDef:
    """Returns the definition of a body from keywords. `keep` gets what it points to."""
    definition = lib.talus_body_def()
    given = dict(given)
    shapes, mass = given.pop("shapes", None), given.pop("mass_properties", None)
    _fill(definition, given, _BODY_FIELDS, keep, call)
    if shapes is not None:
        listed = parts_to_c(shapes, "shapes", keep)
        definition.shapes, definition.shape_count = ctypes.addressof(listed), len(listed)
    if mass is not None:
        properties = mass_to_c(mass, "mass_properties")
        definition.mass_properties = ctypes.addressof(properties)
        keep.append(properties)
    return definition


class _Described(Shared):
    """Owns a definition that the library has allocated, and the hulls and meshes in it."""

    __slots__ = ()
    _free = "talus_body_def_free"


def body_from(pointer: int) -> BodyFields:
    """Returns the keywords of a body from what talus_world_describe_body() has allocated."""
    owner = _Described._own(pointer)
    d = _c.TalusBodyDef.from_address(pointer)
    listed = (_c.TalusShapeDef * d.shape_count).from_address(d.shapes) if d.shapes else ()
    parts = []
    for s in listed:
        mesh = LentMesh._lent(s.mesh, owner) if s.mesh else None
        definition = _c.TalusShapeDef.from_buffer_copy(s)
        parts.append(Part._of(definition, [owner], None if mesh else shape_from(s.shape, owner), mesh))
    result: BodyFields = {
        "type": TYPE_NAMES[d.type],
        "position": vec3_from(d.position),
        "rotation": quat_from(d.rotation),
        "linear_velocity": vec3_from(d.linear_velocity),
        "angular_velocity": vec3_from(d.angular_velocity),
        "shapes": parts,
        "mass_properties": None,
        "linear_damping": d.linear_damping,
        "angular_damping": d.angular_damping,
        "max_speed": d.max_speed,
        "max_spin": d.max_spin,
        "gravity_scale": d.gravity_scale,
        "locks": Lock(d.locks),
        "allow_sleep": d.allow_sleep,
        "continuous": _CONTINUOUS_NAMES[d.continuous],
        "user_data": d.user_data,
    }
    if d.mass_properties:
        result["mass_properties"] = mass_from(_c.TalusMassProperties.from_address(d.mass_properties))
    return result
