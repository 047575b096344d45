"""Is there structure at all?  Where not, the answer is one cluster.

Two things have to be missing: the best number of clusters has no gap that a uniform block cut
into so many pieces would not have (``cluster_gap.py``), and it scores no better than such data
do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.level import Path
from fastcaf.selection.cluster_gap import CLEAR_GAP
from fastcaf.selection.plateaus import plateaus_of
from fastcaf.selection.rules import ScoredPlateau

__all__ = ["Doubt", "one_cluster", "score_of_chance", "score_of_one", "structure_doubt"]


@dataclass(frozen=True)
class Doubt:
    """What the best number of clusters above one is up against.

    Attributes
    ----------
    n_clusters : int
    score : float
    cluster_gap : float
        The narrowest between its clusters, in standard deviations.
    chance : float
        The score that structureless data hardly exceed.
    """

    n_clusters: int
    score: float
    cluster_gap: float
    chance: float


def score_of_chance(effective_dimension: float) -> float:
    """Persistence score that structureless data hardly exceed: -1.2 - 1.7 log(d_eff).

    In more dimensions the two nearest centroids are more alike, and separations fall.  Chosen
    on clouds, cubes and flat clouds drawn apart from those of ``bench/selection``; round clouds
    stay far below it, flat ones come near.
    """
    return float(-1.2 - 1.7 * np.log(effective_dimension))


def score_of_one(effective_dimension: float) -> float:
    """Score of the answer 1, what about half of round clouds have: -3.3 - 3.4 log(d_eff / 2).

    Lower than ``score_of_chance``: between the two, clusters that overlap much and no
    clusters cannot be told apart; then the best number is reported, with a warning.
    """
    return float(-3.3 - 3.4 * np.log(max(effective_dimension, 2.0) / 2.0))


def structure_doubt(scored: list[ScoredPlateau], training: TrainingData) -> Doubt | None:
    """Doubt about the best of the plateaus, or None where it is clear."""
    best = max(scored, key=lambda one: one.score)
    chance = score_of_chance(training.effective_dimension)
    if (
        best.plateau.n_clusters == 1
        or best.score >= chance
        or best.plateau.cluster_gap >= CLEAR_GAP
    ):
        return None
    return Doubt(best.plateau.n_clusters, best.score, best.plateau.cluster_gap, chance)


def one_cluster(paths: dict[str, Path], training: TrainingData) -> list[ScoredPlateau]:
    """The answer 1 as a candidate, where a path reached it."""
    for membership, path in paths.items():
        last = plateaus_of(path, training)[-1]
        if last.n_clusters == 1:
            return [ScoredPlateau(last, score_of_one(training.effective_dimension), membership)]
    return []
