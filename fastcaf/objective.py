"""Objective, duality gap and optimality residuals in plain NumPy, to check solvers by.

Nothing here shares a line with the solvers.  Large inputs need memory: n x K and K x K x d.

For given memberships the centroids solve a convex problem, with weights w_j = sum_i mu_ij^m and
means m_j = sum_i mu_ij^m x_i / w_j:

    min_u  1/2 sum_j w_j ||u_j - m_j||^2 + gamma sum_{k<l} omega_kl ||u_k - u_l||

Its dual has a multiplier p_kl for each pair, in the ball of radius gamma omega_kl:

    max_p  - sum_j <s_j, m_j> - 1/2 sum_j ||s_j||^2 / w_j,    s_j = sum_{l != j} p_jl

with p_lk = -p_kl, and u_j = m_j + s_j / w_j at the solution.

Examples
--------
How far a fit is from standing still, as a share of the distance of its two centroids:

>>> import numpy as np
>>> from fastcaf import objective, solve_gamma
>>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
>>> found, _ = solve_gamma(X, [[0.0], [10.0]], gamma=0.5, tol=1e-12)
>>> residuals = objective.optimality_residuals(X, found.centroids, gamma=0.5)
>>> bool((residuals < 1e-5 * np.ptp(found.centroids)).all())
True
>>> bool(np.isclose(objective.objective(X, found.centroids, gamma=0.5), found.objective))
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["centroid_dual", "centroid_primal", "duality_gap", "memberships", "objective"]
__all__ += ["optimality_residuals", "pair_distances", "pair_multipliers", "pair_weights"]

FloatArray = NDArray[np.float64]


def _array(values: ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)


def _squared_distances(X: FloatArray, centroids: FloatArray) -> FloatArray:
    return ((X[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2)


def _bounded(squared: FloatArray, bandwidth: float | None) -> FloatArray:
    """Squared distances in the space of a Gaussian kernel, 2 h^2 (1 - k), if there is one."""
    if bandwidth is None:
        return squared
    return -2.0 * bandwidth**2 * np.expm1(-squared / (2.0 * bandwidth**2))


def memberships(
    X: ArrayLike,
    centroids: ArrayLike,
    fuzzifier: float = 2.0,
    bandwidth: float | None = None,
    noise: float = np.inf,
) -> FloatArray:
    """Memberships of fuzzy c-means: mu_ij proportional to d_ij^(-1/(m-1)).

    Parameters
    ----------
    X : array-like of shape (n, d)
    centroids : array-like of shape (K, d)
    fuzzifier : float
        m > 1.
    bandwidth : float, optional
        h of ``membership="kernel"``: d is 2 h^2 (1 - exp(-||x - u||^2 / (2 h^2))) then.
    noise : float
        Distance of the noise cluster from every row; infinite for none.

    Returns
    -------
    ndarray of shape (n, K)
        Rows on centroids share themselves equally among those.  Rows sum to 1 less what the
        noise cluster holds.

    Examples
    --------
    >>> from fastcaf.objective import memberships
    >>> memberships([[1.0]], [[0.0], [3.0]])
    array([[0.8, 0.2]])
    """
    squared = _bounded(_squared_distances(_array(X), _array(centroids)), bandwidth)
    rest = _bounded(np.full(len(squared), noise**2), bandwidth if noise < np.inf else None)
    squared = np.column_stack([squared, rest])
    nearest = squared.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(squared == nearest, 1.0, nearest / squared)
    shares = ratio ** (1.0 / (fuzzifier - 1.0))
    return np.asarray((shares / shares.sum(axis=1, keepdims=True))[:, :-1])


def pair_weights(pair_mass: ArrayLike | None, n: int) -> FloatArray:
    """Weight of every pair, n x n: p_k p_l / (p_k + p_l) from n masses; a matrix as it is.

    None, or an empty array as levels of uniform weights hold it: 1 for every pair.

    Parameters
    ----------
    pair_mass : array-like of shape (n,) or (n, n), or None
    n : int
        Number of centroids.

    Returns
    -------
    ndarray of shape (n, n)
    """
    given = _array([] if pair_mass is None else pair_mass)
    if given.ndim == 2:
        return given
    if len(given) == 0:
        return np.ones((n, n))
    return np.asarray(1.0 / (1.0 / given[:, None] + 1.0 / given[None, :]))


def pair_distances(centroids: ArrayLike, pair_mass: ArrayLike | None = None) -> float:
    """Sum over the pairs k < l of ||u_k - u_l||, weighted by ``pair_weights``.

    Parameters
    ----------
    centroids : array-like of shape (K, d)
    pair_mass : array-like of shape (K,) or (K, K), optional

    Returns
    -------
    float

    Examples
    --------
    >>> from fastcaf.objective import pair_distances
    >>> pair_distances([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]])
    10.0
    """
    centroids = _array(centroids)
    differences = centroids[:, None, :] - centroids[None, :, :]
    norms = np.sqrt((differences**2).sum(axis=2))
    return float((pair_weights(pair_mass, len(norms)) * norms).sum() / 2.0)


def objective(
    X: ArrayLike,
    centroids: ArrayLike,
    gamma: float,
    *,
    fuzzifier: float = 2.0,
    bandwidth: float | None = None,
    sample_weight: ArrayLike | None = None,
    pair_mass: ArrayLike | None = None,
    noise: float = np.inf,
) -> float:
    """Value of the method's objective, at the best memberships for the centroids.

    1/2 sum_i a_i sum_j mu_ij^m ||x_i - u_j||^2 + gamma sum_{k<l} omega_kl ||u_k - u_l||

    With a noise cluster at the distance delta, 1/2 sum_i a_i (1 - sum_j mu_ij)^m delta^2 more.

    Parameters
    ----------
    X : array-like of shape (n, d)
    centroids : array-like of shape (K, d)
    gamma : float
    fuzzifier : float
    bandwidth : float, optional
        See ``memberships``.
    sample_weight : array-like of shape (n,), optional
    pair_mass : array-like of shape (K,) or (K, K), optional
        See ``pair_weights``.
    noise : float
        delta; infinite for none.

    Returns
    -------
    float
    """
    X, centroids = _array(X), _array(centroids)
    mu = memberships(X, centroids, fuzzifier, bandwidth, noise)
    squared = _bounded(_squared_distances(X, centroids), bandwidth)
    costs = (mu**fuzzifier * squared).sum(axis=1)
    if noise < np.inf:
        rest = np.maximum(1.0 - mu.sum(axis=1), 0.0)
        costs += rest**fuzzifier * _bounded(np.square([noise]), bandwidth)
    weights = np.ones(len(X)) if sample_weight is None else _array(sample_weight)
    return float(0.5 * weights @ costs) + gamma * pair_distances(centroids, pair_mass)


def centroid_primal(
    weight: ArrayLike,
    means: ArrayLike,
    gamma: float,
    centroids: ArrayLike,
    pair_mass: ArrayLike | None = None,
) -> float:
    """1/2 sum_j w_j ||u_j - m_j||^2 + gamma sum_{k<l} omega_kl ||u_k - u_l||.

    Parameters
    ----------
    weight : array-like of shape (K,)
    means : array-like of shape (K, d)
    gamma : float
    centroids : array-like of shape (K, d)
    pair_mass : array-like of shape (K,) or (K, K), optional
        See ``pair_weights``.

    Returns
    -------
    float
    """
    centroids = _array(centroids)
    squares = ((centroids - _array(means)) ** 2).sum(axis=1)
    return float(0.5 * _array(weight) @ squares) + gamma * pair_distances(centroids, pair_mass)


def pair_multipliers(multipliers: ArrayLike, n: int) -> FloatArray:
    """Packed multipliers as an antisymmetric array: [k, l] is that of u_k - u_l.

    Parameters
    ----------
    multipliers : array-like of shape (d n (n - 1) / 2,)
        For k = 0, 1, ... a d x (n-1-k) block with the pairs (k, k+1), (k, k+2), ...
    n : int
        Number of centroids.

    Returns
    -------
    ndarray of shape (n, n, d)
    """
    packed = _array(multipliers)
    d = len(packed) // max(1, n * (n - 1) // 2)
    full = np.zeros((n, n, d))
    offset = 0
    for k in range(n - 1):
        size = d * (n - 1 - k)
        full[k, k + 1 :] = packed[offset : offset + size].reshape(d, -1).T
        offset += size
    return full - full.transpose(1, 0, 2)


def centroid_dual(
    weight: ArrayLike,
    means: ArrayLike,
    gamma: float,
    multipliers: ArrayLike,
    pair_mass: ArrayLike | None = None,
) -> float:
    """Dual value of the centroid problem; a lower bound of every primal value.

    Multipliers outside the ball of radius gamma omega_kl are not feasible: -inf.

    Parameters
    ----------
    weight : array-like of shape (K,)
    means : array-like of shape (K, d)
    gamma : float
    multipliers : array-like of shape (d K (K - 1) / 2,)
        Packed; see ``pair_multipliers``.
    pair_mass : array-like of shape (K,) or (K, K), optional
        See ``pair_weights``.

    Returns
    -------
    float
    """
    weight, means = _array(weight), _array(means)
    full = pair_multipliers(multipliers, len(weight))
    radius = gamma * pair_weights(pair_mass, len(weight))
    if (np.sqrt((full**2).sum(axis=2)) > radius * (1.0 + 1e-12)).any():
        return -np.inf
    pulls = full.sum(axis=1)
    return float(-(pulls * means).sum() - 0.5 * ((pulls**2).sum(axis=1) / weight).sum())


def duality_gap(
    weight: ArrayLike,
    means: ArrayLike,
    gamma: float,
    centroids: ArrayLike,
    multipliers: ArrayLike,
    pair_mass: ArrayLike | None = None,
) -> float:
    """Relative duality gap, (primal - dual) / primal: a bound on the error of the primal.

    Parameters
    ----------
    weight : array-like of shape (K,)
    means : array-like of shape (K, d)
    gamma : float
    centroids : array-like of shape (K, d)
    multipliers : array-like of shape (d K (K - 1) / 2,)
        Packed; see ``pair_multipliers``.
    pair_mass : array-like of shape (K,) or (K, K), optional
        See ``pair_weights``.

    Returns
    -------
    float

    Examples
    --------
    Two centroids of weight 1, ten apart, pulled by gamma = 2: each moves by 2.

    >>> from fastcaf.objective import duality_gap
    >>> duality_gap([1, 1], [[0.0], [10.0]], 2.0, [[2.0], [8.0]], multipliers=[2.0])
    0.0
    """
    primal = centroid_primal(weight, means, gamma, centroids, pair_mass)
    dual = centroid_dual(weight, means, gamma, multipliers, pair_mass)
    return (primal - dual) / primal if primal > 0.0 else primal - dual


def optimality_residuals(
    X: ArrayLike,
    centroids: ArrayLike,
    gamma: float,
    *,
    fuzzifier: float = 2.0,
    sample_weight: ArrayLike | None = None,
    pair_mass: ArrayLike | None = None,
) -> FloatArray:
    """How far each centroid is from standing still, as a distance.

    At a stationary point with distinct centroids every pull cancels:
    w_j (u_j - m_j) + gamma sum_{l != j} omega_jl (u_j - u_l) / ||u_j - u_l|| = 0.

    Parameters
    ----------
    X : array-like of shape (n, d)
    centroids : array-like of shape (K, d)
        All distinct.
    gamma : float
    fuzzifier : float
    sample_weight : array-like of shape (n,), optional
    pair_mass : array-like of shape (K,) or (K, K), optional
        See ``pair_weights``.

    Returns
    -------
    ndarray of shape (K,)
        Norm of the pull on each centroid, divided by its weight w_j.
    """
    X, centroids = _array(X), _array(centroids)
    weights = np.ones(len(X)) if sample_weight is None else _array(sample_weight)
    held = memberships(X, centroids, fuzzifier) ** fuzzifier * weights[:, None]
    weight = held.sum(axis=0)
    force = weight[:, None] * centroids - held.T @ X
    differences = centroids[:, None, :] - centroids[None, :, :]
    norms = np.sqrt((differences**2).sum(axis=2, keepdims=True))
    np.divide(differences, norms, out=differences, where=norms > 0.0)
    omega = pair_weights(pair_mass, len(weight))
    force += gamma * (omega[:, :, None] * differences).sum(axis=1)
    return np.asarray(np.linalg.norm(force, axis=1) / weight)
