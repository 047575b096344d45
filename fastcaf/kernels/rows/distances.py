"""Squared distances of rows to centroids, and the nearest centroids of a row.

Centroids are cut into panels, one of them d x L numbers, L to a vector (see
``simd/vectors.py``), the last one padded with infinitely distant centroids.  Rows are taken in
blocks of ``ROWS``, four at a time against two panels: every number that is loaded serves
several sums, the sums stay in registers, and a panel stays in the nearest cache for the
block.  The distances of a block come out panel by panel too: out[panel, row, lane].
"""

import numpy as np

from fastcaf.kernels.jit import inlined_kernel, kernel, parallel_kernel, prange
from fastcaf.kernels.simd.vectors import (
    broadcast,
    count_lanes,
    load,
    load_broadcast,
    multiply_add,
    store,
    store_four,
)

ROWS = 16  # rows handled together
MAX_CHUNKS = 64  # bound of the parallelism, and of the memory for partial sums
MIN_CHUNK = 256  # rows


@kernel
def chunk_size(n):
    """Rows of a chunk: a function of n alone, so that threads cannot change the bits."""
    size = (n + MAX_CHUNKS - 1) // MAX_CHUNKS
    return max(MIN_CHUNK, (size + ROWS - 1) // ROWS * ROWS)


@kernel
def count_chunks(n):
    """Number of chunks of n rows."""
    size = chunk_size(n)
    return (n + size - 1) // size


@kernel
def chunk_borders(n, c):
    """First row of chunk c, and the one after its last."""
    size = chunk_size(n)
    return c * size, min((c + 1) * size, n)


@kernel
def panels_of(centroids, like):
    """K x d centroids as panels x d x L, the padding infinitely far away."""
    n_centroids, d = centroids.shape
    lanes = count_lanes(like)
    panels = np.full(((n_centroids + lanes - 1) // lanes, d, lanes), np.inf, like.dtype)
    for j in range(n_centroids):
        for f in range(d):
            panels[j // lanes, f, j % lanes] = centroids[j, f]
    return panels


@kernel
def squared_distances(x, first, last, panels, extra, out):
    """Squared distances of the rows from ``first`` on (beyond ``last``: that row).

    ``extra`` has one number for each row of the block, added to all its distances.
    """
    for p in range(0, panels.shape[0], 2):
        distances_to_panels(x, first, last, panels, p, extra, out)


@inlined_kernel
def distances_to_panels(x, first, last, panels, p, extra, out):
    """``squared_distances`` to the centroids of panels p and, where there is one, p + 1."""
    if p + 1 < panels.shape[0]:
        _two_panels(x, first, last, panels, p, extra, out)
    else:
        _last_panel(x, first, last, panels, extra, out)


@inlined_kernel
def _two_panels(x, first, last, panels, p, extra, out):
    """Four rows against two panels: eight sums at once, and a panel's column in two loads."""
    _, d, lanes = panels.shape
    size = d * lanes
    for r in range(0, out.shape[1], 4):
        i0, i1 = d * min(first + r, last), d * min(first + r + 1, last)
        i2, i3 = d * min(first + r + 2, last), d * min(first + r + 3, last)
        s0, s1 = load_broadcast(extra, r), load_broadcast(extra, r + 1)
        s2, s3 = load_broadcast(extra, r + 2), load_broadcast(extra, r + 3)
        t0, t1, t2, t3 = s0, s1, s2, s3
        for f in range(d):
            u = load(panels, p * size + f * lanes)
            v = load(panels, (p + 1) * size + f * lanes)
            a = load_broadcast(x, i0 + f)
            s0, t0 = multiply_add(a - u, a - u, s0), multiply_add(a - v, a - v, t0)
            a = load_broadcast(x, i1 + f)
            s1, t1 = multiply_add(a - u, a - u, s1), multiply_add(a - v, a - v, t1)
            a = load_broadcast(x, i2 + f)
            s2, t2 = multiply_add(a - u, a - u, s2), multiply_add(a - v, a - v, t2)
            a = load_broadcast(x, i3 + f)
            s3, t3 = multiply_add(a - u, a - u, s3), multiply_add(a - v, a - v, t3)
        store_four(out, (p * ROWS + r) * lanes, lanes, s0, s1, s2, s3)
        store_four(out, ((p + 1) * ROWS + r) * lanes, lanes, t0, t1, t2, t3)


@inlined_kernel
def _last_panel(x, first, last, panels, extra, out):
    """Four rows against the panel that is left over when their number is odd."""
    n_panels, d, lanes = panels.shape
    p = n_panels - 1
    for r in range(0, out.shape[1], 4):
        i0, i1 = d * min(first + r, last), d * min(first + r + 1, last)
        i2, i3 = d * min(first + r + 2, last), d * min(first + r + 3, last)
        s0, s1 = load_broadcast(extra, r), load_broadcast(extra, r + 1)
        s2, s3 = load_broadcast(extra, r + 2), load_broadcast(extra, r + 3)
        for f in range(d):
            u = load(panels, (p * d + f) * lanes)
            e0, e1 = load_broadcast(x, i0 + f) - u, load_broadcast(x, i1 + f) - u
            e2, e3 = load_broadcast(x, i2 + f) - u, load_broadcast(x, i3 + f) - u
            s0, s1 = multiply_add(e0, e0, s0), multiply_add(e1, e1, s1)
            s2, s3 = multiply_add(e2, e2, s2), multiply_add(e3, e3, s3)
        store_four(out, (p * ROWS + r) * lanes, lanes, s0, s1, s2, s3)


@kernel
def block_of(panels):
    """Room for the distances of a block of rows."""
    return np.empty((panels.shape[0], ROWS, panels.shape[2]), panels.dtype)


@kernel
def distances_of_row(x, i, panels, extra, row):
    """Squared distances of row i to all (padded) centroids, plus ``extra``."""
    n_panels, d, lanes = panels.shape
    for p in range(n_panels):
        s = broadcast(extra)
        for f in range(d):
            e = load_broadcast(x, i * d + f) - load(panels, (p * d + f) * lanes)
            s = multiply_add(e, e, s)
        store(row, p * lanes, s)


@kernel
def _nearest_range(x, panels, start, stop, labels, first, second):
    n_panels, _, lanes = panels.shape
    block = block_of(panels)
    no_extra = np.zeros(ROWS, x.dtype)
    for i in range(start, stop, ROWS):
        squared_distances(x, i, stop - 1, panels, no_extra, block)
        for r in range(min(ROWS, stop - i)):
            best, runner_up, label = np.inf, np.inf, 0
            for p in range(n_panels):
                for k in range(lanes):
                    value = block[p, r, k]
                    if value < best:
                        runner_up, best, label = best, value, p * lanes + k
                    elif value < runner_up:
                        runner_up = value
            labels[i + r] = label
            first[i + r] = best
            second[i + r] = runner_up


@kernel
def _room_for_nearest(x):
    """Allocated here: in the parallel driver Numba would do it in a parallel loop."""
    n = x.shape[0]
    return np.empty(n, np.int32), np.empty(n, x.dtype), np.empty(n, x.dtype)


@kernel
def nearest_serial(x, centroids):
    """Label, and squared distances to the nearest two centroids, of every row.

    Ties go to the lowest index.  With one centroid the second distance is infinite.
    """
    labels, first, second = _room_for_nearest(x)
    _nearest_range(x, panels_of(centroids, x), 0, x.shape[0], labels, first, second)
    return labels, first, second


@parallel_kernel
def nearest_parallel(x, centroids):
    """``nearest_serial`` on all threads."""
    labels, first, second = _room_for_nearest(x)
    panels = panels_of(centroids, x)
    for c in prange(count_chunks(x.shape[0])):
        start, stop = chunk_borders(x.shape[0], c)
        _nearest_range(x, panels, start, stop, labels, first, second)
    return labels, first, second
