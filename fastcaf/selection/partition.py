"""A fuzzy partition and the sums that validity indices take of it (``indices.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.data.sums import PartitionSums
from fastcaf.memberships.base import MembershipModel

__all__ = ["HardClusters", "Partition"]


@dataclass(frozen=True)
class HardClusters:
    """Rows by their largest membership.  Clusters that get no row are left out.

    Attributes
    ----------
    weight : ndarray of shape (k,)
        Sum of the row weights.
    means : ndarray of shape (k, d)
        Relative to the mean of the partition's centroids.
    distances, squares : ndarray of shape (k,)
        Weighted sums of the distances to the cluster's mean, and of their squares.
    """

    weight: FloatArray
    means: FloatArray
    distances: FloatArray
    squares: FloatArray


@dataclass(frozen=True)
class Partition:
    """Rows, centroids, and a model that shares the rows among them.

    Sums are taken in float64, when an index first asks for them.

    Parameters
    ----------
    rows : RowSource
    centroids : ndarray of shape (c, d)
        In the coordinates of the rows.
    model : MembershipModel
    """

    rows: RowSource
    centroids: FloatArray
    model: MembershipModel

    @cached_property
    def soft(self) -> PartitionSums:
        """Sums over the memberships, in one pass over the rows."""
        return self.rows.partition_sums(self.model, self.centroids)

    @cached_property
    def hard(self) -> HardClusters:
        """The clusters of the hard labels, in one more pass."""
        weight, offsets = self.soft.weight, self.soft.offsets
        some = weight > 0.0
        means = offsets / np.where(some, weight, 1.0)[:, None]
        found = self.rows.hard_distances(self.model, self.centroids, means)
        return HardClusters(weight[some], means[some], *found[:, some])
