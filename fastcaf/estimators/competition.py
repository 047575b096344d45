"""The competition of clusters for rows in robust-learning fuzzy c-means (``RLFCM``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from fastcaf._typing import FloatArray
from fastcaf.data.distinct_rows import DistinctRows

__all__ = ["Competition", "logits_of", "normalised"]

# From this iteration on, the competition ends as soon as no cluster is dropped any more.
SETTLING = 100
# Rates stay above this, so that nothing is divided by zero however long a fit runs.
LEAST_RATE = 1e-100
# A cluster that holds one row exactly must not be dropped for the rounding of its share.
ROUNDING = 1e-9


@dataclass
class Competition:
    """Clusters that compete for the rows; ``step`` is one iteration."""

    rows: FloatArray
    weights: FloatArray
    times: tuple[float, float]
    centers: FloatArray
    proportions: FloatArray
    rates: tuple[float, float] = (1.0, 1.0)
    r3: float = 1.0

    @classmethod
    def start(cls, distinct: DistinctRows, times: tuple[float, float]) -> Competition:
        """Every distinct row is a cluster, with a proportion to match its weight."""
        proportions = distinct.weights / distinct.weights.sum()
        return cls(distinct.rows, distinct.weights, times, distinct.rows, proportions)

    def step(self, t: int) -> float:
        """Iteration ``t``.  Return how far a centre moved, infinity if one was dropped."""
        total = float(self.weights.sum())
        old = self.proportions
        mu = normalised(logits_of(self.rows, self.centers, old, self.rates))
        share = self.weights @ mu / total
        r1, r2 = (max(float(np.exp(-t / time)), LEAST_RATE) for time in self.times)
        self.rates = r1, r2
        disorder = float(old @ np.log(old))  # minus the entropy
        new = share + (self.r3 / r1) * old * (np.log(old) - disorder)
        # Weights are copies: one row is 1.  Where weights are fractions, the lightest is.
        least = min(1.0, float(self.weights.min())) / total
        kept = new >= (1.0 - ROUNDING) * least
        settled = bool(kept.all())
        self.r3 = 0.0 if settled and t >= SETTLING else self._next_r3(share, old, new, disorder)
        self.proportions = new[kept] / new[kept].sum()
        before = self.centers[kept]
        self.centers = self._means(mu[:, kept], before)
        return float(np.abs(self.centers - before).max()) if settled else np.inf

    def _next_r3(
        self, share: FloatArray, old: FloatArray, new: FloatArray, disorder: float
    ) -> float:
        if len(old) == 1:
            return 0.0
        d = self.rows.shape[1]
        eta = min(1.0, 2.0 * float(d) ** -float(d // 2 - 1))
        change = float(np.exp(-eta * self.weights.sum() * np.abs(new - old)).mean())
        bound = (1.0 - float(share.max())) / (-float(old.max()) * disorder)
        return min(change, bound)

    def _means(self, mu: FloatArray, before: FloatArray) -> FloatArray:
        """Means of the rows; a centre without any membership stays where it is."""
        remaining = mu.sum(axis=1, keepdims=True)
        # A row that belonged to dropped clusters alone takes part again in the next step.
        held = np.divide(mu, remaining, out=np.zeros_like(mu), where=remaining > 0.0)
        held *= self.weights[:, None]
        mass = held.sum(axis=0)
        means = before.copy()
        some = mass > 0.0
        means[some] = (held.T @ self.rows)[some] / mass[some, None]
        return means


def logits_of(
    rows: NDArray, centers: FloatArray, proportions: FloatArray, rates: tuple[float, float]
) -> FloatArray:
    """(-||x_i - u_j||^2 + r1 ln alpha_j) / r2."""
    r1, r2 = rates
    squares = cdist(rows, centers, "sqeuclidean")
    if not squares.max() < np.finfo(np.float64).max * LEAST_RATE:
        raise ValueError(
            "Rows and centres are too far apart for their squared distances (largest "
            f"{squares.max():.3g}). Divide X by a constant first; RLFCM depends on the scale."
        )
    logits: FloatArray = (r1 * np.log(proportions) - squares) / r2
    return logits


def normalised(logits: FloatArray) -> FloatArray:
    """Memberships from logits; the largest is subtracted first, so nothing overflows."""
    mu = np.exp(logits - logits.max(axis=1, keepdims=True))
    mu /= mu.sum(axis=1, keepdims=True)
    return mu
