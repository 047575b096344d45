"""Union-find over centroids.  The root of a set is its lowest member."""

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
