"""Centroids that are clusters of their own, and levels with a given number of them.

A centroid that is nearest to no row has no cluster, and two that nearly coincide share one (or
divide it by a hair: in many dimensions fuzzy c-means may do that and be right).  A cut of the
path at some number of centroids may have fewer clusters than that; then a level with more
centroids may have the number asked for, once such centroids are merged.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from fastcaf.fusion.cuts import level_at_number
from fastcaf.fusion.level import Level, Path

__all__ = ["distinct_clusters", "level_with_clusters", "n_distinct"]

# Centroids nearer to each other than this share of the root mean square distance of the rows to
# their nearest centroid coincide, for all that the rows can tell.
NEAR = 0.1
MORE = 10  # levels with so many centroids more than clusters are tried

Count = Callable[[Level], Level]


def distinct_clusters(level: Level) -> NDArray[np.int64]:
    """The cluster of every centroid, numbered by its first one."""
    if len(level.rows) == 0:  # not counted
        return np.arange(level.n_clusters)
    distance = cdist(level.centroids, level.centroids)
    joined = distance < NEAR * level.within
    empty = np.flatnonzero(level.rows == 0.0)
    distance[:, empty] = np.inf
    joined[empty, distance[empty].argmin(axis=1)] = True
    return connected_components(joined, directed=False)[1].astype(np.int64)


def n_distinct(level: Level) -> int:
    """How many clusters of their own a level has."""
    return int(distinct_clusters(level).max()) + 1


def level_with_clusters(path: Path, n_clusters: int, count: Count | None = None) -> Level:
    """The level of a path with this number of distinct clusters.

    Parameters
    ----------
    path : Path
    n_clusters : int
    count : callable, optional
        Counts the rows of a level, by their labels.  Without it they are those of the level:
        with Gaussian memberships masses, on representatives of all rows theirs, and between
        two levels of the path those of the level before, added up.

    Returns
    -------
    Level
        Where no level has so many, that with so many centroids as it is.
    """
    count = count or (lambda level: level)
    first: Level | None = None
    for c in range(n_clusters, min(n_clusters + MORE, len(path.start)) + 1):
        level = count(level_at_number(path, c))
        merged = level.merged(distinct_clusters(level))
        merged = merged if merged is level else count(merged)
        if n_distinct(merged) == n_clusters:
            return merged
        first = first or level
    return first or level_at_number(path, n_clusters)  # which refuses a number beyond the start
