"""From the user's rows to training data: in memory, in blocks, or summarised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import power_of_two
from fastcaf.data.first_pass import look_at, stream
from fastcaf.data.representatives import SAMPLE_A_CELL
from fastcaf.data.row_blocks import RowBlocks, recut, slices
from fastcaf.data.summary import Summary
from fastcaf.data.training_data import SummarisedTrainingData, TrainingData
from fastcaf.parameters import check_copies, check_weights

__all__ = [
    "LARGE_MAP",
    "comes_in_blocks",
    "precisions",
    "read_rows",
    "read_training",
    "read_whole",
]

LARGE_MAP = 20_000  # rows of a memory map, above which it is read a block at a time


def precisions(X: Any) -> list[type]:
    """Types that rows may have, for scikit-learn's checks; other rows become the first.

    scikit-learn does not see the precision of polars frames, nor of pandas' nullable columns.
    """
    single = {str(one) for one in getattr(X, "dtypes", [])} == {"Float32"}
    return [np.float32] if single else [np.float64, np.float32]


def read_rows(estimator: BaseEstimator, X: Any, *, reset: bool = True) -> NDArray:
    """Checked rows in memory; the estimator learns, or checks, the number of features."""
    with np.errstate(invalid="ignore"):  # the sum of large ones that the check begins with
        rows: NDArray = validate_data(estimator, X, dtype=precisions(X), order="C", reset=reset)
    return rows


def comes_in_blocks(X: Any) -> bool:
    """Whether rows should not be read into memory all at once."""
    return isinstance(X, RowBlocks) or (isinstance(X, np.memmap) and len(X) > LARGE_MAP)


def blocks_of(estimator: BaseEstimator, X: Any, *, reset: bool) -> Iterator[NDArray]:
    """Rows in checked blocks; the estimator learns, or checks, the number of features."""
    for i, block in enumerate(_row_blocks(X)):
        if i == 0:
            validate_data(estimator, block[:1], reset=reset, ensure_min_samples=1)
        yield block


def _row_blocks(X: Any) -> RowBlocks:
    return X if isinstance(X, RowBlocks) else RowBlocks(partial(slices, X))


def read_whole(estimator: BaseEstimator, X: Any, sample_weight: Any) -> TrainingData:
    """Training data of all rows, in memory."""
    X = read_rows(estimator, X)
    return TrainingData(X, check_weights(sample_weight, X))


def read_training(
    estimator: BaseEstimator,
    X: Any,
    sample_weight: Any,
    summary: Summary | None,
    random_state: RandomState,
    *,
    keep: bool,
) -> TrainingData:
    """Training data, summarised where there are many rows.

    Rows that come in blocks are read once to look at them, and once to add up cells.

    Parameters
    ----------
    estimator : BaseEstimator
        Learns the number and the names of the features.
    X : array-like, memory map or RowBlocks
    sample_weight : array-like or None
    summary : Summary or None
        What to do with many rows; None: nothing.
    random_state : RandomState
        Draws a seed for the representatives, where there are any.  What they draw is
        independent of what is drawn from it later.
    keep : bool
        Whether rows that are in memory are kept.

    Returns
    -------
    TrainingData
    """
    if isinstance(X, RowBlocks) and summary is None:
        raise ValueError(
            "representatives=None follows the path on all rows, which have to be in memory: "
            "pass an array, or another number of representatives, with RowBlocks."
        )
    many = None if summary is None else summary.most_rows
    blocks: Iterable[NDArray]
    first: list[NDArray] = []
    if many is not None and comes_in_blocks(X):
        blocks, n = recut(blocks_of(estimator, X, reset=True)), 0
        while n <= many and (block := next(blocks, None)) is not None:
            first.append(block.copy())  # the reader may use its memory for the next one
            n += len(block)
        if n <= many:
            X = np.concatenate(first)
            return TrainingData(X, _copies(sample_weight, X))
        weights = _copies(sample_weight, range(np.size(sample_weight)))
        read, kept = _row_blocks(X).__iter__, None
    else:
        X = read_rows(estimator, X)
        weights = _copies(sample_weight, X)
        if summary is None or len(X) <= summary.most_rows:
            return TrainingData(X, weights)
        blocks, read, kept = slices(X), partial(slices, X), X if keep else None
    assert summary is not None
    unit = power_of_two(float(weights.max())) if len(weights) else 1.0
    seed = random_state.randint(2**32, size=4, dtype=np.uint32).tolist()
    seen = look_at(chain(first, blocks), weights / unit, SAMPLE_A_CELL * summary.most, seed)
    if np.ndim(sample_weight):
        check_weights(sample_weight, range(seen.n_rows))  # as many as rows were counted
    elif len(weights):
        weights = np.full(seen.n_rows, weights[0])
    return SummarisedTrainingData(read, weights, seen, unit, summary, stream(seed), kept)


def _copies(sample_weight: Any, rows: Sized) -> FloatArray:
    """Checked weights that count rows."""
    weights = check_weights(sample_weight, rows)
    if len(weights):
        check_copies(weights)
    return weights
