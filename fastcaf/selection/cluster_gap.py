"""The narrowest gap between neighbouring clusters: a valley, or a block cut in two.

Along the line that joins the means of two clusters, the gap is the distance of the means over
the standard deviation of their rows.  It does not depend on what the rows do in other
directions, so it means the same in any number of dimensions and for clusters of any shape: a
uniform block cut in two halves has 2 sqrt(3) = 3.46, a Gaussian cloud 2.65, two Gaussian
clusters as many as there are deviations between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from fastcaf._typing import FloatArray
from fastcaf.data.sums import ClusterSums

__all__ = ["CLEAR_GAP", "narrowest_gap", "neighbours"]

# A little above the 3.46 of a uniform block: on 300 rows chance adds up to 0.2.
CLEAR_GAP = 3.7


def narrowest_gap(
    sums: ClusterSums, centroids: FloatArray, pairs: NDArray[np.bool_], one_row: float
) -> float:
    """Least gap between two neighbouring clusters.

    Parameters
    ----------
    sums : ClusterSums
        Of the centroids, along the lines of the pairs.
    centroids : ndarray of shape (c, d)
        Near the means of their rows.
    pairs : ndarray of shape (c, c)
        The ``neighbours``.
    one_row : float
        What one row weighs.

    Returns
    -------
    float
        In standard deviations; inf for one cluster and where rows coincide.
    """
    weight = np.where(sums.weight > 0.0, sums.weight, 1.0)
    others = np.maximum(weight - one_row, 1e-12 * weight)
    means = sums.offsets / weight[:, None]
    squared = cdist(centroids, centroids, "sqeuclidean")
    lengths = np.sqrt(np.where(pairs, squared, 1.0))
    # Along the lines, from the mean and not from the centroid.
    along = (means @ centroids.T - np.einsum("ij,ij->i", means, centroids)[:, None]) / lengths
    variance = np.maximum(sums.along - weight[:, None] * along**2, 0.0) / others[:, None]
    variance = 0.5 * (variance + variance.T)
    # Means of few rows lie apart by chance: so much is expected of the squared distances.
    scatter = sums.squares - weight * np.einsum("ij,ij->i", means, means)
    blur = np.maximum(scatter, 0.0) / others * one_row / weight
    apart = np.maximum(squared - blur[:, None] - blur, 0.0)
    pairs = pairs & (variance > 0.0)
    gaps = np.sqrt(apart / np.where(pairs, variance, 1.0))
    return float(np.min(gaps, initial=np.inf, where=pairs))


def neighbours(means: FloatArray) -> NDArray[np.bool_]:
    """Pairs with no third mean in the ball whose diameter they are (Gabriel's graph)."""
    squared = cdist(means, means, "sqeuclidean")
    result = squared > 0.0
    for k in range(len(means)):
        inside = squared[:, k][:, None] + squared[k] < squared
        result &= ~inside
    return result
