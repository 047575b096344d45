"""Other levels of a clusterpath whose clusters are sets of rows that fused."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastcaf.estimators.cut import Cut

__all__ = ["FusedCut", "one_hot"]


@dataclass(frozen=True)
class FusedCut(Cut):
    """Clusters at one level of a ``ConvexClustering``: a ``Cut`` whose labels are known.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Of the training rows: which of them are fused.
    memberships : ndarray of shape (n, n_clusters)
        The same as numbers, 0 or 1.
    """

    _labels: NDArray[np.int32] = field(repr=False)

    @property
    def membership(self) -> str:
        """The path that was cut."""
        return "convex"

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """Labels of the training rows."""
        return self._labels

    @cached_property
    def memberships(self) -> NDArray:
        """Memberships of the training rows."""
        return one_hot(self._labels, self.n_clusters)


def one_hot(labels: NDArray[np.int32], n_clusters: int) -> NDArray:
    """Hard memberships."""
    memberships = np.zeros((len(labels), n_clusters))
    memberships[np.arange(len(labels)), labels] = 1.0
    return memberships
