"""Pruning: centroids that are no clusters, ghosts and twins, are dropped.

An exact path carries centroids that are no clusters: one in the middle of everything, or two
that share one cluster.  With fuzzy c-means memberships their confidence,
sum_i mu_ij^m / sum_i mu_ij, gives them away: it is the mean membership of a cluster's own mass,
high where rows belong to it alone and low where they are shared.  With entropy memberships,
which are crisp everywhere, a centroid in the middle of everything has a few rows only, and
its mass gives it away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist

from fastcaf._typing import FloatArray
from fastcaf.memberships.base import Statistics

__all__ = ["Dropped", "Unsupported", "weakest_unsupported"]

Kind = Literal["ghost", "twin"]

# Share of the median mass below which a centroid has too few rows to be a cluster.
LEAST_MASS = 0.15
# A shared centroid nearer to another than this share of the usual distance is its twin.
TWIN_DISTANCE = 0.5


@dataclass(frozen=True)
class Unsupported:
    """The least supported centroid, and what it lacks."""

    index: int
    kind: Kind
    reason: str


@dataclass(frozen=True)
class Dropped:
    """A centroid that was dropped by pruning.

    Attributes
    ----------
    gamma : float
        The level at which it happened.
    node : int
        Its number in the tree of merges.
    centroid : ndarray of shape (d,)
        Its place.
    mass : float
        Sum of the memberships in it.
    kind : {"ghost", "twin"}
        Apart from all others, or sharing a cluster with its neighbour.
    reason : str
        A sentence.
    """

    gamma: float
    node: int
    centroid: FloatArray
    mass: float
    kind: Kind
    reason: str


def weakest_unsupported(
    centroids: FloatArray,
    statistics: Statistics,
    least_confidence: float,
    least_mass: float = 0.0,
) -> Unsupported | None:
    """The least supported centroid if it should be dropped, else None.

    Parameters
    ----------
    centroids : ndarray of shape (K, d)
    statistics : Statistics
        The sums over the rows at these centroids.
    least_confidence : float
        Share of the median confidence that a centroid must reach; the model's.
    least_mass : float
        Where it is not 0, the mass that a centroid must have, whatever the others have.

    Returns
    -------
    Unsupported or None
        None with one or two centroids too: a median of two says nothing.
    """
    if len(centroids) <= 2:
        return None
    mass, confidence = statistics.mass, statistics.confidence
    lightest = int(np.argmin(mass))
    if least_mass > 0.0:
        if mass[lightest] >= least_mass:
            return None
        reason = f"it had {mass[lightest] / least_mass:.3f} of the rows that its shape needs"
        return Unsupported(lightest, "ghost", reason)
    usual = _median(mass)
    if mass[lightest] < LEAST_MASS * usual:
        reason = (
            f"it had {mass[lightest] / usual:.3f} of the median mass (at least {LEAST_MASS} "
            "is asked for)"
        )
        return Unsupported(lightest, "ghost", reason)
    weakest = int(np.argmin(confidence))
    usual = _median(confidence)
    if confidence[weakest] >= least_confidence * usual:
        return None
    reason = (
        f"its confidence was {confidence[weakest] / usual:.3f} of the median one (at least "
        f"{least_confidence} is asked for): it shared its rows with others"
    )
    return Unsupported(weakest, _kind(centroids, weakest), reason)


def _median(values: FloatArray) -> float:
    """The median without NumPy's overhead, which a path would pay at every level."""
    ranked = np.sort(values)
    return float(0.5 * (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]))


def _kind(centroids: FloatArray, which: int) -> Kind:
    """Whether a shared centroid sits beside another one or between several."""
    distances = cdist(centroids, centroids)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.min(axis=1)
    return "twin" if nearest[which] < TWIN_DISTANCE * np.median(nearest) else "ghost"
