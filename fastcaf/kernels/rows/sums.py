"""Sums over rows, for blocks of rows and panels of centroids (see ``distances.py``).

They are stored as panels x (d + 2) x L: d features of the weighted sums, then two numbers a
centroid that belong to the model (or more).  Rows are summed in their own precision, and every
``FLUSH`` rows that goes into a float64 sum.
"""

import numpy as np

from fastcaf.kernels.jit import inlined_kernel, kernel
from fastcaf.kernels.rows.distances import ROWS
from fastcaf.kernels.simd.vectors import (
    load,
    load_broadcast,
    multiply_add,
    store,
    store_four,
)

FLUSH = 256  # rows


# What allocates or adds whole arrays is here, and not in the parallel drivers: there Numba
# would make a parallel loop of each such line, and take a second to compile it.


@kernel
def room_for_sums(n, panels, own):
    """Room for n such sums, all 0, with so many numbers of the model's own."""
    return np.zeros((n, panels.shape[0], panels.shape[1] + own, panels.shape[2]))


@kernel
def room_for_terms(n_chunks, n_terms):
    """Single numbers of every chunk."""
    return np.zeros((n_chunks, n_terms))


@kernel
def room_for_labels(x):
    """A label for every row."""
    return np.empty(x.shape[0], np.int32)


@kernel
def room_for_memberships(x, centroids):
    """An n x K array in the precision of the rows."""
    return np.empty((x.shape[0], centroids.shape[0]), x.dtype)


@kernel
def clear(array):
    """Set all numbers to 0."""
    flat = array.reshape(-1)
    for i in range(flat.shape[0]):
        flat[i] = 0


@inlined_kernel
def load_row_weights(row_weights, scatter, first, stop, a, extra):
    """Weight and scatter of the rows of a block; rows beyond the end count nothing."""
    for r in range(ROWS):
        if first + r >= stop:
            a[r] = 0
        elif row_weights.shape[0] > 0:
            a[r] = row_weights[first + r]
        if scatter.shape[0] > 0:
            extra[r] = scatter[min(first + r, stop - 1)]


@inlined_kernel
def add_rows(x, first, last, block, p, part):
    """part[p, f, lane] += sum over the rows of block[p, row, lane] x[row, f]."""
    lanes = block.shape[2]
    d = x.shape[1]
    for f in range(0, d - 3, 4):
        place = (p * part.shape[1] + f) * lanes
        s0, s1 = load(part, place), load(part, place + lanes)
        s2, s3 = load(part, place + 2 * lanes), load(part, place + 3 * lanes)
        for r in range(block.shape[1]):
            weights = load(block, (p * ROWS + r) * lanes)
            i = d * min(first + r, last) + f
            s0 = multiply_add(weights, load_broadcast(x, i), s0)
            s1 = multiply_add(weights, load_broadcast(x, i + 1), s1)
            s2 = multiply_add(weights, load_broadcast(x, i + 2), s2)
            s3 = multiply_add(weights, load_broadcast(x, i + 3), s3)
        store_four(part, place, lanes, s0, s1, s2, s3)
    for f in range(d - d % 4, d):
        place = (p * part.shape[1] + f) * lanes
        s0 = load(part, place)
        for r in range(block.shape[1]):
            weights = load(block, (p * ROWS + r) * lanes)
            s0 = multiply_add(weights, load_broadcast(x, d * min(first + r, last) + f), s0)
        store(part, place, s0)


@kernel
def flush(total, part):
    """Move a partial sum into the float64 one."""
    for p in range(part.shape[0]):
        for f in range(part.shape[1]):
            for k in range(part.shape[2]):
                total[p, f, k] += part[p, f, k]
                part[p, f, k] = 0


@kernel
def add_chunks(chunks):
    """Sum over the chunks, in their order."""
    total = np.zeros(chunks.shape[1:])
    for c in range(chunks.shape[0]):
        flush(total, chunks[c])
    return total


@kernel
def add_terms(terms, k):
    """Sum of the chunks' k-th term, in their order."""
    total = 0.0
    for c in range(terms.shape[0]):
        total += terms[c, k]
    return total


@kernel
def unpack(total, n_centroids):
    """The weighted sums (K x d), and the last two numbers of every centroid."""
    _, fields, lanes = total.shape
    sums = np.empty((n_centroids, fields - 2))
    first, second = np.empty(n_centroids), np.empty(n_centroids)
    for j in range(n_centroids):
        p, k = j // lanes, j % lanes
        first[j], second[j] = total[p, fields - 2, k], total[p, fields - 1, k]
        for f in range(fields - 2):
            sums[j, f] = total[p, f, k]
    return sums, first, second
