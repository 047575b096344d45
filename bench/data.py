"""Rows to measure with, and starts that all contenders share."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import kmeans_plusplus


def places(n_clusters: int, d: int, apart: float) -> np.ndarray:
    """Random centres in a cube, no two nearer than ``apart``."""
    rng = np.random.default_rng(0)
    side = 2.0 * apart * n_clusters ** (1.0 / d)
    found = rng.uniform(0.0, side, size=(1, d))
    while len(found) < n_clusters:
        new = rng.uniform(0.0, side, size=(1, d))
        if cdist(found, new).min() >= apart:
            found = np.vstack((found, new))
    return found


def clusters(
    n: int, d: int, n_clusters: int, *, apart: float, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Unit normal clusters, their centres at least ``apart`` deviations apart, and labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_clusters, size=n)
    rows = places(n_clusters, d, apart)[labels]
    rows += rng.standard_normal((n, d))
    return rows, labels


def grid(n: int, per_side: int = 10, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Like BIRCH1: unit normal clusters on a square grid, 4 sqrt(2) deviations apart."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % per_side**2
    centres = np.column_stack((labels % per_side, labels // per_side)) * 4.0 * np.sqrt(2.0)
    return centres + rng.standard_normal((n, 2)), labels


def overlapping(n: int = 20_000, d: int = 8, c: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose k-means does not settle within 30 iterations, and a k-means++ start."""
    rows, _ = clusters(n, d, c, apart=0.75)
    start, _ = kmeans_plusplus(rows, c, random_state=0)
    return rows, start


def memberships(rows: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Fuzzy c-means memberships (m = 2) at given centroids, for peers that start from them."""
    inverse = 1.0 / np.maximum(cdist(rows, start, "sqeuclidean"), 1e-20)
    return inverse / inverse.sum(axis=1, keepdims=True)
