"""Sums over rows that add up: those of two sets of rows are those of both together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from fastcaf._typing import FloatArray

__all__ = ["ClusterSums", "PartitionSums", "Sums"]

SomeSums = TypeVar("SomeSums", bound="Sums")


class Sums:
    """A dataclass whose fields are all sums."""

    def __add__(self: SomeSums, other: SomeSums) -> SomeSums:
        names: list[str] = [one.name for one in fields(self)]  # type: ignore[arg-type]
        sums: list[Any] = [getattr(self, name) + getattr(other, name) for name in names]
        return type(self)(*sums)


@dataclass(frozen=True)
class ClusterSums(Sums):
    """Over the rows of each cluster, every row in that of its nearest centroid.

    All are weighted by the row weights; x - u is a row's offset from that centroid.

    Attributes
    ----------
    weight : ndarray of shape (K,)
    ratios : ndarray of shape (K,)
        (Distance to the nearest centroid) / (to the second nearest).
    offsets : ndarray of shape (K, d)
        x - u.
    squares : ndarray of shape (K,)
        ||x - u||^2.
    along : ndarray of shape (K, K)
        The square of the part of x - u along the line to another centroid; 0 for pairs of
        centroids that were not asked for.
    """

    weight: FloatArray
    ratios: FloatArray
    offsets: FloatArray
    squares: FloatArray
    along: FloatArray


@dataclass(frozen=True)
class PartitionSums(Sums):
    """Over the memberships of all rows, and over the rows of each hard cluster.

    A row's hard cluster is that of its largest membership.  a_i are the row weights.

    Attributes
    ----------
    squares, entropy, compactness : float
        Sums of a_i mu_ij^2, of -a_i mu_ij log(mu_ij) and of a_i mu_ij^m d_ij.
    weight : ndarray of shape (K,)
        Of the rows of each hard cluster.
    offsets : ndarray of shape (K, d)
        Weighted sum of those rows, relative to the mean of the centroids.
    """

    squares: float
    entropy: float
    compactness: float
    weight: FloatArray
    offsets: FloatArray
