"""How far apart the clusters of a level stand, measured by the rows.

The centroids of a level are pulled together by the penalty, and memberships blur them.  So a
few steps of k-means come first (``Plateau.released``).  Then every row is asked how much
nearer it is to its own cluster than to the next one, 1 - d1/d2, where d1 is the distance to
the mean of the *other* rows of its cluster: in many dimensions a row drags the mean of a few
rows towards itself, and any small cluster would look compact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.memberships.noise import OFF
from fastcaf.selection.cluster_gap import narrowest_gap, neighbours

__all__ = ["Separation", "measure_separation"]


@dataclass(frozen=True)
class Separation:
    """What the rows say of a set of centroids.

    Attributes
    ----------
    mean : float
        Mean over the rows of 1 - d1/d2: 1 where clusters are points, 0 where rows lie halfway
        between two.
    weakest : float
        The same mean over the rows of the one cluster where it is least.
    cluster_gap : float
        The narrowest gap between two neighbouring clusters (``cluster_gap.py``).
    """

    mean: float
    weakest: float
    cluster_gap: float


def measure_separation(
    rows: RowSource, centroids: FloatArray, noise: float = OFF
) -> Separation:
    """Measure how far apart clusters stand, in one pass over the rows.

    Parameters
    ----------
    rows : RowSource
    centroids : ndarray of shape (c, d)
        After a few steps of k-means.
    noise : float
        Squared distance beyond which rows do not count.

    Returns
    -------
    Separation
        Mean and weakest are 0 for one centroid, and where one of them is nearest to no row:
        that is no cluster.
    """
    if len(centroids) == 1:
        return Separation(0.0, 0.0, np.inf)
    pairs = neighbours(centroids)
    found = rows.cluster_sums(centroids, pairs, noise)
    gap = narrowest_gap(found, centroids, pairs, rows.one_row)
    if not found.weight.all():
        return Separation(0.0, 0.0, gap)
    others = found.weight - rows.one_row
    # The mean without a row is farther from it by weight / (weight - one row).
    shrunken = np.where(others > 0.0, found.ratios / np.where(others > 0.0, others, 1.0), 1.0)
    apart = np.maximum(1.0 - shrunken, 0.0)
    return Separation(float(np.average(apart, weights=found.weight)), float(apart.min()), gap)
