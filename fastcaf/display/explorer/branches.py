"""Colours for the branches of a tree: a cluster keeps that of its largest part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.fusion.level import Path

__all__ = ["branch_colours"]


def branch_colours(path: Path, anchor: NDArray[np.int64]) -> list[int]:
    """A colour number for every node of the tree of a path.

    The root has a colour; of the two parts of a node the larger one (the one that stayed, where
    the other was dropped) has the same, and the other a new one.  So c clusters have c colours,
    and a fusion changes only one of two.

    Parameters
    ----------
    path : Path
    anchor : ndarray of shape (c,)
        Nodes that are alive together and get the colours 0 to c - 1, in this order.

    Returns
    -------
    list of int
        Of the K starting centroids and then of the K - 1 merges.
    """
    n = len(path.start)
    size = node_masses(path)
    colours = [0] * (2 * n - 1)
    used = 1
    for i in reversed(range(n - 1)):
        merge = path.merges[i]
        small, large = sorted(
            (merge.first, merge.second),
            key=lambda node: (node == merge.survivor, size[node]),
        )
        colours[large], colours[small] = colours[n + i], used
        used += 1
    first = [colours[node] for node in anchor.tolist()]
    order = {old: new for new, old in enumerate(dict.fromkeys([*first, *range(n)]))}
    return [order[one] for one in colours]


def node_masses(path: Path) -> FloatArray:
    """How much each node held: at the last level with it, else what its parts held."""
    n = len(path.start)
    seen: dict[int, float] = {}
    for level in path.levels:
        seen.update(zip(level.nodes.tolist(), level.mass.tolist(), strict=True))
    mass = np.zeros(2 * n - 1)
    mass[:n] = [seen.get(node, 1.0) for node in range(n)]
    for i, merge in enumerate(path.merges):
        parts = float(mass[merge.first] + mass[merge.second])
        mass[n + i] = seen.get(n + i, parts)
    return mass
