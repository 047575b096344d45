"""Cells: many rows as few representatives, each with weight, mean and scatter.

The cells are a tree of two levels.  Some sqrt(R) groups of a sample of the rows are found by
k-means, and in each group some sqrt(R) cells, more where there is more scatter to divide.
A row belongs to the nearest cell of the nearest group: 2 sqrt(R) distances and not R.  Near
the border of a group that need not be the nearest cell of all; a cell's mean and scatter are
those of the rows that it has, all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.kmeans import lloyd_steps
from fastcaf.data.sources import ArrayRows, nearest
from fastcaf.kernels.spread import spread_draws

__all__ = ["SAMPLE_A_CELL", "CellTree", "Cells"]

SAMPLE_A_CELL = 16  # rows of the sample for every cell
STEPS = 5  # of k-means; ten leave 1 % less scatter within the cells
# Cells wider than this, as a share of the data's extent, are no narrower in float32, which is
# exact to 2^-25 of it, and row passes take half the time.
FLOAT32_WIDTH = 2.0**-12


@dataclass(frozen=True)
class CellTree:
    """Centres of groups, and of the cells in each group, in internal coordinates."""

    groups: FloatArray
    cells: list[FloatArray]

    @classmethod
    def of(cls, sample: NDArray, n_cells: int, random_state: RandomState) -> CellTree:
        """Cells for the rows that the sample stands for: ``n_cells`` of them, or a few less.

        Where the sample has no more distinct rows than that, they are the cells.
        """
        distinct = DistinctRows.of(sample, np.empty(0)).rows
        few = len(distinct) <= n_cells
        rows = distinct if few else sample
        groups = _means(rows, round(np.sqrt(n_cells)), random_state)
        members = list(_members(rows, groups))
        if few:
            return cls(groups, [one.astype(np.float64) for one in members])
        scatter = np.array([_scatter(one) for one in members])
        # Least total scatter: the scatter of N rows in r cells falls like r^(-2/d).
        d = sample.shape[1]
        shares = scatter ** (d / (d + 2.0))
        numbers = np.maximum(1, n_cells * shares / shares.sum()).astype(int)
        return cls(
            groups,
            [
                _means(one, k, random_state) if len(one) else groups[[g]]
                for g, (one, k) in enumerate(zip(members, numbers, strict=True))
            ],
        )

    def find(self, rows: NDArray) -> NDArray[np.intp]:
        """The cell of every row, numbered group by group."""
        found = np.empty(len(rows), dtype=np.intp)
        first = 0
        for chosen, cells in zip(_chosen(rows, self.groups), self.cells, strict=True):
            if len(chosen):
                found[chosen] = first + nearest(rows[chosen], cells)[0]
            first += len(cells)
        return found


def _means(rows: NDArray, k: int, random_state: RandomState) -> FloatArray:
    """At most k means of rows, by some steps of k-means."""
    if len(rows) <= k:
        return np.unique(rows, axis=0).astype(np.float64)
    chosen = spread_draws(rows[: SAMPLE_A_CELL * k], random_state.uniform(size=k))
    start = rows[chosen].astype(np.float64)
    return lloyd_steps(ArrayRows(rows, np.empty(0, rows.dtype)), start, STEPS)


def _chosen(rows: NDArray, groups: FloatArray) -> list[NDArray[np.intp]]:
    """Where the rows of every group are."""
    labels = nearest(rows, groups)[0]
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, len(groups))))


def _members(rows: NDArray, groups: FloatArray) -> Iterator[NDArray]:
    """The rows of every group."""
    return (rows[chosen] for chosen in _chosen(rows, groups))


def _scatter(rows: NDArray) -> float:
    """Sum of squared distances to the mean."""
    inside = rows.astype(np.float64)
    return float(((inside - inside.mean(axis=0)) ** 2).sum()) if len(inside) else 0.0


@dataclass(frozen=True)
class Cells:
    """What cells hold; those without rows are left out.

    Attributes
    ----------
    weight : ndarray of shape (R,)
        Sum of the rows' weights.
    means : ndarray of shape (R, d)
    scatter : ndarray of shape (R,)
        Mean squared distance of the rows to the mean of their cell.
    """

    weight: FloatArray
    means: FloatArray
    scatter: FloatArray

    @property
    def precision(self) -> type[np.float32 | np.float64]:
        """float32 where all but a thousandth of the rows are in cells wide enough for it."""
        wide = self.scatter >= self.means.shape[1] * FLOAT32_WIDTH**2
        enough = float(self.weight[wide].sum()) >= 0.999 * float(self.weight.sum())
        return np.float32 if enough else np.float64

    @classmethod
    def of(cls, blocks: Iterable[ArrayRows], tree: CellTree) -> Cells:
        """Add up the rows of every cell, in one pass."""
        centres = np.concatenate(tree.cells)
        R, d = centres.shape
        weight, squares, sums = np.zeros(R), np.zeros(R), np.zeros((R, d))
        for block in blocks:
            cell = tree.find(block.rows)
            a = block.row_weights.astype(np.float64) if len(block.row_weights) else None
            # Offsets from the centre of the cell: no digits are lost in their squares.
            offsets = block.rows - centres[cell]
            weight += np.bincount(cell, a, R)
            length = np.einsum("ij,ij->i", offsets, offsets)
            squares += np.bincount(cell, length if a is None else a * length, R)
            for f in range(d):
                column = offsets[:, f]
                sums[:, f] += np.bincount(cell, column if a is None else a * column, R)
        held = weight > 0.0
        weight, centres = weight[held], centres[held]
        offset = sums[held] / weight[:, None]
        scatter = squares[held] / weight - np.einsum("ij,ij->i", offset, offset)
        return cls(weight, centres + offset, np.maximum(scatter, 0.0))
