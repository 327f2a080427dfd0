"""Bodies: their properties, forces, shapes, and definitions."""

import math
import unittest

import numpy as np
import talus
from support import DT, floor, run
from talus import _c, definitions
from talus._library import lib


class Properties(unittest.TestCase):
    def setUp(self):
        self.world = talus.World(gravity=(0, 0, 0))
        self.body = self.world.add_body(shape=talus.sphere(1), position=(1, 2, 3), user_data=7, density=3)

    def test_what_is_set_is_read(self):
        body = self.body
        quarter = talus.Quat.about((0, 1, 0), math.pi / 2)
        for name, value in (
            ("position", (4, 5, 6)),
            ("rotation", quarter),
            ("linear_velocity", (1, 0, 0)),
            ("angular_velocity", (0, 2, 0)),
            ("gravity_scale", 0.5),
            ("locks", talus.Lock.TO_PLANE_XY),
            ("mass", 5),
            ("user_data", 2**64 - 1),
            ("awake", False),
            ("type", "kinematic"),
            ("continuous", "all"),
        ):
            setattr(body, name, value)
            got = getattr(body, name)
            if name == "rotation":
                np.testing.assert_allclose(got, value, atol=1e-6)
            else:
                self.assertEqual(got, value, name)
        body.set_damping(1, 2)
        self.assertEqual((body.linear_damping, body.angular_damping), (1, 2))
        body.set_speed_limits(3, 4)
        self.assertEqual((body.max_speed, body.max_spin), (3, 4))
        body.set_speed_limits()
        self.assertEqual((body.max_speed, body.max_spin), (math.inf, math.inf))
        body.set_transform((0, 0, 0), (0, 0, 0, 1))
        self.assertEqual(body.transform, ((0, 0, 0), (0, 0, 0, 1)))

    def test_what_follows_from_the_shapes(self):
        body, volume = self.body, 4 / 3 * math.pi
        self.assertAlmostEqual(body.mass, 3 * volume, places=4)
        np.testing.assert_allclose(body.inertia, np.eye(3) * 0.4 * 3 * volume, rtol=1e-5)
        self.assertEqual(body.center_of_mass, (1, 2, 3))
        np.testing.assert_allclose(body.bounds, [(0, 1, 2), (2, 3, 4)], atol=1e-5)
        self.assertEqual((body.shape_count, body.type, body.awake, body.user_data), (1, "dynamic", True, 7))
        self.assertIsNone(body.island)

    def test_handles_are_compared_and_hashed(self):
        again = self.world.body(self.body.id)
        self.assertEqual(again, self.body)
        self.assertEqual({again: 1}[self.body], 1)
        self.assertNotEqual(self.world.clone().body(self.body.id), self.body)
        self.assertIs(again.world, self.world)
        self.assertEqual(self.world.bodies(), [self.body])
        self.assertEqual(self.world.body_ids().tolist(), [self.body.id])
        self.assertEqual((self.world.body_count, self.world.awake_body_count), (1, 1))

    def test_a_stale_handle_is_refused_by_everything(self):
        body, world = self.body, self.world
        other = world.add_body(shape=talus.sphere(1))
        body.remove()
        self.assertFalse(body.is_valid)
        foreign = talus.World().add_body(shape=talus.sphere(1))
        properties = [name for name, value in vars(talus.Body).items() if isinstance(value, property)]
        for stale in (body, world.body(0), world.body(2**64 - 1), world.body(foreign.id)):
            for name in properties:
                if name in ("world", "id", "is_valid"):
                    continue
                with self.assertRaises(talus.Error, msg=name) as caught:
                    getattr(stale, name)
                self.assertEqual(caught.exception.code, "stale_handle", name)
            for call in (
                stale.remove,
                stale.describe,
                stale.contacts,
                stale.joints,
                lambda: stale.apply_force((1, 0, 0)),
                lambda: stale.apply_force((1, 0, 0), at=(0, 0, 0)),
                lambda: stale.apply_impulse((1, 0, 0)),
                lambda: stale.apply_impulse((1, 0, 0), at=(0, 0, 0)),
                lambda: stale.apply_torque((1, 0, 0)),
                lambda: stale.apply_angular_impulse((1, 0, 0)),
                lambda: stale.set_material(talus.Material()),
                lambda: setattr(stale, "shapes", [talus.sphere(1)]),
                lambda: setattr(stale, "position", (0, 0, 0)),
                lambda: world.poses([stale]),
                lambda: world.velocities([stale]),
                lambda: world.add_hinge(stale, other, anchor=(0, 0, 0)),
                lambda: world.joint_frames(stale, other, (0, 0, 0)),
            ):
                with self.assertRaises(talus.Error) as caught:
                    call()
                self.assertEqual(caught.exception.code, "stale_handle")
        run(world, 1)


class Forces(unittest.TestCase):
    def test_impulses_forces_and_torques_follow_newton(self):
        world = talus.World(gravity=(0, 0, 0))
        body = world.add_body(shape=talus.box((0.5, 0.5, 0.5)))  # 1000 kg, 1000 / 6 kg m^2
        body.apply_impulse((2000, 0, 0))
        self.assertAlmostEqual(body.linear_velocity.x, 2, places=5)
        body.apply_impulse((0, 100, 0), at=(0.5, 0, 0))
        self.assertAlmostEqual(body.angular_velocity.z, 50 / (1000 / 6), places=5)
        body.apply_angular_impulse((1000 / 6, 0, 0))
        self.assertAlmostEqual(body.angular_velocity.x, 1, places=5)
        body.linear_velocity = body.angular_velocity = (0, 0, 0)
        body.apply_force((6000, 0, 0))
        body.apply_force((0, 600, 0), at=(0.5, 0, 0))
        body.apply_torque((0, 0, -300))
        self.assertEqual(body.force, (6000, 600, 0))
        self.assertAlmostEqual(body.torque.z, 0, places=3)
        world.step(DT)
        self.assertAlmostEqual(body.linear_velocity.x, 0.1, places=5)
        self.assertEqual(body.force, (0, 0, 0))

    def test_forces_on_a_fixed_body_are_refused(self):
        world = talus.World()
        with self.assertRaisesRegex(talus.Error, "dynamic"):
            floor(world).apply_force((1, 0, 0))

    def test_a_kinematic_body_reaches_its_target(self):
        world = talus.World()
        lift = world.add_body(type="kinematic", shape=talus.box((1, 0.1, 1)))
        lift.set_kinematic_target((0, 0.1, 0))
        world.step(DT)
        self.assertAlmostEqual(lift.position.y, 0.1, places=5)


class Definitions(unittest.TestCase):
    def test_the_defaults_that_python_writes_are_those_of_the_engine(self):
        self.assertEqual(definitions.material_from(lib.talus_material()), talus.Material(friction=np.float32(0.6)))
        f = lib.talus_filter()
        self.assertEqual(talus.Filter(f.category, f.mask, f.group), talus.Filter())
        world = talus.World(gravity=(0, 0, 0))
        a, b = (world.add_body(shape=talus.sphere(1), position=(3 * i, 0, 0)) for i in range(2))
        for kind, number in _c.ENUMS["TalusJointKind"].items():
            kind = kind.removeprefix("TALUS_").removesuffix("_JOINT").lower()
            if kind == "gear":
                continue
            plain = lib.talus_joint_def(number)
            plain.frames = world._frames(a, b, (1, 0, 0), (1, 0, 0))
            joint = world.add_joint(kind, a, b, anchor=(1, 0, 0), **getattr(self, "extra", {}))
            by_method = getattr(world, f"add_{kind}")(a, b, anchor=(1, 0, 0))
            by_c = world.joint(lib.talus_world_add_joint(world._write, _c_pointer(plain)))
            self.assertEqual(joint.describe(), by_c.describe(), kind)
            self.assertEqual(by_method.describe(), by_c.describe(), kind)

    def test_every_field_of_the_definition_can_be_given_and_is_described(self):
        world = talus.World()
        fields = dict(
            type="dynamic",
            position=(1, 2, 3),
            rotation=(0, 0, 0, 1),
            linear_velocity=(1, 0, 0),
            angular_velocity=(0, 1, 0),
            linear_damping=0.5,
            angular_damping=0.25,
            max_speed=10,
            max_spin=20,
            gravity_scale=2,
            locks=talus.Lock.X | talus.Lock.TURN_Y,
            allow_sleep=False,
            continuous="off",
            user_data=9,
        )
        fields["locks"] = talus.Lock.Z
        fields["mass_properties"] = talus.MassProperties(5, (0, 0, 0), np.eye(3))
        part = talus.part(
            talus.sphere(0.5),
            position=(0, 1, 0),
            density=10,
            friction=0.25,
            restitution=0.5,
            rolling_resistance=0.125,
            grip_axis=(1, 0, 0),
            grip_across=0.5,
            surface_velocity=(0, 0, 1),
            filter=talus.Filter(2, 3, -1),
            hit_events=True,
            modify_contacts=True,
        )
        body = world.add_body(shapes=[part, talus.part(talus.box((1, 1, 1)), sensor=True)], **fields)
        described = body.describe()
        for name, value in fields.items():
            if name == "mass_properties":
                self.assertEqual(described[name].mass, 5)
            else:
                self.assertEqual(described[name], value, name)
        first, second = described["shapes"]
        self.assertEqual((first.shape.type, second.shape.type), ("sphere", "box"))
        self.assertEqual((first.position, first.density), ((0, 1, 0), 10))
        self.assertTrue(first.hit_events and first.modify_contacts)
        self.assertEqual(first.rotation, talus.Quat())
        self.assertEqual(first.material, talus.Material(0.25, 0.5, 0.125, (1, 0, 0), 0.5, (0, 0, 1)))
        self.assertEqual(first.filter, talus.Filter(2, 3, -1))
        self.assertEqual((first.sensor, second.sensor, first.mesh), (False, True, None))
        again = world.add_body(**described).describe()
        self.assertEqual(again["position"], described["position"])
        self.assertEqual(again["shapes"][0].material, first.material)

    def test_hulls_and_meshes_of_a_described_body_outlive_it(self):
        world = talus.World()
        hull = talus.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
        body = world.add_body(shape=hull)
        field = world.add_body(type="fixed", mesh=talus.height_field(np.zeros((4, 4))))
        shape, mesh = body.shapes[0].shape, field.shapes[0].mesh
        world.close()
        del hull, world, body, field
        self.assertEqual(shape.points.shape, (4, 3))
        self.assertEqual(len(mesh), 18)
        other = talus.World()
        other.add_body(shape=shape)
        other.add_body(type="fixed", mesh=mesh)
        run(other, 10)

    def test_a_material_at_once_and_single_fields_of_it(self):
        world = talus.World()
        ice = talus.Material(friction=0.02, restitution=0.5)
        body = world.add_body(shape=talus.sphere(1), material=ice, restitution=0.25)
        material = body.shapes[0].material
        self.assertAlmostEqual(material.friction, 0.02)
        self.assertEqual(material.restitution, 0.25)

    def test_shapes_materials_and_filters_can_be_replaced(self):
        world = talus.World()
        body = world.add_body(shape=talus.box((1, 1, 1)))
        body.shapes = [talus.sphere(1), talus.part(talus.sphere(1), position=(3, 0, 0))]
        self.assertEqual(body.shape_count, 2)
        np.testing.assert_allclose(body.center_of_mass, (1.5, 0, 0), atol=1e-6)
        body.set_shape(1, talus.box((0.5, 0.5, 0.5)))
        body.set_material(talus.Material(friction=0.5), shape=1)
        body.set_filter(talus.Filter(mask=0), shape=1)
        part = body.shapes[1]
        self.assertEqual((part.shape.type, part.material.friction, part.filter.mask), ("box", 0.5, 0))
        body.set_mass_properties(talus.MassProperties(2, (0, 1, 0), np.diag([1, 2, 3])))
        self.assertEqual(body.mass, 2)
        np.testing.assert_allclose(body.inertia, np.diag([1, 2, 3]), atol=1e-5)
        for call in (lambda: body.set_shape(2, talus.sphere(1)), lambda: body.set_material(talus.Material(), -1)):
            with self.assertRaises(talus.Error):
                call()

    def test_bodies_are_added_all_or_none(self):
        world = talus.World()
        ball = dict(shape=talus.sphere(0.5), position=(0, 1, 0))
        bodies = world.add_bodies([ball, {**ball, "position": (2, 1, 0)}])
        self.assertEqual([b.position.x for b in bodies], [0, 2])
        with self.assertRaisesRegex(talus.Error, "density"):
            world.add_bodies([ball, {**ball, "density": -1}])
        self.assertEqual(world.body_count, 2)
        self.assertEqual(world.add_bodies([]), [])
        with self.assertRaises(TypeError):
            world.add_bodies(ball)

    def test_copies_at_many_places(self):
        world = talus.World()
        places = np.arange(30).reshape(10, 3) * 2.5
        turns = np.tile((0, 1, 0, 0), (10, 1))
        ids = world.add_copies(places, turns, shape=talus.sphere(1), linear_velocity=(1, 0, 0), user_data=4)
        poses = world.poses(ids)
        np.testing.assert_array_equal(poses[:, :3], places)
        np.testing.assert_array_equal(poses[:, 3:], turns)
        self.assertEqual(world.body(ids[3]).user_data, 4)
        self.assertEqual(len(world.add_copies(np.zeros((0, 3)), shape=talus.sphere(1))), 0)
        with self.assertRaises(talus.Error):
            world.add_copies([(0, 0, math.nan)], shape=talus.sphere(1))
        self.assertEqual(world.body_count, 10)


def _c_pointer(structure):
    import ctypes

    return ctypes.byref(structure)
