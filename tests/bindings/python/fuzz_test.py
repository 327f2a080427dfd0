"""Nonsense in all arguments of all public functions: refused by talus.Error, TypeError or ValueError, or harmless.

A call gets arguments that fit, of which some are replaced by nonsense. After each refused call, the world must be as it
was, to the byte; after each round it must still step.
"""

import inspect
import math
import random
import unittest

import numpy as np
import support
import talus
from talus import gym

ALLOWED = (talus.Error, TypeError, ValueError)


class Awkward:
    """Claims to be a sequence and a number, and fails."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        raise ValueError("awkward")

    def __float__(self):
        raise TypeError("awkward")

    def __index__(self):
        raise TypeError("awkward")


def small_pool(threads):
    return talus.ThreadPool(min(threads, 3) if type(threads) is int else threads)


def loop():
    value = []
    value.append(value)
    return value


def nonsense(r, stale, foreign):
    """Returns a value that fits nowhere, or only by chance."""
    return r.choice(
        [
            lambda: math.nan,
            lambda: r.choice([math.inf, -math.inf, 1e300, -1e300, 1e-300, 1e38, 3.5e38, -0.0]),
            lambda: r.choice([0, -1, 1, 2, 255, 256, 2**31, 2**32, -(2**31) - 1, 2**63, 2**64, 2**200, -(10**400)]),
            lambda: r.choice([None, True, False, "text", "", b"bytes", "main", "dynamic", object(), Ellipsis, 1j]),
            lambda: r.choice([[], (), {}, set(), [1], (1, 2), (1, 2, 3, 4), [[1, 2, 3]], range(3), iter([1, 2, 3])]),
            loop,
            lambda: (r.choice([math.nan, math.inf, 1e30, "x", None, 10**400]), 0, 0),
            lambda: tuple(r.uniform(-1e20, 1e20) for _ in range(3)),
            lambda: (0, 0, 0),
            lambda: r.choice([(0, 0, 0, 0), (math.nan, 0, 0, 1), (1e30, 1e30, 1e30, 1e30)]),
            lambda: np.full(r.choice([(3,), (0, 3), (2, 3), (2, 2), (2, 4), ()]), r.choice([math.nan, 1.0, 1e300])),
            lambda: np.array([["a", "b", "c"]]),
            lambda: np.array([None, 1, "x"], object),
            lambda: np.array([2**63, 2**64 - 1], np.uint64),
            lambda: np.arange(24)[::-2].reshape(4, 3),
            lambda: np.zeros((2, 3), complex),
            lambda: r.choice([stale, foreign]),
            lambda: r.choice([talus.sphere(1), talus.Material(), talus.Material(friction="x"), talus.Filter(mask=-1)]),
            lambda: r.choice([talus.Spring("x"), talus.Motor(math.nan, -1), talus.Limit(2, 1)]),
            lambda: r.choice([talus.Axis(5), talus.Frame(1, 2)]),
            lambda: talus.Drive(velocity="x", max_force=math.nan),
            lambda: talus.MassProperties(-1, (0, 0, 0), [[math.nan] * 3] * 3),
            lambda: r.choice([Awkward(), Awkward, len, lambda *a: None, talus, type]),
        ]
    )()


def world_with_all():
    """Returns a small world and handles in it."""
    world = support.pile(6)
    bodies = world.bodies()
    hinge = world.add_hinge(bodies[0], bodies[1], anchor=(0, 1, 0))
    slider = world.add_slider(bodies[0], bodies[2], anchor=(0, 1, 0))
    ball = world.add_ball(bodies[3], bodies[4], anchor=(0, 5, 0))
    world.step()
    return world, bodies, [hinge, slider, ball]


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.r = random.Random(20240501)
        self.fresh()

    def fresh(self):
        self.world, self.bodies, self.joints = world_with_all()
        extra = self.world.add_body(shape=talus.sphere(0.1), position=(9, 9, 9))
        extra.remove()
        self.stale = extra
        other = talus.World()
        self.foreign = other.add_body(shape=talus.sphere(1))
        self.other = other

    def value(self, name):
        """Returns an argument that fits a parameter of this name."""
        r, vector = self.r, (0.5, 1, -0.5)
        shape = talus.sphere(0.5)
        fitting = {
            "body": self.bodies[1], "body_a": self.bodies[1], "body_b": self.bodies[2], "joint_a": self.joints[0],
            "joint_b": self.joints[1], "bodies": self.bodies, "shape": shape, "geometry": shape, "a": shape, "b": shape,
            "rotation": (0, 0, 0, 1), "rotations": np.tile((0, 0, 0, 1), (2, 1)), "positions": np.ones((2, 3)),
            "origins": np.ones((2, 3)), "translations": (0, 1, 0), "definitions": [{"shape": shape}], "shapes": [shape],
            "axis": "main", "kind": "hinge", "material": talus.Material(), "filter": None,
            "properties": talus.MassProperties(),
            "data": self.world.save(), "since": self.world.save(), "changes": b"", "assets": None, "other": self.other,
            "modifier": None, "pool": None, "limit": (0, 1), "motor": (1, 2), "spring": talus.Spring(1), "out": None,
            "type": "dynamic", "continuous": "all", "awake": True, "collide": True, "name": "stone", "asset": shape,
            "points": np.random.default_rng(1).normal(size=(8, 3)), "vertices": np.eye(3), "indices": [(0, 1, 2)],
            "heights": np.zeros((3, 3)), "materials": None, "spacing": 1, "two_sided": False, "drive": None, "cone": 1,
            "index": 0, "id": self.bodies[1].id, "count": 2, "threads": 2, "max_steps": 4, "world": self.world,
            "locks": 1,
            "frame_a": talus.Frame(), "frame_b": talus.Frame(), "length": (1, 2), "twist": None, "suspension": (2, 1),
            "steering": (0, 0), "steering_servo": None, "travel": (0, 1), "user_data": 5,
        }  # fmt: skip
        if name in fitting:
            return fitting[name]
        if name in ("dt", "radius", "half_height", "density", "mass", "seconds", "max_distance", "linear", "angular"):
            return 0.01
        if name in ("scale", "max_speed", "max_spin", "ratio", "damping_ratio", "linear_hertz", "angular_hertz"):
            return 1.0
        if name in ("move_x", "move_y", "move_z", "turn_x", "turn_y", "turn_z"):
            return talus.Axis()
        return r.choice([vector, np.array(vector), 1.0])

    def call(self, name, function, keywords=()):
        """Calls a function with some nonsense. Returns whether it was refused."""
        r = self.r
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:
            return
        positional, named = [], {}
        for parameter in parameters:
            if parameter.kind == parameter.VAR_KEYWORD:
                for extra in r.sample(list(keywords), min(len(keywords), r.randrange(4))):
                    named[extra] = self.value(extra)
            elif parameter.kind == parameter.KEYWORD_ONLY:
                if r.random() < 0.5:
                    named[parameter.name] = self.value(parameter.name)
            elif parameter.kind == parameter.POSITIONAL_OR_KEYWORD:
                if parameter.default is parameter.empty or r.random() < 0.5:
                    named[parameter.name] = self.value(parameter.name)
        for spoiled in r.sample(list(named), min(len(named), r.randrange(1, 3))):
            named[spoiled] = nonsense(r, self.stale, self.foreign)
        before = self.world.save()
        described = f"{name}({', '.join(f'{k}={type(v).__name__}' for k, v in named.items())})"
        try:
            function(*positional, **named)
        except ALLOWED as error:
            self.assertTrue(str(error), described)
            self.assertEqual(self.world.save(), before, f"{described} was refused, but changed the world: {error}")
            self.refused += 1
        except Exception as error:
            error.add_note(f"in {described}: {named!r:.1000}") if hasattr(error, "add_note") else None
            raise
        else:
            self.accepted += 1

    def round(self, listed):
        """Calls each function of a list many times, on worlds that are made anew when a call has changed them."""
        self.refused = self.accepted = 0
        functions = 0
        for name, get, keywords in listed:
            functions += 1
            for _ in range(support.options.fuzz_rounds):
                if self.world.closed or self.world.body_count != 7 or self.world.joint_count != 3:
                    self.fresh()
                with np.errstate(all="ignore"):
                    self.call(name, get(self), keywords)
            if not self.world.closed:
                self.assertIsNone(self.world._refusal(), f"{name} left an error behind")
                try:
                    self.world.step()
                except talus.Error as error:
                    self.fail(f"after {name}: {error}")
                # A step may blow up nothing, whatever was set.
                self.assertTrue(np.isfinite(self.world.poses(self.world.body_ids())).all(), name)
            self.fresh()
        print(f"{functions} functions: {self.refused} calls refused, {self.accepted} accepted", end=" ", flush=True)
        self.assertGreater(self.refused, functions * support.options.fuzz_rounds // 4)

    def methods(self, kind, of, leave_out=()):
        """Lists the public methods of a class, and the setters of its properties."""
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            if name.startswith("_") or name in leave_out:
                continue
            if isinstance(member, property):
                if member.fset is not None:
                    yield f"{kind.__name__}.{name} =", (lambda t, m=member: lambda value: m.fset(of(t), value)), ()
            elif callable(getattr(kind, name)):
                keywords = {
                    "add_body": talus.BodyFields,
                    "add_copies": talus.BodyFields,
                    "set_settings": talus.Settings,
                    "draw": talus.DrawOptions,
                }.get(name, talus.JointFields if name.startswith("add_") else None)
                names = tuple(keywords.__annotations__) if keywords else ()
                yield f"{kind.__name__}.{name}", (lambda t, n=name: getattr(of(t), n)), names

    def test_methods_of_worlds(self):
        self.round(self.methods(talus.World, lambda t: t.world, ["closed"]))

    def test_methods_of_bodies(self):
        self.round(self.methods(talus.Body, lambda t: t.r.choice([t.bodies[1], t.bodies[2], t.bodies[0], t.stale])))

    def test_methods_of_joints(self):
        self.round(self.methods(talus.Joint, lambda t: t.r.choice(t.joints)))

    def test_functions_of_the_module(self):
        def listed():
            for name in talus.__all__:
                function = getattr(talus, name)
                if inspect.isfunction(function):
                    yield name, (lambda t, f=function: f), tuple(talus.PartFields.__annotations__)
            for kind in (talus.World, talus.FixedStep, talus.Body, talus.Joint, talus.Shape, talus.Mesh, talus.Part):
                yield kind.__name__, (lambda t, k=kind: k), tuple(talus.Settings.__annotations__)
            for kind in (talus.ModifiablePoint, talus.ContactModification):
                yield kind.__name__, (lambda t, k=kind: k), ()

        self.round(listed())

    def test_other_objects(self):
        clock, assets, shape = talus.FixedStep(), talus.Assets(), talus.sphere(1)
        field = talus.height_field(np.zeros((3, 3)))
        env = gym.CartPole(2)
        env.reset(seed=1)

        def listed():
            yield from self.methods(talus.FixedStep, lambda t: clock)
            yield from self.methods(talus.Assets, lambda t: assets)
            yield from self.methods(talus.Shape, lambda t: shape)
            yield from self.methods(talus.Mesh, lambda t: field)
            yield "CartPole.step", (lambda t: env.step), ()
            yield "CartPole.world", (lambda t: env.world), ()
            yield "ThreadPool", (lambda t: small_pool), ()

        self.round(listed())

    def test_bytes_that_are_changed_at_random_are_refused_or_load(self):
        data = self.world.save()
        for _ in range(20 * support.options.fuzz_rounds):
            changed = bytearray(data)
            for _ in range(self.r.randrange(1, 5)):
                changed[self.r.randrange(len(changed))] = self.r.randrange(256)
            del changed[self.r.randrange(len(changed)) :: self.r.choice([1, 10**6])]
            try:
                talus.World.load(bytes(changed)).step()
            except talus.Error:
                pass
