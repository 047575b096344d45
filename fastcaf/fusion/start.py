"""Starting centroids: the only place where chance enters.

Rows are drawn from the distinct ones, in an order that depends on the data alone: by distance
from the mean, ties by value.  So a start is the same for rows in another order, for shifted,
scaled or rotated data, and for a row of weight 2 instead of the row twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from fastcaf._typing import FloatArray

__all__ = ["DistinctRows", "draw_rows", "spread_rows", "starting_number"]


@dataclass(frozen=True)
class DistinctRows:
    """The different rows and their total weights, in the order described above."""

    rows: NDArray
    weights: FloatArray

    @classmethod
    def of(cls, rows: NDArray, row_weights: NDArray) -> DistinctRows:
        """Find them; ``rows`` are centred, an empty ``row_weights`` means 1 each."""
        weights = row_weights.astype(np.float64) if len(row_weights) else np.ones(len(rows))
        radius = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        order = np.argsort(radius, kind="stable")
        tied = np.zeros(len(rows), dtype=bool)
        tied[1:] = radius[order][1:] == radius[order][:-1]
        tied[:-1] |= tied[1:]
        if tied.any():  # rare in measured data: only these need a full sort
            part = order[tied]
            keys = (*rows[part].T[::-1], radius[part])
            order[tied] = part[np.lexsort(keys)]
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = (rows[order][1:] != rows[order][:-1]).any(axis=1)
        starts = np.flatnonzero(is_first)
        return cls(rows[order[starts]], np.add.reduceat(weights[order], starts))

    def __len__(self) -> int:
        return len(self.rows)


def starting_number(n_start: Any, n: int, *, bounded: bool = True) -> int:
    """How many centroids to start from.

    Parameters
    ----------
    n_start : int or float
        A whole number of type int, or a float a in [1, 3]: floor(a sqrt(n)).
    n : int
        Number of distinct rows.
    bounded : bool
        Whether n bounds the answer.
    """
    whole = isinstance(n_start, Integral)
    number = int(n_start) if whole else int(float(n_start) * np.sqrt(n))
    return max(1, min(number, n) if bounded else number)


def draw_rows(distinct: DistinctRows, n: int, random_state: RandomState) -> FloatArray:
    """Draw ``n`` distinct rows at random, in proportion to their weights."""
    # The n smallest of exponential variables with rates w are a weighted draw without
    # replacement (Efraimidis and Spirakis).
    arrival = random_state.exponential(size=len(distinct)) / distinct.weights
    chosen = np.argsort(arrival, kind="stable")[:n]
    return distinct.rows[chosen].astype(np.float64)


def spread_rows(distinct: DistinctRows, n: int, random_state: RandomState) -> FloatArray:
    """Draw ``n`` distinct rows by k-means++."""
    _, drawn = kmeans_plusplus(
        distinct.rows,
        n,
        sample_weight=distinct.weights.astype(distinct.rows.dtype),
        random_state=random_state,
    )
    chosen = np.unique(drawn)
    if len(chosen) < n:  # rows too near each other for its arithmetic are drawn twice
        others = np.setdiff1d(np.arange(len(distinct)), chosen)
        refill = random_state.permutation(others)[: n - len(chosen)]
        chosen = np.concatenate([chosen, refill])
    return distinct.rows[chosen].astype(np.float64)
