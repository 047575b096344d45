"""Clusters marked and numbered, so that colour is not all that tells them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastcaf.memberships.base import FloatArray
from fastcaf.plot.canvas import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

__all__ = ["equal_scales", "haloed", "number_clusters"]

MANY = 30  # clusters, above which marks and numbers are small
LONGEST = 4.0  # ratio of two extents, above which equal scales would leave a thin strip


def number_clusters(ax: Axes, places: FloatArray, colours: list[str]) -> None:
    """A disc at every center, with the cluster's number in it."""
    small = len(places) > MANY
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=70 if small else 170,
        c=colours,
        edgecolors="black",
        linewidths=0.6 if small else 1.0,
        zorder=5,
        label="center, with the cluster's number",
    )
    for label, (x, y) in enumerate(places):
        dark = sum(int(colours[label][i : i + 2], 16) for i in (1, 3, 5)) < 3 * 128
        ax.text(
            x,
            y,
            str(label),
            fontsize=5.5 if small else SMALL,
            color="white" if dark else "black",
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
