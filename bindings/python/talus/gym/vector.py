"""Many equal worlds that are stepped side by side: what the environments have in common.

An environment builds one world, and this class copies it. Per step and world it makes a few calls of C and nothing
else: it applies the forces, steps, and lets C write poses and velocities into two arrays. Observations and rewards are
computed from these for all worlds at once. A world begins a new episode by assigning the first world to it, which costs
a copy of its memory.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _arguments as arg
from .. import _c
from .._library import free, lib
from ..body import Body
from ..errors import Error
from ..world import World

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


@dataclass(frozen=True)
class Box:
    """The space of vectors between `low` and `high`."""

    low: np.ndarray
    high: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.low.shape


@dataclass(frozen=True)
class Discrete:
    """The space of the numbers 0 to n - 1."""

    n: int


class VectorEnv:
    """`count` environments side by side.

    Subclasses say in `build()` what is in a world, and implement `place()`, `loads()`, `observe()` and `judge()`.
    """

    dt: float
    """Length of a step, s."""
    max_steps: int
    """An episode that is so long is truncated."""
    observation_space: Box
    """Of one environment."""
    action_space: Box | Discrete
    """Of one environment."""

    def __init__(self, count: int = 1, *, workers: int = 1, autoreset: bool = True):
        """count:     number of environments
        workers:   threads that step them
        autoreset: an environment whose episode ends begins the next one in the same step: the observation that step()
                   returns is the first one of the new episode, and info["final_obs"] has the last one of the old
        """
        self.count = arg.integer(count, "count", 1, 10_000_000)
        self.workers = arg.integer(workers, "workers", 1, 1024)
        self.autoreset = arg.flag(autoreset, "autoreset")
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(self.workers, "talus.gym") if self.workers > 1 else None
        self._slices = [threading.Lock() for _ in range(self.workers)]  # held while a thread steps its part of the worlds
        self._turn = 0  # threads leave out steps of earlier turns

        self._first = World(allow_sleep=False, timing="off")
        self.bodies = self.build(self._first)
        self._worlds = [self._first.clone() for _ in range(self.count)]
        self._pointers = [world._pointer for world in self._worlds]
        n = len(self.bodies)
        self._ids = np.array([body.id for body in self.bodies], np.uint64)
        self.poses = np.zeros((self.count, n, 7), np.float32)
        """Of the moving bodies: position (m) and rotation (x, y, z, w)."""
        self.velocities = np.zeros((self.count, n, 6), np.float32)
        """Of the moving bodies: linear (m/s) and angular (rad/s)."""
        self._steps = np.zeros(self.count, np.int64)
        self._ended = np.ones(self.count, bool)  # needs a reset
        self._random = np.random.default_rng()

    # ---- What subclasses implement.

    def build(self, world: World) -> list[Body]:
        """Adds everything to a world. Returns the bodies that move."""
        raise NotImplementedError

    def place(self, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Returns poses (count x bodies x 7) and velocities (count x bodies x 6) at the start of episodes."""
        raise NotImplementedError

    def loads(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the forces (count x bodies, along x, N) and the torques (count x bodies, about z, N m) of actions."""
        raise NotImplementedError

    def observe(self) -> np.ndarray:
        """Returns observations of the present poses and velocities."""
        raise NotImplementedError

    def judge(self, actions: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns rewards, and which episodes are at their end. `before`: the poses before the step."""
        raise NotImplementedError

    # ---- What users call.

    def reset(self, *, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode in all environments. Returns observations and an empty dictionary. With the same seed, the
        same actions give the same bits."""
        with self._lock:
            self._settle()
            if seed is not None:
                self._random = np.random.default_rng(arg.integer(seed, "seed", 0, 2**128))
            self._begin(np.arange(self.count))
            return np.array(self.observe()), {}

    def step(self, actions) -> Step:
        """Steps all environments by one action each. Returns observations, rewards, terminated, truncated, info."""
        given = self._actions(actions)
        with self._lock:
            self._settle()
            if self._ended.any():
                raise Error("step: an episode has ended, or none has begun; call reset()")
            before = self.poses.copy()
            self._advance(*self.loads(given))
            self._steps += 1
            rewards, terminated = self.judge(given, before)
            truncated = (self._steps >= self.max_steps) & ~terminated
            observations = np.array(self.observe())  # a copy, if they are views of the poses
            info: dict[str, Any] = {}
            ended = np.flatnonzero(terminated | truncated)
            if len(ended) and self.autoreset:
                info["final_obs"], info["_final_obs"] = observations, terminated | truncated
                self._begin(ended)
                observations = np.array(self.observe())
            else:
                self._ended[ended] = True
            return observations, rewards, terminated, truncated, info

    def sample_actions(self) -> np.ndarray:
        """Returns random actions."""
        space = self.action_space
        if isinstance(space, Discrete):
            return self._random.integers(space.n, size=self.count)
        return self._random.uniform(space.low, space.high, (self.count, *space.shape)).astype(np.float32)

    def world(self, index: int) -> World:
        """Returns a copy of a world, to look at it."""
        index = arg.integer(index, "index", 0, self.count - 1)
        with self._lock:
            self._settle()
            return self._worlds[index].clone()

    def close(self) -> None:
        """Ends the threads and frees the worlds."""
        with self._lock:
            self._settle()
            if self._threads is not None:
                self._threads.shutdown()
            self._ended[:] = True
            self._pointers = [None] * self.count
            for world in [*self._worlds, self._first]:
                world.close()

    # ---- Calls of C.

    def _actions(self, actions) -> np.ndarray:
        space = self.action_space
        if isinstance(space, Discrete):
            given = arg.array(actions, np.uint32, (self.count,), "actions")
            if (given >= space.n).any():
                raise Error(f"actions has a number that is not 0 to {space.n - 1}")
            return given
        given = arg.array(actions, np.float32, (self.count, *space.shape), "actions")
        if not np.isfinite(given).all():
            raise Error("actions has a number that is not finite", "not_finite")
        return np.clip(given, space.low, space.high)

    def _advance(self, forces: np.ndarray, torques: np.ndarray) -> None:
        """Steps all worlds under these loads, and reads their bodies."""
        loads = forces.tolist(), torques.tolist()
        if self._threads is None:
            self._advance_some(0, self.count, *loads)
            return
        submit, turn = self._threads.submit, self._turn
        parts = [submit(self._advance_slice, turn, k, *loads) for k in range(self.workers)]
        wait(parts)
        for part in parts:
            part.result()  # raises what the part has raised

    def _settle(self) -> None:
        """Waits for threads that still step worlds after an interrupt, and cancels steps that they have not begun."""
        self._turn += 1
        for lock in self._slices:
            with lock:
                pass

    def _advance_slice(self, turn: int, number: int, forces: list, torques: list) -> None:
        with self._slices[number]:
            if turn == self._turn:
                begin, end = (self.count * k // self.workers for k in (number, number + 1))
                self._advance_some(begin, end, forces, torques)

    def _advance_some(self, begin: int, end: int, forces: list, torques: list) -> None:
        ids, vec3 = self._ids.tolist(), _c.TalusVec3
        push, turn, step = lib.talus_world_apply_force, lib.talus_world_apply_torque, free.talus_world_step
        for i in range(begin, end):
            world = self._pointers[i]
            done = True
            for body, force, torque in zip(ids, forces[i], torques[i]):
                if force:
                    done &= push(world, body, vec3(force, 0.0, 0.0))
                if torque:
                    done &= turn(world, body, vec3(0.0, 0.0, torque))
            if not (done and step(world, self.dt, None)):
                raise self._refusal(i)
        self._read_bodies(range(begin, end))

    def _read_bodies(self, indices) -> None:
        """Reads poses and velocities of some worlds."""
        n, ids, origin = len(self.bodies), arg.address(self._ids), _c.TalusDVec3()
        poses, velocities = arg.address(self.poses), arg.address(self.velocities)
        pose_size, velocity_size = self.poses[0].nbytes, self.velocities[0].nbytes
        read_poses, read_velocities = lib.talus_world_read_poses, lib.talus_world_read_velocities
        for i in indices:
            world = self._pointers[i]
            read_poses(world, ids, n, origin, poses + i * pose_size)
            read_velocities(world, ids, n, velocities + i * velocity_size)

    def _refusal(self, index: int) -> Error:
        """Returns why a world has refused a call."""
        return self._worlds[index]._refusal() or Error(f"world {index} has refused a call")

    def _begin(self, indices: np.ndarray) -> None:
        """Begins episodes."""
        if self._first.closed:
            raise Error("the environment is closed")
        poses, velocities = self.place(len(indices), self._random)
        first, ids = self._first._pointer, self._ids.tolist()
        for i, its_poses, its_velocities in zip(indices.tolist(), poses.tolist(), velocities.tolist()):
            world = self._pointers[i]
            done = lib.talus_world_assign(world, first)
            for body, pose, velocity in zip(ids, its_poses, its_velocities):
                done &= lib.talus_world_set_transform(world, body, _c.TalusDVec3(*pose[:3]), _c.TalusQuat(*pose[3:]))
                done &= lib.talus_world_set_linear_velocity(world, body, _c.TalusVec3(*velocity[:3]))
                done &= lib.talus_world_set_angular_velocity(world, body, _c.TalusVec3(*velocity[3:]))
            if not done:
                raise self._refusal(i)
        self._read_bodies(indices.tolist())
        self._steps[indices] = 0
        self._ended[indices] = False


# ---- Plane motion: rotations about z.
#
# numpy has two algorithms for sines and the like, whose bits differ. It takes the slow one if the result seems to lie in
# the argument's memory, and for a column of an array that range ends behind the array, where the new result may lie by
# chance. So these functions get arguments without gaps.


def angles(poses: np.ndarray) -> np.ndarray:
    """Returns the rotation about z of poses, -pi to pi."""
    return wrapped(2 * np.arctan2(poses[..., 5].copy(), poses[..., 6].copy()))


def sine_and_cosine(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the sine and the cosine of angles."""
    angle = angle.copy()
    return np.sin(angle), np.cos(angle)


def wrapped(angle: np.ndarray) -> np.ndarray:
    """Returns an angle as -pi to pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def plane(x, y, angle) -> np.ndarray:
    """Returns poses in the plane z = 0."""
    poses = np.zeros((*np.shape(x), 7), np.float32)
    poses[..., 0], poses[..., 1] = x, y
    poses[..., 5], poses[..., 6] = sine_and_cosine(angle / 2)
    return poses


def plane_velocities(x, y, spin) -> np.ndarray:
    """Returns velocities in the plane z = 0."""
    velocities = np.zeros((*np.shape(x), 6), np.float32)
    velocities[..., 0], velocities[..., 1], velocities[..., 5] = x, y, spin
    return velocities
