"""Which two components to merge: those whose merging costs the least likelihood.

With every row counted in its own component, a component of weight w and covariance S adds

    L(w, S) = w log(w) - w/2 log|S|

to the logarithm of the likelihood, up to what merging does not change.  Merging k and l costs
L_k + L_l - L_kl, the merged covariance being that of all their rows.
"""

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.shapes.scatter import (
    covariance_of,
    log_determinant,
    moments_around_means,
)


@kernel
def _part(scatter, weight, blur, n_features, prior, strength, work):
    """L(w, S)."""
    if scatter.shape[0] == 1 and blur.shape[0] > 1:
        blurred = 0.0
        for f in range(blur.shape[0]):
            blurred += blur[f]
        variance = (scatter[0] + weight * blurred) / n_features + strength * prior
        logarithm = n_features * np.log(variance / (weight + strength))
    else:
        covariance_of(scatter, weight, blur, prior, strength, work)
        logarithm = log_determinant(work)
    return weight * (np.log(weight) - 0.5 * logarithm)


@kernel
def _merged(weight, means, scatter, k, j, out):
    """Second moments of the rows of two components around their common mean."""
    d = means.shape[1]
    factor = weight[k] * weight[j] / (weight[k] + weight[j])
    if scatter.shape[1] == 1 and d > 1:
        square = 0.0
        for f in range(d):
            square += (means[k, f] - means[j, f]) ** 2
        out[0] = scatter[k, 0] + scatter[j, 0] + factor * square
        return
    i = 0
    for f in range(d):
        apart = factor * (means[k, f] - means[j, f])
        for g in range(f + 1):
            out[i] = scatter[k, i] + scatter[j, i] + apart * (means[k, g] - means[j, g])
            i += 1


@kernel
def cheapest_merge(sums, centroids, blur, n_features, prior, strength):
    """The two components whose merging costs least, and what it costs.

    Returns the two numbers, the loss, weights and means of all components.
    """
    weight, means, scatter = moments_around_means(sums, centroids)
    n, d = means.shape
    least = 1e-300
    for j in range(n):
        weight[j] = max(weight[j], least)
    work, merged, parts = np.empty((d, d)), np.empty(scatter.shape[1]), np.empty(n)
    for j in range(n):
        parts[j] = _part(scatter[j], weight[j], blur, n_features, prior, strength, work)
    first, second, best = 0, 1, np.inf
    for k in range(n - 1):
        for j in range(k + 1, n):
            _merged(weight, means, scatter, k, j, merged)
            together = weight[k] + weight[j]
            loss = parts[k] + parts[j]
            loss -= _part(merged, together, blur, n_features, prior, strength, work)
            if loss < best:
                first, second, best = k, j, loss
    return first, second, best, weight, means
