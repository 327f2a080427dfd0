"""Plots of profiles, by matplotlib: where the time of each frame went.

    profiles = []
    for _ in range(600):
        world.step(1 / 60)
        profiles.append(world.profile())
    talus.plot.overview(profiles).savefig("profile.png")

Each function takes a series of profiles and returns the figure. docs/profiling.md says what stages and rungs are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

import numpy as np

from .errors import Error
from .results import PROFILE, rung_names, stage_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Profiles = Sequence[np.record]


def overview(profiles: Profiles) -> Figure:
    """Returns a figure with stages(), rung_times() and rung_pairs() one below the other."""
    table = _table(profiles)
    figure, axes = _figure(3)
    _draw_stages(axes[0], table)
    _draw_rungs(axes[1], table, table["rungs"]["microseconds"], "us")
    _draw_rungs(axes[2], table, table["rungs"]["pairs"], "pairs")
    axes[-1].set_xlabel("frame")
    return figure


def stages(profiles: Profiles) -> Figure:
    """Returns a figure of the time of each stage, stacked, over the frames; the black line is the whole step."""
    figure, axes = _figure(1)
    _draw_stages(axes[0], _table(profiles))
    axes[0].set_xlabel("frame")
    return figure


def rung_times(profiles: Profiles) -> Figure:
    """Returns a figure of the narrowphase's time on each rung, stacked, over the frames."""
    table = _table(profiles)
    figure, axes = _figure(1)
    _draw_rungs(axes[0], table, table["rungs"]["microseconds"], "us")
    axes[0].set_xlabel("frame")
    return figure


def rung_pairs(profiles: Profiles) -> Figure:
    """Returns a figure of the number of pairs that each rung settled, stacked, over the frames."""
    table = _table(profiles)
    figure, axes = _figure(1)
    _draw_rungs(axes[0], table, table["rungs"]["pairs"], "pairs")
    axes[0].set_xlabel("frame")
    return figure


def _table(profiles: Profiles) -> np.ndarray:
    """Returns the profiles as one array."""
    if isinstance(profiles, np.ndarray) and profiles.dtype.names == PROFILE.names:
        table = np.atleast_1d(profiles)
    else:
        listed = list(profiles)
        if not all(isinstance(profile, np.void) and profile.dtype.names == PROFILE.names for profile in listed):
            raise TypeError("profiles must be a list of what World.profile() returns")
        table = np.array(listed, PROFILE)
    if not len(table):
        raise Error("profiles is empty; it must have at least one profile")
    return table


def _figure(rows: int) -> tuple[Figure, np.ndarray]:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        rows, 1, sharex=True, squeeze=False, figsize=(10, 1 + 2.6 * rows), layout="constrained"
    )
    return figure, axes[:, 0]


def _draw_stages(axes: Axes, table: np.ndarray) -> None:
    times = [table[name] for name in stage_names]
    _stack(axes, table["frame"], times, stage_names)
    axes.plot(table["frame"], table["total"], color="black", linewidth=0.7, label="whole step")
    _finish(axes, "us")


def _draw_rungs(axes: Axes, table: np.ndarray, values: np.ndarray, unit: str) -> None:
    _stack(axes, table["frame"], list(values.T), rung_names)
    _finish(axes, unit)


def _stack(axes: Axes, frames: np.ndarray, layers: list, names: Sequence[str]) -> None:
    """Draws the layers that are not empty. A name has the same colour in every plot of its kind."""
    from matplotlib import colormaps

    used = [i for i, layer in enumerate(layers) if layer.any()]
    colors = [colormaps["tab10"].colors[i % 10] for i in used]
    if used:
        labels = [names[i] for i in used]
        axes.stackplot(frames, *(layers[i] for i in used), labels=labels, colors=colors, linewidth=0)


def _finish(axes: Axes, unit: str) -> None:
    axes.set_ylabel(unit)
    axes.set_ylim(bottom=0)
    axes.margins(x=0)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", frameon=False)
