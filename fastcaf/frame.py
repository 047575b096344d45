"""The coordinates in which the work is done: centred, and scaled by a power of two.

Centring keeps the digits of data with a large offset; the scale keeps squares of very large
and very small numbers within range.  A power of two changes no digit, so results for s X are
s times those for X to the last bit when s is a power of two, and to rounding otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf.memberships.base import FloatArray

__all__ = ["Frame"]


@dataclass(frozen=True)
class Frame:
    """x = centre + scale * internal x; gamma scales with x, objectives with its square."""

    centre: FloatArray
    scale: float

    @classmethod
    def of(cls, rows: NDArray, row_weights: NDArray) -> Frame:
        """Frame of weighted rows: their mean, and a power of two above their extent."""
        weights = row_weights if len(row_weights) else None
        with np.errstate(over="ignore", invalid="ignore"):
            centre = np.average(rows, axis=0, weights=weights).astype(np.float64)
            extent = float(
                max((rows.max(axis=0) - centre).max(), (centre - rows.min(axis=0)).max())
            )
        if not extent < 2.0**1023:
            raise ValueError(
                "The values of X are too large to be added up in float64 (largest "
                f"magnitude {np.abs(rows).max():.3g}). Divide X by a constant first."
            )
        if extent <= 64 * np.finfo(rows.dtype).eps * float(np.abs(centre).max()):
            extent = 0.0  # equal rows, up to the rounding of their mean
        return cls(centre, float(np.exp2(np.frexp(extent)[1])) if extent > 0.0 else 1.0)

    @property
    def square(self) -> float:
        """The unit of objectives; infinite where they are beyond float64."""
        with np.errstate(over="ignore"):
            return float(np.square(self.scale))

    def enter(self, rows: NDArray) -> NDArray:
        """Rows in internal coordinates: a C-ordered copy in the precision of ``rows``."""
        inside = np.empty(rows.shape, dtype=rows.dtype)
        np.subtract(rows, self.centre, out=inside, casting="same_kind")
        inside /= self.scale
        return inside

    def leave(self, centroids: FloatArray) -> FloatArray:
        """Centroids in the user's coordinates."""
        return centroids * self.scale + self.centre
