"""Threads: pools, worlds side by side, and one world that several threads use against the rules."""

import random
import signal
import sys
import threading
import time
import unittest

import numpy as np
import talus
from support import pile, run


class Pools(unittest.TestCase):
    def test_any_number_of_threads_gives_the_same_bits(self):
        hashes = set()
        for threads in (None, 1, 2, 4):
            world = pile(200)
            pool = talus.ThreadPool(threads) if threads else None
            for _ in range(60):
                world.step(1 / 60, pool)
            hashes.add(world.hash())
            if pool:
                self.assertEqual(pool.threads, threads)
                pool.close()
        self.assertEqual(len(hashes), 1)

    def test_a_pool_for_measurements(self):
        world, pool = pile(50), talus.ThreadPool(2)
        self.assertFalse(pool.all_threads or pool.simulate)
        pool.all_threads = pool.simulate = True
        world.step(1 / 60, pool)
        self.assertTrue(pool.all_threads and pool.simulate)
        self.assertGreater(world.profile().span.total, 0)

    def test_refused_pools(self):
        for threads in (0, -1, 2**40):
            with self.assertRaises(talus.Error):
                talus.ThreadPool(threads)
        pool = talus.ThreadPool(2)
        pool.close()
        pool.close()
        with self.assertRaisesRegex(talus.Error, "closed"):
            talus.World().step(1 / 60, pool)
        with self.assertRaises(TypeError):
            talus.World().step(1 / 60, 4)

    def test_a_modifier_cannot_use_the_pool_of_its_own_step(self):
        world, pool, refused = talus.World(), talus.ThreadPool(2), []
        world.add_body(type="fixed", shape=talus.box((5, 1, 5)), position=(0, -1, 0))
        world.add_body(shape=talus.sphere(0.5), position=(0, 0.5, 0), modify_contacts=True)

        def modify(contact):
            for call in (lambda: talus.World().step(1 / 60, pool), pool.close):
                try:
                    call()
                except talus.Error as error:
                    refused.append(str(error))

        world.set_contact_modifier(modify)
        for _ in range(5):
            world.step(1 / 60, pool)
        self.assertGreater(len(refused), 1)


@unittest.skipUnless(hasattr(signal, "setitimer"), "no timer signals")
class Interrupts(unittest.TestCase):
    def test_an_interrupt_at_any_moment_leaves_the_world_usable(self):
        world, other, pool, r = pile(10), talus.World(), talus.ThreadPool(2), random.Random(1)
        rays, interrupts = np.zeros((50, 3)), 0
        for body in world.bodies():
            body.shapes = [talus.part(part.shape, modify_contacts=True) for part in body.shapes]
        world.set_contact_modifier(lambda contact: contact.body_a.position)

        def interrupt(*_):
            raise KeyboardInterrupt

        def use():
            end = time.monotonic() + 0.05  # an interrupt at the entry of a callback of C is lost
            while time.monotonic() < end:
                world.step(1 / 60)
                world.step(1 / 60, pool)
                world.ray_casts(rays, (0, -9, 0))
                world.clone().save()
                other.assign(world)

        before, hook = signal.signal(signal.SIGALRM, interrupt), sys.unraisablehook
        sys.unraisablehook = lambda _: None
        try:
            for _ in range(300):
                try:
                    signal.setitimer(signal.ITIMER_REAL, r.uniform(1e-4, 3e-3))
                    use()
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except KeyboardInterrupt:
                    interrupts += 1
                for w in (world, other):
                    w.gravity = (0, -9.81, 0)
                    self.assertGreaterEqual(w.body_count, 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            sys.unraisablehook = hook
        self.assertGreater(interrupts, 100)
        world.step(1 / 60, pool)


class Together(unittest.TestCase):
    def in_threads(self, *functions):
        """Calls functions in threads of their own and returns what they raised."""
        raised = []

        def guarded(function):
            try:
                function()
            except Exception as error:
                raised.append(error)

        threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return raised

    def setUp(self):
        self.interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)

    def tearDown(self):
        sys.setswitchinterval(self.interval)

    def test_different_worlds_in_different_threads(self):
        worlds = [pile() for _ in range(4)]
        pool = talus.ThreadPool(2)
        raised = self.in_threads(*(lambda w=w: [w.step(1 / 60, pool) for _ in range(60)] for w in worlds))
        self.assertEqual(raised, [])
        self.assertEqual(len({world.hash() for world in worlds}), 1)

    def test_other_threads_run_while_a_world_steps(self):
        """A step holds no lock of the interpreter. Steps are repeated until the other thread got a processor in one."""
        sys.setswitchinterval(1000)  # Python gives up its lock for this thread's calls only
        world, count = talus.World(allow_sleep=False), [0]
        world.add_copies(np.random.default_rng(1).uniform(-10, 10, (4000, 3)), shape=talus.sphere(0.3))
        done, during, stop = threading.Event(), 0, time.monotonic() + 60

        def tick():
            while not done.is_set():
                count[0] += 1
                time.sleep(0)

        thread = threading.Thread(target=tick)
        thread.start()
        while during < 3 and time.monotonic() < stop:
            before = count[0]
            world.step()
            during = count[0] - before
        done.set()
        thread.join()
        self.assertGreaterEqual(during, 3)

    def test_one_world_in_many_threads_is_refused_and_never_crashes(self):
        world = pile(60)
        ids, body, other = world.body_ids(), world.bodies()[5], pile(10)
        stop, counts = time.monotonic() + 3, {"steps": 0, "reads": 0, "refused": 0}

        def repeat(function, name):
            def loop():
                while time.monotonic() < stop:
                    try:
                        function()
                        counts[name] += 1
                    except talus.Error as error:
                        if not any(word in str(error) for word in ("thread", "use", "step()")):
                            raise
                        counts["refused"] += 1

            return loop

        def modify(contact):
            contact.body_a.position

        for b in world.bodies():
            b.shapes = [talus.part(s.shape, modify_contacts=True) for s in b.shapes]
        world.set_contact_modifier(modify)
        rays = np.random.default_rng(1).uniform(-3, 9, (200, 3))
        raised = self.in_threads(
            repeat(lambda: world.step(), "steps"),
            repeat(lambda: world.poses(ids), "reads"),
            repeat(lambda: world.ray_casts(rays, (0, -9, 0)), "reads"),
            repeat(lambda: (world.contacts(), world.moved(), world.profile(), body.position), "reads"),
            repeat(lambda: body.apply_impulse((0, 1, 0)), "reads"),
            repeat(lambda: (world.clone(), world.save()), "reads"),
            repeat(lambda: other.assign(world), "reads"),
            repeat(lambda: world.ray_cast((0, 50, 0), (0, 1, 0)), "reads"),
            repeat(lambda: world.add_body(shape=talus.sphere(0.1)).remove(), "reads"),
        )
        self.assertEqual(raised, [])
        self.assertGreater(counts["steps"], 0)
        self.assertGreater(counts["reads"], 0)
        run(world, 10)
