"""The coordinates in which the work is done: centred, and scaled by powers of two.

Centring keeps the digits of data with a large offset; the scale keeps squares of very large
and very small numbers within range, and the unit does the same for row weights.  A power of
two changes no digit, so results for s X are s times those for X to the last bit when s is a
power of two, and to rounding otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray

__all__ = ["Coordinates", "power_of_two"]


@dataclass(frozen=True)
class Coordinates:
    """x = centre + scale * internal x, and weight = unit * internal weight."""

    centre: FloatArray
    scale: float
    unit: float = 1.0

    @classmethod
    def of(cls, rows: NDArray, weights: FloatArray) -> Coordinates:
        """From weighted rows: their mean, and powers of two above extent and weights."""
        unit = power_of_two(float(weights.max())) if len(weights) else 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            if len(weights):
                shares = weights / unit
                centre = np.einsum("i,ij->j", shares / shares.sum(), rows, dtype=np.float64)
            else:
                centre = rows.mean(axis=0, dtype=np.float64)
        return cls.around(centre, rows.min(axis=0), rows.max(axis=0), unit)

    @classmethod
    def around(
        cls, centre: FloatArray, lowest: NDArray, highest: NDArray, unit: float
    ) -> Coordinates:
        """Coordinates of rows with this mean, and these extremes of every column."""
        with np.errstate(over="ignore", invalid="ignore"):
            extent = float(max((highest - centre).max(), (centre - lowest).max()))
        if not extent < 2.0**1023:
            largest = float(max(np.abs(lowest).max(), np.abs(highest).max()))
            raise ValueError(
                "The values of X are too large to be added up in float64 (largest "
                f"magnitude {largest:.3g}). Divide X by a constant first."
            )
        if extent <= 64 * np.finfo(lowest.dtype).eps * float(np.abs(centre).max()):
            extent = 0.0  # equal rows, up to the rounding of their mean
        return cls(centre, power_of_two(extent), unit)

    def gamma_unit(self, by_mass: bool = False, *, likelihood: bool = False) -> float:
        """The unit of gamma: a weight times a distance; a distance where pairs have weights.

        Where the objective is a likelihood, it has no unit of length but gamma's distances
        have: a weight divided by a distance, or one divided by it.
        """
        if likelihood:
            return 1.0 / self.scale if by_mass else self.unit / self.scale
        return self.scale if by_mass else self.scale * self.unit

    @property
    def objective_unit(self) -> float:
        """The unit of objectives; infinite where they are beyond float64."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.square(self.scale) * self.unit)

    def to_internal(self, rows: NDArray) -> NDArray:
        """Rows in internal coordinates: a C-ordered copy in the precision of ``rows``."""
        inside = np.empty(rows.shape, dtype=rows.dtype)
        np.subtract(rows, self.centre, out=inside, casting="same_kind")
        inside /= self.scale
        return inside

    def to_user(self, centroids: FloatArray) -> FloatArray:
        """Centroids in the user's coordinates."""
        return centroids * self.scale + self.centre


def power_of_two(value: float) -> float:
    """The next power of two above ``value``; 1 for 0."""
    return float(np.exp2(np.frexp(value)[1])) if value > 0.0 else 1.0
