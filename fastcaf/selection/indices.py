"""Classic validity indices of a fuzzy partition: one function an index, larger is better.

Every index follows its textbook definition; those that are better when small are returned
negated.  Where an index says nothing (one cluster, coinciding centroids) it is -inf; none is
ever nan or +inf.

Row weights are copies: weight 2 is the row twice.  Two indices have a "minus one row" in them,
Calinski-Harabasz and the silhouette: there one row weighs what ``RowSource.one_row`` says, 1 or
the mean weight where that is less (weights that sum to 1 are shares).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist, pdist

from fastcaf._typing import FloatArray
from fastcaf.data.array_rows import spans
from fastcaf.selection.partition import Partition

__all__ = [
    "INDICES",
    "Index",
    "Partition",
    "calinski_harabasz",
    "davies_bouldin",
    "fuzzy_silhouette",
    "modified_partition_coefficient",
    "partition_coefficient",
    "partition_entropy",
    "xie_beni",
]

SILHOUETTE_ROWS = 10_000  # silhouettes compare all pairs of at most so many rows
LARGEST = float(np.finfo(np.float64).max)


def xie_beni(partition: Partition) -> float:
    """The index of Xie and Beni (1991), negated.

    Compactness sum_ij a_i mu_ij^m ||x_i - u_j||^2, over the weight of the rows times the least
    squared distance of two centroids.  m is the model's fuzzifier, as Pal and Bezdek (1995)
    extend the definition (the original has mu^2), and 1 for entropy memberships.  -inf with
    one centroid, or where two coincide.
    """
    nearest = float(pdist(partition.centroids, "sqeuclidean").min(initial=np.inf))
    if not 0.0 < nearest < np.inf:
        return -np.inf
    return -(partition.soft.compactness / partition.rows.total_weight) / nearest


def partition_coefficient(partition: Partition) -> float:
    """Bezdek's (1974) coefficient: the mean over the rows of sum_j mu_ij^2.

    From 1/c to 1.  It tends to fall with c whatever the data are, so it prefers few clusters
    (and is 1 for one): see ``modified_partition_coefficient``.
    """
    return partition.soft.squares / partition.rows.total_weight


def modified_partition_coefficient(partition: Partition) -> float:
    """Dave's (1996) rescaled coefficient, 1 - c / (c - 1) (1 - partition coefficient).

    From 0, where all memberships are 1/c, to 1; -inf for one cluster.
    """
    c = len(partition.centroids)
    if c == 1:
        return -np.inf
    return 1.0 - c / (c - 1) * (1.0 - partition_coefficient(partition))


def partition_entropy(partition: Partition) -> float:
    """Bezdek's (1974) entropy, negated: the mean over the rows of sum_j mu_ij log(mu_ij).

    From -log(c) to 0.  Like the partition coefficient it prefers few clusters.
    """
    return -partition.soft.entropy / partition.rows.total_weight


def fuzzy_silhouette(partition: Partition, alpha: float = 1.0) -> float:
    """The silhouette of Campello and Hruschka (2006).

    The mean of the silhouettes of the hard clusters, row i with the weight
    a_i (largest mu_ij - second largest mu_ij)^alpha; alpha = 0 is the plain silhouette.  A row
    that is alone in its cluster has silhouette 0.  -inf where all rows have one label, and
    where none is nearer to one cluster than to all others.

    Silhouettes compare all pairs of rows, in O(n^2 d) time.  Of more than 10,000 rows, 10,000
    evenly spaced ones (in the order given) are compared.
    """
    rows, centroids = partition.rows.in_memory(), partition.centroids
    n = len(rows.rows)
    chosen = np.arange(n)
    if n > SILHOUETTE_ROWS:
        chosen = np.arange(SILHOUETTE_ROWS) * n // SILHOUETTE_ROWS
    labels, margins = np.empty(len(chosen), dtype=np.intp), np.ones(len(chosen))
    for span in spans(len(chosen), max(centroids.shape)):
        mu = partition.model.memberships(rows.rows[chosen[span]], centroids)
        labels[span] = mu.argmax(axis=1)
        if len(centroids) > 1:
            largest = np.partition(mu.astype(np.float64), -2, axis=1)[:, -2:]
            margins[span] = largest[:, 1] - largest[:, 0]
    order = labels.argsort(kind="stable")
    chosen, labels = chosen[order], labels[order]
    row_weights = rows.weights[chosen].astype(np.float64)
    weights = row_weights * margins[order] ** alpha
    total = float(weights.sum())
    if labels[0] == labels[-1] or total == 0.0:
        return -np.inf
    inside = rows.relative_to(centroids.mean(axis=0), chosen)
    return float(weights @ _silhouettes(inside, row_weights, labels, rows.one_row)) / total


def _silhouettes(
    rows: FloatArray, weights: FloatArray, labels: NDArray[np.intp], one_row: float
) -> FloatArray:
    """Silhouettes of rows that are in the order of their labels."""
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    weight = np.add.reduceat(weights, first)
    result = np.zeros(len(rows))
    for span in spans(len(rows), len(rows)):
        distances = cdist(rows[span], rows)
        distances *= weights
        sums = np.add.reduceat(distances, first, axis=1)
        own = np.arange(len(sums)), labels[span]
        others = weight[labels[span]] - one_row
        company = others > 0.0
        inside = np.zeros(len(sums))
        np.divide(sums[own], others, out=inside, where=company)
        means = sums / weight
        means[own] = np.inf
        outside = means.min(axis=1)
        larger = np.maximum(inside, outside)
        np.divide(outside - inside, larger, out=result[span], where=company & (larger > 0.0))
    return result


def calinski_harabasz(partition: Partition) -> float:
    """The variance ratio of Calinski and Harabasz (1974), on the hard labels.

    (between / (k - 1)) / (within / (W - k)) with the k clusters that have rows, their means,
    and the weight W of all rows counted in rows.  -inf where all rows have one label, or each
    its own.  Where all rows lie on their means it is the largest float (scikit-learn: 1).
    """
    hard = partition.hard
    k = len(hard.weight)
    freedom = partition.rows.total_weight / partition.rows.one_row - k
    if k == 1 or freedom <= 1e-9 * k:  # up to the rounding of sums of fractions
        return -np.inf
    mean = hard.weight @ hard.means / partition.rows.total_weight
    between = float(hard.weight @ ((hard.means - mean) ** 2).sum(axis=1))
    within = float(hard.squares.sum())
    if within == 0.0:
        return LARGEST
    return min(between / within * freedom / (k - 1), LARGEST)


def davies_bouldin(partition: Partition) -> float:
    """The index of Davies and Bouldin (1979), negated, on the hard labels.

    The mean over the clusters that have rows of the largest (s_k + s_l) / ||mean_k - mean_l||,
    s the mean distance of a cluster's rows to its mean.  -inf where all rows have one label,
    or where two means coincide.
    """
    hard = partition.hard
    if len(hard.weight) == 1:
        return -np.inf
    apart = cdist(hard.means, hard.means)
    np.fill_diagonal(apart, np.inf)
    if not apart.all():
        return -np.inf
    radius = hard.distances / hard.weight
    ratios = (radius[:, None] + radius) / apart
    return -float(ratios.max(axis=1).mean())


Index = Callable[[Partition], float]
INDICES: dict[str, Index] = {
    "xie-beni": xie_beni,
    "partition-coefficient": partition_coefficient,
    "modified-partition-coefficient": modified_partition_coefficient,
    "partition-entropy": partition_entropy,
    "fuzzy-silhouette": fuzzy_silhouette,
    "calinski-harabasz": calinski_harabasz,
    "davies-bouldin": davies_bouldin,
}
