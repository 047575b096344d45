"""The completed likelihood of a partition under four models of its clusters' covariances.

    sum_i log( pi_{z_i} N(x_i; m_{z_i}, S_{z_i}) ),   z_i the cluster of row i, pi_j = n_j / n

from the sums of the clusters alone.  The models, in the order of the answer: one variance for
all; a variance each; one matrix for all; a matrix each.  Small clusters have a prior of few
rows with the variance of all (``ROUND_ROWS``), or of d + 2 rows with a tenth of it
(``PRIOR_SHARE``), so that none is infinitely likely.
"""

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.shapes.scatter import (
    covariance_of,
    log_determinant,
    moments_around_means,
    trace_of,
)
from fastcaf.kernels.small_matrices import invert_triangle

MODELS = 4
ROUND_ROWS = 1.0
PRIOR_SHARE = 0.1


@kernel
def _trace_of_product(factor, scatter, weight, blur):
    """tr(S^-1 C), with W = L^-1 in ``factor`` and C = scatter + weight R in a triangle."""
    d = blur.shape[0]
    total = 0.0
    for h in range(d):  # row h of W: w^T C w
        k = 0
        for f in range(h + 1):
            row = 0.0
            for g in range(f):
                row += 2.0 * factor[h, g] * scatter[k]
                k += 1
            row += factor[h, f] * (scatter[k] + weight * blur[f])
            k += 1
            total += factor[h, f] * row
    return total


@kernel
def _own_matrices(weight, scatter, blur, prior):
    """sum_j n_j log|S_j| + tr(S_j^-1 C_j), S_j shrunk by the prior."""
    d = blur.shape[0]
    work, total = np.empty((d, d)), 0.0
    for j in range(weight.shape[0]):
        covariance_of(scatter[j], weight[j], blur, PRIOR_SHARE * prior, d + 2.0, work)
        total += weight[j] * log_determinant(work)
        invert_triangle(work)
        total += _trace_of_product(work, scatter[j], weight[j], blur)
    return total


@kernel
def completed_likelihoods(sums, centroids, blur, n_features, moments, out):
    """Logarithms of the four likelihoods; -inf where a model does not apply.

    ``moments`` (a triangle) is the second moment of all rows around 0, for the one matrix where
    the clusters' own are not known; empty: that model does not apply then.  OUT out.  Returns
    the pooled variance of a feature.
    """
    weight, means, scatter = moments_around_means(sums, centroids)
    n, d = means.shape
    total, entropy, squares, blurred = 0.0, 0.0, 0.0, 0.0
    for f in range(d):
        blurred += blur[f]
    for j in range(n):
        total += weight[j]
        squares += trace_of(scatter[j], d)
    for j in range(n):
        if weight[j] > 0.0:
            entropy += weight[j] * np.log(weight[j] / total)
    constant = entropy - 0.5 * total * n_features * np.log(2.0 * np.pi)
    variance = (squares + total * blurred) / (total * n_features)
    out[0] = constant - 0.5 * total * n_features * (np.log(variance) + 1.0)
    own = 0.0
    for j in range(n):
        square = trace_of(scatter[j], d) + weight[j] * blurred
        shrunk = (square / n_features + ROUND_ROWS * variance) / (weight[j] + ROUND_ROWS)
        own += weight[j] * n_features * np.log(shrunk) + square / shrunk
    out[1] = constant - 0.5 * own
    out[2] = out[3] = -np.inf
    pooled, work = np.zeros(d * (d + 1) // 2), np.empty((d, d))
    full = scatter.shape[1] == pooled.shape[0]
    if full:
        for j in range(n):
            for k in range(pooled.shape[0]):
                pooled[k] += scatter[j, k]
    elif moments.shape[0] > 0:
        k = 0
        for f in range(d):
            for g in range(f + 1):
                pooled[k] = moments[k]
                for j in range(n):
                    pooled[k] -= weight[j] * means[j, f] * means[j, g]
                k += 1
    if full or moments.shape[0] > 0:
        covariance_of(pooled, total, blur, 0.0, 0.0, work)
        out[2] = constant - 0.5 * total * (log_determinant(work) + n_features)
    if full:
        out[3] = constant - 0.5 * _own_matrices(weight, scatter, blur, variance)
    return variance
