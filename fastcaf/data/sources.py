"""Where rows come from.  The method asks a source for sums over its rows, never for rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.array_rows import ArrayRows
from fastcaf.data.sums import ClusterSums, PartitionSums
from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.noise import OFF

__all__ = ["ArrayRows", "BlockRows", "RowSource"]


class RowSource(Protocol):
    """Rows in internal coordinates (``coordinates.py``), seen through sums.

    Every sum is one pass over the rows.
    """

    @property
    def one_row(self) -> float:
        """What one row weighs, whatever it is that the source has in memory."""
        ...

    @property
    def total_weight(self) -> float:
        """Sum of the row weights."""
        ...

    @property
    def extent(self) -> NDArray:
        """Largest less least value of every column, in the precision of the rows."""
        ...

    def statistics(self, model: MembershipModel, centroids: FloatArray) -> Statistics:
        """The model's sums over all rows."""
        ...

    def cluster_sums(
        self, centroids: FloatArray, pairs: NDArray[np.bool_], noise: float = OFF
    ) -> ClusterSums:
        """Sums over the rows of every nearest centroid; along the lines of these pairs.

        Rows beyond the squared distance ``noise`` are left out.
        """
        ...

    def partition_sums(self, model: MembershipModel, centroids: FloatArray) -> PartitionSums:
        """Sums over the memberships, and over the rows of every hard cluster."""
        ...

    def hard_distances(
        self, model: MembershipModel, centroids: FloatArray, means: FloatArray
    ) -> FloatArray:
        """Sums of distances to the means of the hard clusters, and of their squares: 2 x K.

        The means are relative to the mean of the centroids.
        """
        ...

    def in_memory(self) -> ArrayRows:
        """The rows themselves, where they are in memory; an error where they are not."""
        ...


@dataclass(frozen=True)
class BlockRows:
    """Rows that are never in memory all at once.

    Parameters
    ----------
    blocks : callable
        Yields all rows, as ``ArrayRows``, from the first one each time it is called.
    one_row : float
        What one row weighs.
    total_weight : float
        Sum of the row weights.
    extent : ndarray of shape (d,)
        Largest less least value of every column.
    """

    blocks: Callable[[], Iterator[ArrayRows]]
    one_row: float
    total_weight: float
    extent: NDArray

    def statistics(self, model: MembershipModel, centroids: FloatArray) -> Statistics:
        """The model's sums over all rows."""
        return reduce(add, (one.statistics(model, centroids) for one in self.blocks()))

    def cluster_sums(
        self, centroids: FloatArray, pairs: NDArray[np.bool_], noise: float = OFF
    ) -> ClusterSums:
        """Sums over the rows of every nearest centroid."""
        return reduce(add, (one.cluster_sums(centroids, pairs, noise) for one in self.blocks()))

    def partition_sums(self, model: MembershipModel, centroids: FloatArray) -> PartitionSums:
        """Sums over the memberships, and over the rows of every hard cluster."""
        return reduce(add, (one.partition_sums(model, centroids) for one in self.blocks()))

    def hard_distances(
        self, model: MembershipModel, centroids: FloatArray, means: FloatArray
    ) -> FloatArray:
        """Sums of distances to the means of the hard clusters, and of their squares."""
        return reduce(
            add, (one.hard_distances(model, centroids, means) for one in self.blocks())
        )

    def in_memory(self) -> ArrayRows:
        """Not here: what needs it has to ask the source that paths are followed on."""
        raise TypeError("Rows that come in blocks are never in memory all at once.")
