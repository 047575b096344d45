"""The completed likelihood of a partition whose clusters have heavy tails: Student's t.

    log t(x) = log G((t + d) / 2) - log G(t / 2) - d/2 log(t pi) - 1/2 log|S|
               - (t + d) / 2 log(1 + delta / t),      delta = (x - m)^T S^-1 (x - m)

with t = ``FREEDOM`` degrees of freedom.  Means and covariances are those of rows weighted by
(t + d) / (t + delta), in a few rounds from the plain ones: rows far out count little.  What a
Gaussian can only explain by clusters of outliers, this explains as it is.
"""

from math import lgamma

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.loop.gaussian import factorise
from fastcaf.kernels.rows.gaussian import FIRST
from fastcaf.kernels.shapes.covariances import covariances_of_model

FREEDOM = 4.0
ROUNDS = 3


@kernel
def _distance(x, i, mean, factor, offset):
    """Squared length of W (x - m); OUT offset: x - m."""
    d = mean.shape[0]
    for f in range(d):
        offset[f] = x[i, f] - mean[f]
    square = 0.0
    if factor.shape[0] == 1 and d > 1:
        for f in range(d):
            square += offset[f] * offset[f]
        return square * factor[0] * factor[0]
    k = 0
    for f in range(d):
        y = 0.0
        for g in range(f + 1):
            y += factor[k] * offset[g]
            k += 1
        square += y * y
    return square


@kernel
def _weigh(x, row_weights, scatter, labels, means, factors, constants, n_features, sums):
    """Sums of the rows weighted as above, around the means; the logarithms come back.

    OUT sums: plain weight, weight, first and second moments of every cluster.
    """
    n, d = x.shape
    t, offset, total = FREEDOM, np.empty(d), 0.0
    for j in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            sums[j, k] = 0.0
    for i in range(n):
        j = labels[i]
        if j < 0:  # noise
            continue
        a = np.float64(row_weights[i]) if row_weights.shape[0] > 0 else 1.0
        s = np.float64(scatter[i]) if scatter.shape[0] > 0 else 0.0
        delta = _distance(x, i, means[j], factors[j], offset) + constants[j, 1] * s
        delta += constants[j, 0]
        total -= a * 0.5 * (t + n_features) * np.log1p(delta / t)
        w = a * (t + n_features) / (t + delta)
        sums[j, 0] += a
        sums[j, 1] += w
        for f in range(d):
            sums[j, FIRST + f] += w * offset[f]
        place = FIRST + d
        if sums.shape[1] == place + 1 and d > 1:
            square = s
            for f in range(d):
                square += offset[f] * offset[f]
            sums[j, place] += w * square
        else:
            for f in range(d):
                for g in range(f + 1):
                    sums[j, place] += w * offset[f] * offset[g]
                    place += 1
                sums[j, place - 1] += w * s / d
    return total


@kernel
def heavy_tailed_likelihood(
    x, row_weights, scatter, labels, weight, means, moments, blur, n_features, model
):
    """Logarithm of the likelihood under a model of ``covariances.py``; clusters have rows.

    IN weight, means, moments: of the clusters, with second moments around the means.
    OUT means, moments: those of the weighted rows.
    """
    n = weight.shape[0]
    total, entropy = 0.0, 0.0
    for j in range(n):
        total += weight[j]
    for j in range(n):
        entropy += weight[j] * np.log(weight[j] / total)
    t, shares = FREEDOM, np.ones(n)
    constant = lgamma(0.5 * (t + n_features)) - lgamma(0.5 * t)
    constant -= 0.5 * n_features * np.log(t * np.pi)
    work = np.empty((n, FIRST + means.shape[1] + moments.shape[1]))
    value = 0.0
    for _ in range(ROUNDS + 1):
        covariances = covariances_of_model(model, weight, moments, blur, n_features)
        factors, constants = np.empty_like(covariances), np.empty((n, 2))
        factorise(covariances, shares, np.zeros_like(blur), n_features, factors, constants)
        value = entropy + total * constant
        for j in range(n):
            value -= 0.5 * weight[j] * constants[j, 0]
            constants[j, 0] = 0.0
        # What the resolution adds to the distances.
        for j in range(n):
            constants[j, 0] = _blurred(factors[j], blur)
        value += _weigh(
            x, row_weights, scatter, labels, means, factors, constants, n_features, work
        )
        for j in range(n):
            for f in range(means.shape[1]):
                means[j, f] += work[j, FIRST + f] / work[j, 1]
            _centre(work[j], means.shape[1], moments[j])
    return value


@kernel
def _blurred(factor, blur):
    """tr(S^-1 R)."""
    d = blur.shape[0]
    total, k = 0.0, 0
    if factor.shape[0] == 1 and d > 1:
        for f in range(d):
            total += blur[f]
        return total * factor[0] * factor[0]
    for f in range(d):
        for g in range(f + 1):
            total += factor[k] * factor[k] * blur[g]
            k += 1
    return total


@kernel
def _centre(sums, d, moments):
    """Second moments around the weighted mean."""
    place = FIRST + d
    if moments.shape[0] == 1 and d > 1:
        moments[0] = sums[place]
        for f in range(d):
            moments[0] -= sums[FIRST + f] ** 2 / sums[1]
        return
    k = 0
    for f in range(d):
        for g in range(f + 1):
            product = sums[FIRST + f] * sums[FIRST + g] / sums[1]
            moments[k] = sums[place + k] - product
            k += 1
