"""Cells: many rows as few representatives, each with weight, mean and scatter.

The cells are a tree of two levels.  Some sqrt(R) groups of a sample of the rows are found by
k-means, and in each group some sqrt(R) cells, more where there is more scatter to divide.
A row belongs to the nearest cell of the nearest group: 2 sqrt(R) distances and not R.  Near
the border of a group that need not be the nearest cell of all; a cell's mean and scatter are
those of the rows that it has, all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from fastcaf._typing import FloatArray
from fastcaf.data.array_rows import ArrayRows, indicator, nearest
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.kmeans import lloyd_steps
from fastcaf.data.sums import Sums

__all__ = ["SAMPLE_A_CELL", "CellTree", "Cells", "precision"]

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
        """Cells for the rows that the sample was drawn from: ``n_cells``, or a few less.

        Where the sample has no more distinct rows than that, they are the cells.
        """
        distinct = DistinctRows.of(sample, np.empty(0)).rows
        few = len(distinct) <= n_cells
        rows = distinct if few else sample
        groups = _means(rows, round(np.sqrt(n_cells)), random_state)
        members = [rows[chosen] for chosen in _chosen(rows, groups)]
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
    some = rows[: SAMPLE_A_CELL * k].astype(np.float64)
    # Centred: kmeans_plusplus loses digits far from the origin.  More trials for every draw
    # leave 0.6 % less scatter within the cells, and take longer.
    _, chosen = kmeans_plusplus(
        some - some.mean(axis=0), k, random_state=random_state, n_local_trials=1
    )
    return lloyd_steps(ArrayRows(rows, np.empty(0, rows.dtype)), some[chosen], STEPS)


def _chosen(rows: NDArray, groups: FloatArray) -> list[NDArray[np.intp]]:
    """Where the rows of every group are."""
    labels = nearest(rows, groups)[0]
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, len(groups))))


def _scatter(rows: NDArray) -> float:
    """Sum of squared distances to the mean."""
    inside = rows.astype(np.float64)
    return float(((inside - inside.mean(axis=0)) ** 2).sum()) if len(inside) else 0.0


@dataclass(frozen=True)
class Cells(Sums):
    """Sums over the rows of every cell, of one block or of several.

    Attributes
    ----------
    weight : ndarray of shape (R,)
        Sum of the rows' weights.
    offsets : ndarray of shape (R, d)
        Weighted sum of the rows, from the centre of their cell: no digits are lost.
    squares : ndarray of shape (R,)
        Weighted sum of the squared lengths of those offsets.
    moments : ndarray of shape (d, d)
        Weighted sum of x x^T over all rows.
    """

    weight: FloatArray
    offsets: FloatArray
    squares: FloatArray
    moments: FloatArray

    @classmethod
    def of(cls, block: ArrayRows, tree: CellTree) -> Cells:
        """Add up the rows of every cell."""
        centres = np.concatenate(tree.cells)
        cell = tree.find(block.rows)
        inside = block.rows - centres[cell]
        members = indicator(cell, block.weights, len(centres))
        squares = members @ np.einsum("ij,ij->i", inside, inside)
        weight = members @ np.ones(len(cell))
        return cls(weight, members @ inside, squares, block.second_moments())

    def representatives(self, tree: CellTree) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means, weights, and mean squared distances to the mean, of the cells with rows."""
        some = self.weight > 0.0
        weight = self.weight[some]
        offset = self.offsets[some] / weight[:, None]
        scatter = self.squares[some] / weight - np.einsum("ij,ij->i", offset, offset)
        means = np.concatenate(tree.cells)[some] + offset
        return means, weight, np.maximum(scatter, 0.0)


def precision(weight: FloatArray, scatter: FloatArray, d: int) -> type[np.floating]:
    """float32 where all but a thousandth of the rows are in cells wide enough for it."""
    wide = scatter >= d * FLOAT32_WIDTH**2
    enough = float(weight[wide].sum()) >= 0.999 * float(weight.sum())
    return np.float32 if enough else np.float64
