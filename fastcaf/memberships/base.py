"""What the rest of the method knows of a membership model: additive statistics."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.kernels.pairs.centroid_update import lifted_means

__all__ = ["MembershipModel", "Statistics"]

# Weight, sums, mass, squares, data term and nearest (see ``Statistics``), for compiled code.
Sums = tuple[FloatArray, FloatArray, FloatArray, FloatArray, float, float]

# Weights below this share of the mean one are lifted to it: a centroid that no row holds
# keeps its place until a neighbour takes it in.
LEAST_WEIGHT = 1e-9


@dataclass(slots=True)
class Statistics:
    """Sums over rows, for given centroids.  Those of two sets of rows add up.

    Attributes
    ----------
    weight : ndarray of shape (K,)
        How strongly the rows hold each centroid: sum of mu^m in fuzzy c-means.
    sums : ndarray of shape (K, d)
        Sum of the rows with those weights; ``sums / weight`` is where they pull to.
    mass : ndarray of shape (K,)
        Sum of the memberships: the soft size of each cluster.
    data_term : float
        The rows' part of the objective.
    squares : ndarray of shape (K,)
        Sum of mu times itself (in fuzzy c-means, mu^m): high where rows belong to one
        cluster alone.
    nearest : float
        Sum of squared distances to the nearest centroid, where the model uses it.
    """

    weight: FloatArray
    sums: FloatArray
    mass: FloatArray
    data_term: float
    squares: FloatArray
    nearest: float = 0.0

    def __add__(self, other: Statistics) -> Statistics:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Statistics(*(one + another for one, another in pairs))

    def ordered(self, order: NDArray[np.intp]) -> Statistics:
        """The same for the centroids in another order."""
        return Statistics(
            self.weight[order],
            self.sums[order],
            self.mass[order],
            self.data_term,
            self.squares[order],
            self.nearest,
        )

    @classmethod
    def of(cls, sums: Sums) -> Statistics:
        """From what the compiled iteration returns."""
        weight, totals, mass, squares, data_term, nearest = sums
        return cls(weight, totals, mass, data_term, squares, nearest)

    def as_tuple(self) -> Sums:
        """For the compiled iteration."""
        return self.weight, self.sums, self.mass, self.squares, self.data_term, self.nearest

    def held_means(self, centroids: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights and means of the centroid problem; none of the weights is 0.

        A centroid that no row holds stays at its place in ``centroids``.
        """
        return lifted_means(self.weight, self.sums, centroids, LEAST_WEIGHT)

    @property
    def confidence(self) -> FloatArray:
        """Mean membership of a cluster's own mass, 1 where it is crisp, 0 without mass."""
        mass = np.maximum(self.mass, np.finfo(np.float64).tiny)
        return self.squares / mass


class MembershipModel(Protocol):
    """Memberships of rows in clusters, given the centroids.

    Attributes
    ----------
    name : str
        As users call it.
    least_confidence : float
        Share of the median confidence below which a centroid has no support.
    fuzzifier : float
        The power m of the memberships in sums over the rows: rows pull with mu^m.
    """

    @property
    def name(self) -> str:
        """See above."""
        ...

    @property
    def least_confidence(self) -> float:
        """See above."""
        ...

    @property
    def fuzzifier(self) -> float:
        """See above."""
        ...

    @property
    def adapts(self) -> bool:
        """Whether it scales itself by the last pass."""
        ...

    def adapted(self, statistics: Statistics) -> MembershipModel:
        """The model for the next pass, where it scales itself by the last one."""
        ...

    def suited_to(self, rows: NDArray) -> MembershipModel:
        """The model for these rows, before the first pass."""
        ...

    @property
    def code(self) -> tuple[int, float, int]:
        """Kind, parameter and features, for compiled code (``kernels/small_data.py``)."""
        ...

    def at(self, parameter: float) -> MembershipModel:
        """The model with this parameter."""
        ...

    def statistics(
        self,
        rows: NDArray,
        row_weights: NDArray,
        centroids: FloatArray,
        scatter: NDArray | None = None,
    ) -> Statistics:
        """Sums over ``rows``; an empty ``row_weights`` means 1 for every row.

        A row may stand for a cell of rows, by their mean; ``scatter`` is then the mean of
        their squared distances to it (none, or empty: 0), and a part of the squared
        distances to all centroids.  It has the precision of the rows.
        """
        ...

    def memberships(self, rows: NDArray, centroids: FloatArray) -> NDArray:
        """The memberships themselves, n x K, in the precision of the rows."""
        ...
