"""Which cluster each node of the tree of merges belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.display.reported import reported_cut, reported_labels

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
    path, cut = model.path_, reported_cut(model)
    n_leaves = len(path.start)
    clusters = np.full(2 * n_leaves - 1, ABOVE)
    clusters[cut.nodes] = reported_labels(model, cut.centroids)
    for i in reversed(range(n_leaves - model.n_clusters_)):
        merge = path.merges[i]
        clusters[[merge.first, merge.second]] = clusters[n_leaves + i]
    return clusters
