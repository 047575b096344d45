"""Starting centroids of the estimators, from their ``init`` parameter."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.random import RandomState

from fastcaf.estimators.base import Training
from fastcaf.exceptions import DegenerateDataWarning
from fastcaf.initialization import DistinctRows, draw_rows, spread_rows
from fastcaf.memberships.base import FloatArray
from fastcaf.validation import check_choice, check_start

__all__ = ["draw_start", "given_start", "warn_if_degenerate"]

_DRAWS = {"random": draw_rows, "k-means++": spread_rows}


def given_start(init: Any, training: Training) -> FloatArray:
    """The user's starting centroids, in internal coordinates."""
    start = check_start("init", init, training.all_rows.shape[1])
    return training.frame.enter(start)


def draw_start(
    init: Any, distinct: DistinctRows, number: int, random_state: RandomState
) -> FloatArray:
    """Starting centroids drawn from the rows, in internal coordinates."""
    name = check_choice("init", init, list(_DRAWS), other=" or an array of centroids")
    return _DRAWS[name](distinct, number, random_state)


def warn_if_degenerate(distinct: DistinctRows) -> None:
    """Say so where there is nothing to cluster."""
    if len(distinct) == 1:
        warnings.warn(
            "X has only one distinct row of positive weight: the answer is one cluster.",
            DegenerateDataWarning,
            stacklevel=4,
        )
