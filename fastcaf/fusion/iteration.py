"""Passes over rows and centroid steps in turn: who drives the iteration, and how.

What happens between two passes is decided in ``kernels/loop/iteration.py``.  Few rows in memory
are passed there too, in one compiled call for many passes; other sources are asked for their
sums from here, pass by pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.sources import ArrayRows, RowSource
from fastcaf.fusion.centroid_problem import UNIFORM, most_sweeps, no_multipliers
from fastcaf.kernels.loop import iteration as steps
from fastcaf.kernels.loop.compiled_loop import alternate
from fastcaf.kernels.pairs.admm import PARALLEL_CENTROIDS
from fastcaf.memberships.base import LEAST_WEIGHT, MembershipModel, Statistics
from fastcaf.runtime.deadline import time_is_up
from fastcaf.runtime.threads import (
    PARALLEL_WORK,
    before_first_kernel,
    interruptible,
    launch,
)

__all__ = ["GAP", "Iteration", "IterationResult", "statistics_at"]

# Relative duality gap of every centroid problem that ends a level or fuses centroids.
GAP = 1e-6
# In plain steps.  Ten save few passes more, and overshoot: centroids fused levels too early.
LONGEST_STEP = 4.0
# Passes in one compiled call: then Ctrl-C is heard again.
STRETCH = 50


@dataclass(slots=True)
class IterationResult:
    """How some passes ended.

    Attributes
    ----------
    statistics : Statistics
        At the last U.
    model : MembershipModel
        That of the last pass; for fused centroids that of the next one.
    objectives : list of float
        After each pass.
    settled, fused : bool
    """

    statistics: Statistics
    model: MembershipModel
    objectives: list[float]
    settled: bool
    fused: bool


class Iteration:
    """The iteration for one gamma, until centroids fuse.

    Parameters
    ----------
    rows : RowSource
    centroids, multipliers : ndarrays
        Where it starts; they are copied.
    gamma : float
    tol : float
    pair_mass : ndarray
    objective, pair_distances : float
        At the start.
    hasten : bool
        Take longer steps where they pay.
    adapts : bool
        Let the model scale itself.
    gap : float
        Relative duality gap of a centroid problem that ends the iteration or fuses centroids.
    sweeps_made : int
        Sweeps over the pairs that the level has had before.
    """

    def __init__(
        self,
        rows: RowSource,
        centroids: FloatArray,
        multipliers: FloatArray,
        *,
        gamma: float = 0.0,
        tol: float = 0.0,
        pair_mass: FloatArray = UNIFORM,
        objective: float = np.inf,
        pair_distances: float = 0.0,
        hasten: bool = False,
        adapts: bool = False,
        gap: float = GAP,
        sweeps_made: int = 0,
    ) -> None:
        n = len(centroids)
        numbers = np.zeros(steps.NUMBERS)
        numbers[steps.OBJECTIVE] = objective
        numbers[steps.PAIRS] = pair_distances
        numbers[steps.CHANGE] = 1.0
        self.rows = rows
        self.state = steps.IterationState(
            np.array(centroids),
            np.array(multipliers),
            np.empty(centroids.shape),
            np.arange(n),
            np.full(centroids.shape, np.nan),
            np.zeros(centroids.shape),
            numbers,
        )
        self.settings = steps.IterationSettings(
            gamma,
            pair_mass,
            tol,
            gap,
            LEAST_WEIGHT,
            LONGEST_STEP if hasten else 1.0,
            most_sweeps(n) - sweeps_made,
            adapts,
        )

    def number(self, which: int) -> float:
        """One of the state's numbers."""
        return float(self.state.numbers[which])

    @property
    def pair_distances(self) -> float:
        """Sum over the pairs, at U."""
        return self.number(steps.PAIRS)

    @property
    def duality_gap(self) -> float:
        """Relative, of the last centroid problem."""
        return self.number(steps.GAP)

    @property
    def n_sweeps(self) -> int:
        """Over the pairs, added up."""
        return int(self.number(steps.SWEEPS))

    @interruptible()
    def run(
        self, model: MembershipModel, known: Statistics | None, limit: int
    ) -> IterationResult:
        """At most ``limit`` passes, or fewer: until it settles, fuses, or a while has passed.

        ``known`` are the sums at the state's U, if they are.
        """
        arrays = in_memory(self.rows, len(self.state.u))
        if arrays is not None and model.compiled is not None:
            return self._run_compiled(arrays, model, known, min(limit, STRETCH))
        if known is None:
            known = self.rows.statistics(model, self.state.u)
        return self._run(model, known, limit)

    def _run_compiled(
        self,
        arrays: tuple[NDArray, NDArray, NDArray],
        model: MembershipModel,
        known: Statistics | None,
        limit: int,
    ) -> IterationResult:
        before_first_kernel()
        history = np.empty(limit)
        assert model.compiled is not None
        kind, parameters = model.compiled
        sums, status, passes = alternate(
            *arrays,
            kind,
            parameters,
            _NOTHING if known is None else known.as_tuple(),
            known is not None,
            self.state,
            self.settings,
            history,
        )
        model = model.with_compiled(parameters)
        return self._result(Statistics.of(sums), model, history[:passes].tolist(), status)

    def _run(self, model: MembershipModel, known: Statistics, limit: int) -> IterationResult:
        status: int = steps.GO_ON
        objectives: list[float] = []
        is_large = len(self.state.u) >= PARALLEL_CENTROIDS
        while len(objectives) < limit and status in (steps.GO_ON, steps.REJECTED):
            if objectives and time_is_up():
                break
            if status == steps.GO_ON:
                before = model
                model = model.adapted(known) if self.settings.adapts else model
                status = launch(
                    steps.propose_serial,
                    steps.propose_parallel,
                    is_large,
                    known.weight,
                    known.sums,
                    self.state,
                    self.settings,
                    _drift(before, model),
                    limit - len(objectives),
                )
                if status == steps.FUSED:
                    break
            known = self.rows.statistics(model, self.state.u)
            status = steps.accept_step(known.data_term, self.state, self.settings)
            objectives.append(self.number(steps.OBJECTIVE))
        return self._result(known, model, objectives, status)

    def _result(
        self,
        statistics: Statistics,
        model: MembershipModel,
        objectives: list[float],
        status: int,
    ) -> IterationResult:
        return IterationResult(
            statistics, model, objectives, status == steps.SETTLED, status == steps.FUSED
        )


def _drift(before: MembershipModel, after: MembershipModel) -> float:
    """How much a model has changed: the largest squared change of a parameter."""
    pairs = zip(before.parameters, after.parameters, strict=True)
    return max((steps.squared_change(old, new) for old, new in pairs), default=0.0)


_NOTHING = (np.empty(0), np.empty((0, 0)), np.empty(0), np.empty(0), 0.0, 0.0)


def in_memory(rows: RowSource, n_centroids: int) -> tuple[NDArray, NDArray, NDArray] | None:
    """Rows, their weights and scatter where one thread is enough for a pass; or None."""
    if not isinstance(rows, ArrayRows) or rows.rows.size * n_centroids > PARALLEL_WORK:
        return None
    # An empty array of the same type: of another, the kernel would be compiled once more.
    scatter = rows.scatter if len(rows.scatter) else rows.row_weights[:0]
    return rows.rows, rows.row_weights, scatter


def statistics_at(rows: RowSource, model: MembershipModel, centroids: FloatArray) -> Statistics:
    """The model's sums over all rows, for few of them by the kernel that iterates."""
    if in_memory(rows, len(centroids)) is None or model.compiled is None:
        return rows.statistics(model, centroids)
    none = no_multipliers(1, centroids.shape[1])
    return Iteration(rows, centroids, none).run(model, None, 0).statistics
