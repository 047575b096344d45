"""How strongly the pairs of centroids pull: one function for each of ``FUSION_WEIGHTS``.

Each is given the centroids and the sums over their rows, and returns what the kernels weigh
pairs by (``kernels/pairs/problem.py``): nothing where omega = 1, K masses, or K^2 weights.

Gamma's unit: "uniform" is the paper's; with "mass" gamma is a distance.  "neighbours" gives its
E edges the weight K (K - 1) / 2E, so that weights add up to those of "uniform": gamma keeps the
paper's unit and size, and up to six centroids, all neighbours, there is no difference.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform
from scipy.stats import rankdata

from fastcaf._typing import FloatArray
from fastcaf.memberships.base import Statistics

__all__ = [
    "NO_EDGES",
    "PAIR_WEIGHTS",
    "UNIFORM",
    "edges_between",
    "edges_of",
    "matrix_of",
    "pair_weights",
]

UNIFORM: FloatArray = np.empty(0)  # every pair has the weight 1
NO_EDGES: FloatArray = np.empty((0, 3))  # the same

# Of each centroid.  Ten, as many as convex clustering has of each row, are most of the pairs
# when a few clusters are left, and then nothing is local any more.
N_NEIGHBOURS = 5


def _uniform(centroids: FloatArray, statistics: Statistics) -> FloatArray:
    """All pairs alike."""
    return UNIFORM


def _by_mass(centroids: FloatArray, statistics: Statistics) -> FloatArray:
    """By the weights of the centroids, w_k w_l / (w_k + w_l)."""
    return statistics.held_means(centroids)[0]


def _by_neighbours(centroids: FloatArray, statistics: Statistics) -> FloatArray:
    """Those near each other alone."""
    edges = edges_between(centroids)
    return matrix_of(edges, len(centroids)).ravel() if len(edges) else UNIFORM


PAIR_WEIGHTS: dict[str, Callable[[FloatArray, Statistics], FloatArray]] = {
    "uniform": _uniform,
    "mass": _by_mass,
    "neighbours": _by_neighbours,
}


def edges_between(centroids: FloatArray) -> FloatArray:
    """Edges between neighbours, as rows (k, l, omega) with k < l.

    Two centroids are neighbours where one is among the 5 nearest of the other, or where the
    shortest tree that spans all has an edge between them: so the graph is connected, and the
    path ends in one cluster.  None where all pairs are neighbours, which is "uniform".
    """
    n = len(centroids)
    if n <= N_NEIGHBOURS + 1:
        return NO_EDGES
    distances = pdist(centroids)
    apart = squareform(distances)
    # Of ranks: scipy takes small numbers for edges that are not there.
    tree = minimum_spanning_tree(squareform(rankdata(distances, method="ordinal"))).tocoo()
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :N_NEIGHBOURS]
    joined = np.zeros((n, n), dtype=bool)
    joined[np.arange(n)[:, None], nearest] = True
    joined[tree.row, tree.col] = True
    first, second = np.nonzero(np.triu(joined | joined.T, 1))
    if 2 * len(first) == n * (n - 1):
        return NO_EDGES
    omega = n * (n - 1) / (2.0 * len(first))
    return np.column_stack([first, second, np.full(len(first), omega)])


def edges_of(pair_mass: FloatArray, n: int) -> FloatArray:
    """The edges (k, l, omega) of n centroids, where the K^2 weights are given; else none."""
    if len(pair_mass) <= n:
        return NO_EDGES
    matrix = pair_mass.reshape(n, n)
    first, second = np.nonzero(np.triu(matrix))
    return np.column_stack([first, second, matrix[first, second]])


def matrix_of(edges: FloatArray, n: int) -> FloatArray:
    """K x K weights from edges."""
    first, second = edges[:, :2].astype(np.int64).T
    matrix = np.zeros((n, n))
    matrix[first, second] = matrix[second, first] = edges[:, 2]
    return matrix


def pair_weights(pair_mass: FloatArray, n: int) -> FloatArray:
    """K x K weights of the pairs, 0 on the diagonal, from what the kernels are given."""
    if len(pair_mass) > n:
        return pair_mass.reshape(n, n)
    weights = np.ones((n, n))
    if len(pair_mass):
        weights = np.multiply.outer(pair_mass, pair_mass) / np.add.outer(pair_mass, pair_mass)
    np.fill_diagonal(weights, 0.0)
    return weights
