"""What a search has found: the paths, what they offer, and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import RandomState

from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.polish import INTERRUPTED, Polished
from fastcaf.selection.candidate import Candidate
from fastcaf.selection.likelihood_search import Weighing
from fastcaf.selection.stability import Stability, stability_of
from fastcaf.selection.structure import Doubt

__all__ = ["Answer"]


@dataclass(frozen=True)
class Answer:
    """The paths that were followed, what they offer, and what was chosen.

    Attributes
    ----------
    paths : dict of str to Path
    candidates : list of Candidate
        Best first.
    membership : str
        The path that the answer is on.
    chosen : Level
    is_open : bool
        Whether the number of clusters was left to the default rule.
    doubt : Doubt or None
        Whether there is structure at all, where that is in doubt.
    polish_interrupted : bool
        Whether Ctrl-C came while the reported level settled further.
    weighing : Weighing or None
        What the judge of likelihoods said, where it was asked.
    stability : Stability or None
        What other starts say, where they were asked.
    checks_interrupted : bool
        Whether Ctrl-C came while they were asked.
    """

    paths: dict[str, Path]
    candidates: list[Candidate]
    membership: str
    chosen: Level
    is_open: bool
    doubt: Doubt | None
    polish_interrupted: bool = False
    weighing: Weighing | None = None
    stability: Stability | None = None
    checks_interrupted: bool = False

    def checked(
        self, training: TrainingData, n_checks: int, random_state: RandomState
    ) -> Answer:
        """The same with what other starts say, where the number was open and time is left."""
        free = self.is_open and len(self.path.start) > 1
        if self.weighing is None or not free or self.interrupted or n_checks == 0:
            return self
        try:
            most = len(self.path.start)
            found = stability_of(self.weighing, training, n_checks, most, random_state)
        except KeyboardInterrupt:  # the answer is there; it is not known how stable it is
            return replace(self, checks_interrupted=True)
        return replace(self, stability=found)

    @property
    def path(self) -> Path:
        """The one that the answer is on."""
        return self.paths[self.membership]

    def reported(self, polished: Polished, training: TrainingData) -> Answer:
        """The same in the user's units, with the polished level in place of the chosen one.

        It takes its place on the path too, where that was followed on all rows.
        """
        on_all_rows = training.every_row is training.rows
        coordinates = training.coordinates
        paths = {name: path.in_user_units(coordinates) for name, path in self.paths.items()}
        level = polished.level.in_user_units(coordinates)
        if self.weighing is None and on_all_rows and polished.level is not self.chosen:
            place = next(i for i, one in enumerate(self.path.levels) if one is self.chosen)
            before = paths[self.membership].levels[place]
            level = replace(
                level,
                n_iter=before.n_iter + level.n_iter,
                n_sweeps=before.n_sweeps + level.n_sweeps,
                history=np.concatenate([before.history, level.history]),
            )
            paths[self.membership].levels[place] = level
        if self.weighing is not None:  # released: the place on the path stays what it was
            place = next(i for i, one in enumerate(self.path.levels) if one is self.chosen)
            level = replace(level, gamma=paths[self.membership].levels[place].gamma)
        stopped = polished.note == INTERRUPTED
        return replace(self, paths=paths, chosen=level, polish_interrupted=stopped)

    @property
    def interrupted(self) -> Path | None:
        """The path that Ctrl-C ended, if one was."""
        return next((path for path in self.paths.values() if path.interrupted), None)
