"""Shapes, meshes, and what two shapes do without a world."""

import gc
import math
import unittest

import numpy as np
import talus


class Shapes(unittest.TestCase):
    def test_known_masses_and_bounds(self):
        cases = [
            (talus.sphere(2), 4 / 3 * math.pi * 8, (2, 2, 2)),
            (talus.box((1, 2, 3)), 48, (1, 2, 3)),
            (talus.cylinder(1, 2), 2 * math.pi * 4, (2, 1, 2)),
            (talus.cone(1.5, 2), math.pi * 4, (2, 1.5, 2)),
            (talus.capsule(1, 0.5), math.pi * 0.25 * 2 + 4 / 3 * math.pi / 8, (0.5, 1.5, 0.5)),
            (talus.hull([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]), 8, (1, 1, 1)),
            (talus.ellipsoid((1, 2, 3)), 4 / 3 * math.pi * 6, (1, 2, 3)),
            (talus.superellipsoid((1, 2, 3), 2, 2), 4 / 3 * math.pi * 6, (1, 2, 3)),
            (talus.superellipsoid((1, 2, 3), 1, 1), 8, (1, 2, 3)),  # an octahedron
            (talus.convex_sum(talus.box((1, 0.5, 2)), talus.box((0.5, 1.5, 1))), 72, (1.5, 2, 3)),
            (
                talus.rounded(talus.box((1, 2, 3)), 0.5),
                48 + 0.5 * 88 + math.pi / 4 * 48 * 0.5**2 + 4 / 3 * math.pi * 0.5**3,
                (1.5, 2.5, 3.5),
            ),
        ]
        for shape, volume, upper in cases:
            places = 3 if shape.type in ("superellipsoid", "convex_sum") else 5  # their volumes are integrated
            self.assertAlmostEqual(shape.volume / volume, 1, places=places, msg=shape)
            self.assertAlmostEqual(shape.mass_properties(2).mass / volume, 2, places=places)
            for a, b in zip(shape.bounds.upper, upper):
                self.assertAlmostEqual(a, b, places=5)
            self.assertTrue(shape.is_solid)
            self.assertGreater(shape.thickness, 0)
            self.assertGreaterEqual(shape.bounding_radius, max(upper) * 0.999)
        inertia = talus.box((1, 2, 3)).mass_properties(1).inertia
        np.testing.assert_allclose(inertia, np.diag([48 / 3 * (4 + 9), 48 / 3 * (1 + 9), 48 / 3 * (1 + 4)]), rtol=1e-5)

    def test_what_a_shape_is_made_of_can_be_read(self):
        self.assertEqual(talus.sphere(2).type, "sphere")
        self.assertEqual(talus.sphere(2).radius, 2)
        self.assertEqual(talus.box((1, 2, 3)).half_extents, (1, 2, 3))
        self.assertEqual(talus.segment((0, 0, 0), (1, 0, 0), 0.5).points.tolist(), [[0, 0, 0], [1, 0, 0]])
        self.assertEqual(talus.triangle((0, 0, 0), (1, 0, 0), (0, 1, 0)).points.shape, (3, 3))
        cube = talus.hull([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        self.assertEqual((cube.points.shape, len(cube.faces), len(cube.faces[0])), ((8, 3), 6, 4))
        self.assertEqual((talus.ellipsoid((1, 2, 3)).type, talus.ellipsoid((1, 2, 3)).half_extents), ("ellipsoid", (1, 2, 3)))
        egg = talus.superellipsoid((1, 2, 3), 2, 4)
        self.assertEqual((egg.type, egg.half_extents, egg.radius), ("superellipsoid", (1, 2, 3), 0))
        self.assertEqual(talus.convex_sum(egg, talus.segment((0, 0, 0), (1, 0, 0))).type, "convex_sum")
        self.assertEqual(talus.rounded(cube, 0.25).radius, 0.25)
        self.assertGreater(talus.rounded(cube, 0.25).volume, 1 + 6 * 0.25)
        self.assertEqual(talus.sphere(1).points.shape, (0, 3))
        self.assertEqual(talus.sphere(1).faces, [])

    def test_refused_shapes(self):
        for make in (
            lambda: talus.sphere(0),
            lambda: talus.sphere(math.nan),
            lambda: talus.box((1, -1, 1)),
            lambda: talus.capsule(1, 1e300),
            lambda: talus.hull([(0, 0, 0), (1, 0, 0)]),
            lambda: talus.ellipsoid((1, 0, 1)),
            lambda: talus.superellipsoid((1, 1, 1), 2, 17),
            lambda: talus.superellipsoid((1, 1, -1), 2, 2),
            lambda: talus.convex_sum(talus.segment((0, 0, 0), (1, 0, 0)), talus.segment((0, 0, 0), (0, 1, 0))),
            lambda: talus.rounded(talus.box((1, 1, 1)), -0.5),
            lambda: talus.hull([]),
            lambda: talus.hull([(0, 0, 0)] * 10),
            lambda: talus.hull([(math.nan, 0, 0)] * 4),
            lambda: talus.segment((0, 0, 0), (math.inf, 0, 0)),
        ):
            with self.assertRaises(talus.Error):
                make()
        with self.assertRaisesRegex(TypeError, "points must be an array of numbers"):
            talus.hull([(0, 0), (1, 0)])
        for kind in (talus.Shape, talus.Mesh, talus.Part):
            with self.assertRaises(TypeError):
                kind(12345)


    def test_bodies_of_superellipsoids_and_sums(self):
        sphere, slab = talus.sphere(0.25), talus.box((0.5, 0.25, 0.5))
        world = talus.World()
        world.add_body(type="fixed", shape=talus.box((20, 1, 20)), position=(0, -1, 0))
        nested = talus.convex_sum(talus.convex_sum(slab, talus.superellipsoid((0.1, 0.1, 0.1), 3, 3)), sphere)
        heights = {
            world.add_body(shape=talus.superellipsoid((0.5, 0.25, 0.5), 4, 4), position=(0, 1, 0)): 0.25,
            world.add_body(shape=talus.convex_sum(slab, sphere), position=(3, 1, 0)): 0.5,
            world.add_body(shape=nested, position=(6, 1, 0)): 0.6,
        }
        del nested, sphere, slab  # bodies keep their shapes, and a sum what it is a sum of
        gc.collect()
        for _ in range(180):
            world.step(1 / 60)
        for body, height in heights.items():
            self.assertAlmostEqual(body.position.y, height, delta=0.006)
        again = talus.World.load(world.save())
        self.assertEqual(again.hash(), world.hash())
        copies = talus.World()
        for body in heights:
            said = body.shapes[0].shape
            gc.collect()
            self.assertEqual(copies.add_body(shape=said).mass, body.mass)


class TwoShapes(unittest.TestCase):
    def test_separation_rays_and_casts_of_spheres_have_closed_forms(self):
        near = talus.separation(talus.sphere(1), talus.sphere(2), (5, 0, 0))
        self.assertAlmostEqual(near.separation, 2, places=5)
        self.assertAlmostEqual(near.point_a.x, 1, places=5)
        self.assertAlmostEqual(near.point_b.x, 3, places=5)
        deep = talus.separation(talus.box((1, 1, 1)), talus.box((1, 1, 1)), (0, 1.5, 0))
        self.assertAlmostEqual(deep.separation, -0.5, places=4)
        hit = talus.ray_cast(talus.sphere(1), (0, 5, 0), (0, -10, 0))
        self.assertAlmostEqual(hit.fraction, 0.4, places=5)
        self.assertEqual(hit.normal, (0, 1, 0))
        self.assertIsNone(talus.ray_cast(talus.sphere(1), (3, 5, 0), (0, -10, 0)))
        cast = talus.shape_cast(talus.sphere(1), talus.sphere(1), (0, 5, 0), (0, -10, 0))
        self.assertAlmostEqual(cast.fraction, 0.3, places=4)
        self.assertIsNone(talus.shape_cast(talus.sphere(1), talus.sphere(1), (3, 5, 0), (0, -10, 0)))

    def test_numbers_that_are_not_finite_are_refused(self):
        a, nan = talus.sphere(1), (math.nan, 0, 0)
        for call in (
            lambda: talus.separation(a, a, nan),
            lambda: talus.separation(a, a, (0, 0, 0), (0, 0, 0, 0)),
            lambda: talus.ray_cast(a, nan, (1, 0, 0)),
            lambda: talus.shape_cast(a, a, (0, 0, 0), nan),
            lambda: a.mass_properties(math.inf),
        ):
            with self.assertRaises(talus.Error):
                call()


class Meshes(unittest.TestCase):
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)], float)
    indices = np.array([(0, 2, 1), (1, 2, 3)])

    def test_a_mesh_from_arrays(self):
        for indices in (self.indices, self.indices.ravel(), self.indices.tolist()):
            mesh = talus.mesh(self.vertices, indices, materials=[0, 1], two_sided=True)
            self.assertEqual(len(mesh), 2)
            self.assertEqual(mesh.bounds, ((0, 0, 0), (1, 0, 1)))
        sources = {mesh.triangle(i).source for i in range(2)}
        self.assertEqual(sources, {0, 1})
        self.assertEqual(mesh.triangle(0).corners.shape, (3, 3))
        for index in (-1, 2, 2**40):
            with self.assertRaises(talus.Error):
                mesh.triangle(index)

    def test_a_body_rests_on_a_height_field_made_of_numpys_numbers(self):
        x = np.arange(21)
        heights = np.tile(0.1 * x, (21, 1))  # rises along x
        field = talus.height_field(heights, spacing=(1.0, 1.0))
        self.assertEqual(field.bounds.upper, (20, 2, 20))
        world = talus.World()
        world.add_body(type="fixed", mesh=field, friction=1.0)
        ball = world.add_body(shape=talus.box((0.5, 0.1, 0.5)), position=(10, 2, 10), friction=1.0)
        for _ in range(120):
            world.step()
        slope = math.atan(0.1)
        self.assertAlmostEqual(ball.position.y, 0.1 * ball.position.x + 0.1 / math.cos(slope), delta=0.02)

    def test_things_fall_through_the_holes_of_a_height_field(self):
        holes = np.zeros((20, 20), bool)
        holes[8:12, 8:12] = True
        field = talus.height_field(np.zeros((21, 21)), holes=holes)
        world = talus.World()
        world.add_body(type="fixed", mesh=field)
        falling, lying = (world.add_body(shape=talus.sphere(0.5), position=(x, 1, 10)) for x in (10, 5))
        for _ in range(120):
            world.step()
        self.assertLess(falling.position.y, -5)
        self.assertAlmostEqual(lying.position.y, 0.5, delta=0.01)

    def test_materials_of_triangles_make_one_half_slippery(self):
        field = talus.height_field(np.zeros((3, 3)), spacing=10, materials=[[0, 1], [0, 1]])
        world = talus.World()
        materials = [talus.Material(friction=1.0), talus.Material(friction=0.0)]
        ground = world.add_body(type="fixed", mesh=field, mesh_materials=materials)
        self.assertEqual([m.friction for m in ground.shapes[0].mesh_materials], [1, 0])
        box = talus.box((0.5, 0.5, 0.5))
        rough, slippery = (
            world.add_body(shape=box, position=(x, 0.5, 2), linear_velocity=(0, 0, 3)) for x in (5, 15)
        )
        for _ in range(60):
            world.step()
        self.assertLess(rough.linear_velocity.z, 0.1)
        self.assertGreater(slippery.linear_velocity.z, 2.9)

    def test_refused_meshes(self):
        for make in (
            lambda: talus.mesh(self.vertices, [(0, 1, 9)]),
            lambda: talus.mesh(self.vertices * math.nan, self.indices),
            lambda: talus.mesh([], []),
            lambda: talus.mesh(self.vertices, [(0, 1, -1)]),
            lambda: talus.mesh(self.vertices, self.indices, materials=[0, 256]),
            lambda: talus.height_field([[1]]),
            lambda: talus.height_field([[0, 0], [0, math.nan]]),
            lambda: talus.height_field([[0, 0], [0, 0]], spacing=0),
            lambda: talus.mesh_mass_properties(self.vertices, self.indices, 1),
        ):
            with self.assertRaises(talus.Error):
                make()
        for make in (
            lambda: talus.mesh(self.vertices, self.indices, materials=[0]),
            lambda: talus.mesh(self.vertices, self.indices * 0.5),
            lambda: talus.mesh("cube", self.indices),
            lambda: talus.height_field([1, 2, 3]),
            lambda: talus.height_field([[0, 0], [0, 0]], materials=[[0, 1]]),
            lambda: talus.height_field([[0, 0], [0, 0]], holes=[[0, 1]]),
        ):
            with self.assertRaises(TypeError):
                make()

    def test_the_mass_of_a_closed_mesh(self):
        corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
        hull = talus.hull(corners)
        triangles = [(f[0], f[i], f[i + 1]) for f in hull.faces for i in range(1, len(f) - 1)]
        mass = talus.mesh_mass_properties(hull.points, triangles, 500)
        self.assertAlmostEqual(mass.mass, 500, places=2)
        np.testing.assert_allclose(mass.center, (0.5, 0.5, 0.5), atol=1e-6)
        np.testing.assert_allclose(mass.inertia, np.eye(3) * 500 / 6, atol=1e-2)
