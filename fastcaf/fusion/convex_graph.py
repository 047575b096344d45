"""From training rows to the graph that convex clustering starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.convex_problem import FusedGraph
from fastcaf.fusion.edges import Edges, all_pairs, checked_matrix, neighbours
from fastcaf.fusion.start import warn_if_degenerate

__all__ = ["graph_of"]


def graph_of(
    training: TrainingData, weights: Any, n_neighbors: int, phi: float
) -> tuple[FusedGraph, NDArray[np.int64]]:
    """The graph, and for every row the centroid that it starts as.

    Equal rows are one centroid of their total weight; with a matrix of weights, which may tell
    them apart, every row is one.  Every pair of copies counts, so that a row of weight 2 is the
    row twice.  Rows of weight 0 go with the nearest row that counts.
    """
    source = training.rows.in_memory()
    rows, row_weights = source.rows.astype(np.float64), source.weights.astype(np.float64)
    warn_if_degenerate(DistinctRows.of(rows, row_weights))
    counted = np.arange(training.n_rows)
    if len(training.weights):
        counted = np.flatnonzero(training.weights > 0.0)
    if isinstance(weights, str):
        rows, inverse = np.unique(rows, axis=0, return_inverse=True)
        inverse = inverse.ravel()
        row_weights = np.bincount(inverse, row_weights, len(rows)).astype(np.float64)
        if weights == "uniform":
            edges = all_pairs(len(rows))
        else:
            edges = neighbours(rows, row_weights, n_neighbors, phi)
    else:
        matrix = checked_matrix(weights, training.n_rows)
        edges, inverse = Edges.of_matrix(matrix[counted][:, counted]), np.arange(len(rows))
    leaves = np.empty(training.n_rows, dtype=np.int64)
    leaves[counted] = inverse
    if len(counted) < training.n_rows:
        assert training.kept is not None
        others = np.setdiff1d(np.arange(training.n_rows), counted)
        search = NearestNeighbors(n_neighbors=1).fit(rows)
        leaves[others] = search.kneighbors(training.kept[others], return_distance=False)[:, 0]
    return FusedGraph.of_rows(rows, row_weights, edges.times(row_weights)), leaves
