"""One gamma as a function: the paper's Algorithm 2 on its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import Coordinates
from fastcaf.data.sources import ArrayRows
from fastcaf.exceptions import ConvergenceWarning, warn
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.fusion.hierarchy import Tree
from fastcaf.fusion.level import Level
from fastcaf.fusion.start import given_start
from fastcaf.memberships import FuzzyMemberships
from fastcaf.parameters import (
    FUSION_WEIGHTS,
    check_choice,
    check_fuzzifier,
    check_integer,
    check_jobs,
    check_number,
    check_weights,
)
from fastcaf.runtime.threads import thread_limit

__all__ = ["solve_gamma"]


def solve_gamma(
    X: ArrayLike,
    start: ArrayLike,
    gamma: float,
    *,
    fuzzifier: float = 2.0,
    fusion_weights: str = "uniform",
    sample_weight: Any = None,
    max_iter: int = 300,
    tol: float = 1e-5,
    n_jobs: int | None = None,
) -> tuple[Level, NDArray[np.int64]]:
    """Alternate memberships and centroids at one gamma, from given centroids.

    Goes down on

    1/2 sum_ij a_i mu_ij^m ||x_i - u_j||^2 + gamma sum_{k<l} omega_kl ||u_k - u_l||

    in O(n K d) time for a pass over the rows and O(K^2 d) for a sweep over the pairs, with
    O(K^2 d) memory.

    Unlike ``CAFHFCM(gamma=...)``, which follows the path from gamma = 0, the answer depends on
    the start when gamma is large.

    Parameters
    ----------
    X : array-like of shape (n, d)
    start : array-like of shape (K, d)
        Starting centroids, all distinct.
    gamma : float
        Not negative; 0 is fuzzy c-means.
    fuzzifier : float, default=2.0
    fusion_weights : {"uniform", "mass", "neighbours"}, default="uniform"
        All pairs of centroids pull alike, by their weights, or those near each other alone; see
        ``CAFHFCM``.
    sample_weight : array-like of shape (n,), optional
    max_iter : int, default=300
    tol : float, default=1e-5
        Relative change of the objective at which it counts as settled.
    n_jobs : int or None, default=None

    Returns
    -------
    level : Level
        The solution; its centroids are all distinct, as fused ones are one.
    fused : ndarray of shape (K,)
        The centroid into which each starting one went.

    References
    ----------
    Y. Lin and S. Chen, A Centroid Auto-Fused Hierarchical Fuzzy c-Means Clustering,
    arXiv:2004.12756, Algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> from fastcaf import solve_gamma
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> level, fused = solve_gamma(X, [[0.0], [1.0], [10.0]], gamma=0.5)
    >>> level.centroids.round(1).ravel(), fused
    (array([ 0.8, 10.2]), array([0, 0, 1]))
    """
    rows = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X")
    weights = check_weights(sample_weight, rows)
    if len(weights):
        rows, weights = rows[weights > 0], weights[weights > 0]
    gamma = check_number("gamma", gamma, least=0.0)
    weights_of_pairs = check_choice("fusion_weights", fusion_weights, FUSION_WEIGHTS)
    coordinates = Coordinates.of(rows, weights)
    solver = Solver(
        ArrayRows(
            coordinates.to_internal(rows), coordinates.weights_inside(weights, rows.dtype)
        ),
        FuzzyMemberships(check_fuzzifier(fuzzifier)),
        tol=check_number("tol", tol, least=0.0),
        max_iter=check_integer("max_iter", max_iter, least=1),
        fusion_weights=weights_of_pairs,
    )
    places = given_start("start", start, coordinates)
    tree, fused = Tree(len(places)), np.arange(len(places))

    def record(before: FloatArray, labels: NDArray[np.int64]) -> None:
        tree.fuse(inside_gamma, before, labels)
        fused[:] = labels[fused]

    inside_gamma = gamma / coordinates.gamma_unit(weights_of_pairs == "mass")
    with thread_limit(check_jobs(n_jobs)):
        state, settled = solver.settle(solver.start(places), inside_gamma, record)
    if not settled.converged:
        warn(
            f"The objective had not settled to tol={tol} after max_iter={max_iter} "
            "iterations. Raise max_iter or tol.",
            ConvergenceWarning,
        )
    level = Level.of(inside_gamma, state, settled, tree.alive)
    return level.in_user_units(coordinates), fused
