"""Gaussian clusters at a given separation.

The separation of two clusters is their Mahalanobis distance in the mean of their covariances;
for two spherical clusters of one spread, the distance of the centres in standard deviations.
That of a set is the smallest over its pairs.
"""

from __future__ import annotations

import numpy as np

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


def covariance(rng: np.random.Generator, axes: np.ndarray) -> np.ndarray:
    """The axes (standard deviations) in a random orientation."""
    rotation, _ = np.linalg.qr(rng.normal(size=(len(axes), len(axes))))
    return (rotation * axes**2) @ rotation.T


def draw(
    rng: np.random.Generator,
    sizes: np.ndarray,
    covariances: np.ndarray,
    separation: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of Gaussian clusters whose smallest separation is the given one."""
    centers = scattered_centers(rng, len(sizes), covariances.shape[1])
    centers *= separation / smallest_separation(centers, covariances)
    rows = [
        rng.multivariate_normal(mean, spread, size, method="cholesky")
        for mean, spread, size in zip(centers, covariances, sizes, strict=True)
    ]
    return np.vstack(rows), np.repeat(np.arange(len(sizes)), sizes)
