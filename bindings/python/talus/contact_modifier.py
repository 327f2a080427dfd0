"""A function of yours that may change contacts before they are solved: one-way platforms, slippery shoes."""

from __future__ import annotations

import threading
from typing import Any, Callable

from . import _arguments as arg
from . import _c
from ._access import Access
from .body import Body
from .vectors import Vec3, vec3_from


class ModifiablePoint:
    """A point of a contact that is about to be solved."""

    __slots__ = ("_c",)

    def __init__(self, point: _c.TalusModifiablePoint):
        if not isinstance(point, _c.TalusModifiablePoint):
            raise TypeError("the points of a contact are in ContactModification.points")
        self._c = point

    @property
    def position(self) -> Vec3:
        """World, m."""
        return vec3_from(self._c.position)

    @property
    def separation(self) -> float:
        """m; negative if the shapes overlap."""
        return self._c.separation

    @property
    def enabled(self) -> bool:
        """May be changed: False removes the point from this step."""
        return self._c.enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._c.enabled = arg.flag(value, "enabled")


class ContactModification:
    """A contact that is about to be solved. `enabled`, `friction` and `restitution` may be changed, for this step
    only."""

    __slots__ = ("_world", "_c")

    def __init__(self, world: Access, contact: _c.TalusContactModification):
        if not isinstance(world, Access) or not isinstance(contact, _c.TalusContactModification):
            raise TypeError("contacts come from World.set_contact_modifier()")
        self._world = world
        self._c = contact

    body_a = property(lambda self: Body(self._world, self._c.body_a), doc="The first body.")
    body_b = property(lambda self: Body(self._world, self._c.body_b), doc="The second body.")
    shape_a = property(lambda self: self._c.shape_a, doc="Index of the shape in body A.")
    shape_b = property(lambda self: self._c.shape_b, doc="Index of the shape in body B.")
    user_data_a = property(lambda self: self._c.user_data_a, doc="The user data of body A.")
    user_data_b = property(lambda self: self._c.user_data_b, doc="The user data of body B.")
    normal = property(lambda self: vec3_from(self._c.normal), doc="Unit, from A to B, world.")
    velocity = property(lambda self: vec3_from(self._c.velocity), doc="Of B relative to A, m/s.")
    touching = property(lambda self: self._c.touching, doc="Whether the two touched in the last step.")

    @property
    def points(self) -> list[ModifiablePoint]:
        """Its points, 1 to 4."""
        return [ModifiablePoint(point) for point in self._c.points[: self._c.point_count]]

    @property
    def enabled(self) -> bool:
        """May be changed: False lets the two pass through each other."""
        return self._c.enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._c.enabled = arg.flag(value, "enabled")

    @property
    def friction(self) -> float:
        """May be changed: Coulomb coefficient, >= 0."""
        return self._c.friction

    @friction.setter
    def friction(self, value: float) -> None:
        self._c.friction = arg.number(value, "friction")

    @property
    def restitution(self) -> float:
        """May be changed: 0 to 1."""
        return self._c.restitution

    @restitution.setter
    def restitution(self, value: float) -> None:
        self._c.restitution = arg.number(value, "restitution")


Modifier = Callable[[ContactModification], Any]

stepping = threading.local()
"""`stepping.world`: the world that this thread steps. A modifier cannot know: copies of a world have the same one."""


def callback(modifier: Modifier):
    """Returns a function for C that calls the modifier. It works on a copy of the contact, because the user may keep
    it. What the modifier raises, step() raises when it has returned."""

    def call(place, _):
        world = stepping.world
        contact = _c.TalusContactModification.from_address(place)
        copy = _c.TalusContactModification.from_buffer_copy(contact)
        try:
            world._read = world._write = world._pointer  # C refuses changes
            modifier(ContactModification(world, copy))
            contact.enabled, contact.friction, contact.restitution = copy.enabled, copy.friction, copy.restitution
            contact.points = copy.points
        except BaseException as exception:  # C must not see it
            stepping.exception = exception
        finally:
            world._read = world._write = None

    return _c.TalusContactModifier(call)
