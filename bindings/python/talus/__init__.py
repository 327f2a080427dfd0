"""Talus, a real-time rigid-body physics engine.

    import talus

    world = talus.World()  # gravity (0, -9.81, 0) m/s^2
    world.add_body(type="fixed", shape=talus.box((50, 1, 50)), position=(0, -1, 0))
    crate = world.add_body(shape=talus.box((0.5, 0.5, 0.5)), position=(0, 10, 0))
    for _ in range(240):
        world.step(1 / 60)
    print(crate.position.y)

Units are SI. Frames are right-handed, and y points up. Rotations are unit quaternions, x first. A refused call raises
talus.Error and changes nothing; an argument of the wrong type raises TypeError.

talus.plot draws profiles; talus.gym has environments for reinforcement learning.
"""

from ._library import VERSION as __version__
from .body import Body
from .clock import FixedStep
from .contact_modifier import ContactModification, ModifiablePoint
from .definitions import BodyFields, Filter, Lock, Material, Part, PartFields, SurfaceFields, part
from .drawing import Drawing, DrawOptions
from .errors import Error
from .joint_definitions import Axis, Drive, Frame, JointFields, Limit, Motor, Spring
from .joints import Joint
from .mass import MassProperties
from .meshes import Mesh, MeshTriangle, height_field, mesh, mesh_mass_properties
from .queries import Hit, Near
from .results import Moved, rung_names, stage_names
from .saving import Assets
from .shapes import (
    Separation,
    Shape,
    ShapeHit,
    box,
    capsule,
    cone,
    convex_sum,
    cylinder,
    ellipsoid,
    hull,
    ray_cast,
    rounded,
    segment,
    separation,
    shape_cast,
    sphere,
    superellipsoid,
    triangle,
)
from .threads import ThreadPool
from .vectors import Bounds, Quat, Vec3
from .world import Settings, World

__all__ = [
    "Assets", "Axis", "Body", "BodyFields", "Bounds", "ContactModification", "DrawOptions", "Drawing", "Drive", "Error",
    "Filter", "FixedStep", "Frame", "Hit", "Joint", "JointFields", "Limit", "Lock", "MassProperties", "Material",
    "Mesh", "MeshTriangle", "ModifiablePoint", "Motor", "Moved", "Near", "Part", "PartFields", "Quat", "Separation",
    "Settings", "Shape", "ShapeHit", "Spring", "SurfaceFields", "ThreadPool", "Vec3", "World", "box", "capsule", "cone",
    "convex_sum", "cylinder", "ellipsoid", "height_field", "hull", "mesh", "mesh_mass_properties", "part", "ray_cast",
    "rounded", "rung_names", "segment", "separation", "shape_cast", "sphere", "stage_names", "superellipsoid", "triangle",
]  # fmt: skip
