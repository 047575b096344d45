"""The chosen level once more: settled further than the path, and on all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.data.training_data import SummarisedTrainingData, TrainingData
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.fusion.level import Level
from fastcaf.fusion.noise_distance import noise_mass
from fastcaf.memberships.base import Statistics
from fastcaf.runtime.deadline import check_time

__all__ = ["INTERRUPTED", "Polished", "Representatives", "polish"]

INTERRUPTED = "it was interrupted"  # the note of a record that Ctrl-C ended
# Relative change of the objective at which the reported level has settled.  Near its least
# value the objective is flat: with the path's 1e-5, centroids were off by up to 1e-3 of the
# data's scale.
FINAL_TOL = 1e-9
FINAL_GAP = 1e-9  # of its centroid problem: a gap of g bounds the centroids to about sqrt(g)


@dataclass(frozen=True)
class Representatives:
    """How a path on representatives compares with the rows.

    Attributes
    ----------
    n_representatives : int
    n_rows : int
        Rows that they represent.
    within_share : float
        Share of the rows' total scatter that lies within cells.  Paths count it as a part of
        all squared distances, but see nothing of its shape.
    objective : float
        Of the chosen level, as the path has it: on the representatives.
    objective_on_rows : float
        At the same gamma, on all rows, with the reported centroids.
    n_iter : int
        Passes over all rows that the chosen level took to settle on them.
    polished : bool
        Whether the reported centroids are those that settled on all rows.
    note : str
        Why not, where they are not.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fastcaf import CAFHFCM
    >>> X, _ = make_blobs(600, centers=5, cluster_std=0.6, random_state=1)
    >>> model = CAFHFCM(representatives=300, random_state=0).fit(X)
    >>> record = model.representatives_
    >>> record.n_rows, record.n_representatives <= 300, record.polished
    (600, True, True)
    """

    n_representatives: int
    n_rows: int
    within_share: float
    objective: float
    objective_on_rows: float
    n_iter: int
    polished: bool
    note: str = ""


@dataclass(frozen=True)
class Polished:
    """The level to report.

    Attributes
    ----------
    level : Level
        In internal coordinates.
    statistics : Statistics
        The sums over all rows at its centroids.
    note : str
        Why it is still the level of the path, where it is.
    """

    level: Level
    statistics: Statistics
    note: str = ""

    def record(self, chosen: Level, training: TrainingData) -> Representatives | None:
        """How this compares with the chosen level of the path, if that saw representatives."""
        if not isinstance(training, SummarisedTrainingData):
            return None
        if self.level.model.is_likelihood:  # released from the path's penalty and model
            chosen = self.level
        on_path = training.rows.statistics(chosen.model, chosen.centroids)

        def in_user_units(value: float) -> float:
            total = float(self.level.mass.sum()) + self.level.noise_mass
            model = self.level.model
            scale, unit = training.coordinates.scale, training.coordinates.unit
            return float(model.in_user_units(value, len(chosen.centroids), total, scale, unit))

        return Representatives(
            training.n_representatives,
            training.n_rows,
            training.within_share,
            in_user_units(chosen.objective_with(on_path.data_term)),
            in_user_units(self.level.objective_with(self.statistics.data_term)),
            0 if self.note else self.level.n_iter,
            not self.note,
            self.note,
        )


class _FusedError(Exception):
    """Two centroids fused."""


def _stop(places: FloatArray, labels: NDArray[np.int64]) -> None:
    raise _FusedError


def polish(chosen: Level, training: TrainingData, tol: float, max_iter: int) -> Polished:
    """Let the chosen level settle further, at its gamma and from its centroids.

    First on what the path was followed on; where that were representatives, then on all rows,
    from where few passes are left to make.  The number of clusters was chosen on the path and
    is not changed: where centroids would fuse, the level stays as it is, and the note says so.
    Ctrl-C and the end of a time limit leave it as it is too.
    """
    note = "it lies between two levels of the path"
    if chosen.exact:
        try:
            check_time()
            polished = _settled(chosen, training.rows, min(tol, FINAL_TOL), max_iter)
            check_time()
            if training.every_row is training.rows:
                level = polished.level.with_rows(training.rows)
                return Polished(level, polished.statistics)
            return _settled(polished.level, training.every_row, tol, max_iter)
        except _FusedError:
            note = "two of its centroids would fuse"
        except KeyboardInterrupt:
            note = INTERRUPTED
    statistics = training.every_row.statistics(chosen.model, chosen.centroids)
    return Polished(chosen, statistics, note)


def _settled(level: Level, rows: RowSource, tol: float, max_iter: int) -> Polished:
    """The level as it settles on these rows."""
    solver = Solver(rows, level.model, tol, max_iter, level.fusion_weights, FINAL_GAP)
    start = solver.start(level.centroids)
    state, settled = solver.settle(start, level.gamma, _stop, pair_mass=level.pairs)
    # It has settled as far as was asked for, if not as far as it might.
    settled.converged |= level.converged
    held = noise_mass(state.model, state.statistics, rows.total_weight)
    found = Level.of(level.gamma, state, settled, level.nodes.tolist(), held)
    return Polished(replace(found, rows=level.rows, within=level.within), state.statistics)
