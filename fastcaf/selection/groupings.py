"""Partitions of the rows that the paths lead to: what the judge chooses from.

A level of a path is pulled by its penalty.  Released from it, by some steps of k-means or of EM
with round or full covariances, it becomes a partition; so does every level of merged
components.  The same rows are looked at a second time with standardised features where these
have very different spreads, because starts are found by plain distances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.sources import ArrayRows
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.agglomeration import settled_components
from fastcaf.fusion.component_start import FEW_FEATURES, components_of, knows_matrices
from fastcaf.fusion.level import Path
from fastcaf.kernels.rows.gaussian import sums_by_label
from fastcaf.memberships import FullGaussian, SphericalGaussian
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.selection.plateaus import Plateau, plateaus_of

__all__ = ["Grouping", "grouping_of", "groupings_of_path", "most_moments"]

# A number of clusters this near the starting one says more of the start than of the data.
LARGEST_SHARE = 0.7
MOST_COMPONENTS = 40  # levels with more clusters are released by k-means only
EM_STEPS = 8


@dataclass(frozen=True)
class Grouping:
    """A partition of the rows, and the level of a path that it comes from.

    Attributes
    ----------
    path : str
    level : int
        Index in the path's levels.
    gamma_start, gamma_end : float
        The stretch of the path that it stands for, in the user's units.
    labels : ndarray of shape (n,)
        Of the rows that the paths were followed on; every label is in use.  -1: noise.
    sums : ndarray of shape (c, 2 + d + m)
        Over the rows of each label (``kernels/rows/gaussian.py``), weights counted in rows.
    centroids : ndarray of shape (c, d)
        What the sums are taken around.
    noise : float
        How many rows have the label -1.
    """

    path: str
    level: int
    gamma_start: float
    gamma_end: float
    labels: NDArray[np.int32]
    sums: FloatArray
    centroids: FloatArray
    noise: float = 0.0

    @property
    def n_clusters(self) -> int:
        """How many labels there are."""
        return len(self.centroids)


def most_moments(n_rows: int, d: int) -> int:
    """Second moments that are kept of a cluster: a triangle, or their trace."""
    return d * (d + 1) // 2 if knows_matrices(n_rows, d) else 1


def groupings_of_path(
    name: str, path: Path, training: TrainingData, seen: set[bytes], scales: FloatArray
) -> Iterator[Grouping]:
    """Every partition that a path leads to and that was not seen yet.

    ``scales`` divide the features where the path was followed on standardised ones; else empty.
    """
    rows = training.rows.in_memory()
    view = rows
    if len(scales):
        view = replace(rows, rows=rows.rows / scales.astype(rows.rows.dtype))
    n_start = len(path.start)
    most = max(2.0, LARGEST_SHARE * n_start)
    if path.levels[0].by_loss or training.n_distinct <= n_start:
        most = (
            n_start  # components begin with fewer than there were; few rows may all be clusters
        )
    plateaus = plateaus_of(path, training)
    few = [one for one in plateaus if one.n_clusters <= most]
    for plateau in few or plateaus[-1:]:
        for labels in _partitions(plateau, training, view, scales):
            grouping = grouping_of(name, plateau, labels, rows, seen)
            if grouping is not None:
                yield grouping


def _partitions(
    plateau: Plateau, training: TrainingData, view: ArrayRows, scales: FloatArray
) -> Iterator[NDArray[np.int32]]:
    """Labels of the rows, released from a plateau's level in each of several ways."""
    level = plateau.internal_level
    if isinstance(level.model, GaussianMemberships):
        if level.by_loss:
            yield level.model.labels(view.rows, level.centroids)
            return
        state, _ = settled_components(view, level.model, level.centroids, EM_STEPS)
        yield state.model.labels(view.rows, state.centroids)
        return
    centroids = plateau.released
    yield level.model.labels(training.rows.in_memory().rows, centroids)
    if level.model.name != "entropy" or not 1 < plateau.n_clusters <= MOST_COMPONENTS:
        return
    for kind in (SphericalGaussian, FullGaussian):
        if kind is FullGaussian and centroids.shape[1] > FEW_FEATURES:  # too slow
            continue
        released = replace(level, centroids=centroids)
        model, places = components_of(released, kind(), training, scales)
        state, _ = settled_components(view, model, places, EM_STEPS)
        yield state.model.labels(view.rows, state.centroids)


def grouping_of(
    name: str, plateau: Plateau, labels: NDArray[np.int32], rows: ArrayRows, seen: set[bytes]
) -> Grouping | None:
    """The partition with its sums, unless it was seen before."""
    used, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    labels, noise = inverse.astype(np.int32), 0.0
    if used[0] < 0:
        noise = float(rows.weights[labels == 0].sum(dtype=np.float64)) / rows.one_row
        used, first, labels = used[1:], first[1:], labels - 1
        if len(used) == 0:
            return None
    key = labels.tobytes()
    if key in seen:
        return None
    seen.add(key)
    n, d = len(used), rows.rows.shape[1]
    centroids = np.zeros((n, d))
    centroids[:] = rows.rows[first]
    scatter = rows.scatter if len(rows.scatter) else rows.row_weights[:0]
    arguments = rows.rows, rows.row_weights, scatter, labels
    # Around a row of each cluster, then around the means: no digits are lost.
    weight = sums_by_label(*arguments, centroids, 1)
    centroids += weight[:, 2 : 2 + d] / weight[:, :1]
    sums = sums_by_label(*arguments, centroids, most_moments(len(labels), d)) / rows.one_row
    stretch = plateau.middle, plateau.gamma_start, plateau.gamma_end
    return Grouping(name, *stretch, labels, sums, centroids, noise)
