"""Colours for the branches of a tree: a cluster keeps that of its largest part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
        Nodes of one level, which get the colours 0 to c - 1, in this order.

    Returns
    -------
    list of int
        Of the K starting centroids and then of the K - 1 merges.
    """
    n, masses = len(path.start), path.node_masses()
    colours = [0] * (2 * n - 1)
    used = 1
    for node, merge in reversed(path.tree.merges_between(n, 1)):
        small, large = sorted(
            (merge.first, merge.second),
            key=lambda part: (part == merge.survivor, masses[part]),
        )
        colours[large], colours[small] = colours[node], used
        used += 1
    first = [colours[node] for node in anchor.tolist()]
    order = {old: new for new, old in enumerate(dict.fromkeys([*first, *range(n)]))}
    return [order[one] for one in colours]
