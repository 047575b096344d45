"""Which rows a page holds: all labels of small data, a sample of large data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.display.shown_rows import chosen_rows, feature_names, sample

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
    names : list of str or None
        Of the features, where they have names.
    """

    total: int
    numbers: NDArray[np.int64]
    inside: NDArray
    shown: NDArray[np.int64]
    names: list[str] | None

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
    total, numbers, inside = chosen_rows(model, X, LABELLED, SHOWN)
    shown = sample(len(numbers), SHOWN)
    return PageRows(total, numbers, inside, shown, feature_names(model, X))
