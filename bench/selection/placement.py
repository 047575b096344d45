"""Clusters at a given separation.

The separation of two clusters is their Mahalanobis distance in the mean of their covariances;
for two spherical clusters of one spread, the distance of the centres in standard deviations.
That of a set is the smallest over its pairs.
"""

from __future__ import annotations

import numpy as np

from bench.selection.shapes import Shape

CANDIDATES = 5


def scattered_centers(rng: np.random.Generator, c: int, d: int) -> np.ndarray:
    """Centres in the unit cube: each the farthest from the former ones of five draws."""
    centers = rng.uniform(size=(1, d))
    for _ in range(c - 1):
        drawn = rng.uniform(size=(CANDIDATES, d))
        gaps = np.linalg.norm(drawn[:, None] - centers[None], axis=2).min(axis=1)
        centers = np.vstack([centers, drawn[gaps.argmax()]])
    return centers


def smallest_separation(centers: np.ndarray, covariances: np.ndarray) -> float:
    """Smallest Mahalanobis distance over all pairs."""
    first, second = np.triu_indices(len(centers), 1)
    shifts = centers[first] - centers[second]
    pooled = (covariances[first] + covariances[second]) / 2
    solved = np.linalg.solve(pooled, shifts[:, :, None])[:, :, 0]
    return float(np.sqrt((shifts * solved).sum(axis=1).min()))


def rotation(rng: np.random.Generator, d: int) -> np.ndarray:
    """A random orientation."""
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def draw(
    rng: np.random.Generator,
    sizes: np.ndarray,
    axes: np.ndarray,
    separation: float,
    shape: Shape | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of clusters whose smallest separation is the given one.

    ``axes`` has the standard deviations of each cluster, which are turned at random.
    ``shape`` draws rows along the axes; None is Gaussian.
    """
    c, d = axes.shape
    turns = np.stack([rotation(rng, d) for _ in range(c)])
    covariances = np.stack([(R * own**2) @ R.T for R, own in zip(turns, axes, strict=True)])
    centers = scattered_centers(rng, c, d)
    centers *= separation / smallest_separation(centers, covariances)
    rows = []
    for j, size in enumerate(sizes):
        if shape is None:
            own = rng.multivariate_normal(centers[j], covariances[j], size, method="cholesky")
        else:
            own = centers[j] + (shape(rng, size, d) * axes[j]) @ turns[j].T
        rows.append(own)
    return np.vstack(rows), np.repeat(np.arange(c), sizes)
