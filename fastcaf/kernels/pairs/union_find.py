"""Union-find over centroids.  The root of a set is its lowest member."""

import numpy as np

from fastcaf.kernels.jit import kernel


@kernel
def find(parent, i):
    """Root of ``i``, halving the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def union(parent, i, j):
    """Join the sets of ``i`` and ``j``."""
    i, j = find(parent, i), find(parent, j)
    if i < j:
        parent[j] = i
    else:
        parent[i] = j


@kernel
def number_components(parent, labels):
    """Fill ``labels`` with 0, 1, ... in order of each set's lowest member; return how many.

    IN  parent.  OUT labels.
    """
    count = 0
    for i in range(parent.shape[0]):
        root = find(parent, i)
        if root == i:
            labels[i] = count
            count += 1
        else:
            labels[i] = labels[root]
    return count


@kernel
def merge_multipliers(multipliers, labels, n_merged, d):
    """Average the multipliers of pairs that become one pair; pairs inside a set vanish.

    A pair (k, l) whose order turns round changes its multiplier's sign.  A negative label
    drops its centroid.  Layout as in ``fusion.py``: for k = 0, 1, ... a d x (K-1-k) block.
    """
    n = labels.shape[0]
    merged = np.zeros(d * (n_merged * (n_merged - 1) // 2))
    counts = np.zeros((n_merged, n_merged))
    for k in range(n):
        length = n - 1 - k
        offset = d * (k * (2 * n - k - 1) // 2)
        for j in range(length):
            a, b = labels[k], labels[k + 1 + j]
            if a == b or a < 0 or b < 0:
                continue
            sign = 1.0
            if a > b:
                a, b, sign = b, a, -1.0
            counts[a, b] += 1.0
            target = d * (a * (2 * n_merged - a - 1) // 2) + b - a - 1
            for f in range(d):
                value = sign * multipliers[offset + f * length + j]
                merged[target + f * (n_merged - 1 - a)] += value
    for a in range(n_merged):
        for b in range(a + 1, n_merged):
            target = d * (a * (2 * n_merged - a - 1) // 2) + b - a - 1
            for f in range(d):
                merged[target + f * (n_merged - 1 - a)] /= counts[a, b]
    return merged
