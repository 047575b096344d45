"""Rows and centroids on two axes, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray

__all__ = ["Projection", "project_on"]

FITTED_ON = 20_000  # rows, at most: two axes need no more


@dataclass(frozen=True)
class Projection:
    """Two axes and the names to put on them.

    Attributes
    ----------
    mean : ndarray of shape (d,)
    axes : ndarray of shape (2, d)
    names : tuple of two str
        Names of the features where there are two of them, else those of the principal axes
        with their share of the variance.
    """

    mean: FloatArray
    axes: FloatArray
    names: tuple[str, str]

    def __call__(self, points: NDArray) -> FloatArray:
        """Points of d features on the two axes."""
        return (np.asarray(points, dtype=np.float64) - self.mean) @ self.axes.T


def project_on(rows: NDArray, names: list[str] | None = None) -> Projection:
    """Two axes for these rows: themselves up to two features, else the principal axes.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    names : list of str, optional
        Of the features.

    Returns
    -------
    Projection
    """
    d = rows.shape[1]
    called = list(names) if names is not None else [f"feature {j}" for j in range(d)]
    if d <= 2:
        axes = np.eye(2, d)
        return Projection(np.zeros(d), axes, (called[0], called[1] if d == 2 else ""))
    sample = np.asarray(rows[:: -(-len(rows) // FITTED_ON)], dtype=np.float64)
    mean = sample.mean(axis=0)
    scale = np.abs(sample - mean).max() or 1.0  # squares of huge values would overflow
    _, singular, axes = np.linalg.svd((sample - mean) / scale, full_matrices=False)
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    axes = np.vstack([axes * np.sign(largest), np.zeros((2, d))])[:2]  # signs that do not flip
    share = np.append(singular**2, [0.0, 0.0])[:2] / (np.sum(singular**2) or 1.0)
    return Projection(
        mean,
        axes,
        (f"principal axis 1 ({share[0]:.0%})", f"principal axis 2 ({share[1]:.0%})"),
    )
