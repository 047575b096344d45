"""The coordinates in which the work is done: centred, and scaled by powers of two.

Centring keeps the digits of data with a large offset; the scale keeps squares of very large
and very small numbers within range, and the unit does the same for row weights.  A power of
two changes no digit, so results for s X are s times those for X to the last bit when s is a
power of two, and to rounding otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fastcaf._typing import FloatArray

__all__ = ["Coordinates", "check_extent", "power_of_two"]

# Squares of the extent, and what is added up of them, stay far from the ends of float64.
LEAST_EXTENT, MOST_EXTENT = 2.0**-500, 2.0**505
LEAST_UNIT, MOST_UNIT = 2.0**-1000, 2.0**1022  # of gamma and of the objective
# Of the widest column: narrower ones count as constant, as their variance has no inverse.
LEAST_COLUMN = {np.dtype(np.float64): 2.0**-460, np.dtype(np.float32): 2.0**-60}
# Lighter rows, as a share of the heaviest, weigh so much: without it some would weigh nothing
# in single precision.
LEAST_SHARE = 2.0**-100


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
        total = float(len(rows))
        with np.errstate(over="ignore", invalid="ignore"):
            if len(weights):
                shares = weights / unit
                total = float(shares.sum())
                centre = np.einsum("i,ij->j", shares / total, rows, dtype=np.float64)
            else:
                centre = rows.mean(axis=0, dtype=np.float64)
        return cls.around(centre, rows.min(axis=0), rows.max(axis=0), unit, total)

    @classmethod
    def around(
        cls,
        centre: FloatArray,
        lowest: NDArray,
        highest: NDArray,
        unit: float,
        total: float,
    ) -> Coordinates:
        """Coordinates of rows with this mean, and these extremes of every column.

        ``total`` is their weight in units of ``unit``.
        """
        # A mean is rounded: that of equal values is their value.
        centre = np.clip(centre, lowest, highest)
        extent = check_extent(centre, lowest, highest)
        scale = power_of_two(extent)
        with np.errstate(over="ignore", under="ignore"):
            least, most = np.array([unit, unit * total * len(centre)]) * np.square(scale)
            steepest = unit * total / scale
        if extent > 0.0 and not (least >= LEAST_UNIT and most + steepest <= MOST_UNIT):
            raise ValueError(
                f"sample_weight (up to {unit:.3g}) times the squared extent of X "
                f"({extent:.3g}) lies outside the range {LEAST_UNIT:.1g} to {MOST_UNIT:.1g} in "
                "which sums keep their digits in float64. Multiply X or the weights by a "
                "constant first."
            )
        return cls(centre, scale, unit)

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
        # Scaled first, and that in float64: in float32 differences, and the scale, overflow.
        np.divide(rows, np.float64(self.scale), out=inside, casting="same_kind")
        np.subtract(inside, self.centre / self.scale, out=inside, casting="same_kind")
        return inside

    def is_flat(self, lowest: NDArray, highest: NDArray) -> NDArray[np.bool_]:
        """Whether columns with these extremes are too narrow beside the widest to count."""
        width: NDArray = highest / np.float64(self.scale) - lowest / np.float64(self.scale)
        return width < LEAST_COLUMN[lowest.dtype]

    def weights_inside(self, weights: FloatArray, dtype: DTypeLike) -> NDArray:
        """Row weights in internal units and in the precision of the rows; 0 stays 0."""
        lifted = np.where(weights > 0.0, np.maximum(weights / self.unit, LEAST_SHARE), 0.0)
        return lifted.astype(dtype)

    def to_user(self, centroids: FloatArray) -> FloatArray:
        """Centroids in the user's coordinates."""
        return centroids * self.scale + self.centre


def check_extent(centre: FloatArray, lowest: NDArray, highest: NDArray) -> float:
    """How far rows reach from their mean; an error where squares of that have no digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        extent = float(max((highest - centre).max(), (centre - lowest).max()))
    largest = float(max(np.abs(lowest).max(), np.abs(highest).max()))
    if not extent <= MOST_EXTENT:
        raise ValueError(
            "The values of X are too large to be squared and added up in float64 (largest "
            f"magnitude {largest:.3g}; they may reach {MOST_EXTENT:.1g} from their mean). "
            "Divide X by a constant first."
        )
    if 0.0 < extent < LEAST_EXTENT:
        raise ValueError(
            f"The values of X are too near each other for their squares in float64 (they reach "
            f"{extent:.3g} from their mean; {LEAST_EXTENT:.1g} is the least). Multiply X by a "
            "constant first."
        )
    return extent


def power_of_two(value: float) -> float:
    """The next power of two above ``value``; 1 for 0."""
    return float(np.exp2(np.frexp(value)[1])) if value > 0.0 else 1.0
