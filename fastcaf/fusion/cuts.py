"""A path cut at any number of clusters, or at any gamma.

Every number c from 1 to the starting one has a cut.  Where the path visits c, it is the middle
level of that plateau.  Where it skips c, because several merges happened at one gamma, the last
level with more clusters is taken and the first merges after it are carried out, in the order of
the tree: fused centroids move to their weighted mean, dropped ones vanish.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.fusion.level import Level, Path

__all__ = ["beyond_path", "level_at_gamma", "level_at_number"]


def level_at_gamma(path: Path, gamma: float) -> Level:
    """The last level not beyond ``gamma``; every path begins at 0."""
    last = path.levels[-1]
    if gamma > last.gamma and last.n_clusters > 1:
        raise ValueError(
            f"The path ends at gamma = {last.gamma:.6g} with {last.n_clusters} clusters, "
            f"before {gamma:.6g}. Fit again with a larger gamma, or with gamma=None."
        )
    index = int(np.searchsorted(path.gammas, gamma, side="right")) - 1
    return path.levels[index]


def level_at_number(path: Path, n_clusters: int) -> Level:
    """The cut with ``n_clusters`` clusters, by the rule above."""
    n_start = len(path.start)
    if not 1 <= n_clusters <= n_start:
        raise ValueError(
            f"n_clusters must lie between 1 and the {n_start} starting centroids, got "
            f"{n_clusters}. For more clusters raise n_start."
        )
    visits = np.flatnonzero(path.n_clusters == n_clusters)
    if len(visits):
        return path.levels[visits[(len(visits) - 1) // 2]]
    return _between_levels(path, n_clusters)


def beyond_path(path: Path, n_clusters: int) -> str:
    """What to say where the path ended before this number was reached; else nothing."""
    last = path.levels[-1]
    if n_clusters >= last.n_clusters:
        return ""
    return (
        f"The path ends at gamma = {last.gamma:.6g} with {last.n_clusters} clusters; "
        f"{n_clusters} are made of them by average linkage. Follow the path further "
        "(gamma=None) for fused ones."
    )


@dataclass
class _Centroid:
    """A centroid while merges are carried out."""

    place: FloatArray
    weight: float
    mass: float
    rows: float


def _between_levels(path: Path, n_clusters: int) -> Level:
    """Carry out merges, from the last level with more clusters or from the start."""
    centroids = {node: _Centroid(place, 1.0, 1.0, 1.0) for node, place in enumerate(path.start)}
    gamma, before = path.levels[0].gamma, path.levels[0]
    for level in path.levels:
        if level.n_clusters < n_clusters:
            break
        counted = level.rows if len(level.rows) else level.mass
        columns = (level.nodes.tolist(), level.centroids, level.weight, level.mass, counted)
        centroids = {node: _Centroid(*rest) for node, *rest in zip(*columns, strict=True)}
        gamma, before = level.gamma, level
    steps = path.tree.merges_between(len(centroids), n_clusters)
    for node, merge in steps:
        a, b = centroids.pop(merge.first), centroids.pop(merge.second)
        weight = max(a.weight + b.weight, np.finfo(np.float64).tiny)
        if merge.survivor >= 0:
            place = a.place if merge.survivor == merge.first else b.place
        else:
            place = (a.weight * a.place + b.weight * b.place) / weight
        centroids[node] = _Centroid(place, weight, a.mass + b.mass, a.rows + b.rows)
        gamma = merge.gamma
    weights = np.array([one.weight for one in centroids.values()])
    model = before.model
    if before.n_clusters >= n_clusters:
        number = {node: i for i, node in enumerate(centroids)}
        ancestors = path.tree.ancestor_at(n_clusters)[before.nodes].tolist()
        model = model.merged(np.array([number[node] for node in ancestors]), before.weight)
    return replace(
        before,
        gamma=gamma,
        model=model,
        centroids=np.array([one.place for one in centroids.values()]),
        nodes=np.array(list(centroids)),
        weight=weights,
        mass=np.array([one.mass for one in centroids.values()]),
        rows=np.array([one.rows for one in centroids.values()]),
        pair_mass=weights if before.by_mass else before.pair_mass,
        objective=np.nan,
        duality_gap=np.nan,
        n_iter=0,
        n_sweeps=0,
        history=before.history[:0],
        exact=False,
    )
