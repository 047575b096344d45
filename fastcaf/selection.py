"""Which level of a path to report: one function a rule.

A *run* is a stretch of levels with the same number of clusters.  A rule gives every run a
score; the largest wins, and the middle level of its run is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fastcaf.path import Path

__all__ = [
    "RULES",
    "Candidate",
    "Rule",
    "Run",
    "persistence",
    "plateau",
    "rank",
    "runs_of",
    "score_of_chance",
]

# A number of clusters this near the starting one says more of the start than of the data.
LARGEST_SHARE = 0.7
# Weight of the separation against the persistence; flat between 2 and 6.
SEPARATION_WEIGHT = 3.0


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
    separation : float
        Median over its levels of the mean of 1 - d1/d2.
    by_mass : bool
        Whether pairs of centroids were weighed by their weights, so that gamma is a distance.
    """

    n_clusters: int
    n_before: int
    first: int
    last: int
    gamma_start: float
    gamma_end: float
    separation: float
    by_mass: bool = False

    @property
    def middle(self) -> int:
        """Index of the level that is reported."""
        return (self.first + self.last) // 2


@dataclass(frozen=True)
class Candidate:
    """One number of clusters that the path offers.

    Attributes
    ----------
    n_clusters : int
    score : float
        The rule's; comparable within one fit only.
    gamma_start, gamma_end : float
        Where on the path it is alive.
    level : int
        Index in ``path_.levels`` of the level that stands for it.
    separation : float
        Mean over the rows of 1 - (nearest distance) / (second nearest distance).
    """

    n_clusters: int
    score: float
    gamma_start: float
    gamma_end: float
    level: int
    separation: float


Rule = Callable[[Run, float], float]


def runs_of(path: Path, first: int = 0) -> list[Run]:
    """Runs of a path from level ``first`` on, by rising gamma.

    The last one ends at its last level: what would follow was not seen.
    """
    counts, gammas = path.n_clusters, path.gammas
    changes = np.flatnonzero(np.diff(counts)) + 1
    borders = [first, *changes[changes > first].tolist(), len(counts)]
    runs: list[Run] = []
    for i, (start, stop) in enumerate(pairwise(borders)):
        runs.append(
            Run(
                n_clusters=int(counts[start]),
                n_before=runs[-1].n_clusters if i else len(path.start),
                first=start,
                last=stop - 1,
                gamma_start=float(gammas[start]),
                gamma_end=float(gammas[min(stop, len(gammas) - 1)]),
                separation=float(
                    np.median([level.separation for level in path.levels[start:stop]])
                ),
                by_mass=path.levels[start].by_mass,
            )
        )
    return runs


def persistence(run: Run, effective_dimension: float) -> float:
    """How much longer a run lives than one of structureless data, and how apart it is.

    log(g1/g0) - (2 + 1/d_eff) log(c_before/c) + 3 log(separation)

    A balanced set of c clusters at spacing D fuses near gamma = n D / c^2, and structureless
    data has D ~ c^(-1/d): the second term is the length that its runs have.  Where pairs are
    weighed by mass, by n / 2c in a balanced set, it fuses near 2 D / c: 1 instead of 2.
    """
    if run.gamma_start <= 0.0 or run.separation <= 0.0:
        return -np.inf
    life = np.log(run.gamma_end / run.gamma_start)
    power = 1.0 if run.by_mass else 2.0
    usual = (power + 1.0 / effective_dimension) * np.log(run.n_before / run.n_clusters)
    return float(life - usual + SEPARATION_WEIGHT * np.log(run.separation))


def score_of_chance(effective_dimension: float) -> float:
    """Persistence score that structureless data hardly exceed.

    0.38 - 2.25 log(d_eff), d_eff not below 2: in more dimensions the two nearest of many
    centroids are more alike, and the separation term falls with d_eff^(-3/4).  Chosen on
    clouds, cubes and clear mixtures drawn apart from those of ``bench/selection``; the floor
    of d_eff so that Iris and Seeds are not called structureless.
    """
    return float(0.38 - 2.25 * np.log(max(effective_dimension, 2.0)))


def plateau(run: Run, effective_dimension: float) -> float:
    """The paper's rule: length on the (linear) gamma axis.

    It depends on where the axis ends, and is meant for additive grids.
    """
    return run.gamma_end - run.gamma_start


RULES: dict[str, Rule] = {"persistence": persistence, "plateau": plateau}


def rank(
    path: Path, rule: Rule, effective_dimension: float, first_gamma: float = 0.0
) -> list[Candidate]:
    """Candidates of a path, best first.

    Parameters
    ----------
    path : Path
    rule : callable
        From a run and the effective dimension to a score.
    effective_dimension : float
        Of the rows; see ``RowSource.effective_dimension``.
    first_gamma : float
        Where the stretch begins that counts: levels below only lead up to it.

    Returns
    -------
    list of Candidate
        One for every run with 2 to 0.7 times the starting number of clusters.  Where the
        path has none, the last level stands alone.
    """
    runs = runs_of(path, int(np.searchsorted(path.gammas, first_gamma)))
    most = max(2.0, LARGEST_SHARE * len(path.start))
    chosen = [run for run in runs if 2 <= run.n_clusters <= most] or runs[-1:]
    candidates = [
        Candidate(
            run.n_clusters,
            rule(run, effective_dimension),
            run.gamma_start,
            run.gamma_end,
            run.middle,
            run.separation,
        )
        for run in chosen
    ]
    return sorted(candidates, key=lambda c: (-c.score, c.n_clusters))
