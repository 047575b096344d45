"""Gaussian memberships: a covariance and a share of the rows for every cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.kernels.loop.gaussian import factorise
from fastcaf.kernels.rows import gaussian as kernels
from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.noise import OFF, Noise, check_noise_term, marked, unmarked
from fastcaf.runtime.threads import PARALLEL_WORK, before_first_kernel, launch

__all__ = ["FullGaussian", "GaussianMemberships", "SphericalGaussian", "packed", "unpacked"]


# Fewer rows than features and one have a singular covariance, which the prior mends: in many
# dimensions this many rows are a cluster all the same.
MOST_LEAST_ROWS = 10.0


def packed(matrices: FloatArray) -> FloatArray:
    """Lower triangles, row after row: K x d (d + 1) / 2."""
    rows, columns = np.tril_indices(matrices.shape[-1])
    return np.ascontiguousarray(matrices[:, rows, columns])


def unpacked(triangles: FloatArray, d: int) -> FloatArray:
    """Symmetric matrices, K x d x d, from their lower triangles."""
    rows, columns = np.tril_indices(d)
    matrices = np.empty((len(triangles), d, d))
    matrices[:, rows, columns] = triangles
    matrices[:, columns, rows] = triangles
    return matrices


@dataclass(frozen=True, eq=False)
class GaussianMemberships(MembershipModel):
    """Memberships mu_ij ~ pi_j N(x_i; u_j, S_j), those of a Gaussian mixture.

    Parameters
    ----------
    covariances : ndarray of shape (K, m)
        Lower triangles row after row, m = d (d + 1) / 2; or variances, m = 1.
    shares : ndarray of shape (K,)
        pi, which sum to 1.
    blur : ndarray of shape (d,)
        What the resolution of the data adds to the variance of each feature; 0 for constant
        ones.
    n_features : int
        Features that are not constant.
    scale, strength : float
        s2 and nu of the prior: nu rows of variance s2 in every direction.  A strength of 0 is
        none.
    tied : bool
        Whether all clusters have the same covariance.
    share_of_scale : float
        The prior's variance as a share of that within clusters.
    noise : float
        Energy of the background (``kernels/rows/gaussian.py``).
    noise_rule : Noise or None
    """

    covariances: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    shares: FloatArray = field(default_factory=lambda: np.empty(0))
    blur: FloatArray = field(default_factory=lambda: np.empty(0))
    n_features: int = 1
    scale: float = 0.0
    strength: float = 0.0
    tied: bool = False
    share_of_scale: float = 1.0
    noise: float = OFF
    noise_rule: Noise | None = None

    is_likelihood: ClassVar[bool] = True
    has_noise: ClassVar[bool] = True
    is_round: ClassVar[bool]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianMemberships) or type(self) is not type(other):
            return NotImplemented
        pairs = [(self.parameters, other.parameters)]
        pairs += [(one, other.arrays[name]) for name, one in self.arrays.items()]
        return all(np.array_equal(one, another) for one, another in pairs)

    __hash__ = None  # type: ignore[assignment]

    @property
    def fuzzifier(self) -> float:
        """1: memberships are probabilities."""
        return 1.0

    @property
    def parameters(self) -> FloatArray:
        """Prior, number of features, resolution."""
        numbers = [self.scale, self.strength, float(self.n_features), float(self.tied)]
        return marked([*numbers, self.share_of_scale, *self.blur], self.noise)

    @classmethod
    def from_parameters(cls, parameters: FloatArray) -> GaussianMemberships:
        """The model with this prior and resolution; arrays come by ``with_arrays``."""
        parameters, noise = unmarked(parameters)
        scale, strength, n_features, tied, share = parameters[:5].tolist()
        blur = np.array(parameters[5:])
        if not (0.0 <= scale < np.inf and 0.0 <= strength < np.inf):
            raise ValueError(f"a prior of {strength} rows with variance {scale} cannot be")
        if not (1.0 <= n_features <= max(1, len(blur)) and n_features.is_integer()):
            raise ValueError(f"{n_features} of {len(blur)} features cannot be")
        if not ((blur >= 0.0) & (blur < np.inf)).all():
            raise ValueError("a resolution cannot be negative")
        if tied not in (0.0, 1.0):
            raise ValueError(f"a covariance is tied or not, and not {tied}")
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a share of {share} cannot be")
        return cls(
            blur=blur,
            n_features=int(n_features),
            scale=scale,
            strength=strength,
            tied=bool(tied),
            share_of_scale=share,
            noise=check_noise_term(noise),
        )

    @property
    def arrays(self) -> dict[str, FloatArray]:
        """Covariances and shares."""
        return {"covariances": self.covariances, "shares": self.shares}

    def with_arrays(self, arrays: Mapping[str, FloatArray]) -> GaussianMemberships:
        """The model with other covariances and shares."""
        covariances, shares = arrays["covariances"], arrays["shares"]
        return replace(self, covariances=covariances, shares=shares)

    def ordered(self, order: NDArray[np.intp]) -> GaussianMemberships:
        """The model for the clusters in another order, or for some of them."""
        shares = self.shares[order]
        return replace(self, covariances=self.covariances[order], shares=shares / shares.sum())

    def merged(
        self, labels: NDArray[np.int64], weight: FloatArray, centroids: FloatArray
    ) -> GaussianMemberships:
        """Clusters of equal label are one, with the second moment of its parts."""
        member = (labels == np.arange(labels.max() + 1)[:, None]).astype(np.float64)
        held = member * np.maximum(weight, np.finfo(np.float64).tiny)
        held /= held.sum(axis=1, keepdims=True)
        offsets = centroids - (held @ centroids)[np.maximum(labels, 0)]
        if self.is_round:
            squares = (offsets**2).sum(axis=1, keepdims=True) / self.n_features
        else:
            squares = packed(np.einsum("jf,jg->jfg", offsets, offsets))
        shares = member @ self.shares
        return replace(
            self, covariances=held @ (self.covariances + squares), shares=shares / shares.sum()
        )

    def with_background(self, share: float) -> GaussianMemberships:
        """The model with the background that its rule asks for, with this share of the rows.

        As dense as a typical component is at the distance delta; itself without a rule.
        """
        if self.noise_rule is None:
            return self
        typical = float(self.shares @ self.prepared[1][:, 0])
        reach = self.noise_rule.reach(self._mean_variance(), typical, share)
        return replace(self, noise=typical + reach)

    def _mean_variance(self) -> float:
        """Of a feature within a component, over all of them."""
        if self.is_round or len(self.blur) == 1:
            return float(self.shares @ self.covariances[:, 0])
        diagonal = self.covariances[:, np.cumsum(np.arange(1, len(self.blur) + 1)) - 1]
        return float(self.shares @ diagonal[:, self.blur > 0.0].sum(axis=1)) / self.n_features

    def at_level(self, statistics: Statistics) -> GaussianMemberships:
        """The model with the prior's scale of these sums: the variance within clusters."""
        d = len(self.blur)
        weight = np.maximum(statistics.weight, np.finfo(np.float64).tiny)
        offset = statistics.offsets
        squares = (
            statistics.moments[:, 0]
            if self.is_round or d == 1
            else statistics.moments[:, np.cumsum(np.arange(1, d + 1)) - 1].sum(axis=1)
        )
        within = float((squares - (offset**2).sum(axis=1) / weight).sum())
        within = max(within, 0.0) / (float(weight.sum()) * self.n_features)
        variance = within + float(self.blur.sum()) / self.n_features
        return replace(self, scale=self.share_of_scale * variance)

    @property
    def least_rows(self) -> float:
        """One more than features: fewer rows have no covariance."""
        return min(self.n_features + 1.0, MOST_LEAST_ROWS)

    @property
    def own_term(self) -> float:
        """The prior's part of the objective."""
        if self.strength == 0.0:
            return 0.0
        _, _, logarithms, traces = self.prepared
        return 0.5 * self.strength * (logarithms + self.scale * traces)

    @property
    def prepared(self) -> tuple[FloatArray, FloatArray, float, float]:
        """Factors and constants for the kernels, sum of log|S_j| and of tr S_j^-1."""
        before_first_kernel()
        factors = np.empty_like(self.covariances)
        constants = np.empty((len(factors), 2))
        logarithms, traces = factorise(
            self.covariances, self.shares, self.blur, float(self.n_features), factors, constants
        )
        return factors, constants, logarithms, traces

    def statistics(
        self,
        rows: NDArray,
        row_weights: NDArray,
        centroids: FloatArray,
        scatter: NDArray | None = None,
    ) -> Statistics:
        """Sums over the rows."""
        scatter = row_weights[:0] if scatter is None else scatter
        factors, constants, _, _ = self.prepared
        return self.pass_over(rows, row_weights, scatter, centroids, factors, constants)

    def pass_over(
        self,
        rows: NDArray,
        row_weights: NDArray,
        scatter: NDArray,
        centroids: FloatArray,
        factors: FloatArray,
        constants: FloatArray,
    ) -> Statistics:
        """Sums over the rows, with factors and constants at hand."""
        sums, term = self._launch_pass(
            (kernels.gaussian_statistics_serial, kernels.gaussian_statistics_parallel),
            rows,
            (row_weights, scatter),
            (centroids, factors, constants, self.noise),
        )
        n_rows = float(row_weights.sum(dtype=np.float64)) if len(row_weights) else len(rows)
        return self.statistics_of(sums, term, centroids, n_rows)

    def statistics_of(
        self, sums: FloatArray, term: float, centroids: FloatArray, total: float
    ) -> Statistics:
        """From what the kernels return for rows of this total weight."""
        d = centroids.shape[1]
        weight = sums[:, 0]
        offsets = sums[:, kernels.FIRST : kernels.FIRST + d]
        total = float(weight.sum()) if self.noise == OFF else total
        constant = 0.5 * self.n_features * np.log(2.0 * np.pi) * total
        return Statistics(
            weight,
            weight[:, None] * centroids + offsets,
            weight,
            term + constant,
            sums[:, 1],
            offsets=offsets,
            moments=sums[:, kernels.FIRST + d :],
        )

    def memberships(self, rows: NDArray, centroids: FloatArray) -> NDArray:
        """The memberships themselves, n x K, in the precision of the rows."""
        factors, constants, _, _ = self.prepared
        result: NDArray = self._launch_pass(
            (kernels.gaussian_memberships_serial, kernels.gaussian_memberships_parallel),
            rows,
            (),
            (centroids, factors, constants, self.noise),
        )
        return result

    def labels(self, rows: NDArray, centroids: FloatArray) -> NDArray[np.int32]:
        """The most likely cluster of every row; -1 where the background is more likely."""
        factors, constants, _, _ = self.prepared
        result: NDArray[np.int32] = self._launch_pass(
            (kernels.classify_serial, kernels.classify_parallel),
            rows,
            (),
            (centroids, factors, constants, self.noise),
        )
        return result

    def _launch_pass(self, both: Any, rows: NDArray, own: Any, components: Any) -> Any:
        is_large = len(rows) * components[1].size > PARALLEL_WORK
        return launch(*both, is_large, np.ascontiguousarray(rows), *own, *components)

    def in_user_units(
        self, objective: Any, n_clusters: Any, weight: float, scale: float, unit: float
    ) -> Any:
        """Objectives in the user's units: densities become those of the user's rows."""
        counted = weight + self.strength * n_clusters
        return unit * (objective + self.n_features * np.log(scale) * counted)

    @property
    def matrices(self) -> FloatArray:
        """The covariances as K x d x d."""
        d = len(self.blur)
        if self.is_round:
            return self.covariances[:, :1, None] * np.eye(d)
        return unpacked(self.covariances, d)


@dataclass(frozen=True, eq=False)
class FullGaussian(GaussianMemberships):
    """A full covariance for each cluster: clusters of any Gaussian shape."""

    name: ClassVar[str] = "full"
    is_round: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class SphericalGaussian(GaussianMemberships):
    """A variance for each cluster: round clusters of unequal spread and size."""

    name: ClassVar[str] = "spherical"
    is_round: ClassVar[bool] = True
