"""Centroids that no cluster supports: ghosts and twins.

An exact path carries centroids that are no clusters: one in the middle of everything, or two
that share one cluster.  Their confidence, sum_i mu_ij^m / sum_i mu_ij, gives them away: it is
the mean membership of a cluster's own mass, high where rows belong to it alone and low
where they are shared.  With entropy memberships, which are crisp everywhere, a centroid in the
middle of everything holds no rows at all, and its mass gives it away.
"""

from __future__ import annotations

import numpy as np

from fastcaf.memberships.base import FloatArray

__all__ = ["EMPTY", "weakest_unsupported"]

# Share of the mean mass below which a centroid counts as empty.
EMPTY = 0.02


def weakest_unsupported(
    confidence: FloatArray, mass: FloatArray, least_confidence: float
) -> int | None:
    """Index of the least supported centroid if it should be dropped, else None.

    Parameters
    ----------
    confidence : ndarray of shape (K,)
        Mean membership of each cluster's own mass.
    mass : ndarray of shape (K,)
        Sum of the memberships in each cluster.
    least_confidence : float
        Share of the median confidence that a centroid must reach; the model's.

    Returns
    -------
    int or None
        None with one or two centroids too: a median of two says nothing.
    """
    if len(confidence) <= 2:
        return None
    lightest = int(np.argmin(mass))
    if mass[lightest] < EMPTY * mass.mean():
        return lightest
    ranked = np.sort(confidence)
    median = 0.5 * (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2])
    return int(np.argmin(confidence)) if ranked[0] < least_confidence * median else None
