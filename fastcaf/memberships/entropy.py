"""Entropy memberships: mu_ij proportional to exp(-d_ij / tau), tau scaled by the data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.kernels.loop.compiled_loop import ENTROPY, adapted_temperature
from fastcaf.kernels.rows import entropy as kernels
from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.facts import count_varying
from fastcaf.memberships.noise import (
    OFF,
    Noise,
    check_noise_term,
    marked,
    unmarked,
)

__all__ = ["EntropyMemberships"]


@dataclass(frozen=True)
class EntropyMemberships(MembershipModel):
    """Memberships with light tails: distant rows have no influence.

    Large clusters do not drag the centroids of small ones, no centroid idles in the middle
    of everything, and memberships stay crisp in high dimensions.  For that reason their
    confidence cannot tell spurious centroids from clusters.

    Parameters
    ----------
    temperature : float
        tau.  0 gives every row to its nearest centroid; a path begins with that and then
        takes tau = 2 sigma^2 with sigma^2 = mean_i min_j d_ij / d from the last pass.
    n_features : int
        d, the number of features that are not constant.
    scales : tuple of float
        Distances are those of features divided by these; empty: of the features as they are.
    noise : float
        delta^2 of the noise cluster, in those features.
    noise_rule : Noise or None
    """

    temperature: float = 0.0
    n_features: int = 1
    scales: tuple[float, ...] = ()
    noise: float = OFF
    noise_rule: Noise | None = field(default=None, compare=False)

    name: ClassVar[str] = "entropy"
    sum_kernels = (kernels.entropy_statistics_serial, kernels.entropy_statistics_parallel)
    membership_kernels = (
        kernels.entropy_memberships_serial,
        kernels.entropy_memberships_parallel,
    )
    adapts: ClassVar[bool] = True
    has_noise: ClassVar[bool] = True

    @property
    def fuzzifier(self) -> float:
        """1: the entropy makes memberships soft, not a power."""
        return 1.0

    @property
    def parameters(self) -> FloatArray:
        """Temperature, number of features, their scales, and the noise where there is some."""
        return marked([self.temperature, self.n_features, *self.scales], self.noise)

    @classmethod
    def from_parameters(cls, parameters: FloatArray) -> EntropyMemberships:
        """The model with this temperature and number of features."""
        parameters, noise = unmarked(parameters)
        temperature, n_features, *scales = parameters.tolist()
        if not 0.0 <= temperature < np.inf:
            raise ValueError(f"a temperature of {temperature} cannot be")
        if not (n_features >= 1.0 and n_features.is_integer()):
            raise ValueError(f"{n_features} features cannot be")
        if not all(0.0 < one < np.inf for one in scales):
            raise ValueError("scales of features must be positive")
        noise = check_noise_term(noise, above=0.0)
        return cls(temperature, int(n_features), tuple(scales), noise)

    def adapted(self, statistics: Statistics) -> EntropyMemberships:
        """The model with the temperature that the last pass suggests."""
        temperature = adapted_temperature(
            statistics.nearest, statistics.mass, float(self.n_features)
        )
        return replace(self, temperature=temperature)

    @property
    def hard(self) -> EntropyMemberships:
        """The same at temperature 0: rows go to the nearest centroid, or to the noise."""
        return replace(self, temperature=0.0)

    def suited_to(self, extent: NDArray) -> EntropyMemberships:
        """The model that counts the features that tell rows apart."""
        return replace(self, n_features=count_varying(extent))

    @property
    def compiled(self) -> tuple[int, FloatArray] | None:
        """Kind and parameters for the compiled loop."""
        numbers = np.array([self.temperature, self.n_features, self.noise], dtype=np.float64)
        return None if self.scales else (ENTROPY, numbers)

    def with_compiled(self, parameters: FloatArray) -> EntropyMemberships:
        """The model with the temperature that the compiled loop ended with."""
        return replace(self, temperature=float(parameters[0]))

    def _scaled(self, values: NDArray) -> NDArray:
        """Rows or centroids in the features that distances are taken in."""
        return values / np.array(self.scales, dtype=values.dtype) if self.scales else values

    def statistics(
        self,
        rows: NDArray,
        row_weights: NDArray,
        centroids: FloatArray,
        scatter: NDArray | None = None,
    ) -> Statistics:
        """Sums over the rows."""
        rows, centroids = self._scaled(rows), self._scaled(centroids)
        found = super().statistics(rows, row_weights, centroids, scatter)
        return replace(found, sums=found.sums * self.scales) if self.scales else found

    def memberships(self, rows: NDArray, centroids: FloatArray) -> NDArray:
        """The memberships themselves, n x K."""
        return super().memberships(self._scaled(rows), self._scaled(centroids))

    def nearest(
        self, rows: NDArray, centroids: FloatArray
    ) -> tuple[NDArray[np.int32], NDArray, NDArray]:
        """By distances in the features that they are taken in."""
        return super().nearest(self._scaled(rows), self._scaled(centroids))

    @property
    def kernel_parameter(self) -> float:
        """The temperature."""
        return self.temperature
