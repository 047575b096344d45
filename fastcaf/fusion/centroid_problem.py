"""The centroid problem: means and their weights in, fused centroids out.

    min over U   1/2 sum_j w_j ||u_j - m_j||^2 + gamma sum_{k<l} omega_kl ||u_k - u_l||

or with matrices, 1/2 sum_j (u_j - m_j)^T A_j (u_j - m_j), where clusters have shapes.

The weights of the pairs (``pair_weights.py``) are 1 (``UNIFORM``), follow from a mass for each
centroid, omega_kl = p_k p_l / (p_k + p_l), or are given, K^2 of them.  Two centroids
alone with p = w fuse from gamma = ||m_k - m_l|| on: gamma is a distance then.

``solve_centroids`` solves it on its own; the iteration of a level calls the same kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.fusion.pair_weights import UNIFORM
from fastcaf.kernels.pairs import admm
from fastcaf.kernels.pairs.matrix_weights import MatrixWeights, no_matrices
from fastcaf.kernels.pairs.merge import merge_fused
from fastcaf.kernels.pairs.problem import weighted_distances
from fastcaf.runtime.threads import launch

__all__ = [
    "UNIFORM",
    "CentroidSolution",
    "fusion_gamma_of_two",
    "merge",
    "most_sweeps",
    "no_multipliers",
    "pair_distances",
    "solve_centroids",
]


@dataclass(slots=True)
class CentroidSolution:
    """Answer to one centroid problem.

    Attributes
    ----------
    centroids : ndarray of shape (K, d)
        Fused ones are equal to the bit.
    multipliers : ndarray of shape (d K (K - 1) / 2,)
        Dual solution and warm start of the next problem: for k = 0, 1, ... a block
        d x (K-1-k) with the pairs (k, k+1), (k, k+2), ...
    labels : ndarray of shape (K,)
        The set of fused centroids each belongs to, numbered by its lowest member.
    n_sets : int
        How many sets there are.
    duality_gap : float
        Certified relative error of the objective: (primal - dual) / primal.
    n_sweeps : int
        Passes over the pairs.
    pair_distances : float
        Sum of omega_kl ||u_k - u_l|| over the pairs.
    """

    centroids: FloatArray
    multipliers: FloatArray
    labels: NDArray[np.int64]
    n_sets: int
    duality_gap: float
    n_sweeps: int
    pair_distances: float


def no_multipliers(n_centroids: int, n_features: int) -> FloatArray:
    """Multipliers of a cold start."""
    return np.zeros(n_features * n_centroids * (n_centroids - 1) // 2)


def pair_distances(centroids: FloatArray, pair_mass: FloatArray) -> float:
    """Sum of omega_kl ||u_k - u_l|| over the pairs."""
    return float(weighted_distances(centroids.T.copy(), pair_mass))


def fusion_gamma_of_two(distance: Any, weight: Any, other: Any) -> Any:
    """Gamma = ||m_1 - m_2|| / (1/w_1 + 1/w_2): two centroids alone are fused from it on.

    Below it each moves by gamma / w_j towards the other.  Numbers or arrays; where the pair has
    a weight omega, the weights to give are w_1 / omega and w_2 / omega.
    """
    return distance / (1.0 / weight + 1.0 / other)


def most_sweeps(n_centroids: int) -> int:
    """Bound on the passes over the pairs, for one level: 10,000, and more for few pairs.

    Half of all levels take 9 or fewer and 1 in 1,000 takes 39,000.  Two centroids with pairs
    weighed by mass were seen to take 840,000, which is a second.
    """
    return max(10_000, 4_000_000 // n_centroids**2)


def solve_centroids(
    weight: FloatArray,
    means: FloatArray,
    gamma: float,
    start: FloatArray,
    multipliers: FloatArray,
    *,
    pair_mass: FloatArray = UNIFORM,
    tolerance: float = 1e-6,
    fusion_tolerance: float = 1e-6,
    max_sweeps: int | None = None,
) -> CentroidSolution:
    """Solve the centroid problem to a relative duality gap.

    Parameters
    ----------
    weight : ndarray of shape (K,) or (K, d, d)
        Positive numbers w_j, or positive definite matrices A_j in their place.
    means : ndarray of shape (K, d)
    gamma : float
        Positive.
    start, multipliers : ndarrays of shape (K, d) and (d K (K - 1) / 2,)
        Warm start: the last solution, whatever its gamma and pair masses.
    pair_mass : ndarray of shape (K,), (K^2,) or empty
        Positive masses that give the pairs their weights; or these, row by row, of which
        any may be 0; empty for weights of 1.
    tolerance : float
        Relative duality gap to reach.
    fusion_tolerance : float
        Centroids fuse only where the fused answer has a relative gap this small.
    max_sweeps : int, optional
        Bound on the passes over the pairs (default: ``most_sweeps``);
        ``duality_gap`` tells how far they led.

    Returns
    -------
    CentroidSolution
    """
    if max_sweeps is None:
        max_sweeps = most_sweeps(len(means))
    centroids = start.T.copy()
    multipliers = multipliers.copy()
    matrices = no_matrices()
    if weight.ndim == 3:
        inverse = np.linalg.inv(weight)
        matrices = MatrixWeights(weight, inverse, np.einsum("jfg,jg->jf", weight, means))
        weight = 1.0 / np.einsum("jff->j", inverse)  # no eigenvalue is smaller
    labels, n_sets, gap, n_sweeps, pair_distances = launch(
        admm.admm_serial,
        admm.admm_parallel,
        len(means) >= admm.PARALLEL_CENTROIDS,
        weight,
        matrices,
        means.T.copy(),
        gamma,
        pair_mass,
        centroids,
        multipliers,
        tolerance,
        fusion_tolerance,
        max_sweeps,
    )
    return CentroidSolution(
        centroids.T.copy(), multipliers, labels, n_sets, gap, n_sweeps, pair_distances
    )


def merge(
    centroids: FloatArray, multipliers: FloatArray, labels: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray]:
    """One centroid for each label, and the averaged multipliers between them.

    Centroids with a negative label are dropped.
    """
    kept, first = np.unique(labels, return_index=True)
    first = first[kept >= 0]
    d = centroids.shape[1]
    return centroids[first], merge_fused(multipliers, labels, len(first), d)
