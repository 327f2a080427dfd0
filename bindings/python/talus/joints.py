"""Joints of a world: the handle Joint, and the methods of World that add and list them.

docs/joints.md says which kind of joint to use, and shows each.
"""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, Union

from . import _arguments as arg
from . import _c
from . import joint_definitions as d
from ._access import Access
from ._lists import Lists
from ._library import lib
from .body import Body, body_argument
from .errors import Error
from .joint_definitions import Axis, Drive, Frame, Limit, LimitLike, Motor, MotorLike, Spring, SpringLike
from .vectors import Vec3, Vector, vec3_from

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .joint_definitions import JointFields

MAIN = "main"


class Joint:
    """A joint of a world: a handle, which is stale when the joint is gone. A stale handle raises talus.Error.

    Methods with `axis` are about "move_x", "move_y", "move_z", "turn_x", "turn_y", "turn_z" or "main": the angle of a
    hinge, the displacement of a slider, the length of a distance joint, the twist of a ball joint, the rotation of a
    wheel about its axle, and for a gear the coordinate of its second joint.
    """

    __slots__ = ("_world", "_id")

    def __init__(self, world: Access, id: int):
        if not isinstance(world, Access):
            raise arg.wrong_type("world", "a talus.World", world)
        self._world = world
        self._id = arg.u64(id, "id")

    world = property(lambda self: self._world, doc="The world that it is in.")
    id = property(lambda self: self._id, doc="The handle as a number.")

    def __eq__(self, other) -> bool:
        return isinstance(other, Joint) and self._id == other._id and self._world is other._world

    def __hash__(self) -> int:
        return hash((self._id, id(self._world)))

    def __repr__(self) -> str:
        return f"<talus.Joint {self._id:#x}>"

    def _check(self) -> None:
        """Raises an error unless the joint exists. Getters call it if they got what a stale handle gives."""
        if not self._world._reads(lib.talus_world_is_valid_joint, self._id):
            raise self._world._refusal() or Error("the handle of the joint is stale: it was removed", "stale_handle")

    def _of_axis(self, function, axis: str):
        """Returns what a getter says of an axis. A refusal may look like a default, or like a zero."""
        number = d.axis_argument(axis, "axis")
        result = self._world._reads(function, self._id, number)
        if type(result) is not float or result == 0.0:
            self._check()
            self._world._raise_refusal()
        return result

    # ---- State.

    @property
    def is_valid(self) -> bool:
        """False if the joint was removed or broke."""
        return self._world._reads(lib.talus_world_is_valid_joint, self._id)

    @property
    def kind(self) -> str:
        """"ball", "hinge", "slider", "fixed", "distance", "six_dof", "wheel", "gear" or "motor"."""
        kind = self._world._reads(lib.talus_world_kind, self._id)
        self._check()
        return d.KIND_NAMES[kind]

    @property
    def body_a(self) -> Body:
        """The first body; of a gear, a body of its first joint."""
        body = self._world._reads(lib.talus_world_body_a, self._id)
        self._check()
        return Body(self._world, body)

    @property
    def body_b(self) -> Body | None:
        """The second body; of a gear, a body of its second joint, or None if both are one body."""
        body = self._world._reads(lib.talus_world_body_b, self._id)
        self._check()
        return Body(self._world, body) if body else None

    @property
    def frames(self) -> tuple[Frame, Frame]:
        """The joint's frames in its two bodies."""
        frames = self._world._reads(lib.talus_world_frames, self._id)
        self._check()
        return d.frame_from(frames.frame_a), d.frame_from(frames.frame_b)

    @property
    def user_data(self) -> int:
        """Yours, as given when it was added."""
        data = self._world._reads(lib.talus_world_joint_user_data, self._id)
        self._check()
        return data

    def coordinate(self, axis: str = MAIN) -> float:
        """Returns the coordinate of B relative to A, rad or m."""
        return self._of_axis(lib.talus_world_joint_coordinate, axis)

    def speed(self, axis: str = MAIN) -> float:
        """Returns the rate of the coordinate, rad/s or m/s."""
        return self._of_axis(lib.talus_world_joint_speed, axis)

    @property
    def force(self) -> Vec3:
        """Force on B, mean over the last step, world, N."""
        force = self._world._reads(lib.talus_world_joint_force, self._id)
        self._check()
        return vec3_from(force)

    @property
    def torque(self) -> Vec3:
        """Torque on B about its anchor, mean over the last step, world, N m."""
        torque = self._world._reads(lib.talus_world_joint_torque, self._id)
        self._check()
        return vec3_from(torque)

    def motor_force(self, axis: str = MAIN) -> float:
        """Returns the motor's force or torque, mean over the last step, N or N m."""
        return self._of_axis(lib.talus_world_joint_motor_force, axis)

    def stiffness(self, axis: str = MAIN) -> float:
        """Returns the stiffness that the spring of an axis had in the last step, N/m or N m/rad."""
        return self._of_axis(lib.talus_world_joint_stiffness, axis)

    # ---- Definition.

    def limit(self, axis: str = MAIN) -> Limit:
        """Returns the range of the coordinate."""
        return d.limit_from(self._of_axis(lib.talus_world_joint_limit, axis))

    def set_limit(self, limit: LimitLike, axis: str = MAIN) -> None:
        """Sets the range (lower, upper) of the coordinate, rad or m; None: no limit."""
        value, number = d.limit(limit, "limit"), d.axis_argument(axis, "axis")
        self._world._changes(lib.talus_world_set_joint_limit, self._id, value, number)

    def motor(self, axis: str = MAIN) -> Motor:
        """Returns the motor of the coordinate."""
        return d.motor_from(self._of_axis(lib.talus_world_joint_motor, axis))

    def set_motor(self, motor: MotorLike, axis: str = MAIN) -> None:
        """Sets the motor (speed, max_force) of the coordinate; None: no motor."""
        value, number = d.motor(motor, "motor"), d.axis_argument(axis, "axis")
        self._world._changes(lib.talus_world_set_joint_motor, self._id, value, number)

    def spring(self, axis: str = MAIN) -> Spring:
        """Returns the spring of the coordinate."""
        return d.spring_from(self._of_axis(lib.talus_world_joint_spring, axis))

    def set_spring(self, spring: SpringLike, axis: str = MAIN) -> None:
        """Sets the spring of the coordinate; None: no spring."""
        value, number = d.spring(spring, "spring"), d.axis_argument(axis, "axis")
        self._world._changes(lib.talus_world_set_joint_spring, self._id, value, number)

    @property
    def cone(self) -> float:
        """Of a ball joint: the largest angle between the frames' x axes, rad; inf: none."""
        cone = self._world._reads(lib.talus_world_joint_cone, self._id)
        self._world._raise_refusal()
        return cone

    @cone.setter
    def cone(self, cone: float) -> None:
        value = arg.number(cone, "cone")
        self._world._changes(lib.talus_world_set_joint_cone, self._id, value)

    @property
    def drive(self) -> Drive:
        """Of a ball or motor joint: its drive."""
        drive = self._world._reads(lib.talus_world_joint_drive, self._id)
        self._world._raise_refusal()
        return d.drive_from(drive)

    @drive.setter
    def drive(self, drive: Drive) -> None:
        value = ctypes.byref(d.drive(drive, "drive"))
        self._world._changes(lib.talus_world_set_joint_drive, self._id, value)

    def set_break(self, force: float = math.inf, torque: float = math.inf) -> None:
        """Sets the force (N) and torque (N m) at which the joint breaks; inf: it does not."""
        f, t = arg.number(force, "force"), arg.number(torque, "torque")
        self._world._changes(lib.talus_world_set_joint_break, self._id, f, t)

    def set_collide_connected(self, collide: bool) -> None:
        """Sets whether its two bodies collide with each other."""
        value = arg.flag(collide, "collide")
        self._world._changes(lib.talus_world_set_joint_collide_connected, self._id, value)

    def describe(self) -> dict[str, Any]:
        """Returns keywords that add an equal joint: world.add_joint(**joint.describe())."""
        definition = _c.TalusJointDef()
        pointer = ctypes.byref(definition)
        if not self._world._reads(lib.talus_world_describe_joint, self._id, pointer):
            raise self._world._refusal() or Error("the joint was not described")
        kind, of, options = d.KIND_NAMES[definition.kind], definition.of, definition.options
        result: dict[str, Any] = {"kind": kind}
        if kind == "gear":
            result["joint_a"] = Joint(self._world, of.gear.joint_a)
            result["joint_b"] = Joint(self._world, of.gear.joint_b)
        else:
            result["body_a"] = Body(self._world, definition.frames.body_a)
            result["body_b"] = Body(self._world, definition.frames.body_b)
            result["frame_a"] = d.frame_from(definition.frames.frame_a)
            result["frame_b"] = d.frame_from(definition.frames.frame_b)
        result.update(d.kind_from(definition))
        result.update((name, getattr(options, name)) for name in d.OPTION_FIELDS)
        return result

    def remove(self) -> None:
        """Removes the joint, and gears that refer to it."""
        self._world._changes(lib.talus_world_remove_joint, self._id)


def joint_argument(value, name: str) -> int:
    """Returns the handle of a joint as a number."""
    if isinstance(value, Joint):
        return value._id
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise arg.wrong_type(name, "a talus.Joint", value)
    return arg.u64(value, name)


BodyLike = Union[Body, int]
JointLike = Union[Joint, int]


class Joints(Lists):
    """The methods of World about joints. At least one of the two bodies must be dynamic.

    All but gears take `anchor`, a point in the world (m), and `axis`, the direction of the main axis in the world; or
    the joint's frames in the two bodies, `frame_a` and `frame_b`. With an anchor, all coordinates are zero at the
    bodies' present poses, except the length of a distance joint. Further keywords: JointFields.
    """

    __slots__ = ()

    def add_ball(
        self,
        body_a: BodyLike,
        body_b: BodyLike,
        *,
        cone: float = math.inf,
        twist: LimitLike = None,
        drive: Drive | None = None,
        **joint: Unpack[JointFields],
    ) -> Joint:
        """Adds a ball and socket. `cone`: largest angle between the frames' x axes, rad; `twist`: range about x, rad;
        of `drive` the angular part is used."""
        return self.add_joint("ball", body_a, body_b, cone=cone, twist=twist, drive=drive, **joint)

    def add_hinge(
        self,
        body_a: BodyLike,
        body_b: BodyLike,
        *,
        limit: LimitLike = None,
        motor: MotorLike = None,
        spring: SpringLike = None,
        **joint: Unpack[JointFields],
    ) -> Joint:
        """Adds a hinge about `axis`. `limit`: (lower, upper), rad; `motor`: (speed in rad/s, max torque in N m)."""
        return self.add_joint("hinge", body_a, body_b, limit=limit, motor=motor, spring=spring, **joint)

    def add_slider(
        self,
        body_a: BodyLike,
        body_b: BodyLike,
        *,
        limit: LimitLike = None,
        motor: MotorLike = None,
        spring: SpringLike = None,
        **joint: Unpack[JointFields],
    ) -> Joint:
        """Adds a slider along `axis`. `limit`: (lower, upper), m; `motor`: (speed in m/s, max force in N)."""
        return self.add_joint("slider", body_a, body_b, limit=limit, motor=motor, spring=spring, **joint)

    def add_fixed(
        self,
        body_a: BodyLike,
        body_b: BodyLike,
        *,
        linear_hertz: float = 0.0,
        angular_hertz: float = 0.0,
        damping_ratio: float = 1.0,
        **joint: Unpack[JointFields],
    ) -> Joint:
        """Adds a weld: rigid, or soft if a frequency is above 0."""
        soft = {"linear_hertz": linear_hertz, "angular_hertz": angular_hertz, "damping_ratio": damping_ratio}
        return self.add_joint("fixed", body_a, body_b, **soft, **joint)

    def add_distance(
        self,
        body_a: BodyLike,
        body_b: BodyLike,
        *,
        anchor_a: Vector | None = None,
        anchor_b: Vector | None = None,
        length: LimitLike | float = None,
        motor: MotorLike = None,
        spring: SpringLike = None,
        rest_length: float | None = None,
        **joint: Unpack[JointFields],
    ) -> Joint:
        """Adds a rod, a rope or a coil spring between two points.

        `anchor_a` and `anchor_b`: points of the two bodies, in the world, m; or `frame_a` and `frame_b`. `length`: (2,
        2) or 2 is a rod of 2 m, (0, 2) a rope, (0, inf) together with `spring` a coil spring; None is a rod as long as
        the distance now. `rest_length`: the spring's target, m; None: the distance now.
        """
        if anchor_a is not None and anchor_b is not None:
            joint["frame_a"] = self.joint_frames(body_a, body_b, anchor_a)[0]
            joint["frame_b"] = self.joint_frames(body_a, body_b, anchor_b)[1]
        elif anchor_a is not None or anchor_b is not None:
            raise TypeError("add_distance() needs both anchor_a and anchor_b")
        of = {"length": length, "motor": motor, "spring": spring, "rest_length": rest_length}
        return self.add_joint("distance", body_a, body_b, **of, **joint)

    def add_six_dof(
        self,
        body_a: BodyLike,
        body_b: BodyLike,
        *,
        move_x: Axis = Axis(),
        move_y: Axis = Axis(),
        move_z: Axis = Axis(),
        turn_x: Axis = Axis(),
        turn_y: Axis = Axis(),
        turn_z: Axis = Axis(),
        **joint: Unpack[JointFields],
    ) -> Joint:
        """Adds a joint whose six axes are set one by one. Each is locked by default; Axis(limit=None) frees it."""
        axes = dict(move_x=move_x, move_y=move_y, move_z=move_z, turn_x=turn_x, turn_y=turn_y, turn_z=turn_z)
        return self.add_joint("six_dof", body_a, body_b, **axes, **joint)

    def add_wheel(
        self,
        body_a: BodyLike,
        body_b: BodyLike,
        *,
        travel: LimitLike = None,
        suspension: SpringLike = Spring(2.0, 0.7),
        steering: LimitLike = (0.0, 0.0),
        steering_servo: SpringLike = None,
        motor: MotorLike = None,
        **joint: Unpack[JointFields],
    ) -> Joint:
        """Connects a wheel (B) to its chassis (A). The axis is the axle; frame A's y axis points up along the
        suspension.

        `travel`: of the suspension, m; `steering`: about A's y, rad; `steering_servo`: for wheels that steer; `motor`:
        about the axle, (rad/s, N m).
        """
        of = dict(travel=travel, suspension=suspension, steering=steering, steering_servo=steering_servo, motor=motor)
        return self.add_joint("wheel", body_a, body_b, **of, **joint)

    def add_gear(self, joint_a: JointLike, joint_b: JointLike, *, ratio: float = 1.0, **options) -> Joint:
        """Couples two joints, hinges or sliders: joint_b moves by `ratio` when joint_a moves by 1. `options`:
        collide_connected, break_force, break_torque, user_data."""
        return self.add_joint("gear", joint_a=joint_a, joint_b=joint_b, ratio=ratio, **options)

    def add_motor(
        self, body_a: BodyLike, body_b: BodyLike, *, drive: Drive | None = None, **joint: Unpack[JointFields]
    ) -> Joint:
        """Adds a joint that locks nothing and only drives."""
        return self.add_joint("motor", body_a, body_b, drive=drive, **joint)

    def add_joint(
        self,
        kind: str,
        body_a: BodyLike | None = None,
        body_b: BodyLike | None = None,
        *,
        anchor: Vector | None = None,
        axis: Vector = (1.0, 0.0, 0.0),
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        joint_a: JointLike | None = None,
        joint_b: JointLike | None = None,
        **fields: Any,
    ) -> Joint:
        """Adds a joint of a kind by its name, with the keywords of the method that is named after it. Joint.describe()
        returns these keywords."""
        number = d.kind_argument(kind, "kind")
        call = f"add_{kind}"
        definition = lib.talus_joint_def(number)
        misplaced = (body_a, body_b, anchor, frame_a, frame_b) if kind == "gear" else (joint_a, joint_b)
        if any(value is not None for value in misplaced):
            raise TypeError(f"{call}() connects {'two joints' if kind == 'gear' else 'two bodies'}")
        if kind == "gear":
            definition.of.gear.joint_a = joint_argument(joint_a, "joint_a")
            definition.of.gear.joint_b = joint_argument(joint_b, "joint_b")
        elif frame_a is not None and frame_b is not None:
            definition.frames.body_a = body_argument(body_a, "body_a")
            definition.frames.body_b = body_argument(body_b, "body_b")
            definition.frames.frame_a = d.frame(frame_a, "frame_a")
            definition.frames.frame_b = d.frame(frame_b, "frame_b")
        elif anchor is not None:
            definition.frames = self._frames(body_a, body_b, anchor, axis)
        else:
            wanted = "anchor_a and anchor_b" if kind == "distance" else "an anchor"
            raise TypeError(f"{call}() needs {wanted}, or frame_a and frame_b")
        options = {name: fields.pop(name) for name in d.OPTION_FIELDS if name in fields}
        arg.fill(definition.options, options, d.OPTION_FIELDS, call)
        d.fill_kind(definition, kind, fields, call)
        return Joint(self, self._changes(lib.talus_world_add_joint, ctypes.byref(definition)))

    def joint_frames(
        self, body_a: BodyLike, body_b: BodyLike, anchor: Vector, axis: Vector = (1.0, 0.0, 0.0)
    ) -> tuple[Frame, Frame]:
        """Returns the frames of a joint from a point (m) and an axis in the world, at the bodies' present poses."""
        frames = self._frames(body_a, body_b, anchor, axis)
        return d.frame_from(frames.frame_a), d.frame_from(frames.frame_b)

    def _frames(self, body_a, body_b, anchor, axis) -> _c.TalusJointFrames:
        first, second = body_argument(body_a, "body_a"), body_argument(body_b, "body_b")
        point, direction = arg.dvec3(anchor, "anchor"), arg.vec3(axis, "axis")
        frames = self._reads(lib.talus_world_joint_frames, first, second, point, direction)
        if not frames.body_a:
            raise self._refusal() or Error("joint_frames: the frames were refused")
        q = frames.frame_a.rotation
        if not (q.x or q.y or q.z or q.w):
            raise Error("joint_frames: the axis is zero or not finite; it may have any other length")
        return frames

    def joint(self, id: int) -> Joint:
        """Returns the joint with this handle, such as the number in an event."""
        return Joint(self, arg.u64(id, "id"))

    def joints(self, body: BodyLike | None = None) -> list[Joint]:
        """Returns the joints of a body, or all joints of the world."""
        if body is None:
            ids = self._ids(lib.talus_world_joints)
        else:
            ids = self._ids_of(body_argument(body, "body"), lib.talus_world_joints_of)
        return [Joint(self, id) for id in ids.tolist()]

    @property
    def joint_count(self) -> int:
        """The number of joints."""
        return self._reads(lib.talus_world_joint_count)
