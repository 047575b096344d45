"""A path cut at any number of clusters, or at any gamma.

Every number c from 1 to the starting one has a cut.  Where the path visits c, it is the middle
level of that plateau.  Where it skips c, because several merges happened at one gamma, the last
level with more clusters is taken and the first merges after it are carried out, in the order of
the tree: fused centroids move to their weighted mean, dropped ones vanish.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fastcaf.fusion.level import Level, Path

__all__ = ["beyond_path", "level_at_gamma", "level_at_number", "past_end"]


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


def past_end(path: Path, gamma: float) -> str:
    """What to say where nothing was left to fuse before this gamma; else nothing."""
    last = path.levels[-1]
    if last.n_clusters > 1 or gamma <= last.gamma:
        return ""
    return (
        f"gamma = {gamma:.6g} lies beyond the end of the path: from {last.gamma:.6g} on one "
        "cluster is left. Smaller gammas give more."
    )


def _between_levels(path: Path, n_clusters: int) -> Level:
    """Carry out merges, from the last level with more clusters; the first has them all."""
    before = [level for level in path.levels if level.n_clusters > n_clusters][-1]
    nodes, labels = np.unique(
        path.tree.ancestor_at(n_clusters)[before.nodes], return_inverse=True
    )
    stays = path.tree.ancestor_at(n_clusters, dropped=False)[before.nodes] >= 0
    _, last = path.tree.merges_between(n_clusters + 1, n_clusters)[0]
    return replace(before.merged(labels, stays), gamma=last.gamma, nodes=nodes)
