"""Rays, casts, overlaps and nearest bodies."""

import math
import unittest

import numpy as np
import talus
from support import pile, run


class Queries(unittest.TestCase):
    def setUp(self):
        self.world = talus.World()
        self.balls = [
            self.world.add_body(shape=talus.sphere(1), type="fixed", position=(4 * i, 0, 0), filter=talus.Filter(2**i))
            for i in range(3)
        ]

    def test_rays(self):
        world, balls = self.world, self.balls
        hit = world.ray_cast((-5, 0, 0), (20, 0, 0))
        self.assertEqual((hit.body, hit.shape, hit.triangle), (balls[0], 0, None))
        self.assertAlmostEqual(hit.fraction, 0.2, places=5)
        np.testing.assert_allclose(hit.position, (-1, 0, 0), atol=1e-5)
        np.testing.assert_allclose(hit.normal, (-1, 0, 0), atol=1e-5)
        self.assertEqual([h.body for h in world.ray_cast_all((-5, 0, 0), (20, 0, 0))], balls)
        self.assertTrue(world.ray_cast_any((-5, 0, 0), (20, 0, 0)))
        self.assertIsNone(world.ray_cast((-5, 3, 0), (20, 0, 0)))
        self.assertEqual(world.ray_cast_all((-5, 3, 0), (20, 0, 0)), [])
        self.assertFalse(world.ray_cast_any((-5, 3, 0), (20, 0, 0)))
        self.assertEqual(world.ray_cast((-5, 0, 0), (20, 0, 0), talus.Filter(mask=4)).body, balls[2])

    def test_moving_shapes(self):
        world, balls, ball = self.world, self.balls, talus.sphere(1)
        hit = world.shape_cast(ball, (-5, 0, 0), (20, 0, 0))
        self.assertEqual(hit.body, balls[0])
        self.assertAlmostEqual(hit.fraction, 3 / 20, places=4)
        self.assertEqual([h.body for h in world.shape_cast_all(ball, (-5, 0, 0), (20, 0, 0))], balls)
        self.assertTrue(world.shape_cast_any(ball, (-5, 0, 0), (20, 0, 0)))
        self.assertIsNone(world.shape_cast(ball, (-5, 3, 0), (20, 0, 0)))

    def test_overlaps_and_nearest(self):
        world, balls = self.world, self.balls
        self.assertEqual(world.overlap(talus.box((2, 1, 1)), (2, 0, 0)), balls[:2])
        self.assertEqual(world.overlap_box((-1, -1, -1), (9, 1, 1)), balls)
        self.assertEqual(world.overlap_point((4, 0.5, 0)), [balls[1]])
        self.assertEqual(world.overlap_point((2, 0, 0)), [])
        self.assertTrue(world.overlap_any(talus.sphere(1), (2, 0, 0)))
        self.assertTrue(world.overlap_any_box((0, 0, 0), (1, 1, 1)))
        self.assertFalse(world.overlap_any_point((2, 0, 0)))
        self.assertEqual(world.overlap_box((-1, -1, -1), (9, 1, 1), talus.Filter(mask=2)), [balls[1]])
        near = world.nearest((4, 5, 0), count=2)
        self.assertEqual(near[0].body, balls[1])
        self.assertAlmostEqual(near[0].distance, 4, places=4)
        np.testing.assert_allclose(near[0].position, (4, 1, 0), atol=1e-4)
        self.assertEqual(len(near), 2)
        self.assertEqual(len(world.nearest((4, 5, 0), count=10**15)), 3)
        self.assertEqual(world.nearest((4, 5, 0), max_distance=1), [])

    def test_batches_find_what_single_casts_find(self):
        world = pile()
        run(world, 200)
        random = np.random.default_rng(1)
        origins = random.uniform((-3, 5, -3), (3, 8, 3), (300, 3))
        moves = random.uniform((-2, -9, -2), (2, -4, 2), (300, 3))
        hits = world.ray_casts(origins, moves)
        self.assertGreater(len(set(hits["body"].tolist())), 5)
        for hit, origin, move in zip(hits, origins, moves):
            single = world.ray_cast(origin, move)
            if single is None:
                self.assertEqual(hit.body, 0)
                continue
            self.assertEqual((hit.body, hit["shape"]), (single.body.id, single.shape))
            self.assertEqual(hit.fraction, np.float32(single.fraction))
            np.testing.assert_array_equal(hit.position, single.position)
        ball = talus.sphere(0.2)
        turns = np.tile((0, 1, 0, 0), (300, 1))
        hits = world.shape_casts(ball, origins, (0, -9, 0), turns)
        for hit, origin in zip(hits, origins):
            single = world.shape_cast(ball, origin, (0, -9, 0), (0, 1, 0, 0))
            self.assertEqual((hit.body, hit.fraction), (single.body.id, np.float32(single.fraction)))
        self.assertEqual(len(world.ray_casts(np.zeros((0, 3)), np.zeros((0, 3)))), 0)
        self.assertEqual(len(world.shape_casts(ball, [], (0, 1, 0))), 0)
        self.assertEqual(world.ray_casts([(0, 9, 0)], (0, -20, 0))["fraction"].shape, (1,))

    def test_a_hit_of_a_mesh_says_which_triangle(self):
        self.world.add_body(type="fixed", mesh=talus.height_field(np.zeros((3, 3))), position=(0, -5, 0))
        hit = self.world.ray_cast((1.5, -4, 1.25), (0, -5, 0))
        self.assertIsInstance(hit.triangle, int)
        self.assertLess(hit.triangle, 8)

    def test_refused_queries(self):
        world, ball, nan, far = self.world, talus.sphere(1), (math.nan, 0, 0), (1e30, 0, 0)
        for bad in (nan, far, (math.inf, 0, 0)):
            for call in (
                lambda: world.ray_cast(bad, (1, 0, 0)),
                lambda: world.ray_cast_any(bad, (1, 0, 0)),
                lambda: world.ray_cast_all(bad, (1, 0, 0)),
                lambda: world.ray_casts([bad], (1, 0, 0)),
                lambda: world.shape_cast(ball, bad, (1, 0, 0)),
                lambda: world.shape_cast_any(ball, bad, (1, 0, 0)),
                lambda: world.shape_cast_all(ball, bad, (1, 0, 0)),
                lambda: world.shape_casts(ball, [bad], (1, 0, 0)),
                lambda: world.overlap(ball, bad),
                lambda: world.overlap_any(ball, bad),
                lambda: world.overlap_point(bad),
                lambda: world.overlap_any_point(bad),
                lambda: world.overlap_box(bad, (1, 1, 1)),
                lambda: world.overlap_any_box(bad, (1, 1, 1)),
                lambda: world.nearest(bad),
                lambda: world.nearest((0, 0, 0), max_distance=-1),
                lambda: world.nearest((0, 0, 0), count=0),
            ):
                with self.assertRaises(talus.Error):
                    call()
        with self.assertRaises(TypeError):
            world.ray_casts(np.zeros((3, 3)), np.zeros((2, 3)))
