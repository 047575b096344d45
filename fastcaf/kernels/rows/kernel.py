"""The membership update of kernel fuzzy c-means and its sums over rows, in one pass.

Distances are those in the space of a Gaussian kernel, with centroids in that of the rows:

    k_j = exp(-d_j / w),   e_j = w (1 - k_j),   w = 2 h^2 with the bandwidth h,

and memberships those of ``fcm.py`` for e in the place of d.  e grows like d near a centroid
and no further than w, so that a row far from everything pulls at nothing.  As w grows, e
becomes d: the objective has the units of fuzzy c-means, and gamma has its meaning.

e is concave in d and has the slope k: where sum_ij a_i mu_ij^m k_ij d_ij, with the mu and k of
the old centroids, falls, twice the data term falls by as much or more.  So the centroid problem
with weights mu^m k never lets the objective rise.
Added up over the rows (a_i: row weights) are

    weight_j = sum_i a_i mu_ij^m k_ij,  sums_j = sum_i a_i mu_ij^m k_ij x_i,
    squares_j = sum_i a_i mu_ij^m,      mass_j = sum_i a_i mu_ij,
    data term = 1/2 sum_i a_i sum_j mu_ij^m e_ij.

A noise cluster is one as in ``fcm.py``, at the e of its distance.
A k below exp(-30) counts as 1e-30.  A row's scatter is a part of all its distances.
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
from fastcaf.kernels.rows.fcm import (
    add_panel,
    add_row,
    by_ratio,
    invert,
    shares_of_sums,
    whole_power,
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
from fastcaf.kernels.simd.vectors import (
    broadcast,
    exp_negative,
    load,
    minimum,
    multiply_add,
    store,
)

OWN = 3  # numbers of its own that a centroid has: weight, squares and mass
NEAR = 0.125  # of d / w: up to there 1 - exp(-d / w) is a series
TERMS = 10  # of the series: enough for float64
LEAST = 1e-30  # of k: centroids that no row is near have weights, too


@inlined_kernel
def _bend(distances, kernels, place, width):
    """Turn the d of one vector into e, in place; its k go to the same place of ``kernels``.

    The exponent is cut in two, exp(-z) = (1 - p) q, with p from a series: where it is small,
    1 - k would have few digits.
    """
    number = distances.dtype.type
    one = broadcast(number(1))
    z = load(distances, place) * broadcast(number(1.0 / width))
    near = minimum(z, broadcast(number(NEAR)))
    series = one
    for i in range(TERMS, 1, -1):
        series = multiply_add(near * series, broadcast(number(-1.0 / i)), one)
    p, q = near * series, exp_negative(near - z)
    store(kernels, place, multiply_add(one - p, q, broadcast(number(LEAST))))
    store(distances, place, broadcast(number(width)) * multiply_add(p, q, one - q))


@inlined_kernel
def _bend_panel(block, kernels, p, width, n_centroids):
    """``_bend`` for a panel; what pads it stays infinitely far away."""
    _, n_rows, lanes = block.shape
    for r in range(n_rows):
        _bend(block, kernels, (p * n_rows + r) * lanes, width)
        for k in range(n_centroids - p * lanes, lanes):
            block[p, r, k] = np.inf


@kernel
def _shares(
    x, first, last, panels, extra, whole, parameters, n, block, kernels, sums, share, term
):
    """1/e and k of a block of rows to all n centroids, then ``shares_of_sums``."""
    n_panels, width = panels.shape[0], parameters[1]
    clear(sums)
    for p in range(0, n_panels, 2):
        distances_to_panels(x, first, last, panels, p, extra, block)
        for q in range(p, min(p + 2, n_panels)):
            _bend_panel(block, kernels, q, width, n)
        invert(block, p, whole, sums)
    return shares_of_sums(sums, whole, parameters[2], block, share, term)


@kernel
def _single_row(x, i, panels, extra, parameters, n_centroids, row, kernels, mu):
    """One row, for any power and any distance: ``by_ratio`` with e.  Returns its data term.

    OUT row: mu^m; kernels; mu.  The first two are panels x 1 x L.
    """
    flat = row.reshape(-1)
    distances_of_row(x, i, panels, extra, flat)
    for p in range(panels.shape[0]):
        _bend_panel(row, kernels, p, parameters[1], n_centroids)
    return by_ratio(flat, mu, parameters[0], n_centroids, parameters[2])


@inlined_kernel
def _press(block, kernels, p, part):
    """Turn the a mu^m of a panel into a mu^m k, in place; add up the weight."""
    _, n_rows, lanes = block.shape
    place = ((p + 1) * part.shape[1] - OWN) * lanes
    weight = load(part, place)
    for r in range(n_rows):
        here = (p * n_rows + r) * lanes
        held = load(block, here) * load(kernels, here)
        weight = weight + held
        store(block, here, held)
    store(part, place, weight)


@kernel
def _add_chunk(x, row_weights, scatter, panels, n_centroids, parameters, c, total):
    """Add the statistics of the rows of chunk c to ``total``; return their data term.

    ``total`` is panels x (d + 3) x L: the weighted sums, then weight, squares and mass.
    """
    start, stop = chunk_borders(x.shape[0], c)
    n_panels, d, lanes = panels.shape
    whole = whole_power(parameters[0])
    block, kernels = block_of(panels), block_of(panels)
    row, row_kernels = (
        np.empty((n_panels, 1, lanes), x.dtype),
        np.empty((n_panels, 1, lanes), x.dtype),
    )
    mu = np.empty(n_panels * lanes, x.dtype)
    part, sums = np.zeros((n_panels, d + OWN, lanes), x.dtype), np.empty((ROWS, lanes), x.dtype)
    a, extra = np.ones(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    share, term = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    data_term = 0.0
    for first in range(start, stop, ROWS):
        load_row_weights(row_weights, scatter, first, stop, a, extra)
        regular = False
        if whole > 0:
            regular = _shares(
                x,
                first,
                stop - 1,
                panels,
                extra,
                whole,
                parameters,
                n_centroids,
                block,
                kernels,
                sums,
                share,
                term,
            )
            for p in range(n_panels):
                add_panel(block, p, whole, share, term, a, part)
            for r in range(ROWS):
                data_term += a[r] * term[r]
        if not regular:
            for r in range(ROWS):
                if share[r] == 0.0:
                    i = min(first + r, stop - 1)
                    t = _single_row(
                        x, i, panels, extra[r], parameters, n_centroids, row, row_kernels, mu
                    )
                    data_term += a[r] * t
                    add_row(row.reshape(-1), mu, r, a[r], block, part)
                    kernels[:, r] = row_kernels[:, 0]
        for p in range(n_panels):
            _press(block, kernels, p, part)
            add_rows(x, first, stop - 1, block, p, part)
        if (first - start) % FLUSH == FLUSH - ROWS:
            flush(total, part)
    flush(total, part)
    return 0.5 * data_term


@kernel
def _unpacked(total, n_centroids):
    """Weight, sums, mass and squares."""
    numbers, squares, mass = unpack(total, n_centroids)
    d = numbers.shape[1] - 1
    return numbers[:, d].copy(), numbers[:, :d].copy(), mass, squares


@kernel
def kernel_statistics_serial(x, row_weights, scatter, centroids, parameters):
    """Weight, sums, mass, squares, data term and 0, on this thread.

    ``parameters`` are the power 1 / (m - 1), w, and the e of the noise cluster.
    """
    n_centroids = centroids.shape[0]
    panels = panels_of(centroids, x)
    total, chunk = room_for_sums(2, panels, OWN)
    data_term = 0.0
    for c in range(count_chunks(x.shape[0])):
        data_term += _add_chunk(
            x, row_weights, scatter, panels, n_centroids, parameters, c, chunk
        )
        flush(total, chunk)
    weight, sums, mass, squares = _unpacked(total, n_centroids)
    return weight, sums, mass, squares, data_term, 0.0


@parallel_kernel
def kernel_statistics_parallel(x, row_weights, scatter, centroids, parameters):
    """``kernel_statistics_serial`` on all threads, with the same bits."""
    n_centroids = centroids.shape[0]
    panels = panels_of(centroids, x)
    n_chunks = count_chunks(x.shape[0])
    chunks = room_for_sums(n_chunks, panels, OWN)
    terms = room_for_terms(n_chunks, 1)
    for c in prange(n_chunks):
        terms[c, 0] = _add_chunk(
            x, row_weights, scatter, panels, n_centroids, parameters, c, chunks[c]
        )
    weight, sums, mass, squares = _unpacked(add_chunks(chunks), n_centroids)
    return weight, sums, mass, squares, add_terms(terms, 0), 0.0


@kernel
def _memberships_range(x, panels, parameters, start, stop, out):
    """Memberships of the rows from ``start`` to before ``stop``: each by itself."""
    n_panels, _, lanes = panels.shape
    row, kernels = (
        np.empty((n_panels, 1, lanes), x.dtype),
        np.empty((n_panels, 1, lanes), x.dtype),
    )
    mu, no_extra = np.empty(n_panels * lanes, x.dtype), x.dtype.type(0)
    n_centroids = out.shape[1]
    for i in range(start, stop):
        _single_row(x, i, panels, no_extra, parameters, n_centroids, row, kernels, mu)
        out[i] = mu[:n_centroids]


@kernel
def kernel_memberships_serial(x, centroids, parameters):
    """The n x K memberships, on this thread."""
    out = room_for_memberships(x, centroids)
    panels = panels_of(centroids, x)
    _memberships_range(x, panels, parameters, 0, x.shape[0], out)
    return out


@parallel_kernel
def kernel_memberships_parallel(x, centroids, parameters):
    """``kernel_memberships_serial`` on all threads, with the same bits."""
    out = room_for_memberships(x, centroids)
    panels = panels_of(centroids, x)
    for c in prange(count_chunks(x.shape[0])):
        start, stop = chunk_borders(x.shape[0], c)
        _memberships_range(x, panels, parameters, start, stop, out)
    return out
