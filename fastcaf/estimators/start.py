"""Starting centroids of the estimators, from their ``init`` parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fastcaf._typing import FloatArray
from fastcaf.data.training_data import Training
from fastcaf.exceptions import DegenerateDataWarning, warn
from fastcaf.fusion.start import (
    DistinctRows,
    draw_rows,
    spread_rows,
)
from fastcaf.parameters import check_choice, check_start

__all__ = ["check_enough", "drawn_starts", "given_start", "warn_if_degenerate"]

_DRAWS = {"random": draw_rows, "k-means++": spread_rows}


def given_start(init: Any, training: Training) -> FloatArray:
    """The user's starting centroids, in internal coordinates."""
    return check_start("init", init, training.frame)


def drawn_starts(
    init: Any, training: Training, n_start: int | float, random_state: Any, n_init: int = 1
) -> list[FloatArray]:
    """Starting centroids drawn from the rows, ``n_init`` times, in internal coordinates."""
    name = check_choice("init", init, list(_DRAWS), other=" or an array of centroids")
    distinct = DistinctRows.of(training.rows.rows, training.rows.row_weights)
    number = training.starting_number(n_start, len(distinct))
    wanted = training.starting_number(n_start, len(training.rows.rows), bounded=False)
    warn_if_degenerate(distinct, wanted, number)
    generator = check_random_state(random_state)
    return [_DRAWS[name](distinct, number, generator) for _ in range(n_init)]


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
