"""How finely the data are written down, and what that adds to a variance.

A value that was rounded to multiples of r stands for an interval of width r around it, which
has the variance r^2 / 12 (Sheppard).  Without it a Gaussian that sits on equal values has no
width, and its likelihood no bound.  With it densities mean what probabilities of the values
mean: to split rows by a fair coin's column gains as much as it costs.

The resolution of a column is the smallest difference of two of its values, rounding errors
aside, if nearly all differences of neighbouring values are multiples of it.  Where they are
not, values were not rounded, and may lie apart because they are few.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray

__all__ = ["FINEST", "variance_of_rounding"]

ROUNDING = 1e-9  # differences below this share of the extent are errors of arithmetic
FINEST = 1e-6  # of the extent: no cluster is narrower
# Share of the differences that are multiples, and how nearly: rounding errors aside, up to the
# last, which one in five of any differences keeps.
MOST, NEAR, LEAST_NEAR = 0.9, 1e-3, 0.1


def variance_of_rounding(rows: NDArray) -> FloatArray:
    """r^2 / 12 of every column; 0 for constant ones, unless all are."""
    d = rows.shape[1]
    result = np.zeros(d)
    for f in range(d):
        values = np.unique(rows[:, f]).astype(np.float64)
        extent = values[-1] - values[0]
        if extent <= 0.0:
            continue
        gaps = np.diff(values)
        rounding = max(ROUNDING, 4.0 * float(np.finfo(rows.dtype).eps)) * max(
            extent, abs(values[0]), abs(values[-1])
        )
        gaps = gaps[gaps > rounding] if (gaps > rounding).any() else np.array([extent])
        finest = float(gaps.min())
        steps = gaps / finest
        inexact = np.minimum(NEAR + rounding / finest * (1.0 + steps), LEAST_NEAR)
        if np.mean(np.abs(steps - np.round(steps)) < inexact) < MOST:
            finest = 0.0
        result[f] = max(finest, FINEST * extent) ** 2 / 12.0
    # Equal rows: any width will do.
    return result if result.any() else np.full(d, 1.0 / 12.0)
