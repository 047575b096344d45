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

from fastcaf.evidence import let_go
from fastcaf.memberships.base import FloatArray
from fastcaf.sources import ArrayRows, nearest

__all__ = ["CLEAR_GAP", "narrowest_gap"]

# A little above the 3.46 of a uniform block: on 300 rows chance adds up to 0.2.
CLEAR_GAP = 3.7


def narrowest_gap(source: ArrayRows, centroids: FloatArray) -> float:
    """Least gap between two neighbouring clusters, after a few steps of k-means.

    Parameters
    ----------
    source : ArrayRows
    centroids : ndarray of shape (c, d)

    Returns
    -------
    float
        In standard deviations; inf for one cluster and where rows coincide.
    """
    means = let_go(source, centroids)
    labels = nearest(source.rows, means)[0]
    pairs = neighbours(means)
    spread = np.zeros(pairs.shape)
    blur = np.zeros(len(means))
    for j in range(len(means)):
        others, mine = np.flatnonzero(pairs[j]), labels == j
        if mine.any() and len(others):
            spread[j, others], blur[j] = _spread(source, mine, means[others] - means[j])
    spread = 0.5 * (spread + spread.T)
    # Means of few rows lie apart by chance: so much is expected of the squared distances.
    apart = np.maximum(cdist(means, means, "sqeuclidean") - blur[:, None] - blur, 0.0)
    pairs &= spread > 0.0
    gaps = np.sqrt(apart / np.where(pairs, spread, 1.0))
    return float(np.min(gaps, initial=np.inf, where=pairs))


def neighbours(means: FloatArray) -> NDArray[np.bool_]:
    """Pairs with no third mean in the ball whose diameter they are (Gabriel's graph)."""
    squared = cdist(means, means, "sqeuclidean")
    result = np.ones(squared.shape, dtype=bool)
    for k in range(len(means)):
        inside = squared[:, k][:, None] + squared[k] < squared
        result &= ~inside
    np.fill_diagonal(result, False)
    return result


def _spread(
    source: ArrayRows, mine: NDArray[np.bool_], lines: FloatArray
) -> tuple[FloatArray, float]:
    """Variance of the chosen rows along every line, and the squared error of their mean."""
    rows = source.rows[mine].astype(np.float64)
    weights = source.row_weights[mine] if len(source.row_weights) else np.ones(len(rows))
    total = float(weights.sum())
    weights = weights / max(total - source.one_row, 1e-12 * total)
    rows -= weights @ rows / weights.sum()
    along = rows @ (lines / np.linalg.norm(lines, axis=1)[:, None]).T
    # What lies within cells is shared equally by all directions.
    within = float(weights @ source.scatter[mine]) if len(source.scatter) else 0.0
    error = (float(weights @ (rows**2).sum(axis=1)) + within) * source.one_row / total
    return weights @ along**2 + within / rows.shape[1], error
