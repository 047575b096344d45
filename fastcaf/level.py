"""One gamma: alternate memberships and centroids until the objective settles.

Where fusion weights follow the mass, the pulls that weigh the pairs are the centroids' weights
(sums of mu^m) at the beginning of the level, frozen: weights that moved with the memberships
would belong to no objective, and nothing would have to descend.  They are taken anew where the
objective jumps anyway, after each fusion and at the next gamma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fastcaf.centroids import (
    UNIFORM,
    CentroidSolution,
    merge,
    no_multipliers,
    pair_distances,
    solve_centroids,
)
from fastcaf.memberships.base import FloatArray, MembershipModel, Statistics
from fastcaf.sources import RowSource

__all__ = ["Settled", "Solver", "State"]

# Relative duality gap of every centroid problem that ends a level or fuses centroids.
GAP = 1e-6

OnMerge = Callable[[FloatArray, NDArray[np.int64]], None]


@dataclass(slots=True)
class State:
    """Where the method stands: centroids, multipliers, and the sums at those centroids.

    ``pull`` weighs the pairs (``centroids.py``); ``pair_distances`` is the sum of their
    distances with those weights.
    """

    centroids: FloatArray
    multipliers: FloatArray
    statistics: Statistics
    pull: FloatArray
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
    by_mass : bool
        Weigh pairs of centroids by their weights, instead of all alike.
    """

    rows: RowSource
    model: MembershipModel
    tol: float = 1e-5
    max_iter: int = 300
    by_mass: bool = False

    def start(self, centroids: FloatArray) -> State:
        """State at given centroids, all distinct."""
        return self._state(self.model, centroids, no_multipliers(*centroids.shape))

    def _state(
        self, model: MembershipModel, centroids: FloatArray, multipliers: FloatArray
    ) -> State:
        statistics = self.rows.statistics(model, centroids)
        return self._weighed(State(centroids, multipliers, statistics, UNIFORM, 0.0, model))

    def _weighed(self, state: State) -> State:
        """The state with pulls, if there are any, and pair distances of its own centroids."""
        centroids, pull = state.centroids, UNIFORM
        if self.by_mass:
            pull = state.statistics.held_means(centroids)[0]
        return replace(state, pull=pull, pair_distances=pair_distances(centroids, pull))

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
        state = self._weighed(state) if self.by_mass else state
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
                state = State(
                    solution.centroids,
                    solution.multipliers,
                    self.rows.statistics(model, solution.centroids),
                    state.pull,
                    solution.pair_distances,
                    model,
                )
            before, objective = objective, state.objective(gamma)
            settled.history.append((objective, len(state.centroids)))
            # A model that scales itself may let the objective rise: hence the magnitude.
            change = 1.0 if fused else abs(before - objective) / max(objective, 1e-300)
            if not fused and change <= self.tol and solution.gap <= GAP:
                settled.converged = True
                break
        if gamma == 0.0:
            state = self._weighed(state)
        return state, settled

    def _centroid_step(self, state: State, gamma: float, tolerance: float) -> CentroidSolution:
        """New centroids for the memberships' sums."""
        weight, means = state.statistics.held_means(state.centroids)
        if gamma == 0.0:
            alone = np.arange(len(means))
            # Their distances count nothing now; ``settle`` adds them up once, at the end.
            return CentroidSolution(means, state.multipliers, alone, len(means), 0.0, 0, 0.0)
        return solve_centroids(
            weight,
            means,
            gamma,
            state.centroids,
            state.multipliers,
            pull=state.pull,
            tolerance=tolerance,
            fusion_tolerance=GAP,
        )
