"""The noise cluster (Davé 1991): what rows belong to that belong to no cluster.

It has no centroid and is equally far from every row: at the distance delta, for fuzzy c-means
and entropy memberships; with Gaussian components it is a background of one density everywhere,
that of a typical component at the distance delta (typical: log density at the mean and variance
averaged over the components, weighted by their rows).

Where delta is not given it is found from the rows, level by level: the clusters are taken for
Gaussian ones and the noise for a uniform background (Banfield and Raftery 1993), and delta is
where both are equally dense.  With K clusters of variance s^2, and a share p of noise in the
box of volume V along the principal axes of the rows,

    (1 - p) / K (2 pi s^2)^(-d/2) exp(-delta^2 / (2 s^2)) = p / V,

with s^2 and p from passes over the rows, in turn with delta.  delta^2 / s^2 is kept above what
one row in twenty of a Gaussian cluster exceeds: clusters in so much noise keep their rows.
Nothing in it has a unit or a direction: delta grows with the rows and turns with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from fastcaf._typing import FloatArray

__all__ = [
    "OFF",
    "Noise",
    "check_noise_term",
    "hard_labels",
    "label_noise",
    "marked",
    "rest_of",
    "unmarked",
]

OFF = np.inf  # squared distance, or energy, of no noise cluster
LEAST_SHARE, MOST_SHARE = 0.001, 0.5
WIDTH = 6.0  # of a cluster, in its deviations
LOST_SHARE = 0.05  # of the rows of a Gaussian cluster, at the most
FIRST_SHARE = 0.1  # before anything is known
MARK = -1.0


@dataclass(frozen=True)
class Noise:
    """How the noise cluster's distance is chosen.

    Parameters
    ----------
    squared : float or None
        delta^2 in internal coordinates; None: from the rows.
    n_features : int
        Features that are not constant.
    widths : tuple of float
        Of the rows' box along its axes, in internal coordinates.
    """

    squared: float | None
    n_features: int = 1
    widths: tuple[float, ...] = ()

    def log_volume(self, variance: float) -> float:
        """Of the box, which is nowhere narrower than a Gaussian cluster of this variance."""
        least = max(WIDTH * float(np.sqrt(variance)), float(np.finfo(np.float64).tiny))
        return float(np.log(np.maximum(self.widths, least)).sum())

    def reach(self, variance: float, peak: float, share: float) -> float:
        """delta^2 / s^2 for a variance s^2 within clusters and this share of noise until now.

        ``peak`` is a typical cluster's -2 log(share) + log|S|: d log(s^2) + 2 log(K).
        """
        if self.squared is not None:
            return self.squared / max(variance, np.finfo(np.float64).tiny)
        d, share = self.n_features, min(max(share, LEAST_SHARE), MOST_SHARE)
        logarithm = self.log_volume(variance) - np.log(share / (1.0 - share))
        equal = 2.0 * logarithm - d * np.log(2.0 * np.pi) - peak
        return max(float(equal), float(chdtri(d, LOST_SHARE)))


def label_noise(labels: NDArray[np.int32], squared: NDArray, noise: float) -> NDArray[np.int32]:
    """Labels with -1 where the squared distance to the nearest centroid is beyond that."""
    if noise < OFF:
        labels[squared > noise] = -1
    return labels


def hard_labels(memberships: NDArray) -> NDArray[np.intp]:
    """The cluster of the largest membership of every row; -1 where the rest is larger."""
    labels = memberships.argmax(axis=1)
    labels[memberships.max(axis=1) < rest_of(memberships)] = -1
    return labels


def rest_of(memberships: NDArray) -> NDArray:
    """What memberships leave to the noise cluster."""
    return np.clip(1.0 - memberships.sum(axis=1), 0.0, 1.0)


def check_noise_term(noise: float, *, above: float = -np.inf) -> float:
    """A squared distance or an energy as a model file has it."""
    if not noise > above:
        raise ValueError(f"a noise cluster at {noise} cannot be")
    return noise


def marked(parameters: Iterable[float], noise: float) -> FloatArray:
    """Parameters of a model with those of its noise cluster behind them, if it has one.

    The mark is a number that no parameter ends with, so that models without noise are stored as
    they always were.
    """
    ending = [noise, MARK] if noise < OFF else []
    return np.array([*parameters, *ending], dtype=np.float64)


def unmarked(parameters: FloatArray) -> tuple[FloatArray, float]:
    """The parameters without those of the noise cluster, and the latter."""
    if len(parameters) > 2 and parameters[-1] == MARK:
        return parameters[:-2], float(parameters[-2])
    return parameters, OFF
