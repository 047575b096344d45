"""The tree of merges: numbering, order, linkage matrix, and cuts at any number of clusters.

Nodes are numbered as scipy does: 0..K-1 are the starting centroids, K, K+1, ... the results
of the merges in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from fastcaf._typing import FloatArray

__all__ = ["Merge", "Tree", "linkage_matrix"]

MergeKind = Literal["fused", "dropped", "beyond"]


@dataclass(frozen=True, slots=True)
class Merge:
    """Two centroids become one.

    Attributes
    ----------
    gamma : float
        The level at which it happened.
    first, second : int
        The nodes that merge, ``first < second``.
    distance : float
        Between their places just before (average linkage where more than two fuse at once).
    sizes : tuple of int
        Starting centroids in ``first`` and in ``second``.
    kind : {"fused", "dropped", "beyond"}
        Fused by the penalty; dropped for want of support (``survivor`` stays where it is);
        or beyond the end of the path, where the tree is completed by average linkage.
    survivor : int
        The node whose place the result keeps, or -1: the weighted mean.
    """

    gamma: float
    first: int
    second: int
    distance: float
    sizes: tuple[int, int]
    kind: MergeKind = "fused"
    survivor: int = -1


@dataclass
class Tree:
    """The merges made so far, and the nodes that are alive."""

    n_leaves: int
    merges: list[Merge] = field(default_factory=list)
    alive: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.alive = list(range(self.n_leaves))
        self.sizes = [1] * self.n_leaves

    def copy(self) -> Tree:
        """An independent copy."""
        tree = Tree(self.n_leaves)
        tree.merges, tree.alive = list(self.merges), list(self.alive)
        tree.sizes = list(self.sizes)
        return tree

    def fuse(
        self,
        gamma: float,
        places: FloatArray,
        labels: NDArray[np.int64],
        kind: MergeKind = "fused",
    ) -> None:
        """Merge the alive nodes of equal label, the nearest first.

        ``places`` are those of the alive nodes before the merge; the order among several
        merges at one gamma is that of average linkage within each set.
        """
        steps = []
        for label in np.flatnonzero(np.bincount(labels) > 1):
            members = np.flatnonzero(labels == label)
            table = linkage(pdist(places[members]), "average")
            nodes = [self.alive[j] for j in members]
            steps += [(row[2], int(label), i, row, nodes) for i, row in enumerate(table)]
        for distance, _, _, row, nodes in sorted(steps, key=lambda step: step[:3]):
            nodes.append(
                self._join(gamma, nodes[int(row[0])], nodes[int(row[1])], distance, kind)
            )
        results = {label: nodes[-1] for _, label, _, _, nodes in steps}
        first = np.unique(labels, return_index=True)[1]
        self.alive = [results.get(label, self.alive[j]) for label, j in enumerate(first)]

    def drop(self, gamma: float, places: FloatArray, which: int) -> None:
        """Let the nearest node take in the one that is dropped, without moving."""
        distances = np.linalg.norm(places - places[which], axis=1)
        distances[which] = np.inf
        nearest = int(np.argmin(distances))
        survivor = self.alive[nearest]
        node = self._join(
            gamma, survivor, self.alive[which], distances[nearest], "dropped", survivor
        )
        self.alive[nearest] = node
        del self.alive[which]

    def _join(
        self,
        gamma: float,
        a: int,
        b: int,
        distance: float,
        kind: MergeKind,
        survivor: int = -1,
    ) -> int:
        first, second = min(a, b), max(a, b)
        sizes = (self.sizes[first], self.sizes[second])
        self.merges.append(Merge(gamma, first, second, float(distance), sizes, kind, survivor))
        self.sizes.append(sum(sizes))
        return len(self.sizes) - 1

    def complete(
        self, gamma: float, places: FloatArray, weight: FloatArray, by_mass: bool = False
    ) -> None:
        """Join what the path left apart, so that the tree has one root.

        The heights are estimates: two centroids alone would fuse at the gamma
        ||u_1 - u_2|| / (1/w_1 + 1/w_2), and where that is the weight of their pair
        (``by_mass``), at ||u_1 - u_2||; never below the end of the path, and rising.
        """
        if len(self.alive) == 1:
            return
        made = len(self.merges)
        weight = np.maximum(weight, np.finfo(np.float64).tiny)  # none may hold no row
        held = dict(zip(self.alive, weight.tolist(), strict=True))
        self.fuse(gamma, places, np.zeros(len(places), dtype=np.int64), "beyond")
        height = gamma
        for i in range(made, len(self.merges)):
            merge = self.merges[i]
            w, v = held[merge.first], held[merge.second]
            held[self.n_leaves + i] = w + v
            needed = merge.distance if by_mass else merge.distance * w * v / (w + v)
            height = max(height, needed)
            self.merges[i] = Merge(
                height, *(getattr(merge, name) for name in Merge.__slots__[1:])
            )


def linkage_matrix(merges: list[Merge]) -> FloatArray:
    """Merges as scipy's linkage matrix, heights in gamma.

    Parameters
    ----------
    merges : list of Merge
        A complete tree.

    Returns
    -------
    ndarray of shape (K - 1, 4)
        Nodes merged, gamma, and starting centroids in the result; for scipy's
        ``dendrogram``, ``fcluster``, ``cophenet``.
    """
    rows = [(m.first, m.second, m.gamma, sum(m.sizes)) for m in merges]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
