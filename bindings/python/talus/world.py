"""The world: bodies, joints, and the step that moves them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, TypedDict, cast

import numpy as np

from . import _arguments as arg
from . import _c
from . import saving
from ._library import free, lib
from ._lists import handles
from .body import Body
from .contact_modifier import Modifier, callback, stepping
from .definitions import body_to_c
from .drawing import DebugDrawing
from .errors import Error, made
from .joints import Joints
from .queries import Queries
from .results import Results
from .saving import Assets, Saving
from .threads import ThreadPool
from .vectors import Vec3, Vector, vec3_from

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .definitions import BodyFields

_TIMING = arg.names_of("TalusTiming")
_TIMING_NAMES = {value: name for name, value in _TIMING.items()}
_SETTINGS = {**arg.fields_of(_c.TalusWorldDef), "timing": arg.choices(_TIMING)}


class Settings(TypedDict, total=False):
    """Settings of a world. talus/engine/world.h says more of each."""

    gravity: Vector  # m/s^2; default (0, -9.81, 0)
    substeps: int  # of the solver, in a step of at most 1/60 s: 1 to 64; default 4
    allow_sleep: bool  # False keeps all bodies awake
    sleep_speed: float  # a body may sleep below this speed, m/s; default 0.05
    time_to_sleep: float  # when it has rested that long, s; default 0.5
    contact_rate: float  # stiffness of contacts, 0.01 to 0.5; default 0.25
    handle_tag: int  # marks the handles of this world, 1 to 1023; 0: the next tag in turn
    max_speed: float  # limit of every body's speed, m/s; default 4000
    hit_speed: float  # least approach speed of a hit event, m/s; default 1
    continuous: bool  # False: fast bodies may pass through others
    enable_skip: bool  # this switch and the next six are for profiling and tests
    enable_reuse: bool
    enable_closed_form: bool
    enable_axis: bool
    enable_warm_gjk: bool
    enable_warm_epa: bool
    enable_joint_batches: bool
    timing: Literal["off", "stages", "pairs"]  # what the profile times
    hash_stages: bool  # fills the profile's `hashes`


class World(Joints, Queries, Results, Saving, DebugDrawing):
    """Bodies and joints, and what happens to them over time.

        world = talus.World(gravity=(0, -9.81, 0))
        ball = world.add_body(shape=talus.sphere(0.5), position=(0, 10, 0))
        world.step(1 / 60)
        print(ball.position.y)

    A refused call raises talus.Error, and leaves the world as it was. Units are SI; frames are right-handed, y points
    up. A copy (clone()) is an independent world, and both go on with the same bits. Handles of a world are valid in its
    copies: copy.body(ball.id).
    """

    def __init__(self, **settings: Unpack[Settings]):
        """Makes an empty world. The keywords are those of Settings."""
        definition = lib.talus_world_def()
        arg.fill(definition, settings, _SETTINGS, "World")
        self._own(made(lib.talus_world_create, ctypes.byref(definition)))

    def _own(self, pointer: int) -> None:
        super().__init__(pointer)
        self._modifier: Any = None

    @classmethod
    def _of(cls, pointer: int, modifier=None) -> Self:
        world = cls.__new__(cls)
        world._own(pointer)
        world._modifier = modifier
        return world

    def __repr__(self) -> str:
        if self._read is None:
            return "<talus.World: closed>" if self._pointer is None else "<talus.World: stepping>"
        return f"<talus.World: {self.body_count} bodies, {self.joint_count} joints>"

    # ---- Steps.

    def step(self, dt: float = 1 / 60, pool: ThreadPool | None = None) -> None:
        """Advances the world by `dt` seconds, 1e-9 to 1, on the threads of a pool if there is one. Other threads of
        Python run meanwhile, but must not use this world."""
        seconds = arg.number(dt, "dt")
        if pool is not None and not isinstance(pool, ThreadPool):
            raise arg.wrong_type("pool", "a talus.ThreadPool", pool)
        if self._modifier is None:
            stepped = self._step(seconds, pool)
        else:
            stepped = self._step_with_modifier(seconds, pool)
        if not stepped:
            raise self._refusal() or Error("the step was refused")

    def _step(self, seconds: float, pool: ThreadPool | None) -> bool:
        if pool is None:
            return self._steps_long(free.talus_world_step, seconds, None)
        return pool._lend(lambda jobs: self._steps_long(free.talus_world_step, seconds, jobs))

    def _step_with_modifier(self, seconds: float, pool: ThreadPool | None) -> bool:
        """Steps, and raises what the contact modifier has raised. That may step other worlds."""
        outer = vars(stepping).copy()
        stepping.world, stepping.exception = self, None
        try:
            stepped = self._step(seconds, pool)
            if stepping.exception is not None:
                raise stepping.exception
            return stepped
        finally:
            vars(stepping).clear()
            vars(stepping).update(outer)

    # ---- Bodies.

    def add_body(self, **fields: Unpack[BodyFields]) -> Body:
        """Adds a body and returns its handle. All keywords are optional:

        - shape, or mesh (with mesh_materials), or shapes=[talus.part(...), ...]
        - type: "dynamic", "fixed" or "kinematic"
        - position (m), rotation, linear_velocity (m/s), angular_velocity (rad/s)
        - density (kg/m^3), mass_properties
        - material, or friction, restitution, rolling_resistance, grip_axis, grip_across, surface_velocity (m/s)
        - filter, sensor, hit_events, modify_contacts
        - linear_damping, angular_damping (1/s), max_speed (m/s), max_spin (rad/s), gravity_scale, locks, allow_sleep
        - continuous: "fixed", "off" or "all"
        - user_data: a number of yours
        """
        keep: list = []
        definition = body_to_c(cast(dict, fields), keep)
        return Body(self, self._changes(lib.talus_world_add_body, ctypes.byref(definition)))

    def add_bodies(self, definitions: Iterable[Mapping[str, Any]]) -> list[Body]:
        """Adds all bodies or none. Each definition is a dictionary with the keywords of add_body()."""
        keep: list = []
        if isinstance(definitions, (str, bytes, Mapping)) or not isinstance(definitions, Iterable):
            raise arg.wrong_type("definitions", "a list of dictionaries", definitions)
        listed = []
        for definition in definitions:
            if not isinstance(definition, Mapping):
                raise arg.wrong_type("definitions", "a list of dictionaries", definition)
            listed.append(body_to_c(dict(definition), keep, "add_bodies"))
        array = (_c.TalusBodyDef * len(listed))(*listed)
        return [Body(self, id) for id in self._add(ctypes.addressof(array), len(listed)).tolist()]

    def add_copies(self, positions, rotations=None, **fields: Unpack[BodyFields]) -> np.ndarray:
        """Adds equal bodies at many places, all or none. Returns their handles as an array, for poses() and
        velocities().

        `positions`: n x 3, m; `rotations`: n x 4, or None: the one in `fields`. `fields`: the keywords of add_body().
        """
        places = arg.array(positions, np.float64, (None, 3), "positions")
        keep: list = []
        definition = body_to_c(cast(dict, fields), keep, "add_copies")
        if not len(places):
            return self._add(0, 0)
        all = np.repeat(np.frombuffer(definition, np.dtype((np.void, ctypes.sizeof(definition)))), len(places))
        strides = (all.itemsize, 8)
        np.ndarray(places.shape, np.float64, all, _c.TalusBodyDef.position.offset, strides)[:] = places
        if rotations is not None:
            turned = arg.array(rotations, np.float32, (len(places), 4), "rotations")
            strides = (all.itemsize, 4)
            np.ndarray(turned.shape, np.float32, all, _c.TalusBodyDef.rotation.offset, strides)[:] = turned
        return self._add(arg.address(all), len(places))

    def _add(self, definitions: int, count: int) -> np.ndarray:
        """Adds bodies that a list of C defines. Returns their handles."""
        ids = np.zeros(count, np.uint64)
        self._changes(lib.talus_world_add_bodies, definitions, count, arg.address(ids))
        return ids

    def poses(self, bodies, origin: Vector = (0.0, 0.0, 0.0), out: np.ndarray | None = None) -> np.ndarray:
        """Returns the poses of bodies, n x 7 floats: position relative to `origin` (m), then rotation (x, y, z, w).

        `bodies`: an array of handles, or a list of bodies. `out`: an array of an earlier call, to be used again.
        """
        ids, place = handles(bodies), arg.dvec3(origin, "origin")
        poses = _out(out, (len(ids), 7))
        given, to = arg.address(ids), arg.address(poses)
        if not self._reads(lib.talus_world_read_poses, given, len(ids), place, to):
            raise self._refusal() or Error("a handle in bodies is stale", "stale_handle")
        return poses

    def velocities(self, bodies, out: np.ndarray | None = None) -> np.ndarray:
        """Returns the velocities of bodies, n x 6 floats: linear (m/s), then angular (rad/s). As poses()."""
        ids = handles(bodies)
        velocities = _out(out, (len(ids), 6))
        given, to = arg.address(ids), arg.address(velocities)
        if not self._reads(lib.talus_world_read_velocities, given, len(ids), to):
            raise self._refusal() or Error("a handle in bodies is stale", "stale_handle")
        return velocities

    # ---- Settings.

    @property
    def gravity(self) -> Vec3:
        """m/s^2. May be changed, which wakes all bodies."""
        return vec3_from(self._reads(lib.talus_world_gravity))

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        value = arg.vec3(gravity, "gravity")
        self._changes(lib.talus_world_set_gravity, value)

    @property
    def allow_sleep(self) -> bool:
        """Whether bodies may fall asleep. May be changed."""
        return self.settings()["allow_sleep"]

    @allow_sleep.setter
    def allow_sleep(self, allow: bool) -> None:
        value = arg.flag(allow, "allow_sleep")
        self._changes(lib.talus_world_set_allow_sleep, value)

    @property
    def hit_speed(self) -> float:
        """Least approach speed of a hit event, m/s. May be changed."""
        return self.settings()["hit_speed"]

    @hit_speed.setter
    def hit_speed(self, speed: float) -> None:
        value = arg.number(speed, "hit_speed")
        self._changes(lib.talus_world_set_hit_speed, value)

    def settings(self) -> Settings:
        """Returns the present settings: World(**world.settings()) makes an empty world like this one."""
        definition = self._reads(lib.talus_world_settings)
        values: dict[str, Any] = {name: getattr(definition, name) for name in _SETTINGS}
        values["gravity"] = vec3_from(definition.gravity)
        values["timing"] = _TIMING_NAMES[definition.timing]
        return cast(Settings, values)

    def set_settings(self, **settings: Unpack[Settings]) -> None:
        """Changes some settings, from the next step on; the others stay."""
        definition = self._reads(lib.talus_world_settings)
        arg.fill(definition, settings, _SETTINGS, "set_settings")
        pointer = ctypes.byref(definition)
        self._changes(lib.talus_world_set_settings, pointer)

    def set_contact_modifier(self, modifier: Modifier | None) -> None:
        """Sets a function that may change contacts of shapes with `modify_contacts` before they are solved; None: no
        function.

        It is called with a ContactModification. It may read the world but not change it. What it raises, step() raises.
        Copies of the world have it, too; saved worlds do not.
        """
        if modifier is not None and not callable(modifier):
            raise arg.wrong_type("modifier", "a function or None", modifier)
        function = _c.TalusContactModifier() if modifier is None else callback(modifier)
        self._changes(lib.talus_world_set_contact_modifier, function, None)
        self._modifier = None if modifier is None else function  # C must find it as long as the world steps

    # ---- Copies.

    def clone(self) -> Self:
        """Returns an independent copy, which goes on with the same bits. Bodies have the same handles in it."""
        return self._of(made(self._reads_long, free.talus_world_clone), self._modifier)

    def assign(self, other: World) -> None:
        """Makes this world a copy of another one, in the memory that it has: the cheapest way to rewind."""
        if not isinstance(other, World):
            raise arg.wrong_type("other", "a talus.World", other)
        if other is self:
            self._reads(lib.talus_world_body_count)  # it may be closed
            return

        def assign(pointer: int) -> bool:
            assigned = other._reads_long(lambda source: free.talus_world_assign(pointer, source))
            if assigned:
                self._modifier = other._modifier
            return assigned

        if not self._steps_long(assign):
            raise self._refusal() or Error("assign was refused")

    @classmethod
    def load(cls, data: bytes, assets: Assets | None = None) -> Self:
        """Returns the world that save() has saved. The bytes are checked before they are used."""
        return cls._of(saving.load(data, assets))

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo) -> Self:
        memo[id(self)] = copy = self.clone()
        return copy

    def __reduce__(self):
        return type(self).load, (self.save(),)


def _out(out, shape: tuple[int, int]) -> np.ndarray:
    """Returns the array to write to."""
    if out is None:
        return np.empty(shape, np.float32)
    if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != shape:
        raise TypeError(f"out must be an array of {shape[0]} x {shape[1]} float32")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise TypeError("out must be contiguous and writeable")
    return out
