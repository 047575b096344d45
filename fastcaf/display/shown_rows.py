"""The rows that pictures and pages show: kept or given ones, a sample where there are many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from fastcaf.data.row_blocks import RowBlocks

__all__ = ["chosen_rows", "feature_names", "sample"]

Chosen = tuple[int, NDArray[np.int64], NDArray]


def chosen_rows(model: Any, X: Any, most: int, drawn: int | None = None) -> Chosen:
    """Rows to show, in internal coordinates.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), data frame, RowBlocks or None
        None: the rows of the fit, where the model kept them.
    most : int
        Above so many rows a sample is drawn, always the same, before anything is converted.
    drawn : int, optional
        Rows of a sample, where they are fewer than ``most``.

    Returns
    -------
    total : int
        Rows that there are.
    numbers : ndarray of shape (r,)
        Which of them were chosen, rising.
    inside : ndarray of shape (r, d)
    """
    check_is_fitted(model, "cluster_centers_")
    rows = _kept(model) if X is None else X
    if isinstance(rows, RowBlocks):
        total = sum(map(len, rows))
    else:
        rows = rows if hasattr(rows, "shape") else np.asarray(rows)
        total = rows.shape[0] if len(rows.shape) == 2 else 0  # others are refused below
    numbers = np.arange(total) if total <= most else sample(total, drawn or most)
    if isinstance(rows, RowBlocks):
        rows = np.concatenate([*_picked(rows, numbers)])
    elif total > most:
        rows = _safe_indexing(rows, numbers)
    if X is None:
        return total, numbers, rows
    if hasattr(rows, "columns") and not hasattr(model, "feature_names_in_"):
        rows = np.asarray(rows)  # scikit-learn would warn of the names
    return total, numbers, model._inside(rows)


def sample(n: int, most: int) -> NDArray[np.int64]:
    """Numbers of at most ``most`` of n rows, rising, the same whenever it is asked."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def feature_names(model: Any, X: Any) -> list[str] | None:
    """Names of the features: those of the fit, else the columns of a frame ``X``."""
    names = getattr(model, "feature_names_in_", getattr(X, "columns", None))
    return None if names is None else [str(name) for name in names]


def _kept(model: Any) -> NDArray:
    try:
        return model._kept_rows()
    except AttributeError:
        raise ValueError(
            "The training rows were not kept (store_memberships=False, or they came in blocks "
            "or from a large memory map, or the model was saved without them): pass the rows "
            "to show as X; a sample of them will do."
        ) from None


def _picked(blocks: Iterable[NDArray], numbers: NDArray[np.int64]) -> Iterator[NDArray]:
    """The rows with these numbers, block by block."""
    start = 0
    for block in blocks:
        first, last = np.searchsorted(numbers, [start, start + len(block)])
        yield block[numbers[first:last] - start]
        start += len(block)
