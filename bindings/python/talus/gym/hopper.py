"""Hopper: a leg that hops forward in the plane, made of torso, thigh, leg and foot.

                 .---.
                 |   |   torso
                 '-o-'   <- hip, angle -150 to 0 degrees
                   |     thigh
                   o     <- knee, -150 to 0 degrees
                   |     leg
                -==o===  <- ankle, -45 to 45 degrees; foot

It has the sizes and masses of the Hopper of Erez, Tassa and Todorov, "Infinite horizon model predictive control for
nonlinear periodic tasks" (2012), as gymnasium has it. Its motors are weaker: in the original they also turn heavy
rotors, which are left out here.

    observation  height of the torso (m), its angle (rad, positive: forward), angles of hip, knee and ankle (rad);
                 velocity of the torso along x and y (m/s), rates of these four angles (rad/s), at most 10: 11 numbers
    action       torques of hip, knee and ankle, -1 to 1
    reward       speed forward (m/s), plus 1, minus 0.001 times the square of the action
    terminated   the torso is below 0.7 m or tilted by more than 0.2 rad
    truncated    after 1,000 steps of 0.008 s
"""

from __future__ import annotations

import math

import numpy as np

from ..body import Body
from ..definitions import Filter, Lock, part
from ..shapes import box, capsule
from ..vectors import Quat
from ..world import World
from .vector import Box, VectorEnv, angles, plane, plane_velocities, sine_and_cosine, wrapped

TORSO = 0
RADII = (0.05, 0.05, 0.04, 0.06)  # torso, thigh, leg, foot, m
LENGTHS = (0.4, 0.45, 0.5, 0.39)  # without the caps, m
PIVOTS = ((0.0, 1.05), (0.0, 0.6), (0.0, 0.1))  # hip, knee, ankle when it stands upright, m
CENTERS = ((0.0, 1.25), (0.0, 0.825), (0.0, 0.35), (0.065, 0.1))  # of the four bodies then, m
LIMITS = ((-150, 0), (-150, 0), (-45, 45))  # degrees
MAX_TORQUES = np.array([60.0, 60.0, 30.0])  # N m
DAMPING = 1.0  # of each joint, N m s
FRICTION = (0.9, 0.9, 0.9, 2.0)
LEAST_HEIGHT, MAX_TILT = 0.7, 0.2  # m, rad
MAX_RATE = 10.0  # of what is observed


class Hopper(VectorEnv):
    """A leg that hops forward."""

    dt = 0.008
    max_steps = 1000
    action_space = Box(-np.ones(3, np.float32), np.ones(3, np.float32))
    observation_space = Box(np.full(11, -np.inf, np.float32), np.full(11, np.inf, np.float32))

    def build(self, world: World) -> list[Body]:
        world.add_body(type="fixed", shape=box((1000, 1, 5)), position=(0, -1, 0), friction=1.0)
        bodies = []
        for (x, y), radius, length, friction in zip(CENTERS, RADII, LENGTHS, FRICTION):
            lying = Quat.about((0, 0, 1), math.pi / 2) if len(bodies) == 3 else Quat()
            limb = part(
                capsule(length / 2, radius),
                rotation=lying,
                friction=friction,
                filter=Filter(category=2, mask=1),  # it touches the ground only
            )
            bodies.append(world.add_body(shapes=[limb], position=(x, y, 0), locks=Lock.TO_PLANE_XY))
        for a, b, (x, y), (lower, upper) in zip(bodies, bodies[1:], PIVOTS, LIMITS):
            limit = (math.radians(lower), math.radians(upper))
            world.add_hinge(a, b, anchor=(x, y, 0), axis=(0, 0, 1), limit=limit)
        return bodies

    def place(self, count, random):
        noise, rates = random.uniform(-5e-3, 5e-3, (2, count, 6))
        turns = np.cumsum(np.column_stack([-noise[:, 2], np.minimum(noise[:, 3:5], 0), noise[:, 5]]), 1)
        spins = np.cumsum(np.column_stack([-rates[:, 2], rates[:, 3:]]), 1)
        x, y = noise[:, 0], CENTERS[TORSO][1] + noise[:, 1]
        vx, vy = rates[:, 0], rates[:, 1]
        poses, velocities = [plane(x, y, turns[:, 0])], [plane_velocities(vx, vy, spins[:, 0])]
        for k, pivot in enumerate(PIVOTS):  # from a body's centre to the next joint, and on to the next body's centre
            for body, begin, end in ((k, CENTERS[k], pivot), (k + 1, pivot, CENTERS[k + 1])):
                sine, cosine = sine_and_cosine(turns[:, body])
                dx, dy = end[0] - begin[0], end[1] - begin[1]
                arm_x, arm_y = cosine * dx - sine * dy, sine * dx + cosine * dy
                x, y = x + arm_x, y + arm_y
                vx, vy = vx - spins[:, body] * arm_y, vy + spins[:, body] * arm_x
            poses.append(plane(x, y, turns[:, k + 1]))
            velocities.append(plane_velocities(vx, vy, spins[:, k + 1]))
        return np.stack(poses, 1), np.stack(velocities, 1)

    def loads(self, actions):
        rates = np.diff(self.velocities[:, :, 5], axis=1)
        joints = actions * MAX_TORQUES - DAMPING * rates
        torques = np.zeros((self.count, 4))
        torques[:, 1:] += joints
        torques[:, :-1] -= joints
        return np.zeros((self.count, 4)), torques

    def observe(self):
        turns, spins = angles(self.poses), self.velocities[:, :, 5]
        positions = np.column_stack([self.poses[:, TORSO, 1], -turns[:, 0], wrapped(np.diff(turns, axis=1))])
        rates = np.column_stack([self.velocities[:, TORSO, :2], -spins[:, 0], np.diff(spins, axis=1)])
        return np.concatenate([positions, np.clip(rates, -MAX_RATE, MAX_RATE)], 1)

    def judge(self, actions, before):
        forward = (self.poses[:, TORSO, 0] - before[:, TORSO, 0]) / self.dt
        fallen = (self.poses[:, TORSO, 1] < LEAST_HEIGHT) | (np.abs(angles(self.poses[:, TORSO])) > MAX_TILT)
        return forward + 1.0 - 0.001 * np.sum(actions**2, 1), fallen
