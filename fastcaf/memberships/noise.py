"""The noise cluster (Davé 1991): what rows belong to that belong to no cluster.

It has no centroid and is equally far from every row: at the distance delta, for fuzzy c-means
and entropy memberships; with Gaussian components it is a background of one density everywhere,
that of a typical component at the distance delta (typical: log density at the mean and variance
averaged over the components, weighted by their rows).

Where delta is not given it is found from the rows, level by level.  With s^2 the variance of a
feature within the clusters, delta^2 = q s^2, and q is what a row of a Gaussian cluster exceeds
with so small a probability p that of the rows beyond delta no more than a tenth are expected to
be such rows:

    p (1 - share) = 1/10 share,    share: of the rows that lie beyond delta now.

Rows within delta have the variance s^2 F_{d+2}(q) / F_d(q), F the distribution of chi squared.
That is the rule of Benjamini and Hochberg (1995) for a false discovery rate of a tenth.  The
share is taken between 1 % (clean clusters then lose one row in a thousand) and a half.  Nothing
in it has a unit or a direction: delta grows with the rows and turns with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, chdtri

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
FALSE_SHARE = 0.1  # of the noise that rows of clusters may be
LEAST_SHARE, MOST_SHARE = 0.01, 0.5
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
    """

    squared: float | None
    n_features: int = 1

    def reach(self, variance: float, share: float, *, truncated: bool = True) -> float:
        """delta^2 over this variance within clusters, for this share of noise until now.

        ``truncated``: the variance is that of the rows within delta, which is less than s^2.
        """
        if self.squared is not None:
            return self.squared / max(variance, np.finfo(np.float64).tiny)
        share = min(max(share, LEAST_SHARE), MOST_SHARE)
        d = self.n_features
        q = float(chdtri(d, FALSE_SHARE * share / (1.0 - share)))
        return q * float(chdtr(d, q) / chdtr(d + 2, q)) if truncated else q


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
