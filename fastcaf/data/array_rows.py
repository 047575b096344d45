"""Rows in memory, and the sums over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.spatial.distance import cdist
from scipy.special import entr

from fastcaf._typing import FloatArray
from fastcaf.data.sums import ClusterSums, PartitionSums
from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.nearest import nearest
from fastcaf.memberships.noise import OFF, hard_labels

__all__ = ["BLOCK", "ArrayRows", "indicator", "nearest", "spans"]

BLOCK = 16_384  # rows handled at once where a temporary array is needed
ENTRIES = 2**19  # numbers in one temporary array: with many columns, blocks have fewer rows


def spans(n: int, width: int) -> Iterator[slice]:
    """Blocks of n rows for temporary arrays with ``width`` columns."""
    size = max(1, min(BLOCK, ENTRIES // max(width, 1)))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def indicator(labels: NDArray[np.intp], weights: NDArray, n: int) -> csc_array:
    """The n x rows matrix with the weight of a row where its label is: sums by label."""
    return csc_array(
        (weights.astype(np.float64), labels, np.arange(len(labels) + 1)), (n, len(labels))
    )


@dataclass(frozen=True)
class ArrayRows:
    """Rows in memory: a ``RowSource``.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        C-ordered float32 or float64, centred and scaled.
    row_weights : ndarray of shape (n,) or (0,)
        Positive, in the precision of the rows; empty: 1 for every row.
    one_row : float
        What one row weighs, where "all rows but one" are meant.
    scatter : ndarray of shape (n,) or (0,)
        Where a row is the representative of a cell of rows, their mean: the mean of their
        squared distances to it, in the precision of the rows.  It is a part of the squared
        distances to all centroids, in every direction the same.  Empty: 0.
    """

    rows: NDArray
    row_weights: NDArray
    one_row: float = 1.0
    scatter: NDArray = field(default_factory=lambda: np.empty(0))

    def in_memory(self) -> ArrayRows:
        """The rows themselves."""
        return self

    @property
    def weights(self) -> NDArray:
        """Of every row, n of them."""
        return self.row_weights if len(self.row_weights) else np.ones(len(self.rows))

    @property
    def total_weight(self) -> float:
        """Sum of the row weights."""
        if len(self.row_weights):
            return float(self.row_weights.sum(dtype=np.float64))
        return float(len(self.rows))

    @property
    def extent(self) -> NDArray:
        """Largest less least value of every column."""
        return np.ptp(self.rows, axis=0)

    def statistics(self, model: MembershipModel, centroids: FloatArray) -> Statistics:
        """The model's sums over all rows."""
        scatter = self.scatter if len(self.scatter) else None
        return model.statistics(self.rows, self.row_weights, centroids, scatter)

    def second_moments(self) -> FloatArray:
        """Weighted sum of x x^T."""
        moments = np.zeros((self.rows.shape[1],) * 2)
        for start in range(0, len(self.rows), BLOCK):
            block = self.rows[start : start + BLOCK].astype(np.float64)
            if len(self.row_weights):
                weights = self.row_weights[start : start + BLOCK]
                moments += (block * weights[:, None]).T @ block
            else:
                moments += block.T @ block
        return moments

    def cluster_sums(
        self, centroids: FloatArray, pairs: NDArray[np.bool_], noise: float = OFF
    ) -> ClusterSums:
        """Sums over the rows of every nearest centroid, none beyond the noise's distance."""
        labels, first, second = nearest(self.rows, centroids)
        if noise < OFF:
            return self.chosen(first <= noise).cluster_sums(centroids, pairs)
        if len(self.scatter):
            first, second = first + self.scatter, second + self.scatter
        ratio = np.ones(len(first))
        np.divide(first, second, out=ratio, where=second > 0)
        np.sqrt(ratio, out=ratio)
        weights, (n, d) = self.weights, centroids.shape
        weight, ratios = (
            np.bincount(labels, one, minlength=n).astype(np.float64)
            for one in (weights, weights * ratio)
        )
        offsets, squares, along = np.zeros((n, d)), np.zeros(n), np.zeros((n, n))
        by_label = np.argsort(labels, kind="stable")
        borders = np.searchsorted(labels[by_label], np.arange(n + 1))
        for j, (start, stop) in enumerate(pairwise(borders)):
            mine, others = by_label[start:stop], np.flatnonzero(pairs[j])
            # From the centroid, which is near their mean: no digits are lost in their squares.
            inside = self.rows[mine].astype(np.float64) - centroids[j]
            a = weights[mine].astype(np.float64)
            offsets[j] = a @ inside
            squares[j] = a @ np.einsum("ij,ij->i", inside, inside)
            lines = centroids[others] - centroids[j]
            lines /= np.linalg.norm(lines, axis=1)[:, None]
            along[j, others] = a @ (inside @ lines.T) ** 2
            if len(self.scatter):
                within = a @ self.scatter[mine]
                squares[j] += within
                along[j, others] += within / d
        return ClusterSums(weight, ratios, offsets, squares, along)

    def chosen(self, which: NDArray[np.bool_]) -> ArrayRows:
        """Some of the rows."""
        return replace(
            self,
            rows=self.rows[which],
            row_weights=self.row_weights[which] if len(self.row_weights) else self.row_weights,
            scatter=self.scatter[which] if len(self.scatter) else self.scatter,
        )

    def partition_sums(self, model: MembershipModel, centroids: FloatArray) -> PartitionSums:
        """Sums over the memberships, and over the rows of every hard cluster."""
        (c, d), origin = centroids.shape, centroids.mean(axis=0)
        squares = entropy = compactness = 0.0
        weight, offsets = np.zeros(c), np.zeros((c, d))
        for span, mu in self._memberships(model, centroids):
            weights = self.weights[span].astype(np.float64)
            squares += float(weights @ (mu**2).sum(axis=1))
            entropy += float(weights @ entr(mu).sum(axis=1))
            inside = self.relative_to(origin, span)
            weighted = cdist(inside, centroids - origin, "sqeuclidean")
            if len(self.scatter):
                weighted += self.scatter[span, None]
            weighted *= mu**model.fuzzifier
            compactness += float(weights @ weighted.sum(axis=1))
            labels = mu.argmax(axis=1)
            weights *= _in_clusters(model, mu)
            weight += np.bincount(labels, weights, c)
            offsets += indicator(labels, weights, c) @ inside
        return PartitionSums(squares, entropy, compactness, weight, offsets)

    def hard_distances(
        self, model: MembershipModel, centroids: FloatArray, means: FloatArray
    ) -> FloatArray:
        """Sums of distances to the means of the hard clusters, and of their squares."""
        c, origin = len(centroids), centroids.mean(axis=0)
        sums = np.zeros((2, c))
        for span, mu in self._memberships(model, centroids):
            labels = mu.argmax(axis=1)
            weights = self.weights[span].astype(np.float64) * _in_clusters(model, mu)
            offsets = np.linalg.norm(self.relative_to(origin, span) - means[labels], axis=1)
            if len(self.scatter):
                offsets = np.hypot(offsets, np.sqrt(self.scatter[span]))
            sums += [np.bincount(labels, weights * offsets**power, c) for power in (1, 2)]
        return sums

    def relative_to(self, origin: FloatArray, which: slice | NDArray[np.intp]) -> FloatArray:
        """Some rows in float64, from a point near them: sums keep digits under an offset."""
        return self.rows[which].astype(np.float64) - origin

    def _memberships(
        self, model: MembershipModel, centroids: FloatArray
    ) -> Iterator[tuple[slice, FloatArray]]:
        """The memberships, some rows at a time: no array has all rows and all clusters."""
        for span in spans(len(self.rows), max(centroids.shape)):
            yield span, model.memberships(self.rows[span], centroids).astype(np.float64)


def _in_clusters(model: MembershipModel, mu: FloatArray) -> FloatArray:
    """1 for the rows that belong to a cluster, 0 for those of the noise."""
    if model.noise == OFF:
        return np.ones(len(mu))
    return (hard_labels(mu) >= 0).astype(np.float64)
