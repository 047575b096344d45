"""Where the slider of a page stops: levels of a path, not more than a page can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.display.reported import reported_cut, reported_labels
from fastcaf.fusion.cuts import Slice
from fastcaf.fusion.path import Level, Path
from fastcaf.memberships.base import MembershipModel

__all__ = ["BUTTONS", "MOST_STOPS", "Stop", "place_of", "reported_stop", "stops_of"]

MOST_STOPS = 120
BUTTONS = 6  # candidates that get a button


@dataclass(frozen=True)
class Stop:
    """One position of the slider.

    Clusters by falling mass, as ``cut`` numbers them; at the reported stop as in ``labels_``.

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
    wanted = [one.level for one in model.selection_[:BUTTONS] if one.membership == name]
    if name != model.membership_:
        return [_stop(i, path.levels[i]) for i in thinned(path.n_clusters, wanted)]
    place, cut = _reported_place(model), reported_cut(model)
    if place.is_integer():
        wanted.append(int(place))
        cut = Slice.of(path.levels[int(place)])
    stops = {i: _stop(i, path.levels[i]) for i in thinned(path.n_clusters, wanted)}
    here = {place: _stop(place, cut, reported_labels(model, cut.centroids))}
    return [stop for _, stop in sorted((stops | here).items())]


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
    return place_of(stops, _reported_place(model))


def place_of(stops: list[Stop], level: float) -> int:
    """Index of the stop nearest to a level of the path."""
    return int(np.argmin([abs(stop.level - level) for stop in stops]))


def _stop(place: float, cut: Level | Slice, labels: NDArray[np.intp] | None = None) -> Stop:
    """A cut as a stop, its clusters by these labels or by falling mass."""
    order = np.argsort(-cut.mass if labels is None else labels, kind="stable")
    return Stop(
        place,
        float(cut.gamma),
        cut.centroids[order],
        cut.mass[order],
        cut.nodes[order],
        cut.model,
    )


def _reported_place(model: Any) -> float:
    """The level that was reported; half way between two where the path skips that number."""
    path: Path = model.path_
    levels = np.flatnonzero(path.n_clusters == model.n_clusters_)
    if len(levels) == 0:
        return float(np.count_nonzero(path.n_clusters > model.n_clusters_)) - 0.5
    return float(levels[np.argmin(np.abs(path.gammas[levels] - model.gamma_))])
