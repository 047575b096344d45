"""One gamma: alternate memberships and centroids until the objective settles.

Where fusion weights follow the mass, or who neighbours whom, that is the centroids' weights
(sums of mu^m) or places at the beginning of the level, frozen: weights of pairs that moved with
the memberships would belong to no objective, and nothing would have to descend.  They are taken
anew where the objective jumps anyway, after each fusion and at the next gamma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.fusion.centroid_problem import merge, no_multipliers, pair_distances
from fastcaf.fusion.component_iteration import ComponentIteration
from fastcaf.fusion.iteration import GAP, Iteration, statistics_at
from fastcaf.fusion.noise_distance import check_held, renewed_noise
from fastcaf.fusion.pair_weights import PAIR_WEIGHTS, UNIFORM
from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.runtime.deadline import time_is_up

__all__ = ["Settled", "Solver", "State", "StoppedError"]

OnMerge = Callable[[FloatArray, NDArray[np.int64]], None]


@dataclass(slots=True)
class State:
    """Where the method stands: centroids, multipliers, and the sums at those centroids.

    ``pair_mass`` weighs the pairs (``pair_weights.py``); ``pair_distances`` is the sum of
    their distances with those weights.
    """

    centroids: FloatArray
    multipliers: FloatArray
    statistics: Statistics
    pair_mass: FloatArray
    pair_distances: float
    model: MembershipModel

    def objective(self, gamma: float) -> float:
        """Data term plus penalty, at the best memberships for these centroids."""
        fixed = self.statistics.data_term + self.model.own_term
        return fixed + gamma * self.pair_distances


@dataclass
class Settled:
    """How the work on one gamma ended.

    Attributes
    ----------
    converged : bool
        Whether the objective settled within the iterations allowed.
    duality_gap : float
        Relative duality gap of the last centroid problem.
    n_sweeps : int
        Sweeps over the pairs, added up.
    history : list of (float, int)
        Objective and number of centroids after each iteration.  Between two fusions the
        objective never rises.
    """

    converged: bool = False
    duality_gap: float = 0.0
    n_sweeps: int = 0
    history: list[tuple[float, int]] = field(default_factory=list)


class StoppedError(KeyboardInterrupt):
    """Ctrl-C within a level, with what was reached.

    Parameters
    ----------
    state : State
        At the last centroids.
    settled : Settled
        The work until then.
    """

    def __init__(self, state: State, settled: Settled) -> None:
        super().__init__()
        self.state = state
        self.settled = settled


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
    fusion_weights : str
        How pairs of centroids are weighed: a key of ``PAIR_WEIGHTS``.
    gap : float
        Relative duality gap of the last centroid problem.
    """

    rows: RowSource
    model: MembershipModel
    tol: float = 1e-5
    max_iter: int = 300
    fusion_weights: str = "uniform"
    gap: float = GAP

    def start(self, centroids: FloatArray, model: MembershipModel | None = None) -> State:
        """State at given centroids, all distinct; with another model than the solver's."""
        self.model.check_reach(len(centroids), self.rows.extent.dtype)
        return self._state(model or self.model, centroids, no_multipliers(*centroids.shape))

    def _state(
        self, model: MembershipModel, centroids: FloatArray, multipliers: FloatArray
    ) -> State:
        statistics = statistics_at(self.rows, model, centroids)
        check_held(model, statistics)
        return self._weighed(State(centroids, multipliers, statistics, UNIFORM, 0.0, model))

    def _at_level(self, state: State) -> State:
        """The state with the model as it begins a level."""
        model = renewed_noise(state.model, state.statistics, self.rows, state.centroids)
        if model is not state.model:  # another objective: the sums are taken anew
            state = self._state(model, state.centroids, state.multipliers)
        return replace(state, model=model.at_level(state.statistics))

    def _weighed(self, state: State) -> State:
        """The state with its pairs weighed, and the distances of its centroids."""
        centroids, weigh = state.centroids, PAIR_WEIGHTS[self.fusion_weights]
        pair_mass = weigh(centroids, state.statistics)
        return replace(
            state, pair_mass=pair_mass, pair_distances=pair_distances(centroids, pair_mass)
        )

    def drop(self, state: State, which: int) -> State:
        """State without one centroid."""
        labels = np.arange(len(state.centroids))
        labels[which + 1 :] -= 1
        labels[which] = -1
        model = state.model.merged(labels, state.statistics.weight, state.centroids)
        return self._state(model, *merge(state.centroids, state.multipliers, labels))

    def settle(
        self,
        state: State,
        gamma: float,
        on_merge: OnMerge,
        hasten: bool | None = None,
        pair_mass: FloatArray = UNIFORM,
    ) -> tuple[State, Settled]:
        """Iterate at one gamma.

        Centroids that fuse are merged at once and for good; ``on_merge`` gets their
        places before the fusion and the set each belongs to.  ``hasten`` takes longer steps
        where they pay; by default not for gamma = 0, which is plain fuzzy c-means.  Pairs are
        weighed anew, unless ``pair_mass`` is given.  Where time is up it ends unsettled.
        """
        settled = Settled()
        state = self._at_level(state)
        if len(pair_mass):
            pairs = pair_distances(state.centroids, pair_mass)
            state = replace(state, pair_mass=pair_mass, pair_distances=pairs)
        elif self.fusion_weights != "uniform":
            state = self._weighed(state)
        while not settled.converged and len(settled.history) < self.max_iter:
            if settled.history and time_is_up():
                break
            hurry = gamma > 0.0 if hasten is None else hasten
            iteration = self._iteration(state, gamma, hurry, settled.n_sweeps)
            state = self._until_fusion(iteration, state, gamma, on_merge, settled)
        if gamma == 0.0:
            state = self._weighed(state)
        return state, settled

    def _iteration(
        self, state: State, gamma: float, hasten: bool, sweeps_made: int
    ) -> Iteration | ComponentIteration:
        """The iteration that suits the model."""
        numbers: dict[str, Any] = {
            "gamma": gamma,
            "tol": self.tol,
            "pair_mass": state.pair_mass,
            "objective": state.objective(gamma),
            "pair_distances": state.pair_distances,
            "gap": self.gap,
            "sweeps_made": sweeps_made,
        }
        start = state.centroids, state.multipliers
        if isinstance(state.model, GaussianMemberships):
            return ComponentIteration(self.rows, state.model, *start, **numbers)
        adapts = self.model.adapts
        return Iteration(self.rows, *start, hasten=hasten, adapts=adapts, **numbers)

    def _until_fusion(
        self,
        iteration: Iteration | ComponentIteration,
        state: State,
        gamma: float,
        on_merge: OnMerge,
        settled: Settled,
    ) -> State:
        """The state after the next fusion, or where the objective has settled."""
        fused, reached, n = False, iteration.state, len(state.centroids)
        while not settled.converged and not fused and len(settled.history) < self.max_iter:
            left = self.max_iter - len(settled.history)
            try:
                result = iteration.run(state.model, state.statistics, left)
            except KeyboardInterrupt as stop:
                here = self._state(state.model, reached.u, reached.multipliers)
                raise StoppedError(here, settled) from stop
            check_held(result.model, result.statistics)
            pairs = iteration.pair_distances
            state = State(
                reached.u,
                reached.multipliers,
                result.statistics,
                state.pair_mass,
                pairs,
                result.model,
            )
            settled.history += [(value, n) for value in result.objectives]
            settled.converged, fused = result.settled, result.fused
            if time_is_up():
                break
        settled.duality_gap = iteration.duality_gap
        settled.n_sweeps += iteration.n_sweeps
        if fused:
            on_merge(reached.u, reached.labels)
            merged = merge(reached.answer, reached.multipliers, reached.labels)
            weight = state.statistics.weight
            model = state.model.merged(reached.labels, weight, reached.answer)
            state = self._state(model, *merged)
            settled.history.append((state.objective(gamma), len(state.centroids)))
        return state
