"""Clusters marked and numbered, so that colour is not all that tells them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.display.plot.canvas import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

__all__ = ["equal_scales", "haloed", "in_rows", "number_clusters", "spaced"]

NAME_ROWS = 3
MANY = 30  # clusters, above which marks and numbers are small
LONGEST = 4.0  # ratio of two extents, above which equal scales would leave a thin strip


def number_clusters(ax: Axes, places: FloatArray, colours: list[str]) -> None:
    """A disc at every center, ringed in the cluster's colour and with its number in it."""
    small = len(places) > MANY
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=45 if small else 150,
        c="white",
        edgecolors=colours,
        linewidths=1.2 if small else 2.0,
        zorder=5,
        label="center",
    )
    for label, (x, y) in enumerate(places):
        ax.text(
            x,
            y,
            str(label),
            fontsize=5.5 if small else SMALL,
            ha="center",
            va="center_baseline",
            zorder=6,
            clip_on=True,
        )


def haloed(text: Text) -> Text:
    """A text that stays readable on lines and rows."""
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
    return text


def equal_scales(ax: Axes, places: FloatArray) -> None:
    """One unit as long on both axes: distances are what the method sees."""
    extents = np.ptp(places, axis=0)
    if extents.max() < LONGEST * extents.min():
        ax.set_aspect("equal", adjustable="datalim")


def spaced(places: FloatArray, least: float) -> list[int]:
    """Indices of rising positions at least so far from each other: names do not overlap."""
    kept: list[int] = []
    for i, place in enumerate(places):
        if not kept or place - places[kept[-1]] >= least:
            kept.append(i)
    return kept


def in_rows(ax: Axes, places: list[float], names: list[str]) -> None:
    """Name rising places along the level axis, in up to three rows where one is too narrow."""
    lowest, highest = ax.get_xlim()
    points = ax.bbox.width / ax.figure.dpi * 72.0
    least = (0.65 * SMALL * max(map(len, names)) + 2.0) * (highest - lowest) / points
    free = [-np.inf] * NAME_ROWS  # where the next name of each row may stand
    shown = []
    for place, name in zip(places, names, strict=True):
        row = next((i for i in range(NAME_ROWS) if free[i] <= place), None)
        if row is not None:
            free[row] = place + least
            shown.append((place, "\n" * row + name))
    ax.set_xticks([place for place, _ in shown], [name for _, name in shown])
    ax.tick_params(axis="x", length=0, labelsize=SMALL)
