"""Starting centroids: given ones, or rows drawn from the distinct rows.

What is drawn is the same for rows in another order, for shifted, scaled or rotated data, and
for a row of weight 2 instead of the row twice (``data/distinct_rows.py``).
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.cluster import kmeans_plusplus
from sklearn.utils import check_array, check_random_state

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import Coordinates
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.training_data import TrainingData
from fastcaf.exceptions import DegenerateDataWarning, warn
from fastcaf.fusion.bisection import means_of_parts
from fastcaf.parameters import check_choice

__all__ = [
    "check_enough",
    "draw_rows",
    "drawn_starts",
    "given_start",
    "kmeans_plusplus_rows",
    "starting_number",
    "warn_if_degenerate",
]

FARTHEST = 1e50  # of given centroids, in units of the data's extent
# Starting centroids of a path on representatives, for each unit of ``n_start`` (300 for the
# default 2): 2 sqrt(n) of a million rows would be 2,000, and time goes with the square.
STARTS_A_UNIT = 150
# So many representatives for each starting centroid at the least.
CELLS_A_START = 4


def given_start(name: str, init: Any, coordinates: Coordinates) -> FloatArray:
    """The user's starting centroids, all distinct, in internal coordinates."""
    n_features = len(coordinates.centre)
    start = check_array(init, dtype=np.float64, input_name=name)
    if start.shape[1] != n_features:
        raise ValueError(
            f"{name} has {start.shape[1]} features, but X has {n_features} features."
        )
    start = coordinates.to_internal(start)
    if np.abs(start).max() > FARTHEST:
        raise ValueError(
            f"{name} holds a centroid {np.abs(start).max():.1g} times as far from the mean of "
            "X as its rows are. Start within the data."
        )
    n_distinct = len(np.unique(start, axis=0))
    if n_distinct < len(start):
        raise ValueError(
            f"{name} holds {len(start)} centroids, but only {n_distinct} different ones. "
            f"Equal centroids would stay equal: pass np.unique({name}, axis=0)."
        )
    return start


def drawn_starts(
    init: Any,
    training: TrainingData,
    n_start: int | float,
    random_state: Any,
    n_init: int = 1,
    *,
    all_if_few: bool = False,
) -> list[FloatArray]:
    """Starting centroids drawn from the rows, ``n_init`` times, in internal coordinates.

    ``all_if_few``: rows count as often as they occur, up to a bound that does not grow with
    them; where there are no more different ones than starting centroids, each is one.
    """
    name = check_choice("init", init, list(_DRAWS), other=" or an array of centroids")
    rows = training.rows.in_memory()
    distinct = DistinctRows.of(rows.rows, rows.row_weights)
    number = starting_number(n_start, training, len(distinct))
    if all_if_few and not isinstance(n_start, Integral) and not rows.scatter.any():
        n_rows = rows.total_weight / rows.one_row
        by_rows = min(float(n_start) * np.sqrt(n_rows), STARTS_A_UNIT * n_start)
        number = max(number, min(int(by_rows), len(distinct)))
    wanted = starting_number(n_start, training, len(rows.rows), bounded=False)
    warn_if_degenerate(distinct, wanted, number)
    generator = check_random_state(random_state)
    return [_DRAWS[name](distinct, number, generator) for _ in range(n_init)]


def starting_number(
    n_start: Any, training: TrainingData, n: int, *, bounded: bool = True
) -> int:
    """How many centroids to start from: K = floor(a sqrt(n)).

    Parameters
    ----------
    n_start : int or float
        A whole number of type int, or the float a in [1, 3].
    training : TrainingData
        Where its rows are representatives of more rows, those count, up to a bound that does
        not grow with them.  Representatives without scatter are the distinct rows themselves.
    n : int
        Number of distinct rows, or of representatives.
    bounded : bool
        Whether n bounds the answer.
    """
    if isinstance(n_start, Integral):
        number = int(n_start)
    elif training.rows.in_memory().scatter.any():
        most = int(STARTS_A_UNIT * n_start), n // CELLS_A_START
        return max(1, min(int(float(n_start) * np.sqrt(training.n_rows)), *most))
    else:
        number = int(float(n_start) * np.sqrt(n))
    return max(1, min(number, n) if bounded else number)


def draw_rows(distinct: DistinctRows, n: int, random_state: RandomState) -> FloatArray:
    """Draw ``n`` distinct rows at random, in proportion to their weights."""
    # The n smallest of exponential variables with rates w are a weighted draw without
    # replacement (Efraimidis and Spirakis).
    arrival = random_state.exponential(size=len(distinct)) / distinct.weights
    chosen = np.argsort(arrival, kind="stable")[:n]
    return distinct.rows[chosen].astype(np.float64)


def kmeans_plusplus_rows(
    distinct: DistinctRows, n: int, random_state: RandomState
) -> FloatArray:
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


def halved_rows(distinct: DistinctRows, n: int, random_state: RandomState) -> FloatArray:
    """Halve the rows until there are ``n`` parts; nothing is drawn."""
    return means_of_parts(distinct.rows, distinct.weights, n)


_DRAWS = {"random": draw_rows, "k-means++": kmeans_plusplus_rows, "bisection": halved_rows}


def check_enough(start: FloatArray, n_clusters: int | None) -> None:
    """Whether the number asked for can be reached."""
    if n_clusters is not None and n_clusters > len(start):
        raise ValueError(
            f"n_clusters={n_clusters} is above the {len(start)} starting centroids. Raise "
            "n_start (it is bounded by the number of distinct rows, or of representatives)."
        )


def warn_if_degenerate(distinct: DistinctRows, wanted: int = 0, used: int = 0) -> None:
    """Say so where there is little to cluster."""
    found = []
    if len(distinct) == 1:
        found.append("only one distinct row of positive weight: the answer is one cluster")
    elif len(distinct) < wanted:
        found.append(
            f"only {len(distinct)} distinct rows: {used} centroids are used instead of {wanted}"
        )
    constant = np.flatnonzero(np.ptp(distinct.rows, axis=0) == 0.0)
    if len(constant) and len(distinct) > 1:
        columns = ", ".join(map(str, constant[:5])) + (", ..." if len(constant) > 5 else "")
        found.append(f"constant columns, which tell no rows apart: {columns}")
    for what in found:
        warn(f"X has {what}.", DegenerateDataWarning)
