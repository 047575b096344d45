"""The default search: partitions of several paths, judged by their completed likelihood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.agglomeration import merge_components, settled_components
from fastcaf.fusion.component_start import begins_at, components_of, knows_matrices
from fastcaf.fusion.fixed_gamma import Settled, Solver, State
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.noise_distance import noise_mass
from fastcaf.fusion.polish import INTERRUPTED, Polished
from fastcaf.fusion.standardised import (
    in_plain_features,
    spreads_of,
    standardised_training,
)
from fastcaf.memberships import FullGaussian, SphericalGaussian
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.runtime.deadline import check_time
from fastcaf.runtime.threads import interruptible
from fastcaf.selection.candidate import Candidate
from fastcaf.selection.groupings import MOST_COMPONENTS, groupings_of_path
from fastcaf.selection.judge import SHALLOW, Judge, Judgement
from fastcaf.selection.shapes import SHAPES

__all__ = ["Weighing", "decided", "follow_paths", "released", "weigh"]

# Nats a row, for each sqrt(d / 2), that several clusters have to gain over one; below that they
# need clear valleys to be believed.
LEAST_GAIN = 0.05
# Nats a row, for each sqrt(d / 2), that heavy tails explain of one cluster, from which on
# mixtures of Gaussians say nothing of the number: they need clusters for the tails.
TAILED = 0.5
CLEAR = 0.65  # a valley that is deeper than this
FAINT = 0.75  # shallower ones make an answer doubtful where most clusters have no other
FINAL_STEPS = 10  # of EM with the shape that was found
FINAL_STEPS_ON_ROWS = 3  # the same on all rows where paths saw representatives

Draw = Callable[[TrainingData, FloatArray], FloatArray]
OnLevel = Callable[[Level], None]
Follow = Callable[[TrainingData, str, FloatArray], Path]


def follow_paths(
    names: tuple[str, ...],
    training: TrainingData,
    start: FloatArray,
    draw: Draw,
    follow: Follow,
    on_level: OnLevel,
) -> Iterator[tuple[str, Path]]:
    """The paths of these names, one after the other.

    ``follow`` follows the path of a distance model; ``draw`` draws starting centroids from rows
    in other coordinates.
    """
    scales = spreads_of(training) if "standardised" in names else np.empty(0)
    n_rows, d = training.n_representatives, start.shape[1]
    few = training.n_distinct <= len(start)
    views = [("", training, start, np.empty(0))]
    if len(scales):
        other = standardised_training(training, scales)
        views.append(("standardised ", other, draw(other, scales), scales))
    for prefix, view, centroids, spread in views:
        entropy = follow(view, "entropy", centroids)
        name = prefix.strip() or "entropy"
        if name in names:
            yield name, in_plain_features(entropy, spread) if prefix else entropy
        for kind in (SphericalGaussian, FullGaussian):
            name = prefix + kind.name
            if name not in names or not (kind.is_round or knows_matrices(n_rows, d)):
                continue
            level = begins_at(entropy, n_rows, is_round=kind.is_round, all_of=few)
            level = _in_plain(level, spread)
            model, places = components_of(level, kind(), training, spread)
            path = merge_components(view.rows, model, places)
            for one in path.levels:
                on_level(one)
            yield name, in_plain_features(path, spread) if prefix else path


def _in_plain(level: Level, scales: FloatArray) -> Level:
    """The level's centroids in plain features, as ``components_of`` takes them."""
    return replace(level, centroids=level.centroids * scales) if len(scales) else level


@dataclass(frozen=True)
class Weighing:
    """The judged partitions, and what is doubtful about the best.

    Attributes
    ----------
    ranking : list of Judgement
        The best of every number of clusters, best first.
    one : Judgement or None
        That of one cluster, where a path reached it.
    chosen : Judgement
    says_one : bool
        Whether the completed likelihood prefers one cluster to the best number above one.
    mixture_says_one : bool
        Whether the likelihood of the mixture does so too.
    asked : bool
        Whether the number was asked for: then it need not be the best.
    heard : bool
        Whether several gain so little over one that the mixture had a second hearing.
    """

    judge: Judge
    ranking: list[Judgement]
    one: Judgement | None
    chosen: Judgement
    says_one: bool
    mixture_says_one: bool
    asked: bool = False
    heard: bool = False

    @property
    def best_above_one(self) -> Judgement | None:
        """The best partition into several clusters."""
        return next((one for one in self.ranking if one.n_clusters > 1), None)

    @property
    def share_without_valley(self) -> float:
        """Share of the chosen partition's rows in clusters with a faint valley or none."""
        chosen = self.chosen
        if chosen.n_clusters == 1:
            return 0.0
        weight = chosen.grouping.sums[:, 0]
        return float(weight[chosen.depths > FAINT].sum() / weight.sum())

    def candidates(self) -> list[Candidate]:
        """The ranking as users see it."""
        order = self.ranking
        if not self.asked:
            order = sorted(order, key=lambda one: (one is not self.chosen, -one.score))
        return [
            _candidate(one, above, self)
            for above, one in zip([None, *order], order, strict=False)
        ]


def weigh(
    paths: dict[str, Path], training: TrainingData, n_clusters: int | None
) -> Weighing | None:
    """Judge all partitions that the paths lead to; None where none has the number asked for."""
    rule = next(iter(paths.values())).levels[0].model.noise_rule
    judge, seen = Judge(training, rule), set[bytes]()
    scales = spreads_of(training) if any("standardised" in one for one in paths) else None
    judged = []
    for name, path in paths.items():
        spread = np.empty(0)
        if scales is not None and name == "standardised":
            spread = scales
        for grouping in groupings_of_path(name, path, training, seen, spread):
            judged.append(judge.judge(grouping))
    if n_clusters is None:
        return decided(judge, judged)
    best = _best_of_each_number(judged)
    if n_clusters not in best:
        return None
    ranking = list(best.values())
    return Weighing(judge, ranking, best.get(1), best[n_clusters], False, False, asked=True)


def _best_of_each_number(judged: list[Judgement]) -> dict[int, Judgement]:
    """By the number of clusters, the best of all first."""
    best: dict[int, Judgement] = {}
    for one in sorted(judged, key=lambda one: (-one.score, one.n_clusters)):
        best.setdefault(one.n_clusters, one)
    return best


def decided(judge: Judge, judged: list[Judgement]) -> Weighing:
    """Choose the number of clusters: the best above one, if it is believed.

    Where the completed likelihood gains next to nothing by several clusters, they may overlap,
    or have so many features that their means cost more than they explain.  Then the mixture
    (labels aside) has a second hearing at the smallest price that is consistent: what it asks
    for is believed if there are valleys, and else what the scores ask for if it agrees and
    these are clear.  Where tails are heavy it is not asked: what gains at all is believed.
    """
    best = _best_of_each_number(judged)
    ranking, one = list(best.values()), best.get(1)
    several = next((each for each in ranking if each.n_clusters > 1), None)
    if several is None or one is None:
        return Weighing(judge, ranking, one, several or ranking[0], False, False)
    gain = (several.likelihood - one.likelihood) / judge.n
    unit = np.sqrt(judge.n_features / 2.0)  # deviation of a row's log density
    if gain >= LEAST_GAIN * unit:
        return Weighing(judge, ranking, one, several, False, False)
    if (one.likelihood - one.plain_likelihood) / judge.n >= TAILED * unit:
        believed = gain > 0.0 and several.depth < SHALLOW
        chosen = several if believed else one
        return Weighing(judge, ranking, one, chosen, not believed, not believed, heard=True)
    few = [each for each in ranking if each.n_clusters <= MOST_COMPONENTS]
    heard = {each.n_clusters: judge.mixture_likelihood(each) for each in few}
    mixture = max(few, key=lambda each: heard[each.n_clusters])
    chosen = one
    if mixture.depth < SHALLOW:
        chosen = mixture
    elif several.depth < CLEAR and heard.get(several.n_clusters, -np.inf) > heard[1]:
        chosen = several
    return Weighing(judge, ranking, one, chosen, gain <= 0.0, mixture is one, heard=True)


def released(weighing: Weighing, chosen: Level, training: TrainingData) -> Polished:
    """The mixture of the shape found: some steps of EM from the chosen partition.

    None where tails are heavy: a Gaussian would spread over them.
    """
    heavy_tails = weighing.chosen.heavy_tails
    model, places = weighing.judge.mixture(weighing.chosen, heavy_tails=heavy_tails)
    steps, on_rows = (0, 0) if heavy_tails else (FINAL_STEPS, FINAL_STEPS_ON_ROWS)
    note = ""
    try:
        check_time()
        with interruptible():
            state, settled = _with_rows(model, places, training, steps)
            if training.every_row is not training.rows:
                mixture = _model(state)  # its prior counts rows, no longer representatives
                fewer = training.every_row.one_row / training.rows.one_row
                mixture = replace(mixture, strength=mixture.strength * fewer)
                state, settled = _stepped(training.every_row, mixture, state.centroids, on_rows)
    except KeyboardInterrupt:
        note = INTERRUPTED
        state, settled = _stepped(training.every_row, model, places, 0)
    settled.converged = True  # as far as was asked for
    held = noise_mass(state.model, state.statistics, training.every_row.total_weight)
    level = Level.of(0.0, state, settled, list(range(len(places))), held)
    level = replace(level, gamma=chosen.gamma, by_loss=chosen.by_loss)
    return Polished(level, state.statistics, note)


def _with_rows(
    model: GaussianMemberships, places: FloatArray, training: TrainingData, steps: int
) -> tuple[State, Settled]:
    """Steps of EM; fewer where a cluster would be left without rows of its own."""
    rows = training.rows.in_memory().rows
    for number in sorted({steps, min(steps, 1)}, reverse=True):
        state, settled = _stepped(training.rows, model, places, number)
        labels = state.model.labels(rows, state.centroids)
        if len(np.unique(labels[labels >= 0])) == len(places):
            return state, settled
    return _stepped(training.rows, model, places, 0)


def _stepped(
    rows: RowSource, model: GaussianMemberships, places: FloatArray, steps: int
) -> tuple[State, Settled]:
    """Steps of EM, or none."""
    if steps > 0:
        return settled_components(rows, model, places, steps)
    state = Solver(rows, model).start(places)
    return state, Settled(history=[(state.objective(0.0), len(places))])


def _model(state: State) -> GaussianMemberships:
    model = state.model
    assert isinstance(model, GaussianMemberships)
    return model


def _candidate(one: Judgement, above: Judgement | None, weighing: Weighing) -> Candidate:
    grouping = one.grouping
    return Candidate(
        one.n_clusters,
        float(one.score),
        grouping.gamma_start,
        grouping.gamma_end,
        grouping.level,
        grouping.path,
        np.nan,
        np.nan,
        one.gap,
        _reason(one, above, weighing),
        float(one.likelihood - weighing.judge.density_unit),
        float(one.n_parameters),
        SHAPES[one.shape].covariance_type,
        bool(one.heavy_tails),
        one.depth,
    )


def _reason(one: Judgement, above: Judgement | None, weighing: Weighing) -> str:
    """Why it stands where it does, in a sentence."""
    place = "Best"
    if above is not None:
        place = f"Behind {above.n_clusters} because {_lost(one, above, weighing.judge)}"
    elif one.n_clusters == 1:
        place = "One cluster, because more gain too little or have no valley between them"
    shape, likelihood = SHAPES[one.shape].words, one.likelihood - weighing.judge.density_unit
    tails = " with heavy tails" if one.heavy_tails else ""
    if one.n_clusters == 1:
        return f"{place}: completed likelihood {likelihood:.1f} nats."
    return (
        f"{place}: clusters {shape}{tails}; completed likelihood {likelihood:.1f} nats with "
        f"{one.n_parameters:.0f} parameters; shallowest valley {one.depth:.2f} (1 is none), "
        f"narrowest gap {one.gap:.1f} deviations."
    )


def _lost(one: Judgement, above: Judgement, judge: Judge) -> str:
    lost = above.likelihood - one.likelihood
    if above.score < one.score:
        return "that was decided between one cluster and the best number above one"
    if lost >= 0.5 * judge.n * (above.score - one.score):
        return f"its completed likelihood is {lost:.1f} nats lower"
    if one.depth >= SHALLOW:
        return f"two of its clusters have no clear valley between them ({one.depth:.2f})"
    return f"it scores {above.score - one.score:.2g} less"
