"""Where rows come from.  The method asks a source for sums over its rows, never for rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastcaf.kernels import distances
from fastcaf.memberships.base import FloatArray, MembershipModel, Statistics
from fastcaf.threads import PARALLEL_WORK, launch

__all__ = ["ArrayRows", "RowSource", "Separations", "nearest"]

BLOCK = 16_384  # rows handled at once where a temporary array is needed


def nearest(rows: NDArray, centroids: FloatArray) -> tuple[NDArray[np.int32], NDArray, NDArray]:
    """Nearest centroid of every row, and squared distances to the nearest two."""
    result: tuple[NDArray[np.int32], NDArray, NDArray] = launch(
        distances.nearest_serial,
        distances.nearest_parallel,
        rows.size * len(centroids) > PARALLEL_WORK,
        rows,
        centroids,
    )
    return result


@dataclass(frozen=True)
class Separations:
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


class RowSource(Protocol):
    """Rows in internal coordinates (see ``frame.py``), seen through sums."""

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

    def separations(self, centroids: FloatArray) -> Separations:
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
    """

    rows: NDArray
    row_weights: NDArray
    one_row: float = 1.0

    @property
    def total_weight(self) -> float:
        """Sum of the row weights."""
        if len(self.row_weights):
            return float(self.row_weights.sum(dtype=np.float64))
        return float(len(self.rows))

    def statistics(self, model: MembershipModel, centroids: FloatArray) -> Statistics:
        """The model's sums over all rows."""
        return model.statistics(self.rows, self.row_weights, centroids)

    def separations(self, centroids: FloatArray) -> Separations:
        """How far apart the clusters of these centroids stand."""
        labels, first, second = nearest(self.rows, centroids)
        ratio = np.ones(len(first))
        np.divide(first, second, out=ratio, where=second > 0)
        np.sqrt(ratio, out=ratio)
        weights = self.row_weights if len(self.row_weights) else np.ones(len(ratio))
        sums = [
            np.bincount(labels, one, minlength=len(centroids)).astype(np.float64)
            for one in (weights, weights * ratio)
        ]
        return Separations(*sums)

    def effective_dimension(self) -> float:
        """(sum of eigenvalues)^2 / (sum of their squares) of the rows' covariance."""
        d = self.rows.shape[1]
        covariance = np.zeros((d, d))
        for start in range(0, len(self.rows), BLOCK):
            block = self.rows[start : start + BLOCK].astype(np.float64)
            if len(self.row_weights):
                weights = self.row_weights[start : start + BLOCK]
                covariance += (block * weights[:, None]).T @ block
            else:
                covariance += block.T @ block
        squares = float((covariance**2).sum())
        return float(np.trace(covariance)) ** 2 / squares if squares > 0.0 else 1.0
