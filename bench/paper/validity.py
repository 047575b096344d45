"""The library's validity indices, and one more.  Larger is better in all of them."""

from __future__ import annotations

from scipy.spatial.distance import cdist

from fastcaf.selection.indices import INDICES as OF_THE_LIBRARY
from fastcaf.selection.indices import Index, Partition


def fukuyama_sugeno(partition: Partition) -> float:
    """Negated, with the square of the memberships."""
    X, U = partition.rows.in_memory().rows, partition.centroids
    mu = partition.model.memberships(X, U)
    apart = ((U - X.mean(axis=0)) ** 2).sum(axis=1)
    return -float((mu**2 * (cdist(X, U, "sqeuclidean") - apart)).sum())


INDICES: dict[str, Index] = {**OF_THE_LIBRARY, "fukuyama-sugeno": fukuyama_sugeno}
