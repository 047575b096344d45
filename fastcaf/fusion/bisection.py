"""A start without chance: the rows are halved again and again.

The part with the most scatter around its mean is cut in two at the mean, across its longest
principal axis (Su and Dy 2007, "In search of deterministic methods for initializing k-means").
The means of the parts are the starting centroids.  They depend on the data alone, and rows in
another order, shifted, scaled or turned give the same ones.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray

__all__ = ["means_of_parts"]

POWER_STEPS = 20


def means_of_parts(rows: NDArray, weights: FloatArray, n: int) -> FloatArray:
    """Means of ``n`` parts of the rows, which are all different; ``n`` is not above them."""
    parts = [_Part(rows, weights, np.arange(len(rows)), 0)]
    while len(parts) < n:
        part = heapq.heappop(parts)
        for i, members in enumerate(part.halves(rows, weights)):
            heapq.heappush(parts, _Part(rows, weights, members, 2 * part.number + 1 + i))
    return np.array([part.mean for part in sorted(parts, key=lambda one: one.members[0])])


class _Part:
    """Some of the rows; those with more scatter come first in a heap."""

    def __init__(
        self, rows: NDArray, weights: FloatArray, members: NDArray[np.intp], number: int
    ) -> None:
        self.members, self.number = members, number
        inside, own = rows[members].astype(np.float64), weights[members]
        self.mean: FloatArray = inside[0].copy()
        if len(members) > 1:  # means of single rows are these rows, to the last bit
            self.mean = own @ inside / own.sum()
        inside -= self.mean
        self.scatter = float(own @ np.einsum("ij,ij->i", inside, inside))

    def __lt__(self, other: _Part) -> bool:
        if (len(self.members) > 1) != (len(other.members) > 1):  # one row cannot be halved
            return len(self.members) > 1
        return (-self.scatter, self.number) < (-other.scatter, other.number)

    def halves(
        self, rows: NDArray, weights: FloatArray
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows on either side of the mean, along the longest principal axis.

        Power iteration finds it, from the direction of the row that is farthest away.
        """
        inside = rows[self.members].astype(np.float64) - self.mean
        inside /= np.abs(inside).max() or 1.0
        own = weights[self.members]
        axis = inside[np.argmax(np.einsum("ij,ij->i", inside, inside))]
        for _ in range(POWER_STEPS):
            axis = (own * (inside @ axis)) @ inside
            axis /= np.linalg.norm(axis) or 1.0
        along = inside @ axis
        left = along < 0.0
        if left.all() or not left.any():  # all at the mean but for rounding
            left = np.arange(len(along)) < len(along) // 2
        return self.members[left], self.members[~left]
