"""Squared distances of rows to centroids, and the nearest centroids of a row.

Centroids are held as d x K, padded with infinitely distant ones to a multiple of 8, and
rows are taken four at a time: the inner loops run over centroids, contiguous in memory and
without a remainder, and each centroid is loaded once for four rows.
"""

import numpy as np

from fastcaf.kernels.jit import fma, kernel, parallel_kernel, prange

ROWS = 4  # rows handled together
LANES = 8  # centroids are padded to a multiple of this
MAX_CHUNKS = 64  # bound of the parallelism, and of the memory for partial sums
MIN_CHUNK = 256  # rows


@kernel
def chunk_size(n):
    """Rows of a chunk: a function of n alone, so that threads cannot change the bits."""
    size = (n + MAX_CHUNKS - 1) // MAX_CHUNKS
    return max(MIN_CHUNK, (size + ROWS - 1) // ROWS * ROWS)


@kernel
def pad_centroids(centroids, like):
    """K x d centroids as d x (K rounded up), the padding infinitely far away."""
    n_centroids, d = centroids.shape
    width = (n_centroids + LANES - 1) // LANES * LANES
    padded = np.full((d, width), np.inf, like.dtype)
    for j in range(n_centroids):
        for f in range(d):
            padded[f, j] = centroids[j, f]
    return padded


@kernel
def squared_distances(x, first, last, centroids, o0, o1, o2, o3):
    """Squared distances of the four rows from ``first`` on (beyond ``last``: that row).

    The four outputs are separate arrays, made once by the caller: a view a row would cost
    more than the arithmetic of a small problem.
    """
    d, n_centroids = centroids.shape
    i0 = first
    i1, i2, i3 = min(first + 1, last), min(first + 2, last), min(first + 3, last)
    if d % 2 == 1:
        a0, a1, a2, a3 = x[i0, 0], x[i1, 0], x[i2, 0], x[i3, 0]
        for j in range(n_centroids):
            c = centroids[0, j]
            o0[j] = (a0 - c) * (a0 - c)
            o1[j] = (a1 - c) * (a1 - c)
            o2[j] = (a2 - c) * (a2 - c)
            o3[j] = (a3 - c) * (a3 - c)
    else:
        for j in range(n_centroids):
            o0[j] = o1[j] = o2[j] = o3[j] = 0
    for f in range(d % 2, d, 2):  # two features a trip: half the traffic of the outputs
        a0, a1, a2, a3 = x[i0, f], x[i1, f], x[i2, f], x[i3, f]
        b0, b1, b2, b3 = x[i0, f + 1], x[i1, f + 1], x[i2, f + 1], x[i3, f + 1]
        for j in range(n_centroids):
            c = centroids[f, j]
            e = centroids[f + 1, j]
            o0[j] = fma(a0 - c, a0 - c, fma(b0 - e, b0 - e, o0[j]))
            o1[j] = fma(a1 - c, a1 - c, fma(b1 - e, b1 - e, o1[j]))
            o2[j] = fma(a2 - c, a2 - c, fma(b2 - e, b2 - e, o2[j]))
            o3[j] = fma(a3 - c, a3 - c, fma(b3 - e, b3 - e, o3[j]))


@kernel
def _nearest_range(x, centroids, start, stop, labels, first, second):
    width = centroids.shape[1]
    distances = np.empty((ROWS, width), x.dtype)
    d0, d1, d2, d3 = distances[0], distances[1], distances[2], distances[3]
    for i in range(start, stop, ROWS):
        squared_distances(x, i, stop - 1, centroids, d0, d1, d2, d3)
        for r in range(min(ROWS, stop - i)):
            best, runner_up, label = np.inf, np.inf, 0
            for j in range(width):
                value = distances[r, j]
                if value < best:
                    runner_up, best, label = best, value, j
                elif value < runner_up:
                    runner_up = value
            labels[i + r] = label
            first[i + r] = best
            second[i + r] = runner_up


@kernel
def nearest_serial(x, centroids):
    """Label, and squared distances to the nearest two centroids, of every row.

    Ties go to the lowest index.  With one centroid the second distance is infinite.
    """
    n = x.shape[0]
    labels = np.empty(n, np.int32)
    first = np.empty(n, x.dtype)
    second = np.empty(n, x.dtype)
    _nearest_range(x, pad_centroids(centroids, x), 0, n, labels, first, second)
    return labels, first, second


@parallel_kernel
def nearest_parallel(x, centroids):
    """``nearest_serial`` on all threads."""
    n = x.shape[0]
    labels = np.empty(n, np.int32)
    first = np.empty(n, x.dtype)
    second = np.empty(n, x.dtype)
    padded = pad_centroids(centroids, x)
    size = chunk_size(n)
    for c in prange((n + size - 1) // size):
        stop = min((c + 1) * size, n)
        _nearest_range(x, padded, c * size, stop, labels, first, second)
    return labels, first, second
