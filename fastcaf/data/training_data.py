"""Training rows in the coordinates in which the work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property, reduce
from operator import add

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.array_rows import ArrayRows
from fastcaf.data.coordinates import Coordinates, check_extent
from fastcaf.data.copies import weight_of_one_row
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.first_pass import FirstPass
from fastcaf.data.representatives import Cells, CellTree, precision
from fastcaf.data.resolution import variance_of_rounding
from fastcaf.data.row_blocks import recut
from fastcaf.data.sampled_rows import SampledRows
from fastcaf.data.sources import BlockRows, RowSource
from fastcaf.data.summary import Summary
from fastcaf.memberships.base import MembershipModel
from fastcaf.memberships.facts import count_varying

__all__ = ["SummarisedTrainingData", "TrainingData"]

MOST_SAMPLED = 20_000  # rows themselves that are looked at where paths see cells


class TrainingData:
    """Validated training data in internal coordinates.

    Rows of weight zero take no part in the fit, but they get labels like all others.

    Attributes
    ----------
    coordinates : Coordinates
    rows : RowSource
        What paths are followed on: the rows that count, or their representatives.  It is in
        memory.
    every_row : RowSource
        All rows that count.
    n_rows : int
        Rows that there are, those of weight 0 too.
    weights : ndarray of shape (n_rows,) or (0,)
        Of all rows; empty: 1 each.
    kept : ndarray or None
        All rows, in memory, where they can be kept.
    n_copies : float
        Rows that count, one of weight 2 twice; weights below 1 on the mean are shares, and
        then each counts once.
    sampled : SampledRows or None
        Some rows themselves, where paths see cells.
    variance_of_rounding : ndarray of shape (d,)
        What the resolution of the rows adds to the variance of each feature; of many rows,
        that of a sample.
    squared_unit : float
        Of squared distances: not 1 where paths see features divided by something.
    """

    coordinates: Coordinates
    rows: RowSource
    every_row: RowSource
    n_rows: int
    weights: FloatArray
    kept: NDArray | None
    sampled: SampledRows | None = None
    n_copies: float
    variance_of_rounding: FloatArray
    squared_unit: float = 1.0

    def __init__(self, X: NDArray, weights: FloatArray) -> None:
        self.weights = weights
        partly = len(weights) > 0 and bool((weights == 0.0).any())
        counted = weights > 0.0 if partly else slice(None)
        weights = weights[counted]
        self.n_copies = max(float(weights.sum()), float(len(weights))) or float(len(X))
        if (weights == 1.0).all():  # then the bits are those of a fit without weights
            weights = weights[:0]
        self.n_rows = len(X)
        counts = X[counted]
        self.coordinates = Coordinates.of(counts, weights)
        if partly:  # the others get labels, and distances, as well
            check_extent(self.coordinates.centre, X.min(axis=0), X.max(axis=0))
        self._flat = self.coordinates.is_flat(counts.min(axis=0), counts.max(axis=0))
        self.kept = self.coordinates.to_internal(X)
        # Weights below 1 on the mean are shares, not copies: then one row weighs the mean.
        least = min(1.0, float(weights.mean())) if len(weights) else 1.0
        least /= self.coordinates.unit
        rows = self._flattened(self.kept[counted])
        weights = self.coordinates.weights_inside(weights, X.dtype)
        self.variance_of_rounding = variance_of_rounding(rows)
        distinct = DistinctRows.of(rows, weights)
        one_row = weight_of_one_row(distinct, self.variance_of_rounding, least)
        self.rows = ArrayRows(rows, weights, one_row)
        self.every_row = self.rows

    def _flattened(self, rows: NDArray) -> NDArray:
        """Rows in internal coordinates with columns that are too narrow to count constant.

        Rows of weight 0 may differ there; they get labels as new rows do.
        """
        if self._flat.any():
            rows = rows.copy()
            rows[:, self._flat] = 0.0
        return rows

    def _inside(self, rows: NDArray) -> NDArray:
        """Rows that count, in internal coordinates."""
        return self._flattened(self.coordinates.to_internal(rows))

    @property
    def n_varying(self) -> int:
        """Features that tell rows apart."""
        return count_varying(self.rows.extent)

    @property
    def total_variance(self) -> float:
        """Mean squared distance of the rows to their mean, in internal coordinates."""
        return float(np.trace(self.second_moments)) / self.rows.total_weight

    @property
    def scale(self) -> float:
        """A length in the user's units is so many times the internal one."""
        return self.coordinates.scale

    @cached_property
    def effective_dimension(self) -> float:
        """(sum of eigenvalues)^2 / (sum of their squares) of the rows' covariance."""
        moments = self._second_moments()
        squares = float((moments**2).sum())
        return float(np.trace(moments)) ** 2 / squares if squares > 0.0 else 1.0

    @cached_property
    def n_distinct(self) -> int:
        """Different rows, or representatives, that paths see."""
        rows = self.rows.in_memory()
        return len(DistinctRows.of(rows.rows, rows.row_weights))

    @cached_property
    def second_moments(self) -> FloatArray:
        """Weighted sum of x x^T over the rows that paths see, with their scatter."""
        rows = self.rows.in_memory()
        moments, d = rows.second_moments(), rows.rows.shape[1]
        if len(rows.scatter):
            share = float(rows.weights @ rows.scatter.astype(np.float64)) / d
            moments = moments + share * np.eye(d)
        return moments

    def _second_moments(self) -> FloatArray:
        return self.rows.in_memory().second_moments()

    def sample(self, n: int, random_state: RandomState) -> TrainingData:
        """The same with ``n`` of the rows that paths see, or with all if they are fewer."""
        rows = self.rows.in_memory()
        if len(rows.rows) <= n:
            return self
        chosen = np.sort(random_state.choice(len(rows.rows), n, replace=False))
        drawn = copy(self)
        drawn.rows = drawn.every_row = replace(
            rows,
            rows=rows.rows[chosen],
            row_weights=rows.row_weights[chosen] if len(rows.row_weights) else rows.row_weights,
            scatter=rows.scatter[chosen] if len(rows.scatter) else rows.scatter,
        )
        if self.sampled is not None:
            drawn.sampled = self.sampled.within(chosen, len(rows.rows))
        for name in ("n_distinct", "second_moments", "effective_dimension"):
            drawn.__dict__.pop(name, None)  # what was computed of all rows
        return drawn

    def labels(self, model: MembershipModel, centroids: FloatArray) -> NDArray[np.int32]:
        """The cluster of every row, weight zero included."""
        assert self.kept is not None
        return model.labels(self.kept, centroids)

    @property
    def n_representatives(self) -> int:
        """How many rows paths see."""
        return len(self.rows.in_memory().rows)


class SummarisedTrainingData(TrainingData):
    """Many rows, which paths see through weighted representatives (``representatives.py``).

    Parameters
    ----------
    read : callable
        Yields all rows in blocks, in the user's coordinates, each time it is called.
    weights : ndarray of shape (n,) or (0,)
        Of the rows; empty: 1 each.
    seen : FirstPass
        Of all rows, with weights in units of ``unit``.
    unit : float
        A power of two.
    summary : Summary
        How many representatives, and of which kind; there may be a few less.
    random_state : RandomState
        Draws the starting points of cells.
    X : ndarray, optional
        The same rows in memory, where a copy of them is to be kept.

    Attributes
    ----------
    within_share : float
        Share of the total scatter that lies within the cells, where no path sees it.
    """

    def __init__(
        self,
        read: Callable[[], Iterable[NDArray]],
        weights: FloatArray,
        seen: FirstPass,
        unit: float,
        summary: Summary,
        random_state: RandomState,
        X: NDArray | None = None,
    ) -> None:
        self._read, self.n_rows, self.weights = read, seen.n_rows, weights
        self.n_copies = max(seen.weight * unit, float(seen.n_counted))
        extremes = seen.lowest, seen.highest
        self.coordinates = Coordinates.around(seen.mean, *extremes, unit, seen.weight)
        self._flat, inside = self.coordinates.is_flat(*extremes), self._inside
        self._weights = self.coordinates.weights_inside(weights, seen.sample.dtype)
        self.kept = self.coordinates.to_internal(X) if X is not None else None
        lowest, highest = inside(np.stack(extremes))
        self._sample, number = inside(seen.sample), summary.number_for(seen.n_counted)
        self.variance_of_rounding = variance_of_rounding(self._sample)
        distinct = DistinctRows.of(self._sample, seen.sample_weights)
        least = min(1.0 / unit, seen.weight / seen.n_counted)
        one_row = weight_of_one_row(distinct, self.variance_of_rounding, least)
        self.every_row = BlockRows(self._counted_blocks, one_row, seen.weight, highest - lowest)
        self.within_share = 0.0
        if summary.draws_rows(len(seen.mean)):
            rows, weight = seen.drawn(number)
            rows, weight = inside(rows), weight.astype(seen.sample.dtype)
            self.rows = ArrayRows(rows, weight, seen.weight / len(rows))
            self._moments = self.rows.second_moments()
        else:
            tree = CellTree.of(self._sample, number, random_state)
            place = self._summarise(tree, (lowest, highest), one_row)
            some = self._sample[:MOST_SAMPLED]
            cell = place[tree.find(some)]
            self.sampled = SampledRows.of(some, seen.drawn(MOST_SAMPLED)[1], cell)

    def _summarise(
        self, tree: CellTree, extremes: tuple[NDArray, NDArray], one_row: float
    ) -> NDArray[np.intp]:
        """Means of cells as rows; returns which of them each cell of the tree is."""
        cells = reduce(add, (Cells.of(block, tree) for block in self._counted_blocks()))
        means, weight, scatter = cells.representatives(tree)
        self._moments, total = cells.moments, float(np.trace(cells.moments))
        self.within_share = float(weight @ scatter) / total if total > 0.0 else 0.0
        dtype = precision(weight, scatter, means.shape[1])
        dtype = dtype if self._sample.dtype == np.float64 else np.float32
        # Rounding must not make a constant column vary.
        means = np.clip(means, *extremes).astype(dtype)
        self.rows = ArrayRows(means, weight.astype(dtype), one_row, scatter.astype(dtype))
        return np.cumsum(cells.weight > 0.0) - 1

    def _second_moments(self) -> FloatArray:
        return self._moments

    def _blocks(self) -> Iterator[NDArray]:
        """All rows in internal coordinates."""
        if self.kept is not None:
            return recut([self.kept])
        return (self.coordinates.to_internal(block) for block in recut(self._read()))

    def _counted_blocks(self) -> Iterator[ArrayRows]:
        """The rows of positive weight."""
        n = 0
        for block in self._blocks():
            weights = self._weights[n : n + len(block)]
            n += len(block)
            if len(weights) and not weights.all():
                block, weights = block[weights > 0], weights[weights > 0]
            if len(block):
                yield ArrayRows(self._flattened(block), weights)
        if n != self.n_rows:
            raise ValueError(
                f"X had {self.n_rows} rows when it was first read, and {n} later: blocks must "
                "be the same whenever they are read."
            )

    def labels(self, model: MembershipModel, centroids: FloatArray) -> NDArray[np.int32]:
        """The cluster of every row, weight zero included."""
        return np.concatenate([model.labels(block, centroids) for block in self._blocks()])
