"""Ellipses of the covariances that reported clusters have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.display.projection import Projection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_ellipses", "projected_covariances"]

DEVIATIONS = 2.0


def projected_covariances(model: Any, projection: Projection) -> FloatArray:
    """Covariances of the reported clusters on two axes, c x 2 x 2; none without covariances."""
    try:
        covariances = model.covariances_
    except AttributeError:  # memberships of distances alone
        return np.empty((0, 2, 2))
    axes = projection.axes
    if covariances.ndim == 1:
        return covariances[:, None, None] * (axes @ axes.T)
    return axes @ covariances @ axes.T


def draw_ellipses(ax: Axes, model: Any, projection: Projection, colours: list[str]) -> None:
    """Two deviations around every reported cluster, where clusters have covariances."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Ellipse

    centers = projection(model.cluster_centers_)
    for label, covariance in enumerate(projected_covariances(model, projection)):
        if not np.isfinite(covariance).all():
            continue
        variances, directions = np.linalg.eigh(covariance)
        height, width = 2.0 * DEVIATIONS * np.sqrt(np.maximum(variances, 0.0))
        angle = float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))
        ax.add_patch(
            Ellipse(
                (float(centers[label, 0]), float(centers[label, 1])),
                float(width),
                float(height),
                angle=angle,
                facecolor=to_rgba(colours[label], 0.1),
                edgecolor=(0.0, 0.0, 0.0, 0.7),  # seen on the cluster's own rows
                linewidth=1.0,
                zorder=4,
            )
        )
