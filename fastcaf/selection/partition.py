"""A fuzzy partition and the sums that validity indices take of it (see ``indices.py``).

No array has a number for every row and cluster, or for every two rows: what needs one is done
in blocks of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.spatial.distance import cdist
from scipy.special import entr

from fastcaf._typing import FloatArray
from fastcaf.data.sources import BLOCK
from fastcaf.memberships.base import MembershipModel

__all__ = ["HardClusters", "Partition", "SoftSums", "spans"]

ENTRIES = 2**19  # numbers in one temporary array: with many columns, blocks have fewer rows


@dataclass(frozen=True)
class SoftSums:
    """What one pass over the memberships leaves of them.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Where the largest membership is.
    margins : ndarray of shape (n,)
        The largest membership less the second largest.
    squares, entropy, compactness : float
        Sums of a_i mu_ij^2, of -a_i mu_ij log(mu_ij) and of a_i mu_ij^m d_ij.
    """

    labels: NDArray[np.intp]
    margins: FloatArray
    squares: float
    entropy: float
    compactness: float


@dataclass(frozen=True)
class HardClusters:
    """Rows by their largest membership.  Clusters that get no row are left out.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        From 0 to k - 1.
    weight : ndarray of shape (k,)
        Sum of the row weights.
    means : ndarray of shape (k, d)
        Relative to the mean of the partition's centroids.
    distances, squares : ndarray of shape (k,)
        Weighted sums of the distances to the cluster's mean, and of their squares.
    """

    labels: NDArray[np.intp]
    weight: FloatArray
    means: FloatArray
    distances: FloatArray
    squares: FloatArray


@dataclass(frozen=True)
class Partition:
    """Rows, centroids, and a model that shares the rows among them.

    Sums are taken in float64 when an index first asks for them, in blocks of rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        C-ordered float32 or float64, at least one, in the coordinates of the model.
    row_weights : ndarray of shape (n,) or (0,)
        Positive; empty: 1 for every row.
    centroids : ndarray of shape (c, d)
        In the coordinates of the rows.
    model : MembershipModel
    unit : float
        The weight of row i is ``unit * row_weights[i]``: 1, or ``Coordinates.unit`` for weights
        in internal units.
    scatter : ndarray of shape (n,) or (0,)
        Of rows that stand for cells (see ``ArrayRows``): a part of their squared distances.
    """

    rows: NDArray
    row_weights: NDArray
    centroids: FloatArray
    model: MembershipModel
    unit: float = 1.0
    scatter: NDArray = field(default_factory=lambda: np.empty(0))

    @cached_property
    def weights(self) -> FloatArray:
        """Weights of the rows, n of them."""
        if len(self.row_weights):
            return self.unit * self.row_weights.astype(np.float64)
        return np.ones(len(self.rows))

    @cached_property
    def total_weight(self) -> float:
        """Sum of the row weights."""
        return float(self.weights.sum())

    @cached_property
    def one_row(self) -> float:
        """What one row weighs: 1, or the mean weight where that is less.

        Weights that sum to 1 are shares, not copies.
        """
        return min(1.0, self.total_weight / len(self.rows))

    @cached_property
    def soft(self) -> SoftSums:
        """Sums over the memberships, in one pass over the rows."""
        n, c = len(self.rows), len(self.centroids)
        labels, margins = np.empty(n, dtype=np.intp), np.ones(n)
        squares = entropy = compactness = 0.0
        places = self.centroids - self._origin
        for span in spans(n, max(self.rows.shape[1], c)):
            mu = self.model.memberships(self.rows[span], self.centroids).astype(np.float64)
            weights = self.weights[span]
            labels[span] = mu.argmax(axis=1)
            if c > 1:
                largest = np.partition(mu, c - 2, axis=1)[:, c - 2 :]
                margins[span] = largest[:, 1] - largest[:, 0]
            squares += float(weights @ (mu**2).sum(axis=1))
            entropy += float(weights @ entr(mu).sum(axis=1))
            spread = cdist(self.centred(span), places, "sqeuclidean")
            if len(self.scatter):
                spread += self.scatter[span, None]
            spread *= mu**self.model.fuzzifier
            compactness += float(weights @ spread.sum(axis=1))
        return SoftSums(labels, margins, squares, entropy, compactness)

    @cached_property
    def hard(self) -> HardClusters:
        """The clusters of the hard labels, in two passes over the rows."""
        present, labels = np.unique(self.soft.labels, return_inverse=True)
        n, d = self.rows.shape
        weight = _sums_by(labels, self.weights)
        means = np.zeros((len(present), d))
        for span in spans(n, d):
            one_a_row = np.arange(span.stop - span.start + 1)
            shape = (len(present), one_a_row[-1])
            members = csc_array((self.weights[span], labels[span], one_a_row), shape=shape)
            means += members @ self.centred(span)
        means /= weight[:, None]
        offsets = np.empty(n)
        for span in spans(n, d):
            offsets[span] = np.linalg.norm(self.centred(span) - means[labels[span]], axis=1)
        if len(self.scatter):
            offsets = np.hypot(offsets, np.sqrt(self.scatter))
        distances = _sums_by(labels, self.weights * offsets)
        squares = _sums_by(labels, self.weights * offsets**2)
        return HardClusters(labels, weight, means, distances, squares)

    @cached_property
    def _origin(self) -> FloatArray:
        """Near the rows: sums of what is left keep their digits under a large offset."""
        return self.centroids.mean(axis=0)

    def centred(self, which: slice | NDArray[np.intp]) -> FloatArray:
        """Some of the rows, in float64, relative to the mean of the centroids."""
        return self.rows[which].astype(np.float64) - self._origin


def spans(n: int, width: int) -> Iterator[slice]:
    """Blocks of n rows for temporary arrays with ``width`` columns."""
    size = max(1, min(BLOCK, ENTRIES // max(width, 1)))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def _sums_by(labels: NDArray[np.intp], values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(labels, values), dtype=np.float64)
