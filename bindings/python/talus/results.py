"""Results of the last step: what moved, touched, hit or broke, and what the step cost. A part of World.

Lists are arrays of numpy with the fields of the structures in talus.h: contacts["normal"] has a row per contact, and
contacts[0].normal is one row. Fields that name a body or a joint have the handle's number: World.body() and
World.joint() make objects of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _arguments as arg
from . import _c
from ._library import lib
from ._lists import Lists, dtype_of
from .body import Body, body_argument
from .vectors import Vector

if TYPE_CHECKING:
    from .joints import BodyLike

rung_names: tuple[str, ...] = tuple(lib.talus_rung_name(i).decode() for i in range(_c.TALUS_RUNG_COUNT))
"""Names of the rungs of the coherence ladder, in the order of Profile's `rungs`."""
stage_names = ("pairs", "collide", "graph", "solve", "continuous", "finish", "publish")
"""Names of the stages of a step, in their order."""

PROFILE = dtype_of(_c.TalusProfile)
_MOVED = dtype_of(_c.TalusMovedBody)
_CONTACT = dtype_of(_c.TalusContact)
_CONTACT_EVENT = dtype_of(_c.TalusContactEvent)
_HIT_EVENT = dtype_of(_c.TalusHitEvent)
_JOINT_EVENT = dtype_of(_c.TalusJointEvent)
_PAIR = dtype_of(_c.TalusPairInfo)


class Moved(NamedTuple):
    """Bodies that moved in the last step. Both arrays are views of memory that the next call of World.moved()
    overwrites."""

    bodies: np.ndarray
    """n handles."""
    poses: np.ndarray
    """n x 7: position relative to the origin (m), then rotation (x, y, z, w)."""


class Results(Lists):
    """The methods of World about the last step."""

    __slots__ = ("_moved_bodies", "_moved_poses")

    def __init__(self, pointer: int):
        super().__init__(pointer)
        self._moved_bodies = np.empty(64, np.uint64)
        self._moved_poses = np.empty((64, 7), np.float32)

    # ---- What moved.

    def moved(self, origin: Vector = (0.0, 0.0, 0.0)) -> Moved:
        """Returns the bodies that moved in the last step and their poses, relative to `origin` (m). Nothing is copied:
        the arrays are valid until the next call. For renderers."""
        place = arg.dvec3(origin, "origin")
        while True:
            bodies, poses = self._moved_bodies, self._moved_poses
            to_bodies, to_poses, capacity = arg.address(bodies), arg.address(poses), len(bodies)
            count = self._reads(lib.talus_world_moved_poses, place, to_poses, to_bodies, capacity)
            if count <= capacity:
                break
            self._moved_bodies = np.empty(count + count // 4, np.uint64)
            self._moved_poses = np.empty((len(self._moved_bodies), 7), np.float32)
        return Moved(bodies[:count], poses[:count])

    def moved_bodies(self) -> np.ndarray:
        """Returns the bodies that moved in the last step: fields body, user_data, pose (position in double, rotation),
        fell_asleep, placed."""
        return self._list(lib.talus_world_moved_bodies, _MOVED)

    # ---- Contacts and events.

    def contacts(self, body: BodyLike | None = None) -> np.ndarray:
        """Returns the touching contacts of a body, or of the world, without sensors.

        Fields: body_a, body_b, shape_a, shape_b, triangle, normal (from A to B), friction_impulse (on B, N s),
        point_count, points (4, of which point_count are valid: position, separation, normal_impulse (N s), id, is_new).
        """
        if body is None:
            return self._list(lib.talus_world_contacts, _CONTACT)
        handle = body_argument(body, "body")
        contacts = self._list(lib.talus_world_contacts_of, _CONTACT, handle)
        if not len(contacts):
            self._check_body(handle)
        return contacts

    def contacts_begun(self) -> np.ndarray:
        """Returns contacts that began: fields body_a, body_b, shape_a, shape_b, sensor, normal_impulse (N s)."""
        return self._list(lib.talus_world_contacts_begun, _CONTACT_EVENT)

    def contacts_ended(self) -> np.ndarray:
        """Returns contacts that ended, with the fields of contacts_begun()."""
        return self._list(lib.talus_world_contacts_ended, _CONTACT_EVENT)

    def contacts_hit(self) -> np.ndarray:
        """Returns fast impacts of shapes with `hit_events`: fields body_a, body_b, shape_a, shape_b, point, normal
        (from A to B), approach_speed (m/s), normal_impulse (N s)."""
        return self._list(lib.talus_world_contacts_hit, _HIT_EVENT)

    def joints_broken(self) -> np.ndarray:
        """Returns joints that broke or lost a body: fields joint, body_a, body_b, user_data, overloaded, force,
        torque."""
        return self._list(lib.talus_world_joints_broken, _JOINT_EVENT)

    def pairs(self) -> np.ndarray:
        """Returns the shape pairs of the narrowphase, for inspection: fields body_a, body_b, shape_a, shape_b, state,
        rung, active, microseconds, separation (m), triangle."""
        return self._list(lib.talus_world_pairs, _PAIR)

    # ---- Bodies.

    def body(self, id: int) -> Body:
        """Returns the body with this handle, such as the number in an event or an array."""
        return Body(self, arg.u64(id, "id"))

    def bodies(self) -> list[Body]:
        """Returns all bodies."""
        return [Body(self, id) for id in self.body_ids().tolist()]

    def body_ids(self) -> np.ndarray:
        """Returns the handles of all bodies, for poses() and velocities()."""
        return self._ids(lib.talus_world_bodies)

    @property
    def body_count(self) -> int:
        """The number of bodies."""
        return self._reads(lib.talus_world_body_count)

    @property
    def awake_body_count(self) -> int:
        """The number of awake bodies."""
        return self._reads(lib.talus_world_awake_body_count)

    # ---- State and cost.

    def hash(self) -> int:
        """Returns a hash of all poses and velocities. Equal worlds have equal hashes."""
        return self._reads(lib.talus_world_hash)

    def profile(self) -> np.record:
        """Returns what the last step cost: profile.total (us), profile.solve, profile.rungs["pairs"] and so on.

        np.array([...]) of several is a table. docs/profiling.md says what the fields mean; rung_names has the names of
        `rungs`.
        """
        return np.frombuffer(self._reads(lib.talus_world_profile), PROFILE)[0]

    def memory(self) -> dict[str, int]:
        """Returns the heap memory in use, bytes: bodies, shapes, broadphase, contacts, joints, solver, hulls, meshes,
        total."""
        memory = self._reads(lib.talus_world_memory)
        return {name: getattr(memory, name) for name, _ in memory._fields_}
