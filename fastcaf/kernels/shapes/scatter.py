"""Scatter of clusters from their sums: around the mean, of two together, as a covariance.

Sums of a cluster (K x (2 + d + m), see ``rows/gaussian.py``) are its weight, a number that is
not used here, then first and second moments around the centroid.  m is d (d + 1) / 2, or 1:
then only the sum of squares is known, and covariances are round.

A feature whose ``blur`` is 0 is constant: it tells nothing, and its variance counts as 1.
"""

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.rows.gaussian import FIRST
from fastcaf.kernels.small_matrices import cholesky


@kernel
def is_round(sums, d):
    """Whether only sums of squares are known."""
    return sums.shape[1] == FIRST + d + 1 and d > 1


@kernel
def moments_around_means(sums, centroids):
    """Weights, means (K x d), and second moments around the means (K x m)."""
    n, d = centroids.shape
    m = sums.shape[1] - FIRST - d
    weight, means, scatter = np.empty(n), np.empty((n, d)), np.empty((n, m))
    for j in range(n):
        w = sums[j, 0]
        weight[j] = w
        share = 1.0 / w if w > 0.0 else 0.0
        for f in range(d):
            means[j, f] = centroids[j, f] + sums[j, FIRST + f] * share
        if m == 1 and d > 1:
            square = sums[j, FIRST + d]
            for f in range(d):
                square -= sums[j, FIRST + f] ** 2 * share
            scatter[j, 0] = max(square, 0.0)
        else:
            k = 0
            for f in range(d):
                for g in range(f + 1):
                    product = sums[j, FIRST + f] * sums[j, FIRST + g] * share
                    scatter[j, k] = sums[j, FIRST + d + k] - product
                    k += 1
    return weight, means, scatter


@kernel
def trace_of(scatter, d):
    """Sum of squares from a row of ``scatter``."""
    if scatter.shape[0] == 1:
        return scatter[0]
    total, k = 0.0, -1
    for f in range(d):
        k += f + 1
        total += scatter[k]
    return total


@kernel
def covariance_of(scatter, weight, blur, prior, strength, out):
    """Lower triangle of (scatter + weight R + strength prior I) / (weight + strength)."""
    k = 0
    for f in range(blur.shape[0]):
        for g in range(f + 1):
            out[f, g] = scatter[k] / (weight + strength)
            k += 1
        if blur[f] > 0.0:
            out[f, f] += (weight * blur[f] + strength * prior) / (weight + strength)
        else:
            for g in range(f):
                out[f, g] = 0.0
            out[f, f] = 1.0


@kernel
def log_determinant(a):
    """Of a positive definite matrix, whose lower triangle is overwritten by its factor."""
    if not cholesky(a):
        return np.inf
    total = 0.0
    for f in range(a.shape[0]):
        total += 2.0 * np.log(a[f, f])
    return total
