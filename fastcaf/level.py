"""One gamma: alternate memberships and centroids until the objective settles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from fastcaf.centroids import CentroidSolution, merge, no_multipliers, solve_centroids
from fastcaf.memberships.base import FloatArray, MembershipModel, Statistics
from fastcaf.sources import RowSource

__all__ = ["Settled", "Solver", "State"]

# Relative duality gap of every centroid problem that ends a level or fuses centroids.
GAP = 1e-6

OnMerge = Callable[[FloatArray, NDArray[np.int64]], None]


@dataclass(slots=True)
class State:
    """Where the method stands: centroids, multipliers, and the sums at those centroids."""

    centroids: FloatArray
    multipliers: FloatArray
    statistics: Statistics
    pair_distances: float
    model: MembershipModel

    def objective(self, gamma: float) -> float:
        """Data term plus penalty, at the best memberships for these centroids."""
        return self.statistics.data_term + gamma * self.pair_distances


@dataclass
class Settled:
    """How the work on one gamma ended.

    Attributes
    ----------
    converged : bool
        Whether the objective settled within the iterations allowed.
    gap : float
        Relative duality gap of the last centroid problem.
    n_sweeps : int
        Sweeps over the pairs, added up.
    history : list of (float, int)
        Objective and number of centroids after each iteration.  Between two fusions the
        objective never rises.
    """

    converged: bool = False
    gap: float = 0.0
    n_sweeps: int = 0
    history: list[tuple[float, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Solver:
    """Alternate memberships and centroids, for any gamma.

    Parameters
    ----------
    rows : RowSource
    model : MembershipModel
    tol : float
        Relative change of the objective at which it counts as settled.
    max_iter : int
        Iterations (passes over the rows) for one gamma.
    """

    rows: RowSource
    model: MembershipModel
    tol: float = 1e-5
    max_iter: int = 300

    def start(self, centroids: FloatArray) -> State:
        """State at given centroids, all distinct."""
        return self._state(self.model, centroids, no_multipliers(*centroids.shape))

    def _state(
        self,
        model: MembershipModel,
        centroids: FloatArray,
        multipliers: FloatArray,
        pair_distances: float | None = None,
    ) -> State:
        if pair_distances is None:
            pair_distances = float(pdist(centroids).sum())
        statistics = self.rows.statistics(model, centroids)
        return State(centroids, multipliers, statistics, pair_distances, model)

    def drop(self, state: State, which: int) -> State:
        """State without one centroid."""
        labels = np.arange(len(state.centroids))
        labels[which + 1 :] -= 1
        labels[which] = -1
        return self._state(state.model, *merge(state.centroids, state.multipliers, labels))

    def settle(self, state: State, gamma: float, on_merge: OnMerge) -> tuple[State, Settled]:
        """Iterate at one gamma.

        Centroids that fuse are merged at once and for good; ``on_merge`` is told their
        places before the fusion and the set each belongs to.
        """
        settled = Settled()
        objective = state.objective(gamma)
        change = 1.0
        for _ in range(self.max_iter):
            # While memberships still move much, an exact centroid step is wasted.
            solution = self._centroid_step(state, gamma, max(GAP, 0.1 * min(change, 0.01)))
            settled.gap = solution.gap
            settled.n_sweeps += solution.n_sweeps
            model = state.model.adapted(state.statistics)
            fused = solution.n_sets < len(state.centroids)
            if fused:
                on_merge(state.centroids, solution.labels)
                merged = merge(solution.centroids, solution.multipliers, solution.labels)
                state = self._state(model, *merged)
            else:
                state = self._state(
                    model, solution.centroids, solution.multipliers, solution.pair_distances
                )
            before, objective = objective, state.objective(gamma)
            settled.history.append((objective, len(state.centroids)))
            # A model that scales itself may let the objective rise: hence the magnitude.
            change = 1.0 if fused else abs(before - objective) / max(objective, 1e-300)
            if not fused and change <= self.tol and solution.gap <= GAP:
                settled.converged = True
                break
        if gamma == 0.0:
            state = replace(state, pair_distances=float(pdist(state.centroids).sum()))
        return state, settled

    def _centroid_step(self, state: State, gamma: float, tolerance: float) -> CentroidSolution:
        """New centroids for the memberships' sums."""
        weight, means = state.statistics.held_means(state.centroids)
        if gamma == 0.0:
            alone = np.arange(len(means))
            # Their distances cost nothing now; ``settle`` adds them up once, at the end.
            return CentroidSolution(means, state.multipliers, alone, len(means), 0.0, 0, 0.0)
        return solve_centroids(
            weight,
            means,
            gamma,
            state.centroids,
            state.multipliers,
            tolerance=tolerance,
            fusion_tolerance=GAP,
        )
