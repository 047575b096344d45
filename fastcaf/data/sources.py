"""Where rows come from.  The method asks a source for sums over its rows, never for rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.kernels.rows import distances
from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.runtime.threads import PARALLEL_WORK, launch

__all__ = ["ArrayRows", "BlockRows", "RowSource", "SeparationSums", "nearest"]

BLOCK = 16_384  # rows handled at once where a temporary array is needed


def nearest(rows: NDArray, centroids: FloatArray) -> tuple[NDArray[np.int32], NDArray, NDArray]:
    """Nearest centroid of every row, and squared distances to the nearest two."""
    result: tuple[NDArray[np.int32], NDArray, NDArray] = launch(
        distances.nearest_serial,
        distances.nearest_parallel,
        rows.size * len(centroids) > PARALLEL_WORK,
        np.ascontiguousarray(rows),  # kernels load from memory as it lies
        centroids,
    )
    return result


@dataclass(frozen=True)
class SeparationSums:
    """Sums over the rows of each cluster, every row in that of its nearest centroid.

    Attributes
    ----------
    mass : ndarray of shape (K,)
        Weight of its rows.
    ratios : ndarray of shape (K,)
        Weighted sum of (distance to the nearest centroid) / (to the second nearest).
    """

    mass: FloatArray
    ratios: FloatArray

    def __add__(self, other: SeparationSums) -> SeparationSums:
        return SeparationSums(self.mass + other.mass, self.ratios + other.ratios)


class RowSource(Protocol):
    """Rows in internal coordinates (see ``coordinates.py``), seen through sums."""

    @property
    def one_row(self) -> float:
        """What one row weighs."""
        ...

    @property
    def total_weight(self) -> float:
        """Sum of the row weights."""
        ...

    def statistics(self, model: MembershipModel, centroids: FloatArray) -> Statistics:
        """The model's sums over all rows."""
        ...

    def separations(self, centroids: FloatArray) -> SeparationSums:
        """How far apart the clusters of these centroids stand."""
        ...

    def effective_dimension(self) -> float:
        """(sum of eigenvalues)^2 / (sum of their squares) of the rows' covariance."""
        ...


@dataclass(frozen=True)
class ArrayRows:
    """Rows in memory.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        C-ordered float32 or float64, centred and scaled.
    row_weights : ndarray of shape (n,) or (0,)
        Positive, in the precision of the rows; empty: 1 for every row.
    one_row : float
        What one row weighs, where "all rows but one" are meant.
    scatter : ndarray of shape (n,) or (0,)
        Where a row stands for a cell of rows by their mean: the mean of their squared
        distances to it, in the precision of the rows.  Empty: 0.
    """

    rows: NDArray
    row_weights: NDArray
    one_row: float = 1.0
    scatter: NDArray = field(default_factory=lambda: np.empty(0))

    @property
    def total_weight(self) -> float:
        """Sum of the row weights."""
        if len(self.row_weights):
            return float(self.row_weights.sum(dtype=np.float64))
        return float(len(self.rows))

    def statistics(self, model: MembershipModel, centroids: FloatArray) -> Statistics:
        """The model's sums over all rows."""
        scatter = self.scatter if len(self.scatter) else None
        return model.statistics(self.rows, self.row_weights, centroids, scatter)

    def separations(self, centroids: FloatArray) -> SeparationSums:
        """How far apart the clusters of these centroids stand."""
        labels, first, second = nearest(self.rows, centroids)
        if len(self.scatter):
            first, second = first + self.scatter, second + self.scatter
        ratio = np.ones(len(first))
        np.divide(first, second, out=ratio, where=second > 0)
        np.sqrt(ratio, out=ratio)
        weights = self.row_weights if len(self.row_weights) else np.ones(len(ratio))
        sums = [
            np.bincount(labels, one, minlength=len(centroids)).astype(np.float64)
            for one in (weights, weights * ratio)
        ]
        return SeparationSums(*sums)

    def second_moments(self) -> FloatArray:
        """Weighted sum of x x^T; of a cell's scatter every direction gets the same share."""
        d = self.rows.shape[1]
        moments = np.zeros((d, d))
        for start in range(0, len(self.rows), BLOCK):
            block = self.rows[start : start + BLOCK].astype(np.float64)
            if len(self.row_weights):
                weights = self.row_weights[start : start + BLOCK]
                moments += (block * weights[:, None]).T @ block
            else:
                moments += block.T @ block
        if len(self.scatter):
            weights = self.row_weights if len(self.row_weights) else np.ones(len(self.rows))
            moments += np.eye(d) * (weights.astype(np.float64) @ self.scatter / d)
        return moments

    def effective_dimension(self) -> float:
        """(sum of eigenvalues)^2 / (sum of their squares) of the rows' covariance."""
        return participation(self.second_moments())


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
    """

    blocks: Callable[[], Iterator[ArrayRows]]
    one_row: float
    total_weight: float

    def statistics(self, model: MembershipModel, centroids: FloatArray) -> Statistics:
        """The model's sums over all rows."""
        return reduce(add, (block.statistics(model, centroids) for block in self.blocks()))

    def separations(self, centroids: FloatArray) -> SeparationSums:
        """How far apart the clusters of these centroids stand."""
        return reduce(add, (block.separations(centroids) for block in self.blocks()))

    def effective_dimension(self) -> float:
        """(sum of eigenvalues)^2 / (sum of their squares) of the rows' covariance."""
        return participation(reduce(add, (one.second_moments() for one in self.blocks())))


def participation(moments: FloatArray) -> float:
    """(sum of eigenvalues)^2 / (sum of their squares) of a symmetric matrix."""
    squares = float((moments**2).sum())
    return float(np.trace(moments)) ** 2 / squares if squares > 0.0 else 1.0
