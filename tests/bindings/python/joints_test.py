"""All kinds of joints, and what is known of some of them."""

import math
import unittest

import talus
from support import DT, floor, run


def pair(gravity=(0, 0, 0), **fields):
    """Returns a world with a fixed and a dynamic box of 1 m, 2 m apart."""
    world = talus.World(gravity=gravity)
    box = talus.box((0.5, 0.5, 0.5))
    a = world.add_body(type="fixed", shape=box)
    b = world.add_body(shape=box, position=(2, 0, 0), allow_sleep=False, **fields)
    return world, a, b


class Kinds(unittest.TestCase):
    def test_a_pendulum_has_its_closed_form_period(self):
        world = talus.World(gravity=(0, -9.81, 0))
        ceiling = world.add_body(type="fixed", shape=talus.box((0.1, 0.1, 0.1)))
        start = (2 * math.sin(0.1), -2 * math.cos(0.1), 0)
        bob = world.add_body(shape=talus.sphere(0.01), position=start, allow_sleep=False)
        world.add_ball(ceiling, bob, anchor=(0, 0, 0))
        times, before = [], bob.position.x
        for i in range(1200):
            world.step(DT)
            now = bob.position.x
            if before < 0 <= now:
                times.append((i + now / (now - before)) * DT)
            before = now
        period = (times[-1] - times[0]) / (len(times) - 1)
        self.assertAlmostEqual(period / (2 * math.pi * math.sqrt(2 / 9.81)), 1, delta=0.003)

    def test_a_hinge_turns_by_its_motor_up_to_its_limit(self):
        world, a, b = pair()
        hinge = world.add_hinge(a, b, anchor=(1, 0, 0), axis=(0, 1, 0), limit=(-0.5, 1), motor=(2, 1e6))
        run(world, 15)
        self.assertAlmostEqual(hinge.speed(), 2, delta=0.01)
        self.assertAlmostEqual(hinge.coordinate(), 0.5, delta=0.03)
        run(world, 60)
        self.assertAlmostEqual(hinge.coordinate(), 1, delta=0.01)
        self.assertEqual(hinge.limit(), (-0.5, 1))
        self.assertEqual(hinge.motor(), (2, 1e6))
        hinge.set_motor((-2, 1e6))
        run(world, 90)
        self.assertAlmostEqual(hinge.coordinate(), -0.5, delta=0.01)
        hinge.set_motor(None)
        hinge.set_limit(None)
        hinge.set_spring(talus.Spring(2, 1, target=0.25))
        run(world, 240)
        self.assertAlmostEqual(hinge.coordinate(), 0.25, delta=0.01)
        self.assertGreater(hinge.stiffness(), 0)
        self.assertEqual(hinge.spring(), (2, 1, 0.25, math.inf))
        self.assertEqual(hinge.limit(), (-math.inf, math.inf))

    def test_a_slider_bears_a_weight(self):
        world, a, b = pair(gravity=(0, -10, 0))
        slider = world.add_slider(a, b, anchor=(2, 0, 0), axis=(0, 1, 0), limit=(0, 1))
        run(world, 30)
        self.assertAlmostEqual(slider.coordinate(), 0, delta=1e-3)
        self.assertAlmostEqual(slider.force.y, 10000, delta=20)
        slider.set_motor((1, 1e6))
        run(world, 30)
        self.assertAlmostEqual(b.position.y, 0.5, delta=0.02)
        self.assertAlmostEqual(slider.motor_force(), 10000, delta=20)
        run(world, 90)
        self.assertAlmostEqual(b.position.y, 1, delta=1e-2)

    def test_a_weld_breaks_under_load_and_says_so(self):
        world, a, b = pair(gravity=(0, -10, 0))
        weld = world.add_fixed(a, b, anchor=(1, 0, 0), break_force=20000, user_data=5)
        run(world, 10)
        self.assertAlmostEqual(weld.force.y, 10000, delta=20)
        self.assertAlmostEqual(weld.torque.z, 10000, delta=50)
        self.assertAlmostEqual(b.position.y, 0, delta=1e-3)
        weld.set_break(force=5000)
        run(world, 1)
        event = world.joints_broken()[0]
        self.assertEqual((event.joint, event.user_data, event.overloaded), (weld.id, 5, True))
        self.assertFalse(weld.is_valid)
        with self.assertRaises(talus.Error):
            weld.coordinate()

    def test_a_rope_a_rod_and_a_coil_spring(self):
        for length, reach in (((0, 3), 3), (2, 2), (None, 2)):
            world, a, b = pair(gravity=(0, -10, 0))
            joint = world.add_distance(a, b, anchor_a=(0, 0, 0), anchor_b=(2, 0, 0), length=length)
            run(world, 300)
            self.assertLess(b.position.length, reach + 0.01)
            self.assertAlmostEqual(joint.coordinate(), b.position.length, places=4)
        world, a, b = pair()
        coil = dict(length=(0, math.inf), spring=talus.Spring(2), rest_length=3)
        world.add_distance(a, b, anchor_a=(0, 0, 0), anchor_b=(2, 0, 0), **coil)
        run(world, 240)
        self.assertAlmostEqual(b.position.x, 3, delta=0.01)

    def test_a_six_dof_joint_frees_what_it_is_told(self):
        world, a, b = pair(gravity=(0, -10, 0), linear_velocity=(0, 0, 1))
        joint = world.add_six_dof(a, b, anchor=(2, 0, 0), move_z=talus.Axis(limit=(-1, 1)))
        run(world, 120)
        self.assertAlmostEqual(joint.coordinate("move_z"), 1, delta=0.01)
        self.assertAlmostEqual(b.position.y, 0, delta=1e-3)
        self.assertEqual(joint.limit("move_z"), (-1, 1))

    def test_a_wheel_bears_its_chassis_and_drives(self):
        world = talus.World()
        floor(world)
        chassis = world.add_body(shape=talus.box((0.7, 0.25, 2)), position=(0, 0.65, 0), density=400)
        wheels = []
        for x in (-0.8, 0.8):
            for z in (-1.3, 1.3):
                along_x = talus.Quat.about((0, 0, 1), math.pi / 2)
                shape = talus.cylinder(0.1, 0.35)
                wheel = world.add_body(shape=shape, position=(x, 0.35, z), rotation=along_x, density=500, friction=1.5)
                wheels.append(
                    world.add_wheel(
                        chassis, wheel, anchor=(x, 0.35, z), axis=(1, 0, 0), travel=(-0.15, 0.15), suspension=(3, 0.7)
                    )
                )
        run(world, 60)
        for wheel in wheels:
            wheel.set_motor((10, 500))
        run(world, 120)
        self.assertGreater(chassis.linear_velocity.z, 1)
        self.assertGreater(chassis.position.y, 0.4)
        self.assertAlmostEqual(wheels[0].coordinate("turn_y"), 0, delta=0.05)

    def test_gears_turn_with_their_ratio(self):
        world, a, b = pair()
        c = world.add_body(shape=talus.box((0.5, 0.5, 0.5)), position=(-2, 0, 0), allow_sleep=False)
        first = world.add_hinge(a, b, anchor=(2, 0, 0), motor=(1, 1e5))
        second = world.add_hinge(a, c, anchor=(-2, 0, 0))
        gear = world.add_gear(first, second, ratio=-2)
        run(world, 60)
        self.assertAlmostEqual(second.coordinate() / first.coordinate(), -2, delta=0.01)
        self.assertEqual(gear.describe()["joint_a"], first)
        self.assertAlmostEqual(gear.coordinate(), second.coordinate(), places=5)
        first.remove()
        self.assertFalse(gear.is_valid)

    def test_a_motor_joint_and_a_ball_joint_drive(self):
        world, a, b = pair()
        drive = talus.Drive(target=talus.Frame((1, 2, 3)), linear_hertz=2, max_force=1e6)
        joint = world.add_motor(a, b, anchor=(2, 0, 0), drive=drive)
        run(world, 240)
        for x, y in zip(b.position - (2, 0, 0), (1, 2, 3)):
            self.assertAlmostEqual(x, y, delta=0.02)
        self.assertEqual(joint.drive.target.position, (1, 2, 3))
        joint.drive = talus.Drive(velocity=(1, 0, 0), max_force=1e6)
        run(world, 30)
        self.assertAlmostEqual(b.linear_velocity.x, 1, delta=0.01)
        ball = world.add_ball(a, b, anchor=(0, 0, 0), cone=0.5, twist=(-1, 1))
        self.assertEqual((ball.cone, ball.limit()), (0.5, (-1, 1)))
        ball.cone = 0.25
        self.assertEqual(ball.cone, 0.25)


class Handles(unittest.TestCase):
    def test_what_is_described_adds_an_equal_joint(self):
        world, a, b = pair()
        hinge = world.add_hinge(
            a, b, anchor=(1, 0, 0), axis=(0, 1, 0), limit=(-1, 1), motor=(1, 2), spring=(3, 0.5),
            collide_connected=True, break_force=100, break_torque=50, user_data=8,
        )  # fmt: skip
        slider = world.add_slider(a, b, anchor=(1, 0, 0))
        joints = [
            hinge,
            slider,
            world.add_ball(a, b, anchor=(1, 0, 0), cone=1),
            world.add_fixed(a, b, anchor=(1, 0, 0), linear_hertz=2),
            world.add_distance(a, b, anchor_a=(0, 0, 0), anchor_b=(2, 0, 0), length=(1, 2), spring=(1,), rest_length=2),
            world.add_six_dof(a, b, anchor=(1, 0, 0), turn_x=talus.Axis(None, (1, 2), (3,))),
            world.add_wheel(a, b, anchor=(1, 0, 0), steering=(-0.5, 0.5), steering_servo=(5, 1, 0.25)),
            world.add_gear(hinge, slider, ratio=3),
            world.add_motor(a, b, anchor=(1, 0, 0), drive=talus.Drive(max_torque=5)),
        ]
        kinds = ["hinge", "slider", "ball", "fixed", "distance", "six_dof", "wheel", "gear", "motor"]
        self.assertEqual([joint.kind for joint in joints], kinds)
        for joint in joints:
            self.assertEqual(world.add_joint(**joint.describe()).describe(), joint.describe(), joint.kind)
        self.assertEqual(world.joint_count, 18)
        self.assertEqual(world.joints()[:9], joints)
        self.assertLess(set(a.joints()), set(b.joints()))  # a gear belongs to a body of each of its joints
        self.assertEqual((hinge.body_a, hinge.body_b, hinge.user_data), (a, b, 8))
        for got, expected in zip(hinge.frames, world.joint_frames(a, b, (1, 0, 0), (0, 1, 0))):
            self.assertEqual(got.position, expected.position)
            self.assertAlmostEqual(got.rotation.z, expected.rotation.z, places=6)
        self.assertEqual(world.joint(hinge.id), hinge)
        hinge.set_collide_connected(False)
        self.assertFalse(hinge.describe()["collide_connected"])

    def test_joints_between_frames(self):
        world, a, b = pair()
        hinge = world.add_hinge(a, b, frame_a=talus.Frame((1, 0, 0)), frame_b=((-1, 0, 0), (0, 0, 0, 1)))
        self.assertEqual(hinge.frames, (((1, 0, 0), (0, 0, 0, 1)), ((-1, 0, 0), (0, 0, 0, 1))))

    def test_refused_joints(self):
        world, a, b = pair()
        hinge = world.add_hinge(a, b, anchor=(1, 0, 0))
        for call, error, message in (
            (lambda: world.add_hinge(a, a, anchor=(0, 0, 0)), talus.Error, "same"),
            (lambda: world.add_hinge(a, b, anchor=(0, 0, 0), axis=(0, 0, 0)), talus.Error, "axis"),
            (lambda: world.add_hinge(a, b, anchor=(math.nan, 0, 0)), talus.Error, "finite|frame"),
            (lambda: world.add_hinge(a, b, anchor=(0, 0, 0), limit=(1, -1)), talus.Error, "limit"),
            (lambda: world.add_hinge(a, b), TypeError, "needs an anchor, or frame_a and frame_b"),
            (lambda: world.add_distance(a, b, anchor_a=(0, 0, 0)), TypeError, "both anchor_a and anchor_b"),
            (lambda: world.add_hinge(a, 1.5, anchor=(0, 0, 0)), TypeError, "body_b must be a talus.Body, not float"),
            (lambda: world.add_hinge(a, b, anchor=(0, 0, 0), cone=1), TypeError, "has no argument 'cone'"),
            (lambda: world.add_hinge(a, b, anchor=(0, 0, 0), limit=5), TypeError, "limit must be two numbers"),
            (lambda: world.add_hinge(a, b, anchor=(0, 0, 0), motor=(1, 2, 3)), TypeError, "motor must be two numbers"),
            (lambda: world.add_hinge(a, b, anchor=(0, 0, 0), spring="x"), TypeError, "spring must be a talus.Spring"),
            (lambda: world.add_gear(hinge, 7), talus.Error, "joint_b"),
            (lambda: world.add_gear(hinge, "x"), TypeError, "joint_b must be a talus.Joint"),
            (lambda: world.add_gear(hinge, hinge, anchor=(0, 0, 0)), TypeError, "connects two joints"),
            (lambda: world.add_joint("rubber", a, b), talus.Error, 'kind is "rubber"'),
            (lambda: hinge.set_limit((0, 1), "move_x"), talus.Error, "axis is move_x"),
            (lambda: hinge.limit("move_y"), talus.Error, "axis"),
            (lambda: hinge.coordinate("sideways"), talus.Error, '"move_x"'),
            (lambda: setattr(hinge, "cone", 1), talus.Error, "ball"),
            (lambda: setattr(hinge, "drive", talus.Drive()), talus.Error, "ball or motor"),
            (lambda: hinge.set_motor((1, -1)), talus.Error, "max_force"),
        ):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()
        hinge.remove()
        for call in (
            hinge.remove,
            hinge.coordinate,
            hinge.limit,
            hinge.describe,
            lambda: hinge.kind,
            lambda: hinge.body_a,
            lambda: hinge.frames,
            lambda: hinge.force,
            lambda: hinge.user_data,
            lambda: hinge.cone,
            lambda: hinge.set_break(1, 1),
        ):
            with self.assertRaises(talus.Error) as caught:
                call()
            self.assertEqual(caught.exception.code, "stale_handle")
        self.assertEqual(world.joint_count, 0)
