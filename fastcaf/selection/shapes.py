"""The four models of clusters' covariances, by name, and a mixture with one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.kernels.shapes.covariances import covariances_of_model
from fastcaf.memberships.gaussian import (
    FullGaussian,
    GaussianMemberships,
    SphericalGaussian,
)

__all__ = ["FULL", "SHAPES", "Shape", "mixture_of"]


@dataclass(frozen=True)
class Shape:
    """A model of the covariances of all clusters.

    Attributes
    ----------
    covariance_type : str
        As scikit-learn's mixtures have it, with "tied spherical" added.
    words : str
        For people.
    is_round, is_tied : bool
        A number in place of a matrix; one for all clusters.
    """

    covariance_type: str
    words: str
    is_round: bool
    is_tied: bool

    def n_parameters(self, n_clusters: int, n_features: int) -> float:
        """Of the whole model: shares, means and covariances."""
        each = 1 if self.is_round else n_features * (n_features + 1) // 2
        covariances = each if self.is_tied else each * n_clusters
        return n_clusters - 1.0 + n_clusters * n_features + covariances

    def price(self, weight: FloatArray, n_features: int) -> float:
        """Of its parameters, in nats: log(n) / 2 each.

        A cluster's own covariance is known from its own rows only, and n counts those there.
        """
        n, n_clusters = float(weight.sum()), len(weight)
        each = 1 if self.is_round else n_features * (n_features + 1) // 2
        shared = n_clusters - 1.0 + n_clusters * n_features + (each if self.is_tied else 0)
        own = 0.0 if self.is_tied else float(each * np.log(np.maximum(weight, 2.0)).sum())
        return 0.5 * (shared * np.log(n) + own)


# In the order of ``kernels/shapes/completed_likelihood.py``.
SHAPES = (
    Shape("tied spherical", "round, of equal spread", True, True),
    Shape("spherical", "round, of unequal spread", True, False),
    Shape("tied", "elongated, all alike", False, True),
    Shape("full", "each of its own shape", False, False),
)
FULL = len(SHAPES) - 1


def mixture_of(
    shape: int,
    weight: FloatArray,
    means: FloatArray,
    scatter: FloatArray,
    blur: FloatArray,
    n_features: int,
    moments: FloatArray,
    one_row: float,
) -> GaussianMemberships:
    """The mixture of that shape for clusters with this weight, means and scatter around them.

    ``moments``: of all rows, a triangle, for one matrix where the clusters' own are not known.
    ``one_row``: what a row weighs where the mixture is to be used.
    """
    model = SHAPES[shape]
    shares = weight / weight.sum()
    d = len(blur)
    if model.is_round or scatter.shape[1] > 1 or d == 1:
        covariances = covariances_of_model(shape, weight, scatter, blur, float(n_features))
    else:
        between = np.einsum("j,jf,jg->fg", weight, means, means)[np.tril_indices(d)]
        pooled = ((moments - between) / weight.sum())[None]
        diagonal = np.cumsum(np.arange(1, d + 1)) - 1
        pooled[0, diagonal] += np.where(blur > 0.0, blur, 1.0)
        covariances = np.repeat(pooled, len(weight), axis=0)
    kind = SphericalGaussian if model.is_round else FullGaussian
    strength = 0.0 if model.is_tied else (1.0 if model.is_round else d + 2.0)
    return kind(
        covariances,
        shares,
        blur,
        n_features,
        strength=strength * one_row,
        share_of_scale=1.0 if model.is_round else 0.1,
        tied=model.is_tied,
    )
