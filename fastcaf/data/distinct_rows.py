"""The different rows of a table, in an order that depends on the data alone.

By distance from the mean, ties by value: so what is drawn from them is the same for rows in
another order, for shifted, scaled or rotated data, and for a row of weight 2 instead of the row
twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray

__all__ = ["DistinctRows"]


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
