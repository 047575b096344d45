"""Penalised EM in turn with passes over the rows: ``iteration.py`` for Gaussian components.

What happens between two passes is decided in ``kernels/loop/gaussian.py``; few rows in memory
are passed there too, in one compiled call for many passes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.fusion.centroid_problem import most_sweeps
from fastcaf.fusion.iteration import STRETCH, IterationResult, in_memory
from fastcaf.kernels.loop import gaussian as steps
from fastcaf.kernels.loop.iteration import FUSED, GO_ON, SETTLED
from fastcaf.memberships.base import LEAST_WEIGHT, MembershipModel, Statistics
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.runtime.deadline import time_is_up
from fastcaf.runtime.threads import before_first_kernel, interruptible

__all__ = ["ComponentIteration"]


class ComponentIteration:
    """The iteration for one gamma, until centroids fuse.

    Parameters
    ----------
    rows : RowSource
    model : GaussianMemberships
        With covariances and shares of the centroids.
    centroids, multipliers : ndarrays
        Where it starts; they are copied.
    gamma, tol : float
    pair_mass : ndarray
    objective, pair_distances : float
        At the start.
    gap : float
        Relative duality gap of a centroid problem that ends the iteration or fuses centroids.
    sweeps_made : int
        Sweeps over the pairs that the level has had before.
    """

    def __init__(
        self,
        rows: RowSource,
        model: GaussianMemberships,
        centroids: FloatArray,
        multipliers: FloatArray,
        *,
        gamma: float,
        tol: float,
        pair_mass: FloatArray,
        objective: float,
        pair_distances: float,
        gap: float,
        sweeps_made: int = 0,
    ) -> None:
        before_first_kernel()
        n = len(centroids)
        numbers = np.zeros(steps.NUMBERS)
        numbers[steps.OBJECTIVE] = objective
        numbers[steps.PAIRS] = pair_distances
        numbers[steps.CHANGE] = 1.0
        self.rows, self.total = rows, rows.total_weight
        self.state = steps.GaussianState(
            np.array(centroids),
            np.array(multipliers),
            np.empty(centroids.shape),
            np.arange(n),
            np.array(model.covariances),
            np.array(model.shares),
            np.empty_like(model.covariances),
            np.empty((n, 2)),
            numbers,
        )
        self.settings = steps.GaussianSettings(
            gamma,
            pair_mass,
            tol,
            gap,
            LEAST_WEIGHT,
            most_sweeps(n) - sweeps_made,
            model.strength,
            model.scale,
            model.blur,
            float(model.n_features),
            model.tied,
            model.noise,
        )
        steps.refresh(self.state, self.settings)

    @property
    def pair_distances(self) -> float:
        """Sum over the pairs, at U."""
        return float(self.state.numbers[steps.PAIRS])

    @property
    def duality_gap(self) -> float:
        """Relative, of the last centroid problem."""
        return float(self.state.numbers[steps.GAP])

    @property
    def n_sweeps(self) -> int:
        """Over the pairs, added up."""
        return int(self.state.numbers[steps.SWEEPS])

    @interruptible()
    def run(self, model: MembershipModel, known: Statistics, limit: int) -> IterationResult:
        """At most ``limit`` passes: until it settles, fuses, or a while has passed."""
        assert isinstance(model, GaussianMemberships)
        state, settings = self.state, self.settings
        sums = np.hstack(
            [known.weight[:, None], known.squares[:, None], known.offsets, known.moments]
        )
        arrays = in_memory(self.rows, state.factors.size // state.u.shape[1])
        if arrays is not None:
            history = np.empty(min(limit, STRETCH))
            sums, term, status, passes = steps.alternate_components(
                *arrays, sums, known.data_term, state, settings, self.total, history
            )
            objectives = history[:passes].tolist()
            model = self._reached(model)
            constant = term - model.statistics_of(sums, 0.0, state.u, self.total).data_term
            statistics = model.statistics_of(sums, constant, state.u, self.total)
            return IterationResult(
                statistics, model, objectives, status == SETTLED, status == FUSED
            )
        objectives, status = [], GO_ON
        while len(objectives) < limit and status == GO_ON:
            if objectives and time_is_up():
                break
            status = steps.propose_components(sums, state, settings)
            if status == FUSED:
                break
            known = self.rows.statistics(self._reached(model), state.u)
            sums = np.hstack(
                [known.weight[:, None], known.squares[:, None], known.offsets, known.moments]
            )
            status = steps.accept_components(known.data_term, self.total, state, settings)
            objectives.append(float(state.numbers[steps.OBJECTIVE]))
        return IterationResult(
            known, self._reached(model), objectives, status == SETTLED, status == FUSED
        )

    def _reached(self, model: GaussianMemberships) -> GaussianMemberships:
        """The model with the covariances and shares of the state."""
        return replace(
            model,
            covariances=self.state.covariances.copy(),
            shares=self.state.shares.copy(),
        )
