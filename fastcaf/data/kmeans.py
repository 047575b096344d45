"""A few Lloyd steps of k-means, on any source of rows."""

from __future__ import annotations

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.memberships import EntropyMemberships

__all__ = ["lloyd_steps"]

STEPS = 10


HARD = EntropyMemberships(temperature=0.0)


def lloyd_steps(
    rows: RowSource,
    centroids: FloatArray,
    steps: int = STEPS,
    hard: EntropyMemberships = HARD,
) -> FloatArray:
    """Move every centroid to the mean of its nearest rows, ``steps`` times at the most.

    Hard memberships are entropy memberships of temperature 0.  Once no row changes its
    centroid the sum of squares stays as it is, and so do the means.
    """
    before = float("inf")
    for _ in range(steps):
        statistics = rows.statistics(hard, centroids)
        centroids = statistics.held_means(centroids)[1]
        if statistics.data_term == before:
            break
        before = statistics.data_term
    return centroids
