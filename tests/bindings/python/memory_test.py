"""Memory: worlds that are made and destroyed leave nothing behind."""

import gc
import os
import time
import unittest

import numpy as np
import support
import talus
from talus import gym


def resident():
    """Returns the memory of this process, MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@unittest.skipUnless(os.path.exists("/proc/self/statm"), "no /proc")
class Memory(unittest.TestCase):
    def cycles(self, make, count):
        """Calls make() until memory has settled, and then `count` times. Returns what it has grown by, MB, and the
        seconds."""
        for _ in range(10):
            make()
        gc.collect()
        before, start = resident(), time.perf_counter()
        for _ in range(count):
            make()
        seconds = time.perf_counter() - start
        gc.collect()
        return resident() - before, seconds

    def test_worlds_of_1000_bodies(self):
        count = 1000 if support.options.full else 100
        places = np.random.default_rng(1).uniform(-30, 30, (999, 3))

        def make():
            world = talus.World()
            first = world.add_body(shape=talus.box((0.5, 0.5, 0.5)))
            ids = world.add_copies(places, shape=talus.sphere(0.5))
            world.add_hinge(first, int(ids[0]), anchor=(0, 0, 0))
            world.step()
            if len(ids) + 1 != world.body_count:
                raise AssertionError

        grown, seconds = self.cycles(make, count)
        print(f"{count} worlds of 1,000 bodies: {seconds:.1f} s, memory grew by {grown:.1f} MB", end=" ", flush=True)
        self.assertLess(grown, 4)  # one world takes 2 MB

    def test_everything_else_that_owns_memory(self):
        corners = np.random.default_rng(1).normal(size=(40, 3))
        heights = np.random.default_rng(2).normal(size=(40, 40))
        kept = support.pile(10)
        kept.add_body(type="fixed", mesh=talus.height_field(heights))

        def make():
            hull, field = talus.hull(corners), talus.height_field(heights)
            world = talus.World()
            body = world.add_body(shape=hull)
            ground = world.add_body(type="fixed", mesh=field)
            assets = talus.Assets()
            assets.add("hull", hull)
            assets.add("field", field)
            data = world.save(assets)
            other = talus.World.load(data, assets)
            other.assign(world.clone())
            body.describe(), ground.describe()
            world.set_contact_modifier(lambda contact: None)
            world.step()
            world.draw(outlines=True, region=((-1, -1, -1), (1, 1, 1)))
            try:
                talus.World.load(data)
            except talus.Error:
                pass
            kept.clone()
            talus.FixedStep()

        grown, _ = self.cycles(make, 200)
        self.assertLess(grown, 4)

        def threads():
            pool = talus.ThreadPool(2)
            world = support.pile(5)
            world.step(1 / 60, pool)

        grown, _ = self.cycles(threads, 50)
        self.assertLess(grown, 4)

        def environment():
            env = gym.CartPole(50, workers=2)
            env.reset(seed=1)
            for _ in range(3):
                env.step(env.sample_actions())

        grown, _ = self.cycles(environment, 10)
        self.assertLess(grown, 8)

    def test_getters_queries_and_steps_leave_nothing_behind(self):
        world = support.pile(10)
        support.run(world, 100)
        ids, body = world.body_ids(), world.bodies()[3]

        def use():
            for _ in range(100):
                body.position, body.rotation, body.inertia, body.shapes
                world.poses(ids), world.moved(), world.contacts(), world.profile()
                world.ray_cast((0, 9, 0), (0, -9, 0)), world.ray_casts(np.zeros((100, 3)), (0, 1, 0))
                try:
                    world.ray_cast((float("nan"), 0, 0), (0, 1, 0))
                except talus.Error:
                    pass

        grown, _ = self.cycles(use, 50)
        self.assertLess(grown, 2)
