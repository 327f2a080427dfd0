"""Results of a step, arrays of many bodies, the contact modifier, drawing."""

import unittest

import numpy as np
import talus
from support import DT, floor, pile, run


class Arrays(unittest.TestCase):
    def test_poses_and_velocities_are_those_of_the_bodies(self):
        world = pile()
        run(world, 50)
        ids = world.body_ids()
        poses, velocities = world.poses(ids), world.velocities(world.bodies())
        self.assertEqual((poses.shape, velocities.shape, poses.dtype), ((21, 7), (21, 6), np.float32))
        for body, pose, velocity in zip(world.bodies(), poses, velocities):
            np.testing.assert_array_equal(pose, np.float32([*body.position, *body.rotation]))
            np.testing.assert_array_equal(velocity, np.float32([*body.linear_velocity, *body.angular_velocity]))
        relative = world.poses(ids, origin=(10, 0, 0))
        np.testing.assert_allclose(relative[:, 0], poses[:, 0] - 10, atol=1e-5)

    def test_an_array_is_used_again(self):
        world = pile()
        ids = world.body_ids()
        poses, velocities = world.poses(ids), world.velocities(ids)
        run(world, 1)
        self.assertIs(world.poses(ids, out=poses), poses)
        self.assertIs(world.velocities(ids, out=velocities), velocities)
        np.testing.assert_array_equal(poses, world.poses(ids))
        for out in (np.zeros((21, 6), np.float32), np.zeros((21, 7)), np.zeros((7, 21), np.float32).T, [1]):
            with self.assertRaises(TypeError):
                world.poses(ids, out=out)
        self.assertEqual(world.poses([]).shape, (0, 7))

    def test_large_worlds_keep_their_precision_relative_to_an_origin(self):
        world = talus.World(gravity=(0, 0, 0))
        body = world.add_body(shape=talus.sphere(1), position=(1e7 + 0.25, 0, 0))
        self.assertEqual(body.position.x, 1e7 + 0.25)
        self.assertEqual(world.poses([body], origin=(1e7, 0, 0))[0, 0], 0.25)

    def test_moved_bodies_without_a_copy(self):
        world = pile()
        run(world, 1)
        moved = world.moved()
        self.assertEqual(len(moved.bodies), 21)  # the floor was added
        run(world, 1)
        again = world.moved(origin=(0, 1, 0))
        self.assertEqual(len(again.bodies), 20)
        self.assertIs(again.poses.base, moved.poses.base)
        np.testing.assert_array_equal(again.poses, world.poses(again.bodies, origin=(0, 1, 0)))
        full = world.moved_bodies()
        np.testing.assert_array_equal(full["body"], again.bodies)
        np.testing.assert_array_equal(full["pose"]["position"][0], world.body(full[0].body).position)
        self.assertFalse(full["placed"].any())
        many = talus.World()
        many.add_copies(np.random.default_rng(1).uniform(-500, 500, (3000, 3)), shape=talus.sphere(0.1))
        many.step()
        self.assertEqual(len(many.moved().bodies), 3000)


class Events(unittest.TestCase):
    def test_a_landing_is_reported(self):
        world = talus.World()
        ground = floor(world)
        ball = world.add_body(shape=talus.sphere(0.5), position=(0, 2, 0), hit_events=True)
        begun = hits = None
        for _ in range(120):
            world.step(DT)
            if len(world.contacts_begun()) and begun is None:
                begun, hits = world.contacts_begun()[0], world.contacts_hit()[0]
        self.assertEqual({begun.body_a, begun.body_b}, {ground.id, ball.id})
        self.assertFalse(begun.sensor)
        self.assertAlmostEqual(hits.approach_speed, (2 * 9.81 * 1.5) ** 0.5, delta=0.2)
        self.assertAlmostEqual(abs(hits.normal[1]), 1, places=3)
        contact = ball.contacts()[0]
        self.assertEqual((contact.point_count, len(world.contacts()), len(world.contacts(ground))), (1, 1, 1))
        weight = ball.mass * 9.81 * DT
        self.assertAlmostEqual(contact.points[0].normal_impulse / weight, 1, delta=0.02)
        self.assertEqual(world.contacts()["points"]["position"].shape, (1, 4, 3))
        self.assertEqual(len(world.pairs()), 1)
        self.assertLess(world.pairs()[0].rung, len(talus.rung_names))
        ball.position = (0, 9, 0)
        world.step(DT)
        self.assertEqual(len(world.contacts_ended()), 1)

    def test_a_sensor_reports_and_pushes_nothing(self):
        world = talus.World()
        gate = world.add_body(type="fixed", shape=talus.box((1, 0.1, 1)), sensor=True)
        world.add_body(shape=talus.sphere(0.1), position=(0, 1, 0))
        seen = []
        for _ in range(60):
            world.step(DT)
            seen += [event.sensor for event in world.contacts_begun()]
        self.assertEqual(seen, [True])
        self.assertEqual(len(world.contacts(gate)), 0)

    def test_islands(self):
        world = talus.World()
        floor(world)
        box = talus.box((0.5, 0.5, 0.5))
        lower, upper = (world.add_body(shape=box, position=(0, 0.5 + i, 0)) for i in range(2))
        alone = world.add_body(shape=box, position=(9, 0.5, 0))
        run(world, 3)
        self.assertEqual(lower.island, upper.island)
        self.assertNotEqual(lower.island, alone.island)


class Cost(unittest.TestCase):
    def test_the_profile_is_a_record_and_many_make_a_table(self):
        world = pile()
        profiles = []
        for _ in range(60):
            world.step(DT)
            profiles.append(world.profile())
        table = np.array(profiles)
        self.assertEqual(table["frame"].tolist(), list(range(1, 61)))
        self.assertTrue((table["total"] > 0).all())
        self.assertEqual(table["rungs"]["pairs"].shape, (60, len(talus.rung_names)))
        self.assertGreater(table["rungs"]["pairs"].sum(), 0)
        self.assertEqual(profiles[-1].bodies, 21)
        self.assertEqual(talus.rung_names[0], "skip")
        self.assertGreater(profiles[-1].slowest.microseconds + profiles[-1].kinetic_energy, 0)

    def test_memory(self):
        memory = pile().memory()
        self.assertEqual(memory["total"], sum(memory.values()) - memory["total"])
        self.assertGreater(memory["bodies"], 0)


class Modifier(unittest.TestCase):
    def world(self):
        world = talus.World()
        self.ground = floor(world)
        box = talus.box((0.5, 0.5, 0.5))
        self.ghost = world.add_body(shape=box, position=(0, 0.6, 0), modify_contacts=True, user_data=1)
        self.solid = world.add_body(shape=box, position=(3, 0.6, 0), modify_contacts=True, user_data=2)
        return world

    def test_a_modifier_lets_one_body_through(self):
        world = self.world()
        seen = []

        def modify(contact):
            seen.append((contact.body_a.position, contact.velocity, contact.normal, contact.touching))
            self.assertEqual((contact.shape_a, contact.shape_b), (0, 0))
            self.assertEqual(len(contact.points), 4)
            self.assertLess(contact.points[0].separation, 0.2)
            self.assertTrue(contact.points[0].enabled and contact.enabled)
            self.assertLess(abs(contact.points[0].position.y), 2)
            contact.friction = contact.friction / 2
            contact.restitution = 0
            contact.points[3].enabled = True
            if 1 in (contact.user_data_a, contact.user_data_b):
                contact.enabled = False

        world.set_contact_modifier(modify)
        run(world, 60)
        self.assertLess(self.ghost.position.y, -1)
        self.assertAlmostEqual(self.solid.position.y, 0.5, delta=0.01)
        self.assertGreater(len(seen), 10)
        other, count = world.clone(), len(seen)
        world.set_contact_modifier(None)
        run(world, 3)
        self.assertEqual(len(seen), count)
        other.bodies()[2].awake = True
        run(other, 3)
        self.assertGreater(len(seen), count)

    def test_the_copy_that_a_modifier_sees_is_of_the_world_that_steps(self):
        world = self.world()
        worlds = set()
        world.set_contact_modifier(lambda contact: worlds.add(contact.body_a.world))
        other = world.clone()
        run(other, 10)
        self.assertEqual(worlds, {other})
        run(world, 10)
        self.assertEqual(worlds, {other, world})

    def test_what_a_modifier_raises_the_step_raises(self):
        world = self.world()

        def fail(contact):
            raise KeyError("mine")

        world.set_contact_modifier(fail)
        with self.assertRaisesRegex(KeyError, "mine"):
            run(world, 60)
        world.set_contact_modifier(None)
        run(world, 60)

    def test_a_modifier_cannot_change_or_close_the_world_and_may_keep_its_contact(self):
        world, kept, refused = self.world(), [], []

        def modify(contact):
            kept.append(contact)
            for call in (
                world.step,
                world.close,
                world.clone,
                world.save,
                world.add_body,
                lambda: world.assign(talus.World()),
                lambda: self.ghost.apply_impulse((1, 0, 0)),
                lambda: setattr(world, "gravity", (0, 0, 0)),
                lambda: world.set_contact_modifier(None),
                lambda: setattr(contact, "friction", "none"),
            ):
                try:
                    call()
                except (talus.Error, TypeError) as error:
                    refused.append(str(error))
            world.ray_cast((0, 5, 0), (0, -10, 0))
            world.ray_casts([(0, 5, 0)], (0, -10, 0))
            run(talus.World(), 1)

        world.set_contact_modifier(modify)
        run(world, 20)
        self.assertGreater(len(kept), 4)
        self.assertEqual(len(refused), 10 * len(kept))
        self.assertEqual(kept[0].body_a.world, world)
        kept[0].enabled = False  # too late, and harmless
        world.close()
        with self.assertRaises(talus.Error):
            kept[0].body_a.position


class Drawing(unittest.TestCase):
    def test_a_drawing_is_arrays(self):
        world = pile()
        run(world, 100)
        figures = ("outlines", "contact_points", "centers_of_mass", "feature_ids", "manifold_areas")
        drawing = world.draw(**{name: True for name in figures})
        self.assertGreater(len(drawing.lines), 100)
        self.assertEqual(drawing.lines.shape[1:], (2, 3))
        self.assertEqual(drawing.line_colors.shape, (len(drawing.lines), 4))
        self.assertGreater(len(drawing.points), 20)
        self.assertEqual(len(drawing.point_sizes), len(drawing.points))
        self.assertEqual(drawing.triangle_colors.shape, (len(drawing.triangles), 4))
        self.assertIsInstance(drawing.texts[0][0], str)
        self.assertEqual(len(world.draw().lines), 0)
        near = world.draw(outlines=True, outline_color="island", region=((-1, -3, -1), (1, 1, 1)))
        self.assertLess(len(near.lines), len(drawing.lines))
        with self.assertRaises(talus.Error):
            world.draw(outline_color="pink")
        with self.assertRaises(TypeError):
            world.draw(outline=True)
