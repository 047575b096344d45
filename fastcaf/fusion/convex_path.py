"""The clusterpath of convex clustering: from every row alone to one cluster a component."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import Coordinates
from fastcaf.fusion.convex_problem import EdgeSolution, FusedGraph
from fastcaf.fusion.hierarchy import Tree
from fastcaf.fusion.level import Level, Path
from fastcaf.memberships import EntropyMemberships
from fastcaf.runtime.deadline import check_time

__all__ = ["HARD", "convex_path_in_user_units", "follow_convex_path", "leaf_labels"]

HARD = EntropyMemberships()  # temperature 0: every row belongs to the nearest centroid

# Most centroids fuse at once where fewer than 1 in this many are left: then the step is halved.
COLLAPSE = 3
SMALLER_STEPS = 3
# Below this lower quantile of the bounds on the first fusion of a centroid no path begins.
FIRST_FUSIONS = 0.01
# Levels with more centroids are recorded only where a tenth of them has fused since the last
# one: all of them would take more memory than the edges.
MANY, FEWER = 1000, 0.9
MOST_AT_ONCE = 2000  # clusters that a path leaves, for whose tree all distances are computed


@dataclass
class _Walk:
    """A path in the making."""

    graph: FusedGraph
    tree: Tree
    tolerance: float
    max_sweeps: int
    levels: list[Level] = field(default_factory=list)
    n_sweeps: int = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is left to fuse."""
        return len(self.graph.edges.weight) == 0

    def begin(self) -> None:
        """The level at gamma = 0: the rows."""
        self.levels.append(self._level(0.0, 0.0))

    def climb(self, ratio: float, end: float) -> None:
        """A geometric series below ``end`` that passes over gammas where nothing can fuse.

        Where most centroids fuse at once the step is halved, a few times at the most.
        """
        gamma = first_gamma(self.graph) / ratio
        while not self.finished:
            least = float(self.graph.fusion_bounds().min())
            step = max(ratio, least / gamma)
            if not gamma * step < end:
                return
            for _ in range(SMALLER_STEPS if step == ratio else 0):
                if self.visit(gamma * step, all_at_once=False):
                    break
                step = np.sqrt(step)
            else:
                self.visit(gamma * step)
            gamma *= step

    def visit(self, gamma: float, *, all_at_once: bool = True, keep: bool = False) -> bool:
        """Solve at one gamma, fuse, and record the level.

        With ``all_at_once=False`` a solution that loses most of the centroids is not taken, and
        the answer is False.  ``keep`` records the level however many centroids it has.
        """
        check_time()
        found = self.graph.solve(gamma, tolerance=self.tolerance, max_sweeps=self.max_sweeps)
        self.n_sweeps += found.n_sweeps
        left = int(found.labels.max()) + 1
        if not all_at_once and left * COLLAPSE < len(self.graph):
            return False
        self._fuse(gamma, found)
        level = self._level(gamma, found.duality_gap)
        last = self.levels[-1]
        if not keep and len(self.levels) > 1 and last.n_clusters > MANY:
            if last.n_clusters > FEWER * self.levels[-2].n_clusters:
                self.levels.pop()
                level = replace(level, n_sweeps=level.n_sweeps + last.n_sweeps)
        self.levels.append(level)
        self.n_sweeps = 0
        return True

    def _fuse(self, gamma: float, found: EdgeSolution) -> None:
        edges = self.graph.edges
        if found.labels.max() + 1 < len(self.graph):
            lengths = edges.lengths(self.graph.centroids)
            self.tree.fuse_along(gamma, edges.ends, lengths, found.labels)
        self.graph = found.graph.contracted(found.labels)

    def _level(self, gamma: float, gap: float) -> Level:
        graph = self.graph
        return Level(
            gamma=gamma,
            centroids=graph.centroids,
            nodes=np.array(self.tree.alive),
            weight=graph.weight,
            mass=graph.weight,
            objective=graph.objective(gamma),
            n_iter=0,
            n_sweeps=self.n_sweeps,
            duality_gap=gap,
            converged=gap <= self.tolerance,
            history=np.empty((0, 2)),
            model=HARD,
            rows=graph.weight,
        )

    def complete(self) -> None:
        """Merges beyond the path, so that the tree has one root."""
        last, graph = self.levels[-1], self.graph
        centroids, weight = last.centroids, last.weight
        if last.n_clusters > MOST_AT_ONCE and len(graph.edges.weight):
            labels, ends = graph.edges.components()[1], graph.edges.ends
            lengths = graph.edges.lengths(centroids)
            self.tree.fuse_along(last.gamma, ends, lengths, labels, "beyond")
            merged = graph.contracted(labels)
            centroids, weight = merged.means, merged.weight
        self.tree.complete(last.gamma, centroids, weight)


def first_gamma(graph: FusedGraph) -> float:
    """A gamma below which at most one row in a hundred can have fused."""
    bounds = graph.fusion_bounds()
    nearest = np.full(len(graph), np.inf)
    for ends in graph.edges.ends:
        np.minimum.at(nearest, ends, bounds)
    some = nearest[(nearest > 0.0) & np.isfinite(nearest)]
    return float(np.quantile(some, FIRST_FUSIONS)) if len(some) else 1.0


def follow_convex_path(
    graph: FusedGraph,
    *,
    gammas: FloatArray,
    ratio: float = 1.15,
    tolerance: float = 1e-6,
    max_sweeps: int = 10_000,
) -> Path:
    """Raise gamma until every component of the graph is one cluster.

    Parameters
    ----------
    graph : FusedGraph
        Every row a centroid.
    gammas : ndarray
        Increasing gammas to visit; may be empty.  The automatic series leads up to the first
        of them, and where there are none, to the end.
    ratio : float
        Between two gammas of the automatic series.
    tolerance : float
        Relative duality gap of every level.
    max_sweeps : int
        For one gamma.

    Returns
    -------
    Path
        Its first level, at gamma = 0, has the rows as centroids.  Ctrl-C and a time limit end
        it early: levels reached are kept.
    """
    walk = _Walk(graph, Tree(len(graph)), tolerance, max_sweeps)
    walk.begin()
    given = gammas[gammas > 0.0].tolist()
    end = given[0] if given else (0.0 if len(gammas) else np.inf)
    interrupted = False
    try:
        walk.climb(ratio, end)
        for gamma in given:
            if not walk.finished:
                walk.visit(gamma, keep=True)
    except KeyboardInterrupt:
        interrupted = True
    walk.complete()
    return Path(graph.centroids, walk.levels, walk.tree, [], interrupted)


def convex_path_in_user_units(path: Path, coordinates: Coordinates) -> Path:
    """The same path in the coordinates of the user.

    A pair counts as often as it has copies, so that gamma is a distance by a weight.
    """
    scale, unit = coordinates.scale, coordinates.unit
    levels = [
        replace(
            level,
            gamma=level.gamma * scale / unit,
            centroids=coordinates.to_user(level.centroids),
            weight=level.weight * unit,
            mass=level.mass * unit,
            rows=level.rows * unit,
            objective=level.objective * coordinates.objective_unit,
        )
        for level in path.levels
    ]
    tree = path.tree.in_user_units(scale / unit, scale)
    return Path(coordinates.to_user(path.start), levels, tree, [], path.interrupted)


def leaf_labels(tree: Tree, level: Level) -> NDArray[np.int64]:
    """For every leaf of the tree the place of its cluster in a level."""
    ancestors = tree.ancestor_at(level.n_clusters)[: tree.n_leaves]
    places = np.full(len(tree.parents), -1)
    places[level.nodes] = np.arange(level.n_clusters)
    labels: NDArray[np.int64] = places[ancestors]
    return labels
