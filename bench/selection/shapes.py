"""What a cluster looks like: rows of mean 0 and variance 1 along each axis.

All have the covariance that a Gaussian cluster would have, so that separations mean the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

DEGREES = 3  # of freedom of Student's t; the variance is infinite at 2
GAMMA_SHAPE = 2.0

Shape = Callable[[np.random.Generator, int, int], np.ndarray]


def student(rng: np.random.Generator, size: int, d: int) -> np.ndarray:
    """Heavy tails: multivariate t of 3 degrees of freedom."""
    rows = rng.normal(size=(size, d))
    stretch = np.sqrt((DEGREES - 2) / rng.chisquare(DEGREES, size=size))
    return rows * stretch[:, None]


def box(rng: np.random.Generator, size: int, d: int) -> np.ndarray:
    """Uniform, with sharp edges."""
    return rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), size=(size, d))


def skewed(rng: np.random.Generator, size: int, d: int) -> np.ndarray:
    """A gamma distribution of shape 2 along each axis."""
    rows = rng.gamma(GAMMA_SHAPE, size=(size, d))
    return (rows - GAMMA_SHAPE) / np.sqrt(GAMMA_SHAPE)
