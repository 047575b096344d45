"""Where the slider of a page stops: levels of a path, not more than a page can hold."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.cuts import slice_at_number
from fastcaf.exceptions import BeyondPathWarning
from fastcaf.memberships.base import FloatArray, MembershipModel
from fastcaf.path import Level, Path

__all__ = ["BUTTONS", "MOST_STOPS", "Stop", "place_of", "reported_stop", "stops_of"]

MOST_STOPS = 120
BUTTONS = 6  # candidates that get a button


@dataclass(frozen=True)
class Stop:
    """One position of the slider; clusters by falling mass, as ``cut`` numbers them.

    Attributes
    ----------
    level : float
        Index in the path's levels; half way between two for a cut between them.
    gamma : float
    centroids : ndarray of shape (c, d)
    mass : ndarray of shape (c,)
    nodes : ndarray of shape (c,)
        Where the clusters stand in the tree of merges.
    model : MembershipModel
        In internal coordinates.
    """

    level: float
    gamma: float
    centroids: FloatArray
    mass: FloatArray
    nodes: NDArray[np.int64]
    model: MembershipModel

    @property
    def n_clusters(self) -> int:
        """Number of centroids."""
        return len(self.centroids)


def stops_of(model: Any, name: str) -> list[Stop]:
    """The stops on one of the paths of a fitted model, by rising gamma.

    Every number of clusters that the path visits has one, as far as ``MOST_STOPS`` go, and so
    have the candidates with a button and the reported level.
    """
    path: Path = model.paths_[name]
    between = _between_levels(model) if name == model.membership_ else None
    wanted = [one.level for one in model.selection_[:BUTTONS] if one.membership == name]
    if name == model.membership_ and between is None:
        wanted.append(_reported_level(model))
    stops = [_stop(i, path.levels[i]) for i in thinned(path.n_clusters, wanted)]
    return sorted([*stops, *([between] if between else [])], key=lambda stop: stop.level)


def thinned(
    n_clusters: NDArray[np.int64], wanted: list[int], most: int = MOST_STOPS
) -> list[int]:
    """Which levels become stops: the wanted, one for each number, then the rest evenly.

    Where there are more numbers than stops, large numbers give way.
    """
    n = len(n_clusters)
    if n <= most:
        return list(range(n))
    middles = []
    for number in np.unique(n_clusters):
        visits = np.flatnonzero(n_clusters == number)
        middles.append(int(visits[(len(visits) - 1) // 2]))
    kept = dict.fromkeys([0, n - 1, *wanted, *middles[: most // 2]])
    for pool in (middles[most // 2 :], list(range(n))):
        rest = [i for i in pool if i not in kept]
        room = max(0, most - len(kept))
        evenly = np.linspace(0, len(rest) - 1, min(room, len(rest))).astype(int)
        kept.update(dict.fromkeys(rest[i] for i in evenly))
    return sorted(kept)


def reported_stop(model: Any, stops: list[Stop]) -> int:
    """Index of the stop that shows what the model reports, on the path it is on."""
    between = _between_levels(model)
    return place_of(stops, between.level if between else _reported_level(model))


def place_of(stops: list[Stop], level: float) -> int:
    """Index of the stop nearest to a level of the path."""
    return int(np.argmin([abs(stop.level - level) for stop in stops]))


def _stop(index: float, level: Level) -> Stop:
    order = np.argsort(-level.mass, kind="stable")
    return Stop(
        index,
        float(level.gamma),
        level.centroids[order],
        level.mass[order],
        level.nodes[order],
        level.model,
    )


def _reported_level(model: Any) -> int:
    """The level that was reported: the number of clusters decides, then gamma."""
    path: Path = model.path_
    far = np.abs(path.n_clusters - model.n_clusters_).astype(float)
    near = np.abs(path.gammas - model.gamma_)
    return int(np.lexsort((near, far))[0])


def _between_levels(model: Any) -> Stop | None:
    """The reported cut where the path skips that number of clusters."""
    path: Path = model.path_
    number = model.n_clusters_
    if number in path.n_clusters:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BeyondPathWarning)  # the fit has told it
        cut = slice_at_number(path, number)
    before = int(np.count_nonzero(path.n_clusters > number)) - 1
    alive = path.levels[before].nodes.tolist() if before >= 0 else range(len(path.start))
    nodes = dict.fromkeys(alive)
    for i in range(len(path.start) - len(nodes), len(path.start) - number):
        del nodes[path.merges[i].first], nodes[path.merges[i].second]
        nodes[len(path.start) + i] = None
    order = np.argsort(-cut.mass, kind="stable")
    return Stop(
        before + 0.5,
        float(cut.gamma),
        cut.centroids[order],
        cut.mass[order],
        np.array(list(nodes))[order],
        cut.model,
    )
