"""Kernel memberships: those of fuzzy c-means for distances that are bounded by a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.kernels.rows import kernel as kernels
from fastcaf.memberships.facts import RowFacts
from fastcaf.memberships.fcm import FuzzyMemberships, fuzzifier_for
from fastcaf.memberships.noise import OFF, check_noise_term, marked, unmarked
from fastcaf.parameters import check_bandwidth, check_fuzzifier

__all__ = ["KernelMemberships"]

# Bandwidths beyond these, in internal coordinates, where rows span about 1, mean the same:
# every row its own island, or plain fuzzy c-means.  Their squares are far within float32.
NARROWEST, WIDEST = 1e-12, 1e6


@dataclass(frozen=True)
class KernelMemberships(FuzzyMemberships):
    """Gaussian kernel fuzzy c-means with centroids in the space of the rows.

    In the place of d = ||x - u||^2 stands 2 h^2 (1 - exp(-d / (2 h^2))), which grows like d
    near a centroid and levels off beyond the bandwidth h: what lies far from all centroids
    belongs to all alike and pulls at none.

    Parameters
    ----------
    fuzzifier : float
        m > 1.
    bandwidth : float
        h, in internal coordinates.
    """

    bandwidth: float = 1.0

    name: ClassVar[str] = "kernel"
    sum_kernels = (kernels.kernel_statistics_serial, kernels.kernel_statistics_parallel)
    membership_kernels = (
        kernels.kernel_memberships_serial,
        kernels.kernel_memberships_parallel,
    )

    @property
    def parameters(self) -> FloatArray:
        """Fuzzifier and bandwidth, and the noise where there is some."""
        return marked([self.fuzzifier, self.bandwidth], self.noise)

    @classmethod
    def from_parameters(cls, parameters: FloatArray) -> KernelMemberships:
        """The model with this fuzzifier and bandwidth."""
        parameters, noise = unmarked(parameters)
        fuzzifier, bandwidth = parameters.tolist()
        return cls(
            check_fuzzifier(fuzzifier),
            check_noise_term(noise, above=0.0),
            bandwidth=check_bandwidth(bandwidth),
        )

    @classmethod
    def from_options(cls, options: Mapping[str, Any], rows: RowFacts) -> KernelMemberships:
        """The model with the estimator's ``fuzzifier`` and ``bandwidth``.

        "auto" is the root of half the total variance.
        """
        bandwidth = options["bandwidth"]
        if isinstance(bandwidth, str):
            inside = float(np.sqrt(0.5 * rows.total_variance)) or 1.0
        else:
            inside = check_bandwidth(bandwidth) / rows.scale
        inside = float(np.clip(inside, NARROWEST, WIDEST))
        return cls(fuzzifier_for(options["fuzzifier"], rows), bandwidth=inside)

    @property
    def compiled(self) -> None:
        """Not known to the compiled loop: all who never use it would wait for its kernel."""
        return None

    @property
    def kernel_parameters(self) -> tuple[FloatArray]:
        """The power, 2 h^2, and the noise's distance as the kernel bounds it."""
        width, noise = 2.0 * self.bandwidth**2, self.noise
        if noise < OFF:
            noise = -width * np.expm1(-noise / width)
        return (np.array([self.power, width, noise]),)
