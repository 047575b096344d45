"""Training rows in the coordinates in which the work is done."""

from __future__ import annotations

from functools import cached_property

from numpy.typing import NDArray

from fastcaf.frame import Frame
from fastcaf.memberships.base import FloatArray
from fastcaf.sources import ArrayRows

__all__ = ["Training"]


class Training:
    """Validated training data in internal coordinates.

    Rows of weight zero take no part in the fit, but they get labels like all others.
    """

    def __init__(self, X: NDArray, weights: FloatArray) -> None:
        partly = len(weights) > 0 and bool((weights == 0.0).any())
        counted = weights > 0.0 if partly else slice(None)
        weights = weights[counted]
        if (weights == 1.0).all():  # then the bits are those of a fit without weights
            weights = weights[:0]
        self.frame = Frame.of(X[counted], weights)
        self.all_rows = self.frame.enter(X)
        # Weights below 1 on the mean are shares, not copies: then one row weighs the mean.
        one_row = min(1.0, float(weights.mean())) if len(weights) else 1.0
        self.rows = ArrayRows(
            self.all_rows[counted],
            (weights / self.frame.unit).astype(X.dtype),
            one_row / self.frame.unit,
        )

    @cached_property
    def effective_dimension(self) -> float:
        """That of the rows, added up once however many paths ask for it."""
        return self.rows.effective_dimension()
