"""From training rows and a membership model to the chosen level of a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fastcaf.cuts import Slice, slice_at_number
from fastcaf.estimators.base import Training
from fastcaf.level import Solver
from fastcaf.memberships import MembershipModel
from fastcaf.memberships.base import FloatArray
from fastcaf.path import Level, Path, follow_path
from fastcaf.selection import Candidate, Rule, persistence, rank, score_of_chance

__all__ = ["Answer", "Search"]


@dataclass(frozen=True)
class Answer:
    """A path, what it offers, and what was chosen of it.

    ``chance`` is the score that structureless data hardly exceed; -inf where the number of
    clusters was not left to the default rule.
    """

    membership: str
    path: Path
    candidates: list[Candidate]
    chosen: Slice
    separation: float
    chance: float

    @property
    def unclear(self) -> bool:
        """Whether structureless data could have given this answer."""
        return self.candidates[0].score < self.chance


@dataclass(frozen=True)
class Search:
    """How a path is followed and a level of it chosen.

    Parameters
    ----------
    gammas : ndarray, float or None
        An array to visit, the one gamma to report, or None for all of the path.
    n_clusters : int or None
        The number of clusters to report, or None to find it.
    rule : callable
        Scores the runs of the path.
    ratio, prune, tol, max_iter
        As in ``CAFHFCM``.
    by_mass : bool
        Weigh pairs of centroids by their weights.
    """

    gammas: FloatArray | float | None
    n_clusters: int | None
    rule: Rule
    ratio: float
    prune: bool
    tol: float
    max_iter: int
    by_mass: bool

    def run(
        self,
        training: Training,
        membership: str,
        model: MembershipModel,
        start: FloatArray,
        on_level: Callable[[Level], None],
    ) -> Answer:
        """Follow the path with one model; all that is returned is in the user's units."""
        given = np.atleast_1d([] if self.gammas is None else self.gammas)
        path = follow_path(
            Solver(training.rows, model, self.tol, self.max_iter, self.by_mass),
            start,
            gammas=given / training.frame.gamma_unit(self.by_mass),
            ratio=self.ratio,
            prune=self.prune,
            on_level=on_level,
        ).in_units_of(training.frame)
        grid = isinstance(self.gammas, np.ndarray)
        dimension = training.effective_dimension
        candidates = rank(
            path,
            self.rule,
            dimension,
            first_gamma=given[0] * (1.0 - 1e-12) if grid else 0.0,
        )
        if self.n_clusters is not None:
            chosen = slice_at_number(path, self.n_clusters)
        elif isinstance(self.gammas, float):
            chosen = Slice.of(path.levels[-1])
        else:
            chosen = Slice.of(path.levels[candidates[0].level])
        inside = training.frame.enter(chosen.centroids)
        # One cluster leaves nothing to tell apart.
        separation = training.rows.separation(inside) if len(inside) > 1 else 0.0
        found = self.n_clusters is None and self.gammas is None and self.rule is persistence
        chance = score_of_chance(dimension) if found and len(start) > 2 else -np.inf
        return Answer(membership, path, candidates, chosen, separation, chance)
