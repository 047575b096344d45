"""Stretches of a path with one number of clusters: what a rule chooses from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.kmeans import lloyd_steps
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.noise_distance import hard_memberships, plain_noise
from fastcaf.selection.partition import Partition
from fastcaf.selection.separation import Separation, measure_separation

__all__ = ["Plateau", "plateaus_of"]


@dataclass(frozen=True)
class Plateau:
    """Consecutive levels with one number of clusters.

    Attributes
    ----------
    n_clusters : int
    n_before : int
        The number of clusters before it; the starting number for the first plateau.
    first, last : int
        Indices of its levels, both included.
    gamma_start, gamma_end : float
        It holds on [gamma_start, gamma_end): from its first level to that of the next one.
    level : Level
        The middle one, which is reported.
    effective_dimension : float
        (sum of eigenvalues)^2 / (sum of their squares) of the rows' covariance.
    separation : Separation
        How far apart the clusters stand, by the rows; measured when first asked for.
    cluster_gap : float
        The narrowest one between two of its clusters (``cluster_gap.py``).
    partition : Partition
        The rows, shared among the clusters of the middle level.
    """

    n_clusters: int
    n_before: int
    first: int
    last: int
    gamma_start: float
    gamma_end: float
    internal_level: Level = field(repr=False)
    training: TrainingData = field(repr=False)

    @property
    def middle(self) -> int:
        """Index of the level that is reported."""
        return (self.first + self.last) // 2

    @property
    def effective_dimension(self) -> float:
        """Of the training rows."""
        return self.training.effective_dimension

    @cached_property
    def level(self) -> Level:
        """The middle level, in the user's units."""
        return self.internal_level.in_user_units(self.training.coordinates)

    @cached_property
    def released(self) -> FloatArray:
        """The level's centroids without penalty: after a few steps of k-means."""
        level = self.internal_level
        hard = hard_memberships(level.model)  # an entropy model's in its own features
        return lloyd_steps(self.training.rows, level.centroids, hard=hard)

    @cached_property
    def separation(self) -> Separation:
        """How far apart its clusters stand."""
        noise = plain_noise(self.internal_level.model)
        return measure_separation(self.training.rows, self.released, noise)

    @property
    def cluster_gap(self) -> float:
        """The narrowest gap between its clusters, in standard deviations."""
        return self.separation.cluster_gap

    @cached_property
    def partition(self) -> Partition:
        """The rows with the memberships of the middle level, in internal coordinates."""
        level = self.internal_level
        return Partition(self.training.rows, level.centroids, level.model)


def plateaus_of(path: Path, training: TrainingData, first: int = 0) -> list[Plateau]:
    """Runs of a path from level ``first`` on, by rising gamma.

    One cluster stays one.  A last plateau with more ends at its last level: what would follow
    was not seen.
    """
    unit = path.levels[0].gamma_unit(training.coordinates)
    counts, gammas = path.n_clusters, path.gammas * unit
    changes = np.flatnonzero(np.diff(counts)) + 1
    borders = [first, *changes[changes > first].tolist(), len(counts)]
    ends = np.append(gammas, np.inf if counts[-1] == 1 else gammas[-1])
    plateaus: list[Plateau] = []
    for start, stop in pairwise(borders):
        plateaus.append(
            Plateau(
                n_clusters=int(counts[start]),
                n_before=plateaus[-1].n_clusters if plateaus else len(path.start),
                first=start,
                last=stop - 1,
                gamma_start=float(gammas[start]),
                gamma_end=float(ends[stop]),
                internal_level=path.levels[(start + stop - 1) // 2],
                training=training,
            )
        )
    return plateaus
