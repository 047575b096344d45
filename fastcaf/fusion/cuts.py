"""A path cut at any number of clusters, or at any gamma.

Every number c from 1 to the starting one has a cut.  Where the path visits c, it is the middle
level of that run.  Where it skips c, because several merges happened at one gamma, the last
level with more clusters is taken and the first merges after it are carried out, in the order of
the tree: fused centroids move to their weighted mean, dropped ones vanish.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.exceptions import BeyondPathWarning, warn
from fastcaf.fusion.path import Level, Path
from fastcaf.memberships.base import MembershipModel

__all__ = ["Slice", "slice_at_gamma", "slice_at_number"]


@dataclass(frozen=True)
class Slice:
    """Centroids of a cut, before labels are given.

    Attributes
    ----------
    gamma : float
    centroids : ndarray of shape (c, d)
    mass : ndarray of shape (c,)
        Soft sizes; between two levels, those of the level before added up.
    converged : bool
        Whether the level it rests on settled.
    model : MembershipModel
        The memberships' model of that level.
    pair_mass : ndarray of shape (c,) or empty
        What weighs the pairs; between two levels, the weights of the level before added up.
    nodes : ndarray of shape (c,)
        Where each centroid stands in the tree of merges.
    exact : bool
        Whether it is a level of the path, and not one between two levels.
    """

    gamma: float
    centroids: FloatArray
    mass: FloatArray
    converged: bool
    model: MembershipModel
    pair_mass: FloatArray
    nodes: NDArray[np.int64]
    exact: bool = True

    @classmethod
    def of(cls, level: Level) -> Slice:
        """A level as it is."""
        return cls(
            level.gamma,
            level.centroids,
            level.mass,
            level.converged,
            level.model,
            level.pair_mass,
            level.nodes,
        )


def slice_at_gamma(path: Path, gamma: float) -> Slice:
    """The last level not beyond ``gamma``; every path begins at 0."""
    last = path.levels[-1]
    if gamma > last.gamma and last.n_clusters > 1:
        raise ValueError(
            f"The path ends at gamma = {last.gamma:.6g} with {last.n_clusters} clusters, "
            f"before {gamma:.6g}. Fit again with a larger gamma, or with gamma=None."
        )
    index = int(np.searchsorted(path.gammas, gamma, side="right")) - 1
    return Slice.of(path.levels[index])


def slice_at_number(path: Path, n_clusters: int) -> Slice:
    """The cut with ``n_clusters`` clusters, by the rule above."""
    n_start = len(path.start)
    if not 1 <= n_clusters <= n_start:
        raise ValueError(
            f"n_clusters must lie between 1 and the {n_start} starting centroids, got "
            f"{n_clusters}. For more clusters raise n_start."
        )
    visits = np.flatnonzero(path.n_clusters == n_clusters)
    if len(visits):
        return Slice.of(path.levels[visits[(len(visits) - 1) // 2]])
    return _between_levels(path, n_clusters)


@dataclass
class _Held:
    """A centroid while merges are carried out."""

    place: FloatArray
    weight: float
    mass: float


def _between_levels(path: Path, n_clusters: int) -> Slice:
    """Carry out merges, from the last level with more clusters or from the start."""
    n_start = len(path.start)
    held = {node: _Held(place, 1.0, 1.0) for node, place in enumerate(path.start)}
    gamma, rests_on = path.levels[0].gamma, path.levels[0]
    for level in path.levels:
        if level.n_clusters < n_clusters:
            break
        columns = (level.nodes.tolist(), level.centroids, level.weight, level.mass)
        held = {node: _Held(*rest) for node, *rest in zip(*columns, strict=True)}
        gamma, rests_on = level.gamma, level
    for i in range(n_start - len(held), n_start - n_clusters):
        merge = path.merges[i]
        a, b = held.pop(merge.first), held.pop(merge.second)
        weight = max(a.weight + b.weight, np.finfo(np.float64).tiny)
        if merge.survivor >= 0:
            place = a.place if merge.survivor == merge.first else b.place
        else:
            place = (a.weight * a.place + b.weight * b.place) / weight
        held[n_start + i] = _Held(place, weight, a.mass + b.mass)
        gamma = merge.gamma
    if path.merges[n_start - n_clusters - 1].kind == "beyond":
        warn(
            f"The path ends at gamma = {rests_on.gamma:.6g} with {rests_on.n_clusters} "
            f"clusters; {n_clusters} are made of them by average linkage. Follow the path "
            "further (gamma=None) for fused ones.",
            BeyondPathWarning,
        )
    centroids = np.array([one.place for one in held.values()])
    mass = np.array([one.mass for one in held.values()])
    pair_mass = np.array([one.weight for one in held.values() if rests_on.by_mass])
    nodes = np.array(list(held))
    return Slice(
        gamma,
        centroids,
        mass,
        rests_on.converged,
        rests_on.model,
        pair_mass,
        nodes,
        exact=False,
    )
