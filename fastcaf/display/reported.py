"""The clusters that a model reports, found on its path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from fastcaf._typing import FloatArray
from fastcaf.fusion.cuts import level_at_number
from fastcaf.fusion.level import Level

__all__ = ["reported_cut", "reported_labels"]


def reported_cut(model: Any) -> Level:
    """The level that a fitted model reports, or the cut of its path with as many clusters."""
    for level in model.path_.levels:
        if level.gamma == model.gamma_ and level.n_clusters == model.n_clusters_:
            return level
    return level_at_number(model.path_, model.n_clusters_)


def reported_labels(model: Any, centroids: FloatArray) -> NDArray[np.intp]:
    """Which reported cluster each of as many centroids is.

    The reported centers may be another level of the same plateau, or settled on all rows: near
    these centroids, in another order.
    """
    inside = model._coordinates.to_internal  # where no distance overflows
    distances = cdist(inside(centroids), inside(model.cluster_centers_))
    return np.asarray(linear_sum_assignment(distances)[1])
