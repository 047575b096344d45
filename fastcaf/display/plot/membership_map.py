"""Memberships of rows in clusters as a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastcaf.display.plot.canvas import SMALL, axes_on
from fastcaf.display.plot.marks import spaced
from fastcaf.display.plot.rows import shown_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["membership_map"]

MOST_ROWS = 4_000
MOST_NUMBERS = 25  # of clusters, along the upright axis
MOST_COLUMNS = 15  # of clusters that are named along the other one


def membership_map(model: Any, X: Any = None, *, ax: Axes | None = None) -> Axes:
    """Rows against clusters, dark where a row belongs; rows by cluster, the surest first.

    A clear fit shows dark blocks on the diagonal and white elsewhere; grey beside a block
    says which other cluster its rows are shared with.  Rows of noise are the last.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), optional
        Rows to draw; by default those of the fit.  Above 4,000 a sample of them.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    rows = shown_rows(model, X, MOST_ROWS)
    ax = axes_on(ax)
    labels, memberships = rows.labels, rows.memberships
    n, c = memberships.shape
    labels = np.where(labels < 0, c, labels)  # noise comes last
    order = np.lexsort([-memberships.max(axis=1), labels])
    image = ax.imshow(
        memberships[order],
        aspect="auto",
        cmap="Blues",
        interpolation="nearest",  # clusters are no scale: nothing lies between two
        vmin=0.0,
        vmax=1.0,
        extent=(-0.5, c - 0.5, n, 0.0),
    )
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02)
    bar.set_label("membership")
    ends = np.cumsum(np.bincount(labels, minlength=c)[:c])
    if c <= MOST_NUMBERS:
        ax.hlines(ends[:-1] if ends[-1] == n else ends, -0.5, c - 0.5, color="black", lw=0.4)
    ax.set_xticks(np.arange(0, c, -(-c // MOST_COLUMNS)))
    middles = ends - np.diff(ends, prepend=0) / 2.0
    named = spaced(middles, n / MOST_NUMBERS)
    ax.set_yticks(middles[named], [str(label) for label in named])
    ax.tick_params(length=0, labelsize=SMALL)
    ax.set_xlabel("cluster")
    ax.set_ylabel(f"{rows.description}, sorted by their cluster")
    return ax
