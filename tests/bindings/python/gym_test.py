"""Environments: physics, seeds, episodes."""

import math
import unittest

import numpy as np
import talus
from talus import gym
from talus.gym.vector import angles


def cart_pole_by_formula(state, pushes, dt):
    """Integrates the equations of the cart and the pole (a thin rod), by Runge and Kutta."""
    total, pole, half, g = 1.1, 0.1, 0.5, 9.81

    def rates(s, force):
        _, v, angle, spin = s
        sine, cosine = math.sin(angle), math.cos(angle)
        pushed = (force + pole * half * spin**2 * sine) / total
        turning = (g * sine - cosine * pushed) / (half * (4 / 3 - pole * cosine**2 / total))
        return np.array([v, pushed - pole * half * turning * cosine / total, spin, turning])

    for force in pushes:
        for _ in range(10):
            h = dt / 10
            a = rates(state, force)
            b = rates(state + h / 2 * a, force)
            c = rates(state + h / 2 * b, force)
            d = rates(state + h * c, force)
            state = state + h / 6 * (a + 2 * b + 2 * c + d)
    return state


class CartPole(unittest.TestCase):
    def test_it_moves_as_the_equations_say(self):
        env = gym.CartPole(20)
        start, _ = env.reset(seed=4)
        random = np.random.default_rng(1)
        actions = random.integers(2, size=(20, 20))
        kept = np.ones(20, bool)
        for step in range(20):
            seen, rewards, terminated, truncated, info = env.step(actions[step])
            kept &= ~terminated
        self.assertGreater(kept.sum(), 5)
        for i in np.flatnonzero(kept):
            expected = cart_pole_by_formula(start[i].astype(float), np.where(actions[:, i] == 1, 10.0, -10.0), env.dt)
            np.testing.assert_allclose(seen[i], expected, atol=0.03)

    def test_a_simple_controller_keeps_it_up(self):
        env = gym.CartPole(8)
        seen, _ = env.reset(seed=1)
        for step in range(500):
            actions = (seen @ np.array([0.1, 0.4, 3.0, 1.0]) > 0).astype(int)
            seen, rewards, terminated, truncated, info = env.step(actions)
            self.assertFalse(terminated.any(), step)
            self.assertTrue((rewards == 1).all())
            self.assertEqual(truncated.all(), step == 499)
        self.assertEqual(info["final_obs"].shape, (8, 4))
        self.assertTrue((np.abs(seen) < 0.06).all())  # the next episodes have begun


class Hopper(unittest.TestCase):
    def test_it_starts_upright_and_falls_without_a_controller(self):
        env = gym.Hopper(4)
        seen, _ = env.reset(seed=2)
        np.testing.assert_allclose(seen[:, 0], 1.25, atol=0.01)
        np.testing.assert_allclose(seen[:, 1:5], 0, atol=0.02)
        np.testing.assert_allclose(seen[:, 5:], 0, atol=0.05)
        rewards_of_all = []
        for _ in range(300):
            seen, rewards, terminated, truncated, info = env.step(np.zeros((4, 3)))
            rewards_of_all.append(rewards)
            if terminated.any():
                break
        self.assertTrue(terminated.any())
        self.assertGreater(len(rewards_of_all), 15)

    def test_its_joints_and_the_ground_hold(self):
        env = gym.Hopper(50)
        env.reset(seed=3)
        for _ in range(200):
            seen, *_ = env.step(env.sample_actions())
            self.assertTrue(np.isfinite(seen).all())
            lowest = env.poses[:, :, 1].min()
            self.assertGreater(lowest, -0.05)
            turned = np.degrees(seen[:, 2:5])
            self.assertTrue((turned > [-160, -160, -55]).all() and (turned < [10, 10, 55]).all())

    def test_torque_at_the_knee_turns_it_in_the_direction_of_the_action(self):
        env = gym.Hopper(2)
        env.reset(seed=5)
        for _ in range(5):
            seen, *_ = env.step(np.array([[0, -1, 0], [0, 0, 1]]))
        self.assertLess(seen[0, 3], -0.02)
        self.assertGreater(seen[1, 4], 0.02)


class Environments(unittest.TestCase):
    def test_the_same_seed_gives_the_same_bits_for_any_number_of_workers(self):
        for kind in (gym.CartPole, gym.Hopper):
            runs = []
            for workers in (1, 3):
                env = kind(12, workers=workers)
                seen = [env.reset(seed=7)[0]]
                for _ in range(60):
                    seen.append(env.step(env.sample_actions())[0])
                runs.append(np.array(seen))
                env.close()
            np.testing.assert_array_equal(*runs)

    def test_observations_had_other_bits_when_they_lay_behind_the_poses_in_memory(self):
        for count in (1, 3, 12):
            poses = np.random.default_rng(count).normal(size=(count, 4, 7)).astype(np.float32)
            expected = angles(poses)
            blocks = [[poses.copy(), np.empty((count, 4), np.float32)] for _ in range(60)]  # by turns in memory, mostly
            while blocks:
                free = blocks.pop()[0]  # and the memory behind it is free
                for same in [free] + [block[0] for block in blocks]:
                    np.testing.assert_array_equal(angles(same), expected)

    def test_without_autoreset_an_ended_episode_must_be_reset(self):
        env = gym.CartPole(2, autoreset=False)
        with self.assertRaisesRegex(talus.Error, "reset"):
            env.step([0, 0])
        env.reset(seed=1)
        ended = False
        while not ended:
            ended = env.step([0, 1])[2].any()
        with self.assertRaisesRegex(talus.Error, "reset"):
            env.step([0, 0])
        env.reset()
        env.step([0, 0])

    def test_spaces_and_wrong_actions(self):
        env = gym.Hopper(3)
        self.assertEqual(env.action_space.shape, (3,))
        self.assertEqual(env.observation_space.shape, (11,))
        self.assertEqual(env.reset(seed=0)[0].shape, (3, 11))
        for actions, error in (
            (np.zeros((2, 3)), TypeError),
            (np.full((3, 3), np.nan), talus.Error),
            ("go", TypeError),
            (None, TypeError),
        ):
            with self.assertRaises(error):
                env.step(actions)
        env.step(np.full((3, 3), 99.0))  # clipped
        for actions, error in (
            ([0, 1, 2], talus.Error),
            ([0, -1, 0], talus.Error),
            ([0, 1], TypeError),
            ([0.5, 0, 1], TypeError),
        ):
            cart = gym.CartPole(3)
            cart.reset()
            with self.assertRaises(error):
                cart.step(actions)
        for arguments in ({"count": 0}, {"count": -1}, {"workers": 0}):
            with self.assertRaises(talus.Error):
                gym.CartPole(**arguments)

    def test_an_environment_of_the_users(self):
        class Falling(gym.VectorEnv):
            """A ball that is pushed up."""

            dt, max_steps = 0.01, 50
            action_space = gym.Box(np.zeros(1), np.ones(1))
            observation_space = gym.Box(np.full(1, -np.inf), np.full(1, np.inf))
            torque = 0.0

            def build(self, world):
                return [world.add_body(shape=talus.sphere(0.1), density=100)]

            def place(self, count, random):
                return np.tile((0, 1, 0, 0, 0, 0, 1), (count, 1, 1)), np.zeros((count, 1, 6))

            def loads(self, actions):
                return np.zeros((self.count, 1)), np.full((self.count, 1), self.torque)

            def observe(self):
                return self.poses[:, 0, 1:2]

            def judge(self, actions, before):
                return -self.poses[:, 0, 1], self.poses[:, 0, 1] < 0

        for workers in (1, 2):
            env = Falling(3, workers=workers)
            env.reset()
            ended = 0
            while not ended:
                seen, rewards, terminated, truncated, info = env.step(np.zeros((3, 1)))
                ended = terminated.sum()
            self.assertAlmostEqual(info["final_obs"][0, 0], 0, delta=0.1)
            self.assertEqual(seen[0, 0], 1)
            env.torque = np.nan
            with self.assertRaisesRegex(talus.Error, "torque"):
                env.step(np.zeros((3, 1)))
            env.torque = 1.0
            env.step(np.zeros((3, 1)))

    def test_a_copy_of_a_world_can_be_looked_at_and_a_closed_environment_refuses(self):
        env = gym.Hopper(2)
        env.reset(seed=1)
        world = env.world(1)
        self.assertEqual((world.body_count, world.joint_count), (5, 3))
        np.testing.assert_array_equal(world.poses(world.body_ids()[1:]), env.poses[1])
        env.close()
        for call in (env.reset, lambda: env.step(np.zeros((2, 3))), lambda: env.world(0)):
            with self.assertRaises(talus.Error):
                call()
