"""The chosen level of a path on representatives, once more on all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import Coordinates
from fastcaf.data.sources import RowSource
from fastcaf.data.training_data import SummarisedTrainingData, TrainingData
from fastcaf.fusion.centroid_problem import pair_distances
from fastcaf.fusion.cuts import Slice
from fastcaf.fusion.fixed_gamma import Solver

__all__ = ["INTERRUPTED", "Representatives", "polish"]

INTERRUPTED = "it was interrupted"  # the note of a record that Ctrl-C ended


@dataclass(frozen=True)
class Representatives:
    """How representatives stood in for the rows.

    Attributes
    ----------
    n_representatives : int
    n_rows : int
        Rows that they stand for.
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
    >>> stood_in = model.representatives_
    >>> stood_in.n_rows, stood_in.n_representatives <= 300, stood_in.polished
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


class _FusedError(Exception):
    """On all rows two centroids fused."""


def _stop(places: FloatArray, labels: NDArray[np.int64]) -> None:
    raise _FusedError


def polish(
    chosen: Slice, training: TrainingData, tol: float, max_iter: int
) -> tuple[Slice, Representatives | None]:
    """Let the chosen level settle on all rows, at its gamma and from its centroids.

    The number of clusters was chosen on the path and is not changed: where centroids would
    fuse, the level stays as it is, and the record says so.  Ctrl-C leaves it as it is too.
    Nothing is done, and there is no record, where the path was followed on all rows.
    """
    if not isinstance(training, SummarisedTrainingData):
        return chosen, None
    result, note, n_iter = chosen, "", 0
    if not chosen.exact:
        note = "it lies between two levels of the path"
    else:
        try:
            result, n_iter = _settled(chosen, training, tol, max_iter)
        except _FusedError:
            note = "on all rows two of its centroids would fuse"
        except KeyboardInterrupt:
            note = INTERRUPTED
    return result, Representatives(
        len(training.rows.in_memory().rows),
        training.n_rows,
        training.within_share,
        _objective(training.rows, chosen, training.coordinates),
        _objective(training.every_row, result, training.coordinates),
        n_iter,
        not note,
        note,
    )


def _settled(
    chosen: Slice, training: TrainingData, tol: float, max_iter: int
) -> tuple[Slice, int]:
    """The level on all rows, and how many passes over them it took."""
    by_mass = len(chosen.pair_mass) > 0
    coordinates = training.coordinates
    solver = Solver(training.every_row, chosen.model, tol, max_iter, by_mass)
    start = solver.start(coordinates.to_internal(chosen.centroids))
    state, settled = solver.settle(start, chosen.gamma / coordinates.gamma_unit(by_mass), _stop)
    polished = replace(
        chosen,
        centroids=coordinates.to_user(state.centroids),
        mass=state.statistics.mass * coordinates.unit,
        converged=settled.converged,
        model=state.model,
        pair_mass=state.pair_mass * coordinates.unit,
    )
    return polished, len(settled.history)


def _objective(rows: RowSource, level: Slice, coordinates: Coordinates) -> float:
    """That of a level on these rows."""
    inside = coordinates.to_internal(level.centroids)
    gamma = level.gamma / coordinates.gamma_unit(len(level.pair_mass) > 0)
    penalty = gamma * pair_distances(inside, level.pair_mass / coordinates.unit)
    data_term = rows.statistics(level.model, inside).data_term
    return float((data_term + penalty) * coordinates.objective_unit)
