"""The membership update of fuzzy c-means and its sums over rows, in one pass.

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

A noise cluster (Davé 1991) is one more term of s, at the same squared distance ``noise`` from
all rows: s = sum_l d_l^-p + noise^-p.  It has no centroid, and sum_j mu_j is below 1 by what
it holds.  Infinity is none.

A row's scatter is a part of all its distances.  Blocks of rows and panels of centroids are
those of ``distances.py``.
"""

import numpy as np

from fastcaf.kernels.jit import inlined_kernel, kernel, parallel_kernel, prange
from fastcaf.kernels.rows.distances import (
    ROWS,
    block_of,
    chunk_borders,
    count_chunks,
    distances_of_row,
    distances_to_panels,
    panels_of,
)
from fastcaf.kernels.rows.sums import (
    FLUSH,
    add_chunks,
    add_rows,
    add_terms,
    clear,
    flush,
    load_row_weights,
    room_for_memberships,
    room_for_sums,
    room_for_terms,
    unpack,
)
from fastcaf.kernels.simd.vectors import broadcast, horizontal_sum, load, load_broadcast, store

MAX_INTEGER_POWER = 8
OWN = 2  # numbers of its own that a centroid has: weight and mass


@kernel
def by_ratio(distances, mu, power, n_centroids, noise):
    """Memberships of one row, for any power and any distance, zero included.

    IN  distances: squared distances.  OUT mu: memberships; distances: mu^m.
    Returns the row's data term, sum_j mu_j^m d_j.
    """
    nearest = noise
    for j in range(mu.shape[0]):
        nearest = min(nearest, distances[j])
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
    total = (nearest / noise) ** power  # 0 without noise
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
def whole_power(power):
    """The power as an integer where products can replace it, else 0."""
    return int(power) if power <= MAX_INTEGER_POWER and power == np.floor(power) else 0


@inlined_kernel
def invert(block, p, whole, sums):
    """Turn the d of panels p and p + 1 into 1/d, in place; add d^-power up by row and lane."""
    n_panels, _, lanes = block.shape
    one = broadcast(block.dtype.type(1))
    for q in range(p, min(p + 2, n_panels)):
        for r in range(block.shape[1]):
            place = (q * ROWS + r) * lanes
            inverse = one / load(block, place)
            store(block, place, inverse)
            raised = inverse
            for _ in range(whole - 1):
                raised = raised * inverse
            store(sums, r * lanes, load(sums, r * lanes) + raised)


@inlined_kernel
def shares_of_sums(sums, whole, noise, block, share, term):
    """1/s and t of every row, from the sums that ``invert`` has added up.

    Returns whether all rows are regular.  Of others the share is 0, and so are the 1/d.
    """
    n_panels, _, lanes = block.shape
    number = block.dtype.type
    own = number(noise ** np.float64(-whole))  # of the noise; 0 without
    regular = True
    for r in range(ROWS):
        share[r] = number(1) / (horizontal_sum(load(sums, r * lanes)) + own)
        if not 0.0 < share[r] < np.inf:
            regular = False
            share[r] = 0
            for p in range(n_panels):
                store(block, (p * ROWS + r) * lanes, broadcast(number(0)))
        term[r] = share[r] if whole == 1 else share[r] ** (1.0 / whole)
    return regular


@kernel
def _shares(x, first, last, panels, extra, whole, noise, block, sums, share, term):
    """1/d of a block of rows to all centroids, then ``shares_of_sums``."""
    n_panels = panels.shape[0]
    clear(sums)
    for p in range(0, n_panels, 2):
        distances_to_panels(x, first, last, panels, p, extra, block)
        invert(block, p, whole, sums)
    return shares_of_sums(sums, whole, noise, block, share, term)


@inlined_kernel
def add_panel(block, p, whole, share, term, a, part):
    """Turn the 1/d of a panel into a mu^m, in place; add up weight and mass."""
    lanes = block.shape[2]
    place = ((p + 1) * part.shape[1] - 2) * lanes
    weight, mass = load(part, place), load(part, place + lanes)
    for r in range(block.shape[1]):
        here = (p * ROWS + r) * lanes
        inverse = load(block, here)
        mu = inverse * load_broadcast(share, r)
        for _ in range(whole - 1):
            mu = mu * inverse
        weighted = load_broadcast(a, r) * mu
        mass = mass + weighted
        weighted = weighted * (inverse * load_broadcast(term, r))
        weight = weight + weighted
        store(block, here, weighted)
    store(part, place, weight)
    store(part, place + lanes, mass)


@kernel
def add_row(weights, mu, r, a, block, part):
    """The same for one row, from ``weights`` = mu^m and mu."""
    _, fields, lanes = part.shape
    for j in range(mu.shape[0]):
        p, k = j // lanes, j % lanes
        weights[j] *= a
        part[p, fields - 2, k] += weights[j]
        part[p, fields - 1, k] += a * mu[j]
        block[p, r, k] = weights[j]


@kernel
def _add_chunk(x, row_weights, scatter, panels, n_centroids, power, noise, c, total):
    """Add the statistics of the rows of chunk c to ``total``; return their data term.

    ``total`` is panels x (d + 2) x L: the weighted sums, then weight, then mass.
    """
    start, stop = chunk_borders(x.shape[0], c)
    n_panels, d, lanes = panels.shape
    whole = whole_power(power)
    block = block_of(panels)
    row, mu = np.empty(n_panels * lanes, x.dtype), np.empty(n_panels * lanes, x.dtype)
    part, sums = np.zeros((n_panels, d + OWN, lanes), x.dtype), np.empty((ROWS, lanes), x.dtype)
    a, extra = np.ones(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    share, term = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    data_term = 0.0
    for first in range(start, stop, ROWS):
        load_row_weights(row_weights, scatter, first, stop, a, extra)
        regular = False
        if whole > 0:
            regular = _shares(
                x, first, stop - 1, panels, extra, whole, noise, block, sums, share, term
            )
            for p in range(n_panels):
                add_panel(block, p, whole, share, term, a, part)
            for r in range(ROWS):
                data_term += a[r] * term[r]
        if not regular:
            for r in range(ROWS):
                if share[r] == 0.0:
                    distances_of_row(x, min(first + r, stop - 1), panels, extra[r], row)
                    t = by_ratio(row, mu, power, n_centroids, noise)
                    data_term += a[r] * t if a[r] > 0.0 else 0.0
                    add_row(row, mu, r, a[r], block, part)
        for p in range(n_panels):
            add_rows(x, first, stop - 1, block, p, part)
        if (first - start) % FLUSH == FLUSH - ROWS:
            flush(total, part)
    flush(total, part)
    return 0.5 * data_term


@kernel
def fcm_statistics_serial(x, row_weights, scatter, centroids, power, noise):
    """Weight, sums, mass, weight again, data term and 0, on this thread.

    Memberships times themselves are the weights here, and the sum of the nearest distances, the
    last number of all models, is not needed.
    """
    n_centroids = centroids.shape[0]
    panels = panels_of(centroids, x)
    total, chunk = room_for_sums(2, panels, OWN)
    data_term = 0.0
    for c in range(count_chunks(x.shape[0])):
        data_term += _add_chunk(
            x, row_weights, scatter, panels, n_centroids, power, noise, c, chunk
        )
        flush(total, chunk)
    sums, weight, mass = unpack(total, n_centroids)
    return weight, sums, mass, weight, data_term, 0.0


@parallel_kernel
def fcm_statistics_parallel(x, row_weights, scatter, centroids, power, noise):
    """``fcm_statistics_serial`` on all threads, with the same bits."""
    n_centroids = centroids.shape[0]
    panels = panels_of(centroids, x)
    n_chunks = count_chunks(x.shape[0])
    chunks = room_for_sums(n_chunks, panels, OWN)
    terms = room_for_terms(n_chunks, 1)
    for c in prange(n_chunks):
        terms[c, 0] = _add_chunk(
            x, row_weights, scatter, panels, n_centroids, power, noise, c, chunks[c]
        )
    sums, weight, mass = unpack(add_chunks(chunks), n_centroids)
    return weight, sums, mass, weight, add_terms(terms, 0), 0.0


@kernel
def _memberships_range(x, panels, power, noise, start, stop, out):
    n_panels, _, lanes = panels.shape
    n_centroids = out.shape[1]
    whole = whole_power(power)
    block = block_of(panels)
    row, mu = np.empty(n_panels * lanes, x.dtype), np.empty(n_panels * lanes, x.dtype)
    sums = np.empty((ROWS, lanes), x.dtype)
    share, term = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    no_extra = np.zeros(ROWS, x.dtype)
    for first in range(start, stop, ROWS):
        if whole > 0:
            _shares(
                x, first, stop - 1, panels, no_extra, whole, noise, block, sums, share, term
            )
        for r in range(min(ROWS, stop - first)):
            if share[r] == 0.0:
                distances_of_row(x, first + r, panels, no_extra[r], row)
                by_ratio(row, mu, power, n_centroids, noise)
            for j in range(n_centroids):
                if share[r] > 0.0:
                    inverse = block[j // lanes, r, j % lanes]
                    mu[j] = inverse * share[r]
                    for _ in range(whole - 1):
                        mu[j] *= inverse
                out[first + r, j] = mu[j]


@kernel
def fcm_memberships_serial(x, centroids, power, noise):
    """The n x K memberships, on this thread."""
    out = room_for_memberships(x, centroids)
    _memberships_range(x, panels_of(centroids, x), power, noise, 0, x.shape[0], out)
    return out


@parallel_kernel
def fcm_memberships_parallel(x, centroids, power, noise):
    """``fcm_memberships_serial`` on all threads."""
    out = room_for_memberships(x, centroids)
    panels = panels_of(centroids, x)
    for c in prange(count_chunks(x.shape[0])):
        start, stop = chunk_borders(x.shape[0], c)
        _memberships_range(x, panels, power, noise, start, stop, out)
    return out
