"""The narrowest gap between neighbouring clusters: a valley, or a block cut in two.

Along the line that joins the means of two clusters, the gap is the distance of the means over
the standard deviation of their rows.  It does not depend on what the rows do in other
directions, so it means the same in any number of dimensions and for clusters of any shape: a
uniform block cut in two halves has 2 sqrt(3) = 3.46, a Gaussian cloud 2.65, two Gaussian
clusters as many as there are deviations between them.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from fastcaf._typing import FloatArray
from fastcaf.data.sources import ArrayRows, nearest

__all__ = ["CLEAR_GAP", "narrowest_gap"]

# A little above the 3.46 of a uniform block: on 300 rows chance adds up to 0.2.
CLEAR_GAP = 3.7


def narrowest_gap(source: ArrayRows, centroids: FloatArray) -> float:
    """Least gap between two neighbouring clusters.

    Parameters
    ----------
    source : ArrayRows
    centroids : ndarray of shape (c, d)
        Let go (``separation.py``): near the means of their rows.

    Returns
    -------
    float
        In standard deviations; inf for one cluster and where rows coincide.
    """
    labels = nearest(source.rows, centroids)[0]
    pairs = neighbours(centroids)
    spread = np.zeros(pairs.shape)
    blur = np.zeros(len(centroids))
    by_label = np.argsort(labels, kind="stable")
    borders = np.searchsorted(labels[by_label], np.arange(len(centroids) + 1))
    for j, (start, stop) in enumerate(pairwise(borders)):
        others = np.flatnonzero(pairs[j])
        if start < stop and len(others):
            lines = centroids[others] - centroids[j]
            spread[j, others], blur[j] = _variance_along(source, by_label[start:stop], lines)
    spread = 0.5 * (spread + spread.T)
    # Means of few rows lie apart by chance: so much is expected of the squared distances.
    apart = np.maximum(cdist(centroids, centroids, "sqeuclidean") - blur[:, None] - blur, 0.0)
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


def _variance_along(
    source: ArrayRows, mine: NDArray[np.intp], lines: FloatArray
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
