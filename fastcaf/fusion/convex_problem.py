"""Convex clustering at one gamma: centroids on a graph, fused where they coincide.

    min over U   1/2 sum_k w_k ||m_k - u_k||^2 + gamma sum over edges of omega_kl ||u_k - u_l||

At first every centroid belongs to one row.  Where centroids fuse they are one from then on:
their weights are added, means averaged, and edges contracted, so that the problem gets smaller
along a path.  The contracted problem has the same solution wherever no cluster would split.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.fusion.edges import Edges
from fastcaf.kernels.edges.admm import admm_on_edges
from fastcaf.kernels.edges.problem import EdgeProblem, primal_value
from fastcaf.runtime.threads import launch

__all__ = ["EdgeSolution", "FusedGraph"]

# beta_e = BETA gamma omega_e / (weighted mean length of the edges between means): an edge's
# multiplier is of size gamma omega_e.  2 to 3 took the fewest sweeps in 2 and in 7 features,
# 20 five times as many.
BETA = 2.5


@dataclass(frozen=True)
class EdgeSolution:
    """Answer at one gamma.

    Attributes
    ----------
    graph : FusedGraph
        With the centroids and multipliers found, before any are fused.
    labels : ndarray of shape (K,)
        The set of fused centroids each belongs to, numbered by its lowest member.
    duality_gap : float
        Certified relative error of the objective: (primal - dual) / primal.
    n_sweeps : int
        Sweeps over the edges.
    """

    graph: FusedGraph
    labels: NDArray[np.int64]
    duality_gap: float
    n_sweeps: int


@dataclass(frozen=True)
class FusedGraph:
    """Centroids with weights and means, the edges between them, and where a solve begins.

    Attributes
    ----------
    weight : ndarray of shape (K,)
    means : ndarray of shape (K, d)
    edges : Edges
    centroids : ndarray of shape (K, d)
    multipliers : ndarray of shape (E, d)
        Of the edges, ``first`` minus ``second``; ||lambda|| <= gamma omega after a solve.
    scatter : float
        Half the weighted squared distances of rows to the means of their sets: what the data
        term of the rows has more than that of the means.
    """

    weight: FloatArray
    means: FloatArray
    edges: Edges
    centroids: FloatArray
    multipliers: FloatArray
    scatter: float = 0.0

    @classmethod
    def of_rows(cls, rows: FloatArray, weight: FloatArray, edges: Edges) -> FusedGraph:
        """Every row a centroid of its own: the solution at gamma = 0."""
        multipliers = np.zeros((len(edges.weight), rows.shape[1]))
        return cls(weight, rows, edges, rows, multipliers)

    def __len__(self) -> int:
        return len(self.weight)

    def objective(self, gamma: float) -> float:
        """Of the rows."""
        return self.scatter + float(primal_value(self._problem(gamma), self.centroids))

    def _problem(self, gamma: float) -> EdgeProblem:
        edges = self.edges
        return EdgeProblem(
            self.weight, self.means, edges.first, edges.second, gamma * edges.weight
        )

    def fusion_bounds(self) -> FloatArray:
        """A gamma for every edge below which its ends are certain not to coincide.

        Multipliers move centroid k by at most gamma sum_l omega_kl / w_k from its mean.
        """
        reach = self.edges.pull / self.weight
        apart = self.edges.lengths(self.means)
        return apart / (reach[self.edges.first] + reach[self.edges.second])

    def solve(
        self, gamma: float, *, tolerance: float = 1e-6, max_sweeps: int = 10_000
    ) -> EdgeSolution:
        """Solve at a positive gamma, to a relative duality gap of ``tolerance``.

        Fused centroids are equal to the bit, and fuse only where the fused answer is certified
        to the same gap.
        """
        edges = self.edges
        lengths = edges.lengths(self.means)
        usual = float(lengths @ edges.weight) / max(float(edges.weight.sum()), 1e-300)
        if usual == 0.0:  # every centroid coincides with those it has edges to
            return EdgeSolution(self, edges.components()[1], 0.0, 0)
        centroids, multipliers = self.centroids.copy(), self.multipliers.copy()
        labels, gap, n_sweeps, _ = launch(
            admm_on_edges,
            admm_on_edges,  # one thread: a sweep over edges is short
            False,
            *self._problem(gamma),
            BETA * gamma / usual * edges.weight,
            centroids,
            multipliers,
            tolerance,
            tolerance,
            max_sweeps,
        )
        solved = FusedGraph(
            self.weight, self.means, edges, centroids, multipliers, self.scatter
        )
        return EdgeSolution(solved, labels, float(gap), int(n_sweeps))

    def contracted(self, labels: NDArray[np.int64]) -> FusedGraph:
        """One centroid for each label."""
        n = int(labels.max()) + 1
        if n == len(self):
            return self
        weight = np.bincount(labels, self.weight, n).astype(np.float64)
        pulls = [np.bincount(labels, self.weight * column, n) for column in self.means.T]
        means = np.stack(pulls, axis=1) / weight[:, None]
        squares = ((self.means - means[labels]) ** 2).sum(axis=1)
        centroids = np.empty_like(means)
        centroids[labels] = self.centroids
        edges, multipliers = self.edges.contracted(labels, self.multipliers)
        scatter = self.scatter + 0.5 * float(self.weight @ squares)
        return FusedGraph(weight, means, edges, centroids, multipliers, scatter)
