"""When all centroids fuse though some pairs have no weight: multipliers along a tree of pairs.

A pair of weight 0 carries nothing, so that the multipliers of ``all_fused``, one for every
pair, are not feasible.  Along a tree of pairs that have weights they follow from what every
centroid needs: a leaf's own goes to its parent, and so on to the root, where nothing is left.
"""

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.pairs.problem import block_start, weight_of_pair


@kernel
def _tree_of_pairs(pair_mass, n, parent, order):
    """Breadth first from centroid 0.  OUT parent, order; returns how many it reaches."""
    for j in range(n):
        parent[j] = -1
    parent[0], order[0] = 0, 0
    reached, at = 1, 0
    while at < reached:
        k = order[at]
        at += 1
        for j in range(n):
            if parent[j] < 0 and weight_of_pair(pair_mass, k, j, n) > 0.0:
                parent[j] = k
                order[reached] = j
                reached += 1
    return reached


@kernel
def flow_along_tree(gamma, pair_mass, pulls, multipliers):
    """Multipliers with sum_l lambda_jl = -pulls_j, or False where one exceeds its radius.

    IN/OUT pulls (K x d), which add up to 0.  OUT multipliers, if the answer is True.
    """
    n, d = pulls.shape
    parent, order = np.empty(n, np.int64), np.empty(n, np.int64)
    if _tree_of_pairs(pair_mass, n, parent, order) < n:
        return False
    for i in range(n - 1, 0, -1):
        j, p = order[i], parent[order[i]]
        square = 0.0
        for f in range(d):
            square += pulls[j, f] ** 2
            pulls[p, f] += pulls[j, f]
        if np.sqrt(square) > gamma * weight_of_pair(pair_mass, j, p, n):
            return False
    for i in range(multipliers.shape[0]):
        multipliers[i] = 0.0
    for i in range(1, n):
        j, p = order[i], parent[order[i]]
        low, high = min(j, p), max(j, p)
        sign = -1.0 if j == low else 1.0
        place = block_start(low, n, d) + high - low - 1
        for f in range(d):
            multipliers[place + f * (n - 1 - low)] = sign * pulls[j, f]
    return True
