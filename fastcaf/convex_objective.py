"""Convex clustering in plain NumPy, to check solvers by: objective and duality gap.

    min over U   1/2 sum_i a_i ||x_i - u_i||^2 + gamma sum_e omega_e ||u_k - u_l||,   e = (k, l)

Its dual has a multiplier for every edge, in the ball of radius gamma omega_e:

    max over p   -sum_j <s_j, x_j> - 1/2 sum_j ||s_j||^2 / a_j,

s_j being the sum of the multipliers of edges that begin at j less those that end there.
Nothing here calls a kernel or shares a line with the solvers (see also ``objective.py``).

Examples
--------
>>> import numpy as np
>>> from fastcaf import ConvexClustering, convex_objective
>>> X = np.array([[0.0], [1.0], [10.0]])
>>> model = ConvexClustering(gamma=0.25, weights="uniform", tol=1e-9).fit(X)
>>> U = model.cluster_centers_[model.labels_]
>>> value = convex_objective.primal(X, U, 0.25, [(0, 1), (0, 2), (1, 2)])
>>> bool(np.isclose(value, model.objective_))
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["dual", "duality_gap", "primal"]

FloatArray = NDArray[np.float64]


def _ones_or(values: ArrayLike | None, n: int) -> FloatArray:
    return np.ones(n) if values is None else np.asarray(values, dtype=np.float64)


def primal(
    X: ArrayLike,
    centroids: ArrayLike,
    gamma: float,
    edges: ArrayLike,
    edge_weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The objective.

    Parameters
    ----------
    X : array-like of shape (n, d)
    centroids : array-like of shape (n, d)
        That of every row.
    gamma : float
    edges : array-like of shape (E, 2)
        The rows that each edge joins.
    edge_weights : array-like of shape (E,), optional
        1 by default.
    sample_weight : array-like of shape (n,), optional
        1 by default.

    Returns
    -------
    float
    """
    U, ends = np.asarray(centroids, dtype=np.float64), np.asarray(edges, dtype=np.intp)
    ends = ends.reshape(-1, 2)
    squares = ((np.asarray(X, dtype=np.float64) - U) ** 2).sum(axis=1)
    lengths = np.sqrt(((U[ends[:, 0]] - U[ends[:, 1]]) ** 2).sum(axis=1))
    data_term = 0.5 * _ones_or(sample_weight, len(U)) @ squares
    return float(data_term + gamma * _ones_or(edge_weights, len(ends)) @ lengths)


def dual(
    X: ArrayLike,
    multipliers: ArrayLike,
    gamma: float,
    edges: ArrayLike,
    edge_weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Dual value: a lower bound of every objective; -inf where multipliers are not feasible.

    Parameters
    ----------
    X : array-like of shape (n, d)
    multipliers : array-like of shape (E, d)
        In the direction from the first to the second row of an edge.
    gamma : float
    edges : array-like of shape (E, 2)
    edge_weights : array-like of shape (E,), optional
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float
    """
    rows, p = np.asarray(X, dtype=np.float64), np.asarray(multipliers, dtype=np.float64)
    ends = np.asarray(edges, dtype=np.intp).reshape(-1, 2)
    radius = gamma * _ones_or(edge_weights, len(ends))
    if (np.sqrt((p**2).sum(axis=1)) > radius * (1.0 + 1e-12)).any():
        return -np.inf
    s = np.zeros_like(rows)
    np.add.at(s, ends[:, 0], p)
    np.subtract.at(s, ends[:, 1], p)
    weight = _ones_or(sample_weight, len(rows))
    return float(-(s * rows).sum() - 0.5 * ((s**2).sum(axis=1) / weight).sum())


def duality_gap(
    X: ArrayLike,
    centroids: ArrayLike,
    multipliers: ArrayLike,
    gamma: float,
    edges: ArrayLike,
    edge_weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Relative duality gap, (primal - dual) / primal: a bound on the error of the objective.

    Parameters
    ----------
    X : array-like of shape (n, d)
    centroids : array-like of shape (n, d)
    multipliers : array-like of shape (E, d)
    gamma : float
    edges : array-like of shape (E, 2)
    edge_weights : array-like of shape (E,), optional
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float

    Examples
    --------
    Two rows, ten apart, pulled together by gamma = 2: each centroid moves by 2.

    >>> from fastcaf import convex_objective
    >>> convex_objective.duality_gap([[0.0], [10.0]], [[2.0], [8.0]], [[2.0]], 2.0, [(0, 1)])
    0.0
    """
    graph = edges, edge_weights, sample_weight
    above = primal(X, centroids, gamma, *graph)
    below = dual(X, multipliers, gamma, *graph)
    return (above - below) / above if above > 0.0 else above - below
