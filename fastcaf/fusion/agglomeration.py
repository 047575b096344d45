"""Components merged one pair after the other, the pair that costs least likelihood first.

The limit of the fusion path for clusters with covariances.  There gamma has to be raised in
small steps, and where covariances grow with the pull, many components fuse in one of them:
numbers of clusters are skipped.  Here every number is visited.  Between two merges some steps
of EM let the components find their places (``kernels/shapes/merge_loss.py`` says what a merge
costs).

In the place of gamma a level has the likelihood lost by merges until there, in nats.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.fusion.fixed_gamma import Settled, Solver, State
from fastcaf.fusion.hierarchy import Tree
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.noise_distance import noise_mass
from fastcaf.kernels.shapes.merge_loss import cheapest_merge
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.runtime.deadline import check_time
from fastcaf.runtime.threads import interruptible

__all__ = ["merge_components", "settled_components"]

FIRST_STEPS = 5  # of EM before the first merge
STEPS = 2  # between two merges
TOL = 1e-6  # nats a row: fewer steps where nothing moves


def settled_components(
    rows: RowSource, model: GaussianMemberships, centroids: FloatArray, steps: int
) -> tuple[State, Settled]:
    """Some steps of EM without a penalty."""
    solver = Solver(rows, model, TOL, steps)
    return solver.settle(solver.start(centroids), 0.0, lambda places, labels: None)


def merge_components(
    rows: RowSource, model: GaussianMemberships, centroids: FloatArray
) -> Path:
    """From the given components to one, as a path."""
    tree, loss = Tree(len(centroids)), 0.0
    state, settled = settled_components(rows, model, centroids, FIRST_STEPS)
    levels = [_level(loss, state, settled, tree, rows)]
    interrupted = False
    try:
        while len(state.centroids) > 1:
            check_time()
            with interruptible():
                model, places, labels, lost = _merged(state)
            loss += max(lost, 0.0)
            tree.fuse(loss, state.centroids, labels)
            state, settled = settled_components(rows, model, places, STEPS)
            levels.append(_level(loss, state, settled, tree, rows))
    except KeyboardInterrupt:
        interrupted = True
        tree = Tree(len(centroids), tree.merges[: len(centroids) - levels[-1].n_clusters])
        last = levels[-1]
        tree.complete(last.gamma, last.centroids, last.weight, False)
    return Path(centroids, levels, tree, [], interrupted)


def _merged(state: State) -> tuple[GaussianMemberships, FloatArray, np.ndarray, float]:
    """The model and the centroids after the cheapest merge, its labels and its price."""
    model, found = state.model, state.statistics
    assert isinstance(model, GaussianMemberships)
    sums = np.hstack(
        [found.weight[:, None], found.squares[:, None], found.offsets, found.moments]
    )
    first, second, loss, weight, means = cheapest_merge(
        sums, state.centroids, model.blur, float(model.n_features), model.scale, model.strength
    )
    n = len(weight)
    labels = np.arange(n)
    labels[second] = first
    labels[labels > second] -= 1
    share = weight[first] / (weight[first] + weight[second])
    places = np.delete(means, second, axis=0)
    places[first] = share * means[first] + (1.0 - share) * means[second]
    return model.merged(labels, weight, means), places, labels, float(loss)


def _level(loss: float, state: State, settled: Settled, tree: Tree, rows: RowSource) -> Level:
    held = noise_mass(state.model, state.statistics, rows.total_weight)
    level = Level.of(loss, state, settled, tree.alive, held)
    return replace(level, by_loss=True)
