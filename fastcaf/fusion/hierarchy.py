"""The tree of merges: how it grows, its nodes at any number of clusters, its linkage matrix.

Nodes are numbered as scipy does: 0..K-1 are the starting centroids, K, K+1, ... the results
of the merges in order.  So when c clusters are left, the nodes made are those below 2 K - c.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from fastcaf._typing import FloatArray
from fastcaf.fusion.centroid_problem import fusion_gamma_of_two
from fastcaf.kernels.pairs.union_find import find

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
        Between the two just before (average linkage where more than two fuse at once).
    sizes : tuple of int
        Starting centroids in ``first`` and in ``second``.
    kind : {"fused", "dropped", "beyond"}
        Fused by the penalty; one of them dropped as a ghost or twin (``pruning.py``); or
        beyond the end of the path, where the tree is completed by average linkage.
    survivor : int
        The node whose centroid the result keeps where the other is dropped; else -1, and the
        result is the weighted mean.
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
    """The merges made so far.

    A tree that is given its merges, as one that is read from a file, checks them: each must be
    of two nodes that are not yet merged, and sizes must add up.

    Parameters
    ----------
    n_leaves : int
        Starting centroids.
    merges : list of Merge
        In order.

    Attributes
    ----------
    alive : list of int
        Nodes that are not yet merged, in the order of their centroids.
    parents : list of int
        For every node the one that it became a part of; -1 while it is alive.
    """

    n_leaves: int
    merges: list[Merge] = field(default_factory=list)
    alive: list[int] = field(init=False)
    parents: list[int] = field(init=False)

    def __post_init__(self) -> None:
        given, self.merges = self.merges, []
        self.parents = [-1] * self.n_leaves
        for merge in given:
            self._add(merge)
        self.alive = self.alive_at(self.n_leaves - len(self.merges)).tolist()

    def copy(self) -> Tree:
        """An independent copy."""
        tree = Tree(self.n_leaves)
        tree.merges, tree.alive = list(self.merges), list(self.alive)
        tree.parents = list(self.parents)
        return tree

    def alive_at(self, n_clusters: int) -> NDArray[np.intp]:
        """The nodes when so many clusters are left, rising."""
        made = 2 * self.n_leaves - n_clusters  # nodes that there are by then
        parents = np.array(self.parents[:made])
        return np.flatnonzero((parents < 0) | (parents >= made))

    def ancestor_at(self, n_clusters: int, *, dropped: bool = True) -> NDArray[np.intp]:
        """For every node the one it is a part of when so many clusters are left.

        -1 for nodes that are made later; with ``dropped=False`` also for those that were
        dropped on the way, and so did not move there.
        """
        made = 2 * self.n_leaves - n_clusters
        ancestors = np.full(len(self.parents), -1)
        for node in reversed(range(made)):
            parent = self.parents[node]
            if not 0 <= parent < made:
                ancestors[node] = node
            elif dropped or self.merges[parent - self.n_leaves].survivor in (-1, node):
                ancestors[node] = ancestors[parent]
        return ancestors

    def merges_between(self, more: int, fewer: int) -> list[tuple[int, Merge]]:
        """The merges that lead from more to fewer clusters, with the nodes that they make."""
        steps = range(self.n_leaves - more, self.n_leaves - fewer)
        return [(self.n_leaves + i, self.merges[i]) for i in steps]

    def sums(self, known: dict[int, float]) -> FloatArray:
        """A quantity that adds up, such as the mass, for every node.

        That of a node that is not known is the sum of its parts, or 1 for a leaf.
        """
        values = np.array([known.get(node, 1.0) for node in range(len(self.parents))])
        left = self.n_leaves - len(self.merges)
        for node, merge in self.merges_between(self.n_leaves, left):
            if node not in known:
                values[node] = values[merge.first] + values[merge.second]
        return values

    def fuse(
        self,
        gamma: float,
        centroids: FloatArray,
        labels: NDArray[np.int64],
        kind: MergeKind = "fused",
    ) -> None:
        """Merge the alive nodes of equal label, the nearest first.

        ``centroids`` are those of the alive nodes before the merge; the order among several
        merges at one gamma is that of average linkage within each set.
        """
        steps = []
        for label in np.flatnonzero(np.bincount(labels) > 1):
            members = np.flatnonzero(labels == label)
            table = _average_linkage(centroids[members])
            nodes = [self.alive[j] for j in members]
            steps += [(row[2], int(label), i, row, nodes) for i, row in enumerate(table)]
        for distance, _, _, row, nodes in sorted(steps, key=lambda step: step[:3]):
            nodes.append(
                self._join(gamma, nodes[int(row[0])], nodes[int(row[1])], distance, kind)
            )
        results = {label: nodes[-1] for _, label, _, _, nodes in steps}
        first = np.unique(labels, return_index=True)[1]
        self.alive = [results.get(label, self.alive[j]) for label, j in enumerate(first)]

    def fuse_along(
        self,
        gamma: float,
        ends: tuple[NDArray[np.int64], NDArray[np.int64]],
        distances: FloatArray,
        labels: NDArray[np.int64],
        kind: MergeKind = "fused",
    ) -> None:
        """Merge the alive nodes of equal label along edges between them, the shortest first.

        ``ends`` are places among the alive nodes.  As ``fuse``, in the order of single linkage,
        in the memory of the edges: thousands of nodes may fuse at once.  Labels are numbered by
        their lowest member, and edges connect the nodes of each.
        """
        inside = np.flatnonzero(labels[ends[0]] == labels[ends[1]])
        inside = inside[np.argsort(distances[inside], kind="stable")]
        parent, nodes = np.arange(len(labels)), list(self.alive)
        for e in inside.tolist():
            a, b = sorted((int(find(parent, ends[0][e])), int(find(parent, ends[1][e]))))
            if a != b:
                parent[b] = a
                nodes[a] = self._join(gamma, nodes[a], nodes[b], float(distances[e]), kind)
        self.alive = [nodes[j] for j in np.unique(labels, return_index=True)[1]]

    def drop(self, gamma: float, centroids: FloatArray, which: int) -> None:
        """Merge a node that is dropped into the nearest one, which keeps its centroid."""
        distances = np.linalg.norm(centroids - centroids[which], axis=1)
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
        sizes = self._size(first), self._size(second)
        return self._add(Merge(gamma, first, second, float(distance), sizes, kind, survivor))

    def _add(self, merge: Merge) -> int:
        """Carry out a merge, if it can be, and return the node that it makes."""
        node, parts = len(self.parents), (merge.first, merge.second)
        if not 0 <= merge.first < merge.second < node:
            raise ValueError(f"a merge cannot be of nodes {merge.first} and {merge.second}")
        if self.parents[merge.first] >= 0 or self.parents[merge.second] >= 0:
            raise ValueError("a merge is of nodes that are merged already")
        if merge.sizes != (self._size(merge.first), self._size(merge.second)):
            raise ValueError("the sizes of a merge do not add up")
        if merge.survivor not in (parts if merge.kind == "dropped" else (-1,)):
            raise ValueError(f"node {merge.survivor} cannot survive a merge of {parts}")
        self.merges.append(merge)
        self.parents.append(-1)
        self.parents[merge.first] = self.parents[merge.second] = node
        return node

    def _size(self, node: int) -> int:
        """Starting centroids in a node."""
        return 1 if node < self.n_leaves else sum(self.merges[node - self.n_leaves].sizes)

    def complete(
        self, gamma: float, centroids: FloatArray, weight: FloatArray, by_mass: bool = False
    ) -> None:
        """Merge the clusters that the path left, so that the tree has one root.

        The heights are estimates: two centroids alone would fuse at the gamma
        ||u_1 - u_2|| / (1/w_1 + 1/w_2), and where that is the weight of their pair
        (``by_mass``), at ||u_1 - u_2||; never below the end of the path, and rising.
        """
        if len(self.alive) == 1:
            return
        made = len(self.merges)
        weight = np.maximum(weight, np.finfo(np.float64).tiny)  # a centroid may have no rows
        weights = dict(zip(self.alive, weight.tolist(), strict=True))
        self.fuse(gamma, centroids, np.zeros(len(centroids), dtype=np.int64), "beyond")
        height = gamma
        for i in range(made, len(self.merges)):
            merge = self.merges[i]
            w, v = weights[merge.first], weights[merge.second]
            weights[self.n_leaves + i] = w + v
            needed = merge.distance if by_mass else fusion_gamma_of_two(merge.distance, w, v)
            height = max(height, needed)
            self.merges[i] = replace(merge, gamma=height)

    def in_user_units(self, gamma_unit: float, scale: float) -> Tree:
        """The same tree with gammas and distances of the user."""
        merges = [
            replace(one, gamma=one.gamma * gamma_unit, distance=one.distance * scale)
            for one in self.merges
        ]
        return Tree(self.n_leaves, merges)


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


def _average_linkage(points: FloatArray) -> FloatArray:
    """Average linkage by scipy; two points, the usual case, need no call of it."""
    if len(points) == 2:
        return np.array([[0.0, 1.0, np.linalg.norm(points[0] - points[1]), 2.0]])
    table: FloatArray = linkage(pdist(points), "average")
    return table
