"""Stretches of a path with one number of clusters: what a rule chooses from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.training_data import Training
from fastcaf.fusion.path import Level, Path
from fastcaf.selection.cluster_gap import narrowest_gap
from fastcaf.selection.partition import Partition
from fastcaf.selection.separation import Evidence, let_go, weigh

__all__ = ["Run", "runs_of"]


@dataclass(frozen=True)
class Run:
    """Consecutive levels with one number of clusters.

    Attributes
    ----------
    n_clusters : int
    n_before : int
        The number of clusters before it; the starting number for the first run.
    first, last : int
        Indices of its levels, both included.
    gamma_start, gamma_end : float
        Alive on [gamma_start, gamma_end): from its first level to the first of the next run.
    level : Level
        The middle one, which is reported.
    effective_dimension : float
        (sum of eigenvalues)^2 / (sum of their squares) of the rows' covariance.
    evidence : Evidence
        How far apart the clusters stand, by the rows; measured when first asked for.
    gap : float
        The narrowest one between two of its clusters (``gap.py``); measured when asked for.
    partition : Partition
        The rows, shared among the clusters of the middle level.
    """

    n_clusters: int
    n_before: int
    first: int
    last: int
    gamma_start: float
    gamma_end: float
    level: Level = field(repr=False)
    training: Training = field(repr=False)

    @property
    def middle(self) -> int:
        """Index of the level that is reported."""
        return (self.first + self.last) // 2

    @property
    def effective_dimension(self) -> float:
        """Of the training rows."""
        return self.training.effective_dimension

    @cached_property
    def released(self) -> FloatArray:
        """The level's centroids, let go: a few steps of k-means from where they are."""
        inside = self.training.frame.enter(self.level.centroids)
        return let_go(self.training.rows, inside)

    @cached_property
    def evidence(self) -> Evidence:
        """How far apart its clusters stand."""
        return weigh(self.training.rows, self.released)

    @cached_property
    def gap(self) -> float:
        """The narrowest gap between its clusters, in standard deviations."""
        return narrowest_gap(self.training.rows, self.released)

    @cached_property
    def partition(self) -> Partition:
        """The rows with the memberships of the middle level, in internal coordinates."""
        rows, frame = self.training.rows, self.training.frame
        inside = frame.enter(self.level.centroids)
        return Partition(
            rows.rows, rows.row_weights, inside, self.level.model, frame.unit, rows.scatter
        )


def runs_of(path: Path, training: Training, first: int = 0) -> list[Run]:
    """Runs of a path from level ``first`` on, by rising gamma.

    One cluster stays one.  A last run with more ends at its last level: what would follow
    was not seen.
    """
    counts, gammas = path.n_clusters, path.gammas
    changes = np.flatnonzero(np.diff(counts)) + 1
    borders = [first, *changes[changes > first].tolist(), len(counts)]
    ends = np.append(gammas, np.inf if counts[-1] == 1 else gammas[-1])
    runs: list[Run] = []
    for start, stop in pairwise(borders):
        runs.append(
            Run(
                n_clusters=int(counts[start]),
                n_before=runs[-1].n_clusters if runs else len(path.start),
                first=start,
                last=stop - 1,
                gamma_start=float(gammas[start]),
                gamma_end=float(ends[stop]),
                level=path.levels[(start + stop - 1) // 2],
                training=training,
            )
        )
    return runs
