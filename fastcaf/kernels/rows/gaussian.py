"""Memberships in Gaussian components, and their sums over rows, in one pass.

For a row x and components with centroids u_j, covariances S_j and shares pi_j of the rows:

    e_j  = ||W_j (x - u_j)||^2 + k_j,    W_j^T W_j = S_j^-1,  k_j = log|S_j| - 2 log(pi_j)
    mu_j = exp(-e_j / 2) / s,            s = sum_l exp(-e_l / 2)

so that -log sum_j pi_j N(x; u_j, S_j) = -log(s) + d/2 log(2 pi).  These are entropy
memberships of temperature 2 with e_j in place of distances, and shares are taken there.  A
background of noise is one more term of s, with one energy ``noise`` everywhere; inf: none.

W_j is lower triangular and lies in a vector, row after row: d (d + 1) / 2 numbers, or one
number, 1 / s_j, where S_j = s_j^2 I.  So do the second moments that come out.

Added up over the rows (a_i: row weights; f = x_i - u_j) are, for every component,

    a mu,   a mu^2,   a mu f (d numbers),   a mu f f^T (lower triangle), or a mu ||f||^2

Tails are light and most rows reach a few components only.  Rows wait for their component until
``GROUP`` of them are added at once, so that its sums stay in registers meanwhile.
A row that stands for a cell has the cell's scatter in every direction alike.
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
from fastcaf.kernels.rows.entropy import shares_of_block
from fastcaf.kernels.rows.sums import (
    add_chunks,
    add_terms,
    flush,
    load_row_weights,
    room_for_labels,
    room_for_memberships,
    room_for_terms,
)
from fastcaf.kernels.simd.vectors import (
    broadcast,
    count_lanes,
    load,
    load_broadcast,
    multiply_add,
    store,
    store_four,
)

MAX_CHUNKS = 16  # second moments take much room: fewer chunks than the other passes have
MIN_CHUNK = 256  # rows
GROUP = 16  # rows that are added to a component's sums together
FIRST = 2  # numbers of a component before its moments


@kernel
def _chunks(n):
    """How many chunks there are, and the rows of one."""
    size = (n + MAX_CHUNKS - 1) // MAX_CHUNKS
    size = max(MIN_CHUNK, (size + ROWS - 1) // ROWS * ROWS)
    return (n + size - 1) // size, size


@inlined_kernel
def _offsets_of_four(x, first, last, r, panels, p, offsets):
    """Offsets x - u of four rows and a panel's components, as [f, row, lane]."""
    _, d, lanes = panels.shape
    i0, i1 = d * min(first + r, last), d * min(first + r + 1, last)
    i2, i3 = d * min(first + r + 2, last), d * min(first + r + 3, last)
    for f in range(d):
        u = load(panels, (p * d + f) * lanes)
        e0, e1 = load_broadcast(x, i0 + f) - u, load_broadcast(x, i1 + f) - u
        e2, e3 = load_broadcast(x, i2 + f) - u, load_broadcast(x, i3 + f) - u
        store_four(offsets, 4 * f * lanes, lanes, e0, e1, e2, e3)


@inlined_kernel
def _full_energies(offsets, place, factors, begin, out):
    """||W f||^2 of four rows, two rows of W at a time: what is loaded serves several sums."""
    d, _, lanes = offsets.shape
    zero = broadcast(offsets.dtype.type(0))
    s0, s1 = load(out, place), load(out, place + lanes)
    s2, s3 = load(out, place + 2 * lanes), load(out, place + 3 * lanes)
    for a in range(-(d % 2), d, 2):  # row -1 is none: the first of an odd number stands alone
        y0 = y1 = y2 = y3 = z0 = z1 = z2 = z3 = zero
        below = begin + (a + 1) * lanes
        for b in range(a + 1):
            v, w, here = load(factors, begin), load(factors, below), 4 * b * lanes
            begin, below = begin + lanes, below + lanes
            e0, e1 = load(offsets, here), load(offsets, here + lanes)
            e2, e3 = load(offsets, here + 2 * lanes), load(offsets, here + 3 * lanes)
            y0, z0 = multiply_add(v, e0, y0), multiply_add(w, e0, z0)
            y1, z1 = multiply_add(v, e1, y1), multiply_add(w, e1, z1)
            y2, z2 = multiply_add(v, e2, y2), multiply_add(w, e2, z2)
            y3, z3 = multiply_add(v, e3, y3), multiply_add(w, e3, z3)
        w, here, begin = load(factors, below), 4 * (a + 1) * lanes, below + lanes
        z0 = multiply_add(w, load(offsets, here), z0)
        z1 = multiply_add(w, load(offsets, here + lanes), z1)
        z2 = multiply_add(w, load(offsets, here + 2 * lanes), z2)
        z3 = multiply_add(w, load(offsets, here + 3 * lanes), z3)
        s0, s1 = multiply_add(y0, y0, s0), multiply_add(y1, y1, s1)
        s2, s3 = multiply_add(y2, y2, s2), multiply_add(y3, y3, s3)
        s0, s1 = multiply_add(z0, z0, s0), multiply_add(z1, z1, s1)
        s2, s3 = multiply_add(z2, z2, s2), multiply_add(z3, z3, s3)
    store_four(out, place, lanes, s0, s1, s2, s3)


@inlined_kernel
def _round_energies(p, factors, constants, out):
    """||f||^2 / s^2 + k from ||f||^2, of a panel's components."""
    lanes = factors.shape[2]
    w, constant = load(factors, p * lanes), load(constants, 2 * p * lanes)
    w = w * w
    for place in range(p * ROWS * lanes, (p + 1) * ROWS * lanes, lanes):
        store(out, place, multiply_add(w, load(out, place), constant))


@kernel
def _energies(x, first, last, parts, extra, offsets, out):
    """e_j of a block of rows: infinite, or no number, for the padding of the last panel."""
    panels, factors, constants = parts
    n_panels, n_factors, lanes = factors.shape
    if n_factors == 1:
        squared_distances(x, first, last, panels, extra, out)
    for p in range(n_panels):
        if n_factors == 1:
            _round_energies(p, factors, constants, out)
            continue
        constant, trace = load(constants, 2 * p * lanes), load(constants, (2 * p + 1) * lanes)
        for r in range(0, ROWS, 4):
            place = (p * ROWS + r) * lanes
            for q in range(4):
                start = multiply_add(trace, load_broadcast(extra, r + q), constant)
                store(out, place + q * lanes, start)
            _offsets_of_four(x, first, last, r, panels, p, offsets)
            _full_energies(offsets, place, factors, p * n_factors * lanes, out)


@kernel
def _nothing_waits(centroids):
    """Numbers of rows that wait for each component; the rows, their memberships; scratch."""
    n, d = centroids.shape
    scratch = np.zeros((2 * GROUP + 1, (d + 7) // 8 * 8))  # whole vectors
    return np.zeros(n, np.int64), np.empty((n, GROUP), np.int64), np.empty((n, GROUP)), scratch


@kernel
def _add_group(x, row_weights, scatter, centroids, waiting, j, sums):
    """Add the rows that wait for component j to its sums."""
    counts, rows, shares, scratch = waiting
    d, width, lanes = x.shape[1], scratch.shape[1], count_lanes(scratch)
    is_round, held = sums.shape[1] == FIRST + d + 1, GROUP * width
    weight, squares, extra = 0.0, 0.0, 0.0
    for q in range(counts[j]):  # f from row 0 of the scratch on, a mu f from row GROUP on
        i, mu = rows[j, q], shares[j, q]
        a = mu * row_weights[i] if row_weights.shape[0] > 0 else mu
        for f in range(d):
            offset = x[i, f] - centroids[j, f]
            scratch[q, f] = offset
            scratch[GROUP + q, f] = a * offset
            if is_round:
                extra += a * offset * offset
        weight += a
        squares += a * mu
        if scatter.shape[0] > 0:
            extra += a * scatter[i]
    sums[j, 0] += weight
    sums[j, 1] += squares
    for f in range(d):
        total = 0.0
        for q in range(counts[j]):
            total += scratch[GROUP + q, f]
        sums[j, FIRST + f] += total
    place, end = FIRST + d, counts[j] * width
    counts[j] = 0
    if is_round:
        sums[j, place] += extra
        return
    for f in range(d):
        for g in range(0, f + 1, lanes):
            s = broadcast(0.0)
            for q in range(0, end, width):
                s = multiply_add(load_broadcast(scratch, held + q + f), load(scratch, q + g), s)
            store(scratch, 2 * held + g, s)
        for g in range(f + 1):
            sums[j, place + g] += scratch[2 * GROUP, g]
        place += f + 1
        sums[j, place - 1] += extra / d


@kernel
def _add_chunk(x, row_weights, scatter, centroids, parts, noise, c, sums):
    """Add the rows of chunk c to ``sums``; return their part of -log-likelihood."""
    _, size = _chunks(x.shape[0])
    start, stop = c * size, min((c + 1) * size, x.shape[0])
    n_panels, d, lanes = parts[0].shape
    n_centroids, waiting = centroids.shape[0], _nothing_waits(centroids)
    counts, rows, shares, _ = waiting
    block, reached = block_of(parts[0]), np.empty(n_panels, np.bool_)
    offsets = np.empty((d, 4, lanes), x.dtype)
    a, extra = np.ones(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    total, least = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    term, limit = 0.0, x.dtype.type(noise)
    for first in range(start, stop, ROWS):
        load_row_weights(row_weights, scatter, first, stop, a, extra)
        _energies(x, first, stop - 1, parts, extra, offsets, block)
        shares_of_block(block, n_centroids, 2.0, limit, least, total, reached)
        for r in range(min(ROWS, stop - first)):
            inverse = 1.0 / np.float64(total[r])
            term += a[r] * (0.5 * min(least[r], limit) + np.log(inverse))
            for p in range(n_panels):
                if reached[p]:
                    for j in range(p * lanes, min((p + 1) * lanes, n_centroids)):
                        share = np.float64(block[p, r, j - p * lanes])
                        if share > 0.0:
                            q, counts[j] = counts[j], counts[j] + 1
                            rows[j, q], shares[j, q] = first + r, share * inverse
                            if q + 1 == GROUP:
                                _add_group(x, row_weights, scatter, centroids, waiting, j, sums)
    for j in range(n_centroids):
        _add_group(x, row_weights, scatter, centroids, waiting, j, sums)
    return term


@kernel
def _parts(centroids, factors, constants, like):
    """All that the energies need, in panels."""
    return panels_of(centroids, like), panels_of(factors, like), panels_of(constants, like)


@kernel
def _room(n, centroids, factors):
    """Room for n sums of every component."""
    n_centroids, d = centroids.shape
    return np.zeros((n, 1, n_centroids, FIRST + d + factors.shape[1]))


@kernel
def gaussian_statistics_serial(x, row_weights, scatter, centroids, factors, constants, noise):
    """Sums of every component (K x (2 + d + m)), and minus the log-likelihood, on this thread.

    IN  factors (K x m): W_j; constants (K x 2): k_j, and tr(S_j^-1) / d; noise: its energy.
    """
    parts = _parts(centroids, factors, constants, x)
    total, chunk = _room(2, centroids, factors)
    term = 0.0
    for c in range(_chunks(x.shape[0])[0]):
        term += _add_chunk(x, row_weights, scatter, centroids, parts, noise, c, chunk[0])
        flush(total, chunk)
    return total[0], term


@parallel_kernel
def gaussian_statistics_parallel(x, row_weights, scatter, centroids, factors, constants, noise):
    """``gaussian_statistics_serial`` on all threads, with the same bits."""
    parts = _parts(centroids, factors, constants, x)
    n_chunks, _ = _chunks(x.shape[0])
    chunks = _room(n_chunks, centroids, factors)
    terms = room_for_terms(n_chunks, 1)
    for c in prange(n_chunks):
        terms[c, 0] = _add_chunk(
            x, row_weights, scatter, centroids, parts, noise, c, chunks[c, 0]
        )
    return add_chunks(chunks)[0], add_terms(terms, 0)


@kernel
def sums_by_label(x, row_weights, scatter, labels, centroids, n_moments):
    """Sums over the rows of every label, K x (2 + d + m), as if memberships were 0 and 1.

    m = ``n_moments``, 1 for the sum of squares.  Rows with a negative label are left out.
    """
    n, d = centroids.shape
    sums, waiting = np.zeros((n, FIRST + d + n_moments)), _nothing_waits(centroids)
    counts, rows, shares, _ = waiting
    for i in np.flatnonzero(labels >= 0):
        j, q = labels[i], counts[labels[i]]
        rows[j, q], shares[j, q], counts[j] = i, 1.0, q + 1
        if q + 1 == GROUP:
            _add_group(x, row_weights, scatter, centroids, waiting, j, sums)
    for j in range(n):
        _add_group(x, row_weights, scatter, centroids, waiting, j, sums)
    return sums


@kernel
def _classify_range(x, parts, n_centroids, noise, start, stop, labels):
    """The most likely component of the rows of a range; -1 where noise is more likely."""
    _, d, lanes = parts[0].shape
    block = block_of(parts[0])
    offsets, no_extra = np.empty((d, 4, lanes), x.dtype), np.zeros(ROWS, x.dtype)
    for first in range(start, stop, ROWS):
        _energies(x, first, stop - 1, parts, no_extra, offsets, block)
        for r in range(min(ROWS, stop - first)):
            best, label = noise, 0 if noise == np.inf else -1
            for j in range(n_centroids):
                energy = block[j // lanes, r, j % lanes]
                if energy < best:
                    best, label = energy, j
            labels[first + r] = label


@kernel
def classify_serial(x, centroids, factors, constants, noise):
    """The most likely component of every row; ties go to the noise, and the lowest number."""
    labels = room_for_labels(x)
    parts = _parts(centroids, factors, constants, x)
    _classify_range(x, parts, centroids.shape[0], noise, 0, x.shape[0], labels)
    return labels


@parallel_kernel
def classify_parallel(x, centroids, factors, constants, noise):
    """``classify_serial`` on all threads."""
    labels = room_for_labels(x)
    parts = _parts(centroids, factors, constants, x)
    for c in prange(count_chunks(x.shape[0])):
        start, stop = chunk_borders(x.shape[0], c)
        _classify_range(x, parts, centroids.shape[0], noise, start, stop, labels)
    return labels


@kernel
def _memberships_range(x, parts, noise, start, stop, out):
    n_panels, d, lanes = parts[0].shape
    block, reached = block_of(parts[0]), np.empty(n_panels, np.bool_)
    offsets, no_extra = np.empty((d, 4, lanes), x.dtype), np.zeros(ROWS, x.dtype)
    total, least = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    for first in range(start, stop, ROWS):
        _energies(x, first, stop - 1, parts, no_extra, offsets, block)
        limit = x.dtype.type(noise)
        shares_of_block(block, out.shape[1], 2.0, limit, least, total, reached)
        for r in range(min(ROWS, stop - first)):
            for j in range(out.shape[1]):
                out[first + r, j] = block[j // lanes, r, j % lanes] / total[r]


@kernel
def gaussian_memberships_serial(x, centroids, factors, constants, noise):
    """The n x K memberships, on this thread."""
    out = room_for_memberships(x, centroids)
    _memberships_range(x, _parts(centroids, factors, constants, x), noise, 0, len(x), out)
    return out


@parallel_kernel
def gaussian_memberships_parallel(x, centroids, factors, constants, noise):
    """``gaussian_memberships_serial`` on all threads, with the same bits."""
    out = room_for_memberships(x, centroids)
    parts = _parts(centroids, factors, constants, x)
    for c in prange(count_chunks(x.shape[0])):
        start, stop = chunk_borders(x.shape[0], c)
        _memberships_range(x, parts, noise, start, stop, out)
    return out
