"""Entropy memberships, one pass over the rows.

For a row x and centroids u_1..u_K with squared distances d_j, and a temperature tau:

    mu_j = exp(-d_j / tau) / s,   s = sum_l exp(-d_l / tau)

Distances are taken relative to the nearest centroid's, so that nothing overflows; a share
below exp(-30) counts as 0, and temperature 0 gives the row to its nearest centroid.  Tails are
light: most rows hold a few centroids only, and only those are touched.

Added up over the rows (a_i: row weights) are

    weight_j = mass_j = sum_i a_i mu_ij,  sums_j = sum_i a_i mu_ij x_i,
    squares_j = sum_i a_i mu_ij^2,        nearest = sum_i a_i min_j d_ij,
    data term = 1/2 sum_i a_i (-tau log(s_i / K)),

the last with s_i taken from the distances themselves: not negative, and unchanged when
centroids that coincide are merged.
"""

import numpy as np

from fastcaf.kernels.distances import ROWS, chunk_size, pad_centroids, squared_distances
from fastcaf.kernels.jit import kernel, parallel_kernel, prange

CUT = 30.0  # exp(-30) is below the rounding of float32 sums and near that of float64


@kernel
def _shares(distances, n_centroids, tau, mu, active):
    """Memberships of one row.

    IN  distances.  OUT mu: those of the centroids listed in ``active``.
    Returns how many there are, the nearest distance and log(s exp(nearest / tau)).
    """
    nearest = distances[0]
    for j in range(1, n_centroids):
        nearest = min(nearest, distances[j])
    reach = nearest + CUT * tau
    count = 0
    total = 0.0
    for j in range(n_centroids):
        if distances[j] <= reach:
            share = np.exp(-(distances[j] - nearest) / tau) if tau > 0.0 else 1.0
            mu[count] = share
            active[count] = j
            total += share
            count += 1
    for i in range(count):
        mu[i] /= total
    return count, nearest, np.log(total)


@kernel
def _rows_range(x, row_weights, centroids, n_centroids, tau, start, stop, total):
    """Add the statistics of rows start..stop to ``total``.

    ``total`` is K x (d + 2): the weighted sums, then weight, then squares.
    Returns the data term and the sum of the nearest distances.
    """
    d, width = centroids.shape
    distances = np.empty((ROWS, width), x.dtype)
    d0, d1, d2, d3 = distances[0], distances[1], distances[2], distances[3]
    mu = np.empty(n_centroids)
    active = np.empty(n_centroids, np.int64)
    data_term, near = 0.0, 0.0
    for first in range(start, stop, ROWS):
        squared_distances(x, first, stop - 1, centroids, d0, d1, d2, d3)
        for r in range(min(ROWS, stop - first)):
            i = first + r
            a = row_weights[i] if row_weights.shape[0] > 0 else 1.0
            count, nearest, log_total = _shares(distances[r], n_centroids, tau, mu, active)
            near += a * nearest
            data_term += 0.5 * a * (nearest + tau * (np.log(n_centroids) - log_total))
            for k in range(count):
                j = active[k]
                g = a * mu[k]
                for f in range(d):
                    total[j, f] += g * x[i, f]
                total[j, d] += g
                total[j, d + 1] += g * mu[k]
    return data_term, near


@kernel
def _unpack(total, data_term, near):
    d = total.shape[1] - 2
    weight, squares = total[:, d].copy(), total[:, d + 1].copy()
    return weight, total[:, :d].copy(), weight, squares, data_term, near


@kernel
def entropy_statistics_serial(x, row_weights, centroids, tau):
    """Weight, sums, mass, squares, data term and nearest, on this thread."""
    n, d = x.shape
    padded = pad_centroids(centroids, x)
    size = chunk_size(n)
    total = np.zeros((centroids.shape[0], d + 2))
    data_term, near = 0.0, 0.0
    for start in range(0, n, size):
        chunk = np.zeros_like(total)
        stop = min(start + size, n)
        term, close = _rows_range(
            x, row_weights, padded, centroids.shape[0], tau, start, stop, chunk
        )
        total += chunk
        data_term += term
        near += close
    return _unpack(total, data_term, near)


@parallel_kernel
def entropy_statistics_parallel(x, row_weights, centroids, tau):
    """``entropy_statistics_serial`` on all threads, with the same bits."""
    n, d = x.shape
    padded = pad_centroids(centroids, x)
    size = chunk_size(n)
    n_chunks = (n + size - 1) // size
    chunks = np.zeros((n_chunks, centroids.shape[0], d + 2))
    terms = np.zeros((n_chunks, 2))
    for c in prange(n_chunks):
        stop = min((c + 1) * size, n)
        term, close = _rows_range(
            x, row_weights, padded, centroids.shape[0], tau, c * size, stop, chunks[c]
        )
        terms[c, 0] = term
        terms[c, 1] = close
    total = np.zeros((centroids.shape[0], d + 2))
    data_term, near = 0.0, 0.0
    for c in range(n_chunks):
        total += chunks[c]
        data_term += terms[c, 0]
        near += terms[c, 1]
    return _unpack(total, data_term, near)


@kernel
def entropy_memberships(x, centroids, tau):
    """The n x K memberships."""
    n = x.shape[0]
    n_centroids = centroids.shape[0]
    out = np.zeros((n, n_centroids), x.dtype)
    padded = pad_centroids(centroids, x)
    distances = np.empty((ROWS, padded.shape[1]), x.dtype)
    d0, d1, d2, d3 = distances[0], distances[1], distances[2], distances[3]
    mu = np.empty(n_centroids)
    active = np.empty(n_centroids, np.int64)
    for first in range(0, n, ROWS):
        squared_distances(x, first, n - 1, padded, d0, d1, d2, d3)
        for r in range(min(ROWS, n - first)):
            count, _, _ = _shares(distances[r], n_centroids, tau, mu, active)
            for k in range(count):
                out[first + r, active[k]] = mu[k]
    return out
