"""Centroids that are fused: which they are, where they lie, and their multipliers."""

import numpy as np

from fastcaf.kernels.jit import fma, kernel
from fastcaf.kernels.pairs.problem import block_start, weight_of_pair
from fastcaf.kernels.pairs.union_find import number_components, union

INSIDE = 1.0 - 1e-9  # a multiplier this far inside the ball: its pair is fused


@kernel
def fused_sets(problem, u, multipliers, gap, labels):
    """Join centroids whose pair has v = 0 and whose distance the gap cannot tell from 0.

        ||lambda_kl|| < r_kl   and   ||u_k - u_l|| <= sqrt(2 gap / w_k) + sqrt(2 gap / w_l)

    P is strongly convex with moduli w: ||u_j - u*_j|| <= sqrt(2 gap / w_j).
    OUT labels: the set of each centroid.  Returns the number of sets.
    """
    d, n = u.shape
    pair_mass = problem.pair_mass
    parent, reach = np.arange(n), np.empty(n)
    for j in range(n):
        reach[j] = np.sqrt(2.0 * gap / problem.w[j])
    boundary = (problem.gamma * INSIDE) ** 2
    norms = np.empty(n)
    for k in range(n - 1):
        length = n - 1 - k
        offset = block_start(k, n, d)
        for j in range(length):
            norms[j] = 0.0
        for f in range(d):
            block = multipliers[offset + f * length : offset + (f + 1) * length]
            for j in range(length):
                norms[j] = fma(block[j], block[j], norms[j])
        if pair_mass.shape[0] > 0:
            for j in range(length):
                weight = weight_of_pair(pair_mass, k, k + 1 + j, n)
                norms[j] = norms[j] / weight**2 if weight > 0.0 else np.inf
        for j in range(length):
            if norms[j] < boundary:
                distance = 0.0
                for f in range(d):
                    distance += (u[f, k] - u[f, k + 1 + j]) ** 2
                if np.sqrt(distance) <= reach[k] + reach[k + 1 + j]:
                    union(parent, k, k + 1 + j)
    return number_components(parent, labels)


@kernel
def means_of_sets(w, u, labels, count, out):
    """out_j = sum_l w_l u_l / sum_l w_l over the set of j: the best place of a fused set."""
    weight = np.zeros(count)
    for j in range(labels.shape[0]):
        weight[labels[j]] += w[j]
    mean = np.empty(count)
    for f in range(u.shape[0]):
        for k in range(count):
            mean[k] = 0.0
        for j in range(labels.shape[0]):
            mean[labels[j]] += w[j] / weight[labels[j]] * u[f, j]
        for j in range(labels.shape[0]):
            out[f, j] = mean[labels[j]]


@kernel
def merge_fused(multipliers, labels, n_merged, d):
    """Multipliers of the merged centroids: averages, the warm start of the next problem.

        lambda_ab = mean of lambda_kl over k in set a, l in set b,    lambda_lk = -lambda_kl

    Pairs inside a set vanish.  A negative label drops its centroid.
    """
    n = labels.shape[0]
    merged = np.zeros(block_start(n_merged, n_merged, d))
    counts = np.zeros((n_merged, n_merged))
    for k in range(n):
        length = n - 1 - k
        offset = block_start(k, n, d)
        for j in range(length):
            a, b = labels[k], labels[k + 1 + j]
            if a == b or a < 0 or b < 0:
                continue
            sign = 1.0
            if a > b:
                a, b, sign = b, a, -1.0
            counts[a, b] += 1.0
            target = block_start(a, n_merged, d) + b - a - 1
            for f in range(d):
                value = sign * multipliers[offset + f * length + j]
                merged[target + f * (n_merged - 1 - a)] += value
    for a in range(n_merged):
        for b in range(a + 1, n_merged):
            target = block_start(a, n_merged, d) + b - a - 1
            for f in range(d):
                merged[target + f * (n_merged - 1 - a)] /= counts[a, b]
    return merged
