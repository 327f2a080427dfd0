"""CartPole: a pole on a cart. Keep it upright by pushing the cart to the left or to the right.

The sizes, masses, limits and rewards are those of gymnasium's CartPole-v1, after Barto, Sutton and Anderson,
"Neuronlike adaptive elements that can solve difficult learning control problems" (1983):

    observation  position of the cart (m), its velocity (m/s), angle of the pole (rad, 0: upright, positive: to the
                 right), its rate (rad/s)
    action       0: push to the left with 10 N, 1: to the right
    reward       1 per step
    terminated   the cart is more than 2.4 m from the centre, or the pole more than 12 degrees from upright
    truncated    after 500 steps of 0.02 s
"""

from __future__ import annotations

import math

import numpy as np

from ..body import Body
from ..definitions import Filter
from ..mass import MassProperties
from ..shapes import box
from ..world import World
from .vector import Box, Discrete, VectorEnv, angles, plane, plane_velocities, sine_and_cosine

CART, POLE = 0, 1
CART_MASS, POLE_MASS = 1.0, 0.1  # kg
HALF_LENGTH = 0.5  # of the pole, m
FORCE = 10.0  # N
MAX_X = 2.4  # m
MAX_ANGLE = math.radians(12)


class CartPole(VectorEnv):
    """A pole on a cart."""

    dt = 0.02
    max_steps = 500
    action_space = Discrete(2)
    observation_space = Box(
        np.array([-2 * MAX_X, -np.inf, -2 * MAX_ANGLE, -np.inf], np.float32),
        np.array([2 * MAX_X, np.inf, 2 * MAX_ANGLE, np.inf], np.float32),
    )

    def build(self, world: World) -> list[Body]:
        through = Filter(mask=0)  # nothing touches
        rail = world.add_body(type="fixed", shape=box((MAX_X, 0.02, 0.02)), filter=through)
        cart = world.add_body(shape=box((0.25, 0.15, 0.1)), filter=through)
        rod = POLE_MASS * (2 * HALF_LENGTH) ** 2 / 12  # a thin one
        pole = world.add_body(
            shape=box((0.05, HALF_LENGTH, 0.05)),
            position=(0, HALF_LENGTH, 0),
            filter=through,
            mass_properties=MassProperties(POLE_MASS, inertia=np.diag([rod, rod / 100, rod])),
        )
        cart.mass = CART_MASS
        world.add_slider(rail, cart, anchor=(0, 0, 0), axis=(1, 0, 0))
        world.add_hinge(cart, pole, anchor=(0, 0, 0), axis=(0, 0, 1))
        return [cart, pole]

    def place(self, count, random):
        x, velocity, angle, rate = random.uniform(-0.05, 0.05, (4, count))
        sine, cosine = sine_and_cosine(angle)
        zero, arm_x, arm_y = np.zeros(count), HALF_LENGTH * sine, HALF_LENGTH * cosine
        cart, pole = plane(x, zero, zero), plane(x + arm_x, arm_y, -angle)
        cart_velocity = plane_velocities(velocity, zero, zero)
        pole_velocity = plane_velocities(velocity + arm_y * rate, -arm_x * rate, -rate)
        return np.stack([cart, pole], 1), np.stack([cart_velocity, pole_velocity], 1)

    def loads(self, actions):
        forces = np.zeros((self.count, 2))
        forces[:, CART] = np.where(actions == 1, FORCE, -FORCE)
        return forces, np.zeros((self.count, 2))

    def observe(self):
        x, velocity = self.poses[:, CART, 0], self.velocities[:, CART, 0]
        return np.stack([x, velocity, -angles(self.poses[:, POLE]), -self.velocities[:, POLE, 5]], 1)

    def judge(self, actions, before):
        x, angle = self.poses[:, CART, 0], angles(self.poses[:, POLE])
        return np.ones(self.count), (np.abs(x) > MAX_X) | (np.abs(angle) > MAX_ANGLE)
