"""What the tests have in common: the package that is tested, and a few worlds."""

import collections
import math
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = REPOSITORY / "bindings" / "python"

DT = 1 / 60
FUNCTIONS_CALLED = collections.Counter()  # functions of C, by name
options = None  # of the command line
staged = None  # the folder with the package


def prepare(folder, given):
    """Puts the package together in a folder, and makes it importable."""
    global options, staged
    options, staged = given, pathlib.Path(folder)
    sys.path.insert(0, str(PACKAGE))
    import backend

    backend.stage(folder, given.library)
    sys.path.remove(str(PACKAGE))
    sys.path.insert(0, folder)


def count_calls():
    """Counts every call of a function of C from now on. After the call: so it stays one call for other threads."""
    from talus import _library

    def count(result, function, arguments):
        FUNCTIONS_CALLED[function.__name__] += 1
        return result

    for library in (_library.lib, _library.free):
        for name in vars(library):
            if name.startswith("talus_"):
                getattr(library, name).errcheck = count


def floor(world):
    """Adds a floor with its top at y = 0."""
    import talus

    return world.add_body(type="fixed", shape=talus.box((50, 1, 50)), position=(0, -1, 0))


def pile(count=20):
    """Returns a world with a pile of all kinds of shapes, before it falls."""
    import talus

    world = talus.World()
    floor(world)
    tetrahedron = talus.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    shapes = [
        talus.sphere(0.5),
        talus.capsule(0.5, 0.25),
        talus.box((0.5, 0.4, 0.3)),
        talus.cylinder(0.5, 0.3),
        talus.cone(0.5, 0.3),
        tetrahedron,
    ]
    for i in range(count):
        place = (0.3 * math.sin(i), 1 + 1.1 * i, 0.3 * math.cos(i))
        world.add_body(shape=shapes[i % len(shapes)], position=place, user_data=i)
    return world


def run(world, steps, dt=DT):
    for _ in range(steps):
        world.step(dt)
