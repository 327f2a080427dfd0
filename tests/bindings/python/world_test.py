"""Worlds: steps, settings, copies, saving."""

import copy
import math
import pickle
import unittest

import support
import talus
from support import floor, pile, run


class FirstProgram(unittest.TestCase):
    def test_a_crate_falls_and_comes_to_rest_on_the_floor(self):
        world = talus.World()
        floor(world)
        crate = world.add_body(shape=talus.box((0.5, 0.5, 0.5)), position=(0, 10, 0))
        run(world, 30)
        # Free fall of half a second, by steps: 10 - g t^2 / 2.
        self.assertAlmostEqual(crate.position.y, 10 - 9.81 * 0.5**2 / 2, delta=0.05)
        run(world, 210)
        self.assertAlmostEqual(crate.position.y, 0.5, delta=2e-3)
        self.assertEqual(crate.linear_velocity, (0, 0, 0))
        self.assertFalse(crate.awake)
        self.assertEqual(crate.mass, 1000)


class Settings(unittest.TestCase):
    def test_settings_are_read_and_changed(self):
        world = talus.World(gravity=(0, 0, -1), substeps=8, timing="pairs", handle_tag=5, allow_sleep=False)
        self.assertEqual(world.gravity, (0, 0, -1))
        settings = world.settings()
        self.assertEqual((settings["substeps"], settings["timing"], settings["handle_tag"]), (8, "pairs", 5))
        world.set_settings(substeps=2, hash_stages=True)
        self.assertEqual(world.settings()["substeps"], 2)
        self.assertEqual(world.gravity, (0, 0, -1))
        world.gravity = [0, -1, 0]
        world.allow_sleep = True
        world.hit_speed = 3
        self.assertEqual((world.gravity, world.allow_sleep, world.hit_speed), ((0, -1, 0), True, 3))
        again = talus.World(**world.settings())
        self.assertEqual(again.settings(), world.settings())

    def test_refused_settings_say_what_is_allowed(self):
        with self.assertRaisesRegex(talus.Error, "substeps"):
            talus.World(substeps=0)
        with self.assertRaisesRegex(talus.Error, '"off", "stages" or "pairs"'):
            talus.World(timing="minutes")
        with self.assertRaisesRegex(TypeError, "World.. has no argument 'gravitas'"):
            talus.World(gravitas=1)
        world = talus.World()
        with self.assertRaisesRegex(talus.Error, "substeps"):
            world.set_settings(substeps=65)
        self.assertEqual(world.settings()["substeps"], 4)


class Errors(unittest.TestCase):
    def test_a_refused_call_raises_the_engines_sentence_and_its_code(self):
        world = talus.World()
        with self.assertRaises(talus.Error) as caught:
            world.add_body(shape=talus.sphere(1), density=-3)
        self.assertEqual(str(caught.exception), "add_body: density is -3; it must be finite and >= 0 (kg/m^3).")
        self.assertEqual(caught.exception.code, "bad_size")
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(world.body_count, 0)
        with self.assertRaisesRegex(talus.Error, "dt is nan") as caught:
            world.step(math.nan)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.code), (str(caught.exception), caught.exception.code))

    def test_a_wrong_type_names_the_argument(self):
        world = talus.World()
        for call, message in (
            (lambda: world.step("soon"), "dt must be a number, not str"),
            (lambda: world.add_body(position=(1, 2)), "position must be three numbers, not tuple"),
            (lambda: world.add_body(shape=5), r"shape must be a shape, such as talus.box\(\(1, 1, 1\)\), not int"),
            (lambda: world.add_body(sensor=1), "sensor must be True or False, not int"),
            (lambda: world.add_body(user_data=1.5), "user_data must be an integer, not float"),
            (lambda: world.add_body(colour="red"), r"add_body\(\) has no argument 'colour'"),
            (lambda: world.add_body(material=0.5), "material must be a talus.Material, not float"),
            (lambda: world.ray_cast("up", (0, 1, 0)), "origin must be three numbers, not str"),
            (lambda: world.poses(5), "bodies must be a list of bodies, not int"),
            (lambda: world.assign(5), "other must be a talus.World, not int"),
        ):
            with self.assertRaisesRegex(TypeError, message):
                call()

    def test_integers_that_c_cannot_hold_are_refused(self):
        world = talus.World()
        for value in (-1, 2**64, 10**5000):
            with self.assertRaisesRegex(talus.Error, "user_data is .*; it must be 0 to 18446744073709551615"):
                world.add_body(user_data=value)

    def test_a_closed_world_refuses_everything(self):
        with talus.World() as world:
            body = world.add_body(shape=talus.sphere(1))
        self.assertTrue(world.closed)
        for call in (
            world.step,
            world.add_body,
            world.settings,
            world.hash,
            world.save,
            world.clone,
            world.contacts,
            world.moved,
            world.profile,
            world.bodies,
            lambda: world.body_count,
            lambda: world.ray_cast((0, 0, 0), (1, 0, 0)),
            lambda: body.position,
            lambda: body.awake,
            lambda: body.is_valid,
            lambda: body.apply_force((1, 0, 0)),
            lambda: body.describe(),
            lambda: talus.World().assign(world),
            lambda: world.assign(talus.World()),
        ):
            with self.assertRaisesRegex(talus.Error, "closed"):
                call()
        world.close()  # again: nothing happens
        self.assertEqual(repr(world), "<talus.World: closed>")


class Copies(unittest.TestCase):
    def test_copies_and_loaded_worlds_go_on_with_the_same_bits(self):
        world = pile()
        run(world, 100)
        others = [
            world.clone(),
            copy.copy(world),
            copy.deepcopy(world),
            pickle.loads(pickle.dumps(world)),
            talus.World.load(world.save()),
        ]
        assigned = talus.World()
        assigned.assign(world)
        others.append(assigned)
        run(world, 100)
        for other in others:
            run(other, 100)
            self.assertEqual(other.hash(), world.hash())
        self.assertEqual(others[0].body(world.bodies()[3].id).position, world.bodies()[3].position)

    def test_a_copy_is_independent(self):
        world = pile()
        other = world.clone()
        before = other.hash()
        run(world, 10)
        self.assertEqual(other.hash(), before)
        other.assign(other)
        self.assertEqual(other.hash(), before)
        body = copy.deepcopy({"world": world, "body": world.bodies()[1]})
        self.assertIs(body["body"].world, body["world"])

    def test_changes_lead_from_earlier_bytes_to_later_ones(self):
        world = pile()
        before = world.save()
        run(world, 5)
        changes = world.save_changes(before)
        self.assertLess(len(changes), len(world.save()))
        self.assertEqual(talus.World.apply_changes(before, changes), world.save())

    def test_damaged_bytes_are_refused(self):
        data = bytearray(pile().save())
        data[len(data) // 2] ^= 1
        with self.assertRaises(talus.Error) as caught:
            talus.World.load(bytes(data))
        self.assertEqual(caught.exception.code, "bad_data")
        for wrong in (b"", b"x", data[:100]):
            with self.assertRaises(talus.Error):
                talus.World.load(wrong)
            with self.assertRaises(talus.Error):
                talus.World.apply_changes(wrong, wrong)
        with self.assertRaisesRegex(TypeError, "data must be bytes, not str"):
            talus.World.load("bytes")

    def test_hulls_and_meshes_with_names_are_not_saved(self):
        corners = [(math.sin(7 * i), math.sin(11 * i), math.sin(13 * i)) for i in range(60)]
        stone = talus.hull(corners)
        ground = talus.height_field([[0.1 * ((i * j) % 3) for i in range(40)] for j in range(40)])
        world = talus.World()
        world.add_body(shape=stone, position=(0, 5, 0))
        world.add_body(type="fixed", mesh=ground)
        assets = talus.Assets()
        assets.add("stone", stone)
        assets.add("ground", ground)
        data = world.save(assets)
        self.assertLess(len(data), len(world.save()) / 2)
        loaded = talus.World.load(data, assets)
        run(world, 60)
        run(loaded, 60)
        self.assertEqual(loaded.hash(), world.hash())
        with self.assertRaisesRegex(talus.Error, "stone|ground"):
            talus.World.load(data)
        for name, asset in (("", stone), ("stone", stone), ("a\0b", stone)):
            with self.assertRaises(talus.Error):
                assets.add(name, asset)
        with self.assertRaises(TypeError):
            assets.add("ball", talus.sphere(1))


class Clock(unittest.TestCase):
    def test_frames_become_steps(self):
        clock = talus.FixedStep(0.01, max_steps=5)
        self.assertEqual([clock.advance(0.025), clock.advance(0.025)], [2, 3])
        self.assertEqual(clock.advance(0.005), 0)
        self.assertAlmostEqual(clock.alpha, 0.5, places=3)
        self.assertAlmostEqual(clock.dt, 0.01)
        self.assertEqual(clock.advance(1), 5)
        self.assertAlmostEqual(clock.dropped_seconds, 0.95, delta=0.02)
        self.assertEqual(clock.advance(math.nan), 0)
        for dt, steps in ((0, 5), (-1, 5), (math.inf, 5), (0.01, 0)):
            with self.assertRaises(talus.Error):
                talus.FixedStep(dt, steps)


class Vectors(unittest.TestCase):
    def test_vectors_and_rotations(self):
        v = talus.Vec3(1, 2, 3)
        self.assertEqual(v + (1, 1, 1), (2, 3, 4))
        self.assertEqual(v - (1, 1, 1), (0, 1, 2))
        self.assertEqual(2 * v, v * 2)
        self.assertEqual(-v, (-1, -2, -3))
        self.assertEqual(v.dot((1, 0, 1)), 4)
        self.assertEqual(v.cross((0, 0, 1)), (2, -1, 0))
        self.assertEqual(talus.Vec3(3, 4, 0).length, 5)
        quarter = talus.Quat.about((0, 0, 2), math.pi / 2)
        for a, b in zip(quarter.rotate((1, 0, 0)), (0, 1, 0)):
            self.assertAlmostEqual(a, b)
        for a, b in zip((quarter * quarter).rotate((1, 2, 3)), (-1, -2, 3)):
            self.assertAlmostEqual(a, b)
        for a, b in zip((quarter * quarter.inverse), talus.Quat()):
            self.assertAlmostEqual(a, b)
