"""The handle of a body in a world."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np

from . import _arguments as arg
from . import _c
from . import definitions as d
from ._access import Access
from ._library import lib
from .definitions import Filter, Lock, Material, Part
from .errors import Error
from .mass import MassProperties, mass_to_c, matrix_from
from .shapes import Shape, shape_argument
from .vectors import Bounds, Quat, Rotation, Vec3, Vector, bounds_from, quat_from, vec3_from

if TYPE_CHECKING:
    from .definitions import BodyFields
    from .joints import Joint


class Body:
    """A body of a world: a handle, which is stale when the body was removed. A stale handle raises talus.Error.

    Positions and vectors are in world axes. Setting a property changes the body at once.
    """

    __slots__ = ("_world", "_id")

    def __init__(self, world: Access, id: int):
        if not isinstance(world, Access):
            raise arg.wrong_type("world", "a talus.World", world)
        self._world = world
        self._id = arg.u64(id, "id")

    world = property(lambda self: self._world, doc="The world that it is in.")
    id = property(lambda self: self._id, doc="The handle as a number, as in arrays of bodies.")

    def __eq__(self, other) -> bool:
        return isinstance(other, Body) and self._id == other._id and self._world is other._world

    def __hash__(self) -> int:
        return hash((self._id, id(self._world)))

    def __repr__(self) -> str:
        return f"<talus.Body {self._id:#x}>"

    # A stale handle gives zeros or the identity. Only such results are looked into.

    def _check(self) -> None:
        if not self._world._reads(lib.talus_world_is_valid_body, self._id):
            raise self._world._refusal() or stale(self._id)

    def _number(self, function):
        value = self._world._reads(function, self._id)
        if not value:
            self._check()
        return value

    def _vector(self, function) -> Vec3:
        v = self._world._reads(function, self._id)
        if not (v.x or v.y or v.z):
            self._check()
        return Vec3(v.x, v.y, v.z)

    # ---- Pose and velocity.

    @property
    def is_valid(self) -> bool:
        """False if the body was removed."""
        return self._world._reads(lib.talus_world_is_valid_body, self._id)

    @property
    def position(self) -> Vec3:
        """Origin of the body's frame, m. Setting it moves the body at once, through whatever is between."""
        return self._vector(lib.talus_world_position)

    @position.setter
    def position(self, position: Vector) -> None:
        self.set_transform(position, self.rotation)

    @property
    def rotation(self) -> Quat:
        """Rotation of the body's frame. Setting it rotates the body at once."""
        q = self._world._reads(lib.talus_world_rotation, self._id)
        if not (q.x or q.y or q.z):
            self._check()
        return Quat(q.x, q.y, q.z, q.w)

    @rotation.setter
    def rotation(self, rotation: Rotation) -> None:
        self.set_transform(self.position, rotation)

    @property
    def transform(self) -> tuple[Vec3, Quat]:
        """Position and rotation."""
        pose = self._world._reads(lib.talus_world_body_transform, self._id)
        self._check()
        return vec3_from(pose.position), quat_from(pose.rotation)

    def set_transform(self, position: Vector, rotation: Rotation) -> None:
        """Moves and rotates the body at once, keeping its velocities. `position`: m."""
        p, q = arg.dvec3(position, "position"), arg.quat(rotation, "rotation")
        self._world._changes(lib.talus_world_set_transform, self._id, p, q)

    def set_kinematic_target(self, position: Vector, rotation: Rotation = Quat()) -> None:
        """Sets the pose that a kinematic body has after the next step. Bodies that touch it feel its velocity."""
        p, q = arg.dvec3(position, "position"), arg.quat(rotation, "rotation")
        self._world._changes(lib.talus_world_set_kinematic_target, self._id, p, q)

    @property
    def center_of_mass(self) -> Vec3:
        """World, m."""
        return self._vector(lib.talus_world_center_of_mass)

    @property
    def linear_velocity(self) -> Vec3:
        """Of the centre of mass, m/s."""
        return self._vector(lib.talus_world_linear_velocity)

    @linear_velocity.setter
    def linear_velocity(self, velocity: Vector) -> None:
        v = arg.vec3(velocity, "linear_velocity")
        self._world._changes(lib.talus_world_set_linear_velocity, self._id, v)

    @property
    def angular_velocity(self) -> Vec3:
        """rad/s"""
        return self._vector(lib.talus_world_angular_velocity)

    @angular_velocity.setter
    def angular_velocity(self, velocity: Vector) -> None:
        v = arg.vec3(velocity, "angular_velocity")
        self._world._changes(lib.talus_world_set_angular_velocity, self._id, v)

    @property
    def bounds(self) -> Bounds:
        """A box around the body, m."""
        box = self._world._reads(lib.talus_world_bounds, self._id)
        self._check()
        return bounds_from(box)

    # ---- Mass and type.

    @property
    def mass(self) -> float:
        """kg; 0 if the body is not dynamic. Setting it scales the inertia by the same factor."""
        return self._number(lib.talus_world_mass)

    @mass.setter
    def mass(self, mass: float) -> None:
        value = arg.number(mass, "mass")
        self._world._changes(lib.talus_world_set_mass, self._id, value)

    @property
    def inertia(self) -> np.ndarray:
        """About the centre of mass, world axes, 3 x 3, kg m^2; zeros if the body is not dynamic."""
        inertia = self._world._reads(lib.talus_world_inertia, self._id)
        self._check()
        return matrix_from(inertia)

    def set_mass_properties(self, properties: MassProperties) -> None:
        """Sets mass, centre of mass and inertia of a dynamic body."""
        pointer = ctypes.byref(mass_to_c(properties, "properties"))
        self._world._changes(lib.talus_world_set_mass_properties, self._id, pointer)

    @property
    def type(self) -> d.BodyType:
        """"fixed", "kinematic" or "dynamic". May be changed."""
        return d.TYPE_NAMES[self._number(lib.talus_world_type)]

    @type.setter
    def type(self, type: d.BodyType) -> None:
        value = d.body_type(type, "type")
        self._world._changes(lib.talus_world_set_type, self._id, value)

    @property
    def awake(self) -> bool:
        """False if the body sleeps or is fixed. Setting it wakes a dynamic body, or puts it to sleep."""
        return self._number(lib.talus_world_is_awake)

    @awake.setter
    def awake(self, awake: bool) -> None:
        value = arg.flag(awake, "awake")
        self._world._changes(lib.talus_world_set_awake, self._id, value)

    @property
    def user_data(self) -> int:
        """Yours, 0 to 2**64 - 1."""
        return self._number(lib.talus_world_user_data)

    @user_data.setter
    def user_data(self, user_data: int) -> None:
        value = arg.u64(user_data, "user_data")
        self._world._changes(lib.talus_world_set_user_data, self._id, value)

    # ---- How it moves.

    @property
    def gravity_scale(self) -> float:
        """Factor of gravity."""
        return self._number(lib.talus_world_gravity_scale)

    @gravity_scale.setter
    def gravity_scale(self, scale: float) -> None:
        value = arg.number(scale, "gravity_scale")
        self._world._changes(lib.talus_world_set_gravity_scale, self._id, value)

    @property
    def locks(self) -> Lock:
        """Axes of the world along which it does not move, and about which it does not rotate."""
        return Lock(self._number(lib.talus_world_locks))

    @locks.setter
    def locks(self, locks: int) -> None:
        value = arg.u8(locks, "locks")
        self._world._changes(lib.talus_world_set_locks, self._id, value)

    @property
    def linear_damping(self) -> float:
        """1/s"""
        return self._number(lib.talus_world_linear_damping)

    @property
    def angular_damping(self) -> float:
        """1/s"""
        return self._number(lib.talus_world_angular_damping)

    def set_damping(self, linear: float, angular: float) -> None:
        """Sets both, 1/s, >= 0."""
        first, second = arg.number(linear, "linear"), arg.number(angular, "angular")
        self._world._changes(lib.talus_world_set_damping, self._id, first, second)

    @property
    def max_speed(self) -> float:
        """Limit of its speed, m/s; inf: no limit of its own."""
        return self._number(lib.talus_world_max_speed)

    @property
    def max_spin(self) -> float:
        """Limit of its angular speed, rad/s; inf: no limit."""
        return self._number(lib.talus_world_max_spin)

    def set_speed_limits(self, max_speed: float = float("inf"), max_spin: float = float("inf")) -> None:
        """Sets both, m/s and rad/s; inf: no limit."""
        speed, spin = arg.number(max_speed, "max_speed"), arg.number(max_spin, "max_spin")
        self._world._changes(lib.talus_world_set_speed_limits, self._id, speed, spin)

    @property
    def continuous(self) -> d.Continuous:
        """What it must not pass through when it is fast: "off", "fixed" or "all". May be changed."""
        return self.describe()["continuous"]

    @continuous.setter
    def continuous(self, continuous: d.Continuous) -> None:
        value = d.continuous(continuous, "continuous")
        self._world._changes(lib.talus_world_set_continuous, self._id, value)

    # ---- Shapes.

    @property
    def shape_count(self) -> int:
        """The number of its shapes."""
        return self._number(lib.talus_world_shape_count)

    @property
    def shapes(self) -> list[Part]:
        """Its shapes. Setting them replaces all; mass and inertia then follow from the densities."""
        return list(self.describe()["shapes"])

    @shapes.setter
    def shapes(self, shapes: Iterable[Part | Shape]) -> None:
        keep: list[Any] = []
        listed = d.parts_to_c(shapes, "shapes", keep)
        self._world._changes(lib.talus_world_set_shapes, self._id, listed, len(listed))

    def set_shape(self, shape: int, geometry: Shape) -> None:
        """Replaces the geometry of one shape, by its index in `shapes`; the rest of its definition stays."""
        index, pointer = arg.u32(shape, "shape"), ctypes.byref(shape_argument(geometry, "geometry"))
        self._world._changes(lib.talus_world_set_shape, self._id, index, pointer)

    def set_material(self, material: Material, shape: int = 0) -> None:
        """Replaces the material of one shape."""
        index, pointer = arg.u32(shape, "shape"), ctypes.byref(d.material_to_c(material, "material"))
        self._world._changes(lib.talus_world_set_material, self._id, index, pointer)

    def set_filter(self, filter: Filter, shape: int = 0) -> None:
        """Replaces the filter of one shape."""
        index, pointer = arg.u32(shape, "shape"), ctypes.byref(d.filter_to_c(filter, "filter"))
        self._world._changes(lib.talus_world_set_filter, self._id, index, pointer)

    # ---- Forces act during the next step, impulses at once. They act on dynamic bodies, and wake them.

    @property
    def force(self) -> Vec3:
        """Sum of the forces for the next step, N."""
        return self._vector(lib.talus_world_force)

    @property
    def torque(self) -> Vec3:
        """Sum of the torques for the next step about the centre of mass, N m."""
        return self._vector(lib.talus_world_torque)

    def apply_force(self, force: Vector, at: Vector | None = None) -> None:
        """Applies a force (N) at the centre of mass, or at a point in the world (m)."""
        f = arg.vec3(force, "force")
        if at is None:
            self._world._changes(lib.talus_world_apply_force, self._id, f)
        else:
            point = arg.dvec3(at, "at")
            self._world._changes(lib.talus_world_apply_force_at, self._id, f, point)

    def apply_torque(self, torque: Vector) -> None:
        """Applies a torque, N m."""
        t = arg.vec3(torque, "torque")
        self._world._changes(lib.talus_world_apply_torque, self._id, t)

    def apply_impulse(self, impulse: Vector, at: Vector | None = None) -> None:
        """Applies an impulse (N s) at the centre of mass, or at a point in the world (m)."""
        i = arg.vec3(impulse, "impulse")
        if at is None:
            self._world._changes(lib.talus_world_apply_impulse, self._id, i)
        else:
            point = arg.dvec3(at, "at")
            self._world._changes(lib.talus_world_apply_impulse_at, self._id, i, point)

    def apply_angular_impulse(self, impulse: Vector) -> None:
        """Applies an angular impulse, N m s."""
        i = arg.vec3(impulse, "impulse")
        self._world._changes(lib.talus_world_apply_angular_impulse, self._id, i)

    # ---- What belongs to it.

    @property
    def island(self) -> int | None:
        """A number that bodies have in common if contacts or joints connected them in the last step; None: no
        island."""
        island = self._number(lib.talus_world_island)
        if island != _c.TALUS_NO_ISLAND:
            return island
        self._check()
        return None

    def contacts(self) -> np.ndarray:
        """Returns its touching contacts, as World.contacts() does."""
        return self._world.contacts(self)

    def joints(self) -> list[Joint]:
        """Returns its joints."""
        return self._world.joints(self)

    def describe(self) -> BodyFields:
        """Returns keywords that add an equal body: world.add_body(**body.describe())."""
        definition = self._world._reads(lib.talus_world_describe_body, self._id)
        if not definition:
            raise self._world._refusal() or stale(self._id)
        return d.body_from(definition)

    def remove(self) -> None:
        """Removes the body, its contacts and its joints."""
        self._world._changes(lib.talus_world_remove_body, self._id)


def stale(body: int) -> Error:
    """Returns the error of a handle whose body is gone."""
    return Error(f"the handle of the body ({body:#x}) is stale: it was removed, or is of another world", "stale_handle")


def body_argument(value, name: str) -> int:
    """Returns the handle of a body as a number."""
    if isinstance(value, Body):
        return value._id
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise arg.wrong_type(name, "a talus.Body", value)
    return arg.u64(value, name)
