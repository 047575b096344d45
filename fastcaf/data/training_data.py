"""TrainingData rows in the coordinates in which the work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import Coordinates
from fastcaf.data.first_pass import FirstPass
from fastcaf.data.representatives import SAMPLE_A_CELL, Cells, CellTree
from fastcaf.data.row_blocks import recut
from fastcaf.data.sources import ArrayRows, BlockRows, RowSource, nearest

__all__ = ["SummarisedTrainingData", "TrainingData"]


class TrainingData:
    """Validated training data in internal coordinates.

    Rows of weight zero take no part in the fit, but they get labels like all others.

    Attributes
    ----------
    coordinates : Coordinates
    rows : ArrayRows
        What paths are followed on: the rows that count, or their representatives.
    every_row : RowSource
        All rows that count.
    n_rows : int
        Rows that there are, those of weight 0 too.
    weights : ndarray of shape (n_rows,) or (0,)
        Of all rows; empty: 1 each.
    kept : ndarray or None
        All rows, in memory, where they can be kept.
    """

    coordinates: Coordinates
    rows: ArrayRows
    every_row: RowSource
    n_rows: int
    weights: FloatArray
    kept: NDArray | None

    def __init__(self, X: NDArray, weights: FloatArray) -> None:
        self.weights = weights
        partly = len(weights) > 0 and bool((weights == 0.0).any())
        counted = weights > 0.0 if partly else slice(None)
        weights = weights[counted]
        if (weights == 1.0).all():  # then the bits are those of a fit without weights
            weights = weights[:0]
        self.n_rows = len(X)
        self.coordinates = Coordinates.of(X[counted], weights)
        self.kept = self.coordinates.to_internal(X)
        # Weights below 1 on the mean are shares, not copies: then one row weighs the mean.
        one_row = min(1.0, float(weights.mean())) if len(weights) else 1.0
        self.rows = ArrayRows(
            self.kept[counted],
            (weights / self.coordinates.unit).astype(X.dtype),
            one_row / self.coordinates.unit,
        )
        self.every_row = self.rows

    @cached_property
    def effective_dimension(self) -> float:
        """That of the rows, added up once however many paths ask for it."""
        return self.every_row.effective_dimension()

    def labels(self, centroids: FloatArray) -> NDArray[np.int32]:
        """The nearest centroid of every row, weight zero included."""
        assert self.kept is not None
        return nearest(self.kept, centroids)[0]

    @property
    def n_representatives(self) -> int:
        """How many rows paths see."""
        return len(self.rows.rows)


class SummarisedTrainingData(TrainingData):
    """Many rows, which paths see through weighted representatives (``cells.py``).

    Parameters
    ----------
    read : callable
        Yields all rows in blocks, in the user's coordinates, each time it is called.
    weights : ndarray of shape (n,) or (0,)
        Of the rows; empty: 1 each.
    n_cells : int
        Number of representatives; the answer may have a few less.
    random_state : RandomState
    X : ndarray, optional
        The same rows in memory, where a copy of them is to be kept.
    """

    def __init__(
        self,
        read: Callable[[], Iterable[NDArray]],
        weights: FloatArray,
        n_cells: int,
        random_state: RandomState,
        X: NDArray | None = None,
    ) -> None:
        self._read, self.weights = read, weights
        sample = SAMPLE_A_CELL * n_cells
        survey = FirstPass.of(recut(read()), weights, sample, random_state)
        self.coordinates, self.n_rows = survey.coordinates, survey.n_rows
        if len(weights) and len(weights) != self.n_rows:
            raise ValueError(
                f"sample_weight must have one entry for each of the {self.n_rows} rows of X, "
                f"got shape {weights.shape}."
            )
        unit = self.coordinates.unit
        self._shares = (weights / unit).astype(survey.sample.dtype)
        self.kept = self.coordinates.to_internal(X) if X is not None else None
        counted = np.count_nonzero(weights) if len(weights) else self.n_rows
        one_row = min(1.0, survey.total_weight / counted) / unit
        self.every_row = BlockRows(self._counted_blocks, one_row, survey.total_weight / unit)
        tree = CellTree.of(survey.sample, n_cells, random_state)
        cells = Cells.of(self._counted_blocks(), tree)
        dtype = cells.precision if survey.sample.dtype == np.float64 else np.float32
        # Rounding must not make a constant column vary.
        means = np.clip(cells.means, *survey.extremes).astype(dtype)
        parts = (means, cells.weight.astype(dtype))
        self.rows = ArrayRows(*parts, one_row, cells.scatter.astype(dtype))

    def _blocks(self) -> Iterator[NDArray]:
        """All rows in internal coordinates."""
        if self.kept is not None:
            return recut([self.kept])
        return (self.coordinates.to_internal(block) for block in recut(self._read()))

    def _counted_blocks(self) -> Iterator[ArrayRows]:
        """The rows of positive weight."""
        n = 0
        for block in self._blocks():
            shares = self._shares[n : n + len(block)]
            n += len(block)
            if len(shares) and not shares.all():
                block, shares = block[shares > 0], shares[shares > 0]
            if len(block):
                yield ArrayRows(block, shares)
        if n != self.n_rows:
            raise ValueError(
                f"X had {self.n_rows} rows when it was first read, and {n} later: blocks must "
                "be the same whenever they are read."
            )

    @cached_property
    def within_share(self) -> float:
        """Share of the total scatter that lies within the cells, where no path sees it."""
        rows, weights = self.rows, self.rows.row_weights.astype(np.float64)
        within = float(weights @ rows.scatter)
        total = float(np.trace(rows.second_moments()))
        return within / total if total > 0.0 else 0.0

    def labels(self, centroids: FloatArray) -> NDArray[np.int32]:
        """The nearest centroid of every row, weight zero included."""
        return np.concatenate([nearest(block, centroids)[0] for block in self._blocks()])
