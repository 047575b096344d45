"""Where the slider of a page stops: levels of a path, not more than a page can hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastcaf.display.reported import reported_cut, reported_labels
from fastcaf.fusion.level import Level, Path

__all__ = ["BUTTONS", "MOST_STOPS", "Stop", "nearest_stop", "reported_stop", "stops_of"]

MOST_STOPS = 120
BUTTONS = 6  # candidates that get a button


class Stop(NamedTuple):
    """One position of the slider.

    Attributes
    ----------
    position : float
        Index in the path's levels; half way between two for a cut between them.
    level : Level
        Clusters by their rows, as ``cut`` numbers them; at the reported stop as in
        ``labels_``.
    """

    position: float
    level: Level


def stops_of(model: Any, name: str) -> list[Stop]:
    """The stops on one of the paths of a fitted model, by rising gamma.

    Every number of clusters that the path visits has one, as far as ``MOST_STOPS`` go, and so
    have the candidates with a button and the reported level.
    """
    path: Path = model.paths_[name]
    wanted = [one.level for one in model.selection_[:BUTTONS] if one.membership == name]
    if name != model.membership_:
        return [_stop(i, path.levels[i]) for i in thinned(path.n_clusters, wanted)]
    position, level = _reported_position(model), reported_cut(model)
    if position.is_integer():
        wanted.append(int(position))
        level = path.levels[int(position)]
    stops = {i: _stop(i, path.levels[i]) for i in thinned(path.n_clusters, wanted)}
    order = np.argsort(reported_labels(model, level.centroids), kind="stable")
    level = replace(
        level.ordered(order),
        gamma=model.gamma_,
        centroids=model.cluster_centers_,
        mass=model.cluster_masses_,
        model=model._fitted_model,
    )
    here = {position: Stop(position, level)}
    return [stop for _, stop in sorted((stops | here).items())]


def thinned(
    n_clusters: NDArray[np.int64], wanted: list[int], most: int = MOST_STOPS
) -> list[int]:
    """Which levels become stops: the wanted, one for each number, then the rest evenly.

    Where there are more numbers than stops, some of the large numbers have none.
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
    return nearest_stop(stops, _reported_position(model))


def nearest_stop(stops: list[Stop], position: float) -> int:
    """Index of the stop nearest to a position."""
    return int(np.argmin([abs(stop.position - position) for stop in stops]))


def _stop(position: float, level: Level) -> Stop:
    """A level as a stop, its clusters by their rows."""
    return Stop(position, level.ordered(level.by_size()))


def _reported_position(model: Any) -> float:
    """The level that was reported; half way between two where that is none of the path."""
    path: Path = model.path_
    there = (path.gammas == model.gamma_) & (path.n_clusters == model.n_clusters_)
    if there.any():
        return float(np.flatnonzero(there)[0])
    return float(np.searchsorted(path.gammas, model.gamma_)) - 0.5
