"""Steps of a fixed length in a loop of any frame rate."""

from __future__ import annotations

from . import _arguments as arg
from ._library import lib
from ._owner import Owner
from .errors import Error


class FixedStep(Owner):
    """Turns frames of any length into steps of length `dt`:

        clock = talus.FixedStep(1 / 60)
        for _ in range(clock.advance(frame_seconds)):
            world.step(clock.dt)
        draw(mix(previous_pose, pose, clock.alpha))
    """

    __slots__ = ()
    _free = "talus_fixed_step_destroy"

    def __init__(self, dt: float = 1 / 60, max_steps: int = 8):
        """`dt`: s; `max_steps`: the most steps of a frame; time beyond them is dropped."""
        length, most = arg.number(dt, "dt"), arg.i32(max_steps, "max_steps")
        if not 0.0 < length < float("inf"):
            raise Error(f"dt is {length}; it must be finite and above 0 (s)", "bad_size")
        if most < 1:
            raise Error(f"max_steps is {most}; it must be at least 1", "bad_size")
        self._pointer = lib.talus_fixed_step_create(length, most)
        if not self._pointer:
            raise Error("the system has no more memory", "out_of_memory")

    def advance(self, seconds: float) -> int:
        """Adds a frame and returns how many steps are due. Negative times and NaN count as 0."""
        return lib.talus_fixed_step_advance(self._pointer, arg.number(seconds, "seconds"))

    @property
    def dt(self) -> float:
        """Length of a step, s."""
        return lib.talus_fixed_step_dt(self._pointer)

    @property
    def alpha(self) -> float:
        """Time since the last step divided by dt: the weight of the newest pose, 0 to 1."""
        return lib.talus_fixed_step_alpha(self._pointer)

    @property
    def dropped_seconds(self) -> float:
        """Time that was dropped so far, s."""
        return lib.talus_fixed_step_dropped_seconds(self._pointer)
