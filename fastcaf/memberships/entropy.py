"""Entropy memberships: mu_ij proportional to exp(-d_ij / tau), tau scaled by the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.kernels.loop.compiled_loop import ENTROPY, adapted_temperature
from fastcaf.kernels.rows import entropy as entropy_rows
from fastcaf.memberships.base import Statistics
from fastcaf.runtime.threads import PARALLEL_WORK, launch

__all__ = ["EntropyMemberships"]


@dataclass(frozen=True)
class EntropyMemberships:
    """Memberships with light tails: no pull over long distances.

    Large clusters do not drag the centroids of small ones, no centroid idles in the middle
    of everything, and memberships stay crisp in high dimensions.

    Parameters
    ----------
    temperature : float
        tau.  0 gives every row to its nearest centroid; a path begins with that and then
        takes tau = 2 sigma^2 with sigma^2 = mean_i min_j d_ij / d from the last pass.
    n_features : int
        d, the number of features that are not constant.
    """

    # Memberships are crisp everywhere: the confidence tells no ghosts from clusters.
    least_confidence: ClassVar[float] = 0.0
    name: ClassVar[str] = "entropy"
    # The entropy makes them soft, not a power.
    fuzzifier: ClassVar[float] = 1.0
    temperature: float = 0.0
    n_features: int = 1

    adapts: ClassVar[bool] = True

    def adapted(self, statistics: Statistics) -> EntropyMemberships:
        """The model with the temperature that the last pass suggests."""
        spread = statistics.nearest, statistics.mass, self.n_features
        return self.at(adapted_temperature(*spread))

    def suited_to(self, rows: NDArray) -> EntropyMemberships:
        """The model that counts the features of these rows that tell rows apart.

        What is constant, or varies less than the rounding of the largest, does not.
        """
        extent = np.ptp(rows, axis=0)
        least = 64 * np.finfo(rows.dtype).eps * extent.max()
        return replace(self, n_features=max(1, int((extent > least).sum())))

    @property
    def code(self) -> tuple[int, float, int]:
        """Kind, parameter and features, for compiled code."""
        return ENTROPY, self.temperature, self.n_features

    def at(self, parameter: float) -> EntropyMemberships:
        """The model with another temperature."""
        return replace(self, temperature=parameter)

    def statistics(
        self,
        rows: NDArray,
        row_weights: NDArray,
        centroids: FloatArray,
        scatter: NDArray | None = None,
    ) -> Statistics:
        """Sums over ``rows``; see ``MembershipModel``."""
        weight, sums, mass, squares, data_term, nearest = launch(
            entropy_rows.entropy_statistics_serial,
            entropy_rows.entropy_statistics_parallel,
            rows.size * len(centroids) > PARALLEL_WORK,
            np.ascontiguousarray(rows),  # kernels load from memory as it lies
            row_weights,
            row_weights[:0] if scatter is None else scatter,
            centroids,
            self.temperature,
        )
        return Statistics(weight, sums, mass, data_term, squares, nearest)

    def memberships(self, rows: NDArray, centroids: FloatArray) -> NDArray:
        """The memberships themselves, n x K, in the precision of the rows."""
        result: NDArray = launch(
            entropy_rows.entropy_memberships_serial,
            entropy_rows.entropy_memberships_parallel,
            rows.size * len(centroids) > PARALLEL_WORK,
            np.ascontiguousarray(rows),
            centroids,
            self.temperature,
        )
        return result
