"""k*-means (Mahon and Lapata, arXiv 2505.11904), written anew: no package was found on PyPI.

Clusters are split and merged while the rows' description gets shorter: k centroids at
d log(range / precision) nats each, n log(k) for the labels, and the distances as coded by a
Gaussian of deviation 1 around each centroid.  It depends on the unit of the rows, therefore;
the authors use it on two-dimensional embeddings.

The paper's text was not at hand in full: precision, patience and least gain follow the authors'
code (github.com/Lou1sM/ksm).  Unlike its default, halves are seeded as in k-means++; unlike
it, this goes on while centroids rest, and has a limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import pairwise_distances_argmin

PATIENCE = 5  # rounds without a shorter description
LEAST_GAIN = 2.0  # nats
MOST_CLUSTERS = 4.0  # times sqrt(n): in a small unit every row would become a cluster


@dataclass
class State:
    """Centroids, two sub-centroids of each, and the cluster and half of every row."""

    centers: np.ndarray
    halves: np.ndarray
    labels: np.ndarray
    sides: np.ndarray


def centroid_cost(X: np.ndarray) -> float:
    """Nats of one centroid: each feature to the precision of the rows, their smallest gap."""
    gaps = np.diff(np.unique(X))
    return X.shape[1] * float(np.log(np.ptp(X) / gaps.min())) if len(gaps) else 0.0


def means(X: np.ndarray, groups: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and size of each group; 0 for empty ones."""
    sizes = np.bincount(groups, minlength=k)
    sums = np.stack([np.bincount(groups, column, minlength=k) for column in X.T], axis=1)
    return sums / np.maximum(sizes, 1)[:, None], sizes


def seed_halves(X: np.ndarray, state: State, rng: np.random.Generator, j: int) -> None:
    """New halves of one cluster around two of its rows, drawn as in k-means++."""
    own = np.flatnonzero(state.labels == j)
    first = X[rng.choice(own)]
    weights = ((X[own] - first) ** 2).sum(axis=1)
    total = weights.sum()
    second = X[rng.choice(own, p=weights / total)] if total > 0 else first
    state.sides[own] = ((X[own] - second) ** 2).sum(axis=1) < weights
    for side, seed in enumerate((first, second)):
        rows = X[own[state.sides[own] == side]]
        state.halves[j, side] = rows.mean(axis=0) if len(rows) else seed


def step(X: np.ndarray, state: State, rng: np.random.Generator) -> None:
    """One iteration of k-means for the clusters, and one for their halves."""
    kept, state.labels = np.unique(
        pairwise_distances_argmin(X, state.centers), return_inverse=True
    )
    k = len(kept)
    state.centers = means(X, state.labels, k)[0]
    state.sides = (
        ((X[:, None] - state.halves[kept][state.labels]) ** 2).sum(axis=2).argmin(axis=1)
    )
    halves, counts = means(X, 2 * state.labels + state.sides, 2 * k)
    state.halves = halves.reshape(k, 2, -1)
    for j in np.flatnonzero(counts.reshape(k, 2).min(axis=1) == 0):
        seed_halves(X, state, rng, j)


def maybe_split(X: np.ndarray, state: State, rng: np.random.Generator, cost: float) -> bool:
    """Split the cluster that gains most, if it gains."""
    n, k = len(X), len(state.centers)
    whole = ((X - state.centers[state.labels]) ** 2).sum(axis=1)
    apart = ((X - state.halves[state.labels, state.sides]) ** 2).sum(axis=1)
    gains = np.bincount(state.labels, whole - apart, minlength=k) / 2
    j = int(gains.argmax())
    if gains[j] <= cost + n * np.log((k + 1) / k):
        return False
    state.labels[(state.labels == j) & (state.sides == 1)] = k
    state.centers = np.vstack([state.centers, state.halves[j, 1]])
    state.centers[j] = state.halves[j, 0]
    state.halves = np.concatenate([state.halves, state.halves[j : j + 1]])
    for part in (j, k):
        seed_halves(X, state, rng, part)
    return True


def maybe_merge(X: np.ndarray, state: State, cost: float) -> None:
    """Merge the two nearest centroids, if that gains; they become the halves."""
    n, k = len(X), len(state.centers)
    if k < 2:
        return
    apart = squareform(pdist(state.centers, "sqeuclidean"))
    np.fill_diagonal(apart, np.inf)
    i, j = sorted(int(index) for index in np.unravel_index(apart.argmin(), apart.shape))
    sizes = np.bincount(state.labels, minlength=k)[[i, j]]
    if apart[i, j] * sizes.prod() / sizes.sum() / 2 >= cost + n * np.log(k / (k - 1)):
        return
    state.sides[state.labels == i] = 0
    state.sides[state.labels == j] = 1
    state.halves[i] = state.centers[[i, j]]
    state.centers[i] = sizes @ state.centers[[i, j]] / sizes.sum()
    state.labels[state.labels == j] = i
    state.labels[state.labels > j] -= 1
    state.centers = np.delete(state.centers, j, axis=0)
    state.halves = np.delete(state.halves, j, axis=0)


def kstar_means(X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, bool]:
    """Labels, and whether the limit of 4 sqrt(n) clusters ended the search."""
    n, d = X.shape
    cost, limit = centroid_cost(X), int(MOST_CLUSTERS * np.sqrt(n))
    none = np.zeros(n, dtype=np.intp)
    state = State(X.mean(axis=0)[None], np.zeros((1, 2, d)), none, none.copy())
    seed_halves(X, state, rng, 0)
    best, waited = np.inf, 0
    while waited < PATIENCE and len(state.centers) < limit:
        step(X, state, rng)
        if not maybe_split(X, state, rng, cost):
            maybe_merge(X, state, cost)
        k = len(state.centers)
        squares = ((X - state.centers[state.labels]) ** 2).sum()
        length = k * cost + n * np.log(k) + squares / 2
        waited += 1
        if length < best - LEAST_GAIN:
            best, waited = length, 0
    return state.labels, len(state.centers) >= limit
