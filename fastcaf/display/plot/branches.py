"""Which cluster each node of the tree of merges belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.display.reported import reported_cut, reported_labels

__all__ = ["ABOVE", "clusters_of_nodes"]

ABOVE = -1  # the cluster of a node above the cut, which has several


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
    cut = reported_cut(model)
    ancestors = model.path_.tree.ancestor_at(model.n_clusters_)
    clusters = np.full(len(ancestors), ABOVE)
    clusters[cut.nodes] = reported_labels(model, cut.centroids)
    return np.where(ancestors < 0, ABOVE, clusters[ancestors])
