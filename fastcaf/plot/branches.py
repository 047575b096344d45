"""Which cluster each node of the tree of merges belongs to."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from fastcaf.cuts import slice_at_number
from fastcaf.exceptions import BeyondPathWarning

__all__ = ["ABOVE", "clusters_of_nodes"]

ABOVE = -1  # a node above the cut, which holds several clusters


def clusters_of_nodes(model: Any) -> NDArray[np.intp]:
    """The cluster of every node, starting centroids first; -1 above the reported cut.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.

    Returns
    -------
    ndarray of shape (2 K - 1,)
    """
    path = model.path_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BeyondPathWarning)  # the fit has said so
        cut = slice_at_number(path, model.n_clusters_)
    n_leaves = len(path.start)
    clusters = np.full(2 * n_leaves - 1, ABOVE)
    # The reported centers may be another level of the same run, or settled on all rows: near
    # the cut's, in another order.
    _, labels = linear_sum_assignment(cdist(cut.centroids, model.cluster_centers_))
    clusters[cut.nodes] = labels
    for i in reversed(range(n_leaves - model.n_clusters_)):
        merge = path.merges[i]
        clusters[[merge.first, merge.second]] = clusters[n_leaves + i]
    return clusters
