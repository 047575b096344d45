"""Which rows a page holds: all labels of small data, a sample of large data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.blocks import RowBlocks

__all__ = ["LABELLED", "SHOWN", "PageRows", "rows_for_page"]

SHOWN = 3_000  # points that are drawn, at most: more hide each other and slow the slider
LABELLED = 20_000  # up to here the labels of all rows are in the page


@dataclass(frozen=True)
class PageRows:
    """The rows of a page.

    Attributes
    ----------
    total : int
        Rows that there are.
    numbers : ndarray of shape (r,)
        Which of them have their labels in the page, rising.
    inside : ndarray of shape (r, d)
        Those rows, in internal coordinates.
    shown : ndarray of shape (s,)
        Which of the r are drawn, rising.
    """

    total: int
    numbers: NDArray[np.int64]
    inside: NDArray
    shown: NDArray[np.int64]

    @property
    def all_labelled(self) -> bool:
        """Whether no row is left out of tables and downloads."""
        return len(self.numbers) == self.total


def rows_for_page(model: Any, X: Any) -> PageRows:
    """The training rows that a fitted model kept, or those of ``X``.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), data frame, RowBlocks or None

    Returns
    -------
    PageRows
    """
    if X is None:
        if model._training_rows is None:
            raise ValueError(
                "The training rows were not kept (store_memberships=False, or they came in "
                "blocks or from a large memory map). Pass the rows to show: "
                "explore(path, X=rows); a sample of them will do."
            )
        return _from_memory(model._kept_rows())
    if isinstance(X, RowBlocks):
        total = sum(map(len, X))
        numbers = np.arange(total) if total <= LABELLED else sample(total)
        return _chosen(total, numbers, model._inside(np.concatenate([*_picked(X, numbers)])))
    if isinstance(X, np.memmap) and len(X) > LABELLED:
        numbers = sample(len(X))
        return _chosen(len(X), numbers, model._inside(np.asarray(X[numbers])))
    return _from_memory(model._inside(X))


def sample(n: int) -> NDArray[np.int64]:
    """Numbers of at most ``SHOWN`` of n rows, the same whenever it is asked."""
    if n <= SHOWN:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, SHOWN, replace=False))


def _from_memory(inside: NDArray) -> PageRows:
    n = len(inside)
    numbers = np.arange(n) if n <= LABELLED else sample(n)
    return _chosen(n, numbers, inside[numbers])


def _chosen(total: int, numbers: NDArray[np.int64], inside: NDArray) -> PageRows:
    return PageRows(total, numbers, inside, sample(len(numbers)))


def _picked(blocks: Iterable[NDArray], numbers: NDArray[np.int64]) -> Iterator[NDArray]:
    """The rows with these numbers, block by block."""
    start = 0
    for block in blocks:
        first, last = np.searchsorted(numbers, [start, start + len(block)])
        yield block[numbers[first:last] - start]
        start += len(block)
