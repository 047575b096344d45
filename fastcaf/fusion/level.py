"""The record of a path: its levels, and the merges between them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import Coordinates
from fastcaf.data.sources import RowSource
from fastcaf.fusion.centroid_problem import pair_distances
from fastcaf.fusion.fixed_gamma import Settled, State
from fastcaf.fusion.hierarchy import Merge, Tree
from fastcaf.fusion.pair_weights import (
    NO_EDGES,
    UNIFORM,
    edges_between,
    edges_of,
    matrix_of,
    pair_weights,
)
from fastcaf.fusion.pruning import Dropped
from fastcaf.memberships import MembershipModel
from fastcaf.memberships.noise import label_noise

__all__ = ["Level", "Path"]

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Level:
    """The solution at one gamma.

    Attributes
    ----------
    gamma : float
    centroids : ndarray of shape (c, d)
    nodes : ndarray of shape (c,)
        Number of each centroid in the tree of merges.
    weight, mass : ndarrays of shape (c,)
        Sums over the rows of mu^m and of mu.
    objective : float
        Data term plus penalty.
    n_iter : int
        Passes over the rows.
    n_sweeps : int
        Sweeps over the pairs of centroids.
    duality_gap : float
        Relative duality gap of the last centroid problem.
    converged : bool
        Whether the objective settled.
    history : ndarray of shape (n_iter, 2)
        Objective and number of centroids after each iteration.
    model : MembershipModel
        The memberships' model with the parameters it had, in internal coordinates.
    pair_mass : ndarray of shape (c,) or empty
        What weighed pair (k, l) by p_k p_l / (p_k + p_l): weights of the centroids when the
        level began or last fused.  Empty where all pairs count alike, or neighbours alone.
    edges : ndarray of shape (E, 3)
        Where neighbours alone pull, the pairs k < l that do, and their weights.  Empty
        otherwise, and where all are neighbours: all pairs count alike then.
    exact : bool
        Whether it is a level of the path, not one between two levels.  Between two levels,
        weights and masses are those of the level before, added up; there were no iterations,
        and objective and duality gap are not a number.
    rows : ndarray of shape (c,) or empty
        Weight of the rows that are nearest to each centroid; empty where they were not counted.
        With Gaussian memberships the mass.  Rows that belong to the noise do not count.
    noise_mass : float
        What the noise cluster holds of the rows; 0 where it was not asked for.
    within : float
        Root mean square distance of the rows to their nearest centroid.
    by_loss : bool
        Whether ``gamma`` is the likelihood lost by merges until here (``agglomeration.py``).
    """

    gamma: float
    centroids: FloatArray
    nodes: NDArray[np.int64]
    weight: FloatArray
    mass: FloatArray
    objective: float
    n_iter: int
    n_sweeps: int
    duality_gap: float
    converged: bool
    history: FloatArray
    model: MembershipModel
    pair_mass: FloatArray = field(default_factory=UNIFORM.copy)
    edges: FloatArray = field(default_factory=NO_EDGES.copy)
    exact: bool = True
    rows: FloatArray = field(default_factory=lambda: np.empty(0))
    within: float = 0.0
    noise_mass: float = 0.0
    by_loss: bool = False

    @classmethod
    def of(
        cls,
        gamma: float,
        state: State,
        settled: Settled,
        nodes: list[int],
        noise_mass: float = 0.0,
    ) -> Level:
        """The level where the solver ended, in its coordinates."""
        pair_mass, edges = state.pair_mass, edges_of(state.pair_mass, len(nodes))
        return cls(
            gamma=gamma,
            centroids=state.centroids,
            nodes=np.array(nodes),
            weight=state.statistics.weight,
            mass=state.statistics.mass,
            objective=state.objective(gamma),
            n_iter=len(settled.history),
            n_sweeps=settled.n_sweeps,
            duality_gap=settled.duality_gap,
            converged=settled.converged,
            history=np.array(settled.history),
            model=state.model,
            pair_mass=UNIFORM if len(edges) else pair_mass,
            edges=edges,
            rows=state.statistics.mass if state.model.is_likelihood else np.empty(0),
            noise_mass=noise_mass,
        )

    @property
    def by_mass(self) -> bool:
        """Whether pairs were weighed by the centroids' weights."""
        return len(self.pair_mass) > 0

    @property
    def pairs(self) -> FloatArray:
        """What the kernels weigh the pairs by: see ``pair_weights.py``."""
        if len(self.edges):
            return matrix_of(self.edges, self.n_clusters).ravel()
        return self.pair_mass

    @property
    def pair_weights(self) -> FloatArray:
        """The weight of every pair, c x c; 0 on the diagonal."""
        return pair_weights(self.pairs, self.n_clusters)

    @property
    def fusion_weights(self) -> str:
        """How the pairs were weighed; "uniform" too where neighbours were all pairs."""
        return "mass" if self.by_mass else "neighbours" if len(self.edges) else "uniform"

    @property
    def n_clusters(self) -> int:
        """Number of centroids."""
        return len(self.centroids)

    def objective_with(self, data_term: float) -> float:
        """The objective where the rows' part of it is ``data_term``."""
        pairs = pair_distances(self.centroids, self.pairs)
        return data_term + self.model.own_term + self.gamma * pairs

    def with_rows(self, source: RowSource) -> Level:
        """The level with its rows counted, in one pass over a source in memory."""
        rows = source.in_memory()
        if self.model.is_likelihood:
            labels = self.model.labels(rows.rows, self.centroids)
            return replace(self, rows=_by_label(labels, rows.weights, self.n_clusters))
        # One label a row, as users see them: a row between two centroids is not shared.
        labels, square, _ = self.model.nearest(rows.rows, self.centroids)
        if len(rows.scatter):
            square = square + rows.scatter
        weights = rows.weights.astype(np.float64)
        held = label_noise(labels, square, self.model.noise) >= 0
        mass = max(float(weights[held].sum()), TINY)
        within = float(np.sqrt(weights[held] @ square[held] / mass))
        return replace(self, rows=_by_label(labels, weights, self.n_clusters), within=within)

    def gamma_unit(self, coordinates: Coordinates) -> float:
        """The user's unit of gamma."""
        if self.by_loss:
            return coordinates.unit
        return coordinates.gamma_unit(self.by_mass, likelihood=self.model.is_likelihood)

    def by_size(self) -> NDArray[np.intp]:
        """The clusters in the order of their rows, most first, and then of their masses."""
        rows = self.rows if len(self.rows) else self.mass
        return np.lexsort((-self.mass, -rows))

    def ordered(self, order: NDArray[np.intp]) -> Level:
        """The same level with its clusters in this order, or some of them."""
        return replace(
            self,
            model=self.model.ordered(order),
            centroids=self.centroids[order],
            nodes=self.nodes[order],
            weight=self.weight[order],
            mass=self.mass[order],
            pair_mass=self.pair_mass[order] if self.by_mass else self.pair_mass,
            edges=self._edges_of(order),
            rows=self.rows[order] if len(self.rows) else self.rows,
        )

    def _edges_of(self, order: NDArray[np.intp]) -> FloatArray:
        """The edges between these clusters, numbered by their places in ``order``."""
        if len(self.edges) == 0:
            return self.edges
        return edges_of(self.pair_weights[np.ix_(order, order)].ravel(), len(order))

    def merged(
        self, labels: NDArray[np.int64], stays: NDArray[np.bool_] | None = None
    ) -> Level:
        """The level with one centroid for each label, the mean weighted by ``weight``.

        Centroids that do not stay are taken in where others are.  What lies between two levels
        was not iterated; its nodes are those of the heaviest centroids.
        """
        n = int(labels.max()) + 1
        if n == self.n_clusters:
            return self
        moved_by = self.weight if stays is None else np.where(stays, self.weight, 0.0)
        moved_by = np.maximum(moved_by, np.finfo(np.float64).tiny)
        member = labels == np.arange(n)[:, None]
        shares = member * moved_by
        shares /= shares.sum(axis=1, keepdims=True)
        weight, centroids = member @ self.weight, shares @ self.centroids
        return replace(
            self,
            centroids=centroids,
            nodes=self.nodes[shares.argmax(axis=1)],
            weight=weight,
            mass=member @ self.mass,
            rows=member @ self.rows if len(self.rows) else self.rows,
            pair_mass=weight if self.by_mass else self.pair_mass,
            edges=edges_between(centroids) if len(self.edges) else self.edges,
            model=self.model.merged(labels, self.weight, self.centroids),
            objective=np.nan,
            duality_gap=np.nan,
            n_iter=0,
            n_sweeps=0,
            history=self.history[:0],
            exact=False,
        )

    def in_user_units(self, coordinates: Coordinates) -> Level:
        """The same level in the coordinates of the user."""
        scale, unit = coordinates.scale, coordinates.unit
        total = float(self.mass.sum()) + self.noise_mass
        values, numbers = self.history[:, 0], self.history[:, 1]
        history = self.model.in_user_units(values, numbers, total, scale, unit)
        objective = self.model.in_user_units(
            self.objective, self.n_clusters, total, scale, unit
        )
        return replace(
            self,
            gamma=self.gamma * self.gamma_unit(coordinates),
            model=self.model.as_found(),
            centroids=coordinates.to_user(self.centroids),
            weight=self.weight * coordinates.unit,
            mass=self.mass * coordinates.unit,
            pair_mass=self.pair_mass * coordinates.unit,
            rows=self.rows * coordinates.unit,
            within=self.within * coordinates.scale,
            noise_mass=self.noise_mass * coordinates.unit,
            objective=float(objective),
            history=np.column_stack([history, numbers]),
        )


def _by_label(labels: NDArray[np.int32], weights: NDArray, n: int) -> FloatArray:
    """Sums of the weights of every label; rows of the noise have none."""
    held = labels >= 0
    counted: FloatArray = np.bincount(labels[held], weights[held], n).astype(np.float64)
    return counted


@dataclass(frozen=True)
class Path:
    """Every level of a fit, by rising gamma, and the merges between them.

    Attributes
    ----------
    start : ndarray of shape (K, d)
        Starting centroids, the leaves of the tree.
    levels : list of Level
    tree : Tree
        The K - 1 merges between the levels, and the nodes that they make.
    dropped : list of Dropped
        Centroids that were dropped as ghosts or twins, at which gamma, and why.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    start: FloatArray
    levels: list[Level]
    tree: Tree
    dropped: list[Dropped] = field(default_factory=list)
    interrupted: bool = False

    @property
    def merges(self) -> list[Merge]:
        """The merges of the tree, in order."""
        return self.tree.merges

    @property
    def gammas(self) -> FloatArray:
        """Gamma of every level."""
        return np.array([level.gamma for level in self.levels])

    @property
    def n_clusters(self) -> NDArray[np.int64]:
        """Number of clusters of every level."""
        return np.array([level.n_clusters for level in self.levels])

    @property
    def objectives(self) -> FloatArray:
        """Objective of every level."""
        return np.array([level.objective for level in self.levels])

    def node_masses(self) -> FloatArray:
        """Soft size of every node of the tree: at its last level, else that of its parts."""
        known: dict[int, float] = {}
        for level in self.levels:
            known.update(zip(level.nodes.tolist(), level.mass.tolist(), strict=True))
        return self.tree.sums(known)

    def in_user_units(self, coordinates: Coordinates) -> Path:
        """The same path in the coordinates of the user."""
        gamma_unit = self.levels[0].gamma_unit(coordinates)
        return Path(
            coordinates.to_user(self.start),
            [level.in_user_units(coordinates) for level in self.levels],
            self.tree.in_user_units(gamma_unit, coordinates.scale),
            [
                replace(
                    one,
                    gamma=one.gamma * gamma_unit,
                    centroid=coordinates.to_user(one.centroid),
                    mass=one.mass * coordinates.unit,
                )
                for one in self.dropped
            ],
            self.interrupted,
        )
