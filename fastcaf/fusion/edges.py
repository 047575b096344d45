"""Which pairs of rows pull each other together, and how strongly: a sparse graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

from fastcaf._typing import FloatArray

__all__ = ["Edges", "all_pairs", "checked_matrix", "mean_square_distance", "neighbours"]


@dataclass(frozen=True)
class Edges:
    """Weighted edges between n centroids, each once, with ``first < second``.

    Attributes
    ----------
    n : int
    first, second : ndarrays of shape (E,)
    weight : ndarray of shape (E,)
        Positive.
    """

    n: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: FloatArray

    @property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both ends of every edge."""
        return self.first, self.second

    @property
    def pull(self) -> FloatArray:
        """Sum of the weights at every centroid."""
        weight = np.concatenate([self.weight, self.weight])
        return np.bincount(np.concatenate(self.ends), weight, self.n).astype(np.float64)

    def lengths(self, places: FloatArray) -> FloatArray:
        """Distances between the ends."""
        length: FloatArray = np.linalg.norm(places[self.first] - places[self.second], axis=1)
        return length

    def components(self) -> tuple[int, NDArray[np.int64]]:
        """How many parts there are without an edge between them, and the part of each."""
        matrix = coo_array((self.weight, self.ends), (self.n, self.n))
        count, labels = connected_components(matrix, directed=False)
        return int(count), labels.astype(np.int64)

    def times(self, row_weights: FloatArray) -> Edges:
        """The same between copies of rows: a weight counts for every pair of copies."""
        weight = self.weight * row_weights[self.first] * row_weights[self.second]
        return self._positive(self.n, self.first, self.second, weight)

    def contracted(
        self, labels: NDArray[np.int64], multipliers: FloatArray
    ) -> tuple[Edges, FloatArray]:
        """Edges between sets of centroids: weights and multipliers of parallel ones added.

        A multiplier changes its sign with the direction of its edge.  Those that were feasible
        stay so, and their sums at every set do not change.
        """
        n = int(labels.max()) + 1
        one, other = labels[self.first], labels[self.second]
        low, high = np.minimum(one, other), np.maximum(one, other)
        between = low < high
        keys, place = np.unique((low * n + high)[between], return_inverse=True)
        weight = np.bincount(place, self.weight[between], len(keys)).astype(np.float64)
        signed = np.where(one < other, 1.0, -1.0)[:, None] * multipliers
        columns = [np.bincount(place, column, len(keys)) for column in signed[between].T]
        added = np.stack(columns, axis=1)
        return Edges(n, keys // n, keys % n, weight), np.ascontiguousarray(added)

    @classmethod
    def _positive(
        cls, n: int, first: NDArray[np.int64], second: NDArray[np.int64], weight: FloatArray
    ) -> Edges:
        """Without edges whose weight is 0, or so small that it became 0."""
        some = weight > 0.0
        return cls(n, first[some], second[some], weight[some])

    @classmethod
    def of_matrix(cls, matrix: csr_array) -> Edges:
        """From a symmetric matrix of weights; its diagonal does not count."""
        found = coo_array(matrix)
        upper = found.row < found.col
        first, second = found.row[upper].astype(np.int64), found.col[upper].astype(np.int64)
        return cls._positive(matrix.shape[0], first, second, found.data[upper])


def mean_square_distance(rows: FloatArray, row_weights: FloatArray) -> float:
    """Of two rows drawn at random: twice the trace of the covariance."""
    shares = row_weights / row_weights.sum()
    return float(2.0 * shares @ ((rows - shares @ rows) ** 2).sum(axis=1))


def neighbours(
    rows: FloatArray, row_weights: FloatArray, n_neighbors: int, phi: float
) -> Edges:
    """Edges to the nearest neighbours of every row, with Gaussian weights.

    omega_kl = exp(-phi ||x_k - x_l||^2 / s^2) where k is among the neighbours of l, or l among
    those of k; s^2 is the mean squared distance of two rows, so that a change of units changes
    nothing.  Rows must be distinct.
    """
    n = len(rows)
    if n == 1:
        return all_pairs(1)
    search = NearestNeighbors(n_neighbors=min(n_neighbors, n - 1)).fit(rows)
    found = search.kneighbors(return_distance=False)
    one, other = np.repeat(np.arange(n), found.shape[1]), found.ravel().astype(np.int64)
    keys = np.unique(np.minimum(one, other) * n + np.maximum(one, other))
    first, second = keys // n, keys % n
    squares = ((rows[first] - rows[second]) ** 2).sum(axis=1)
    weight = np.exp(-phi * squares / mean_square_distance(rows, row_weights))
    return Edges._positive(n, first, second, weight)


def all_pairs(n: int) -> Edges:
    """Every pair, with the weight 1."""
    first, second = (ends.astype(np.int64) for ends in np.triu_indices(n, 1))
    return Edges(n, first, second, np.ones(len(first)))


def checked_matrix(weights: Any, n_rows: int) -> csr_array:
    """A matrix of weights that the user gave, or an error that says what is wrong with it."""
    if not (issparse(weights) or hasattr(weights, "__array__")):
        raise TypeError(
            "weights must be 'neighbours', 'uniform' or a sparse matrix of shape (n, n), got "
            f"{weights!r} of type {type(weights).__name__}."
        )
    checked = check_array(
        weights, accept_sparse=["csr"], dtype=np.float64, input_name="weights"
    )
    matrix = csr_array(checked)
    if matrix.shape != (n_rows, n_rows):
        raise ValueError(
            f"weights must have a row and a column for each of the {n_rows} rows of X, got "
            f"shape {matrix.shape}."
        )
    if matrix.nnz and matrix.data.min() < 0.0:
        raise ValueError(f"weights must not be negative, got {matrix.data.min()}.")
    uneven = abs(matrix - matrix.T)
    if uneven.nnz and uneven.max() > 1e-10 * matrix.max():
        raise ValueError(
            f"weights must be symmetric, but w_kl and w_lk differ by up to {uneven.max():.3g}: "
            "pass (weights + weights.T) / 2."
        )
    matrix.sum_duplicates()
    return matrix
