"""Covariances of clusters under a model: a variance or a matrix, one for all or one each.

The models have the order of ``completed_likelihood.py``, and its priors.
"""

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.shapes.completed_likelihood import PRIOR_SHARE, ROUND_ROWS
from fastcaf.kernels.shapes.scatter import covariance_of, trace_of
from fastcaf.kernels.small_matrices import pack_triangle

ONE_VARIANCE, A_VARIANCE_EACH, ONE_MATRIX, A_MATRIX_EACH = range(4)


@kernel
def covariances_of_model(model, weight, scatter, blur, n_features):
    """K x m covariances, triangles row after row (m = 1: variances).

    Matrices need second moments of the clusters in ``scatter`` (K x d (d + 1) / 2).
    """
    n, d = weight.shape[0], blur.shape[0]
    total, squares, blurred = 0.0, 0.0, 0.0
    for f in range(d):
        blurred += blur[f]
    for j in range(n):
        total += weight[j]
        squares += trace_of(scatter[j], d)
    variance = (squares + total * blurred) / (total * n_features)
    if model == ONE_VARIANCE or model == A_VARIANCE_EACH:
        out = np.full((n, 1), variance)
        if model == A_VARIANCE_EACH:
            for j in range(n):
                square = (trace_of(scatter[j], d) + weight[j] * blurred) / n_features
                out[j, 0] = (square + ROUND_ROWS * variance) / (weight[j] + ROUND_ROWS)
        return out
    out, work = np.empty((n, d * (d + 1) // 2)), np.zeros((d, d))
    if model == ONE_MATRIX:
        pooled = np.zeros(out.shape[1])
        for j in range(n):
            for k in range(pooled.shape[0]):
                pooled[k] += scatter[j, k]
        covariance_of(pooled, total, blur, 0.0, 0.0, work)
        for j in range(n):
            pack_triangle(work, out[j])
    else:
        for j in range(n):
            prior, rows = PRIOR_SHARE * variance, d + 2.0
            covariance_of(scatter[j], weight[j], blur, prior, rows, work)
            pack_triangle(work, out[j])
    return out
