"""The membership update with an entropy, and its sums over rows, in one pass.

For a row x and centroids u_1..u_K with squared distances d_j, and a temperature tau:

    mu_j = exp(-d_j / tau) / s,   s = sum_l exp(-d_l / tau)

Distances are taken relative to the nearest centroid's, so that nothing overflows; a share
below exp(-30) counts as 0, and temperature 0 gives the row to its nearest centroid.  Tails are
light: most rows reach a few centroids only, and panels that no row of a block reaches are left
out.

Added up over the rows (a_i: row weights) are

    weight_j = mass_j = sum_i a_i mu_ij,  sums_j = sum_i a_i mu_ij x_i,
    squares_j = sum_i a_i mu_ij^2,        nearest = sum_i a_i min_j d_ij,
    data term = 1/2 sum_i a_i (-tau log(s_i / K)),

the last with s_i taken from the distances themselves: not negative, and unchanged when
centroids that coincide are merged.

A noise cluster is one more term of s, at the same squared distance ``noise`` from every row; K
counts it in the data term then.  Infinity is none.  What it holds of a row does not count in
``nearest``, which is then a sum of (1 - share of the noise) min_j d_ij.  A row's scatter is a
part of all its distances.
"""

import numpy as np

from fastcaf.kernels.jit import inlined_kernel, kernel, parallel_kernel, prange
from fastcaf.kernels.rows.distances import (
    ROWS,
    block_of,
    chunk_borders,
    count_chunks,
    panels_of,
    squared_distances,
)
from fastcaf.kernels.rows.sums import (
    FLUSH,
    add_chunks,
    add_rows,
    add_terms,
    flush,
    load_row_weights,
    room_for_memberships,
    room_for_sums,
    room_for_terms,
    unpack,
)
from fastcaf.kernels.simd.vectors import (
    CUT,
    any_at_most,
    broadcast,
    exp_negative,
    horizontal_min,
    horizontal_sum,
    load,
    load_broadcast,
    minimum,
    store,
)

OWN = 2  # numbers of its own that a centroid has: weight and squares
STEEPEST = 1e38  # the largest 1 / tau, within the range of float32


@inlined_kernel
def _nearest(block, nearest):
    """The smallest distance of every row, four rows at a time."""
    n_panels, n_rows, lanes = block.shape
    for r in range(0, n_rows, 4):
        place = r * lanes
        a, b = load(block, place), load(block, place + lanes)
        c, d = load(block, place + 2 * lanes), load(block, place + 3 * lanes)
        for _ in range(1, n_panels):
            place += ROWS * lanes
            a, b = minimum(a, load(block, place)), minimum(b, load(block, place + lanes))
            c = minimum(c, load(block, place + 2 * lanes))
            d = minimum(d, load(block, place + 3 * lanes))
        nearest[r], nearest[r + 1] = horizontal_min(a), horizontal_min(b)
        nearest[r + 2], nearest[r + 3] = horizontal_min(c), horizontal_min(d)


@inlined_kernel
def _far_away(block, r, n_centroids):
    """All distances of the row overflow, and so are alike."""
    lanes = block.shape[2]
    for j in range(n_centroids):
        block[j // lanes, r, j % lanes] = 1
    return block.dtype.type(n_centroids)


@kernel
def share_of_noise(noise, nearest, tau):
    """exp((least - noise) / tau), with least the smaller of the two; 0 without noise."""
    if noise == np.inf:
        return 0.0
    beyond = np.float64(noise) - np.float64(min(nearest, noise))
    if beyond == 0.0:
        return 1.0
    return np.exp(-beyond / tau) if tau > 0.0 else 0.0


@kernel
def shares_of_block(block, n_centroids, tau, noise, nearest, sums, reached):
    """Shares of a block of rows.

    IN  block: distances.  OUT block: exp((least - d) / tau), with least the smaller of the
    nearest d and ``noise`` (in the precision of the block); nearest: the smallest d of every
    row; sums: s exp(least / tau); reached: whether some row reaches the panel.
    """
    n_panels, n_rows, lanes = block.shape
    number = block.dtype.type
    zero, slope = broadcast(number(0)), number(-STEEPEST)
    if tau > 0.0:
        slope = number(-min(1.0 / tau, STEEPEST))
    for p in range(n_panels):
        reached[p] = False
    _nearest(block, nearest)
    # Row after row: with the loops exchanged, d = 2 and K >= 400 took 20-30 % longer.
    for r in range(n_rows):
        least = min(nearest[r], noise)
        origin, reach = broadcast(least), broadcast(number(least + CUT * tau))
        added = zero
        for p in range(n_panels):
            place = (p * ROWS + r) * lanes
            distances = load(block, place)
            share = zero
            if any_at_most(distances, reach):
                share = exp_negative((distances - origin) * broadcast(slope))
                added = added + share
                reached[p] = True
            store(block, place, share)
        sums[r] = horizontal_sum(added) + number(share_of_noise(noise, nearest[r], tau))
        if least == np.inf:
            sums[r] = _far_away(block, r, n_centroids)


@inlined_kernel
def _add_panel(block, p, sums, a, part):
    """Turn shares into memberships times the row's weight; add up weight and squares."""
    lanes = block.shape[2]
    place = ((p + 1) * part.shape[1] - 2) * lanes
    weight, squares = load(part, place), load(part, place + lanes)
    for r in range(block.shape[1]):
        here = (p * ROWS + r) * lanes
        mu = load(block, here) * load_broadcast(sums, r)
        weighted = mu * load_broadcast(a, r)
        weight = weight + weighted
        squares = squares + weighted * mu
        store(block, here, weighted)
    store(part, place, weight)
    store(part, place + lanes, squares)


@kernel
def _add_chunk(x, row_weights, scatter, panels, n_centroids, tau, noise, c, total):
    """Add the statistics of the rows of chunk c to ``total``.

    ``total`` is panels x (d + 2) x L: the weighted sums, then weight, then squares.
    Returns the data term and the sum of the nearest distances.
    """
    start, stop = chunk_borders(x.shape[0], c)
    n_panels, d, lanes = panels.shape
    block, reached = block_of(panels), np.empty(n_panels, np.bool_)
    part = np.zeros((n_panels, d + OWN, lanes), x.dtype)
    a, extra = np.ones(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    sums, nearest = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    near, close, logarithms = 0.0, 0.0, 0.0
    limit = x.dtype.type(noise)
    n_terms = n_centroids if noise == np.inf else n_centroids + 1
    for first in range(start, stop, ROWS):
        load_row_weights(row_weights, scatter, first, stop, a, extra)
        squared_distances(x, first, stop - 1, panels, extra, block)
        shares_of_block(block, n_centroids, tau, limit, nearest, sums, reached)
        ratios = 1.0  # of rows without weights: one logarithm of their product will do
        for r in range(min(ROWS, stop - first)):
            near += a[r] * min(nearest[r], limit)
            if noise < np.inf:
                held = 1.0 - share_of_noise(limit, nearest[r], tau) / sums[r]
                close += a[r] * nearest[r] * held if held > 0.0 else 0.0
            ratio = n_terms / np.float64(sums[r])
            if row_weights.shape[0] > 0:
                logarithms += a[r] * np.log(ratio)
            else:
                ratios *= ratio
        logarithms += np.log(ratios)
        for r in range(ROWS):
            sums[r] = x.dtype.type(1) / sums[r]
        for p in range(n_panels):
            if reached[p]:
                _add_panel(block, p, sums, a, part)
                add_rows(x, first, stop - 1, block, p, part)
        if (first - start) % FLUSH == FLUSH - ROWS:
            flush(total, part)
    flush(total, part)
    return 0.5 * (near + tau * logarithms), near if noise == np.inf else close


@kernel
def entropy_statistics_serial(x, row_weights, scatter, centroids, tau, noise):
    """Weight, sums, mass, squares, data term and nearest, on this thread."""
    n_centroids = centroids.shape[0]
    panels = panels_of(centroids, x)
    total, chunk = room_for_sums(2, panels, OWN)
    data_term, near = 0.0, 0.0
    for c in range(count_chunks(x.shape[0])):
        term, close = _add_chunk(
            x, row_weights, scatter, panels, n_centroids, tau, noise, c, chunk
        )
        flush(total, chunk)
        data_term += term
        near += close
    sums, weight, squares = unpack(total, n_centroids)
    return weight, sums, weight, squares, data_term, near


@parallel_kernel
def entropy_statistics_parallel(x, row_weights, scatter, centroids, tau, noise):
    """``entropy_statistics_serial`` on all threads, with the same bits."""
    n_centroids = centroids.shape[0]
    panels = panels_of(centroids, x)
    n_chunks = count_chunks(x.shape[0])
    chunks = room_for_sums(n_chunks, panels, OWN)
    terms = room_for_terms(n_chunks, 2)
    for c in prange(n_chunks):
        term, close = _add_chunk(
            x, row_weights, scatter, panels, n_centroids, tau, noise, c, chunks[c]
        )
        terms[c, 0] = term
        terms[c, 1] = close
    sums, weight, squares = unpack(add_chunks(chunks), n_centroids)
    return weight, sums, weight, squares, add_terms(terms, 0), add_terms(terms, 1)


@kernel
def _memberships_range(x, panels, tau, noise, start, stop, out):
    """Memberships of the rows from ``start`` to before ``stop``."""
    n_panels, _, lanes = panels.shape
    n_centroids = out.shape[1]
    block, reached = block_of(panels), np.empty(n_panels, np.bool_)
    sums, nearest = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    no_extra, limit = np.zeros(ROWS, x.dtype), x.dtype.type(noise)
    for first in range(start, stop, ROWS):
        squared_distances(x, first, stop - 1, panels, no_extra, block)
        shares_of_block(block, n_centroids, tau, limit, nearest, sums, reached)
        for r in range(min(ROWS, stop - first)):
            for j in range(n_centroids):
                out[first + r, j] = block[j // lanes, r, j % lanes] / sums[r]


@kernel
def entropy_memberships_serial(x, centroids, tau, noise):
    """The n x K memberships, on this thread."""
    out = room_for_memberships(x, centroids)
    _memberships_range(x, panels_of(centroids, x), tau, noise, 0, x.shape[0], out)
    return out


@parallel_kernel
def entropy_memberships_parallel(x, centroids, tau, noise):
    """``entropy_memberships_serial`` on all threads, with the same bits."""
    out = room_for_memberships(x, centroids)
    panels = panels_of(centroids, x)
    for c in prange(count_chunks(x.shape[0])):
        start, stop = chunk_borders(x.shape[0], c)
        _memberships_range(x, panels, tau, noise, start, stop, out)
    return out
