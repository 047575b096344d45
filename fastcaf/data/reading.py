"""From the user's rows to training data: in memory, in blocks, or summarised."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from fastcaf.data.row_blocks import RowBlocks, gathered, slices
from fastcaf.data.training_data import SummarisedTrainingData, TrainingData
from fastcaf.parameters import check_weights

__all__ = [
    "AUTOMATIC",
    "MANY_ROWS",
    "comes_in_blocks",
    "precisions",
    "read_training",
    "read_whole",
]

MANY_ROWS = 20_000  # above, representatives="auto" follows paths on representatives
AUTOMATIC = 4_000  # of them; see bench/results/representatives.md


def precisions(X: Any) -> list[type]:
    """Types that rows may have, for scikit-learn's checks; other rows become the first.

    scikit-learn does not see the precision of polars frames, nor of pandas' nullable columns.
    """
    single = {str(one) for one in getattr(X, "dtypes", [])} == {"Float32"}
    return [np.float32] if single else [np.float64, np.float32]


def comes_in_blocks(X: Any) -> bool:
    """Whether rows should not be read into memory all at once."""
    return isinstance(X, RowBlocks) or (isinstance(X, np.memmap) and len(X) > MANY_ROWS)


def blocks_of(estimator: BaseEstimator, X: Any, *, reset: bool) -> RowBlocks:
    """Rows in checked blocks; the estimator learns, or checks, the number of features."""
    blocks = X if isinstance(X, RowBlocks) else RowBlocks(partial(slices, X))
    first = next(iter(blocks))
    validate_data(estimator, first[:1], reset=reset, ensure_min_samples=1)
    return blocks


def read_whole(estimator: BaseEstimator, X: Any, sample_weight: Any) -> TrainingData:
    """TrainingData data on all rows, in memory."""
    X = validate_data(estimator, X, dtype=precisions(X), order="C")
    return TrainingData(X, check_weights(sample_weight, X))


def read_training(
    estimator: BaseEstimator,
    X: Any,
    sample_weight: Any,
    representatives: int | str | None,
    random_state: RandomState,
    *,
    keep: bool,
) -> TrainingData:
    """TrainingData data, summarised where there are many rows.

    Parameters
    ----------
    estimator : BaseEstimator
        Learns the number and the names of the features.
    X : array-like, memory map or RowBlocks
    sample_weight : array-like or None
    representatives : int, "auto" or None
        Number of representatives; see ``CAFHFCM``.
    random_state : RandomState
    keep : bool
        Whether rows that are in memory are kept.

    Returns
    -------
    TrainingData
    """
    n_cells = AUTOMATIC if isinstance(representatives, str) else representatives
    many = MANY_ROWS if isinstance(representatives, str) else representatives
    read: Callable[[], Iterable[NDArray]]
    if representatives is not None and comes_in_blocks(X):
        blocks = blocks_of(estimator, X, reset=True)
        small = gathered(blocks, many or 0)
        if small is not None:
            return TrainingData(small, check_weights(sample_weight, small))
        read, kept, n = blocks.__iter__, None, -1
        if sample_weight is not None:
            n = sum(map(len, blocks))
    elif isinstance(X, RowBlocks):
        raise ValueError(
            "representatives=None follows the path on all rows, which have to be in memory: "
            "pass an array, or another number of representatives, with RowBlocks."
        )
    else:
        X = validate_data(estimator, X, dtype=precisions(X), order="C")
        if many is None or len(X) <= many:
            return TrainingData(X, check_weights(sample_weight, X))
        read, kept, n = partial(slices, X), X if keep else None, len(X)
    assert n_cells is not None
    weights = check_weights(sample_weight, range(n)) if n >= 0 else np.empty(0)
    return SummarisedTrainingData(read, weights, n_cells, random_state, kept)
