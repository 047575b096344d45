"""From training rows and membership models to the chosen level of a path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.kmeans import lloyd_steps
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.component_start import begins_at, components_of, most_components
from fastcaf.fusion.distinct_clusters import level_with_clusters, n_distinct
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.noise_distance import noise_rule, plain_noise
from fastcaf.fusion.path import follow_path
from fastcaf.memberships import EntropyMemberships, GaussianMemberships, MembershipModel
from fastcaf.runtime.deadline import check_time
from fastcaf.runtime.threads import interruptible
from fastcaf.selection.answer import Answer
from fastcaf.selection.candidate import Candidate
from fastcaf.selection.likelihood_search import Draw, follow_paths, weigh
from fastcaf.selection.rules import (
    Rule,
    ScoredPlateau,
    persistence,
    rank,
    score_plateaus,
)
from fastcaf.selection.separation import measure_separation
from fastcaf.selection.structure import one_cluster, structure_doubt

__all__ = ["Search"]

# Where partitions are judged, levels settle to so many times the tolerance: they are released
# from their pull anyway.  Those of Gaussian components do so always, within so many passes: EM
# crawls near its end.
RELEASED_TOL = 30.0
COMPONENT_TOL = 10.0
COMPONENT_ITER = 50

Model = TypeVar("Model", bound=MembershipModel)


@dataclass(frozen=True)
class Search:
    """How paths are followed and a level of one chosen.

    Parameters
    ----------
    gammas : ndarray, float or None
        An array to visit, the one gamma to report, or None for all of the path.
    n_clusters : int or None
        The number of clusters to report, or None to find it.
    rule : callable or None
        Scores the plateaus of the paths; None: partitions are judged by their likelihood.
    ratio, prune, tol, max_iter
        As in ``CAFHFCM``.
    fusion_weights : str
        How pairs of centroids are weighed.
    noise : float, "auto" or None
        Distance of the noise cluster, in the user's units.
    """

    gammas: FloatArray | float | None
    n_clusters: int | None
    rule: Rule | None
    ratio: float
    prune: bool
    tol: float
    max_iter: int
    fusion_weights: str
    noise: float | str | None = None

    def run(
        self,
        training: TrainingData,
        models: dict[str, MembershipModel],
        start: FloatArray,
        draw: Draw,
        on_level: Callable[[Level], None],
    ) -> Answer:
        """Follow the path of every model and choose, in internal coordinates.

        ``draw`` draws starting centroids from the rows in other coordinates.
        """
        paths: dict[str, Path] = {}
        followed = self._paths(training, models, start, draw, on_level)
        while True:
            try:
                if paths:
                    check_time()
                with interruptible():
                    name, path = next(followed)
            except StopIteration:
                break
            except KeyboardInterrupt:  # before its first level
                if not paths:
                    raise
                before = list(paths)[-1]
                paths[before] = replace(paths[before], interrupted=True)
                break
            paths[name] = path
            if path.interrupted:
                break
        choose = self._answer if self.rule is not None else self._weighed
        try:
            with interruptible():
                return choose(paths, training)
        except KeyboardInterrupt:  # the levels are there, and choosing is short: once more
            return choose(paths, training)

    def _paths(
        self,
        training: TrainingData,
        models: dict[str, MembershipModel],
        start: FloatArray,
        draw: Draw,
        on_level: Callable[[Level], None],
    ) -> Iterator[tuple[str, Path]]:
        """Paths of fusions, each when it is asked for; with the judge, of merges too."""

        def follow(view: TrainingData, name: str, centroids: FloatArray) -> Path:
            return self._follow(view, models[name], centroids, on_level)

        if self.rule is None and "entropy" in models:
            yield from follow_paths(tuple(models), training, start, draw, follow, on_level)
            return
        for name, model in models.items():
            if isinstance(model, GaussianMemberships):
                yield name, self._follow_components(training, model, start, on_level)
            else:
                yield name, self._follow(training, model, start, on_level)

    def _follow_components(
        self,
        training: TrainingData,
        model: GaussianMemberships,
        start: FloatArray,
        on_level: Callable[[Level], None],
    ) -> Path:
        """The fusion path of Gaussian components, from where an entropy path has few enough."""
        n_rows, is_round = training.n_representatives, model.is_round
        few, until = training.n_distinct <= len(start), len(start)
        if not few:
            until = most_components(len(start), n_rows, start.shape[1], is_round=is_round)
        entropy = self._with_noise(EntropyMemberships(), training)
        entropy = entropy.suited_to(training.rows.extent)
        before = follow_path(
            Solver(training.rows, entropy, self.tol, self.max_iter),
            start,
            gammas=np.empty(0),
            ratio=self.ratio,
            prune=self.prune,
            until=until,
        )
        level = begins_at(before, n_rows, is_round=is_round, all_of=few)
        suited, places = components_of(level, model, training)
        path = follow_path(
            Solver(
                training.rows,
                suited,
                COMPONENT_TOL * self.tol,
                min(self.max_iter, COMPONENT_ITER),
                self.fusion_weights,
            ),
            places,
            gammas=self._gammas(training, likelihood=True),
            ratio=self.ratio,
            prune=self.prune,
            on_level=on_level,
            until=len(places) if before.interrupted else 1,
        )
        return replace(path, interrupted=path.interrupted or before.interrupted)

    def _weighed(self, paths: dict[str, Path], training: TrainingData) -> Answer:
        """Choose among the partitions of the paths, by their likelihood."""
        weighing = weigh(paths, training, self.n_clusters)
        is_open = self.n_clusters is None and self.gammas is None
        if weighing is None or isinstance(self.gammas, float):
            everything = weigh(paths, training, None)
            assert everything is not None
            candidates = everything.candidates()
            name, chosen = self._choose(paths, candidates, training)
            return Answer(paths, candidates, name, chosen, False, None)
        grouping = weighing.chosen.grouping
        chosen = paths[grouping.path].levels[grouping.level]
        return Answer(
            paths, weighing.candidates(), grouping.path, chosen, is_open, None, False, weighing
        )

    def _answer(self, paths: dict[str, Path], training: TrainingData) -> Answer:
        """Choose among the levels of the paths."""
        assert self.rule is not None
        scored = [
            one for name, path in paths.items() for one in self._scored(path, training, name)
        ]
        is_open = self.n_clusters is None and self.gammas is None and self.rule is persistence
        doubt = None
        if is_open and len(next(iter(paths.values())).start) > 2:
            doubt = structure_doubt(scored, training)
            scored += one_cluster(paths, training) if doubt is not None else []
        candidates = rank(scored, self.rule)
        name, chosen = self._choose(paths, candidates, training)
        return Answer(paths, candidates, name, chosen, is_open, doubt)

    def _follow(
        self,
        training: TrainingData,
        model: MembershipModel,
        start: FloatArray,
        on_level: Callable[[Level], None],
    ) -> Path:
        suited = self._with_noise(model, training).suited_to(training.rows.extent)
        is_released = self.rule is None and self.gammas is None
        tol = self.tol * (RELEASED_TOL if is_released else 1.0)
        return follow_path(
            Solver(training.rows, suited, tol, self.max_iter, self.fusion_weights),
            start,
            gammas=self._gammas(training),
            ratio=self.ratio,
            prune=self.prune,
            on_level=on_level,
        )

    def _with_noise(self, model: Model, training: TrainingData) -> Model:
        """The model with a noise cluster, where one was asked for."""
        rule = noise_rule(self.noise, training)
        return model if rule is None else model.with_noise(rule)

    def _gammas(self, training: TrainingData, *, likelihood: bool = False) -> FloatArray:
        """Those to visit, in internal coordinates."""
        given = np.atleast_1d([] if self.gammas is None else self.gammas)
        by_mass = self.fusion_weights == "mass"
        unit = training.coordinates.gamma_unit(by_mass, likelihood=likelihood)
        return given / unit

    def _scored(self, path: Path, training: TrainingData, name: str) -> list[ScoredPlateau]:
        assert self.rule is not None
        is_grid = isinstance(self.gammas, np.ndarray)
        likelihood = path.levels[0].model.is_likelihood
        first = float(self._gammas(training, likelihood=likelihood)[0]) if is_grid else 0.0
        return score_plateaus(path, training, self.rule, name, first * (1.0 - 1e-12))

    def _choose(
        self, paths: dict[str, Path], candidates: list[Candidate], training: TrainingData
    ) -> tuple[str, Level]:
        """The path and the level to report."""
        if self.n_clusters is not None:
            cuts = {
                name: level_with_clusters(
                    path, self.n_clusters, lambda level: level.with_rows(training.rows)
                )
                for name, path in paths.items()
                if self.n_clusters <= len(path.start)
            }
            if not cuts:
                most = max(len(path.start) for path in paths.values())
                raise ValueError(
                    f"n_clusters={self.n_clusters} is above the {most} components that so few "
                    "rows allow paths of Gaussian components to begin with. Ask for fewer, or "
                    "choose another membership."
                )
            name = max(cuts, key=lambda one: _merit(cuts[one], training))
            chosen, levels = cuts[name], paths[name].levels
            # Not the counted copy: what is reported takes the level's place on the path.
            return name, next((one for one in levels if one.nodes is chosen.nodes), chosen)
        best = candidates[0]
        path = paths[best.membership]
        level = -1 if isinstance(self.gammas, float) else best.level
        return best.membership, path.levels[level]


def _merit(cut: Level, training: TrainingData) -> tuple[int, float]:
    """How many clusters of their own a cut has, and their mean times weakest separation."""
    noise = plain_noise(cut.model)
    hard = EntropyMemberships(noise=noise)
    released = lloyd_steps(training.rows, cut.centroids, hard=hard)
    separation = measure_separation(training.rows, released, noise)
    return n_distinct(cut), separation.mean * separation.weakest
