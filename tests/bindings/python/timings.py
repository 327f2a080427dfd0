"""What calls cost. Printed, never asserted: the least of several repetitions."""

import time

import numpy as np
import support
import talus
from talus import gym
from talus._library import lib


def least(function, repetitions=200):
    """Returns the time of a call, s: the least of many short series, of which some are not interrupted by other
    programs."""
    function()
    start = time.perf_counter()
    function()
    count = max(1, int(100e-6 / (time.perf_counter() - start)))
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        for _ in range(count):
            function()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def print_all():
    world = support.pile(20)
    support.run(world, 30)
    body, pointer = world.bodies()[5], world._read
    number = body.id
    vector = (0.0, 1e-6, 0.0)
    ids = world.body_ids()
    poses = world.poses(ids)
    rays = np.random.default_rng(1).uniform(-3, 9, (1000, 3))
    empty = talus.World()

    def set_velocity():
        body.linear_velocity = vector

    print("\nTimes of calls, the least of many:")
    for name, function in (
        ("talus_world_body_count by ctypes alone", lambda: lib.talus_world_body_count(pointer)),
        ("talus_world_position by ctypes alone", lambda: lib.talus_world_position(pointer, number)),
        ("body.position", lambda: body.position),
        ("body.rotation", lambda: body.rotation),
        ("body.mass", lambda: body.mass),
        ("body.linear_velocity = v", set_velocity),
        ("body.apply_force(v)", lambda: body.apply_force(vector)),
        ("world.ray_cast(...)", lambda: world.ray_cast((0, 9, 0), (0, -9, 0))),
        ("world.step() of an empty world", lambda: empty.step()),
        ("world.profile()", lambda: world.profile()),
        ("world.contacts()", lambda: world.contacts()),
        ("world.poses() of 21 bodies", lambda: world.poses(ids, out=poses)),
    ):
        print(f"    {name:42} {least(function) * 1e9:8.0f} ns")
    many = talus.World()
    numbers = many.add_copies(np.random.default_rng(1).uniform(-99, 99, (10000, 3)), shape=talus.sphere(0.1))
    bodies = many.bodies()
    out, velocities = many.poses(numbers), many.velocities(numbers)
    many.step()
    for name, function in (
        ("world.poses() of 10,000 bodies", lambda: many.poses(numbers, out=out)),
        ("world.velocities() of 10,000 bodies", lambda: many.velocities(numbers, out=velocities)),
        ("world.moved() of 10,000 bodies", many.moved),
        ("[b.position for b in 10,000 bodies]", lambda: [b.position for b in bodies]),
        ("world.poses() of a list of 10,000 bodies", lambda: many.poses(bodies)),
        ("world.ray_casts() of 1,000 rays", lambda: world.ray_casts(rays, (0, -9, 0))),
    ):
        print(f"    {name:42} {least(function) * 1e6:8.0f} us")
    for kind in (gym.CartPole, gym.Hopper):
        env = kind(1000)
        env.reset(seed=1)
        actions = env.sample_actions()
        seconds = least(lambda: env.step(actions), 20)
        physics = least(lambda: [lib.talus_world_step(p, env.dt, None) for p in env._pointers], 20)
        name = f"{kind.__name__}(1000).step()"
        print(f"    {name:42} {seconds * 1e3:8.1f} ms, of which {physics * 1e3:.1f} ms are steps of worlds")
