"""Fuzzy c-means memberships, one pass over the rows.

For a row x and centroids u_1..u_K with squared distances d_j, and p = 1/(m-1):

    mu_j   = d_j^-p / s,    s = sum_l d_l^-p
    t      = s^(-1/p)                            = sum_j mu_j^m d_j, the row's data term
    mu_j^m = mu_j (t / d_j)                      (t <= d_j: no factor exceeds 1)

When p is a small integer (m = 2, 3/2, 4/3, ...) no power is needed but one a row.  Other m,
and rows so near a centroid that 1/d_j overflows, take ratios to the nearest centroid,
q_j = d_min / d_j, in place of 1/d_j.  A row that lies on centroids shares itself equally
among those.

The n x K memberships never exist during a fit; what is added up over the rows is

    weight_j = sum_i a_i mu_ij^m,  sums_j = sum_i a_i mu_ij^m x_i,
    mass_j   = sum_i a_i mu_ij,    data term = 1/2 sum_i a_i t_i       (a_i: row weights)
"""

import numpy as np

from fastcaf.kernels.distances import (
    ROWS,
    chunk_size,
    pad_centroids,
    squared_distances,
)
from fastcaf.kernels.jit import fma, kernel, parallel_kernel, prange, reduction

FLUSH = 256  # rows summed in the rows' own precision before they reach a float64 sum
MAX_INTEGER_POWER = 8.0


@reduction
def _invert(distances):
    """Turn d into 1/d in place; return the sum."""
    one = distances.dtype.type(1)
    total = distances.dtype.type(0)
    for j in range(distances.shape[0]):
        distances[j] = one / distances[j]
        total += distances[j]
    return total


@reduction
def _raise(values, power):
    """Raise to a positive integer power in place; return the sum."""
    total = values.dtype.type(0)
    for j in range(values.shape[0]):
        value = values[j]
        result = value
        for _ in range(power - 1):
            result *= value
        values[j] = result
        total += result
    return total


@kernel
def _by_ratio(distances, mu, power, n_centroids):
    """The same as ``_memberships``, for any power and any distance, zero included."""
    nearest = distances.min()
    total = 0.0
    if nearest == 0.0:
        for j in range(mu.shape[0]):
            mu[j] = 1.0 if distances[j] == 0.0 else 0.0
            total += mu[j]
        for j in range(mu.shape[0]):
            mu[j] /= total
            distances[j] = mu[j] * total ** (-1.0 / power)
        return 0.0
    if nearest == np.inf:  # so far away that all distances overflow, and so are alike
        padding = mu.shape[0]
        for j in range(n_centroids):
            mu[j] = 1.0 / n_centroids
            distances[j] = mu[j] * n_centroids ** (-1.0 / power)
        for j in range(n_centroids, padding):
            mu[j] = 0.0
            distances[j] = 0.0
        return np.inf
    for j in range(mu.shape[0]):
        distances[j] = nearest / distances[j]
        mu[j] = distances[j] ** power
        total += mu[j]
    root = total ** (-1.0 / power)
    for j in range(mu.shape[0]):
        mu[j] /= total
        distances[j] *= mu[j] * root
    return nearest * root


@kernel
def _memberships(distances, mu, power, n_centroids):
    """Memberships of one row.

    IN  distances: squared distances.  OUT mu: memberships; distances: mu^m.
    Returns the row's data term, sum_j mu_j^m d_j.
    """
    if power > MAX_INTEGER_POWER or power != np.floor(power):
        return _by_ratio(distances, mu, power, n_centroids)
    mu[:] = distances
    total = _invert(mu)
    if power > 1.0:
        total = _raise(mu, int(power))
    if not 0.0 < mu.dtype.type(1.0 / total) < np.inf:
        return _by_ratio(distances, mu, power, n_centroids)
    data_term = total ** (-1.0 / power)
    share, t = mu.dtype.type(1.0 / total), mu.dtype.type(data_term)
    for j in range(mu.shape[0]):
        mu[j] *= share
        distances[j] = mu[j] * (t / distances[j])
    return data_term


@kernel
def _add_memberships(mu, g, a, weight, mass):
    """Apply a row's weight to ``g`` = mu^m; add both to the sums over rows."""
    for j in range(mass.shape[0]):
        mass[j] += a * mu[j]
        g[j] *= a
        weight[j] += g[j]


@kernel
def _add_squares(r0, r1, r2, r3, share, a, weight, mass):
    """``_add_memberships`` for m = 2 and four rows, from 1/d and 1/s in one go."""
    s0, s1, s2, s3 = share[0], share[1], share[2], share[3]
    a0, a1, a2, a3 = a[0], a[1], a[2], a[3]
    for j in range(mass.shape[0]):
        m0, m1, m2, m3 = r0[j] * s0, r1[j] * s1, r2[j] * s2, r3[j] * s3
        g0, g1, g2, g3 = a0 * m0, a1 * m1, a2 * m2, a3 * m3
        mass[j] += (g0 + g1) + (g2 + g3)
        g0, g1, g2, g3 = g0 * m0, g1 * m1, g2 * m2, g3 * m3
        weight[j] += (g0 + g1) + (g2 + g3)
        r0[j], r1[j], r2[j], r3[j] = g0, g1, g2, g3


@kernel
def _add_rows(x, first, last, g0, g1, g2, g3, sums):
    """sums[f, j] += sum over the four rows of g[row, j] x[row, f]."""
    d = x.shape[1]
    width = g0.shape[0]
    i0 = first
    i1, i2, i3 = min(first + 1, last), min(first + 2, last), min(first + 3, last)
    for f in range(0, d - 1, 2):
        a0, a1, a2, a3 = x[i0, f], x[i1, f], x[i2, f], x[i3, f]
        b0, b1, b2, b3 = x[i0, f + 1], x[i1, f + 1], x[i2, f + 1], x[i3, f + 1]
        for j in range(width):
            p0, p1, p2, p3 = g0[j], g1[j], g2[j], g3[j]
            s, t = sums[f, j], sums[f + 1, j]
            sums[f, j] = fma(p0, a0, fma(p1, a1, fma(p2, a2, fma(p3, a3, s))))
            sums[f + 1, j] = fma(p0, b0, fma(p1, b1, fma(p2, b2, fma(p3, b3, t))))
    if d % 2 == 1:
        f = d - 1
        a0, a1, a2, a3 = x[i0, f], x[i1, f], x[i2, f], x[i3, f]
        for j in range(width):
            s = fma(g2[j], a2, fma(g3[j], a3, sums[f, j]))
            sums[f, j] = fma(g0[j], a0, fma(g1[j], a1, s))


@kernel
def _flush(total, part):
    """Move a partial sum into the float64 one."""
    for f in range(part.shape[0]):
        for j in range(part.shape[1]):
            total[f, j] += part[f, j]
            part[f, j] = 0


@kernel
def _rows_range(x, row_weights, centroids, n_centroids, power, start, stop, total):
    """Add the statistics of rows start..stop to ``total``; return their data term.

    ``total`` is (d + 2) x K: the weighted sums, then weight, then mass.
    """
    d, width = centroids.shape
    distances = np.empty((ROWS, width), x.dtype)
    d0, d1, d2, d3 = distances[0], distances[1], distances[2], distances[3]
    mu = np.empty(width, x.dtype)
    part = np.zeros((d + 2, width), x.dtype)
    weight, mass = part[d], part[d + 1]
    a = np.ones(ROWS, x.dtype)
    share = np.empty(ROWS, x.dtype)
    one = x.dtype.type(1)
    data_term = 0.0
    since_flush = 0
    for first in range(start, stop, ROWS):
        for r in range(ROWS):  # rows beyond the end count nothing
            if first + r >= stop:
                a[r] = 0
            elif row_weights.shape[0] > 0:
                a[r] = row_weights[first + r]
        squared_distances(x, first, stop - 1, centroids, d0, d1, d2, d3)
        regular = power == 1.0
        if regular:
            share[0], share[1] = one / _invert(d0), one / _invert(d1)
            share[2], share[3] = one / _invert(d2), one / _invert(d3)
            for r in range(ROWS):
                regular = regular and 0.0 < share[r] < np.inf
            if not regular:
                squared_distances(x, first, stop - 1, centroids, d0, d1, d2, d3)
        if regular:
            for r in range(ROWS):
                data_term += a[r] * share[r]
            _add_squares(d0, d1, d2, d3, share, a, weight, mass)
        else:
            for r in range(ROWS):
                data_term += a[r] * _memberships(distances[r], mu, power, n_centroids)
                _add_memberships(mu, distances[r], a[r], weight, mass)
        _add_rows(x, first, stop - 1, d0, d1, d2, d3, part)
        since_flush += ROWS
        if since_flush >= FLUSH:
            _flush(total, part)
            since_flush = 0
    _flush(total, part)
    return 0.5 * data_term


@kernel
def _unpack(total, n_centroids):
    """Split (d + 2) x padded K into weight (K), sums (K x d), mass (K)."""
    d = total.shape[0] - 2
    sums = total[:d, :n_centroids].T.copy()
    return total[d, :n_centroids].copy(), sums, total[d + 1, :n_centroids].copy()


@kernel
def fcm_statistics_serial(x, row_weights, centroids, power):
    """Weight, sums, mass and data term of fuzzy c-means, on this thread."""
    n, d = x.shape
    padded = pad_centroids(centroids, x)
    size = chunk_size(n)
    total = np.zeros((d + 2, padded.shape[1]))
    chunk = np.zeros_like(total)
    data_term = 0.0
    for start in range(0, n, size):
        stop = min(start + size, n)
        data_term += _rows_range(
            x, row_weights, padded, centroids.shape[0], power, start, stop, chunk
        )
        _flush(total, chunk)
    weight, sums, mass = _unpack(total, centroids.shape[0])
    return weight, sums, mass, data_term


@parallel_kernel
def fcm_statistics_parallel(x, row_weights, centroids, power):
    """``fcm_statistics_serial`` on all threads, with the same bits."""
    n, d = x.shape
    padded = pad_centroids(centroids, x)
    size = chunk_size(n)
    n_chunks = (n + size - 1) // size
    chunks = np.zeros((n_chunks, d + 2, padded.shape[1]))
    terms = np.zeros(n_chunks)
    for c in prange(n_chunks):
        stop = min((c + 1) * size, n)
        terms[c] = _rows_range(
            x, row_weights, padded, centroids.shape[0], power, c * size, stop, chunks[c]
        )
    total = np.zeros((d + 2, padded.shape[1]))
    data_term = 0.0
    for c in range(n_chunks):
        data_term += terms[c]
        _flush(total, chunks[c])
    weight, sums, mass = _unpack(total, centroids.shape[0])
    return weight, sums, mass, data_term


@kernel
def _memberships_range(x, centroids, power, start, stop, out):
    n_centroids = out.shape[1]
    width = centroids.shape[1]
    distances = np.empty((ROWS, width), x.dtype)
    d0, d1, d2, d3 = distances[0], distances[1], distances[2], distances[3]
    mu = np.empty(width, x.dtype)
    for first in range(start, stop, ROWS):
        squared_distances(x, first, stop - 1, centroids, d0, d1, d2, d3)
        for r in range(min(ROWS, stop - first)):
            _memberships(distances[r], mu, power, n_centroids)
            for j in range(out.shape[1]):
                out[first + r, j] = mu[j]


@kernel
def fcm_memberships_serial(x, centroids, power):
    """The n x K memberships, on this thread."""
    out = np.empty((x.shape[0], centroids.shape[0]), x.dtype)
    padded = pad_centroids(centroids, x)
    _memberships_range(x, padded, power, 0, x.shape[0], out)
    return out


@parallel_kernel
def fcm_memberships_parallel(x, centroids, power):
    """``fcm_memberships_serial`` on all threads."""
    n = x.shape[0]
    out = np.empty((n, centroids.shape[0]), x.dtype)
    padded = pad_centroids(centroids, x)
    size = chunk_size(n)
    for c in prange((n + size - 1) // size):
        stop = min((c + 1) * size, n)
        _memberships_range(x, padded, power, c * size, stop, out)
    return out
