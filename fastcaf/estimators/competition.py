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
    """Clusters that compete for the rows; ``step`` is one iteration.

    Equal rows start as so many equal clusters on one spot, which stay equal for good: they are
    kept once, with their number in ``held``.  ``copies`` are the numbers of equal rows.
    """

    rows: FloatArray
    copies: FloatArray
    times: tuple[float, float]
    centers: FloatArray
    held: FloatArray
    proportions: FloatArray
    rates: tuple[float, float] = (1.0, 1.0)
    r3: float = 1.0

    @classmethod
    def start(cls, distinct: DistinctRows, times: tuple[float, float]) -> Competition:
        """Every row is a cluster with a proportion of 1/n, copies as well."""
        # Weights are copies: one row is 1.  Where weights are fractions, the lightest is.
        copies = distinct.weights / min(1.0, float(distinct.weights.min()))
        proportions = np.full(len(copies), 1.0 / copies.sum())
        return cls(distinct.rows, copies, times, distinct.rows, copies, proportions)

    def step(self, t: int) -> float:
        """Iteration ``t``.  Return how far a centre moved, infinity if one was dropped."""
        n, old, held = float(self.copies.sum()), self.proportions, self.held
        logits = logits_of(self.rows, self.centers, old, self.rates) + np.log(held)
        mu = normalised(logits)
        share = self.copies @ mu / (n * held)
        disorder = float(held @ (old * np.log(old)))  # minus the entropy
        new = share + (self.r3 / self.rates[0]) * old * (np.log(old) - disorder)
        # Renewed after the proportions, as published: before, most sets end as one cluster.
        r1, r2 = (max(float(np.exp(-t / time)), LEAST_RATE) for time in self.times)
        self.rates = r1, r2
        kept = new >= (1.0 - ROUNDING) / n
        kept[new.argmax()] = True  # where rates fall fast all may be below
        settled = bool(kept.all())
        self.r3 = 0.0 if settled and t >= SETTLING else self._next_r3(share, old, new, disorder)
        self.held = held[kept]
        self.proportions = new[kept] / float(self.held @ new[kept])
        before = self.centers[kept]
        self.centers = self._means(mu[:, kept], before)
        moves = np.linalg.norm(self.centers - before, axis=1)
        return float(moves.max()) if settled else np.inf

    def _next_r3(
        self, share: FloatArray, old: FloatArray, new: FloatArray, disorder: float
    ) -> float:
        if disorder == 0.0:  # one cluster is left
            return 0.0
        n, d = float(self.copies.sum()), self.rows.shape[1]
        eta = min(1.0, 2.0 * float(d) ** -float(d // 2 - 1))
        changes = np.exp(-eta * n * np.abs(new - old))
        bound = (1.0 - float(share.max())) / (-float(old.max()) * disorder)
        return min(float(np.average(changes, weights=self.held)), bound)

    def _means(self, mu: FloatArray, before: FloatArray) -> FloatArray:
        """Means of the rows; a centre without any membership stays where it is."""
        remaining = mu.sum(axis=1, keepdims=True)
        # A row that belonged to dropped clusters alone takes part again in the next step.
        held = np.divide(mu, remaining, out=np.zeros_like(mu), where=remaining > 0.0)
        held *= self.copies[:, None]
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
