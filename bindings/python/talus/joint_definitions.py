"""What joints are made of: limits, motors, springs, drives, and the frames in the two bodies.

Coordinates are in rad or m. Springs are given by frequency and damping ratio, so they behave the same for any mass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional, Tuple, TypedDict, Union

from . import _arguments as arg
from . import _c
from .vectors import Quat, Rotation, Vector, quat_from, vec3_from

KINDS = arg.names_of("TalusJointKind", "_joint")
AXES = arg.names_of("TalusJointAxis", "_axis")
KIND_NAMES = {value: name for name, value in KINDS.items()}
kind_argument = arg.choices(KINDS)
axis_argument = arg.choices(AXES)


class Limit(NamedTuple):
    """Range of a coordinate, rad or m. With both ends equal the coordinate is locked."""

    lower: float = -math.inf
    upper: float = math.inf


class Motor(NamedTuple):
    """Drives a coordinate at a speed (rad/s or m/s) with at most a torque or force (N m or N). Speed 0 is a brake."""

    speed: float = 0.0
    max_force: float = 0.0


class Spring(NamedTuple):
    """Pulls a coordinate to a target."""

    hertz: float = 0.0
    """Undamped frequency; 0: no spring."""
    damping_ratio: float = 1.0
    """1 is critical damping."""
    target: float = 0.0
    """rad or m"""
    max_force: float = math.inf
    """N m or N; if it is finite, the spring is a servo."""


class Frame(NamedTuple):
    """A joint's frame, relative to the frame of its body."""

    position: Vector = (0.0, 0.0, 0.0)
    """m"""
    rotation: Rotation = Quat()


@dataclass(frozen=True)
class Drive:
    """Drives frame B relative to frame A in all directions equally."""

    velocity: Vector = (0.0, 0.0, 0.0)
    """Of frame B, in A's axes, m/s."""
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    """rad/s"""
    target: Frame = Frame()
    """Pose of frame B in frame A."""
    linear_hertz: float = 0.0
    """Of the spring to the target's position; 0: velocity only."""
    angular_hertz: float = 0.0
    """Of the spring to the target's rotation; 0: velocity only."""
    damping_ratio: float = 1.0
    """Of both springs."""
    max_force: float = 0.0
    """N; 0: no linear drive."""
    max_torque: float = 0.0
    """N m; 0: no angular drive."""


# What the methods take: the types above, or tuples of their numbers. None: no limit, no motor, no spring.
LimitLike = Optional[Tuple[float, float]]
MotorLike = Optional[Tuple[float, float]]
SpringLike = Union[Spring, Tuple[float, ...], None]


@dataclass(frozen=True)
class Axis:
    """One of the six axes of a six-dof joint: locked by default; Axis(limit=None) frees it."""

    limit: LimitLike = (0.0, 0.0)
    """Range of the coordinate."""
    motor: MotorLike = None
    """Drives the coordinate."""
    spring: SpringLike = None
    """Pulls the coordinate to a target."""


class JointFields(TypedDict, total=False):
    """Keywords of all kinds of joints. Where the joint is: `anchor` and `axis`, or `frame_a` and `frame_b`."""

    anchor: Vector  # a point in the world at which the two bodies are connected, m
    axis: Vector  # the joint's main axis in the world: the x axis of its frames; default (1, 0, 0)
    frame_a: Frame  # the joint's frame in body A
    frame_b: Frame  # the joint's frame in body B
    collide_connected: bool  # whether the two bodies collide with each other; default False
    break_force: float  # N; default inf: it does not break
    break_torque: float  # N m; default inf: it does not break
    user_data: int  # yours, 0 to 2**64 - 1


# ---- To C.


def _numbers(struct, plain, name: str, value, wanted: str):
    """Returns a structure of numbers from a tuple that may leave out the last ones; `plain` has the defaults."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        values = plain(*value)
    except TypeError:
        raise arg.wrong_type(name, wanted, value) from None
    return struct(*(arg.number(v, f"{name}: {n}") for n, v in zip(plain._fields, values)))


def limit(value, name: str) -> _c.TalusJointLimit:
    value = Limit() if value is None else value
    if not hasattr(value, "__len__") or len(value) != 2:
        raise arg.wrong_type(name, "two numbers (lower, upper) or None", value)
    return _numbers(_c.TalusJointLimit, Limit, name, value, "two numbers (lower, upper) or None")


def motor(value, name: str) -> _c.TalusJointMotor:
    value = Motor() if value is None else value
    return _numbers(_c.TalusJointMotor, Motor, name, value, "two numbers (speed, max_force) or None")


def spring(value, name: str) -> _c.TalusJointSpring:
    value = Spring() if value is None else value
    return _numbers(_c.TalusJointSpring, Spring, name, value, "a talus.Spring or None")


def frame(value, name: str) -> _c.TalusTransform:
    try:
        position, rotation = value
    except (TypeError, ValueError):
        raise arg.wrong_type(name, "a talus.Frame", value) from None
    return arg.transform(position, rotation, f"{name}: ")


_DRIVE_FIELDS = {**arg.fields_of(_c.TalusJointDrive), "target": frame}


def drive(value, name: str) -> _c.TalusJointDrive:
    value = Drive() if value is None else value
    if not isinstance(value, Drive):
        raise arg.wrong_type(name, "a talus.Drive or None", value)
    result = _c.TalusJointDrive()
    arg.fill(result, vars(value), _DRIVE_FIELDS, name)
    return result


_AXIS_FIELDS: dict[str, Callable] = {"limit": limit, "motor": motor, "spring": spring}


def _axis(value, name: str) -> _c.TalusJointAxisDef:
    if not isinstance(value, Axis):
        raise arg.wrong_type(name, "a talus.Axis", value)
    result = _c.TalusJointAxisDef()
    arg.fill(result, vars(value), _AXIS_FIELDS, name)
    return result


def _length(value, name: str) -> _c.TalusJointLimit:
    """None: as long as the distance is when the joint is added. A number: that long."""
    if value is None:
        value = (_c.TALUS_AS_ADDED, _c.TALUS_AS_ADDED)
    elif not hasattr(value, "__len__"):
        value = (value, value)
    return limit(value, name)


def _rest_length(value, name: str) -> float:
    return _c.TALUS_AS_ADDED if value is None else arg.number(value, name)


_KIND_FIELDS: dict[str, dict[str, Callable]] = {
    "ball": {"cone": arg.number, "twist": limit, "drive": drive},
    "hinge": _AXIS_FIELDS,
    "slider": _AXIS_FIELDS,
    "fixed": arg.fields_of(_c.TalusJointDef_of_fixed),
    "distance": {"length": _length, "motor": motor, "spring": spring, "rest_length": _rest_length},
    "six_dof": {name: _axis for name in AXES if name != "main"},
    "wheel": {"travel": limit, "suspension": spring, "steering": limit, "steering_servo": spring, "motor": motor},
    "gear": {"ratio": arg.number},
    "motor": {"drive": drive},
}
OPTION_FIELDS = arg.fields_of(_c.TalusJointOptions)


def fill_kind(definition: _c.TalusJointDef, kind: str, fields: dict[str, Any], call: str) -> None:
    """Sets what only this kind of joint has."""
    of = getattr(definition.of, kind)
    for name, value in fields.items():
        convert = _KIND_FIELDS[kind].get(name)
        if convert is None:
            raise TypeError(f"{call}() has no argument '{name}'")
        converted = convert(value, name)
        if kind == "six_dof":
            of[AXES[name]] = converted
        elif kind == "motor":
            definition.of.motor = converted
        elif kind == "distance" and name != "rest_length":
            setattr(of.axis, "limit" if name == "length" else name, converted)
        else:
            setattr(of, name, converted)


# ---- From C.


def limit_from(v: _c.TalusJointLimit) -> Limit:
    return Limit(v.lower, v.upper)


def motor_from(v: _c.TalusJointMotor) -> Motor:
    return Motor(v.speed, v.max_force)


def spring_from(v: _c.TalusJointSpring) -> Spring:
    return Spring(v.hertz, v.damping_ratio, v.target, v.max_force)


def frame_from(v: _c.TalusTransform) -> Frame:
    return Frame(vec3_from(v.position), quat_from(v.rotation))


def drive_from(v: _c.TalusJointDrive) -> Drive:
    return Drive(
        vec3_from(v.velocity),
        vec3_from(v.angular_velocity),
        frame_from(v.target),
        v.linear_hertz,
        v.angular_hertz,
        v.damping_ratio,
        v.max_force,
        v.max_torque,
    )


_FROM = {
    _c.c_float: lambda v: v,
    _c.TalusJointLimit: limit_from,
    _c.TalusJointMotor: motor_from,
    _c.TalusJointSpring: spring_from,
    _c.TalusJointDrive: drive_from,
}


def _fields_from(struct) -> dict[str, Any]:
    return {name: _FROM[kind](getattr(struct, name)) for name, kind in struct._fields_ if kind in _FROM}


def kind_from(definition: _c.TalusJointDef) -> dict[str, Any]:
    """Returns the keywords that only this kind of joint has."""
    kind = KIND_NAMES[definition.kind]
    of = getattr(definition.of, kind)
    if kind == "six_dof":
        return {name: Axis(**_fields_from(of[i])) for name, i in AXES.items() if name != "main"}
    if kind == "motor":
        return {"drive": drive_from(of)}
    if kind == "distance":
        fields = _fields_from(of.axis)
        return {"length": fields.pop("limit"), **fields, "rest_length": of.rest_length}
    return _fields_from(of)
