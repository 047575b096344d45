"""Some rows themselves, beside the cells that stand for all of them.

Where rows are counted along a line, cells will not do: their means lie in clumps, and between
clumps there seem to be valleys.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray

__all__ = ["SampledRows"]

MOST = 1e9  # rows that one stands for beside the lightest: more make no valley any clearer


@dataclass(frozen=True)
class SampledRows:
    """Rows drawn at random, and the cell that each is in.

    Attributes
    ----------
    rows : ndarray of shape (m, d)
        In internal coordinates.
    weights : ndarray of shape (m,) or (0,)
        In rows of the least weight; empty: 1 each.
    cell : ndarray of shape (m,)
        Index of the representative that stands for the row.
    """

    rows: NDArray
    weights: NDArray
    cell: NDArray[np.intp]

    @classmethod
    def of(cls, rows: NDArray, weights: FloatArray, cell: NDArray[np.intp]) -> SampledRows:
        """Of rows that stand for these weights."""
        counted = np.minimum(weights / weights.min(), MOST).astype(rows.dtype)
        return cls(rows, counted[:0] if (counted == 1.0).all() else counted, cell)

    def within(self, chosen: NDArray[np.intp], n_cells: int) -> SampledRows:
        """Those in some of the cells, which are numbered anew in their order."""
        place = np.full(n_cells, -1)
        place[chosen] = np.arange(len(chosen))
        cell = place[self.cell]
        held = cell >= 0
        weights = self.weights[held] if len(self.weights) else self.weights
        return SampledRows(self.rows[held], weights, cell[held])
