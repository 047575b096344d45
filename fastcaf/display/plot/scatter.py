"""Rows in the colours of the clusters they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.display.colours import GREY, cluster_colours
from fastcaf.display.plot.canvas import axes_on
from fastcaf.display.plot.ellipses import draw_ellipses
from fastcaf.display.plot.marks import equal_scales, number_clusters
from fastcaf.display.plot.rows import shown_rows
from fastcaf.display.projection import project_on
from fastcaf.memberships.noise import rest_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["scatter"]

MOST_ROWS = 20_000


def scatter(model: Any, X: Any = None, *, ax: Axes | None = None) -> Axes:
    """Rows as points, each in the mixture of colours that its memberships make.

    More than two features are shown on their principal axes; a single one against the
    membership in the own cluster.  Discs are the means of the clusters; where these have
    covariances, an ellipse is two deviations around each.  Noise is grey.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), optional
        Rows to draw; by default those of the fit.  Above 20,000 a sample of them.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    rows = shown_rows(model, X, MOST_ROWS)
    ax = axes_on(ax)
    colours = cluster_colours(model.n_clusters_)
    project = project_on(rows.places, rows.names)
    places, centers = project(rows.places), project(model.cluster_means_)
    upright = project.names[1]
    if rows.places.shape[1] == 1:
        places[:, 1], centers[:, 1] = rows.memberships.max(axis=1), 1.0
        upright = "membership in the own cluster"
        ax.set_ylim(0.0, 1.06)  # clear fits have nothing but ones
    else:
        equal_scales(ax, places)
        draw_ellipses(ax, model, project, colours)
    ax.scatter(
        places[:, 0],
        places[:, 1],
        c=soft_colours(colours, rows.memberships),
        s=float(np.clip(20_000 / len(places), 3.0, 18.0)),
        linewidths=0,
        rasterized=len(places) > 1000,
    )
    number_clusters(ax, centers, colours)
    ax.set_xlabel(f"{project.names[0]}\n{rows.description}, coloured by membership")
    ax.set_ylabel(upright)
    return ax


def soft_colours(colours: list[str], memberships: NDArray) -> FloatArray:
    """Red, green and blue of every row: the mean of the colours, weighed by memberships."""
    parts = [[int(one[i : i + 2], 16) / 255.0 for i in (1, 3, 5)] for one in [*colours, GREY]]
    mu = np.asarray(memberships, dtype=np.float64)
    return np.clip(np.column_stack([mu, rest_of(mu)]) @ np.array(parts), 0.0, 1.0)
